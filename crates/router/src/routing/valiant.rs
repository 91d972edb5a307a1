//! Valiant's routing: first to a node drawn uniformly from all, then to the destination (Valiant and Brebner
//! 1981).
//!
//! Any pattern becomes uniform traffic twice over: the worst case is as good as the average, at half the best
//! throughput and twice the distance. Where nodes have coordinates both ways are in dimension order. Elsewhere they are [shortest paths](super::paths),
//! and the node is one with terminals; each way has classes of its own.

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::draws::PacketDraws;
use super::error::check_channels;
use super::paths::Paths;
use super::places::Places;
use super::two_phase::build_by_way_of;
use super::{Freedom, Needs, ORDERED, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, TerminalId};

const NAME: &str = "valiant";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "by way of a random node anywhere",
    needs: Needs::any(2, 4).or_graph(2),
    freedom: Freedom::Acyclic,
    reads: ORDERED,
    own: None,
    build: |parameters, shape| match shape.grid() {
        Some(_) => build_by_way_of(anywhere, parameters, shape),
        None => on_paths(parameters, shape),
    },
};

#[inline]
fn anywhere(head: &Head, draws: PacketDraws, places: &Places) -> NodeId {
    NodeId(draws.of(head).below(0, places.nodes()))
}

/// Two shortest paths, one after the other.
struct ByPaths {
    paths: Paths,
    /// The nodes that are drawn from.
    homes: Box<[NodeId]>,
    draws: PacketDraws,
    channels: u8,
    /// Those of the way to the node that is drawn, then those of the way from there.
    classes: Classes,
}

impl Routing for ByPaths {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let each = self.paths.classes();
        let came = head.from.map(|(_, channel)| self.classes.of(channel));
        let ahead = || match chance {
            Chance::Drawn => {
                let drawn = self.draws.of(head).below(0, self.homes.len() as u32);
                self.homes[drawn as usize]
            }
            Chance::Given { intermediate, .. } => intermediate,
        };
        let (first, came, to) = match came {
            Some(came) if came >= each => (each, Some(came - each), head.destination),
            came => match ahead() {
                here if here == head.here => (each, None, head.destination),
                ahead => (0, came, ahead),
            },
        };
        let class = first + self.paths.class(head.here, to, came);
        let channels = self.classes.mask(class);
        choices.clear();
        self.paths
            .ports(head.here, to, |port| choices.prefer(port, channels));
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        Some(self.paths.left(head.here, head.destination))
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            visits: true,
            ..Declaration::plain(self.channels)
        }
    }
}

fn on_paths(
    parameters: &RoutingParameters,
    shape: &Shape,
) -> Result<Box<dyn Routing>, RoutingError> {
    let given = parameters.given();
    if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let allowed = "only where nodes have coordinates";
        return Err(RoutingError::Unread(WrongValue::new(
            name, "given", allowed,
        )));
    }
    let terminals = || (0..shape.terminals()).map(TerminalId);
    if terminals().any(|terminal| shape.entry(terminal) != shape.home(terminal)) {
        let found = format!("{NAME} on stages");
        let allowed = format!("{NAME} where terminals send from where they receive");
        return Err(RoutingError::Topology(WrongValue::new(
            "name", found, allowed,
        )));
    }
    let paths = Paths::of(NAME, shape)?;
    let classes = paths.classes().saturating_mul(2);
    check_channels(NAME, parameters.channels, classes)?;
    let nodes = (0..shape.nodes()).map(NodeId);
    Ok(Box::new(ByPaths {
        homes: nodes.filter(|node| shape.has_terminal(*node)).collect(),
        draws: PacketDraws::new(parameters.seed),
        channels: parameters.channels,
        classes: Classes::split(parameters.channels, classes),
        paths,
    }))
}
