//! A schedule's file: a line for each worm, in the order in which its source sends them.
//!
//! ```text
//! source,words,start,path
//! 0,8,0,east east south
//! ```

use super::{Route, Schedule, ScheduleError};
use crate::parameters::Reading;
use flitwork_schema::{Given, MistakeKind, MistakePlace, Refusal};
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
}

/// Reads the file of that name for the table that names it.
pub(super) fn read(
    given: &Given<'_>,
    around: &Reading<'_>,
    file: &str,
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
    let checked = Schedule::new(shape, around.link_latency_cycles, routes.clone());
    checked.map_err(|error| {
        wrong(Mistake {
            at: place_of(&lines, packet_of(&error)),
            found: described(&error, shape),
            allowed: "worms that don't start before they have come, no two words of which need a link in the same cycle"
                .into(),
        })
    })?;
    Ok(ScheduleFile {
        file: file.to_owned(),
        routes,
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
        let path = path.map(|name| {
            let mut ports = (0..topology.ports() as u8).map(Port);
            let port = ports.find(|port| topology.port_name(*port) == name);
            port.ok_or_else(|| {
                let names = (0..topology.ports() as u8).map(|port| topology.port_name(Port(port)));
                let names = names.collect::<Vec<_>>().join(", ");
                wrong(at, format!("a path with {name:?}"), &names)
            })
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

/// A mistake of a schedule, with nodes and ports by name.
fn described(error: &ScheduleError, topology: &dyn Topology) -> String {
    let name = |packet: &PacketId| format!("packet {}.{}", packet.source, packet.serial);
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

/// The packet that a mistake of a schedule is about.
fn packet_of(error: &ScheduleError) -> PacketId {
    match error {
        ScheduleError::Empty(packet)
        | ScheduleError::MissingLink { packet, .. }
        | ScheduleError::Early { packet, .. }
        | ScheduleError::Late(packet) => *packet,
        ScheduleError::Collision { packets, .. } => packets[1],
    }
}

/// Where a packet's line begins: sources number theirs from 0.
fn place_of(lines: &[Line], packet: PacketId) -> Option<usize> {
    let mut own = lines
        .iter()
        .filter(|(_, route)| route.source == packet.source);
    own.nth(packet.serial as usize).map(|(at, _)| *at)
}
