//! Steps of packets that go one way along a line or ring (Kaufmann and Sibeyn 1991, section 5).
//!
//! All packets exist before the first step and go to the right, which is where nodes' numbers grow. A link carries one packet a
//! step, and it carries one whenever a packet waits for it. By farthest-first that is a packet with the most links to go.
//!
//! ```text
//!   h(i, j)   packets that pass nodes i and j, in this order, less one; they may begin in i and end in j
//!   h(i)      packets that cross the link to the right of node i, less one
//! ```
//!
//! | | by farthest-first, exactly | in any order, at most |
//! |---|---|---|
//! | a line of n nodes, numbered from 0 | max (j - i + h(i, j)) (Lemma 2) | max (h(i) + n - 1 - i) (Lemma 4) |
//! | a ring of n nodes, ways of n/2 links at most | max (w + h(i, i + w)) (Lemma 7) | max h(i) + ⌊n/2⌋ (Lemma 10) |
//!
//! Only pairs and links that some packet passes count, which the paper doesn't say: a packet to the next node would otherwise
//! take n - 2 steps by Lemma 2. In Lemma 7 the paper prints a minus for the first plus. In section 5.2.2 it defines h(i) for
//! packets to the left, but goes on with those to the right.
//!
//! Packets to the left are the mirror image: node i is node n - 1 - i.

/// The steps after which all packets that go to the right along a line of `nodes` nodes are where they go, by farthest-first
/// (Lemma 2): 0 if there are none. A packet is a pair of nodes, from where to where; others than those to the right don't
/// count. Takes O(`nodes`² + packets) operations.
///
/// # Panics
/// If a packet is of a node that there isn't.
pub fn line_farthest_first_steps(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> u64 {
    let mut most = 0;
    for_each_node(&ways_on_line(nodes, packets), 1, |_, passing| {
        most = most.max(latest(passing));
    });
    most
}

/// The steps after which all packets that go to the right around a ring of `nodes` nodes are where they go, by farthest-first
/// (Lemma 7): 0 if there are none. A packet is the node where it begins and the links that it goes, `nodes` / 2 at most.
/// Takes O(`nodes`² + packets) operations.
///
/// # Panics
/// If a packet begins in a node that there isn't, or goes farther.
pub fn ring_farthest_first_steps(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> u64 {
    let mut most = 0;
    for_each_node(&ways_on_ring(nodes, packets), 2, |_, passing| {
        most = most.max(latest(passing));
    });
    most
}

/// The most steps until all packets that go to the right along a line of `nodes` nodes are where they go, whichever of those
/// that wait for a link goes first (Lemma 4): 0 if there are none. Packets are those of [`line_farthest_first_steps`].
///
/// # Panics
/// If a packet is of a node that there isn't.
pub fn line_any_order_steps(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> u64 {
    let mut most = 0;
    for_each_node(&ways_on_line(nodes, packets), 1, |node, passing| {
        if let Some(others) = others_on_link(passing) {
            most = most.max(others + u64::from(nodes - 1 - node));
        }
    });
    most
}

/// The most steps until all packets that go to the right around a ring of `nodes` nodes are where they go, whichever of those
/// that wait for a link goes first (Lemma 10): 0 if there are none. Packets are those of [`ring_farthest_first_steps`].
///
/// # Panics
/// If a packet begins in a node that there isn't, or goes farther than half of the ring.
pub fn ring_any_order_steps(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> u64 {
    let mut most = 0;
    for_each_node(&ways_on_ring(nodes, packets), 2, |_, passing| {
        if let Some(others) = others_on_link(passing) {
            most = most.max(others + u64::from(nodes / 2));
        }
    });
    most
}

/// By node: how many links each packet goes that begins there.
type Ways = Vec<Vec<u32>>;

fn ways_on_line(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> Ways {
    let mut ways = vec![Vec::new(); nodes as usize];
    for (from, to) in packets {
        assert!(
            from < nodes && to < nodes,
            "a packet from node {from} to node {to}, on a line of {nodes} nodes"
        );
        if from < to {
            ways[from as usize].push(to - from);
        }
    }
    ways
}

fn ways_on_ring(nodes: u32, packets: impl IntoIterator<Item = (u32, u32)>) -> Ways {
    let mut ways = vec![Vec::new(); nodes as usize];
    for (from, links) in packets {
        assert!(
            from < nodes && links <= nodes / 2,
            "a packet from node {from} over {links} links, on a ring of {nodes} nodes"
        );
        if links > 0 {
            ways[from as usize].push(links);
        }
    }
    ways
}

/// Goes along all nodes, `rounds` times, and shows of each how many packets pass it and the node w links on, by w - 1. On a ring
/// the second round has those as well that began before node 0; those of the first have ended by then.
fn for_each_node(ways: &Ways, rounds: usize, mut show: impl FnMut(u32, &[u64])) {
    let longest = ways.iter().flatten().max().map_or(0, |it| *it as usize);
    // How many packets that have begun end in each node, that of a later round counted as another.
    let mut ending = vec![0; rounds * ways.len() + longest];
    let mut passing = vec![0; longest];
    let nodes = (0..rounds).flat_map(|_| (0..).zip(ways));
    for (place, (node, begin)) in nodes.enumerate() {
        for links in begin {
            ending[place + *links as usize] += 1;
        }
        let mut farther = 0;
        let ending = &ending[place + 1..][..longest];
        for (passing, ending) in passing.iter_mut().zip(ending).rev() {
            farther += ending;
            *passing = farther;
        }
        show(node, &passing);
    }
}

/// The most of w + h(i, i + w) for a node i, over all w that some packet goes on from there.
fn latest(passing: &[u64]) -> u64 {
    let some = (1..).zip(passing).filter(|(_, packets)| **packets > 0);
    some.map(|(links, packets)| links + packets - 1)
        .max()
        .unwrap_or(0)
}

/// h(i) for a node i, if any packet crosses the link to its right.
fn others_on_link(passing: &[u64]) -> Option<u64> {
    passing.first().and_then(|packets| packets.checked_sub(1))
}
