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

mod groups;

use super::contract::MAX_CHANNELS;
use super::error::RoutingError;
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};
use groups::Groups;
use std::collections::BTreeSet;

/// The paths of a network.
pub(super) struct Paths {
    shape: Shape,
    kind: Kind,
}

enum Kind {
    Levels,
    Groups(Box<Groups>),
    /// How many classes there are.
    Hops(u8),
}

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
            let groups = Groups::of(shape);
            if !groups.are_joined(shape) {
                let allowed = "where a link leads from each group to each other";
                return Err(refused("on groups that aren't all linked".into(), allowed));
            }
            Kind::Groups(Box::new(groups))
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
            Kind::Groups(groups) => u8::from(groups.are_of_one(here, to)),
            Kind::Hops(classes) => came.map_or(0, |came| came + 1).min(classes - 1),
        }
    }

    /// The ports along the paths to a node.
    #[inline]
    pub(super) fn ports(&self, here: NodeId, to: NodeId, mut take: impl FnMut(Port)) {
        let Kind::Groups(groups) = &self.kind else {
            return self.shape.productive(here, to).iter().for_each(take);
        };
        let (shape, left) = (&self.shape, self.left(here, to));
        // Whether a link keeps to the group of the destination, or doesn't go by way of a third.
        let is_allowed = |next| groups.are_of_one(here, next) || groups.are_of_one(next, to);
        for port in shape.links(here).iter() {
            let Some(next) = shape.neighbour(here, port) else {
                continue;
            };
            if is_allowed(next) && self.left(next, to) < left {
                take(port);
            }
        }
    }

    /// The links left from a node.
    #[inline]
    pub(super) fn left(&self, here: NodeId, to: NodeId) -> u32 {
        match &self.kind {
            Kind::Groups(groups) => groups.left(here, to).unwrap_or(u32::MAX),
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
