//! Random deflection networks and loads, and their runs, printed in full when a test on one fails.

use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Outcome, Plain};
use flitwork_live::{Lived, Options, RecordTo, ReplayOptions, Replayed, Runtime, Slack};
use flitwork_network::{Clocks, Demand, Network};
use flitwork_node::{AnyProbe, Event, Probe, Reported, WordRouter, draw_below};
use flitwork_router::deflection::{Deflection, DeflectionParameters, Extent};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId, Word};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;

use crate::common::deflections::any_parameters;

/// A network, a load and a seed.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) grid: Grid,
    pub(crate) parameters: DeflectionParameters,
    pub(crate) link_latency_cycles: u32,
    pub(crate) traffic: Traffic,
    pub(crate) seed: u64,
}

/// What sources make.
#[derive(Clone, Debug)]
pub(crate) enum Traffic {
    /// For this many cycles each source tosses a coin in every cycle, and makes packets of 1 to this many
    /// words for random nodes.
    Open {
        percent: u32,
        cycles: u32,
        most_words: u16,
    },
    /// These packets: created, source, destination, words; by source in the order of their creation.
    Listed(Vec<(u32, u32, u32, u16)>),
}

impl Traffic {
    /// This many packets of this many words from each node to another, all in cycle 0: the same permutation
    /// in each round, node i sending to `to(i)`.
    pub(crate) fn rounds(nodes: u32, rounds: u32, words: u16, to: impl Fn(u32) -> u32) -> Traffic {
        let pairs = (0..rounds).flat_map(|_| (0..nodes).map(|node| (node, to(node))));
        let moving = pairs.filter(|(from, to)| from != to);
        Traffic::Listed(moving.map(|(from, to)| (0, from, to, words)).collect())
    }
}

/// The packets of each source.
#[derive(Clone)]
pub(crate) struct Births(Vec<VecDeque<Birth>>);

impl Workload for Births {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let birth = self.0[source.index()].pop_front();
        birth.map_or(Offer::Never, Offer::Packet)
    }

    fn sources(&self) -> Vec<TerminalId> {
        let all = (0..self.0.len() as u32).map(TerminalId);
        all.filter(|it| !self.0[it.index()].is_empty()).collect()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

impl Machine {
    pub(crate) fn new(grid: Grid, parameters: DeflectionParameters, traffic: Traffic) -> Machine {
        parameters.check().expect("parameters that make sense");
        Machine {
            grid,
            parameters,
            link_latency_cycles: 1,
            traffic,
            seed: 1,
        }
    }

    pub(crate) fn births(&self) -> Births {
        let nodes = self.grid.nodes();
        let mut births = vec![VecDeque::new(); nodes as usize];
        let mut make = |created: u32, source: u32, destination: u32, words| {
            births[source as usize].push_back(Birth {
                created: Cycle(created),
                destination: TerminalId(destination),
                words,
                class: 0,
            });
        };
        match &self.traffic {
            Traffic::Listed(packets) => {
                for (created, source, destination, words) in packets {
                    make(*created, *source, *destination, *words);
                }
            }
            Traffic::Open {
                percent,
                cycles,
                most_words,
            } => {
                for (cycle, node) in (0..*cycles).flat_map(|c| (0..nodes).map(move |n| (c, n))) {
                    let random = |bound, index| {
                        draw_below(bound, !self.seed, NodeId(node), Cycle(cycle), index)
                    };
                    if random(100, 0) < *percent {
                        let to = (node + 1 + random(nodes - 1, 1)) % nodes;
                        make(cycle, node, to, 1 + random((*most_words).into(), 2) as u16);
                    }
                }
            }
        }
        Births(births)
    }

    pub(crate) fn demand(&self, deadline: u32) -> Demand {
        Demand::until(Box::new(self.births()), Cycle(deadline))
    }

    pub(crate) fn network(&self) -> Network<Grid, Deflection<Grid>> {
        let parameters = self.parameters.clone();
        self.network_of(Deflection::new(self.grid.clone(), parameters, self.seed))
    }

    pub(crate) fn network_of<R>(&self, router: R) -> Network<Grid, R> {
        Network::new(self.grid.clone(), router, self.link_latency_cycles)
    }

    pub(crate) fn extent(&self) -> Extent {
        let nodes = self.grid.nodes();
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        let far = pairs.map(|(from, to)| self.grid.distance(NodeId(from), NodeId(to)));
        Extent {
            terminals: nodes,
            diameter_hops: far.max().expect("a grid has nodes"),
            link_latency_cycles: self.link_latency_cycles,
        }
    }
}

/// What a node has reported.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Event(Event),
    Word(Port, PacketId, u16),
}

/// A probe that keeps everything that it observes, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(pub(crate) Vec<(Cycle, NodeId, What)>);

impl Probe for Recorder {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.0.push((cycle, node, What::Event(event)));
    }
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.0
            .push((cycle, node, What::Word(port, packet, word.index)));
    }
}

