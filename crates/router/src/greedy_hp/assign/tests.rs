//! What is assigned, against all that could be.

use super::{Arrival, Assignment, Departures, Here};
use crate::greedy_hp::{Contenders, GreedyHp};
use flitwork_node::draw_below;
use flitwork_topology::Grid;
use flitwork_types::{Cycle, NodeId, PacketRef, Port, PortSet};
use std::collections::BTreeMap;

/// Packets that want these links: each comes from the port of its number.
pub(super) fn hands(wants: &[PortSet]) -> Contenders {
    let arrival = |index: usize| Arrival {
        port: Port(index as u8),
        packet: PacketRef(index as u32),
    };
    let wants = wants.iter().enumerate();
    wants
        .map(|(index, wants)| (arrival(index), *wants))
        .collect()
}

/// All sets of links for each of as many packets as there are links, or fewer.
pub(super) fn all_wants(links: usize) -> impl Iterator<Item = Vec<PortSet>> {
    let sets = 1u64 << links;
    (0..=links as u32).flat_map(move |packets| {
        (0..sets.pow(packets)).map(move |number| {
            let wants = (0..packets).map(|packet| PortSet(number / sets.pow(packet) % sets));
            wants.collect()
        })
    })
}

/// Every maximum matching: the link of each packet that advances.
pub(super) fn maximum_matchings(wants: &[PortSet], links: PortSet) -> Vec<Vec<Option<Port>>> {
    let Some((first, rest)) = wants.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    let taken = links.iter().filter(|port| first.contains(*port)).map(Some);
    for link in taken.chain([None]) {
        let mut left = links;
        if let Some(port) = link {
            left.remove(port);
        }
        let others = maximum_matchings(rest, left).into_iter();
        all.extend(others.map(|others| [vec![link], others].concat()));
    }
    let most = all.iter().map(|matching| size(matching)).max();
    all.retain(|matching| Some(size(matching)) == most);
    all
}

fn size(matching: &[Option<Port>]) -> usize {
    matching.iter().flatten().count()
}

/// The link of each packet that advances, by the draws of a node and cycle.
fn advance(
    assignment: Assignment,
    wants: &[PortSet],
    links: PortSet,
    (node, now): (u32, u32),
) -> Vec<Option<Port>> {
    // A plane's order.
    let order = [0, 2, 1, 3].into_iter().chain(4..8).map(Port);
    let here = Here {
        seed: 1,
        node: NodeId(node),
        now: Cycle(now),
        order: &order.collect::<Vec<_>>(),
    };
    let (mut left, mut free) = (hands(wants), links);
    let mut assigned = Departures::new();
    assignment.advance(here, &mut left, &mut free, &mut |_| (), &mut assigned);
    assert_eq!(left.len() + assigned.len(), wants.len());
    assert_eq!(free.len() + assigned.len(), links.len());
    let mut found = vec![None; wants.len()];
    for departure in &assigned {
        let packet = departure.arrival.port.index();
        assert!(!departure.deroute && wants[packet].contains(departure.port));
        assert_eq!(found[packet].replace(departure.port), None);
    }
    found
}

/// For all packets at nodes of up to four links: what is drawn is maximum, every maximum matching is drawn, and all
/// equally often. By chi squared, with one degree of freedom fewer than there are matchings: in each case, and over all.
#[test]
fn maximum_matchings_are_drawn_uniformly() {
    const DRAWS: u32 = 30;
    let (mut sum, mut freedom, mut case) = (0.0, 0.0, 0);
    for degree in 1..=4 {
        let links = PortSet::first(degree);
        for wants in all_wants(degree) {
            let all = maximum_matchings(&wants, links);
            let mut drawn: BTreeMap<_, u32> = all.into_iter().map(|it| (it, 0)).collect();
            case += 1;
            for now in 0..DRAWS * drawn.len() as u32 {
                let found = advance(Assignment::Matching, &wants, links, (case, now));
                let times = drawn.get_mut(&found);
                *times.unwrap_or_else(|| panic!("{wants:?}: {found:?} is not maximum")) += 1;
            }
            let apart = drawn.values().map(|times| {
                assert!(*times > 0, "{wants:?}: {drawn:?}");
                let apart = f64::from(*times) - f64::from(DRAWS);
                apart * apart / f64::from(DRAWS)
            });
            let (apart, free) = (apart.sum::<f64>(), drawn.len() as f64 - 1.0);
            let most = free + 5.0 * (2.0 * free).sqrt() + 15.0;
            assert!(apart <= most, "{wants:?}: {apart} of {free}, {drawn:?}");
            (sum, freedom) = (sum + apart, freedom + free);
        }
    }
    // Four standard deviations.
    let apart = (sum - freedom).abs() / (2.0_f64 * freedom).sqrt();
    assert!(apart < 4.0, "{sum} with {freedom} degrees of freedom");
}

