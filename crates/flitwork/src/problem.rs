//! Static problems on graphs, as configurations name them: nodes and links, and packets that all exist at once.

use crate::exit::Exit;
use flitwork_files::Inputs;
use flitwork_studies::patterns::Pattern;
use flitwork_topology::{Graph, GraphBuilder, GraphError, Grid, Topology};
use flitwork_traffic::parse_packets;
use flitwork_types::{NodeId, Port};
use serde::Deserialize;
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// `[graph]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphText {
    /// `mesh` or `torus`, with sides.
    topology: Option<Spanned<String>>,
    sides: Option<Spanned<Vec<u32>>>,
    /// A file of links, and how many nodes they link.
    links: Option<Spanned<PathBuf>>,
    nodes: Option<Spanned<u32>>,
}

/// `[problem]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProblemText {
    pattern: Option<Spanned<String>>,
    packets: Option<Spanned<PathBuf>>,
    /// Where node 0, 1 and so on send.
    destinations: Option<Spanned<Vec<u32>>>,
    #[serde(default = "first_seed")]
    pub(crate) seed: u64,
    /// The words of a packet.
    pub(crate) words: Option<Spanned<u32>>,
}

fn first_seed() -> u64 {
    1
}

/// Nodes and links.
#[derive(Debug)]
pub(crate) enum Net {
    Grid(Box<Grid>),
    Graph(Box<Graph>),
}

/// A packet of a problem, and its place in the file that it is from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) source: NodeId,
    pub(crate) destination: NodeId,
    at: Option<usize>,
}

/// The packets of a problem.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) packets: Vec<Asked>,
    /// The file that they are from, and its text.
    file: Option<(PathBuf, String)>,
}

impl Problem {
    /// Packets from node 0, 1 and so on.
    fn from_all(to: &[u32]) -> Problem {
        let pairs = (0..).zip(to);
        let asked = pairs.map(|(source, destination)| Asked {
            source: NodeId(source),
            destination: NodeId(*destination),
            at: None,
        });
        Problem {
            packets: asked.collect(),
            file: None,
        }
    }

    /// What is wrong with a packet: in its line, if it has one.
    pub(crate) fn wrong(
        &self,
        config: &Source<'_>,
        packet: usize,
        what: impl Display,
        allowed: impl Display,
    ) -> Exit {
        let at = self.packets.get(packet).and_then(|asked| asked.at);
        match (&self.file, at) {
            (Some((path, text)), Some(at)) => Source { path, text }.wrong(at, what, allowed),
            _ => config.wrong_in("problem", what, allowed),
        }
    }
}

/// A file that is read, for messages with its lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// What is wrong at a place, and what is allowed.
    pub(crate) fn wrong(&self, at: usize, what: impl Display, allowed: impl Display) -> Exit {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let path = self.path.display();
        let message = format!("{path}:{line}:{column}: {what}");
        let message: String = message.chars().map(flitwork_schema::printable).collect();
        Exit::bad_input(format!("{message}\n  allowed: {allowed}"))
    }

    /// What is wrong with a table.
    pub(crate) fn wrong_in(&self, table: &str, what: impl Display, allowed: impl Display) -> Exit {
        let at = self.text.find(&format!("[{table}]")).unwrap_or(0);
        self.wrong(at, what, allowed)
    }

    /// What is wrong with a text that can't be parsed.
    pub(crate) fn unparsed(&self, error: &toml::de::Error, allowed: &str) -> Exit {
        let at = error.span().map_or(0, |span| span.start);
        self.wrong(at, error.message(), allowed)
    }

    pub(crate) fn missing(&self, what: &str, allowed: impl Display) -> Exit {
        let path = self.path.display();
        Exit::bad_input(format!("{path}: {what} is missing\n  allowed: {allowed}"))
    }

    /// A file that it names, beside it.
    fn beside(&self, named: &Spanned<PathBuf>, inputs: &Inputs) -> Result<(PathBuf, String), Exit> {
        let path = self
            .path
            .parent()
            .unwrap_or(Path::new(""))
            .join(named.get_ref());
        inputs.note(&path);
        match read_text(&path) {
            Ok(text) => Ok((path, text)),
            Err(error) => {
                let what = format!("{}: {error}", path.display());
                Err(self.wrong(named.span().start, what, "a file of text that can be read"))
            }
        }
    }
}

/// The text of a configuration.
pub(crate) fn text(path: &Path) -> Result<String, Exit> {
    read_text(path).map_err(|error| Exit::bad_input(format!("{}: {error}", path.display())))
}

/// A file's text, without a byte order mark.
fn read_text(path: &Path) -> std::io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

impl Net {
    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> u32 {
        match self {
            Net::Grid(grid) => grid.nodes(),
            Net::Graph(graph) => graph.nodes(),
        }
    }

