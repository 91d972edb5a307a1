//! All points of a sweep: the product of its axes and seeds.

use crate::axis::{Axis, MAX_POINTS, Value};
use crate::base::{self, Base, SEED};
use crate::error::Error;
use crate::seeds;
use flitwork_config::{Override, Resolved, Unread, Verdict};
use std::collections::BTreeSet;

/// The key of the load.
pub(crate) const LOAD: &str = "traffic.load";

/// The points of a sweep. The first axis varies slowest, seeds fastest.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The configuration that all points start from.
    pub base: Base,
    /// The varied keys.
    pub axes: Vec<Axis>,
    /// Seeds per combination.
    pub seeds: u32,
    /// The seed of the first point.
    pub first_seed: u64,
}

impl Plan {
    /// A plan of at least one point.
    ///
    /// # Errors
    /// More than a million points, a key that is varied twice, or seeds that are varied twice.
    pub fn new(base: Base, axes: Vec<Axis>, seeds: u32) -> Result<Plan, Error> {
        let mut plan = Plan::seeded(base, axes, seeds, 0)?;
        plan.first_seed = plan.configured_seed();
        let _ = seeds::row("--seeds", plan.first_seed, plan.seeds)?;
        Ok(plan)
    }

    /// A plan whose first seed is known.
    pub(crate) fn seeded(
        base: Base,
        axes: Vec<Axis>,
        seeds: u32,
        first_seed: u64,
    ) -> Result<Plan, Error> {
        for (index, axis) in axes.iter().enumerate() {
            if axes[..index].iter().any(|earlier| earlier.key == axis.key) {
                let message = format!(
                    "--over {}: is given twice\n  allowed: each key once",
                    axis.key
                );
                return Err(Error::BadValue(message));
            }
            let from = format!("--over {}", axis.key);
            base.refuse_given(&axis.key, &from, "one of the two")?;
            if axis.key == SEED && seeds > 1 {
                let message =
                    "--seeds: run.seed is varied by --over already\n  allowed: one of the two";
                return Err(Error::BadValue(message.into()));
            }
        }
        let _ = seeds::row("--seeds", first_seed, seeds)?;
        let sizes = axes.iter().map(|axis| axis.values.len() as u128);
        let points = sizes.fold(u128::from(seeds), u128::saturating_mul);
        if points == 0 || points > MAX_POINTS.into() {
            let message = format!("--over: {points} points\n  allowed: 1 to {MAX_POINTS} points");
            return Err(Error::BadValue(message));
        }
        Ok(Plan {
            base,
            axes,
            seeds,
            first_seed,
        })
    }

    /// The seed of the first valid combination; 1 if there is none.
    fn configured_seed(&self) -> u64 {
        let without = |point| Some(self.base.resolve_with_unread(&self.varied(point)).ok()?.0);
        let mut resolved = self.firsts().filter_map(without);
        resolved.next().map_or(1, |resolved| resolved.run.seed)
    }

    /// The first point of each combination.
    fn firsts(&self) -> impl Iterator<Item = u32> {
        (0..self.points()).step_by(self.seeds as usize)
    }

    /// The given keys that no valid point reads.
    ///
    /// # Errors
    /// One that is a mistake in some point.
    pub fn unread(&self) -> Result<Vec<Unread>, Error> {
        let mut unread: Option<Vec<Unread>> = None;
        for point in self.firsts() {
            let Ok((_, here)) = self.base.resolve_with_unread(&self.varied(point)) else {
                continue;
            };
            let known = unread.take().unwrap_or_else(|| here.clone());
            let still = known.into_iter().filter_map(|known| {
                let here = here.iter().find(|here| here.key == known.key)?;
                // A key whose value is the default in one point may have another one elsewhere.
                Some(match known.verdict {
                    Verdict::Usual => here.clone(),
                    _ => known,
                })
            });
            let still: Vec<Unread> = still.collect();
            if still.is_empty() {
                return Ok(still);
            }
            unread = Some(still);
        }
        let unread = unread.unwrap_or_default();
        let refused = unread.iter().find(|it| it.verdict == Verdict::Refused);
        match refused {
            Some(refused) => Err(refused.error.clone().into()),
            None => Ok(unread),
        }
    }

