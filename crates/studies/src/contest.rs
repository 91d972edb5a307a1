//! Compares routers: several configurations under the same traffic, over the same loads.
//!
//! Each contender runs in each panel (a network and a pattern) at each load with the same seeds. Sources draw
//! by seed and node, so contenders whose packets have one length see the same packets. At the highest load,
//! which is meant to be an overload, the accepted load is the contender's throughput.

mod figures;
mod text;

use figures::contest_figures;
use text::contest_text;

use crate::context::{Context, Failed};
use crate::contract::{Ran, Study, StudyFigure};
use crate::many::{measure, set};
use crate::options::{Curves, ascending};
use crate::seeds::{mean_of, over_seeds};
use crate::square::{HOT_FRACTION, hot_nodes};
use clap::Args;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_measure::Estimate;
use flitwork_report::{Column, column, estimate};
use flitwork_results::Results;
use flitwork_sweep::{Base, Error, seed_override};
use std::collections::BTreeMap;

/// A router that takes part: its name in figures and tables, and its configuration.
pub(crate) type Contender = (&'static str, &'static str);

/// The configuration of a contender.
macro_rules! configuration {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/configs/contest/",
            $file,
            ".toml"
        ))
    };
}
pub(crate) use configuration;

/// A network of `side` x `side` nodes, and a pattern. Hot spot: a tenth of the packets goes to the four nodes a quarter
/// and three quarters along each side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub(crate) topology: String,
    pub(crate) side: u32,
    pub(crate) pattern: String,
}

impl Panel {
    /// Each pattern on each side of each topology.
    pub(crate) fn all(topologies: &[String], sides: &[u32], patterns: &[String]) -> Vec<Panel> {
        let mut all = Vec::new();
        for topology in topologies {
            for side in sides {
                all.extend(patterns.iter().map(|pattern| Panel {
                    topology: topology.clone(),
                    side: *side,
                    pattern: pattern.clone(),
                }));
            }
        }
        all
    }

    /// How its files' names begin.
    fn stem(&self) -> String {
        format!("{}-{}-{}", self.topology, self.side, self.pattern)
    }

    pub(crate) fn network(&self) -> String {
        format!("{} of {1} x {1}", self.topology, self.side)
    }

    pub(crate) fn title(&self) -> String {
        format!("{}, {}", self.network(), self.pattern)
    }

    /// The keys that its contenders share.
    pub(crate) fn set(&self) -> Vec<Override> {
        let side = self.side;
        let mut all = vec![
            set("network.topology", &self.topology),
            set("network.sides", format!("[{side}, {side}]")),
            set("traffic.pattern", &self.pattern),
        ];
        if self.pattern == "hot-spot" {
            let mut hot = hot_nodes(side).to_vec();
            hot.dedup();
            all.push(set("traffic.hot_nodes", format!("{hot:?}")));
            all.push(set("traffic.hot_fraction", HOT_FRACTION));
        }
        all
    }
}

/// The numbers of a panel and of a contender, and a load.
type Point = (usize, usize, f64);

/// The contenders, the panels and the loads.
struct Contest<'a> {
    contenders: &'a [Contender],
    bases: Vec<Base>,
    panels: Vec<Panel>,
    curves: &'a Curves,
}

impl<'a> Contest<'a> {
    fn new<T: Contested>(asked: &'a T, catalogue: &Catalogue) -> Contest<'a> {
        let base = |(name, text): &Contender| {
            let key = match text.contains("[router.chaos]") {
                true => "router.chaos.packet_words",
                false => "traffic.packet_words",
            };
            let words = vec![set(key, T::PACKET_WORDS)];
            let name = format!("the configuration of {name}");
            Base::of_text(catalogue, name, *text, words)
        };
        Contest {
            contenders: T::CONTENDERS,
            bases: T::CONTENDERS.iter().map(base).collect(),
            panels: asked.panels(),
            curves: asked.curves(),
        }
    }

    /// Every contender at every load in every panel.
    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for panel in 0..self.panels.len() {
            for contender in 0..self.bases.len() {
                let loads = self.curves.loads.iter();
                points.extend(loads.map(|load| (panel, contender, *load)));
            }
        }
        points
    }

