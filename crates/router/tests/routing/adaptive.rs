//! Routing by queues: what UGAL and progressive adaptive routing compare, worked out by hand, and what they may do whatever the queues are.
//!
//! ```text
//!   the dragonfly of three groups of two nodes, a global link each:
//!
//!        group 0        group 1        group 2
//!        0 ─── 1        2 ─── 3        4 ─── 5          0 ─── 2   1 ─── 4   3 ─── 5
//! ```

use crate::common::named;
use crate::families::{built, groups, is_free, lines, network, pairs, trees};
use flitwork_node::draw_below;
use flitwork_router::routing::{
    Chance, CheckError, Choices, Declaration, FaultKind, Head, Queues, ROUTINGS, Routing,
    RoutingError, RoutingParameters, Sees, Verdict, build_routing, check,
};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};

/// The links to nodes whose queues hold so many words; all other queues are empty.
struct Full<'a>(&'a Shape, &'a [(u32, u32, u32)]);

impl Queues for Full<'_> {
    fn words(&self, node: NodeId, port: Port) -> u32 {
        let next = self.0.neighbour(node, port).map(|it| it.0);
        let found = self
            .1
            .iter()
            .find(|it| (it.0, Some(it.1)) == (node.0, next));
        found.map_or(0, |it| it.2)
    }
}

/// Queues of any length, by a seed.
struct Any(u32);

impl Queues for Any {
    fn words(&self, node: NodeId, port: Port) -> u32 {
        // Many are empty, and some of those that aren't are equal.
        draw_below(9, self.0.into(), node, Cycle(port.0.into()), 0).saturating_sub(3)
    }
}

/// Queues by a rule.
struct By<F>(F);

impl<F: Fn(NodeId, Port) -> u32> Queues for By<F> {
    fn words(&self, node: NodeId, port: Port) -> u32 {
        self.0(node, port)
    }
}

fn dragonfly() -> Shape {
    network(
        "dragonfly",
        &[("group_nodes", &[2]), ("global_links", &[1])],
    )
}

fn head((from, to): (u32, u32), serial: u32) -> Head {
    Head {
        here: NodeId(from),
        packet: PacketId {
            source: TerminalId(from),
            serial,
        },
        destination: NodeId(to),
        terminal: TerminalId(to),
        deroutes: 0,
        from: None,
    }
}

/// The nodes that a packet comes to, and the channels that it takes, the lowest of each class, if it takes the first port.
fn path(
    routing: &dyn Routing,
    shape: &Shape,
    head: Head,
    queues: &dyn Queues,
) -> (Vec<u32>, Vec<u32>) {
    let (mut head, mut choices) = (head, Choices::default());
    let (mut nodes, mut channels) = (vec![head.here.0], Vec::new());
    while head.here != head.destination {
        routing.choices_seeing(&head, queues, &mut choices);
        let choice = choices.preferred[0];
        let channel = choice.channels.trailing_zeros();
        let (next, port) = shape.far(head.here, choice.port).unwrap();
        head.here = next;
        head.from = Some((port, channel as u8));
        nodes.push(next.0);
        channels.push(channel);
        assert!(nodes.len() < 50, "{nodes:?}");
    }
    (nodes, channels)
}

/// The head of a packet that Valiant's routing takes along these nodes, in these channels of four: 0 and 1 on the first way, 2 and 3 on the second.
fn drawing(shape: &Shape, nodes: &[u32], channels: &[u32]) -> Head {
    let (_, valiant) = built("valiant", shape);
    let ends = (nodes[0], *nodes.last().unwrap());
    let heads = (0..1000).map(|serial| head(ends, serial));
    let empty = Full(shape, &[]);
    let mut drawn = heads.filter(|head| {
        let (found, taken) = path(valiant.as_ref(), shape, *head, &empty);
        found == nodes && taken == channels
    });
    drawn.next().unwrap()
}

fn with(name: &str, shape: &Shape, threshold: u32) -> Box<dyn Routing> {
    let parameters = RoutingParameters {
        ugal_threshold_words: Some(threshold),
        ..named(name, if name == "par" { 5 } else { 4 })
    };
    build_routing(&parameters, shape.clone()).unwrap()
}

