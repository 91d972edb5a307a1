//! Which of the packets that want a link goes first.

use super::Queueing;
use super::frames::Frame;
use flitwork_node::{Rule, draw};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Port};

/// Declares the orders: each with its name, its rank, and its rule.
macro_rules! orders {
    ($($order:ident = $name:literal, $summary:literal, $source:literal, $rank:expr;)+) => {
        /// An order of packets that want the same link: the least rank goes first; of equals, the packet that came first,
        /// and of those that came at once, that of the lowest port.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Order {
            $(
                #[doc = $summary]
                $order,
            )+
        }

        flitwork_schema::named!(Order { $($order = $name),+ });

        impl Order {
            /// Its rule.
            pub(super) fn rule(self) -> &'static Rule {
                match self {
                    $(Order::$order => {
                        static RULE: Rule = Rule { name: $name, summary: $summary, source: $source };
                        &RULE
                    })+
                }
            }

            /// A packet's rank.
            #[inline]
            fn rank(self, packet: &Ranked<'_, impl Topology>) -> u64 {
                match self {
                    $(Order::$order => ($rank)(packet),)+
                }
            }
        }
    };
}

#[rustfmt::skip]
orders! {
    FarthestFirst = "farthest-first",
        "The packet that has the farthest to go in the link's dimension goes first.",
        "Leighton 1992, page 159; Chinn 1995, section 2.4.5",
        |it: &Ranked<'_, _>| (u32::MAX - it.along()).into();
    Fifo = "fifo",
        "The packet that came first goes first.",
        "Chinn 1995, section 2.1",
        |it: &Ranked<'_, _>| it.frame.arrived.0.into();
    Lifo = "lifo",
        "The packet that came last goes first.",
        "the order that is the opposite of fifo",
        |it: &Ranked<'_, _>| (u32::MAX - it.frame.arrived.0).into();
    NearestFirst = "nearest-first",
        "The packet that has the nearest to go in the link's dimension goes first.",
        "Chinn 1995, section 2.4.5",
        |it: &Ranked<'_, _>| it.along().into();
    Random = "random",
        "A number is drawn for each packet in each cycle, and the least goes first.",
        "the node's random stream",
        |it: &Ranked<'_, _>| it.draw();
    StraightFirst = "straight-first",
        "Packets that go straight on go before those that turn or begin; of these, the one that came first.",
        "Chinn 1995, Theorem 2.19",
        |it: &Ranked<'_, _>| (!it.goes_straight()).into();
}

/// A packet that wants a link.
struct Ranked<'a, T> {
    topology: &'a T,
    frame: &'a Frame,
    node: NodeId,
    now: Cycle,
    id: PacketId,
    destination: NodeId,
    seed: u64,
}

impl<T: Topology> Ranked<'_, T> {
    /// The links that it has to go in its link's dimension; where there are no dimensions, all.
    fn along(&self) -> u32 {
        match self.topology.grid() {
            Some(grid) => {
                let dimension = grid.dimension(self.frame.wants);
                grid.distance_in(dimension, self.node, self.destination)
            }
            None => self.topology.distance(self.node, self.destination),
        }
    }

    fn draw(&self) -> u64 {
        let index = self.id.serial.wrapping_mul(0x9e37_79b9);
        let index = self.id.source.0.wrapping_add(index);
        draw(self.seed, self.node, self.now, index)
    }

    /// Whether it came by the port opposite to its link's.
    fn goes_straight(&self) -> bool {
        let Frame { input, wants, .. } = *self.frame;
        let opposite = |port: Port| self.topology.grid().map(|grid| grid.opposite(port));
        !self.topology.is_local(input) && opposite(wants) == Some(input)
    }
}

impl<T: Topology> Queueing<T> {
    /// The rank of a packet for the link that it wants.
    #[inline]
    pub(super) fn rank(
        &self,
        frame: &Frame,
        now: Cycle,
        (node, packets): (NodeId, &Packets),
    ) -> u64 {
        let destination = self.destination(frame.packet, packets);
        self.parameters.order.rank(&Ranked {
            topology: &self.topology,
            frame,
            node,
            now,
            id: packets[frame.packet].id,
            destination,
            seed: self.seed,
        })
    }
}
