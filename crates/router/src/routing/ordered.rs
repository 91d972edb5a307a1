//! One dimension after the other: the step of dimension-order routing and, on a torus, the class of virtual
//! channels that keeps rings from forming cycles (Dally and Seitz 1987).
//!
//! ```text
//!            wrap link
//!      ┌───────◀────────┐        a packet from 4 to 1 on a ring of 6, away from 0:
//!      ▼                │          wrapping   4 ─1▶ 5 ─1▶ 0 ─1▶ 1
//!      0 ▶ 1 ▶ 2 ▶ 3 ▶ 4 ▶ 5       crossed    4 ─0▶ 5 ─0▶ 0 ─1▶ 1
//! ```

use super::contract::{Chance, Head, NO_COINS};
use super::draws::{PacketDraws, RING_COINS};
use super::places::{Bearing, Places};
use flitwork_types::{NodeId, Port};

/// Which class a packet uses in a dimension of a torus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dateline {
    /// Class 1 throughout the dimension if the path in it crosses the wrap link, and class 0 otherwise. A
    /// shortest path covers at most half of the ring, so paths of class 1 don't use the links opposite the
    /// wrap link, and those of class 0 don't use the wrap link itself.
    #[default]
    Wrapping,
    /// Class 0 until the packet has crossed the wrap link, and class 1 from there on.
    Crossed,
    /// Class 1 throughout the dimension if the packet's coordinate is lower at its end, and class 0 otherwise: away from 0
    /// the same as [`Dateline::Wrapping`], towards 0 its opposite (BookSim 2, routefunc.cpp, `dor_next_torus`).
    Descending,
}

/// The order in which a packet goes through the dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisOrder {
    /// x, then y, and so on.
    #[default]
    XFirst,
    /// The last dimension first, x last.
    XLast,
}

flitwork_schema::named!(Dateline { Wrapping = "wrapping", Crossed = "crossed", Descending = "descending" });
flitwork_schema::named!(AxisOrder { XFirst = "x-first", XLast = "x-last" });

/// A link, as the port by which it leaves or arrives, and a class of its virtual channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) port: Port,
    pub(super) class: u8,
}

/// Steps in the order of the dimensions.
#[derive(Clone, Debug)]
pub(super) struct Ordered {
    pub(super) places: Places,
    dateline: Dateline,
    draws: PacketDraws,
}

impl Ordered {
    pub(super) fn new(places: Places, dateline: Dateline, draws: PacketDraws) -> Ordered {
        Ordered {
            places,
            dateline,
            draws,
        }
    }

    /// How many classes a step distinguishes.
    pub(super) fn classes(&self) -> u8 {
        if self.places.wraps() { 2 } else { 1 }
    }

    /// The outcomes of coin tosses that matter to a step.
    pub(super) fn coins(&self) -> &'static [u32] {
        if self.places.wraps() {
            RING_COINS
        } else {
            NO_COINS
        }
    }

    /// The step of `head` to `target`, another node: along the first dimension in which they differ. `came`
    /// is the lane on which it arrived, if it was already heading for `target` then.
    #[inline]
    pub(super) fn step(
        &self,
        head: &Head,
        chance: Chance,
        target: NodeId,
        came: Option<Lane>,
        order: AxisOrder,
    ) -> Lane {
        let (from, to) = (self.places.place(head.here), self.places.place(target));
        let dimensions = from.len();
        for rank in 0..dimensions {
            let axis = match order {
                AxisOrder::XFirst => rank,
                AxisOrder::XLast => dimensions - 1 - rank,
            };
            let away = match self.places.way(axis, from[axis], to[axis]) {
                Bearing::Here => continue,
                Bearing::Towards => false,
                Bearing::Away => true,
                Bearing::Either => self.draws.coin(head, chance, axis),
            };
            let port = self.places.port(axis, away);
            let class = self.class(axis, away, head.here, target, came);
            return Lane { port, class };
        }
        panic!("node {}: a packet is routed to where it is", head.here);
    }

    #[inline]
    fn class(
        &self,
        axis: usize,
        away: bool,
        here: NodeId,
        target: NodeId,
        came: Option<Lane>,
    ) -> u8 {
        if !self.places.wraps() {
            return 0;
        }
        let came = came.filter(|came| self.places.axis_of(came.port) == axis);
        let one = match (self.dateline, came) {
            (_, Some(Lane { class: 1, .. })) => true,
            (Dateline::Wrapping | Dateline::Descending, Some(_)) => false,
            (Dateline::Wrapping, None) => self.places.wraps_between(axis, away, here, target),
            (Dateline::Crossed, Some(_)) => self.places.has_just_wrapped(axis, away, here),
            (Dateline::Crossed, None) => false,
            (Dateline::Descending, None) => {
                self.places.coordinate(target, axis) < self.places.coordinate(here, axis)
            }
        };
        one.into()
    }
}
