//! The network as time passes: nodes step when their paces say, take what the links show them, and send what they do.

use super::links::{Direction, Instant, Shows};
use super::long::stall_rule_on_long_links;
use super::paces::{Events, Pace, at_once, pace};
use super::plain::{Clock, Crossing, Delivery, Link, Network, Wire};
use super::router::{Done, Injection, Node, Setting, Taken, Word};

/// What the model says about a network.
#[derive(Clone, Debug)]
pub(crate) enum Predicted {
    Before {
        /// The end of what the model looked at.
        end_ps: u64,
        /// The deliveries before that.
        deliveries: Vec<Delivery>,
    },
    /// A packet to be derouted would have to be drawn.
    Draws,
}

/// The most steps of nodes that are looked at. Packets that are derouted may go to and fro for long.
const MOST_STEPS: u32 = 100_000;

/// The deliveries of a network up to a time.
pub(crate) fn predict(network: &Network, mut end_ps: u64) -> Predicted {
    let mut model = Model::new(network);
    let mut steps = 0;
    while let Some(ps) = model.next_ps() {
        if steps > MOST_STEPS {
            end_ps = end_ps.min(ps);
        }
        if ps >= end_ps || model.deliveries.len() == network.packets.len() {
            break;
        }
        for node in 0..model.nodes.len() {
            if model.stepper_ps(node) == Some(ps) {
                steps += 1;
                if model.step(node, ps) {
                    return Predicted::Draws;
                }
            }
        }
    }
    let mut deliveries = model.deliveries;
    deliveries.retain(|delivery| delivery.ps < end_ps);
    deliveries.sort();
    Predicted::Before { end_ps, deliveries }
}

struct Model<'a> {
    network: &'a Network,
    destinations: Vec<usize>,
    long_links: bool,
    nodes: Vec<Stepping>,
    directions: Vec<Direction>,
    deliveries: Vec<Delivery>,
}

/// A node and what makes it step.
struct Stepping {
    node: Node,
    pace: Pace,
    /// Directions of links by port: out of the node, and into it.
    out: Vec<Option<usize>>,
    into: Vec<Option<usize>>,
    /// Its source's packets in order, and how many of them have entered.
    packets: Vec<usize>,
    entered: usize,
    /// A packet whose last word left in the last tick.
    leaving: Option<usize>,
}

impl Stepping {
    /// The pace of a node without a clock.
    fn events(&mut self) -> &mut Events {
        match &mut self.pace {
            Pace::Events(events) => events,
            Pace::Ticks(_) => unreachable!("it has no clock"),
        }
    }
}

impl<'a> Model<'a> {
    fn new(network: &'a Network) -> Self {
        let ports = network.mesh.ports();
        let mut nodes: Vec<Stepping> = (0..network.mesh.nodes())
            .map(|node| Stepping {
                node: Node::new(ports),
                pace: pace(&network.clocks[network.domain_of[node]]),
                out: vec![None; ports],
                into: vec![None; ports],
                packets: (0..network.packets.len())
                    .filter(|packet| network.packets[*packet].source == node)
                    .collect(),
                entered: 0,
                leaving: None,
            })
            .collect();
        let mut directions = Vec::new();
        for node in 0..nodes.len() {
            for port in 0..ports {
                let Some(far) = network.mesh.neighbour(node, port) else {
                    continue;
                };
                let opposite = network.mesh.opposite(port);
                let link = link_between(network, node, far);
                let words = network.router.words as u64;
                let shows = [
                    shows(network, link, far, node),
                    shows(network, link, node, far),
                ];
                let wire = wire_of(link);
                let ends = ((node, port), (far, opposite));
                nodes[node].out[port] = Some(directions.len());
                nodes[far].into[opposite] = Some(directions.len());
                directions.push(Direction::new(ends.0, ends.1, &wire, words, shows));
            }
        }
        Self {
            network,
            destinations: network.packets.iter().map(|it| it.destination).collect(),
            long_links: stall_rule_on_long_links(network),
            nodes,
            directions,
            deliveries: Vec::new(),
        }
    }

    fn next_ps(&self) -> Option<u64> {
        let nodes = 0..self.nodes.len();
        nodes.filter_map(|node| self.stepper_ps(node)).min()
    }

    /// When something happens at a node next.
    fn stepper_ps(&self, node: usize) -> Option<u64> {
        match &self.nodes[node].pace {
            Pace::Ticks(ticks) => Some(ticks.next_ps()),
            Pace::Events(events) => {
                let come = [self.comes_ps(node), self.opens_ps(node)];
                events.begins_ps(come.into_iter().flatten().min())
            }
        }
    }

