//! Conservation, order and bounds of worms in virtual channels, checked from nothing but a run's events.
//!
//! The checker follows each packet's head from node to node, assigns each virtual channel of each link to one
//! worm at a time, and counts the words in each buffer. It knows the topology and nothing about a router's
//! code.

use super::checker::{Rules, in_order};
use super::recorder::Recorder;
use flitwork_node::{Event, Place};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port};
use std::collections::{BTreeMap, HashMap};

/// A virtual channel of a link or of a node's way to its processor, by its sender.
type Lane = (NodeId, Port, u8);

/// Where a packet's head is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    /// In the source's frame, or on its way into a local buffer.
    Entering(NodeId),
    /// In an input buffer; it may be decided on from this time on.
    In(NodeId, Port, u8, Cycle),
    /// It holds an output.
    Holds(NodeId, Port, u8),
    /// Its head has left for its processor.
    Leaving(NodeId),
    Gone,
}

struct Checker<'a> {
    grid: &'a Grid,
    rules: Rules,
    heads: HashMap<PacketId, Head>,
    packets: HashMap<PacketId, Packet>,
    hops: HashMap<PacketId, (u16, u16)>,
    /// The holder of a channel, and the ordinal of that allocation.
    holders: HashMap<Lane, (PacketId, u64)>,
    held: u64,
}

/// Panics at the first violation. The recorder's packets must be those of one whole run.
pub(crate) fn check_worms(grid: &Grid, rules: Rules, buffer_words: u16, recorder: &Recorder) {
    let mut checker = Checker {
        grid,
        rules,
        heads: HashMap::new(),
        packets: HashMap::new(),
        hops: HashMap::new(),
        holders: HashMap::new(),
        held: 0,
    };
    for (reported, _, node, event) in in_order(grid, rules, recorder) {
        checker.event(reported, node, event);
    }
    if rules.complete {
        for (packet, head) in &checker.heads {
            assert_eq!(*head, Head::Gone, "{packet:?} was not delivered");
        }
        assert!(checker.holders.is_empty(), "a channel was left held");
    }
    check_words(&checker.packets, recorder);
    if !rules.many_clocks {
        check_buffers(grid, buffer_words, recorder);
    }
}

impl Checker<'_> {
    fn event(&mut self, reported: Cycle, node: NodeId, event: Event) {
        match event {
            Event::Injected { packet } => {
                assert_eq!(self.grid.home(packet.id.source), node);
                assert!(packet.created <= reported, "{packet:?} entered too early");
                let before = self.heads.insert(packet.id, Head::Entering(node));
                assert_eq!(before, None, "{packet:?} entered twice");
                self.packets.insert(packet.id, packet);
            }
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => self.moved(reported, node, packet, (from, to), deroute),
            Event::Head { packet, port } => self.head(reported, node, packet, port),
            Event::Tail {
                packet,
                port,
                words,
            } => {
                assert_eq!(words, self.packets[&packet].words, "{packet:?} was cut");
                // A worm that crosses itself may hold two channels of a port: its tail leaves the first.
                let held = |(lane, (holder, order)): (&Lane, &(PacketId, u64))| {
                    let same = (lane.0, lane.1) == (node, port) && *holder == packet;
                    same.then_some((*order, *lane))
                };
                let first = self.holders.iter().filter_map(held).min();
                let (_, lane) =
                    first.unwrap_or_else(|| panic!("{packet:?} held no channel at {node}"));
                self.holders.remove(&lane);
            }
            Event::Delivered { packet } => self.delivered(node, packet),
            Event::Freed { .. } => panic!("a wormhole router frees no frame"),
            Event::Lost { packet, .. } => panic!("{packet:?} is lost, and no link has failed"),
        }
    }

    fn moved(
        &mut self,
        reported: Cycle,
        node: NodeId,
        packet: PacketId,
        (from, to): (Place, Place),
        deroute: bool,
    ) {
        let (Place::InputChannel(input, in_channel), Place::OutputChannel(output, channel)) =
            (from, to)
        else {
            panic!("{packet:?} moved from {from} to {to}");
        };
        match self.heads[&packet] {
            Head::Entering(at) => assert_eq!((at, input), (node, self.grid.local())),
            Head::In(at, port, came, since) => {
                assert_eq!((at, port, came), (node, input, in_channel), "{packet:?}");
                assert!(
                    reported >= since,
                    "{packet:?} was decided on before it came"
                );
            }
            other => panic!("{packet:?} moved, but was {other:?}"),
        }
        let destination = self.grid.home(self.packets[&packet].destination);
        if output == self.grid.local() {
            assert_eq!(destination, node, "{packet:?} leaves elsewhere");
        } else {
            assert_ne!(destination, node, "{packet:?} passes its destination");
            assert!(self.grid.neighbour(node, output).is_some());
            let (hops, deroutes) = self.hops.entry(packet).or_default();
            *hops += 1;
            *deroutes += u16::from(deroute);
            let productive = self.grid.productive(node, destination).contains(output);
            assert!(!deroute || !productive, "{packet:?} was derouted closer");
        }
        self.heads
            .insert(packet, Head::Holds(node, output, channel));
    }

    fn head(&mut self, reported: Cycle, node: NodeId, packet: PacketId, port: Port) {
        let Head::Holds(at, output, channel) = self.heads[&packet] else {
            panic!("{packet:?} left without a channel");
        };
        assert_eq!((at, output), (node, port), "{packet:?} left elsewhere");
        // Others may still have been crossing the switch when it got the channel.
        self.held += 1;
        let holder = (packet, self.held);
        let before = self.holders.insert((node, port, channel), holder);
        assert_eq!(before, None, "a channel of {node} was held");
        let head = match self.grid.neighbour(node, port) {
            Some(far) if port != self.grid.local() => {
                let into = self.grid.opposite(port);
                Head::In(
                    far,
                    into,
                    channel,
                    reported + self.rules.link_latency_cycles,
                )
            }
            _ => Head::Leaving(node),
        };
        self.heads.insert(packet, head);
    }

    fn delivered(&mut self, node: NodeId, packet: Packet) {
        assert_eq!(
            self.grid.home(packet.destination),
            node,
            "{packet:?} was delivered elsewhere"
        );
        let head = self.heads.insert(packet.id, Head::Gone);
        assert_eq!(head, Some(Head::Leaving(node)), "{packet:?}");
        let (hops, deroutes) = self.hops.get(&packet.id).copied().unwrap_or_default();
        assert_eq!((packet.hops, packet.deroutes), (hops, deroutes));
        let shortest = self.grid.distance(self.grid.home(packet.id.source), node);
        assert!(u32::from(hops) >= shortest, "{packet:?} took a short cut");
    }
}

