//! A router whose nodes are looked at and explained before each step, and compared with what the step reports.

use super::case::{Case, is_lane, lane};
use super::model::Model;
use super::verdict::{Tally, check};
use flitwork_node::{
    Detail, Event, Explanation, Inputs, Outputs, Place, Probe, Reported, Router, Site, View, Wait,
    WordRouter, step_in_detail,
};
use flitwork_router::routing::Routing;
use flitwork_router::wormhole::WormholeParameters;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, Due, NodeId, Packet, PacketId, Packets, Port, Word};
use std::collections::HashMap;
use std::sync::Mutex;

/// The router, and what it is compared with.
pub(super) struct Watched<R> {
    pub(super) router: R,
    pub(super) shape: Shape,
    pub(super) parameters: WormholeParameters,
    pub(super) routing: Box<dyn Routing>,
    pub(super) tally: Mutex<Tally>,
}

/// A node, and what it holds by what it has reported.
#[derive(Clone)]
pub(super) struct Modelled<N> {
    node: N,
    model: Model,
}

/// What is reported in a step.
pub(super) struct Log<'a, P> {
    probe: &'a mut P,
    pub(super) moved: Vec<(PacketId, Place, Place, bool)>,
    pub(super) details: Vec<Detail>,
    pub(super) words: Vec<(Port, PacketId, Word)>,
    now: Cycle,
}

impl<P: Probe> Probe for Log<'_, P> {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words | Reported::Details)
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        if let Event::Moved {
            packet,
            from,
            to,
            deroute,
        } = event
        {
            self.moved.push((packet, from, to, deroute));
        }
        self.probe.event(node, cycle, event);
    }

    fn word(&mut self, _: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        assert_eq!(cycle, self.now);
        self.words.push((port, packet, word));
    }

    fn detail(&mut self, _: NodeId, cycle: Cycle, detail: Detail) {
        assert_eq!(cycle, self.now);
        self.details.push(detail);
    }
}

impl<R: Router> Router for Watched<R> {
    type Node = Modelled<R::Node>;

    fn nodes(&self) -> Vec<Self::Node> {
        let nodes = self.router.nodes().into_iter().zip((0..).map(NodeId));
        let local = self.shape.local();
        let modelled = nodes.map(|(node, id)| Modelled {
            node,
            model: Model::new(&self.parameters, self.shape.links(id), local),
        });
        modelled.collect()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, &state.node, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        self.router.packet_words()
    }

    fn channels(&self) -> u8 {
        self.router.channels()
    }

    fn credit_words(&self) -> Option<u32> {
        self.router.credit_words()
    }

    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        self.router.returned(credit)
    }
}

impl<R: WordRouter> WordRouter for Watched<R> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        self.router.is_idle(&state.node)
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        self.router.is_settled(&state.node)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        self.router.next_step(&state.node, now)
    }

    fn patience_cycles(&self) -> u32 {
        self.router.patience_cycles()
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let (router, node) = (&self.router, site.node);
        let view = router.look(node, &state.node, site.packets, now);
        state.model.check(now, &view);
        let said = router.explain(node, &state.node, now, inputs, site.packets);
        let packets = site.packets.all().map(|packet| (packet.id, *packet));
        let packets: HashMap<PacketId, Packet> = packets.collect();
        let mut log = Log {
            probe: &mut *site.probe,
            moved: Vec::new(),
            details: Vec::new(),
            words: Vec::new(),
            now,
        };
        let mut inner = Site::new(node, &mut *site.packets, &mut log);
        step_in_detail(router, &mut state.node, now, inputs, outputs, &mut inner);
        let model = &mut state.model;
        self.compare((node, now), (&view, &said), &packets, (inputs, &log), model);
    }
}

impl<R> Watched<R> {
    /// Compares what was said of a step with what it has reported, and tells the model.
    fn compare<P: Probe>(
        &self,
        (node, now): (NodeId, Cycle),
        (view, said): (&View, &Explanation),
        packets: &HashMap<PacketId, Packet>,
        (inputs, log): (&Inputs<'_>, &Log<'_, P>),
        model: &mut Model,
    ) {
        // Words that have crossed in earlier cycles leave first; if crossing takes no time, they leave last.
        let (early, late) = match self.parameters.crossing_cycles() {
            0 => (&[][..], &log.words[..]),
            _ => (&log.words[..], &[][..]),
        };
        for (port, packet, word) in early {
            model.leave(now, *port, *packet, *word);
        }
        let (come, entered, left) = in_order(&log.details);
        let length = |packet: PacketId| packets[&packet].words;
        come.iter().for_each(|it| model.arrive(now, it, length));
        model.ripen(now + 1);
        let at_source = model.clone();
        let source = Place::Input(self.shape.local());
        if let Some((packet, _, to)) = said.sends().find(|(_, from, _)| *from == source) {
            model.enter(now, packet, to);
        }
        entered.iter().for_each(|it| model.arrive(now, it, length));
        let standing = model.clone();
        let crossed = self.depart(now, left, model);
        for (port, packet, word) in late {
            model.leave(now, *port, *packet, *word);
        }
        let case = Case {
            node,
            shape: &self.shape,
            parameters: &self.parameters,
            routing: &*self.routing,
            packets,
            sendable: inputs.sendable,
            view,
            at_source: &at_source,
            standing: &standing,
            moved: &log.moved,
            crossed: &crossed,
        };
        check(&case, said, &mut self.tally.lock().unwrap());
    }

    /// Words leave their lanes, and a credit goes back for each that had come over a link. Returns what has left.
    fn depart(
        &self,
        now: Cycle,
        details: &[Detail],
        model: &mut Model,
    ) -> Vec<(PacketId, Place, Place)> {
        let (mut crossed, mut returned, mut owed) = (Vec::new(), Vec::new(), Vec::new());
        for detail in details {
            match *detail {
                Detail::Shifted {
                    packet,
                    index,
                    from,
                    to,
                } => {
                    assert!(returned.is_empty(), "{details:?}");
                    model.cross(now, (packet, index), (from, to));
                    crossed.push((packet, from, to));
                    let came = lane(from);
                    owed.extend((came.0 != self.shape.local()).then_some(came));
                }
                Detail::Returned { port, channel } => returned.push((port, channel)),
                _ => panic!("{detail:?} after words have left"),
            }
        }
        owed.sort();
        returned.sort();
        assert_eq!(returned, owed, "{details:?}");
        crossed
    }
}

/// The details of a step in three parts: what comes in, words from the source that enter a lane, and what leaves.
fn in_order(details: &[Detail]) -> (&[Detail], &[Detail], &[Detail]) {
    let is_coming = |it: &Detail| matches!(it, Detail::Arrived(_) | Detail::Credited { .. });
    let enters = |it: &Detail| matches!(it, Detail::Shifted { to, .. } if is_lane(*to));
    let from = |skipped: usize, is_it: &dyn Fn(&Detail) -> bool| {
        let rest = &details[skipped..];
        skipped + rest.iter().take_while(|it| is_it(it)).count()
    };
    let entered = from(0, &is_coming);
    let left = from(entered, &enters);
    (
        &details[..entered],
        &details[entered..left],
        &details[left..],
    )
}
