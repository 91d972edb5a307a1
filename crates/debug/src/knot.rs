//! The knot of a network's waits: packets each of which can go on only once another of them has.
//!
//! ```text
//!   a wait ── until ──▶ any of the ways in which it can go on ──▶ all that a way needs ──▶ the waits that hold it
//! ```
//!
//! The largest set of packets is sought of which none can be the first to go on: at first all packets are in it, and one
//! is taken out as soon as one of its ways needs nothing that packets of the set hold. Who is left never moves again,
//! whatever else happens. Nothing is inferred from how long nothing has moved, so a knot can be found while others go on,
//! and where there is none, packets may still move after any silence.

use flitwork_node::{At, Place, Until, Wait};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, Port};
use grouped::Grouped;
use std::collections::HashMap;

mod grouped;

/// Packets that never move again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knot {
    /// Their waits, by their places among all waits: the knot and whoever waits for it alone.
    pub stuck: Vec<usize>,
    /// A circle among them: each waits for the next, and the last for the first. None where all of them wait for nodes
    /// that have stopped.
    pub circle: Vec<CircleStep>,
}

/// A waiter of a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircleStep {
    /// Its wait, by its place among all waits.
    pub wait: usize,
    /// The node.
    pub node: NodeId,
    /// The link and the channel that lead to the next; none where the next is in the same node.
    pub link: Option<String>,
}

/// The packets that never move again, given what each waits for and whether a node has stopped for good: what is in such
/// a node stays there, and what needs something of it stays where it is.
pub fn knot(
    topology: &dyn Topology,
    waits: &[Wait],
    has_stopped: &dyn Fn(NodeId) -> bool,
) -> Option<Knot> {
    let mut graph = Graph::new(topology, waits, has_stopped);
    graph.untie();
    let stuck: Vec<usize> = (0..waits.len()).filter(|wait| graph.stuck[*wait]).collect();
    let circle = graph.circle(&stuck);
    (!stuck.is_empty()).then_some(Knot { stuck, circle })
}

/// A buffer of a node.
type Buffer = (NodeId, Place);

/// Who waits for whom.
struct Graph<'a> {
    topology: &'a dyn Topology,
    waits: &'a [Wait],
    has_stopped: &'a dyn Fn(NodeId) -> bool,
    /// The waits in each buffer, the first to leave first.
    in_buffer: Grouped<Buffer>,
    /// The waits of each packet.
    of_packet: Grouped<PacketId>,
    /// Which waits are still in the set.
    stuck: Vec<bool>,
}

