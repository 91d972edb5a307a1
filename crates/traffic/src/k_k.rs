//! Static problems in which many packets start at once: k-k problems, h-h relations, and k packets a source
//! of any pattern.
//!
//! In a k-k problem each terminal is the source of k packets and the destination of k; in an h-h relation, of
//! at most h (Kaufmann and Sibeyn 1991; Symvonis and Tidswell 1994 for k = 1). All packets exist in cycle 0. A packet to
//! its own source counts as one of the k but never enters the network; in a random problem on N terminals that is one
//! packet in N.
//!
//! Destinations are drawn from the network's stream, lengths from each source's own.

use crate::{Draws, Lengths, Pattern};
use flitwork_schema::WrongValue;
use flitwork_types::TerminalId;
use std::collections::BTreeMap;

/// A packet of a static problem: its source, its destination and its words. Those of a terminal and itself count, and never
/// enter the network.
pub type StaticPacket = (TerminalId, TerminalId, u16);

/// The most packets of a problem, which bounds the memory of its list.
pub(crate) const MOST_PACKETS: u64 = 1 << 30;

/// A random k-k problem: k random permutations, one after the other.
///
/// # Errors
/// A [`WrongValue`] for a `k` of 0, or one that makes more than 2^30 packets.
pub fn k_k(
    k: u32,
    lengths: &Lengths,
    seed: u64,
    terminals: u32,
) -> Result<Vec<StaticPacket>, WrongValue> {
    checked("k", k, terminals)?;
    let mut draws = Draws::of_network(seed);
    let mut pairs = Vec::new();
    let mut images: Vec<TerminalId> = (0..terminals).map(TerminalId).collect();
    for _ in 0..k {
        draws.shuffle(&mut images);
        pairs.extend((0..terminals).map(TerminalId).zip(images.iter().copied()));
    }
    pairs.sort_by_key(|(source, _)| *source);
    Ok(of_lengths(&pairs, lengths, seed))
}

/// A random h-h relation of the given number of packets, by default the most possible, h per terminal: each packet
/// takes one of a terminal's h places for sending and one of a terminal's h places for receiving, all equally likely.
///
/// # Errors
/// A [`WrongValue`] for an `h` of 0 or one that makes more than 2^30 packets, and for more packets than
/// h a terminal.
pub fn h_h(
    h: u32,
    packets: Option<u32>,
    lengths: &Lengths,
    seed: u64,
    terminals: u32,
) -> Result<Vec<StaticPacket>, WrongValue> {
    let most = checked("h", h, terminals)?;
    let packets = packets.map_or(most, u64::from);
    if packets > most {
        let allowed = format!("0 to {most} packets, h per node");
        return Err(WrongValue::new("packets", packets, allowed));
    }
    let places = || -> Vec<TerminalId> {
        let of_terminal = |it| std::iter::repeat_n(TerminalId(it), h as usize);
        (0..terminals).flat_map(of_terminal).collect()
    };
    let mut draws = Draws::of_network(seed);
    let (mut sources, mut destinations) = (places(), places());
    // A full relation uses all places for sending: there is no choice.
    if packets < most {
        draws.shuffle(&mut sources);
    }
    draws.shuffle(&mut destinations);
    let pairs = sources.into_iter().zip(destinations).take(packets as usize);
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by_key(|(source, _)| *source);
    Ok(of_lengths(&pairs, lengths, seed))
}

/// `k` packets in cycle 0 from every source that the pattern doesn't silence; of a pattern that lists its packets, `k` times
/// each of them. Each takes the pattern's draws for its destination, then the draw for its length, if any, from its source's
/// own stream.
///
/// # Errors
/// A [`WrongValue`] for a `k` of 0, or one that makes more than 2^30 packets.
pub fn at_once(
    k: u32,
    pattern: &dyn Pattern,
    lengths: &Lengths,
    seed: u64,
    terminals: u32,
) -> Result<Vec<StaticPacket>, WrongValue> {
    checked("k", k, terminals)?;
    if let Some(list) = pattern.packets(terminals) {
        let copies = |packet| std::iter::repeat_n(packet, k as usize);
        let pairs: Vec<_> = list.into_iter().flat_map(copies).collect();
        return Ok(of_lengths(&pairs, lengths, seed));
    }
    let mut packets = Vec::new();
    for source in (0..terminals).map(TerminalId) {
        let mut draws = Draws::new(seed, source);
        for _ in 0..k {
            if let Some(destination) = pattern.destination(source, &mut draws) {
                packets.push((source, destination, lengths.draw(&mut draws)));
            }
        }
    }
    Ok(packets)
}

