//! A schedule's file: a line for each worm, in the order in which its source sends them.
//!
//! ```text
//! source,words,start,path
//! 0,8,0,east east south
//! 5,1,2,east east@7 north
//! ```
//!
//! A hop is made as soon as the head is there, or in the cycle that it names: from its first hop on, the second worm waits in
//! a node until cycle 7.

use super::schedule::name;
use super::{Hop, Route, Schedule, ScheduleError};
use crate::parameters::Reading;
use flitwork_schema::{MistakeKind, MistakePlace, RawTable, Refusal};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Port};

/// The longest schedule, in bytes.
const MOST_BYTES: u64 = 1 << 30;
const COLUMNS: [&str; 4] = ["source", "words", "start", "path"];

/// A schedule from a file, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleFile {
    /// The file as the configuration names it, relative to the configuration file's directory.
    pub file: String,
    /// Its contents.
    pub routes: Vec<Route>,
    /// How many worms may wait in a node at once.
    pub waiting: u32,
}

impl ScheduleFile {
    /// The text of a file with these routes, on a topology.
    pub fn text(topology: &impl Topology, routes: &[Route]) -> String {
        let mut text = format!("{}\n", COLUMNS.join(","));
        for route in routes {
            let hop = |hop: &Hop| {
                let name = topology.port_name(hop.port);
                match hop.cycle {
                    Some(cycle) => format!("{name}@{cycle}"),
                    None => name,
                }
            };
            let path: Vec<String> = route.path.iter().map(hop).collect();
            let (source, words, start) = (route.source, route.words, route.start);
            text += &format!("{source},{words},{start},{}\n", path.join(" "));
        }
        text
    }
}

/// Reads the file of that name for the table that names it; so many worms may wait in a node.
pub(super) fn read(
    given: &RawTable<'_>,
    around: &Reading<'_>,
    file: &str,
    waiting: u32,
) -> Result<ScheduleFile, Refusal> {
    let shape = around.shape;
    let name = around.files.path(file).display().to_string();
    let text = around.files.text(file, MOST_BYTES).map_err(|unreadable| {
        let key = given.key("file");
        let found = format!(
            "{key}: {} {}",
            name.chars()
                .map(flitwork_schema::printable)
                .collect::<String>(),
            unreadable.found
        );
        Refusal::new(MistakeKind::File, key, given.span_of("file"))
            .found(found)
            .allowed(unreadable.allowed)
    })?;
    let wrong = |mistake: Mistake| {
        Refusal::new(
            MistakeKind::Schedule,
            given.key("file"),
            given.span_of("file"),
        )
        .found(mistake.found)
        .allowed(mistake.allowed)
        .in_file(MistakePlace {
            name: name.clone(),
            text: mistake.at.map(|at| (text.clone(), at..at)),
        })
    };
    let lines = parse(&text, shape).map_err(wrong)?;
    let routes: Vec<Route> = lines.iter().map(|(_, route)| route.clone()).collect();
    let checked = Schedule::new(shape, around.link_latency_cycles, waiting, routes.clone());
    checked.map_err(|error| {
        wrong(Mistake {
            at: place_of(&lines, error.packet()),
            found: described(&error, shape),
            allowed: allowed(&error, given),
        })
    })?;
    Ok(ScheduleFile {
        file: file.to_owned(),
        routes,
        waiting,
    })
}

/// A mistake in a schedule's file, and its byte offset.
struct Mistake {
    at: Option<usize>,
    found: String,
    allowed: String,
}

/// A worm, and the byte offset of its line.
type Line = (usize, Route);

