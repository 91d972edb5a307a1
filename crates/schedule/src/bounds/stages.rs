//! The multistage graph, as far as packets of one kind can use it.

use crate::multistage::Paths;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::VecDeque;
use std::ops::Range;

/// Packets of one length that go to one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) destination: NodeId,
    pub(super) words: u32,
    /// Where they begin, each node once, and how many do.
    pub(super) sources: Vec<(NodeId, u32)>,
}

/// Where packets of a kind may be in which step, if all are to arrive within so many.
///
/// Who comes back to its source could as well have stayed there, where it waits freely, and who passes through its
/// destination could have ended there: neither is in here, so a state of the only source is a packet that hasn't left.
pub(super) struct Stages {
    /// The kind.
    pub(super) kind: Kind,
    /// The steps in which a first word may move.
    deadline: u32,
    nodes: Vec<Stage>,
    /// By node: its place among `nodes`.
    places: Vec<Option<usize>>,
    states: usize,
}

/// A node where packets may be, unless it's their destination.
struct Stage {
    node: NodeId,
    /// The steps as which begin they may be there.
    steps: Range<u32>,
    /// The number of the first state.
    first: usize,
    links: Vec<(Port, NodeId)>,
}

/// A first word may begin to cross a link in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) node: NodeId,
    pub(super) port: Port,
    pub(super) step: u32,
    /// The number of the state that it leaves.
    pub(super) from: usize,
    /// That of the state that it leads to: none at the destination.
    pub(super) to: Option<usize>,
}

impl Stages {
    /// The stages of a kind whose destination can be reached from its sources, and is none of them.
    pub(super) fn new(topology: &impl Topology, paths: Paths, kind: Kind, steps: u32) -> Stages {
        let mut stages = Stages {
            deadline: steps.saturating_sub(kind.words - 1),
            kind,
            nodes: Vec::new(),
            places: vec![None; topology.nodes() as usize],
            states: 0,
        };
        let mut after = vec![None; topology.nodes() as usize];
        let mut queue = VecDeque::new();
        for (source, _) in &stages.kind.sources {
            after[source.index()] = Some(0);
            queue.push_back((*source, 0));
        }
        while let Some((node, begin)) = queue.pop_front() {
            let left = topology.distance(node, stages.kind.destination);
            let end = (stages.deadline + 1).saturating_sub(left);
            if begin >= end {
                continue;
            }
            let links = stages.links(topology, paths, node);
            for (_, far) in &links {
                let unknown = after[far.index()].is_none();
                if unknown && *far != stages.kind.destination {
                    after[far.index()] = Some(begin + 1);
                    queue.push_back((*far, begin + 1));
                }
            }
            stages.add(node, begin..end, links);
        }
        stages
    }

    /// The links that lead a packet on: to its destination, or to where there is a path to it.
    fn links(&self, topology: &impl Topology, paths: Paths, node: NodeId) -> Vec<(Port, NodeId)> {
        let destination = self.kind.destination;
        let ports = paths.ports(topology, node, destination);
        let links = ports.iter();
        let links = links.filter_map(|port| Some((port, topology.neighbour(node, port)?)));
        let leads = |far: NodeId| {
            let goes = far == destination || !topology.productive(far, destination).is_empty();
            goes && self.home() != Some(far)
        };
        links.filter(|(_, far)| leads(*far)).collect()
    }

    fn add(&mut self, node: NodeId, steps: Range<u32>, links: Vec<(Port, NodeId)>) {
        self.places[node.index()] = Some(self.nodes.len());
        let first = self.states;
        self.states += steps.len();
        self.nodes.push(Stage {
            node,
            steps,
            first,
            links,
        });
    }

    /// The source, if there's only one.
    pub(super) fn home(&self) -> Option<NodeId> {
        match self.kind.sources[..] {
            [(home, _)] => Some(home),
            _ => None,
        }
    }

    /// How many states there are.
    pub(super) fn count(&self) -> usize {
        self.states
    }

    /// The number of a state: a first word is in a node as a step begins.
    pub(super) fn state(&self, node: NodeId, step: u32) -> Option<usize> {
        let stage = &self.nodes[self.places[node.index()]?];
        let is_in = stage.steps.contains(&step);
        is_in.then(|| stage.first + (step - stage.steps.start) as usize)
    }

    /// All states, by number: their nodes and steps.
    pub(super) fn states(&self) -> impl Iterator<Item = (NodeId, u32)> {
        let nodes = self.nodes.iter();
        nodes.flat_map(|stage| stage.steps.clone().map(|step| (stage.node, step)))
    }

    /// All moves.
    pub(super) fn moves(&self) -> impl Iterator<Item = Move> {
        self.nodes.iter().flat_map(move |stage| {
            let each = stage.steps.clone().zip(stage.first..);
            each.flat_map(move |(step, from)| {
                stage.links.iter().filter_map(move |(port, far)| {
                    let ends = *far == self.kind.destination;
                    let to = self.state(*far, step + 1);
                    let is_in_time = step < self.deadline && (ends || to.is_some());
                    is_in_time.then_some(Move {
                        node: stage.node,
                        port: *port,
                        step,
                        from,
                        to,
                    })
                })
            })
        })
    }

    /// Those that wait in a node for a step, once they have left: the node, the step, and the states before and after it.
    pub(super) fn waits(&self) -> impl Iterator<Item = (NodeId, u32, usize, usize)> {
        let away = self.nodes.iter().filter(|it| self.home() != Some(it.node));
        away.flat_map(|stage| {
            let each = stage.steps.clone().zip(stage.first..);
            each.take(stage.steps.len() - 1)
                .map(|(step, state)| (stage.node, step, state, state + 1))
        })
    }
}
