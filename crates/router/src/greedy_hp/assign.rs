//! Which packet leaves by which outlink. Pure: it maps the packets of a node and cycle to ports.
//!
//! An assignment decides which packets advance, each in a file of its own with a line in the table below. Packets that
//! it leaves over take random free outlinks, whatever the assignment.

use super::{Arrival, Contenders, GreedyHp};
use arrayvec::ArrayVec;
use flitwork_node::{Draw, Place, Rule, draw_below};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, NodeId, PacketId, Packets, Port, PortSet};

/// A step's draws: those of the assignment, then one for each packet left over, then more of the assignment.
const LEFT_OVER_DRAWS: u32 = 64;
const FURTHER_DRAWS: u32 = 128;

/// Declares the assignments' files, and generates the choice and how each is called.
macro_rules! assignments {
    ($($(#[$usual:ident])? $file:ident::$assignment:ident = $name:literal),+ $(,)?) => {
        $(pub(crate) mod $file;)+

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
            /// Moves the packets that advance from `hands` to `assigned`, and takes their outlinks out of `free`.
            #[inline]
            fn advance(
                self,
                here: Here<'_>,
                hands: &mut Contenders,
                free: &mut PortSet,
                note: &mut impl FnMut(Pick<'_, Hand>),
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
pub(crate) struct Here<'a> {
    pub(crate) seed: u64,
    pub(crate) node: NodeId,
    pub(crate) now: Cycle,
    /// Outlinks in the first of the greedy assignment's two orders; the other is its reverse.
    pub(crate) order: &'a [Port],
}

/// A packet that must leave, or a word of a router whose words are routed independently.
pub(crate) trait Contender: Copy {
    /// Whether an outlink is productive for it.
    fn wants(&self, port: Port) -> bool;

    /// Its packet, and where it is.
    fn placed(&self, packets: &Packets) -> (PacketId, Place);
}

/// A packet that must leave, and the ports that are productive for it.
pub(super) type Hand = (Arrival, PortSet);

impl Contender for Hand {
    #[inline]
    fn wants(&self, port: Port) -> bool {
        self.1.contains(port)
    }

    fn placed(&self, packets: &Packets) -> (PacketId, Place) {
        (packets[self.0.packet].id, Place::Input(self.0.port))
    }
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
pub(crate) enum Pick<'a, H> {
    /// A packet advances over an outlink that is productive for it and others `among` these: it is the one of that
    /// number among them.
    Advances {
        rule: &'static Rule,
        port: Port,
        among: &'a [H],
        winner: u32,
        draw: Option<Draw>,
    },
    /// A packet that is left over takes the outlink of that number among `free` ones.
    LeftOver {
        port: Port,
        hand: H,
        free: u32,
        drawn: u32,
    },
}

/// The outlinks of a node with this many ports, in the first of the greedy assignment's two orders.
pub(crate) fn link_order(ports: usize) -> Vec<Port> {
    // North, south, east, west are ports 0, 2, 1, 3 of a plane.
    crate::routes::ports_from([0, 2, 1, 3], ports)
}

/// The packets that are left over take random free outlinks; there are no more packets than outlinks. Each is passed to
/// `take` with its outlink.
#[inline]
pub(crate) fn leave_over<H: Contender>(
    here: Here<'_>,
    hands: impl IntoIterator<Item = H>,
    mut free: PortSet,
    note: &mut impl FnMut(Pick<'_, H>),
    mut take: impl FnMut(H, Port),
) {
    for (index, hand) in hands.into_iter().enumerate() {
        let index = LEFT_OVER_DRAWS + index as u32;
        let drawn = draw_below(free.len() as u32, here.seed, here.node, here.now, index);
        let port = free
            .iter()
            .nth(drawn as usize)
            .expect("a link is left for each packet");
        note(Pick::LeftOver {
            port,
            hand,
            free: free.len() as u32,
            drawn,
        });
        take(hand, port);
        free.remove(port);
    }
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
        mut note: impl FnMut(Pick<'_, Hand>),
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
        leave_over(here, hands, free, &mut note, |(arrival, _), port| {
            assigned.push(Assigned {
                arrival,
                port,
                deroute: true,
            });
        });
        assigned
    }
}

#[cfg(test)]
mod tests;
