//! Conservation, order and bounds of words, checked from nothing but a run's events.
//!
//! The checker keeps its own picture of every word of every packet. It knows the topology and the rules of
//! the papers, and nothing about the router's code.

#[path = "turns.rs"]
mod turns;

use super::fixture::{Machine, What};
use flitwork_node::{Event, Place};
use flitwork_router::deflection::Priority;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port, PortSet};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// A word of a packet.
pub(crate) type Name = (PacketId, u16);
/// Its age: less is older.
type Age = (Cycle, PacketId, u16);

/// A word that a node moved in a cycle.
#[derive(Clone, Copy, Debug)]
struct Move {
    word: Name,
    from: Place,
    to: Place,
    deroute: bool,
}

/// The results of a run's words.
#[derive(Default)]
pub(crate) struct Seen {
    /// For each word: cycles from its entering the network to its ejection, and how many words of packets
    /// made no later had not been delivered when it entered, or were of its source and number if packets are
    /// golden.
    pub(crate) under_way: Vec<(u64, u64)>,
    /// Delivered packets, with their cycles.
    pub(crate) delivered: HashMap<PacketId, (Cycle, Packet)>,
    /// Words that were deflected, that followed others as a worm, and that were cut off from them.
    pub(crate) deflected: u64,
    pub(crate) followed: u64,
    pub(crate) cut: u64,
    /// Flits that went into a side buffer, and the most that one held.
    pub(crate) aside: u64,
    pub(crate) most_aside: usize,
}

/// The picture.
struct Checker<'a> {
    machine: &'a Machine,
    grid: &'a Grid,
    one_clock: bool,
    packets: HashMap<PacketId, Packet>,
    /// Of each packet that enters: the cycle of its head, and the words that have entered.
    entering: HashMap<PacketId, (Cycle, u16)>,
    /// The packet in each injection register.
    registers: HashMap<NodeId, PacketId>,
    /// Words under way to a node's port, with the cycle in which they were sent.
    links: HashMap<(NodeId, Port), VecDeque<(Cycle, Name)>>,
    aside: HashMap<NodeId, VecDeque<Name>>,
    /// The cycle in which the first flit of each side buffer became the first.
    first_aside: HashMap<NodeId, Cycle>,
    home: HashSet<Name>,
    hops: HashMap<Name, (u16, u16)>,
    entered: HashMap<Name, (Cycle, u64)>,
    /// Words that entered a node's links and haven't been delivered.
    not_home: HashSet<Name>,
    /// The word that last passed each input, and the link that it took, if any.
    last_in: HashMap<(NodeId, Port), (Name, Option<Port>)>,
    /// The input from which each link got its last word.
    last_out: HashMap<(NodeId, Port), Port>,
    seen: Seen,
}

/// Panics at the first violation. The events must be those of one whole run.
pub(crate) fn check(
    machine: &Machine,
    one_clock: bool,
    whole: bool,
    reported: &[(Cycle, NodeId, What)],
) -> Seen {
    let mut checker = Checker {
        machine,
        grid: &machine.grid,
        one_clock,
        packets: all_packets(machine),
        entering: HashMap::new(),
        registers: HashMap::new(),
        links: HashMap::new(),
        aside: HashMap::new(),
        first_aside: HashMap::new(),
        home: HashSet::new(),
        hops: HashMap::new(),
        entered: HashMap::new(),
        not_home: HashSet::new(),
        last_in: HashMap::new(),
        last_out: HashMap::new(),
        seen: Seen::default(),
    };
    let mut last = Cycle::ZERO;
    // A node reports all of a cycle at once.
    for step in reported.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
        let (cycle, node, _) = step[0];
        assert!(!one_clock || cycle >= last, "{node} counts back");
        last = cycle;
        checker.step(node, cycle, step);
    }
    if whole {
        assert_eq!(checker.seen.delivered.len(), checker.packets.len());
        assert!(checker.not_home.is_empty(), "{:?}", checker.not_home);
        assert!(checker.links.values().all(VecDeque::is_empty));
        assert!(checker.aside.values().all(VecDeque::is_empty));
    }
    checker.seen
}

