//! Schedules against what section 2 says of them: lengths, queues, caps, and its first two lemmas.

mod congestion;
mod lemmas;

use super::*;
use crate::check;
use congestion::frame_congestion;
use flitwork_topology::{Graph, Grid, Topology};
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;

impl Paths {
    /// The plans of packets that never wait once they have started, each after its own delay: the greedy schedule for delays of
    /// 0. It is a schedule in which many packets may cross a link in one step.
    fn greedy(&self, delays: &[u32]) -> Vec<Plan> {
        let packets = delays.iter().enumerate();
        packets
            .map(|(packet, delay)| self.plan(packet, *delay..))
            .collect()
    }
}

/// Packets, each by its source and the ports through which it goes.
type Ways = Vec<(NodeId, Vec<Port>)>;

fn paths(topology: &impl Topology, ways: &Ways) -> Result<Paths, PathError> {
    Paths::new(
        topology,
        ways.iter().map(|(from, ports)| (*from, &ports[..])),
    )
}

/// A k-k problem: each of k random permutations of an n x n mesh, along the rows and then along the columns.
fn permutations(n: u32, k: u32, seed: u64) -> (Grid, Ways) {
    let mesh = Grid::mesh(&[n, n]).unwrap();
    let (mut draws, mut ways) = (Draws::new(seed), Vec::new());
    for _ in 0..k {
        let mut to: Vec<u32> = (0..n * n).collect();
        draws.shuffle(&mut to);
        for (from, to) in (0..).zip(to) {
            let across = Port(if to % n > from % n { 1 } else { 3 });
            let along = Port(if to > from { 2 } else { 0 });
            let mut ports = vec![across; (to % n).abs_diff(from % n) as usize];
            ports.resize(ports.len() + (to / n).abs_diff(from / n) as usize, along);
            ways.push((NodeId(from), ports));
        }
    }
    (mesh, ways)
}

/// A ring with random chords, so many that nodes have this many links on average.
fn ring_with_chords(nodes: u32, degree: u32, draws: &mut Draws) -> Graph {
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 0..nodes {
        let next = NodeId((node + 1) % nodes);
        graph.join(NodeId(node), next).unwrap();
    }
    for _ in 0..nodes * (degree - 2) / 2 {
        let [one, other] = [0; 2].map(|_| NodeId(draws.below(nodes as usize) as u32));
        if one != other {
            graph.join(one, other).unwrap();
        }
    }
    graph.build().unwrap()
}

/// Walks from random nodes, of at most so many links, that cross no link twice; and if they are to be `simple`, visit no node
/// twice. A walk ends early where it can't go on.
fn walks(
    topology: &impl Topology,
    (packets, links): (u32, u32),
    simple: bool,
    draws: &mut Draws,
) -> Ways {
    let mut walk = |_| {
        let from = NodeId(draws.below(topology.nodes() as usize) as u32);
        let links = draws.below(links as usize + 1);
        let (mut at, mut ports) = (from, Vec::new());
        let (mut nodes, mut crossed) = (vec![from], Vec::new());
        while ports.len() < links {
            let fresh = topology.links(at).iter().filter(|port| {
                let far = topology.neighbour(at, *port).unwrap();
                !(crossed.contains(&(at, *port)) || simple && nodes.contains(&far))
            });
            let fresh: Vec<Port> = fresh.collect();
            if fresh.is_empty() {
                break;
            }
            let port = fresh[draws.below(fresh.len())];
            crossed.push((at, port));
            at = topology.neighbour(at, port).unwrap();
            nodes.push(at);
            ports.push(port);
        }
        (from, ports)
    };
    (0..packets).map(&mut walk).collect()
}