/// From 0 to 3 straight on: 0, 2, 3, two links. By way of 5: 0, 1, 4, 5, 3, four links.
const AROUND: &[u32] = &[0, 1, 4, 5, 3];

#[test]
fn its_own_queues_decide_both_ways() {
    let shape = dragonfly();
    let packet = drawing(&shape, AROUND, &[0, 0, 1, 2]);
    // 2 q straight on is compared with 4 q + the threshold.
    for (threshold, straight, around, goes_around) in [
        (0, 0, 0, false),
        (0, 1, 0, true),
        (0, 6, 3, false), // 12 and 12
        (0, 7, 3, true),  // 14 and 12
        (2, 7, 3, false), // 14 and 14
        (2, 8, 3, true),  // 16 and 14
        (30, 15, 0, false),
        (30, 16, 0, true),
        (0, 8, 4, false),
    ] {
        let routing = with("ugal-l", &shape, threshold);
        // Words elsewhere don't count.
        let full = [(0, 2, straight), (0, 1, around), (1, 4, 90), (2, 3, 80)];
        let (nodes, channels) = path(routing.as_ref(), &shape, packet, &Full(&shape, &full));
        let what = format!("{threshold}, {straight}, {around}");
        match goes_around {
            true => assert_eq!(
                (nodes, channels),
                (AROUND.into(), vec![0, 0, 1, 2]),
                "{what}"
            ),
            false => assert_eq!((nodes, channels), (vec![0, 2, 3], vec![2, 3]), "{what}"),
        }
    }
}

#[test]
fn the_first_links_out_of_the_group_decide_where_all_queues_are_seen() {
    let shape = dragonfly();
    let packet = drawing(&shape, AROUND, &[0, 0, 1, 2]);
    for (straight, around, goes_around) in [(6, 3, false), (7, 3, true), (0, 0, false)] {
        let routing = with("ugal-g", &shape, 0);
        // The link to 1 leads to the one from there to 4, which counts instead.
        let full = [(0, 2, straight), (1, 4, around), (0, 1, 90), (2, 3, 80)];
        let (nodes, _) = path(routing.as_ref(), &shape, packet, &Full(&shape, &full));
        assert_eq!(nodes == AROUND, goes_around, "{straight} {around}");
    }
    // From 1 to 0, in the group, one link; by way of 4 three: 1, 4, 1, 0.
    let inside = drawing(&shape, &[1, 4, 1, 0], &[0, 2, 3]);
    for (straight, around, goes_around) in [(6, 2, false), (7, 2, true)] {
        let routing = with("ugal-g", &shape, 0);
        let full = [(1, 0, straight), (1, 4, around), (4, 1, 90)];
        let (nodes, _) = path(routing.as_ref(), &shape, inside, &Full(&shape, &full));
        assert_eq!(nodes.len() == 4, goes_around, "{straight} {around}");
    }
}

/// On a path that stays in its group the first link alone counts: in a megafly from leaf 0 to leaf 1, two links, against six by way of a leaf elsewhere.
#[test]
fn in_a_group_of_two_levels_the_first_link_decides() {
    let shape = network("megafly", &[("leaves", &[2]), ("global_links", &[2])]);
    let (_, valiant) = built("valiant", &shape);
    let group = |node: u32| shape.group(NodeId(node));
    let leaves = |packet: &Head| {
        let (nodes, _) = path(valiant.as_ref(), &shape, *packet, &Full(&shape, &[]));
        nodes.iter().any(|node| group(*node) != group(0))
    };
    let mut packets = (0..100).map(|serial| head((0, 1), serial)).filter(leaves);
    let packet = packets.next().unwrap();
    let routing = build_routing(&named("ugal-g", 4), shape.clone()).unwrap();
    // 2 q of the first link, whatever the second holds, and 6 of those that leave the group.
    for (first, second, goes_around) in [(3, 0, false), (4, 0, true), (3, 90, false)] {
        let queues = By(|node: NodeId, port| {
            let next = shape.neighbour(node, port).map(|next| next.0);
            match next.is_none_or(|next| group(next) != group(node.0)) {
                true => 1,
                false if node.0 == 0 => first,
                false => second,
            }
        });
        let (nodes, _) = path(routing.as_ref(), &shape, packet, &queues);
        let left = nodes.iter().any(|node| group(*node) != group(0));
        assert_eq!(left, goes_around, "{first} {second}: {nodes:?}");
    }
}

