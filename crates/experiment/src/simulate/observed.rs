//! An observer sees the same run on every engine.

use crate::extras::Extras;
use crate::index::{IndexFile, recipe};
use crate::live::simulate_live_with;
use crate::simulate::{Simulated, simulate, simulate_with};
use flitwork_config::{Catalogue, EngineChoice, Resolved};
use flitwork_engine::{Engine, EventDriven, Plain};
use flitwork_measure::Window;
use flitwork_network::{Demand, Network};
use flitwork_node::{Buffers, Router};
use flitwork_observe::Observer;
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, TerminalId};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A configuration of which each engine reads what it needs.
fn resolved(text: &str) -> Resolved {
    let resolved = Catalogue::default().resolve_with_unread(text, "text", Path::new(""), &[]);
    resolved.unwrap_or_else(|error| panic!("{error}")).0
}

fn by(resolved: &Resolved, engine: EngineChoice) -> Simulated {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    simulate(&resolved, &mut |_| ControlFlow::Continue(()))
}

/// Routers under load.
const ROUTERS: [&str; 3] = [
    "[router.chaos]\nmultiqueue_frames = 2\n[traffic]\nload = 0.6",
    "[router.greedy-hp]\n[traffic]\nload = 0.4",
    "[router.wormhole]\n[traffic]\nload = 0.4\npacket_words = 6",
];

/// A small mesh of them.
fn mesh(router: &str) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n{router}\n\
        [run]\nwarmup_cycles = 100\nmeasure_cycles = 1000\n"
    )
}

/// On one thread with each engine, and live in lockstep with both runtimes and several workers.
#[test]
fn every_engine_is_observed_alike() {
    for router in ROUTERS {
        let text = mesh(router) + "[live]\nslack = 0\nworkers = 3\n";
        let resolved = resolved(&text);
        let plain = by(&resolved, EngineChoice::SyncPlain);
        assert!(plain.observation.activity.decisions > 100, "{router}");
        for engine in [EngineChoice::Sync, EngineChoice::SyncStepped] {
            let other = by(&resolved, engine);
            assert_eq!(other.observation, plain.observation, "{router} {engine:?}");
        }
        for runtime in ["threads", "tokio"] {
            let text = text.replace("slack", &format!("runtime = {runtime:?}\nslack"));
            let text = text.replace("[run]", "[run]\nengine = \"live\"");
            let live = self::resolved(&text);
            let control = &mut |_| ControlFlow::Continue(());
            let live = simulate_live_with(&live, None, Extras::default(), control);
            let live = live.unwrap().0.simulated;
            assert_eq!(live.digest, plain.digest, "{router} {runtime}");
            assert_eq!(live.observation, plain.observation, "{router} {runtime}");
        }
    }
}

/// An index changes nothing of a run, its epochs are those of every engine, and their digests add up to the run's.
#[test]
fn an_index_changes_nothing_and_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fltrace");
    for router in ROUTERS {
        let text = mesh(router);
        let mut first = None;
        for engine in [
            EngineChoice::Sync,
            EngineChoice::SyncPlain,
            EngineChoice::Clocked,
        ] {
            let mut resolved = resolved(&text);
            resolved.run.engine = engine;
            let header = recipe(&resolved, "").unwrap();
            let file = IndexFile::create(&path, &resolved, &header).unwrap();
            let extras = Extras {
                index: Some(file.probe()),
                ..Extras::default()
            };
            let (with, extras) =
                simulate_with(&resolved, extras, &mut |_| ControlFlow::Continue(()));
            let without = by(&resolved, engine);
            assert_eq!(with.digest, without.digest, "{router} {engine:?}");
            assert_eq!(with.observation, without.observation, "{router} {engine:?}");
            let epochs = extras.index.unwrap().into_epochs();
            assert!(epochs.count() > 10, "{router} {engine:?}");
            let parts = (0..epochs.count()).map(|epoch| Digest::of(epochs.digest(epoch)));
            assert_eq!(parts.sum::<Digest>(), with.digest, "{router} {engine:?}");
            assert_eq!(
                first.get_or_insert_with(|| epochs.clone()),
                &epochs,
                "{router} {engine:?}"
            );
        }
    }
}

/// Every node sends four packets of four words to the node opposite, through side buffers of two flits.
#[test]
fn flits_in_side_buffers_are_counted() {
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let across = |node: u32| (TerminalId(node), TerminalId(15 - node));
    let pairs: Vec<_> = (0..16).flat_map(|node| [across(node); 4]).collect();
    let parameters = DeflectionParameters {
        side_buffer_flits: 2,
        ..DeflectionParameters::flit_bless()
    };
    let router = Deflection::new(grid.clone(), parameters, 1);
    let datapath = router.datapath().unwrap();
    assert_eq!(datapath.buffers, Buffers::Words("side buffer"));
    let network = Arc::new(Network::new(grid.clone(), router, 1));
    let end = Cycle(2000);
    let demand = || Demand::until(Box::new(Once::new(&pairs).of_words(4)), end);
    let observer = || Observer::new(&grid, 1, Window::new(Cycle::ZERO, end).unwrap());
    let mut plain = Plain::new(network.clone(), demand(), observer(), 7);
    plain.run(&mut |_| ControlFlow::Continue(()));
    let seen = Box::new(plain).into_probe().finish(end);
    let mut awake = EventDriven::new(network, demand(), observer());
    awake.run(&mut |_| ControlFlow::Continue(()));
    assert_eq!(Box::new(awake).into_probe().finish(end), seen);

    assert_eq!(seen.delivered, 64);
    let work = seen.activity.work(&datapath);
    // Every flit that was set aside came out again, so there were as many writes as reads.
    assert!(seen.activity.stored > 0);
    assert_eq!(work.writes, seen.activity.stored);
    assert_eq!(work.reads, work.writes);
    assert_eq!(work.crossings, seen.activity.link_words + work.writes);
    let most = seen.buffer_max.iter().copied().max();
    assert!(most == Some(1) || most == Some(2), "{most:?}");
    // Each waits for at least one cycle.
    let waited: i64 = seen.buffer_word_cycles.iter().sum();
    assert!(waited >= seen.activity.stored as i64);
}
