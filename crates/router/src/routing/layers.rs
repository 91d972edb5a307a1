//! Paths in layers, in none of which links wait for each other in a circle (Domke, Hoefler and Nagel 2011, section IV, "offline").
//!
//! ```text
//!   all paths ──▶ layer 0 ──▶ a circle of links? its weakest edge: the paths that take one link after the other ──▶ layer 1 ──▶ …
//!                    ▲  │
//!                    └──┘ until there is none
//! ```
//!
//! An edge leads from a link to one that some path of the layer takes next; the weakest has the fewest such paths, the first of the circle among equals. A path is in one layer as
//! a whole.

use super::trees::Trees;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};

/// The layer of each path.
pub(super) struct Layers {
    /// By the node where packets enter, then by the place of the one where they leave.
    layer: Vec<u8>,
    homes: usize,
    /// How many there are.
    pub(super) count: u8,
}

impl Layers {
    /// Those of paths; `None` if there would be more than `most`.
    pub(super) fn of(shape: &Shape, trees: &Trees, most: u8) -> Option<Layers> {
        let mut is_entry = vec![false; shape.nodes() as usize];
        for terminal in (0..shape.terminals()).map(TerminalId) {
            is_entry[shape.entry(terminal).index()] = true;
        }
        let mut layers = Layers {
            layer: vec![0; is_entry.len() * trees.homes.len()],
            homes: trees.homes.len(),
            count: 0,
        };
        loop {
            let current = layers.count;
            if current == most {
                return None;
            }
            layers.count += 1;
            let mut edges = Edges::new(shape, trees, &is_entry);
            edges.count(&layers, current);
            let mut moved = false;
            let mut search = Search::new(edges.links());
            while let Some(circle) = search.circle(&edges) {
                let weakest = circle.iter().min_by_key(|edge| edges.paths[**edge]);
                let weakest = *weakest.expect("a circle has edges");
                edges.move_on(&mut layers, weakest, current);
                moved = true;
            }
            if !moved {
                return Some(layers);
            }
        }
    }

    /// The layer of the packets that enter at a node and go to the destination at a place.
    #[inline]
    pub(super) fn layer(&self, from: NodeId, place: usize) -> u8 {
        self.layer[from.index() * self.homes + place]
    }
}

/// The edges between the links of a layer. A link is numbered by its node and port; an edge by its first link and the port of the second.
struct Edges<'a> {
    shape: &'a Shape,
    trees: &'a Trees,
    is_entry: &'a [bool],
    ports: usize,
    /// How many paths have each.
    paths: Vec<u32>,
}

