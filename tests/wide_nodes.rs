//! Nodes of up to 64 ports: networks drawn at random, of all routers, on all engines.

use flitwork_config::{Catalogue, EngineChoice, Resolved};
use flitwork_experiment::extras::Extras;
use flitwork_experiment::live::simulate_live_with;
use flitwork_experiment::simulate::{Simulated, simulate};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::{Graph, GraphError, Shape, Topology, TopologyEntry};
use flitwork_types::draws::split_mix;
use flitwork_types::{MAX_PORTS, NodeId};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// Numbers in a row that a seed decides.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = split_mix(self.0);
        (self.0 % u64::from(bound)) as u32
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u32) as usize]
    }
}

/// A graph drawn from a seed, some of whose nodes have as many ports as there can be.
#[derive(Clone, Default)]
struct Drawn {
    draw: u64,
}

#[rustfmt::skip]
const KEYS: &[Key<Drawn>] = &[
    key("draw", |it| &mut it.draw, Allowed::Whole(0, u64::MAX), "required", "where the graph comes from"),
];

/// A tree of a few nodes with more links between any two, until one has no port left, and terminals on the other ports.
fn drawn(given: &Drawn) -> Result<Graph, GraphError> {
    let mut dice = Dice(given.draw);
    let nodes = 2 + dice.below(8);
    let links = 30 + dice.below(34);
    let most_terminals = MAX_PORTS as u32 - links;
    let mut graph = Graph::of_nodes(nodes)?;
    let mut used = vec![0; nodes as usize];
    let mut join = |one: u32, other: u32| {
        used[one as usize] += 1;
        used[other as usize] += 1;
        graph.join(NodeId(one), NodeId(other))?;
        Ok(used.iter().max() < Some(&links))
    };
    let mut goes_on = true;
    for node in 1..nodes {
        goes_on &= join(dice.below(node), node)?;
    }
    while goes_on {
        let (one, other) = (dice.below(nodes), dice.below(nodes));
        if one != other {
            goes_on = join(one, other)?;
        }
    }
    let full = dice.below(nodes);
    let homes = (0..nodes).flat_map(|node| {
        let terminals = match node == full {
            true => most_terminals,
            false => dice.below(1 + most_terminals.min(4)),
        };
        (0..terminals.max(u32::from(node < 2))).map(move |_| NodeId(node))
    });
    let homes: Vec<NodeId> = homes.collect();
    graph.set_terminals(homes)?;
    graph.build()
}

fn catalogue() -> Catalogue {
    let build = |given: &Drawn, table: &RawTable<'_>| -> Result<Shape, Refusal> {
        let graph = drawn(given);
        let graph = graph.map_err(|error| table.conflict("draw", error.to_string()));
        graph.map(Shape::Graph)
    };
    let entry = TopologyEntry::new("drawn", "a graph drawn at random", KEYS, build);
    Catalogue::new(Parts::new().with(entry))
}

/// A network with wide nodes: a drawn one, or one of those that configurations name.
fn network(dice: &mut Dice) -> String {
    let seed = dice.below(1 << 30);
    let named = [
        "topology = \"fully-connected\"\nnodes = 64",
        "topology = \"hyperx\"\nsides = [3, 4]\nwidths = [7, 10]\nconcentration = 20",
        "topology = \"hyperx\"\nsides = [17, 2]\nconcentration = 47",
        "topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 30\ngroups = 4\nconcentration = 31",
        "topology = \"dragonfly\"\ngroup_nodes = 3\nglobal_links = 31\ngroups = 9",
        "topology = \"megafly\"\nleaves = 4\nglobal_links = 8\ngroups = 5\nconcentration = 50",
        "topology = \"concentrated-mesh\"\nsides = [2, 2]\nblock = [10, 6]",
        "topology = \"fat-tree\"\nradix = 21\nlevels = 2",
        "topology = \"slim-fly\"\nq = 5\nconcentration = 50",
    ];
    match dice.below(2) {
        0 => format!("topology = \"drawn\"\ndraw = {seed}"),
        _ => dice.one_of(&named).to_owned(),
    }
}

