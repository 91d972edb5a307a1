//! The rules of slack, at their limits, and the capacity of channels.

use crate::board::AnyLinks;
use crate::links::{Links, Pushed};
use crate::marks::{Closes, RequestedMark};
use crate::node_runner::NodeRunner;
use crate::recording::Log;
use crate::run::Run;
use crate::runner::{Awaited, Runner, TurnContext, TurnEnd};
use crate::tally::Tally;
use crossbeam_channel::bounded;
use flitwork_network::{Carried, Message, Network, born};
use flitwork_node::{AnyProbe, Router};
use flitwork_router::chaos::{Chaos, ChaosParameters, Plane, WordFlow};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::{Grid, Topology};
use flitwork_trace::record::{Decoder, Encoder};
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, Due, Duplex, Flit, NodeId, PacketId, Port, PortSet, TerminalId};
use std::collections::VecDeque;
use std::sync::Arc;

pub(crate) type Line = Run;

/// A node of it.
type Node = NodeRunner<Grid, GreedyHp<Grid>>;

/// Sources without a packet.
pub(crate) struct Silent;

impl Workload for Silent {
    fn next(&mut self, _: TerminalId, _: Cycle) -> Offer {
        Offer::Never
    }

    fn sources(&self) -> Vec<TerminalId> {
        Vec::new()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Silent)
    }
}

/// Three nodes in a row.
fn network(latency: u32) -> Network<Grid, GreedyHp<Grid>> {
    let grid = Grid::mesh(&[3]).unwrap();
    Network::new(grid.clone(), GreedyHp::new(grid, 1), latency)
}

/// They run 1000 cycles.
pub(crate) fn line(slack: Option<u32>, latency: u32, workers: usize) -> Line {
    let end = Cycle(1000);
    let births = Box::new(Silent);
    Run::new(&network(latency), births, end, end, slack, workers)
}

fn nodes(run: &Line, latency: u32) -> Vec<Node> {
    let network = Arc::new(network(latency));
    let states = network.router.nodes();
    let nodes = (0..run.nodes()).map(NodeId).zip(states);
    let cell = |of| run.cell(&network, of);
    let runner = |cell| NodeRunner::new(network.clone(), cell, run.links, None, None);
    nodes.map(cell).map(runner).collect()
}

/// The nodes of a line with a latency of one cycle.
pub(crate) fn runners(run: &Line) -> Vec<Box<dyn Runner>> {
    let boxed = |node| Box::new(node) as Box<dyn Runner>;
    nodes(run, 1).into_iter().map(boxed).collect()
}

/// A message with a word for node `to`, which left node 0 in its cycle `sent`.
pub(crate) fn message(sent: u32, to: u32) -> Message {
    let birth = Birth {
        created: Cycle::ZERO,
        destination: TerminalId(to),
        words: 1,
        class: 0,
    };
    let packet = PacketId {
        source: TerminalId(0),
        serial: sent,
    };
    Message {
        right: false,
        sent: Cycle(sent),
        credit: None,
        word: Some(Carried {
            header: Some(born(packet, &birth, Cycle::ZERO, Some(1))),
            index: 0,
            channel: 0,
            flit: Flit::at(0, 1),
        }),
    }
}

/// Rule 1: a node begins cycle c only when every neighbour has completed all cycles before c - slack.
#[test]
fn a_node_leads_no_neighbour_by_more_than_the_slack() {
    let middle = NodeId(1);
    for slack in [0, 1, 4, 16] {
        let run = line(Some(slack), 1, 1);
        // No node has completed a cycle: cycles up to the slack may be begun.
        assert_eq!(run.limit(middle), Cycle(slack + 1));
        run.publish(NodeId(0), Cycle(10));
        assert_eq!(run.limit(middle), Cycle(slack + 1));
        run.publish(NodeId(2), Cycle(7));
        assert_eq!(run.limit(middle), Cycle(7 + slack + 1));
        // A node at the end of the line has only one neighbour.
        run.publish(middle, Cycle(3));
        assert_eq!(run.limit(NodeId(0)), Cycle(3 + slack + 1));
        // No node waits for one that has run its last cycle.
        run.publish(NodeId(2), Due::NEVER);
        assert_eq!(run.limit(middle), Cycle(10 + slack + 1));
        run.publish(NodeId(0), Due::NEVER);
        assert_eq!(run.limit(middle), Due::NEVER);
    }
    assert_eq!(line(None, 1, 1).limit(middle), Due::NEVER);
}

