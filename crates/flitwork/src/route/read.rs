//! What `flitwork route` reads: a configuration of a graph, a rule and a problem, and their files.

use crate::exit::Exit;
use flitwork_steps::Store;
use flitwork_steps::rules::{Chosen, InqueueName, RuleName};
use flitwork_steps::{Corner, MachineError};
use flitwork_topology::{Graph, GraphError, Grid};
use flitwork_types::{NodeId, Port};
use serde::Deserialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    graph: GraphText,
    rule: RuleText,
    problem: ProblemText,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphText {
    /// `mesh` or `torus`, with sides.
    topology: Option<Spanned<String>>,
    sides: Option<Spanned<Vec<u32>>>,
    /// A file of links, and how many nodes they link.
    links: Option<Spanned<PathBuf>>,
    nodes: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    name: Spanned<String>,
    inqueue: Option<Spanned<String>>,
    queues: Option<Spanned<String>>,
    k: Option<Spanned<usize>>,
    #[serde(default)]
    table: u64,
    #[serde(default)]
    box_side: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemText {
    pattern: Option<Spanned<String>>,
    packets: Option<Spanned<PathBuf>>,
    #[serde(default = "first_seed")]
    seed: u64,
}

fn first_seed() -> u64 {
    1
}

/// Nodes and links.
#[derive(Debug)]
pub(super) enum Net {
    Grid(Box<Grid>),
    Graph(Box<Graph>),
}

/// All that is routed.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) net: Net,
    pub(super) chosen: Chosen,
    pub(super) store: Store,
    pub(super) problem: Vec<(NodeId, NodeId)>,
    /// The configuration itself, and the problem's seed.
    pub(super) text: String,
    pub(super) seed: u64,
}

/// A file that is read, for messages with its lines.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    /// What is wrong at a place, and what is allowed.
    fn wrong(&self, at: usize, what: impl Display, allowed: impl Display) -> Exit {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let path = self.path.display();
        Exit::bad_input(format!(
            "{path}:{line}:{column}: {what}\n  allowed: {allowed}"
        ))
    }

    fn missing(&self, what: &str, allowed: impl Display) -> Exit {
        let path = self.path.display();
        Exit::bad_input(format!("{path}: {what} is missing\n  allowed: {allowed}"))
    }

    /// A file that it names, beside it.
    fn beside(&self, named: &Spanned<PathBuf>) -> Result<(PathBuf, String), Exit> {
        let path = self
            .path
            .parent()
            .unwrap_or(Path::new(""))
            .join(named.get_ref());
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok((path, text)),
            Err(error) => {
                let what = format!("{}: {error}", path.display());
                Err(self.wrong(named.span().start, what, "a file of text that can be read"))
            }
        }
    }
}

/// Reads a configuration and what it names.
pub(super) fn read(path: &Path) -> Result<Read, Exit> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Exit::bad_input(format!("{}: {error}", path.display())))?;
    let source = Source { path, text: &text };
    let parsed: Text = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().to_owned();
        source.wrong(
            at,
            message,
            "tables [graph], [rule] and [problem], as in configs/route",
        )
    })?;
    let net = net(&source, &parsed.graph)?;
    let (chosen, store) = rule(&source, &parsed.rule, &net)?;
    let problem = problem(&source, &parsed.problem, &net)?;
    Ok(Read {
        net,
        chosen,
        store,
        problem,
        seed: parsed.problem.seed,
        text,
    })
}

impl Net {
    /// How many nodes there are.
    pub(super) fn nodes(&self) -> u32 {
        use flitwork_topology::Topology;
        match self {
            Net::Grid(grid) => grid.nodes(),
            Net::Graph(graph) => graph.nodes(),
        }
    }

    /// The side, if it is a square grid.
    fn side(&self) -> Option<u32> {
        match self {
            Net::Grid(grid) => match grid.sides()[..] {
                [x, y] if x == y => Some(x),
                _ => None,
            },
            Net::Graph(_) => None,
        }
    }
}

