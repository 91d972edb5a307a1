//! Routers that may be built in several ways are tuned before they are compared: each panel sees the choice that accepts most there at
//! overload, with other seeds than those that the comparison runs.

use super::{Contest, Panel};
use crate::context::{Context, Failed};
use crate::many::{measure, set};
use crate::options::{Repeats, Seeds};
use crate::seen::{self, Seen};
use flitwork_config::Override;
use flitwork_report::{Column, Table, column};

/// A router that takes part: its name, its configuration, and the ways in which it may be built.
pub(crate) struct Entrant {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// At least one.
    pub(crate) choices: Vec<Choice>,
}

/// A way to build a router.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// What distinguishes it, in a few words.
    pub(crate) label: String,
    pub(crate) set: Vec<Override>,
    /// Words of buffer in a node.
    pub(crate) buffer_words: Option<u32>,
    /// Cycles of a hop without waiting.
    pub(crate) hop_cycles: Option<u32>,
}

impl Entrant {
    /// A router that is built in one way.
    pub(crate) fn fixed((name, text): super::Contender) -> Entrant {
        let choices = vec![Choice::default()];
        Entrant {
            name,
            text,
            choices,
        }
    }
}

/// How far the seeds of tuning lie from those of the comparison.
const APART: u64 = 1 << 32;

/// A choice in a panel, tuned with a few seeds.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) router: &'static str,
    pub(crate) choice: Choice,
    /// At overload, and at the lowest load.
    high: Vec<Seen>,
    low: Vec<Seen>,
    /// Whether it takes part in the comparison.
    pub(crate) is_chosen: bool,
}

impl Candidate {
    pub(crate) fn throughput(&self) -> f64 {
        mean(&self.high, |run| run.accepted)
    }

    pub(crate) fn latency(&self) -> f64 {
        mean(&self.low, |run| run.latency)
    }

    pub(crate) fn worst_source(&self) -> f64 {
        mean(&self.high, |run| run.worst_source)
    }

    /// Those of its runs, at overload and at the lowest load.
    #[cfg(test)]
    pub(super) fn seeds(&self) -> Vec<u64> {
        let runs = self.high.iter().chain(&self.low);
        runs.map(|run| run.seed).collect()
    }
}

fn mean(runs: &[Seen], of: seen::Of) -> f64 {
    seen::over(runs, of).map_or(f64::NAN, |it| it.mean)
}

/// Those that no other one beats in throughput without being worse in the second figure, of which more is better: in the order of that.
fn front(all: &[Candidate], second: fn(&Candidate) -> f64) -> Vec<&Candidate> {
    let beats = |one: &Candidate, other: &Candidate| {
        let gains = [
            one.throughput() - other.throughput(),
            second(one) - second(other),
        ];
        gains.iter().all(|it| *it >= 0.0) && gains.iter().any(|it| *it > 0.0)
    };
    let known = |it: &&Candidate| it.throughput().is_finite() && second(it).is_finite();
    let stands = |it: &&Candidate| !all.iter().any(|other| beats(other, it));
    let mut front: Vec<&Candidate> = all.iter().filter(known).filter(stands).collect();
    front.sort_by(|one, other| second(one).total_cmp(&second(other)));
    front
}

/// By latency, of which less is better.
fn quick(it: &Candidate) -> f64 {
    -it.latency()
}

/// What throughput is weighed against.
pub(super) struct Against {
    pub(super) name: &'static str,
    /// In tables and in figures.
    pub(super) title: &'static str,
    pub(super) axis: &'static str,
    /// More of it is better.
    by: fn(&Candidate) -> f64,
    pub(super) shown: fn(&Candidate) -> f64,
}

/// Latency, and fairness.
pub(super) const AGAINST: [Against; 2] = [
    Against {
        name: "latency",
        title: "cycles",
        axis: "latency at the lowest load (cycles)",
        by: quick,
        shown: Candidate::latency,
    },
    Against {
        name: "fairness",
        title: "worst source/mean",
        axis: "what the worst source gets of the mean",
        by: Candidate::worst_source,
        shown: Candidate::worst_source,
    },
];

