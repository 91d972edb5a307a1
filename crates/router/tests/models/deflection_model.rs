//! A deflection router's node as docs/src/routers/deflection.md describes it (Moscibroda and Mutlu 2009; Fallin and
//! others 2011 and 2012), and a greedy one's as docs/src/routers/greedy-hp.md does.
//!
//! Worms are recognized from a log of everything that has passed through the node. Draws are numbered as in
//! the router: in a step the greedy order's draw is 0, followed by one for each link from 1 and one for each
//! word left over from 64; ranks start at 128 in the order of input ports, with the local one and then the
//! side buffer's last; ports start at 192 in the order of the words' turns.

use crate::bench::waits_for;
use crate::observed::buffers;
use flitwork_node::{Place, WaitsFor, draw, draw_below};
use flitwork_router::deflection::{DeflectionParameters, PortChoice, Priority, Switching};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port};
use std::collections::{BTreeMap, VecDeque};

/// A word, with its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flit {
    pub(crate) packet: Packet,
    pub(crate) index: u16,
}

/// A word in the node in a cycle.
#[derive(Clone, Copy, Debug)]
struct Hand {
    from: Place,
    flit: Flit,
    /// Lower ranks go first.
    rank: (u64, u64, u64, u64),
    /// The number of its draw; among equal ranks the lower number goes first.
    number: u32,
    follows: Option<Port>,
}

/// A word that has passed through: its input, and the link over which it left unless it was delivered.
#[derive(Clone, Copy, Debug)]
struct Gone {
    input: Port,
    packet: PacketId,
    index: u16,
    link: Option<Port>,
}

pub(crate) struct Node {
    grid: Grid,
    node: NodeId,
    parameters: DeflectionParameters,
    seed: u64,
    /// The packet that is being injected: its words that have come and not moved on.
    injection: VecDeque<Flit>,
    /// Its number, until the last word has moved on.
    injects: Option<u32>,
    side_buffer: VecDeque<Flit>,
    /// Cycles in which the side buffer's first flit has found no link.
    refused_cycles: u32,
    log: Vec<Gone>,
    /// For each packet of which words have arrived here: words, most hops, most deroutes.
    home: BTreeMap<PacketId, (u16, u16, u16)>,
    lines: Vec<String>,
}

impl Node {
    pub(crate) fn new(
        grid: &Grid,
        node: NodeId,
        parameters: &DeflectionParameters,
        seed: u64,
    ) -> Node {
        Node {
            grid: grid.clone(),
            node,
            parameters: parameters.clone(),
            seed,
            injection: VecDeque::new(),
            injects: None,
            side_buffer: VecDeque::new(),
            refused_cycles: 0,
            log: Vec::new(),
            home: BTreeMap::new(),
            lines: Vec::new(),
        }
    }

    /// One cycle: what arrives over links, and a word from the source. Returns what is observed.
    pub(crate) fn step(
        &mut self,
        now: u32,
        over_links: &[(Port, Flit)],
        source: Option<Flit>,
    ) -> Vec<String> {
        let aside_before = self.side_buffer.len();
        if let Some(flit) = source {
            if flit.index == 0 {
                let line = format!("{now}: {} is injected", flit.packet.id.serial);
                self.lines.push(line);
            }
            self.injects = Some(flit.packet.id.serial);
            self.injection.push_back(flit);
        }
        let links = self.grid.links(self.node).len();
        let came = over_links.iter();
        let mut hands: Vec<Hand> = came
            .map(|(port, flit)| self.hand(Place::Input(*port), *flit, now))
            .collect();
        sort(&mut hands);
        let side_is_home = self.eject(&mut hands, now);
        let swapped = !side_is_home && self.come_back(&mut hands, links, now);
        if hands.len() < links
            && let Some(flit) = self.injection.pop_front()
        {
            let local = self.grid.local();
            hands.push(self.hand(Place::Input(local), flit, now));
            if flit.index + 1 == flit.packet.words {
                self.injects = None;
                self.lines.push(format!("credit at {local:?} for 0"));
            }
        }
        sort(&mut hands);
        let ports = match self.parameters.priority {
            Priority::Greedy => self.greedy(&hands, now),
            _ => self.in_turn(&hands, now),
        };
        let room = self.side_buffer.len() < self.parameters.side_buffer_flits && !swapped;
        let deflected = |place: &usize| {
            let hand = &hands[*place];
            let over_link = matches!(hand.from, Place::Input(port) if port != self.grid.local());
            over_link && !self.wants(&hand.flit).contains(&ports[*place])
        };
        let aside = (0..hands.len()).find(deflected).filter(|_| room);
        for (place, (hand, port)) in hands.iter().zip(&ports).enumerate() {
            match aside == Some(place) {
                true => self.put_aside(hand, now),
                false => self.depart(hand, *port, now),
            }
        }
        if self.side_buffer.len() != aside_before {
            self.lines.push(buffers(self.side_buffer.len() as u32));
        }
        self.lines.sort();
        std::mem::take(&mut self.lines)
    }

