//! Traffic that changes at given cycles: hot spots that come, move and go.
//!
//! ```text
//!   cycle 0          from_cycle of phase 1       from_cycle of phase 2      repeat_cycles
//!     ├── phase 0 ─────────┼── phase 1 ────────────────┼── phase 2 ────────────┤ phase 0 again …
//!       pattern, load        pattern, load               pattern, load
//! ```
//!
//! Within a phase it is Bernoulli traffic: in each cycle each source that isn't silent there makes a packet
//! with probability load / mean words. A coin remembers nothing, so the toss that falls behind a phase's end
//! is thrown away and the next phase tosses its own.

use crate::bernoulli::toss_until_success;
use crate::geometric::Coin;
use crate::open_loop::{Process, Sources};
use crate::parameter::within;
use crate::{Draws, Lengths, Next, ParameterError, Pattern, PatternError, PatternParameters};
use crate::{Workload, build_pattern};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId};
use std::fmt;

/// One phase, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseParameters {
    /// Its first cycle; 0 for the first phase, then later and later.
    pub from_cycle: u32,
    /// Who sends to whom.
    pub pattern: PatternParameters,
    /// What a source offers, in words a cycle.
    pub load: f64,
}

/// A schedule of phases, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PhasesParameters {
    /// At least one.
    pub phases: Vec<PhaseParameters>,
    /// After so many cycles the first phase comes again; by default the last one stays.
    pub repeat_cycles: Option<u32>,
}

/// Why a schedule can't be used.
#[derive(Clone, Debug, PartialEq)]
pub enum PhaseError {
    /// There is no phase.
    None,
    /// A phase's pattern can't be built.
    Pattern {
        /// The phase, from 0.
        phase: usize,
        /// Why.
        error: PatternError,
    },
    /// A phase's other parameters aren't allowed.
    Parameter {
        /// The phase, from 0.
        phase: usize,
        /// Why.
        error: ParameterError,
    },
    /// The schedule repeats before its last phase has begun.
    Repeat(ParameterError),
}

