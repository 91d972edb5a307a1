//! A router that posts, stepped word by word: its node's delay lines connect its cycle and the wires.
//!
//! ```text
//!   words ──────────────▶ ┌──────┐ ──▶ crossing ──▶ words
//!   credits ─▶ credits ─▶ │ post │ ───────────────▶ credits
//!   source ─────────────▶ └──────┘ ──▶ injected, room, back to the node itself
//! ```

use super::lines::leave;
use super::{Incoming, Lane, LaneSet, Lines, Mail, MailRouter, MailWord, Post};
use crate::{
    Cause, Inputs, Outputs, Part, Place, Probe, Reported, Site, View, Witness, WordRouter,
};
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, Port, PortSet};

impl<R: MailRouter> WordRouter for R {
    fn is_idle(&self, state: &Self::Node) -> bool {
        self.is_empty(&state.registers) && !state.lines.flow()
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        self.has_all_credits(&state.registers) && !state.lines.flow()
    }

    /// Exact for what is in its delay lines; for the rest as [`MailRouter::next_post`] is.
    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        let next = match state.lines.acts {
            true => self.next_post(&state.registers, now),
            false => Due::NEVER,
        };
        match next > now && state.lines.flow() {
            true => state.lines.next(now, next),
            false => next,
        }
    }

    /// The longest pure delay of a word or a credit.
    fn patience_cycles(&self) -> u32 {
        let delays = self.delays();
        let pure_cycles = delays.word_cycles + delays.credit_cycles + delays.injection_cycles;
        self.stage_cycles() + pure_cycles + 1
    }

    fn reroute<P: Probe>(&self, state: &mut Self::Node, now: Cycle, site: &mut Site<'_, P>) {
        self.reroute_registers(&mut state.registers, now, site);
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let (registers, lines) = (&mut state.registers, &mut state.lines);
        let (delays, local) = (self.delays(), self.local());
        lines.send(now, local, inputs, outputs, site);
        let credits = credits_of(self, inputs);
        if credits != R::Lanes::default() {
            lines.credit(now + delays.credit_cycles, credits);
        }
        let usable = lines.take_credits(now);
        lines.take_injected(now);
        if site.probe.wants(Reported::Details) {
            for (lane, word) in &lines.arriving {
                report_entry(now, *lane, *word, site);
            }
        }
        let incoming = incoming(self, inputs, usable, &lines.arriving);
        let mut post = Wired {
            now,
            later: now + delays.injection_cycles,
            local,
            inputs,
            lines,
            outputs,
        };
        state.lines.acts = self.post(registers, now, incoming, &mut post, site);
        site.witness(|witness, packets| {
            tell_entering(&state.lines, packets, witness);
        });
    }

    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        let mut view = self.look_at(node, &state.registers, packets, now);
        for port in state.lines.entered().iter() {
            let source = Place::Input(port);
            let register = view.buffers.iter_mut().find(|it| it.place == source);
            if let Some(register) = register {
                put_before(&mut register.held, state.lines.entering(packets, port));
            }
        }
        view
    }
}

/// Packets of which nothing else is told, since all words that have come of them are under way from the source to a lane.
#[cold]
#[inline(never)]
fn tell_entering(lines: &Lines<impl LaneSet>, packets: &Packets, witness: &mut Witness) {
    for port in lines.entered().iter() {
        for Part { packet, .. } in lines.entering(packets, port) {
            if witness.told(packet).next().is_none() {
                witness.stays(packet, Place::Input(port), Cause::Pipeline, None);
            }
        }
    }
}

/// A word from a source is in a lane of its local port.
#[cold]
#[inline(never)]
fn report_entry<P: Probe>(now: Cycle, lane: Lane, word: MailWord, site: &mut Site<'_, P>) {
    let to = Place::InputChannel(lane.port, lane.channel);
    let from = Place::Input(lane.port);
    site.shifted(now, word.packet, word.index, (from, to));
}

