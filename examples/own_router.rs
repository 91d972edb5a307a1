//! A router from another crate: it registers itself, and every command of the program runs it.
//!
//! ```text
//!   north ──▶ [ queue ] ─┐                         ┌─▶ north      Each queue holds `queue_words` words; a word is a
//!   east  ──▶ [ queue ] ─┤   each output goes to    ├─▶ east       packet. It goes along x first, then y, and only
//!   south ──▶ [ queue ] ─┼─▶ the first queue, from  ├─▶ south      if the far queue has room. A word at its
//!   west  ──▶ [ queue ] ─┤   a rotating one on,     ├─▶ west       destination is delivered in the cycle in which
//!   local ──▶ [ queue ] ─┘   whose head wants it    └─▶ delivery   it reaches the front of its queue.
//! ```
//!
//! ```sh
//! cargo run --release --example own_router -- run examples/own_router.toml
//! cargo run --release --example own_router -- saturate examples/own_router.toml
//! ```

use flitwork_config::RouterEntry;
use flitwork_node::{
    At, Capacity, Cause, Decision, Inputs, Outputs, Part, Place, Probe, Router, Rule, Site,
    Subject, Until, View, ViewBuilder, Wait, WaitsFor, WordRouter,
};
use flitwork_router::parameters::{BuildContext, Facts, Offers, Reading, RouterParameters};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, Word};
use std::collections::VecDeque;
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, with this router.
pub(crate) fn parts() -> Parts {
    Parts::new().with(RouterEntry::of::<Queued>())
}

/// The parameters, which also make the router's line in the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Queued {
    queue_words: u8,
}

impl RouterParameters for Queued {
    const NAME: &'static str = "queued";
    const HELP: &'static str = "a queue at each input, packets of one word, x first";
    const KEYS: &'static [Key<Queued>] = &[key(
        "queue_words",
        |it| &mut it.queue_words,
        Allowed::Whole(1, 64),
        "4",
        "words that each queue holds",
    )];

    fn read(given: &RawTable<'_>, _: &Reading<'_>) -> Result<Queued, Refusal> {
        let mut parameters = Queued { queue_words: 4 };
        given.set(Self::KEYS, &mut parameters);
        Ok(parameters)
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        to.words(around.shape, || Queues {
            topology: around.shape.clone(),
            room: self.queue_words,
        });
    }

    fn facts(&self) -> Facts {
        Facts {
            fixed_words: Some(1),
            credit_words: Some(self.queue_words.into()),
            ..Facts::USUAL
        }
    }
}

/// The router on a topology.
struct Queues<T> {
    topology: T,
    room: u8,
}

/// The registers of one node.
#[derive(Clone)]
struct Node {
    /// What has arrived, by port; the local port's queue holds the packet that is being injected.
    queues: Vec<VecDeque<PacketRef>>,
    /// Free places in the queues at the far ends of the links.
    credits: Vec<u8>,
}

/// Who gets a link.
static ROTATING: Rule = Rule {
    name: "rotating",
    summary: "a link goes to the first queue, from another one on in each cycle, whose head wants it",
    source: "examples/own_router.rs",
};

impl<T: Topology> Queues<T> {
    /// The port that a packet takes next: along x, then y, then to the processor.
    fn next(&self, here: NodeId, packets: &Packets, packet: PacketRef) -> Port {
        let destination = self.topology.home(packets[packet].destination);
        let good = self.topology.productive(here, destination);
        let x_first = [1, 3, 0, 2].map(Port).into_iter().chain((4..32).map(Port));
        let mut ports = x_first.filter(|port| good.contains(*port));
        ports.next().unwrap_or(self.topology.local())
    }
}

