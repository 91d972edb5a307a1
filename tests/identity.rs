//! One digest: whatever the network, the parameters, the load and the seed, the plain and the fast engine
//! tell the same events and the same statistics.

mod common;

use common::machine::{machines, run};
use flitwork_experiment::config::EngineChoice;
use flitwork_types::NodeId;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_engine_tells_what_the_plain_one_tells(resolved in machines()) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let fast = run(&resolved, EngineChoice::Sync);
        if plain.digest != fast.digest {
            let key = |e: &(flitwork_types::Cycle, NodeId, flitwork_node::Event)| {
                (e.0, e.1, format!("{:?}", e.2))
            };
            let mut one: Vec<_> = plain.recorder.events.iter().map(key).collect();
            let mut other: Vec<_> = fast.recorder.events.iter().map(key).collect();
            one.sort();
            other.sort();
            let first = one.iter().zip(&other).find(|(a, b)| a != b);
            prop_assert!(false, "first difference, plain and fast: {first:?}");
        }
        prop_assert_eq!(plain.observation, fast.observation);
        prop_assert_eq!(plain.backlog, fast.backlog);
    }
}
