//! Random networks, most of whose links and routers fail: events are judged by a model of its own that knows the failures and the graph,
//! engines agree, and a live run can be replayed.
//!
//! ```sh
//! FLITWORK_CASES=2000 cargo test --release --test networks failing::    # far more of them
//! ```

#[path = "failing/model.rs"]
mod model;

use crate::common::live_runs::{Memory, live, lockstep, replayed};
use crate::common::recorder::Recorder;
use flitwork_config::{EngineChoice, Resolved, Runtime, resolve};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Deadlock, examine};
use flitwork_experiment::simulate::{Simulated, demand, execute, simulate};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Loss, NodeId, Port};
use model::Model;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;

/// A table of `[[faults]]`.
#[derive(Clone, Debug)]
struct Fault {
    /// Links by their places among those of a network, modulo how many there are.
    links: Vec<usize>,
    routers: Vec<u32>,
    from: u32,
    until: Option<u32>,
    detection: Option<u32>,
    loses: bool,
}

/// A network whose links fail.
#[derive(Clone, Debug)]
struct Case {
    network: String,
    /// Its links and its nodes, if they are in files.
    files: Option<[String; 2]>,
    router: String,
    traffic: String,
    faults: Vec<Fault>,
    seed: u64,
}

/// The end of a link.
type End = (NodeId, Port);

impl Fault {
    /// Whether it has failed in a cycle.
    fn has(&self, cycle: u32) -> bool {
        self.from <= cycle && self.until.is_none_or(|until| cycle < until)
    }

    /// Whether that is known in a cycle.
    fn is_known(&self, cycle: u32) -> bool {
        let Some(later) = self.detection else {
            return false;
        };
        self.from + later <= cycle && self.until.is_none_or(|until| cycle < until + later)
    }

    /// Both ends of all its links.
    fn ends(&self, shape: &Shape) -> BTreeSet<End> {
        let links = links(shape);
        let mut ends = BTreeSet::new();
        for link in &self.links {
            let (one, other) = links[link % links.len()];
            for (node, far) in [(one, other), (other, one)] {
                let ports = shape.links(node).iter();
                let ports = ports.filter(|port| shape.neighbour(node, *port) == Some(far));
                ends.extend(ports.map(|port| (node, port)));
            }
        }
        for router in self.routers(shape) {
            for port in shape.links(router).iter() {
                ends.extend(
                    [Some((router, port)), shape.far(router, port)]
                        .into_iter()
                        .flatten(),
                );
            }
        }
        ends
    }

    fn routers(&self, shape: &Shape) -> BTreeSet<NodeId> {
        let routers = self.routers.iter();
        routers
            .map(|router| NodeId(router % shape.nodes()))
            .collect()
    }

    /// The table.
    fn text(&self, shape: &Shape) -> String {
        let all = links(shape);
        let named: BTreeSet<(u32, u32)> = self
            .links
            .iter()
            .map(|link| all[link % all.len()])
            .map(|(one, other)| (one.0, other.0))
            .collect();
        let named: Vec<String> = named
            .iter()
            .map(|(one, other)| format!("[{one}, {other}]"))
            .collect();
        let mut text = format!("[[faults]]\nfrom_cycle = {}\n", self.from);
        if !named.is_empty() {
            text += &format!("links = [{}]\n", named.join(", "));
        }
        let routers: Vec<String> = self.routers(shape).iter().map(NodeId::to_string).collect();
        if !routers.is_empty() {
            text += &format!("routers = [{}]\n", routers.join(", "));
        }
        if let Some(until) = self.until {
            text += &format!("until_cycle = {until}\n");
        }
        text += &match self.detection {
            Some(cycles) => format!("detection_cycles = {cycles}\n"),
            None => "detection_cycles = \"never\"\n".into(),
        };
        text + &format!(
            "in_flight = {:?}\n\n",
            if self.loses { "lost" } else { "finishes" }
        )
    }
}

/// Pairs of nodes that are linked.
fn links(shape: &Shape) -> Vec<(NodeId, NodeId)> {
    let mut pairs = BTreeSet::new();
    for node in (0..shape.nodes()).map(NodeId) {
        for port in shape.links(node).iter() {
            let far = shape.neighbour(node, port).unwrap();
            pairs.insert((node.min(far), node.max(far)));
        }
    }
    pairs.into_iter().collect()
}

impl Case {
    fn text(&self, faults: &str) -> String {
        let Case {
            network,
            router,
            traffic,
            seed,
            ..
        } = self;
        format!(
            "[network]\n{network}\n\n{faults}{router}\n\n[traffic]\n{traffic}\n\n[run]\nseed = {seed}\nwarmup_cycles = 50\n\
             measure_cycles = 400\ndrain_cycles = 2000\nstop_at_overload = false\n"
        )
    }

