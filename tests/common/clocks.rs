//! Clocks for property tests.

use flitwork_network::{Arbiter, Delay, Law, SelfTimed, StageDelays};
use proptest::prelude::*;

/// A delay: fixed, or drawn by any law.
pub(crate) fn delay() -> impl Strategy<Value = Delay> {
    let law = prop_oneof![Just(Law::Uniform), Just(Law::Normal), Just(Law::Data)];
    let least = prop_oneof![4 => 300u64..1500, 1 => 1u64..10];
    (least, prop_oneof![Just(0), 0u64..1500], law).prop_map(|(least_ps, range_ps, law)| Delay {
        least_ps,
        most_ps: least_ps + range_ps,
        law,
    })
}

/// What the stages of a node take.
pub(crate) fn stages() -> impl Strategy<Value = StageDelays> {
    let optional = || prop::option::of(delay());
    (delay(), delay(), optional(), optional()).prop_map(|(word, decision, allocation, credit)| {
        StageDelays {
            word,
            decision,
            allocation,
            credit,
        }
    })
}

/// A node without a clock: slow or fast, counting in no time or slowly, with an arbiter or without.
pub(crate) fn self_timed() -> impl Strategy<Value = SelfTimed> {
    let scale_ppb = prop_oneof![Just(1_000_000_000), 500_000_000u64..2_000_000_000];
    let count_ps = prop_oneof![2 => Just(0), 1 => 1u64..1200];
    let arbiter =
        (0u64..800, 1u64..500).prop_map(|(window_ps, tau_ps)| Arbiter { window_ps, tau_ps });
    (stages(), scale_ppb, count_ps, prop::option::of(arbiter)).prop_map(
        |(stages, scale_ppb, count_ps, arbiter)| SelfTimed {
            scale_ppb,
            count_ps,
            arbiter,
            ..SelfTimed::new(stages)
        },
    )
}