/// What every schedule of paths keeps. It passes the check with its queue, and with no shorter one.
fn hold(topology: &impl Topology, paths: &Paths, made: &Scheduled) {
    let checked = |waiting| check(topology, paths.requests(), &made.plans, waiting);
    assert_eq!(checked(made.queue), Ok(()));
    assert!(made.queue == 0 || checked(made.queue - 1).is_err());
    assert!(made.link_queue <= made.queue);
    assert!(made.length >= made.congestion.max(made.dilation));
    assert_eq!(made.length, makespan(paths.requests(), &made.plans));
    let last = frame_congestion(topology, paths.requests(), &made.plans, made.length.max(1));
    assert_eq!(last, made.congestion);
}

/// A schedule in frames, of at most 1.6 (c + d) steps, and the naive one beside it.
fn hold_frames(topology: &impl Topology, ways: &Ways, seed: u64) -> Scheduled {
    let paths = paths(topology, ways).unwrap();
    let plain = naive(&paths);
    hold(topology, &paths, &plain);
    assert!(plain.length <= plain.congestion * plain.dilation);
    let made = in_frames(&paths, &Frames::new(seed)).unwrap();
    hold(topology, &paths, &made);
    let ratio = f64::from(made.length) / f64::from(made.congestion + made.dilation);
    assert!(ratio <= 1.6, "seed {seed}: {ratio}");
    assert!(made.link_queue <= 16, "seed {seed}: {}", made.link_queue);
    made
}

/// c + d is about 70 for one permutation, and 210 for 16.
#[test]
fn permutations_of_a_mesh_take_c_plus_d() {
    for k in [1, 2, 4, 8, 16] {
        for seed in 0..3 {
            let (mesh, ways) = permutations(32, k, seed);
            let made = hold_frames(&mesh, &ways, seed);
            assert!(made.queue <= 16, "seed {seed}: {}", made.queue);
        }
    }
}

#[test]
fn random_simple_paths_take_c_plus_d() {
    let problems = [
        (64, 4, (300, 30)),
        (100, 4, (1000, 20)),
        (256, 3, (2000, 100)),
        (256, 4, (2000, 60)),
        (256, 4, (2000, 200)),
    ];
    for (nodes, degree, sizes) in problems {
        for seed in 0..3 {
            let mut draws = Draws::new(seed);
            let graph = ring_with_chords(nodes, degree, &mut draws);
            let ways = walks(&graph, sizes, true, &mut draws);
            let made = hold_frames(&graph, &ways, seed);
            assert!(made.queue <= 16, "{nodes}, seed {seed}: {}", made.queue);
        }
    }
}

/// Where a node has a dozen links more packets wait in it, but not at the end of one of them.
#[test]
fn queues_at_the_ends_of_links_are_short_in_busy_nodes() {
    for seed in 0..2 {
        let mut draws = Draws::new(seed);
        let graph = ring_with_chords(500, 6, &mut draws);
        let ways = walks(&graph, (8000, 30), true, &mut draws);
        let made = hold_frames(&graph, &ways, seed);
        assert!(made.link_queue <= 10, "seed {seed}: {}", made.link_queue);
    }
}

/// With a single frame delays don't matter, and what is left is farthest-first: shorter here, with longer queues.
#[test]
fn a_single_frame_is_farthest_first() {
    let mut draws = Draws::new(1);
    let graph = ring_with_chords(256, 3, &mut draws);
    let ways = walks(&graph, (2000, 100), true, &mut draws);
    let paths = paths(&graph, &ways).unwrap();
    let all = paths.congestion() + paths.dilation();
    let single = |seed| {
        let frames = Frames {
            steps: NonZeroU32::new(all).unwrap(),
            cap: all,
            ..Frames::new(seed)
        };
        in_frames(&paths, &frames).unwrap()
    };
    let alone = single(1);
    hold(&graph, &paths, &alone);
    assert_eq!(alone, single(2));
    assert_eq!(alone.resamplings, 0);
    let many = in_frames(&paths, &Frames::new(1)).unwrap();
    assert!(alone.length < many.length);
    assert!(alone.queue > many.queue && alone.link_queue > many.link_queue);
}