/// Of several ports that lead on, the one with the shortest queue counts: in a plane of 4 x 4 from (0, 0) to (1, 1) by (1, 0) or by (0, 1), two links; by way of (2, 0) three.
#[test]
fn the_shorter_queue_of_two_ports_counts() {
    let shape = network("flattened-butterfly", &[("radix", &[4]), ("stages", &[3])]);
    let (_, valiant) = built("valiant", &shape);
    let goes_by = |packet: &Head| {
        let (nodes, channels) = path(valiant.as_ref(), &shape, *packet, &Full(&shape, &[]));
        nodes[1] == 2 && channels == [0, 2, 3]
    };
    let mut packets = (0..1000).map(|serial| head((0, 5), serial)).filter(goes_by);
    let packet = packets.next().unwrap();
    let routing = build_routing(&named("ugal-l", 4), shape.clone()).unwrap();
    for (by_x, by_y, around, goes_around) in [
        (0, 9, 1, false),
        (9, 0, 1, false),
        (2, 9, 1, true), // 4 and 3
        (9, 2, 1, true),
        (3, 9, 2, false), // 6 and 6
    ] {
        let full = [(0, 1, by_x), (0, 4, by_y), (0, 2, around)];
        let (nodes, _) = path(routing.as_ref(), &shape, packet, &Full(&shape, &full));
        assert_eq!(nodes[1] == 2, goes_around, "{by_x} {by_y} {around}");
    }
}

/// Without groups all links of both paths count, each once: in a ring of 0 to 4 from 0 to 2 by 1, or by 4 and 3.
#[test]
fn elsewhere_the_queues_along_both_paths_decide() {
    let shape = network("circulant", &[("nodes", &[5]), ("jumps", &[1])]);
    let packet = drawing(&shape, &[0, 4, 3, 2], &[0, 1, 2]);
    let routing = build_routing(&named("ugal-g", 4), shape.clone()).unwrap();
    for (full, goes_around) in [
        (
            &[(0, 1, 1), (1, 2, 3), (0, 4, 1), (4, 3, 2), (3, 2, 1)][..],
            false,
        ),
        (
            &[(0, 1, 2), (1, 2, 3), (0, 4, 1), (4, 3, 2), (3, 2, 1)],
            true,
        ),
        (
            &[(0, 1, 1), (1, 2, 4), (0, 4, 1), (4, 3, 2), (3, 2, 1)],
            true,
        ),
        (
            &[(0, 1, 1), (1, 2, 4), (0, 4, 1), (4, 3, 3), (3, 2, 1)],
            false,
        ),
        (
            &[(0, 1, 1), (1, 2, 4), (0, 4, 1), (4, 3, 2), (3, 2, 2)],
            false,
        ),
    ] {
        let (nodes, _) = path(routing.as_ref(), &shape, packet, &Full(&shape, full));
        assert_eq!(nodes == [0, 4, 3, 2], goes_around, "{full:?}");
    }
}

/// From 1 to 3 straight on: 1, 0, 2, 3. At 0 the link to 2 is seen, and the packet may turn to the node that it has drawn; after that it may not.
#[test]
fn a_packet_turns_in_its_own_group_and_nowhere_else() {
    let shape = dragonfly();
    let packet = drawing(&shape, &[1, 4, 5, 3], &[0, 1, 2]);
    let routing = with("par", &shape, 0);
    let path_with = |full: &[_]| path(routing.as_ref(), &shape, packet, &Full(&shape, full));
    // Straight on it has channel 0 to node 0, and then those of the second way.
    assert_eq!(path_with(&[]), (vec![1, 0, 2, 3], vec![0, 3, 4]));
    assert_eq!(path_with(&[(2, 3, 90)]), (vec![1, 0, 2, 3], vec![0, 3, 4]));
    // Three links with 5 words, and three by way of 5, at once.
    assert_eq!(
        path_with(&[(1, 0, 5), (1, 4, 4)]),
        (vec![1, 4, 5, 3], vec![1, 2, 3])
    );
    assert_eq!(
        path_with(&[(1, 0, 5), (1, 4, 5)]),
        (vec![1, 0, 2, 3], vec![0, 3, 4])
    );
    // At 0 two links are left, and 4 by way of 5: 4 q + 0 and 2 q.
    let back = (vec![1, 0, 1, 4, 5, 3], vec![0, 1, 1, 2, 3]);
    assert_eq!(
        path_with(&[(0, 2, 6), (0, 1, 3)]),
        (vec![1, 0, 2, 3], vec![0, 3, 4])
    );
    assert_eq!(path_with(&[(0, 2, 7), (0, 1, 3)]), back);
    // From 0, whose link leaves the group, there is nothing to turn from, and in the group nothing to turn to.
    for (packet, expected) in [(head((0, 3), 0), &[3, 4][..]), (head((0, 1), 0), &[4])] {
        let (_, channels) = path(routing.as_ref(), &shape, packet, &Full(&shape, &[]));
        assert_eq!(channels, expected);
    }
}

