//! Fully adaptive: any shortest path in any virtual channel, without protection against deadlock.
//!
//! For studies of deadlock, and to show what the rules of other functions achieve.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::places::Places;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::{Graph, Shape, Topology};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "fully-adaptive",
    summary: "any shortest path in any channel, with no protection against deadlock",
    needs: Needs::any(1, 1).or_graph(1),
    freedom: Freedom::None,
    reads: &[],
    own: None,
    build,
};

struct FullyAdaptive {
    ways: Ways,
    channels: u32,
}

/// Where shortest paths go.
enum Ways {
    /// On a grid, by coordinates.
    Grid(Places),
    Graph(Graph),
}

impl Routing for FullyAdaptive {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        let (here, to) = (head.here, head.destination);
        let mut prefer = |port| choices.prefer(port, self.channels);
        match &self.ways {
            Ways::Grid(places) => places.for_each_productive(here, to, prefer),
            Ways::Graph(graph) => graph.productive(here, to).iter().for_each(&mut prefer),
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels.count_ones() as u8)
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(FullyAdaptive {
        ways: match shape {
            Shape::Grid(grid) => Ways::Grid(Places::new(grid)),
            // Its productive ports are those of its grid, if it has one.
            Shape::Graph(graph) => Ways::Graph(graph.clone()),
        },
        channels: all(parameters.channels),
    }))
}
