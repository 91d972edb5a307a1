//! Networks as BookSim 2's `anynet` reads them (its `networks/anynet.cpp`).
//!
//! ```text
//!   router 0 node 0 node 1 router 1 5      nodes, which are terminals, and links to other routers; a number after
//!   router 1 node 2 router 0 5             one is the latency in cycles of that direction, 1 if it isn't given
//! ```
//!
//! A line may also begin with a node. A link may be listed at one end or at both. A direction whose latency isn't given has 1 in BookSim, so another one has to be given
//! at both ends. Links for which neither end gives one take the network's, which is 1 by default too.

use super::listing::{Known, Link, Listing, Node, line_of, whole, wrong};
use crate::{MAX_GRAPH_NODES, MAX_LINK_CYCLES};
use flitwork_schema::{FileMistake, Span, shown};
use flitwork_types::{MAX_PORTS, NodeId};
use std::collections::BTreeMap;

/// The most routers, by their numbers, and terminals.
const MAX_ROUTER: u32 = MAX_GRAPH_NODES - 1;
const MAX_NODE: u32 = MAX_GRAPH_NODES * MAX_PORTS as u32 - 1;

/// The network of a text.
pub(super) fn listing(text: &str) -> Result<Listing, FileMistake> {
    let mut found = Found {
        text,
        routers: BTreeMap::new(),
        nodes: BTreeMap::new(),
        ways: BTreeMap::new(),
        links: Vec::new(),
    };
    for words in lines(text) {
        found.line(&words)?;
    }
    without_gaps("router", found.routers.iter())?;
    without_gaps("node", found.nodes.iter().map(|(node, it)| (node, &it.at)))?;
    let nodes = found.routers.iter().map(|(router, at)| Node {
        name: router.to_string(),
        at: at.clone(),
        terminals: 0,
        place: None,
    });
    // Each router's ports are in the order of the routers that they lead to, as in BookSim 2 (networks/anynet.cpp).
    found
        .links
        .sort_by_key(|[one, other]| (*one.min(other), *one.max(other)));
    let links = found.links.iter().map(|ends| found.link(*ends));
    Ok(Listing {
        known: Known::ByNumber,
        nodes: nodes.collect(),
        links: links.collect::<Result<_, _>>()?,
        ports: Vec::new(),
        homes: Some(found.nodes.values().map(|it| NodeId(it.router)).collect()),
    })
}

/// What has been read by now.
struct Found<'a> {
    text: &'a str,
    /// By router: where it is first.
    routers: BTreeMap<u32, Span>,
    nodes: BTreeMap<u32, Attached>,
    /// By the routers that a direction of a link leads from and to.
    ways: BTreeMap<[u32; 2], Way>,
    /// The links, in the order of the text while it is read.
    links: Vec<[u32; 2]>,
}

/// A node, which is a terminal.
struct Attached {
    router: u32,
    at: Span,
    /// Whether it is in a line of its own, or in its router's; it may be in both.
    begins_line: bool,
}

/// A direction of a link.
struct Way {
    at: Span,
    /// Its latency, if it is given.
    cycles: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Router,
    Node,
}

/// A router or a node, with its number.
#[derive(Clone)]
struct End {
    kind: Kind,
    number: u32,
    at: Span,
}

struct Word<'a> {
    text: &'a str,
    at: Span,
}

impl Word<'_> {
    fn kind(&self) -> Option<Kind> {
        match self.text {
            "router" => Some(Kind::Router),
            "node" => Some(Kind::Node),
            _ => None,
        }
    }
}

/// The words of each line that has any.
fn lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut begin = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let words = words(line, begin);
        begin += line.len();
        words
    });
    lines.filter(|words| !words.is_empty())
}

/// The words of a line that begins at a place.
fn words(line: &str, mut begin: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for text in line.split(|character: char| character.is_ascii_whitespace()) {
        let at = begin..begin + text.len();
        begin = at.end + 1;
        if !text.is_empty() {
            words.push(Word { text, at });
        }
    }
    words
}

