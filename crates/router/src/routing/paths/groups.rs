//! Shortest paths on groups that leave a group once: within it to a link, over that, and on within the other.
//!
//! ```text
//!   within a group: links left from each of its nodes to each     4 bytes a pair of groups, 2 a pair of nodes of a group:
//!   from a group to another: the links between them               nothing for each pair of nodes
//! ```

use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, TerminalId};
use std::collections::{BTreeMap, VecDeque};

/// A node from which a destination isn't reached without leaving a group twice.
const NO_WAY: u16 = u16::MAX;

/// A node in its group.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The group's number among those that there are, in the order of their own.
    group: u32,
    /// Its place in the group, in the order of nodes.
    place: u32,
}

/// The links left on the paths of a network of groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// By node.
    members: Box<[Member]>,
    /// By group: how many nodes it has, and where its table of links left within it begins, by destination and node.
    within: Box<[(u32, usize)]>,
    left_within: Box<[u16]>,
    /// By pair of groups: where the links from one to the other begin, and after the last where they end.
    first: Box<[u32]>,
    /// The places of the ends of these links.
    ends: Box<[(u32, u32)]>,
}

impl Groups {
    /// Those of a network whose nodes are in groups.
    pub(super) fn of(shape: &Shape) -> Groups {
        let nodes = || (0..shape.nodes()).map(NodeId);
        let mut lists: BTreeMap<Option<u32>, Vec<NodeId>> = BTreeMap::new();
        nodes().for_each(|node| lists.entry(shape.group(node)).or_default().push(node));
        let lists: Vec<Vec<NodeId>> = lists.into_values().collect();
        let unknown = Member { group: 0, place: 0 };
        let mut members = vec![unknown; shape.nodes() as usize];
        for (group, list) in (0..).zip(&lists) {
            for (place, node) in (0..).zip(list) {
                members[node.index()] = Member { group, place };
            }
        }
        let (mut within, mut left_within) = (Vec::new(), Vec::new());
        for list in &lists {
            within.push((list.len() as u32, left_within.len()));
            for to in list {
                left_within.extend(left_to(shape, &members, list.len(), *to));
            }
        }
        let (first, ends) = links_between(shape, &members, lists.len());
        Groups {
            members: members.into(),
            within: within.into(),
            left_within: left_within.into(),
            first,
            ends,
        }
    }

    /// The links left within a group, between places.
    #[inline]
    fn within(&self, group: u32, here: u32, to: u32) -> u16 {
        let (nodes, first) = self.within[group as usize];
        self.left_within[first + (to * nodes + here) as usize]
    }

    /// The links from a group to another.
    #[inline]
    fn between(&self, group: u32, far: u32) -> &[(u32, u32)] {
        let pair = group as usize * self.within.len() + far as usize;
        &self.ends[self.first[pair] as usize..self.first[pair + 1] as usize]
    }

    /// Whether two nodes are of one group.
    #[inline]
    pub(super) fn are_of_one(&self, one: NodeId, other: NodeId) -> bool {
        self.members[one.index()].group == self.members[other.index()].group
    }

    /// The links left from a node to another, if a path leaves no group twice.
    #[inline]
    pub(super) fn left(&self, here: NodeId, to: NodeId) -> Option<u32> {
        let [here, to] = [here, to].map(|node| self.members[node.index()]);
        let within = |group, from, to| match self.within(group, from, to) {
            NO_WAY => None,
            left => Some(u32::from(left)),
        };
        if here.group == to.group {
            return within(here.group, here.place, to.place);
        }
        let links = self.between(here.group, to.group).iter();
        let over = links.filter_map(|(near, far)| {
            let before = within(here.group, here.place, *near)?;
            Some(before + 1 + within(to.group, *far, to.place)?)
        });
        over.min()
    }

    /// Whether there is a path from each node with a terminal to each other.
    pub(super) fn are_joined(&self, shape: &Shape) -> bool {
        let count = 0..self.within.len() as u32;
        let are_linked = |one: u32| {
            let mut others = count.clone().filter(|other| *other != one);
            others.all(|other| !self.between(one, other).is_empty())
        };
        if !self.left_within.contains(&NO_WAY) && count.clone().all(are_linked) {
            return true;
        }
        let mut homes: Vec<NodeId> = (0..shape.terminals())
            .map(|terminal| shape.home(TerminalId(terminal)))
            .collect();
        homes.sort_unstable();
        homes.dedup();
        let is_reached = |to: &NodeId| homes.iter().all(|from| self.left(*from, *to).is_some());
        homes.iter().all(is_reached)
    }
}

