//! A run as an architect wants to see it: text, JSON, CSV and pictures.
//!
//! May depend on runs, on `report` and on `plot`. Must never know a sweep, a study or the command line.
//!
//! ```
//! use flitwork_config::resolve;
//! use flitwork_experiment::simulate::simulate;
//! use flitwork_results::{Results, Status, text};
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let configuration = "
//!     [network]
//!     topology = \"mesh\"
//!     sides = [4, 4]
//!     [router.wormhole]
//!     [traffic]
//!     load = 0.1
//!     [run]
//!     warmup_cycles = 100
//!     measure_cycles = 500
//! ";
//! let resolved = resolve(configuration, "mine.toml", Path::new(""), &[]).unwrap();
//! let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
//! let results = Results::new(&resolved, &run);
//! assert_eq!(results.status, Status::Complete);
//! assert!(text(&results).starts_with("results\n"));
//! ```

mod buffers;
mod energy;
mod failure;
mod fairness;
mod figures;
mod files;
mod ideal;
mod json;
mod latency;
mod lines;
mod maps;
mod over_time;
mod steps;
mod synchronizers;
mod tables;
#[cfg(test)]
mod tests;
mod text;

pub use buffers::BufferUse;
pub use energy::{Energy, Joules};
pub use failure::{Failure, FailureKind, Waiting, ends_apart};
pub use fairness::{Fairness, Wait};
pub use figures::{Comparison, Figure, figures};
pub use files::{Files, is_hurried, is_result, write_all};
pub use ideal::Ideal;
pub use json::json_schema;
pub use latency::{ClassLatency, DistanceLatency, LatenciesPs, Latency, Percentiles, Transient};
pub use steps::StepTimes;
pub use synchronizers::SynchronizerUse;
pub use tables::tables;
pub use text::text;

use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::hardware::datapath;
use flitwork_experiment::overload::LEVEL;
use flitwork_experiment::simulate::Simulated;
use flitwork_experiment::size::{links, per_node, wires};
use flitwork_measure::{Estimate, Halves, Observed, Reason, SteadyState};
use flitwork_topology::Topology;
use flitwork_traffic::Owed;
use flitwork_types::Loss;
use latency::Latencies;

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It reached its end, and the network is empty.
    Complete,
    /// It was interrupted: its figures describe the run until then.
    Partial,
    /// Packets could not be delivered, or the run ended before they were.
    Failed,
}

/// A load in words per node and cycle.
#[derive(Clone, Debug)]
pub struct Loads {
    /// What the configuration asks for, if that is one number.
    pub configured: Option<f64>,
    /// What the sources made in the window; NaN if the run was interrupted before that was counted.
    pub offered: Estimate,
    /// What was delivered in the window.
    pub accepted: Estimate,
    /// The same in the first half of the window and in the second; none if too few of its batches were simulated.
    pub halves: Option<Halves>,
}

/// All the figures of a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// How it went.
    pub status: Status,
    /// The resolved configuration, enough to run it again; in files a part of the provenance.
    pub configuration: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The digest of all events, in hexadecimal.
    pub digest: String,
    /// Cycles simulated.
    pub cycles: u32,
    /// Cycles measured.
    pub measured_cycles: u32,
    /// Nodes of the network.
    pub nodes: u32,
    /// How many of them send and receive packets: loads are theirs.
    pub terminals: u32,
    /// Offered and accepted load, of open-loop traffic.
    pub load: Option<Loads>,
    /// The throughput that links allow, of open-loop traffic, where it is known.
    pub ideal: Option<Ideal>,
    /// Whether the network was in its steady state while it was measured, of open-loop traffic.
    pub steady: Option<SteadyState>,
    /// Packets created, injected and delivered in the whole run, and left at its end.
    pub packets: PacketCounts,
    /// From creation to delivery, of the packets created in the window.
    pub latency: Latency,
    /// From the injection frame to delivery.
    pub network_latency: Latency,
    /// Both in picoseconds, exactly, where nodes have clocks of their own.
    pub exact: Option<LatenciesPs>,
    /// Latency of the same packets by their classes.
    pub latency_by_class: Vec<ClassLatency>,
    /// The same by the distance from source to destination.
    pub latency_by_distance: Vec<DistanceLatency>,
    /// How evenly the nodes are served.
    pub fairness: Fairness,
    /// Links crossed per packet, of the same packets.
    pub hops_per_packet: Option<f64>,
    /// Hops through unproductive ports per packet.
    pub deroutes_per_packet: Option<f64>,
    /// Deroutes in the window as a fraction of the hops in it, of any packet; of words where each word finds its own
    /// way. It describes the network during the measurement even at overload, when few of the packets created in the
    /// window are delivered.
    pub deroutes_per_hop: Option<f64>,
    /// How full the router's buffers were, if it has any.
    pub buffers: Option<BufferUse>,
    /// Packets in a node, mean over nodes and window; `None` where each word finds its own way.
    pub node_packets_mean: Option<f64>,
    /// Words in a node, mean over nodes and window, where each word finds its own way.
    pub node_words_mean: Option<f64>,
    /// Words over a link in the window, mean.
    pub link_words_mean: f64,
    /// Words per wire and cycle, mean, as a fraction of its capacity of one word per cycle: each direction of a link has
    /// a wire, or both share one.
    pub link_utilisation_mean: f64,
    /// The utilisation of the busiest wire.
    pub link_utilisation_max: f64,
    /// Whether both directions of a link share a wire.
    pub is_half_duplex: bool,
    /// Whether nodes have clocks of their own, so that cycles are those of the nominal clock.
    pub has_clocks: bool,
    /// What synchronizers did, where they may fail.
    pub synchronizers: Option<SynchronizerUse>,
    /// How long the steps of self-timed nodes took, if there are any.
    pub steps: Option<StepTimes>,
    /// The counts that energy depends on, and joules if the configuration prices them; for routers that describe their
    /// datapath.
    pub energy: Option<Energy>,
    /// Hops of all packets in the whole run.
    pub packet_hops: u64,
    /// Host time, in seconds.
    pub seconds: f64,
    /// Hops simulated per second of host time.
    pub packet_hops_per_second: f64,
    /// Node-cycles simulated per second of host time, including skipped ones.
    pub node_cycles_per_second: f64,
    /// How often a node was stepped or woken.
    pub node_steps: u64,
    /// Why packets were not delivered.
    pub failure: Option<Failure>,
}