fn all() -> Vec<Shape> {
    let mut all = groups();
    all.extend(lines());
    all.extend(trees());
    all.push(network("slim-fly", &[("q", &[3])]));
    all.push(network("fully-connected", &[("nodes", &[5])]));
    all.push(Grid::mesh(&[3, 4]).unwrap().into());
    all.push(Grid::torus(&[4, 3]).unwrap().into());
    all
}

/// Whatever the queues are, a packet goes one of the two ways, all of it: the shortest, or the one that Valiant's routing takes.
#[test]
fn every_way_is_one_of_the_two() {
    for shape in all() {
        let (channels, valiant) = built("valiant", &shape);
        let homes = (0..shape.nodes()).filter(|node| shape.has_terminal(NodeId(*node)));
        // Of two nodes a packet draws its own or its destination.
        let has_others = homes.count() > 2;
        for name in ["ugal-l", "ugal-g"] {
            let (least, routing) = built(name, &shape);
            assert_eq!(least, channels, "{name} {shape:?}");
            is_free(routing.as_ref(), &shape);
            // Up a tree both ways begin with the same ports.
            let is_decided = name == "ugal-l" && shape.level(NodeId(0)).is_some();
            let mut taken = [0; 2];
            let several = pairs(&shape).flat_map(|pair| (0..8).map(move |serial| (pair, serial)));
            for (number, ((from, to), serial)) in several.enumerate() {
                let packet = Head {
                    here: shape.entry(from),
                    destination: shape.home(to),
                    terminal: to,
                    ..head((from.0, 0), serial)
                };
                let along = |routing: &dyn Routing, queues: &dyn Queues| {
                    path(routing, &shape, packet, queues).0
                };
                let nodes = along(routing.as_ref(), &Any(number as u32));
                let by_way = along(valiant.as_ref(), &Full(&shape, &[]));
                let straight = along(routing.as_ref(), &Full(&shape, &[]));
                let left = valiant.links_left(&packet);
                let left = left.unwrap_or_else(|| shape.distance(packet.here, packet.destination));
                assert_eq!(straight.len() as u32, left + 1);
                assert!(
                    nodes == by_way || nodes == straight,
                    "{name} {shape:?}: {nodes:?}"
                );
                taken[usize::from(nodes == straight)] += 1;
            }
            assert!(
                taken[1] > 0 && (taken[0] > 0) == (has_others && !is_decided),
                "{name} {shape:?}: {taken:?}"
            );
        }
    }
}

/// Its two ways, with a hop in its own group before the second, at most; the links of groups are crossed twice at most.
#[test]
fn packets_that_may_turn_arrive_too() {
    for shape in groups() {
        let (channels, routing) = built("par", &shape);
        assert_eq!(channels, 5);
        is_free(routing.as_ref(), &shape);
        for (number, (from, to)) in pairs(&shape).enumerate() {
            let packet = Head {
                here: shape.entry(from),
                destination: shape.home(to),
                terminal: to,
                ..head((from.0, 0), number as u32)
            };
            let (nodes, channels) = path(routing.as_ref(), &shape, packet, &Any(number as u32));
            let group = |node: u32| shape.group(NodeId(node));
            let crossed = nodes.windows(2).filter(|it| group(it[0]) != group(it[1]));
            assert!(crossed.count() <= 2, "{nodes:?}");
            assert!(channels.is_sorted(), "{channels:?}");
            assert!(
                channels.iter().skip(1).all(|channel| *channel > 0),
                "{channels:?}"
            );
        }
    }
}

