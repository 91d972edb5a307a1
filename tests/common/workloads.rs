//! Random traffic of every kind.

use flitwork_config::open_packets;
use flitwork_traffic::{
    AnyPattern, AnyProcess, BatchParameters, BernoulliParameters, HHParameters, KKParameters,
    LengthLaw, ModulatedParameters, ModulatedState, OnOffParameters, OnceParameters,
    PhaseParameters, PhasesParameters, ReplyParameters, TraceFormat, TraceMap, TraceParameters,
    TraceSummary,
};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Lengths of at most `most` words.
pub(crate) fn lengths(most: u16) -> BoxedStrategy<LengthLaw> {
    let fixed = (1..=most).prop_map(|words| LengthLaw::Fixed { words });
    let uniform = (1..=most).prop_flat_map(move |least_words| {
        (least_words..=most).prop_map(move |most_words| LengthLaw::Uniform {
            least_words,
            most_words,
        })
    });
    let geometric = (0.0..1.0).prop_map(move |part| LengthLaw::Geometric {
        mean_words: 1.0 + part * (f64::from(most) - 1.0) / 2.0,
        most_words: most,
    });
    let weighted = prop::collection::vec((1..=most, 0.1..3.0), 1..4)
        .prop_map(|lengths| LengthLaw::Weighted { lengths });
    prop_oneof![2 => fixed, 1 => uniform, 1 => geometric, 1 => weighted].boxed()
}

/// Any process of about this load, on networks of some nodes. Packets have `fixed` words, or at most `most` if the
/// process draws their lengths.
pub(crate) fn processes(nodes: u32, fixed: Option<u16>, most: u16) -> BoxedStrategy<AnyProcess> {
    let load = || 0.01..1.0;
    let bernoulli = load().prop_map(|load| AnyProcess::from(BernoulliParameters { load }));
    let bursts = (load(), 0.0..50.0).prop_map(|(load, more)| {
        AnyProcess::from(OnOffParameters {
            load,
            peak_load: 1.0,
            burst_cycles: 1.0 + load / (1.0 - load) + more,
        })
    });
    let once = (1u32..4).prop_map(|packets| AnyProcess::from(OnceParameters { packets }));
    let k_k = (1u32..4).prop_map(|k| AnyProcess::from(KKParameters { k }));
    let h_h = (1u32..4, prop::option::of(0.0..1.0)).prop_map(move |(h, part)| {
        AnyProcess::from(HHParameters {
            h,
            packets: part.map(|part: f64| (part * f64::from(h * nodes)) as u32),
        })
    });
    prop_oneof![
        4 => bernoulli,
        1 => bursts,
        1 => chains(),
        1 => phases(),
        2 => once,
        1 => k_k,
        1 => h_h,
        2 => batches(fixed, most),
        1 => traces(nodes, fixed, most),
    ]
    .boxed()
}

fn chains() -> BoxedStrategy<AnyProcess> {
    let state =
        (0.0..1.0, 1.0..60.0).prop_map(|(load, mean_cycles)| ModulatedState { load, mean_cycles });
    let states = prop::collection::vec(state, 1..4);
    states
        .prop_map(|states| {
            AnyProcess::from(ModulatedParameters {
                states,
                transitions: None,
                load: None,
            })
        })
        .boxed()
}

fn phases() -> BoxedStrategy<AnyProcess> {
    let phase = (
        1u32..100,
        0.0..1.0,
        prop::sample::select(vec!["uniform", "neighbour"]),
    );
    let phases = prop::collection::vec(phase, 1..4);
    (phases, any::<bool>())
        .prop_map(|(drawn, repeats)| {
            let (mut phases, mut from_cycle) = (Vec::new(), 0);
            for (cycles, load, pattern) in drawn {
                phases.push(PhaseParameters {
                    from_cycle,
                    pattern: AnyPattern::named(&flitwork_schema::Parts::new(), pattern)
                        .expect("a pattern"),
                    load,
                });
                from_cycle += cycles;
            }
            AnyProcess::from(PhasesParameters {
                phases,
                repeat_cycles: repeats.then_some(from_cycle),
            })
        })
        .boxed()
}

fn batches(fixed: Option<u16>, most: u16) -> BoxedStrategy<AnyProcess> {
    let words = move || (1..=most).prop_map(move |words| fixed.unwrap_or(words));
    // Some replies come after the end of every run.
    let service_cycles = prop_oneof![4 => 1u32..30, 1 => 1u32..1000, 1 => 30_000u32..40_000];
    let reply = prop::option::of((words(), service_cycles));
    let outstanding = prop_oneof![4 => 1u32..5, 1 => 5u32..1_000_000];
    (1u32..8, outstanding, words(), reply)
        .prop_map(|(requests, outstanding, request_words, reply)| {
            AnyProcess::from(BatchParameters {
                requests,
                outstanding: reply.map(|_| outstanding),
                request_words,
                reply: reply.map(|(words, service_cycles)| ReplyParameters {
                    words,
                    service_cycles,
                }),
            })
        })
        .boxed()
}

/// The trace in the repository, for 4 nodes, and its contents.
static READ_MISS: LazyLock<(TraceParameters, TraceSummary)> = LazyLock::new(|| {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/read-miss.csv");
    let trace = TraceParameters {
        file: file.into(),
        path: file.into(),
        format: TraceFormat::Csv { nodes: 4 },
        map: TraceMap::InOrder,
        fixed_words: None,
        dependencies: true,
        window_packets: 1,
        summary: None,
        last_cycle: None,
    };
    let summary = TraceSummary::of(trace.reader(open_packets).unwrap()).unwrap();
    (trace, summary)
});

fn traces(nodes: u32, fixed: Option<u16>, most: u16) -> BoxedStrategy<AnyProcess> {
    (any::<bool>(), 1u32..20, 1..=most)
        .prop_map(move |(dependencies, window_packets, words)| {
            let (trace, summary) = &*READ_MISS;
            if nodes < 4 {
                return OnceParameters { packets: 1 }.into();
            }
            let long = summary.most_words > most;
            AnyProcess::from(TraceParameters {
                fixed_words: fixed.or(long.then_some(words)),
                dependencies,
                window_packets,
                summary: Some(summary.clone()),
                ..trace.clone()
            })
        })
        .boxed()
}