/// Packets over the whole run.
#[derive(Clone, Debug)]
pub struct PacketCounts {
    /// Made by the sources.
    pub created: u64,
    /// Entered the network.
    pub injected: u64,
    /// Left it at their destinations.
    pub delivered: u64,
    /// Still in the network at the end.
    pub in_network: u64,
    /// Still in the sources at the end.
    pub in_sources: u64,
    /// Whether more were made and are in the sources: the run was interrupted while they were counted.
    pub in_sources_at_least: bool,
    /// Not made by the end, though the traffic still has them to send, as batches and traces may.
    pub owed: Owed,
    /// What became of others, where links fail.
    pub failing: Option<FailingCounts>,
}

/// Packets that failed links kept from arriving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailingCounts {
    /// Lost, by reason, in the reasons' order.
    pub lost: [u64; Loss::ALL.len()],
    /// Refused by their sources: there was no way for them. They don't count as created.
    pub refused: u64,
    /// Sent again after they had been lost.
    pub sent_again: u64,
}

impl FailingCounts {
    /// Lost for any reason.
    pub fn all_lost(&self) -> u64 {
        self.lost.iter().sum()
    }
}

impl PacketCounts {
    fn of(resolved: &Resolved, run: &Simulated) -> PacketCounts {
        let seen = &run.observation;
        let lost: u64 = seen.lost.iter().sum();
        let tally = run.outcome.tally;
        let failing = FailingCounts {
            lost: seen.lost,
            refused: tally.refused,
            sent_again: tally.sent_again,
        };
        PacketCounts {
            created: seen.created,
            injected: seen.injected,
            delivered: seen.delivered,
            // What a lost worker's nodes did is unknown, so more packets may appear to leave than to enter.
            in_network: seen.injected.saturating_sub(seen.delivered + lost),
            in_sources: seen.created - seen.injected,
            in_sources_at_least: run.outcome.counted_until.is_some(),
            owed: run.outcome.owed,
            failing: resolved.faults.faults.is_some().then_some(failing),
        }
    }
}