/// The packets that the sources make.
fn all_packets(machine: &Machine) -> HashMap<PacketId, Packet> {
    use flitwork_traffic::Workload;
    let mut births = machine.births();
    let mut packets = HashMap::new();
    for source in births.sources() {
        for serial in 0.. {
            let Some(birth) = births.next(source, Cycle::ZERO).packet() else {
                break;
            };
            let id = PacketId { source, serial };
            let packet = Packet {
                id,
                destination: birth.destination,
                created: birth.created,
                words: birth.words,
                ..Packet::default()
            };
            packets.insert(id, packet);
        }
    }
    packets
}

impl Checker<'_> {
    fn age(&self, (packet, index): Name) -> Age {
        (self.packets[&packet].created, packet, index)
    }

    fn productive(&self, node: NodeId, word: Name) -> PortSet {
        self.grid
            .productive(node, self.grid.home(self.packets[&word.0].destination))
    }

    fn step(&mut self, node: NodeId, cycle: Cycle, step: &[(Cycle, NodeId, What)]) {
        let events = || {
            step.iter().filter_map(|(_, _, what)| match what {
                What::Event(event) => Some(*event),
                What::Word(..) => None,
            })
        };
        for event in events() {
            if let Event::Injected { packet } = event {
                self.injected(node, cycle, packet);
            }
        }
        let waiting = self.waiting(node, cycle);
        let moves = self.moves(node, cycle, step);
        if self.one_clock {
            self.all_that_came_leave(node, cycle, &moves);
        }
        self.follow_worms(node, &moves);
        self.check_turns(node, cycle, &moves, waiting);
        // All at the same time: a flit may take another's place in the side buffer.
        for moved in &moves {
            self.leaves(node, cycle, moved);
        }
        for moved in &moves {
            self.comes(node, cycle, moved);
        }
        let delivered = events().filter_map(|event| match event {
            Event::Delivered { packet } => Some(packet),
            _ => None,
        });
        let delivered: Vec<Packet> = delivered.collect();
        self.delivered(node, cycle, &moves, &delivered);
    }

    fn injected(&mut self, node: NodeId, cycle: Cycle, packet: Packet) {
        let made = self.packets[&packet.id];
        assert_eq!(
            (
                self.grid.home(packet.id.source),
                packet.hops,
                packet.deroutes
            ),
            (node, 0, 0)
        );
        assert_eq!(
            (packet.destination, packet.created),
            (made.destination, made.created)
        );
        assert_eq!(packet.words, made.words);
        assert!(!self.one_clock || packet.created <= cycle);
        let before = self.registers.insert(node, packet.id);
        assert_eq!(before, None, "the register of {node} had a packet");
        let twice = self.entering.insert(packet.id, (cycle, 0));
        assert_eq!(twice, None, "{:?} entered twice", packet.id);
    }

    /// Whether a word waits in the injection register, as far as can be known.
    fn waiting(&self, node: NodeId, cycle: Cycle) -> bool {
        self.registers.get(&node).is_some_and(|packet| {
            let (since, gone) = self.entering[packet];
            // The source sends one word per cycle.
            self.one_clock && cycle.since(since) >= gone.into()
        })
    }

    /// The words that a node sent in a step, by port: each is reported once, and so are its head and tail.
    fn sent(&self, step: &[(Cycle, NodeId, What)]) -> HashMap<Port, Name> {
        let mut words: HashMap<Port, Name> = HashMap::new();
        let (mut heads, mut tails) = (HashSet::new(), HashSet::new());
        for (_, _, what) in step {
            match *what {
                What::Word(port, packet, index) => {
                    let twice = words.insert(port, (packet, index));
                    assert_eq!(twice, None, "two words at once: {step:?}");
                }
                What::Event(Event::Head { packet, port }) => assert!(heads.insert((packet, port))),
                What::Event(Event::Tail {
                    packet,
                    port,
                    words,
                }) => {
                    assert_eq!(words, 1);
                    assert!(tails.insert((packet, port)));
                }
                What::Event(_) => {}
            }
        }
        let reported: HashSet<_> = words.iter().map(|(port, word)| (word.0, *port)).collect();
        assert!(reported == heads && reported == tails, "{step:?}");
        words
    }

    /// The word at a place.
    fn word_at(&self, node: NodeId, cycle: Cycle, packet: PacketId, from: Place) -> Name {
        match from {
            Place::Input(port) if port == self.grid.local() => (packet, self.entering[&packet].1),
            Place::Input(port) => {
                let (sent, word) = self.links[&(node, port)][0];
                let due = sent + self.machine.link_latency_cycles;
                let in_time = !self.one_clock || due == cycle;
                assert!(in_time, "{word:?} sent in {sent} moved in {cycle}");
                word
            }
            Place::SideBuffer => self.aside[&node][0],
            other => panic!("{packet:?} moved from {other}"),
        }
    }

    /// The moves of a step, with their words.
    fn moves(&self, node: NodeId, cycle: Cycle, step: &[(Cycle, NodeId, What)]) -> Vec<Move> {
        let mut words = self.sent(step);
        let mut moves: Vec<Move> = Vec::new();
        for (_, _, what) in step {
            let What::Event(Event::Moved {
                packet,
                from,
                to,
                deroute,
            }) = *what
            else {
                continue;
            };
            let twice = moves.iter().any(|moved| moved.from == from);
            assert!(!twice, "two words left {from} at once: {step:?}");
            let word = self.word_at(node, cycle, packet, from);
            assert_eq!(word.0, packet, "{node} in {cycle}: {step:?}");
            if let Some(port) = self.link(to) {
                assert_eq!(words.remove(&port), Some(word), "{node} in {cycle}");
            }
            moves.push(Move {
                word,
                from,
                to,
                deroute,
            });
        }
        assert!(words.is_empty(), "words without moves: {step:?}");
        moves
    }

    /// The link that a place leads to, if it leads to one.
    fn link(&self, to: Place) -> Option<Port> {
        match to {
            Place::Output(port) if port != self.grid.local() => Some(port),
            _ => None,
        }
    }

    /// Every word that arrives over a link leaves, or goes into the side buffer, in the same cycle.
    fn all_that_came_leave(&self, node: NodeId, cycle: Cycle, moves: &[Move]) {
        for port in self.grid.links(node).iter() {
            let due = self.links.get(&(node, port)).and_then(|link| link.front());
            let came = due.is_some_and(|(sent, _)| {
                let due = *sent + self.machine.link_latency_cycles;
                assert!(
                    due >= cycle,
                    "a word stayed at {node} {port:?} before {cycle}"
                );
                due == cycle
            });
            let count = moves
                .iter()
                .filter(|moved| moved.from == Place::Input(port))
                .count();
            assert_eq!(count, usize::from(came), "{node} {port:?} in {cycle}");
        }
    }

    fn leaves(&mut self, node: NodeId, cycle: Cycle, moved: &Move) {
        let Move { word, from, .. } = *moved;
        let local = self.grid.local();
        match from {
            Place::Input(port) if port == local => self.enters(node, cycle, word),
            Place::Input(port) => {
                self.links
                    .get_mut(&(node, port))
                    .expect("it came")
                    .pop_front();
            }
            _ => {
                self.aside.get_mut(&node).expect("it was there").pop_front();
                let waited = cycle.since(self.first_aside[&node]);
                let most = self.machine.parameters.redirection_cycles + 1;
                assert!(
                    !self.one_clock || waited <= most,
                    "{word:?} waited at {node}"
                );
                self.first_aside.insert(node, cycle);
            }
        }
    }

    fn comes(&mut self, node: NodeId, cycle: Cycle, moved: &Move) {
        let Move {
            word, to, deroute, ..
        } = *moved;
        let local = self.grid.local();
        match to {
            Place::Output(port) if port == local => {
                assert_eq!(
                    self.grid.home(self.packets[&word.0].destination),
                    node,
                    "{word:?} left elsewhere"
                );
                assert!(
                    self.home.insert(word),
                    "{word:?} arrived at its destination twice"
                );
                assert!(self.not_home.remove(&word) && !deroute);
                let (entered, before) = self.entered[&word];
                self.seen
                    .under_way
                    .push((cycle.since(entered).into(), before));
            }
            Place::Output(port) => {
                assert_eq!(!deroute, self.productive(node, word).contains(port));
                self.seen.deflected += u64::from(deroute);
                let (hops, deroutes) = self.hops.entry(word).or_default();
                *hops += 1;
                *deroutes += u16::from(deroute);
                let far = self.grid.neighbour(node, port).expect("a link");
                let into = (far, self.grid.opposite(port));
                self.links.entry(into).or_default().push_back((cycle, word));
            }
            Place::SideBuffer => {
                let aside = self.aside.entry(node).or_default();
                if aside.is_empty() {
                    self.first_aside.insert(node, cycle);
                }
                aside.push_back(word);
                assert!(aside.len() <= self.machine.parameters.side_buffer_flits);
                self.seen.most_aside = self.seen.most_aside.max(aside.len());
                self.seen.aside += 1;
            }
            other => panic!("{word:?} moved to {other}"),
        }
    }

    fn enters(&mut self, node: NodeId, cycle: Cycle, word: Name) {
        let (packet, index) = word;
        assert_eq!(self.registers.get(&node), Some(&packet));
        let (since, gone) = self.entering.get_mut(&packet).expect("it was injected");
        assert_eq!(*gone, index);
        *gone += 1;
        let (since, gone) = (*since, *gone);
        assert!(
            cycle.since(since) >= index.into(),
            "{word:?} left before it came"
        );
        if gone == self.packets[&packet].words {
            self.registers.remove(&node);
        }
        let before = self.before(word);
        self.entered.insert(word, (cycle, before));
        assert!(self.not_home.insert(word));
    }

    /// How many words precede a given one, by the rule that its router's bound uses.
    fn before(&self, word: Name) -> u64 {
        match self.machine.parameters.priority {
            Priority::OldestFirst => {
                let age = self.age(word);
                let all = self
                    .packets
                    .values()
                    .flat_map(|packet| (0..packet.words).map(|index| (packet.id, index)));
                let older =
                    all.filter(|other| self.age(*other) < age && !self.home.contains(other));
                older.count() as u64
            }
            Priority::Golden(golden) => {
                let number = |word: &Name| (word.0.source, word.0.serial % golden.transactions);
                let same = self
                    .not_home
                    .iter()
                    .filter(|other| number(other) == number(&word));
                same.count() as u64
            }
            // The others have no bound.
            _ => 0,
        }
    }

    /// Packets are delivered with the last of their words.
    fn delivered(&mut self, node: NodeId, cycle: Cycle, moves: &[Move], delivered: &[Packet]) {
        let local = self.grid.local();
        let mut whole = BTreeMap::new();
        for moved in moves
            .iter()
            .filter(|moved| moved.to == Place::Output(local))
        {
            let packet = self.packets[&moved.word.0];
            let words = (0..packet.words).map(|index| (packet.id, index));
            if words.clone().all(|word| self.home.contains(&word)) {
                let hops = words.clone().map(|word| self.hops[&word].0).max();
                let deroutes = words.map(|word| self.hops[&word].1).max();
                whole.insert(packet.id, (hops, deroutes));
            }
        }
        assert_eq!(whole.len(), delivered.len(), "{node} in {cycle}");
        for packet in delivered {
            let (hops, deroutes) = whole[&packet.id];
            assert_eq!((hops, deroutes), (Some(packet.hops), Some(packet.deroutes)));
            assert!(!self.one_clock || packet.skew == 0);
            let again = self.seen.delivered.insert(packet.id, (cycle, *packet));
            assert!(again.is_none(), "{packet:?} was delivered twice");
        }
    }
}
