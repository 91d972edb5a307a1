//! Ways in dimension order: of one phase, or of two that have their own virtual channels.

use super::RoutingParameters;
use super::channels::Classes;
use super::contract::{Choices, Declaration, Head};
use super::draws::PacketDraws;
use super::ordered::{AxisOrder, Lane, Ordered};
use super::places::Places;
use flitwork_topology::Shape;
use flitwork_types::Port;

/// Steps in dimension order, and the virtual channels of each phase.
pub(super) struct Phases {
    pub(super) ordered: Ordered,
    /// The order that is asked for.
    pub(super) order: AxisOrder,
    pub(super) draws: PacketDraws,
    channels: u8,
    /// Those of the first phase, then those of the second; of each, as many as the dateline needs.
    classes: Classes,
}

impl Phases {
    pub(super) fn new(parameters: &RoutingParameters, shape: &Shape, phases: u8) -> Phases {
        let draws = PacketDraws::new(parameters.seed);
        let dateline = parameters.dateline.unwrap_or_default();
        let ordered = Ordered::new(Places::of(shape), dateline, draws);
        Phases {
            order: parameters.axis_order.unwrap_or_default(),
            draws,
            channels: parameters.channels,
            classes: Classes::split(parameters.channels, phases * ordered.classes()),
            ordered,
        }
    }

    /// The lane on which the head arrived; its class is among those of all phases.
    #[inline]
    pub(super) fn came(&self, head: &Head) -> Option<Lane> {
        head.from.map(|(port, channel)| Lane {
            port,
            class: self.classes.of(channel),
        })
    }

    /// Leaves a head no choice but the channels of a class at a port.
    #[inline]
    pub(super) fn choose(&self, port: Port, class: u8, choices: &mut Choices) {
        choices.clear();
        choices.prefer(port, self.classes.mask(class));
    }

    /// What packets declare that toss no other coins than the ordered steps do, and visit no intermediate node.
    pub(super) fn declaration(&self) -> Declaration {
        Declaration {
            coins: self.ordered.coins(),
            ..Declaration::plain(self.channels)
        }
    }
}
