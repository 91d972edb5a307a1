//! Escape channels: the lowest virtual channel of a mesh's links, the two lowest of a torus's links, in which
//! packets go in dimension order.

use super::contract::{Chance, Head};
use super::draws::PacketDraws;
use super::ordered::{AxisOrder, Dateline, Lane, Ordered};
use super::places::Places;
use super::{RoutingParameters, channels};
use flitwork_topology::Shape;
use flitwork_types::Port;

/// Dimension order in the lowest virtual channels; the others are for adaptive routing.
pub(super) struct Escape {
    pub(super) ordered: Ordered,
    order: AxisOrder,
    pub(super) channels: u8,
    /// The escape channels and the others, one bit each.
    pub(super) escape: u32,
    pub(super) adaptive: u32,
}

impl Escape {
    pub(super) fn new(parameters: &RoutingParameters, shape: &Shape) -> Escape {
        // A packet may return to the escape channels anywhere on a ring and doesn't remember where it was
        // before. With the rule "wrapping" its class depends on the way ahead, and a packet of class 0 never
        // returns to class 1 in that dimension; "crossed" would treat it as one that has yet to cross.
        let ordered = Ordered::new(
            Places::of(shape),
            Dateline::Wrapping,
            PacketDraws::new(parameters.seed),
        );
        let escape = channels::all(ordered.classes());
        Escape {
            ordered,
            order: parameters.axis_order.unwrap_or_default(),
            channels: parameters.channels,
            escape,
            adaptive: channels::all(parameters.channels) & !escape,
        }
    }

    /// The lane on which the head arrived, if that is an escape channel.
    #[inline]
    pub(super) fn came(&self, head: &Head) -> Option<Lane> {
        let came = head.from.map(|(port, class)| Lane { port, class });
        came.filter(|came| self.escape >> came.class & 1 == 1)
    }

    /// The escape channel that the head may take: its port, and the channel's bit.
    #[inline]
    pub(super) fn way(&self, head: &Head, chance: Chance, came: Option<Lane>) -> (Port, u32) {
        let step = self
            .ordered
            .step(head, chance, head.destination, came, self.order);
        (step.port, 1 << step.class)
    }
}
