//! `exact`: the shortest schedule of a small problem, with its proof.

use super::{MethodParameters, ScheduleResult, Unmade};
use crate::Request;
use crate::bounds::{Limits, Model, shortest};
use flitwork_schema::{Allowed, Datum, Key, key};
use flitwork_topology::Shape;

/// Which schedules are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactParameters {
    /// Packets that may wait in a node at once, besides those that haven't left their sources.
    pub waiting: u32,
    /// Whether packets may leave shortest paths.
    pub detours: bool,
}

impl MethodParameters for ExactParameters {
    const NAME: &'static str = "exact";
    const HELP: &'static str = "the shortest schedule of a small problem, by satisfiability";
    #[rustfmt::skip]
    const KEYS: &'static [Key<ExactParameters>] = &[
        key("waiting", |it| &mut it.waiting, Allowed::Whole(0, u32::MAX as u64), "0", "packets that may wait in a node at once, besides those that haven't left their sources"),
        key("detours", |it| &mut it.detours, Allowed::Truth, "false", "whether packets may leave shortest paths"),
    ];

    fn seeded(_: u64) -> ExactParameters {
        ExactParameters {
            waiting: 0,
            detours: false,
        }
    }

    fn model(&self) -> Model {
        Model::new(self.waiting, self.detours)
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let (model, limits) = (self.model(), Limits::default());
        let found = shortest(shape, requests, model, &limits)?;
        Ok(ScheduleResult {
            summary: vec![
                ("is_proven", Some(Datum::Truth(found.is_proven()))),
                ("at_least", Some(Datum::Whole(found.at_least.into()))),
            ],
            plans: found.plans,
        })
    }
}