fn parse(text: &str, topology: &dyn Topology) -> Result<Vec<Line>, Mistake> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |at: Option<usize>, found: String, allowed: &str| Mistake {
        at,
        found,
        allowed: allowed.into(),
    };
    let unread = |error: csv::Error| {
        let at = error.position().map(|position| position.byte() as usize);
        wrong(
            at,
            error.to_string(),
            "the columns source, words, start and path",
        )
    };
    let header = reader.headers().map_err(unread)?;
    if *header != COLUMNS[..] {
        let found = format!(
            "the columns {:?}",
            header.iter().collect::<Vec<_>>().join(",")
        );
        return Err(wrong(Some(0), found, "source,words,start,path"));
    }
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unread)?;
        let at = record.position().map(|position| position.byte() as usize);
        let number = |column: usize, most: u64| {
            let field = record.get(column).unwrap_or_default();
            let number = field.parse().ok().filter(|number: &u64| *number <= most);
            number.ok_or_else(|| {
                let found = format!("{} is {field:?}", COLUMNS[column]);
                wrong(at, found, &format!("a whole number up to {most}"))
            })
        };
        let path = record.get(3).unwrap_or_default().split_whitespace();
        let path = path.map(|text| {
            hop(text, topology)
                .map_err(|allowed| wrong(at, format!("a path with {text:?}"), &allowed))
        });
        let route = Route {
            source: NodeId(number(0, u64::from(topology.nodes()) - 1)? as u32),
            words: number(1, u16::MAX.into())? as u16,
            start: Cycle(number(2, Cycle::LAST.get().into())? as u32),
            path: path.collect::<Result<_, _>>()?,
        };
        lines.push((at.unwrap_or(0), route));
    }
    Ok(lines)
}

/// A hop: a port's name, and the cycle if there is one. What is allowed, if it isn't one.
fn hop(text: &str, topology: &dyn Topology) -> Result<Hop, String> {
    let (name, cycle) = match text.split_once('@') {
        Some((name, cycle)) => (name, Some(cycle)),
        None => (text, None),
    };
    let mut ports = (0..topology.ports() as u8).map(Port);
    let port = ports.find(|port| topology.port_name(*port) == name);
    let port = port.ok_or_else(|| {
        let names = (0..topology.ports() as u8).map(|port| topology.port_name(Port(port)));
        names.collect::<Vec<_>>().join(", ")
    })?;
    let last = Cycle::LAST.get();
    let within = |cycle: &str| cycle.parse().ok().filter(|cycle| *cycle <= last);
    let cycle = cycle.map(|cycle| {
        let allowed = || format!("{name}@CYCLE, with a whole number up to {last}");
        within(cycle).map(Cycle).ok_or_else(allowed)
    });
    Ok(Hop {
        port,
        cycle: cycle.transpose()?,
    })
}

/// What a schedule may be instead of a mistaken one.
fn allowed(error: &ScheduleError, given: &RawTable<'_>) -> String {
    let key = given.key("waiting");
    match error {
        ScheduleError::Crowd { waiting, .. } => {
            format!("worms that don't wait on their way, or {key} above {waiting}")
        }
        ScheduleError::Empty(_) => "1 to 65535 words, and a path of 1 to 65535 hops".into(),
        ScheduleError::MissingLink { .. } => "links of the network".into(),
        ScheduleError::Late(_) => "fewer words, and earlier cycles".into(),
        ScheduleError::Home(_) => "a path to another node".into(),
        ScheduleError::BeforeHead { ready, .. } => format!("cycle {ready} or a later one"),
        _ => "worms that don't start before they have arrived, with no two words on a link in the same cycle".into(),
    }
}

/// A mistake of a schedule, with nodes and ports by name.
fn described(error: &ScheduleError, topology: &dyn Topology) -> String {
    match error {
        ScheduleError::MissingLink {
            packet,
            hop,
            node,
            port,
        } => format!(
            "hop {hop} of {}: node {} has no link {}",
            name(packet),
            topology.node_name(*node),
            topology.port_name(*port)
        ),
        ScheduleError::Collision {
            cycle,
            node,
            port,
            packets: [one, other],
        } => format!(
            "{} and {} both need the link {} of node {} in cycle {cycle}",
            name(one),
            name(other),
            topology.port_name(*port),
            topology.node_name(*node)
        ),
        _ => error.to_string(),
    }
}

/// Where a packet's line begins: sources number theirs from 0.
fn place_of(lines: &[Line], packet: PacketId) -> Option<usize> {
    let mut own = lines
        .iter()
        .filter(|(_, route)| route.source == packet.source);
    own.nth(packet.serial as usize).map(|(at, _)| *at)
}