/// On a line of 3, three packets of two links begin in node 0 and one of one link in node 1. By hand: they leave node 0 in steps
/// 0, 1 and 2. With one frame, that in node 1 is done in step 0. The naive schedule takes the second links in steps 3, 4 and 5.
#[test]
fn a_line_by_hand() {
    let line = Grid::mesh(&[3]).unwrap();
    let long = (NodeId(0), vec![Port(0); 2]);
    let ways = vec![long.clone(), long.clone(), long, (NodeId(1), vec![Port(0)])];
    let paths = paths(&line, &ways).unwrap();
    let steps = |made: &Scheduled| -> Vec<Vec<u32>> {
        let plans = made.plans.iter();
        plans
            .map(|plan| plan.hops.iter().map(|hop| hop.step).collect())
            .collect()
    };
    let frames = Frames {
        steps: NonZeroU32::new(6).unwrap(),
        ..Frames::new(1)
    };
    let made = in_frames(&paths, &frames).unwrap();
    assert_eq!(steps(&made), [vec![0, 1], vec![1, 2], vec![2, 3], vec![0]]);
    assert_eq!((made.congestion, made.dilation), (4, 2));
    assert_eq!((made.length, made.queue, made.link_queue), (4, 0, 0));
    let plain = naive(&paths);
    assert_eq!(steps(&plain), [vec![0, 3], vec![1, 4], vec![2, 5], vec![0]]);
    // In step 3 two wait that came in steps 1 and 2.
    assert_eq!((plain.length, plain.queue, plain.link_queue), (6, 2, 2));
}

#[test]
fn what_is_no_path_is_refused() {
    let mesh = Grid::mesh(&[3, 2]).unwrap();
    let refused = |from, ports: &[u8]| {
        let ports = ports.iter().map(|port| Port(*port)).collect();
        paths(&mesh, &vec![(NodeId(0), vec![]), (NodeId(from), ports)]).unwrap_err()
    };
    let node = NodeId(6);
    assert_eq!(refused(6, &[]), PathError::NoNode { packet: 1, node });
    let no_link = PathError::NoLink { packet: 1, hop: 2 };
    assert_eq!(refused(0, &[1, 1, 1]), no_link);
    // East and south, back, and east again.
    let hops = [0, 4];
    let twice = PathError::NotSimple { packet: 1, hops };
    assert_eq!(refused(0, &[1, 2, 3, 0, 1]), twice);
    // A node may be visited twice, and a link crossed both ways.
    let twice: Ways = vec![(NodeId(0), [1, 3, 2].map(Port).to_vec())];
    assert_eq!(paths(&mesh, &twice).unwrap().dilation(), 3);
}

