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
//!
//! A hop is the name of a port, which may have spaces: on a graph whose ports have no names a path is `port 0 port 2@7`. One
//! name fits at each place: graphs refuse names that can't be told apart.

use super::schedule::name;
use super::{Hop, Route, Schedule, ScheduleError};
use crate::parameters::Reading;
use flitwork_schema::{FileMistake, MistakeKind, NamedFile, RawTable, Refusal};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Port};

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
        let mut lines = csv::Writer::from_writer(Vec::new());
        let mut line = |fields: [String; 4]| {
            let written = lines.write_record(fields);
            written.expect("four fields fit into memory");
        };
        line(COLUMNS.map(str::to_owned));
        for route in routes {
            let hop = |hop: &Hop| {
                let name = topology.port_name(hop.port);
                match hop.cycle {
                    Some(cycle) => format!("{name}@{cycle}"),
                    None => name,
                }
            };
            let path: Vec<String> = route.path.iter().map(hop).collect();
            let numbers = [route.source.0, route.words.into(), route.start.get()];
            let [source, words, start] = numbers.map(|number| number.to_string());
            line([source, words, start, path.join(" ")]);
        }
        let bytes = lines.into_inner().ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.expect("names of ports are text")
    }
}

/// Reads the file of that name for the table that names it; so many worms may wait in a node.
pub(super) fn read(
    given: &RawTable<'_>,
    around: &Reading<'_>,
    name: &str,
    waiting: u32,
) -> Result<ScheduleFile, Refusal> {
    let shape = around.shape;
    let path = around.files.path(name);
    let mut file = NamedFile::new(given, "file", &path, MistakeKind::Schedule);
    let text = around.files.text(name, MOST_BYTES);
    file.text = text.map_err(|why| file.unreadable(why))?;
    let lines = parse(&file.text, shape).map_err(|mistake| file.wrong(mistake))?;
    let routes: Vec<Route> = lines.iter().map(|(_, route)| route.clone()).collect();
    let checked = Schedule::new(shape, around.link_latency_cycles, waiting, routes.clone());
    checked.map_err(|error| {
        file.wrong(FileMistake {
            at: place_of(&lines, &error, shape).map(|at| at..at),
            found: described(&error, shape),
            allowed: allowed(&error, given),
        })
    })?;
    Ok(ScheduleFile {
        file: name.to_owned(),
        routes,
        waiting,
    })
}

/// A worm, and the byte offset of its line.
type Line = (usize, Route);

fn parse(text: &str, topology: &dyn Topology) -> Result<Vec<Line>, FileMistake> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |at: Option<usize>, found: String, allowed: &str| FileMistake {
        at: at.map(|at| at..at),
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
    let names = (0..topology.ports() as u8).map(|port| topology.port_name(Port(port)));
    let names: Vec<String> = names.collect();
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
        let path = path(record.get(3).unwrap_or_default(), &names);
        let path =
            path.map_err(|(word, allowed)| wrong(at, format!("a path with {word:?}"), &allowed))?;
        let route = Route {
            source: NodeId(number(0, u64::from(topology.nodes()) - 1)? as u32),
            words: number(1, u16::MAX.into())? as u16,
            start: Cycle(number(2, Cycle::LAST.get().into())? as u32),
            path,
        };
        lines.push((at.unwrap_or(0), route));
    }
    Ok(lines)
}

/// The hops of a path, or the word that begins none and what is allowed in its place.
fn path(text: &str, names: &[String]) -> Result<Vec<Hop>, (String, String)> {
    let mut hops = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (hop, after) = hop(rest, names)?;
        hops.push(hop);
        rest = after.trim_start();
    }
    Ok(hops)
}

