//! `flitwork study`.

use super::{StudyCutThrough, StudyDeflection, StudyRouters, seeds, side};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// What the size of the multiqueue does under overload, on a mesh and a torus, and how long the
    /// network takes to empty afterwards.
    Multiqueue(StudyMultiqueue),
    /// What asynchrony does to experiment 2 of Chinn 1995: the permutation against minimal Chaos, routed
    /// under clocks of the nodes' own.
    AsyncExp2(StudyAsyncExp2),
    /// How many steps GreedyHP takes for a random permutation, over 2n.
    GreedySteps(StudyGreedySteps),
    /// Chaos, wormhole, cut-through and deflection routers under the same traffic, over the load.
    Routers(StudyRouters),
    /// Deflection routers beside buffered ones on meshes, over the load.
    Deflection(StudyDeflection),
    /// Store-and-forward, virtual cut-through and wormhole switching on one network: latency, throughput and
    /// buffers, by packet length.
    CutThrough(StudyCutThrough),
    /// What asynchrony does to Chaos' latency and throughput, on a mesh and a torus, over the load.
    AsyncLoad(StudyAsyncLoad),
}

#[derive(Debug, Args)]
pub(crate) struct StudyMultiqueue {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES")]
    pub(crate) side: u32,
    /// Cycles of overload; the second half is measured.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000_000))]
    pub(crate) cycles: u32,
    /// Traffic patterns that need no parameter.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "uniform,bit-complement"
    )]
    pub(crate) patterns: Vec<String>,
    /// Sizes of the multiqueue, in frames.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "1,2,3,4,5,6,7,8"
    )]
    pub(crate) frames: Vec<usize>,
    /// Minimal Chaos: full multiqueues don't deroute.
    #[arg(long)]
    pub(crate) no_derouting: bool,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StudyAsyncExp2 {
    /// Sides of the meshes in nodes, 35 or more.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "120,240,360",
        value_parser = side,
        allow_negative_numbers = true
    )]
    pub(crate) n: Vec<u32>,
    /// How far the nodes' periods are from the nominal one at most, in percent: drawn uniformly.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PERCENT,…",
        default_value = "0,0.1,1,5,10",
        allow_negative_numbers = true
    )]
    pub(crate) spreads: Vec<f64>,
    /// How many seeds: each gives a permutation, clocks, and deroutes. Results are means over them.
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing. 0 tells what unequal
    /// clocks do from what synchronizers cost.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "EDGES,…",
        default_value = "0,2",
        allow_negative_numbers = true
    )]
    pub(crate) synchronizer: Vec<u32>,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the times over n, as parts of one clock's, into this SVG file.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Replace figures that are there.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StudyGreedySteps {
    /// Sides of the meshes in nodes, 2 or more.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "16,32,64,128,256"
    )]
    pub(crate) n: Vec<u32>,
    /// How many seeds: each gives a permutation and the router's choices.
    #[arg(long, default_value_t = 20, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw steps over 2n into this SVG file.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Replace figures that are there.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StudyAsyncLoad {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES", value_parser = side, allow_negative_numbers = true)]
    pub(crate) side: u32,
    /// Offered loads, in words a node and cycle of the nominal clock.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LOAD,…",
        default_value = "0.02,0.04,0.06,0.08,0.1,0.12,0.14,0.17,0.2,0.28",
        allow_negative_numbers = true
    )]
    pub(crate) loads: Vec<f64>,
    /// How far the nodes' periods are from the nominal one at most, in percent: drawn uniformly.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PERCENT,…",
        default_value = "0,0.1,1,5,10",
        allow_negative_numbers = true
    )]
    pub(crate) spreads: Vec<f64>,
    /// mesh and torus.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "mesh,torus"
    )]
    pub(crate) topologies: Vec<String>,
    /// Traffic patterns that need no parameter, and hot-spot: a tenth of the packets goes to four nodes,
    /// a quarter and three quarters along each side.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "uniform,transpose,hot-spot"
    )]
    pub(crate) patterns: Vec<String>,
    /// How many seeds: each gives traffic, clocks, and deroutes. Results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Measured cycles of the nominal clock; half as many go before them.
    #[arg(long, default_value_t = 3000, allow_negative_numbers = true)]
    pub(crate) cycles: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "EDGES,…",
        default_value = "2",
        allow_negative_numbers = true
    )]
    pub(crate) synchronizer: Vec<u32>,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw latency over load into this folder, an SVG file for each network and pattern.
    #[arg(long, value_name = "DIR")]
    pub(crate) plot: Option<PathBuf>,
    /// Replace figures that are there.
    #[arg(long)]
    pub(crate) force: bool,
}
