//! How many steps GreedyHP takes for a random permutation, over the 2n of the diameter (Chinn 1995,
//! section 4.3).
//!
//! Every node of an n x n mesh has one packet in step 0, all destinations are different, and the last
//! packet is home after a number of steps of a cycle each. No routing takes fewer than the longest
//! distance, which for a random permutation is close to 2n - 2.

use super::{Plot, Ran, Study, StudyEntry};
use crate::axes::base_text;
use crate::context::{Context, Failed};
use crate::many::{admit, alone, refuse_set, repeat, rows_of, set};
use crate::options::{Repeats, jobs_or_cores, side};
use crate::seeds::{mean_of, with_whiskers};
use crate::square::{overlaid, permutation, square};
use clap::Args;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::{demand, simulate};
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Scale, Style};
use flitwork_report::{Aligned, Column, Table, column, estimate};
use flitwork_sweep::pool::Stop;
use flitwork_topology::Topology;
use flitwork_traffic::Offer;
use flitwork_types::Cycle;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Steps per node of a side after which a run is given up: no permutation here comes near.
const STEPS_A_SIDE: u32 = 1000;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<GreedySteps>(
    "greedy-steps",
    "How many steps GreedyHP takes for a random permutation, relative to 2n",
);

/// The keys and tables that the study sets.
const OWN_KEYS: [&str; 4] = ["network.topology", "network.sides", "traffic", "run"];

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct GreedySteps {
    /// Sides of the meshes in nodes, 2 or more.
    #[arg(long = "n", value_name = "N,…", default_value = "16,32,64,128,256", value_parser = side)]
    sizes: Vec<u32>,
    /// How often: each seed draws a permutation and the router's choices.
    #[command(flatten)]
    repeats: Repeats<20>,
}

impl Study for GreedySteps {
    type Row = GreedyStepsRow;

    const PLOT: Plot = Plot::File("Plot steps / 2n in this SVG file");

    fn run(&self, context: &mut dyn Context) -> Result<Ran<GreedyStepsRow>, Failed> {
        let own: Vec<Override> = OWN_KEYS.iter().map(|key| set(key, "")).collect();
        refuse_set(&self.repeats.set, &own, &["[router.greedy-hp]"])?;
        let Repeats { over, jobs, .. } = &self.repeats;
        let meshes = self.sizes.iter();
        let meshes = meshes.map(|n| self.resolved(context.catalogue(), *n));
        let meshes = meshes.collect::<Result<Vec<Resolved>, Failed>>()?;
        admit(
            jobs_or_cores(*jobs),
            over.seeds,
            meshes.iter().map(|mesh| Ok(mesh.clone())),
        )?;
        let runs = repeat(context, &meshes, (over, *jobs), run)?;
        let done: Vec<_> = self.sizes.iter().zip(runs).collect();
        for (n, runs) in &done {
            let late = |run: &&Run| run.steps.is_none();
            if let Some(run) = runs.iter().flatten().find(late) {
                return Err(Failed::BadInput(format!(
                    "n = {n}, seed {}: packets didn't arrive",
                    run.seed
                )));
            }
        }
        Ok(rows_of(&done, alone, |(n, runs)| {
            Some(row(**n, runs.as_deref()?))
        }))
    }

