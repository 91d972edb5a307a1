//! Runs the book's claims again with fresh seeds, and reports which hold.
mod options;
mod report;
mod running;

use clap::Parser;
use flitwork_claims::{Claim, Claims, Command};
use flitwork_files::Place;
use options::Options;
use report::{Row, Summary, counted};
use running::{INTERRUPTED, Unknown, children_seconds, is_interrupted, results, words};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Why nothing is reported.
enum Fault {
    /// Of the user's input.
    Input(String),
    /// Of the host.
    Host(String),
}

/// Pages' own seeds go from 1 up to this at most.
const LAST_OF_PAGES: u64 = 300;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(Fault::Input(why)) => {
            complain(&format!("error: {why}"));
            ExitCode::from(2)
        }
        Err(Fault::Host(why)) => {
            complain(&format!("error: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<u8, Fault> {
    let commands = chosen(read(options)?, options)?;
    if options.list {
        print(&list(&commands, options))?;
        return Ok(0);
    }
    if let Some(out) = &options.out {
        prepare(out, options)?;
    }
    let Some(flitwork) = running::program(&options.flitwork) else {
        let hint = "cargo build --release, or --flitwork FILE";
        return Err(Fault::Input(format!(
            "--flitwork: {} isn't there\n  hint: {hint}",
            options.flitwork.display()
        )));
    };
    let options = &Options {
        flitwork,
        ..options.clone()
    };
    let handler = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Fault::Host(error.to_string()))?;
    if options.first_seed <= LAST_OF_PAGES {
        complain(&format!(
            "warning: --first-seed {}: pages used seeds from 1 up to {LAST_OF_PAGES}; what holds with their own is no news",
            options.first_seed
        ));
    }
    let begun = Instant::now();
    let rows = judged(&commands, options);
    let seconds = begun.elapsed().as_secs_f64();
    let summary = Summary::new(
        &rows,
        commands.len(),
        options.first_seed,
        children_seconds(),
        seconds,
    );
    let json = serde_json::json!({"summary": summary, "claims": rows});
    let json =
        serde_json::to_string_pretty(&json).map_err(|error| Fault::Host(error.to_string()))? + "\n";
    match options.json {
        true => print(&json)?,
        false => print(&summary.text())?,
    }
    if let Some(out) = &options.out {
        flitwork_files::write(out, json.as_bytes())
            .map_err(|error| Fault::Host(format!("--out: {error}")))?;
    }
    // A command may have been interrupted alone.
    Ok(
        match (is_interrupted() || summary.not_run > 0, summary.all_hold()) {
            (true, _) => 130,
            (false, true) => 0,
            (false, false) => 3,
        },
    )
}

/// Prints to standard output. A closed pipe isn't a failure: its reader has seen enough.
fn print(text: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Fault::Host(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error; there is nowhere to report a failure to do so.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Refuses a file that can't be written, that exists, or that is read.
fn prepare(out: &Path, options: &Options) -> Result<(), Fault> {
    let refused = |what: &str| Fault::Input(format!("--out: {}: {what}", out.display()));
    if out.exists() && !options.force {
        return Err(refused("exists\n  hint: --force replaces it"));
    }
    if Place::of(out).is(&Place::of(&options.claims)) {
        return Err(refused("holds the claims"));
    }
    flitwork_files::prepare_file(out).map_err(|error| refused(&error.to_string()))
}

/// The claims, each of which its page has.
fn read(options: &Options) -> Result<Claims, Fault> {
    let read = |option: &str, path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|error| Fault::Input(format!("{option}: {}: {error}", path.display())))
    };
    let file = options.claims.display();
    let claims: Claims = read("--claims", &options.claims)?
        .parse()
        .map_err(|bad| Fault::Input(format!("{file}, {bad}")))?;
    for claim in all(&claims.commands) {
        let page = options.pages.join(&claim.page);
        if !claim.is_on(&read("--pages", &page)?) {
            let (line, says) = (claim.line, &claim.says);
            let allowed = "words of the page, over lines or not";
            return Err(Fault::Input(format!(
                "{file}, line {line}: says is {says:?}\n  allowed: {allowed}: {}",
                page.display()
            )));
        }
    }
    Ok(claims)
}

fn all(commands: &[Command]) -> impl Iterator<Item = &Claim> {
    commands.iter().flat_map(|command| &command.claims)
}

/// A page's name as `--page` takes it.
fn short(page: &str) -> &str {
    let name = page.rsplit_once('/').map_or(page, |(_, name)| name);
    name.strip_suffix(".md").unwrap_or(name)
}

/// The commands with the claims that the options choose.
fn chosen(claims: Claims, options: &Options) -> Result<Vec<Command>, Fault> {
    let mut pages: Vec<&str> = all(&claims.commands)
        .map(|claim| short(&claim.page))
        .collect();
    pages.sort_unstable();
    pages.dedup();
    if let Some(page) = options
        .page
        .iter()
        .find(|page| !pages.contains(&page.as_str()))
    {
        return Err(Fault::Input(format!(
            "--page is {page:?}\n  allowed: {}",
            pages.join(", ")
        )));
    }
    let mut commands = claims.commands.clone();
    for command in &mut commands {
        let is_chosen = |claim: &Claim| {
            options.page.is_empty() || options.page.iter().any(|page| page == short(&claim.page))
        };
        command.claims.retain(is_chosen);
    }
    commands.retain(|command| {
        !command.claims.is_empty() && command.words.join(" ").contains(&options.command)
    });
    match commands.is_empty() {
        true => Err(Fault::Input(format!(
            "--command is {:?}\n  allowed: a part of a command of the pages' claims",
            options.command
        ))),
        false => Ok(commands),
    }
}

fn line(command: &Command, first_seed: u64) -> String {
    let words = words(command, first_seed, "FILE");
    let words =
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
    format!("flitwork {words}")
}

fn list(commands: &[Command], options: &Options) -> String {
    let mut text = String::new();
    for command in commands {
        text += &format!("{}\n", line(command, options.first_seed));
        for claim in &command.claims {
            text += &format!("  {}: {}\n", claim.page, claim.says);
        }
    }
    let claims = all(commands).count();
    let (claims, commands) = (counted(claims, "claim"), counted(commands.len(), "command"));
    text + &format!("\n{claims} of {commands}\n")
}

/// Runs the commands, some at a time, and prints what was found of each as it ends; the rows are in the order of the file.
fn judged(commands: &[Command], options: &Options) -> Vec<Row> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(command) = commands.get(place) else {
                return;
            };
            let rows = of_command(command, options, place + 1, commands.len());
            let mut done = done.lock().expect("no worker panics");
            if !options.json {
                // What couldn't be printed is found out with the summary.
                let texts: String = rows.iter().map(Row::text).collect();
                let _ = print(&texts);
            }
            done.push((place, rows));
        }
    };
    thread::scope(|scope| {
        for _ in 0..options.jobs.min(commands.len()) {
            scope.spawn(worker);
        }
    });
    let mut done = done.into_inner().expect("no worker panics");
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().flat_map(|(_, rows)| rows).collect()
}

fn of_command(command: &Command, options: &Options, number: usize, of: usize) -> Vec<Row> {
    let text = line(command, options.first_seed);
    let results = match is_interrupted() {
        true => Err(Unknown::Interrupted),
        false => {
            complain(&format!("{number} of {of}: {text}"));
            results(&options.flitwork, command, options.first_seed)
        }
    };
    let judge = |claim: &Claim| {
        let found = results.clone().and_then(|results| {
            claim
                .judge(&results, command.seeds)
                .map_err(|why| Unknown::Failed(why.to_string()))
        });
        Row::new(claim, text.clone(), found)
    };
    command.claims.iter().map(judge).collect()
}
