//! `flitwork replay`.

use crate::args::Replay;
mod outcome;
mod told;

use crate::exit::{Code, Exit, Interruption, complain};
use crate::progress;
use crate::run::check_node;
use flitwork_config::{Catalogue, EngineChoice, Override, Resolved};
use flitwork_experiment::live::replay::{self, Asked, BadReplay};
use flitwork_experiment::memory;
use outcome::Outcome;
use std::path::Path;

pub(crate) fn run(
    asked: &Replay,
    catalogue: &Catalogue,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let named = |error: &dyn std::fmt::Display| {
        Exit::bad_input(format!("{}: {error}", asked.record.display()))
    };
    let record = replay::Record::open(&asked.record).map_err(|error| named(&error))?;
    let (recorded, resolved) = configurations(asked, catalogue, &record)?;
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
    memory::admit(&in_one_process(&resolved), 1.0).map_err(|error| named(&error))?;
    let bar = progress::of_run(&resolved);
    let control = &mut |now| {
        bar.show(now);
        interruption.flow_of(now)
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
        BadReplay::Host(_) | BadReplay::Output(_) => Exit::Failure(error.to_string()),
    })?;
    if let Some(nothing) = outcome.nothing() {
        return Err(named(&nothing));
    }
    outcome.show(asked, &resolved)?;
    outcome.say(asked)
}

/// What a replay takes of the host is what the plain engine does: nodes, without channels between them.
fn in_one_process(resolved: &Resolved) -> Resolved {
    let mut plain = resolved.clone();
    plain.run.engine = EngineChoice::SyncPlain;
    plain
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
fn configurations(
    asked: &Replay,
    catalogue: &Catalogue,
    record: &replay::Record,
) -> Result<(Resolved, Resolved), Exit> {
    let name = format!("{} (its configuration)", asked.record.display());
    let text = &record.header.configuration;
    let resolve = |changes: &[Override]| {
        let resolved = catalogue.resolve(text, &name, Path::new(""), changes);
        resolved.map_err(Exit::bad_input)
    };
    let set: Result<Vec<Override>, _> = asked.set.iter().map(|text| text.parse()).collect();
    let recorded = resolve(&[])?;
    record
        .check(&recorded)
        .map_err(|error| Exit::bad_input(format!("{}: {error}", asked.record.display())))?;
    let mut resolved = resolve(&set.map_err(Exit::bad_input)?)?;
    if let Some(path) = &asked.config {
        resolved = catalogue.load(path, &[]).map_err(Exit::bad_input)?;
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
