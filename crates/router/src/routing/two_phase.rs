//! Two phases: in dimension order to an intermediate node, and from there in dimension order to the
//! destination. ROMM and Valiant's routing share this; they draw the intermediate node from different sets.
//!
//! Each phase has its own virtual channels, so a packet's phase follows from the channel on which it arrived:
//! no node has to remember it. A packet that reaches its destination on the way to the intermediate node is
//! delivered there.

use super::RoutingParameters;
use super::contract::{Chance, Choices, Declaration, Head, Routing, Stopovers};
use super::detour::ByWay;
use super::draws::PacketDraws;
use super::ordered::Lane;
use super::phases::Phases;
use super::places::Places;
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;

/// A routing function of two phases.
struct TwoPhase<I> {
    intermediate: I,
    likely: Likely,
    phases: Phases,
    shape: Shape,
}

/// The nodes from which it is drawn, by source and destination.
type Likely = fn(&Places, NodeId, NodeId) -> Stopovers;

/// The routing function that draws the intermediate node like this, from the packet, its source and its destination; `likely` says how
/// likely it is which.
pub(super) fn build_by_way_of<I>(
    (intermediate, likely): (I, Likely),
    parameters: &RoutingParameters,
    shape: &Shape,
) -> Box<dyn ByWay>
where
    I: Fn(&Head, PacketDraws, &Places) -> NodeId + Send + Sync + 'static,
{
    Box::new(TwoPhase {
        intermediate,
        likely,
        phases: Phases::new(parameters, shape, 2),
        shape: shape.clone(),
    })
}

impl<I: Fn(&Head, PacketDraws, &Places) -> NodeId> TwoPhase<I> {
    /// The intermediate node, unless the head has been there.
    #[inline]
    fn ahead(&self, head: &Head, chance: Chance) -> Option<NodeId> {
        let Phases { draws, ordered, .. } = &self.phases;
        let intermediate = match chance {
            Chance::Drawn => (self.intermediate)(head, *draws, &ordered.places),
            Chance::Given { intermediate, .. } => intermediate,
        };
        (intermediate != head.here).then_some(intermediate)
    }
}

impl<I> Routing for TwoPhase<I>
where
    I: Fn(&Head, PacketDraws, &Places) -> NodeId + Send + Sync,
{
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let Phases { ordered, order, .. } = &self.phases;
        let datelines = ordered.classes();
        let came = self.phases.came(head);
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
        let step = ordered.step(head, chance, target, came, *order);
        let class = u8::from(second) * datelines + step.class;
        self.phases.choose(step.port, class, choices);
    }

    fn stopovers(&self, from: NodeId, to: NodeId) -> Stopovers {
        (self.likely)(&self.phases.ordered.places, from, to)
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            visits: true,
            ..self.phases.declaration()
        }
    }
}

impl<I> ByWay for TwoPhase<I>
where
    I: Fn(&Head, PacketDraws, &Places) -> NodeId + Send + Sync,
{
    fn drawn(&self, head: &Head) -> NodeId {
        let Phases { draws, ordered, .. } = &self.phases;
        (self.intermediate)(head, *draws, &ordered.places)
    }

    fn draws(&self) -> PacketDraws {
        self.phases.draws
    }

    fn links(&self, from: NodeId, to: NodeId) -> u32 {
        self.shape.distance(from, to)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }
}
