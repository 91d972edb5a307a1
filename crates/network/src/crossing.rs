//! What happens where a word or a credit crosses from one clock to another.

use crate::delay::Arbiter;

/// A crossing, as the receiving end sees it. A word or a credit is seen at the first tick that is `edges` ticks after
/// one at least `margin_ps` after it came to stand there.
///
/// A self-timed receiver has no edges, and sees what stands there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// Edges of the receiver's clock that everything waits.
    pub edges: u32,
    /// How long before an edge something must stand there to be sampled at it, in ps.
    pub margin_ps: u64,
    /// The words that the link holds; `None` for as many as others.
    pub capacity_words: Option<u32>,
    /// How the receiver's clock waits for what comes; `None` if it doesn't.
    pub pause: Option<Pause>,
    /// The flip-flops that sample what comes; `None` if none of them can become metastable.
    pub flops: Option<Flops>,
}

/// How a clock waits for what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// How long after an arrival the clock may tick next, in ps; less than its period.
    pub transfer_ps: u64,
    /// What decides between an arrival and the clock's next edge; at once if `None`.
    pub arbiter: Option<Arbiter>,
}

impl Pause {
    /// The longest that it delays a tick, in ps.
    pub fn longest_ps(self) -> u64 {
        let decides_ps = self.arbiter.map_or(0, Arbiter::longest_ps);
        self.transfer_ps.max(decides_ps)
    }
}

/// The longest that any of these crossings delays a tick, in ps.
pub(crate) fn longest_pause_ps<'a>(crossings: impl Iterator<Item = &'a Crossing>) -> u64 {
    let pauses = crossings.filter_map(|crossing| crossing.pause);
    pauses.map(Pause::longest_ps).max().unwrap_or(0)
}

/// Flip-flops that may become metastable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flops {
    /// What comes within as many ps before an edge leaves the first of them undecided.
    pub window_ps: u64,
    /// The time constant with which it decides, in ps.
    pub tau_ps: u64,
}

impl Crossing {
    /// A synchronizer of that many edges that never fails.
    pub fn synchronizer(edges: u32) -> Crossing {
        Crossing {
            edges,
            ..Crossing::default()
        }
    }
}
