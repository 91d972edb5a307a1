//! Whether two neighbouring nodes can block each other forever, given the timing of their links: for a router
//! with one frame at each end of a link, which needs room in the neighbour's frame to empty its own.

use std::fmt;

/// How long a packet takes to cross a link, under its engine's timing of links and clocks.
pub trait Crossing {
    /// Whether two neighbours always exchange packets that leave like this.
    fn exchange(&self, leaving: Leaving) -> Exchange;

    /// The cycles that a word or a credit takes over the longest link; `None` where handshakes, nodes that don't tick
    /// together or the host decide that.
    fn longest_link_cycles(&self) -> Option<u32>;
}

/// How packets leave the frame that they wait in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Words of a packet: one leaves per cycle.
    pub words: u16,
    /// Cycles from the frame's being empty until the next packet is decided on, at the earliest.
    pub reopen_cycles: u32,
    /// Cycles from the arrival of a head at the far end until its packet is ready there.
    pub lag_cycles: u32,
}

impl Leaving {
    /// Cycles from a head's departure until the next packet is decided on, at the earliest.
    pub fn cycles(self) -> u32 {
        self.reopen_cycles.saturating_add(self.words.into())
    }
}

/// What is known about two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// They can't block each other: the link crosses within the given cycles.
    WithinCycles(u32),
    /// They can't, although each has its own clock.
    WithinClocks,
    /// They may: a packet may take this many cycles to be seen.
    AfterCycles(u32),
    /// They may, with these clocks and synchronizers.
    AfterClocks,
    /// They may: nothing bounds how late a packet is seen.
    Unbounded,
}

impl Exchange {
    /// Between nodes that are always in the same cycle, over a link that takes so many cycles.
    pub fn of_cycles(leaving: Leaving, crossing_cycles: u32) -> Exchange {
        let ready = crossing_cycles.saturating_add(leaving.lag_cycles);
        match ready <= leaving.cycles() {
            true => Exchange::WithinCycles(crossing_cycles),
            false => Exchange::AfterCycles(ready),
        }
    }

    /// Whether they certainly can't block each other.
    pub fn is_sure(self) -> bool {
        matches!(self, Exchange::WithinCycles(_) | Exchange::WithinClocks)
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = |cycles: u32| match cycles {
            1 => "1 cycle".to_owned(),
            more => format!("{more} cycles"),
        };
        match *self {
            Exchange::WithinCycles(crossing) => write!(
                f,
                "neighbours can exchange packets: each sees the other's packet {} after it was sent, before it decides on its next one",
                cycles(crossing)
            ),
            Exchange::WithinClocks => f.write_str(
                "neighbours can exchange packets: whatever their clocks do, each sees the other's packet before it decides on its next one",
            ),
            Exchange::AfterCycles(ready) => write!(
                f,
                "a packet may be ready only {} after it was sent, when the next one may have been decided on, so stalled \
                 packets also make room behind output frames that wait",
                cycles(ready)
            ),
            Exchange::AfterClocks => f.write_str(
                "with these clocks a packet may be seen only after the next one was decided on, so stalled packets also \
                 make room behind output frames that wait",
            ),
            Exchange::Unbounded => f.write_str(
                "nothing bounds how late a packet is seen, so stalled packets also make room behind output frames \
                 that wait",
            ),
        }
    }
}
