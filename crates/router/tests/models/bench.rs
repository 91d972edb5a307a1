//! One node on a test bench: its inputs are made up, and its actions are recorded.
//!
//! If it is stepped only where it says that it acts ([`Bench::step_if_it_acts`]), its twin is stepped in every cycle.
//! Both must do the same, and be in the same state whenever both have been stepped; and where the node says that it
//! acts although nothing arrives, it must.

use flitwork_node::{
    Event, Explanation, Inputs, Outputs, Place, Probe, Reported, Site, View, Wait, WaitsFor,
    WordRouter,
};
use flitwork_types::{
    Cycle, Due, MAX_PORTS, NodeId, PacketId, PacketRef, Packets, Port, PortSet, Word,
};
use std::fmt::Debug;

/// Records what it observes.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) events: Vec<(Cycle, Event)>,
    pub(crate) buffered: Option<u32>,
}

impl Probe for Notes {
    fn wants(&self, what: Reported) -> bool {
        matches!(
            what,
            Reported::Events | Reported::Words | Reported::Buffered
        )
    }

    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.events.push((cycle, event));
    }

    fn buffered(&mut self, _: NodeId, _: Cycle, words: u32) {
        assert_eq!(
            self.buffered.replace(words),
            None,
            "reported twice in a cycle"
        );
    }
}

/// A router whose nodes can be compared.
pub(crate) trait Benched: WordRouter<Node: Clone + Debug> {}

impl<R: WordRouter<Node: Clone + Debug>> Benched for R {}

/// What a node did in a step.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Did {
    /// The words that left, by port.
    pub(crate) words: Vec<(Port, Word)>,
    /// The credits that left, by port, with their channels.
    pub(crate) credits: Vec<(Port, u8)>,
    /// What it reported, with the cycles in which it happens.
    pub(crate) events: Vec<(Cycle, Event)>,
    /// The words in its buffers, if it reported a change.
    pub(crate) buffered: Option<u32>,
    /// The output frames into which words moved inside it, and whether one moved into its central queue.
    pub(crate) moved: PortSet,
    pub(crate) queued: bool,
}

/// What a packet in a place waits for.
pub(crate) fn waits_for(packet: u32, place: Place, what: &WaitsFor) -> String {
    format!("{packet} in {place} waits for {what:?}")
}

/// What is on a node's input wires.
struct Wires {
    arrived: PortSet,
    words: [Word; MAX_PORTS],
    credits: PortSet,
    channels: [u8; MAX_PORTS],
}

impl Wires {
    fn new(arrivals: &[(Port, Word)], credits: &[(Port, u8)]) -> Wires {
        let mut wires = Wires {
            arrived: PortSet::EMPTY,
            words: [Word::BLANK; MAX_PORTS],
            credits: PortSet::EMPTY,
            channels: [0; MAX_PORTS],
        };
        for (port, word) in arrivals {
            wires.arrived.insert(*port);
            wires.words[port.index()] = *word;
        }
        for (port, channel) in credits {
            wires.credits.insert(*port);
            wires.channels[port.index()] = *channel;
        }
        wires
    }

    fn inputs(&self, sendable: PortSet) -> Inputs<'_> {
        Inputs {
            arrived: self.arrived,
            words: &self.words,
            credits: self.credits,
            credit_channels: &self.channels,
            sendable,
        }
    }
}

/// One node of a router.
pub(crate) struct Bench<R: Benched> {
    router: R,
    node: NodeId,
    /// The node, and its twin, which is stepped in every cycle. Some are too large for the stack.
    states: Vec<R::Node>,
    /// When it will act, as it said after its last step.
    promised: Due,
    /// Whether something goes out, moves or is reported whenever it acts; otherwise its state may change instead.
    pub(crate) acts_visibly: bool,
    pub(crate) packets: Packets,
    notes: Notes,
    /// The links that take words.
    pub(crate) sendable: PortSet,
}

impl<R: Benched> Bench<R> {
    pub(crate) fn new(router: R, node: NodeId) -> Bench<R> {
        let mut states = router.nodes();
        states.swap(0, node.index());
        states.truncate(1);
        states.extend_from_within(..);
        let promised = router.next_step(&states[0], Cycle::ZERO);
        Bench {
            router,
            node,
            states,
            promised,
            acts_visibly: true,
            packets: Packets::new(),
            notes: Notes::default(),
            sendable: PortSet(u64::MAX),
        }
    }

    /// What it holds at the beginning of a cycle.
    pub(crate) fn look(&self, now: Cycle) -> View {
        self.router
            .look(self.node, &self.states[0], &self.packets, now)
    }

