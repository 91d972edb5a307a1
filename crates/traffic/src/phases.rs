//! Traffic that changes at given cycles: hot spots that come, move and go.
//!
//! ```text
//!   cycle 0          from_cycle of phase 1       from_cycle of phase 2      repeat_cycles
//!     ├── phase 0 ─────────┼── phase 1 ────────────────┼── phase 2 ────────────┤ phase 0 again …
//!       pattern, load        pattern, load               pattern, load
//! ```
//!
//! Within a phase, traffic is Bernoulli: in each cycle each source that isn't silent makes a packet with probability
//! load / mean words. Tosses are memoryless, so a success beyond the end of a phase is discarded, and the next phase
//! tosses its own coin.

use crate::bernoulli::toss_until_success;
use crate::geometric::Coin;
use crate::open_loop::{Process, Sources};
use crate::parameter::within;
use crate::{AnyPattern, Draws, Lengths, Pattern, PatternError};
use flitwork_schema::WrongValue;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, TerminalId};

/// One phase, as configured.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseParameters {
    /// Its first cycle; 0 for the first phase, and increasing.
    pub from_cycle: u32,
    /// Who sends to whom.
    pub pattern: AnyPattern,
    /// The load that a source offers, in words per cycle.
    pub load: f64,
}

/// A schedule of phases, as configured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhasesParameters {
    /// The phases, at least one.
    pub phases: Vec<PhaseParameters>,
    /// The schedule repeats after this many cycles; by default the last phase never ends.
    pub repeat_cycles: Option<u32>,
}

/// Why a schedule can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PhaseError {
    /// There is no phase.
    #[error("phases is an empty list; at least one is needed")]
    None,
    /// A phase's pattern can't be built.
    #[error("phase {phase}: {error}")]
    Pattern {
        /// The phase, from 0.
        phase: usize,
        /// Why.
        error: PatternError,
    },
    /// Another parameter of a phase is invalid.
    #[error("phase {phase}: {error}")]
    Parameter {
        /// The phase, from 0.
        phase: usize,
        /// Why.
        error: WrongValue,
    },
    /// The schedule repeats before its last phase begins.
    #[error(transparent)]
    Repeat(WrongValue),
}

/// Open-loop traffic in phases.
///
/// Takes 20 bytes per source, allocated in blocks when the first source of a block is asked for a packet.
pub type Phases = Sources<Schedule>;

impl Phases {
    /// Traffic on a network from cycle 0 to the cycle before `until`.
    ///
    /// # Errors
    /// A [`PhaseError`] for no phase, phases out of order, a pattern that can't be built, a load of more than one packet
    /// per cycle, and a repetition before the last phase.
    pub fn new(
        parameters: &PhasesParameters,
        topology: &dyn Topology,
        lengths: Lengths,
        until: Cycle,
        seed: u64,
    ) -> Result<Phases, PhaseError> {
        let mut phases: Vec<Phase> = Vec::new();
        for (phase, written) in parameters.phases.iter().enumerate() {
            let earlier = phases.last().map(|phase| phase.from);
            let in_place = |error| PhaseError::Parameter { phase, error };
            let from = checked_start(written.from_cycle, earlier).map_err(in_place)?;
            let words = lengths.mean_words();
            let (loads, unit) = ((0.0, words), "words per node and cycle");
            let load = within("load", written.load, loads, unit).map_err(in_place)?;
            let built = written.pattern.build(topology, seed);
            let pattern = built.map_err(|error| PhaseError::Pattern { phase, error })?;
            phases.push(Phase {
                from,
                pattern,
                coin: Coin::new((load / words).min(1.0)),
            });
        }
        let Some(last) = phases.last() else {
            return Err(PhaseError::None);
        };
        let repeat = parameters.repeat_cycles;
        if let Some(cycles) = repeat
            && cycles <= last.from.get()
        {
            let allowed = format!("cycles after the last phase's first, {}", last.from);
            let error = WrongValue::new("repeat_cycles", cycles, allowed);
            return Err(PhaseError::Repeat(error));
        }
        let schedule = Schedule { phases, repeat };
        Ok(Sources::of(
            schedule,
            lengths,
            until,
            seed,
            topology.terminals(),
        ))
    }
}

/// Refuses a phase that doesn't begin after the one before it.
fn checked_start(cycle: u32, earlier: Option<Cycle>) -> Result<Cycle, WrongValue> {
    let allowed = match earlier {
        None if cycle == 0 => return Ok(Cycle::ZERO),
        Some(earlier) if cycle > earlier.get() => return Ok(Cycle(cycle)),
        None => "0 for the first phase".into(),
        Some(earlier) => format!(
            "cycles after the start of the phase before, from {}",
            earlier + 1
        ),
    };
    Err(WrongValue::new("from_cycle", cycle, allowed))
}

/// The phases of all sources.
pub struct Schedule {
    /// Sorted by their first cycles, from 0.
    phases: Vec<Phase>,
    /// Cycles after which the schedule repeats.
    repeat: Option<u32>,
}

struct Phase {
    from: Cycle,
    pattern: Box<dyn Pattern>,
    coin: Coin,
}

impl Schedule {
    /// The phase of a cycle, and the first cycle after it.
    fn at(&self, cycle: Cycle) -> (&Phase, Due) {
        let round = match self.repeat {
            Some(cycles) => cycle.get() / cycles * cycles,
            None => 0,
        };
        let within = Cycle(cycle.get() - round);
        // The first phase begins in cycle 0, so at least one has begun.
        let begun = self.phases.partition_point(|phase| phase.from <= within);
        let end = match self.phases.get(begun) {
            Some(next) => Some(next.from.get()),
            None => self.repeat,
        };
        let end = end.map(|cycles| Cycle(round) + cycles);
        (&self.phases[begun - 1], end.into())
    }
}

impl Process for Schedule {
    /// The first cycle for which no coin has been tossed.
    type State = Cycle;

    fn start(&self, _: &mut Draws) -> Cycle {
        Cycle::ZERO
    }

    fn next(
        &self,
        source: TerminalId,
        untossed: &mut Cycle,
        draws: &mut Draws,
        until: Cycle,
    ) -> Option<Cycle> {
        while *untossed < until {
            let (phase, end) = self.at(*untossed);
            let end = end.at_latest(until);
            if !phase.coin.never() && !phase.pattern.silent(source) {
                let created = toss_until_success(draws, phase.coin, *untossed, end);
                if let Some(created) = created {
                    *untossed = created + 1;
                    return Some(created);
                }
            }
            *untossed = end;
        }
        None
    }

    fn pattern(&self, cycle: Cycle) -> &dyn Pattern {
        &*self.at(cycle).0.pattern
    }

    /// Whether the source never makes a packet in any phase.
    fn silent(&self, source: TerminalId) -> bool {
        let idle = |phase: &Phase| phase.coin.never() || phase.pattern.silent(source);
        self.phases.iter().all(idle)
    }
}

#[cfg(test)]
mod tests;
