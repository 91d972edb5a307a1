//! A run that is cut off by its deadline ends identically on every engine: the same exit code, and the same
//! figures, including what was left in the network and in the sources and what was still to be made.

use crate::common::live_runs::{Memory, lockstep, replayed};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved, Runtime};
use flitwork_engine::Ended;
use flitwork_experiment::extras::Extras;
use flitwork_experiment::live::{ToRecord, simulate_live_with};
use flitwork_experiment::simulate::{Simulated, simulate};
use flitwork_results::Results;
use proptest::prelude::*;
use serde_json::Value;
use std::ops::ControlFlow;

/// All figures of a run except those of the host and of the engine's own work.
fn figures(resolved: &Resolved, simulated: &Simulated) -> Value {
    let results = Results::new(resolved, simulated);
    let mut figures = serde_json::to_value(&results).unwrap();
    let fields = figures.as_object_mut().unwrap();
    for own in [
        "seconds",
        "packet_hops_per_second",
        "node_cycles_per_second",
        "node_steps",
        // Only the clocked engine knows them.
        "idle_clock_ticks",
        "energy_idle_clock_joules",
        "ideal_throughput_words_per_node_cycle",
        "ideal_throughput_basis",
        "channel_load_max_words_per_cycle",
        "working_steps",
        "energy_step_joules",
    ] {
        fields.remove(own);
    }
    // Only the clocked engine has them.
    fields.retain(|name, _| !name.ends_with("_ps"));
    figures
}

fn on(resolved: &Resolved, engine: EngineChoice) -> Value {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    figures(&resolved, &simulated)
}

/// A live run in lockstep, and its replay.
fn live(resolved: &Resolved, runtime: Runtime) -> [(Ended, Value); 2] {
    let mut resolved = resolved.clone();
    resolved.run.engine = EngineChoice::Live;
    resolved.live = lockstep(&resolved, runtime);
    let memory = Memory::default();
    let record = ToRecord {
        out: Box::new(memory.clone()),
        heads: false,
        remark: String::new(),
    };
    let go_on = &mut |_| ControlFlow::Continue(());
    let run = simulate_live_with(&resolved, Some(record), Extras::default(), go_on);
    let (run, _) = run.unwrap();
    assert_eq!(run.fault, None);
    let again = replayed(&resolved, &memory.bytes());
    [run.simulated, again].map(|run| (run.outcome.ended, figures(&resolved, &run)))
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_ends_identically(resolved in machines(), tokio in any::<bool>()) {
        let plain = on(&resolved, EngineChoice::SyncPlain);
        for engine in [
            EngineChoice::Sync,
            EngineChoice::SyncStepped,
            EngineChoice::Clocked,
        ] {
            let other = on(&resolved, engine);
            prop_assert_eq!(&other, &plain, "{:?}", engine);
        }
        let runtime = if tokio { Runtime::Tokio } else { Runtime::Threads };
        for (ended, other) in live(&resolved, runtime) {
            // A live run ends once it has noticed that nothing moves any more; how soon depends on the host.
            if ended == Ended::Stuck {
                prop_assert_eq!(&plain["failure"]["kind"], "deadlock");
                prop_assert_eq!(&other["digest"], &plain["digest"]);
                continue;
            }
            prop_assert_eq!(&other, &plain, "{:?}", runtime);
        }
    }
}
