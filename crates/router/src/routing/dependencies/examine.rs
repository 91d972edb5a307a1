//! What a head may take, under every possible draw, verified against what the function declares.

use super::bits::each_channel;
use super::fault::{CheckError, FaultKind, RoutingFault};
use super::links::{ChannelNumber, Links};
use crate::routing::contract::{Chance, Choice, Choices, Declaration, Head, Routing};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, Port, TerminalId};
use std::collections::BTreeSet;

/// Which packets are examined: those to one destination. A packet that visits an intermediate node first is
/// examined until then as one to that node, and from there on as one that has just been there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) destination: NodeId,
    /// Whether the packets have visited their intermediate node.
    pub(super) visited: bool,
}

/// Asks a routing function about heads.
pub(super) struct Examiner<'a> {
    routing: &'a dyn Routing,
    pub(super) topology: &'a dyn Topology,
    pub(super) links: &'a Links,
    /// The nodes at which packets enter, and those at which they are delivered.
    pub(super) entries: Vec<NodeId>,
    pub(super) homes: Vec<NodeId>,
    pub(super) declaration: Declaration,
    choices: Choices,
    /// Whether a head with a choice of ports has been found.
    pub(super) adaptive: bool,
    /// Whether hops that are no deroutes may lead to nodes at a greater distance from the destination.
    pub(super) has_own_measure: bool,
    /// The current leg, and every node's distance to its destination; none before the first.
    pub(super) leg: Leg,
    far: Vec<u32>,
}

/// The nodes of all terminals, each once.
pub(super) fn nodes_of(topology: &dyn Topology, of: impl Fn(TerminalId) -> NodeId) -> Vec<NodeId> {
    let nodes = (0..topology.terminals()).map(|terminal| of(TerminalId(terminal)));
    nodes.collect::<BTreeSet<NodeId>>().into_iter().collect()
}

