//! Scheduled worms that never stop (Roberts and Symvonis, "On Deflection Worm Routing on Meshes", 1994,
//! section 2.1): each follows its path from its start without a pause, and no two words ever need a link in
//! the same cycle.
//!
//! ```text
//!   north ──▶ ■ ─┐                                      ┌─▶ north
//!   east  ──▶ ■ ─┤     heads: the next port of their    ├─▶ east
//!   south ──▶ ■ ─┼──▶  path; other words: the port of   ├─▶ south
//!   west  ──▶ ■ ─┤     the head before them             ├─▶ west
//!   local ──▶ [ packets until their starts ] ───────────┴─▶ delivery, at the end of the path
//! ```
//!
//! A node decides nothing. A [`Schedule`] is checked before the run, so a word that finds its link taken
//! would be a bug, which the run asserts. This holds with a single clock only: if nodes count their own
//! cycles, or a link has another latency than the schedule was made for, worms meet that never should.
//!
//! The model lets a node send several worms at once over different links, and receive several; a source
//! supplies one word per cycle. So a node accepts its packets as they come and keeps each until its start.
//! Their number is up to the schedule: the memory for them belongs to the processor.

mod explain;
mod file;
mod keys;
mod one_bend;
mod schedule;

pub use crate::routes::{Request, Route};
pub use file::ScheduleFile;
pub use keys::ScheduleParameters;
pub use one_bend::{dimension_order_path, one_bend};
pub use schedule::{Schedule, ScheduleError};

use flitwork_node::{
    Datapath, Detail, Event, Explanation, Inputs, Outputs, Passes, Place, Probe, Router, Site,
    Stepped, View, Wait, WaitsFor,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketRef, Packets, Port, Word};

/// The router on a topology.
pub struct Scheduled<T> {
    topology: T,
    schedule: Schedule,
}

/// The registers of one node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Packets of its own that have not left, in order of arrival.
    own: Vec<Own>,
    /// The worm that arrives at each link port; `None` between worms.
    lanes: Box<[Option<Lane>]>,
}

/// A packet at its source.
#[derive(Clone, Copy, Debug)]
struct Own {
    packet: PacketRef,
    words: u16,
    /// Words that have come from the source, and words that have left.
    came: u16,
    gone: u16,
    start: Cycle,
    port: Port,
}

/// A worm that passes through the node, or ends there.
#[derive(Clone, Copy, Debug)]
struct Lane {
    packet: PacketRef,
    /// Words that have come.
    came: u16,
    way: Way,
}

/// Where a worm goes next.
#[derive(Clone, Copy, Debug)]
enum Way {
    Link(Port),
    Home,
}

impl<T: Topology> Scheduled<T> {
    /// Builds the router that follows a schedule made for the topology.
    pub fn new(topology: T, schedule: Schedule) -> Scheduled<T> {
        Scheduled { topology, schedule }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// A word comes from the source; after a packet's last word the source may send the next packet.
    fn take<P: Probe>(
        &self,
        state: &mut Node,
        word: Word,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let packet = site.packets[word.packet];
        if word.flit.is_head() {
            state.own.push(self.own(word.packet, &packet, site.node));
            site.probe.event(site.node, now, Event::Injected { packet });
        }
        let own = state.own.last_mut().expect("a head comes before its words");
        own.came += 1;
        if word.flit.is_tail() {
            outputs.credit(self.topology.local(), 0);
        }
    }

    /// A packet whose head comes from the source.
    fn own(&self, packet: PacketRef, record: &Packet, node: NodeId) -> Own {
        let route = self.schedule.route(record.id);
        let route =
            route.unwrap_or_else(|| panic!("node {node}: {record:?} is not in the schedule"));
        assert!(
            route.words == record.words,
            "node {node}: {record:?} has {} words in the schedule",
            route.words
        );
        Own {
            packet,
            words: record.words,
            came: 0,
            gone: 0,
            start: route.start,
            port: route.path[0],
        }
    }

    /// A word arrives over a link, and moves on or is delivered.
    fn pass<P: Probe>(
        &self,
        state: &mut Node,
        (input, word): (Port, Word),
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let from = Place::Input(input);
        let lane = &mut state.lanes[input.index()];
        if word.flit.is_head() {
            *lane = Some(Lane {
                packet: word.packet,
                came: 0,
                way: self.next_of(word.packet, site.node, site.packets),
            });
        }
        let Some(Lane { came, way, .. }) = lane else {
            panic!("node {}: {word:?} without a head", site.node);
        };
        *came += 1;
        let way = *way;
        if word.flit.is_tail() {
            *lane = None;
        }
        match way {
            Way::Link(port) => self.send(from, port, word, now, outputs, site),
            Way::Home => self.arrive(from, word, now, site),
        }
    }

    /// Where a head goes next, by the hops of its path that it has made.
    fn next_of(&self, packet: PacketRef, node: NodeId, packets: &Packets) -> Way {
        let packet = &packets[packet];
        let route = self.schedule.route(packet.id);
        let route = route.expect("a packet in the network is in the schedule");
        let next = route.path.get(usize::from(packet.hops));
        if next.is_none() {
            assert!(
                packet.destination == node,
                "{packet:?} ends its path at node {node}"
            );
        }
        next.map_or(Way::Home, |port| Way::Link(*port))
    }

    /// Whether a port doesn't bring a packet closer to its destination.
    fn is_deroute(&self, node: NodeId, destination: NodeId, port: Port) -> bool {
        !self.topology.productive(node, destination).contains(port)
    }

    /// Sends the words whose packets' time has come.
    fn start<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let from = Place::Input(self.topology.local());
        for own in state.own.iter_mut().filter(|own| own.start <= now) {
            assert!(
                own.start + u32::from(own.gone) == now && own.gone < own.came,
                "node {}: word {} of {:?} isn't there in cycle {now}",
                site.node,
                own.gone,
                site.packets[own.packet]
            );
            let word = Word::of(own.packet, own.gone, own.words);
            own.gone += 1;
            self.send(from, own.port, word, now, outputs, site);
        }
        state.own.retain(|own| own.gone < own.words);
    }

