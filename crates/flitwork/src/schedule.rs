//! `flitwork schedule`: an off-line algorithm schedules a static problem on a graph, before any run.

mod bounds;
mod exact;
mod frames;
mod method;
mod multistage;
mod naive;
mod product;
mod read;
mod worms;

use crate::args::Schedule;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, print};
use crate::places::Places;
use crate::problem::Net;
use crate::program::program;
use flitwork_report::{Configuration, Provenance};
use flitwork_schedule::{Plan, Request, check, makespan};
use flitwork_studies::playing::{Playable, Played, Unplayable};
use flitwork_topology::Topology;
use method::{Ask, Made};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long to wait for a schedule before it is asked whether it is wanted at all.
const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) fn run(
    args: &Schedule,
    places: &Places,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let ask = Arc::new(read::read(args, places.inputs())?);
    places.prepare()?;
    // An algorithm doesn't stop half-way: what is interrupted is left to itself.
    let (done, made) = channel();
    let asked = Arc::clone(&ask);
    let out = args.out.clone();
    let (play, bound) = (args.play, args.bound);
    std::thread::spawn(move || done.send(scheduled(&asked, out.as_deref(), play, bound)));
    let found = loop {
        match made.recv_timeout(PATIENCE) {
            Ok(found) => break found?,
            Err(RecvTimeoutError::Timeout) if interruption.flow_of_checks().is_continue() => {}
            Err(RecvTimeoutError::Timeout) => return Ok(Code(INTERRUPTED)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Exit::Failure("the schedule wasn't made".into()));
            }
        }
    };
    let text = match args.json {
        true => {
            let mut found = found.json;
            found["provenance"] = json!(ask.provenance());
            format!("{found:#}\n")
        }
        false => found.text,
    };
    print(&text)?;
    Ok(Code(FINE))
}

impl Ask {
    /// Where what is written comes from.
    fn provenance(&self) -> Provenance {
        program().made(Configuration::One(self.text.clone()), self.seed, 1)
    }
}

/// What is printed.
struct Found {
    json: Value,
    text: String,
}

/// Schedules a problem, checks the schedule, and writes or plays it.
fn scheduled(ask: &Ask, out: Option<&Path>, play: bool, bound: bool) -> Result<Found, Exit> {
    admit(ask)?;
    if (play || out.is_some()) && ask.words > u32::from(u16::MAX) {
        let what = format!(
            "problem.words is {}, and the schedule is played or written",
            ask.words
        );
        return Err(ask.wrong_words(what, format!("1 to {} words there", u16::MAX)));
    }
    let mut made = (ask.method.make)(ask)?;
    if bound {
        let steps = bounds::fractional_steps(ask)?;
        made.says.push(("fractional_bound", json!(steps)));
    }
    match &ask.net {
        Net::Grid(grid) => reported(ask, &**grid, made, out, play),
        Net::Graph(graph) => reported(ask, &**graph, made, out, play),
    }
}

/// Refuses a problem whose plans the host has no room for.
fn admit(ask: &Ask) -> Result<(), Exit> {
    /// A hop as it is planned, checked, and written as a route.
    const LINK_BYTES: u64 = 96;
    const PACKET_BYTES: u64 = 512;
    let distance = |request: &Request| match &ask.net {
        Net::Grid(grid) => grid.distance(request.source, request.destination),
        Net::Graph(graph) => graph.distance(request.source, request.destination),
    };
    let links: u64 = ask.requests.iter().map(|it| u64::from(distance(it))).sum();
    let needs = LINK_BYTES * links + PACKET_BYTES * ask.requests.len() as u64;
    let keys = ["graph.sides", "graph.nodes", "problem.packets"];
    flitwork_experiment::memory::admit_bytes(needs, &keys).map_err(Exit::bad_input)
}

