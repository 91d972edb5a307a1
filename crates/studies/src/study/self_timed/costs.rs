//! What steps, ticks, handshakes and words cost, and what a run spends of each.
//!
//! All defaults come from one tool and one technology: DSENT 0.9 (Sun et al., *DSENT - A Tool Connecting Emerging Photonics with
//! Electronics for Opto-Electronic Networks-on-Chip Modeling*, NOCS 2012) with its model `Bulk45LVT` of a bulk process of 45 nm: a
//! router with five ports, four virtual channels of ten words of 64 bits, flip-flops as buffers, 1 GHz, random data.

use clap::Args;
use flitwork_results::Results;

/// A word over a segment, which is 1 mm long: the repeated link of DSENT, whose energy is the same for delays of 250 ps and of
/// 1 ns.
const WIRE_PJ: f64 = 2.583;
/// A transition of a wire over 1 mm. The 64 bits of a word go up with a probability of a quarter each, so that a wire that goes up
/// takes 4 * 2.583 / 64 = 0.161 pJ, and a transition, up or down, half of that on average.
const TRANSITION_PJ: f64 = 0.081;
/// A tick that reaches a router over 1 mm of wire: up and down again.
const TRUNK_PJ: f64 = 0.161;
/// The trunk, the router's own tree (0.568 pJ), and the clock pins of its 960 pipeline flip-flops (three of 64 bits at each of five
/// ports) with 3.119 fJ each, 2.995 pJ. A buffer's flip-flops are clocked only by its writes.
const CLOCK_PJ: f64 = 3.724;
/// A word into the buffer (3.863 pJ), and through the register before it (0.087 and 0.402 pJ for its inputs and outputs; its clock
/// pins, 0.200 pJ, are in the tick).
const WRITE_PJ: f64 = 4.352;
/// A word out of the buffer, 4.531 pJ, without the clock pins of the register behind it.
const READ_PJ: f64 = 4.331;
/// A word through the crossbar, 1.074 pJ, without those pins again.
const CROSSBAR_PJ: f64 = 0.874;
/// Both stages of the switch allocator: 0.081 and 0.133 pJ.
const DECISION_PJ: f64 = 0.215;
/// A word through 64 flip-flops, with their clock pins: 0.087, 0.402 and 0.200 pJ.
const REGISTER_PJ: f64 = 0.689;

/// A price in pJ.
fn price(text: &str) -> Result<f64, String> {
    let is_allowed = |price| (0.0..=1e6).contains(&price);
    crate::options::number(text, is_allowed, "0 to 1000000 pJ")
}

/// Prices in pJ.
#[derive(Clone, Copy, Debug, Default, Args, PartialEq)]
pub(super) struct Costs {
    /// The energy of a tick of a node's clock without gates, in pJ.
    #[arg(long, default_value_t = CLOCK_PJ, value_name = "PJ", value_parser = price)]
    pub(super) clock_pj: f64,
    /// The part of it that no gate in the node stops, in pJ. The rest is what a step of a self-timed node costs, too: it opens as
    /// many registers.
    #[arg(long, default_value_t = TRUNK_PJ, value_name = "PJ", value_parser = price)]
    pub(super) trunk_pj: f64,
    /// The energy of a transition of a handshake over a segment, in pJ.
    #[arg(long, default_value_t = TRANSITION_PJ, value_name = "PJ", value_parser = price)]
    pub(super) transition_pj: f64,
    /// A word written into a buffer, in pJ.
    #[arg(long, default_value_t = WRITE_PJ, value_name = "PJ", value_parser = price)]
    pub(super) write_pj: f64,
    /// A word read from one, in pJ.
    #[arg(long, default_value_t = READ_PJ, value_name = "PJ", value_parser = price)]
    pub(super) read_pj: f64,
    /// A word through a crossbar, in pJ.
    #[arg(long, default_value_t = CROSSBAR_PJ, value_name = "PJ", value_parser = price)]
    pub(super) crossbar_pj: f64,
    /// A decision, in pJ.
    #[arg(long, default_value_t = DECISION_PJ, value_name = "PJ", value_parser = price)]
    pub(super) decision_pj: f64,
    /// A word over a segment of a link, in pJ.
    #[arg(long, default_value_t = WIRE_PJ, value_name = "PJ", value_parser = price)]
    pub(super) wire_pj: f64,
    /// A word through a register on a link, in pJ: self-timed links have one between two segments, clocked ones one between two
    /// cycles.
    #[arg(long, default_value_t = REGISTER_PJ, value_name = "PJ", value_parser = price)]
    pub(super) register_pj: f64,
}

