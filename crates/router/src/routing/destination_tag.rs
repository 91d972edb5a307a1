//! Destination tag: the only way through the stages of a fly or the levels of a butterfly; at each stage a digit of the destination's number says
//! the port (Dally and Towles 2004, section 8.4.1).
//!
//! A packet leaves each stage for the next, so no dependencies of channels form a cycle.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, TerminalId};

const NAME: &str = "destination-tag";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "the only way through the stages of a fly or the levels of a butterfly",
    needs: Needs::levels(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build,
};

struct ByTag {
    shape: Shape,
    channels: u8,
}

impl Routing for ByTag {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        for port in self.shape.productive(head.here, head.destination).iter() {
            choices.prefer(port, all(self.channels));
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    if !has_one_way(shape) {
        let found = format!("{NAME} where packets have several ways");
        let allowed = format!("{NAME} on a fly or a butterfly");
        return Err(RoutingError::Topology(WrongValue::new(
            "name", found, allowed,
        )));
    }
    Ok(Box::new(ByTag {
        shape: shape.clone(),
        channels: parameters.channels,
    }))
}

/// Whether there is one way from the node where each terminal's packets enter to that of each other.
fn has_one_way(shape: &Shape) -> bool {
    let terminals = || (0..shape.terminals()).map(TerminalId);
    let homes: Vec<NodeId> = terminals().map(|terminal| shape.home(terminal)).collect();
    // All nodes of the way to a home that any packet can come to.
    homes.iter().all(|to| {
        let mut seen = vec![false; shape.nodes() as usize];
        terminals().all(|from| {
            let mut at = shape.entry(from);
            while at != *to && !std::mem::replace(&mut seen[at.index()], true) {
                let ports = shape.productive(at, *to);
                let next = ports
                    .iter()
                    .next()
                    .and_then(|port| shape.neighbour(at, port));
                match next.filter(|_| ports.len() == 1) {
                    Some(next) => at = next,
                    None => return false,
                }
            }
            true
        })
    })
}