    /// What runs on each mesh with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let of = |n: &u32| {
            let mut resolved = self.resolved(catalogue, *n).ok()?;
            resolved.run.seed = self.repeats.first_seed;
            Some((format!("n = {n}"), resolved.to_toml()))
        };
        self.sizes.iter().filter_map(of).collect()
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<GreedyStepsRow>> {
        let mut all = vec![column("n", "nodes", "the side of the mesh", |it: &GreedyStepsRow| it.n)];
        all.extend(estimate(("steps_over_2n", "steps_over_2n"), "", "steps until the last packet had arrived, over 2n", |it: &GreedyStepsRow| Some(it.steps_over_2n)));
        all.extend(estimate(("distance_over_2n", "distance_over_2n"), "", "the longest distance of a packet over 2n: no routing is faster", |it: &GreedyStepsRow| Some(it.distance_over_2n)));
        all.extend(estimate(("deroutes_per_packet", "deroutes_per_packet"), "hops", "hops through unproductive ports per packet", |it: &GreedyStepsRow| Some(it.deroutes_per_packet)));
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[GreedyStepsRow]) -> Vec<Table> {
        type One = (u32, Run);
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.n, *run)));
        let columns = [
            column("n", "nodes", "the side of the mesh", |it: &One| it.0),
            column("seed", "", "the seed of all random draws", |it: &One| it.1.seed),
            column("steps", "cycles", "until the last packet had arrived", |it: &One| it.1.steps),
            column("longest_distance", "hops", "of a packet: no routing is faster", |it: &One| it.1.longest_hops),
            column("deroutes_per_packet", "hops", "hops through unproductive ports per packet", |it: &One| it.1.deroutes_per_packet),
        ];
        vec![Table::new("runs", &columns, runs)]
    }

    fn text(&self, rows: &[GreedyStepsRow]) -> String {
        let out = format!(
            "GreedyHP, a random permutation of an n x n mesh, {} seeds; mean ± 95 % interval\n{}\n",
            self.repeats.seeds,
            base_text([""; 0], &self.repeats.set)
        );
        let steps = |it: &GreedyStepsRow| {
            let steps = || it.runs.iter().filter_map(|run| run.steps);
            let (least, most) = (steps().min().unwrap_or(0), steps().max().unwrap_or(0));
            format!("{least} to {most}")
        };
        let columns = Aligned::<GreedyStepsRow>::new()
            .right("n", 4, |it| it.n)
            .right("steps / 2n", 20, |it| it.steps_over_2n)
            .right("distance / 2n", 20, |it| it.distance_over_2n)
            .right("steps", 13, steps)
            .right("deroutes/packet", 20, |it| it.deroutes_per_packet);
        out + &columns.text(rows)
    }

    /// Steps over 2n and the longest distance over 2n, by n.
    fn figure(&self, rows: &[GreedyStepsRow]) -> Option<String> {
        let series = |name, style, of: fn(&GreedyStepsRow) -> Estimate| {
            with_whiskers(name, style, rows.iter().map(|row| (row.n, of(row))))
        };
        let curves = Curves {
            title: "GreedyHP on random permutations",
            x_label: "n, side of the mesh (nodes)",
            y_label: "steps over 2n",
            x_scale: Scale::Logarithmic,
            series: vec![
                series("GreedyHP", Style::Curve, |row| row.steps_over_2n),
                series("longest distance", Style::OpenCircles, |row| {
                    row.distance_over_2n
                }),
            ],
            ..Curves::default()
        };
        Some(curves.svg())
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct GreedyStepsRow {
    n: u32,
    runs: Vec<Run>,
    steps_over_2n: Estimate,
    distance_over_2n: Estimate,
    deroutes_per_packet: Estimate,
}

fn refused(n: u32, why: impl Display) -> Failed {
    Failed::option("--n", format!("{n}: {why}"))
}

/// What a seed's run came to.
#[derive(Clone, Copy, Debug)]
struct Run {
    seed: u64,
    /// Until the last packet had arrived, if all did.
    steps: Option<u32>,
    longest_hops: u32,
    deroutes_per_packet: f64,
}

/// A run of a mesh; none if the user asks to stop.
fn run(mesh: &Resolved, seed: u64, stop: &Stop) -> Option<Run> {
    let mut resolved = mesh.clone();
    resolved.run.seed = seed;
    let run = simulate(&resolved, &mut |_| stop.flow());
    let (seen, ended) = (&run.observation, run.outcome.ended);
    if ended == Ended::Interrupted {
        return None;
    }
    let last = seen.last_delivery.filter(|_| ended == Ended::Empty);
    Some(Run {
        seed,
        steps: last.map(Cycle::get),
        longest_hops: longest_hops(&resolved),
        deroutes_per_packet: seen.all_deroutes as f64 / seen.delivered.max(1) as f64,
    })
}

fn row(n: u32, runs: &[Run]) -> GreedyStepsRow {
    let steps = || runs.iter().filter_map(|run| run.steps);
    let over_2n = |count: u32| f64::from(count) / f64::from(2 * n);
    GreedyStepsRow {
        n,
        steps_over_2n: mean_of(steps().map(over_2n)),
        distance_over_2n: mean_of(runs.iter().map(|run| over_2n(run.longest_hops))),
        deroutes_per_packet: mean_of(runs.iter().map(|run| run.deroutes_per_packet)),
        runs: runs.to_vec(),
    }
}

/// The longest distance of a packet of the permutation.
fn longest_hops(resolved: &Resolved) -> u32 {
    let grid = resolved.network.grid();
    let mut workload = demand(resolved).workload;
    let mut longest = 0;
    for source in workload.sources() {
        while let Offer::Packet(birth) = workload.next(source, Cycle::ZERO) {
            let (from, to) = (grid.home(source), grid.home(birth.destination));
            longest = longest.max(grid.distance(from, to));
        }
    }
    longest
}

impl GreedySteps {
    /// A run, but for its seed.
    fn resolved(&self, catalogue: &Catalogue, n: u32) -> Result<Resolved, Failed> {
        let mesh = square(false, n).map_err(|error| refused(n, error))?;
        let run = (1, n.saturating_mul(STEPS_A_SIDE));
        let resolved = permutation(catalogue, &mesh, "greedy-hp", run);
        overlaid(catalogue, resolved, &self.repeats.set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::{Silent, asked, whole_rows};

    fn asked_for(line: &str) -> GreedySteps {
        asked(&ENTRY, line)
    }

    #[test]
    fn no_run_is_faster_than_its_longest_distance() {
        let asked = asked_for("--n 4,8 --first-seed 7 --seeds 3");
        let rows = whole_rows(&asked);
        assert_eq!(rows.len(), 2);
        for row in &rows {
            assert!(
                row.steps_over_2n.mean >= row.distance_over_2n.mean,
                "{row:?}"
            );
            assert!(row.steps_over_2n.mean < 2.0, "{row:?}");
        }
        assert!(asked.text(&rows).contains("steps / 2n"));
        assert!(asked.figure(&rows).unwrap().starts_with("<svg"));
    }

    /// A lookup a cycle later makes hops longer; what the study is made of can't be set.
    #[test]
    fn keys_of_the_router_are_those_of_every_run() {
        let steps = |set: &str| {
            let rows = whole_rows(&asked_for(&format!("--n 8 --seeds 2 {set}")));
            rows[0].runs.iter().map(|run| run.steps).collect::<Vec<_>>()
        };
        let (usual, slow) = (steps(""), steps("--set network.link_latency_cycles=2"));
        assert!(usual.iter().zip(&slow).all(|(usual, slow)| usual < slow));
        for set in [
            "network.sides=[4,4]",
            "run.seed=3",
            "router.chaos.derouting=false",
        ] {
            let asked = asked_for(&format!("--n 8 --set {set}"));
            let ran = asked.run(&mut Silent::new(u32::MAX));
            assert!(matches!(ran, Err(Failed::BadInput(_))), "{set}");
        }
    }

    /// A row's means are those of its seeds' own permutations, which differ; the table of runs names the seeds.
    #[test]
    fn a_row_is_the_mean_of_its_seeds() {
        let row = |line: &str| {
            let asked = asked_for(&format!("--n 8 {line}"));
            let row = whole_rows(&asked).remove(0);
            let text = asked.text(std::slice::from_ref(&row));
            (
                asked.details(std::slice::from_ref(&row))[0].text(),
                text,
                row,
            )
        };
        let (table, text, all) = row("--first-seed 7 --seeds 5");
        let alone = (7..12).map(|seed| row(&format!("--first-seed {seed} --seeds 1")).2);
        let alone: Vec<GreedyStepsRow> = alone.collect();
        let steps: Vec<u32> = alone.iter().map(|row| row.runs[0].steps.unwrap()).collect();
        let together: Vec<u32> = all.runs.iter().map(|run| run.steps.unwrap()).collect();
        assert_eq!(together, steps);
        let distances: Vec<f64> = alone.iter().map(|row| row.distance_over_2n.mean).collect();
        assert!(distances.iter().any(|it| *it != distances[0]));
        let mean = distances.iter().sum::<f64>() / 5.0;
        assert!((all.distance_over_2n.mean - mean).abs() < 1e-12);
        let lines = table.lines().skip(1);
        let lines: Vec<Vec<&str>> = lines.map(|it| it.split_whitespace().collect()).collect();
        let expected = (7..)
            .zip(&steps)
            .map(|(seed, steps)| format!("8 {seed} {steps}"));
        assert!(
            lines.iter().map(|it| it[..3].join(" ")).eq(expected),
            "{table}"
        );
        let (least, most) = (steps.iter().min().unwrap(), steps.iter().max().unwrap());
        assert!(text.contains(&format!(" {least} to {most} ")), "{text}");
    }

    /// What the study is made of can't be set, table by table.
    #[test]
    fn networks_and_packets_are_the_studys() {
        for set in [
            "network.topology=torus",
            "traffic.k=2",
            "traffic.packet_words=2",
            "run.deadline_cycles=9",
        ] {
            let asked = asked_for(&format!("--n 8 --set {set}"));
            match asked.run(&mut Silent::new(u32::MAX)) {
                Err(Failed::BadInput(why)) => {
                    assert!(why.contains("sets this key itself"), "{why}");
                }
                _ => panic!("{set} is accepted"),
            }
        }
    }

    /// A run on 2 x 2 nodes is given 2000 cycles. With links of 1024 a packet of two hops isn't home by then, one of one hop is.
    #[test]
    fn packets_that_do_not_arrive_are_no_row() {
        let asked = asked_for("--n 2 --seeds 3 --set network.link_latency_cycles=1024");
        match asked.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => assert!(why.ends_with("packets didn't arrive"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}
