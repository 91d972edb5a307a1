//! Deflection: a bufferless router whose words never wait (Moscibroda and Mutlu, "A Case for Bufferless
//! Routing in On-Chip Networks", ISCA 2009; Fallin, Craik and Mutlu, "CHIPPER", HPCA 2011; Fallin and others,
//! "MinBD", NOCS 2012).
//!
//! ```text
//!                      ┌──▶ eject: at most `eject_words` at home ──▶ assembly ──▶ terminal
//!   north ──▶ ■ ───────┤                                                ┌──▶ north
//!   east  ──▶ ■ ───────┤      in the order of their priority           ├──▶ east
//!   south ──▶ ■ ───────┼──▶  productive links, then any that are left ──┼──▶ south
//!   west  ──▶ ■ ───────┤                                                ├──▶ west
//!   local ──▶ [ packet ]┤ when a link is left                           │
//!             └ injection                                               │ one that is deflected,
//!             [ side buffer ]◀──────────────────────────────────────────┘ where there is room
//!                      └────▶ back in when a link is left
//! ```
//!
//! All words that arrive over links in a cycle leave in that cycle: there are never more of them than links.
//! No credits run over links, and nothing can deadlock. A [`Priority`] decides who goes first; its page and
//! [`bound`] say what is known about livelock.
//!
//! **Flits.** Each word is routed independently ([`Switching::Flit`]), carries a copy of its packet's record
//! and is a worm of one word to an engine. The words of a packet arrive in any order. Each hop is reported as
//! a move, a head and a tail of one word, and ejection as a move to the local output. The packet is delivered
//! with the last of its words; it reports that word's skew, and the most hops and the most deroutes that any
//! of its words made.
//!
//! **Worms.** A head is routed, and the words behind it follow ([`Switching::Worm`]) until a word of higher
//! priority takes their link: the next of them then becomes a head, and the rest goes its own way. A link
//! shows no difference between a head and the words behind it (see `lanes`): in the model each carries its
//! record, as a flit does, since each may become a head, and each hop is reported in the same way. In
//! hardware a node remembers the header of each worm instead.
//!
//! **Where the papers leave a choice:**
//! - Ejection comes before injection: a word that leaves the network makes room for one that enters in the
//!   same cycle. A word at its destination that isn't ejected is deflected, and no port is productive for it.
//! - At most one word of each terminal enters per cycle, and it takes its place in the priority order like the others. Where
//!   links aren't left for all, terminals take turns: the one after the last that sent a word goes first.
//! - At most `eject_words` words leave per cycle for each terminal of a node. A word from one terminal of a node to another is
//!   among those that may leave, and takes no link.
//! - A worm holds a link only in cycles in which its next word arrives. In a gap, which occurs with many
//!   clocks or at a source whose words come late, another word may take its link, which cuts the worm.
//! - A worm that is injected and finds no link is cut at the source. Two parts of a packet become one worm
//!   again if they meet with the later directly behind the earlier.
//! - The side buffer takes the first deflected flit that came over a link. The flit at its front is ejected
//!   from there if it is at its destination. After `redirection_cycles` in which that flit found no link, it
//!   takes the place of the last flit in the order, which goes into the buffer instead.
//! - CHIPPER's permutation network, which may deflect a flit although its port is free, isn't modelled;
//!   neither are MinBD's silver flits, which compensate for it.

mod assembly;
mod assign;
pub mod bound;
mod ejection;
mod explain;
mod hand;
mod injection;
mod keys;
mod lanes;
mod look;
mod parameters;
mod priority;
mod rules;
mod side_buffer;

pub use bound::Extent;
pub use parameters::{DeflectionParameters, MAX_SIDE_BUFFER_FLITS, PortChoice, Switching};
pub use priority::{Golden, PRIORITIES, Priority, PriorityEntry};

use crate::greedy_hp::assign::link_order;
use crate::registers::{Registers, local_port};
use assembly::Assembly;
pub(crate) use assign::port_order;
use assign::{Choice, Pick};
use flitwork_node::{
    Buffers, Datapath, Inputs, Outputs, Passes, Place, Probe, Router, Site, Until, View, Wait,
    WaitsFor, WordRouter,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Flit, NodeId, PacketRef, Packets, Port, PortSet, Word};
use hand::{Contenders, Hand, Ports, sort};
use injection::Injection;
use lanes::Lanes;
use priority::{Candidate, Here, draws};
use side_buffer::SideBuffer;