/// What is decided by queues is known to the check: it finds the dependencies of Valiant's routing, and for packets that may turn those of both outcomes.
#[test]
fn the_check_examines_both_outcomes() {
    let dependencies = |routing: &dyn Routing, shape: &Shape| match check(routing, shape) {
        Ok(Verdict::Acyclic { dependencies, .. }) => dependencies,
        other => panic!("{shape:?}: {other:?}"),
    };
    for shape in all() {
        let [valiant, local, global] = ["valiant", "ugal-l", "ugal-g"]
            .map(|name| dependencies(built(name, &shape).1.as_ref(), &shape));
        assert_eq!([local, global], [valiant; 2], "{shape:?}");
    }
    // Packets that turn without a word of it have two goals at once.
    let shape = dragonfly();
    let hidden = Wrong {
        inner: with("par", &shape, 0),
        turning: 0,
        lost: false,
    };
    let Err(CheckError::Broken(fault)) = check(&hidden, &shape) else {
        panic!("not found");
    };
    assert_eq!(fault.kind, FaultKind::BothGoals);
    // If packets could also turn after a link between groups they would wait for each other in a circle.
    let is_group = |shape: &Shape| shape.group(NodeId(0)) == shape.group(NodeId(1));
    for shape in groups().into_iter().filter(is_group) {
        let wrong = Wrong {
            inner: built("par", &shape).1,
            turning: 1 | 1 << 4,
            lost: true,
        };
        let verdict = check(&wrong, &shape);
        assert!(
            matches!(verdict, Ok(Verdict::Circle(_))),
            "{shape:?}: {verdict:?}"
        );
    }
}

/// Progressive adaptive routing that declares other channels in which packets may turn. If it is lost, packets in channel 4 do turn.
struct Wrong {
    inner: Box<dyn Routing>,
    turning: u32,
    lost: bool,
}

impl Routing for Wrong {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let goes_by =
            matches!(chance, Chance::Given { intermediate, .. } if intermediate != head.here);
        let turns = self.lost && goes_by && head.from.is_some_and(|from| from.1 == 4);
        let from = head.from.filter(|_| !turns);
        self.inner
            .choices_under(&Head { from, ..*head }, chance, choices);
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        self.inner.links_left(head)
    }

    fn turning(&self) -> u32 {
        self.turning
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }
}

#[test]
fn what_is_seen_and_read_is_declared() {
    let shape = dragonfly();
    for (name, sees) in [
        ("ugal-l", Sees::OwnNode),
        ("ugal-g", Sees::Network),
        ("par", Sees::OwnNode),
        ("valiant", Sees::Nothing),
        ("minimal", Sees::Nothing),
    ] {
        assert_eq!(built(name, &shape).1.sees(), sees, "{name}");
        let entry = ROUTINGS.iter().find(|entry| entry.name == name).unwrap();
        let reads = entry.reads.contains(&"ugal_threshold_words");
        assert_eq!(reads, sees != Sees::Nothing, "{name}");
    }
    let refused = |parameters: RoutingParameters, shape: &Shape| {
        let error = build_routing(&parameters, shape.clone()).err().unwrap();
        (error.value().key, error)
    };
    let misread = RoutingParameters {
        ugal_threshold_words: Some(0),
        ..named("valiant", 4)
    };
    assert!(matches!(
        refused(misread, &shape),
        ("ugal_threshold_words", RoutingError::Unread(_))
    ));
    let dateline = RoutingParameters {
        dateline: Some(Default::default()),
        ..named("ugal-l", 4)
    };
    assert!(matches!(
        refused(dateline, &shape),
        ("dateline", RoutingError::Unread(_))
    ));
    for least in [("ugal-l", 4), ("ugal-g", 4), ("par", 5)] {
        assert_eq!(refused(named(least.0, least.1 - 1), &shape).0, "channels");
    }
    for elsewhere in [
        &lines()[0],
        &trees()[0],
        &Grid::mesh(&[3, 3]).unwrap().into(),
    ] {
        let (key, error) = refused(named("par", 8), elsewhere);
        assert_eq!(key, "name");
        assert!(
            error
                .to_string()
                .contains("allowed: par on a dragonfly or a megafly"),
            "{error}"
        );
    }
}
