//! Fully adaptive: any shortest path in any virtual channel, and nothing against deadlock.
//!
//! For studies of deadlock, and to show what the others' rules are good for.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::NO_COINS;
use super::places::Places;
use super::{RoutingError, RoutingParameters};
use flitwork_topology::Grid;

struct FullyAdaptive {
    places: Places,
    channels: u32,
}

impl Routing for FullyAdaptive {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        self.places
            .for_each_productive(head.here, head.destination, |port| {
                choices.prefer(port, self.channels);
            });
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            channels: self.channels.count_ones() as u8,
            escape: None,
            misroutes: 0,
            coins: NO_COINS,
            visits: false,
        }
    }
}

pub(super) fn build(
    parameters: &RoutingParameters,
    grid: &Grid,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(FullyAdaptive {
        places: Places::new(grid),
        channels: all(parameters.channels),
    }))
}
