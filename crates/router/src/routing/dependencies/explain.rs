//! Packets that make the dependencies of a cycle.

use super::links::{ChannelNumber, Links};
use super::survey::Sink;
use super::verdict::{Circle, HeldChannel, Verdict, WhyCircle};
use crate::routing::contract::Choice;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// A channel of a cycle.
struct Step {
    number: ChannelNumber,
    /// Its number among the escape channels, if the cycle consists of them.
    escape: Option<usize>,
    node: NodeId,
    port: Port,
    channel: u8,
    /// The destination of a packet with the cycle's dependency, once one is found.
    destination: Option<NodeId>,
}

/// Finds a packet for each dependency of a cycle.
pub(super) struct Explained(Vec<Step>);

impl Explained {
    /// The cycle's channels, with their numbers among the escape channels if it consists of them.
    pub(super) fn new(
        cycle: impl Iterator<Item = (ChannelNumber, Option<usize>)>,
        links: &Links,
    ) -> Explained {
        let step = |(number, escape)| {
            let (node, port, channel) = links.place(number);
            Step {
                number,
                escape,
                node,
                port,
                channel,
                destination: None,
            }
        };
        Explained(cycle.map(step).collect())
    }

    /// Records a packet for each dependency that `depends` confirms, given a channel and the next one.
    fn note(&mut self, destination: NodeId, depends: impl Fn(&Step, &Step) -> bool) {
        for index in 0..self.0.len() {
            let (step, next) = (&self.0[index], &self.0[(index + 1) % self.0.len()]);
            if step.destination.is_none() && depends(step, next) {
                self.0[index].destination = Some(destination);
            }
        }
    }

    /// The verdict on the cycle, with the packets that were found.
    pub(super) fn verdict(
        self,
        why: WhyCircle,
        dependencies: u64,
        topology: &dyn Topology,
    ) -> Verdict {
        let held = |step: Step| {
            let destination = step
                .destination
                .expect("a dependency comes from a packet, which is found again");
            HeldChannel {
                node: step.node,
                port: step.port,
                channel: step.channel,
                destination,
                names: [
                    topology.node_name(step.node),
                    topology.port_name(step.port),
                    topology.node_name(destination),
                ],
            }
        };
        Verdict::Circle(Circle {
            why,
            dependencies,
            held: self.0.into_iter().map(held).collect(),
        })
    }
}

impl Sink for Explained {
    fn direct(&mut self, destination: NodeId, held: ChannelNumber, wanted: &[Choice]) {
        self.note(destination, |step, next| {
            let offers = |choice: &Choice| {
                choice.port == next.port && choice.channels >> next.channel & 1 == 1
            };
            step.escape.is_none() && step.number == held && wanted.iter().any(offers)
        });
    }

    fn extended(&mut self, destination: NodeId, held: usize, place: usize, wanted: u64) {
        self.note(destination, |step, next| {
            let offered = |next: usize| next / 64 == place && wanted >> (next % 64) & 1 == 1;
            step.escape == Some(held) && next.escape.is_some_and(offered)
        });
    }

    fn done(&self) -> bool {
        self.0.iter().all(|step| step.destination.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    /// Escape channels 5 and 70 wait for each other; 70 is bit 6 of word 1.
    #[test]
    fn a_packet_is_noted_for_its_own_dependency_only() {
        let links = Links::new(&Grid::mesh(&[8, 8]).unwrap(), 1);
        let cycle = [5, 70].map(|number| (ChannelNumber(number), Some(number as usize)));
        let mut explained = Explained::new(cycle.into_iter(), &links);
        explained.extended(NodeId(1), 5, 0, 1 << 6);
        explained.extended(NodeId(2), 5, 1, 1 << 5);
        explained.extended(NodeId(3), 6, 1, 1 << 6);
        assert!(explained.0.iter().all(|step| step.destination.is_none()));
        explained.extended(NodeId(4), 5, 1, 1 << 6 | 1);
        explained.extended(NodeId(5), 5, 1, 1 << 6);
        assert!(!explained.done());
        explained.extended(NodeId(6), 70, 0, 1 << 5);
        assert!(explained.done());
        let found = explained.0.iter().map(|step| step.destination);
        let found: Vec<Option<NodeId>> = found.collect();
        assert_eq!(found, [Some(NodeId(4)), Some(NodeId(6))]);
    }
}
