//! Constructions against rules of any type.

use super::adaptive::{AdaptiveConstants, construct_adaptive};
use super::dimension::{DimensionClass, DimensionConstants, construct_dimension};
use super::{Constructed, Corner, LowerError};
use crate::machine::{Machine, MachineError};
use crate::meddler::Nobody;
use crate::route::{Ended, GoOn};
use crate::rule::{Blind, Rule};
use crate::store::Store;
use flitwork_topology::Shape;
use std::any::TypeId;

/// The constants of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// Of sections 2.3 to 2.4.4.
    Adaptive(AdaptiveConstants),
    /// Of section 2.4.5.
    Dimension(DimensionConstants),
}

impl Constants {
    /// The side of the box inside which rules of the class may deroute: before the edge of the 1-box, as section 2.4.4 has it.
    pub fn box_side(&self) -> u32 {
        match self {
            Constants::Adaptive(it) => it.before_the_edge(),
            Constants::Dimension(_) => 0,
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
    pub fn shape(&self) -> Shape {
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
    pub fn construct<R: Rule>(
        &self,
        corner: Corner,
        rule: &R,
        go_on: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>> {
        let is_blind = TypeId::of::<R::Sight>() == TypeId::of::<Blind>();
        match self {
            Constants::Adaptive(it) => {
                is_blind.then(|| construct_adaptive(it, corner, rule, go_on))
            }
            Constants::Dimension(it) => {
                let sees = matches!(
                    it.class,
                    DimensionClass::FarthestFirst | DimensionClass::NearestFirst
                );
                (sees || is_blind).then(|| construct_dimension(it, corner, rule, go_on))
            }
        }
    }

    /// Routes what was made, without exchanges.
    ///
    /// # Errors
    /// Those of [`Machine::new`].
    pub fn repeat(
        &self,
        made: &Constructed,
        rule: &impl Rule,
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError> {
        let shape = self.shape();
        let mut machine = Machine::new(&shape, rule, self.store(), &made.problem)?;
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