    /// When the first thing comes that makes a node without a clock step.
    fn comes_ps(&self, node: usize) -> Option<u64> {
        let stepping = &self.nodes[node];
        let words = stepping.into.iter().flatten();
        let words = words.filter_map(|into| self.directions[*into].words.first_ps());
        let out = stepping.out.iter().flatten();
        let credits = out.filter_map(|out| self.directions[*out].credits.first_ps());
        words.chain(credits).chain(self.source_ps(node)).min()
    }

    /// When a full link takes words again.
    fn opens_ps(&self, node: usize) -> Option<u64> {
        let out = self.nodes[node].out.iter().flatten();
        let full = out.filter(|out| !self.directions[**out].is_open());
        full.filter_map(|out| self.directions[*out].reports.first_ps())
            .min()
    }

    fn setting(&self, node: usize) -> Setting<'_> {
        Setting {
            router: &self.network.router,
            mesh: &self.network.mesh,
            node,
            destinations: &self.destinations,
            long_links: self.long_links,
        }
    }

    /// From when on the source has a word for the injection frame as it is.
    fn source_ps(&self, node: usize) -> Option<u64> {
        let stepping = &self.nodes[node];
        match stepping.node.injection(self.setting(node)) {
            Injection::Full => None,
            Injection::Next(_) => Some(0),
            Injection::Empty => {
                let packet = stepping.packets.get(stepping.entered)?;
                Some(self.network.packets[*packet].cycle * self.network.nominal_ps)
            }
        }
    }

    /// Whatever a node does at a time; whether it would have to draw.
    fn step(&mut self, node: usize, ps: u64) -> bool {
        match &mut self.nodes[node].pace {
            Pace::Ticks(ticks) => {
                if ticks.granted_ps.is_none() {
                    ticks.grant();
                }
                if ticks.granted_ps != Some(ps) {
                    return false;
                }
                let tick = ticks.next;
                let requested_ps = ticks.requested_ps();
                ticks.delayed_ps += ps - requested_ps;
                ticks.granted_ps = None;
                ticks.next += 1;
                let now = Instant {
                    ps,
                    tick,
                    requested_ps,
                };
                self.tick(node, now)
            }
            Pace::Events(_) => self.wake(node, ps),
        }
    }

    /// Something may make a node without a clock step. What it learns when its last step is over it knows before it
    /// counts; what it learns later doesn't change the cycle to which it has counted.
    fn wake(&mut self, node: usize, ps: u64) -> bool {
        let counted = match &self.nodes[node].pace {
            Pace::Events(events) if events.free_ps < ps => Some(events.cycle_at(ps)),
            _ => None,
        };
        self.see_reports(node, at_once(ps));
        self.look_ahead(node, ps);
        let events = self.nodes[node].events();
        let cycle = counted.unwrap_or_else(|| events.cycle_at(ps));
        let has_work = events.own.is_some_and(|(_, work)| work <= cycle);
        let came = self.comes_ps(node).is_some_and(|at| at <= ps);
        (came || has_work) && self.event(node, ps, cycle)
    }

    /// A node without a clock finds out when it does something next, at a time no earlier than its last step's end.
    fn look_ahead(&mut self, node: usize, ps: u64) {
        let open = self.open(node);
        let events = self.nodes[node].events();
        let Some(cycle) = events.cycle else { return };
        let (free_ps, count_ps) = (events.free_ps, events.delays.count_ps);
        let router = &self.nodes[node].node;
        let work = router.next_work(self.setting(node), cycle, &open);
        let own = work.map(|work| (ps.max(free_ps + (work - cycle - 1) * count_ps), work));
        self.nodes[node].events().own = own;
    }

    fn see_reports(&mut self, node: usize, now: Instant) {
        for out in self.nodes[node].out.iter().flatten() {
            self.directions[*out].take_reports(now);
        }
    }

    fn tick(&mut self, node: usize, now: Instant) -> bool {
        if let Some(packet) = self.nodes[node].leaving.take() {
            self.deliver(packet, node, now.ps);
        }
        self.see_reports(node, now);
        let done = self.router_step(node, now.tick, now);
        self.nodes[node].leaving = done.delivered;
        self.leave(node, now.ps, &done);
        done.draws
    }

    fn event(&mut self, node: usize, ps: u64, cycle: u64) -> bool {
        let done = self.router_step(node, cycle, at_once(ps));
        let events = self.nodes[node].events();
        let over_ps = ps + events.takes_ps(&done);
        if let Some(packet) = done.delivered {
            self.deliver(packet, node, over_ps);
        }
        self.leave(node, over_ps, &done);
        let events = self.nodes[node].events();
        events.cycle = Some(cycle);
        events.free_ps = over_ps;
        self.look_ahead(node, over_ps);
        done.draws
    }

    fn open(&self, node: usize) -> Vec<bool> {
        let out = self.nodes[node].out.iter();
        out.map(|out| out.is_some_and(|out| self.directions[out].is_open()))
            .collect()
    }

    /// Takes what the node sees, and runs a cycle of its router.
    fn router_step(&mut self, node: usize, cycle: u64, now: Instant) -> Done {
        let mut taken = Taken::default();
        for port in 0..self.network.mesh.ports() {
            if let Some(into) = self.nodes[node].into[port]
                && let Some(word) = self.directions[into].take_word(now)
            {
                taken.words.push((port, word));
            }
            if let Some(out) = self.nodes[node].out[port]
                && self.directions[out].take_credit(now)
            {
                taken.credits.push(port);
            }
        }
        taken.source = self.source_word(node, now.ps);
        let open = self.open(node);
        let setting = Setting {
            router: &self.network.router,
            mesh: &self.network.mesh,
            node,
            destinations: &self.destinations,
            long_links: self.long_links,
        };
        let router = &mut self.nodes[node].node;
        let done = router.step(setting, cycle, taken, &open);
        for packet in &done.vanished {
            self.deliver(*packet, node, now.ps);
        }
        self.collect_arrivals();
        done
    }

    fn source_word(&mut self, node: usize, ps: u64) -> Option<Word> {
        let has = self.source_ps(node).is_some_and(|at| at <= ps);
        if !has {
            return None;
        }
        match self.nodes[node].node.injection(self.setting(node)) {
            Injection::Full => None,
            Injection::Next(word) => Some(word),
            Injection::Empty => {
                let stepping = &mut self.nodes[node];
                let packet = stepping.packets[stepping.entered];
                stepping.entered += 1;
                Some(Word { packet, index: 0 })
            }
        }
    }

    /// What a node sends leaves.
    fn leave(&mut self, node: usize, ps: u64, done: &Done) {
        for (port, word) in &done.words {
            let out = self.nodes[node].out[*port].expect("a link");
            self.directions[out].send(ps, *word);
        }
        for port in &done.credits {
            let into = self.nodes[node].into[*port].expect("a link");
            self.directions[into].send_credit(ps);
        }
        self.collect_arrivals();
    }

    /// Tells pausible clocks what comes to stand at their ports, and when.
    fn collect_arrivals(&mut self) {
        for at in 0..self.directions.len() {
            let direction = &mut self.directions[at];
            if direction.arrivals.is_empty() {
                continue;
            }
            let (from, to) = (direction.from.0, direction.to.0);
            let shows = [direction.credits.shows, direction.words.shows];
            let link = link_between(self.network, from, to);
            for (at_receiver, ps) in std::mem::take(&mut direction.arrivals) {
                let node = if at_receiver { to } else { from };
                let Crossing::Pausible { transfer_ps } = link.crossing else {
                    continue;
                };
                if let (Shows::AtRequest, Pace::Ticks(ticks)) =
                    (shows[usize::from(at_receiver)], &mut self.nodes[node].pace)
                {
                    ticks.arrivals.push((ps, transfer_ps));
                }
            }
        }
    }

    fn deliver(&mut self, packet: usize, node: usize, ps: u64) {
        let source = self.network.packets[packet].source;
        let number = self.nodes[source]
            .packets
            .iter()
            .position(|it| *it == packet);
        self.deliveries.push(Delivery {
            source,
            number: number.expect("the source's own"),
            node,
            ps,
        });
    }
}