/// Puts words under way from the source before those that wait for their turn.
fn put_before(held: &mut Vec<Part>, mut entering: Vec<Part>) {
    if let (Some(last), Some(next)) = (entering.last(), held.first_mut())
        && last.packet == next.packet
    {
        next.first = last.first;
        next.words += last.words;
        entering.pop();
    }
    held.splice(..0, entering);
}

/// The output lanes that receive a credit over a link.
#[inline]
fn credits_of<R: MailRouter>(router: &R, inputs: &Inputs<'_>) -> R::Lanes {
    let mut credits = R::Lanes::default();
    for port in inputs.credits.iter() {
        let lane = router.lane(port, inputs.credit_channels[port.index()]);
        credits |= R::Lanes::only(lane.number);
    }
    credits
}

/// What a node sees in a cycle: what its wires bring, credits that can be used, and words from its sources.
#[inline]
fn incoming<R: MailRouter>(
    router: &R,
    inputs: &Inputs<'_>,
    credits: R::Lanes,
    arriving: &[(Lane, MailWord)],
) -> Incoming<R::Lanes> {
    let mut mail = Mail {
        credits,
        ..Mail::default()
    };
    let (mut begun, mut fed) = (PortSet::EMPTY, PortSet::EMPTY);
    for (port, word) in inputs.arrivals() {
        if port >= router.local() {
            fed.insert(port);
            if word.flit.is_head() {
                begun.insert(port);
            }
        } else {
            let lane = router.lane(port, word.channel).number;
            mail.put(lane, word.flit.is_head(), word.flit.is_tail());
        }
    }
    for (lane, word) in arriving {
        mail.put(lane.number, word.is_head, word.is_tail);
    }
    Incoming {
        mail,
        begun,
        fed,
        sendable: inputs.sendable,
    }
}

/// The post of a node that is stepped: what takes no time goes to its wires, everything else into its delay lines.
struct Wired<'a, 'o, L> {
    now: Cycle,
    /// When a word from the source arrives at its local lane, and its room is back.
    later: Cycle,
    local: Port,
    inputs: &'a Inputs<'a>,
    lines: &'a mut Lines<L>,
    outputs: &'a mut Outputs<'o>,
}

impl<L: LaneSet> Post for Wired<'_, '_, L> {
    const EVERY_WORD: bool = true;

    #[inline]
    fn head(&self, port: Port) -> PacketRef {
        if port < self.local {
            return self.inputs.words[port.index()].packet;
        }
        // It has come from the source by way of its delay line.
        let mut arriving = self.lines.arriving.iter();
        let word = arriving.find(|(lane, _)| lane.port == port);
        word.expect("a word has arrived").1.packet
    }

    #[inline]
    fn begun(&self, port: Port) -> PacketRef {
        self.inputs.words[port.index()].packet
    }

    #[inline]
    fn word<P: Probe>(&mut self, leaves: Cycle, to: Lane, word: MailWord, site: &mut Site<'_, P>) {
        if leaves == self.now && !self.outputs.sent.contains(to.port) {
            let (is_delivered, word) = (to.port >= self.local, word.on(to.channel));
            leave(leaves, (to.port, word), is_delivered, self.outputs, site);
        } else {
            self.lines.cross(leaves, to, word);
        }
    }

    /// Every word is posted by [`Post::word`].
    #[inline(always)]
    fn body(&mut self, _: Lane) {}

    #[inline]
    fn credit(&mut self, from: Lane) {
        if from.port >= self.local {
            // Returned room is never used before the next cycle.
            let known = self.later.max(self.now + 1);
            self.lines.credit(known, L::only(from.number));
        } else {
            self.outputs.credit(from.port, from.channel);
        }
    }

    #[inline]
    fn inject(&mut self, to: Lane, word: MailWord) {
        self.lines.inject(self.later, to, word);
    }

    #[inline]
    fn free(&mut self, port: Port) {
        self.outputs.credit(port, 0);
    }
}
