//! Delay lines: what is in transit inside a node that is stepped word by word.
//!
//! ```text
//!   switch ──▶ crossing ──▶ link        credit from a link ──▶ credits ──▶ room at the far end
//!   source ──▶ injected ──▶ local lane  word that left a local lane ──▶ room ──▶ the source
//! ```

use super::{Delays, Lane, LaneSet, MailWord};
use crate::{Inputs, Outputs, Part, Probe, Reported, Site};
use flitwork_types::{Cycle, Due, Flit, Packets, Port, PortSet, Word};
use std::collections::VecDeque;

/// A node: its registers, and what is in transit to and from them if it is stepped word by word.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Delayed<S, L> {
    /// Its registers.
    pub registers: S,
    pub(super) lines: Lines<L>,
}

impl<S, L: LaneSet> Delayed<S, L> {
    /// A node with these registers and nothing in transit.
    pub fn new(registers: S, delays: &Delays) -> Delayed<S, L> {
        let longest = delays.credit_cycles.max(delays.injection_cycles).max(1);
        let slots = (longest as usize + 1).next_power_of_two();
        Delayed {
            registers,
            lines: Lines {
                crossing: Vec::new(),
                injected: VecDeque::new(),
                arriving: Vec::new(),
                credits: vec![L::default(); slots].into(),
                credited: 0,
                acts: false,
            },
        }
    }
}

impl<S, L> Delayed<S, L> {
    /// Bytes of what is in transit.
    pub fn heap_bytes(&self) -> usize {
        self.lines.crossing.len() * size_of::<(Cycle, Port, Word)>()
            + self.lines.injected.len() * size_of::<(Cycle, Lane, MailWord)>()
            + size_of_val(&*self.lines.credits)
    }
}

/// The delay lines of a node, each in the order of entry.
#[derive(Clone, Debug)]
pub struct Lines<L> {
    /// Words in transit to a link or to the processor, with the cycles in which they leave unless the link is full
    /// then.
    crossing: Vec<(Cycle, Port, Word)>,
    /// Words in transit from sources to local lanes.
    injected: VecDeque<(Cycle, Lane, MailWord)>,
    /// Those of them that arrive in the current cycle, at most one for each local port.
    pub(super) arriving: Vec<(Lane, MailWord)>,
    /// A ring, by the cycle from which they count: credits for output lanes, and the room in local lanes that the
    /// source knows of.
    credits: Box<[L]>,
    /// How many of these cycles bring any credit.
    credited: u32,
    /// Whether, after the latest cycle, the next one could do anything even if nothing arrived.
    pub(super) acts: bool,
}

impl<L: LaneSet> Lines<L> {
    /// Whether anything is in transit.
    #[inline]
    pub(super) fn flow(&self) -> bool {
        self.credited != 0 || !self.crossing.is_empty() || !self.injected.is_empty()
    }

    /// The first cycle from `now` on in which anything leaves a line, or `latest` if that comes first. A word that its
    /// link has refused leaves as soon as that takes it.
    pub(super) fn next(&self, now: Cycle, latest: Due) -> Due {
        let leaves = self.crossing.first().map(|(leaves, ..)| *leaves);
        let arrives = self.injected.front().map(|(arrives, ..)| *arrives);
        let next = latest.min(leaves.into()).min(arrives.into());
        if self.credited != 0 {
            let slots = self.credits.len() as u32;
            // Every credit lies less than a turn of the ring ahead.
            let soon = next.at_latest(now + slots);
            for cycle in now.0..soon.0 {
                if self.credits[(cycle & (slots - 1)) as usize] != L::default() {
                    return Cycle(cycle).into();
                }
            }
        }
        next.not_before(now)
    }

    /// A word begins its way to an output lane.
    #[inline]
    pub(super) fn cross(&mut self, leaves: Cycle, to: Lane, word: MailWord) {
        self.crossing.push((leaves, to.port, word.on(to.channel)));
    }

    /// A word begins its way from the source.
    #[inline]
    pub(super) fn inject(&mut self, arrives: Cycle, to: Lane, word: MailWord) {
        self.injected.push_back((arrives, to, word));
    }

    /// Credits for some lanes count from a later cycle on.
    #[inline]
    pub(super) fn credit(&mut self, from: Cycle, lanes: L) {
        let slot = &mut self.credits[from.0 as usize & (self.credits.len() - 1)];
        self.credited += u32::from(*slot == L::default());
        *slot |= lanes;
    }

    /// Words that are due leave, if their links take them: the first of those for each port.
    #[inline]
    pub(super) fn send<P: Probe>(
        &mut self,
        now: Cycle,
        local: Port,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let mut held = 0;
        for place in 0..self.crossing.len() {
            let (leaves, port, word) = self.crossing[place];
            let is_local = port >= local;
            let takes = inputs.sendable.contains(port) || is_local;
            if leaves <= now && takes && !outputs.sent.contains(port) {
                leave(now, (port, word), is_local, outputs, site);
            } else {
                self.crossing[held] = (leaves, port, word);
                held += 1;
            }
        }
        self.crossing.truncate(held);
    }

