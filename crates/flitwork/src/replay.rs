//! `flitwork replay`.

use crate::args::Replay;
use crate::exit::{Code, DIFFERS, Exit, FINE, INTERRUPTED, Interruption, complain, print};
use crate::progress;
use crate::run::check_node;
use crate::show::Show;
use flitwork_experiment::config::{self, Override, Resolved};
use flitwork_experiment::live::replay::{
    self, Asked, BadReplay, NodeTold, Replayed, ReplayedAlone, Verdict, Wait,
};
use flitwork_experiment::simulate::Simulated;
use flitwork_types::NodeId;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(asked: &Replay, interruption: &Interruption) -> Result<Code, Exit> {
    let named = |error: &dyn std::fmt::Display| {
        Exit::bad_input(format!("{}: {error}", asked.record.display()))
    };
    let record = replay::Record::open(&asked.record).map_err(|error| named(&error))?;
    let (recorded, resolved) = configurations(asked, &record)?;
    check_nodes(asked, &resolved)?;
    if resolved.to_toml() != recorded.to_toml() && !asked.what_if {
        return Err(named(&format!(
            "the record was made with another configuration: {}\n  hint: --what-if replays it all the \
             same, as far as what came to the nodes stays possible",
            first_change(&recorded, &resolved)
        )));
    }
    if record.header.flitwork != env!("CARGO_PKG_VERSION") {
        tracing::warn!(
            "the record was made by flitwork {}, this is {}: the replay may differ",
            record.header.flitwork,
            env!("CARGO_PKG_VERSION")
        );
    }
    let bar = progress::of_run(&resolved);
    let control = &mut |now| {
        bar.show(now);
        interruption.flow()
    };
    let outcome = if is_alone(asked, &record) {
        let (nodes, until) = (&asked.node, asked.until);
        let replayed = record.replay_alone(&resolved, nodes, until, asked.trace, control);
        replayed.map(Outcome::alone)
    } else {
        let question = Asked {
            threads: asked.threads,
            until: asked.until,
            stepped: asked.stepped,
            what_if: asked.what_if,
            trace: asked.trace,
            nodes: &asked.node,
        };
        record
            .replay(&resolved, &question, control)
            .map(Outcome::whole)
    };
    bar.end();
    let outcome = outcome.map_err(|error| match error {
        BadReplay::Record(_) => named(&error),
        BadReplay::Host(_) => Exit::Failure(error.to_string()),
    })?;
    outcome.show(asked, &resolved)?;
    outcome.say(asked)
}

/// Whether only the nodes that were asked for are replayed.
fn is_alone(asked: &Replay, record: &replay::Record) -> bool {
    let ends = asked
        .until
        .is_none_or(|(node, _)| asked.node.contains(&node));
    let alone = !asked.node.is_empty() && ends && !asked.what_if;
    if alone && !record.header.heads {
        complain(
            "all nodes are replayed to tell of these: the record doesn't say which packets came to a node, \
             as one made with --record-heads does",
        );
    }
    alone && record.header.heads
}

/// The configuration of the record, and what the command line makes of it.
fn configurations(asked: &Replay, record: &replay::Record) -> Result<(Resolved, Resolved), Exit> {
    let name = format!("{} (its configuration)", asked.record.display());
    let text = &record.header.configuration;
    let resolve = |changes: &[Override]| {
        config::resolve(text, &name, Path::new(""), changes).map_err(Exit::bad_input)
    };
    let set: Result<Vec<Override>, _> = asked.set.iter().map(|text| text.parse()).collect();
    let recorded = resolve(&[])?;
    record
        .check(&recorded)
        .map_err(|error| Exit::bad_input(format!("{}: {error}", asked.record.display())))?;
    let mut resolved = resolve(&set.map_err(Exit::bad_input)?)?;
    if let Some(path) = &asked.config {
        resolved = config::load(path, &[]).map_err(Exit::bad_input)?;
        // How a run was driven isn't what is held against the record.
        resolved.run.engine = recorded.run.engine;
        resolved.live = recorded.live;
    }
    record
        .check(&resolved)
        .map_err(|error| Exit::bad_input(format!("{}: {error}", asked.record.display())))?;
    Ok((recorded, resolved))
}

/// Nodes that are asked for must be there.
fn check_nodes(asked: &Replay, resolved: &Resolved) -> Result<(), Exit> {
    let until = asked.until.map(|(node, _)| ("--until", node));
    let named = asked.node.iter().map(|node| ("--node", *node));
    named
        .chain(until)
        .try_for_each(|(option, node)| check_node(option, node, resolved))
}

