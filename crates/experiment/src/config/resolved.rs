//! What a configuration means: validated once, with every default filled in.

use super::clocks::{
    ClockParameters, Domains, IslandParameters, Oscillators, Phase, SelfTimedParameters, Spread,
    Stepping,
};
use super::drawn::Pace;
use super::keys::MAX_LINK_WORDS;
use flitwork_network::{Clocks, Delay, LinkTiming};
use flitwork_router::chaos::{ChaosParameters, Delivery, InitialPointer, MultiqueuePolicy};
use flitwork_router::routing::RoutingParameters;
use flitwork_router::wormhole::WormholeParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::PatternParameters;
use flitwork_types::NodeId;
use std::fmt::{Display, Write};
use std::ops::Range;

mod energy;
mod wormhole_text;

pub use energy::EnergyParameters;

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
    /// What makes the nodes step; only [`EngineChoice::Clocked`] reads it.
    pub clocks: ClockParameters,
    /// How nodes run concurrently; only [`EngineChoice::Live`] reads it.
    pub live: LiveParameters,
    /// What the router's work costs; it changes nothing but the joules in the results.
    pub energy: EnergyParameters,
}

/// The network's shape and links.
#[derive(Clone, Debug)]
pub struct NetworkParameters {
    /// A mesh or a torus.
    pub grid: Grid,
    /// Cycles that a word or a credit takes from one node to the next, at least 1.
    pub link_latency_cycles: u32,
    /// What links are like where nodes have clocks of their own; only [`EngineChoice::Clocked`] reads it,
    /// and it reads no `link_latency_cycles`.
    pub links: LinkTiming,
}

impl NetworkParameters {
    /// A network whose links are timed for the clocks of [`ClockParameters::default`].
    pub fn new(
        grid: Grid,
        link_latency_cycles: u32,
        words_ahead: impl Into<u32>,
    ) -> NetworkParameters {
        let period_ps = ClockParameters::default().period_ps;
        let pace = Pace {
            shortest_ps: period_ps,
            longest_ps: period_ps,
        };
        let latency_ps = u64::from(link_latency_cycles) * period_ps;
        NetworkParameters {
            grid,
            link_latency_cycles,
            links: LinkTiming {
                latency_ps,
                capacity_words: usual_capacity_words(
                    words_ahead.into(),
                    pace.round_trip_words(latency_ps, SYNCHRONIZER_EDGES),
                ),
                synchronizer_edges: SYNCHRONIZER_EDGES,
            },
        }
    }
}

/// The edges of a synchronizer where they aren't given.
pub(super) const SYNCHRONIZER_EDGES: u32 = 2;

/// The words of a link where they aren't given: those that may be sent ahead, or a round trip where that
/// has more.
pub(super) fn usual_capacity_words(words_ahead: u32, round_trip_words: u64) -> u32 {
    let least = u64::from(words_ahead).min(MAX_LINK_WORDS);
    // The keys' table allows no more, which 32 bits hold.
    round_trip_words.clamp(least, MAX_LINK_WORDS) as u32
}

impl NetworkParameters {
    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.grid.nodes()
    }
}

impl PartialEq for NetworkParameters {
    fn eq(&self, other: &NetworkParameters) -> bool {
        self.grid.wraps() == other.grid.wraps()
            && self.grid.sides() == other.grid.sides()
            && self.link_latency_cycles == other.link_latency_cycles
            && self.links == other.links
    }
}

/// A router and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouterParameters {
    /// The Chaos router.
    Chaos(ChaosParameters),
    /// The greedy hot potato router; it has no parameter.
    GreedyHp,
    /// The wormhole router.
    Wormhole(Box<RoutedWormhole>),
}

/// A wormhole router and its routing function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedWormhole {
    /// The router.
    pub parameters: WormholeParameters,
    /// Where heads go.
    pub routing: RoutingParameters,
    /// Whether it runs although worms may wait for each other in a circle.
    pub allow_deadlock: bool,
}

