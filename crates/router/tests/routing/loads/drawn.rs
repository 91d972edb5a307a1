//! Flows against packets that draw as they do in a run.

use super::{load_of, uniform};
use crate::common::named;
use crate::families::network;
use flitwork_router::routing::{
    AnyFunction, Choices, Head, NearestCommonAncestor, Routing, RoutingParameters, Up,
    build_routing,
};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{PacketId, TerminalId};

/// Packets from each terminal to each other.
const EACH: u32 = 120;

/// Each of them takes what it draws, which must be one way.
fn drawn(routing: &dyn Routing, shape: &Shape) -> Vec<u32> {
    let mut links = vec![0; shape.nodes() as usize * shape.ports()];
    let mut choices = Choices::default();
    for source in (0..shape.terminals()).map(TerminalId) {
        for serial in 0..EACH * shape.terminals() {
            let terminal = TerminalId(serial % shape.terminals());
            let mut head = Head {
                here: shape.entry(source),
                packet: PacketId { source, serial },
                destination: shape.home(terminal),
                terminal,
                deroutes: 0,
                from: None,
            };
            while terminal != source && head.here != head.destination {
                routing.choices(&head, &mut choices);
                let [only] = choices.preferred.as_slice() else {
                    panic!("{head:?}: {choices:?}")
                };
                links[head.here.index() * shape.ports() + only.port.index()] += 1;
                let (here, from) = shape.far(head.here, only.port).unwrap();
                head.here = here;
                head.from = Some((from, only.channels.trailing_zeros() as u8));
            }
        }
    }
    links
}

fn hold(routing: &dyn Routing, shape: &Shape, name: &str) {
    let found = load_of(routing, shape, uniform).links;
    let packets = f64::from(EACH * (shape.terminals() - 1));
    for (link, (found, drawn)) in found.iter().zip(drawn(routing, shape)).enumerate() {
        let expected = found * packets;
        // Counts of independent packets vary by less than Poisson's; 5 standard deviations.
        let apart = (expected - f64::from(drawn)).abs();
        assert!(
            apart <= 5.0 * expected.sqrt() + 1e-6,
            "{name} {shape:?} {link}: {drawn} of {expected}"
        );
    }
}

#[test]
fn flows_are_what_many_packets_draw() {
    let grids = [
        Grid::mesh(&[4, 3]),
        Grid::torus(&[4, 4]),
        Grid::torus(&[5, 2]),
    ];
    for grid in grids {
        let shape = Shape::from(grid.unwrap());
        for function in ["dimension-order", "o1turn", "valiant", "romm"] {
            let routing = build_routing(&named(function, 4), shape.clone()).unwrap();
            hold(&*routing, &shape, function);
        }
    }
    let keys: &[(&str, &[u64])] = &[
        ("group_nodes", &[4]),
        ("global_links", &[1]),
        ("concentration", &[2]),
    ];
    let dragonfly = network("dragonfly", keys);
    let valiant = build_routing(&named("valiant", 5), dragonfly.clone()).unwrap();
    hold(&*valiant, &dragonfly, "valiant");
    let tree = network("fat-tree", &[("radix", &[2]), ("levels", &[3])]);
    for up in [Up::Random, Up::Destination] {
        let parameters = RoutingParameters {
            own: Some(AnyFunction::from(NearestCommonAncestor { up })),
            ..named("nearest-common-ancestor", 1)
        };
        let routing = build_routing(&parameters, tree.clone()).unwrap();
        hold(&*routing, &tree, "nearest-common-ancestor");
    }
}