/// How often the terminal that is named most often is named.
pub(crate) fn most_of_a_terminal(named: impl Iterator<Item = TerminalId>) -> u32 {
    let mut named: Vec<TerminalId> = named.collect();
    named.sort_unstable();
    let counts = named.chunk_by(|one, other| one == other).map(<[_]>::len);
    counts.max().unwrap_or(0) as u32
}

/// Refuses a number of packets per terminal that is 0 or too large. Returns the packets of all.
fn checked(parameter: &'static str, per_terminal: u32, terminals: u32) -> Result<u64, WrongValue> {
    let packets = u64::from(per_terminal) * u64::from(terminals);
    if per_terminal == 0 || packets > MOST_PACKETS {
        let most = MOST_PACKETS / u64::from(terminals.max(1));
        let allowed = format!("1 to {most} packets per node");
        return Err(WrongValue::new(parameter, per_terminal, allowed));
    }
    Ok(packets)
}

/// The packets with lengths drawn from each source's stream, in the order of its packets.
fn of_lengths(
    pairs: &[(TerminalId, TerminalId)],
    lengths: &Lengths,
    seed: u64,
) -> Vec<StaticPacket> {
    let is_sorted = pairs.is_sorted_by_key(|(source, _)| *source);
    let mut streams: BTreeMap<TerminalId, Draws> = BTreeMap::new();
    let packets = pairs.iter().map(|(source, to)| {
        // Of those that are sorted by source, one stream is needed at a time.
        if is_sorted && !streams.contains_key(source) {
            streams.clear();
        }
        let draws = streams
            .entry(*source)
            .or_insert_with(|| Draws::new(seed, *source));
        (*source, *to, lengths.draw(draws))
    });
    packets.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnyPattern, LengthLaw, Once, Workload};
    use flitwork_topology::Grid;
    use flitwork_types::Cycle;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The least h for which these packets are an h-h relation: the most that any node sends or receives.
    fn degree(pairs: &[(TerminalId, TerminalId)]) -> u32 {
        let sent = most_of_a_terminal(pairs.iter().map(|pair| pair.0));
        sent.max(most_of_a_terminal(pairs.iter().map(|pair| pair.1)))
    }

    /// Those that enter the network, by source.
    fn packets(all: Vec<StaticPacket>) -> Vec<StaticPacket> {
        let mut once = Once::of_packets(all);
        let mut packets = Vec::new();
        for source in once.sources() {
            while let Some(birth) = once.next(source, Cycle::ZERO).packet() {
                assert_eq!(birth.created, Cycle::ZERO);
                packets.push((source, birth.destination, birth.words));
            }
        }
        packets
    }

    /// How many packets each node sends and receives, not counting those to itself.
    fn counts(packets: &[(TerminalId, TerminalId, u16)], nodes: u32) -> (Vec<u32>, Vec<u32>) {
        let mut counts = (vec![0; nodes as usize], vec![0; nodes as usize]);
        for (source, destination, _) in packets {
            counts.0[source.index()] += 1;
            counts.1[destination.index()] += 1;
        }
        counts
    }

    fn mixed() -> Lengths {
        let law = LengthLaw::Uniform {
            least_words: 1,
            most_words: 9,
        };
        Lengths::new(&law).unwrap()
    }

    proptest! {
        #[test]
        fn every_node_sends_and_gets_k(k in 1u32..8, nodes in 1u32..60, seed: u64) {
            for problem in [k_k(k, &mixed(), seed, nodes), h_h(k, None, &mixed(), seed, nodes)] {
                let problem = packets(problem.unwrap());
                let (sent, got) = counts(&problem, nodes);
                // Of a node's k packets, those to itself are missing at both ends.
                prop_assert_eq!(&sent, &got);
                prop_assert!(sent.iter().all(|sent| *sent <= k));
                prop_assert!(problem.iter().all(|(_, _, words)| (1..=9).contains(words)));
                let one_length = packets(k_k(k, &Lengths::fixed(4), seed, nodes).unwrap());
                prop_assert!(one_length.iter().all(|(_, _, words)| *words == 4));
            }
        }

        #[test]
        fn no_node_sends_or_gets_more_than_h(h in 1u32..8, nodes in 1u32..60, part in 0u32..=100, seed: u64) {
            let wanted = h * nodes * part / 100;
            let problem = h_h(h, Some(wanted), &mixed(), seed, nodes).unwrap();
            let problem = packets(problem);
            prop_assert!(problem.len() <= wanted as usize);
            let pairs: Vec<_> = problem.iter().map(|(source, to, _)| (*source, *to)).collect();
            prop_assert!(degree(&pairs) <= h);
        }
    }

    #[test]
    fn packets_to_oneself_are_one_in_n() {
        // 64 nodes, 100 a node, 20 problems: 128,000 packets, 2,000 to themselves, standard deviation 44.
        let itself = |problem| 6400 - packets(problem).len();
        let k_k = (0..20).map(|seed| itself(k_k(100, &mixed(), seed, 64).unwrap()));
        let h_h = (0..20).map(|seed| itself(h_h(100, None, &mixed(), seed, 64).unwrap()));
        for itself in [k_k.sum::<usize>(), h_h.sum()] {
            assert!(itself.abs_diff(2000) < 222, "{itself}");
        }
    }

    #[test]
    fn every_relation_is_as_likely() {
        // 2-2 relations of 2 nodes: of the 24 orders of 4 places, 4 send both packets home, 4 both across
        // and 16 one each, so a sixth has no packet, two thirds have 2 and a sixth has 4. 6,000 seeds:
        // chi-square with 2 degrees of freedom, 99.9 % below 13.8.
        let mut seen: HashMap<usize, f64> = HashMap::new();
        for seed in 0..6000 {
            let relation = h_h(2, None, &Lengths::fixed(1), seed, 2).unwrap();
            *seen.entry(packets(relation).len()).or_default() += 1.0;
        }
        let law = [(0, 1000.0), (2, 4000.0), (4, 1000.0)];
        let found = |packets| seen.get(&packets).copied().unwrap_or(0.0);
        let chi_square: f64 = law
            .iter()
            .map(|(packets, law)| (found(*packets) - law).powi(2) / law)
            .sum();
        assert!(chi_square < 13.8, "{seen:?}");
        // Two permutations of 2 nodes: each turns or doesn't, so a quarter, a half and a quarter.
        let turned = (0..6000).map(|seed| k_k(2, &Lengths::fixed(1), seed, 2).unwrap());
        let halves = turned
            .filter(|turned| packets(turned.clone()).len() == 2)
            .count();
        // 3,000 expected, standard deviation 39.
        assert!(halves.abs_diff(3000) < 194, "{halves}");
    }

    #[test]
    fn a_pattern_at_once() {
        let grid = Grid::mesh(&[6, 6]).unwrap();
        let built = |name: &str| {
            AnyPattern::named(&flitwork_schema::Parts::new(), name)
                .unwrap()
                .build(&grid, 0)
                .unwrap()
        };
        let transpose = built("transpose");
        let all = at_once(3, &*transpose, &mixed(), 1, 36).unwrap();
        let once = Once::of_packets(all.clone());
        assert_eq!((once.packets(), once.sources().len()), (90, 30));
        // With those on the diagonal.
        assert_eq!(all.len(), 108);
        // One packet a source is the source's first draw, as open-loop traffic would take it.
        let uniform = built("uniform");
        let once = at_once(1, &*uniform, &Lengths::fixed(2), 9, 36).unwrap();
        for (source, destination, words) in packets(once) {
            let expected = uniform.destination(source, &mut Draws::new(9, source));
            assert_eq!((Some(destination), words), (expected, 2));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let fixed = Lengths::fixed(1);
        let message = k_k(0, &fixed, 0, 64).unwrap_err().to_string();
        assert_eq!(message, "k is 0; allowed: 1 to 16777216 packets per node");
        assert_eq!(k_k(1 << 25, &fixed, 0, 64).unwrap_err().key, "k");
        assert_eq!(h_h(0, None, &fixed, 0, 64).unwrap_err().key, "h");
        assert_eq!(
            h_h(u32::MAX, None, &fixed, 0, u32::MAX).unwrap_err().key,
            "h"
        );
        let message = h_h(2, Some(129), &fixed, 0, 64).unwrap_err().to_string();
        assert_eq!(
            message,
            "packets is 129; allowed: 0 to 128 packets, h per node"
        );
        assert!(k_k(3, &fixed, 0, 0).unwrap().is_empty());
        assert_eq!(degree(&[]), 0);
        let terminals = |pairs: &[(u32, u32)]| -> Vec<(TerminalId, TerminalId)> {
            let pair = |(one, other): &(u32, u32)| (TerminalId(*one), TerminalId(*other));
            pairs.iter().map(pair).collect()
        };
        assert_eq!(
            degree(&terminals(&[(1, 2), (3, 2), (2, 2), (4, 1), (4, 3)])),
            3
        );
    }
}