/// The router on a topology.
pub struct Deflection<T> {
    topology: T,
    parameters: DeflectionParameters,
    seed: u64,
    terminals: u32,
    /// The local ports of a node, and how many there are.
    local_ports: PortSet,
    locals: usize,
    /// The links in the order in which words prefer them, and in GreedyHP's order.
    port_order: Vec<Port>,
    greedy_order: Vec<Port>,
}

/// The registers of one node. Words that arrive over links leave in the same cycle and need none.
#[derive(Clone, Debug)]
pub struct Node {
    /// The packets that enter the network.
    injections: Registers<Injection>,
    side_buffer: SideBuffer,
    /// Packets of which some words have arrived at their destination.
    assembly: Assembly,
    /// Where worms go; `None` if flits are routed.
    lanes: Option<Lanes>,
}

impl<T: Topology> Deflection<T> {
    /// The router with checked parameters; `seed` keys the nodes' random streams.
    pub fn new(topology: T, parameters: DeflectionParameters, seed: u64) -> Deflection<T> {
        let ports = topology.ports();
        Deflection {
            terminals: topology.terminals(),
            local_ports: topology.local_ports(),
            locals: topology.locals(),
            port_order: port_order(ports),
            greedy_order: link_order(ports),
            topology,
            parameters,
            seed,
        }
    }

    fn here(&self, node: NodeId, now: Cycle) -> Here {
        Here {
            seed: self.seed,
            node,
            now,
            terminals: self.terminals,
        }
    }

    /// Everything that routing needs to know about a word in a node.
    #[inline]
    fn hand(
        &self,
        from: Place,
        packet: PacketRef,
        index: u16,
        packets: &Packets,
        here: Here,
    ) -> Hand {
        let port = match from {
            Place::Input(port) => Some(port.0),
            _ => None,
        };
        let draw = draws::rank(port, self.topology.ports() + self.locals);
        let record = &packets[packet];
        let destination = self.topology.home(record.destination);
        let wants = self.topology.productive(here.node, destination);
        let candidate = Candidate {
            packet: record,
            index,
            draw,
        };
        Hand {
            from,
            packet,
            index,
            rank: self.parameters.priority.rank(candidate, here),
            draw,
            wants,
            home: destination == here.node,
            follows: None,
        }
    }

    /// The words that came over links, and which of them follow another one of their worm.
    #[inline]
    fn receive(
        &self,
        state: &Node,
        hands: &mut Contenders,
        inputs: &Inputs<'_>,
        packets: &Packets,
        here: Here,
    ) {
        let mut over_links = inputs.arrived;
        over_links.0 &= !self.local_ports.0;
        for port in over_links.iter() {
            let Word { packet, index, .. } = inputs.words[port.index()];
            let mut hand = self.hand(Place::Input(port), packet, index, packets, here);
            if let Some(lanes) = &state.lanes {
                hand.follows = lanes.follows(port, packets[packet].id, index);
            }
            hands.push(hand);
        }
    }

    /// The link that each word gets; `note` is called with each pick.
    #[inline]
    fn assign(
        &self,
        hands: &[Hand],
        links: PortSet,
        here: Here,
        note: impl FnMut(Pick<'_>),
    ) -> Ports {
        if self.parameters.priority == Priority::Greedy {
            return priority::greedy::assign(hands, links, &self.greedy_order, here, note);
        }
        assign::by_rank(hands, links, self.choice(here), note)
    }

    /// How one of several equally good links is chosen.
    #[inline]
    fn choice(&self, here: Here) -> Choice<'_> {
        Choice {
            rule: self.parameters.port_choice,
            order: &self.port_order,
            here,
        }
    }

    /// A word leaves over a link.
    #[inline]
    fn depart<P: Probe>(
        &self,
        state: &mut Node,
        hand: &Hand,
        port: Port,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let deroute = hand.is_deroute(port);
        site.hops(now, hand.packet, port, deroute);
        if let (Some(lanes), Place::Input(input)) = (&mut state.lanes, hand.from) {
            lanes.pass(input, site.packets[hand.packet].id, hand.index, port);
        }
        site.moved(now, hand.packet, (hand.from, Place::Output(port)), deroute);
        let word = Word {
            packet: hand.packet,
            index: hand.index,
            channel: 0,
            flit: Flit::Only,
        };
        site.departs(now, port, word, 1);
        outputs.send(port, word);
    }
}

