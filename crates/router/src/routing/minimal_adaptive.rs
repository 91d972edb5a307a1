//! Minimal adaptive: any shortest path in the adaptive virtual channels; if none of those is free, dimension
//! order in the escape channels (Duato 1993).
//!
//! A packet may leave the escape channels again. It waits for both kinds at once, so some packet in the
//! escape channels can always move on.

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::escape::Escape;
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "minimal-adaptive",
    summary: "any shortest path, and dimension order in escape channels",
    needs: Needs::any(2, 3).or_lines(2),
    freedom: Freedom::Escape,
    reads: &["axis_order"],
    own: None,
    build: |parameters, shape| {
        let lines = super::lines::adaptive(parameters, shape)?;
        Ok(lines.unwrap_or_else(|| Box::new(MinimalAdaptive(Escape::new(parameters, shape)))))
    },
};

struct MinimalAdaptive(Escape);

impl Routing for MinimalAdaptive {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let own = &self.0;
        choices.clear();
        own.ordered
            .places
            .for_each_productive(head.here, head.destination, |port| {
                choices.prefer(port, own.adaptive);
            });
        let (port, channel) = own.way(head, chance, own.came(head));
        choices.fall_back(port, channel, false);
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            escape: Some(self.0.escape),
            coins: self.0.ordered.coins(),
            ..Declaration::plain(self.0.channels)
        }
    }
}
