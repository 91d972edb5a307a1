//! Clocks for property tests.

use flitwork_config::{ChangeParameters, ChangedClocks};
use flitwork_network::{Arbiter, Delay, Law, SelfTimed, StageDelays, Wander};
use flitwork_types::NodeId;
use proptest::prelude::*;

/// Periods that differ by up to some ps, or don't.
pub(crate) fn wander(most_ps: u64) -> BoxedStrategy<Option<Wander>> {
    let bound = prop::option::of(0u64..3000);
    let drawn = (1..=most_ps, bound).prop_map(|(most_ps, more_ps)| Wander {
        most_ps,
        bound_ps: more_ps.map(|more_ps| most_ps + more_ps),
    });
    prop::option::of(drawn).boxed()
}

/// A time after the last change, a period, and for how long the clock is gated before that.
pub(crate) type Later = (u64, u64, Option<u64>);

/// Up to four changes with periods of at least some ps; gates are up to some ps long, and some are very short.
pub(crate) fn later(least_ps: u64, gate_ps: u64) -> BoxedStrategy<Vec<Later>> {
    let gate = prop_oneof![1 => 1u64..2000, 2 => 1..=gate_ps];
    let change = (
        0u64..100_000,
        least_ps..3 * least_ps,
        prop::option::of(gate),
    );
    prop_oneof![Just(Vec::new()), prop::collection::vec(change, 0..4)].boxed()
}

/// Each change with its time, and the period from then on; `None` for a gate.
pub(crate) fn at_times(changes: &[Later]) -> Vec<(u64, Option<u64>)> {
    let mut at_ps = 0;
    let each = changes.iter().flat_map(|(later_ps, period_ps, gate_ps)| {
        at_ps += later_ps + 1;
        let gate = gate_ps.map(|_| (at_ps, None));
        at_ps += gate_ps.unwrap_or(0);
        gate.into_iter().chain([(at_ps, Some(*period_ps))])
    });
    each.collect()
}

/// The same of all clocks, or of node 0 alone.
pub(crate) fn changes(least_ps: u64, gate_ps: u64) -> BoxedStrategy<Vec<ChangeParameters>> {
    (later(least_ps, gate_ps), any::<bool>())
        .prop_map(|(changes, is_all)| {
            let each = at_times(&changes).into_iter();
            let change = each.map(|(at_ps, period_ps)| ChangeParameters {
                at_ps,
                clocks: match is_all {
                    true => ChangedClocks::All,
                    false => ChangedClocks::Nodes(vec![NodeId(0)]),
                },
                period_ps,
            });
            change.collect()
        })
        .boxed()
}

/// A delay: fixed, or drawn by any law.
pub(crate) fn delay() -> BoxedStrategy<Delay> {
    let law = prop_oneof![Just(Law::Uniform), Just(Law::Normal), Just(Law::Data)];
    let least = prop_oneof![4 => 300u64..1500, 1 => 1u64..10];
    (least, prop_oneof![Just(0), 0u64..1500], law)
        .prop_map(|(least_ps, range_ps, law)| Delay {
            least_ps,
            most_ps: least_ps + range_ps,
            law,
        })
        .boxed()
}

/// What the stages of a node take.
pub(crate) fn stages() -> BoxedStrategy<StageDelays> {
    let optional = || prop::option::of(delay());
    (delay(), delay(), optional(), optional())
        .prop_map(|(word, decision, allocation, credit)| StageDelays {
            word,
            decision,
            allocation,
            credit,
        })
        .boxed()
}

/// A node without a clock: slow or fast, counting in no time or slowly, with an arbiter or without.
pub(crate) fn self_timed() -> BoxedStrategy<SelfTimed> {
    let scale_ppb = prop_oneof![Just(1_000_000_000), 500_000_000u64..2_000_000_000];
    let count_ps = prop_oneof![2 => Just(0), 1 => 1u64..1200];
    let arbiter =
        (0u64..800, 1u64..500).prop_map(|(window_ps, tau_ps)| Arbiter { window_ps, tau_ps });
    (stages(), scale_ppb, count_ps, prop::option::of(arbiter))
        .prop_map(|(stages, scale_ppb, count_ps, arbiter)| SelfTimed {
            scale_ppb,
            count_ps,
            arbiter,
            ..SelfTimed::new(stages)
        })
        .boxed()
}
