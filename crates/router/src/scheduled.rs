//! Worms on a schedule made before the run: each goes over its links in the cycles that are written down for it, and no two
//! words ever need a link in the same cycle. By default none stops once it has started (Roberts and Symvonis, "On Deflection
//! Worm Routing on Meshes", 1994, section 2.1); a schedule may also let some wait on their way (Symvonis and Tidswell 1994).
//!
//! ```text
//!   north ──▶ ■ ─┐                                      ┌─▶ north
//!   east  ──▶ ■ ─┤     heads: the next port of their    ├─▶ east
//!   south ──▶ ■ ─┼──▶  path; other words: the port of   ├─▶ south
//!   west  ──▶ ■ ─┤     the head before them             ├─▶ west
//!                ├─▶ [ queue: worms that wait ] ────────┤
//!   local ──▶ [ packets until their starts ] ───────────┴─▶ delivery, at the end of the path
//! ```
//!
//! A node decides nothing. A [`Schedule`] is checked before the run, so a word that finds its link taken
//! would be a bug, which the run asserts. This holds with a single clock only: if nodes count their own
//! cycles, or a link has another latency than the schedule was made for, worms meet that never should.
//!
//! The model lets a node send several worms at once over different links, and receive several; a source
//! supplies one word per cycle. So a node accepts its packets as they come and keeps each until its start.
//! Their number is up to the schedule: the memory for them belongs to the processor. The queue is the node's own, and the
//! schedule says how many worms wait in it at once. All words of a worm wait equally long.

mod explain;
mod file;
mod keys;
mod one_bend;
mod schedule;

pub use crate::routes::{Hop, Request, Route};
pub use file::ScheduleFile;
pub use keys::ScheduleParameters;
pub use one_bend::{dimension_order_path, one_bend};
pub use schedule::{Schedule, ScheduleError};

use flitwork_node::{
    Buffers, Datapath, Inputs, Outputs, Passes, Place, Probe, Router, Site, View, Wait, WaitsFor,
    WordRouter,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packet, PacketRef, Packets, Port, Word};

/// The router on a topology.
pub struct Scheduled<T> {
    topology: T,
    schedule: Schedule,
}

/// The registers of one node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Packets that have not left: its own, and those that wait on their way, in order of arrival.
    kept: Vec<Kept>,
    /// The worm that arrives at each link port; `None` between worms.
    lanes: Box<[Option<Lane>]>,
}

/// A packet at its source, or one that waits on its way.
#[derive(Clone, Copy, Debug)]
struct Kept {
    packet: PacketRef,
    words: u16,
    /// The port by which it comes: the local one at its source.
    input: Port,
    /// Words that have come, and words that have left.
    came: u16,
    gone: u16,
    /// The cycle in which its head leaves, and the port.
    start: Cycle,
    port: Port,
}

/// A worm that passes through the node, waits in it or ends there.
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
    Queue,
    Home,
}

impl<T: Topology> Scheduled<T> {
    /// Builds the router that follows a schedule made for the topology.
    pub fn new(topology: T, schedule: Schedule) -> Scheduled<T> {
        Scheduled { topology, schedule }
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
        let local = self.topology.local();
        if word.flit.is_head() {
            let own = self.own(word.packet, &site.packets[word.packet], site.node);
            site.witness(|witness, packets| self.tell_kept(&own, now, (witness, packets)));
            state.kept.push(own);
            site.injected(now, word.packet);
        }
        state.come(word.packet, local);
        if word.flit.is_tail() {
            outputs.credit(local, 0);
        }
    }

    /// A packet whose head comes from the source.
    fn own(&self, packet: PacketRef, record: &Packet, node: NodeId) -> Kept {
        let route = self.schedule.route(record.id);
        let route =
            route.unwrap_or_else(|| panic!("node {node}: {record:?} is not in the schedule"));
        assert!(
            route.words == record.words,
            "node {node}: {record:?} has {} words in the schedule",
            route.words
        );
        let first = self.schedule.hop(record.id, 0);
        let (port, start) = first.expect("a path has a hop");
        Kept {
            packet,
            words: record.words,
            input: self.topology.local(),
            came: 0,
            gone: 0,
            start,
            port,
        }
    }

    /// A word arrives over a link, and moves on, waits or is delivered.
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
            let next = self.next_of(word.packet, site.node, site.packets);
            let way = match next {
                None => Way::Home,
                Some((port, start)) if start == now => Way::Link(port),
                Some((port, start)) => {
                    state.kept.push(Kept {
                        packet: word.packet,
                        words: site.packets[word.packet].words,
                        input,
                        came: 0,
                        gone: 0,
                        start,
                        port,
                    });
                    Way::Queue
                }
            };
            *lane = Some(Lane {
                packet: word.packet,
                came: 0,
                way,
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
            Way::Queue => {
                state.come(word.packet, input);
                if word.flit.is_head() {
                    site.moved(now, word.packet, (from, Place::Queue), false);
                }
                site.shifted(now, word.packet, word.index, (from, Place::Queue));
            }
            Way::Home => self.arrive(from, word, now, site),
        }
    }