impl Results {
    /// The figures of a finished run.
    pub fn new(resolved: &Resolved, run: &Simulated) -> Results {
        let shape = &resolved.network.shape;
        let seen = &run.observation;
        let cycles = f64::from(seen.measured_cycles.max(1));
        let nodes = f64::from(shape.nodes());
        let links = links(shape);
        let link_words = |(node, port): &(u32, u8)| {
            seen.link_words[*node as usize * shape.ports() + *port as usize] as f64
        };
        let all_words: f64 = links.iter().map(link_words).sum();
        let wires = wires(resolved);
        let wire_words = |(one, other): &(_, Option<_>)| {
            link_words(one) + other.as_ref().map_or(0.0, link_words)
        };
        let busiest_wire = wires.iter().map(wire_words).fold(0.0, f64::max);
        let seconds = run.elapsed.as_secs_f64();
        let load = loads(resolved, run);
        let steady = load.as_ref().map(|load| steady(load, run));
        let not_steady = steady.and_then(|steady| steady.reason());
        let latencies = Latencies::of(seen, load.is_some(), not_steady);
        let datapath = datapath(resolved);
        let node_cycles = u64::from(shape.nodes()) * u64::from(seen.measured_cycles);
        let packets = seen.latency.count();
        let held: f64 = node_means(&seen.node_packet_cycles, cycles).iter().sum();
        let held = Some(held / nodes);
        let in_words = resolved.router.facts().words_travel_alone;
        let per_packet = |sum: u64| (packets > 0).then(|| sum as f64 / packets as f64);
        Results {
            status: Status::of(run),
            configuration: resolved.to_toml(),
            seed: resolved.run.seed,
            digest: run.digest.to_string(),
            cycles: run.cycles.get(),
            measured_cycles: seen.measured_cycles,
            nodes: shape.nodes(),
            terminals: shape.terminals(),
            ideal: load.as_ref().and_then(|_| Ideal::of(resolved)),
            load,
            steady,
            packets: PacketCounts::of(resolved, run),
            latency: latencies.total,
            network_latency: latencies.network,
            exact: latencies.exact,
            latency_by_class: latencies.by_class,
            latency_by_distance: latencies.by_distance,
            fairness: Fairness::of(seen, cycles, shape),
            hops_per_packet: per_packet(seen.hops),
            deroutes_per_packet: per_packet(seen.deroutes),
            deroutes_per_hop: (seen.hops_in_window > 0)
                .then(|| seen.deroutes_in_window as f64 / seen.hops_in_window as f64),
            buffers: datapath.and_then(|datapath| BufferUse::of(datapath.buffers, seen, cycles)),
            node_packets_mean: held.filter(|_| !in_words),
            node_words_mean: held.filter(|_| in_words),
            link_words_mean: all_words / links.len() as f64,
            link_utilisation_mean: all_words / wires.len() as f64 / cycles,
            link_utilisation_max: busiest_wire / cycles,
            is_half_duplex: resolved.network.duplex.is_half(),
            has_clocks: resolved.run.engine == EngineChoice::Clocked,
            synchronizers: seen
                .synchronizers
                .clone()
                .map(|it| SynchronizerUse::of(it, resolved, seen)),
            steps: StepTimes::of(resolved, seen),
            energy: datapath.map(|datapath| Energy::of(resolved, seen, &datapath, node_cycles)),
            packet_hops: seen.all_hops,
            seconds,
            packet_hops_per_second: seen.all_hops as f64 / seconds,
            node_cycles_per_second: f64::from(run.cycles.get()) * nodes / seconds,
            node_steps: run.outcome.steps,
            failure: Failure::of(resolved, run),
        }
    }
}

impl Results {
    /// Why the run failed, or the rule that denies the steady state.
    pub fn reason(&self) -> Option<String> {
        let failure = self.failure.as_ref().map(|failure| {
            let (kind, packets) = (failure.kind.name(), failure.packets);
            format!("{kind}: {packets} packets left in cycle {}", failure.cycle)
        });
        failure.or_else(|| Some(self.unsteady()?.to_string()))
    }

    /// The rule that denies the steady state, or says that it can't be known.
    pub fn unsteady(&self) -> Option<Reason> {
        self.steady.and_then(|steady| steady.reason())
    }

    /// Whether a network was saturated in a run with enough time: it failed or was not steady. Too few packets to judge by,
    /// or too short a window, is not saturation.
    pub fn is_saturated(&self) -> bool {
        let few = |reason: Reason| {
            reason.is_undecided() || matches!(reason, Reason::TooFewObservations { .. })
        };
        self.failure.is_some() || self.unsteady().is_some_and(|reason| !few(reason))
    }
}

impl Status {
    /// How a run went.
    pub fn of(run: &Simulated) -> Status {
        if run.trace_error.is_some() {
            return Status::Partial;
        }
        match run.outcome.ended {
            Ended::Empty => Status::Complete,
            Ended::Interrupted => Status::Partial,
            Ended::Stuck | Ended::Deadline => Status::Failed,
        }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Partial => "partial",
            Status::Failed => "failed",
        }
    }
}

/// Packet-cycles to mean packets, a node.
pub(crate) fn node_means(packet_cycles: &[i64], cycles: f64) -> Vec<f64> {
    packet_cycles
        .iter()
        .map(|sum| (*sum as f64 / cycles).max(0.0))
        .collect()
}

fn loads(resolved: &Resolved, run: &Simulated) -> Option<Loads> {
    let seen = &run.observation;
    let process = &resolved.traffic.process;
    if !process.is_open_loop() {
        return None;
    }
    let per_node = per_node(resolved);
    let end = seen.window.start() + seen.measured_cycles;
    // What the sources made is known up to where it was counted, in whole batches.
    let counted = run.outcome.counted_until.unwrap_or(end).min(end);
    let mut offered = seen.words_created.rate_before(counted, LEVEL);
    if counted < end && offered.batches == 0 {
        offered.mean = f64::NAN;
    }
    let halves = seen.words_delivered.halves(end, LEVEL);
    Some(Loads {
        configured: process.mean_load(),
        halves: halves.map(|it| it.scaled(per_node)),
        offered: offered.scaled(per_node),
        accepted: seen
            .words_delivered
            .rate_before(end, LEVEL)
            .scaled(per_node),
    })
}

fn steady(loads: &Loads, run: &Simulated) -> SteadyState {
    let seen = &run.observation;
    let is_interrupted = run.outcome.ended == Ended::Interrupted;
    SteadyState::of(&Observed {
        latency: &seen.latency_by_delivery,
        offered: loads.offered,
        accepted: loads.accepted,
        backlog_at_start_packets: seen.backlog[0],
        backlog_at_end_packets: seen.backlog[1],
        interrupted_at: is_interrupted.then(|| seen.window.start() + seen.measured_cycles),
    })
}
