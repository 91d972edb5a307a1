//! `flitwork trace info`.

use super::session::Session;
use crate::args::OfRun;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, FINE, print};
use crate::program::provenance;
use flitwork_debug::language::{Columns, Kind};
use flitwork_debug::rows::{event_columns, packet_columns};
use flitwork_experiment::recall::Recalled;
use flitwork_experiment::simulation::Use;
use flitwork_report::named_lines;
use flitwork_view::shown::named;
use serde_json::{Map, Value, json};

pub(super) fn run(args: &OfRun, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(args, asking)?;
    let (timeline, _) = session.timeline(Use::Views)?;
    let resolved = &session.recalled.resolved;
    let unit = match timeline.unit() {
        flitwork_debug::TimeUnit::Cycles => "cycles of one clock",
        flitwork_debug::TimeUnit::Picoseconds => "ps; each node has a clock of its own",
        flitwork_debug::TimeUnit::Steps => {
            "steps that depend on each other; each node has cycles of its own"
        }
    };
    let rows = session.all_packets()?;
    let delivered = rows.iter().filter(|row| row.delivered.is_some()).count();
    let injected = rows.iter().filter(|row| row.injected.is_some()).count();
    let timed = rows
        .iter()
        .filter_map(|row| Some((row.latency?, row.packet()?)));
    let slowest = timed.max_by_key(|(latency, _)| *latency);
    let slowest = slowest.map(|(latency, packet)| format!("{}: {latency} cycles", named(packet)));
    let kind = kind(&session.recalled);
    let packets = packet_columns(&session.nodes);
    let events = event_columns(&session.nodes, timeline.unit());
    let lines = [
        ("run", kind),
        ("router", resolved.router.name().to_owned()),
        ("engine", resolved.run.engine.name().to_owned()),
        ("seed", resolved.run.seed.to_string()),
        ("nodes", session.nodes.count().to_string()),
        ("time", unit.to_owned()),
        ("packets made", rows.len().to_string()),
        ("packets injected", injected.to_string()),
        ("packets delivered", delivered.to_string()),
        ("slowest", slowest.unwrap_or_else(|| "-".into())),
    ];
    if args.json {
        let mut found: Map<String, Value> = lines
            .map(|(name, value)| (name.replace(' ', "_"), value.into()))
            .into_iter()
            .collect();
        for (name, columns) in [("packet_columns", &packets), ("event_columns", &events)] {
            let names: Vec<String> = columns.0.iter().map(|it| it.name.clone()).collect();
            found.insert(name.to_owned(), names.into());
        }
        let found = json!(provenance(resolved).with(&found));
        print(&format!("{found:#}\n"))?;
        return Ok(Code(FINE));
    }
    print(&named_lines(lines))?;
    print(&described("columns of packets", &packets))?;
    print(&described("columns of events", &events))?;
    Ok(Code(FINE))
}

/// What a run is opened by.
fn kind(recalled: &Recalled) -> String {
    match (recalled.index(), recalled.is_record()) {
        (None, false) => "a configuration, run again".to_owned(),
        (None, true) => "a record".to_owned(),
        (Some(index), is_record) => {
            let of = match is_record {
                true => "record",
                false => "configuration",
            };
            let version = &index.header.flitwork;
            let interrupted = recalled.interrupted();
            let interrupted = interrupted.map(|cycle| format!(", interrupted in cycle {cycle}"));
            let interrupted = interrupted.unwrap_or_default();
            format!("an index of a {of}'s run, by version {version}{interrupted}")
        }
    }
}

fn described(title: &str, columns: &Columns) -> String {
    let width = columns.0.iter().map(|it| it.name.len()).max().unwrap_or(0);
    let mut text = format!("\n{title}\n");
    for column in &columns.0 {
        let kind = match &column.kind {
            Kind::Number("") => String::new(),
            Kind::Number(unit) => format!(" ({unit})"),
            Kind::Flag => " (a flag: yes or no)".to_owned(),
            Kind::Packet => " (a packet)".to_owned(),
            Kind::Name(names) => format!(" (one of: {})", names.join(", ")),
        };
        text += &format!("  {:width$}  {}{kind}\n", column.name, column.help);
    }
    text
}