impl<T: Topology> Router for Deflection<T> {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let worms = self.parameters.switching == Switching::Worm;
        let node = Node {
            injections: Registers::new(self.topology.locals()),
            side_buffer: SideBuffer::default(),
            assembly: Assembly::default(),
            lanes: worms.then(|| Lanes::new(self.topology.ports(), self.topology.locals())),
        };
        vec![node; self.topology.nodes() as usize]
    }

    fn heap_bytes(&self, state: &Node) -> usize {
        let lanes = state.lanes.iter().map(Lanes::heap_bytes);
        let own = state.injections.heap_bytes() + state.side_buffer.heap_bytes();
        own + state.assembly.heap_bytes() + lanes.sum::<usize>()
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let links = self.topology.links(node);
        // What is in the links always goes on.
        let wait = |packet: PacketRef, place| {
            let waits_for = WaitsFor::Outputs(links);
            Wait::of(node, &packets[packet], place, waits_for).until(Until::Time)
        };
        let port = |local| Place::Input(local_port(self.topology.ports(), local));
        let injections = state.injections.iter();
        let injected = injections.map(|(local, it)| wait(it.packet, port(local)));
        let aside = state.side_buffer.flits.iter();
        let aside = aside.map(|waiting| wait(waiting.packet, Place::SideBuffer));
        injected.chain(aside).collect()
    }

    /// Links have no buffers. Words that are ejected or put back don't pass the crossbar; a word that is put
    /// into the side buffer was deflected and has passed it.
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | goes over a link | | | once |
    /// | is put aside | side buffer | | once |
    /// | comes back, or goes home from there | | side buffer | |
    fn datapath(&self) -> Option<Datapath> {
        let buffers = match self.parameters.side_buffer_flits {
            0 => Buffers::None,
            _ => Buffers::Words("side buffer"),
        };
        Some(Datapath {
            linked: Passes::new(0, 0, 1),
            stored: Passes::new(1, 0, 1),
            restored: Passes::new(0, 1, 0),
            buffers,
            ..Datapath::NONE
        })
    }

    fn credit_words(&self) -> Option<u32> {
        None
    }
}

impl<T: Topology> WordRouter for Deflection<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.injections.are_empty() && state.side_buffer.flits.is_empty()
    }

    fn next_step(&self, state: &Node, now: Cycle) -> Due {
        let injections = &state.injections;
        let enters = injections.any(|injection| injection.waiting().is_some());
        Due::when(enters || !state.side_buffer.flits.is_empty(), now)
    }

    fn look(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> View {
        self.view(node, state, packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let here = self.here(site.node, now);
        let own = inputs.arrived.0 & self.local_ports.0;
        for port in PortSet(own).iter() {
            self.inject(state, (port, inputs.words[port.index()]), now, site);
        }
        if inputs.arrived.is_empty() && self.next_step(state, now) == Due::NEVER {
            return;
        }
        let links = self.topology.links(site.node);
        let buffered = state.side_buffer.flits.len();
        let mut hands = Contenders::new();
        self.receive(state, &mut hands, inputs, site.packets, here);
        sort(&mut hands);
        let mut left_source = PortSet::EMPTY;
        let ejected_waiting = self.eject(state, &mut hands, here, &mut left_source, site);
        let swapped = !ejected_waiting && self.reinject(state, &mut hands, links.len(), here, site);
        self.enter(state, &mut hands, links.len(), here, &mut left_source, site);
        sort(&mut hands);
        let ports = self.assign(&hands, links, here, |pick| {
            site.witness(|witness, packets| {
                let choice = self.choice(here);
                witness.decided(explain::pick(pick, &hands, choice, packets));
            });
        });
        let aside = self.set_aside(state, &hands, &ports).filter(|_| !swapped);
        for (place, hand) in hands.iter().enumerate() {
            if aside == Some(place) {
                site.witness(|witness, packets| {
                    witness.decided(self.put_aside_first(&hands, &ports, packets));
                });
                self.put_aside(state, hand, now, site);
            } else {
                self.depart(state, hand, ports[place], now, outputs, site);
            }
        }
        for port in left_source.iter() {
            outputs.credit(port, 0);
        }
        if state.side_buffer.flits.len() != buffered {
            let words = state.side_buffer.flits.len() as u32;
            site.probe.buffered(site.node, now, words);
        }
    }
}
