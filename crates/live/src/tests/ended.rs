//! Workers of a replay, one of which has nothing more to do.

use crate::live::{RecordTo, live};
use crate::options::{Options, Runtime, Slack};
use crate::replay::{ReplayOptions, Replayed, replay};
use crate::tests::chunks;
use flitwork_network::{Demand, Network};
use flitwork_node::AnyProbe;
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_trace::record::{Header, Item, NodeEnd, Reader, Trailer, Writer};
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, NodeId, TerminalId};
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Cycles of the run, in each of which a packet arrives: more than all batches that may be under way between
/// two workers can hold.
const CYCLES: u32 = 60_000;
/// Cycles of node 0.
const FEW: u32 = 2;

/// Node 1 sends one-word packets to node 0, one per cycle. It may be slow to send one of them: a worker that
/// only runs node 0 ends meanwhile.
#[derive(Clone)]
struct OneWay {
    made: u32,
    slow_at: Option<u32>,
}

impl Workload for OneWay {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        if source != TerminalId(1) {
            return Offer::Never;
        }
        self.made += 1;
        if self.slow_at == Some(self.made) {
            std::thread::sleep(Duration::from_millis(200));
        }
        Offer::Packet(Birth {
            created: Cycle(self.made),
            destination: TerminalId(0),
            words: 1,
            class: 0,
        })
    }

    fn sources(&self) -> Vec<TerminalId> {
        vec![TerminalId(1)]
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

fn network() -> Network<Grid, GreedyHp<Grid>> {
    let grid = Grid::mesh(&[2]).unwrap();
    Network::new(grid.clone(), GreedyHp::new(grid, 1), 1)
}

fn demand(slow_at: Option<u32>) -> Demand {
    let made = 0;
    Demand::until(Box::new(OneWay { made, slow_at }), Cycle(CYCLES))
}

fn header() -> Header {
    Header {
        nodes: 2,
        ports: 2,
        locals: 1,
        packet_words: 1,
        heads: false,
        flitwork: "test".into(),
        runtime: "threads".into(),
        configuration: String::new(),
        files: Vec::new(),
    }
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The record of a live run in which node 0 has only run its first cycles, before anything arrived: like that
/// of a run without a slack that was aborted.
fn record() -> Vec<u8> {
    let memory = Memory::default();
    let to = RecordTo {
        out: Box::new(memory.clone()),
        header: header(),
        marks_every: Duration::from_secs(60),
    };
    let options = Options {
        runtime: Runtime::Threads,
        slack: Slack(Some(16)),
        workers: 1,
        channel_capacity: 64,
        burst_cycles: 16,
        pinning: false,
        rehearsal: None,
    };
    let control = &mut |_| ControlFlow::Continue(());
    live(
        network(),
        demand(None),
        &options,
        Some(to),
        &mut || AnyProbe::new(()),
        control,
    )
    .unwrap();
    let whole = memory.0.lock().unwrap().clone();
    let (mut reader, _) = Reader::open(&whole[..]).unwrap();
    let mut recorded = Vec::new();
    let trailer = loop {
        match reader.next_block().unwrap() {
            Item::Chunks(more) => recorded.extend(more),
            Item::Mark(_) => {}
            Item::Trailer(trailer) => break trailer,
            Item::End { cut } => panic!("{cut:?}"),
        }
    };
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    for chunk in chunks(0, &[], &[FEW], Digest::default().get() as u8) {
        writer.add(chunk).unwrap();
    }
    for chunk in recorded.into_iter().filter(|chunk| chunk.node == NodeId(1)) {
        writer.add(chunk).unwrap();
    }
    let mut nodes = trailer.nodes.clone();
    nodes[0] = NodeEnd {
        cycles: Cycle(FEW),
        digest: Digest::default().get(),
    };
    writer.finish(&Trailer { nodes, ..trailer }).unwrap()
}

fn replayed(record: &[u8], threads: usize) -> Replayed {
    let options = ReplayOptions {
        threads,
        until: None,
        channel_capacity: 64,
        what_if: false,
    };
    let open = || Ok(Box::new(Cursor::new(record.to_vec())) as Box<dyn Read + Send>);
    let control = &mut |_| ControlFlow::Continue(());
    replay(
        network(),
        demand(Some(100)),
        &options,
        open,
        &mut || AnyProbe::new(()),
        control,
    )
    .unwrap()
}

/// A worker whose nodes have all ended receives nothing more, and another has more for it than may be under
/// way between two workers: it mustn't wait for room.
#[test]
fn nobody_waits_for_a_worker_that_has_ended() {
    let record = record();
    let (done, waited) = mpsc::channel();
    std::thread::spawn(move || {
        let nodes = [1, 2].map(|threads| replayed(&record, threads).nodes);
        let _ = done.send(nodes);
    });
    let [alone, together] = waited
        .recv_timeout(Duration::from_secs(60))
        .expect("the replay ends");
    assert_eq!(alone, together);
    assert_eq!(alone[1].0, Cycle(CYCLES));
}
