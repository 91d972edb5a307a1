//! The queueing router, with a fault.

use crate::Fault;
use flitwork_node::{
    Event, Explanation, Inputs, Outputs, Probe, Router, Site, View, Wait, WordRouter,
};
use flitwork_router::queueing::Queueing;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, Due, Flit, NodeId, Packets, Port, PortSet, Word};

/// Where faults are, if they aren't everywhere: in the middle of a mesh of 4 x 4.
const PLACE: NodeId = NodeId(5);

/// The router, and what it does wrong.
pub(crate) struct Bent {
    router: Queueing<Grid>,
    grid: Grid,
    fault: Fault,
}

/// A node, and what the fault remembers.
#[derive(Clone)]
pub(crate) struct Node {
    inner: <Queueing<Grid> as Router>::Node,
    /// A word to be sent once more.
    again: Option<(Port, Word)>,
    has_lost: bool,
}

impl Bent {
    pub(crate) fn new(router: Queueing<Grid>, grid: Grid, fault: Fault) -> Bent {
        Bent {
            router,
            grid,
            fault,
        }
    }

    /// The link ports among these.
    fn links(&self, ports: PortSet) -> impl Iterator<Item = Port> {
        let local = self.grid.local();
        ports.iter().filter(move |port| *port != local)
    }

    /// A word that has just left over a link leaves once more, if the next cycle leaves room for it and its packet is
    /// still on its way then.
    fn repeat<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let node = site.node;
        if let Some((port, word)) = state.again.take()
            && !outputs.sent.contains(port)
        {
            if self.fault == Fault::SendsTwice {
                site.departs(now, port, word, 1);
            }
            outputs.send(port, word);
            return;
        }
        for port in self.links(outputs.sent) {
            let word = outputs.words[port.index()];
            let home = self.grid.home(site.packets[word.packet].destination);
            let goes_on = self.grid.neighbour(node, port) != Some(home);
            if word.flit == Flit::Only && goes_on {
                state.again = Some((port, word));
            }
        }
    }

    /// What is done wrong after a step.
    fn bend<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let (node, local) = (site.node, self.grid.local());
        let own = inputs.word(local).filter(|word| word.flit.is_head());
        match (self.fault, own) {
            (Fault::SendsTwice | Fault::SendsUnreported, _) => {
                self.repeat(state, now, outputs, site);
            }
            (Fault::SendsOverNoLink, _) => {
                let sent = self.links(outputs.sent).next();
                let there = self.grid.links(node);
                let mut missing = (0..4).map(Port).filter(|port| !there.contains(*port));
                if let (Some(port), Some(missing)) = (sent, missing.next()) {
                    outputs.send(missing, outputs.words[port.index()]);
                }
            }
            (Fault::FreesTheSourceEarly, Some(word)) if !word.flit.is_tail() => {
                outputs.credit(local, 0);
            }
            (Fault::InjectsTwice, Some(word)) => {
                site.injected(now, word.packet);
            }
            (Fault::CountsAHopTooFew, _) if node == PLACE => {
                for port in self.links(outputs.sent) {
                    let word = outputs.words[port.index()];
                    site.packets[word.packet].hops -= u16::from(word.flit.is_head());
                }
            }
            (Fault::LosesACredit, _) if node == PLACE && !state.has_lost => {
                if let Some(port) = self.links(outputs.credits).next() {
                    outputs.credits.remove(port);
                    state.has_lost = true;
                }
            }
            _ => {}
        }
    }
}

impl Router for Bent {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let node = |inner| Node {
            inner,
            again: None,
            has_lost: false,
        };
        self.router.nodes().into_iter().map(node).collect()
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, &state.inner, packets, now)
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

impl WordRouter for Bent {
    fn is_idle(&self, state: &Node) -> bool {
        self.router.is_idle(&state.inner)
    }

    fn is_settled(&self, state: &Node) -> bool {
        self.fault == Fault::SettlesEarly || self.router.is_settled(&state.inner)
    }

    fn next_step(&self, state: &Node, now: Cycle) -> Due {
        match self.fault {
            Fault::Sleeps => Due::NEVER,
            _ => self.router.next_step(&state.inner, now),
        }
    }

    fn patience_cycles(&self) -> u32 {
        self.router.patience_cycles()
    }

    fn look(&self, node: NodeId, state: &Node, packets: &Packets, now: Cycle) -> View {
        let mut view = self.router.look(node, &state.inner, packets, now);
        if self.fault == Fault::ShowsNoWords {
            view.buffers
                .iter_mut()
                .for_each(|buffer| buffer.held.clear());
        }
        view
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        match self.fault {
            Fault::ExplainsNothing => Explanation::default(),
            _ => self
                .router
                .explain(node, &state.inner, now, inputs, packets),
        }
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        if self.fault == Fault::StopsAtANode && site.node == PLACE && now > Cycle(20) {
            return;
        }
        let mut late = Late {
            probe: &mut *site.probe,
            by_cycles: u32::from(self.fault == Fault::DeliversLate),
        };
        let mut inner = Site::new(site.node, &mut *site.packets, &mut late);
        self.router
            .step(&mut state.inner, now, inputs, outputs, &mut inner);
        self.bend(state, now, inputs, outputs, site);
    }
}

/// A probe to which deliveries are reported late.
struct Late<'a, P> {
    probe: &'a mut P,
    by_cycles: u32,
}

impl<P: Probe> Probe for Late<'_, P> {
    flitwork_node::forward_probe!(self, (self.probe): wants, word, buffered, intervene, details);

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let late = match event {
            Event::Delivered { .. } => self.by_cycles,
            _ => 0,
        };
        self.probe.event(node, cycle + late, event);
    }
}
