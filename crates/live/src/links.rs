//! The ends of a node's links, whatever they are made of.

use crate::timing::Difference;
use flitwork_network::Message;
use flitwork_trace::record::{Arrivals, Head};
use flitwork_types::{Cycle, NodeId, Port, PortSet};

/// What became of a message that was to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It is on its way, or the far end has run its last cycle and wants no more.
    Gone,
    /// The channel is full.
    Full,
    /// The far end has disappeared early.
    Closed,
}

/// The ends of one node's links.
pub(crate) trait Links {
    /// The ports at which a message may wait.
    fn waiting(&mut self) -> PortSet;
    /// Takes the oldest message that waits at a port.
    fn pop(&mut self, port: Port) -> Option<Message>;
    /// Sends a message through a port.
    fn push(&mut self, port: Port, message: Message) -> Pushed;
    /// In a replay: the record says what arrives now, and which packets. For links without a far end.
    #[inline]
    fn foretell(
        &mut self,
        _node: NodeId,
        _now: Cycle,
        _arrivals: &Arrivals,
        _heads: &[(Port, Head)],
    ) -> Result<(), Box<Difference>> {
        Ok(())
    }
    /// Closes the channels into the node, as if its end had been lost.
    fn close(&mut self);
}
