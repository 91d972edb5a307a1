//! One digest on every engine, and no word lost, duplicated or kept waiting.

use crate::common::properties::properties;
use crate::deflection::checker::check;
use crate::deflection::fixture::{DEADLINE, replay};
use crate::deflection::fixture::{Machine, Traffic, What, plain_of};
use crate::deflection::fixture::{
    assert_same, awake, is_whole, live, machines, machines_of, options, plain,
};
use flitwork_live::{MARKS_EVERY, RecordTo, Runtime};
use flitwork_node::{Event, Place};
use flitwork_router::deflection::{DeflectionParameters, PortChoice, Priority};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::Topology;
use flitwork_trace::record::Header;
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};
use proptest::prelude::*;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn every_word_arrives_once_and_nobody_waits(machine in machines()) {
        let shown = plain(&machine);
        check(&machine, true, is_whole(&shown), &shown.reported);
        // Livelock is improbable where it is possible, and no case has shown it.
        prop_assert!(is_whole(&shown), "{:?}", shown.outcome);
        let awake = awake(&machine);
        assert_same(&shown, &awake);
        prop_assert!(awake.outcome.steps <= shown.outcome.steps);
    }
}

/// The events that both routers report: moves to the processor aren't among them.
fn without_ejections(
    machine: &Machine,
    reported: &[(Cycle, NodeId, What)],
) -> Vec<(Cycle, NodeId, String)> {
    let local = machine.grid.local();
    let reported = reported.iter().filter(|(_, _, what)| {
        let to_local = matches!(what, What::Event(Event::Moved { to: Place::Output(port), .. })
            if *port == local);
        !to_local
    });
    let mut reported: Vec<_> = reported
        .map(|(cycle, node, what)| (*cycle, *node, format!("{what:?}")))
        .collect();
    reported.sort();
    reported
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    /// Two routers that were written independently, compared draw by draw.
    #[test]
    fn with_one_word_packets_and_all_ejections_greedy_is_greedy_hp(
        machine in machines_of(Just(DeflectionParameters {
            priority: Priority::Greedy,
            port_choice: PortChoice::Random,
            eject_words: 32,
            ..DeflectionParameters::flit_bless()
        })),
    ) {
        let mut machine = machine;
        if let Traffic::Open { most_words, .. } = &mut machine.traffic {
            *most_words = 1;
        }
        let network = machine.network_of(GreedyHp::new(machine.grid.clone(), machine.seed));
        let (one, other) = (plain(&machine), plain_of(&machine, network));
        let one = without_ejections(&machine, &one.reported);
        let other = without_ejections(&machine, &other.reported);
        let first = one.iter().zip(&other).find(|(one, other)| one != other);
        prop_assert_eq!(first, None);
        prop_assert_eq!(one.len(), other.len());
    }
}

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn recorded(machine: &Machine, memory: &Memory, runtime: Runtime) -> RecordTo {
    RecordTo {
        out: Box::new(memory.clone()),
        header: Header {
            flitwork: "test".into(),
            configuration: String::new(),
            files: Vec::new(),
            nodes: machine.grid.nodes(),
            ports: machine.grid.ports() as u8,
            locals: 1,
            packet_words: 1,
            heads: false,
            runtime: runtime.name().into(),
        },
        marks_every: MARKS_EVERY,
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_live_run_in_lockstep_equals_the_synchronous_one(
        machine in machines(),
        tokio in any::<bool>(),
        workers in 1usize..4,
    ) {
        let runtime = if tokio { Runtime::Tokio } else { Runtime::Threads };
        let shown = plain(&machine);
        let lived = live(&machine, &options(runtime, Some(0), workers), None);
        prop_assert_eq!(&lived.fault, &None);
        prop_assert_eq!(lived.digest(), shown.digest);
        prop_assert_eq!(lived.outcome.ended, shown.outcome.ended);
        prop_assert_eq!(lived.outcome.backlog, shown.outcome.backlog);
    }

    #[test]
    fn a_replay_does_what_its_record_did(
        machine in machines(),
        tokio in any::<bool>(),
        workers in 1usize..4,
        slack in prop_oneof![Just(None), Just(Some(1)), Just(Some(4))],
        threads in 1usize..3,
    ) {
        let runtime = if tokio { Runtime::Tokio } else { Runtime::Threads };
        let memory = Memory::default();
        let record = recorded(&machine, &memory, runtime);
        let lived = live(&machine, &options(runtime, slack, workers), Some(record));
        prop_assert_eq!(&lived.fault, &None);
        let again = replay(&machine, &memory.0.lock().unwrap(), threads);
        prop_assert_eq!(&again.verdict.difference, &None);
        prop_assert_eq!(&again.nodes, &lived.nodes);
        prop_assert_eq!(again.outcome.ended, lived.outcome.ended);
    }
}

/// A packet's serial number doesn't run over its source's.
#[test]
fn a_source_may_make_many_packets() {
    let machine = Machine::new(
        flitwork_topology::Grid::mesh(&[2, 2]).unwrap(),
        DeflectionParameters::flit_bless(),
        Traffic::rounds(4, 500, 3, |node| 3 - node),
    );
    let shown = plain(&machine);
    assert!(is_whole(&shown) && shown.outcome.cycle < Cycle(DEADLINE));
    let seen = check(&machine, true, true, &shown.reported);
    let last = PacketId {
        source: TerminalId(3),
        serial: 499,
    };
    assert!(seen.delivered.contains_key(&last));
}