impl RouterParameters {
    /// The length of every packet, in words, where the router has but one.
    pub fn fixed_words(&self) -> Option<u16> {
        match self {
            RouterParameters::Chaos(chaos) => Some(chaos.packet_words),
            RouterParameters::GreedyHp => Some(1),
            RouterParameters::Wormhole(_) => None,
        }
    }

    /// The words that a node may have sent over a link before the far end takes any.
    pub fn words_ahead(&self) -> u32 {
        match self {
            RouterParameters::Chaos(chaos) => chaos.packet_words.into(),
            RouterParameters::GreedyHp => 1,
            RouterParameters::Wormhole(wormhole) => {
                let WormholeParameters {
                    vcs, buffer_words, ..
                } = wormhole.parameters;
                u32::from(vcs) * u32::from(buffer_words)
            }
        }
    }
}

/// How long packets are, and where that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrafficWords<'a> {
    pub(super) most: u16,
    pub(super) span: Option<&'a Range<usize>>,
}

/// Who sends to whom, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// When packets are made.
    pub process: Process,
    /// Words a packet.
    pub packet_words: u16,
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
    /// Touches a node only where something can happen: the faster of the ways to do so that the router
    /// and the traffic allow.
    Sync,
    /// Steps a node word by word, in cycles in which something can happen.
    SyncStepped,
    /// Steps every node in every cycle: the reference.
    SyncPlain,
    /// Each domain of nodes has a clock of its own.
    Clocked,
    /// Nodes run concurrently and exchange messages.
    Live,
}

/// How nodes run concurrently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveParameters {
    /// What runs them.
    pub runtime: RuntimeChoice,
    /// Cycles by which a node may lead a neighbour; as many as happen for none.
    pub slack: Option<u32>,
    /// Worker threads, 1 to 1024; as many as nodes makes one thread a node.
    pub workers: u32,
    /// Messages that a link holds each way, at least `link_latency_cycles` + 1.
    pub channel_capacity: u32,
    /// Cycles that a node may run in a row when its turn comes, 1 to 4096.
    pub burst_cycles: u32,
    /// Whether each worker stays on a core of its own.
    pub pinning: bool,
}

/// What runs nodes concurrently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeChoice {
    /// Threads of our own.
    Threads,
    /// Tasks of Tokio.
    Tokio,
}

impl RuntimeChoice {
    /// Cycles in a row that are usual: a task's turn costs more than a node's in a worker's round.
    pub fn usual_burst_cycles(self) -> u32 {
        match self {
            RuntimeChoice::Threads => 1,
            RuntimeChoice::Tokio => 8,
        }
    }
}

impl LiveParameters {
    /// What is usual over links of a latency.
    pub fn new(link_latency_cycles: u32) -> LiveParameters {
        LiveParameters {
            runtime: RuntimeChoice::Threads,
            slack: Some(4),
            workers: 2,
            channel_capacity: (2 * (link_latency_cycles + 1)).max(64),
            burst_cycles: RuntimeChoice::Threads.usual_burst_cycles(),
            pinning: false,
        }
    }
}

impl Resolved {
    /// Words a packet.
    pub fn packet_words(&self) -> u16 {
        self.router
            .fixed_words()
            .unwrap_or(self.traffic.packet_words)
    }

    /// The clocks of the nodes and the timing of the links, drawn from the seed.
    pub fn clocks(&self) -> Clocks {
        let network = &self.network;
        self.clocks
            .draw(&network.grid, self.run.seed, network.links)
    }

