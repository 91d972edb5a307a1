//! Parquet, read back, against the events of the run.

use super::asked::{Asked, export};
use crate::common::machine::machines;
use crate::common::many_clocks::many_clocks;
use crate::common::properties::properties;
use flitwork_config::EngineChoice;
use flitwork_debug::language::Filter;
use flitwork_debug::rows::{Cell, EventRow, Nodes, cells, event_columns};
use flitwork_debug::{Timeline, Wanted, first_probe};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, start, start_clocked};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;

/// What a row has, by column; without what is missing.
type Named = BTreeMap<String, String>;

fn read(path: &std::path::Path) -> (Vec<Named>, BTreeMap<String, String>) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let metadata = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let marks = metadata
        .iter()
        .map(|it| (it.key.clone(), it.value.clone().unwrap()));
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let columns = row.get_column_iter();
        let known = columns.filter(|(_, field)| **field != Field::Null);
        let text = |field: &Field| match field {
            Field::Str(text) => text.clone(),
            field => field.to_string(),
        };
        known
            .map(|(name, field)| (name.clone(), text(field)))
            .collect()
    });
    (rows.collect(), marks.collect())
}

/// An event as it stands in a table, but for what isn't in the file.
fn named(row: &EventRow<'_>, columns: &flitwork_debug::language::Columns) -> Named {
    let mut named = Named::new();
    for (cell, column) in cells(row, columns).into_iter().zip(&columns.0) {
        match cell {
            Cell::Missing => {}
            Cell::Packet(packet) => {
                named.insert("packet.source".into(), packet.source.to_string());
                named.insert("packet.serial".into(), packet.serial.to_string());
            }
            Cell::Flag(flag) => {
                named.insert(column.name.clone(), flag.to_string());
            }
            _ if column.name.starts_with("node.") => {}
            cell => {
                named.insert(column.name.clone(), cell.to_string());
            }
        }
    }
    named
}

fn compare(
    timeline: &mut Timeline,
    nodes: &Nodes,
    (times, words): ((u64, u64), bool),
    filter: &str,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events");
    let asked = Asked {
        words,
        filter,
        ..Asked::of("parquet", times)
    };
    let done = export(timeline, nodes, &asked, &path).unwrap();
    let (found, marks) = read(&path);
    prop_assert_eq!(&*marks["flitwork.status"], "whole");
    prop_assert_eq!(&*marks["flitwork.command"], "a \"test\" $end");
    let wanted = Wanted {
        words,
        arrivals: words,
        ..Wanted::EVENTS
    };
    let mut branch = timeline.copy_at(times.0, wanted);
    let (mut happened, ended) = branch.advance(times.1);
    if ended != flitwork_debug::Ended::Deadline {
        happened.extend(branch.rest());
    }
    let columns = event_columns(nodes, timeline.unit());
    let filter = match filter {
        "" => Filter::all(),
        text => Filter::parse(text, &columns).unwrap(),
    };
    let rows = happened
        .iter()
        .map(|happening| EventRow { happening, nodes });
    let rows = rows.filter(|row| row.happening.time < times.1 && filter.holds(row));
    let mut expected: Vec<Named> = rows.map(|row| named(&row, &columns)).collect();
    prop_assert_eq!(found.len() as u64, done.count);
    let is_in_order = found.is_sorted_by_key(|row| row["time"].parse::<u64>().unwrap());
    prop_assert!(is_in_order);
    // Within an instant and a node, reports may come in another order in shorter stretches.
    let mut found = found;
    found.sort();
    expected.sort();
    prop_assert_eq!(found, expected);
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_events(
        resolved in machines().boxed(),
        (from, length) in (prop_oneof![Just(0u64), 1u64..200], 1u64..300),
        (words, fast) in (any::<bool>(), any::<bool>()),
        filter in prop_oneof![Just(""), Just("node < 3 && kind != 'head'"), Just("packet == 0.1 || deroute")],
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let end: u64 = demand(&resolved).end.get().into();
        let usage = if fast && !words { Use::Events } else { Use::Views };
        let simulation = start(&resolved, usage, demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        let nodes = Nodes::new(&resolved.network.shape);
        let times = (from.min(end - 1), (from + length).min(end));
        compare(&mut timeline, &nodes, (times, words), filter)?;
    }

    #[test]
    fn rows_in_ps_are_the_events(
        (resolved, clocks) in many_clocks().boxed(),
        (from, length) in (0u64..100, 1u64..100),
        words in any::<bool>(),
    ) {
        let period = clocks.nominal_ps;
        let end = u64::from(demand(&resolved).end.get()) * period;
        let simulation = start_clocked(&resolved, (clocks, 1), demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, period);
        let nodes = Nodes::new(&resolved.network.shape);
        let from = (from * period).min(end - 1);
        compare(&mut timeline, &nodes, ((from, (from + length * period).min(end)), words), "")?;
    }
}
