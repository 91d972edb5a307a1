//! Constructions against rules by name.

use super::adaptive::{AdaptiveConstants, construct_adaptive};
use super::dimension::{
    DimensionClass, DimensionConstants, construct_dimension, construct_farthest, construct_nearest,
};
use super::{Constructed, Corner, LowerError};
use crate::machine::{Machine, MachineError};
use crate::meddler::Nobody;
use crate::route::{Ended, GoOn};
use crate::rules::{
    Chosen, DimensionOrder, FarthestFirst, Fixed, InqueueName, NearestFirst, RoundRobin, RuleName,
    Visit, VisitBlind,
};
use crate::sight::Blind;
use crate::{Rule, Store};
use flitwork_topology::Grid;

/// The constants of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// Of sections 2.3 to 2.4.4.
    Adaptive(AdaptiveConstants),
    /// Of section 2.4.5.
    Dimension(DimensionConstants),
}

impl Constants {
    /// A rule of the class: one that deroutes does so before the edge of the 1-box, as section 2.4.4 has it.
    pub fn chosen(
        &self,
        rule: RuleName,
        (inqueue, seed): (InqueueName, u64),
        corner: Corner,
    ) -> Chosen {
        let within = match self {
            Constants::Adaptive(it) => (it.side, corner, it.before_the_edge()),
            Constants::Dimension(it) => (it.side, corner, 0),
        };
        Chosen {
            rule,
            inqueue,
            seed,
            within,
        }
    }

    /// Where a node keeps packets.
    pub fn store(&self) -> Store {
        match self {
            Constants::Adaptive(it) => it.store(),
            Constants::Dimension(it) => it.store(),
        }
    }

    /// The network.
    pub fn grid(&self) -> Grid {
        match self {
            Constants::Adaptive(it) => super::construct::square(it.side, it.setting.wraps),
            Constants::Dimension(it) => super::construct::square(it.side, false),
        }
    }

    /// The steps that the rule takes at least.
    pub fn bound_steps(&self) -> u32 {
        match self {
            Constants::Adaptive(it) => it.bound_steps(),
            Constants::Dimension(it) => it.bound_steps(),
        }
    }

    /// The steps, the packets and the number of classes.
    pub fn classes(&self) -> (u32, u32, u32) {
        match self {
            Constants::Adaptive(it) => (it.class_steps, it.per_class, it.classes),
            Constants::Dimension(it) => (it.class_steps, it.per_class, it.classes),
        }
    }

    /// Makes what a rule takes long for; of a rule that isn't of the constants' class, nothing.
    ///
    /// # Errors
    /// Those of the constructions.
    pub fn construct(
        &self,
        corner: Corner,
        chosen: &Chosen,
        go_on: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>> {
        let it = match self {
            Constants::Adaptive(constants) => {
                return chosen
                    .visit_blind(Adaptive {
                        constants,
                        corner,
                        go_on,
                    })
                    .ok();
            }
            Constants::Dimension(it) => it,
        };
        let (n, k) = (it.side, it.queue);
        let is_round = chosen.inqueue == InqueueName::RoundRobin;
        Some(match (it.class, is_round) {
            (DimensionClass::Blind | DimensionClass::StraightThrough, _) => {
                return chosen
                    .visit_blind(Dimension {
                        constants: it,
                        corner,
                        go_on,
                    })
                    .ok();
            }
            (DimensionClass::FarthestFirst, false) => {
                let rule = DimensionOrder::<FarthestFirst, Fixed>::default();
                construct_farthest(n, k, corner, &rule, go_on)
            }
            (DimensionClass::FarthestFirst, true) => {
                let rule = DimensionOrder::<FarthestFirst, RoundRobin>::default();
                construct_farthest(n, k, corner, &rule, go_on)
            }
            (DimensionClass::NearestFirst, false) => {
                let rule = DimensionOrder::<NearestFirst, Fixed>::default();
                construct_nearest(n, k, corner, &rule, go_on)
            }
            (DimensionClass::NearestFirst, true) => {
                let rule = DimensionOrder::<NearestFirst, RoundRobin>::default();
                construct_nearest(n, k, corner, &rule, go_on)
            }
        })
    }

    /// Routes what was made, without exchanges.
    ///
    /// # Errors
    /// Those of [`Machine::new`].
    pub fn repeat(
        &self,
        made: &Constructed,
        chosen: &Chosen,
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError> {
        let grid = self.grid();
        chosen.visit(Repeating {
            grid: &grid,
            store: self.store(),
            made,
            go_on,
        })
    }
}

struct Adaptive<'a, 'b> {
    constants: &'a AdaptiveConstants,
    corner: Corner,
    go_on: GoOn<'b>,
}

impl VisitBlind for Adaptive<'_, '_> {
    type Out = Result<Constructed, LowerError>;

    fn blind<R: Rule<Sight = Blind>>(self, rule: &R) -> Self::Out {
        construct_adaptive(self.constants, self.corner, rule, self.go_on)
    }
}

struct Dimension<'a, 'b> {
    constants: &'a DimensionConstants,
    corner: Corner,
    go_on: GoOn<'b>,
}

impl VisitBlind for Dimension<'_, '_> {
    type Out = Result<Constructed, LowerError>;

    fn blind<R: Rule<Sight = Blind>>(self, rule: &R) -> Self::Out {
        construct_dimension(self.constants, self.corner, rule, self.go_on)
    }
}

/// What a rule does with what was made against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// How that ended.
    pub ended: Ended,
    /// The steps that it has taken.
    pub steps: u32,
    /// The most packets that any node has held at the beginning, or at a step's end.
    pub queue_max: usize,
    /// Whether its packets stood at the bound where they stood with exchanges (Lemma 2.12).
    pub repeats: bool,
    /// The packets that are still under way.
    pub undelivered: usize,
}

struct Repeating<'a, 'b> {
    grid: &'a Grid,
    store: Store,
    made: &'a Constructed,
    go_on: GoOn<'b>,
}

impl Visit for Repeating<'_, '_> {
    type Out = Result<Repeated, MachineError>;

    fn rule<R: Rule>(self, rule: &R) -> Self::Out {
        let Repeating {
            grid,
            store,
            made,
            go_on,
        } = self;
        let mut machine = Machine::new(grid, rule, store, &made.problem)?;
        let mut goes_on = true;
        while goes_on && machine.steps() < made.bound_steps && !machine.is_done() {
            machine.step(&mut Nobody);
            goes_on = !machine.asks() || go_on(machine.steps());
        }
        let stands = machine.packets().iter().map(|it| it.at);
        let repeats = stands.eq(made.at_bound.iter().copied());
        let ended = match goes_on {
            true => machine.route(go_on),
            false => Ended::Stopped,
        };
        Ok(Repeated {
            ended,
            steps: machine.steps(),
            queue_max: machine.queue_max(),
            repeats,
            undelivered: machine.undelivered(),
        })
    }
}