    fn resolve(
        &self,
        (panel, contender, load): Point,
        seed: u64,
        more: &[Override],
    ) -> Result<Resolved, Error> {
        let (panel, cycles) = (&self.panels[panel], self.curves.many.cycles);
        let mut over = panel.set();
        over.extend([
            set("run.warmup_cycles", cycles / 2),
            set("run.measure_cycles", cycles),
            set("traffic.load", load),
            seed_override(seed),
        ]);
        over.extend_from_slice(more);
        let point = format!("{}, {}", self.contenders[contender].0, panel.title());
        self.bases[contender].repeatable(point, &over)
    }

    /// A row of the runs of all seeds.
    fn row(&self, (panel, contender, load): Point, runs: &[Run]) -> ContestRow {
        let count = |is: fn(&Run) -> bool| runs.iter().filter(|run| is(run)).count() as u32;
        let steady_seeds = count(|run| run.is_steady);
        let steady = 2 * steady_seeds as usize > runs.len();
        let latencies = runs.iter().filter(|run| run.is_steady || !steady);
        let accepted = runs.iter().filter_map(|run| run.accepted);
        ContestRow {
            network_and_pattern: self.panels[panel].title(),
            router: self.contenders[contender].0,
            configured_load: load,
            offered_load: mean_of(runs.iter().filter_map(|run| run.offered)),
            accepted_load: mean_of(accepted.clone()),
            latency_cycles: over_seeds(latencies.filter_map(|run| run.latency)),
            steady,
            deroutes_per_hop: over_seeds(runs.iter().filter_map(|run| run.deroutes_per_hop)),
            steady_seeds,
            saturated_seeds: count(|run| run.is_saturated),
            failed_seeds: count(|run| run.has_failed),
            accepted_by_seed: accepted.collect(),
        }
    }
}

/// A contender at a load in a panel, over all seeds: see the study's columns.
#[derive(Clone, Debug)]
pub struct ContestRow {
    network_and_pattern: String,
    router: &'static str,
    configured_load: f64,
    offered_load: Estimate,
    accepted_load: Estimate,
    latency_cycles: Option<Estimate>,
    steady: bool,
    deroutes_per_hop: Option<Estimate>,
    steady_seeds: u32,
    saturated_seeds: u32,
    failed_seeds: u32,
    /// The accepted load of each seed.
    accepted_by_seed: Vec<f64>,
}

/// The rows of each panel, in the panels' order.
fn by_panel(rows: &[ContestRow]) -> impl Iterator<Item = &[ContestRow]> {
    rows.chunk_by(|one, other| one.network_and_pattern == other.network_and_pattern)
}

/// The rows of each contender in a panel, in the order of the loads.
fn by_router(panel: &[ContestRow]) -> impl Iterator<Item = &[ContestRow]> {
    panel.chunk_by(|one, other| one.router == other.router)
}

/// The figures of a run of a contest.
struct Run {
    offered: Option<f64>,
    accepted: Option<f64>,
    latency: Option<f64>,
    deroutes_per_hop: Option<f64>,
    has_failed: bool,
    is_steady: bool,
    is_saturated: bool,
}

impl Run {
    fn of(results: &Results) -> Run {
        let finite = |estimate: Estimate| Some(estimate.mean).filter(|mean| mean.is_finite());
        let load = results.load.as_ref();
        let has_failed = results.failure.is_some();
        let is_unsteady = results.steady.is_some_and(|steady| !steady.is_steady());
        Run {
            offered: load.and_then(|load| finite(load.offered)),
            accepted: load.and_then(|load| finite(load.accepted)),
            // Of an overloaded network, that of its window, which grows with the window's length.
            latency: results.latency.mean_or_window().and_then(finite),
            deroutes_per_hop: results.deroutes_per_hop,
            has_failed,
            is_steady: !has_failed && !is_unsteady,
            is_saturated: results.steady.is_some() && results.is_saturated(),
        }
    }
}

/// A study that is a contest.
pub(crate) trait Contested: Args {
    /// The contenders.
    const CONTENDERS: &'static [Contender];
    /// Words of their packets.
    const PACKET_WORDS: u16;

    /// Its loads, and how long each runs.
    fn curves(&self) -> &Curves;

    /// The panels.
    fn panels(&self) -> Vec<Panel>;
}

