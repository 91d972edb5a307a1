//! `worms`: each starts as early as its links are free, and never stops (Roberts and Symvonis 1994, section 2.2).

use super::{About, MethodParameters, ScheduleResult, Unmade, grid_of, hold_mesh};
use crate::Request;
use crate::worms::{Bends, Order, WormError, first_fit};
use flitwork_schema::{Allowed, Datum, Key, RawTable, Refusal, key, only_with, settings};
use flitwork_topology::{NetworkReading, Shape};

/// In which order worms are placed, and on which paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WormsParameters {
    /// Which are placed first.
    pub order: Order,
    /// Which paths they may take.
    pub select: Bends,
    /// The seed of a random order.
    pub seed: u64,
}

impl MethodParameters for WormsParameters {
    const NAME: &'static str = "worms";
    const HELP: &'static str = "worms of any length on a mesh, which never stop";
    #[rustfmt::skip]
    const KEYS: &'static [Key<WormsParameters>] = &[
        key("order", |it| &mut it.order, Allowed::Choice(Order::NAMES), "\"longest-first\"", "which worms are placed first"),
        key("select", |it| &mut it.select, Allowed::Choice(Bends::NAMES), "\"horizontal-first\"", "the paths of one bend that a worm may take: along its row first, or the one on which it starts earlier"),
        only_with("schedule.worms.order = \"random\"", key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX), "run.seed", "the seed of the random order")),
    ];

    fn seeded(seed: u64) -> WormsParameters {
        WormsParameters {
            order: Order::LongestFirst,
            select: Bends::HorizontalFirst,
            seed,
        }
    }

    fn suit(&mut self, given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<(), Refusal> {
        hold_mesh(given, reading.shape)
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut all = settings(Self::KEYS, self);
        all.retain(|(key, _)| *key != "seed" || self.order == Order::Random);
        all
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let grid = grid_of(shape);
        let starts = first_fit(grid, requests, (self.order, self.seed), self.select);
        let starts = starts.map_err(|error| {
            let (about, allowed) = match error {
                WormError::NoMesh => (About::Method, "it on a mesh with two sides"),
                WormError::NoNode { .. } => (About::Packets, "nodes of the mesh"),
                WormError::NoWords { .. } | WormError::TooLate { .. } => {
                    (About::Words, "fewer words")
                }
            };
            Unmade::new(about, error, allowed)
        })?;
        let both = starts.iter().zip(requests);
        Ok(ScheduleResult {
            plans: both
                .map(|(start, request)| start.plan(grid, request))
                .collect(),
            summary: vec![
                ("order", Some(Datum::text(self.order.name()))),
                ("select", Some(Datum::text(self.select.name()))),
            ],
        })
    }
}
