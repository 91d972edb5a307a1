//! The links of a worker's nodes: a bounded queue between nodes of one worker, a bounded crossbeam channel between
//! nodes of two.

use crate::links::{Links, Pushed};
use crate::run::Run;
use crate::timing::Difference;
use crossbeam_channel::{Receiver, Sender, TrySendError};
use flitwork_network::Message;
use flitwork_trace::record::{Arrivals, Head};
use flitwork_types::{Cycle, NodeId, Port, PortSet};
use std::collections::VecDeque;

/// The end of a node's link at one port.
pub(crate) enum Inbound {
    /// There is no link.
    None,
    /// From a node of the same worker.
    Inside(VecDeque<Message>),
    /// From a node of another worker.
    Across(Receiver<Message>),
    /// Closed early.
    Closed,
}

/// Where messages through a port go.
pub(crate) enum Outbound {
    None,
    /// To a node of the same worker, by its place among them.
    Inside {
        place: usize,
        port: Port,
    },
    Across(Sender<Message>),
}

/// All links of a worker's nodes, `links` for each node.
#[derive(Default)]
pub(crate) struct Board {
    pub(crate) links: usize,
    pub(crate) capacity: usize,
    pub(crate) inbound: Vec<Inbound>,
    pub(crate) outbound: Vec<Outbound>,
    /// Ports of each node at which messages of the same worker wait.
    pub(crate) inside: Vec<u64>,
    /// Ports of each node that lead to other workers.
    pub(crate) across: Vec<u64>,
    /// Nodes that have run their last cycle.
    pub(crate) finished: Vec<bool>,
    /// In a replay: the port at which each node waits for a message of the same worker, one bit, or none.
    pub(crate) awaited_port: Vec<u64>,
    /// Whether a message was sent or taken since the last check.
    pub(crate) touched: bool,
}

/// The links of one of a worker's nodes.
pub(crate) struct NodeLinks<'a> {
    pub(crate) board: &'a mut Board,
    pub(crate) run: &'a Run,
    pub(crate) place: usize,
    pub(crate) node: NodeId,
}

impl Links for NodeLinks<'_> {
    #[inline]
    fn waiting(&mut self) -> PortSet {
        PortSet(self.board.inside[self.place] | self.board.across[self.place])
    }

    #[inline]
    fn pop(&mut self, port: Port) -> Option<Message> {
        let message = match &mut self.board.inbound[self.place * self.board.links + port.index()] {
            Inbound::Inside(queue) => {
                let message = queue.pop_front();
                if queue.is_empty() {
                    self.board.inside[self.place] &= !(1 << port.0);
                }
                message
            }
            Inbound::Across(receiver) => receiver.try_recv().ok(),
            Inbound::None | Inbound::Closed => None,
        };
        self.board.touched |= message.is_some();
        message
    }

    #[inline]
    fn push(&mut self, port: Port, message: Message) -> Pushed {
        let links = self.board.links;
        match &self.board.outbound[self.place * links + port.index()] {
            Outbound::Inside { place, port } => {
                let (place, port) = (*place, *port);
                match &mut self.board.inbound[place * links + port.index()] {
                    _ if self.board.finished[place] => Pushed::Gone,
                    Inbound::Inside(queue) => {
                        if queue.len() >= self.board.capacity {
                            return Pushed::Full;
                        }
                        queue.push_back(message);
                        self.board.inside[place] |= 1 << port.0;
                        self.board.touched = true;
                        Pushed::Gone
                    }
                    _ => Pushed::Closed,
                }
            }
            Outbound::Across(sender) => match sender.try_send(message) {
                Ok(()) => {
                    self.board.touched = true;
                    Pushed::Gone
                }
                Err(TrySendError::Full(_)) if !self.far_has_finished(port) => Pushed::Full,
                Err(TrySendError::Disconnected(_)) if !self.far_has_finished(port) => {
                    Pushed::Closed
                }
                Err(_) => Pushed::Gone,
            },
            Outbound::None => unreachable!("node {} sent over a missing link {port:?}", self.node),
        }
    }

    fn close(&mut self) {
        for port in 0..self.board.links {
            self.board.inbound[self.place * self.board.links + port] = Inbound::Closed;
        }
    }
}

impl NodeLinks<'_> {
    fn far_has_finished(&self, port: Port) -> bool {
        let far = self.run.far(self.node, port);
        far.is_some_and(|(far, _)| self.run.has_finished(far))
    }
}

/// The links of a node. A worker's are compiled into what runs the node: behind an object they would take 4 % more of a
/// run's instructions.
pub(crate) enum AnyLinks<'a> {
    NodeLinks(NodeLinks<'a>),
    Other(&'a mut dyn Links),
}

impl Links for AnyLinks<'_> {
    #[inline]
    fn waiting(&mut self) -> PortSet {
        match self {
            AnyLinks::NodeLinks(place) => place.waiting(),
            AnyLinks::Other(links) => links.waiting(),
        }
    }

    #[inline]
    fn pop(&mut self, port: Port) -> Option<Message> {
        match self {
            AnyLinks::NodeLinks(place) => place.pop(port),
            AnyLinks::Other(links) => links.pop(port),
        }
    }

    #[inline]
    fn push(&mut self, port: Port, message: Message) -> Pushed {
        match self {
            AnyLinks::NodeLinks(place) => place.push(port, message),
            AnyLinks::Other(links) => links.push(port, message),
        }
    }

    #[inline]
    fn foretell(
        &mut self,
        node: NodeId,
        now: Cycle,
        arrivals: &Arrivals,
        heads: &[(Port, Head)],
    ) -> Result<(), Box<Difference>> {
        match self {
            AnyLinks::NodeLinks(_) => Ok(()),
            AnyLinks::Other(links) => links.foretell(node, now, arrivals, heads),
        }
    }

    fn close(&mut self) {
        match self {
            AnyLinks::NodeLinks(place) => place.close(),
            AnyLinks::Other(links) => links.close(),
        }
    }
}
