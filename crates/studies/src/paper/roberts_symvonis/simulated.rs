//! Section 3: worms that never stop, routed as if they were packets of a mesh of supernodes. Rounds are played.

use super::rounds::{Case, Problem, simulation};
use super::supernode::drawing;
use crate::context::Failed;
use crate::options::{name_of, or, whole};
use crate::paper::problems::Pattern;
use crate::playing::Playable;
use clap::{Args, ValueEnum};
use flitwork_engine::{Control, Progress};
use flitwork_experiment::memory::{self, PROGRAM_BYTES};
use flitwork_report::{Column, Places, column};
use flitwork_schedule::simulation::{Consumption, Half, Round, Simulation, Supernode, Totals};
use flitwork_schedule::{Request, check};
use flitwork_topology::Grid;
use flitwork_types::Cycle;
use std::ops::ControlFlow;
use std::time::Instant;

/// The options of the simulation.
#[derive(Clone, Debug, Args)]
pub(super) struct Simulated {
    /// Route worms as packets of a mesh of supernodes (section 3); the steps of rounds without worms are extrapolated.
    #[arg(long)]
    pub(super) simulate: bool,
    /// Packets that a supernode's queue has room for; with 4 more they are an even square.
    #[arg(long, value_name = "F,…", value_parser = |text: &str| whole(text, 1..=u32::MAX), requires = "simulate", default_value = "12")]
    f: Vec<u32>,
    /// Supernodes along a side of the mesh.
    #[arg(long, value_name = "N,…", value_parser = |text: &str| whole(text, 1..=4096), requires = "simulate", default_value = "2")]
    supernodes: Vec<u32>,
    /// Fill every round: each supernode has a worm in each, of a random permutation of supernodes.
    #[arg(long, requires = "simulate", conflicts_with_all = ["pattern", "many_to_one"])]
    full: bool,
    /// Draw each destination by itself, and consume worms at the end of each superstep (section 3.4).
    #[arg(long, requires = "simulate", conflicts_with = "pattern")]
    many_to_one: bool,
    /// How many rounds are played on every engine with one clock: the first ones, and the longest.
    #[arg(
        long,
        value_name = "COUNT",
        requires = "simulate",
        default_value_t = 50
    )]
    pub(super) play: u32,
}

/// What came of a problem.
#[derive(Clone, Debug)]
pub(super) struct Row {
    case: Case,
    rounds: u64,
    superstep_steps: u32,
    worms: u64,
    totals: Totals,
    played: u32,
    played_equal: u32,
    seconds: f64,
}

impl Case {
    /// Its row; none if the user asks to stop.
    pub(super) fn row(self, play: u32, control: Control<'_>) -> Result<Option<Row>, Failed> {
        let begun = Instant::now();
        let simulation = self.simulation()?;
        let mut row = Row::new(self, &simulation);
        let rounds = self.rounds(&simulation)?;
        let flow = row.route(&simulation, rounds, play, control)?;
        row.seconds = begun.elapsed().as_secs_f64();
        Ok(flow.is_continue().then_some(row))
    }
}

impl Row {
    /// One without worms.
    pub(super) fn new(case: Case, simulation: &Simulation) -> Row {
        Row {
            case,
            rounds: simulation.rounds(),
            superstep_steps: simulation.superstep_steps(),
            worms: 0,
            totals: Totals::default(),
            played: 0,
            played_equal: 0,
            seconds: 0.0,
        }
    }

