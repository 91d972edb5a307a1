//! Nearest common ancestor: up a tree to a switch below which the destination lies, and down the only way.
//!
//! ```text
//!        ( )   ( )        up to any of the common ancestors: to one with a free channel, to one drawn for the packet, or
//!       ↗   ╲ ╱   ↘       to the one that all packets to a destination share
//!     ( )         ( )
//! ```
//!
//! No link down leads to one up, so no dependencies of channels form a cycle, with one virtual channel (Leiserson 1985; Petrini and Vanneschi 1997).
//! Which port leads up by destination is the digit of the terminal's number at the level: packets to one terminal meet as high as they can, those to different
//! terminals use different links (Zahavi 2012, "d-mod-k").

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing, Split};
use super::draws::PacketDraws;
use super::{Freedom, FunctionParameters, Needs, RoutingEntry, RoutingError, RoutingParameters};
use arrayvec::ArrayVec;
use flitwork_schema::{Allowed, Key, WrongValue, key};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{MAX_PORTS, NodeId, Port, TerminalId};

pub(super) const ENTRY: RoutingEntry = RoutingEntry::of::<NearestCommonAncestor>();

/// Which way up a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// Any with a free channel.
    #[default]
    Adaptive,
    /// One drawn for the packet at each switch.
    Random,
    /// By the destination's number.
    Destination,
}

flitwork_schema::named!(Up { Adaptive = "adaptive", Random = "random", Destination = "destination" });

/// The keys of this routing function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearestCommonAncestor {
    /// Which way up.
    pub up: Up,
}

impl FunctionParameters for NearestCommonAncestor {
    const NAME: &'static str = "nearest-common-ancestor";
    const HELP: &'static str = "up a tree to a switch below which the destination lies, and down";
    const NEEDS: Needs = Needs::levels(1);
    const FREEDOM: Freedom = Freedom::Acyclic;
    #[rustfmt::skip]
    const KEYS: &'static [Key<NearestCommonAncestor>] = &[
        key("up", |it| &mut it.up, Allowed::Choice(Up::NAMES), "\"adaptive\"", "which way up: any with a free channel, one drawn for the packet at each switch, or by the destination's number"),
    ];

    fn build(
        &self,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> Result<Box<dyn Routing>, RoutingError> {
        let mut terminals = (0..shape.terminals()).map(TerminalId);
        if terminals.any(|terminal| shape.entry(terminal) != shape.home(terminal)) {
            let found = format!("{} on stages", Self::NAME);
            let allowed = format!(
                "{} on a tree, whose terminals send from where they receive",
                Self::NAME
            );
            return Err(RoutingError::Topology(WrongValue::new(
                "name", found, allowed,
            )));
        }
        Ok(Box::new(ToAncestor {
            shape: shape.clone(),
            channels: parameters.channels,
            up: self.up,
            draws: PacketDraws::new(parameters.seed),
        }))
    }
}

struct ToAncestor {
    shape: Shape,
    channels: u8,
    up: Up,
    draws: PacketDraws,
}

impl ToAncestor {
    /// The one way up among those that there are.
    fn chosen(&self, head: &Head, ways: &[Port], level: u32) -> Port {
        let count = ways.len() as u32;
        let place = match self.up {
            Up::Random => self.draws.of(head).below(level, count),
            // The switch's own digits come from the levels below.
            _ => {
                let below = self
                    .shape
                    .level(self.shape.home(head.terminal))
                    .unwrap_or(level);
                let digit = count.saturating_pow(below.saturating_sub(level));
                head.terminal.0 / digit % count
            }
        };
        ways[place as usize]
    }

    fn leads_up(&self, here: NodeId, port: Port) -> bool {
        let next = self.shape.neighbour(here, port);
        next.is_some_and(|next| self.shape.level(next) < self.shape.level(here))
    }
}

impl Routing for ToAncestor {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let channels = all(self.channels);
        choices.clear();
        let ways: ArrayVec<Port, MAX_PORTS> = self
            .shape
            .productive(head.here, head.destination)
            .iter()
            .collect();
        let is_up = ways
            .first()
            .is_some_and(|port| self.leads_up(head.here, *port));
        // The check examines all ways that a draw or a destination may choose.
        if is_up && self.up != Up::Adaptive && chance == Chance::Drawn {
            let level = self.shape.level(head.here).unwrap_or_default();
            return choices.prefer(self.chosen(head, &ways, level), channels);
        }
        ways.into_iter()
            .for_each(|port| choices.prefer(port, channels));
    }

    fn split(&self) -> Split {
        match self.up {
            Up::Adaptive => Split::Free,
            Up::Random => Split::Even,
            Up::Destination => Split::ByTerminal,
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}
