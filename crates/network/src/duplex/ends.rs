//! The ends of half-duplex wires at one node, driven by what arrives.

use flitwork_types::{Cycle, Due, Port, PortSet, Word};

/// One end of a half-duplex wire: where the right to send is, as far as this end knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WireEnd {
    /// At the other end, or on its way.
    Away,
    /// Here; it may be used from this cycle on.
    Here(Cycle),
    /// Here, and a packet is leaving.
    Sending,
}

/// A node's ends of half-duplex wires, by port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireEnds {
    ends: Box<[WireEnd]>,
    turnaround_cycles: u32,
    /// The ports at which the right is.
    here: PortSet,
}

impl WireEnds {
    /// The ends of a node with this many link ports before its first cycle, with the right to send at the ports of
    /// `first`.
    pub fn new(links: usize, turnaround_cycles: u32, first: PortSet) -> WireEnds {
        let end = |port: usize| match first.contains(Port(port as u8)) {
            true => WireEnd::Here(Cycle::ZERO),
            false => WireEnd::Away,
        };
        WireEnds {
            ends: (0..links).map(end).collect(),
            turnaround_cycles,
            here: first,
        }
    }

    /// The right to send arrives at a port in cycle `now`.
    ///
    /// # Panics
    /// If it is here already: there is one for each wire.
    #[inline]
    pub fn receive(&mut self, port: Port, now: Cycle) {
        let end = &mut self.ends[port.index()];
        assert!(
            *end == WireEnd::Away,
            "the right to send arrives at {port:?}, where it is: {end:?}"
        );
        *end = WireEnd::Here(now + self.turnaround_cycles);
        self.here.insert(port);
    }

    /// The ports whose wires may carry a word from here in cycle `now`.
    #[inline]
    pub fn sendable(&self, now: Cycle) -> PortSet {
        let may_send = |port: &Port| match self.ends[port.index()] {
            WireEnd::Away => false,
            WireEnd::Here(from) => from <= now,
            WireEnd::Sending => true,
        };
        self.here.iter().filter(may_send).collect()
    }

    /// The node has sent `words` (by port) at the ports of `sent` in cycle `now`, and nothing at others. Returns the
    /// ports at which it passes the right on without a word: with a last word the right leaves as well.
    ///
    /// # Panics
    /// If it has sent without the right.
    #[inline]
    pub fn pass(&mut self, now: Cycle, sent: PortSet, words: &[Word]) -> PortSet {
        let mut passed = PortSet::EMPTY;
        for port in PortSet(self.here.0 | sent.0 & low(self.ends.len())).iter() {
            let end = &mut self.ends[port.index()];
            let word = sent.contains(port).then(|| words[port.index()].flit);
            *end = match (*end, word) {
                (WireEnd::Here(from), Some(flit)) if from <= now && flit.is_head() => {
                    match flit.is_tail() {
                        true => WireEnd::Away,
                        false => WireEnd::Sending,
                    }
                }
                (WireEnd::Sending, Some(flit)) if !flit.is_head() => match flit.is_tail() {
                    true => WireEnd::Away,
                    false => WireEnd::Sending,
                },
                (WireEnd::Here(from), None) if from <= now => {
                    passed.insert(port);
                    WireEnd::Away
                }
                (held, None) => held,
                (held, Some(flit)) => {
                    panic!(
                        "a {flit:?} leaves at {port:?} in cycle {now}; the right to send: {held:?}"
                    )
                }
            };
            if *end == WireEnd::Away {
                self.here.remove(port);
            }
        }
        passed
    }

    /// The first cycle from `now` on in which an end would pass the right on if the node sent nothing;
    /// never if the right is nowhere here but with a packet that is leaving.
    pub fn next_pass(&self, now: Cycle) -> Due {
        let passes = self.here.iter().map(|port| match self.ends[port.index()] {
            WireEnd::Here(from) => Some(from),
            WireEnd::Away | WireEnd::Sending => None,
        });
        Due::soonest(passes).not_before(now)
    }
}

/// The bits of the first `count` ports.
#[inline]
fn low(count: usize) -> u64 {
    PortSet::first(count).0
}
