//! A node of the wormhole router on a table: words are put on its wires by hand, and each step is explained before it is
//! made.

use flitwork_node::{
    Candidate, Cause, Decision, Detail, Event, Explanation, Inputs, Outputs, Part, Place, Probe,
    Register, Reported, Site, Value, View, What, WordRouter,
};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{Plane, Wormhole, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{
    Cycle, MAX_PORTS, NodeId, Packet, PacketId, PacketRef, Packets, Port, PortSet, TerminalId, Word,
};

pub(crate) const EAST: Port = Port(1);
pub(crate) const WEST: Port = Port(3);
pub(crate) const NORTH: Port = Port(0);
pub(crate) const LOCAL: Port = Port(4);
pub(crate) const MIDDLE: NodeId = NodeId(4);

pub(crate) type Router = Wormhole<Grid, Plane>;

/// A node and its packets.
pub(crate) struct Table {
    router: Router,
    node: NodeId,
    state: <Router as flitwork_node::Router>::Node,
    pub(crate) packets: Packets,
    now: Cycle,
    pub(crate) details: Details,
}

/// Keeps details.
#[derive(Default)]
pub(crate) struct Details(pub(crate) Vec<Detail>);

impl Probe for Details {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Details)
    }

    fn detail(&mut self, _: NodeId, _: Cycle, detail: Detail) {
        self.0.push(detail);
    }
}

pub(crate) fn grid() -> Grid {
    Grid::mesh(&[3, 3]).unwrap()
}

pub(crate) fn input(port: Port, channel: u8) -> Place {
    Place::InputChannel(port, channel)
}

pub(crate) fn output(port: Port, channel: u8) -> Place {
    Place::OutputChannel(port, channel)
}

impl Table {
    pub(crate) fn new(parameters: WormholeParameters) -> Table {
        Table::at(MIDDLE, parameters)
    }

    pub(crate) fn at(node: NodeId, parameters: WormholeParameters) -> Table {
        let routing = RoutingParameters {
            name: "dimension-order".into(),
            channels: parameters.vcs,
            ..RoutingParameters::default()
        };
        let routing = build_routing(&routing, grid()).unwrap();
        let router: Router = Wormhole::new(grid(), parameters, routing);
        let state = flitwork_node::Router::nodes(&router).swap_remove(node.index());
        Table {
            router,
            node,
            state,
            packets: Packets::new(),
            now: Cycle::ZERO,
            details: Details::default(),
        }
    }

    /// A packet with a number, to the neighbour behind a port or, at the local port, to this node.
    pub(crate) fn packet(&mut self, serial: u32, to: Port, words: u16) -> PacketRef {
        let destination = grid().neighbour(self.node, to).unwrap_or(self.node);
        let source = TerminalId(if to == LOCAL { 0 } else { self.node.0 });
        self.packets.insert(Packet {
            id: PacketId { source, serial },
            destination: TerminalId(destination.0),
            words,
            ..Packet::default()
        })
    }

    /// A step with the words at these ports, each a packet, its next word and the channel; what was said before.
    pub(crate) fn step(&mut self, words: &[(Port, PacketRef, u16, u8)]) -> Explanation {
        let mut wires = [Word::BLANK; MAX_PORTS];
        let mut arrived = PortSet::EMPTY;
        for (port, packet, index, channel) in words {
            arrived.insert(*port);
            wires[port.index()] = Word {
                channel: *channel,
                ..Word::of(*packet, *index, self.packets[*packet].words)
            };
        }
        let inputs = Inputs {
            arrived,
            words: &wires[..5],
            credits: PortSet::EMPTY,
            credit_channels: &[0; 5],
            sendable: PortSet(u64::MAX),
        };
        let (mut sent, mut channels) = ([Word::BLANK; MAX_PORTS], [0; MAX_PORTS]);
        let mut outputs = Outputs::new(&mut sent, &mut channels);
        let Table {
            router,
            state,
            packets,
            now,
            details,
            ..
        } = self;
        let said = router.explain(self.node, state, *now, &inputs, packets);
        let mut site = Site::new(self.node, packets, details);
        router.step(state, *now, &inputs, &mut outputs, &mut site);
        *now += 1;
        said
    }

    pub(crate) fn look(&self) -> View {
        let Table {
            router,
            state,
            packets,
            now,
            ..
        } = self;
        router.look(self.node, state, packets, *now)
    }

    /// The words in a buffer: each packet's number, the first word and how many there are.
    pub(crate) fn held(&self, place: Place) -> Vec<(u32, u16, u16)> {
        let view = self.look();
        let held = view.buffer(place).unwrap().held.iter();
        held.map(|part: &Part| (part.packet.serial, part.first, part.words))
            .collect()
    }

    pub(crate) fn room(&self, port: Port, channel: u8) -> Option<u32> {
        let view = self.look();
        let mut credits = view.credits.iter();
        let found = credits.find(|it| (it.port, it.channel) == (port, channel));
        found.map(|it| it.room)
    }

    pub(crate) fn register(&self, name: &str, at: Place) -> Option<Value> {
        let view = self.look();
        let is_it = |it: &&Register| it.name == name && it.at == Some(at);
        view.registers.iter().find(is_it).map(|it| it.value)
    }
}

/// What packets do: each one's number, its place, and what it does.
pub(crate) fn does(said: &Explanation) -> Vec<(u32, Place, What)> {
    let packets = said.packets.iter();
    packets
        .map(|doing| (doing.packet.serial, doing.place, doing.what))
        .collect()
}

pub(crate) fn stays(cause: Cause, culprit: Option<PacketId>) -> What {
    What::Stays { cause, culprit }
}

pub(crate) fn moves(port: Port, channel: u8) -> What {
    What::Moves {
        to: output(port, channel),
        deroute: false,
    }
}

pub(crate) fn sends(port: Port, channel: u8) -> What {
    What::Sends {
        to: output(port, channel),
    }
}

/// The candidates of a decision, by number and rank, and the winner's number.
pub(crate) fn bids(decision: &Decision) -> (Vec<(u32, u64)>, Option<u32>) {
    let candidates = decision.candidates.iter();
    let serial = |winner: usize| decision.candidates[winner].packet.serial;
    let bid = |it: &Candidate| (it.packet.serial, it.rank);
    (candidates.map(bid).collect(), decision.winner.map(serial))
}
