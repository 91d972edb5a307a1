//! An algorithm of any kind, behind one object type.

use super::algorithm::Algorithm;
use super::algorithms::{EachAlgorithm, each_algorithm};
use super::journey::{Manner, Travelled, Witness, travel};
use super::setting::Setting;
use crate::machine::MachineError;
use crate::route::GoOn;
use crate::unfit::Unfit;
use flitwork_schema::{Datum, Key, RawTable, Value};
use flitwork_topology::Shape;
use flitwork_types::NodeId;
use std::fmt::Debug;
use std::sync::Arc;

/// An algorithm of any kind, with its parameters.
#[derive(Clone, Debug)]
pub struct AnyAlgorithm(Arc<dyn Object>);

trait Object: Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn help(&self) -> &'static str;
    fn has_key(&self, key: &str) -> bool;
    fn with(&self, given: &RawTable<'_>) -> AnyAlgorithm;
    fn learns(&self) -> bool;
    fn has_barriers(&self) -> bool;
    fn setting(
        &self,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        draws: (u32, u64),
    ) -> Result<Setting, Unfit>;
    fn epsilon(&self, setting: &Setting) -> Option<u32>;
    fn promises(&self, setting: &Setting) -> Promises;
    fn travel(
        &self,
        on: (&Shape, &Setting),
        problem: &[(NodeId, NodeId)],
        manner: Manner,
        seen: (&mut dyn Witness, GoOn<'_>),
    ) -> Result<Travelled, MachineError>;
}

/// What the paper promises of an algorithm for a problem, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promises {
    /// The leading term for any problem, the sum over the phases' lemmas; none where the paper promises nothing.
    pub leading: Option<f64>,
    /// The same for random problems, where the paper says it (section 7.4).
    pub average: Option<f64>,
    /// The term of lower order, but for its constant.
    pub excess_unit: f64,
}

impl<A: Algorithm> Object for A {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn help(&self) -> &'static str {
        A::HELP
    }

    fn has_key(&self, key: &str) -> bool {
        A::KEYS.iter().any(|it: &Key<A>| it.name == key)
    }

    fn with(&self, given: &RawTable<'_>) -> AnyAlgorithm {
        let mut algorithm = self.clone();
        given.set(A::KEYS, &mut algorithm);
        AnyAlgorithm(Arc::new(algorithm))
    }

    fn learns(&self) -> bool {
        Algorithm::learns(self)
    }

    fn has_barriers(&self) -> bool {
        A::HAS_BARRIERS
    }

    fn setting(
        &self,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        (flits, seed): (u32, u64),
    ) -> Result<Setting, Unfit> {
        let setting = Setting::new::<A>(shape, problem, flits, seed)?;
        self.check(&setting)?;
        Ok(setting)
    }

    fn epsilon(&self, setting: &Setting) -> Option<u32> {
        Algorithm::epsilon(self, setting)
    }

    fn promises(&self, setting: &Setting) -> Promises {
        Promises {
            leading: self
                .has_promise(setting)
                .then(|| self.leading_steps(setting)),
            average: self.average_steps(setting),
            excess_unit: self.excess_unit(setting),
        }
    }

    fn travel(
        &self,
        (shape, setting): (&Shape, &Setting),
        problem: &[(NodeId, NodeId)],
        manner: Manner,
        seen: (&mut dyn Witness, GoOn<'_>),
    ) -> Result<Travelled, MachineError> {
        travel(shape, (self, setting), problem, manner, seen)
    }
}

impl AnyAlgorithm {
    /// All algorithms, with the defaults of their keys, sorted by name.
    pub fn all() -> Vec<AnyAlgorithm> {
        struct All(Vec<AnyAlgorithm>);
        impl EachAlgorithm for All {
            fn algorithm<A: Algorithm>(&mut self) {
                self.0.push(AnyAlgorithm(Arc::new(A::default())));
            }
        }
        let mut all = All(Vec::new());
        each_algorithm(&mut all);
        all.0
    }

    /// What users call it.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What it does, in a line.
    pub fn help(&self) -> &'static str {
        self.0.help()
    }

    /// Whether it has a key of its own of that name.
    pub fn has_key(&self, key: &str) -> bool {
        self.0.has_key(key)
    }

    /// The same with values of its keys.
    #[must_use]
    pub fn with(&self, values: &[(&'static str, Datum)]) -> AnyAlgorithm {
        let values = values.iter();
        let values = values.map(|(key, datum)| ((*key).to_owned(), Value::from(datum.clone())));
        let values: Vec<_> = values.collect();
        self.0
            .with(&RawTable::new(self.name().into(), 0..0, &values))
    }

    /// Whether nodes learn the locality while packets are spread: other things than packets cross links then.
    pub fn learns(&self) -> bool {
        self.0.learns()
    }

    /// Whether a barrier ends every stage, if phases end by barriers.
    pub fn has_barriers(&self) -> bool {
        self.0.has_barriers()
    }

    /// What it is to route: packets of so many flits, with draws from a seed.
    ///
    /// # Errors
    /// An [`Unfit`] for a network or a problem that it isn't for.
    pub fn setting(
        &self,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        flits: u32,
        seed: u64,
    ) -> Result<Setting, Unfit> {
        self.0.setting(shape, problem, (flits, seed))
    }

    /// The width of the strips in which it draws places, in nodes, if it has such.
    pub fn epsilon(&self, setting: &Setting) -> Option<u32> {
        self.0.epsilon(setting)
    }

    /// What the paper promises.
    pub fn promises(&self, setting: &Setting) -> Promises {
        self.0.promises(setting)
    }

    /// Routes a problem: [`travel`].
    ///
    /// # Errors
    /// Those of [`Machine::new`](crate::Machine::new).
    pub fn travel(
        &self,
        on: (&Shape, &Setting),
        problem: &[(NodeId, NodeId)],
        manner: Manner,
        seen: (&mut dyn Witness, GoOn<'_>),
    ) -> Result<Travelled, MachineError> {
        self.0.travel(on, problem, manner, seen)
    }
}