/// The links of the shortest paths within a group to a node of it, by the places of the nodes.
fn left_to(shape: &Shape, members: &[Member], count: usize, to: NodeId) -> Vec<u16> {
    let mut left = vec![NO_WAY; count];
    let own = members[to.index()];
    left[own.place as usize] = 0;
    let mut found = VecDeque::from([to]);
    while let Some(node) = found.pop_front() {
        let next = left[members[node.index()].place as usize] + 1;
        for port in shape.links(node).iter() {
            let Some(before) = shape.neighbour(node, port) else {
                continue;
            };
            let Member { group, place } = members[before.index()];
            if group == own.group && left[place as usize] == NO_WAY {
                left[place as usize] = next;
                found.push_back(before);
            }
        }
    }
    left
}

/// By pair of groups where its links begin, and the places of all links' ends.
type LinksBetween = (Box<[u32]>, Box<[(u32, u32)]>);

/// Where the links of each pair of groups begin, and the places of their ends.
fn links_between(shape: &Shape, members: &[Member], groups: usize) -> LinksBetween {
    let nodes = (0..shape.nodes()).map(NodeId);
    let ports = nodes.flat_map(|node| shape.links(node).iter().map(move |port| (node, port)));
    let links = ports.filter_map(|(node, port)| {
        let far = members[shape.neighbour(node, port)?.index()];
        let near = members[node.index()];
        let pair = near.group as usize * groups + far.group as usize;
        (near.group != far.group).then_some((pair, (near.place, far.place)))
    });
    let mut links: Vec<(usize, (u32, u32))> = links.collect();
    links.sort_unstable();
    let mut first = vec![0; groups * groups + 1];
    for (pair, _) in &links {
        first[pair + 1] += 1;
    }
    for pair in 1..first.len() {
        first[pair] += first[pair - 1];
    }
    (
        first.into(),
        links.into_iter().map(|(_, ends)| ends).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Graph;

    /// The links of the shortest paths from each node to one within its group, or with one link from the node's group to that, by
    /// a search over the whole network.
    fn searched(shape: &Shape, to: NodeId) -> Vec<Option<u32>> {
        let mut left = vec![None; shape.nodes() as usize];
        left[to.index()] = Some(0);
        let mut found = VecDeque::from([to]);
        while let Some(node) = found.pop_front() {
            let next = left[node.index()].map(|left| left + 1);
            for port in shape.links(node).iter() {
                let Some(before) = shape.neighbour(node, port) else {
                    continue;
                };
                let groups = [before, node, to].map(|node| shape.group(node));
                let is_on_the_way = groups[0] == groups[1] || groups[1] == groups[2];
                if is_on_the_way && left[before.index()].is_none() {
                    left[before.index()] = next;
                    found.push_back(before);
                }
            }
        }
        left
    }

    /// Random networks of groups, whose numbers have gaps, with links of all kinds.
    #[test]
    fn paths_are_those_of_a_search() {
        let mut state = 1_u64;
        let mut draw = |below: u32| {
            state = flitwork_types::draws::split_mix(state);
            (state % u64::from(below)) as u32
        };
        let (mut joined, mut apart) = (0, 0);
        for case in 0..200 {
            let nodes = 4 + draw(12);
            let mut graph = Graph::of_nodes(nodes).unwrap();
            for node in 1..nodes {
                graph.join(NodeId(draw(node)), NodeId(node)).unwrap();
            }
            for _ in 0..draw(2 * nodes) {
                let (one, other) = (draw(nodes), draw(nodes));
                if one != other {
                    graph.join(NodeId(one), NodeId(other)).unwrap();
                }
            }
            let kinds = 1 + draw(4);
            let groups = (0..nodes).map(|_| 3 * draw(kinds)).collect();
            graph.set_groups(groups).unwrap();
            let shape = Shape::from(graph.build().unwrap());
            let paths = Groups::of(&shape);
            let mut all = true;
            for to in (0..nodes).map(NodeId) {
                let expected = searched(&shape, to);
                let found = (0..nodes).map(|from| paths.left(NodeId(from), to));
                assert_eq!(found.collect::<Vec<_>>(), expected, "case {case} to {to}");
                all &= expected.iter().all(Option::is_some);
            }
            assert_eq!(paths.are_joined(&shape), all, "case {case}");
            *(if all { &mut joined } else { &mut apart }) += 1;
        }
        assert!(joined > 10 && apart > 10, "{joined} {apart}");
    }
}