impl<T: Contested> Study for T {
    type Row = ContestRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ContestRow>, Failed> {
        let Curves { loads, many } = self.curves();
        ascending("--loads", loads)?;
        let contest = Contest::new(self, context.catalogue());
        let points = contest.points();
        let asked = (many.seeds, many.jobs);
        let resolve = |point: &Point, seed, more: &[Override]| contest.resolve(*point, seed, more);
        let run = |_: &Point, results: &Results| Some(Run::of(results));
        let Some(runs) = measure(context, &points, asked, resolve, |_| true, run)? else {
            return Ok(Ran::Nothing);
        };
        let rows = points.iter().zip(runs.chunks(many.seeds as usize));
        Ok(Ran::Whole(
            rows.map(|(point, runs)| contest.row(*point, runs))
                .collect(),
        ))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ContestRow>> {
        const LOAD: &str = "words/node/cycle";
        let mut all = vec![
            column("network_and_pattern", "", "the panel", |it: &ContestRow| it.network_and_pattern.clone()),
            column("router", "", "the contender", |it: &ContestRow| it.router),
            column("configured_load_words_per_node_cycle", LOAD, "what the configuration asks for", |it: &ContestRow| it.configured_load),
        ];
        all.extend(estimate(("offered_load", "offered_load"), LOAD, "what the sources made in the window: less than configured where some of them are silent", |it: &ContestRow| Some(it.offered_load)));
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window", |it: &ContestRow| Some(it.accepted_load)));
        all.push(column("steady", "", "whether the runs of most seeds were steady; a run that may be unsteady only by chance is repeated for longer", |it: &ContestRow| it.steady));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, of the seeds whose runs were steady, where they are most of them; elsewhere of all seeds, and then it reflects the length of the window", |it: &ContestRow| it.latency_cycles));
        all.extend(estimate(("deroutes_per_hop", "deroutes_per_hop"), "", "of all hops in the window", |it: &ContestRow| it.deroutes_per_hop));
        all.extend([
            column("steady_seeds", "", "seeds whose run was steady", |it: &ContestRow| it.steady_seeds),
            column("saturated_seeds", "", "seeds whose network was saturated", |it: &ContestRow| it.saturated_seeds),
            column("failed_seeds", "", "seeds whose network failed", |it: &ContestRow| it.failed_seeds),
        ]);
        all
    }

    /// What each contender runs: in the first panel, at the lowest load, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let contest = Contest::new(self, catalogue);
        let named = T::CONTENDERS.iter().enumerate();
        let named = named.filter_map(|(place, (name, _))| {
            let first = (0, place, *self.curves().loads.first()?);
            let resolved = contest.resolve(first, 1, &[]).ok()?;
            Some(((*name).to_owned(), resolved.to_toml()))
        });
        named.collect()
    }

    fn text(&self, rows: &[ContestRow]) -> String {
        contest_text(self.curves().many.seeds, rows)
    }

    fn figures(&self, rows: &[ContestRow]) -> Vec<StudyFigure> {
        contest_figures(&self.panels(), self.curves().many.seeds, rows)
    }