/// The hop with which a text begins, and what follows it: the one port name that fits, and the cycle if there is one.
fn hop<'a>(text: &'a str, names: &'a [String]) -> Result<(Hop, &'a str), (String, String)> {
    let word_end = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let ends_here = |after: &&str| after.starts_with('@') || word_end(after) == 0;
    let fits = |(port, name): (Port, &'a String)| {
        let after = text.strip_prefix(name.as_str()).filter(ends_here)?;
        Some((port, name, after))
    };
    let mut ports = (0..).map(Port).zip(names);
    let (port, name, after) = ports.find_map(fits).ok_or_else(|| {
        let word = text[..word_end(text)].to_owned();
        (word, names.join(", "))
    })?;
    let (cycle, after) = after.split_at(word_end(after));
    let last = Cycle::LAST.get();
    let within = |cycle: &str| cycle.parse().ok().filter(|cycle| *cycle <= last);
    let cycle = cycle.strip_prefix('@').map(|cycle| {
        let wrong = || {
            let allowed = format!("{name}@CYCLE, with a whole number up to {last}");
            (format!("{name}@{cycle}"), allowed)
        };
        within(cycle).map(Cycle).ok_or_else(wrong)
    });
    let cycle = cycle.transpose()?;
    Ok((Hop { port, cycle }, after))
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
        ScheduleError::NoTerminal(_) => "nodes that send packets as sources".into(),
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

/// Where the line of a mistake begins: sources number their packets from 0.
fn place_of(lines: &[Line], error: &ScheduleError, topology: &dyn Topology) -> Option<usize> {
    let (source, serial) = match (error, error.packet()) {
        (ScheduleError::NoTerminal(node), _) => (*node, 0),
        (_, packet) => packet.map(|it| (topology.home(it.source), it.serial))?,
    };
    let mut own = lines.iter().filter(|(_, route)| route.source == source);
    own.nth(serial as usize).map(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Graph;

    /// Names with spaces, a comma, a quotation mark and an `@`, two of which begin alike, and ports without a name.
    fn pair() -> Graph {
        let mut pair = Graph::of_nodes(2).unwrap();
        for port in (0..7).map(Port) {
            pair.link((NodeId(0), port), (NodeId(1), port), None)
                .unwrap();
        }
        let names = ["up", "upper left", "upper right", "a, \"b\"", "x@7"];
        pair.name_ports(names.map(str::to_owned).to_vec()).unwrap();
        pair.build().unwrap()
    }

    fn route(path: Vec<Hop>) -> Route {
        Route {
            source: NodeId(0),
            words: 1,
            start: Cycle(3),
            path,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let pair = pair();
        let mut routes = Vec::new();
        for cycles in [[None, None], [None, Some(7)], [Some(7), None]] {
            for one in (0..7).map(Port) {
                let hops = (0..7).map(Port).flat_map(|other| [one, other]);
                let cycles = cycles.map(|cycle| cycle.map(Cycle)).into_iter().cycle();
                let hops = hops.zip(cycles).map(|(port, cycle)| Hop { port, cycle });
                routes.push(route(hops.collect()));
            }
        }
        let text = ScheduleFile::text(&pair, &routes);
        let read = parse(&text, &pair).map_err(|mistake| mistake.found);
        let read: Vec<Route> = read.unwrap().into_iter().map(|(_, route)| route).collect();
        assert_eq!(read, routes, "{text}");
    }

    #[test]
    fn a_path_without_a_hop_says_where() {
        let pair = pair();
        for (text, found, allowed) in [
            ("up upper", "upper", "up, upper left, "),
            ("upper left up@x port 5", "up@x", "up@CYCLE, "),
            ("port 5 port 50", "port", "port 5, port 6"),
            ("port 5@", "port 5@", "port 5@CYCLE, "),
            ("up @7", "@7", "up, upper left, "),
        ] {
            let file = format!("source,words,start,path\n0,1,0,{text}\n");
            let mistake = parse(&file, &pair).unwrap_err();
            assert_eq!(mistake.found, format!("a path with {found:?}"), "{text}");
            assert!(mistake.allowed.contains(allowed), "{}", mistake.allowed);
        }
    }
}