    /// What it will do in a cycle, with these words and credits on its wires.
    pub(crate) fn explain(
        &self,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Explanation {
        let wires = Wires::new(arrivals, credits);
        let (node, inputs) = (self.node, wires.inputs(self.sendable));
        self.router
            .explain(node, &self.states[0], now, &inputs, &self.packets)
    }

    /// [`Bench::step_if_it_acts`]; the packets that move are those that were said to.
    pub(crate) fn step_as_explained(
        &mut self,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Did {
        let told = self.explain(now, arrivals, credits);
        let did = self.step_if_it_acts(now, arrivals, credits);
        let moves = did.events.iter().filter_map(|(_, event)| match *event {
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => Some((packet, from, to, deroute)),
            _ => None,
        });
        let sorted = |moves: Vec<(PacketId, Place, Place, bool)>| {
            let mut lines: Vec<String> = moves.iter().map(|moves| format!("{moves:?}")).collect();
            lines.sort();
            lines
        };
        let explained = sorted(told.moves().collect());
        assert_eq!(explained, sorted(moves.collect()), "cycle {now}: {told:?}");
        did
    }

    /// One cycle, with these words and credits on its wires.
    pub(crate) fn step(
        &mut self,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Did {
        self.step_one(0, now, arrivals, credits)
    }

    fn step_one(
        &mut self,
        which: usize,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Did {
        let wires = Wires::new(arrivals, credits);
        let inputs = wires.inputs(self.sendable);
        let mut sent = [Word::BLANK; MAX_PORTS];
        let mut sent_channels = [0; MAX_PORTS];
        let mut outputs = Outputs::new(&mut sent, &mut sent_channels);
        let mut site = Site::new(self.node, &mut self.packets, &mut self.notes);
        let state = &mut self.states[which];
        self.router
            .step(state, now, &inputs, &mut outputs, &mut site);
        let (ports, credited) = (outputs.sent, outputs.credits);
        let (moved, queued) = (outputs.moved, outputs.queued);
        let word = |port: Port| (port, sent[port.index()]);
        let credit = |port: Port| (port, sent_channels[port.index()]);
        Did {
            words: ports.iter().map(word).collect(),
            credits: credited.iter().map(credit).collect(),
            events: std::mem::take(&mut self.notes.events),
            buffered: self.notes.buffered.take(),
            moved,
            queued,
        }
    }

    /// The same, but steps that the router declares to be without effect are skipped.
    pub(crate) fn step_if_it_acts(
        &mut self,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Did {
        let nothing_comes = arrivals.is_empty() && credits.is_empty();
        let next = self.router.next_step(&self.states[0], now);
        assert_eq!(
            next,
            self.promised.not_before(now),
            "another answer without a step: {:?}",
            self.states[0]
        );
        // The node finds the packets as its twin has found them.
        let packets = self.packets.clone();
        let expected = self.step_one(1, now, arrivals, credits);
        self.packets = packets;
        if nothing_comes && next > now {
            assert_eq!(expected, Did::default(), "{:?}", self.states[0]);
            return expected;
        }
        let all_take = self.sendable == PortSet(u64::MAX);
        let acts_unseen = nothing_comes && all_take && expected == Did::default();
        let before = acts_unseen.then(|| format!("{:?}", self.states[0]));
        let did = self.step(now, arrivals, credits);
        assert_eq!(did, expected, "{:?}", self.states[0]);
        // Writing states out takes long, and a difference stays.
        if now.0.is_multiple_of(32) || acts_unseen {
            let state = format!("{:?}", self.states[0]);
            assert_eq!(state, format!("{:?}", self.states[1]), "cycle {now}");
            let in_vain = acts_unseen && (self.acts_visibly || before == Some(state));
            assert!(
                !in_vain,
                "cycle {now}: nothing to do for {:?}",
                self.states[0]
            );
        }
        self.promised = self.router.next_step(&self.states[0], now + 1);
        did
    }

    /// When it acts next, from `now` on, if nothing arrives.
    pub(crate) fn next_step(&self, now: Cycle) -> Due {
        self.router.next_step(&self.states[0], now)
    }

    /// What packets wait for at `now`, as sorted lines.
    pub(crate) fn waits(&self, now: Cycle) -> Vec<String> {
        let waits = self
            .router
            .waits(self.node, &self.states[0], &self.packets, now);
        let line = |wait: &Wait| {
            assert_eq!(wait.node, self.node);
            waits_for(wait.packet.serial, wait.place, &wait.waits_for)
        };
        let mut lines: Vec<String> = waits.iter().map(line).collect();
        lines.sort();
        lines
    }

    /// Leaves the node undisturbed from `from` on. Returns whether it does nothing more after it has moved
    /// nothing for as many cycles as its patience; what can't be observed may take `unseen_cycles` in
    /// addition.
    pub(crate) fn is_still_after_its_patience(&mut self, from: u32, unseen_cycles: u32) -> bool {
        let patience = self.router.patience_cycles() + unseen_cycles;
        let mut last = from;
        for now in from..from + 8 * patience + 100 {
            let Did {
                words,
                credits,
                events,
                ..
            } = self.step_if_it_acts(Cycle(now), &[], &[]);
            if !(words.is_empty() && credits.is_empty() && events.is_empty()) {
                if now - last > patience {
                    return false;
                }
                last = now;
            }
        }
        true
    }

    /// Whether nothing is left in the node.
    pub(crate) fn is_idle(&self) -> bool {
        self.router.is_idle(&self.states[0])
    }

    /// Whether, in addition, no message caused by an earlier packet is under way to it.
    pub(crate) fn is_settled(&self) -> bool {
        self.router.is_settled(&self.states[0])
    }

    /// The packet behind a reference, even after its delivery: its place isn't reused here.
    pub(crate) fn id(&self, packet: PacketRef) -> flitwork_types::PacketId {
        self.packets[packet].id
    }
}
