//! `flitwork replay`.

use crate::args::Replay;
use crate::exit::{Code, DIFFERS, Exit, FINE, INTERRUPTED, Interruption, complain, print};
use crate::progress;
use crate::run::check_node;
use crate::show::Show;
use flitwork_experiment::config::{self, Override, Resolved};
use flitwork_experiment::live::replay::{self, Asked, BadReplay, Replayed};
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
    let question = Asked {
        threads: asked.threads,
        until: asked.until,
        stepped: asked.stepped,
        what_if: asked.what_if,
        trace: asked.trace,
        nodes: &asked.node,
    };
    let replayed = record.replay(&resolved, &question, &mut |now| {
        bar.show(now);
        interruption.flow()
    });
    bar.end();
    let replayed = replayed.map_err(|error| match error {
        BadReplay::Record(_) => named(&error),
        BadReplay::Host(_) => Exit::Failure(error.to_string()),
    })?;
    if !asked.trace {
        let show = Show {
            out: None,
            json: asked.json,
        };
        show.figures(&resolved, &replayed.simulated)?;
    }
    say(asked, &replayed)
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

/// How the replay compares with its record.
fn say(asked: &Replay, replayed: &Replayed) -> Result<Code, Exit> {
    let mut text = String::new();
    for node in &asked.node {
        let told = &replayed.nodes[node.index()];
        let _ = writeln!(text, "node {node}: {told}");
    }
    if asked.until.is_some() {
        for wait in &replayed.simulated.waits {
            if asked.until.is_some_and(|(node, _)| node == wait.node) {
                let _ = writeln!(
                    text,
                    "packet {}.{} to node {}: {}",
                    wait.packet.source, wait.packet.serial, wait.destination, wait.place
                );
            }
        }
    }
    if !asked.json {
        print(&text)?;
    }
    if let Some(impossible) = &replayed.impossible {
        complain(&format!(
            "the first arrival that isn't possible: {impossible}"
        ));
    }
    if let Some(fault) = &replayed.fault {
        return Err(Exit::Failure(format!("the replay was broken off: {fault}")));
    }
    if let Some(difference) = &replayed.difference {
        complain(&format!("the replay differs from its record: {difference}"));
        return Ok(Code(DIFFERS));
    }
    if let Some(cut) = &replayed.cut {
        complain(&format!("{cut}; it was replayed up to there, and agrees"));
    } else if replayed.interrupted {
        complain("interrupted: the replay agrees with its record so far");
        return Ok(Code(INTERRUPTED));
    } else if asked.until.is_some() {
        complain("the replay agrees with its record as far as was asked");
    } else if !asked.what_if {
        complain(&format!(
            "the replay agrees with its record: digest {}",
            replayed.simulated.digest
        ));
    } else if replayed.impossible.is_none() {
        complain("every arrival of the record was possible");
    }
    Ok(Code(FINE))
}
