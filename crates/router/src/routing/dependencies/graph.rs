//! Graphs of dependencies: which channels may wait for which.

use super::bits::each_channel;
use super::links::{ChannelNumber, Links};
use crate::routing::contract::Choice;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// A directed graph whose vertices are numbered from 0.
pub(super) trait Graph {
    /// How many vertices there are.
    fn vertices(&self) -> usize;

    /// The first successor of a vertex that is numbered `from` or higher.
    fn successor(&self, vertex: usize, from: usize) -> Option<usize>;

    /// How many edges there are.
    fn edges(&self) -> u64;

    /// The successors of a vertex, in order.
    fn successors(&self, vertex: usize) -> impl Iterator<Item = usize> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let next = self.successor(vertex, from)?;
            from = next + 1;
            Some(next)
        })
    }
}

/// Direct dependencies: a head in a channel may wait for channels of the node at its end.
pub(super) struct Direct {
    ports: usize,
    channels: usize,
    /// For each channel, the number of the first channel of the node at its end.
    first: Vec<usize>,
    /// For each channel and each port of the node at its end, the channels that depend on it, one bit each.
    wanted: Vec<u32>,
}

impl Direct {
    pub(super) fn bytes(links: &Links) -> u64 {
        links.count() as u64 * links.ports as u64 * size_of::<u32>() as u64
    }

    pub(super) fn new(links: &Links) -> Direct {
        let first = (0..links.count()).map(|number| {
            let (node, port, _) = links.place(ChannelNumber(number as u32));
            let end = links.end_of(node, port);
            end.map_or(0, |(next, _)| links.number(next, Port(0), 0).index())
        });
        Direct {
            ports: links.ports,
            channels: links.channels,
            first: first.collect(),
            wanted: vec![0; links.count() * links.ports],
        }
    }

    /// A head in the channel `held` may wait for `wanted`.
    pub(super) fn add(&mut self, held: ChannelNumber, wanted: &[Choice]) {
        for choice in wanted {
            self.wanted[held.index() * self.ports + choice.port.index()] |= choice.channels;
        }
    }
}

impl Graph for Direct {
    fn vertices(&self) -> usize {
        self.first.len()
    }

    fn successor(&self, vertex: usize, from: usize) -> Option<usize> {
        let first = self.first[vertex];
        let skipped = from.saturating_sub(first);
        let (from_port, from_channel) = (skipped / self.channels, skipped % self.channels);
        (from_port..self.ports).find_map(|port| {
            let least = if port == from_port { from_channel } else { 0 };
            let wanted = self.wanted[vertex * self.ports + port] >> least << least;
            let channel = wanted.trailing_zeros() as usize;
            (wanted != 0).then(|| first + port * self.channels + channel)
        })
    }

    fn edges(&self) -> u64 {
        let counts = self.wanted.iter().map(|wanted| wanted.count_ones());
        counts.map(u64::from).sum()
    }
}

/// Escape channels by number: only they are vertices of the extended graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct EscapeChannels {
    pub(super) mask: u32,
    ports: usize,
    links: usize,
}

impl EscapeChannels {
    pub(super) fn new(topology: &dyn Topology, mask: u32) -> EscapeChannels {
        EscapeChannels {
            mask,
            ports: topology.ports(),
            links: topology.nodes() as usize * topology.ports(),
        }
    }

    fn per_link(self) -> usize {
        self.mask.count_ones() as usize
    }

    /// How many numbers there are.
    pub(super) fn count(self) -> usize {
        self.links * self.per_link()
    }

    /// The number of words that hold one bit for each.
    pub(super) fn words(self) -> usize {
        self.count().div_ceil(64)
    }

    /// The number of an escape channel at an output port.
    pub(super) fn number(self, node: NodeId, port: Port, channel: u8) -> usize {
        let below = self.mask & ((1 << channel) - 1);
        let link = node.index() * self.ports + port.index();
        link * self.per_link() + below.count_ones() as usize
    }

    /// The number of the same channel among all channels.
    pub(super) fn channel(self, number: usize, links: &Links) -> ChannelNumber {
        let (link, rank) = (number / self.per_link(), number % self.per_link());
        let channel = each_channel(self.mask).nth(rank);
        let channel = channel.expect("a rank is below the number of escape channels");
        let (node, port) = (link / self.ports, link % self.ports);
        links.number(NodeId(node as u32), Port(port as u8), channel)
    }
}

/// Direct and indirect dependencies among escape channels.
pub(super) struct Extended {
    pub(super) escape: EscapeChannels,
    /// For each escape channel, those that depend on it, one bit each.
    rows: Vec<u64>,
}

impl Extended {
    pub(super) fn bytes(escape: EscapeChannels) -> u64 {
        escape.count() as u64 * escape.words() as u64 * size_of::<u64>() as u64
    }

    pub(super) fn new(escape: EscapeChannels) -> Extended {
        Extended {
            escape,
            rows: vec![0; escape.count() * escape.words()],
        }
    }

    /// A head that crossed the escape channel `held` may wait for `wanted`: 64 escape channels, one bit each,
    /// the lowest of which is number 64 * `place`.
    pub(super) fn add(&mut self, held: usize, place: usize, wanted: u64) {
        self.rows[held * self.escape.words() + place] |= wanted;
    }
}

/// The first bit from `from` on that is set.
pub(super) fn next_bit(words: &[u64], from: usize) -> Option<usize> {
    let (first, skipped) = (from / 64, from % 64);
    let head = words.get(first)? >> skipped << skipped;
    let rest = words[first + 1..].iter().copied();
    let mut words = (first..).zip(std::iter::once(head).chain(rest));
    let (index, word) = words.find(|(_, word)| *word != 0)?;
    Some(index * 64 + word.trailing_zeros() as usize)
}

impl Graph for Extended {
    fn vertices(&self) -> usize {
        self.escape.count()
    }

    fn successor(&self, vertex: usize, from: usize) -> Option<usize> {
        let words = self.escape.words();
        next_bit(&self.rows[vertex * words..][..words], from)
    }

    fn edges(&self) -> u64 {
        self.rows
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    /// The memory that is checked before a graph is allocated is that of its rows: a mask for each link's
    /// channel and port, a bit for each pair of escape channels.
    #[test]
    fn graphs_take_the_memory_that_they_say() {
        for sides in [&[2, 2][..], &[4, 3], &[5], &[3, 3, 3]] {
            let grid = Grid::mesh(sides).unwrap();
            for channels in 1..4 {
                let links = Links::new(&grid, channels);
                let direct = Direct::new(&links);
                let bytes = size_of_val(&*direct.wanted) as u64;
                assert_eq!(Direct::bytes(&links), bytes, "{sides:?}");
                // Channel 0, and the two first.
                for mask in [1, 3] {
                    let escape = EscapeChannels::new(&grid, mask);
                    let extended = Extended::new(escape);
                    let bytes = size_of_val(&*extended.rows) as u64;
                    assert_eq!(Extended::bytes(escape), bytes, "{sides:?}");
                    let pairs = (escape.count() as u64).pow(2);
                    assert!(bytes * 8 >= pairs && bytes * 8 < pairs + 64 * pairs.isqrt() + 64);
                }
            }
        }
    }
}
