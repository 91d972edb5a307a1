//! A routing function of another crate, named by a configuration, on a topology of the same crate.

use flitwork_config::{Catalogue, EngineChoice, Resolved};
use flitwork_experiment::examine::examine;
use flitwork_experiment::simulate::simulate;
use flitwork_router::parameters::Deadlock;
use flitwork_router::routing::{
    Chance, Choices, Declaration, Freedom, Head, Needs, Routing, RoutingEntry, RoutingError,
    RoutingParameters,
};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::{Graph, GraphError, Shape, Topology, TopologyEntry};
use flitwork_types::NodeId;
use std::ops::ControlFlow;
use std::path::Path;

/// A line of nodes.
#[derive(Clone, Default)]
struct Line {
    nodes: u32,
}

#[rustfmt::skip]
const KEYS: &[Key<Line>] = &[
    key("nodes", |it| &mut it.nodes, Allowed::Whole(2, 4096), "required", "nodes of the line"),
];

fn line(line: &Line, given: &RawTable<'_>) -> Result<Shape, Refusal> {
    let graph = || {
        let mut graph = Graph::of_nodes(line.nodes)?;
        (1..line.nodes).try_for_each(|node| graph.join(NodeId(node - 1), NodeId(node)))?;
        graph.build()
    };
    let graph = graph().map_err(|error: GraphError| given.conflict("nodes", error.to_string()));
    graph.map(Shape::Graph)
}

/// The only path along a line, in the highest virtual channel.
struct Along {
    shape: Shape,
    channels: u8,
}

impl Routing for Along {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        for port in self.shape.productive(head.here, head.destination).iter() {
            choices.prefer(port, 1 << (self.channels - 1));
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            channels: self.channels,
            escape: None,
            misroutes: 0,
            coins: &[0],
            visits: false,
        }
    }
}

fn along(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Along {
        shape: shape.clone(),
        channels: parameters.channels,
    }))
}

fn parts() -> Parts {
    let routing = RoutingEntry {
        name: "along",
        summary: "along a line, in the highest virtual channel",
        needs: Needs::graph(1),
        freedom: Freedom::Acyclic,
        reads: &[],
        build: along,
    };
    Parts::new()
        .with(TopologyEntry::new("line", "nodes in a row", KEYS, line))
        .with(routing)
}

fn read(routing: &str) -> Result<Resolved, String> {
    let text = format!(
        "[network]\ntopology = \"line\"\nnodes = 9\n\n[router.wormhole]\n{routing}\n\n[traffic]\nload = 0.02\n\n\
         [run]\nwarmup_cycles = 100\nmeasure_cycles = 1000\n"
    );
    let catalogue = Catalogue::new(parts());
    let resolved = catalogue.resolve(&text, "line.toml", Path::new("."), &[]);
    resolved.map_err(|error| error.to_string())
}

#[test]
fn a_configuration_names_a_routing_function_from_outside() {
    let mut resolved = read("routing = \"along\"\nvcs = 3").unwrap();
    assert!(resolved.to_toml().contains("routing = \"along\""));
    assert!(matches!(examine(&resolved).deadlock, Deadlock::Free(_)));
    let mut digests = Vec::new();
    for engine in [
        EngineChoice::Sync,
        EngineChoice::SyncPlain,
        EngineChoice::SyncStepped,
        EngineChoice::Clocked,
    ] {
        resolved.run.engine = engine;
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        assert!(run.observation.delivered > 10);
        digests.push(run.digest);
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
    // Functions of this program also run on it, and up-down is the default.
    assert_eq!(
        read("").unwrap().to_toml(),
        read("routing = \"up-down\"").unwrap().to_toml()
    );
    assert!(read("routing = \"hop-classes\"\nvcs = 8").is_ok());
}

#[test]
fn refusals_of_functions_with_coordinates_name_those_without() {
    let refused = read("routing = \"west-first\"").unwrap_err();
    let allowed = "allowed: \"along\", \"fully-adaptive\", \"hop-classes\" or \"up-down\" on this topology; west-first on \
                   a mesh of two dimensions";
    assert!(
        refused.contains("router.wormhole.routing is west-first on a graph of 9 nodes and 8 links"),
        "{refused}"
    );
    assert!(refused.contains(allowed), "{refused}");
    let refused = read("routing = \"hop-classes\"\nvcs = 7").unwrap_err();
    assert!(
        refused.contains("allowed: 8 to 32 with hop-classes on this topology"),
        "{refused}"
    );
    let refused = read("routing = \"fully-adaptive\"").unwrap_err();
    assert!(refused.contains("allow_deadlock"), "{refused}");
}
