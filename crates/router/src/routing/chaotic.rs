//! Chaotic: minimal adaptive; if nothing productive is free, a packet may also be derouted, a limited number
//! of times. After the Chaos router (Konstantinidou and Snyder 1994), whose multiqueue a wormhole router
//! doesn't have.
//!
//! Escape channels are offered beside the deroutes, so nothing waits forever; the bound on deroutes keeps
//! packets from wandering forever. A packet that has entered the escape channels stays in them. If it could
//! be derouted from there, it would hold an escape channel of a late dimension while waiting for one of an
//! early dimension, and such packets could wait for each other in a circle.

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::escape::Escape;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};
use flitwork_types::PortSet;

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "chaotic",
    summary: "minimal adaptive with a bounded number of deroutes, and escape channels",
    needs: Needs::any(2, 3),
    freedom: Freedom::Escape,
    reads: &["axis_order", "misroutes"],
    own: None,
    build,
};

/// The most deroutes that a packet may be allowed.
pub const MAX_MISROUTES: u16 = 255;
/// Deroutes that a packet is allowed by default.
pub const DEFAULT_MISROUTES: u16 = 4;

struct Chaotic {
    escape: Escape,
    misroutes: u16,
    /// For each node, the ports that have a link.
    links: Box<[PortSet]>,
}

impl Routing for Chaotic {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        choices.clear();
        let came = self.escape.came(head);
        let (port, channel) = self.escape.way(head, chance, came);
        choices.fall_back(port, channel, false);
        if came.is_some() {
            return;
        }
        let mut unproductive = self.links[head.here.index()];
        let places = &self.escape.ordered.places;
        places.for_each_productive(head.here, head.destination, |port| {
            choices.prefer(port, self.escape.adaptive);
            unproductive.remove(port);
        });
        if head.deroutes < self.misroutes {
            // Not straight back: the same link would be offered to the packet again.
            if let Some((port, _)) = head.from {
                unproductive.remove(port);
            }
            for port in unproductive.iter() {
                choices.fall_back(port, self.escape.adaptive, true);
            }
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            escape: Some(self.escape.escape),
            misroutes: self.misroutes,
            coins: self.escape.ordered.coins(),
            ..Declaration::plain(self.escape.channels)
        }
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let misroutes = parameters.misroutes.unwrap_or(DEFAULT_MISROUTES);
    WrongValue::unless_within("misroutes", misroutes.into(), (0, MAX_MISROUTES.into()))?;
    Ok(Box::new(Chaotic {
        escape: Escape::new(parameters, shape),
        misroutes,
        links: (0..shape.nodes())
            .map(|node| shape.links(flitwork_types::NodeId(node)))
            .collect(),
    }))
}
