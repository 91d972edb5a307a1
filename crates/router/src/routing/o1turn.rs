//! O1TURN: x first or y first, by a toss of the packet's coin, each with its own virtual channels (Seo, Ali,
//! Lim, Rafique and Thottethodi 2005).
//!
//! Near-optimal in the worst case on a mesh of two dimensions, with shortest paths of at most one turn.

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::{ORDER_AND_RING_COINS, ORDER_COIN, ORDER_COINS};
use super::ordered::{AxisOrder, Lane};
use super::phases::Phases;
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "o1turn",
    summary: "x first or y first, chosen at random for each packet, each in its own channels",
    needs: Needs::any(2, 4).plane(),
    freedom: Freedom::Acyclic,
    reads: &["dateline"],
    own: None,
    build: |parameters, shape| Ok(Box::new(OneTurn(Phases::new(parameters, shape, 2)))),
};

/// The first phase's channels are those of x first, the second's those of y first.
struct OneTurn(Phases);

impl Routing for OneTurn {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let Phases { ordered, draws, .. } = &self.0;
        let datelines = ordered.classes();
        let (x_last, came) = match self.0.came(head) {
            None => (draws.coin(head, chance, ORDER_COIN), None),
            Some(Lane { port, class }) => {
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
        let step = ordered.step(head, chance, head.destination, came, order);
        let class = u8::from(x_last) * datelines + step.class;
        self.0.choose(step.port, class, choices);
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            coins: match self.0.ordered.classes() {
                1 => ORDER_COINS,
                _ => ORDER_AND_RING_COINS,
            },
            ..self.0.declaration()
        }
    }
}
