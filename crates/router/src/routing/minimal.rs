//! Minimal: any shortest path, with as many classes of channels as the [network's paths](super::paths) need.

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::error::check_channels;
use super::paths::Paths;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Shape;

const NAME: &str = "minimal";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "any shortest path, in classes of channels: one on levels, two on groups, elsewhere one for each hop of the longest",
    needs: Needs::graph(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build,
};

struct Minimal {
    paths: Paths,
    channels: u8,
    classes: Classes,
}

impl Routing for Minimal {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let came = head.from.map(|(_, channel)| self.classes.of(channel));
        let class = self.paths.class(head.here, head.destination, came);
        let channels = self.classes.mask(class);
        choices.clear();
        self.paths.ports(head.here, head.destination, |port| {
            choices.prefer(port, channels);
        });
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        Some(self.paths.left(head.here, head.destination))
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let paths = Paths::of(NAME, shape)?;
    check_channels(NAME, parameters.channels, paths.classes())?;
    Ok(Box::new(Minimal {
        classes: Classes::split(parameters.channels, paths.classes()),
        channels: parameters.channels,
        paths,
    }))
}