/// The first line in which two configurations differ.
fn first_change(recorded: &Resolved, resolved: &Resolved) -> String {
    let (was, is) = (recorded.to_toml(), resolved.to_toml());
    let mut table = "";
    for (was, is) in was.lines().zip(is.lines()) {
        if was != is {
            return format!("{table} {was}, here {is}");
        }
        if was.starts_with('[') {
            table = was;
        }
    }
    "one has more keys than the other".into()
}

/// What a replay gave.
struct Outcome {
    /// What the run gives; where nodes were replayed alone, nothing.
    simulated: Option<Simulated>,
    /// What nodes did: all, or those that were replayed.
    nodes: Vec<(NodeId, NodeTold)>,
    waits: Vec<Wait>,
    verdict: Verdict,
}

impl Outcome {
    fn whole(replayed: Replayed) -> Outcome {
        let nodes = (0..).map(NodeId).zip(replayed.nodes);
        Outcome {
            waits: replayed.simulated.waits.clone(),
            simulated: Some(replayed.simulated),
            nodes: nodes.collect(),
            verdict: replayed.verdict,
        }
    }

    fn alone(replayed: ReplayedAlone) -> Outcome {
        Outcome {
            simulated: None,
            nodes: replayed.nodes,
            waits: replayed.waits,
            verdict: replayed.verdict,
        }
    }

    /// Prints the results.
    fn show(&self, asked: &Replay, resolved: &Resolved) -> Result<(), Exit> {
        if let Some(simulated) = self.simulated.as_ref().filter(|_| !asked.trace) {
            let show = Show {
                out: None,
                json: asked.json,
            };
            show.figures(resolved, simulated)?;
        }
        if !asked.json {
            return print(&self.text(asked));
        }
        if self.simulated.is_some() {
            return Ok(());
        }
        let nodes = self.nodes.iter().map(|(node, told)| {
            json!({
                "node": node.0,
                "cycles": told.cycles.get(),
                "digest": told.digest.to_string(),
                "recorded_cycles": told.recorded.map(|(cycles, _)| cycles.get()),
                "recorded_digest": told.recorded.map(|(_, digest)| digest.to_string()),
            })
        });
        print(&format!("{:#}\n", nodes.collect::<Value>()))
    }

    /// What is said of the nodes that were asked for, and of the packets in the one where it ends.
    fn text(&self, asked: &Replay) -> String {
        let mut text = String::new();
        for (node, told) in &self.nodes {
            if asked.node.contains(node) {
                let _ = writeln!(text, "node {node}: {told}");
            }
        }
        for wait in &self.waits {
            if asked.until.is_some_and(|(node, _)| node == wait.node) {
                let _ = writeln!(
                    text,
                    "packet {}.{} to node {}: {}",
                    wait.packet.source, wait.packet.serial, wait.destination, wait.place
                );
            }
        }
        text
    }

    /// Says how the replay compares with its record.
    fn say(&self, asked: &Replay) -> Result<Code, Exit> {
        let verdict = &self.verdict;
        if let Some(impossible) = &verdict.impossible {
            complain(&format!(
                "the first arrival that isn't possible: {impossible}"
            ));
        }
        if let Some(fault) = &verdict.fault {
            return Err(Exit::Failure(format!("the replay was broken off: {fault}")));
        }
        if let Some(difference) = &verdict.difference {
            complain(&format!("the replay differs from its record: {difference}"));
            return Ok(Code(DIFFERS));
        }
        if let Some(cut) = &verdict.cut {
            complain(&format!("{cut}; it was replayed up to there, and agrees"));
        } else if verdict.interrupted {
            complain("interrupted: the replay agrees with its record so far");
            return Ok(Code(INTERRUPTED));
        } else if asked.until.is_some() {
            complain("the replay agrees with its record as far as was asked");
        } else if let Some(simulated) = self.simulated.as_ref().filter(|_| !asked.what_if) {
            complain(&format!(
                "the replay agrees with its record: digest {}",
                simulated.digest
            ));
        } else if self.simulated.is_none() {
            complain(&match self.nodes.len() {
                1 => "replayed alone, the node agrees with its record".to_owned(),
                nodes => format!("replayed alone, the {nodes} nodes agree with their record"),
            });
        } else if verdict.impossible.is_none() {
            complain("every arrival of the record was possible");
        }
        Ok(Code(FINE))
    }
}
