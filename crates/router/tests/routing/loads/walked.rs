//! Flows against packets of which each takes every path in turn, with the probability of the path.

use super::{adversarial, load_of, to, uniform};
use crate::common::named;
use flitwork_node::draw_below;
use flitwork_router::routing::{
    Chance, Choice, Choices, Head, ROUTINGS, Routing, Stopovers, build_routing,
};
use flitwork_topology::{Graph, Grid, Shape, Spread, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};

/// Nodes with 0 to 3 terminals in a tree with more links, some of them parallel.
fn random_graph(number: u32) -> Option<Shape> {
    let mut draws = 0;
    let mut below = |bound| {
        draws += 1;
        draw_below(bound, 43, NodeId(number), Cycle::ZERO, draws)
    };
    let nodes = 3 + below(7);
    let mut graph = Graph::of_nodes(nodes).ok()?;
    for node in 1..nodes {
        graph.join(NodeId(node), NodeId(below(node))).ok()?;
    }
    for _ in 0..below(2 * nodes) {
        let one = below(nodes);
        graph
            .join(NodeId(one), NodeId((one + 1 + below(nodes - 1)) % nodes))
            .ok()?;
    }
    let homes: Vec<NodeId> = (0..nodes)
        .flat_map(|node| vec![NodeId(node); below(4) as usize])
        .collect();
    if homes.len() < 2 {
        return None;
    }
    graph.set_terminals(homes).ok()?;
    Some(graph.build().ok()?.into())
}

/// A packet under way, with the probability of what it has done.
#[derive(Clone, Copy)]
struct Walk {
    head: Head,
    /// The intermediate node, until it has been there.
    ahead: Option<NodeId>,
    words: f64,
}

/// Adds every path of a packet, in all channels, to the links.
fn walk(routing: &dyn Routing, shape: &Shape, walk: Walk, links: &mut [f64]) {
    let Walk { head, ahead, words } = walk;
    if head.here == head.destination || words == 0.0 {
        return;
    }
    let ahead = ahead.filter(|ahead| *ahead != head.here);
    let declaration = routing.declaration();
    let others = if declaration.visits {
        head.here
    } else {
        head.destination
    };
    for coins in declaration.coins {
        let mut choices = Choices::default();
        let chance = Chance::Given {
            coins: *coins,
            intermediate: ahead.unwrap_or(others),
        };
        routing.choices_under(&head, chance, &mut choices);
        let back: Vec<Choice> = choices
            .fallback
            .iter()
            .copied()
            .filter(|it| !it.deroute)
            .collect();
        let chosen = match choices.preferred.as_slice() {
            [] => &back[..],
            preferred => preferred,
        };
        for Choice { port, channels, .. } in chosen {
            let part = words / declaration.coins.len() as f64 / chosen.len() as f64;
            links[head.here.index() * shape.ports() + port.index()] += part;
            let (here, from) = shape.far(head.here, *port).unwrap();
            for channel in (0..32).filter(|channel| channels >> channel & 1 == 1) {
                let head = Head {
                    here,
                    from: Some((from, channel)),
                    ..head
                };
                let words = part / f64::from(channels.count_ones());
                self::walk(routing, shape, Walk { head, ahead, words }, links);
            }
        }
    }
}

/// All packets of a pattern.
fn walked(
    routing: &dyn Routing,
    shape: &Shape,
    spread: &dyn Fn(TerminalId) -> Option<Spread>,
) -> Vec<f64> {
    let mut links = vec![0.0; shape.nodes() as usize * shape.ports()];
    let terminals = || (0..shape.terminals()).map(TerminalId);
    for source in terminals() {
        let spread = spread(source).unwrap();
        let alike = spread.others / (f64::from(shape.terminals()) - 1.0);
        let others = terminals().filter(|other| *other != source);
        let all = others.map(|to| (to, alike)).chain(spread.single);
        for (terminal, words) in all {
            let (from, to) = (shape.entry(source), shape.home(terminal));
            let via = match routing.stopovers(from, to) {
                _ if !routing.declaration().visits => vec![(to, 1.0)],
                Stopovers::AnyOf(all) => {
                    let likely = 1.0 / all.len() as f64;
                    all.into_iter().map(|via| (via, likely)).collect()
                }
                Stopovers::Between(all) => all,
                Stopovers::Unknown => panic!("{from} to {to}"),
            };
            for (ahead, likely) in via {
                let head = Head {
                    here: from,
                    packet: PacketId::default(),
                    destination: to,
                    terminal,
                    deroutes: 0,
                    from: None,
                };
                let (ahead, words) = (Some(ahead), words * likely);
                let ahead = ahead.filter(|_| routing.declaration().visits);
                walk(routing, shape, Walk { head, ahead, words }, &mut links);
            }
        }
    }
    links
}

fn hold(shape: &Shape) -> usize {
    let terminals = shape.terminals();
    let hot = |source: TerminalId| {
        Some(Spread {
            others: 0.75,
            single: vec![(TerminalId(0), 0.25 * f64::from(source.0 % 2))],
        })
    };
    let patterns: [&dyn Fn(TerminalId) -> Option<Spread>; 4] = [
        &uniform,
        &to(|at| (at + 1) % terminals),
        &adversarial(1, terminals),
        &hot,
    ];
    let mut held = 0;
    for entry in ROUTINGS {
        let few = (1..=12)
            .find_map(|channels| build_routing(&named(entry.name, channels), shape.clone()).ok());
        let Some(routing) = few.filter(|it| it.sees() == Default::default()) else {
            continue;
        };
        for spread in patterns {
            let found = load_of(&*routing, shape, spread);
            let expected = walked(&*routing, shape, spread);
            for (link, (found, expected)) in found.links.iter().zip(&expected).enumerate() {
                let name = entry.name;
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{name} {shape:?} {link}: {found} {expected}"
                );
            }
        }
        held += 1;
    }
    held
}

#[test]
fn flows_are_sums_over_paths_on_random_graphs() {
    let held: usize = (0..150).filter_map(random_graph).map(|it| hold(&it)).sum();
    assert!(held > 400, "{held}");
}

#[test]
fn flows_are_sums_over_paths_on_grids() {
    let grids = [
        Grid::mesh(&[3, 3]),
        Grid::mesh(&[4, 2]),
        Grid::torus(&[4]),
        Grid::torus(&[4, 3]),
        Grid::torus(&[2, 2]),
    ];
    let held: usize = grids.map(|grid| hold(&grid.unwrap().into())).iter().sum();
    assert!(held > 40, "{held}");
}