impl<T: Topology> Router for Queues<T> {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let ports = self.topology.ports();
        let node = |_| Node {
            queues: vec![VecDeque::new(); ports + 1],
            credits: vec![self.room; ports],
        };
        (0..self.topology.nodes()).map(node).collect()
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let queues = state.queues.iter().zip((0..).map(Port));
        let first = queues.filter_map(|(queue, port)| Some((*queue.front()?, queue, port)));
        let wait = |(packet, queue, port): (PacketRef, &VecDeque<_>, _)| {
            let ids = (packets[packet].id, packets[packet].destination);
            let wait = |waits_for| Wait::new(node, ids, Place::Input(port), waits_for);
            let next = self.next(node, packets, packet);
            let wait = match state.credits.get(next.index()) {
                // Until there is room for a word in the queue at the far end.
                Some(0) => wait(WaitsFor::Neighbour(next))
                    .until(Until::Room(At::Far(next, None), u32::from(self.room) - 1)),
                _ => wait(WaitsFor::Nothing),
            };
            wait.taking(queue.len() as u32)
        };
        first.map(wait).collect()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }

    fn credit_words(&self) -> Option<u32> {
        Some(self.room.into())
    }
}

impl<T: Topology> WordRouter for Queues<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.queues.iter().all(VecDeque::is_empty)
    }

    fn is_settled(&self, state: &Node) -> bool {
        self.is_idle(state) && state.credits.iter().all(|credits| *credits == self.room)
    }

    /// The registers, for `trace look`, `debug` and `view`.
    fn look(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> View {
        let mut view = ViewBuilder::of_ports(self.topology.ports_of(node));
        for (port, queue) in (0..).map(Port).zip(&state.queues) {
            let words = queue
                .iter()
                .map(|packet| Part::new(packets[*packet].id, 0..1));
            view.buffer(Place::Input(port), Capacity::Words(self.room.into()), words);
        }
        for (port, credits) in (0..).map(Port).zip(&state.credits) {
            view.credit(port, 0, *credits);
        }
        view.build()
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let (node, local) = (site.node, self.topology.local());
        for port in inputs.credits.iter() {
            state.credits[port.index()] += 1;
        }
        for (port, word) in inputs.arrivals() {
            if port == local {
                site.injected(now, word.packet);
            }
            state.queues[port.index()].push_back(word.packet);
        }
        // Only a step that is explained has a witness: in a run nothing is left of what is told here and below.
        site.witness(|witness, packets| {
            for (port, queue) in (0..).map(Port).zip(&state.queues) {
                let ids = queue.iter().map(|packet| packets[*packet].id);
                witness.queue(Place::Input(port), ids);
            }
        });
        let count = state.queues.len();
        let in_turn = |turn: usize| Port(((now.get() as usize + turn) % count) as u8);
        for turn in 0..count {
            let input = in_turn(turn);
            let Some(packet) = state.queues[input.index()].front().copied() else {
                continue;
            };
            let port = self.next(node, site.packets, packet);
            if port == local {
                site.delivered(now, packet);
            } else if let Some(cause) = obstacle(state, port, inputs, outputs) {
                site.witness(|witness, packets| {
                    let winner = || packets[outputs.words[port.index()].packet].id;
                    let culprit = (cause == Cause::LostDecision).then(winner);
                    witness.stays(packets[packet].id, Place::Input(input), cause, culprit);
                });
                continue;
            } else {
                site.witness(|witness, packets| {
                    let heads = (turn..count).map(in_turn).filter_map(|input| {
                        let packet = *state.queues[input.index()].front()?;
                        let wants = self.next(node, packets, packet) == port;
                        wants.then(|| (packets[packet].id, Place::Input(input)))
                    });
                    let link = Subject::Place(Place::Output(port));
                    witness.decided(Decision::in_order(link, &ROTATING, heads));
                });
                state.credits[port.index()] -= 1;
                site.hops(now, packet, port, false);
                let way = (Place::Input(input), Place::Output(port));
                site.moved(now, packet, way, false);
                let word = Word::of(packet, 0, 1);
                site.departs(now, port, word, 1);
                outputs.send(port, word);
            }
            state.queues[input.index()].pop_front();
            outputs.credit(input, 0);
        }
    }
}

/// What keeps a packet from a link in this step.
fn obstacle(state: &Node, port: Port, inputs: &Inputs<'_>, outputs: &Outputs<'_>) -> Option<Cause> {
    if outputs.sent.contains(port) {
        Some(Cause::LostDecision)
    } else if state.credits[port.index()] == 0 {
        Some(Cause::NoCredit)
    } else {
        let takes = inputs.sendable.contains(port);
        (!takes).then_some(Cause::Crossing)
    }
}
