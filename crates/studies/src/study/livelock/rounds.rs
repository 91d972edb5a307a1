//! When a livelock on a ring ends, from the clocks alone: what each packet does until one gets past its neighbour.
//!
//! Every packet goes to and fro between its source A and the next node east, B:
//!
//! ```text
//!   A   east input ── bypass ──▶ east output ─┐        ┌── west output ◀── deroute ── multiqueue ◀── west input   B
//!           ▲                                 └────────┼───────────────────────────────────────────────▲
//!           └──────────────────────────────────────────┘
//! ```
//!
//! At B it wants to go on east. That output is occupied by B's own packet, which does the same one node on; so it enters the
//! multiqueue, which is full then, and is derouted west. Packets meet only inside nodes: each node has the rounds of two packets,
//! its own and the western neighbour's. Under one clock, and under clocks of one period, all rounds take as many ticks: what a
//! crossing waits for an edge one way, it doesn't wait on the way back. If periods differ, rounds do, and the two of a node shift
//! against each other, a tick at a time. The livelock ends when the western packet finds the east output free.
//!
//! This follows the rounds by the published rules, with what a packet can do until then: three decisions a round. It needs the
//! phases and periods of the clocks, and no network.

use flitwork_network::Periodic;

/// What the routers and links of a ring have in common. All in cycles but the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    pub(super) words: u64,
    /// From a decision until the head is in its new frame.
    pub(super) decision: u64,
    /// From the decision that releases an input frame until a neighbour one cycle away can send into it again.
    pub(super) release: u64,
    /// From an output frame's being empty until it can be decided on again.
    pub(super) reopen: u64,
    /// For how long a packet waits before it may enter the multiqueue.
    pub(super) threshold: u64,
    /// Of the receiver at a crossing.
    pub(super) edges: u64,
    pub(super) link_ps: u64,
    /// Whether destinations are opposite: packets may leave their sources either way.
    pub(super) opposite: bool,
}

/// Where a packet waits, and since which tick it has been ready there.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// At its source.
    EastInput(u64),
    /// At the next node.
    WestInput(u64),
    Multiqueue(u64),
}

/// A packet in its rounds. Ticks are of its source for the east output, and of the next node for the west output.
#[derive(Clone, Copy, Debug)]
struct Packet {
    place: Place,
    /// From when on the output frames can be decided on.
    east_open: u64,
    west_open: u64,
    /// From when on the input frames at the links' far ends are known to be free.
    east_credit: u64,
    west_credit: u64,
}

/// A ring in livelock.
struct Rounds<'a> {
    clocks: &'a [Periodic],
    rules: Rules,
    packets: Vec<Packet>,
    /// Of each node, the tick of its next decision at the earliest, and whether the scan begins east.
    next: Vec<(u64, bool)>,
}

/// When the first packet decides to get past its neighbour, in ps; none if none does until then. Clocks are those of the nodes, from
/// west to east.
pub(super) fn first_escape_ps(clocks: &[Periodic], rules: Rules, until_ps: u64) -> Option<u64> {
    let mut rounds = Rounds {
        clocks,
        rules,
        packets: vec![Packet::INJECTED; clocks.len()],
        next: vec![(1, false); clocks.len()],
    };
    for node in 0..clocks.len() {
        rounds.goes_east(node, 0);
    }
    loop {
        let due = (0..clocks.len()).filter_map(|node| {
            let tick = rounds.due(node)?;
            Some((tick_ps(&clocks[node], tick), node, tick))
        });
        let (ps, node, tick) = due.min()?;
        if ps > until_ps {
            return None;
        }
        if rounds.decide(node, tick) {
            return Some(ps);
        }
    }
}

impl Packet {
    const INJECTED: Packet = Packet {
        place: Place::EastInput(0),
        east_open: 0,
        west_open: 0,
        east_credit: 0,
        west_credit: 0,
    };
}

