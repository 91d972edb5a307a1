//! Where packets go.

use super::{Around, conflict, missing, permutation, process};
use crate::config::error::{ConfigError, Fault};
use crate::config::source::Source;
use crate::config::written::{Field, List, WrittenPhaseOfTraffic, WrittenProcess, WrittenTraffic};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{PATTERNS, PatternError, PatternParameters, build_pattern};
use flitwork_types::NodeId;
use std::ops::Range;
use toml::Spanned;

/// The keys of a pattern, in whichever table they are.
pub(super) struct Fields<'w> {
    /// The table, as it is told.
    table: String,
    /// Where the table is.
    span: Range<usize>,
    pattern: &'w Field<String>,
    hot_nodes: &'w List<u32>,
    hot_fraction: &'w Field<f64>,
    destination: &'w Field<u32>,
    sources: &'w List<u32>,
    file: Option<&'w Spanned<String>>,
}

impl<'w> Fields<'w> {
    /// Those of `[traffic]`.
    pub(super) fn of_traffic(table: &'w Spanned<WrittenTraffic>) -> Fields<'w> {
        let written = table.get_ref();
        Fields {
            table: "traffic".into(),
            span: table.span(),
            pattern: &written.pattern,
            hot_nodes: &written.hot_nodes,
            hot_fraction: &written.hot_fraction,
            destination: &written.destination,
            sources: &written.sources,
            file: written.file.as_ref(),
        }
    }

    /// Those of a phase.
    pub(super) fn of_phase(place: usize, phase: &'w Spanned<WrittenPhaseOfTraffic>) -> Fields<'w> {
        let written = phase.get_ref();
        Fields {
            table: format!("traffic.phases[{place}]"),
            span: phase.span(),
            pattern: &written.pattern,
            hot_nodes: &written.hot_nodes,
            hot_fraction: &written.hot_fraction,
            destination: &written.destination,
            sources: &written.sources,
            file: None,
        }
    }
}

/// Who sends to whom.
pub(super) fn mean(
    source: &Source<'_>,
    around: &Around<'_>,
    written: &Fields<'_>,
) -> Result<PatternParameters, ConfigError> {
    let (grid, seed) = (around.grid, around.run.seed);
    let name = written
        .pattern
        .as_ref()
        .map_or("uniform", |name| name.get_ref().as_str());
    refuse_unread(source, written, name)?;
    let nodes = |list: &List<u32>| {
        let list = list.as_ref()?.get_ref();
        Some(list.iter().map(|node| NodeId(*node.get_ref())).collect())
    };
    let listed = match written.file {
        Some(file) => Some(permutation::read(source, around.base_dir, grid, file)?),
        None => None,
    };
    let pattern = PatternParameters {
        pattern: name.into(),
        hot_nodes: nodes(written.hot_nodes),
        hot_fraction: written
            .hot_fraction
            .as_ref()
            .map(|fraction| *fraction.get_ref() + 0.0),
        destination: written
            .destination
            .as_ref()
            .map(|node| NodeId(*node.get_ref())),
        sources: nodes(written.sources),
        permutation: listed,
        seed,
    };
    if !is_surely_right(&pattern, grid) {
        build_pattern(&pattern, grid).map_err(|error| refused(source, written, &error))?;
    }
    Ok(pattern)
}

/// Refuses a pattern where the process has its own.
pub(super) fn refuse_any(
    source: &Source<'_>,
    kind: WrittenProcess,
    written: &Fields<'_>,
) -> Result<(), ConfigError> {
    let pattern = written.pattern.as_ref().map(Spanned::span);
    let others = pattern_keys(written).into_iter();
    let given = others.map(|(key, _, span)| (key, span));
    let mut given = [("pattern", pattern)].into_iter().chain(given);
    let Some((key, span)) = given.find_map(|(key, span)| Some((key, span?))) else {
        return Ok(());
    };
    let name = process::name(kind);
    let where_else = match kind {
        WrittenProcess::Phases => "each phase has its own",
        WrittenProcess::Trace => "the trace says where packets go",
        _ => "its packets go to random nodes",
    };
    let allowed = format!("nothing with traffic.process = {name:?}: {where_else}");
    Err(conflict(source, &span, &format!("traffic.{key}"), allowed))
}

/// Whether a permutation needn't be built to know that it can be: building takes memory for every node.
/// A listed one has been checked as it was read, all but that somebody sends; a drawn one of n nodes
/// makes everybody silent once in n! seeds.
fn is_surely_right(pattern: &PatternParameters, grid: &Grid) -> bool {
    match &pattern.permutation {
        Some(pairs) => pairs
            .iter()
            .any(|(source, destination)| source != destination),
        None => pattern.pattern == "permutation" && grid.nodes() > 1000,
    }
}

/// The keys that only some patterns read: the key, what `PATTERNS` calls it, and where it is given.
fn pattern_keys(written: &Fields<'_>) -> [(&'static str, &'static str, Option<Range<usize>>); 5] {
    [
        (
            "hot_nodes",
            "hot_nodes",
            written.hot_nodes.as_ref().map(Spanned::span),
        ),
        (
            "hot_fraction",
            "hot_fraction",
            written.hot_fraction.as_ref().map(Spanned::span),
        ),
        (
            "destination",
            "destination",
            written.destination.as_ref().map(Spanned::span),
        ),
        (
            "sources",
            "sources",
            written.sources.as_ref().map(Spanned::span),
        ),
        ("file", "permutation", written.file.map(Spanned::span)),
    ]
}

/// Refuses a key that the pattern doesn't read, before a file is.
fn refuse_unread(
    source: &Source<'_>,
    written: &Fields<'_>,
    pattern: &str,
) -> Result<(), ConfigError> {
    let reads = PATTERNS
        .iter()
        .find(|entry| entry.name == pattern)
        .map_or(&[][..], |it| it.reads);
    for (key, parameter, span) in pattern_keys(written) {
        let Some(span) = span.filter(|_| !reads.contains(&parameter)) else {
            continue;
        };
        let allowed = match readable(reads).as_str() {
            "" => format!("nothing: the pattern {pattern} reads no key of its own"),
            keys => format!("nothing: the pattern {pattern} reads only {keys}"),
        };
        let owner = PATTERNS
            .iter()
            .find(|entry| entry.reads.contains(&parameter));
        let hint = owner.map(|owner| format!("{key} belongs to pattern = {:?}", owner.name));
        let key = format!("{}.{key}", written.table);
        return Err(conflict(source, &span, &key, allowed).hinted(hint));
    }
    Ok(())
}

/// What a pattern reads, as keys of a configuration.
fn readable(parameters: &[&str]) -> String {
    let keys: Vec<&str> = parameters
        .iter()
        .map(|parameter| key_of(parameter))
        .collect();
    keys.join(" and ")
}

fn key_of(parameter: &str) -> &str {
    if parameter == "permutation" {
        "file"
    } else {
        parameter
    }
}

/// The mistake that the pattern's own check found, at its place.
fn refused(source: &Source<'_>, written: &Fields<'_>, error: &PatternError) -> ConfigError {
    let whole = || written.span.clone();
    let pattern = written.pattern.as_ref().map_or_else(whole, Spanned::span);
    let span_of = |parameter: &str| {
        let keys = pattern_keys(written).into_iter();
        let given = keys
            .filter(|(_, name, _)| *name == parameter)
            .find_map(|(_, _, span)| span);
        given.unwrap_or_else(|| pattern.clone())
    };
    // Where a list or a key names a node for the `nth` time.
    let entry = |parameter: &str, node: NodeId, nth: usize| {
        let list = if parameter == "sources" {
            written.sources
        } else {
            written.hot_nodes
        };
        let entries = list.iter().flat_map(|list| list.get_ref());
        let mut named = entries
            .filter(|entry| *entry.get_ref() == node.0)
            .map(Spanned::span);
        match parameter {
            "sources" | "hot_nodes" => named.nth(nth).unwrap_or_else(|| span_of(parameter)),
            _ => span_of(parameter),
        }
    };
    let (parameter, span) = match error {
        PatternError::Missing { parameter, .. } => {
            let key = format!("{}.{}", written.table, key_of(parameter));
            return missing(source, &pattern, &key);
        }
        PatternError::OffNetwork {
            parameter, node, ..
        } => (*parameter, entry(parameter, *node, 0)),
        PatternError::Repeated { parameter, node } => (*parameter, entry(parameter, *node, 1)),
        PatternError::ToItself { node } => ("sources", entry("sources", *node, 0)),
        PatternError::Fraction { parameter, .. }
        | PatternError::Unread { parameter, .. }
        | PatternError::Empty { parameter } => (*parameter, span_of(parameter)),
        PatternError::SourceTwice { .. } | PatternError::DestinationTwice { .. } => {
            ("permutation", span_of("permutation"))
        }
        PatternError::Grid { .. } | PatternError::Silent { .. } | PatternError::Unknown { .. } => {
            ("pattern", pattern.clone())
        }
    };
    let key = format!("{}.{}", written.table, key_of(parameter));
    let (found, allowed) = words(error, parameter, (&written.table, &key));
    let error = source.error(Fault::Conflict, &span, found).about(&key);
    if allowed.is_empty() {
        error
    } else {
        error.allowed_is(allowed)
    }
}

/// What was found and what is allowed, said of a configuration's key.
fn words(error: &PatternError, parameter: &str, (table, key): (&str, &str)) -> (String, String) {
    match error {
        PatternError::Grid {
            pattern,
            needs,
            sides,
        } => {
            let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
            let found = format!("{key} is {pattern:?} on a grid of {}", sides.join(" x "));
            (found, format!("{pattern} needs {needs}"))
        }
        PatternError::OffNetwork { node, nodes, .. } => {
            let last = nodes.saturating_sub(1);
            let found = format!("{key} names node {node}, which the network doesn't have");
            (found, format!("nodes 0 to {last}"))
        }
        PatternError::Repeated { node, .. } => (
            format!("{key} names node {node} twice"),
            "each node once".into(),
        ),
        // Its sentence begins with the parameter and ends, after a semicolon, with what is allowed.
        _ => match error.to_string().split_once("; ") {
            Some((found, allowed)) if found.starts_with(parameter) => {
                (format!("{table}.{found}"), allowed.into())
            }
            Some((found, allowed)) => (format!("{key}: {found}"), allowed.into()),
            None => (format!("{key}: {error}"), String::new()),
        },
    }
}