    fn owns(&self, name: &str) -> bool {
        let begins = |panel: &Panel| name.starts_with(&format!("{}-", panel.stem()));
        name.ends_with(".svg") && self.panels().iter().any(begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::Silent;
    use crate::options::RunOptions;

    #[derive(Debug, Args)]
    struct Small {
        #[command(flatten)]
        curves: Curves,
    }

    impl Contested for Small {
        const CONTENDERS: &'static [Contender] = &[
            (
                "chaos",
                "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.chaos]\n[traffic]\nload = 0.1",
            ),
            (
                "worms",
                "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.wormhole]\n[traffic]\nload = 0.1",
            ),
        ];
        const PACKET_WORDS: u16 = 2;

        fn curves(&self) -> &Curves {
            &self.curves
        }

        fn panels(&self) -> Vec<Panel> {
            let patterns = ["uniform", "tornado"].map(String::from);
            Panel::all(&["mesh".into()], &[4], &patterns)
        }
    }

    fn small(loads: Vec<f64>, seeds: u32) -> Small {
        let many = RunOptions {
            cycles: 3000,
            seeds,
            jobs: Some(2),
        };
        let curves = Curves { loads, many };
        Small { curves }
    }

    /// A contender at a load, with runs that were steady or not.
    fn row(load: f64, steady: bool) -> ContestRow {
        let sure = |mean| Estimate {
            mean,
            half_width: None,
            level: 0.95,
            batches: 1,
            observations: 1,
        };
        ContestRow {
            network_and_pattern: "mesh of 4 x 4, uniform".into(),
            router: "chaos",
            configured_load: load,
            offered_load: sure(load),
            accepted_load: sure(load),
            latency_cycles: None,
            steady,
            deroutes_per_hop: None,
            steady_seeds: u32::from(steady),
            saturated_seeds: 0,
            failed_seeds: 0,
            accepted_by_seed: vec![load],
        }
    }

    /// "Steady up to" a load means that all the lower ones were steady, too: a load beyond one that wasn't doesn't count.
    #[test]
    fn steady_up_to_ends_at_the_first_load_that_is_not() {
        let steady_up_to = |steady: [bool; 3]| {
            let rows: Vec<_> = [0.125, 0.25, 0.375]
                .into_iter()
                .zip(steady)
                .map(|(load, steady)| row(load, steady))
                .collect();
            let text = contest_text(1, &rows);
            let line = text.lines().find(|line| line.contains("chaos  "));
            // Its name, no latency, and then the load.
            let mut words = line.expect("the contender's line").split_whitespace();
            words.nth(2).expect("three columns").to_owned()
        };
        assert_eq!(steady_up_to([true, true, true]), "0.375");
        assert_eq!(steady_up_to([true, true, false]), "0.250");
        assert_eq!(steady_up_to([true, false, true]), "0.125");
        assert_eq!(steady_up_to([false, true, true]), "none");
    }

    /// Where most runs were steady, the mean is that of theirs, (10 + 20) / 2; elsewhere that of all, (10 + 20 + 60) / 3.
    #[test]
    fn the_latency_is_that_of_the_steady_runs_if_they_are_most() {
        let asked = small(vec![0.1], 3);
        let context = Silent::new(0);
        let contest = Contest::new(&asked, context.catalogue());
        let latency = |steady: [bool; 3]| {
            let runs = [10.0, 20.0, 60.0].into_iter().zip(steady);
            let runs = runs.map(|(latency, is_steady)| Run {
                offered: None,
                accepted: None,
                latency: Some(latency),
                deroutes_per_hop: None,
                has_failed: false,
                is_steady,
                is_saturated: !is_steady,
            });
            let row = contest.row((0, 0, 0.1), &runs.collect::<Vec<_>>());
            (row.steady, row.latency_cycles.map(|it| it.mean))
        };
        assert_eq!(latency([true, true, false]), (true, Some(15.0)));
        assert_eq!(latency([true, false, false]), (false, Some(30.0)));
    }

    #[test]
    fn every_run_has_a_separate_row() {
        let asked = small(vec![0.05, 1.0], 2);
        let Ok(Ran::Whole(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
            panic!("no rows")
        };
        let titles = ["mesh of 4 x 4, uniform", "mesh of 4 x 4, tornado"];
        let expected = titles.into_iter().flat_map(|panel| {
            ["chaos", "worms"]
                .into_iter()
                .flat_map(move |name| [(panel, name, 0.05), (panel, name, 1.0)])
        });
        let of = |row: &'_ ContestRow| (row.router, row.configured_load);
        for (row, (panel, router, load)) in rows.iter().zip(expected) {
            assert_eq!(
                (row.network_and_pattern.as_str(), of(row)),
                (panel, (router, load))
            );
        }
        assert_eq!(rows.len(), 2 * 2 * 2);
        for row in rows.iter().filter(|row| row.configured_load == 0.05) {
            assert!((row.accepted_load.mean - 0.05).abs() < 0.01, "{row:?}");
            assert_eq!((row.steady_seeds, row.failed_seeds), (2, 0), "{row:?}");
        }
        let text = asked.text(&rows);
        assert!(text.contains("worms") && text.contains("tornado"), "{text}");
        assert_eq!(asked.figures(&rows).len(), 4);
        let stopped = asked.run(&mut Silent::new(0));
        assert!(matches!(stopped, Ok(Ran::Nothing)));
    }
}
