//! The worms of section 3, round by round.

use crate::context::Failed;
use crate::options::name_of;
use crate::paper::problems::{Pattern, requests};
use crate::statics;
use flitwork_schedule::Request;
use flitwork_schedule::multistage::count::random_permutation;
use flitwork_schedule::simulation::{Consumption, Simulation, Supernode};
use flitwork_types::draws::below;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::fmt;

/// What is routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// A worm from each node.
    Permutation(Pattern),
    /// A worm from each node, all destinations as likely.
    ManyToOne,
    /// In each round a worm from each supernode.
    Full,
}

impl Problem {
    pub(super) fn name(self) -> String {
        match self {
            Problem::Permutation(pattern) => name_of(pattern),
            Problem::ManyToOne => "many-to-one".into(),
            Problem::Full => "full-rounds".into(),
        }
    }

    pub(super) fn is_drawn(self) -> bool {
        !matches!(self, Problem::Permutation(it) if !it.is_drawn())
    }

    fn consumption(self) -> Consumption {
        match self {
            Problem::ManyToOne => Consumption::EachSuperstep,
            Problem::Permutation(_) | Problem::Full => Consumption::AfterRound,
        }
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) supernode: Supernode,
    pub(super) across: u32,
    pub(super) problem: Problem,
    pub(super) seed: u32,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (k, packets) = (self.supernode.words(), self.supernode.packets());
        let (across, name, seed) = (self.across, self.problem.name(), self.seed);
        write!(
            f,
            "k = {k}, f = {packets}, {across} x {across} supernodes, {name} {seed}"
        )
    }
}

impl Case {
    /// The side of the mesh of all nodes.
    pub(super) fn n(&self) -> u32 {
        self.across * self.supernode.side()
    }

    /// The mesh and the worms as a configuration, in which they are scheduled by themselves.
    pub(super) fn to_toml(self) -> String {
        let (n, k, seed) = (self.n(), self.supernode.words(), self.seed);
        let pattern = match self.problem {
            Problem::Permutation(pattern) => pattern.pattern(),
            Problem::ManyToOne => "random-destinations".into(),
            Problem::Full => Pattern::Random.pattern(),
        };
        let network = statics::network("mesh", [n, n]);
        let traffic = statics::traffic(&pattern, &format!("packet_words = {k}\n"), seed.into());
        format!(
            "{network}# Routed as packets of {} x {} supernodes with queues of {}.\n[schedule.worms]\n{traffic}",
            self.across,
            self.across,
            self.supernode.packets()
        )
    }

    pub(super) fn simulation(&self) -> Result<Simulation, Failed> {
        simulation(self.supernode, self.across, self.problem.consumption())
    }

    /// About the bytes of the worms and of one round's plans.
    pub(super) fn need_bytes(&self, plays: bool) -> Result<u64, Failed> {
        /// A worm, and its place among the rounds.
        const WORM_BYTES: u64 = 256;
        /// A hop as it is planned, kept and checked.
        const HOP_BYTES: u64 = 64;
        /// A hop as a route and while it is played.
        const PLAYED_BYTES: u64 = 64;
        let steps = u64::from(self.simulation()?.superstep_steps());
        let [side, across] = [self.supernode.side(), self.across].map(u64::from);
        let cells = across * across;
        let (worms, of_round) = match self.problem {
            Problem::Full => (0, cells),
            Problem::Permutation(Pattern::Random) | Problem::ManyToOne => {
                let mean = cells / (side * side);
                (
                    cells * side * side,
                    (mean + 8 * mean.isqrt() + 16).min(cells),
                )
            }
            Problem::Permutation(_) => (cells * side * side, cells),
        };
        // As far as it is from corner to corner, and the round's ends.
        let supersteps = (2 * (across - 1)).max(1) + 1;
        let hop_bytes = HOP_BYTES + if plays { PLAYED_BYTES } else { 0 };
        Ok(WORM_BYTES * worms + hop_bytes * of_round * supersteps * steps)
    }

    /// The worms of each round, those without worms left out.
    pub(super) fn rounds(
        &self,
        simulation: &Simulation,
    ) -> Result<Box<dyn Iterator<Item = Vec<Request>>>, Failed> {
        let (n, k, seed) = (self.n(), self.supernode.words(), u64::from(self.seed));
        let worms = match self.problem {
            Problem::Permutation(pattern) => pattern.worms(n, k, seed),
            Problem::ManyToOne => many_to_one(n, k, seed),
            Problem::Full => return Ok(Box::new(self.full(seed))),
        };
        let shared = simulation.partition_into_rounds(&worms);
        let shared = shared.map_err(|it| self.failed(&it))?;
        let round =
            move |of_round: Vec<usize>| of_round.into_iter().map(|worm| worms[worm]).collect();
        Ok(Box::new(shared.into_iter().map(round)))
    }

    /// For each pair of places of a supernode a worm from each supernode to one of a random permutation.
    fn full(&self, seed: u64) -> impl Iterator<Item = Vec<Request>> + use<> {
        let (side, across, n) = (self.supernode.side(), self.across, self.n());
        let words = self.supernode.words();
        let places = u64::from(side * side);
        let node = move |cell: u32, place: u64| {
            let place = place as u32;
            let row = cell / across * side + place / side;
            row * n + cell % across * side + place % side
        };
        (0..places * places).map(move |round| {
            let mut to: Vec<u32> = (0..across * across).collect();
            random_permutation(seed, round, &mut to);
            let ends = |(from, to)| (node(from, round / places), node(to, round % places));
            requests(words, (0..).zip(to).map(ends))
        })
    }

    pub(super) fn failed(&self, error: &dyn fmt::Display) -> Failed {
        Failed::bad_input(format!("{self}: {error}"))
    }
}

pub(super) fn simulation(
    supernode: Supernode,
    across: u32,
    consumption: Consumption,
) -> Result<Simulation, Failed> {
    let simulation = Simulation::new(supernode, across, consumption);
    simulation.map_err(|error| Failed::option("--supernodes", error))
}

/// A worm from each node, to any node.
fn many_to_one(n: u32, words: u32, seed: u64) -> Vec<Request> {
    let nodes = n * n;
    let mut draws = Pcg64Mcg::seed_from_u64(seed);
    let mut any = || below(draws.next_u64(), nodes.into()) as u32;
    requests(words, (0..nodes).map(|source| (source, any())))
}