/// Everything that a run reports.
pub(crate) struct Shown {
    pub(crate) digest: Digest,
    pub(crate) reported: Vec<(Cycle, NodeId, What)>,
    pub(crate) outcome: Outcome,
}

/// Cycles after which a run is aborted.
pub(crate) const DEADLINE: u32 = 200_000;

fn run(mut engine: impl Engine<Probe = (Digest, Recorder)>) -> Shown {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    let (digest, recorder) = Box::new(engine).into_probe();
    Shown {
        digest,
        reported: recorder.0,
        outcome,
    }
}

pub(crate) fn plain(machine: &Machine) -> Shown {
    plain_of(machine, machine.network())
}

pub(crate) fn plain_of<R>(machine: &Machine, network: Network<Grid, R>) -> Shown
where
    R: WordRouter + Send + 'static,
{
    let probe = Default::default();
    run(Plain::new(
        network,
        machine.demand(DEADLINE),
        probe,
        machine.seed,
    ))
}

pub(crate) fn awake(machine: &Machine) -> Shown {
    let probe = Default::default();
    run(EventDriven::new(
        machine.network(),
        machine.demand(DEADLINE),
        probe,
    ))
}

pub(crate) fn clocked(machine: &Machine, clocks: &Clocks, shuffle: u64) -> Shown {
    let (network, demand) = (machine.network(), machine.demand(DEADLINE));
    let probe = Default::default();
    run(Clocked::new(
        network,
        clocks.clone(),
        demand,
        probe,
        shuffle,
    ))
}

pub(crate) fn options(runtime: Runtime, slack: Option<u32>, workers: usize) -> Options {
    Options {
        runtime,
        slack: Slack(slack),
        workers,
        channel_capacity: 8,
        burst_cycles: 4,
        pinning: false,
        rehearsal: None,
    }
}

pub(crate) fn live(machine: &Machine, options: &Options, record: Option<RecordTo>) -> Lived {
    let control = &mut |_| ControlFlow::Continue(());
    let demand = machine.demand(DEADLINE);
    let lived = flitwork_live::live(
        machine.network(),
        demand,
        options,
        record,
        &mut || AnyProbe::new(Digest::default()),
        control,
    );
    lived.expect("the host provides threads")
}

pub(crate) fn replay(machine: &Machine, bytes: &[u8], threads: usize) -> Replayed {
    let options = ReplayOptions {
        threads,
        until: None,
        channel_capacity: 1 << 16,
        what_if: false,
    };
    let open = || Ok(Box::new(Cursor::new(bytes.to_vec())) as Box<dyn Read + Send>);
    let (network, demand) = (machine.network(), machine.demand(DEADLINE));
    let control = &mut |_| ControlFlow::Continue(());
    let probes = &mut || AnyProbe::new(Digest::default());
    let again = flitwork_live::replay(network, demand, &options, open, probes, control);
    again.expect("a record that can be read")
}

/// Asserts that two runs gave the same events.
pub(crate) fn assert_same(one: &Shown, other: &Shown) {
    assert_eq!(one.digest, other.digest);
    assert_eq!(one.outcome.ended, other.outcome.ended);
    assert_eq!(one.outcome.cycle, other.outcome.cycle);
    assert_eq!(one.outcome.backlog, other.outcome.backlog);
}

pub(crate) fn is_whole(shown: &Shown) -> bool {
    shown.outcome.ended == Ended::Empty
}

fn grids() -> BoxedStrategy<Grid> {
    let sides = prop_oneof![
        4 => prop::collection::vec(2u32..6, 2..=2),
        1 => prop::collection::vec(2u32..12, 1..=1),
        2 => prop::collection::vec(2u32..4, 3..=4),
    ];
    (sides, any::<bool>())
        .prop_map(|(sides, wraps)| {
            let grid = if wraps {
                Grid::torus(&sides)
            } else {
                Grid::mesh(&sides)
            };
            grid.expect("sides of 2 and more make a grid")
        })
        .boxed()
}

/// Any router on any small grid under any load.
pub(crate) fn machines() -> BoxedStrategy<Machine> {
    machines_of(any_parameters()).boxed()
}

pub(crate) fn machines_of(
    parameters: impl Strategy<Value = DeflectionParameters> + 'static,
) -> BoxedStrategy<Machine> {
    let traffic = (1u32..40, 1u32..80, prop_oneof![Just(1u16), 1u16..8]).prop_map(
        |(percent, cycles, most_words)| Traffic::Open {
            percent,
            cycles,
            most_words,
        },
    );
    (grids(), parameters, 1u32..5, traffic, any::<u64>())
        .prop_map(|(grid, parameters, link_latency_cycles, traffic, seed)| {
            let machine = Machine::new(grid, parameters, traffic);
            Machine {
                link_latency_cycles,
                seed,
                ..machine
            }
        })
        .boxed()
}
