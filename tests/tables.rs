//! Routing by tables on random graphs: what `check` says is what a walker finds that knows nothing of the library's, what it calls free
//! delivers all packets, and what it doesn't is refused.

#[path = "tables/case.rs"]
mod case;

use case::{Case, hold};
use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Deadlock, Livelock, examine};
use flitwork_experiment::simulate::{demand, execute};
use flitwork_types::Cycle;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const CASES: u64 = 400;

/// The files of a network and its table.
fn write(case: &Case, folder: &Path) {
    let mut links = String::from("from,to\n");
    for (one, other) in &case.links {
        let _ = writeln!(links, "n{one},n{other}");
    }
    let mut nodes = String::from("node,terminals\n");
    for (node, terminals) in case.terminals.iter().enumerate() {
        let _ = writeln!(nodes, "n{node},{terminals}");
    }
    let configuration = format!(
        "[network]\ntopology = \"file\"\nfile = \"n.csv\"\nnodes_file = \"nodes.csv\"\n[router.wormhole]\nvcs = {}\n\
             buffer_words = 2\nrouting = \"table\"\n[router.wormhole.table]\nfile = \"t.csv\"\n[traffic]\npacket_words = 5\n\
             load = 1.0\n[run]\nwarmup_cycles = 0\nmeasure_cycles = 2000\n",
        case.channels
    );
    for (name, text) in [
        ("n.csv", links),
        ("nodes.csv", nodes),
        ("t.csv", case.text()),
        ("n.toml", configuration),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// Full load, and then what is under way must arrive.
fn delivers(resolved: &Resolved) -> bool {
    let mut given = demand(resolved);
    given.inject_until = Cycle(400);
    given.end = Cycle(100_000);
    let done = execute(resolved, given, (), &mut |_| ControlFlow::Continue(()));
    done.outcome.ended == Ended::Empty
}

#[test]
fn the_check_of_tables_agrees_with_a_walk() {
    let catalogue = Catalogue::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.toml");
    let mut seen = BTreeMap::new();
    for seed in 0..CASES {
        let case = Case::drawn(seed);
        write(&case, folder.path());
        let examined = catalogue.load_examined(&path, &[]);
        let (resolved, _) = examined.unwrap_or_else(|error| panic!("{seed}: {error}"));
        let found = examine(&resolved);
        let of_circle = found.circle.as_ref().map(|it| it.dependencies);
        let dependencies = of_circle.or(found.dependencies.map(|(_, pairs)| pairs));
        let circle = (found.circle.as_ref(), dependencies.unwrap());
        hold(&case, &resolved.network.shape, &found.astray, circle);
        let is_free = found.circle.is_none() && found.astray.is_empty();
        assert_eq!(
            matches!(found.deadlock, Deadlock::Free(_)),
            is_free,
            "{seed}"
        );
        let run = catalogue.load(&path, &[]);
        let kind = match (&found.deadlock, &found.livelock) {
            (Deadlock::Free(_), Livelock::None(_)) => {
                let resolved = run.unwrap_or_else(|error| panic!("{seed}: {error}"));
                assert!(delivers(&resolved), "{seed}: {resolved:?}");
                "free"
            }
            (_, Livelock::May(_)) => {
                assert_eq!(run.unwrap_err().lifted_by(), None, "{seed}");
                "astray"
            }
            _ => {
                let lifted = run.unwrap_err().lifted_by().map(str::to_owned);
                assert_eq!(
                    lifted.as_deref(),
                    Some("router.wormhole.allow_deadlock"),
                    "{seed}"
                );
                "circle"
            }
        };
        *seen.entry(kind).or_insert(0) += 1;
        let looping = found.astray.iter().any(|it| !it.circle.is_empty());
        *seen.entry("loop").or_insert(0) += u64::from(looping);
        let gap = found.astray.iter().any(|it| it.unrouted.count > 0);
        *seen.entry("gap").or_insert(0) += u64::from(gap);
    }
    // All kinds are met often.
    for kind in ["free", "astray", "circle", "loop", "gap"] {
        assert!(
            seen.get(kind).is_some_and(|times| *times >= CASES / 40),
            "{seen:?}"
        );
    }
}
