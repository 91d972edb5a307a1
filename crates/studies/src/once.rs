//! What experiments with permutations run: a packet from every node, once.

use flitwork_config::{
    AnyRouter, ClockParameters, EnergyParameters, EngineChoice, LiveParameters, NetworkParameters,
    Resolved, RunParameters, TrafficParameters,
};
use flitwork_topology::Grid;
use flitwork_traffic::{LengthLaw, OnceParameters, PermutationParameters};

/// Cycles that a word takes from one node to the next.
pub(crate) const LINK_CYCLES: u32 = 1;

/// A random permutation on a mesh under one clock, until the last packet is home or the deadline comes.
pub(crate) fn permutation(
    mesh: &Grid,
    router: AnyRouter,
    (seed, deadline_cycles): (u64, u32),
) -> Resolved {
    let words = router
        .fixed_words()
        .expect("packets of these routers have one length");
    Resolved {
        network: NetworkParameters::new(mesh.clone(), LINK_CYCLES, Some(words.into())),
        router,
        traffic: TrafficParameters {
            process: OnceParameters { packets: 1 }.into(),
            lengths: LengthLaw::Fixed { words },
            pattern: PermutationParameters::default().into(),
        },
        run: RunParameters {
            seed,
            engine: EngineChoice::Sync,
            warmup_cycles: 0,
            measure_cycles: 0,
            drain_cycles: 0,
            stop_at_overload: false,
            deadline_cycles,
        },
        clocks: ClockParameters::default(),
        live: LiveParameters::new(1),
        energy: EnergyParameters::default(),
    }
}
