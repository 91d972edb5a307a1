//! What helps a permutation that misses the longest distance.

use super::search::{Paths, Search};
use super::{Mesh, ProblemError, Rules, Scheduler};
use crate::{Request, makespan};
use flitwork_topology::Grid;

/// What brings a problem to the longest distance; each is tried by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mended {
    /// The first of the random tie orders that does, from 0.
    pub ties: Option<u32>,
    /// The first of the random orders that does.
    pub restarts: Option<u32>,
    /// Whether a search does with shortest paths and one packet that may wait in each node.
    pub waiting: bool,
    /// Whether a search does with any paths, and nobody that waits.
    pub detours: bool,
    /// Whether a search does with both.
    pub waiting_and_detours: bool,
}

impl Mended {
    /// Whether anything does.
    pub fn is_mended(&self) -> bool {
        let searched = self.waiting || self.detours || self.waiting_and_detours;
        searched || self.ties.is_some() || self.restarts.is_some()
    }
}

/// Tries what helps.
#[derive(Clone, Debug)]
pub struct Mender {
    scheduler: Scheduler,
    grid: Grid,
    tries: u32,
}

impl Mender {
    /// Tries so many random tie orders, and as many random orders.
    pub fn new(mesh: Mesh, tries: u32) -> Mender {
        Mender {
            grid: mesh.grid().clone(),
            scheduler: Scheduler::new(mesh),
            tries,
        }
    }

    /// What brings a problem to the longest distance, where the rules don't. The seed is that of the first try.
    ///
    /// # Errors
    /// A [`ProblemError`] for packets that aren't the mesh's.
    pub fn mend(&mut self, requests: &[Request], rules: &Rules) -> Result<Mended, ProblemError> {
        let distance = self.scheduler.schedule(requests, rules)?.distance;
        let order = self.scheduler.order(requests, rules)?.to_vec();
        let reaches = |waiting, paths| {
            let plans = Search::new(&self.grid, waiting, paths).schedule(requests, &order);
            plans.is_ok_and(|plans| makespan(requests, &plans) == distance)
        };
        Ok(Mended {
            waiting: reaches(1, Paths::Shortest),
            detours: reaches(0, Paths::Any),
            waiting_and_detours: reaches(1, Paths::Any),
            ties: self.first(requests, |number| rules.with_random_ties(number)),
            restarts: self.first(requests, |number| rules.with_random_order(number)),
        })
    }

    /// The first try that reaches the distance.
    fn first(&mut self, requests: &[Request], rules: impl Fn(u32) -> Rules) -> Option<u32> {
        (0..self.tries).find(|number| {
            let scheduled = self.scheduler.schedule_admitted(requests, &rules(*number));
            scheduled.excess() == 0
        })
    }
}
