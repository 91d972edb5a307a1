//! What options of the command line can hold, with messages that say what is allowed.

use crate::study::Output;
use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A whole number in a range.
///
/// # Errors
/// What is allowed instead.
pub fn whole(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    let number = text
        .trim()
        .parse()
        .ok()
        .filter(|number| range.contains(number));
    number.ok_or_else(|| {
        format!(
            "allowed: a whole number from {} to {}",
            range.start(),
            range.end()
        )
    })
}

/// The side of a network: none is longer than the largest network.
///
/// # Errors
/// What is allowed instead.
pub fn side(text: &str) -> Result<u32, String> {
    whole(text, 1..=1 << 24)
}

/// A number of seeds.
///
/// # Errors
/// What is allowed instead.
pub fn seeds(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000)
}

/// No run reaches a later cycle.
///
/// # Errors
/// What is allowed instead.
pub fn cycle(text: &str) -> Result<u32, String> {
    whole(text, 0..=4_000_000_000)
}

/// Runs at the same time.
///
/// # Errors
/// What is allowed instead.
pub fn jobs(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024).map(|jobs| jobs as usize)
}

/// Runs at a time: those that are asked for, or a core each.
pub fn jobs_or_cores(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// What studies take that set routers beside each other.
#[derive(Clone, Debug, Default, Args)]
pub struct Many {
    /// How many seeds, from 1 on. Results are means over them.
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub seeds: u32,
    /// Cycles that are measured; half as many go before them.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    pub cycles: u32,
    /// Runs at the same time; all cores by default.
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Write the rows as CSV and the figures as SVG into this folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace rows and figures that are there, as a whole.
    #[arg(long)]
    pub force: bool,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
}

impl Many {
    /// Where files go.
    pub fn output(&self) -> Option<Output<'_>> {
        let path = self.out.as_deref()?;
        Some(Output {
            option: "--out",
            path,
            force: self.force,
            is_folder: true,
        })
    }
}

/// What those take that draw latency over load.
#[derive(Clone, Debug, Default, Args)]
pub struct Curves {
    /// Offered loads, ascending, in words a node and cycle; the last one is the overload.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LOAD,…",
        default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.6,1"
    )]
    pub loads: Vec<f64>,
    /// What all of them take.
    #[command(flatten)]
    pub many: Many,
}
