//! `naive`: packets on fixed paths, all over their first links, then all over their second: at most c d steps (Leighton, Maggs
//! and Rao 1988, section 2).

use super::frames::{counted, paths};
use super::{MethodParameters, ScheduleResult, Unmade};
use crate::Request;
use crate::frames::naive;
use flitwork_topology::Shape;

/// The method; it has no parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveParameters;

impl MethodParameters for NaiveParameters {
    const NAME: &'static str = "naive";
    const HELP: &'static str = "packets on fixed paths, link by link: c d steps at most";

    fn seeded(_: u64) -> NaiveParameters {
        NaiveParameters
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let scheduled = naive(&paths(Self::NAME, shape, requests)?);
        let summary = counted(&scheduled, &[]);
        let plans = scheduled.plans;
        Ok(ScheduleResult { plans, summary })
    }
}
