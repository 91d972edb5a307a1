//! `flitwork schedule`: an off-line algorithm schedules a static problem, before any run.

use crate::args::Schedule;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, print_found};
use crate::program::program;
use crate::run::{refused, warn_of_unread};
use flitwork_config::{Loaded, Scheduling, unread_warning};
use flitwork_report::Provenance;
use flitwork_schedule::bounds::{Limits, fractional};
use flitwork_schedule::method::{About, ScheduleResult, Unmade};
use flitwork_schedule::{Plan, Request, check, makespan};
use flitwork_schema::Datum;
use flitwork_studies::playing::{Playable, Played};
use flitwork_topology::Topology;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long to wait for a schedule before it is asked whether it is wanted at all.
const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Schedule, asking: &Asking<'_>) -> Result<Code, Exit> {
    let loaded = asking
        .catalogue
        .load_scheduling(&args.config, &args.overrides()?);
    let loaded = loaded.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&loaded.unread));
    let ask = Arc::new(ScheduleRequest::of(loaded));
    asking.places.prepare()?;
    // An algorithm doesn't stop half-way: what is interrupted is left to itself.
    let (done, made) = channel();
    let asked = Arc::clone(&ask);
    let out = args.out.clone();
    let (play, bound) = (args.play, args.bound);
    std::thread::spawn(move || done.send(scheduled(&asked, out.as_deref(), play, bound)));
    let found = loop {
        match made.recv_timeout(PATIENCE) {
            Ok(found) => break found?,
            Err(RecvTimeoutError::Timeout)
                if asking.interruption.flow_of_checks().is_continue() => {}
            Err(RecvTimeoutError::Timeout) => return Ok(Code(INTERRUPTED)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Exit::Failure("the schedule wasn't made".into()));
            }
        }
    };
    let Found { mut json, text } = found;
    json["provenance"] = json!(ask.provenance());
    print_found(&json, args.json, || text)?;
    Ok(Code(FINE))
}

/// What is to be scheduled, and how.
struct ScheduleRequest {
    loaded: Loaded<Scheduling>,
    requests: Vec<Request>,
}

impl ScheduleRequest {
    fn of(loaded: Loaded<Scheduling>) -> ScheduleRequest {
        let packets = loaded.value.packets.iter();
        let requests = packets.map(|(source, destination, words)| Request {
            source: *source,
            destination: *destination,
            words: (*words).into(),
        });
        ScheduleRequest {
            requests: requests.collect(),
            loaded,
        }
    }

    fn scheduling(&self) -> &Scheduling {
        &self.loaded.value
    }

    /// Where what is written comes from.
    fn provenance(&self) -> Provenance {
        let scheduling = self.scheduling();
        program().ran(scheduling.to_toml(), scheduling.seed)
    }

    /// Why the problem isn't scheduled.
    fn refused(&self, why: impl Into<Unmade>) -> Exit {
        let Unmade {
            about,
            found,
            allowed,
        } = why.into();
        let method = self.scheduling().algorithm.name();
        let key = match about {
            About::Key(key) => {
                let key = format!("schedule.{method}.{key}");
                let found = format!("{key} is {found}");
                return refused(&self.loaded.refused(&key, found, allowed));
            }
            About::Method => format!("schedule.{method}"),
            About::Packets => self.scheduling().packets_key().into(),
            About::Words => "traffic.packet_words".into(),
        };
        refused(&self.loaded.refused(&key, found, allowed))
    }
}

/// What is printed.
struct Found {
    json: Value,
    text: String,
}

/// Schedules a problem, checks the schedule, and writes or plays it.
fn scheduled(
    ask: &ScheduleRequest,
    out: Option<&Path>,
    play: bool,
    bound: bool,
) -> Result<Found, Exit> {
    admit(ask)?;
    let (shape, method) = (ask.scheduling().shape(), &ask.scheduling().algorithm);
    let made = method.make(shape, &ask.requests);
    let mut made = made.map_err(|why| ask.refused(why))?;
    if bound {
        let (requests, model, limits) = (&ask.requests, method.model(), Limits::default());
        let found = fractional(shape, requests, model, &limits);
        let steps = found.map_err(|error| ask.refused(error))?.steps;
        let steps = Some(Datum::Whole(steps.into()));
        made.summary.push(("fractional_bound", steps));
    }
    reported(ask, shape, &made, out, play)
}

/// Refuses a problem whose plans the host has no room for.
fn admit(ask: &ScheduleRequest) -> Result<(), Exit> {
    /// A hop as it is planned, checked, and written as a route.
    const LINK_BYTES: u64 = 96;
    const PACKET_BYTES: u64 = 512;
    let shape = ask.scheduling().shape();
    let distance = |it: &Request| u64::from(shape.distance(it.source, it.destination));
    let links: u64 = ask.requests.iter().map(distance).sum();
    let needs = LINK_BYTES * links + PACKET_BYTES * ask.requests.len() as u64;
    let keys = ["network.sides", "network.file", "traffic.file"];
    flitwork_experiment::memory::admit_bytes(needs, &keys).map_err(Exit::bad_input)
}