impl Against {
    /// The candidates that no other one beats.
    pub(super) fn front<'a>(&self, all: &'a [Candidate]) -> Vec<&'a Candidate> {
        front(all, self.by)
    }
}

/// Each panel's candidates, entrant by entrant; none if the user asks to stop. Without a choice there is nothing to run.
pub(super) fn tune(
    contest: &Contest<'_>,
    context: &mut dyn Context,
    seeds: u32,
) -> Result<Option<Vec<Vec<Candidate>>>, Failed> {
    let loads = &contest.curves.loads;
    let (Some(low), Some(high)) = (loads.first(), loads.last()) else {
        return Ok(Some(Vec::new()));
    };
    let given = &contest.curves.many.repeats;
    let repeats = Repeats::<2> {
        over: Seeds {
            first_seed: given.first_seed.wrapping_add(APART),
            seeds,
        },
        set: Vec::new(),
        jobs: given.jobs,
    };
    let mut points = Vec::new();
    for panel in 0..contest.panels.len() {
        for (entrant, of) in contest.entrants.iter().enumerate() {
            for choice in 0..of.choices.len() {
                points.extend([*high, *low].map(|load| (panel, entrant, choice, load)));
            }
        }
    }
    // Half as long as the comparison: there are many.
    let cycles = contest.curves.many.cycles / 2;
    let shorter = [
        set("run.warmup_cycles", cycles / 2),
        set("run.measure_cycles", cycles),
    ];
    let resolve = |(panel, entrant, choice, load): &_, seed, _: &[Override]| {
        contest.resolve((*panel, (*entrant, *choice), *load), seed, &shorter)
    };
    let runs = measure(context, &points, &repeats, resolve, |_| false, Seen::found)?;
    let Some(runs) = runs.into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let mut all: Vec<Vec<Candidate>> = vec![Vec::new(); contest.panels.len()];
    for ((panel, entrant, choice, _), both) in points.iter().step_by(2).zip(runs.chunks(2)) {
        let (high, low) = (&both[0], &both[1]);
        let of = &contest.entrants[*entrant];
        all[*panel].push(Candidate {
            router: of.name,
            choice: of.choices[*choice].clone(),
            high: high.clone(),
            low: low.clone(),
            is_chosen: false,
        });
    }
    for candidates in &mut all {
        for router in candidates.chunk_by_mut(|one, other| one.router == other.router) {
            choose(router);
        }
    }
    Ok(Some(all))
}

/// Chooses the one that accepts most; of equals the first.
fn choose(of_router: &mut [Candidate]) {
    let best = of_router.iter().map(Candidate::throughput);
    let best = best
        .enumerate()
        .reduce(|best, other| match other.1 > best.1 {
            true => other,
            false => best,
        });
    if let Some((place, _)) = best {
        of_router[place].is_chosen = true;
    }
}

