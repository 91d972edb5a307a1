//! Live runs with unusual settings, and their replays.

use crate::common::live_runs::{Memory, live, live_marked, observation, options, replay};
use crate::common::machine::{machines, run};
use crate::common::properties::properties;
use flitwork_config::EngineChoice;
use flitwork_engine::Ended;
use flitwork_live::Runtime;
use flitwork_trace::record::{Item, Reader};
use flitwork_types::Cycle;
use proptest::prelude::*;
use proptest::sample::Index;
use std::time::Duration;

fn runtimes() -> BoxedStrategy<Runtime> {
    prop_oneof![Just(Runtime::Threads), Just(Runtime::Tokio)].boxed()
}

/// The cycle of each node at the last complete mark of a record, by its blocks and marks, and the offsets of
/// its blocks, marks and trailer.
fn last_mark(bytes: &[u8]) -> (Option<Vec<Cycle>>, Vec<usize>) {
    let (mut reader, header) = Reader::open(bytes).unwrap();
    let mut upto = vec![Cycle::ZERO; header.nodes as usize];
    let (mut marked, mut ends) = (None, Vec::new());
    let mut rest = reader.offset();
    loop {
        ends.push(rest as usize);
        match reader.next_block().unwrap() {
            Item::Chunks(chunks) => {
                let ends = chunks.iter().map(|chunk| (chunk.node.index(), chunk.upto));
                ends.for_each(|(node, end)| upto[node] = end);
            }
            Item::Mark(mark) => {
                let mut cycles = upto.clone();
                let behind = mark.behind.iter();
                behind.for_each(|(node, cycle)| cycles[node.index()] = *cycle);
                marked = Some(cycles);
            }
            Item::Trailer(_) => {}
            Item::End { .. } => return (marked, ends),
        }
        rest = reader.offset();
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Wherever a record stops, it is replayed to its last mark: the same cycles of each node on any number of threads.
    #[test]
    fn a_cut_record_ends_identically_however_it_is_replayed(
        resolved in machines(),
        runtime in runtimes(),
        workers in 1usize..5,
        slack in prop_oneof![Just(None), Just(Some(0)), Just(Some(1)), Just(Some(4)), Just(Some(16))],
        burst in 1u32..20,
        anywhere in prop::collection::vec(any::<Index>(), 3),
        at_ends in prop::collection::vec(any::<Index>(), 3),
    ) {
        let memory = Memory::default();
        let options = options(runtime, slack, workers, burst);
        let record = Some(memory.clone());
        let live = live_marked(&resolved, &options, record, Duration::ZERO);
        prop_assert_eq!(&live.fault, &None);
        let bytes = memory.bytes();
        let (_, ends) = last_mark(&bytes);
        let header = ends[0];
        let anywhere = anywhere.iter().map(|at| header + at.index(bytes.len() - header));
        let at_ends = at_ends.iter().map(|at| ends[at.index(ends.len() - 1)]);
        for length in anywhere.chain(at_ends) {
            let bytes = &bytes[..length];
            let (marked, _) = last_mark(bytes);
            let cycles = marked.clone().unwrap_or(vec![Cycle::ZERO; live.nodes.len()]);
            let first = replay(&resolved, bytes, 1);
            let reached: Vec<Cycle> = first.nodes.iter().map(|(cycle, _)| *cycle).collect();
            prop_assert_eq!(&reached, &cycles);
            for threads in [1, 3] {
                let again = replay(&resolved, bytes, threads);
                prop_assert_eq!(&again.verdict.difference, &None);
                prop_assert_eq!(&again.nodes, &first.nodes);
                prop_assert_eq!(again.outcome, first.outcome);
                prop_assert_eq!(again.trailer, None);
                prop_assert_eq!(again.verdict.cut.and_then(|cut| cut.digest).is_some(), marked.is_some());
                prop_assert_eq!(&again.verdict.cut, &first.verdict.cut);
            }
        }
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn a_live_run_in_lockstep_equals_the_synchronous_one(
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
        prop_assert_eq!(&again.verdict.difference, &None);
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
