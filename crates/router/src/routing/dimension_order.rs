//! Dimension order: one dimension after the other, in each the shorter way (Sullivan and Bashkow 1977; on a
//! torus with the virtual channels of Dally and Seitz 1987).

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::phases::Phases;
use super::{Freedom, Needs, ORDERED, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "dimension-order",
    summary: "one dimension after the other, the shorter way in each",
    needs: Needs::any(1, 2).or_lines(1),
    freedom: Freedom::Acyclic,
    reads: ORDERED,
    own: None,
    build: |parameters, shape| {
        let lines = super::lines::in_order(parameters, shape)?;
        Ok(lines.unwrap_or_else(|| Box::new(DimensionOrder(Phases::new(parameters, shape, 1)))))
    },
};

struct DimensionOrder(Phases);

impl Routing for DimensionOrder {
    #[inline]
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let Phases { ordered, order, .. } = &self.0;
        let step = ordered.step(head, chance, head.destination, self.0.came(head), *order);
        self.0.choose(step.port, step.class, choices);
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}