/// Links with messages in them at port 1, which accept this many at each port.
struct Loose {
    inbound: VecDeque<Message>,
    /// The mark that the sender of the message with this number had been asked for by then.
    asked: Option<(usize, RequestedMark)>,
    room: usize,
    sent: Vec<(Port, Message)>,
}

impl Links for Loose {
    fn waiting(&mut self) -> PortSet {
        PortSet(2 * u64::from(!self.inbound.is_empty()))
    }

    fn pop(&mut self, port: Port) -> Option<Message> {
        assert_eq!(port, Port(1));
        let message = self.inbound.pop_front();
        if let Some((left, asked)) = &self.asked
            && *left == self.inbound.len()
        {
            asked.raise(1);
        }
        message
    }

    fn push(&mut self, port: Port, message: Message) -> Pushed {
        if self.sent.iter().filter(|(sent, _)| *sent == port).count() >= self.room {
            return Pushed::Full;
        }
        self.sent.push((port, message));
        Pushed::Gone
    }

    fn close(&mut self) {}
}

/// The middle node, which free-runs beside neighbours far ahead, with messages that are there from the
/// beginning; returns how its last turn ended, its cycle then and what it sent, and when words arrived.
fn middle(
    (run, latency): (&Line, u32),
    messages: &[Message],
    room: usize,
) -> (TurnEnd, Cycle, Vec<(Port, Message)>, Vec<u32>) {
    run.publish(NodeId(0), Cycle(900));
    run.publish(NodeId(2), Cycle(900));
    let (to, from) = bounded(100);
    let encoder = Encoder::new(1, run.links);
    let log = Log::new(NodeId(1), encoder, to, run.asked.clone());
    let mut runner = nodes(run, latency).remove(1);
    runner.log = Some(log);
    let mut links = Loose {
        inbound: messages.iter().copied().collect(),
        asked: None,
        room,
        sent: Vec::new(),
    };
    let mut context = TurnContext {
        links: AnyLinks::Other(&mut links),
        wires: &mut run.wires(),
        probe: &mut AnyProbe::new(()),
        tally: &mut Tally::default(),
    };
    let turn = runner.turn(run, &mut context, 100).unwrap().end;
    let now = runner.cell.now();
    runner.end_log();
    let mut decoder = Decoder::new(NodeId(1), 1, run.links);
    let handed = from.try_iter().filter_map(|handed| handed.chunk);
    handed.for_each(|chunk| decoder.push(chunk).unwrap());
    let mut came = Vec::new();
    while decoder.next() < decoder.upto() {
        let cycle = decoder.next();
        let arrivals = decoder.take(cycle).unwrap();
        came.extend(arrivals.words.iter().map(|_| cycle.get()));
    }
    (turn, now, links.sent, came)
}

/// Rule 2: a message that left in cycle s over a link of latency L arrives in the first cycle c with c >= s +
/// L - slack, one per cycle and in order.
#[test]
fn a_message_arrives_no_earlier_than_the_slack_permits() {
    for latency in 1..4 {
        for slack in [0, 1, 4, 16] {
            let run = line(Some(slack), latency, 1);
            let sent = [20, 21, 30, 31, 32];
            let messages = sent.map(|sent| message(sent, 2));
            let (turn, now, passed, came) = middle((&run, latency), &messages, 10);
            assert_eq!((turn, now), (TurnEnd::Ran, Cycle(100)));
            let due = sent.map(|sent| sent + latency - slack);
            assert_eq!(came, due, "latency {latency}, slack {slack}");
            // Each leaves through port 0 in a cycle in which it is there.
            assert_eq!(passed.len(), sent.len());
            assert!(passed.iter().all(|(port, _)| *port == Port(0)));
        }
        // If the rule permits all at once, they still arrive one by one.
        let run = line(Some(40), latency, 1);
        let messages = [20, 21, 30].map(|sent| message(sent, 2));
        assert_eq!(middle((&run, latency), &messages, 10).3, [0, 1, 2]);
        // Without a slack they arrive as soon as they are there.
        let run = line(None, latency, 1);
        assert_eq!(middle((&run, latency), &messages, 10).3, [0, 1, 2]);
    }
}

