//! What `flitwork schedule` reads: a configuration of a graph, a schedule and a problem, and options over it.

use super::method::{Ask, METHODS, Method};
use crate::args::Schedule;
use crate::exit::Exit;
use crate::problem::{self, GraphText, ProblemText, Source};
use flitwork_files::Inputs;
use flitwork_schedule::Request;
use serde::Deserialize;
use std::fmt::Display;
use toml::Spanned;

/// A configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    graph: GraphText,
    #[serde(default)]
    schedule: ScheduleText,
    problem: ProblemText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleText {
    method: Option<Spanned<String>>,
    order: Option<Spanned<String>>,
    select: Option<Spanned<String>>,
    ties: Option<Spanned<String>>,
    waiting: Option<Spanned<u32>>,
    detours: Option<Spanned<bool>>,
    tries: Option<Spanned<u32>>,
    seed: Option<Spanned<u64>>,
}

/// The keys of `[schedule]` that are given.
#[derive(Debug, Default)]
pub(super) struct Settings(Vec<Setting>);

#[derive(Debug)]
struct Setting {
    key: &'static str,
    value: Value,
    /// Its place in the configuration; none for an option.
    at: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Number(u64),
    Truth(bool),
}

impl Settings {
    fn find(&self, key: &str) -> Option<&Setting> {
        self.0.iter().find(|setting| setting.key == key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match &self.find(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.find(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.find(key)
            .is_some_and(|it| it.value == Value::Truth(true))
    }

    /// What is wrong with a key: where it is given, or with the table.
    pub(super) fn wrong(
        &self,
        source: &Source<'_>,
        key: &'static str,
        what: impl Display,
        allowed: impl Display,
    ) -> Exit {
        match self.find(key).map(|setting| setting.at) {
            Some(Some(at)) => source.wrong(at, what, allowed),
            Some(None) => Exit::bad_input(format!("--{key}: {what}\n  allowed: {allowed}")),
            None => source.wrong_in("schedule", what, allowed),
        }
    }

    /// Puts a key of the configuration there.
    fn read<X>(&mut self, key: &'static str, given: &Option<Spanned<X>>, value: fn(&X) -> Value) {
        if let Some(given) = given {
            let at = Some(given.span().start);
            let value = value(given.get_ref());
            self.0.push(Setting { key, value, at });
        }
    }

    /// Puts an option in the place of its key.
    fn option(&mut self, key: &'static str, given: Option<Value>) {
        if let Some(value) = given {
            self.0.retain(|setting| setting.key != key);
            self.0.push(Setting {
                key,
                value,
                at: None,
            });
        }
    }

    fn all(text: &ScheduleText, args: &Schedule) -> Settings {
        let mut all = Settings::default();
        let named = |text: &String| Value::Text(text.clone());
        let number = |number: &u32| Value::Number(u64::from(*number));
        all.read("order", &text.order, named);
        all.read("select", &text.select, named);
        all.read("ties", &text.ties, named);
        all.read("waiting", &text.waiting, number);
        all.read("detours", &text.detours, |truth| Value::Truth(*truth));
        all.read("tries", &text.tries, number);
        all.read("seed", &text.seed, |seed| Value::Number(*seed));
        let named = |text: &Option<String>| text.clone().map(Value::Text);
        let number = |number: Option<u32>| number.map(|it| Value::Number(u64::from(it)));
        all.option("order", named(&args.order));
        all.option("select", named(&args.select));
        all.option("ties", named(&args.ties));
        all.option("waiting", number(args.waiting));
        all.option("detours", args.detours.then_some(Value::Truth(true)));
        all.option("tries", number(args.tries));
        all.option("seed", args.seed.map(Value::Number));
        all
    }
}

/// Reads a configuration, what it names, and the options.
pub(super) fn read(args: &Schedule, inputs: &Inputs) -> Result<Ask, Exit> {
    let path = &args.config;
    let text = problem::text(path)?;
    let source = Source { path, text: &text };
    let parsed: Text = toml::from_str(&text).map_err(|error| {
        source.unparsed(
            &error,
            "tables [graph], [schedule] and [problem], as in configs/schedule",
        )
    })?;
    let (net, problem) = problem::read(&source, &parsed.graph, &parsed.problem, inputs)?;
    let words = match &parsed.problem.words {
        None => 1,
        Some(words) => match *words.get_ref() {
            0 => {
                let what = "problem.words is 0";
                return Err(source.wrong(words.span().start, what, "1 word or more"));
            }
            words => words,
        },
    };
    let settings = Settings::all(&parsed.schedule, args);
    let method = method(&source, &parsed.schedule, args, &settings)?;
    let requests = problem.packets.iter().map(|asked| Request {
        source: asked.source,
        destination: asked.destination,
        words,
    });
    Ok(Ask {
        net,
        requests: requests.collect(),
        problem,
        method,
        settings,
        seed: parsed.problem.seed,
        words,
        words_at: parsed.problem.words.as_ref().map(|it| it.span().start),
        path: path.to_path_buf(),
        text,
    })
}

/// The algorithm that is named; it must read all keys that are given.
fn method(
    source: &Source<'_>,
    text: &ScheduleText,
    args: &Schedule,
    settings: &Settings,
) -> Result<Method, Exit> {
    let of_config = text.method.as_ref().map(|it| it.get_ref());
    let name = args.method.as_ref().or(of_config);
    let name = name.map_or("multistage", String::as_str);
    let Some(method) = METHODS.iter().find(|method| method.name == name) else {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
        let (what, allowed) = (format!("schedule.method is \"{name}\""), names.join(", "));
        return Err(match (&args.method, &text.method) {
            (None, Some(given)) => source.wrong(given.span().start, what, allowed),
            _ => Exit::bad_input(format!("--method: {what}\n  allowed: {allowed}")),
        });
    };
    let unread = settings.0.iter().find(|it| !method.keys.contains(&it.key));
    match unread {
        None => Ok(*method),
        Some(setting) => {
            let what = format!("schedule.{}: {name} doesn't read it", setting.key);
            let allowed = match method.keys {
                [] => "no key beside the method".to_owned(),
                keys => keys.join(", "),
            };
            Err(settings.wrong(source, setting.key, what, allowed))
        }
    }
}
