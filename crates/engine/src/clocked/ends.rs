//! What stands at a node's ports, and which of it the node sees.

use flitwork_types::{Port, PortSet};

/// What waits at a node's ports and what its links take, one bit per port.
#[derive(Clone, Copy, Default)]
pub(super) struct Ends {
    /// Ports with words under way or waiting.
    pub(super) words: PortSet,
    /// The same for credits.
    pub(super) credits: PortSet,
    /// Ports over which the far end reports that it has taken words.
    pub(super) taken: PortSet,
    /// Links that take no word.
    pub(super) full: PortSet,
    /// Links over which it is reported back that a word has been taken.
    pub(super) reports: PortSet,
    /// Links whose far end has another clock, with the usual crossing.
    pub(super) crossing: PortSet,
    /// Those with another crossing.
    pub(super) special: PortSet,
}

/// The times up to which arrivals are seen at a tick, in ps.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Over a link whose ends share a clock.
    pub(super) shared_ps: u64,
    /// Over one that crosses as usual.
    pub(super) crossed_ps: u64,
}

/// How a node sees what stands at a port whose crossing isn't the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight {
    /// Edges after the first at which it was sampled.
    pub(super) edges: u32,
    /// How long before an edge it must stand there to be sampled at it, in ps.
    pub(super) margin_ps: u64,
    /// Whether it must stand there when the edge is requested: the clock waits for it.
    pub(super) pauses: bool,
}

/// How all nodes see, and the last ticks of the domain whose turn it is.
#[derive(Clone, Default)]
pub(super) struct Sights {
    /// By the node and port at which a link ends; empty if all crossings are the usual one.
    of: Vec<Sight>,
    /// The time of the tick as many edges ago as the place says, in ps; 0 if there have not been that many.
    past_ps: Vec<u64>,
    /// When the tick now was requested, in ps.
    requested_ps: u64,
}

impl Sights {
    /// Of links with these crossings; none if all are the usual one.
    pub(super) fn new(of: Vec<Sight>) -> Sights {
        let most = of.iter().map(|sight| sight.edges as usize).max();
        Sights {
            past_ps: vec![0; most.map_or(0, |edges| edges + 1)],
            requested_ps: 0,
            of,
        }
    }

    /// Whether all crossings are the usual one.
    #[inline]
    pub(super) fn are_usual(&self) -> bool {
        self.of.is_empty()
    }

    /// The last ticks of the domain whose turn it is, to be filled in: the one now, which was requested at
    /// `requested_ps`, and those before it.
    pub(super) fn past_ps(&mut self, requested_ps: u64) -> &mut [u64] {
        self.requested_ps = requested_ps;
        &mut self.past_ps
    }

    /// The time up to which arrivals at a port are seen, in ps.
    #[inline]
    pub(super) fn limit_ps(&self, seen: Seen, ends: &Ends, port: Port, link: usize) -> u64 {
        if ends.crossing.contains(port) {
            seen.crossed_ps
        } else if !ends.special.contains(port) {
            seen.shared_ps
        } else {
            self.special_ps(link)
        }
    }

    #[inline(never)]
    fn special_ps(&self, link: usize) -> u64 {
        match self.of[link] {
            Sight { pauses: true, .. } => self.requested_ps,
            Sight {
                edges, margin_ps, ..
            } => self.past_ps[edges as usize].saturating_sub(margin_ps),
        }
    }
}