/// Half-duplex links of one cycle, and four until a right that has come may be used. The middle node has that to node 2 at
/// first, and passes it on in cycle 0. That of node 0 leaves there in cycle 10 and comes in 11: it is passed back in 15.
#[test]
fn a_node_with_nothing_to_do_passes_rights_on_in_time() {
    let grid = Grid::mesh(&[3]).unwrap();
    let parameters = ChaosParameters::chinn_1995(2);
    let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), parameters, 1);
    let network = Network::new(grid, router.with_half_duplex(true), 1).with_duplex(Duplex::Half {
        turnaround_cycles: 4,
    });
    let end = Cycle(1000);
    let run = Run::new(&network, Box::new(Silent), end, end, Some(0), 1);
    run.publish(NodeId(0), Cycle(900));
    run.publish(NodeId(2), Cycle(900));
    let middle = NodeId(1);
    let state = network.router.nodes().swap_remove(1);
    let cell = run
        .cell(&network, (middle, state))
        .with_wire_ends(network.wire_ends_of(middle));
    let mut runner = NodeRunner::new(Arc::new(network), cell, run.links, None, None);
    let right = Message {
        right: true,
        word: None,
        ..message(10, 2)
    };
    let mut links = Loose {
        inbound: [right].into(),
        asked: None,
        room: 10,
        sent: Vec::new(),
    };
    let mut context = TurnContext {
        links: AnyLinks::Other(&mut links),
        wires: &mut run.wires(),
        probe: &mut AnyProbe::new(()),
        tally: &mut Tally::default(),
    };
    runner.turn(&run, &mut context, 100).unwrap();
    let sent = links.sent.iter();
    let passed: Vec<_> = sent
        .map(|(port, it)| (*port, it.sent, it.right, it.word.is_none()))
        .collect();
    let right = |port, cycle| (Port(port), Cycle(cycle), true, true);
    assert_eq!(passed, [right(0, 0), right(1, 15)]);
}

/// Rule 3: a node whose message finds its channel full doesn't begin its next cycle.
#[test]
fn a_node_waits_for_room() {
    let run = line(Some(0), 1, 1);
    let messages = [20, 21, 30].map(|sent| message(sent, 2));
    let (turn, now, sent, _) = middle((&run, 1), &messages, 2);
    assert_eq!(turn, TurnEnd::Waits(Awaited::Room(Port(0))));
    assert_eq!(sent.len(), 2);
    // The third word's cycle has been run, but not completed.
    assert_eq!(run.progress(NodeId(1)), now - 1);
    let (first, second, third) = (sent[0].1.sent, sent[1].1.sent, now - 1);
    assert!(first < second && second < third, "{first} {second} {third}");
    let free = middle((&line(Some(0), 1, 1), 1), &messages, 3).2;
    assert_eq!(free[2].1.sent, third);
}