    /// The configuration of the first valid point.
    pub(crate) fn first(&self) -> Option<Resolved> {
        self.firsts().find_map(|point| self.resolve(point).ok())
    }

    /// How many points there are.
    pub fn points(&self) -> u32 {
        let sizes = self.axes.iter().map(|axis| axis.values.len() as u32);
        // The constructor has checked that there aren't more.
        sizes.product::<u32>() * self.seeds
    }

    /// The index of each axis' value at a point.
    pub(crate) fn places(&self, point: u32) -> Vec<usize> {
        let mut rest = (point / self.seeds) as usize;
        let from_fastest = self.axes.iter().rev().map(|axis| {
            let place = rest % axis.values.len();
            rest /= axis.values.len();
            place
        });
        let mut places: Vec<usize> = from_fastest.collect();
        places.reverse();
        places
    }

    /// The value of each axis at a point.
    pub fn values(&self, point: u32) -> Vec<&str> {
        let pairs = self.axes.iter().zip(self.places(point));
        pairs
            .map(|(axis, place)| axis.values[place].as_str())
            .collect()
    }

    /// The seed that the plan assigns to a point, if it has several.
    fn seed(&self, point: u32) -> Option<u64> {
        // The constructor has checked that they end before 2^64.
        let seed = self.first_seed + u64::from(point % self.seeds);
        (self.seeds > 1).then_some(seed)
    }

    fn varied(&self, point: u32) -> Vec<Override> {
        let values = self.values(point);
        let pairs = self.axes.iter().zip(values);
        let over = pairs.map(|(axis, value)| Override::by_assignment("--over", &axis.key, value));
        over.collect()
    }

    /// The overrides of a point.
    pub fn overrides(&self, point: u32) -> Vec<Override> {
        let mut over = self.varied(point);
        over.extend(self.seed(point).map(base::seed_override));
        over
    }

    /// Lets the catalogue note the files that the points' configurations name. What is wrong with a configuration is said when
    /// it is run. Only a text can name a file, so that points with the same texts name the same files.
    pub fn note_inputs(&self) {
        let mut seen = BTreeSet::new();
        for point in 0..self.points() {
            let values = self.values(point).into_iter();
            let texts = values.filter(|value| matches!(Value::of(value), Value::Text(_)));
            if seen.insert(texts.collect::<Vec<&str>>()) {
                let _ = self.resolve(point);
            }
        }
    }

    /// A point's configuration, or why it is refused.
    pub(crate) fn resolve(&self, point: u32) -> Result<Resolved, String> {
        self.resolve_with(point, &[])
    }

    /// The same, with further overrides.
    pub(crate) fn resolve_with(&self, point: u32, more: &[Override]) -> Result<Resolved, String> {
        let mut over = self.overrides(point);
        over.extend_from_slice(more);
        let resolved = self.base.resolve_with_unread(&over);
        let (resolved, _) = resolved.map_err(|error| error.to_string())?;
        self.base.repeating(resolved, &over)
    }

    /// A point, in words.
    pub fn name(&self, point: u32) -> String {
        let pairs = self.axes.iter().zip(self.values(point));
        let mut named: Vec<String> = pairs
            .map(|(axis, value)| format!("{} = {value}", axis.key))
            .collect();
        named.extend(self.seed(point).map(|seed| format!("{SEED} = {seed}")));
        match named.as_slice() {
            [] => format!("point {point}"),
            named => format!("point {point} ({})", named.join(", ")),
        }
    }

    /// The axis that figures are drawn over: the load, or else the first whose values are all numbers.
    pub(crate) fn abscissa(&self) -> Option<usize> {
        let first = |is_it: fn(&Axis) -> bool| self.axes.iter().position(is_it);
        first(|axis| axis.key == LOAD)
            .or_else(|| first(|axis| axis.key != SEED && axis.is_numeric()))
    }

    /// Whether an axis varies the seed, so that it only repeats the experiment.
    pub(crate) fn is_seed(&self, axis: usize) -> bool {
        self.axes[axis].key == SEED
    }
}

impl Axis {
    /// Whether all its values are numbers.
    pub(crate) fn is_numeric(&self) -> bool {
        let number = |value: &String| crate::axis::Value::of(value).number().is_some();
        self.values.iter().all(number)
    }
}

#[cfg(test)]
pub(crate) mod tests;