impl fmt::Display for PhaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PhaseError::None => write!(f, "phases is an empty list; at least one is needed"),
            PhaseError::Pattern { phase, error } => write!(f, "phase {phase}: {error}"),
            PhaseError::Parameter { phase, error } => write!(f, "phase {phase}: {error}"),
            PhaseError::Repeat(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PhaseError {}

/// Open-loop traffic in phases.
///
/// Takes 20 bytes a source, and none before one of its block of sources is asked.
pub struct Phases(Sources<Schedule>);

impl Phases {
    /// Traffic on a grid from cycle 0 to the cycle before `until`.
    ///
    /// # Errors
    /// A [`PhaseError`] for no phase, phases out of order, a pattern that can't be built, a load of more
    /// than a packet a cycle, and a repetition before the last phase.
    pub fn new(
        parameters: &PhasesParameters,
        grid: &Grid,
        lengths: Lengths,
        until: Cycle,
        seed: u64,
    ) -> Result<Phases, PhaseError> {
        let mut phases: Vec<Phase> = Vec::new();
        for (place, written) in parameters.phases.iter().enumerate() {
            let earlier = phases.last().map(|phase| phase.from);
            let in_place = |error| PhaseError::Parameter {
                phase: place,
                error,
            };
            let from = checked_start(written.from_cycle, earlier).map_err(in_place)?;
            let words = lengths.mean_words();
            let load = within("load", written.load, (0.0, words), "words a node and cycle")
                .map_err(in_place)?;
            let built = build_pattern(&written.pattern, grid);
            let pattern = built.map_err(|error| PhaseError::Pattern {
                phase: place,
                error,
            })?;
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
            let error = ParameterError::new("repeat_cycles", cycles, allowed);
            return Err(PhaseError::Repeat(error));
        }
        let schedule = Schedule { phases, repeat };
        Ok(Phases(Sources::new(
            schedule,
            lengths,
            until,
            seed,
            grid.nodes(),
        )))
    }
}

/// Refuses a phase that doesn't begin when it has to.
fn checked_start(cycle: u32, earlier: Option<Cycle>) -> Result<Cycle, ParameterError> {
    let allowed = match earlier {
        None if cycle == 0 => return Ok(Cycle::ZERO),
        Some(earlier) if cycle > earlier.get() => return Ok(Cycle(cycle)),
        None => "0 for the first phase".into(),
        Some(earlier) => format!("cycles after the phase before, from {}", earlier + 1),
    };
    Err(ParameterError::new("from_cycle", cycle, allowed))
}

/// The phases of all sources.
struct Schedule {
    /// By their first cycles, ascending from 0.
    phases: Vec<Phase>,
    /// Cycles after which the first phase comes again.
    repeat: Option<u32>,
}

struct Phase {
    from: Cycle,
    pattern: Box<dyn Pattern>,
    coin: Coin,
}

impl Schedule {
    /// The phase of a cycle, and the first cycle after it.
    fn at(&self, cycle: Cycle) -> (&Phase, Cycle) {
        let round = match self.repeat {
            Some(cycles) => cycle.get() / cycles * cycles,
            None => 0,
        };
        let within = Cycle(cycle.get() - round);
        // The first phase begins in cycle 0, so at least one has begun.
        let begun = self.phases.partition_point(|phase| phase.from <= within);
        let end = match self.phases.get(begun) {
            Some(next) => Cycle(round) + next.from.get(),
            None => self
                .repeat
                .map_or(Cycle::NEVER, |cycles| Cycle(round) + cycles),
        };
        (&self.phases[begun - 1], end)
    }

    /// Whether no phase ever makes a packet of this source.
    fn idle(&self, source: NodeId) -> bool {
        let idle = |phase: &Phase| phase.coin.never() || phase.pattern.silent(source);
        self.phases.iter().all(idle)
    }
}

impl Process for Schedule {
    /// The first cycle whose coin hasn't been tossed.
    type State = Cycle;

    fn start(&self, _: &mut Draws) -> Cycle {
        Cycle::ZERO
    }

    fn next(
        &self,
        source: NodeId,
        untossed: &mut Cycle,
        draws: &mut Draws,
        until: Cycle,
    ) -> Option<Cycle> {
        while *untossed < until {
            let (phase, end) = self.at(*untossed);
            let end = end.min(until);
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

    fn silent(&self, source: NodeId) -> bool {
        self.idle(source)
    }
}

impl Workload for Phases {
    fn next(&mut self, node: NodeId, _: Cycle) -> Next {
        self.0.next(node)
    }

    fn sources(&self) -> Vec<NodeId> {
        self.0.makers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_loop::tests::{cycles, order_does_not_matter};

    fn hot(node: u32) -> PatternParameters {
        PatternParameters {
            pattern: "hot-spot".into(),
            hot_nodes: Some(vec![NodeId(node)]),
            hot_fraction: Some(1.0),
            ..PatternParameters::default()
        }
    }

    fn to(node: u32) -> PatternParameters {
        PatternParameters {
            pattern: "many-to-one".into(),
            destination: Some(NodeId(node)),
            ..PatternParameters::default()
        }
    }

    fn schedule(phases: &[(u32, PatternParameters, f64)], repeat: Option<u32>) -> PhasesParameters {
        let phase = |(from_cycle, pattern, load): &(u32, PatternParameters, f64)| PhaseParameters {
            from_cycle: *from_cycle,
            pattern: pattern.clone(),
            load: *load,
        };
        PhasesParameters {
            phases: phases.iter().map(phase).collect(),
            repeat_cycles: repeat,
        }
    }

    fn built(parameters: &PhasesParameters, until: u32) -> Result<Phases, PhaseError> {
        let grid = Grid::mesh(&[20, 15]).unwrap();
        Phases::new(parameters, &grid, Lengths::fixed(2), Cycle(until), 5)
    }

    #[test]
    fn each_phase_has_its_load_and_its_pattern() {
        let parameters = schedule(
            &[(0, hot(7), 0.2), (1000, hot(9), 0.0), (1500, to(9), 0.5)],
            Some(2000),
        );
        let mut phases = built(&parameters, 7100).unwrap();
        let mut packets = [0f64; 3];
        for source in (0..300).filter(|source| ![7, 9].contains(source)) {
            while let Next::Packet(birth) = phases.next(NodeId(source), Cycle::ZERO) {
                let (phase, destination) = match birth.created.get() % 2000 {
                    0..1000 => (0, 7),
                    1000..1500 => (1, 9),
                    _ => (2, 9),
                };
                assert_eq!((birth.destination, birth.words), (NodeId(destination), 2));
                packets[phase] += 1.0;
            }
        }
        // 298 sources; phase 0 has 4,000 cycles at 0.1 packets, phase 2 has 1,500 at 0.25. Binomial.
        for (phase, cycles, rate) in [(0, 4000.0, 0.1), (1, 1600.0, 0.0), (2, 1500.0, 0.25)] {
            let tosses: f64 = 298.0 * cycles;
            let bound = 5.0 * (tosses * rate * (1.0 - rate)).sqrt();
            assert!(
                (packets[phase] - tosses * rate).abs() <= bound,
                "{phase}: {packets:?}"
            );
        }
        assert!(
            cycles(&mut phases, 9)
                .iter()
                .all(|cycle| cycle % 2000 < 1000)
        );
    }

    #[test]
    fn the_first_and_the_last_cycle_of_a_phase_are_its_own() {
        // At a packet a cycle nothing is left to chance.
        let parameters = schedule(
            &[(0, to(0), 0.0), (5, to(1), 2.0), (9, to(2), 0.0)],
            Some(12),
        );
        let mut phases = built(&parameters, 40).unwrap();
        let law: Vec<u32> = (0..40)
            .filter(|cycle| (5..9).contains(&(cycle % 12)))
            .collect();
        assert_eq!(cycles(&mut phases, 4), law);
        assert!(cycles(&mut phases, 1).is_empty());
        assert!(!phases.sources().contains(&NodeId(1)));
        let mut once = built(&schedule(&[(0, to(0), 0.0), (5, to(1), 2.0)], None), 40).unwrap();
        assert_eq!(cycles(&mut once, 4), (5..40).collect::<Vec<_>>());
    }

    #[test]
    fn one_phase_is_bernoulli_traffic() {
        let mut phases = built(&schedule(&[(0, hot(7), 0.3)], None), 5000).unwrap();
        let grid = Grid::mesh(&[20, 15]).unwrap();
        let pattern = build_pattern(&hot(7), &grid).unwrap();
        let mut bernoulli = crate::Bernoulli::new(pattern, 0.15, Cycle(5000), 5, 300)
            .unwrap()
            .of_words(2);
        loop {
            let next = phases.next(NodeId(8), Cycle::ZERO);
            assert_eq!(next, bernoulli.next(NodeId(8), Cycle::ZERO));
            if next == Next::Never {
                break;
            }
        }
    }

    #[test]
    fn births_do_not_depend_on_the_order_of_calls() {
        let parameters = schedule(
            &[(0, hot(7), 0.2), (30, to(9), 0.04), (50, hot(2), 0.0)],
            Some(60),
        );
        order_does_not_matter(|| Box::new(built(&parameters, 130).unwrap()), 300);
    }

    #[test]
    fn the_last_cycles_of_a_run_overflow_nothing() {
        let late = schedule(
            &[(0, to(0), 0.0), (u32::MAX - 2, to(1), 2.0)],
            Some(u32::MAX - 1),
        );
        assert_eq!(
            cycles(&mut built(&late, u32::MAX).unwrap(), 5),
            [u32::MAX - 2]
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |phases: &[_], repeat| {
            let refused = built(&schedule(phases, repeat), 9).err();
            refused.expect("a refusal").to_string()
        };
        assert!(refused(&[], None).starts_with("phases is an empty list"));
        let message = refused(&[(3, hot(1), 0.1)], None);
        assert_eq!(
            message,
            "phase 0: from_cycle is 3; allowed: 0 for the first phase"
        );
        let message = refused(
            &[(0, hot(1), 0.1), (8, hot(1), 0.1), (8, hot(1), 0.1)],
            None,
        );
        let allowed = "allowed: cycles after the phase before, from 9";
        assert_eq!(message, format!("phase 2: from_cycle is 8; {allowed}"));
        let message = refused(&[(0, hot(300), 0.1)], None);
        assert!(
            message.starts_with("phase 0: hot_nodes names node 300"),
            "{message}"
        );
        for load in [-0.1, 2.1, f64::NAN] {
            let message = refused(&[(0, hot(1), load)], None);
            assert!(message.starts_with("phase 0: load is "), "{message}");
        }
        let message = refused(&[(0, hot(1), 0.1), (8, hot(1), 0.1)], Some(8));
        assert!(
            message.starts_with("repeat_cycles is 8; allowed: cycles after"),
            "{message}"
        );
        assert!(refused(&[(0, hot(1), 0.1)], Some(0)).starts_with("repeat_cycles is 0;"));
    }
}
