//! Self-timed designs against clocked ones, seed by seed.
//!
//! A seed draws the same chip and the same traffic rates for both, so what is compared is their ratio with that seed; its mean over
//! seeds has the interval of Student's t. Nothing is assumed about how much of chance both share.

use super::costs::{Costs, Gating, Kind};
use super::place::{Design, Load, Place, Timing};
use super::row::{SelfTimedRow, place_columns};
use super::run::Run;
use crate::seeds::over_seeds;
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};

/// What prices are called that aren't multiplied.
const AS_GIVEN: &str = "as given";

/// A self-timed row and another of the same network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) own: &'a SelfTimedRow,
    pub(super) against: &'a SelfTimedRow,
}

/// Each self-timed row against each other design of the same network in the same corner, or in all.
pub(super) fn pairs(rows: &[SelfTimedRow]) -> Vec<Pair<'_>> {
    let self_timed = rows.iter().filter(|row| row.place.design.is_self_timed());
    let of = |own| {
        let others = rows.iter().filter(move |row| is_against(own, row));
        others.map(move |against| Pair { own, against })
    };
    self_timed.flat_map(of).collect()
}

fn is_against(own: &SelfTimedRow, other: &SelfTimedRow) -> bool {
    let network = |place: &Place| (place.router.name, place.topology.clone(), place.length);
    let (own, other) = (&own.place, &other.place);
    network(own) == network(other)
        && own.spread == other.spread
        && !other.design.is_self_timed()
        && (other.corner.is_none() || own.corner == other.corner)
}

impl Pair<'_> {
    /// The ratio of a figure, seed by seed: over those that have it in both, if they are most.
    fn ratio(&self, of: impl Fn(&SelfTimedRow, &Run) -> Option<f64>) -> Option<Estimate> {
        let both = self.own.runs.iter().zip(&self.against.runs);
        let ratios = both.filter_map(|(own, against)| {
            assert_eq!(own.seed, against.seed, "pairs have a seed in common");
            Some(of(self.own, own)? / of(self.against, against)?)
        });
        let mean = over_seeds(ratios);
        mean.filter(|mean| 2 * mean.observations > self.own.runs.len() as u64)
    }

    pub(super) fn latency(&self) -> Option<Estimate> {
        self.ratio(|_, run| run.low.latency)
    }

    pub(super) fn accepted(&self) -> Option<Estimate> {
        self.ratio(|_, run| Some(run.most.accepted))
    }

    /// Of all energy at a load, by these prices, where clocks are gated in another way than usual.
    fn energy_by(&self, load: Load, costs: &Costs, gating: Option<Gating>) -> Option<Estimate> {
        self.ratio(|row, run| {
            let usual = row.place.design.gating();
            let gating = gating.filter(|_| usual != Gating::None).unwrap_or(usual);
            Some(run.spent(&row.place, costs, gating, load)?.total())
        })
    }

    pub(super) fn energy(&self, load: Load) -> Option<Estimate> {
        self.energy_by(load, &self.own.costs, None)
    }

    /// By how much longer than its own period, in percent, a binned clock must be for both to accept as much: what is accepted in a
    /// cycle doesn't depend on how long it takes.
    pub(super) fn break_even_margin(&self) -> Option<f64> {
        let is_binned = self.against.place.design.timing == Timing::Binned;
        let ratio = self.accepted().filter(|_| is_binned)?;
        Some(100.0 * (1.0 / ratio.mean - 1.0))
    }

    /// The energy at both loads where prices are halved and doubled, and where only idle nodes' clocks stop.
    pub(super) fn variants(&self) -> Vec<Variant> {
        let costs = self.own.costs;
        let mut all = vec![(AS_GIVEN, 1.0, costs, None)];
        for kind in Kind::ALL {
            all.extend(
                [0.5, 2.0].map(|factor| (kind.name(), factor, costs.with(kind, factor), None)),
            );
        }
        if self.against.place.design.is_gated {
            all.push((
                "gates of idle nodes only",
                1.0,
                costs,
                Some(Gating::IdleNodes),
            ));
        }
        let both = |(cost, factor, costs, gating)| {
            [Load::Low, Load::Most].map(|load| Variant {
                place: self.own.place.clone(),
                against: self.against.place.design,
                load,
                cost,
                factor,
                ratio: self.energy_by(load, &costs, gating),
            })
        };
        all.into_iter().flat_map(both).collect()
    }
}

/// The energy of a self-timed design against a clocked one, by some prices.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    place: Place,
    pub(super) against: Design,
    pub(super) load: Load,
    cost: &'static str,
    factor: f64,
    pub(super) ratio: Option<Estimate>,
}

impl Variant {
    /// Whether it has the usual prices and gates.
    pub(super) fn is_as_given(&self) -> bool {
        self.cost == AS_GIVEN
    }
}

/// A pair that is done with its rows.
#[derive(Clone, Debug)]
struct Compared {
    place: Place,
    against: Design,
    latency: Option<Estimate>,
    accepted: Option<Estimate>,
    low: Option<Estimate>,
    most: Option<Estimate>,
    break_even: Option<f64>,
}

/// The tables of all pairs, and of what prices change about them.
#[rustfmt::skip]
pub(super) fn pair_tables(rows: &[SelfTimedRow]) -> Vec<Table> {
    let all = pairs(rows);
    let compared = all.iter().map(|pair| Compared {
        place: pair.own.place.clone(),
        against: pair.against.place.design,
        latency: pair.latency(),
        accepted: pair.accepted(),
        low: pair.energy(Load::Low),
        most: pair.energy(Load::Most),
        break_even: pair.break_even_margin(),
    });
    let mut columns = place_columns(|it: &Compared| &it.place);
    columns.push(against(|it: &Compared| it.against));
    columns.extend(estimate(("latency_ratio", "latency_ratio"), "", "of latencies at the low load, seed by seed: self-timed over the other", |it: &Compared| it.latency));
    columns.extend(estimate(("accepted_ratio", "accepted_ratio"), "", "of accepted loads at overload", |it: &Compared| it.accepted));
    columns.extend(estimate(("low_energy_ratio", "low_energy_ratio"), "", "of all energy per delivered word at the low load", |it: &Compared| it.low));
    columns.extend(estimate(("overload_energy_ratio", "overload_energy_ratio"), "", "the same at overload", |it: &Compared| it.most));
    columns.push(column("break_even_margin_percent", "%", "by how much longer a binned clock's period must be for both to accept as much", |it: &Compared| it.break_even));
    let compared = Table::new("pairs", &columns, compared);
    let mut columns = place_columns(|it: &Variant| &it.place);
    columns.push(against(|it: &Variant| it.against));
    columns.extend([
        column("load", "", "`low load` or `overload`", |it: &Variant| it.load.name()),
        column("cost", "", "which prices are multiplied, or where clocks are gated less", |it: &Variant| it.cost),
        column("factor", "", "by how much", |it: &Variant| it.factor),
    ]);
    columns.extend(estimate(("energy_ratio", "energy_ratio"), "", "of all energy per delivered word, seed by seed: self-timed over the other", |it: &Variant| it.ratio));
    let variants = Table::new("prices", &columns, all.iter().flat_map(Pair::variants));
    vec![compared, variants]
}

fn against<R: 'static>(of: fn(&R) -> Design) -> Column<R> {
    column("against", "", "the other design", move |it| of(it).name())
}
