//! Reads `[traffic.trace]` and checks the trace's file.

use super::{Format, KEYS, Map, TABLE, Table, TraceFormat, TraceMap, TraceParameters};
use crate::{MapError, NetraceParameters, ReadContext, RegionRange, TraceError, TraceSummary};
use flitwork_schema::{FileMistake, MistakeKind, NamedFile, RawTable, Refusal, Unreadable};
use flitwork_types::Cycle;

const LINK_BYTES: u32 = 8;
const WINDOW_PACKETS: u32 = 4096;
const FILE: &str = "file";

pub(super) fn read(
    given: &RawTable<'_>,
    context: &ReadContext<'_>,
) -> Result<TraceParameters, Refusal> {
    let table = given.table(TABLE).ok_or_else(|| given.missing(TABLE))?;
    if !table.has(FILE) {
        return Err(table.missing(FILE));
    }
    let mut keys = Table {
        dependencies: true,
        window_packets: WINDOW_PACKETS,
        read_first: true,
        ..Table::default()
    };
    table.set(KEYS, &mut keys);
    let fixed_words = fixed_words(given, &table, context)?;
    let mut parameters = TraceParameters {
        file: keys.file.clone(),
        path: context.files.path(&keys.file),
        format: format(&table, &keys, context)?,
        map: map(&table, &keys)?,
        fixed_words,
        dependencies: keys.dependencies,
        window_packets: keys.window_packets,
        summary: None,
        last_cycle: None,
    };
    inspect(&mut parameters, &table, &keys, context)?;
    Ok(parameters)
}

/// Opens the file, and reads all of it if `read_first` is set.
fn inspect(
    parameters: &mut TraceParameters,
    table: &RawTable<'_>,
    keys: &Table,
    context: &ReadContext<'_>,
) -> Result<(), Refusal> {
    check_file(parameters, table, context)?;
    let reader = parameters.reader(context.open);
    let reader = reader.map_err(|error| broken(table, parameters, &error))?;
    let nodes = reader.nodes();
    let network = context.topology.terminals();
    let map = parameters.node_map(nodes, context.topology);
    map.map_err(|error| unmapped(table, &error, (nodes, network)))?;
    let start = reader.start_cycle();
    if keys.read_first && !context.skips_slow_checks {
        let summary = TraceSummary::of(reader);
        let summary = summary.map_err(|error| broken(table, parameters, &error))?;
        let last_cycle = summary.last_cycle - start.min(summary.first_cycle);
        parameters.last_cycle = Some(in_run(table, last_cycle)?);
        parameters.summary = Some(summary);
    } else if let Some(end) = reader.ends_by() {
        // Taken from the file's header. A packet whose cycle no run can reach is refused when it is read.
        let last_cycle = end.saturating_sub(start).min(Cycle::LAST.get().into());
        parameters.last_cycle = Some(Cycle(last_cycle as u32));
    }
    Ok(())
}

/// The cycle of a trace's last packet; refused if no run can reach it.
fn in_run(table: &RawTable<'_>, last_cycle: u64) -> Result<Cycle, Refusal> {
    let longest = Cycle::LAST.get();
    match u32::try_from(last_cycle) {
        Ok(cycle) if cycle < longest => Ok(Cycle(cycle)),
        _ => {
            let found = format!(
                "{}: its last packet comes {last_cycle} cycles after the beginning, and no run is longer than \
                 {longest} cycles",
                table.key(FILE)
            );
            let allowed = "a shorter trace, or fewer regions of it";
            Err(table.conflict(FILE, allowed).found(found))
        }
    }
}

/// The one length of all packets, if the configuration sets it.
fn fixed_words(
    given: &RawTable<'_>,
    table: &RawTable<'_>,
    context: &ReadContext<'_>,
) -> Result<Option<u16>, Refusal> {
    const KEY: &str = "packet_words";
    match (context.fixed_words, given.get(KEY)) {
        (_, Some(words)) => Ok(Some(words)),
        (None, None) => Ok(None),
        (Some(fixed), None) => {
            let found =
                "the trace's packets vary in length, and the router supports only one length";
            let key = given.key(KEY);
            let allowed = format!("{key} = {fixed}, which gives every packet this length");
            let refusal = Refusal::new(MistakeKind::Conflict, key, Some(table.span()));
            Err(refusal.found(found).allowed(allowed))
        }
    }
}