    /// The side, if it is a square grid.
    pub(crate) fn side(&self) -> Option<u32> {
        match self {
            Net::Grid(grid) => match grid.sides()[..] {
                [x, y] if x == y => Some(x),
                _ => None,
            },
            Net::Graph(_) => None,
        }
    }
}

/// Reads what `[graph]` names, and the packets of `[problem]`.
pub(crate) fn read(
    source: &Source<'_>,
    graph: &GraphText,
    problem: &ProblemText,
    inputs: &Inputs,
) -> Result<(Net, Problem), Exit> {
    if let Some(links) = &graph.links {
        return read_links(source, graph, links, problem, inputs);
    }
    let names = "\"mesh\" or \"torus\", or links of a file";
    if let Some(nodes) = &graph.nodes {
        let allowed = "graph.nodes beside graph.links, or topology and sides";
        return Err(source.wrong(
            nodes.span().start,
            "graph.nodes without graph.links",
            allowed,
        ));
    }
    let topology = graph.topology.as_ref();
    let topology = topology.ok_or_else(|| source.missing("graph.topology", names))?;
    let sides = graph.sides.as_ref();
    let sides = sides.ok_or_else(|| source.missing("graph.sides", "the sides, as [16, 16]"))?;
    let grid = match topology.get_ref().as_str() {
        "mesh" => Grid::mesh(sides.get_ref()),
        "torus" => Grid::torus(sides.get_ref()),
        other => {
            let what = format!("graph.topology is \"{other}\"");
            return Err(source.wrong(topology.span().start, what, names));
        }
    };
    let grid = grid.map_err(|error| source.wrong(sides.span().start, error, "sides of a grid"))?;
    let net = Net::Grid(Box::new(grid));
    let packets = packets(source, problem, (net.nodes(), net.side()), inputs)?;
    Ok((net, packets))
}

/// Reads a graph from a file of links, and the packets.
fn read_links(
    source: &Source<'_>,
    text: &GraphText,
    links: &Spanned<PathBuf>,
    problem: &ProblemText,
    inputs: &Inputs,
) -> Result<(Net, Problem), Exit> {
    if let Some(given) = &text.topology {
        return Err(source.wrong(
            given.span().start,
            "graph.topology beside graph.links",
            "links and nodes, or topology and sides",
        ));
    }
    if let Some(given) = &text.sides {
        return Err(source.wrong(
            given.span().start,
            "graph.sides beside graph.links",
            "links and nodes, or topology and sides",
        ));
    }
    let nodes = text.nodes.as_ref();
    let nodes =
        nodes.ok_or_else(|| source.missing("graph.nodes", "how many nodes the links link"))?;
    let (path, links_text) = source.beside(links, inputs)?;
    let file = Source {
        path: &path,
        text: &links_text,
    };
    let begun = Graph::of_nodes(*nodes.get_ref());
    let mut graph: GraphBuilder =
        begun.map_err(|error| source.wrong(nodes.span().start, error, "nodes of a graph"))?;
    let mut ends = Vec::new();
    for (at, [from, port, to, through]) in numbers::<4>(&file, "node,port,node,port")? {
        let end = |node, port: u32| (NodeId(node), Port(u8::try_from(port).unwrap_or(u8::MAX)));
        graph
            .link_one_way(end(from, port), end(to, through))
            .map_err(|error| file.wrong(at, error, links_allowed(*nodes.get_ref())))?;
        ends.push([from, to]);
    }
    let packets = packets(source, problem, (*nodes.get_ref(), None), inputs)?;
    let graph = graph.build_one_way().map_err(|error| match error {
        GraphError::Apart { .. } => {
            let allowed = "links along which every node reaches every other";
            match apart(&ends, *nodes.get_ref(), &packets) {
                Some((packet, [from, to])) => {
                    let what = format!(
                        "packet {packet}: no links of {} lead from node {from} to node {to}",
                        path.display()
                    );
                    packets.wrong(source, packet, what, allowed)
                }
                None => {
                    let what = format!("{}: {error}", path.display());
                    source.wrong(links.span().start, what, allowed)
                }
            }
        }
        error => source.wrong(
            links.span().start,
            format!("{}: {error}", path.display()),
            "a graph",
        ),
    })?;
    Ok((Net::Graph(Box::new(graph)), packets))
}

/// The first packet whose destination its source doesn't reach, and both.
fn apart(links: &[[u32; 2]], nodes: u32, problem: &Problem) -> Option<(usize, [u32; 2])> {
    let mut far: Vec<Vec<u32>> = vec![Vec::new(); nodes as usize];
    for [from, to] in links {
        far[*from as usize].push(*to);
    }
    let reaches = |from: u32, to: u32| {
        let mut seen = vec![false; nodes as usize];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend(&far[node as usize]);
            }
        }
        seen[to as usize]
    };
    let mut packets = problem.packets.iter().enumerate();
    packets.find_map(|(number, asked)| {
        let (from, to) = (asked.source.0, asked.destination.0);
        (!reaches(from, to)).then_some((number, [from, to]))
    })
}

