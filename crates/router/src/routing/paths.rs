//! Shortest paths on any network, and the classes of channels that keep those apart that could wait for each other in a circle.
//!
//! | network | paths | classes |
//! |---|---|---|
//! | of levels | all shortest ones: up to a common ancestor and down again, or on from stage to stage | 1 |
//! | of groups | the shortest of those with one link between groups, none within a group | 2: before the destination's group, and in it |
//! | any other | all shortest ones | one for each hop of the longest |
//!
//! On levels no link down leads to one up. Where groups are left once, links of the first class lead to the group of the destination, where the
//! second is used (Kim and others 2008, section 3). With a class for each hop a packet waits only for the next class (Günther 1981).

use super::contract::MAX_CHANNELS;
use super::error::RoutingError;
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};
use std::collections::{BTreeSet, VecDeque};

/// The paths of a network.
pub(super) struct Paths {
    shape: Shape,
    kind: Kind,
}

enum Kind {
    Levels,
    /// The links left from each node to each destination.
    Groups(Box<[u16]>),
    /// How many classes there are.
    Hops(u8),
}

/// A node from which a destination isn't reached without leaving a group twice.
const NO_WAY: u16 = u16::MAX;

impl Paths {
    /// Those of a network, for the routing function of a name.
    ///
    /// # Errors
    /// A [`RoutingError`] if a network has longer shortest paths than there can be classes, or groups between which no link leads.
    pub(super) fn of(name: &'static str, shape: &Shape) -> Result<Paths, RoutingError> {
        let refused = |found: String, allowed: &str| {
            let (found, allowed) = (format!("{name} {found}"), format!("{name} {allowed}"));
            RoutingError::from(WrongValue::new("name", found, allowed))
        };
        let kind = if shape.level(NodeId(0)).is_some() {
            Kind::Levels
        } else if shape.group(NodeId(0)).is_some() {
            let nodes = || (0..shape.nodes()).map(NodeId);
            let left: Box<[u16]> = nodes().flat_map(|to| left_to(shape, to)).collect();
            let count = shape.nodes() as usize;
            let is_apart = |to: NodeId| {
                let homes = nodes().filter(|from| shape.has_terminal(*from));
                shape.has_terminal(to)
                    && homes
                        .into_iter()
                        .any(|from| left[to.index() * count + from.index()] == NO_WAY)
            };
            if nodes().any(is_apart) {
                let allowed = "where a link leads from each group to each other";
                return Err(refused("on groups that aren't all linked".into(), allowed));
            }
            Kind::Groups(left)
        } else {
            let longest = longest(shape);
            let classes = u8::try_from(longest).ok().filter(|it| *it <= MAX_CHANNELS);
            let allowed = format!("where they have at most {MAX_CHANNELS}, one a channel");
            let found = format!("where shortest paths have up to {longest} links");
            Kind::Hops(classes.ok_or_else(|| refused(found, &allowed))?)
        };
        Ok(Paths {
            shape: shape.clone(),
            kind,
        })
    }

    /// How many classes its paths need.
    pub(super) fn classes(&self) -> u8 {
        match &self.kind {
            Kind::Levels => 1,
            Kind::Groups(_) => 2,
            Kind::Hops(classes) => *classes,
        }
    }

    /// The class of the channels that a head may take next that came by one of a class; `None` if it was injected.
    #[inline]
    pub(super) fn class(&self, here: NodeId, to: NodeId, came: Option<u8>) -> u8 {
        match &self.kind {
            Kind::Levels => 0,
            Kind::Groups(_) => u8::from(self.shape.group(here) == self.shape.group(to)),
            Kind::Hops(classes) => came.map_or(0, |came| came + 1).min(classes - 1),
        }
    }

    /// The ports along the paths to a node.
    #[inline]
    pub(super) fn ports(&self, here: NodeId, to: NodeId, mut take: impl FnMut(Port)) {
        let Kind::Groups(_) = &self.kind else {
            return self.shape.productive(here, to).iter().for_each(take);
        };
        let (shape, left) = (&self.shape, self.left(here, to));
        for port in shape.links(here).iter() {
            let Some(next) = shape.neighbour(here, port) else {
                continue;
            };
            if self.is_allowed(here, next, to) && self.left(next, to) < left {
                take(port);
            }
        }
    }

    /// Whether a link keeps to the group of the destination, or doesn't go by way of a third.
    fn is_allowed(&self, here: NodeId, next: NodeId, to: NodeId) -> bool {
        let [here, next, to] = [here, next, to].map(|node| self.shape.group(node));
        next == here || next == to
    }

    /// The links left from a node.
    #[inline]
    pub(super) fn left(&self, here: NodeId, to: NodeId) -> u32 {
        match &self.kind {
            Kind::Groups(left) => {
                let row = to.index() * self.shape.nodes() as usize;
                left[row + here.index()].into()
            }
            Kind::Levels | Kind::Hops(_) => self.shape.distance(here, to),
        }
    }
}

/// The links of the longest of the shortest paths from where packets enter to where they leave.
pub(super) fn longest(shape: &Shape) -> u32 {
    let nodes = |of: &dyn Fn(TerminalId) -> NodeId| {
        let all = (0..shape.terminals()).map(TerminalId).map(of);
        all.collect::<BTreeSet<_>>()
    };
    let homes = nodes(&|terminal| shape.home(terminal));
    let entries = nodes(&|terminal| shape.entry(terminal));
    // Then from each node to each.
    if [&homes, &entries].map(BTreeSet::len) == [shape.nodes() as usize; 2] {
        return shape.diameter_hops();
    }
    let to = |from: NodeId| homes.iter().map(move |to| (from, *to));
    let pairs = entries.into_iter().flat_map(to);
    let all = pairs.map(|(from, to)| shape.distance(from, to));
    all.max().unwrap_or_default().max(1)
}

/// The links of the shortest paths from each node to one within its group, or with one link from the node's group to that.
fn left_to(shape: &Shape, to: NodeId) -> Vec<u16> {
    let mut left = vec![NO_WAY; shape.nodes() as usize];
    left[to.index()] = 0;
    let mut found = VecDeque::from([to]);
    while let Some(node) = found.pop_front() {
        let next = left[node.index()] + 1;
        for port in shape.links(node).iter() {
            let Some(before) = shape.neighbour(node, port) else {
                continue;
            };
            let groups = [before, node, to].map(|node| shape.group(node));
            let is_on_the_way = groups[0] == groups[1] || groups[1] == groups[2];
            let known = &mut left[before.index()];
            if is_on_the_way && *known == NO_WAY {
                *known = next;
                found.push_back(before);
            }
        }
    }
    left
}
