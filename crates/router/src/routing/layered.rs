//! Layered: one shortest path from each node to each destination, and virtual channels assigned to paths so that none wait for each other in a circle (Domke, Hoefler and
//! Nagel, "Deadlock-free oblivious routing for arbitrary topologies", IPDPS 2011: DFSSSP).
//!
//! [Paths](super::trees) are spread over the links, and divided into [layers](super::layers). A packet has the channels of its path's layer all the way. How many layers
//! there must be depends on the network: 2 to 5 on small ones, and more on large random graphs.

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, MAX_CHANNELS, Routing};
use super::error::check_channels;
use super::layers::Layers;
use super::trees::Trees;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::Shape;

const NAME: &str = "layered";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "one shortest path each, in layers of channels in none of which paths form a circle",
    needs: Needs::graph(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build,
};

struct Layered {
    trees: Trees,
    layers: Layers,
    channels: u8,
    classes: Classes,
}

impl Routing for Layered {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let to = head.destination;
        let layer = match head.from {
            Some((_, channel)) => self.classes.of(channel),
            None => self.layers.layer(head.here, self.trees.place(to)),
        };
        choices.clear();
        choices.prefer(self.trees.port(head.here, to), self.classes.mask(layer));
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let trees = Trees::new(shape);
    let Some(layers) = Layers::of(shape, &trees, MAX_CHANNELS) else {
        let found = format!("{NAME} where paths need more than {MAX_CHANNELS} layers");
        let allowed = format!("{NAME} where they need at most {MAX_CHANNELS}, one a channel");
        return Err(WrongValue::new("name", found, allowed).into());
    };
    check_channels(NAME, parameters.channels, layers.count)?;
    Ok(Box::new(Layered {
        classes: Classes::split(parameters.channels, layers.count),
        channels: parameters.channels,
        layers,
        trees,
    }))
}