    /// The network without failures, and the configuration with them.
    fn resolved(&self) -> Option<(Shape, Resolved)> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in ["links.csv", "nodes.csv"]
            .iter()
            .zip(self.files.iter().flatten())
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let read = |text: &str| resolve(text, "failing.toml", folder.path(), &[]);
        let topology = format!(
            "[network]\n{}\n\n[router.queueing]\nallow_deadlock = true\n\n[traffic]\nload = 0.1\npacket_words = 2\n",
            self.network
        );
        let shape = read(&topology).expect("a network").network.shape;
        let faults: String = self.faults.iter().map(|fault| fault.text(&shape)).collect();
        match read(&self.text(&faults)) {
            Ok(resolved) => Some((shape, resolved)),
            Err(error) => {
                // Longer ways may need more virtual channels than there are, and grids are graphs only to routers whose links fail.
                let text = error.to_string();
                let is_undefined =
                    self.faults.is_empty() && text.contains("router.wormhole.routing");
                assert!(
                    text.contains("vcs") || is_undefined,
                    "{text}\n{}",
                    self.text(&faults)
                );
                None
            }
        }
    }
}

/// A connected graph in a file: the parent of each node but the first, more links, and each node's terminals.
fn graphs() -> BoxedStrategy<(String, Option<[String; 2]>)> {
    let nodes = prop::collection::vec((any::<prop::sample::Index>(), 1u32..5, 0u32..4), 2..11);
    let more = prop::collection::vec(
        (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        0..8,
    );
    (nodes, more)
        .prop_map(|(nodes, more)| {
            let mut pairs = BTreeMap::new();
            for (node, (parent, cycles, _)) in nodes.iter().enumerate().skip(1) {
                pairs.insert((parent.index(node), node), *cycles);
            }
            for (one, other) in &more {
                let (one, other) = (one.index(nodes.len()), other.index(nodes.len()));
                if one != other {
                    pairs.entry((one.min(other), one.max(other))).or_insert(1);
                }
            }
            let links = pairs
                .iter()
                .map(|((one, other), cycles)| format!("{one},{other},{cycles}\n"));
            // Two terminals at least.
            let terminals = nodes.iter().enumerate().map(|(node, it)| match node {
                0 | 1 => it.2.max(1),
                _ => it.2,
            });
            let table = terminals
                .enumerate()
                .map(|(node, of)| format!("{node},{of}\n"));
            let links = format!("from,to,cycles\n{}", links.collect::<String>());
            let table = format!("node,terminals\n{}", table.collect::<String>());
            let network = "topology = \"file\"\nfile = \"links.csv\"\nnodes_file = \"nodes.csv\"";
            (network.to_owned(), Some([links, table]))
        })
        .boxed()
}

fn networks() -> BoxedStrategy<(String, Option<[String; 2]>)> {
    let latency = 1u32..4;
    let grids = (2u32..5, 2u32..5, select(vec!["mesh", "torus"]))
        .prop_map(|(x, y, kind)| format!("topology = {kind:?}\nsides = [{x}, {y}]"));
    let rings = (3u32..8).prop_map(|nodes| format!("topology = \"ring\"\nnodes = {nodes}"));
    let shared = (2u32..4, 1u32..3).prop_map(|(side, each)| {
        format!("topology = \"concentrated-mesh\"\nsides = [{side}, 3]\nblock = [{each}, 1]")
    });
    let full =
        (3u32..6).prop_map(|nodes| format!("topology = \"fully-connected\"\nnodes = {nodes}"));
    let random = (0u64..1000).prop_map(|seed| {
        format!("topology = \"random-regular\"\nnodes = 8\ndegree = 3\nseed = {seed}")
    });
    let named = prop_oneof![4 => grids, 1 => rings, 1 => shared, 1 => full, 1 => random];
    let named = named.prop_map(|network| (network, None));
    (prop_oneof![1 => named, 1 => graphs()], latency)
        .prop_map(|((network, files), latency)| {
            (format!("{network}\nlink_latency_cycles = {latency}"), files)
        })
        .boxed()
}

fn routers() -> BoxedStrategy<(String, bool)> {
    let chaos = (2u16..7, 1u32..4, any::<bool>()).prop_map(|(words, frames, _)| {
        (
            format!(
                "[router.chaos]\npacket_words = {words}\nmultiqueue_frames = {}",
                frames + 1
            ),
            true,
        )
    });
    let queueing = (1u32..4).prop_map(|frames| {
        (
            format!("[router.queueing]\nframes = {frames}\nallow_deadlock = true"),
            false,
        )
    });
    let functions = vec!["up-down", "minimal", "valiant", "layered", "fully-adaptive"];
    let wormhole = (select(functions), 1u32..9, 0u8..3).prop_map(|(function, buffer, stages)| {
        let stages = ["one-cycle", "four-stage", "booksim-iq"][usize::from(stages)];
        let preset = format!(
            "preset = {stages:?}\nvcs = 16\nbuffer_words = {}",
            buffer + 1
        );
        let routing = format!("routing = {function:?}\nallow_deadlock = true");
        (format!("[router.wormhole]\n{preset}\n{routing}"), false)
    });
    prop_oneof![2 => chaos, 1 => queueing, 4 => wormhole].boxed()
}

/// Routers whose links don't fail.
fn bufferless() -> BoxedStrategy<(String, bool)> {
    let deflection = Just(("[router.deflection]".to_owned(), false));
    let greedy = Just(("[router.greedy-hp]".to_owned(), true));
    prop_oneof![deflection, greedy].boxed()
}

/// A router, and what fails around it.
fn failing() -> BoxedStrategy<((String, bool), Vec<Fault>)> {
    let nothing = || Just(Vec::new());
    prop_oneof![
        8 => (routers(), faults()),
        1 => (routers(), nothing()),
        1 => (bufferless(), nothing()),
    ]
    .boxed()
}

fn faults() -> BoxedStrategy<Vec<Fault>> {
    let fault = (
        prop::collection::vec(any::<usize>(), 0..4),
        prop::collection::vec(any::<u32>(), 0..2),
        0u32..300,
        prop::option::weighted(0.5, 1u32..200),
        prop::option::weighted(0.8, prop_oneof![Just(0u32), 1u32..80]),
        any::<bool>(),
    );
    let fault = fault.prop_map(|(mut links, routers, from, lasting, detection, loses)| {
        if routers.is_empty() && links.is_empty() {
            links.push(from as usize);
        }
        Fault {
            links,
            routers,
            from,
            until: lasting.map(|cycles| from + cycles),
            detection,
            loses,
        }
    });
    prop::collection::vec(fault, 1..4).boxed()
}

fn cases() -> BoxedStrategy<Case> {
    let traffic = (1u32..8, 1u16..7, prop::option::weighted(0.3, 20u32..300));
    (networks(), failing(), traffic, 0u64..1 << 40)
        .prop_map(
            |((network, files), ((router, has_words), faults), (load, words, resend), seed)| {
                let mut traffic = format!("load = {}", f64::from(load) * 0.05);
                if !has_words {
                    traffic += &format!("\npacket_words = {words}");
                }
                if let Some(cycles) = resend.filter(|_| !faults.is_empty()) {
                    traffic += &format!("\nresend_after_cycles = {cycles}");
                }
                Case {
                    network,
                    files,
                    router,
                    traffic,
                    faults,
                    seed,
                }
            },
        )
        .boxed()
}

fn on(resolved: &Resolved, engine: EngineChoice) -> Simulated {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    simulate(&resolved, &mut |_| ControlFlow::Continue(()))
}

/// As many as asked for.
fn how_many() -> u32 {
    let asked = std::env::var("FLITWORK_CASES").ok();
    asked.map_or(120, |cases| cases.parse().expect("a number of cases"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: how_many(), ..ProptestConfig::default() })]

    /// Every packet that enters a network is delivered, or lost for the reason that the model knows, or still there; no decision sends
    /// one over a link that is known to have failed; and all engines do the same.
    #[test]
    fn every_packet_is_accounted_for(case in cases()) {
        let Some((shape, resolved)) = case.resolved() else {
            return Ok(());
        };
        let mut plain = resolved.clone();
        plain.run.engine = EngineChoice::SyncPlain;
        let control = &mut |_| ControlFlow::Continue(());
        let run = execute(&plain, demand(&plain), Recorder::default(), control);
        let ends = Model::of(&shape, &case).judge(&run.probe.events);

        let counted = on(&resolved, EngineChoice::SyncPlain);
        let seen = &counted.observation;
        prop_assert_eq!(seen.delivered, ends.get(&None).copied().unwrap_or(0));
        for (loss, count) in Loss::ALL.into_iter().zip(seen.lost) {
            prop_assert_eq!(count, ends.get(&Some(loss)).copied().unwrap_or(0), "{:?}", loss);
        }
        // Only a network that isn't free of deadlock may stop, and only while packets are there.
        if counted.outcome.ended == Ended::Stuck {
            let is_free = matches!(examine(&resolved).deadlock, Deadlock::Free(_));
            prop_assert!(!is_free, "stuck");
        }
        for engine in [EngineChoice::Sync, EngineChoice::SyncStepped, EngineChoice::Clocked] {
            let other = on(&resolved, engine);
            prop_assert_eq!(other.digest, counted.digest, "{:?}", engine);
            prop_assert_eq!(other.observation.lost, counted.observation.lost);
            prop_assert_eq!(other.outcome.tally, counted.outcome.tally, "{:?}", engine);
        }
        if resolved.traffic.resend_after_cycles.is_none() {
            let options = lockstep(&resolved, Runtime::Tokio);
            let memory = Memory::default();
            let lived = live(&resolved, &options, Some(memory.clone()));
            prop_assert_eq!(lived.digest(), counted.digest, "live, in lockstep");
            let free = flitwork_live::Options { slack: flitwork_live::Slack(None), ..options };
            let memory = Memory::default();
            let lived = live(&resolved, &free, Some(memory.clone()));
            let again = replayed(&resolved, &memory.bytes());
            prop_assert_eq!(again.digest, lived.digest(), "replayed");
        }
    }
}
