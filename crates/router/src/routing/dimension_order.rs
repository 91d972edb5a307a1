//! Dimension order: one dimension after the other, in each the shorter way (Sullivan and Bashkow 1977; on a
//! torus with the virtual channels of Dally and Seitz 1987).

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::PacketDraws;
use super::ordered::{AxisOrder, Lane, Ordered};
use super::places::Places;
use super::{Freedom, Needs, ORDERED, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Shape;

pub(super) const ENTRY: RoutingEntry = RoutingEntry::new(
    "dimension-order",
    build,
    Needs::any(1, 2),
    Freedom::Acyclic,
    ORDERED,
    "one dimension after the other, the shorter way in each",
);

struct DimensionOrder {
    ordered: Ordered,
    order: AxisOrder,
    channels: u8,
    classes: Classes,
}

impl Routing for DimensionOrder {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let came = head.from.map(|(port, channel)| Lane {
            port,
            class: self.classes.of(channel),
        });
        let step = self
            .ordered
            .step(head, chance, head.destination, came, self.order);
        choices.clear();
        choices.prefer(step.port, self.classes.mask(step.class));
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            coins: self.ordered.coins(),
            ..Declaration::plain(self.channels)
        }
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let draws = PacketDraws::new(parameters.seed);
    let dateline = parameters.dateline.unwrap_or_default();
    let ordered = Ordered::new(Places::of(shape), dateline, draws);
    Ok(Box::new(DimensionOrder {
        order: parameters.axis_order.unwrap_or_default(),
        channels: parameters.channels,
        classes: Classes::split(parameters.channels, ordered.classes()),
        ordered,
    }))
}