/// What happened in a run's window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Delivered.
    pub(super) words: u64,
    pub(super) ticks: u64,
    /// Ticks of nodes that held nothing and received nothing.
    pub(super) idle_ticks: u64,
    /// Ticks and self-timed steps in which a node did something.
    pub(super) steps: u64,
    pub(super) transitions: u64,
    pub(super) writes: u64,
    pub(super) reads: u64,
    pub(super) crossings: u64,
    pub(super) decisions: u64,
    pub(super) link_words: u64,
}

impl Counts {
    pub(super) fn of(results: &Results) -> Option<Counts> {
        let energy = results.energy.as_ref()?;
        Some(Counts {
            words: energy.delivered_words,
            ticks: energy.count("clock_ticks")?,
            idle_ticks: energy.count("idle_clock_ticks")?,
            steps: energy.count("working_steps")?,
            transitions: energy.count("handshake_transitions")?,
            writes: energy.count("buffer_write_words")?,
            reads: energy.count("buffer_read_words")?,
            crossings: energy.count("crossbar_words")?,
            decisions: energy.count("decisions")?,
            link_words: energy.count("link_words")?,
        })
    }
}

/// When the clock inside a node is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gating {
    /// Never.
    None,
    /// In cycles in which the node does nothing.
    Cycles,
    /// In cycles in which it holds nothing and nothing comes.
    IdleNodes,
}

/// Energy in pJ per delivered word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spent {
    /// By the clock, outside and inside nodes; none by self-timed nodes.
    pub(super) clock: f64,
    /// By the registers that self-timed steps open.
    pub(super) steps: f64,
    pub(super) handshake: f64,
    /// By buffers, crossbars, decisions and links.
    pub(super) datapath: f64,
}

impl Spent {
    /// What keeping time costs.
    pub(super) fn timing(&self) -> f64 {
        self.clock + self.steps + self.handshake
    }

    pub(super) fn total(&self) -> f64 {
        self.timing() + self.datapath
    }
}

impl Costs {
    /// What a step costs by the registers that it opens.
    pub(super) fn step_pj(&self) -> f64 {
        self.clock_pj - self.trunk_pj
    }

    /// A word over a link of so many segments with so many registers on it.
    pub(super) fn link_pj(&self, segments: u32, registers: u32) -> f64 {
        f64::from(segments) * self.wire_pj + f64::from(registers) * self.register_pj
    }

    /// What a run spent, over links of so many segments with so many registers each; `None` if it delivered nothing.
    pub(super) fn spent(
        &self,
        of: &Counts,
        gating: Gating,
        (segments, registers): (u32, u32),
    ) -> Option<Spent> {
        let a_word = |count: u64, pj: f64| count as f64 * pj / of.words as f64;
        let is_clocked = of.ticks > 0;
        let opened = match gating {
            _ if !is_clocked => of.steps,
            Gating::None => of.ticks,
            Gating::Cycles => of.steps,
            Gating::IdleNodes => of.ticks - of.idle_ticks,
        };
        let opened = a_word(opened, self.step_pj());
        let (clock, steps) = match is_clocked {
            true => (a_word(of.ticks, self.trunk_pj) + opened, 0.0),
            false => (0.0, opened),
        };
        (of.words > 0).then(|| Spent {
            clock,
            steps,
            handshake: a_word(of.transitions, self.transition_pj),
            datapath: a_word(of.writes, self.write_pj)
                + a_word(of.reads, self.read_pj)
                + a_word(of.crossings, self.crossbar_pj)
                + a_word(of.decisions, self.decision_pj)
                + a_word(of.link_words, self.link_pj(segments, registers)),
        })
    }

    /// The same prices with one kind of them multiplied.
    pub(super) fn with(mut self, kind: Kind, factor: f64) -> Costs {
        let scaled: &mut [&mut f64] = match kind {
            Kind::Clock => &mut [&mut self.clock_pj, &mut self.trunk_pj],
            // What no gate stops changes; what a step costs stays.
            Kind::Trunk => {
                self.clock_pj += (factor - 1.0) * self.trunk_pj;
                &mut [&mut self.trunk_pj]
            }
            Kind::Handshake => &mut [&mut self.transition_pj],
            Kind::Registers => &mut [&mut self.register_pj],
            Kind::Datapath => &mut [
                &mut self.write_pj,
                &mut self.read_pj,
                &mut self.crossbar_pj,
                &mut self.decision_pj,
                &mut self.wire_pj,
            ],
        };
        scaled.iter_mut().for_each(|price| **price *= factor);
        self
    }
}

/// Prices that are varied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Ticks, inside and outside nodes, and so steps.
    Clock,
    /// What no gate stops.
    Trunk,
    Handshake,
    /// On links.
    Registers,
    Datapath,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] = [
        Kind::Clock,
        Kind::Trunk,
        Kind::Handshake,
        Kind::Registers,
        Kind::Datapath,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Clock => "clock",
            Kind::Trunk => "trunk",
            Kind::Handshake => "handshake",
            Kind::Registers => "registers",
            Kind::Datapath => "datapath",
        }
    }
}