impl Rounds<'_> {
    fn west_of(&self, node: usize) -> usize {
        (node + self.clocks.len() - 1) % self.clocks.len()
    }

    fn east_of(&self, node: usize) -> usize {
        (node + 1) % self.clocks.len()
    }

    /// When each output of a node is interesting: east and west.
    fn interesting(&self, node: usize) -> (Option<u64>, Option<u64>) {
        let (own, other) = (&self.packets[node], &self.packets[self.west_of(node)]);
        let own_since = match own.place {
            Place::EastInput(since) => Some(since),
            _ => None,
        };
        let (east, west) = match other.place {
            Place::Multiqueue(since) => (Some(since), Some(since)),
            Place::WestInput(since) => {
                let sooner = own_since.map_or(since, |own| own.min(since));
                (Some(sooner), Some(since + self.rules.threshold))
            }
            Place::EastInput(_) => (own_since, None),
        };
        let is_full = matches!(other.place, Place::Multiqueue(_));
        let own_west = own_since.filter(|_| self.rules.opposite && !is_full);
        let west = [west, own_west].into_iter().flatten().min();
        (
            east.map(|since| since.max(own.east_open)),
            west.map(|since| since.max(other.west_open)),
        )
    }

    /// The tick of a node's next decision.
    fn due(&self, node: usize) -> Option<u64> {
        let (east, west) = self.interesting(node);
        let soonest = [east, west].into_iter().flatten().min()?;
        Some(soonest.max(self.next[node].0))
    }

    /// A node's decision. Returns whether a packet gets past its neighbour by it.
    fn decide(&mut self, node: usize, tick: u64) -> bool {
        let (east, west) = self.interesting(node);
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= tick);
        let begins_east = self.next[node].1;
        let goes_east = is_due(east) && (begins_east || !is_due(west));
        self.next[node] = (tick + 1, !goes_east);
        let neighbour = self.west_of(node);
        let waits = |place: Place| match place {
            Place::EastInput(since) => Some(since).filter(|since| *since <= tick),
            _ => None,
        };
        let own = waits(self.packets[node].place);
        match (self.packets[neighbour].place, goes_east) {
            (Place::Multiqueue(_), true) => true,
            (Place::Multiqueue(since), false) => {
                debug_assert!(since <= tick);
                self.goes_west(node, tick);
                false
            }
            (Place::WestInput(since), true) if own.is_none_or(|own| since < own) => true,
            (_, true) => {
                self.goes_east(node, tick);
                false
            }
            (_, false) if self.rules.opposite && own.is_some() => true,
            (_, false) => {
                self.enters(node, tick);
                false
            }
        }
    }

    /// A node's own packet goes east.
    fn goes_east(&mut self, node: usize, tick: u64) {
        let Rules {
            words,
            decision,
            release,
            reopen,
            ..
        } = self.rules;
        let far = self.east_of(node);
        let head = (tick + decision).max(self.packets[node].east_credit);
        let since = self.seen(node, head, far);
        // The frame that it leaves at its source takes the next one from the east.
        let west_credit = match tick {
            0 => 0,
            _ => self.seen(node, tick + release - 1, far),
        };
        let packet = &mut self.packets[node];
        packet.place = Place::WestInput(since);
        packet.east_open = head + words + reopen;
        packet.west_credit = west_credit;
    }

    /// The packet from a node's west enters the multiqueue.
    fn enters(&mut self, node: usize, tick: u64) {
        let near = self.west_of(node);
        let east_credit = self.seen(node, tick + self.rules.release - 1, near);
        let packet = &mut self.packets[near];
        packet.place = Place::Multiqueue(tick + self.rules.decision);
        packet.east_credit = east_credit;
    }

    /// The packet in a node's multiqueue goes west.
    fn goes_west(&mut self, node: usize, tick: u64) {
        let near = self.west_of(node);
        let head = (tick + self.rules.decision).max(self.packets[near].west_credit);
        let since = self.seen(node, head, near);
        let packet = &mut self.packets[near];
        packet.place = Place::EastInput(since);
        packet.west_open = head + self.rules.words + self.rules.reopen;
    }

    /// The tick of a neighbour at which it sees what leaves at a node's tick.
    fn seen(&self, node: usize, tick: u64, by: usize) -> u64 {
        let (from, to) = (&self.clocks[node], &self.clocks[by]);
        let arrives_ps = tick_ps(from, tick) + self.rules.link_ps;
        let edges = match from == to {
            true => 0,
            false => self.rules.edges,
        };
        first_tick(to, arrives_ps) + edges
    }
}

/// When a clock ticks without anything that is drawn, in ps.
fn tick_ps(clock: &Periodic, tick: u64) -> u64 {
    let billion = 1_000_000_000;
    let rate = i128::from(clock.period_ps) * (billion + i128::from(clock.drift_ppb));
    clock.phase_ps + (i128::from(tick) * rate / billion) as u64
}

/// The first tick at a time or after it.
fn first_tick(clock: &Periodic, ps: u64) -> u64 {
    let period = clock.period_ps as f64 * (1.0 + f64::from(clock.drift_ppb) * 1e-9);
    let about = (ps.saturating_sub(clock.phase_ps) as f64 / period) as u64;
    let from = about.saturating_sub(1);
    (from..)
        .find(|tick| tick_ps(clock, *tick) >= ps)
        .unwrap_or(from)
}
