//! How many permutations of a mesh miss the longest distance.

use super::{Mesh, Rules, Scheduler, Summary};
use crate::Request;
use crate::draws::Draws;
use flitwork_types::NodeId;

/// Whether to go on, asked now and then with the permutations that are done.
pub type GoOn<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Nodes that are scheduled before it is asked whether to go on.
const ASK_NODES: u64 = 1 << 20;

/// What permutations come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many were scheduled.
    pub permutations: u64,
    /// How many of the schedules are longer than the longest distance.
    pub misses: u64,
    /// The most steps by which one is longer.
    pub worst_excess: u32,
    /// The most steps of a schedule.
    pub longest: u32,
    /// The last step in which a packet leaves.
    pub latest_start: u32,
}

impl Counts {
    /// Those of both.
    pub fn with(self, other: Counts) -> Counts {
        Counts {
            permutations: self.permutations + other.permutations,
            misses: self.misses + other.misses,
            worst_excess: self.worst_excess.max(other.worst_excess),
            longest: self.longest.max(other.longest),
            latest_start: self.latest_start.max(other.latest_start),
        }
    }

    /// Counts one more.
    pub fn add(&mut self, summary: &Summary) {
        self.permutations += 1;
        self.misses += u64::from(summary.excess() > 0);
        self.worst_excess = self.worst_excess.max(summary.excess());
        self.longest = self.longest.max(summary.makespan);
        self.latest_start = self.latest_start.max(summary.latest_start);
    }
}

/// Counts the permutations of a mesh.
#[derive(Clone, Debug)]
pub struct Counter {
    scheduler: Scheduler,
    rules: Rules,
    destinations: Vec<u32>,
    requests: Vec<Request>,
}

/// The permutations that begin with the same destinations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    first: Vec<u32>,
}

/// All permutations of a mesh, in parts that can be counted side by side: each begins with destinations of its own.
pub fn parts(mesh: &Mesh) -> Vec<Part> {
    let nodes = mesh.nodes();
    let pairs = (0..nodes).flat_map(|one| (0..nodes).map(move |other| vec![one, other]));
    pairs
        .filter(|first| first[0] != first[1])
        .map(|first| Part { first })
        .collect()
}

impl Counter {
    /// A counter of schedules by rules.
    pub fn new(mesh: Mesh, rules: Rules) -> Counter {
        let destinations: Vec<u32> = (0..mesh.nodes()).collect();
        Counter {
            requests: Mesh::permutation(&destinations),
            destinations,
            scheduler: Scheduler::new(mesh),
            rules,
        }
    }

    /// Counts a part of all permutations, in lexicographic order. `missed` sees each that misses.
    pub fn part(&mut self, part: &Part, missed: &mut dyn FnMut(&[u32]), go_on: GoOn<'_>) -> Counts {
        let fixed = part.first.len();
        self.destinations.clear();
        self.destinations.extend(&part.first);
        let left = 0..self.requests.len() as u32;
        self.destinations
            .extend(left.filter(|node| !part.first.contains(node)));
        self.count(missed, go_on, |destinations, done| {
            done == 0 || next_permutation(&mut destinations[fixed..])
        })
    }

    /// Counts random permutations: those of the given numbers among all of a seed.
    pub fn random(
        &mut self,
        seed: u64,
        numbers: std::ops::Range<u64>,
        missed: &mut dyn FnMut(&[u32]),
        go_on: GoOn<'_>,
    ) -> Counts {
        self.count(missed, go_on, |destinations, done| {
            let number = numbers.start + done;
            if number >= numbers.end {
                return false;
            }
            random_permutation(seed, number, destinations);
            true
        })
    }

    /// `next` makes the next permutation of the one before, as long as there is one.
    fn count(
        &mut self,
        missed: &mut dyn FnMut(&[u32]),
        go_on: GoOn<'_>,
        mut next: impl FnMut(&mut [u32], u64) -> bool,
    ) -> Counts {
        let mut counts = Counts::default();
        let ask = (ASK_NODES / self.requests.len() as u64).max(1);
        while next(&mut self.destinations, counts.permutations) {
            if counts.permutations.is_multiple_of(ask) && !go_on(counts.permutations) {
                break;
            }
            for (request, destination) in self.requests.iter_mut().zip(&self.destinations) {
                request.destination = NodeId(*destination);
            }
            let summary = self
                .scheduler
                .schedule_admitted(&self.requests, &self.rules);
            counts.add(&summary);
            if summary.excess() > 0 {
                missed(&self.destinations);
            }
        }
        counts
    }
}

/// Writes the destinations of a random permutation: of a number among all of a seed, whichever are made before it.
pub fn random_permutation(seed: u64, number: u64, destinations: &mut [u32]) {
    for (node, destination) in (0..).zip(destinations.iter_mut()) {
        *destination = node;
    }
    Draws::of_stream(seed, number).shuffle(destinations);
}

/// Makes the next in lexicographic order; not of the last.
pub fn next_permutation(items: &mut [u32]) -> bool {
    let Some(rise) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        return false;
    };
    let above = items.iter().rposition(|item| *item > items[rise]);
    items.swap(rise, above.unwrap_or(rise + 1));
    items[rise + 1..].reverse();
    true
}