impl<'a> Graph<'a> {
    fn new(
        topology: &'a dyn Topology,
        waits: &'a [Wait],
        has_stopped: &'a dyn Fn(NodeId) -> bool,
    ) -> Graph<'a> {
        let numbered = || waits.iter().enumerate();
        let in_buffer = numbered().map(|(number, wait)| ((wait.node, wait.place), number));
        let of_packet = numbered().map(|(number, wait)| (wait.packet, number));
        Graph {
            topology,
            waits,
            has_stopped,
            in_buffer: in_buffer.collect(),
            of_packet: of_packet.collect(),
            stuck: vec![true; waits.len()],
        }
    }

    /// Takes out of the set whoever can go on without it, and then whoever can since.
    fn untie(&mut self) {
        let mut dependents: Vec<(Buffer, usize)> = Vec::new();
        let mut followers: Vec<(PacketId, usize)> = Vec::new();
        for (number, wait) in self.waits.iter().enumerate() {
            self.each_need(wait, &wait.until, &mut |need| match need {
                Need::Buffer(buffer) => dependents.push((buffer, number)),
                Need::Words => followers.push((wait.packet, number)),
            });
        }
        let dependents = Grouped::from_iter(dependents);
        let followers = Grouped::from_iter(followers);
        let mut doubtful: Vec<usize> = (0..self.waits.len()).collect();
        while let Some(number) = doubtful.pop() {
            let wait = &self.waits[number];
            if !self.stuck[number] || (self.has_stopped)(wait.node) || self.never(wait, &wait.until)
            {
                continue;
            }
            self.stuck[number] = false;
            doubtful.extend(dependents.of((wait.node, wait.place)));
            doubtful.extend(followers.of(wait.packet));
        }
    }

    /// Names each need of a wait once or more often.
    fn each_need(&self, wait: &Wait, until: &Until, to: &mut impl FnMut(Need)) {
        match until {
            Until::Time => {}
            Until::Moves(at) | Until::Room(at, _) => {
                if let Some(buffer) = self.buffer(wait.node, *at) {
                    to(Need::Buffer(buffer));
                }
            }
            Until::Comes(_) => to(Need::Words),
            Until::All(parts) | Until::Any(parts) => {
                for part in parts {
                    self.each_need(wait, part, to);
                }
            }
        }
    }

    /// Whether something never happens as long as nobody in the set moves.
    fn never(&self, wait: &Wait, until: &Until) -> bool {
        match until {
            Until::Time => false,
            Until::Moves(at) => {
                self.is_cut_off(wait, *at) || {
                    let front = self.held_in(wait, *at).next();
                    front.is_some_and(|front| self.stuck[front])
                }
            }
            Until::Room(at, most) => {
                self.is_cut_off(wait, *at) || {
                    let stay = self.held_in(wait, *at).filter(|held| self.stuck[*held]);
                    let taken = stay.map(|held| u64::from(self.waits[held].takes));
                    taken.sum::<u64>() > u64::from(*most)
                }
            }
            Until::Comes(port) => self.part_behind(wait, *port).is_some(),
            Until::All(parts) => parts.iter().any(|part| self.never(wait, part)),
            Until::Any(ways) => ways.iter().all(|way| self.never(wait, way)),
        }
    }

    /// The wait of a packet's part that stays where it is and whose words come to another part through a port. A worm may
    /// be in a node twice: only what leaves by that link counts.
    fn part_behind(&self, wait: &Wait, port: Port) -> Option<usize> {
        let (far, far_port) = self.topology.far(wait.node, port)?;
        let Place::InputChannel(_, channel) = wait.place else {
            return None;
        };
        let parts = self.of_packet.of(wait.packet);
        let mut behind = parts.filter(|part| {
            let part = &self.waits[*part];
            part.node == far && part.leaves_by == Some((far_port, channel))
        });
        behind.find(|part| self.stuck[*part])
    }

    /// Whether a buffer is in a node that has stopped, so that nothing is ever learnt of it.
    fn is_cut_off(&self, wait: &Wait, at: At) -> bool {
        let buffer = self.buffer(wait.node, at);
        buffer.is_some_and(|(node, _)| (self.has_stopped)(node))
    }

    fn buffer(&self, node: NodeId, at: At) -> Option<Buffer> {
        match at {
            At::Here(place) => Some((node, place)),
            At::Far(port, channel) => {
                let (far, far_port) = self.topology.far(node, port)?;
                let place = match channel {
                    Some(channel) => Place::InputChannel(far_port, channel),
                    None => Place::Input(far_port),
                };
                Some((far, place))
            }
        }
    }

    /// The waits in a buffer, the first to leave first.
    fn held_in(&self, wait: &Wait, at: At) -> impl Iterator<Item = usize> {
        let buffer = self.buffer(wait.node, at).into_iter();
        buffer.flat_map(|buffer| self.in_buffer.of(buffer))
    }

    /// A circle of waits in the set. Each step is looked at once.
    fn circle(&self, stuck: &[usize]) -> Vec<CircleStep> {
        let mut is_done = vec![false; self.waits.len()];
        for start in stuck {
            let mut path: Vec<Step> = Vec::new();
            let mut on_path: HashMap<usize, usize> = HashMap::new();
            let mut next = Some(*start);
            while let Some(wait) = next.take() {
                if let Some(first) = on_path.get(&wait) {
                    return path[*first..].iter().map(|step| self.shown(step)).collect();
                }
                if !is_done[wait] {
                    on_path.insert(wait, path.len());
                    path.push(Step::new(wait, self.holders(wait)));
                }
                next = self.onwards(&mut path, &mut on_path, &mut is_done);
            }
        }
        Vec::new()
    }

    /// The next wait to look at from the end of a path, which is shortened by whoever leads nowhere.
    fn onwards(
        &self,
        path: &mut Vec<Step>,
        on_path: &mut HashMap<usize, usize>,
        is_done: &mut [bool],
    ) -> Option<usize> {
        while let Some(last) = path.last_mut() {
            if let Some((holder, port)) = last.untried.pop() {
                last.behind = port;
                return Some(holder);
            }
            is_done[last.wait] = true;
            on_path.remove(&last.wait);
            path.pop();
        }
        None
    }

    /// The waits in the set that hold what a wait needs, each with the link that leads there; the first to be followed last.
    fn holders(&self, number: usize) -> Vec<(usize, Behind)> {
        let wait = &self.waits[number];
        let mut holders = Vec::new();
        // What is in a stopped node waits for its clock alone.
        if !(self.has_stopped)(wait.node) {
            self.each_holder(wait, &wait.until, &mut holders);
        }
        holders.reverse();
        holders
    }

    fn each_holder(&self, wait: &Wait, until: &Until, holders: &mut Vec<(usize, Behind)>) {
        match until {
            Until::Time => {}
            Until::Moves(at) | Until::Room(at, _) => {
                let behind = match at {
                    At::Here(_) => None,
                    At::Far(port, channel) => Some((*port, *channel)),
                };
                let mut held = self.held_in(wait, *at);
                let first = held.find(|held| self.stuck[*held]);
                holders.extend(first.map(|held| (held, behind)));
            }
            Until::Comes(port) => {
                let part = self.part_behind(wait, *port);
                holders.extend(part.map(|part| (part, Some((*port, None)))));
            }
            Until::All(parts) => {
                let mut missing = parts.iter().filter(|part| self.never(wait, part));
                if let Some(part) = missing.next() {
                    self.each_holder(wait, part, holders);
                }
            }
            Until::Any(ways) => {
                for way in ways {
                    self.each_holder(wait, way, holders);
                }
            }
        }
    }

    fn shown(&self, step: &Step) -> CircleStep {
        let named = |(port, channel): (Port, Option<u8>)| {
            let channel = channel.map_or(String::new(), |channel| format!(" channel {channel}"));
            format!("{}{channel}", self.topology.port_name(port))
        };
        CircleStep {
            wait: step.wait,
            node: self.waits[step.wait].node,
            link: step.behind.map(named),
        }
    }
}

/// Something of which a wait depends.
enum Need {
    /// What is in a buffer.
    Buffer(Buffer),
    /// The packet's own words, wherever they are.
    Words,
}

/// The link and the channel behind which somebody waits.
type Behind = Option<(Port, Option<u8>)>;

/// A wait on a path.
struct Step {
    wait: usize,
    /// Who holds it up and hasn't been followed.
    untried: Vec<(usize, Behind)>,
    /// The link that leads to the one that is.
    behind: Behind,
}

impl Step {
    fn new(wait: usize, untried: Vec<(usize, Behind)>) -> Step {
        Step {
            wait,
            untried,
            behind: None,
        }
    }
}

#[cfg(test)]
mod tests;
