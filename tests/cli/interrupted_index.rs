//! The index of a run that was interrupted: its run ends where it was interrupted, however long it would have gone on.

use crate::harness::{Done, Folder, Patience, interrupt};
use flitwork_trace::index::{Index, IndexTrailer, IndexWriter};
use std::fs::File;

/// A run that never ends in time, interrupted as soon as it has delivered something.
fn interrupted(folder: &Folder, engine: &str, index: &str) {
    let long = "run.measure_cycles=2000000000";
    let args = [
        "run",
        "small.toml",
        "--engine",
        engine,
        "--set",
        long,
        "--trace",
        index,
    ];
    let mut child = folder.start(&args);
    // Rows are written in blocks as they come.
    let mut patience = Patience::new();
    while std::fs::metadata(folder.path(index)).map_or(0, |it| it.len()) < 60_000 {
        assert!(child.try_wait().unwrap().is_none() && patience.waits());
    }
    interrupt(&child);
    assert_eq!(folder.end(&mut child).code, Some(130), "{engine}");
}

fn read(folder: &Folder, index: &str) -> Index {
    Index::read(File::open(folder.path(index)).unwrap()).unwrap()
}

fn ask(folder: &Folder, question: &[&str], code: i32) -> Done {
    let done = folder.flitwork(&[&["trace"], question].concat());
    assert_eq!(done.code, Some(code), "{question:?}: {}", done.err);
    done
}

#[test]
fn an_interrupted_run_ends_where_it_was_interrupted() {
    let folder = Folder::new();
    for engine in ["sync", "sync-stepped", "sync-plain", "clocked"] {
        let name = format!("{engine}.fltrace");
        interrupted(&folder, engine, &name);
        let index = read(&folder, &name);
        let trailer = index.trailer.clone().unwrap();
        assert_eq!(trailer.ended, IndexTrailer::INTERRUPTED);
        assert!(trailer.cycles > 1000 && index.cut.is_none(), "{engine}");
        let info = ask(&folder, &["info", &name], 0).out;
        assert!(
            info.contains(&format!("interrupted in cycle {}", trailer.cycles)),
            "{info}"
        );
        let packets = ask(&folder, &["packets", &name, "--json"], 0).out;
        assert_eq!(
            packets.matches("\"packet\":").count(),
            index.rows.len(),
            "{engine}"
        );
        let (packet, latency) = folder.slowest(&name, &["--where", "delivered < 1000"]);
        let why = ask(&folder, &["why", &name, &packet, "--json"], 0);
        // All clocks have a period of 1000 ps, and charges are in ps there.
        let unit = if engine == "clocked" { 1000 } else { 1 };
        assert_eq!(
            why.json()["total"].as_u64(),
            Some(unit * latency),
            "{engine}"
        );
        let past = format!("0@{}", u64::from(trailer.cycles) * 4000 + 1);
        ask(&folder, &["node", &name, &past], 2);
        // As if of another seed: noticed where nodes count the same cycles, within what the run had done.
        let mut other = index;
        other.header.configuration = other.header.configuration.replace("seed = 1", "seed = 2");
        let file = File::create(folder.path("other.fltrace")).unwrap();
        let mut writer = IndexWriter::new(file, &other.header).unwrap();
        other.rows.iter().for_each(|row| writer.put(row).unwrap());
        writer.finish(&other.epochs, &trailer).unwrap();
        let code = if engine == "clocked" { 0 } else { 4 };
        ask(&folder, &["info", "other.fltrace"], code);
    }
}