/// At most one word per link and cycle, and each worm's words in order and unmixed in its channel.
fn check_words(packets: &HashMap<PacketId, Packet>, recorder: &Recorder) {
    let mut words = recorder.words.clone();
    words.sort_by_key(|(cycle, node, port, _, _)| (*node, *port, *cycle));
    let mut last = None;
    let mut open: HashMap<Lane, (PacketId, u16)> = HashMap::new();
    for (cycle, node, port, packet, word) in words {
        let at = Some((node, port, cycle));
        assert_ne!(at, last, "two words over one link in {cycle}");
        last = at;
        let expected = open.remove(&(node, port, word.channel));
        let expected = expected.unwrap_or((packet, 0));
        assert_eq!((packet, word.index), expected, "at {node} {port:?}");
        let is_last = word.index + 1 == packets[&packet].words;
        assert_eq!(word.flit.is_tail(), is_last, "{packet:?} {word:?}");
        assert_eq!(word.flit.is_head(), word.index == 0, "{packet:?} {word:?}");
        if !is_last {
            open.insert((node, port, word.channel), (packet, word.index + 1));
        }
    }
}

/// No buffer ever holds more words than it has room for: those that were sent to it, less those that have
/// left its node since.
fn check_buffers(grid: &Grid, buffer_words: u16, recorder: &Recorder) {
    // Words to each buffer and out of it, by cycle; a packet's words leave a node in order, on each visit.
    let mut held: HashMap<Lane, BTreeMap<Cycle, i64>> = HashMap::new();
    let mut visits: HashMap<(PacketId, u16), Vec<Lane>> = HashMap::new();
    let mut words = recorder.words.clone();
    words.sort_by_key(|(cycle, _, port, _, _)| (*cycle, *port));
    for (cycle, node, port, packet, word) in words {
        let path = visits.entry((packet, word.index)).or_default();
        if let Some(lane) = path.last() {
            assert_eq!(grid.neighbour(lane.0, lane.1), Some(node), "{packet:?}");
            *held.entry(*lane).or_default().entry(cycle).or_default() -= 1;
        }
        if port != grid.local() {
            let lane = (node, port, word.channel);
            path.push(lane);
            *held.entry(lane).or_default().entry(cycle).or_default() += 1;
        }
    }
    for (lane, changes) in held {
        let mut now = 0;
        for (cycle, change) in changes {
            now += change;
            let most = i64::from(buffer_words);
            assert!(now <= most, "{now} words sent to {lane:?} in {cycle}");
        }
    }
}
