//! Supernodes of several sizes, counted and walked.

use super::super::*;
use flitwork_topology::Topology;
use std::collections::{BTreeSet, HashMap};

/// Each node is linked to the next, the last to the first, and none is there twice. The directed links.
fn links_of(supernode: &Supernode, cycle: &[Place]) -> BTreeSet<(Place, Place)> {
    let mesh = supernode.mesh();
    let next = cycle.iter().cycle().skip(1);
    let links: BTreeSet<_> = cycle.iter().copied().zip(next.copied()).collect();
    for (one, other) in &links {
        let nodes = [*one, *other].map(|it| supernode.node(it));
        assert_eq!(mesh.distance(nodes[0], nodes[1]), 1, "{one:?} {other:?}");
    }
    let nodes: BTreeSet<_> = cycle.iter().collect();
    assert_eq!(nodes.len(), cycle.len());
    links
}

fn hold(words: u32, packets: u32) -> Supernode {
    let supernode = Supernode::new(words, packets).unwrap();
    let (side, lane) = (supernode.side(), supernode.lane());
    assert_eq!((side - 1) * (side - 1), (packets + 4) * words);
    let rows = (0..side).flat_map(|row| (0..side).map(move |column| Place { column, row }));
    let mut regions: HashMap<Region, BTreeSet<Place>> = HashMap::new();
    for place in rows {
        let region = supernode.region(place);
        regions.entry(region).or_default().insert(place);
    }
    assert_eq!(regions[&Region::Lane].len() as u32, 2 * side - 1);
    let mut storage = Vec::new();
    for half in Half::ALL {
        let cycle = supernode.storage_cycle(half);
        assert_eq!(cycle.len() as u32, packets * words / 2 + side - 1);
        storage.push(links_of(&supernode, &cycle));
        let (lanes, stored): (Vec<Place>, Vec<Place>) = cycle
            .iter()
            .partition(|place| supernode.region(**place) == Region::Lane);
        let stored: BTreeSet<_> = stored.into_iter().collect();
        assert_eq!(stored, regions[&Region::Storage(half)]);
        assert_eq!(stored.len() as u32, packets * words / 2);
        // s - 1 of the vertical lane, and one of the horizontal.
        let across = lanes.iter().filter(|place| place.column != lane);
        assert_eq!((lanes.len() as u32, across.count()), (side - 1, 1));
        for command in supernode.command_processors() {
            assert!(cycle.contains(&command), "{half:?} {command:?}");
        }
        let [first, second] = [0, 1].map(|it| cycle[it].row);
        assert_eq!(half == Half::Left, second < first);
    }
    // Each moves in the vertical lane while the other does, and no link carries both.
    assert!(storage[0].is_disjoint(&storage[1]));
    for quadrant in Quadrant::ALL {
        let cycle = supernode.buffer_cycle(quadrant);
        links_of(&supernode, &cycle);
        let nodes: BTreeSet<_> = cycle.iter().copied().collect();
        assert_eq!(nodes.len() as u32, words);
        assert_eq!(nodes, regions[&Region::Buffer(quadrant)]);
        let [upper, lower] = supernode.command_processors();
        let command = if quadrant.is_upper { upper } else { lower };
        let mesh = supernode.mesh();
        let [corner, command] = [cycle[0], command].map(|it| supernode.node(it));
        assert_eq!(mesh.distance(corner, command), 1);
    }
    // 2 halves, 4 buffers and the lanes are all there is.
    assert_eq!(regions.len(), 7);
    supernode
}

/// The lengths of cycles by hand: 24 + 8, 64 + 12, 96 + 16.
#[test]
fn supernodes_by_hand() {
    for (words, packets, side, cycle) in [(4, 12, 9, 32), (4, 32, 13, 76), (16, 12, 17, 112)] {
        let supernode = hold(words, packets);
        assert_eq!(supernode.side(), side);
        for half in Half::ALL {
            assert_eq!(supernode.storage_cycle(half).len(), cycle);
        }
        assert_eq!((supernode.words(), supernode.packets()), (words, packets));
    }
    let commands = [3, 5].map(|row| Place { column: 4, row });
    let supernode = Supernode::new(4, 12).unwrap();
    assert_eq!(supernode.command_processors(), commands);
}

#[test]
fn all_supernodes_that_are_admissible_keep_the_counts() {
    for buffer in (2..=10).step_by(2) {
        for all in (4..=12).step_by(2) {
            hold(buffer * buffer, all * all - 4);
        }
    }
}

/// All that there is with sides up to 33 is admissible, or the next named is the least that is.
#[test]
fn what_is_inadmissible_names_what_is_next() {
    let square = |it: u32| it.isqrt().pow(2) == it && it.isqrt().is_multiple_of(2);
    for words in 0..70 {
        let next = (words.max(1)..).find(|it| square(*it)).unwrap();
        let made = Supernode::new(words, 12).map(|it| it.words());
        match words == next {
            true => assert_eq!(made, Ok(words)),
            false => assert_eq!(made, Err(Inadmissible::Words { words, next })),
        }
    }
    for packets in 0..200 {
        let next = (packets.max(1)..).find(|it| square(it + 4)).unwrap();
        let made = Supernode::new(4, packets).map(|it| it.packets());
        match packets == next {
            true => assert_eq!(made, Ok(packets)),
            false => assert_eq!(made, Err(Inadmissible::Packets { packets, next })),
        }
    }
    let [f, k] = [Supernode::new(4, 4), Supernode::new(6, 12)].map(Result::unwrap_err);
    assert!(f.to_string().ends_with("as for 12"), "{f}");
    assert!(k.to_string().ends_with("as 16 is"), "{k}");
}

#[test]
fn what_no_network_can_hold_is_too_large() {
    // The next with worms of 4 words has a side of 4,097.
    let most = Supernode::new(4, 2046 * 2046 - 4).unwrap();
    assert_eq!(most.side(), 4093);
    assert_eq!(most.mesh().nodes(), 4093 * 4093);
    for (words, packets) in [
        (4, 2048 * 2048 - 4),
        (u32::MAX, 12),
        (0, u32::MAX),
        (4, u32::MAX),
    ] {
        let too_large = Inadmissible::TooLarge { words, packets };
        assert_eq!(Supernode::new(words, packets), Err(too_large));
    }
}