    fn send<P: Probe>(
        &self,
        from: Place,
        port: Port,
        word: Word,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let node = site.node;
        let record = site.packets[word.packet];
        if outputs.sent.contains(port) {
            let other = site.packets[outputs.words[port.index()].packet];
            panic!("node {node}: {record:?} and {other:?} both want {port:?} in cycle {now}");
        }
        let packet = record.id;
        if word.flit.is_head() {
            site.probe
                .scheduled(site.packets, node, now, word.packet, port);
            let deroute = self.is_deroute(node, record.destination, port);
            let record = &mut site.packets[word.packet];
            record.hops += 1;
            record.deroutes += u16::from(deroute);
            let to = Place::Output(port);
            let moved = Event::Moved {
                packet,
                from,
                to,
                deroute,
            };
            site.probe.event(node, now, moved);
            site.probe.event(node, now, Event::Head { packet, port });
        }
        if site.probe.wants_words() {
            site.probe.word(node, now, port, packet, word);
        }
        if word.flit.is_tail() {
            let words = record.words;
            let tail = Event::Tail {
                packet,
                port,
                words,
            };
            site.probe.event(node, now, tail);
        }
        outputs.send(port, word);
    }

    /// A word arrives at its destination, and its packet is delivered with the last one.
    fn arrive<P: Probe>(&self, from: Place, word: Word, now: Cycle, site: &mut Site<'_, P>) {
        if word.flit.is_head() {
            let moved = Event::Moved {
                packet: site.packets[word.packet].id,
                from,
                to: Place::Output(self.topology.local()),
                deroute: false,
            };
            site.probe.event(site.node, now, moved);
        }
        if word.flit.is_tail() {
            let packet = site.packets.remove(word.packet);
            site.probe
                .event(site.node, now, Event::Delivered { packet });
        } else if site.probe.wants_details() {
            let shifted = Detail::Shifted {
                packet: site.packets[word.packet].id,
                index: word.index,
                from,
                to: Place::Assembly,
            };
            site.probe.detail(site.node, now, shifted);
        }
    }
}

impl<T: Topology> Router for Scheduled<T> {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let node = Node {
            own: Vec::new(),
            lanes: vec![None; self.topology.ports()].into(),
        };
        vec![node; self.topology.nodes() as usize]
    }

    fn heap_bytes(&self, state: &Node) -> usize {
        size_of_val(&*state.own) + size_of_val(&*state.lanes)
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let own = state.own.iter().map(|own| Wait {
            node,
            packet: packets[own.packet].id,
            destination: packets[own.packet].destination,
            place: Place::Input(self.topology.local()),
            waits_for: WaitsFor::Nothing,
        });
        own.collect()
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn longest_packet_words(&self) -> u16 {
        0
    }

    /// Nothing is buffered in a router; every word that leaves one passes the crossbar.
    fn datapath(&self) -> Option<Datapath> {
        Some(Datapath {
            linked: Passes::new(0, 0, 1),
            delivered: Passes::new(0, 0, 1),
            ..Datapath::NONE
        })
    }

    fn credit_words(&self) -> Option<u32> {
        None
    }
}

impl<T: Topology> Stepped for Scheduled<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.own.is_empty()
    }

    fn next_step(&self, state: &Node, now: Cycle) -> Cycle {
        let starts = state.own.iter().map(|own| own.start.max(now));
        starts.min().unwrap_or(Cycle::NEVER)
    }

    fn look(&self, _: NodeId, state: &Node, packets: &Packets, now: Cycle) -> View {
        self.view(state, packets, now)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        self.explanation(node, state, now, inputs, packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        for (port, word) in inputs.arrivals() {
            if port == self.topology.local() {
                self.take(state, word, now, outputs, site);
            } else {
                self.pass(state, (port, word), now, outputs, site);
            }
        }
        self.start(state, now, outputs, site);
    }
}