fn reported<T: Topology + Clone + Send + 'static>(
    ask: &Ask,
    topology: &T,
    made: Made,
    out: Option<&Path>,
    play: bool,
) -> Result<Found, Exit> {
    let requests = &ask.requests;
    check(topology, requests, &made.plans, usize::MAX)
        .map_err(|clash| Exit::Failure(format!("the schedule isn't one: {clash}")))?;
    let mut facts = facts(topology, requests, &made.plans);
    let is_played = play || out.is_some();
    let playable = is_played.then(|| Playable::new(topology, requests, &made.plans));
    let playable = playable.transpose().map_err(|error| match error {
        Unplayable::Words { .. } => ask.wrong_words(error, "shorter packets"),
        Unplayable::Home { packet } => ask.wrong_packet(packet, error, "another destination"),
    })?;
    if let Some(playable) = &playable {
        facts.push(("lead", "lead", playable.lead(), "cycles"));
    }
    let played = match &playable {
        Some(playable) if play => playable.play(topology)?,
        _ => Vec::new(),
    };
    if let (Some(playable), Some(path)) = (&playable, out) {
        let text = ask.provenance().comment() + &playable.text(topology);
        flitwork_files::write(path, text.as_bytes())
            .map_err(|error| Exit::unwritable("--out", &error))?;
    }
    Ok(Found {
        json: as_json(ask, &made, &facts, &played),
        text: as_text(ask, &made, &facts, &played, out),
    })
}

/// A number that is reported: its key, what people call it, and its unit.
type Fact = (&'static str, &'static str, u32, &'static str);

fn facts<T: Topology>(topology: &T, requests: &[Request], plans: &[Plan]) -> Vec<Fact> {
    let makespan = makespan(requests, plans);
    let distances = requests.iter().map(|request| {
        match topology.distance(request.source, request.destination) {
            0 => 0,
            links => links + request.words - 1,
        }
    });
    let distance = distances.max().unwrap_or(0);
    let starts = plans
        .iter()
        .filter_map(|plan| plan.hops.first())
        .map(|hop| hop.step);
    let waiting = flitwork_schedule::waiting(topology, requests, plans) as u32;
    vec![
        ("makespan", "makespan", makespan, "steps"),
        ("distance", "longest distance", distance, "steps"),
        ("excess", "excess", makespan - distance, "steps"),
        (
            "latest_start",
            "latest start",
            starts.max().unwrap_or(0),
            "(a step, from 0)",
        ),
        ("waiting", "waiting", waiting, "in a node at most"),
    ]
}

fn as_json(ask: &Ask, made: &Made, facts: &[Fact], played: &[Played]) -> Value {
    let mut found = json!({
        "method": ask.method.name,
        "nodes": ask.net.nodes(),
        "packets": ask.requests.len(),
    });
    for (key, value) in &made.says {
        found[key] = value.clone();
    }
    for (key, _, value, _) in facts {
        found[key] = json!(value);
    }
    let played = played.iter().map(|it| {
        json!({"engine": it.engine, "makespan": it.makespan, "delivered": it.delivered, "digest": it.digest.to_string()})
    });
    found["played"] = played.collect();
    found
}

fn as_text(
    ask: &Ask,
    made: &Made,
    facts: &[Fact],
    played: &[Played],
    out: Option<&Path>,
) -> String {
    let mut text = format!(
        "{} on {} nodes: {} packets\n\n",
        ask.method.name,
        ask.net.nodes(),
        ask.requests.len()
    );
    for (key, value) in &made.says {
        let value = match value {
            Value::String(value) => value.clone(),
            value => value.to_string(),
        };
        let _ = writeln!(text, "{:<19} {value}", key.replace('_', " "));
    }
    for (_, name, value, unit) in facts {
        let _ = writeln!(text, "{name:<19} {value} {unit}");
    }
    for Played {
        engine,
        makespan,
        delivered,
        digest,
    } in played
    {
        let name = format!("played, {engine}");
        let _ = writeln!(
            text,
            "{name:<19} {makespan} steps, {delivered} packets, digest {digest}"
        );
    }
    if let Some(path) = out {
        let _ = writeln!(text, "\nwritten to {}", path.display());
    }
    text
}
