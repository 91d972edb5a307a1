//! Schedules permutations over threads. What they come to doesn't depend on how many threads there are: tasks are cut by the
//! case alone, and their sums are the same in any order.

use super::cases::{Case, Sample};
use super::row::{Found, Row, add, mends_of};
use crate::context::{Context, Failed, StudyProgress};
use flitwork_schedule::multistage::count::{Counter, Counts, Part, parts};
use flitwork_schedule::multistage::{Mender, Mesh, Scheduler};
use flitwork_sweep::pool::{self, Stop};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Nodes that a task of random permutations schedules: about a tenth of a second.
const TASK_NODES: u64 = 1 << 21;
/// The most tasks of a case.
const MOST_TASKS: u64 = 1 << 20;

/// A case that is being counted.
struct Counting<'a> {
    case: &'a Case,
    mesh: Mesh,
    mend: Option<u32>,
    /// All permutations in parts, a task each, if all are counted.
    parts: Vec<Part>,
    found: Mutex<Found>,
}

impl Counting<'_> {
    fn tasks(&self) -> u32 {
        match self.case.sample {
            Sample::All => self.parts.len() as u32,
            Sample::Random(permutations) => permutations.div_ceil(self.each(permutations)) as u32,
            Sample::Given(_) => 1,
        }
    }

    /// How many of so many random permutations a task counts.
    fn each(&self, permutations: u64) -> u64 {
        let each = TASK_NODES / u64::from(self.mesh.nodes());
        each.max(permutations.div_ceil(MOST_TASKS)).max(1)
    }

    /// Adds what the permutations of a task come to, or as many of them as are done when the user stops.
    fn work(&self, number: u32, stop: &Stop) {
        let mut found = Found::default();
        let mut mender = self.mend.map(|tries| Mender::new(self.mesh.clone(), tries));
        let (rules, mends, first) = (&self.case.rules, &mut found.mends, &mut found.first_miss);
        let missed = &mut |destinations: &[u32]| {
            first.get_or_insert_with(|| (number, destinations.to_vec()));
            if let Some(mender) = mender.as_mut().filter(|_| stop.flow().is_continue()) {
                let mended = mender.mend(&Mesh::permutation(destinations), rules);
                add(mends, mends_of(&mended.expect("a permutation of the mesh")));
            }
        };
        let go_on = &mut |_| stop.flow().is_continue();
        let counter = || Counter::new(self.mesh.clone(), *rules);
        found.counts = match &self.case.sample {
            Sample::All => counter().part(&self.parts[number as usize], missed, go_on),
            Sample::Random(permutations) => {
                let each = self.each(*permutations);
                let first = u64::from(number) * each;
                let numbers = first..(first + each).min(*permutations);
                counter().random(rules.seed, numbers, missed, go_on)
            }
            Sample::Given(destinations) => self.given(destinations, missed),
        };
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(found);
    }

    fn given(&self, destinations: &[u32], missed: &mut dyn FnMut(&[u32])) -> Counts {
        let requests = Mesh::permutation(destinations);
        let summary = Scheduler::new(self.mesh.clone()).schedule(&requests, &self.case.rules);
        let summary = summary.expect("a permutation of the mesh");
        if summary.excess() > 0 {
            missed(destinations);
        }
        let mut counts = Counts::default();
        counts.add(&summary);
        counts
    }
}

/// Counts cases, one after the other; as far as there was time for, if the user stops.
pub(super) fn count(
    cases: &[Case],
    threads: usize,
    mend: Option<u32>,
    context: &mut dyn Context,
) -> Result<Vec<Row>, Failed> {
    let mut countings = Vec::new();
    for case in cases {
        let mesh = case.shape.mesh()?;
        countings.push(Counting {
            case,
            parts: match case.sample {
                Sample::All => parts(&mesh),
                Sample::Random(_) | Sample::Given(_) => Vec::new(),
            },
            mesh,
            mend,
            found: Mutex::default(),
        });
    }
    let of = countings.iter().map(|it| u64::from(it.tasks()));
    let of = u32::try_from(of.sum::<u64>()).unwrap_or(u32::MAX);
    let (mut before, mut rows) = (0u32, Vec::new());
    for counting in countings {
        let case = counting.case;
        let (name, begun) = (case.to_string(), Instant::now());
        let work = |number, stop: &Stop| {
            counting.work(number, stop);
            stop.flow().is_continue().then_some(())
        };
        let done = pool::all(threads, counting.tasks(), work, &mut |done, _| {
            let (name, position) = (&*name, before.saturating_add(done).into());
            let of = Some(of);
            context.show(StudyProgress { name, position, of });
            context.flow()
        })?;
        before = before.saturating_add(counting.tasks());
        let found = counting.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let seconds = begun.elapsed().as_secs_f64();
        if found.counts.permutations > 0 {
            let case = case.clone();
            rows.push(Row {
                case,
                found,
                seconds,
            });
        }
        if done.is_none() {
            break;
        }
    }
    Ok(rows)
}
