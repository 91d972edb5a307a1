//! A trace: its file, which part of it, onto which nodes.

use super::{Around, conflict, missing, needed, span};
use crate::config::error::{ConfigError, Fault, Place};
use crate::config::meaning::or;
use crate::config::resolved::{TraceFormat, TraceMap, TraceParameters};
use crate::config::source::{Source, shown_path};
use crate::config::written::{WrittenFormat, WrittenMap, WrittenTrace, WrittenTraffic};
use flitwork_topology::Topology;
use flitwork_traffic::{MapError, NetraceParameters, RegionRange, TraceError, TraceSummary};
use flitwork_types::{Cycle, NodeId};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

const LINK_BYTES: u32 = 8;
const WINDOW_PACKETS: u32 = 4096;

pub(super) fn mean(
    source: &Source<'_>,
    around: &Around<'_>,
    table: &Spanned<WrittenTraffic>,
) -> Result<TraceParameters, ConfigError> {
    let Some(trace) = &table.get_ref().trace else {
        return Err(missing(source, &table.span(), "traffic.trace"));
    };
    let written = trace.get_ref();
    let Some(file) = &written.file else {
        return Err(missing(source, &trace.span(), "traffic.trace.file"));
    };
    let fixed_words = fixed_words(source, around, table, trace)?;
    let mut parameters = TraceParameters {
        file: file.get_ref().clone(),
        path: around.base_dir.join(file.get_ref()),
        format: format(source, around, trace, file.get_ref())?,
        map: map(source, trace)?,
        fixed_words,
        dependencies: or(&written.dependencies, true),
        window_packets: or(&written.window_packets, WINDOW_PACKETS),
        summary: None,
        last_cycle: None,
    };
    check_file(source, &parameters.path, file)?;
    let reader = parameters.reader();
    let reader = reader.map_err(|error| broken(source, &parameters, file, &error))?;
    let nodes = reader.nodes();
    let network = around.grid.nodes();
    parameters
        .node_map(nodes, around.grid)
        .map_err(|error| unmapped(source, (trace, file), &error, (nodes, network)))?;
    let start = reader.start_cycle();
    if or(&written.read_first, true) && !source.looks_again {
        let summary = TraceSummary::of(reader);
        let summary = summary.map_err(|error| broken(source, &parameters, file, &error))?;
        let last_cycle = summary.last_cycle - start.min(summary.first_cycle);
        parameters.last_cycle = Some(in_run(source, file, last_cycle)?);
        parameters.summary = Some(summary);
    } else if let Some(end) = reader.ends_by() {
        // The file's own word: what it says beyond every run is refused at the packet that lies there.
        let last_cycle = end.saturating_sub(start).min(Cycle::LAST.get().into());
        parameters.last_cycle = Some(Cycle(last_cycle as u32));
    }
    Ok(parameters)
}

/// The cycle of a trace's last packet, if a run can reach it.
fn in_run(
    source: &Source<'_>,
    file: &Spanned<String>,
    last_cycle: u64,
) -> Result<Cycle, ConfigError> {
    const KEY: &str = "traffic.trace.file";
    let longest = Cycle::LAST.get();
    match u32::try_from(last_cycle) {
        Ok(cycle) if cycle < longest => Ok(Cycle(cycle)),
        _ => {
            let found = format!(
                "{KEY}: its last packet's cycle is {last_cycle} after the beginning, and no run is longer \
                 than {longest} cycles"
            );
            let error = source.error(Fault::Conflict, &file.span(), found);
            let allowed = "a trace that ends earlier, or fewer regions of it";
            Err(error.about(KEY).allowed_is(allowed))
        }
    }
}

/// The one length of all packets, where the configuration asks for one.
fn fixed_words(
    source: &Source<'_>,
    around: &Around<'_>,
    table: &Spanned<WrittenTraffic>,
    trace: &Spanned<WrittenTrace>,
) -> Result<Option<u16>, ConfigError> {
    let given = &table.get_ref().packet_words;
    match (around.router.fixed_words(), given) {
        (_, Some(words)) => Ok(Some(*words.get_ref())),
        (None, None) => Ok(None),
        (Some(fixed), None) => {
            let found = "the trace's packets have lengths of their own, the router's have one";
            let error = source.error(Fault::Conflict, &trace.span(), found);
            Err(error.about("traffic.packet_words").allowed_is(format!(
                "traffic.packet_words = {fixed}, which gives each packet this length"
            )))
        }
    }
}

