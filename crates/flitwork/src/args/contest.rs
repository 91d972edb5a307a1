//! The studies that set routers beside each other.

use super::many::jobs;
use super::seeds;
use clap::Args;
use std::path::PathBuf;

/// What all of them take.
#[derive(Debug, Args)]
pub(crate) struct Many {
    /// How many seeds, from 1 on. Results are means over them.
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Cycles that are measured; half as many go before them.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    pub(crate) cycles: u32,
    /// Runs at the same time; all cores by default.
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Write the rows as CSV and the figures as SVG into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace rows and figures that are there, as a whole.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What those take that draw latency over load.
#[derive(Debug, Args)]
pub(crate) struct Curves {
    /// Offered loads, ascending, in words a node and cycle; the last one is the overload.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LOAD,…",
        default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.6,1"
    )]
    pub(crate) loads: Vec<f64>,
    #[command(flatten)]
    pub(crate) many: Many,
}

#[derive(Debug, Args)]
pub(crate) struct StudyRouters {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES")]
    pub(crate) side: u32,
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
        default_value = "uniform,transpose,bit-complement,tornado,hot-spot"
    )]
    pub(crate) patterns: Vec<String>,
    #[command(flatten)]
    pub(crate) curves: Curves,
}

#[derive(Debug, Args)]
pub(crate) struct StudyDeflection {
    /// Sides of the square meshes, in nodes.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NODES,…",
        default_value = "8,16"
    )]
    pub(crate) sides: Vec<u32>,
    /// Traffic patterns that need no parameter.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "uniform"
    )]
    pub(crate) patterns: Vec<String>,
    #[command(flatten)]
    pub(crate) curves: Curves,
}

#[derive(Debug, Args)]
pub(crate) struct StudyCutThrough {
    /// The side of the square mesh, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES", value_parser = clap::value_parser!(u32).range(2..=64))]
    pub(crate) side: u32,
    /// Virtual channels of a link.
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    pub(crate) vcs: u8,
    /// Packet lengths, in words.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WORDS,…",
        default_value = "1,2,4,8,16,32,64",
        value_parser = clap::value_parser!(u16).range(1..=2048)
    )]
    pub(crate) packet_words: Vec<u16>,
    #[command(flatten)]
    pub(crate) many: Many,
}
