//! Who chooses first among the words in a node. One file each, and one line in [`PRIORITIES`].
//!
//! A priority puts the words of a node and cycle into an order, the same in each step of that cycle: the
//! first are ejected, get productive ports, and are deflected last. Livelock is a word that is deflected
//! for ever:
//!
//! | priority | a word is delivered | because |
//! |---|---|---|
//! | golden | within a bound, if epochs are long enough | in each epoch one packet is never deflected |
//! | greedy | with probability 1 | each word is first at each node with some probability |
//! | oldest first | within a bound | the oldest word in the network is never deflected |
//! | random | with probability 1 | as greedy |

mod golden;
pub(super) mod greedy;
mod oldest_first;
mod random;

pub use golden::Golden;

use flitwork_schema::Part;
use flitwork_types::{Cycle, NodeId, Packet};

/// Numbers of a step's draws: the greedy order's and its choices come first, at the places where the router
/// of [`crate::greedy_hp`] has them.
pub(super) mod draws {
    /// A word's place in a random order: one each input port, then the side buffer's.
    pub(in super::super) const RANK: u32 = 128;
    /// A port among several that are as good: one each word in its order.
    pub(in super::super) const PORT: u32 = 192;
}

/// Who chooses first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// One packet in the network before all others, which are in a random order.
    Golden(Golden),
    /// Each link looks for a word, as GreedyHP's do.
    Greedy,
    /// The word of the packet that was made first.
    OldestFirst,
    /// A random order, drawn anew in each cycle.
    Random,
}

/// A priority in the table.
#[derive(Clone, Copy, Debug)]
pub struct PriorityEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The priority; golden with its usual epochs.
    pub priority: Priority,
}

impl Part for PriorityEntry {
    const KIND: &'static str = "priority";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.summary
    }

    fn built_in() -> Vec<PriorityEntry> {
        PRIORITIES.to_vec()
    }
}

const fn entry(name: &'static str, priority: Priority, summary: &'static str) -> PriorityEntry {
    PriorityEntry {
        name,
        summary,
        priority,
    }
}

/// Every priority, sorted by name.
#[rustfmt::skip]
pub const PRIORITIES: &[PriorityEntry] = &[
    entry("golden", Priority::Golden(Golden::USUAL), "one packet of the network before all others, each in its turn; the rest at random"),
    entry("greedy", Priority::Greedy, "each link takes a random word that it is productive for; the rest anywhere"),
    entry("oldest-first", Priority::OldestFirst, "the words of packets made earlier before those of packets made later"),
    entry("random", Priority::Random, "a random order, drawn anew in each cycle"),
];

/// A word's place in the order of a node and cycle: less comes first.
pub(super) type Rank = u128;

/// What an order may look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    /// What the word carries with it.
    pub(super) packet: &'a Packet,
    /// Its place in its packet.
    pub(super) index: u16,
    /// The number of the draw that is its own in this step.
    pub(super) draw: u32,
}

/// Where and when an order is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) seed: u64,
    pub(super) node: NodeId,
    pub(super) now: Cycle,
    /// How many nodes the network has.
    pub(super) nodes: u32,
}

impl Priority {
    /// What users call it.
    pub fn name(&self) -> &'static str {
        let same = |entry: &&PriorityEntry| {
            std::mem::discriminant(&entry.priority) == std::mem::discriminant(self)
        };
        let entry = PRIORITIES.iter().find(same);
        entry.expect("each priority is in the table").name
    }

    /// A word's place in the order.
    #[inline]
    pub(super) fn rank(&self, candidate: Candidate<'_>, here: Here) -> Rank {
        match self {
            Priority::Golden(golden) => golden.rank(candidate, here),
            Priority::OldestFirst => oldest_first::rank(candidate),
            Priority::Greedy | Priority::Random => random::rank(candidate, here),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_knows_every_priority() {
        assert!(PRIORITIES.is_sorted_by_key(|entry| entry.name));
        for entry in PRIORITIES {
            assert_eq!(entry.priority.name(), entry.name);
        }
        let other = Priority::Golden(Golden {
            epoch_cycles: 1,
            transactions: 1,
        });
        assert_eq!(other.name(), "golden");
    }
}
