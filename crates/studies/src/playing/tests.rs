//! What is played takes the steps that were planned, and not one more.

use super::{Playable, Unplayable};
use flitwork_schedule::multistage::{Paths, Search, longest_first};
use flitwork_schedule::{Hop, Plan, Request, check, makespan};
use flitwork_topology::{Graph, Grid, Topology};
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;

fn request(source: u32, destination: u32, words: u32) -> Request {
    Request {
        source: NodeId(source),
        destination: NodeId(destination),
        words,
    }
}

fn plan(hops: &[(u8, u32)]) -> Plan {
    let hop = |(port, step): &(u8, u32)| Hop {
        port: Port(*port),
        step: *step,
    };
    Plan {
        hops: hops.iter().map(hop).collect(),
    }
}

/// A ring one way, with links across: any graph on which every node reaches every other has one such, or more of them.
fn graph() -> impl Strategy<Value = Graph> {
    (3u32..9).prop_flat_map(|nodes| {
        let links = prop::collection::vec((0..nodes, 0..nodes), 0..8);
        links.prop_map(move |links| {
            let mut graph = Graph::of_nodes(nodes).expect("a graph");
            let around = (0..nodes).map(|node| (node, (node + 1) % nodes));
            let mut next = vec![0; nodes as usize];
            for (from, to) in around.chain(links).filter(|(from, to)| from != to) {
                let mut port = |node: u32| {
                    next[node as usize] += 1;
                    (NodeId(node), Port(next[node as usize] - 1))
                };
                graph.link_one_way(port(from), port(to)).expect("a link");
            }
            graph.build_one_way().expect("a graph")
        })
    })
}

fn requests(nodes: u32) -> impl Strategy<Value = Vec<Request>> {
    let one = (0..nodes, 0..nodes, 1u32..5);
    let one = one.prop_map(|(source, destination, words)| request(source, destination, words));
    prop::collection::vec(one, 0..24)
}

/// Schedules a problem and plays it: every engine delivers all that move in as many steps as were planned, with one digest.
fn hold<T: Topology + Clone + Send + 'static>(
    topology: &T,
    requests: &[Request],
    (waiting, paths): (usize, Paths),
) -> Result<(), TestCaseError> {
    let order = longest_first(topology, requests);
    let plans = Search::new(topology, waiting, paths).schedule(requests, &order);
    let plans = plans.expect("packets of the network");
    let playable = Playable::new(topology, requests, &plans).expect("packets that go elsewhere");
    let moving = requests.iter().filter(|it| it.source != it.destination);
    prop_assert_eq!(playable.packets.len(), moving.count());
    prop_assert!(playable.waiting as usize <= waiting);
    let played = playable.play(topology).expect("a schedule");
    for one in &played {
        prop_assert_eq!(one.makespan, makespan(requests, &plans), "{:?}", one);
        prop_assert_eq!(one.delivered, playable.packets.len());
        prop_assert_eq!(one.digest, played[0].digest);
    }
    Ok(())
}

fn rooms() -> impl Strategy<Value = (usize, Paths)> {
    let paths = prop_oneof![Just(Paths::Shortest), Just(Paths::Any)];
    (0usize..3, paths)
}

proptest! {
    #[test]
    fn grids_are_played_as_planned(
        (sides, requests) in prop_oneof![Just([4u32, 3]), Just([2, 5]), Just([3, 3])]
            .prop_flat_map(|sides| (Just(sides), requests(sides[0] * sides[1]))),
        wraps in any::<bool>(),
        room in rooms(),
    ) {
        let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) };
        hold(&grid.expect("a grid"), &requests, room)?;
    }

    #[test]
    fn graphs_are_played_as_planned(
        (graph, requests) in graph().prop_flat_map(|graph| {
            let nodes = graph.nodes();
            (Just(graph), requests(nodes))
        }),
        room in rooms(),
    ) {
        hold(&graph, &requests, room)?;
    }
}

