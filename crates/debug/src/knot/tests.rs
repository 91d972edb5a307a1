use super::*;
use flitwork_node::WaitsFor;
use flitwork_topology::Grid;
use flitwork_types::{PortSet, TerminalId};
use std::collections::BTreeSet;

const NORTH: Port = Port(0);
const EAST: Port = Port(1);
const SOUTH: Port = Port(2);
const WEST: Port = Port(3);

fn wait(node: u32, place: Place, waits_for: WaitsFor) -> Wait {
    let (source, serial) = (TerminalId(node), place_number(place));
    Wait::new(
        NodeId(node),
        (PacketId { source, serial }, TerminalId(0)),
        place,
        waits_for,
    )
}

/// A number of its own for each place of a node: one packet is in each.
fn place_number(place: Place) -> u32 {
    match place {
        Place::Input(port) => port.0.into(),
        Place::Output(port) => 10 + u32::from(port.0),
        Place::InputChannel(port, channel) => 20 + 10 * u32::from(port.0) + u32::from(channel),
        _ => 19,
    }
}

/// A packet in an output frame that waits for the neighbour.
fn held(node: u32, port: Port) -> Wait {
    wait(node, Place::Output(port), WaitsFor::Neighbour(port))
}

/// A packet in an input frame that waits for one of some output frames.
fn wants(node: u32, from: Port, outputs: &[Port]) -> Wait {
    let ports = outputs.iter().fold(PortSet::EMPTY, |mut all, port| {
        all.insert(*port);
        all
    });
    wait(node, Place::Input(from), WaitsFor::Outputs(ports))
}

fn found(topology: &dyn Topology, waits: &[Wait]) -> Knot {
    knot(topology, waits, &|_| false).unwrap_or_default()
}

/// Nodes 0 to 5 of a mesh of 3 x 2:
///
/// ```text
///   0 ─▶ 1 ─▶ 2        1, 2, 5 and 4 wait for each other; 0 waits for 1, and 3 for 0,
///   ▲    ▲    ▼        and nobody on the circle for them.
///   3    4 ◀─ 5
/// ```
fn roundabout() -> Vec<Wait> {
    vec![
        held(3, NORTH),
        held(0, EAST),
        wants(0, SOUTH, &[EAST]),
        held(1, EAST),
        wants(1, WEST, &[EAST]),
        wants(1, SOUTH, &[EAST]),
        held(2, SOUTH),
        wants(2, WEST, &[SOUTH]),
        held(4, NORTH),
        wants(4, EAST, &[NORTH]),
        held(5, WEST),
        wants(5, NORTH, &[WEST]),
    ]
}

#[test]
fn what_leads_to_a_circle_is_in_the_knot_and_not_on_the_circle() {
    let grid = Grid::mesh(&[3, 2]).unwrap();
    let waits = roundabout();
    let Knot { stuck, circle } = found(&grid, &waits);
    assert_eq!(stuck, (0..waits.len()).collect::<Vec<_>>());
    let nodes: BTreeSet<u32> = circle.iter().map(|step| step.node.0).collect();
    assert_eq!(Vec::from_iter(nodes), [1, 2, 4, 5]);
    let links = circle.iter().filter_map(|step| step.link.as_deref());
    let mut links: Vec<&str> = links.collect();
    links.sort_unstable();
    assert_eq!(links, ["east", "north", "south", "west"]);
    for (number, step) in circle.iter().enumerate() {
        let wait = &waits[step.wait];
        assert_eq!(wait.node, step.node);
        let next = &circle[(number + 1) % circle.len()];
        match &step.link {
            None => assert_eq!(next.node, step.node),
            Some(_) => assert_ne!(next.node, step.node),
        }
    }
}

/// Without any one of the circle's waits nobody is stuck.
#[test]
fn a_path_is_no_knot() {
    let grid = Grid::mesh(&[3, 2]).unwrap();
    for left_out in [3, 5, 6, 7, 8, 9, 10, 11] {
        let mut waits = roundabout();
        waits.remove(left_out);
        assert_eq!(knot(&grid, &waits, &|_| false), None, "without {left_out}");
    }
    for left_out in [0, 1, 2, 4] {
        let mut waits = roundabout();
        waits.remove(left_out);
        assert!(
            knot(&grid, &waits, &|_| false).is_some(),
            "without {left_out}"
        );
    }
}

/// A packet of the circle that may also take a link that nobody holds opens it; one that may take two links of which both
/// are held for good does not.
#[test]
fn one_way_out_is_enough() {
    let grid = Grid::mesh(&[3, 2]).unwrap();
    let mut waits = roundabout();
    waits[5] = wants(1, SOUTH, &[EAST, WEST]);
    assert_eq!(knot(&grid, &waits, &|_| false), None);
    // West of node 1 is held by a packet that waits for node 0, whose packet from there wants east.
    waits.push(held(1, WEST));
    waits.push(wants(0, EAST, &[EAST]));
    let Knot { stuck, .. } = found(&grid, &waits);
    assert_eq!(stuck.len(), waits.len());
}

