//! Two phases: in dimension order to an intermediate node, and from there in dimension order to the
//! destination. ROMM and Valiant's routing share this; they draw the intermediate node from different sets.
//!
//! Each phase has its own virtual channels, so a packet's phase follows from the channel on which it arrived:
//! no node has to remember it. A packet that reaches its destination on the way to the intermediate node is
//! delivered there.

use super::RoutingParameters;
use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::PacketDraws;
use super::ordered::{AxisOrder, Lane, Ordered};
use super::places::Places;
use flitwork_topology::Shape;
use flitwork_types::NodeId;

/// How the intermediate node is drawn: a function of the packet, its source and its destination.
pub(super) trait Intermediate: Send + Sync {
    fn intermediate(&self, head: &Head, draws: PacketDraws, places: &Places) -> NodeId;
}

/// A routing function of two phases.
pub(super) struct TwoPhase<I> {
    intermediate: I,
    ordered: Ordered,
    order: AxisOrder,
    draws: PacketDraws,
    channels: u8,
    /// Those of the first phase, then those of the second; of each, as many as the dateline needs.
    classes: Classes,
}

impl<I: Intermediate> TwoPhase<I> {
    pub(super) fn new(
        intermediate: I,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> TwoPhase<I> {
        let draws = PacketDraws::new(parameters.seed);
        let dateline = parameters.dateline.unwrap_or_default();
        let ordered = Ordered::new(Places::of(shape), dateline, draws);
        TwoPhase {
            intermediate,
            order: parameters.axis_order.unwrap_or_default(),
            draws,
            channels: parameters.channels,
            classes: Classes::split(parameters.channels, 2 * ordered.classes()),
            ordered,
        }
    }

    /// The intermediate node, unless the head has been there.
    #[inline]
    fn ahead(&self, head: &Head, chance: Chance) -> Option<NodeId> {
        let intermediate = match chance {
            Chance::Drawn => self
                .intermediate
                .intermediate(head, self.draws, &self.ordered.places),
            Chance::RawTable { intermediate, .. } => intermediate,
        };
        (intermediate != head.here).then_some(intermediate)
    }
}

impl<I: Intermediate> Routing for TwoPhase<I> {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let datelines = self.ordered.classes();
        let came = head.from.map(|(port, channel)| Lane {
            port,
            class: self.classes.of(channel),
        });
        let (second, came, target) = match came {
            Some(Lane { port, class }) if class >= datelines => {
                let class = class - datelines;
                (true, Some(Lane { port, class }), head.destination)
            }
            _ => match self.ahead(head, chance) {
                Some(intermediate) => (false, came, intermediate),
                None => (true, None, head.destination),
            },
        };
        let step = self.ordered.step(head, chance, target, came, self.order);
        let class = u8::from(second) * datelines + step.class;
        choices.clear();
        choices.prefer(step.port, self.classes.mask(class));
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            coins: self.ordered.coins(),
            visits: true,
            ..Declaration::plain(self.channels)
        }
    }
}