    /// What waits here waits for any link: the packet that is being injected, and the flits in the side
    /// buffer.
    pub(crate) fn waits(&self) -> Vec<String> {
        let links = WaitsFor::Outputs(self.grid.links(self.node));
        let local = Place::Input(self.grid.local());
        let injected = self.injects.map(|packet| waits_for(packet, local, &links));
        let aside = self.side_buffer.iter().map(|flit| {
            let packet = flit.packet.id.serial;
            waits_for(packet, Place::SideBuffer, &links)
        });
        let mut lines: Vec<String> = aside.chain(injected).collect();
        lines.sort();
        lines
    }

    /// The links that bring a word closer.
    fn wants(&self, flit: &Flit) -> Vec<Port> {
        let destination = self.grid.home(flit.packet.destination);
        let productive = self.grid.productive(self.node, destination);
        productive.iter().collect()
    }

    fn draw(&self, now: u32, number: u32) -> u64 {
        draw(self.seed, self.node, Cycle(now), number)
    }

    fn draw_below(&self, below: usize, now: u32, number: u32) -> usize {
        draw_below(below as u32, self.seed, self.node, Cycle(now), number) as usize
    }

    fn hand(&self, from: Place, flit: Flit, now: u32) -> Hand {
        let number = 128
            + match from {
                Place::Input(port) => u32::from(port.0),
                _ => self.grid.ports() as u32 + 1,
            };
        let Packet { id, created, .. } = flit.packet;
        let at_random = (1, self.draw(now, number), 0, 0);
        let (source, serial, index) = (id.source.0, u64::from(id.serial), u64::from(flit.index));
        let rank = match self.parameters.priority {
            Priority::OldestFirst => (created.0.into(), source.into(), serial, index),
            Priority::Golden(golden) => {
                // In epoch e the packet of source e mod N with number (e / N) mod transactions is golden.
                let (epoch, nodes) = (now / golden.epoch_cycles, self.grid.nodes());
                let number = epoch / nodes % golden.transactions;
                let is_golden =
                    source == epoch % nodes && id.serial % golden.transactions == number;
                match is_golden {
                    true => (0, serial, index, 0),
                    false => at_random,
                }
            }
            Priority::Greedy | Priority::Random => at_random,
            other => unreachable!("{other:?} has no model"),
        };
        let follows = match (self.parameters.switching, from) {
            (Switching::Worm, Place::Input(port)) => self.follows(port, &flit),
            _ => None,
        };
        Hand {
            from,
            flit,
            rank,
            number,
            follows,
        }
    }

    /// The link that the word before it in its worm has taken, if that was the last to arrive at the same
    /// input and no other word has taken the link since.
    fn follows(&self, input: Port, flit: &Flit) -> Option<Port> {
        let last = self.log.iter().rposition(|gone| gone.input == input)?;
        let before = self.log[last];
        let is_next = before.packet == flit.packet.id && before.index + 1 == flit.index;
        let link = before.link.filter(|_| is_next)?;
        let taken = self.log[last + 1..]
            .iter()
            .any(|gone| gone.link == Some(link));
        (!taken).then_some(link)
    }

