//! A routing function of another crate, named by a configuration, on a topology of the same crate.

use flitwork_config::{Catalogue, EngineChoice, Override, Resolved, unread_warning};
use flitwork_experiment::examine::examine;
use flitwork_experiment::simulate::simulate;
use flitwork_router::parameters::Deadlock;
use flitwork_router::routing::{
    Chance, Choices, Declaration, Freedom, FunctionParameters, Head, Needs, Routing, RoutingEntry,
    RoutingError, RoutingParameters,
};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, WrongValue, key};
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
            is_table: false,
        }
    }
}

fn along(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Along {
        shape: shape.clone(),
        channels: parameters.channels,
    }))
}

/// A line of nodes, whose ports have no names, and two ways along it.
pub(crate) fn parts() -> Parts {
    let routing = RoutingEntry {
        name: "along",
        summary: "along a line, in the highest virtual channel",
        needs: Needs::graph(1),
        freedom: Freedom::Acyclic,
        reads: &[],
        own: None,
        build: along,
    };
    Parts::new()
        .with(TopologyEntry::new("line", "nodes in a row", KEYS, line))
        .with(routing)
}

fn text(routing: &str) -> String {
    format!(
        "[network]\ntopology = \"line\"\nnodes = 9\n\n[router.wormhole]\n{routing}\n\n[traffic]\nload = 0.02\n\n\
         [run]\nwarmup_cycles = 100\nmeasure_cycles = 1000\n"
    )
}

/// A configuration of 9 nodes with these keys of the wormhole router.
pub(crate) fn read(routing: &str) -> Result<Resolved, String> {
    let catalogue = Catalogue::new(parts());
    let resolved = catalogue.resolve(&text(routing), "line.toml", Path::new("."), &[]);
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
    let allowed = "allowed: \"along\", \"fully-adaptive\", \"hop-classes\", \"layered\", \"minimal\", \"table\", \"ugal-g\", \"ugal-l\", \"up-down\" or \"valiant\" on this topology; west-first on \
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

/// The only path along a line, in one of the first channels, by the packet's source.
#[derive(Clone, Debug, PartialEq)]
struct BySource {
    stripes: u8,
}

impl Default for BySource {
    fn default() -> BySource {
        BySource { stripes: 1 }
    }
}

impl FunctionParameters for BySource {
    const NAME: &'static str = "by-source";
    const HELP: &'static str = "along a line, in a virtual channel by the source";
    const NEEDS: Needs = Needs::graph(1);
    const FREEDOM: Freedom = Freedom::Acyclic;
    #[rustfmt::skip]
    const KEYS: &'static [Key<BySource>] = &[
        key("stripes", |it| &mut it.stripes, Allowed::Whole(1, 32), "1", "virtual channels that are used"),
    ];

    fn build(
        &self,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> Result<Box<dyn Routing>, RoutingError> {
        let channels = parameters.channels;
        if self.stripes > channels {
            let allowed = format!("1 to {channels}, the virtual channels");
            return Err(WrongValue::new("stripes", self.stripes, allowed).into());
        }
        Ok(Box::new(Striped {
            along: Along {
                shape: shape.clone(),
                channels,
            },
            stripes: self.stripes,
        }))
    }
}

struct Striped {
    along: Along,
    stripes: u8,
}

impl Routing for Striped {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        let channel = head.packet.source.0 % u32::from(self.stripes);
        let shape = &self.along.shape;
        for port in shape.productive(head.here, head.destination).iter() {
            choices.prefer(port, 1 << channel);
        }
    }

    fn declaration(&self) -> Declaration {
        self.along.declaration()
    }
}

fn with_a_key() -> Catalogue {
    Catalogue::new(parts().with(RoutingEntry::of::<BySource>()))
}

/// The configuration with these keys of the router and then some overrides.
fn keyed(routing: &str, set: &[(&str, &str)]) -> Result<Resolved, String> {
    let set: Vec<Override> = set.iter().map(|(key, it)| Override::new(key, it)).collect();
    let resolved = with_a_key().resolve(&text(routing), "line.toml", Path::new("."), &set);
    resolved.map_err(|error| error.to_string())
}

const BY_SOURCE: &str = "routing = \"by-source\"\nvcs = 3\n";
const STRIPES: &str = "router.wormhole.by-source.stripes";

