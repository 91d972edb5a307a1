//! Markov-modulated traffic: each source wanders through states, and its rate is that of its state.
//!
//! ```text
//!            ┌── mean_cycles ──┐  then another state, all alike or by `transitions`
//!   state 0 ─┴─────────────────┴─▶ state 2 ───▶ state 1 ───▶ …
//!   coin at rate 0                 coin at rate 2
//! ```
//!
//! In each cycle a source in state i leaves it with probability 1 / mean_cycles, so that a stay is geometric
//! and at least a cycle long; while it stays, a coin of its rate decides in each cycle over a packet (the
//! Markov-modulated process of Dally and Towles 2004, chapter 24, in discrete time). A source begins in a
//! state drawn from the chain's long-run shares, so that its mean rate is right from cycle 0 on:
//!
//! ```text
//! share of state i = v_i * mean_cycles_i / sum over j of v_j * mean_cycles_j,    v = v * transitions
//! ```
//!
//! Stays and gaps are drawn whole, and a state of rate 0 is passed without a toss.

mod chain;

pub(crate) use chain::{Chain, Rate};

use crate::open_loop::{OpenLoop, Process, Sources};
use crate::parameter::within;
use crate::{Draws, Next, ParameterError, Pattern, Workload};
use flitwork_types::{Cycle, NodeId};

/// One state of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModulatedState {
    /// What a source offers in it, in words a cycle.
    pub load: f64,
    /// How long a source stays in it in the mean, in cycles; at least 1.
    pub mean_cycles: f64,
}

/// The states of every source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModulatedParameters {
    /// The states; 1 to 64.
    pub states: Vec<ModulatedState>,
    /// Row i: the probability of each state to come after state i. A source doesn't come back at once, so
    /// the diagonal is 0; every state must be reached from every other. By default all other states are
    /// alike.
    pub transitions: Option<Vec<Vec<f64>>>,
    /// The mean load, in words a node and cycle: all states' loads are scaled to give it. By default they
    /// stay as they are.
    pub load: Option<f64>,
}

/// Open-loop traffic of sources whose rate changes with their state.
///
/// Takes 28 bytes a source, and none before one of its block of sources is asked.
pub struct Modulated {
    sources: Sources<Wander>,
    packets_per_cycle: f64,
}

impl Modulated {
    /// Traffic on a network from cycle 0 on.
    ///
    /// # Errors
    /// A [`ParameterError`] for no state or more than 64, loads of less than 0 or of more than a packet a
    /// cycle, stays of less than a cycle, and transitions that are none.
    pub fn new(
        parameters: &ModulatedParameters,
        open_loop: OpenLoop,
    ) -> Result<Modulated, ParameterError> {
        let words = open_loop.lengths.mean_words();
        let mut states = Vec::new();
        for state in &parameters.states {
            let load = within("states.load", state.load, (0.0, words), "words a cycle")?;
            let cycles = within(
                "states.mean_cycles",
                state.mean_cycles,
                (1.0, f64::MAX),
                "cycles",
            )?;
            states.push(Rate {
                packets_per_cycle: (load / words).min(1.0),
                leaves_per_cycle: 1.0 / cycles,
            });
        }
        let chain = Chain::new(states, parameters.transitions.as_deref())?;
        let chain = match parameters.load {
            Some(load) => chain.scaled(load, words)?,
            None => chain,
        };
        Ok(Modulated::of(chain, open_loop))
    }

    pub(crate) fn of(chain: Chain, open_loop: OpenLoop) -> Modulated {
        let OpenLoop {
            pattern,
            lengths,
            until,
            seed,
            nodes,
        } = open_loop;
        let packets_per_cycle = chain.packets_per_cycle();
        let wander = Wander { pattern, chain };
        Modulated {
            sources: Sources::new(wander, lengths, until, seed, nodes),
            packets_per_cycle,
        }
    }

    /// The long-run mean of packets that a source makes, by the law.
    pub fn packets_per_cycle(&self) -> f64 {
        self.packets_per_cycle
    }
}

impl Workload for Modulated {
    fn next(&mut self, node: NodeId, _: Cycle) -> Next {
        self.sources.next(node)
    }

    fn sources(&self) -> Vec<NodeId> {
        self.sources.makers()
    }
}

/// One chain for all sources.
struct Wander {
    pattern: Box<dyn Pattern>,
    chain: Chain,
}

/// Where a source stands.
#[derive(Clone, Copy, Debug)]
struct Stay {
    /// The first cycle whose coin hasn't been tossed.
    untossed: Cycle,
    /// The first cycle in the next state.
    end: Cycle,
    /// The state, by its place in the chain.
    state: u8,
}

impl Process for Wander {
    type State = Stay;

    fn start(&self, draws: &mut Draws) -> Stay {
        let state = self.chain.first(draws);
        Stay {
            untossed: Cycle::ZERO,
            end: later(Cycle::ZERO, self.chain.stay(state, draws)),
            state,
        }
    }

    fn next(&self, _: NodeId, stay: &mut Stay, draws: &mut Draws, until: Cycle) -> Option<Cycle> {
        while stay.untossed < until {
            let coin = self.chain.coin(stay.state);
            if stay.untossed < stay.end && !coin.never() {
                // Tosses after the stay's end don't count: the coin of the next state is tossed afresh.
                let cycle = later(stay.untossed, coin.failures(draws));
                if cycle < stay.end && cycle < until {
                    stay.untossed = cycle + 1;
                    return Some(cycle);
                }
            }
            stay.untossed = stay.end;
            if stay.end < until {
                stay.state = self.chain.after(stay.state, draws);
                stay.end = later(stay.end, self.chain.stay(stay.state, draws));
            }
        }
        None
    }

    fn pattern(&self, _: Cycle) -> &dyn Pattern {
        &*self.pattern
    }

    fn silent(&self, source: NodeId) -> bool {
        self.pattern.silent(source)
    }
}

/// The cycle so many cycles later; [`Cycle::NEVER`] where none is.
fn later(cycle: Cycle, cycles: u64) -> Cycle {
    cycle + u32::try_from(cycles).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
