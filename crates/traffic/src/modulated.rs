//! Markov-modulated traffic: each source moves through states, and its rate is that of its state.
//!
//! ```text
//!            ┌── mean_cycles ──┐  then another state, uniformly or by `transitions`
//!   state 0 ─┴─────────────────┴─▶ state 2 ───▶ state 1 ───▶ …
//!   coin at rate 0                 coin at rate 2
//! ```
//!
//! In each cycle a source in state i leaves it with probability 1 / mean_cycles, so a stay is geometric and lasts at least
//! one cycle; while it stays, a coin of the state's rate decides in each cycle whether it makes a packet (the
//! Markov-modulated process of Dally and Towles 2004, chapter 24, in discrete time). A source starts in a state drawn
//! from the chain's long-run shares, so its mean rate is right from cycle 0 on:
//!
//! ```text
//! share of state i = v_i * mean_cycles_i / sum over j of v_j * mean_cycles_j,    v = v * transitions
//! ```
//!
//! A stay or a gap takes a single draw, and a state of rate 0 takes none for packets.

mod chain;

pub(crate) use chain::{Chain, Rate};

use crate::open_loop::{OpenLoop, Process, Sources};
use crate::parameter::within;
use crate::{Draws, Pattern};
use flitwork_schema::WrongValue;
use flitwork_types::{Cycle, TerminalId};

/// One state of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModulatedState {
    /// The load that a source offers in it, in words per cycle.
    pub load: f64,
    /// The mean length of a stay, in cycles; at least 1.
    pub mean_cycles: f64,
}

/// The states of every source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModulatedParameters {
    /// The states; 1 to 64.
    pub states: Vec<ModulatedState>,
    /// Row i: the probability that each state follows state i. A state doesn't follow itself, so the diagonal is 0; every
    /// state must be reachable from every other. By default all other states are equally likely.
    pub transitions: Option<Vec<Vec<f64>>>,
    /// The mean load, in words per node and cycle: the loads of all states are scaled to give it. By default they aren't
    /// scaled.
    pub load: Option<f64>,
}

/// Open-loop traffic of sources whose rate changes with their state.
///
/// Takes 28 bytes per source, allocated in blocks when the first source of a block is asked for a packet.
pub type Modulated = Sources<Wander>;

impl ModulatedParameters {
    /// The chain of the states, with packets of `mean_words`.
    ///
    /// # Errors
    /// As [`Modulated::new`].
    pub(crate) fn chain(&self, mean_words: f64) -> Result<Chain, WrongValue> {
        let mut states = Vec::new();
        for state in &self.states {
            let loads = (0.0, mean_words);
            let load = within("states.load", state.load, loads, "words per cycle")?;
            let stays = (1.0, f64::MAX);
            let cycles = within("states.mean_cycles", state.mean_cycles, stays, "cycles")?;
            states.push(Rate {
                packets_per_cycle: (load / mean_words).min(1.0),
                leaves_per_cycle: 1.0 / cycles,
            });
        }
        let chain = Chain::new(states, self.transitions.as_deref())?;
        match self.load {
            Some(load) => chain.scaled(load, mean_words),
            None => Ok(chain),
        }
    }
}

impl Modulated {
    /// Traffic on a network from cycle 0 on.
    ///
    /// # Errors
    /// A [`WrongValue`] for no state or more than 64, loads below 0 or above one packet per cycle, stays of less than
    /// a cycle, and invalid transitions.
    pub fn new(
        parameters: &ModulatedParameters,
        open_loop: OpenLoop,
    ) -> Result<Modulated, WrongValue> {
        let chain = parameters.chain(open_loop.lengths.mean_words())?;
        Ok(of_chain(chain, open_loop))
    }
}

/// Traffic of sources that move through the states of a chain.
pub(crate) fn of_chain(chain: Chain, open_loop: OpenLoop) -> Modulated {
    let OpenLoop {
        pattern,
        lengths,
        until,
        seed,
        terminals,
    } = open_loop;
    Sources::of(Wander { pattern, chain }, lengths, until, seed, terminals)
}

/// One chain for all sources.
pub struct Wander {
    pattern: Box<dyn Pattern>,
    chain: Chain,
}

/// The current stay of a source.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// The first cycle for which no coin has been tossed.
    untossed: Cycle,
    /// The first cycle in the next state.
    end: Cycle,
    /// The index of the state in the chain.
    state: u8,
}

impl Process for Wander {
    type State = Stay;

    fn start(&self, draws: &mut Draws) -> Stay {
        let state = self.chain.first(draws);
        Stay {
            untossed: Cycle::ZERO,
            end: Cycle::ZERO.later(self.chain.stay(state, draws)),
            state,
        }
    }

    fn next(
        &self,
        _: TerminalId,
        stay: &mut Stay,
        draws: &mut Draws,
        until: Cycle,
    ) -> Option<Cycle> {
        while stay.untossed < until {
            let coin = self.chain.coin(stay.state);
            if stay.untossed < stay.end && !coin.never() {
                // Tosses after the end of the stay don't count: the next state tosses a coin of its own.
                let cycle = stay.untossed.later(coin.failures(draws));
                if cycle < stay.end && cycle < until {
                    stay.untossed = cycle + 1;
                    return Some(cycle);
                }
            }
            stay.untossed = stay.end;
            if stay.end < until {
                stay.state = self.chain.after(stay.state, draws);
                stay.end = stay.end.later(self.chain.stay(stay.state, draws));
            }
        }
        None
    }

    fn pattern(&self, _: Cycle) -> &dyn Pattern {
        &*self.pattern
    }
}

#[cfg(test)]
mod tests;