impl<'a> Examiner<'a> {
    pub(super) fn new(
        routing: &'a dyn Routing,
        topology: &'a dyn Topology,
        links: &'a Links,
    ) -> Examiner<'a> {
        Examiner {
            routing,
            topology,
            links,
            entries: nodes_of(topology, |terminal| topology.entry(terminal)),
            homes: nodes_of(topology, |terminal| topology.home(terminal)),
            declaration: routing.declaration(),
            choices: Choices::default(),
            adaptive: false,
            has_own_measure: false,
            leg: Leg::default(),
            far: Vec::new(),
        }
    }

    /// Begins to examine the heads of a leg.
    pub(super) fn begin(&mut self, leg: Leg) {
        let to = leg.destination;
        let before = std::mem::replace(&mut self.leg, leg);
        if self.far.is_empty() || before.destination != to {
            let nodes = (0..self.topology.nodes()).map(NodeId);
            self.far.clear();
            self.far
                .extend(nodes.map(|from| self.topology.distance(from, to)));
        }
    }

    /// The distance from a node to the destination of the current leg.
    pub(super) fn far(&self, from: NodeId) -> u32 {
        self.far[from.index()]
    }

    /// Whether a head may still be sent to an intermediate node.
    pub(super) fn may_turn(&self, head: &Head) -> bool {
        let turns = |(_, channel)| self.routing.turning() >> channel & 1 == 1;
        head.from.is_some_and(turns)
    }

    /// All channels whose heads may still be sent to an intermediate node, whether or not a packet can get there.
    pub(super) fn turning(&self) -> Vec<ChannelNumber> {
        let turning = self.routing.turning();
        let mut all = Vec::new();
        for node in (0..self.links.nodes()).map(NodeId) {
            for port in (0..self.links.ports as u8).map(Port) {
                if self.links.end_of(node, port).is_some() {
                    let channels = each_channel(turning);
                    all.extend(channels.map(|it| self.links.number(node, port, it)));
                }
            }
        }
        all
    }

    /// A head of the current leg that is injected.
    pub(super) fn injected(&self, here: NodeId) -> Head {
        Head {
            here,
            packet: PacketId::default(),
            destination: self.leg.destination,
            terminal: TerminalId::default(),
            deroutes: 0,
            from: None,
        }
    }

    /// A head of the current leg at the far end of a channel.
    pub(super) fn at_the_end(&self, number: ChannelNumber, deroutes: u16) -> Head {
        let (here, from) = self.links.end(number);
        Head {
            deroutes,
            from: Some(from),
            ..self.injected(here)
        }
    }

    /// Puts the choices of a head of the current leg into `wanted`, each port at most once.
    pub(super) fn examine(
        &mut self,
        head: &Head,
        wanted: &mut Vec<Choice>,
    ) -> Result<(), CheckError> {
        wanted.clear();
        let intermediate = if self.leg.visited {
            head.here
        } else {
            self.leg.destination
        };
        for coins in self.declaration.coins {
            let chance = Chance::Given {
                coins: *coins,
                intermediate,
            };
            self.routing.choices_under(head, chance, &mut self.choices);
            self.verify_declaration(head)?;
            self.add_choices(wanted);
        }
        Ok(())
    }

    fn add_choices(&self, wanted: &mut Vec<Choice>) {
        let Choices {
            preferred,
            fallback,
        } = &self.choices;
        for choice in preferred.iter().chain(fallback) {
            // Whether a hop is a deroute depends only on the port.
            let same = |other: &&mut Choice| other.port == choice.port;
            match wanted.iter_mut().find(same) {
                Some(other) => other.channels |= choice.channels,
                None => wanted.push(*choice),
            }
        }
    }

    /// Examines the same head of a packet that visits an intermediate node with another of its two goals:
    /// another destination until it has been there, another intermediate node from then on. Its choices must
    /// still be `wanted`.
    pub(super) fn examine_goals(
        &mut self,
        head: &Head,
        wanted: &[Choice],
    ) -> Result<(), CheckError> {
        let leg = self.leg;
        let others = (0..self.links.nodes()).map(NodeId);
        let mut others = others.filter(|node| ![head.here, leg.destination].contains(node));
        let Some(other) = others.next() else {
            return Ok(());
        };
        let (destination, intermediate) = if leg.visited {
            (leg.destination, other)
        } else {
            (other, leg.destination)
        };
        let head = Head {
            destination,
            ..*head
        };
        let mut found = Vec::with_capacity(wanted.len());
        for coins in self.declaration.coins {
            let chance = Chance::Given {
                coins: *coins,
                intermediate,
            };
            self.routing.choices_under(&head, chance, &mut self.choices);
            self.add_choices(&mut found);
        }
        if found != wanted {
            return Err(self.fault(FaultKind::BothGoals, &head));
        }
        Ok(())
    }

    /// Examines the same head after all the deroutes that it is allowed, if that is a different head.
    pub(super) fn examine_fully_derouted(&mut self, head: &Head) -> Result<(), CheckError> {
        let deroutes = self.declaration.misroutes;
        if head.deroutes >= deroutes {
            return Ok(());
        }
        self.examine(&Head { deroutes, ..*head }, &mut Vec::new())
    }

    fn verify_declaration(&mut self, head: &Head) -> Result<(), CheckError> {
        let Declaration {
            channels,
            escape,
            misroutes,
            is_table,
            ..
        } = self.declaration;
        let left = self.routing.links_left(head);
        self.has_own_measure |= left.is_some() || is_table;
        let all = self.choices.preferred.iter().chain(&self.choices.fallback);
        let mut first = None;
        let mut escapes = escape.is_none();
        let far = self.far(head.here);
        for choice in all {
            let Some(next) = self.links.end_of(head.here, choice.port) else {
                return Err(self.fault(FaultKind::NoLink, head));
            };
            let own = u32::MAX >> (u32::BITS - u32::from(channels));
            if choice.channels == 0 || choice.channels & !own != 0 {
                return Err(self.fault(FaultKind::NoChannel, head));
            }
            let closer = match left {
                None => self.far(next.0) < far,
                Some(left) => self.leaves_fewer(head, choice, next, left),
            };
            match (closer, choice.deroute) {
                (false, false) if is_table => {}
                (false, false) => return Err(self.fault(FaultKind::NotCloser, head)),
                (true, true) => return Err(self.fault(FaultKind::NoDeroute, head)),
                (false, true) if head.deroutes >= misroutes => {
                    return Err(self.fault(FaultKind::TooManyDeroutes, head));
                }
                _ => {}
            }
            escapes |= escape.is_some_and(|escape| escape & choice.channels != 0);
            self.adaptive |= *first.get_or_insert(choice.port) != choice.port;
        }
        match (first, escapes) {
            (None, _) if is_table => Ok(()),
            (None, _) => Err(self.fault(FaultKind::NoChoice, head)),
            (_, false) => Err(self.fault(FaultKind::NoEscape, head)),
            _ => Ok(()),
        }
    }

    /// Whether a head has fewer links left than `left` after a choice, by the function's own measure; `next`
    /// is the far end of the port.
    fn leaves_fewer(
        &self,
        head: &Head,
        choice: &Choice,
        (next, port): (NodeId, Port),
        left: u32,
    ) -> bool {
        let comes = |channel| Head {
            here: next,
            from: Some((port, channel)),
            ..*head
        };
        let left_by = |channel| self.routing.links_left(&comes(channel));
        next == head.destination
            || each_channel(choice.channels).all(|it| left_by(it).is_some_and(|then| then < left))
    }

    fn fault(&self, kind: FaultKind, head: &Head) -> CheckError {
        let node = |node| self.topology.node_name(node);
        let port = head.from.map(|(port, _)| self.topology.port_name(port));
        CheckError::Broken(RoutingFault {
            kind,
            head: *head,
            names: (node(head.here), node(head.destination), port),
        })
    }
}