    /// Plans rounds, checks all of them, and plays the first ones, then the longest of the others; broken off if the user asks to
    /// stop.
    pub(super) fn route(
        &mut self,
        simulation: &Simulation,
        rounds: impl Iterator<Item = Vec<Request>>,
        play: u32,
        control: Control<'_>,
    ) -> Result<ControlFlow<()>, Failed> {
        let mesh = simulation.mesh();
        let mut longest: Option<(Vec<Request>, Round)> = None;
        for (number, worms) in rounds.enumerate() {
            let now = Cycle::saturating(number as u64);
            if control(Progress::at(now, 0)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let round = simulation.round(&worms);
            let round = round.map_err(|it| self.case.failed(&it))?;
            check(&mesh, &worms, &round.plans, 0)
                .map_err(|clash| Failed::Failure(format!("{}: {clash}", self.case)))?;
            self.worms += worms.len() as u64;
            self.totals.add(&round);
            if self.played < play {
                self.play(&mesh, &worms, &round)?;
            } else if longest.as_ref().is_none_or(|it| it.1.steps < round.steps) && play > 0 {
                longest = Some((worms, round));
            }
        }
        if let Some((worms, round)) = longest {
            self.play(&mesh, &worms, &round)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Plays a round: whether every engine takes as many steps as were planned, and delivers all that move.
    fn play(&mut self, mesh: &Grid, worms: &[Request], round: &Round) -> Result<(), Failed> {
        let playable = Playable::new(mesh, worms, &round.plans);
        let playable = playable.map_err(Failed::failure)?;
        let moving = worms.iter().filter(|it| it.source != it.destination);
        let all = moving.count();
        let played = playable.play(mesh)?;
        let is_equal = played.iter().all(|it| {
            it.makespan == round.steps && it.delivered == all && it.digest == played[0].digest
        });
        self.played += 1;
        self.played_equal += u32::from(is_equal);
        Ok(())
    }

    /// The row, a figure a line.
    pub(super) fn text(&self) -> String {
        let (case, totals) = (&self.case, &self.totals);
        let (supernode, n) = (&case.supernode, case.n());
        let (side, limit) = (supernode.side(), supernode.packets() - 4);
        let cycle = supernode.storage_cycle(Half::Left).len();
        let (rounds, of) = (totals.rounds, self.rounds);
        let (steps, longest) = (totals.steps, totals.longest_round);
        let (queue, extrapolated) = (totals.longest_queue, self.extrapolated());
        let (played, equal) = (self.played, self.played_equal);
        #[rustfmt::skip]
        let lines = [
            ("supernode", format!("{side} x {side} nodes")),
            ("mesh", format!("{n} x {n} nodes")),
            ("storage cycle", format!("{cycle} nodes")),
            ("superstep", format!("{} steps", self.superstep_steps)),
            ("rounds", format!("{of}, of which {rounds} have worms")),
            ("worms", self.worms.to_string()),
            ("supersteps", totals.supersteps.to_string()),
            ("steps", format!("{steps} in all, {longest} of the longest round")),
            ("longest queue", format!("{queue} of at most {limit} packets")),
            ("played", format!("{played} rounds, {equal} of them in as many steps as planned")),
            ("extrapolated", format!("{extrapolated} steps, if all rounds took as long as the longest")),
        ];
        let ratio = self.ratio().map(|ratio| {
            let across = case.across;
            let value = format!(
                "the extrapolated steps are {ratio:.3} times (f k)^2.5 n on {across} x {across} supernodes; the factor grows with the mesh"
            );
            ("Theorem 2", value)
        });
        let lines = lines.into_iter().chain(ratio);
        let lines: Vec<String> = lines
            .map(|(name, value)| format!("  {name:<14} {value}\n"))
            .collect();
        format!("{case}\n{}\n", lines.concat())
    }

    /// The supernode, as an SVG document.
    pub(super) fn figure(&self) -> String {
        drawing(&self.case.supernode)
    }

    /// The steps if each of all rounds took as long as the longest one.
    fn extrapolated(&self) -> u128 {
        u128::from(self.rounds) * u128::from(self.totals.longest_round)
    }

    /// They over (f k)^2.5 n, which by Theorem 2 stays below a constant for permutations; none for others.
    fn ratio(&self) -> Option<f64> {
        let supernode = &self.case.supernode;
        let stored = f64::from(supernode.packets()) * f64::from(supernode.words());
        let scale = stored.powf(2.5) * f64::from(self.case.n());
        (self.case.problem != Problem::ManyToOne).then(|| self.extrapolated() as f64 / scale)
    }
}

impl Simulated {
    /// A case for each row.
    pub(super) fn cases(
        &self,
        k: &[u32],
        patterns: &[Pattern],
        seeds: u32,
    ) -> Result<Vec<Case>, Failed> {
        let mut cases = Vec::new();
        for words in k {
            for packets in &self.f {
                let supernode = Supernode::new(*words, *packets)
                    .map_err(|error| Failed::option("--k, --f", error))?;
                self.refuse_to_play(*words)?;
                for across in &self.supernodes {
                    // Refuses a mesh that no network has.
                    simulation(supernode, *across, Consumption::AfterRound)?;
                    let n = across * supernode.side();
                    let problems: Vec<Problem> = match (self.full, self.many_to_one) {
                        (true, _) => vec![Problem::Full],
                        (_, true) => vec![Problem::ManyToOne],
                        _ => {
                            if let Some(pattern) = patterns.iter().find(|it| !it.fits(n)) {
                                let why = format!(
                                    "{} on a mesh of {n} x {n}; allowed: random, reversal and transpose, since no side of supernodes is a power of two",
                                    name_of(*pattern)
                                );
                                return Err(Failed::option("--pattern", why));
                            }
                            let all = or(patterns, Pattern::value_variants()).iter();
                            let all = all.filter(|it| it.fits(n));
                            all.map(|it| Problem::Permutation(*it)).collect()
                        }
                    };
                    for problem in problems {
                        let seeds = if problem.is_drawn() { seeds } else { 1 };
                        cases.extend((1..=seeds).map(|seed| Case {
                            supernode,
                            across: *across,
                            problem,
                            seed,
                        }));
                    }
                }
            }
        }
        Ok(cases)
    }

    fn refuse_to_play(&self, words: u32) -> Result<(), Failed> {
        if self.play == 0 || words <= u16::MAX.into() {
            return Ok(());
        }
        let most = u16::MAX;
        let why = format!("{words}; allowed: up to {most} words, or any with --play 0");
        Err(Failed::option("--k", why))
    }

    /// Refuses problems that the host has no room for.
    pub(super) fn admit(&self, cases: &[Case]) -> Result<(), Failed> {
        for case in cases {
            let needs = PROGRAM_BYTES.saturating_add(case.need_bytes(self.play > 0)?);
            let keys = ["--supernodes", "--k", "--f"];
            memory::admit_bytes(needs, &keys).map_err(Failed::bad_input)?;
        }
        Ok(())
    }
}

#[rustfmt::skip]
pub(super) fn columns<R: 'static>(of: fn(&R) -> &Row) -> Vec<Column<R>> {
    vec![
        column("k", "words", "of a worm", move |it| of(it).case.supernode.words()),
        column("f", "packets", "that a supernode's queue has room for", move |it| of(it).case.supernode.packets()),
        column("supernodes", "", "along a side of the mesh", move |it| of(it).case.across),
        column("pattern", "", "what is routed", move |it| of(it).case.problem.name()),
        column("seed", "", "of what is drawn", move |it| of(it).case.seed),
        column("side", "nodes", "of a supernode", move |it| of(it).case.supernode.side()),
        column("n", "nodes", "the side of the mesh", move |it| of(it).case.n()),
        column("cycle", "nodes", "of a half's storage", move |it| of(it).case.supernode.storage_cycle(Half::Left).len() as u64),
        column("superstep_steps", "steps", "of a superstep", move |it| of(it).superstep_steps),
        column("rounds", "", "one for each pair of places of a supernode", move |it| of(it).rounds),
        column("rounds_with_worms", "", "of them", move |it| of(it).totals.rounds),
        column("worms", "", "routed", move |it| of(it).worms),
        column("supersteps", "", "of all rounds with worms", move |it| of(it).totals.supersteps),
        column("steps", "steps", "of all rounds with worms, one after the other", move |it| of(it).totals.steps),
        column("longest_round", "steps", "of the longest round", move |it| of(it).totals.longest_round),
        column("longest_queue", "packets", "the most in a supernode as a superstep begins", move |it| of(it).totals.longest_queue),
        column("queue_limit", "packets", "f - 4, which it may not exceed", move |it| of(it).case.supernode.packets() - 4),
        column("rounds_played", "", "by every engine with one clock", move |it| of(it).played),
        column("rounds_equal", "", "of them in as many steps as planned by every engine", move |it| of(it).played_equal),
        column("extrapolated_steps", "steps", "extrapolated, not simulated: if each of all rounds took as long as the longest", move |it| of(it).extrapolated()),
        column("theorem_2_ratio", "", "extrapolated, not simulated: extrapolated_steps over (fk)^2.5 n, which Theorem 2 bounds for permutations", move |it| of(it).ratio().map(Places::<4>)),
        column("seconds", "s", "host time", move |it| Places::<3>(of(it).seconds)),
    ]
}
