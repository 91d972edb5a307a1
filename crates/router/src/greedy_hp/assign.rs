//! Which packet leaves by which outlink. Pure: it maps the packets of a node and cycle to ports.
//!
//! An assignment decides which packets advance, each in a file of its own with a line in the table below. Packets that
//! it leaves over take random free outlinks, whatever the assignment.

use super::{Arrival, Contenders, GreedyHp};
use arrayvec::ArrayVec;
use flitwork_node::{Draw, Rule, draw_below};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, NodeId, Port, PortSet};

/// A step's draws: those of the assignment, then one for each packet left over, then more of the assignment.
const LEFT_OVER_DRAWS: u32 = 64;
const FURTHER_DRAWS: u32 = 128;

/// Declares the assignments' files, and generates the choice and how each is called.
macro_rules! assignments {
    ($($(#[$usual:ident])? $file:ident::$assignment:ident = $name:literal),+ $(,)?) => {
        $(mod $file;)+

        /// How a node decides which packets advance, and over which outlinks.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Assignment {
            $(
                #[doc = concat!("See `greedy_hp/assign/", stringify!($file), ".rs`.")]
                $(#[$usual])?
                $assignment,
            )+
        }

        impl Assignment {
            /// Every assignment, sorted by name.
            pub const ALL: &[Assignment] = &[$(Assignment::$assignment),+];

            /// Moves the packets that advance from `hands` to `assigned`, and takes their outlinks out of `free`.
            #[inline]
            fn advance(
                self,
                here: Here<'_>,
                hands: &mut Contenders,
                free: &mut PortSet,
                note: &mut impl FnMut(Pick<'_>),
                assigned: &mut Departures,
            ) {
                match self {
                    $(Assignment::$assignment => $file::advance(here, hands, free, note, assigned),)+
                }
            }
        }

        flitwork_schema::named!(Assignment { $($assignment = $name),+ });
    };
}

// Every assignment, by name. A new one is a file and a line here.
assignments! {
    #[default]
    greedy::Greedy = "greedy",
    matching::Matching = "matching",
}

/// What an assignment may depend on beside the packets and their outlinks.
#[derive(Clone, Copy, Debug)]
struct Here<'a> {
    seed: u64,
    node: NodeId,
    now: Cycle,
    /// Outlinks in the first of the greedy assignment's two orders; the other is its reverse.
    order: &'a [Port],
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assigned {
    pub(super) arrival: Arrival,
    pub(super) port: Port,
    /// Whether the outlink isn't productive for it.
    pub(super) deroute: bool,
}

/// All packets that leave, in the order in which they are assigned.
pub(super) type Departures = ArrayVec<Assigned, MAX_PORTS>;

/// A packet is about to be assigned.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick<'a> {
    /// A packet advances over an outlink that is productive for it and others `among` these: it is the one of that
    /// number among them.
    Advances {
        rule: &'static Rule,
        port: Port,
        among: &'a [(Arrival, PortSet)],
        winner: u32,
        draw: Option<Draw>,
    },
    /// A packet that is left over takes the outlink of that number among `free` ones.
    LeftOver {
        port: Port,
        arrival: Arrival,
        free: u32,
        drawn: u32,
    },
}

impl<T: Topology> GreedyHp<T> {
    /// The outlink of each packet; there are no more packets than links. `note` is called with each pick.
    #[inline]
    pub(super) fn assign(
        &self,
        mut hands: Contenders,
        links: PortSet,
        node: NodeId,
        now: Cycle,
        mut note: impl FnMut(Pick<'_>),
    ) -> Departures {
        let here = Here {
            seed: self.seed,
            node,
            now,
            order: &self.order,
        };
        let (mut free, mut assigned) = (links, Departures::new());
        let assignment = self.assignment;
        assignment.advance(here, &mut hands, &mut free, &mut note, &mut assigned);
        for (index, (arrival, _)) in hands.into_iter().enumerate() {
            let index = LEFT_OVER_DRAWS + index as u32;
            let drawn = draw_below(free.len() as u32, self.seed, node, now, index);
            let port = free
                .iter()
                .nth(drawn as usize)
                .expect("a link is left for each packet");
            note(Pick::LeftOver {
                port,
                arrival,
                free: free.len() as u32,
                drawn,
            });
            assigned.push(Assigned {
                arrival,
                port,
                deroute: true,
            });
            free.remove(port);
        }
        assigned
    }
}

#[cfg(test)]
mod tests;
