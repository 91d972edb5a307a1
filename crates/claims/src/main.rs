//! Runs the book's claims again with fresh seeds, and reports which hold.

use clap::Parser;
use flitwork_claims::{Claim, Claims, Found, Listed, Verdict};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Runs the book's claims again with seeds that no page used, and reports which hold.
///
/// Exit codes: 0 if none fails, 1 if one fails or a command does, 2 if the claims can't be read.
#[derive(Parser)]
#[command(name = "flitwork-claims", version)]
struct Options {
    /// The claims.
    #[arg(long, value_name = "FILE", default_value = "docs/claims.toml")]
    claims: PathBuf,
    /// The folder of the pages.
    #[arg(long, value_name = "DIR", default_value = "docs/src")]
    pages: PathBuf,
    /// The program.
    #[arg(long, value_name = "FILE", default_value = "target/release/flitwork")]
    flitwork: PathBuf,
    /// Only commands that contain this text.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Look for the claims on their pages, and run nothing.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let text = read(&options.claims)?;
    let claims: Claims = text
        .parse()
        .map_err(|why| format!("{}: {why}", options.claims.display()))?;
    for claim in claims.command.iter().flat_map(|command| &command.claim) {
        let page = options.pages.join(&claim.page);
        if !claim.is_on(&read(&page)?) {
            return Err(format!("{} doesn't say {:?}", page.display(), claim.says));
        }
    }
    let mut commands = claims.command;
    commands.retain(|command| command.run.contains(&options.only));
    let count: usize = commands.iter().map(|command| command.claim.len()).sum();
    if commands.is_empty() {
        return Err(format!("--only {:?}: no command contains it", options.only));
    }
    println!("{count} claims of {} commands", commands.len());
    if options.check {
        return Ok(ExitCode::SUCCESS);
    }
    let (mut held, mut open, mut failed) = (0, 0, 0);
    for (place, command) in commands.iter().enumerate() {
        let begun = Instant::now();
        eprintln!(
            "{} of {}: flitwork {} {}",
            place + 1,
            commands.len(),
            command.run,
            command.fresh
        );
        let results = results(&options.flitwork, command);
        eprintln!("  {} s", begun.elapsed().as_secs());
        for claim in &command.claim {
            let found = results.as_ref().map_err(Clone::clone);
            let found =
                found.and_then(|results| claim.judge(results).map_err(|why| why.to_string()));
            match found.as_ref().map(|found| found.verdict) {
                Ok(Verdict::Holds) => held += 1,
                Ok(Verdict::Open) => open += 1,
                Ok(Verdict::Fails) | Err(_) => failed += 1,
            }
            println!("{}", line(claim, &found));
        }
    }
    println!("{held} hold, {open} are open, {failed} fail");
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// What was found, on a line.
fn line(claim: &Claim, found: &Result<Found, String>) -> String {
    let says = claim.says.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = &claim.page;
    match found {
        Ok(it) => format!(
            "{:5}  {page}: {says}\n       found {}, claimed {}",
            it.verdict, it.fresh, it.claimed
        ),
        Err(why) => format!("{:5}  {page}: {says}\n       {why}", Verdict::Fails),
    }
}

/// What a command prints with fresh seeds.
fn results(flitwork: &Path, command: &Listed) -> Result<Value, String> {
    let line = format!("{} {} --json", command.run, command.fresh);
    let words = shlex::split(&line).ok_or_else(|| format!("{line:?} has an open quote"))?;
    let done = Command::new(flitwork)
        .args(words)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("{}: {error}", flitwork.display()))?;
    if !done.status.success() {
        let complaint = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{}: {}", done.status, complaint.trim()));
    }
    serde_json::from_slice(&done.stdout).map_err(|error| format!("no JSON: {error}"))
}