impl<'a> Edges<'a> {
    fn new(shape: &'a Shape, trees: &'a Trees, is_entry: &'a [bool]) -> Edges<'a> {
        let ports = shape.ports();
        let links = shape.nodes() as usize * ports;
        Edges {
            shape,
            trees,
            is_entry,
            ports,
            paths: vec![0; links * ports],
        }
    }

    fn links(&self) -> usize {
        self.paths.len() / self.ports
    }

    fn link(&self, node: NodeId, port: Port) -> usize {
        node.index() * self.ports + port.index()
    }

    /// The node at the end of a link that is there.
    fn end(&self, link: usize) -> Option<NodeId> {
        let (node, port) = (link / self.ports, link % self.ports);
        self.shape.neighbour(NodeId(node as u32), Port(port as u8))
    }

    /// Calls `take` with each edge of the path between two nodes.
    fn along(&self, from: NodeId, home: NodeId, mut take: impl FnMut(usize)) {
        let (mut here, mut before) = (from, None);
        while here != home {
            let port = self.trees.port(here, home);
            if let Some(before) = before {
                take(before * self.ports + port.index());
            }
            let link = self.link(here, port);
            let Some(next) = self.end(link) else { return };
            (here, before) = (next, Some(link));
        }
    }

    /// The nodes whose paths to a destination lead over a node, that node included.
    fn upstream(&self, node: NodeId, home: NodeId) -> Vec<NodeId> {
        let mut found = vec![node];
        let mut next = 0;
        while let Some(here) = found.get(next).copied() {
            next += 1;
            for port in self.shape.links(here).iter() {
                let far = self.shape.far(here, port);
                let before = far.filter(|(before, back)| {
                    *before != home && self.trees.port(*before, home) == *back
                });
                found.extend(before.map(|(before, _)| before));
            }
        }
        found
    }

    /// The nodes where packets enter, to a destination elsewhere, in a layer.
    fn sources<'b>(
        &'b self,
        layers: &'b Layers,
        (home, place): (NodeId, usize),
        layer: u8,
    ) -> impl Iterator<Item = NodeId> + 'b {
        let nodes = (0..self.is_entry.len() as u32).map(NodeId);
        nodes.filter(move |node| {
            let is_source = self.is_entry[node.index()] && *node != home;
            is_source && layers.layer(*node, place) == layer
        })
    }

    /// Counts the paths of a layer.
    fn count(&mut self, layers: &Layers, layer: u8) {
        let mut paths = std::mem::take(&mut self.paths);
        for (place, home) in self.trees.homes.iter().enumerate() {
            for from in self.sources(layers, (*home, place), layer) {
                self.along(from, *home, |edge| paths[edge] += 1);
            }
        }
        self.paths = paths;
    }

    /// The paths of an edge go to the next layer.
    fn move_on(&mut self, layers: &mut Layers, edge: usize, layer: u8) {
        let (first, port) = (edge / self.ports, Port((edge % self.ports) as u8));
        let (begin, leads) = (
            NodeId((first / self.ports) as u32),
            Port((first % self.ports) as u8),
        );
        let Some(middle) = self.end(first) else {
            return;
        };
        let mut paths = std::mem::take(&mut self.paths);
        for (place, home) in self.trees.homes.iter().enumerate() {
            let leads_on = *home != begin
                && *home != middle
                && self.trees.port(begin, *home) == leads
                && self.trees.port(middle, *home) == port;
            if !leads_on {
                continue;
            }
            for from in self.upstream(begin, *home) {
                let is_moved = self.is_entry[from.index()] && layers.layer(from, place) == layer;
                if is_moved {
                    self.along(from, *home, |other| paths[other] -= 1);
                    layers.layer[from.index() * layers.homes + place] = layer + 1;
                }
            }
        }
        self.paths = paths;
    }
}

/// A search for circles in depth, which goes on where it was. Links from which no circle can be reached stay so while edges are only taken away.
struct Search {
    state: Vec<State>,
    /// Each link on the way, with the next port to look at.
    way: Vec<(usize, usize)>,
    /// Links before this one are done.
    root: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnTheWay,
    Done,
}

impl Search {
    fn new(links: usize) -> Search {
        Search {
            state: vec![State::New; links],
            way: Vec::new(),
            root: 0,
        }
    }

    /// The edges of a circle, if there is one.
    fn circle(&mut self, edges: &Edges<'_>) -> Option<Vec<usize>> {
        self.go_back(edges);
        while self.root < self.state.len() {
            let found = self.go_on(edges);
            if found.is_some() {
                return found;
            }
            match self.state[self.root] {
                State::Done => self.root += 1,
                State::New | State::OnTheWay => self.enter(self.root),
            }
        }
        None
    }

    fn enter(&mut self, link: usize) {
        self.state[link] = State::OnTheWay;
        self.way.push((link, 0));
    }

    /// Goes back to before the first edge of the way that is gone, or to before the last, which closed a circle.
    fn go_back(&mut self, edges: &Edges<'_>) {
        let ports = edges.ports;
        let is_gone = |(link, port): &(usize, usize)| edges.paths[link * ports + port - 1] == 0;
        let kept = self.way.iter().position(is_gone);
        let kept = kept.map_or(self.way.len(), |place| place + 1);
        for (link, _) in self.way.drain(kept..) {
            self.state[link] = State::New;
        }
    }

    /// Goes on until a circle is closed, or the way is at its end.
    fn go_on(&mut self, edges: &Edges<'_>) -> Option<Vec<usize>> {
        let ports = edges.ports;
        while let Some((link, port)) = self.way.last_mut() {
            let (link, edge) = (*link, *link * ports + *port);
            if *port == ports {
                self.state[link] = State::Done;
                self.way.pop();
                continue;
            }
            *port += 1;
            let middle = edges.end(link).filter(|_| edges.paths[edge] > 0);
            let Some(middle) = middle else { continue };
            let next = middle.index() * ports + edge % ports;
            match self.state[next] {
                State::Done => {}
                State::New => self.enter(next),
                State::OnTheWay => {
                    let from = self.way.iter().position(|(link, _)| *link == next)?;
                    let taken = self.way[from..].iter();
                    return Some(taken.map(|(link, port)| link * ports + port - 1).collect());
                }
            }
        }
        None
    }
}
