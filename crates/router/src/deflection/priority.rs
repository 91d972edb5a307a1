//! Who chooses first among the words in a node. Each priority has a file, and a line in [`PRIORITIES`].
//!
//! A priority puts the words of a node and cycle into an order, the same in each step of that cycle: the
//! first words are ejected, get productive ports, and are deflected last. Livelock means that a word is
//! deflected forever:
//!
//! | priority | a word is delivered | because |
//! |---|---|---|
//! | golden | within a bound, if epochs are long enough | in each epoch one packet is never deflected |
//! | greedy | with probability 1 | each word is first at each node with some probability |
//! | oldest first | within a bound | the oldest word in the network is never deflected |
//! | random | with probability 1 | as greedy |

pub use golden::Golden;

use crate::parameters::Livelock;
use flitwork_types::{Cycle, NodeId, Packet};

/// The numbers of a step's draws; those of the greedy order and its choices come first, as in the router of
/// [`crate::greedy_hp`].
pub(super) mod draws {
    use flitwork_types::MAX_PORTS;

    /// A word's place in a random order: one for each input port, then the side buffer's.
    const RANK: u32 = 128;
    /// A port among several equally good ones: one for each word, by its order.
    pub(in super::super) const PORT: u32 = 192;
    /// The side buffer's place in the order at a node with all the ports that there can be: the number after its ports' is that of a
    /// port among several.
    const LAST_RANK: u32 = PORT + MAX_PORTS as u32;

    /// The number of the draw of a port's word, or of the side buffer's after those of so many ports.
    #[inline]
    pub(in super::super) fn rank(port: Option<u8>, ports: usize) -> u32 {
        match port {
            Some(port) => RANK + u32::from(port),
            None if ports == MAX_PORTS => LAST_RANK,
            None => RANK + ports as u32,
        }
    }
}

/// Declares the priorities' files and generates from them the table and the enum by which the order is
/// compiled into the router's inner loop. A further parameter of a priority has a name and a type.
macro_rules! priorities {
    ($($file:ident::$priority:ident $(($option:ident: $type:ty))?),+ $(,)?) => {
        $(pub(super) mod $file;)+

        /// Who chooses first; its file says by which rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Priority {
            $(
                #[doc = concat!("See `deflection/priority/", stringify!($file), ".rs`.")]
                $priority $(($type))?,
            )+
        }

        /// Every priority, sorted by name.
        pub const PRIORITIES: &[PriorityEntry] = &[$($file::ENTRY),+];

        impl Priority {
            /// What users call it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Priority::$priority { .. } => $file::ENTRY.name,)+
                }
            }

            /// A word's place in the order.
            #[inline]
            pub(super) fn rank(&self, candidate: Candidate<'_>, here: Here) -> Rank {
                match self {
                    $(Priority::$priority $(($option))? => $file::rank($($option,)? candidate, here),)+
                }
            }

            /// Cycles within which a flit that enters the network is delivered, if there is a bound. The
            /// first flit in the network is delivered within `home` cycles; `before` is the number of flits
            /// that precede this one.
            pub(super) fn bound_cycles(&self, home: u64, terminals: u32, before: u64) -> Option<u64> {
                match self {
                    $(Priority::$priority $(($option))? => {
                        $file::bound_cycles($($option,)? home, terminals, before)
                    })+
                }
            }

            /// What is known about livelock if there is no bound.
            pub(super) fn livelock(&self, is_in_step: bool) -> Livelock {
                match self {
                    $(Priority::$priority { .. } => $file::livelock(is_in_step),)+
                }
            }
        }
    };
}

priorities! {
    golden::Golden(golden: Golden),
    greedy::Greedy,
    oldest_first::OldestFirst,
    random::Random,
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

flitwork_schema::part!(PriorityEntry { name, summary }: "priority", PRIORITIES.to_vec());

/// A word's place in the order of a node and cycle; lower ranks go first.
pub(super) type Rank = u128;

/// What an order may depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    /// The record that the word carries.
    pub(super) packet: &'a Packet,
    /// Its place in its packet.
    pub(super) index: u16,
    /// The number of its draw in this step.
    pub(super) draw: u32,
}

/// Where and when an order is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) seed: u64,
    pub(super) node: NodeId,
    pub(super) now: Cycle,
    /// How many terminals the network has.
    pub(super) terminals: u32,
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
