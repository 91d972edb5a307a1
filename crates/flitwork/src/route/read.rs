//! What `flitwork route` reads: a configuration of a graph, a rule and a problem, and their files.

use crate::exit::Exit;
use crate::problem::{self, GraphText, Net, ProblemText, Source};
use flitwork_files::Inputs;
use flitwork_steps::Store;
use flitwork_steps::rules::{Chosen, InqueueName, RuleName};
use flitwork_steps::{Corner, MachineError};
use flitwork_types::NodeId;
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;

/// A configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    graph: GraphText,
    rule: RuleText,
    problem: ProblemText,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    name: Spanned<String>,
    inqueue: Option<Spanned<String>>,
    queues: Option<Spanned<String>>,
    k: Option<Spanned<usize>>,
    #[serde(default)]
    table: u64,
    #[serde(default)]
    box_side: u32,
    /// The box's corner.
    corner: Option<Spanned<String>>,
}

/// All that is routed.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) net: Net,
    pub(super) chosen: Chosen,
    pub(super) store: Store,
    pub(super) problem: Vec<(NodeId, NodeId)>,
    /// The configuration itself, and the problem's seed.
    pub(super) text: String,
    pub(super) seed: u64,
}

/// Reads a configuration and what it names.
pub(super) fn read(path: &Path, inputs: &Inputs) -> Result<Read, Exit> {
    let text = problem::text(path)?;
    let source = Source { path, text: &text };
    let parsed: Text = toml::from_str(&text).map_err(|error| {
        source.unparsed(
            &error,
            "tables [graph], [rule] and [problem], as in configs/route",
        )
    })?;
    if let Some(words) = &parsed.problem.words {
        let what = "problem.words: a rule's packets have no words";
        return Err(source.wrong(words.span().start, what, "it in schedules only"));
    }
    let (net, problem) = problem::read(&source, &parsed.graph, &parsed.problem, inputs)?;
    let (chosen, store) = rule(&source, &parsed.rule, &net)?;
    let problem = problem.packets.iter();
    Ok(Read {
        net,
        chosen,
        store,
        problem: problem
            .map(|asked| (asked.source, asked.destination))
            .collect(),
        seed: parsed.problem.seed,
        text,
    })
}

fn rule(source: &Source<'_>, text: &RuleText, net: &Net) -> Result<(Chosen, Store), Exit> {
    let names = || {
        let names: Vec<&str> = RuleName::ALL.iter().map(|it| it.name).collect();
        names.join(", ")
    };
    let at = text.name.span().start;
    let unknown = || {
        source.wrong(
            at,
            format!("rule.name is \"{}\"", text.name.get_ref()),
            names(),
        )
    };
    let rule = RuleName::find(text.name.get_ref()).ok_or_else(unknown)?;
    let side = net.side();
    if rule.deroutes() && side.is_none() {
        return Err(source.wrong(
            at,
            "rule.name is \"derouting\"",
            "on a square mesh or torus",
        ));
    }
    let inqueue = match &text.inqueue {
        None => InqueueName::Fixed,
        Some(name) => {
            let found = InqueueName::ALL.iter().find(|it| it.0 == name.get_ref());
            let wrong = || {
                let what = format!("rule.inqueue is \"{}\"", name.get_ref());
                source.wrong(name.span().start, what, "\"fixed\" or \"round-robin\"")
            };
            found.ok_or_else(wrong)?.1
        }
    };
    let chosen = Chosen {
        rule,
        inqueue,
        seed: text.table,
        within: (side.unwrap_or(0), corner(source, text)?, text.box_side),
    };
    let store = store(source, text, rule)?;
    Ok((chosen, store))
}

/// The corner in which a rule's box is.
fn corner(source: &Source<'_>, text: &RuleText) -> Result<Corner, Exit> {
    let Some(given) = &text.corner else {
        return Ok(Corner::SouthWest);
    };
    let found = Corner::ALL
        .into_iter()
        .find(|it| it.name() == given.get_ref());
    found.ok_or_else(|| {
        let what = format!("rule.corner is \"{}\"", given.get_ref());
        let allowed = Corner::ALL.map(Corner::name).join(", ");
        source.wrong(given.span().start, what, allowed)
    })
}

/// Where nodes keep packets.
fn store(source: &Source<'_>, text: &RuleText, rule: RuleName) -> Result<Store, Exit> {
    let queues = text
        .queues
        .as_ref()
        .map_or("central", |it| it.get_ref().as_str());
    let k = text.k.as_ref().map(|it| *it.get_ref());
    let kinds = "\"central\", \"incoming\", \"outgoing\" or \"unbounded\"";
    let store = match (queues, k) {
        ("unbounded", None) => Store::Unbounded,
        ("unbounded", Some(_)) => {
            let at = text.k.as_ref().map_or(0, |it| it.span().start);
            return Err(source.wrong(
                at,
                "rule.k beside unbounded queues",
                "rule.k with other queues",
            ));
        }
        ("central", k) => Store::Central(k.unwrap_or(1)),
        ("incoming", k) => Store::Incoming(k.unwrap_or(1)),
        ("outgoing", k) => Store::Outgoing(k.unwrap_or(1)),
        (other, _) => {
            let at = text.queues.as_ref().map_or(0, |it| it.span().start);
            return Err(source.wrong(at, format!("rule.queues is \"{other}\""), kinds));
        }
    };
    if matches!(store, Store::Outgoing(_)) && !rule.waits_for_links() {
        let at = text.queues.as_ref().map_or(0, |it| it.span().start);
        let what = format!(
            "rule.queues is \"outgoing\", but {} doesn't choose a link for each packet",
            rule.name
        );
        let all = RuleName::ALL.iter().filter(|it| it.waits_for_links());
        let allowed: Vec<&str> = all.map(|it| it.name).collect();
        return Err(source.wrong(
            at,
            what,
            format!("other queues, or one of {}", allowed.join(", ")),
        ));
    }
    if let Some(k) = text.k.as_ref().filter(|k| *k.get_ref() == 0) {
        return Err(source.wrong(k.span().start, "rule.k is 0", "1 or more packets"));
    }
    Ok(store)
}

/// What a machine refuses.
pub(super) fn refused(path: &Path, error: &MachineError) -> Exit {
    Exit::bad_input(format!("{}: {error}", path.display()))
}
