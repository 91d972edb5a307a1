//! Who stands between what nodes choose and what they accept: an adversary that exchanges destinations, or a checker.

use crate::PacketId;
use flitwork_types::{NodeId, Port};

/// A packet that a node offers to a neighbour in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Which packet.
    pub packet: PacketId,
    /// Where it is.
    pub from: NodeId,
    /// Over the link at which port.
    pub port: Port,
    /// Where the link leads.
    pub to: NodeId,
    /// To which port there.
    pub through: Port,
}

/// Where a packet is and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketState {
    /// The node that it is in: its destination once it is delivered.
    pub at: NodeId,
    /// Where it began.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// The step at whose end it came to where it is: 0 where it began.
    pub arrived: u32,
}

impl PacketState {
    /// The port by which it came, if that has this number: none where it began.
    pub(crate) fn came_by(&self, port: u8) -> Option<Port> {
        (self.arrived > 0).then_some(Port(port))
    }

    /// Whether it is out of the network.
    pub fn is_delivered(&self) -> bool {
        self.at == self.destination
    }
}

/// What a meddler may see and do.
#[derive(Debug)]
pub struct Meddling<'a> {
    pub(crate) step: u32,
    pub(crate) scheduled: &'a [Scheduled],
    pub(crate) packets: &'a mut [PacketState],
    pub(crate) exchanged: &'a mut Vec<(PacketId, PacketId)>,
}

impl Meddling<'_> {
    /// The number of this step, from 1.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// What all nodes have chosen to send.
    pub fn scheduled(&self) -> &[Scheduled] {
        self.scheduled
    }

    /// All packets of the problem, by number, as the step begins and after the exchanges so far.
    pub fn packets(&self) -> &[PacketState] {
        self.packets
    }

    /// Exchanges two packets' destinations: all that an exchange changes (Chinn 1995, section 2.1).
    pub fn exchange(&mut self, one: PacketId, other: PacketId) {
        let destination = self.packets[one.index()].destination;
        self.packets[one.index()].destination = self.packets[other.index()].destination;
        self.packets[other.index()].destination = destination;
        self.exchanged.push((one, other));
    }
}

/// Stands between what nodes choose and what they accept.
pub trait Adversary {
    /// Does what it does in this step.
    fn meddle(&mut self, meddling: &mut Meddling<'_>);
}

/// Does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Adversary for Nobody {
    fn meddle(&mut self, _: &mut Meddling<'_>) {}
}
