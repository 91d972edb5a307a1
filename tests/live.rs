//! Live runs under odd settings, and their replays.

mod common;

use common::live_runs::{Memory, live, observation, options, replay};
use common::machine::{machines, run};
use flitwork_engine::Ended;
use flitwork_experiment::config::EngineChoice;
use flitwork_live::Runtime;
use proptest::prelude::*;

fn runtimes() -> impl Strategy<Value = Runtime> {
    prop_oneof![Just(Runtime::Threads), Just(Runtime::Tokio)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn in_lockstep_a_live_run_is_the_synchronous_one(
        resolved in machines(),
        runtime in runtimes(),
        workers in 1usize..5,
        burst in 1u32..9,
    ) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let live = live(&resolved, &options(runtime, Some(0), workers, burst), None);
        prop_assert_eq!(&live.fault, &None);
        prop_assert_eq!(live.digest(), plain.digest);
        prop_assert_eq!(live.outcome.backlog, plain.backlog);
        prop_assert_eq!(observation(&resolved, live.probes), plain.observation);
    }

    #[test]
    fn a_replay_does_what_its_record_did(
        resolved in machines(),
        runtime in runtimes(),
        workers in 1usize..5,
        slack in prop_oneof![Just(None), Just(Some(0)), Just(Some(1)), Just(Some(4)), Just(Some(16))],
        burst in 1u32..20,
        threads in 1usize..4,
    ) {
        let memory = Memory::default();
        let options = options(runtime, slack, workers, burst);
        let live = live(&resolved, &options, Some(memory.clone()));
        prop_assert_eq!(&live.fault, &None);
        let bytes = memory.bytes();
        let again = replay(&resolved, &bytes, threads);
        prop_assert_eq!(&again.difference, &None);
        prop_assert_eq!(&again.nodes, &live.nodes);
        prop_assert_eq!(again.outcome, live.outcome);
        prop_assert_eq!(again.trailer.as_ref().map(|end| end.digest()), Some(live.digest()));
        let live_saw = observation(&resolved, live.probes);
        if live.outcome.ended == Ended::Empty {
            prop_assert_eq!(live_saw.injected, live_saw.delivered);
            prop_assert_eq!(live_saw.created, live_saw.delivered + live.outcome.backlog);
        }
        prop_assert_eq!(observation(&resolved, again.probes), live_saw);
    }
}