/// A node that takes in what a neighbour sent after a mark ends its chunk before that cycle, in mid-turn.
#[test]
fn what_was_sent_after_a_mark_arrives_after_it() {
    for slack in [None, Some(0), Some(4)] {
        let run = line(slack, 1, 1);
        run.publish(NodeId(0), Cycle(900));
        run.publish(NodeId(2), Cycle(900));
        let (to, from) = bounded(100);
        let mut runner = nodes(&run, 1).remove(1);
        let encoder = Encoder::new(1, run.links);
        runner.log = Some(Log::new(NodeId(1), encoder, to, run.asked.clone()));
        // Its sender had been asked when it sent the third of five.
        let mut links = Loose {
            inbound: [20, 21, 30, 31, 32].map(|sent| message(sent, 2)).into(),
            asked: Some((2, run.asked.clone())),
            room: 10,
            sent: Vec::new(),
        };
        let mut context = TurnContext {
            links: AnyLinks::Other(&mut links),
            wires: &mut run.wires(),
            probe: &mut AnyProbe::new(()),
            tally: &mut Tally::default(),
        };
        let turn = runner.turn(&run, &mut context, 100).unwrap();
        assert_eq!(turn.end, TurnEnd::Ran);
        let handed = from.try_recv().unwrap();
        assert_eq!(handed.closes, Some(Closes::Mark(1)));
        let comes = slack.map_or(2, |slack| 30 + 1 - slack);
        assert_eq!(handed.chunk.unwrap().upto, Cycle(comes), "slack {slack:?}");
    }
}

/// A link holds as many messages as its capacity, and accepts one more for each that is taken out, whether
/// both ends belong to one worker or to two.
#[test]
fn a_channel_holds_as_many_messages_as_its_capacity() {
    for workers in [1, 2, 3] {
        for capacity in [1, 2, 5] {
            let run = line(Some(0), 1, workers);
            let mut links = crate::threads::tests::Rig::new(&run, runners(&run), capacity);
            for way in [(0, 0, 1, 1), (1, 1, 0, 0), (2, 1, 1, 0)] {
                fill(&mut links, &run, way, capacity);
            }
        }
    }
}

/// Fills the link from a node through a port to a node's port.
fn fill(
    links: &mut crate::threads::tests::Rig,
    run: &Line,
    (from, port, to, at): (u32, u8, u32, u8),
    capacity: usize,
) {
    let (from, to) = (NodeId(from), NodeId(to));
    let (port, at) = (Port(port), Port(at));
    assert_eq!(run.far(from, port), Some((to, at)));
    let sent = |cycle| message(cycle, 2);
    for cycle in 0..capacity as u32 {
        assert_eq!(links.push(run, from, port, sent(cycle)), Pushed::Gone);
    }
    assert_eq!(links.push(run, from, port, sent(90)), Pushed::Full);
    assert!(links.waiting(run, to).contains(at));
    assert_eq!(links.pop(run, to, at), Some(sent(0)));
    assert_eq!(links.push(run, from, port, sent(91)), Pushed::Gone);
    assert_eq!(links.push(run, from, port, sent(92)), Pushed::Full);
    // In order, and nothing twice.
    let rest: Vec<u32> = std::iter::from_fn(|| links.pop(run, to, at))
        .map(|message| message.sent.get())
        .collect();
    let expected: Vec<u32> = (1..capacity as u32).chain([91]).collect();
    assert_eq!(rest, expected);
}

/// A far end that disappears early is a fault; one that has run its last cycle needs nothing more.
#[test]
fn an_end_that_closes_is_distinguished_from_one_that_has_finished() {
    for workers in [1, 3] {
        let run = line(Some(0), 1, workers);
        let mut links = crate::threads::tests::Rig::new(&run, runners(&run), 1);
        let push = |links: &mut crate::threads::tests::Rig, cycle| {
            links.push(&run, NodeId(0), Port(0), message(cycle, 2))
        };
        // Port 0 of node 0 leads to port 1 of node 1.
        assert_eq!(
            network(1).topology.neighbour(NodeId(0), Port(0)),
            Some(NodeId(1))
        );
        assert_eq!(push(&mut links, 0), Pushed::Gone);
        assert_eq!(push(&mut links, 1), Pushed::Full);
        links.finish(&run, NodeId(1));
        assert_eq!(push(&mut links, 1), Pushed::Gone);
        assert_eq!(push(&mut links, 2), Pushed::Gone);

        let run = line(Some(0), 1, workers);
        let mut links = crate::threads::tests::Rig::new(&run, runners(&run), 1);
        links.close(&run, NodeId(1));
        let closed = links.push(&run, NodeId(0), Port(0), message(0, 2));
        assert_eq!(closed, Pushed::Closed);
    }
}