    /// Ejects the first words at their destination, including the side buffer's first flit. Returns whether
    /// that left.
    fn eject(&mut self, hands: &mut Vec<Hand>, now: u32) -> bool {
        let first_aside = self.side_buffer.front();
        let first_aside = first_aside.map(|flit| self.hand(Place::SideBuffer, *flit, now));
        let at_destination =
            |hand: &Hand| self.grid.home(hand.flit.packet.destination) == self.node;
        let may = |hand: &&Hand| at_destination(hand) && hand.follows.is_none();
        let mut leaving: Vec<Hand> = hands.iter().filter(may).copied().collect();
        leaving.extend(first_aside.filter(at_destination));
        sort(&mut leaving);
        leaving.truncate(self.parameters.eject_words.into());
        for hand in &leaving {
            hands.retain(|other| other.from != hand.from);
            self.deliver(hand, now);
        }
        let side_is_home = leaving.iter().any(|hand| hand.from == Place::SideBuffer);
        if side_is_home {
            self.side_buffer.pop_front();
            self.refused_cycles = 0;
        }
        side_is_home
    }

    /// The side buffer's first flit leaves over a remaining link, or takes the place of the last word if it
    /// has waited too long. Returns whether it did the latter.
    fn come_back(&mut self, hands: &mut Vec<Hand>, links: usize, now: u32) -> bool {
        let Some(flit) = self.side_buffer.front().copied() else {
            return false;
        };
        let (room, patient) = (
            hands.len() < links,
            self.refused_cycles < self.parameters.redirection_cycles,
        );
        if !room && patient {
            self.refused_cycles += 1;
            return false;
        }
        self.side_buffer.pop_front();
        self.refused_cycles = 0;
        if !room {
            let last = hands.pop().expect("all links have sent a word");
            self.put_aside(&last, now);
        }
        hands.push(self.hand(Place::SideBuffer, flit, now));
        !room
    }

    /// Each word in turn takes the best remaining link.
    fn in_turn(&self, hands: &[Hand], now: u32) -> Vec<Port> {
        let mut free: Vec<Port> = self.grid.links(self.node).iter().collect();
        let mut ports = Vec::new();
        for (turn, hand) in hands.iter().enumerate() {
            // A worm holds its link while its next word has arrived and hasn't had its turn.
            let has = |port: &Port| {
                hands[turn..]
                    .iter()
                    .any(|other| other.follows == Some(*port))
            };
            let wants = self.wants(&hand.flit);
            let is_wanted = |port: &Port| wants.contains(port);
            let rules: [&dyn Fn(&Port) -> bool; 5] = [
                &|port| hand.follows == Some(*port),
                &|port| is_wanted(port) && !has(port),
                &|port| is_wanted(port),
                &|port| !has(port),
                &|_| true,
            ];
            let choices = rules.iter().map(|rule| -> Vec<Port> {
                let kept = free.iter().copied().filter(|port| rule(port));
                kept.collect()
            });
            let good = choices.into_iter().find(|ports| !ports.is_empty());
            let port = self.one_of(&good.expect("a link is left"), turn, now);
            free.retain(|other| *other != port);
            ports.push(port);
        }
        ports
    }

    /// One of several equally good ports: those of the first dimension first, or any.
    fn one_of(&self, ports: &[Port], turn: usize, now: u32) -> Port {
        let along_x_first = |port: &&Port| match (self.grid.ports(), port.0) {
            (2, number) => number,
            // East, west, north, south; then further dimensions.
            (_, number) => [2, 0, 3, 1]
                .get(usize::from(number))
                .map_or(number, |at| *at),
        };
        match self.parameters.port_choice {
            PortChoice::Ordered => *ports.iter().min_by_key(along_x_first).unwrap(),
            PortChoice::Random if ports.len() == 1 => ports[0],
            PortChoice::Random => ports[self.draw_below(ports.len(), now, 192 + turn as u32)],
        }
    }

