//! One node on a test bench: its inputs are made up, and its actions are recorded.

use flitwork_node::{Event, Inputs, Outputs, Place, Probe, Site, Stepped, Wait, WaitsFor};
use flitwork_types::{Cycle, MAX_PORTS, NodeId, PacketRef, Packets, Port, PortSet, Word};

/// Records what it observes.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) events: Vec<(Cycle, Event)>,
    pub(crate) buffered: Option<u32>,
}

impl Probe for Notes {
    fn wants_words(&self) -> bool {
        true
    }

    fn wants_buffered(&self) -> bool {
        true
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

/// What a node did in a step.
#[derive(Default)]
pub(crate) struct Did {
    /// The words that left, by port.
    pub(crate) words: Vec<(Port, Word)>,
    /// The credits that left, by port, with their channels.
    pub(crate) credits: Vec<(Port, u8)>,
    /// What it reported, with the cycles in which it happens.
    pub(crate) events: Vec<(Cycle, Event)>,
    /// The words in its buffers, if it reported a change.
    pub(crate) buffered: Option<u32>,
}

/// What a packet in a place waits for.
pub(crate) fn waits_for(packet: u32, place: Place, what: &WaitsFor) -> String {
    format!("{packet} in {place} waits for {what:?}")
}

/// One node of a router.
pub(crate) struct Bench<R: Stepped> {
    router: R,
    node: NodeId,
    state: R::Node,
    pub(crate) packets: Packets,
    notes: Notes,
    /// The links that take words.
    pub(crate) sendable: PortSet,
}

impl<R: Stepped> Bench<R> {
    pub(crate) fn new(router: R, node: NodeId) -> Bench<R> {
        let state = router.nodes().swap_remove(node.index());
        Bench {
            router,
            node,
            state,
            packets: Packets::new(),
            notes: Notes::default(),
            sendable: PortSet(u64::MAX),
        }
    }

    /// One cycle, with these words and credits on its wires.
    pub(crate) fn step(
        &mut self,
        now: Cycle,
        arrivals: &[(Port, Word)],
        credits: &[(Port, u8)],
    ) -> Did {
        let mut words = [Word::BLANK; MAX_PORTS];
        let mut channels = [0; MAX_PORTS];
        let (mut arrived, mut credited) = (PortSet::EMPTY, PortSet::EMPTY);
        for (port, word) in arrivals {
            arrived.insert(*port);
            words[port.index()] = *word;
        }
        for (port, channel) in credits {
            credited.insert(*port);
            channels[port.index()] = *channel;
        }
        let inputs = Inputs {
            arrived,
            words: &words,
            credits: credited,
            credit_channels: &channels,
            sendable: self.sendable,
        };
        let mut sent = [Word::BLANK; MAX_PORTS];
        let mut sent_channels = [0; MAX_PORTS];
        let mut outputs = Outputs::new(&mut sent, &mut sent_channels);
        let mut site = Site {
            node: self.node,
            packets: &mut self.packets,
            probe: &mut self.notes,
        };
        self.router
            .step(&mut self.state, now, &inputs, &mut outputs, &mut site);
        let (ports, credited) = (outputs.sent, outputs.credits);
        let word = |port: Port| (port, sent[port.index()]);
        let credit = |port: Port| (port, sent_channels[port.index()]);
        Did {
            words: ports.iter().map(word).collect(),
            credits: credited.iter().map(credit).collect(),
            events: std::mem::take(&mut self.notes.events),
            buffered: self.notes.buffered.take(),
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
        if nothing_comes && self.router.next_step(&self.state, now) > now {
            return Did::default();
        }
        self.step(now, arrivals, credits)
    }

    /// What packets wait for at `now`, as sorted lines.
    pub(crate) fn waits(&self, now: Cycle) -> Vec<String> {
        let waits = self
            .router
            .waits(self.node, &self.state, &self.packets, now);
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
        self.router.is_idle(&self.state)
    }

    /// Whether, in addition, no message caused by an earlier packet is under way to it.
    pub(crate) fn is_settled(&self) -> bool {
        self.router.is_settled(&self.state)
    }

    /// The packet behind a reference, even after its delivery: its place isn't reused here.
    pub(crate) fn id(&self, packet: PacketRef) -> flitwork_types::PacketId {
        self.packets[packet].id
    }
}
