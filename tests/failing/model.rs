//! What becomes of packets, by their events: a model that knows the failures and the graph, and nothing of routers.

use super::{Case, End, Fault};
use flitwork_node::{Event, Place};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, Loss, NodeId, Packet, PacketId};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a packet while its events are followed.
#[derive(Default)]
struct Seen {
    /// Where its head has left over a link that had failed.
    lost_at: Option<End>,
    /// Whether it was crossing a link when that failed, and is lost for that.
    is_cut: bool,
    /// By end of a link: when its head left there.
    heads: BTreeMap<End, u32>,
    is_gone: bool,
}

/// The model: failures, and the network without those that are known.
pub(super) struct Model<'a> {
    shape: &'a Shape,
    faults: Vec<(&'a Fault, BTreeSet<End>, BTreeSet<NodeId>)>,
}

impl Model<'_> {
    pub(super) fn of<'a>(shape: &'a Shape, case: &'a Case) -> Model<'a> {
        let faults = case.faults.iter();
        Model {
            shape,
            faults: faults
                .map(|fault| (fault, fault.ends(shape), fault.routers(shape)))
                .collect(),
        }
    }

    fn has_failed(&self, end: End, cycle: u32) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(fault, ends, _)| fault.has(cycle) && ends.contains(&end))
    }

    fn is_down(&self, router: NodeId, cycle: u32) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(fault, _, routers)| fault.has(cycle) && routers.contains(&router))
    }

    fn is_known(&self, end: End, cycle: u32) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(fault, ends, _)| fault.is_known(cycle) && ends.contains(&end))
    }

    /// Whether links that are known to work lead from one node to another.
    fn leads(&self, from: NodeId, to: NodeId, cycle: u32) -> bool {
        let (mut reached, mut next) = (BTreeSet::from([from]), vec![from]);
        while let Some(node) = next.pop() {
            for port in self.shape.links(node).iter() {
                let far = self.shape.neighbour(node, port).unwrap();
                if !self.is_known((node, port), cycle) && reached.insert(far) {
                    next.push(far);
                }
            }
        }
        reached.contains(&to)
    }

    /// Follows all events, in the order of their cycles and of the reports of each node.
    pub(super) fn judge(&self, events: &[(Cycle, NodeId, Event)]) -> BTreeMap<Option<Loss>, u64> {
        let mut events: Vec<_> = events.to_vec();
        events.sort_by_key(|(cycle, ..)| *cycle);
        let mut packets: BTreeMap<PacketId, Seen> = BTreeMap::new();
        let mut ends: BTreeMap<Option<Loss>, u64> = BTreeMap::new();
        for (cycle, node, event) in &events {
            let (cycle, node) = (cycle.get(), *node);
            match event {
                Event::Injected { packet } => self.injected(node, packet, &mut packets),
                Event::Moved { packet, to, .. } => {
                    let (Place::Output(port) | Place::OutputChannel(port, _)) = to else {
                        continue;
                    };
                    let is_known = self.is_known((node, *port), cycle);
                    assert!(
                        !is_known,
                        "{packet:?} is sent over a link that is known to have failed: {event:?}, {cycle}"
                    );
                }
                Event::Head { packet, port } if !self.shape.is_local(*port) => {
                    let seen = packets.get_mut(packet).unwrap();
                    assert_eq!(seen.lost_at, None, "{event:?} of a packet that is lost");
                    if self.has_failed((node, *port), cycle) {
                        seen.lost_at = Some((node, *port));
                    }
                    seen.heads.insert((node, *port), cycle);
                }
                Event::Tail { packet, port, .. } if !self.shape.is_local(*port) => {
                    let head = packets[packet].heads[&(node, *port)];
                    let is_cut = self.is_cut((node, *port), (head, cycle));
                    let seen = packets.get_mut(packet).unwrap();
                    seen.is_cut |= is_cut && seen.lost_at != Some((node, *port));
                }
                Event::Delivered { packet } | Event::Lost { packet, .. } => {
                    let seen = packets.get_mut(&packet.id).unwrap();
                    assert!(
                        !std::mem::replace(&mut seen.is_gone, true),
                        "{event:?} again"
                    );
                    let is_home = self.shape.home(packet.destination) == node;
                    let expected = match seen {
                        Seen {
                            lost_at: Some((at, _)),
                            ..
                        } => {
                            assert_eq!(*at, node, "{event:?}");
                            Some(Loss::FailedLink)
                        }
                        Seen { is_cut: true, .. } => Some(Loss::Cut),
                        _ if !is_home => Some(Loss::NoPath),
                        _ if self.is_down(node, cycle) => Some(Loss::FailedRouter),
                        _ => None,
                    };
                    assert_eq!(packet.loss, expected, "{event:?} at {node} in {cycle}");
                    *ends.entry(packet.loss).or_default() += 1;
                    if expected == Some(Loss::NoPath) {
                        self.has_no_path(node, packet, cycle);
                    }
                }
                _ => {}
            }
        }
        ends
    }

    /// A source sends only what may arrive, as far as that was known when the packet was made.
    fn injected(&self, node: NodeId, packet: &Packet, packets: &mut BTreeMap<PacketId, Seen>) {
        let made = packet.created.get();
        let home = self.shape.home(packet.destination);
        assert!(
            !self.is_down(node, made),
            "{packet:?} is made at a failed router"
        );
        assert!(self.leads(node, home, made), "{packet:?} has no way");
        assert!(packets.insert(packet.id, Seen::default()).is_none());
    }

    /// Whether a worm whose head and tail leave then is cut: a link that loses what crosses it fails in between.
    fn is_cut(&self, end: End, (head, tail): (u32, u32)) -> bool {
        let mut cycles = head + 1..=tail;
        cycles.any(|cycle| {
            let mut faults = self.faults.iter();
            faults.any(|(fault, ends, _)| fault.loses && fault.has(cycle) && ends.contains(&end))
        })
    }

    /// A packet that left the network where it had no path: none was known when it was routed there, at its injection or since.
    fn has_no_path(&self, node: NodeId, packet: &Packet, cycle: u32) {
        let home = self.shape.home(packet.destination);
        let mut cycles = packet.injected.get()..=cycle;
        assert!(
            cycles.any(|it| !self.leads(node, home, it)),
            "{packet:?} at {node}"
        );
    }
}