fn wormhole(dice: &mut Dice) -> String {
    let allocators = [
        "islip",
        "matrix",
        "age",
        "wavefront",
        "separable-input-first",
    ];
    let speculative = dice.below(4) == 0;
    format!(
        "vcs = {}\nbuffer_words = {}\nvc_allocator = \"{}\"\nswitch_allocator = \"{}\"\nspeculative = {speculative}\n",
        1 + dice.below(4),
        8 + dice.below(8),
        dice.one_of(&allocators),
        dice.one_of(&allocators),
    )
}

/// A configuration, and its router.
fn configuration(seed: u64) -> (String, &'static str) {
    let dice = &mut Dice(seed);
    let network = network(dice);
    let router = dice.one_of(&[
        "wormhole",
        "wormhole",
        "wormhole",
        "chaos",
        "deflection",
        "greedy-hp",
        "queueing",
    ]);
    let (keys, words) = match router {
        "wormhole" => (wormhole(dice), 1 + dice.below(8)),
        "chaos" => (String::new(), 10),
        "deflection" => {
            let priority = dice.one_of(&["oldest-first", "random", "greedy"]);
            let flits = dice.below(3);
            let keys = format!("priority = \"{priority}\"\nside_buffer_flits = {flits}\n");
            (keys, 1 + dice.below(3))
        }
        "greedy-hp" => {
            let assignment = dice.one_of(&["greedy", "matching"]);
            (format!("assignment = \"{assignment}\"\n"), 1)
        }
        // In a circle of full queues packets wait for good; all engines agree on that, too.
        _ => ("allow_deadlock = true\n".into(), 1 + dice.below(4)),
    };
    let latency = 1 + dice.below(3);
    let load = 1 + dice.below(30);
    let text = format!(
        "[network]\n{network}\nlink_latency_cycles = {latency}\n[router.{router}]\n{keys}[traffic]\npacket_words = {words}\n\
         load = 0.{load:02}\n[run]\nseed = {seed}\nwarmup_cycles = 50\nmeasure_cycles = 150\ndrain_cycles = 1000\n"
    );
    (text, router)
}

fn run(resolved: &Resolved) -> Simulated {
    simulate(resolved, &mut |_| ControlFlow::Continue(()))
}

/// Runs a configuration on all engines. Returns how many ports nodes have.
fn agrees_on_all_engines(resolved: &mut Resolved, text: &str) -> usize {
    let usual = run(resolved);
    assert!(usual.observation.delivered > 0, "{text}");
    for engine in [
        EngineChoice::SyncPlain,
        EngineChoice::SyncStepped,
        EngineChoice::Clocked,
    ] {
        resolved.run.engine = engine;
        assert_eq!(run(resolved).digest, usual.digest, "{engine:?}:\n{text}");
    }
    resolved.run.engine = EngineChoice::Live;
    resolved.live.slack.0 = Some(0);
    let control = &mut |_| ControlFlow::Continue(());
    let lived = simulate_live_with(resolved, None, Extras::default(), control);
    let (lived, _) = lived.unwrap();
    assert_eq!(lived.simulated.digest, usual.digest, "live:\n{text}");
    resolved.network.shape.ports() + resolved.network.shape.locals()
}

/// What is refused names what is allowed instead; everything else runs, and all engines have one digest.
#[test]
fn nodes_of_up_to_64_ports_do_the_same_on_all_engines() {
    let (mut widest, mut refused): (BTreeMap<&str, usize>, u32) = Default::default();
    let catalogue = catalogue();
    for seed in 0..40 {
        let (text, router) = configuration(seed);
        match catalogue.resolve(&text, "wide.toml", Path::new("."), &[]) {
            Ok(mut resolved) => {
                let ports = agrees_on_all_engines(&mut resolved, &text);
                let most = widest.entry(router).or_default();
                *most = ports.max(*most);
            }
            Err(error) => {
                assert!(error.to_string().contains("allowed: "), "{error}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused < 10, "{refused}");
    for (router, ports) in &widest {
        assert_eq!(*ports, MAX_PORTS, "{router}");
    }
    assert_eq!(widest.len(), 5, "{widest:?}");
}