/// Around a ring one way, by the same port out and in: the clocked engine, whose links go both ways, isn't asked.
#[test]
fn links_that_go_one_way_by_shared_ports_are_played() {
    let mut ring = Graph::of_nodes(3).unwrap();
    for node in 0..3 {
        let end = |node| (NodeId(node), Port(0));
        ring.link_one_way(end(node), end((node + 1) % 3)).unwrap();
    }
    let ring = ring.build_one_way().unwrap();
    let requests = [request(0, 2, 3), request(1, 0, 2), request(2, 1, 1)];
    hold(&ring, &requests, (1, Paths::Shortest)).unwrap();
    let plans = [plan(&[(0, 0), (0, 1)])];
    let playable = Playable::new(&ring, &requests[..1], &plans).unwrap();
    let engines: Vec<&str> = playable
        .play(&ring)
        .unwrap()
        .iter()
        .map(|it| it.engine)
        .collect();
    assert_eq!(engines, ["sync", "sync-plain"]);
}

/// A worm comes back to node 1 of a 3 x 3 mesh while its words are still kept there: around a square and by the same port, when
/// all have come; around the other square and by another port, when some still come by the first. Both times it waits.
#[test]
fn a_worm_may_come_back_while_it_is_kept() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    // North is port 0, east 1, south 2, west 3.
    let same = plan(&[(1, 0), (2, 10), (3, 11), (0, 12), (1, 13), (1, 20)]);
    let other = plan(&[(1, 0), (2, 2), (1, 3), (0, 4), (3, 5), (2, 20), (1, 21)]);
    for (request, plan) in [(request(0, 2, 8), same), (request(0, 5, 16), other)] {
        let (requests, plans) = ([request], [plan]);
        assert_eq!(check(&mesh, &requests, &plans, 1), Ok(()));
        let playable = Playable::new(&mesh, &requests, &plans).unwrap();
        assert_eq!(playable.waiting, 1);
        for played in playable.play(&mesh).unwrap() {
            assert_eq!(played.makespan, makespan(&requests, &plans), "{played:?}");
        }
    }
}

/// Of three packets of a source, the second comes after the 2 words of the first, the third after the 3 words of both.
#[test]
fn all_plans_begin_later_where_a_source_would_be_late() {
    let mesh = Grid::mesh(&[2, 2]).unwrap();
    // East is port 1, south port 2.
    let requests = [request(0, 1, 2), request(0, 2, 1), request(0, 3, 1)];
    let plans = [plan(&[(1, 0)]), plan(&[(2, 0)]), plan(&[(2, 1), (1, 3)])];
    let playable = Playable::new(&mesh, &requests, &plans).unwrap();
    assert_eq!((playable.lead(), playable.waiting), (2, 1));
    let lines = "source,words,start,path\n0,2,2,east\n0,1,2,south\n0,1,3,south east@5\n";
    assert_eq!(playable.text(&mesh), lines);
    let played = playable.play(&mesh).unwrap();
    assert!(played.iter().all(|one| one.makespan == 4), "{played:?}");
}

#[test]
fn what_no_packet_can_do_is_refused() {
    let mesh = Grid::mesh(&[2, 2]).unwrap();
    let refused = |requests: &[Request], plans: &[Plan]| {
        Playable::new(&mesh, requests, plans).map(drop).unwrap_err()
    };
    let home = refused(&[request(0, 0, 1)], &[plan(&[(1, 0), (3, 1)])]);
    assert_eq!(home, Unplayable::Home { packet: 0 });
    let long = refused(&[request(0, 1, 65_536)], &[plan(&[(1, 0)])]);
    let words = 65_536;
    assert_eq!(long, Unplayable::Words { packet: 0, words });
    // Two packets on one link: the router refuses them.
    let both = [request(0, 1, 1), request(1, 0, 1), request(0, 1, 1)];
    let plans = [plan(&[(1, 1)]), plan(&[(3, 0)]), plan(&[(1, 1)])];
    let playable = Playable::new(&mesh, &both, &plans).unwrap();
    assert!(playable.play(&mesh).is_err());
}