fn links_allowed(nodes: u32) -> String {
    format!(
        "nodes 0 to {}, each port once at either end of a link",
        nodes - 1
    )
}

/// Lines of whole numbers, each with its place; empty ones and those that begin with # are left out.
fn numbers<const COUNT: usize>(
    file: &Source<'_>,
    form: &str,
) -> Result<Vec<(usize, [u32; COUNT])>, Exit> {
    let mut all = Vec::new();
    for (at, line) in lines(file.text) {
        // The first line may say what columns there are.
        if all.is_empty() && line == form {
            continue;
        }
        let cells: Vec<Option<u32>> = line.split(',').map(|it| it.trim().parse().ok()).collect();
        let whole: Option<Vec<u32>> = cells.into_iter().collect();
        let row = whole.and_then(|it| <[u32; COUNT]>::try_from(it).ok());
        match row {
            Some(row) => all.push((at.start, row)),
            None => {
                let what = format!("`{line}`");
                return Err(file.wrong(at.start, what, format!("{form} a line")));
            }
        }
    }
    Ok(all)
}

/// Lines that say something, and their places.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    let lines = text.split('\n').map(move |line| {
        let begin = at;
        at += line.len() + 1;
        (begin..at, line.trim())
    });
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The packets that `[problem]` names, on so many nodes, and on a square of a side.
fn packets(
    source: &Source<'_>,
    text: &ProblemText,
    (nodes, side): (u32, Option<u32>),
    inputs: &Inputs,
) -> Result<Problem, Exit> {
    let names = "\"random\", \"random-destinations\", \"reversal\", \"bit-reversal\" or \"transpose\", packets of a file, or destinations";
    let pattern = match (&text.pattern, &text.packets, &text.destinations) {
        (None, Some(packets), None) => return packets_of(source, packets, nodes, inputs),
        (None, None, Some(destinations)) => return listed(source, destinations, nodes),
        (Some(pattern), None, None) => pattern,
        (None, None, None) => return Err(source.missing("problem.pattern", names)),
        (_, packets, destinations) => {
            let packets = packets.as_ref().map(|it| it.span().start);
            let destinations = destinations.as_ref().map(|it| it.span().start);
            let at = packets.or(destinations).unwrap_or(0);
            let what = "more than one of problem.pattern, problem.packets and problem.destinations";
            return Err(source.wrong(at, what, names));
        }
    };
    let given = pattern.get_ref();
    let wrong = |allowed| {
        let on = match Pattern::find(given) {
            Some(Pattern::BitReversal) => format!(" on {nodes} nodes"),
            _ => String::new(),
        };
        let what = format!("problem.pattern is \"{given}\"{on}");
        source.wrong(pattern.span().start, what, allowed)
    };
    let pattern = Pattern::find(given).ok_or_else(|| wrong(names))?;
    let to = pattern
        .destinations(nodes, side, text.seed)
        .map_err(wrong)?;
    Ok(Problem::from_all(&to))
}

/// Packets from node 0, 1 and so on to listed nodes.
fn listed(
    source: &Source<'_>,
    destinations: &Spanned<Vec<u32>>,
    nodes: u32,
) -> Result<Problem, Exit> {
    let to = destinations.get_ref();
    let at = destinations.span().start;
    if to.len() > nodes as usize {
        let what = format!("problem.destinations are {} nodes'", to.len());
        return Err(source.wrong(at, what, format!("those of the {nodes} nodes")));
    }
    if let Some(node) = to.iter().find(|node| **node >= nodes) {
        let what = format!("there is no node {node}");
        return Err(source.wrong(at, what, format!("0 to {}", nodes - 1)));
    }
    Ok(Problem::from_all(to))
}

/// Where the lines of a text begin.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

/// Packets of a file: a permutation file, but that a node may send and receive several.
fn packets_of(
    source: &Source<'_>,
    named: &Spanned<PathBuf>,
    nodes: u32,
    inputs: &Inputs,
) -> Result<Problem, Exit> {
    let (path, text) = source.beside(named, inputs)?;
    let file = Source {
        path: &path,
        text: &text,
    };
    let starts = line_starts(&text);
    let at = |line: Option<usize>| Some(*starts.get(line?.checked_sub(1)?)?);
    let listed = parse_packets(&text, nodes).map_err(|error| {
        let place = at(error.line).unwrap_or(0) + error.column.map_or(0, |it| it.saturating_sub(1));
        let forms = "source,destination a line, or JSON, as in permutation files";
        file.wrong(place.min(text.len()), error.problem, forms)
    })?;
    let packets = listed
        .iter()
        .map(|it| Asked {
            source: it.source,
            destination: it.destination,
            at: at(it.line),
        })
        .collect();
    Ok(Problem {
        packets,
        file: Some((path, text)),
    })
}
