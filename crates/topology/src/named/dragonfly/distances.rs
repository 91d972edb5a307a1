//! Distances on a dragonfly, by arithmetic.
//!
//! Two nodes of a group are linked. From a group to another leads a global link, or one in each round of links. So what is farther than
//! three links is none: to the link's near end, over it, and on from its far end. Two global links in succession may be shorter, by way
//! of a node in a third group.

use super::{Arrangement, Dragonfly};
use crate::distances::Distances;
use flitwork_types::NodeId;

/// The nodes and global links of a dragonfly, as numbers.
#[derive(Clone, Debug)]
pub(super) struct ByGroups {
    /// Nodes of a group, global links of a node.
    nodes: u32,
    global: u32,
    groups: u32,
    /// Global links from a group to each other one.
    rounds: u32,
    arrangement: Arrangement,
    longest: u32,
}

impl ByGroups {
    pub(super) fn of(given: &Dragonfly, groups: u32) -> ByGroups {
        let mut known = ByGroups {
            nodes: given.nodes,
            global: given.global,
            groups,
            rounds: given.nodes * given.global / (groups - 1),
            arrangement: given.arrangement,
            longest: 0,
        };
        known.longest = known.find_longest();
        known
    }

    /// The longest distance. Where there are many nodes, one of the first pairs has it.
    fn find_longest(&self) -> u32 {
        let nodes = || (0..self.groups * self.nodes).map(NodeId);
        let mut longest = 0;
        for from in nodes() {
            for to in nodes() {
                longest = longest.max(self.between(from, to));
                if longest == 3 {
                    return longest;
                }
            }
        }
        longest
    }

    /// The group to which the global link of this number leads that a group has in each round.
    #[inline]
    fn far_group(&self, group: u32, link: u32) -> u32 {
        match self.arrangement {
            Arrangement::Absolute => link + u32::from(link >= group),
            Arrangement::PalmTree => (group + self.groups - link - 1) % self.groups,
            Arrangement::Canonical => (group + link + 1) % self.groups,
        }
    }

    /// The number in a round of the global link from a group to another.
    #[inline]
    fn link_to(&self, group: u32, far: u32) -> u32 {
        match self.arrangement {
            Arrangement::Absolute => far - u32::from(far > group),
            Arrangement::PalmTree => (group + self.groups - far - 1) % self.groups,
            Arrangement::Canonical => (far + self.groups - group - 1) % self.groups,
        }
    }

    /// The node of a group that has a global link, by the link's number in its round.
    #[inline]
    fn end(&self, group: u32, round: u32, link: u32) -> u32 {
        group * self.nodes + (round * (self.groups - 1) + link) / self.global
    }

    /// The ends of the global links from a group to another.
    #[inline]
    fn joining(&self, group: u32, far: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (there, back) = (self.link_to(group, far), self.link_to(far, group));
        (0..self.rounds)
            .map(move |round| (self.end(group, round, there), self.end(far, round, back)))
    }

    /// Whether two global links in succession lead from a node to one of another group.
    fn meets_in_third(&self, from: u32, to: u32) -> bool {
        let (group, far, others) = (from / self.nodes, to / self.nodes, self.groups - 1);
        let first = from % self.nodes * self.global;
        let links = (first..first + self.global).filter(|link| *link < self.rounds * others);
        links.into_iter().any(|link| {
            let third = self.far_group(group, link % others);
            let meets = || {
                let way = self.end(third, link / others, self.link_to(third, group));
                self.joining(third, far).any(|ends| ends == (way, to))
            };
            third != far && meets()
        })
    }
}

impl Distances for ByGroups {
    fn between(&self, from: NodeId, to: NodeId) -> u32 {
        if from == to {
            return 0;
        }
        let (group, far) = (from.0 / self.nodes, to.0 / self.nodes);
        if group == far {
            return 1;
        }
        let over = |(near, end)| 1 + u32::from(near != from.0) + u32::from(end != to.0);
        let least = self.joining(group, far).map(over).min().unwrap_or(3);
        match least {
            3 if self.meets_in_third(from.0, to.0) => 2,
            least => least,
        }
    }

    fn longest(&self) -> u32 {
        self.longest
    }
}
