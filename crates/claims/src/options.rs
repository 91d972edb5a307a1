//! The command line.

use clap::Parser;
use std::path::PathBuf;

/// Runs the book's claims again with seeds that no page used, and reports which still hold.
///
/// A claim is a sentence of a page with a number or a comparison; docs/claims.toml lists them under the commands whose results show them.
///
/// A figure holds if the fresh mean differs from the page's by at most both half widths of 95 % intervals, added in quadrature, and half of
/// what the page rounded to. Bounds and comparisons hold if the fresh means keep them, and it is said whether by more than the interval. Counts
/// hold if Fisher's exact test doesn't tell them apart at 5 %. Of many claims that are true, up to 5 % fail by chance: try those again with
/// another --first-seed.
#[derive(Clone, Parser)]
#[command(
    name = "flitwork-claims",
    version,
    after_help = "Exit codes:\n  0    every claim holds\n  1    internal error, or a failure of the host\n  2    bad input\n  \
                  3    a claim doesn't hold, or isn't found in the results\n  130  interrupted: Ctrl-C reports what is done so far, a second \
                  Ctrl-C quits at once"
)]
pub(crate) struct Options {
    /// Only claims of these pages, e.g. crossing,slow-router
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) page: Vec<String>,
    /// Only commands that contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) command: String,
    /// The first of the fresh seeds; commands that only count seeds from 1 leave out those of the pages
    #[arg(long, value_name = "SEED", default_value_t = 1001)]
    pub(crate) first_seed: u64,
    /// Commands at a time; most use all cores themselves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) jobs: usize,
    /// Print the claims without running anything
    #[arg(long)]
    pub(crate) list: bool,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the JSON to this file
    #[arg(long, value_name = "FILE.json")]
    pub(crate) out: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// The program that runs the commands: a file, or a name in PATH
    #[arg(long, value_name = "FILE", default_value = "target/release/flitwork")]
    pub(crate) flitwork: PathBuf,
    /// The claims
    #[arg(long, value_name = "FILE", default_value = "docs/claims.toml")]
    pub(crate) claims: PathBuf,
    /// The folder of the pages
    #[arg(long, value_name = "DIR", default_value = "docs/src")]
    pub(crate) pages: PathBuf,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|it| *it > 0);
    number.ok_or_else(|| "a whole number from 1 on is allowed".to_owned())
}