fn reported<T: Topology + Clone + 'static>(
    ask: &ScheduleRequest,
    topology: &T,
    made: &ScheduleResult,
    out: Option<&Path>,
    play: bool,
) -> Result<Found, Exit> {
    let requests = &ask.requests;
    check(topology, requests, &made.plans, usize::MAX)
        .map_err(|clash| Exit::Failure(format!("the schedule is invalid: {clash}")))?;
    let mut facts = facts(topology, requests, &made.plans);
    let is_played = play || out.is_some();
    let playable = is_played.then(|| Playable::new(topology, requests, &made.plans));
    let playable = playable.transpose().map_err(|error| {
        // Words are those of packets of the router already.
        ask.refused(Unmade::new(About::Packets, error, "other destinations"))
    })?;
    if let Some(playable) = &playable {
        facts.push(("lead", "lead", playable.lead(), "cycles"));
    }
    let played = match &playable {
        Some(playable) if play => playable.play(topology)?,
        _ => Vec::new(),
    };
    if let (Some(playable), Some(path)) = (&playable, out) {
        let text = ask.provenance().comment() + &playable.text(topology);
        flitwork_files::write(path, text.as_bytes())
            .map_err(|error| Exit::unwritable("--out", &error))?;
    }
    Ok(Found {
        json: as_json(ask, made, &facts, &played),
        text: as_text(ask, made, &facts, &played, out),
    })
}

/// A value as JSON.
fn value(datum: Option<&Datum>) -> Value {
    match datum {
        None => Value::Null,
        Some(Datum::Whole(number)) => json!(*number as i64),
        Some(Datum::Real(number)) => json!(number),
        Some(Datum::Truth(truth)) => json!(truth),
        Some(Datum::List(all)) => all.iter().map(|it| value(Some(&it.datum))).collect(),
        Some(Datum::Text(text) | Datum::Other(text)) => json!(text),
        Some(Datum::Table(entries)) => {
            let entries = entries.iter();
            let entries = entries.map(|(name, it)| (name.clone(), value(Some(&it.datum))));
            Value::Object(entries.collect())
        }
    }
}

/// A number that is reported: its key, what people call it, and its unit.
type Fact = (&'static str, &'static str, u32, &'static str);

fn facts<T: Topology>(topology: &T, requests: &[Request], plans: &[Plan]) -> Vec<Fact> {
    let makespan = makespan(requests, plans);
    let distances = requests.iter().map(|request| {
        match topology.distance(request.source, request.destination) {
            0 => 0,
            links => links + request.words - 1,
        }
    });
    let distance = distances.max().unwrap_or(0);
    let starts = plans
        .iter()
        .filter_map(|plan| plan.hops.first())
        .map(|hop| hop.step);
    let waiting = flitwork_schedule::waiting(topology, requests, plans) as u32;
    vec![
        ("makespan", "makespan", makespan, "steps"),
        ("distance", "longest distance", distance, "steps"),
        ("excess", "excess", makespan - distance, "steps"),
        (
            "latest_start",
            "latest start",
            starts.max().unwrap_or(0),
            "(a step, from 0)",
        ),
        ("waiting", "waiting", waiting, "packets per node at most"),
    ]
}

fn as_json(
    ask: &ScheduleRequest,
    made: &ScheduleResult,
    facts: &[Fact],
    played: &[Played],
) -> Value {
    let mut found = json!({
        "method": ask.scheduling().algorithm.name(),
        "nodes": ask.scheduling().shape().nodes(),
        "packets": ask.requests.len(),
    });
    for (key, datum) in &made.summary {
        found[key] = value(datum.as_ref());
    }
    for (key, _, number, _) in facts {
        found[key] = json!(number);
    }
    let played = played.iter().map(|it| {
        json!({"engine": it.engine, "makespan": it.makespan, "delivered": it.delivered, "digest": it.digest.to_string()})
    });
    found["played"] = played.collect();
    found
}

fn as_text(
    ask: &ScheduleRequest,
    made: &ScheduleResult,
    facts: &[Fact],
    played: &[Played],
    out: Option<&Path>,
) -> String {
    let mut text = format!(
        "{} on {} nodes: {} packets\n\n",
        ask.scheduling().algorithm.name(),
        ask.scheduling().shape().nodes(),
        ask.requests.len()
    );
    for (key, datum) in &made.summary {
        let shown = match value(datum.as_ref()) {
            Value::String(shown) => shown,
            shown => shown.to_string(),
        };
        let _ = writeln!(text, "{:<19} {shown}", key.replace('_', " "));
    }
    for (_, name, value, unit) in facts {
        let _ = writeln!(text, "{name:<19} {value} {unit}");
    }
    for Played {
        engine,
        makespan,
        delivered,
        digest,
    } in played
    {
        let name = format!("played, {engine}");
        let _ = writeln!(
            text,
            "{name:<19} {makespan} steps, {delivered} packets, digest {digest}"
        );
    }
    if let Some(path) = out {
        let _ = writeln!(text, "\nwritten to {}", path.display());
    }
    text
}