/// Beyond the links that are counted the matching is maximum, too, and every one is drawn, if not equally often.
#[test]
fn augmenting_paths_find_every_maximum_matching() {
    let mut uneven = 0.0_f64;
    for case in 0..120 {
        let draw = |below, index| draw_below(below, 2, NodeId(case), Cycle::ZERO, index);
        let (links, packets) = (PortSet::first(7 + case as usize % 2), 1 + draw(5, 0));
        // Links that nobody wants are among them.
        let few = PortSet((draw(256, 1) | draw(256, 2)).into());
        let wants = |packet| PortSet(u64::from(draw(256, 3 + packet)) & few.0 & links.0);
        let wants: Vec<PortSet> = (0..packets).map(wants).collect();
        let all = maximum_matchings(&wants, links);
        let mut drawn: BTreeMap<_, u32> = all.into_iter().map(|it| (it, 0)).collect();
        let often = 40 * drawn.len() as u32;
        for now in 0..often {
            let found = advance(Assignment::Matching, &wants, links, (case, now));
            let times = drawn.get_mut(&found);
            *times.unwrap_or_else(|| panic!("{wants:?}: {found:?} is not maximum")) += 1;
        }
        let least = drawn.values().min();
        assert!(*least.unwrap() > 0, "{wants:?}: {drawn:?}");
        let most = f64::from(*drawn.values().max().unwrap());
        uneven = uneven.max(most / 40.0);
    }
    assert!(uneven > 2.0, "the documentation says that it isn't uniform");
}

/// Two packets want north, one of them east, too: where north takes that one first, the other doesn't advance.
#[test]
fn greedy_is_not_always_maximum() {
    let (north, east) = (PortSet::only(Port(0)), PortSet::only(Port(1)));
    let wants = [north, PortSet(north.0 | east.0)];
    let links = PortSet::first(4);
    let advance = |assignment, now| size(&advance(assignment, &wants, links, (0, now)));
    let short = (0..4000).filter(|now| advance(Assignment::Greedy, *now) == 1);
    // Half of the time north comes before east, and then half of the time it takes the wrong one.
    let short = short.count();
    assert!(short.abs_diff(1000) < 120, "{short} of 4000");
    assert!((0..4000).all(|now| advance(Assignment::Matching, now) == 2));
}

/// Whatever advances, no more packets do than in a maximum matching, and nobody is left whom a free link would bring
/// closer.
#[test]
fn every_assignment_leaves_no_productive_link_to_those_left_over() {
    let links = PortSet::first(4);
    for (case, wants) in (0..).zip(all_wants(4)) {
        let most = advance(Assignment::Matching, &wants, links, (case, 0));
        for assignment in &Assignment::ALL {
            let found = advance(*assignment, &wants, links, (case, 1));
            assert!(size(&found) <= size(&most), "{assignment:?}: {wants:?}");
            let taken: PortSet = found.iter().flatten().copied().collect();
            for (packet, link) in found.iter().enumerate() {
                let missed = wants[packet].0 & links.0 & !taken.0;
                assert!(link.is_some() || missed == 0, "{assignment:?}: {wants:?}");
            }
        }
    }
}

/// All packets leave, over a link each; those that don't advance are derouted.
#[test]
fn all_packets_leave() {
    let links = PortSet::first(4);
    for assignment in &Assignment::ALL {
        let router = GreedyHp::new(Grid::mesh(&[3, 3]).unwrap(), 1).assigning(*assignment);
        for (case, wants) in (0..).zip(all_wants(4)) {
            let left = router.assign(hands(&wants), links, NodeId(case), Cycle(2), |_| ());
            let mut free = links;
            for departure in &left {
                assert!(free.contains(departure.port), "{wants:?}");
                free.remove(departure.port);
                let wants = wants[departure.arrival.port.index()];
                assert_eq!(departure.deroute, !wants.contains(departure.port));
            }
            assert_eq!(left.len(), wants.len());
        }
    }
}
