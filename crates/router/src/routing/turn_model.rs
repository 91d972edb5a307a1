//! What the turn models share: shortest paths on a mesh, and all virtual channels equivalent.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::places::Places;
use super::{RoutingError, RoutingParameters};
use flitwork_topology::Shape;

/// The dimensions of a plane.
pub(super) const X: usize = 0;
pub(super) const Y: usize = 1;

/// The positions of nodes, all virtual channels, and the rule.
struct TurnModel<R> {
    places: Places,
    channels: u32,
    rule: R,
}

/// The routing function of a rule, which adds the ports that a head may take, with these channels, to its choices.
pub(super) fn build_by<R>(
    rule: R,
    parameters: &RoutingParameters,
    shape: &Shape,
) -> Result<Box<dyn Routing>, RoutingError>
where
    R: Fn(&Places, u32, &Head, &mut Choices) + Send + Sync + 'static,
{
    Ok(Box::new(TurnModel {
        places: Places::of(shape),
        channels: all(parameters.channels),
        rule,
    }))
}

impl<R> Routing for TurnModel<R>
where
    R: Fn(&Places, u32, &Head, &mut Choices) + Send + Sync,
{
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        (self.rule)(&self.places, self.channels, head, choices);
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels.count_ones() as u8)
    }
}
