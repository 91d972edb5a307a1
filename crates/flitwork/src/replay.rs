//! `flitwork replay`.

mod json;
mod outcome;

use crate::args::{Replay, overrides};
use crate::asking::Asking;
use crate::exit::{Code, Exit, complain};
use crate::paths::absolute;
use crate::program::VERSION;
use crate::progress;
use crate::run::check_node;
use flitwork_config::{Catalogue, EngineChoice, ErrorPlace, Override, Resolved, Verdict};
use flitwork_experiment::live::replay::{self, BadReplay, ReplayRequest};
use flitwork_experiment::memory;
use outcome::Outcome;
use std::fmt::Display;
use std::sync::Arc;

pub(crate) fn run(args: &Replay, asking: &Asking<'_>) -> Result<Code, Exit> {
    let named = |error: &dyn Display| named(args, error);
    let record = replay::Record::open(&args.record).map_err(|error| named(&error))?;
    let (recorded, resolved) = configurations(args, asking.catalogue, &record)?;
    check_nodes(args, &resolved)?;
    if let Some(change) = first_change(&recorded, &resolved).filter(|_| !args.what_if) {
        return Err(named(&format!(
            "the record was made with another configuration: {change}\n  hint: --what-if replays it anyway, for as long as \
             its arrivals are possible"
        )));
    }
    if record.header.flitwork != VERSION {
        tracing::warn!(
            "the record was made by flitwork {} and this is {}: the replay may differ",
            record.header.flitwork,
            VERSION
        );
    }
    memory::admit(&without_channels(&resolved), 1.0).map_err(|error| named(&error))?;
    asking.places.prepare()?;
    let bar = progress::of_run(&resolved);
    let control = &mut |now| {
        bar.show(now);
        asking.interruption.flow_of(now)
    };
    let asked = ReplayRequest {
        threads: args.threads,
        until: args.until,
        what_if: args.what_if,
        trace: args.trace,
        nodes: &args.node,
        subset: is_subset(args, &record),
    };
    let replayed = record.replay(&resolved, &asked, control);
    bar.end();
    let replayed = replayed.map_err(|error| match error {
        BadReplay::Record(_) => named(&error),
        BadReplay::Host(_) | BadReplay::Output(_) => Exit::failure(error),
    })?;
    let outcome = Outcome { replayed, args };
    if let Some(nothing) = outcome.nothing() {
        return Err(named(&nothing));
    }
    outcome.show(&resolved)?;
    outcome.say()
}

/// What is wrong with the record.
fn named(args: &Replay, error: &dyn Display) -> Exit {
    Exit::bad_input(format!("{}: {error}", args.record.display()))
}

/// The configuration whose memory a replay needs: nodes without channels between them, as on the plain engine.
fn without_channels(resolved: &Resolved) -> Resolved {
    let mut plain = resolved.clone();
    plain.run.engine = EngineChoice::SyncPlain;
    plain
}

/// Whether only the selected nodes are replayed.
fn is_subset(args: &Replay, record: &replay::Record) -> bool {
    let ends = args.until.is_none_or(|(node, _)| args.node.contains(&node));
    let is_asked = !args.node.is_empty() && ends && !args.what_if;
    if is_asked && !record.header.heads {
        complain(
            "all nodes are replayed: the record doesn't hold the packets that arrived at each node, as one made \
             with --record-heads does",
        );
    }
    is_asked && record.header.heads
}

/// The record's configuration, without and with the changes of the command line.
fn configurations(
    args: &Replay,
    catalogue: &Catalogue,
    record: &replay::Record,
) -> Result<(Resolved, Resolved), Exit> {
    let name = format!("{} (its configuration)", args.record.display());
    let (text, texts) = (&record.header.configuration, record.texts());
    let resolve = |changes: &[Override]| {
        let resolved = catalogue.resolve_recorded(text, &name, &texts, changes);
        let (resolved, unread) = resolved.map_err(Exit::bad_input)?;
        // The record's own may be those of an earlier version.
        let mut given = unread
            .into_iter()
            .filter(|it| it.verdict == Verdict::Refused);
        let given = given.find(|it| matches!(it.error.place(), ErrorPlace::CommandLine(_)));
        match given {
            Some(unread) => Err(Exit::bad_input(unread.error)),
            None => Ok(resolved),
        }
    };
    let recorded = resolve(&[])?;
    let check = |it: &Resolved| record.check(it).map_err(|error| named(args, &error));
    check(&recorded)?;
    let mut resolved = resolve(&overrides(&args.set)?)?;
    if let Some(path) = &args.config {
        resolved = catalogue.load(path, &[]).map_err(Exit::bad_input)?;
        resolved = called_as(&recorded, absolute(&resolved, path));
        // How the run was driven isn't compared with the record.
        resolved.run.engine = recorded.run.engine;
        resolved.live = recorded.live;
    }
    check(&resolved)?;
    Ok((recorded, resolved))
}

/// Refuses nodes that don't exist.
fn check_nodes(args: &Replay, resolved: &Resolved) -> Result<(), Exit> {
    let until = args.until.map(|(node, _)| ("--until", node));
    let named = args.node.iter().map(|node| ("--node", *node));
    named
        .chain(until)
        .try_for_each(|(option, node)| check_node(option, node, resolved))
}

/// The configuration whose files have the names that the record has for the same texts: it may have been made elsewhere.
fn called_as(recorded: &Resolved, mut resolved: Resolved) -> Resolved {
    let texts = resolved.texts.clone();
    resolved.rename_files(|name| {
        let text = texts.get(name);
        let is_same = |(_, recorded): &(&str, &Arc<str>)| Some(*recorded) == text;
        let same = match recorded.texts.get(name) {
            it if it == text => None,
            _ => recorded.texts.iter().find(is_same),
        };
        same.map_or(name, |(recorded, _)| recorded).to_owned()
    });
    resolved
}

/// The first line, or else the first file, in which the two configurations differ, if they do.
fn first_change(recorded: &Resolved, resolved: &Resolved) -> Option<String> {
    let (was, is) = (recorded.to_toml(), resolved.to_toml());
    let mut table = "";
    for (was, is) in was.lines().zip(is.lines()) {
        if was != is {
            return Some(format!("{table} {was}, here {is}"));
        }
        if was.starts_with('[') {
            table = was;
        }
    }
    if was != is {
        return Some("one has more keys than the other".into());
    }
    let mut files = recorded.texts.iter();
    let (name, _) = files.find(|(name, text)| resolved.texts.get(name) != Some(text))?;
    Some(format!("{name} had another text"))
}