impl Found<'_> {
    /// Reads a line: a router or a node, and what it is linked to.
    fn line(&mut self, words: &[Word<'_>]) -> Result<(), FileMistake> {
        let (head, mut rest) = self.end(words)?;
        while !rest.is_empty() {
            let (end, after) = self.end(rest)?;
            let latency = after.first().filter(|word| word.kind().is_none());
            rest = &after[usize::from(latency.is_some())..];
            match (head.kind, end.kind) {
                (Kind::Router, Kind::Router) => self.link_to(&head, &end, latency)?,
                (Kind::Router, Kind::Node) => self.attach((&end, &head), false, latency)?,
                (Kind::Node, Kind::Router) => self.attach((&head, &end), true, latency)?,
                (Kind::Node, Kind::Node) => {
                    let found = format!("node {} at node {}", end.number, head.number);
                    return Err(wrong(end.at, found, "nodes at routers"));
                }
            }
        }
        Ok(())
    }

    /// The router or node with which words begin, and the words after it.
    fn end<'w, 't>(&mut self, words: &'w [Word<'t>]) -> Result<(End, &'w [Word<'t>]), FileMistake> {
        let (first, rest) = words.split_first().expect("a word");
        let Some(kind) = first.kind() else {
            let found = format!("`{}`", shown(first.text));
            return Err(wrong(
                first.at.clone(),
                found,
                "router or node, and its number",
            ));
        };
        let Some((number, rest)) = rest.split_first() else {
            let found = format!("{} without a number", first.text);
            return Err(wrong(
                first.at.clone(),
                found,
                "router or node, and its number",
            ));
        };
        let most = if kind == Kind::Router {
            MAX_ROUTER
        } else {
            MAX_NODE
        };
        let end = End {
            kind,
            number: whole(number.text, first.text, (0, most), &number.at)?,
            at: first.at.start..number.at.end,
        };
        if kind == Kind::Router {
            self.routers.entry(end.number).or_insert(end.at.clone());
        }
        Ok((end, rest))
    }

    /// Notes a direction of a link.
    fn link_to(
        &mut self,
        head: &End,
        end: &End,
        latency: Option<&Word<'_>>,
    ) -> Result<(), FileMistake> {
        let ways = [head.number, end.number];
        let cycles = latency.map(|it| whole(it.text, "a latency of", (1, MAX_LINK_CYCLES), &it.at));
        let way = Way {
            at: end.at.clone(),
            cycles: cycles.transpose()?,
        };
        if !self.ways.contains_key(&[end.number, head.number]) {
            self.links.push(ways);
        }
        let Some(before) = self.ways.insert(ways, way) else {
            return Ok(());
        };
        let line = line_of(self.text, &before.at);
        let [from, to] = ways;
        let found =
            format!("a second link from router {from} to router {to}; the first is in line {line}");
        Err(wrong(
            end.at.clone(),
            found,
            "one link between two routers, listed at one end or at both",
        ))
    }

    /// Notes at which router a node is.
    fn attach(
        &mut self,
        (node, router): (&End, &End),
        begins_line: bool,
        latency: Option<&Word<'_>>,
    ) -> Result<(), FileMistake> {
        if let Some(latency) = latency.filter(|it| it.text != "1") {
            let found = format!("a latency of `{}` to a node", shown(latency.text));
            let allowed = "1: packets take one cycle from a terminal to its router, and back";
            return Err(wrong(latency.at.clone(), found, allowed));
        }
        let attached = Attached {
            router: router.number,
            at: node.at.clone(),
            begins_line,
        };
        let Some(before) = self.nodes.insert(node.number, attached) else {
            return Ok(());
        };
        if before.router == router.number && before.begins_line != begins_line {
            return Ok(());
        }
        let line = line_of(self.text, &before.at);
        let found = format!(
            "node {} at router {}; it is at router {} in line {line}",
            node.number, router.number, before.router
        );
        Err(wrong(
            node.at.clone(),
            found,
            "each node once, at one router",
        ))
    }

    /// The link of two routers.
    fn link(&self, [from, to]: [u32; 2]) -> Result<Link, FileMistake> {
        let (forth, back) = (&self.ways[&[from, to]], self.ways.get(&[to, from]));
        let given = [forth.cycles, back.and_then(|it| it.cycles)];
        // BookSim's own latency, where only one is given.
        let [cycles, returns] = given.map(|it| it.unwrap_or(1));
        if cycles != returns {
            let found =
                format!("latency {cycles} from router {from} to router {to}, and {returns} back");
            let allowed = "the same latency both ways; an end that gives none has 1";
            let at = back.filter(|it| it.cycles.is_some()).unwrap_or(forth);
            return Err(wrong(at.at.clone(), found, allowed));
        }
        Ok(Link {
            at: forth.at.clone(),
            ends: [from as usize, to as usize],
            ports: None,
            cycles: given.iter().any(Option::is_some).then_some(cycles),
        })
    }
}

/// Holds that numbers begin at 0 and that none is left out.
fn without_gaps<'a>(
    what: &str,
    numbers: impl Iterator<Item = (&'a u32, &'a Span)>,
) -> Result<(), FileMistake> {
    for (expected, (number, at)) in (0..).zip(numbers) {
        if *number != expected {
            let found = format!("{what} {number}, but no {what} {expected}");
            return Err(wrong(
                at.clone(),
                found,
                format!("{what}s numbered from 0, without gaps"),
            ));
        }
    }
    Ok(())
}
