//! Two [shortest paths](super::paths), one after the other: to an intermediate node that is drawn from those with terminals, and from there to
//! the destination.
//!
//! ```text
//!   source ──▶ turning ──▶ first way ──▶ intermediate node ──▶ second way ──▶ destination
//!      │          │                                                ▲
//!      └──────────┴────────────────────────────────────────────────┘ straight to the destination
//! ```
//!
//! Each way has classes of its own, so that the channel on which a head arrives shows how far it has come. A packet that goes straight to its destination is
//! on its second way from the beginning. If there is a class for packets that may still turn, a hop that doesn't leave the group is in
//! that class, as the first of those straight to a destination in another group; afterwards the packet goes either way. No channel leads to one of an earlier class.

use super::channels::Classes;
use super::contract::{Chance, Choices, Declaration, Head, Routing, Stopovers};
use super::detour::ByWay;
use super::draws::PacketDraws;
use super::error::check_channels;
use super::paths::Paths;
use super::{RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, TerminalId};

/// How often a node is drawn until it can be reached.
const DRAWS: u32 = 16;

/// Two shortest paths, one after the other.
pub(super) struct TwoPaths {
    shape: Shape,
    paths: Paths,
    /// The nodes that are drawn from.
    homes: Box<[NodeId]>,
    draws: PacketDraws,
    channels: u8,
    /// That of packets that may turn, if there is one, then those of the first way, then those of the second.
    classes: Classes,
    /// How many classes there are of packets that may turn: one or none.
    turning: u8,
}

impl TwoPaths {
    /// The function on a network, with so many classes of packets that may turn.
    ///
    /// # Errors
    /// A [`RoutingError`] for stages, for what is read only where nodes have coordinates, for too few channels, and those of [`Paths::of`].
    pub(super) fn build(
        name: &'static str,
        parameters: &RoutingParameters,
        shape: &Shape,
        turning: u8,
    ) -> Result<TwoPaths, RoutingError> {
        let given = parameters.given();
        let ordered = |name| super::ORDERED.contains(&name);
        if let Some((name, _)) = given.iter().find(|it| it.1 && ordered(it.0)) {
            let allowed = "only where nodes have coordinates";
            return Err(RoutingError::Unread(WrongValue::new(
                name, "given", allowed,
            )));
        }
        let mut terminals = (0..shape.terminals()).map(TerminalId);
        if terminals.any(|terminal| shape.entry(terminal) != shape.home(terminal)) {
            let found = format!("{name} on stages");
            let allowed = format!("{name} where terminals send from where they receive");
            return Err(RoutingError::Topology(WrongValue::new(
                "name", found, allowed,
            )));
        }
        let paths = Paths::of(name, shape)?;
        let classes = paths.classes().saturating_mul(2).saturating_add(turning);
        check_channels(name, parameters.channels, classes)?;
        let nodes = (0..shape.nodes()).map(NodeId);
        Ok(TwoPaths {
            homes: nodes.filter(|node| shape.has_terminal(*node)).collect(),
            draws: PacketDraws::new(parameters.seed),
            channels: parameters.channels,
            classes: Classes::split(parameters.channels, classes),
            shape: shape.clone(),
            paths,
            turning,
        })
    }

    /// The ports along the paths to a node, in the channels of the class that follows one of the way whose classes begin with `first`.
    fn go(&self, here: NodeId, to: NodeId, (first, came): (u8, Option<u8>), choices: &mut Choices) {
        let class = first + self.paths.class(here, to, came);
        let channels = self.classes.mask(class);
        self.paths
            .ports(here, to, |port| choices.prefer(port, channels));
    }

    /// The same for an injected packet that goes straight to a destination, and may turn after a hop in its own group.
    fn begin(&self, head: &Head, second: u8, choices: &mut Choices) {
        let (here, to) = (head.here, head.destination);
        let channels = self.classes.mask(second + self.paths.class(here, to, None));
        let group = |node| self.shape.group(node);
        let leaves_later = |next| group(next) == group(here) && group(here) != group(to);
        self.paths.ports(here, to, |port| {
            let next = self.shape.neighbour(here, port);
            match self.turning > 0 && next.is_some_and(leaves_later) {
                true => choices.prefer(port, self.turning()),
                false => choices.prefer(port, channels),
            }
        });
    }
}

impl Routing for TwoPaths {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        choices.clear();
        let here = head.here;
        let first = self.turning;
        let second = first + self.paths.classes();
        let came = head.from.map(|(_, channel)| self.classes.of(channel));
        if let Some(came) = came.filter(|came| *came >= second) {
            let came = Some(came - second);
            return self.go(here, head.destination, (second, came), choices);
        }
        let ahead = match chance {
            Chance::Drawn => self.drawn(head),
            Chance::Given { intermediate, .. } => intermediate,
        };
        match came {
            _ if ahead != here => {
                let came = came.and_then(|came| came.checked_sub(first));
                self.go(here, ahead, (first, came), choices);
            }
            None => self.begin(head, second, choices),
            Some(_) => self.go(here, head.destination, (second, None), choices),
        }
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        Some(self.paths.left(head.here, head.destination))
    }

    fn stopovers(&self, _: NodeId, _: NodeId) -> Stopovers {
        Stopovers::AnyOf(self.homes.to_vec())
    }

    fn turning(&self) -> u32 {
        match self.turning {
            0 => 0,
            _ => self.classes.mask(0),
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            visits: true,
            ..Declaration::plain(self.channels)
        }
    }
}

impl ByWay for TwoPaths {
    /// Where links have failed, a node that can be reached, if one is drawn in a few times.
    fn drawn(&self, head: &Head) -> NodeId {
        let numbers = self.draws.of(head);
        let source = self.shape.home(head.packet.source);
        let nodes = (0..DRAWS).map(|index| {
            let drawn = numbers.below(index, self.homes.len() as u32);
            self.homes[drawn as usize]
        });
        let mut joined = nodes.filter(|node| self.shape.is_joined(source, *node));
        joined.next().unwrap_or(head.destination)
    }

    fn draws(&self) -> PacketDraws {
        self.draws
    }

    fn links(&self, from: NodeId, to: NodeId) -> u32 {
        self.paths.left(from, to)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }
}
