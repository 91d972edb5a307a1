//! Whether two neighbouring nodes can block each other for good, from how their links are timed: what a router
//! asks that has one frame at each end of a link and needs the other's room to make its own.

use std::fmt;

/// How long a packet's way over a link takes, as its engine times links and clocks.
pub trait Crossing {
    /// Whether two neighbours always exchange packets of `words` words, which are ready `lag_cycles` after
    /// their heads came.
    fn exchange(&self, words: u16, lag_cycles: u32) -> Exchange;
}

/// What is known of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// They can't block each other: the link crosses within the given cycles.
    WithinCycles(u32),
    /// They can't, although they have clocks of their own.
    WithinClocks,
    /// They may: a packet may be seen only after as many cycles.
    AfterCycles(u32),
    /// They may, with these clocks and synchronizers.
    AfterClocks,
    /// They may, as nothing bounds how late a packet is seen.
    Unbounded,
}

impl Exchange {
    /// Whether they can't block each other.
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
                "neighbours exchange packets, as one is seen {} after it was sent and takes no less to leave",
                cycles(crossing)
            ),
            Exchange::WithinClocks => f.write_str(
                "neighbours exchange packets, as one is seen, whatever their clocks do, before the next is decided on",
            ),
            Exchange::AfterCycles(ready) => write!(
                f,
                "a packet may be ready only {} after it was sent, later than the next is decided on, so that stalled \
                 packets make room behind output frames that wait, too",
                cycles(ready)
            ),
            Exchange::AfterClocks => f.write_str(
                "with these clocks a packet may be seen only after the next was decided on, so that stalled packets \
                 make room behind output frames that wait, too",
            ),
            Exchange::Unbounded => f.write_str(
                "nothing bounds how late a packet is seen, so that stalled packets make room behind output frames \
                 that wait, too",
            ),
        }
    }
}