fn format(
    table: &RawTable<'_>,
    keys: &Table,
    context: &ReadContext<'_>,
) -> Result<TraceFormat, Refusal> {
    let usual = match keys.file.contains(".tra") {
        true => Format::Netrace,
        false => Format::Csv,
    };
    let format = keys.format.unwrap_or(usual);
    let (unread, reader): (&[&str], Format) = match format {
        Format::Csv => (
            &["link_bytes", "first_region", "last_region"],
            Format::Netrace,
        ),
        Format::Netrace => (&["nodes"], Format::Csv),
    };
    let allowed = format!("only with {} = {:?}", table.key("format"), reader.name());
    table.refuse(unread, &[FILE, "format"], &allowed)?;
    if format == Format::Csv {
        let nodes = keys.nodes.unwrap_or_else(|| context.topology.terminals());
        return Ok(TraceFormat::Csv { nodes });
    }
    let regions = match (keys.first_region, keys.last_region) {
        (None, None) => None,
        (first, last) => {
            let first = first.unwrap_or(0);
            let last = last.unwrap_or(first);
            Some(RegionRange { first, last })
        }
    };
    let link_bytes = keys.link_bytes.unwrap_or(LINK_BYTES);
    let parameters = NetraceParameters::new(link_bytes, regions);
    let parameters = parameters.map_err(|error| table.wrong(&error, &[]))?;
    Ok(TraceFormat::Netrace(parameters))
}

fn map(table: &RawTable<'_>, keys: &Table) -> Result<TraceMap, Refusal> {
    for (name, reader) in [("columns", Map::Block), ("places", Map::Given)] {
        if keys.map != reader {
            let allowed = format!("only with {} = {:?}", table.key("map"), reader.name());
            table.refuse(&[name], &["map"], &allowed)?;
        }
    }
    match keys.map {
        Map::InOrder => Ok(TraceMap::InOrder),
        Map::Block => {
            let columns = table.needed("columns")?;
            Ok(TraceMap::Block { columns })
        }
        Map::Given => table.needed("places").map(TraceMap::Given),
    }
}

/// Refuses anything but a regular file: a pipe can't be read twice, and opening one without a writer blocks.
fn check_file(
    parameters: &TraceParameters,
    table: &RawTable<'_>,
    context: &ReadContext<'_>,
) -> Result<(), Refusal> {
    let Some(found) = context.files.is_no_file(&parameters.file) else {
        return Ok(());
    };
    Err(file(table, parameters).unreadable(Unreadable {
        found,
        allowed: "a readable file".into(),
        content: false,
    }))
}

fn file(table: &RawTable<'_>, parameters: &TraceParameters) -> NamedFile {
    NamedFile::new(table, FILE, &parameters.path, MistakeKind::Trace)
}

/// The refusal of a trace's file.
fn broken(table: &RawTable<'_>, parameters: &TraceParameters, error: &TraceError) -> Refusal {
    let kind = match parameters.format {
        TraceFormat::Csv { .. } => "a CSV trace",
        TraceFormat::Netrace(_) => "a netrace file of version 1",
    };
    file(table, parameters).wrong(FileMistake {
        at: None,
        found: error.to_string(),
        allowed: kind.into(),
    })
}

/// The refusal of a trace that doesn't fit the network.
fn unmapped(table: &RawTable<'_>, error: &MapError, (nodes, network): (u32, u32)) -> Refusal {
    let name = match error {
        MapError::TooMany { .. } => FILE,
        MapError::Block { .. } => "columns",
        _ => "places",
    };
    let found = format!("{}: {error}", table.key(name));
    let allowed = format!("a map from the trace's {nodes} nodes to the network's {network}");
    table.conflict(name, allowed).found(found)
}
