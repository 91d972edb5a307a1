//! Half-duplex links: both directions between two neighbours share one wire, which carries a word a cycle.
//!
//! ```text
//!   node A                                    node B
//!   right here ──▶ words of a packet ──▶      right away         the last word carries the right,
//!   right away ◀──       right       ◀──      right here         an end with nothing to send passes it back
//! ```
//!
//! One end has the right to send. It keeps it for a whole packet, whose last word carries it to the other end; an end
//! that has nothing to send when the right comes passes it back at once. The right crosses the link like a word, with
//! the link's latency, and may be used once the wire has been turned around. So no end ever knows at once what the
//! other does, and of two ends that both have packets to send each sends one in turn.
//!
//! [`WireEnds`] are a node's registers, driven by what arrives; they make every pass explicit. On one clock the right
//! on an idle wire is always where arithmetic says: [`Wire`] knows both ends of a wire and makes no pass. Source:
//! Snyder, "The Chaos Router Chip" (University of Washington, CSEP 524, 2002, slides 177 to 185): "unidirectional
//! channels with alternating opportunity at the end of each packet".

mod ends;
mod wire;

pub use ends::WireEnds;
pub use wire::{SharedWires, Side, Wire};

#[cfg(test)]
mod tests;