fn net(source: &Source<'_>, text: &GraphText) -> Result<Net, Exit> {
    if let Some(links) = &text.links {
        let alone = "links and nodes, or topology and sides";
        if let Some(given) = &text.topology {
            return Err(source.wrong(
                given.span().start,
                "graph.topology beside graph.links",
                alone,
            ));
        }
        let nodes = text.nodes.as_ref();
        let nodes =
            nodes.ok_or_else(|| source.missing("graph.nodes", "how many nodes the links link"))?;
        let (path, links) = source.beside(links)?;
        let file = Source {
            path: &path,
            text: &links,
        };
        let begun = Graph::of_nodes(*nodes.get_ref());
        let mut graph =
            begun.map_err(|error| source.wrong(nodes.span().start, error, "nodes of a graph"))?;
        for (at, [from, port, to, through]) in numbers::<4>(&file, "node,port,node,port")? {
            let end = |node, port: u32| (NodeId(node), Port(u8::try_from(port).unwrap_or(u8::MAX)));
            graph
                .link_one_way(end(from, port), end(to, through))
                .map_err(|error| file.wrong(at, error, links_allowed(*nodes.get_ref())))?;
        }
        let graph = graph.build_one_way().map_err(|error| match error {
            GraphError::Apart { .. } => {
                let allowed = "links along which every node reaches every other";
                Exit::bad_input(format!("{}: {error}\n  allowed: {allowed}", path.display()))
            }
            error => Exit::bad_input(format!("{}: {error}", path.display())),
        })?;
        return Ok(Net::Graph(Box::new(graph)));
    }
    let names = "\"mesh\" or \"torus\", or links of a file";
    let topology = text.topology.as_ref();
    let topology = topology.ok_or_else(|| source.missing("graph.topology", names))?;
    let sides = text.sides.as_ref();
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
    Ok(Net::Grid(Box::new(grid)))
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
    let mut at = 0;
    for line in file.text.split('\n') {
        let begin = at;
        at += line.len() + 1;
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let cells: Vec<Option<u32>> = trimmed
            .split(',')
            .map(|it| it.trim().parse().ok())
            .collect();
        let whole: Option<Vec<u32>> = cells.into_iter().collect();
        let row = whole.and_then(|it| <[u32; COUNT]>::try_from(it).ok());
        match row {
            Some(row) => all.push((begin, row)),
            None => {
                return Err(file.wrong(begin, format!("`{trimmed}`"), format!("{form} a line")));
            }
        }
    }
    Ok(all)
}

fn rule(source: &Source<'_>, text: &RuleText, net: &Net) -> Result<(Chosen, Store), Exit> {
    let names = || {
        let names: Vec<&str> = RuleName::ALL.iter().map(|it| it.name).collect();
        names.join(", ")
    };
    let at = text.name.span().start;
    let unknown = || {
        source.wrong(
            at,
            format!("rule.name is \"{}\"", text.name.get_ref()),
            names(),
        )
    };
    let rule = RuleName::find(text.name.get_ref()).ok_or_else(unknown)?;
    let side = net.side();
    if rule.deroutes() && side.is_none() {
        return Err(source.wrong(
            at,
            "rule.name is \"derouting\"",
            "on a square mesh or torus",
        ));
    }
    let inqueue = match &text.inqueue {
        None => InqueueName::Fixed,
        Some(name) => {
            let found = InqueueName::ALL.iter().find(|it| it.0 == name.get_ref());
            let wrong = || {
                let what = format!("rule.inqueue is \"{}\"", name.get_ref());
                source.wrong(name.span().start, what, "\"fixed\" or \"round-robin\"")
            };
            found.ok_or_else(wrong)?.1
        }
    };
    let chosen = Chosen {
        rule,
        inqueue,
        seed: text.table,
        within: (side.unwrap_or(0), Corner::SouthWest, text.box_side),
    };
    let store = store(source, text, rule)?;
    Ok((chosen, store))
}