    /// The full configuration, every default written out. It reads back as what it was written from,
    /// given the same directory where a permutation's file is named. What only another engine would read,
    /// the clocks and the timing of links or `[live]`, isn't written, and reads back as its defaults.
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
        if self.run.engine == EngineChoice::Clocked {
            write_links(&mut out, &self.network.links);
        }
        match &self.router {
            RouterParameters::Chaos(chaos) => write_chaos(&mut out, chaos, &self.network.grid),
            RouterParameters::GreedyHp => table(&mut out, "router.greedy-hp"),
            RouterParameters::Wormhole(wormhole) => wormhole_text::write(&mut out, wormhole),
        }
        let words = self
            .router
            .fixed_words()
            .is_none()
            .then_some(self.traffic.packet_words);
        write_traffic(&mut out, &self.traffic, words);
        write_run(&mut out, &self.run, self.traffic.process);
        match self.run.engine {
            EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => {}
            EngineChoice::Clocked => write_clocks(&mut out, &self.clocks),
            EngineChoice::Live => write_live(&mut out, &self.live),
        }
        self.energy.write(&mut out);
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

fn write_traffic(out: &mut String, traffic: &TrafficParameters, words: Option<u16>) {
    table(out, "traffic");
    if let Some(words) = words {
        entry(out, "packet_words", words);
    }
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
        EngineChoice::SyncStepped => "sync-stepped",
        EngineChoice::SyncPlain => "sync-plain",
        EngineChoice::Clocked => "clocked",
        EngineChoice::Live => "live",
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

fn write_links(out: &mut String, links: &LinkTiming) {
    entry(out, "link_latency_ps", links.latency_ps);
    entry(out, "link_capacity_words", links.capacity_words);
    entry(out, "synchronizer_edges", links.synchronizer_edges);
}

fn write_clocks(out: &mut String, clocks: &ClockParameters) {
    table(out, "clocks");
    entry(out, "period_ps", clocks.period_ps);
    let phase = match clocks.phase {
        Phase::Zero => "zero",
        Phase::Random => "random",
    };
    entry(out, "phase", quoted(phase));
    match &clocks.stepping {
        Stepping::Oscillators(all) => write_oscillators(out, all),
        Stepping::SelfTimed(steps) => write_self_timed(out, steps),
    }
    for island in &clocks.islands {
        write_island(out, island);
    }
}

fn write_oscillators(out: &mut String, all: &Oscillators) {
    let (spread, percent) = match all.spread {
        Spread::None => ("none", None),
        Spread::Uniform { percent } => ("uniform", Some(percent)),
        Spread::Normal { percent } => ("normal", Some(percent)),
    };
    entry(out, "spread", quoted(spread));
    if let Some(percent) = percent {
        entry(out, "spread_percent", format!("{percent:?}"));
    }
    entry(out, "drift_ppm", format!("{:?}", all.drift_ppm));
    entry(out, "jitter_ps", all.jitter_ps);
    let domains = match &all.domains {
        Domains::Node => "node",
        Domains::One => "one",
        Domains::Blocks { .. } => "blocks",
    };
    entry(out, "domains", quoted(domains));
    if let Domains::Blocks { sides } = &all.domains {
        entry(out, "block_sides", format!("{sides:?}"));
    }
}

fn write_self_timed(out: &mut String, steps: &SelfTimedParameters) {
    let range = |delay: &Delay| format!("[{}, {}]", delay.least_ps, delay.most_ps);
    table(out, "clocks.self-timed");
    entry(out, "word_ps", range(&steps.word));
    entry(out, "decision_ps", range(&steps.decision));
    entry(out, "idle_ps", range(&steps.idle));
}

fn write_island(out: &mut String, island: &IslandParameters) {
    table(out, "[clocks.islands]");
    entry(out, "nodes", nodes(&island.nodes));
    entry(out, "period_ps", island.period_ps);
    entry(out, "phase_ps", island.phase_ps);
    entry(out, "jitter_ps", island.jitter_ps);
    entry(out, "drift_ppm", format!("{:?}", island.drift_ppm));
}

fn write_live(out: &mut String, live: &LiveParameters) {
    table(out, "live");
    let runtime = match live.runtime {
        RuntimeChoice::Threads => "threads",
        RuntimeChoice::Tokio => "tokio",
    };
    entry(out, "runtime", quoted(runtime));
    match live.slack {
        Some(slack) => entry(out, "slack", slack),
        None => entry(out, "slack", quoted("none")),
    }
    entry(out, "workers", live.workers);
    entry(out, "channel_capacity", live.channel_capacity);
    entry(out, "burst_cycles", live.burst_cycles);
    entry(out, "pinning", live.pinning);
}
