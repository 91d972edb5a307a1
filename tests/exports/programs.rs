//! Exported files as programs read them that aren't libraries of ours: GTKWave's `fst2vcd`, and pandas.
//!
//! ```sh
//! apt-get install gtkwave; pip install pandas pyarrow
//! cargo test --test networks --all-features exports::programs:: -- --ignored
//! ```

use super::asked::{Asked, export};
use super::reading::read;
use crate::common::machine::{any_router, machine};
use flitwork_config::Resolved;
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Timeline, first_probe};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, start};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::Grid;
use std::path::Path;
use std::process::Command;

fn timeline(resolved: &Resolved) -> Timeline {
    let simulation = start(resolved, Use::Views, demand(resolved), first_probe());
    Timeline::new(simulation, 1 << 22, 1)
}

/// Among the signals is one of 300,000 changes.
#[test]
#[ignore = "needs fst2vcd, of Debian's package gtkwave"]
fn fst2vcd_reads_what_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (fst, vcd) = (folder.path().join("a.fst"), folder.path().join("a.vcd"));
    let line = machine(
        Grid::mesh(&[2]).unwrap(),
        any_router(GreedyHpParameters::default()),
        1.0,
        310_000,
        1,
    );
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let chaos = machine(
        mesh,
        any_router(ChaosParameters::chinn_1995(4)),
        0.4,
        3_000,
        1,
    );
    for (resolved, cycles, least) in [(line, 310_000, 300_000), (chaos, 3_000, 1_000)] {
        let nodes = Nodes::new(&resolved.network.shape);
        let asked = Asked::of("fst", (0, cycles));
        export(&mut timeline(&resolved), &nodes, &asked, &fst).unwrap();
        let done = Command::new("fst2vcd")
            .arg("-f")
            .arg(&fst)
            .arg("-o")
            .arg(&vcd)
            .status();
        assert!(done.unwrap().success());
        let (ours, theirs) = (read(&fst), read(&vcd));
        assert_eq!(ours.signals.len(), theirs.signals.len());
        let most = ours.signals.values().map(Vec::len).max();
        assert!(most >= Some(least), "{most:?}");
        for (name, changes) in &ours.signals {
            assert!(theirs.signals[name] == *changes, "{name}");
        }
    }
}

/// What pandas computes of a file is what a walk through the events gives.
#[test]
#[ignore = "needs python3 with pandas and pyarrow; FLITWORK_PYTHON names another python3"]
fn pandas_reads_what_is_exported() {
    use flitwork_debug::{Wanted, What};
    use flitwork_node::Event;
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let resolved = machine(
        mesh,
        any_router(ChaosParameters::chinn_1995(4)),
        0.4,
        3_000,
        1,
    );
    let nodes = Nodes::new(&resolved.network.shape);
    let mut timeline = timeline(&resolved);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.parquet");
    export(
        &mut timeline,
        &nodes,
        &Asked::of("parquet", (0, 3_000)),
        &path,
    )
    .unwrap();
    let (happened, _) = timeline.copy_at(0, Wanted::EVENTS).advance(3_000);
    let delivered = happened.iter().filter_map(|it| match it.what {
        What::Event(Event::Delivered { packet }) => Some(packet.latency(it.cycle)),
        _ => None,
    });
    let delivered: Vec<u64> = delivered.collect();
    let deroutes = happened
        .iter()
        .filter(|it| matches!(it.what, What::Event(Event::Moved { deroute: true, .. })));
    let times: u64 = happened.iter().map(|it| it.time).sum();
    let expected = format!(
        "{} {} {} {} {}\n",
        happened.len(),
        delivered.len(),
        delivered.iter().sum::<u64>(),
        deroutes.count(),
        times
    );
    let script = "import sys, pandas\n\
        rows = pandas.read_parquet(sys.argv[1])\n\
        done = rows[rows.kind == 'delivered']\n\
        print(len(rows), len(done), int(done.latency.sum()), int((rows.deroute == True).sum()), int(rows.time.sum()))";
    assert_eq!(python(script, &path), expected);
}

/// What a script says of a file.
fn python(script: &str, path: &Path) -> String {
    let python = std::env::var("FLITWORK_PYTHON").unwrap_or_else(|_| "python3".into());
    let done = Command::new(python)
        .args(["-c", script])
        .arg(path)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{complaint}");
    String::from_utf8(done.stdout).unwrap()
}

/// By the schema that Perfetto publishes, nothing in the file is unknown, and slices and flows are as many.
#[test]
#[ignore = "needs python3 with the package perfetto; FLITWORK_PYTHON names another python3"]
fn perfetto_reads_what_is_exported() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let resolved = machine(
        mesh,
        any_router(ChaosParameters::chinn_1995(4)),
        0.4,
        3_000,
        1,
    );
    let nodes = Nodes::new(&resolved.network.shape);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let asked = Asked::of("perfetto", (0, 3_000));
    let done = export(&mut timeline(&resolved), &nodes, &asked, &path).unwrap();
    let script = "import sys\n\
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as p\n\
        from google.protobuf.unknown_fields import UnknownFieldSet\n\
        def unknown(m):\n  n = len(UnknownFieldSet(m))\n  for f, v in m.ListFields():\n    \
        if f.message_type: n += sum(unknown(s) for s in (v if f.is_repeated else [v]))\n  return n\n\
        t = p.Trace.FromString(open(sys.argv[1], 'rb').read())\n\
        e = [x.track_event for x in t.packet if x.HasField('track_event')]\n\
        b = [x for x in e if x.type == p.TrackEvent.TYPE_SLICE_BEGIN]\n\
        d = [x for x in e if x.type == p.TrackEvent.TYPE_SLICE_END]\n\
        f = [x for x in b if len(x.flow_ids) + len(x.terminating_flow_ids) == 1]\n\
        print(len(b), len(d), len(f), unknown(t))";
    let expected = format!("{0} {0} {0} 0\n", done.count);
    assert_eq!(python(script, &path), expected);
}