/// The table of all candidates.
#[rustfmt::skip]
pub(super) fn table<'a>(panels: impl Iterator<Item = (&'a Panel, &'a [Candidate])>) -> Table {
    type One<'a> = (&'a Panel, &'a Candidate, [bool; 2]);
    let rows = panels.flat_map(|(panel, all)| {
        let fronts = [front(all, quick), front(all, Candidate::worst_source)];
        let row = move |it: &'a Candidate| (panel, it, [0, 1].map(|at: usize| fronts[at].iter().any(|other| std::ptr::eq(*other, it))));
        all.iter().map(row)
    });
    let known = |value: f64| Some(value).filter(|it| it.is_finite());
    let columns: [Column<One<'_>>; 11] = [
        column("network_and_pattern", "", "the panel", |it: &One<'_>| it.0.title()),
        column("router", "", "the contender", |it: &One<'_>| it.1.router),
        column("choice", "", "how it is built", |it: &One<'_>| it.1.choice.label.clone()),
        column("node_buffer_words", "words", "of buffer in a node", |it: &One<'_>| it.1.choice.buffer_words),
        column("hop_cycles", "cycles", "of a hop without waiting", |it: &One<'_>| it.1.choice.hop_cycles),
        column("accepted_load_words_per_node_cycle", super::LOAD, "what was delivered in the window at overload, mean over the seeds of tuning", move |it: &One<'_>| known(it.1.throughput())),
        column("latency_mean_cycles", "cycles", "from creation to delivery at the lowest load", move |it: &One<'_>| known(it.1.latency())),
        column("source_worst_part", "", "what was delivered from the worst source at overload, as a part of the mean", move |it: &One<'_>| known(it.1.worst_source())),
        column("chosen", "", "whether it accepts most of its router's", |it: &One<'_>| it.1.is_chosen),
        column("pareto_latency", "", "whether no other candidate of the panel accepts as much at as little latency, and beats it in one of the two", |it: &One<'_>| it.2[0]),
        column("pareto_fairness", "", "the same with what the worst source gets", |it: &One<'_>| it.2[1]),
    ];
    Table::new("candidates", &columns, rows)
}

/// The table of the candidates' runs, seed by seed.
#[rustfmt::skip]
pub(super) fn runs_table<'a>(panels: impl Iterator<Item = (&'a Panel, &'a [Candidate])>) -> Table {
    type One<'a> = (&'a Panel, &'a Candidate, bool, &'a Seen);
    let rows = panels.flat_map(|(panel, all)| {
        all.iter().flat_map(move |it| {
            let high = it.high.iter().map(move |run| (panel, it, true, run));
            high.chain(it.low.iter().map(move |run| (panel, it, false, run)))
        })
    });
    let mut columns = vec![
        column("network_and_pattern", "", "the panel", |it: &One<'_>| it.0.title()),
        column("router", "", "the contender", |it: &One<'_>| it.1.router),
        column("choice", "", "how it is built", |it: &One<'_>| it.1.choice.label.clone()),
        column("overload", "", "whether the load is the highest; otherwise it is the lowest", |it: &One<'_>| it.2),
    ];
    columns.extend(seen::seed_columns(|it: &One<'_>| it.3));
    Table::new("candidate_runs", &columns, rows)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::seen::Served;

    /// A candidate that accepts so much, at this latency, with this part for the worst source.
    pub(in super::super) fn candidate(
        router: &'static str,
        label: &str,
        [accepted, latency, worst]: [f64; 3],
    ) -> Candidate {
        let run = Seen {
            accepted: Some(accepted),
            latency: Some(latency),
            served: Served {
                worst_source: Some(worst),
                ..Served::default()
            },
            ..Seen::default()
        };
        let label = label.into();
        Candidate {
            router,
            choice: Choice {
                label,
                ..Choice::default()
            },
            high: vec![run.clone()],
            low: vec![run],
            is_chosen: false,
        }
    }

    /// b accepts as much as a at less latency, and c less than both at still less; d is worse than c in both, e unknown.
    #[test]
    fn a_front_by_hand() {
        let mut all = vec![
            candidate("r", "a", [0.4, 50.0, 0.1]),
            candidate("r", "b", [0.4, 40.0, 0.1]),
            candidate("r", "c", [0.3, 20.0, 0.9]),
            candidate("r", "d", [0.2, 30.0, 0.5]),
            candidate("r", "e", [f64::NAN, 1.0, 1.0]),
        ];
        let names = |second| -> Vec<String> {
            front(&all, second)
                .into_iter()
                .map(|it| it.choice.label.clone())
                .collect()
        };
        assert_eq!(names(quick), ["b", "c"]);
        // Of equals in both, none beats the other.
        assert_eq!(names(Candidate::worst_source), ["a", "b", "c"]);
        let panel = Panel {
            topology: "mesh".into(),
            side: 4,
            pattern: "uniform".into(),
        };
        let found = serde_json::to_value(table([(&panel, &*all)].into_iter())).unwrap();
        let stand = |front: &str| -> Vec<&str> {
            let own = found.as_array().unwrap().iter();
            own.filter(|it| it[front] == true)
                .map(|it| it["choice"].as_str().unwrap())
                .collect()
        };
        assert_eq!(stand("pareto_latency"), ["b", "c"]);
        assert_eq!(stand("pareto_fairness"), ["a", "b", "c"]);
        choose(&mut all);
        let chosen: Vec<bool> = all.iter().map(|it| it.is_chosen).collect();
        assert_eq!(chosen, [true, false, false, false, false]);
    }
}
