//! The Chaos router, which also says why the rest of a packet stays whose head has left: its link takes no word.

use flitwork_node::{
    Cause, Doing, Explanation, Inputs, MailRouter, Outputs, Place, Probe, Router, Site,
    TimestampRouter, View, Wait, What, WordRouter,
};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::parameters::{BuildContext, Facts, Offers, Reading, RouterParameters};
use flitwork_schema::{Key, RawTable, Refusal};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packets, PortSet};

/// The router, and the cause that it names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tails {
    pub(crate) cause: Cause,
}

impl Tails {
    /// A mesh's router.
    pub(crate) fn chaos(&self) -> ChaosParameters {
        ChaosParameters::chinn_1995(4)
    }
}

impl RouterParameters for Tails {
    const NAME: &'static str = "tails";
    const HELP: &'static str = "the Chaos router, which says why tails stay";
    const KEYS: &'static [Key<Tails>] = &[];

    fn read(_: &RawTable<'_>, _: &Reading<'_>) -> Result<Tails, Refusal> {
        let cause = Cause::Crossing;
        Ok(Tails { cause })
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let cause = self.cause;
        self.chaos().offer(around, &mut OfTails { to, cause });
    }

    fn facts(&self) -> Facts {
        self.chaos().facts()
    }
}

/// Offers the router word by word.
struct OfTails<'a, O> {
    to: &'a mut O,
    cause: Cause,
}

impl<O: Offers> Offers for OfTails<'_, O> {
    fn words<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        let cause = self.cause;
        let router = || Telling {
            router: router(),
            cause,
        };
        self.to.words(topology, router);
    }

    fn timestamps<T: Topology + Clone + 'static, R: TimestampRouter + 'static>(
        &mut self,
        _: &T,
        _: impl FnOnce() -> R,
    ) {
    }

    fn mail<T: Topology + Clone + 'static, R: MailRouter + 'static>(
        &mut self,
        _: &T,
        _: impl FnOnce() -> R,
    ) {
    }
}

struct Telling<R> {
    router: R,
    cause: Cause,
}

impl<R: WordRouter> Router for Telling<R> {
    type Node = R::Node;

    fn nodes(&self) -> Vec<R::Node> {
        self.router.nodes()
    }

    fn waits(&self, node: NodeId, state: &R::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, state, packets, now)
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

    fn takes_half_duplex(&self) -> bool {
        self.router.takes_half_duplex()
    }
}

impl<R: WordRouter> WordRouter for Telling<R> {
    fn is_idle(&self, state: &R::Node) -> bool {
        self.router.is_idle(state)
    }

    fn is_settled(&self, state: &R::Node) -> bool {
        self.router.is_settled(state)
    }

    fn next_step(&self, state: &R::Node, now: Cycle) -> Due {
        self.router.next_step(state, now)
    }

    fn next_step_over(&self, state: &R::Node, now: Cycle, sendable: PortSet) -> Due {
        self.router.next_step_over(state, now, sendable)
    }

    fn patience_cycles(&self) -> u32 {
        self.router.patience_cycles()
    }

    fn look(&self, node: NodeId, state: &R::Node, packets: &Packets, now: Cycle) -> View {
        self.router.look(node, state, packets, now)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &R::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let mut told = self.router.explain(node, state, now, inputs, packets);
        let view = self.router.look(node, state, packets, now);
        for credit in &view.credits {
            let place = Place::Output(credit.port);
            let held = view.buffer(place).and_then(|buffer| buffer.held.first());
            let Some(part) = held.filter(|part| part.first > 0) else {
                continue;
            };
            if !inputs.sendable.contains(credit.port) {
                assert!(told.doing(part.packet).all(|doing| doing.place != place));
                let (cause, culprit) = (self.cause, None);
                told.packets.push(Doing {
                    packet: part.packet,
                    place,
                    what: What::Stays { cause, culprit },
                });
            }
        }
        told
    }

    fn step<P: Probe>(
        &self,
        state: &mut R::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        self.router.step(state, now, inputs, outputs, site);
    }
}