/// Where nodes keep packets.
fn store(source: &Source<'_>, text: &RuleText, rule: RuleName) -> Result<Store, Exit> {
    let queues = text
        .queues
        .as_ref()
        .map_or("central", |it| it.get_ref().as_str());
    let k = text.k.as_ref().map(|it| *it.get_ref());
    let kinds = "\"central\", \"incoming\", \"outgoing\" or \"unbounded\"";
    let store = match (queues, k) {
        ("unbounded", None) => Store::Unbounded,
        ("unbounded", Some(_)) => {
            let at = text.k.as_ref().map_or(0, |it| it.span().start);
            return Err(source.wrong(
                at,
                "rule.k beside unbounded queues",
                "rule.k with other queues",
            ));
        }
        ("central", k) => Store::Central(k.unwrap_or(1)),
        ("incoming", k) => Store::Incoming(k.unwrap_or(1)),
        ("outgoing", k) => Store::Outgoing(k.unwrap_or(1)),
        (other, _) => {
            let at = text.queues.as_ref().map_or(0, |it| it.span().start);
            return Err(source.wrong(at, format!("rule.queues is \"{other}\""), kinds));
        }
    };
    if matches!(store, Store::Outgoing(_)) && !rule.waits_for_links() {
        let at = text.queues.as_ref().map_or(0, |it| it.span().start);
        let what = format!(
            "rule.queues is \"outgoing\", but {} doesn't choose a link for each packet",
            rule.name
        );
        let all = RuleName::ALL.iter().filter(|it| it.waits_for_links());
        let allowed: Vec<&str> = all.map(|it| it.name).collect();
        return Err(source.wrong(
            at,
            what,
            format!("other queues, or one of {}", allowed.join(", ")),
        ));
    }
    if let Some(k) = text.k.as_ref().filter(|k| *k.get_ref() == 0) {
        return Err(source.wrong(k.span().start, "rule.k is 0", "1 or more packets"));
    }
    Ok(store)
}

fn problem(
    source: &Source<'_>,
    text: &ProblemText,
    net: &Net,
) -> Result<Vec<(NodeId, NodeId)>, Exit> {
    let nodes = net.nodes();
    let names = "\"random\", \"reversal\" or \"transpose\", or packets of a file";
    let pattern = match (&text.packets, &text.pattern) {
        (Some(packets), None) => {
            let (path, packets) = source.beside(packets)?;
            let file = Source {
                path: &path,
                text: &packets,
            };
            let mut problem = Vec::new();
            for (at, [from, to]) in numbers::<2>(&file, "source,destination")? {
                if from.max(to) >= nodes {
                    let what = format!("there is no node {}", from.max(to));
                    return Err(file.wrong(at, what, format!("0 to {}", nodes - 1)));
                }
                problem.push((NodeId(from), NodeId(to)));
            }
            return Ok(problem);
        }
        (Some(packets), Some(_)) => {
            let at = packets.span().start;
            return Err(source.wrong(at, "problem.packets beside problem.pattern", names));
        }
        (None, None) => return Err(source.missing("problem.pattern", names)),
        (None, Some(pattern)) => pattern,
    };
    let to: Vec<u32> = match (pattern.get_ref().as_str(), net.side()) {
        ("random", _) => super::random(nodes, text.seed),
        ("reversal", _) => (0..nodes).rev().collect(),
        ("transpose", Some(side)) => (0..nodes).map(|it| it % side * side + it / side).collect(),
        ("transpose", None) => {
            let what = "problem.pattern is \"transpose\"";
            return Err(source.wrong(pattern.span().start, what, "on a square mesh or torus"));
        }
        (other, _) => {
            let what = format!("problem.pattern is \"{other}\"");
            return Err(source.wrong(pattern.span().start, what, names));
        }
    };
    Ok((0..).map(NodeId).zip(to.into_iter().map(NodeId)).collect())
}

/// What a machine refuses.
pub(super) fn refused(path: &Path, error: &MachineError) -> Exit {
    Exit::bad_input(format!("{}: {error}", path.display()))
}