    /// Chinn 1995, section 4.3: the links in the order north, south, east, west or its reverse, each with a
    /// random word that it is productive for; the rest take random remaining links.
    fn greedy(&self, hands: &[Hand], now: u32) -> Vec<Port> {
        let ports = self.grid.ports() as u8;
        let mut order: Vec<Port> = match ports {
            2 => vec![Port(0), Port(1)],
            _ => [0, 2, 1, 3].into_iter().chain(4..ports).map(Port).collect(),
        };
        if self.draw(now, 0) >> 63 == 1 {
            order.reverse();
        }
        let mut free: Vec<Port> = self.grid.links(self.node).iter().collect();
        let mut taken: BTreeMap<u32, Port> = BTreeMap::new();
        // By input port.
        let mut left: Vec<&Hand> = hands.iter().collect();
        left.sort_by_key(|hand| hand.number);
        for (place, port) in order.into_iter().enumerate() {
            let good: Vec<u32> = left
                .iter()
                .filter(|hand| self.wants(&hand.flit).contains(&port))
                .map(|hand| hand.number)
                .collect();
            if free.contains(&port) && !good.is_empty() {
                let number = good[self.draw_below(good.len(), now, 1 + place as u32)];
                taken.insert(number, port);
                left.retain(|hand| hand.number != number);
                free.retain(|other| *other != port);
            }
        }
        for (place, hand) in left.into_iter().enumerate() {
            let drawn = self.draw_below(free.len(), now, 64 + place as u32);
            taken.insert(hand.number, free.remove(drawn));
        }
        hands.iter().map(|hand| taken[&hand.number]).collect()
    }

    fn moves(&mut self, hand: &Hand, to: Place, deroute: bool, now: u32) {
        let (packet, from) = (hand.flit.packet.id.serial, hand.from);
        let line = format!("{now}: {packet} moves from {from} to {to}, deroute {deroute}");
        self.lines.push(line);
    }

    fn put_aside(&mut self, hand: &Hand, now: u32) {
        self.side_buffer.push_back(hand.flit);
        assert!(self.side_buffer.len() <= self.parameters.side_buffer_flits);
        self.moves(hand, Place::SideBuffer, false, now);
    }

    /// A packet is delivered with the last of its words to arrive, with the most hops and deroutes of any.
    fn deliver(&mut self, hand: &Hand, now: u32) {
        self.moves(hand, Place::Output(self.grid.local()), false, now);
        self.note(hand, None);
        let Packet {
            id,
            words,
            hops,
            deroutes,
            ..
        } = hand.flit.packet;
        let (came, most_hops, most_deroutes) = self.home.get(&id).copied().unwrap_or_default();
        let (came, hops, deroutes) = (came + 1, hops.max(most_hops), deroutes.max(most_deroutes));
        self.home.insert(id, (came, hops, deroutes));
        if came == words {
            self.home.remove(&id);
            let serial = id.serial;
            let line =
                format!("{now}: {serial} is delivered after {hops} hops, {deroutes} deroutes");
            self.lines.push(line);
        }
    }

    fn note(&mut self, hand: &Hand, link: Option<Port>) {
        if let Place::Input(input) = hand.from {
            let (packet, index) = (hand.flit.packet.id, hand.flit.index);
            self.log.push(Gone {
                input,
                packet,
                index,
                link,
            });
        }
    }

    fn depart(&mut self, hand: &Hand, port: Port, now: u32) {
        let deroute = !self.wants(&hand.flit).contains(&port);
        self.moves(hand, Place::Output(port), deroute, now);
        self.note(hand, Some(port));
        let Flit { packet, index } = hand.flit;
        let (hops, deroutes) = (packet.hops + 1, packet.deroutes + u16::from(deroute));
        let packet = packet.id.serial;
        let record = format!("{hops} hops, {deroutes} deroutes");
        let word = format!("word {index} of {packet} at {port:?} 0 (true, true), {record}");
        self.lines.push(word);
        self.lines
            .push(format!("{now}: head of {packet} at {port:?}"));
        let tail = format!("{now}: tail of {packet} at {port:?}, 1 words");
        self.lines.push(tail);
    }
}

fn sort(hands: &mut [Hand]) {
    hands.sort_by_key(|hand| (hand.rank, hand.number));
}
