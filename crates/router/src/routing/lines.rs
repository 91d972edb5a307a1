//! Routing where each two nodes of a line are linked: flattened butterflies and HyperX networks.
//!
//! Along a dimension one link is enough. One dimension after the other, the first in which coordinates differ first, leads from links of a dimension
//! only to links of later ones, so that no dependencies of channels form a cycle (Kim, Dally and Abts 2007, section 3.2).

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::{RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};

/// The links that dimension order takes.
struct Lines {
    shape: Shape,
    /// Of each dimension: nodes along it, and the difference of the numbers of two that are next to each other.
    dimensions: Vec<(u32, u32)>,
}

impl Lines {
    fn of(shape: &Shape, sides: &[u32]) -> Lines {
        let strides = sides.iter().scan(1, |stride, side| {
            let own = *stride;
            *stride *= side;
            Some((*side, own))
        });
        Lines {
            dimensions: strides.collect(),
            shape: shape.clone(),
        }
    }

    /// The links to the coordinate of the destination in the first dimension in which they differ.
    fn first(&self, here: NodeId, to: NodeId, take: impl FnMut(Port)) {
        let at = |node: NodeId, (side, stride): (u32, u32)| node.0 / stride % side;
        let mut dimensions = self.dimensions.iter();
        let Some(dimension) = dimensions.find(|it| at(here, **it) != at(to, **it)) else {
            return;
        };
        let leads = |port: &Port| {
            let next = self.shape.neighbour(here, *port);
            next.is_some_and(|next| at(next, *dimension) == at(to, *dimension))
        };
        self.shape
            .productive(here, to)
            .iter()
            .filter(leads)
            .for_each(take);
    }
}

/// One dimension after the other.
struct InOrder {
    lines: Lines,
    channels: u8,
}

impl Routing for InOrder {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        let channels = all(self.channels);
        self.lines.first(head.here, head.destination, |port| {
            choices.prefer(port, channels);
        });
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}

/// Any shortest path, and one dimension after the other in the lowest channel.
struct Adaptive {
    lines: Lines,
    channels: u8,
}

const ESCAPE: u32 = 1;

impl Routing for Adaptive {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        let (shape, adaptive) = (&self.lines.shape, all(self.channels) & !ESCAPE);
        for port in shape.productive(head.here, head.destination).iter() {
            choices.prefer(port, adaptive);
        }
        self.lines.first(head.here, head.destination, |port| {
            choices.fall_back(port, ESCAPE, false);
        });
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            escape: Some(ESCAPE),
            ..Declaration::plain(self.channels)
        }
    }
}

/// A routing function on lines, if a network has any.
type OnLines = Result<Option<Box<dyn Routing>>, RoutingError>;

/// Dimension order, where a network has lines of linked nodes.
pub(super) fn in_order(parameters: &RoutingParameters, shape: &Shape) -> OnLines {
    let channels = parameters.channels;
    let lines = lines_of(parameters, shape)?;
    Ok(lines.map(|lines| Box::new(InOrder { lines, channels }) as Box<dyn Routing>))
}

/// Minimal adaptive, where a network has lines of linked nodes.
pub(super) fn adaptive(parameters: &RoutingParameters, shape: &Shape) -> OnLines {
    let channels = parameters.channels;
    let lines = lines_of(parameters, shape)?;
    Ok(lines.map(|lines| Box::new(Adaptive { lines, channels }) as Box<dyn Routing>))
}

/// The lines of a network, if it has any. Keys of grids aren't read on them.
fn lines_of(parameters: &RoutingParameters, shape: &Shape) -> Result<Option<Lines>, RoutingError> {
    let Some(sides) = shape.lines() else {
        return Ok(None);
    };
    let given = parameters.given();
    if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let allowed = "only on meshes and tori: on lines the first dimension comes first";
        return Err(RoutingError::Unread(WrongValue::new(
            name, "given", allowed,
        )));
    }
    Ok(Some(Lines::of(shape, sides)))
}