fn link_between(network: &Network, one: usize, other: usize) -> &Link {
    let links = &mut network.links.iter();
    let joins = |link: &&Link| link.ends == [one, other] || link.ends == [other, one];
    links.find(joins).expect("neighbours have a link")
}

/// A link's wires, with the room that a dual-clock FIFO gives them.
fn wire_of(link: &Link) -> Wire {
    let mut wire = link.wire.clone();
    if let Crossing::DualClockFifo { depth, .. } = link.crossing {
        match &mut wire {
            Wire::Plain { capacity_words, .. } => *capacity_words = depth,
            Wire::Handshake { fifo_words, .. } => *fifo_words = depth,
        }
    }
    wire
}

/// What a receiver sees of what comes from a sender over a link.
fn shows(network: &Network, link: &Link, sender: usize, receiver: usize) -> Shows {
    let domain = |node: usize| network.domain_of[node];
    let clock = |node: usize| &network.clocks[domain(node)];
    match clock(receiver) {
        Clock::SelfTimed(_) => Shows::AtOnce,
        Clock::Oscillator { .. } if clock(sender) == clock(receiver) => Shows::AfterEdges(0),
        Clock::Oscillator { .. } => match link.crossing {
            Crossing::Synchronizer { edges } | Crossing::DualClockFifo { edges, .. } => {
                Shows::AfterEdges(edges)
            }
            Crossing::Mesochronous { margin_ps } => Shows::AfterMargin(margin_ps),
            Crossing::Pausible { .. } => Shows::AtRequest,
        },
    }
}