fn format(
    source: &Source<'_>,
    around: &Around<'_>,
    trace: &Spanned<WrittenTrace>,
    file: &str,
) -> Result<TraceFormat, ConfigError> {
    let written = trace.get_ref();
    let usual = if file.contains(".tra") {
        WrittenFormat::Netrace
    } else {
        WrittenFormat::Csv
    };
    let format = or(&written.format, usual);
    let unread: &[(&str, Option<Range<usize>>)] = match format {
        WrittenFormat::Csv => &[
            ("link_bytes", span(&written.link_bytes)),
            ("first_region", span(&written.first_region)),
            ("last_region", span(&written.last_region)),
        ],
        WrittenFormat::Netrace => &[("nodes", span(&written.nodes))],
    };
    // Who names another trace on the command line needn't take away what the file says of its own.
    let chosen = [span(&written.file), span(&written.format)];
    let is_other = chosen.iter().flatten().any(|it| !source.is_in_file(it));
    for (key, given) in unread {
        if let Some(given) = given
            && !(is_other && source.is_in_file(given))
        {
            let name = match format {
                WrittenFormat::Csv => "csv",
                WrittenFormat::Netrace => "netrace",
            };
            let key = format!("traffic.trace.{key}");
            let allowed = format!("nothing with traffic.trace.format = {name:?}");
            return Err(conflict(source, given, &key, allowed));
        }
    }
    if format == WrittenFormat::Csv {
        let nodes = or(&written.nodes, around.grid.nodes());
        return Ok(TraceFormat::Csv { nodes });
    }
    let first = written.first_region.as_ref().map(|it| *it.get_ref());
    let last = written.last_region.as_ref().map(|it| *it.get_ref());
    let regions = match (first, last) {
        (None, None) => None,
        (first, last) => {
            let first = first.unwrap_or(0);
            let last = last.unwrap_or(first);
            Some(RegionRange { first, last })
        }
    };
    let link_bytes = or(&written.link_bytes, LINK_BYTES);
    match NetraceParameters::new(link_bytes, regions) {
        Ok(parameters) => Ok(TraceFormat::Netrace {
            parameters,
            link_bytes,
            regions,
        }),
        Err(error) => {
            let span = span(&written.last_region).unwrap_or_else(|| trace.span());
            let key = format!("traffic.trace.{}", error.parameter);
            Err(super::refused(source, &span, &key, &error))
        }
    }
}

fn map(source: &Source<'_>, trace: &Spanned<WrittenTrace>) -> Result<TraceMap, ConfigError> {
    let written = trace.get_ref();
    let map = or(&written.map, WrittenMap::InOrder);
    let places = written.places.as_ref();
    let unread = match map {
        WrittenMap::Block => [("places", places.map(Spanned::span)), ("columns", None)],
        WrittenMap::Given => [("columns", span(&written.columns)), ("places", None)],
        WrittenMap::InOrder => [
            ("columns", span(&written.columns)),
            ("places", places.map(Spanned::span)),
        ],
    };
    if let Some((key, given)) = unread.into_iter().find_map(|(key, it)| Some((key, it?))) {
        let reader = if key == "columns" { "block" } else { "given" };
        let allowed = format!("nothing: only traffic.trace.map = {reader:?} reads it");
        let key = format!("traffic.trace.{key}");
        return Err(conflict(source, &given, &key, allowed));
    }
    match (map, places) {
        (WrittenMap::InOrder, _) => Ok(TraceMap::InOrder),
        (WrittenMap::Block, _) => {
            let key = "traffic.trace.columns";
            let columns = needed(source, &written.columns, &trace.span(), key)?;
            Ok(TraceMap::Block { columns })
        }
        (WrittenMap::Given, None) => Err(missing(source, &trace.span(), "traffic.trace.places")),
        (WrittenMap::Given, Some(places)) => {
            let places = places.get_ref().iter();
            let nodes = places.map(|node| NodeId(*node.get_ref()));
            Ok(TraceMap::Given(nodes.collect()))
        }
    }
}

/// Refuses what is no regular file: a pipe can't be read twice, and one without a writer never answers.
fn check_file(source: &Source<'_>, path: &Path, file: &Spanned<String>) -> Result<(), ConfigError> {
    const KEY: &str = "traffic.trace.file";
    let found = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.is_dir() => "is a directory".to_owned(),
        Ok(_) => "is not a regular file".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "doesn't exist".to_owned(),
        Err(error) => format!("can't be read: {error}"),
    };
    let name = shown_path(&path.display().to_string());
    let found = format!("{KEY}: {name} {found}");
    let error = source.error(Fault::File, &file.span(), found);
    Err(error.about(KEY).allowed_is("a readable file"))
}

/// The mistake in a trace's file.
fn broken(
    source: &Source<'_>,
    parameters: &TraceParameters,
    file: &Spanned<String>,
    error: &TraceError,
) -> ConfigError {
    let name = shown_path(&parameters.path.display().to_string());
    let asked = format!(
        "read for traffic.trace.file, {}",
        source.place(&file.span())
    );
    let kind = match parameters.format {
        TraceFormat::Csv { .. } => "a CSV trace",
        TraceFormat::Netrace { .. } => "a netrace file of version 1",
    };
    ConfigError::new(Fault::Trace, Place::File(name), error.to_string())
        .about("traffic.trace.file")
        .allowed_is(kind)
        .hinted(Some(asked))
}

/// The mistake of a trace that doesn't go onto the network.
fn unmapped(
    source: &Source<'_>,
    (trace, file): (&Spanned<WrittenTrace>, &Spanned<String>),
    error: &MapError,
    (nodes, network): (u32, u32),
) -> ConfigError {
    let written = trace.get_ref();
    let (key, given) = match error {
        MapError::TooMany { .. } => ("file", Some(file.span())),
        MapError::Block { .. } => ("columns", span(&written.columns)),
        _ => ("places", written.places.as_ref().map(Spanned::span)),
    };
    let key = format!("traffic.trace.{key}");
    let span = given.unwrap_or_else(|| trace.span());
    let found = format!("{key}: {error}");
    let allowed = format!("a map of the trace's {nodes} nodes onto the network's {network}");
    let error = source.error(Fault::Conflict, &span, found);
    error.about(&key).allowed_is(allowed)
}