/// Room for one more word is lacking only if as many words as the buffer has places stay.
#[test]
fn room_is_counted() {
    let grid = Grid::mesh(&[2, 1]).unwrap();
    let (far, back) = (At::Far(EAST, Some(0)), At::Far(WEST, Some(0)));
    let lane = |node, port, taken, at| {
        let place = Place::InputChannel(port, 0);
        let wait = wait(node, place, WaitsFor::Nothing).taking(taken);
        wait.until(Until::Room(at, 3))
    };
    // Buffers of four words that wait for each other: each node's worm came from the other and goes back there.
    let both = |here, there| [lane(0, EAST, here, far), lane(1, WEST, there, back)];
    assert_eq!(found(&grid, &both(4, 4)).stuck, [0, 1]);
    assert!(found(&grid, &both(3, 4)).stuck.is_empty());
    assert!(found(&grid, &both(4, 3)).stuck.is_empty());
    // Two words of it belong to a worm behind it, which stays as well.
    let behind = lane(1, WEST, 2, back).until(Until::Moves(At::Here(Place::InputChannel(WEST, 0))));
    let [a, b] = both(4, 2);
    assert_eq!(found(&grid, &[a, b, behind]).stuck, [0, 1, 2]);
}

/// Of what all is needed one part is enough to stay; of no way at all there is none.
#[test]
fn all_parts_are_needed() {
    let grid = Grid::mesh(&[2, 1]).unwrap();
    let stays = || wait(1, Place::Queue, WaitsFor::Nothing).until(Until::any([]));
    let queue = Until::Moves(At::Here(Place::Queue));
    let needs = |until| wait(1, Place::Input(WEST), WaitsFor::Nothing).until(until);
    for (until, is_stuck) in [
        (Until::All(Box::new([Until::Time, queue.clone()])), true),
        (Until::Any(Box::new([Until::Time, queue.clone()])), false),
        (Until::All(Box::new([Until::Time, Until::Time])), false),
        (Until::Any(Box::new([queue.clone(), queue])), true),
    ] {
        let waits = [stays(), needs(until)];
        assert_eq!(found(&grid, &waits).stuck.len(), 1 + usize::from(is_stuck));
        assert_eq!(found(&grid, &waits).circle, []);
    }
}

/// Two neighbours' input frames are full, and so are their output frames to each other. A packet in an input frame needs room in
/// the queue, which it has, and the output frame, which it hasn't: the circle goes through the latter, whichever is named first.
#[test]
fn a_circle_goes_through_the_part_that_is_missing() {
    let grid = Grid::mesh(&[2, 1]).unwrap();
    let (east, west) = (grid.port_name(EAST), grid.port_name(WEST));
    let room = Until::Room(At::Here(Place::Queue), 1);
    let of = |parts: &dyn Fn(Port) -> [Until; 2]| {
        let needs = |node, from| {
            let wait = wait(node, Place::Input(from), WaitsFor::Nothing);
            wait.until(Until::All(Box::new(parts(from))))
        };
        let waits = [held(0, EAST), needs(1, WEST), held(1, WEST), needs(0, EAST)];
        found(&grid, &waits).circle
    };
    let step = |wait, node, link: Option<&String>| CircleStep {
        wait,
        node: NodeId(node),
        link: link.cloned(),
    };
    let circle = [
        step(0, 0, Some(&east)),
        step(1, 1, None),
        step(2, 1, Some(&west)),
        step(3, 0, None),
    ];
    assert_eq!(of(&|pair| [Until::leaves(pair), room.clone()]), circle);
    assert_eq!(of(&|pair| [room.clone(), Until::leaves(pair)]), circle);
}

/// What is in a stopped node stays, and so does what needs room there or words from there. What has left it comes.
#[test]
fn stopped_nodes_hold_what_they_have() {
    let grid = Grid::mesh(&[3, 1]).unwrap();
    let packet = |wait: Wait, serial| Wait {
        packet: PacketId {
            source: TerminalId(0),
            serial,
        },
        ..wait
    };
    let next = Place::InputChannel(WEST, 0);
    let mut waits = vec![
        held(0, EAST),
        packet(
            wait(1, Place::InputChannel(WEST, 0), WaitsFor::Nothing).leaving_by(EAST, 0),
            9,
        ),
        packet(
            wait(2, next, WaitsFor::Nothing).until(Until::Comes(WEST)),
            9,
        ),
        wait(2, Place::Queue, WaitsFor::Nothing),
    ];
    let stopped = |waits: &[Wait]| knot(&grid, waits, &|node| node == NodeId(1)).unwrap();
    assert_eq!(stopped(&waits).circle, []);
    assert_eq!(stopped(&waits).stuck, [0, 1, 2]);
    assert_eq!(knot(&grid, &waits, &|_| false), None);
    waits[1].leaves_by = None;
    assert_eq!(stopped(&waits).stuck, [0, 1]);
}