/// Two packets over one link can't keep a cap of 0, and no packets keep any.
#[test]
fn a_cap_that_cannot_be_kept_is_given_up() {
    let line = Grid::mesh(&[2]).unwrap();
    let one = paths(&line, &vec![(NodeId(0), vec![Port(0)]); 2]).unwrap();
    let frames = Frames {
        cap: 0,
        most_resamplings: 99,
        ..Frames::new(1)
    };
    let given_up = in_frames(&one, &frames).unwrap_err();
    let expected = TooManyResamplings {
        resamplings: 99,
        cap: 0,
    };
    assert_eq!(given_up, expected);
    let none = paths(&line, &vec![(NodeId(0), vec![])]).unwrap();
    let made = in_frames(&none, &frames).unwrap();
    assert_eq!((made.length, made.queue, made.resamplings), (0, 0, 0));
    assert_eq!(naive(&none).length, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of walks that cross no link twice, on meshes and tori; with caps that need many resamplings. In each aligned frame of the
    /// greedy schedule with the delays that were found, each link keeps its cap.
    #[test]
    fn schedules_of_random_walks_pass_the_check(
        (width, height) in (2u32..7, 2u32..7),
        wraps: bool,
        packets in 0u32..120,
        links in 1u32..60,
        steps in 1u32..40,
        further in 0u32..20,
        seed: u64,
    ) {
        let grid = if wraps { Grid::torus } else { Grid::mesh };
        let grid = grid(&[width, height]).unwrap();
        let mut draws = Draws::new(seed);
        let ways = walks(&grid, (packets, links), false, &mut draws);
        let paths = paths(&grid, &ways).unwrap();
        let plain = naive(&paths);
        hold(&grid, &paths, &plain);
        prop_assert!(plain.length <= plain.congestion * plain.dilation);
        let frames = Frames {
            steps: NonZeroU32::new(steps).unwrap(),
            cap: steps + further,
            most_resamplings: 20_000,
            seed,
        };
        let Ok(made) = in_frames(&paths, &frames) else {
            return Ok(());
        };
        hold(&grid, &paths, &made);
        let spread = delays::spread(&paths, &frames, &mut Draws::new(seed)).unwrap();
        prop_assert!(spread.delays.iter().all(|it| *it < made.congestion.max(1)));
        let mut loads = std::collections::HashMap::new();
        let greedy = paths.greedy(&spread.delays);
        for (request, plan) in paths.requests().iter().zip(&greedy) {
            let mut at = request.source;
            for hop in &plan.hops {
                *loads.entry((at, hop.port, hop.step / steps)).or_insert(0) += 1;
                at = grid.neighbour(at, hop.port).unwrap();
            }
        }
        prop_assert!(loads.values().all(|load| *load <= frames.cap));
    }
}

/// Of packets that wait for a link, first is who has the most links to cross in this frame, then who has the most in all, then
/// the first. By hand, on a row whose first link two packets want in step 0, in frames of 4 steps: a packet of delay d has
/// 4 - d links in the first frame at most.
#[test]
fn the_farthest_in_the_frame_goes_first() {
    let mesh = Grid::mesh(&[8, 2]).unwrap();
    let first_steps = |packets: [(u32, usize); 2]| {
        let ways = packets.map(|(_, links)| (NodeId(0), vec![Port(1); links]));
        let paths = paths(&mesh, &ways.to_vec()).unwrap();
        let plans = play::farthest_first(&paths, 4, &packets.map(|it| it.0));
        let first: Vec<u32> = plans.iter().map(|plan| plan.hops[0].step).collect();
        first
    };
    // 1 of 5 links in this frame against 3 of 3; then 2 of 2 against 2 of 5; then 3 of 3 each.
    assert_eq!(first_steps([(3, 5), (0, 3)]), [1, 0]);
    assert_eq!(first_steps([(0, 3), (3, 5)]), [0, 1]);
    assert_eq!(first_steps([(0, 2), (2, 5)]), [1, 0]);
    assert_eq!(first_steps([(2, 5), (0, 2)]), [0, 1]);
    assert_eq!(first_steps([(0, 3), (0, 3)]), [0, 1]);
}

/// In a transpose all packets of a row go to one column, each from another distance: in no part do two cross the same link, so
/// that the naive schedule takes the longest distance.
#[test]
fn the_naive_schedule_of_a_transpose_is_the_shortest() {
    for n in [2, 5, 16] {
        let mesh = Grid::mesh(&[n, n]).unwrap();
        let ways = (0..n * n).map(|from| {
            let (x, y) = (from % n, from / n);
            // To (y, x): along the row, and then along the column.
            let [across, along] = [[1, 0], [3, 2]][usize::from(x > y)];
            let links = x.abs_diff(y) as usize;
            let mut ports = vec![Port(across); links];
            ports.resize(2 * links, Port(along));
            (NodeId(from), ports)
        });
        let made = naive(&paths(&mesh, &ways.collect()).unwrap());
        assert_eq!((made.length, made.dilation), (2 * n - 2, 2 * n - 2));
        assert_eq!((made.congestion, made.queue), (n - 1, 0));
    }
}
