//! What is measured of each design with each seed.

use super::SelfTimed;
use super::costs::{Costs, Counts, Gating, Spent};
use super::place::{Load, Place};
use crate::context::{Context, Failed};
use crate::many::{OfPoint, admit, if_steady, repeat};
use crate::options::{Repeats, jobs_or_cores};
use crate::seeds::distinct;
use crate::seen::Served;
use flitwork_config::{Catalogue, Override};
use flitwork_results::Results;
use flitwork_sweep::pool::Stop;
use flitwork_sweep::run_patiently;

/// The runs of a design with a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) seed: u64,
    /// Of its clock.
    pub(super) period_ps: Option<u64>,
    /// On each link.
    pub(super) registers: u32,
    pub(super) low: Measured,
    pub(super) most: Measured,
}

/// What is measured at a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// In ns, if the run was steady.
    pub(super) latency: Option<f64>,
    /// In words per node and ns.
    pub(super) accepted: f64,
    pub(super) counts: Counts,
    /// Waits are in ns.
    pub(super) served: Served,
}

impl Measured {
    fn of(results: &Results, cycle_ps: u64) -> Option<Measured> {
        let latency = results.exact.as_ref()?.latency.mean;
        let cycle_ns = cycle_ps as f64 / 1000.0;
        let served = Served::of(results);
        Some(Measured {
            latency: if_steady(results, latency.map(|mean| mean.mean / 1000.0)),
            accepted: results.load.as_ref()?.accepted.mean / cycle_ns,
            counts: Counts::of(results)?,
            served: Served {
                longest_wait: served.longest_wait.map(|cycles| cycles * cycle_ns),
                ..served
            },
        })
    }
}

impl Run {
    pub(super) fn at(&self, load: Load) -> &Measured {
        match load {
            Load::Low => &self.low,
            Load::Most => &self.most,
        }
    }

    /// What it spent at a load per delivered word.
    pub(super) fn spent(
        &self,
        place: &Place,
        costs: &Costs,
        gating: Gating,
        load: Load,
    ) -> Option<Spent> {
        let link = (place.length, self.registers);
        costs.spent(&self.at(load).counts, gating, link)
    }
}

impl SelfTimed {
    /// The runs of each place, one for each seed. Designs that differ only by gates share them.
    pub(super) fn measure(
        &self,
        context: &mut dyn Context,
        places: &[Place],
    ) -> Result<Vec<OfPoint<Run>>, Failed> {
        let catalogue = context.catalogue().clone();
        let own = distinct(places.iter().map(Place::as_run));
        let Repeats { over, jobs, .. } = &self.repeats;
        let first = own.iter().map(|place| {
            let at = (over.first_seed, Load::Most);
            place.resolve(self, &catalogue, at, &[])
        });
        admit(jobs_or_cores(*jobs), over.seeds, first)?;
        let runs = repeat(context, &own, (over, *jobs), |place, seed, stop| {
            self.one(place, &catalogue, seed, stop)
        })?;
        let of = |place: &Place| {
            let at = own.iter().position(|it| *it == place.as_run())?;
            runs[at].clone()
        };
        Ok(places.iter().map(of).collect())
    }

    /// Both runs of a place with a seed.
    fn one(&self, place: &Place, catalogue: &Catalogue, seed: u64, stop: &Stop) -> Option<Run> {
        let period = place.period(self, catalogue, seed).ok()?;
        let at = |load| {
            let resolve = |more: &[Override]| place.resolve(self, catalogue, (seed, load), more);
            let cycle_ps = resolve(&[]).ok()?.clocks.period_ps;
            // What an overloaded network accepts needs no steady state.
            let may_wait = load == Load::Low;
            let decided = run_patiently(resolve, may_wait, || stop.flow()).ok()??;
            Measured::of(&decided.results, cycle_ps)
        };
        let [most, low] = Load::BOTH.map(at);
        Some(Run {
            seed,
            period_ps: period.map(|it| it.ps),
            registers: place.registers(period),
            low: low?,
            most: most?,
        })
    }
}
