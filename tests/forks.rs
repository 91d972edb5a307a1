//! A run that is stopped anywhere, copied and continued gives the events of one that runs through, and so does each copy,
//! whatever becomes of the others.

use crate::clocked::{many_clocks, one_clock};
use crate::common::machine::{machines, run, run_clocked};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Simulation, Use, start, start_clocked};
use flitwork_network::Clocks;
use flitwork_node::AnyProbe;
use flitwork_trace::Digest;
use proptest::prelude::*;

/// Where a run stops, as parts of its length: mostly somewhere, sometimes at the very beginning or the end, sometimes a
/// cycle after the stop before.
fn stops() -> BoxedStrategy<Vec<(f64, bool)>> {
    let place = prop_oneof![6 => 0.0..1.0f64, 1 => Just(0.0), 1 => Just(1.0), 3 => 0.0..0.1f64];
    prop::collection::vec((place, any::<bool>()), 0..8).boxed()
}

fn digest(simulation: &Simulation) -> Digest {
    *simulation.probe().probe::<Digest>()
}

/// Runs a simulation to `end` with stops, at each of which the run goes on in a copy while the original stays behind. Then
/// lets all of those that stayed behind run to the end, too, the last first: each must come to the same digest.
fn forked(
    mut simulation: Box<Simulation>,
    stops: &[(f64, bool)],
    end: u64,
) -> Result<Digest, TestCaseError> {
    let mut behind = Vec::new();
    let mut at = 0;
    let mut stops = stops.to_vec();
    stops.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (place, is_next) in stops {
        at = match is_next {
            true => (at + 1).min(end),
            false => at.max((place * end as f64) as u64),
        };
        simulation.advance(at);
        prop_assert_eq!(simulation.now(), at);
        let seen = digest(&*simulation);
        let copy = simulation.fork(AnyProbe::new(seen));
        prop_assert_eq!(copy.now(), at);
        behind.push((std::mem::replace(&mut simulation, copy), seen));
    }
    simulation.advance(end);
    let found = digest(&*simulation);
    for (mut earlier, seen) in behind.into_iter().rev() {
        // Nothing that the copy did is noticed.
        prop_assert_eq!(digest(&*earlier), seen);
        earlier.advance(end);
        prop_assert_eq!(digest(&*earlier), found);
    }
    Ok(found)
}

/// Runs a simulation in stretches until it says that nothing will happen any more, and not a stretch longer.
fn in_stretches(mut simulation: Box<Simulation>, stretch: u64, end: u64) -> Digest {
    while simulation.now() < end {
        let until = (simulation.now() + stretch).min(end);
        if simulation.advance(until) != Ended::Deadline {
            break;
        }
    }
    digest(&*simulation)
}

fn with_engine(resolved: &Resolved, engine: EngineChoice) -> Resolved {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    resolved
}

fn clocked(
    (resolved, clocks): (Resolved, Clocks),
    stops: &[(f64, bool)],
) -> Result<(), TestCaseError> {
    let whole = run_clocked(&resolved, &clocks, 1);
    let demand = demand(&resolved);
    let end = u64::from(demand.end.get()) * clocks.nominal_ps;
    let nominal = clocks.nominal_ps;
    let begin = || {
        let probe = AnyProbe::new(Digest::default());
        start_clocked(&resolved, (clocks.clone(), 2), demand.clone(), probe)
    };
    prop_assert_eq!(forked(begin(), stops, end)?, whole.digest);
    for cycles in [1, 64] {
        let found = in_stretches(begin(), cycles * nominal, end);
        prop_assert_eq!(found, whole.digest, "in stretches of {} cycles", cycles);
    }
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn copies_of_synchronous_runs_give_the_plain_engines_events(
        resolved in machines().boxed(),
        stops in stops(),
    ) {
        let whole = run(&resolved, EngineChoice::SyncPlain);
        for (engine, usage) in [
            (EngineChoice::Sync, Use::Events),
            (EngineChoice::Sync, Use::Views),
            (EngineChoice::SyncPlain, Use::Views),
        ] {
            let resolved = with_engine(&resolved, engine);
            let demand = demand(&resolved);
            let end = demand.end.get().into();
            let begin = || {
                let probe = AnyProbe::new(Digest::default());
                start(&resolved, usage, demand.clone(), probe)
            };
            prop_assert_eq!(forked(begin(), &stops, end)?, whole.digest, "{:?} {:?}", engine, usage);
            for stretch in [1, 64] {
                let found = in_stretches(begin(), stretch, end);
                prop_assert_eq!(found, whole.digest, "{:?} {:?} in stretches of {}", engine, usage, stretch);
            }
        }
    }

    #[test]
    fn copies_of_runs_under_many_clocks_give_their_events(
        machine in many_clocks().boxed(),
        stops in stops(),
    ) {
        clocked(machine, &stops)?;
    }

    #[test]
    fn copies_of_runs_under_equal_clocks_give_their_events(
        machine in one_clock().boxed(),
        stops in stops(),
    ) {
        clocked(machine, &stops)?;
    }
}