#[test]
fn a_routing_function_from_outside_has_a_key() {
    let digest = |resolved: &Resolved| {
        assert!(matches!(examine(resolved).deadlock, Deadlock::Free(_)));
        simulate(resolved, &mut |_| ControlFlow::Continue(())).digest
    };
    let busy = ("traffic.load", "0.2");
    let usual = keyed(BY_SOURCE, &[busy]).unwrap();
    let table = "allow_deadlock = false\n\n[router.wormhole.by-source]\nstripes = 1\n\n[traffic]";
    assert!(usual.to_toml().contains(table), "{}", usual.to_toml());
    let given = "[router.wormhole.by-source]\nstripes = 3";
    let stripes = keyed(&format!("{BY_SOURCE}{given}"), &[busy]).unwrap();
    assert!(stripes.to_toml().contains(given), "{}", stripes.to_toml());
    assert_ne!(digest(&usual), digest(&stripes));
    assert_eq!(keyed(BY_SOURCE, &[busy, (STRIPES, "3")]).unwrap(), stripes);
    for resolved in [usual, stripes] {
        let again = with_a_key().resolve(&resolved.to_toml(), "again", Path::new("."), &[]);
        assert_eq!(again.unwrap(), resolved);
    }
}

#[test]
fn wrong_keys_of_a_routing_function_are_refused() {
    let table = "[router.wormhole.by-source]\n";
    let along = "routing = \"along\"\nvcs = 3\n";
    for (routing, given, says) in [
        (
            BY_SOURCE,
            "stripes = 0",
            [
                "line.toml:9:11: router.wormhole.by-source.stripes is 0",
                "allowed: a whole number from 1 to 32",
            ],
        ),
        (
            BY_SOURCE,
            "strips = 2",
            [
                "line.toml:9:1: unknown key router.wormhole.by-source.strips",
                "did you mean stripes?",
            ],
        ),
        (
            BY_SOURCE,
            "stripes = 5",
            [
                "line.toml:9:11: router.wormhole.by-source.stripes is 5",
                "allowed: 1 to 3, the virtual channels",
            ],
        ),
        (
            along,
            "stripes = 2",
            [
                "line.toml:8:1: router.wormhole.by-source is given",
                "allowed: only with router.wormhole.routing = \"by-source\"; it is \"along\"",
            ],
        ),
    ] {
        let error = keyed(&format!("{routing}{table}{given}"), &[]).unwrap_err();
        assert!(error.contains('^'), "{error}");
        for said in says {
            assert!(error.contains(said), "{error}");
        }
    }
    // A function without keys of its own has no table.
    let error = keyed(&format!("{along}[router.wormhole.along]"), &[]).unwrap_err();
    assert!(error.contains("unknown table"), "{error}");
}

#[test]
fn keys_of_a_routing_function_that_an_override_replaces_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("line.toml");
    let given = format!("{BY_SOURCE}[router.wormhole.by-source]\nstripes = 2");
    std::fs::write(&path, text(&given)).unwrap();
    let along = Override::new("router.wormhole.routing", "along");
    let (resolved, unread) = with_a_key().load_with_unread(&path, &[along]).unwrap();
    assert!(!resolved.to_toml().contains("by-source"));
    let warning = unread_warning(&unread).unwrap();
    assert!(
        warning.contains("router.wormhole.by-source has no effect"),
        "{warning}"
    );
}

#[test]
fn keys_of_a_routing_function_are_in_the_reference_and_the_schema() {
    let catalogue = with_a_key();
    let keys = catalogue.describe_keys();
    let found = keys.iter().find(|key| key.key == STRIPES).unwrap();
    assert_eq!(
        (&*found.allowed, found.default, &*found.meaning),
        (
            "a whole number from 1 to 32",
            "1",
            "virtual channels that are used"
        )
    );
    assert_eq!(catalogue.keys_called("stripes"), [STRIPES]);
    let mut schema = &catalogue.json_schema();
    for name in ["router", "wormhole", "by-source", "stripes"] {
        schema = &schema["properties"][name];
    }
    assert_eq!(schema["minimum"], 1);
    assert_eq!(schema["maximum"], 32);
}
