//! `product`: a permutation of a mesh in three phases, by colours (Annexstein and Baumslag 1990; Symvonis and Tidswell 1994,
//! Theorem 2).

use super::{MethodParameters, ScheduleResult, Unmade, hold_mesh, mesh};
use crate::Request;
use crate::bounds::{product, product_bound};
use flitwork_schema::{Datum, RawTable, Refusal};
use flitwork_topology::{NetworkReading, Shape};

/// The method; it has no parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductParameters;

impl MethodParameters for ProductParameters {
    const NAME: &'static str = "product";
    const HELP: &'static str = "a permutation of a mesh in three phases, each along lines";

    fn seeded(_: u64) -> ProductParameters {
        ProductParameters
    }

    fn suit(&mut self, given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<(), Refusal> {
        hold_mesh(given, reading.shape)
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let mesh = mesh(shape).expect("a mesh: it was read for one");
        let found = product(&mesh, requests)?;
        let phases = found.phases.map(|steps| Datum::Whole(steps.into()));
        Ok(ScheduleResult {
            summary: vec![
                ("phases", Some(Datum::list(phases))),
                ("bound", Some(Datum::Whole(product_bound(&mesh).into()))),
            ],
            plans: found.plans,
        })
    }
}