/// Node 0 waits for room in node 1, which has stopped before it learnt of the words that took that room: what is in node 1 seems
/// to wait for words from node 0. They don't wait for each other, but for the clock of node 1.
#[test]
fn who_waits_for_a_stopped_node_is_in_no_circle_with_it() {
    let grid = Grid::mesh(&[2, 1]).unwrap();
    let packet = PacketId {
        source: TerminalId(0),
        serial: 1,
    };
    let waits = [
        wait(0, Place::InputChannel(NORTH, 0), WaitsFor::Room(EAST, 0)).leaving_by(EAST, 0),
        wait(1, Place::InputChannel(WEST, 0), WaitsFor::Nothing).until(Until::Comes(WEST)),
    ]
    .map(|wait| Wait { packet, ..wait });
    let of = |stopped: Option<u32>| {
        let has_stopped = |node: NodeId| Some(node.0) == stopped;
        knot(&grid, &waits, &has_stopped).unwrap_or_default()
    };
    assert_eq!(
        (of(Some(1)).stuck, of(Some(1)).circle),
        (vec![0, 1], vec![])
    );
    assert_eq!(of(None).circle.len(), 2);
}

/// A worm from node 0 through 1 comes back to 0 by another channel, where its head waits for its own body in node 1:
///
/// ```text
///   0 ─ channel 0 ─▶ 1      the last words are under way: they come, and all of it goes on;
///   0 ◀─ channel 1 ─ 1      or they are still in 0, held up there: then it is stuck with its head.
/// ```
#[test]
fn a_worm_that_comes_back_waits_for_its_own_words_alone() {
    let grid = Grid::mesh(&[2, 1]).unwrap();
    let part = |node, place, waits_for| Wait {
        packet: PacketId {
            source: TerminalId(0),
            serial: 1,
        },
        ..wait(node, place, waits_for)
    };
    let tail = |channel| {
        let tail = part(0, Place::InputChannel(NORTH, 0), WaitsFor::Nothing);
        tail.until(Until::any([])).leaving_by(EAST, channel)
    };
    let mut waits = vec![
        part(1, Place::InputChannel(WEST, 0), WaitsFor::Nothing)
            .until(Until::Comes(WEST))
            .leaving_by(WEST, 1),
        part(0, Place::InputChannel(EAST, 1), WaitsFor::Room(EAST, 0)),
    ];
    assert_eq!(found(&grid, &waits), Knot::default());
    waits.push(tail(1));
    assert_eq!(found(&grid, &waits).stuck, [2]);
    waits[2] = tail(0);
    assert_eq!(found(&grid, &waits).stuck, [0, 1, 2]);
}

/// On a ring of three nodes the buffers of channel 0 wait for each other. Node 1's buffer of channel 1 waits for one on
/// the circle, and for a free one: it isn't stuck, but the buffer that wants either channel of node 2 is not, either, as
/// nothing holds channel 1 there.
#[test]
fn a_circle_of_buffers_keeps_to_its_channels() {
    let grid = Grid::torus(&[3]).unwrap();
    let right = Port(0);
    let left = grid.opposite(right);
    let lane = |node, channel, waits_for| wait(node, Place::InputChannel(left, channel), waits_for);
    let ring = |wanted: Vec<(Port, u8)>| {
        vec![
            lane(0, 1, WaitsFor::Room(right, 0)),
            lane(0, 0, WaitsFor::Room(right, 0)),
            lane(1, 0, WaitsFor::Channels(wanted.into())),
            lane(2, 0, WaitsFor::Room(right, 0)),
        ]
    };
    let Knot { stuck, circle } = found(&grid, &ring(vec![(right, 0)]));
    assert_eq!(stuck, [0, 1, 2, 3]);
    let mut on_circle: Vec<usize> = circle.iter().map(|step| step.wait).collect();
    on_circle.sort_unstable();
    assert_eq!(on_circle, [1, 2, 3]);
    let link = format!("{} channel 0", grid.port_name(right));
    assert!(
        circle
            .iter()
            .all(|step| step.link.as_deref() == Some(&*link))
    );
    assert_eq!(
        knot(&grid, &ring(vec![(right, 1), (right, 0)]), &|_| false),
        None
    );
}
