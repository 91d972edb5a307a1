//! O1TURN: x first or y first, by a toss of the packet's coin, each with its own virtual channels (Seo, Ali,
//! Lim, Rafique and Thottethodi 2005).
//!
//! Near-optimal in the worst case on a mesh of two dimensions, with shortest paths of at most one turn.

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::{ORDER_AND_RING_COINS, ORDER_COIN, ORDER_COINS, PacketDraws};
use super::ordered::{AxisOrder, Lane, Ordered};
use super::places::Places;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Shape;

pub(super) const ENTRY: RoutingEntry = RoutingEntry::new(
    "o1turn",
    build,
    Needs::any(2, 4).plane(),
    Freedom::Acyclic,
    &["dateline"],
    "x first or y first, chosen at random for each packet, each in its own channels",
);

struct OneTurn {
    ordered: Ordered,
    draws: PacketDraws,
    channels: u8,
    /// Those of x first, then those of y first; of each, as many as the dateline needs.
    classes: Classes,
}

impl Routing for OneTurn {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let datelines = self.ordered.classes();
        let (x_last, came) = match head.from {
            None => (self.draws.coin(head, chance, ORDER_COIN), None),
            Some((port, channel)) => {
                let class = self.classes.of(channel);
                let lane = Lane {
                    port,
                    class: class % datelines,
                };
                (class >= datelines, Some(lane))
            }
        };
        let order = if x_last {
            AxisOrder::XLast
        } else {
            AxisOrder::XFirst
        };
        let step = self
            .ordered
            .step(head, chance, head.destination, came, order);
        let class = u8::from(x_last) * datelines + step.class;
        choices.clear();
        choices.prefer(step.port, self.classes.mask(class));
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            coins: match self.ordered.classes() {
                1 => ORDER_COINS,
                _ => ORDER_AND_RING_COINS,
            },
            ..Declaration::plain(self.channels)
        }
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let draws = PacketDraws::new(parameters.seed);
    let dateline = parameters.dateline.unwrap_or_default();
    let ordered = Ordered::new(Places::of(shape), dateline, draws);
    Ok(Box::new(OneTurn {
        draws,
        channels: parameters.channels,
        classes: Classes::split(parameters.channels, 2 * ordered.classes()),
        ordered,
    }))
}
