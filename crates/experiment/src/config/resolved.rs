//! What a configuration means: validated once, with every default filled in.

use flitwork_router::chaos::{ChaosParameters, Delivery, InitialPointer, MultiqueuePolicy};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::PatternParameters;
use flitwork_types::NodeId;
use std::fmt::{Display, Write};

/// A run, fully described.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The network's shape and links.
    pub network: NetworkParameters,
    /// What every node does.
    pub router: RouterParameters,
    /// Who sends to whom, and when.
    pub traffic: TrafficParameters,
    /// How long, from which seed, by which engine.
    pub run: RunParameters,
}

/// The network's shape and links.
#[derive(Clone, Debug)]
pub struct NetworkParameters {
    /// A mesh or a torus.
    pub grid: Grid,
    /// Cycles that a word or a credit takes from one node to the next, at least 1.
    pub link_latency_cycles: u32,
}

impl PartialEq for NetworkParameters {
    fn eq(&self, other: &NetworkParameters) -> bool {
        self.grid.wraps() == other.grid.wraps()
            && self.grid.sides() == other.grid.sides()
            && self.link_latency_cycles == other.link_latency_cycles
    }
}

/// A router and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouterParameters {
    /// The Chaos router.
    Chaos(ChaosParameters),
    /// The greedy hot potato router; it has no parameter.
    GreedyHp,
}

/// Who sends to whom, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// When packets are made.
    pub process: Process,
    /// Where they go; what the pattern's file says is in it, and the run's seed.
    pub pattern: PatternParameters,
    /// The permutation's file as it was written, from the configuration file's directory.
    pub permutation_file: Option<String>,
}

/// When packets are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Process {
    /// In each cycle each source tosses a coin.
    Bernoulli {
        /// Words a node and cycle, 0 to 1.
        load: f64,
    },
    /// Every source has one packet, in cycle 0.
    Once,
}

/// How long a run is, where its randomness comes from, and which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunParameters {
    /// What all random draws come from.
    pub seed: u64,
    /// The engine.
    pub engine: EngineChoice,
    /// Cycles before the measurement; 0 for [`Process::Once`].
    pub warmup_cycles: u32,
    /// Cycles of the measurement, at least 1; 0 for [`Process::Once`].
    pub measure_cycles: u32,
    /// Cycles after the measurement in which its packets may arrive; 0 for [`Process::Once`].
    pub drain_cycles: u32,
    /// The cycle before which the run ends in any case, at most `Cycle::LAST`: as it is written for
    /// [`Process::Once`], and warm-up + measurement + 2 * drain for [`Process::Bernoulli`].
    pub deadline_cycles: u32,
}

/// Which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    /// Touches a node only where something can happen.
    Sync,
    /// Steps every node in every cycle: the reference.
    SyncPlain,
}

impl Resolved {
    /// Words a packet.
    pub fn packet_words(&self) -> u16 {
        match &self.router {
            RouterParameters::Chaos(chaos) => chaos.packet_words,
            RouterParameters::GreedyHp => 1,
        }
    }

    /// The full configuration, every default written out. It reads back as what it was written from,
    /// given the same directory where a permutation's file is named.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        table(&mut out, "network");
        let shape = if self.network.grid.wraps() {
            "torus"
        } else {
            "mesh"
        };
        entry(&mut out, "topology", quoted(shape));
        entry(
            &mut out,
            "sides",
            format!("{:?}", self.network.grid.sides()),
        );
        entry(
            &mut out,
            "link_latency_cycles",
            self.network.link_latency_cycles,
        );
        match &self.router {
            RouterParameters::Chaos(chaos) => write_chaos(&mut out, chaos, &self.network.grid),
            RouterParameters::GreedyHp => table(&mut out, "router.greedy-hp"),
        }
        write_traffic(&mut out, &self.traffic);
        write_run(&mut out, &self.run, self.traffic.process);
        out
    }
}

fn table(out: &mut String, name: &str) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}[{name}]");
}

fn entry(out: &mut String, key: &str, value: impl Display) {
    let _ = writeln!(out, "{key} = {value}");
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn nodes(list: &[NodeId]) -> String {
    let numbers: Vec<String> = list.iter().map(NodeId::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

fn write_chaos(out: &mut String, chaos: &ChaosParameters, grid: &Grid) {
    table(out, "router.chaos");
    entry(out, "packet_words", chaos.packet_words);
    entry(out, "frame_words", chaos.frame_words);
    entry(out, "multiqueue_frames", chaos.multiqueue_frames);
    entry(out, "stall_threshold_cycles", chaos.stall_threshold_cycles);
    entry(
        out,
        "decision_latency_cycles",
        chaos.decision_latency_cycles,
    );
    entry(out, "input_release_cycles", chaos.input_release_cycles);
    let ports: Vec<String> = chaos
        .scan_order()
        .iter()
        .map(|port| quoted(&grid.port_name(*port)))
        .collect();
    entry(out, "scan_order", format!("[{}]", ports.join(", ")));
    let pointer = match chaos.initial_pointer {
        InitialPointer::Fixed => "fixed",
        InitialPointer::Random => "random",
    };
    entry(out, "initial_pointer", quoted(pointer));
    let policy = match chaos.multiqueue_policy {
        MultiqueuePolicy::OldestFirst => "oldest-first",
        MultiqueuePolicy::NewestFirst => "newest-first",
        MultiqueuePolicy::Random => "random",
    };
    entry(out, "multiqueue_policy", quoted(policy));
    entry(out, "derouting", chaos.derouting);
    entry(out, "bypass", chaos.bypass);
    entry(out, "cut_through", chaos.cut_through);
    let delivery = match chaos.delivery {
        Delivery::Frame => "frame",
        Delivery::Vanish => "vanish",
    };
    entry(out, "delivery", quoted(delivery));
}

fn write_traffic(out: &mut String, traffic: &TrafficParameters) {
    table(out, "traffic");
    match traffic.process {
        Process::Bernoulli { load } => {
            entry(out, "process", quoted("bernoulli"));
            entry(out, "load", format!("{load:?}"));
        }
        Process::Once => entry(out, "process", quoted("once")),
    }
    let pattern = &traffic.pattern;
    entry(out, "pattern", quoted(&pattern.pattern));
    if let Some(hot) = &pattern.hot_nodes {
        entry(out, "hot_nodes", nodes(hot));
    }
    if let Some(fraction) = pattern.hot_fraction {
        entry(out, "hot_fraction", format!("{fraction:?}"));
    }
    if let Some(destination) = pattern.destination {
        entry(out, "destination", destination);
    }
    if let Some(sources) = &pattern.sources {
        entry(out, "sources", nodes(sources));
    }
    if let Some(file) = &traffic.permutation_file {
        entry(out, "file", quoted(file));
    }
}

fn write_run(out: &mut String, run: &RunParameters, process: Process) {
    table(out, "run");
    entry(out, "seed", run.seed);
    let engine = match run.engine {
        EngineChoice::Sync => "sync",
        EngineChoice::SyncPlain => "sync-plain",
    };
    entry(out, "engine", quoted(engine));
    match process {
        Process::Bernoulli { .. } => {
            entry(out, "warmup_cycles", run.warmup_cycles);
            entry(out, "measure_cycles", run.measure_cycles);
            entry(out, "drain_cycles", run.drain_cycles);
        }
        Process::Once => entry(out, "deadline_cycles", run.deadline_cycles),
    }
}
