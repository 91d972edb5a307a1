//! The example's pattern and process from another crate, run from a configuration like the built-in ones.

use crate::examples::own_traffic::{self as example, Ticks};
use flitwork_config::groups;
use flitwork_config::{Catalogue, ConfigError, Resolved};
use flitwork_experiment::simulate::simulate;
use flitwork_traffic::{AnyProcess, BernoulliParameters};
use std::ops::ControlFlow;
use std::path::Path;

fn catalogue() -> Catalogue {
    Catalogue::new(example::parts())
}

fn text(traffic: &str, run: &str) -> String {
    format!(
        "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.wormhole]\n[traffic]\n{traffic}\n\
         [run]\nwarmup_cycles = 100\nmeasure_cycles = 400\n{run}\n"
    )
}

fn resolve(traffic: &str, run: &str) -> Result<Resolved, ConfigError> {
    let text = text(traffic, run);
    catalogue().resolve(&text, "own.toml", Path::new(""), &[])
}

const OWN: &str = "process = \"ticks\"\nevery_cycles = 20\npattern = \"further\"\nby_nodes = 5";

#[test]
fn own_traffic_runs_from_a_configuration_on_every_engine() {
    let mut digests = Vec::new();
    for engine in ["sync-plain", "sync-stepped", "sync", "clocked"] {
        let resolved = resolve(OWN, &format!("engine = \"{engine}\"")).unwrap();
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        // 16 nodes, one packet each in cycles 0, 20, … 480: 25 times.
        let seen = &run.observation;
        assert_eq!((seen.injected, seen.delivered), (400, 400), "{engine}");
        digests.push(run.digest);
    }
    assert!(digests.iter().all(|it| *it == digests[0]), "{digests:?}");
    // Another value of a key gives another run.
    let other = resolve(&OWN.replace('5', "3"), "").unwrap();
    let run = simulate(&other, &mut |_| ControlFlow::Continue(()));
    assert_ne!(run.digest, digests[0]);
}

#[test]
fn own_traffic_is_written_out_and_reads_back() {
    let resolved = resolve(OWN, "").unwrap();
    let written = resolved.to_toml();
    let table = "[traffic]\npacket_words = 4\nprocess = \"ticks\"\nevery_cycles = 20\n\
                 pattern = \"further\"\nby_nodes = 5\n";
    assert!(written.contains(table), "{written}");
    let again = catalogue().resolve(&written, "own.toml", Path::new(""), &[]);
    assert_eq!(again.unwrap(), resolved);
    assert_eq!(
        resolved.traffic.process.get(),
        Some(&Ticks { every_cycles: 20 })
    );
    // The small networks from which memory is estimated carry about as much.
    let small = resolved.traffic.process.scaled_down(2.0, 100);
    assert_eq!(small, AnyProcess::from(BernoulliParameters { load: 0.1 }));
}

#[test]
fn own_keys_are_checked_and_explained_as_all_others() {
    let message = |traffic: &str| resolve(traffic, "").unwrap_err().to_string();
    let found = message("process = \"ticks\"\npattern = \"further\"");
    assert!(found.contains("traffic.by_nodes is missing"), "{found}");
    assert!(found.contains("how much further"), "{found}");
    let found = message(&OWN.replace("20", "0"));
    assert!(found.contains("traffic.every_cycles is 0"), "{found}");
    let found = message("load = 0.1\nevery_cycles = 3");
    let expected = "only with traffic.process = \"ticks\"; it is \"bernoulli\"";
    assert!(found.contains(expected), "{found}");
    let found = message("load = 0.1\nby_nodes = 3");
    assert!(
        found.contains("by_nodes belongs to pattern = \"further\""),
        "{found}"
    );
    let found = message("process = \"tick\"");
    assert!(found.contains("did you mean \"ticks\"?"), "{found}");
    let found = message("process = \"once\"");
    let expected = "only with traffic.process = \"bernoulli\", \"modulated\", \"on-off\", \"phases\" or \"ticks\"";
    assert!(found.contains(expected), "{found}");
    let in_phases = "process = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"further\"\n\
                     by_nodes = 3";
    assert!(resolve(in_phases, "").is_ok());
}

#[test]
fn own_parts_are_listed_and_only_where_they_were_added() {
    let listed = |catalogue: &Catalogue, group: &str, name: &str| {
        let groups = groups(catalogue);
        let group = groups.iter().find(|it| it.name == group).unwrap();
        group.entries.iter().any(|entry| entry.0 == name)
    };
    for (group, name) in [("patterns", "further"), ("processes", "ticks")] {
        assert!(listed(&catalogue(), group, name));
        assert!(!listed(&Catalogue::default(), group, name));
    }
    let text = text(OWN, "");
    let usual = Catalogue::default().resolve(&text, "own.toml", Path::new(""), &[]);
    let message = usual.unwrap_err().to_string();
    assert!(
        message.contains("unknown key traffic.by_nodes"),
        "{message}"
    );
}
