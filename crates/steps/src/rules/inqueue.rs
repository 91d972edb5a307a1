//! Which of the offered packets a node lets in.

mod any;

pub use any::AnyInqueue;

use crate::{Here, Offers, Rule, accept_in_order};
use flitwork_types::{MAX_PORTS, NodeId, Port};
use std::fmt::Debug;

/// Declares the disciplines' files, and the table of them.
macro_rules! inqueues {
    ($($file:ident::$inqueue:ident),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::$inqueue;)+

        /// Every discipline, sorted by name.
        const BUILT_IN: &[InqueueEntry] = &[$($file::ENTRY),+];
    };
}

inqueues! {
    fixed::Fixed,
    round_robin::RoundRobin,
}

/// An offer, as an inqueue discipline sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The port by which the packet would come.
    pub through: Port,
    /// Where it began.
    pub source: NodeId,
    /// The step at whose end it came into the node that offers it: 0 where it began.
    pub arrived: u32,
}

/// An inqueue discipline: the order in which a node takes offers, each that still fits. What a node keeps for it is a number: a port,
/// a count, an order of up to 16 ports.
pub trait Inqueue: Clone + Debug + Default + Send + Sync + 'static {
    /// The number as the first step begins.
    fn begin(&self, _: NodeId) -> u64 {
        0
    }

    /// The rank of an offer: the least is taken first; of equals, that of the lower port.
    fn rank(&self, state: u64, offer: &Incoming) -> u64;

    /// Whether that number changes.
    fn has_state(&self) -> bool {
        false
    }

    /// The number after a step in which packets came by these ports and stayed.
    fn came(&self, state: u64, _: &mut dyn Iterator<Item = Port>) -> u64 {
        state
    }

    /// Which offers a node accepts.
    #[inline]
    fn accept<R: Rule>(
        &self,
        state: u64,
        here: &Here<'_, R>,
        offers: &Offers<'_, R>,
        accepted: &mut Vec<usize>,
    ) {
        if offers.len() < 2 {
            return accept_in_order(here.store, offers, 0..offers.len(), accepted);
        }
        // Offers come in the order of their ports, one by each.
        let mut order = [0_u8; MAX_PORTS];
        let order = &mut order[..offers.len()];
        for (place, slot) in order.iter_mut().enumerate() {
            *slot = place as u8;
        }
        let rank = |place: &u8| {
            let offer = &offers[usize::from(*place)];
            let incoming = Incoming {
                through: offer.through,
                source: offer.packet.source,
                arrived: offer.packet.arrived,
            };
            self.rank(state, &incoming)
        };
        order.sort_by_key(rank);
        let order = order.iter().map(|place| usize::from(*place));
        accept_in_order(here.store, offers, order, accepted);
    }

    /// The state after a step of a node.
    #[inline]
    fn after<R: Rule>(&self, here: &Here<'_, R>, state: u64) -> u64 {
        let came = here.packets.iter().filter(|it| it.arrived == here.step);
        self.came(state, &mut came.filter_map(|it| it.through))
    }
}

/// A discipline in the table.
#[derive(Clone, Copy, Debug)]
pub struct InqueueEntry {
    name: &'static str,
    help: &'static str,
    make: fn() -> AnyInqueue,
}

impl InqueueEntry {
    /// The entry of a discipline.
    pub const fn of<I: Inqueue>(name: &'static str, help: &'static str) -> InqueueEntry {
        let make = || AnyInqueue::of(I::default());
        InqueueEntry { name, help, make }
    }

    /// The discipline.
    pub fn inqueue(&self) -> AnyInqueue {
        (self.make)()
    }
}

flitwork_schema::part!(InqueueEntry { name, help }: "inqueues", BUILT_IN.to_vec());