    /// The node to which a packet goes.
    fn destination(&self, packet: &Packet) -> NodeId {
        self.topology.home(packet.destination)
    }

    /// The port by which a head goes on and the cycle, by the hops of its path that it has made.
    fn next_of(&self, packet: PacketRef, node: NodeId, packets: &Packets) -> Option<(Port, Cycle)> {
        let packet = &packets[packet];
        let next = self.schedule.hop(packet.id, packet.hops);
        assert!(
            next.is_some() || self.destination(packet) == node,
            "{packet:?} ends its path at node {node}"
        );
        next
    }

    /// Sends the words whose packets' time has come.
    fn start<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        for kept in state.kept.iter_mut().filter(|kept| kept.start <= now) {
            assert!(
                kept.start + u32::from(kept.gone) == now && kept.gone < kept.came,
                "node {}: word {} of {:?} isn't there in cycle {now}",
                site.node,
                kept.gone,
                site.packets[kept.packet]
            );
            let word = Word::of(kept.packet, kept.gone, kept.words);
            kept.gone += 1;
            self.send(self.place_of(kept), kept.port, word, now, outputs, site);
        }
        state.kept.retain(|kept| kept.gone < kept.words);
    }

    /// Where a packet is kept.
    fn place_of(&self, kept: &Kept) -> Place {
        match kept.input == self.topology.local() {
            true => Place::Input(kept.input),
            false => Place::Queue,
        }
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
        if word.flit.is_head() {
            let good = self.topology.productive(node, self.destination(&record));
            let deroute = !good.contains(port);
            site.hops(now, word.packet, port, deroute);
            site.moved(now, word.packet, (from, Place::Output(port)), deroute);
        }
        site.departs(now, port, word, record.words);
        outputs.send(port, word);
    }

    /// A word arrives at its destination, and its packet is delivered with the last one.
    fn arrive<P: Probe>(&self, from: Place, word: Word, now: Cycle, site: &mut Site<'_, P>) {
        if word.flit.is_head() {
            let home = Place::Output(self.topology.local());
            site.moved(now, word.packet, (from, home), false);
        }
        match word.flit.is_tail() {
            true => site.delivered(now, word.packet),
            false => site.shifted(now, word.packet, word.index, (from, Place::Assembly)),
        }
    }
}

impl Node {
    /// A word of a packet that is kept comes.
    fn come(&mut self, packet: PacketRef, input: Port) {
        // A worm may come back while its words are still kept here: by this port, the last of it comes.
        let comes = |kept: &&mut Kept| kept.packet == packet && kept.input == input;
        let kept = self.kept.iter_mut().rfind(comes);
        kept.expect("a head comes before its words").came += 1;
    }
}

impl<T: Topology> Router for Scheduled<T> {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let node = Node {
            kept: Vec::new(),
            lanes: vec![None; self.topology.ports()].into(),
        };
        vec![node; self.topology.nodes() as usize]
    }

    fn heap_bytes(&self, state: &Node) -> usize {
        size_of_val(&*state.kept) + size_of_val(&*state.lanes)
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let kept = state.kept.iter().map(|kept| {
            let packet = &packets[kept.packet];
            Wait::of(node, packet, self.place_of(kept), WaitsFor::Nothing)
        });
        kept.collect()
    }

    fn longest_packet_words(&self) -> u16 {
        0
    }

    /// Every word that leaves a router passes the crossbar. Nothing is buffered there, unless some worms wait: then it is known
    /// if all have one length.
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | goes over a link | | | once |
    /// | waits | queue | queue | |
    /// | is delivered | | | once |
    fn datapath(&self) -> Option<Datapath> {
        let passing = Datapath {
            linked: Passes::new(0, 0, 1),
            delivered: Passes::new(0, 0, 1),
            ..Datapath::NONE
        };
        if self.schedule.waiting() == 0 {
            return Some(passing);
        }
        Some(Datapath {
            stored: Passes::new(1, 0, 0),
            restored: Passes::new(0, 1, 0),
            words_a_move: self.schedule.words()?,
            buffers: Buffers::Queue,
            ..passing
        })
    }

    fn credit_words(&self) -> Option<u32> {
        None
    }
}

impl<T: Topology> WordRouter for Scheduled<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.kept.is_empty()
    }

    fn next_step(&self, state: &Node, now: Cycle) -> Due {
        Due::soonest(state.kept.iter().map(|kept| kept.start)).not_before(now)
    }

    fn look(&self, _: NodeId, state: &Node, packets: &Packets, now: Cycle) -> View {
        self.view(state, packets, now)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        site.witness(|witness, packets| {
            for kept in &state.kept {
                self.tell_kept(kept, now, (witness, packets));
            }
        });
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