    /// The lanes whose credits count from now on.
    #[inline]
    pub(super) fn take_credits(&mut self, now: Cycle) -> L {
        let slot = &mut self.credits[now.0 as usize & (self.credits.len() - 1)];
        let usable = std::mem::take(slot);
        self.credited -= u32::from(usable != L::default());
        usable
    }

    /// The words under way from the source at a local port to a lane, those of a packet together, the first to arrive first.
    pub(super) fn entering(&self, packets: &Packets, port: Port) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let injected = self.injected.iter();
        for (_, _, word) in injected.filter(|(_, to, _)| to.port == port) {
            let packet = packets[word.packet].id;
            match parts.last_mut().filter(|part| part.packet == packet) {
                Some(part) => part.words += 1,
                None => parts.push(Part {
                    packet,
                    first: word.index,
                    words: 1,
                }),
            }
        }
        parts
    }

    /// Words from sources arrive at their local lanes.
    #[inline]
    pub(super) fn take_injected(&mut self, now: Cycle) {
        self.arriving.clear();
        while let Some((_, lane, word)) = self.injected.pop_front_if(|(at, ..)| *at <= now) {
            self.arriving.push((lane, word));
        }
    }

    /// The ports at which there are words under way from the source.
    pub(super) fn entered(&self) -> PortSet {
        self.injected.iter().map(|(_, to, _)| to.port).collect()
    }
}

/// A word leaves its node.
#[inline(always)]
pub(super) fn leave<P: Probe>(
    now: Cycle,
    (port, word): (Port, Word),
    is_delivered: bool,
    outputs: &mut Outputs<'_>,
    site: &mut Site<'_, P>,
) {
    outputs.send(port, word);
    if site.probe.wants(Reported::Words) || word.flit != Flit::Body {
        report(now, (port, word), is_delivered, site);
    }
}

#[inline(never)]
fn report<P: Probe>(
    now: Cycle,
    (port, word): (Port, Word),
    is_delivered: bool,
    site: &mut Site<'_, P>,
) {
    MailWord::of(word).leave(now, (port, word.channel), is_delivered, site);
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::PacketRef;

    const WORD: MailWord = MailWord {
        packet: PacketRef(0),
        index: 0,
        is_head: true,
        is_tail: true,
    };

    fn lane(port: u8) -> Lane {
        Lane {
            number: port.into(),
            port: Port(port),
            channel: 0,
        }
    }

    /// Credits take three cycles, so a ring of four.
    fn lines() -> Lines<u16> {
        let delays = Delays {
            word_cycles: 2,
            credit_cycles: 3,
            injection_cycles: 2,
        };
        Delayed::new((), &delays).lines
    }

    /// The first to leave is the next, whichever line it is in and whenever the node itself acts.
    #[test]
    fn the_first_of_all_lines_is_next() {
        // By the cycles in which a word leaves for a link, one comes from the source, and a credit counts.
        let cases = [
            ([None, None, None], None),
            ([Some(12), None, None], Some(12)),
            ([None, Some(12), None], Some(12)),
            ([None, None, Some(12)], Some(12)),
            ([Some(11), Some(12), Some(13)], Some(11)),
            ([Some(12), Some(11), Some(13)], Some(11)),
            ([Some(13), Some(12), Some(11)], Some(11)),
            ([Some(13), None, Some(13)], Some(13)),
            ([Some(90), None, Some(13)], Some(13)),
        ];
        for (leave, first) in cases {
            let mut lines = lines();
            if let Some(leaves) = leave[0] {
                lines.cross(Cycle(leaves), lane(1), WORD);
            }
            if let Some(arrives) = leave[1] {
                lines.inject(Cycle(arrives), lane(4), WORD);
            }
            if let Some(from) = leave[2] {
                lines.credit(Cycle(from), 1);
            }
            let first = Due::from(first.map(Cycle));
            assert_eq!(lines.next(Cycle(10), Due::NEVER), first, "{leave:?}");
            for acts in [10, 11, 12, 13, 14] {
                let next = first.min(Due::at(Cycle(acts)));
                let acts = Due::at(Cycle(acts));
                assert_eq!(lines.next(Cycle(10), acts), next, "{leave:?} {acts:?}");
            }
        }
    }

    /// What was to leave in cycle 11, and did not, is due at once.
    #[test]
    fn a_word_that_its_link_has_refused_is_due_now() {
        let mut lines = lines();
        lines.cross(Cycle(11), lane(1), WORD);
        let next = [10, 11, 15].map(|now| lines.next(Cycle(now), Due::NEVER));
        assert_eq!(next, [11, 11, 15].map(|at| Due::at(Cycle(at))));
    }
}
