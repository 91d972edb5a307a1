//! Chinn's experiments 1 to 3 in several readings of the thesis, with fixed and random initial pointers.

use super::{Plot, Ran, Steps, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::options::{Names, Seeds, listed, name_in, side};
use crate::paper::{Algorithm, Chinn, HALF, Mesh, Preset, Reading, Row, Run, run_columns};
use crate::seeds::{counted, dash, over_seeds, percent, with_whiskers};
use clap::Args;
use flitwork_adversary::{Fraction, Instant};
use flitwork_config::Catalogue;
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::{Aligned, Column, Table, column, estimate};
use flitwork_router::chaos::{DerouteAmong, InitialPointer, MultiqueueFreed};
use std::collections::BTreeMap;
use std::num::NonZero;

/// The experiments with Chaos routers.
const EXPERIMENTS: [&str; 3] = ["chinn-exp1", "chinn-exp2", "chinn-exp3"];

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<ChaosReadings>(
    "chaos-readings",
    "Chinn's experiments 1 to 3 in several readings of the thesis, and what random pointers gain",
);

/// The d of a reading: all others have 1/3.
const D: Fraction = Fraction {
    parts: 71,
    of: NonZero::new(200).expect("not 0"),
};

const USUAL: Reading = Reading::USUAL;
const B: Reading = Reading {
    preset: Preset::B,
    ..USUAL
};

/// The readings.
#[rustfmt::skip]
const READINGS: Names<Reading> = &[
    ("usual", USUAL, "The defaults of `flitwork paper`"),
    ("link", Reading { exchange: Instant::Link, ..USUAL }, "Exchanges when the link starts: A"),
    ("b", B, "The preset chinn-1995-b"),
    ("b-d", Reading { d: D, ..B }, "The same with d = 71/200"),
    ("all", Reading { deroute_among: DerouteAmong::All, ..USUAL }, "Deroutes among all packets"),
    ("tail", Reading { multiqueue_freed_at: MultiqueueFreed::Tail, ..USUAL }, "Multiqueue frames freed at the tail"),
    ("b-all", Reading { deroute_among: DerouteAmong::All, ..B }, "B, and deroutes among all packets"),
    ("b-tail", Reading { multiqueue_freed_at: MultiqueueFreed::Tail, ..B }, "B, and multiqueue frames freed at the tail"),
    ("half", Reading { duplex: HALF, ..USUAL }, "Half-duplex links"),
    ("b-half", Reading { duplex: HALF, ..B }, "B, and half-duplex links"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct ChaosReadings {
    /// The readings.
    #[arg(
        long,
        value_parser = listed(READINGS),
        value_name = "NAME,…",
        default_value = "usual,link,b,b-d,b-half"
    )]
    readings: Vec<Reading>,
    /// Sides of the meshes in nodes, for each experiment; by default the published ones.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// Which seeds.
    #[command(flatten)]
    over: Seeds<3>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct ReadingRow {
    reading: Reading,
    experiment: &'static str,
    /// With fixed pointers, and with random ones.
    fixed: Row,
    random: Row,
}

impl ReadingRow {
    /// A figure of the seeds' times with fixed and with random pointers.
    fn over(&self, of: impl Fn(f64, f64) -> Option<f64>) -> Option<Estimate> {
        let pairs = self.fixed.runs.iter().zip(&self.random.runs);
        let both = pairs.filter_map(|(fixed, random)| fixed.cycles.zip(random.cycles));
        over_seeds(both.filter_map(|(fixed, random)| of(fixed.into(), random.into())))
    }

    fn time(&self) -> Option<Estimate> {
        self.over(|fixed, _| Some(fixed))
    }

    fn random_time(&self) -> Option<Estimate> {
        self.over(|_, random| Some(random))
    }

    /// From the published time, as a part of it.
    fn deviation(&self) -> Option<Estimate> {
        self.over(|fixed, _| Some(fixed / self.fixed.published? - 1.0))
    }

    /// By how much random pointers are faster on the same permutation.
    fn gain(&self) -> Option<Estimate> {
        self.over(|fixed, random| Some(1.0 - random / fixed))
    }
}

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &ReadingRow + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("reading", "", "the reading of the thesis", move |it| name_in(READINGS, &of(it).reading)),
        column("experiment", "", "the experiment", move |it| of(it).experiment),
        column("n", "nodes", "the side of the mesh", move |it| of(it).fixed.n),
        column("algorithm", "", "what routed", move |it| of(it).fixed.kind.algorithm.name()),
    ]
}

impl ChaosReadings {
    /// The rows of a mesh in an experiment, of which `fixed` has fixed pointers; none if the user asks to stop.
    fn rows(
        &self,
        (reading, experiment): (Reading, &'static str),
        fixed: &Chinn,
        mesh: &Mesh,
        steps: &mut Steps<'_>,
    ) -> Option<Vec<ReadingRow>> {
        let random = self.experiment((reading, experiment), InitialPointer::Random);
        let pairs = fixed.rows(mesh, steps)?.into_iter();
        let pairs = pairs.zip(random.rows(mesh, steps)?);
        let row = |(fixed, random)| ReadingRow {
            reading,
            experiment,
            fixed,
            random,
        };
        Some(pairs.map(row).collect())
    }

    /// Each reading of each experiment.
    fn all(&self) -> impl Iterator<Item = (Reading, &'static str)> {
        let readings = self.readings.iter();
        readings.flat_map(|reading| EXPERIMENTS.map(|experiment| (*reading, experiment)))
    }

    fn experiment(
        &self,
        (reading, experiment): (Reading, &'static str),
        pointer: InitialPointer,
    ) -> Chinn {
        let setting = (reading, pointer);
        Chinn::new(experiment, setting, self.n.clone(), self.over.clone())
    }
}

/// Cycles with their interval, if they have one.
fn cycles(mean: Option<Estimate>) -> String {
    dash(mean.map(|mean| match mean.half_width {
        Some(half) => format!("{:.1} ± {half:.1}", mean.mean),
        None => format!("{:.1}", mean.mean),
    }))
}

/// A part as a percentage with its interval, if it has one.
fn shown(part: Option<Estimate>) -> String {
    dash(part.map(|part| match part.half_width {
        Some(half) => format!("{:+.1} ± {:.1} %", 100.0 * part.mean, 100.0 * half),
        None => percent(part.mean),
    }))
}

impl Study for ChaosReadings {
    type Row = ReadingRow;

    const FIGURES: Option<&'static str> = Some("chaos-readings-");

    const PLOT: Plot = Plot::Folder(
        "Plot the deviations against n in this folder, one SVG file for each experiment and algorithm",
    );

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ReadingRow>, Failed> {
        let mut all = Vec::new();
        for of in self.all() {
            let fixed = self.experiment(of, InitialPointer::Fixed);
            let meshes = fixed.admitted(context.catalogue())?;
            all.push((of, fixed, meshes));
        }
        let mut steps = Steps::new(context, None);
        let each = all
            .iter()
            .flat_map(|(of, fixed, meshes)| meshes.iter().map(move |mesh| (of, fixed, mesh)));
        let rows = steps.rows(each, |(of, fixed, mesh), steps| {
            Ok(self.rows(*of, fixed, mesh, steps))
        })?;
        Ok(match rows {
            Ran::Whole(rows) => Ran::Whole(rows.concat()),
            Ran::AsFar(rows) => Ran::AsFar(rows.concat()),
            Ran::Nothing => Ran::Nothing,
        })
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ReadingRow>> {
        let mut all = place_columns(|it: &ReadingRow| it);
        all.extend(estimate(("time_mean", "time"), "cycles", "until the last packet has left", ReadingRow::time));
        all.push(column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &ReadingRow| it.fixed.published));
        all.extend(estimate(("time_deviation", "time_deviation"), "", "from the published time, as a fraction of it", ReadingRow::deviation));
        all.extend(estimate(("random_pointers_time_mean", "random_pointers_time"), "cycles", "with random initial pointers until the last packet has left", ReadingRow::random_time));
        all.extend(estimate(("random_pointers_gain", "random_pointers_gain"), "", "by which random pointers shorten the time, as a fraction of it; seed by seed", ReadingRow::gain));
        all.extend([
            column("seeds", "", "runs: one per seed", |it: &ReadingRow| it.fixed.runs.len() as u32),
            column("digest", "", "the sum of the runs' digests with fixed pointers", |it: &ReadingRow| it.fixed.digest()),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[ReadingRow]) -> Vec<Table> {
        type One<'a> = (&'a ReadingRow, &'static str, Run);
        let runs = rows.iter().flat_map(|row| {
            let fixed = row.fixed.runs.iter().map(move |run| (row, "fixed", *run));
            fixed.chain(row.random.runs.iter().map(move |run| (row, "random", *run)))
        });
        let mut columns = place_columns(|it: &One<'_>| it.0);
        columns.push(column("initial_pointer", "", "`fixed` or `random`", |it: &One<'_>| it.1));
        columns.extend(run_columns("until the last packet has left", |it: &One<'_>| it.2));
        vec![Table::new("runs", &columns, runs)]
    }

    /// What routes the first seed's permutations, by reading, experiment, mesh and algorithm.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let named = self.all().flat_map(|of| {
            let fixed = self.experiment(of, InitialPointer::Fixed);
            let all = fixed.configurations(catalogue).into_iter();
            let prefix = format!("{}, {}", name_in(READINGS, &of.0), of.1);
            all.map(move |(rest, text)| (format!("{prefix}, {rest}"), text))
        });
        named.collect()
    }

    fn text(&self, rows: &[ReadingRow]) -> String {
        let out = format!(
            "Chinn 1995, experiments 1 to 3 in several readings, {}; ± 95 % intervals\n\n",
            counted(self.over.seeds as usize, "seed")
        );
        let columns = Aligned::<ReadingRow>::new()
            .left("reading", 8, |it| name_in(READINGS, &it.reading))
            .left("experiment", 11, |it| it.experiment)
            .right("n", 5, |it| it.fixed.n)
            .behind(2)
            .left("algorithm", 13, |it| it.fixed.kind.algorithm.name())
            .right("cycles", 18, |it| cycles(it.time()))
            .right("published", 11, |it| {
                dash(it.fixed.published.map(|cycles| format!("{cycles:.0}")))
            })
            .right("deviation", 14, |it| shown(it.deviation()))
            .right("random pointers", 18, |it| cycles(it.random_time()))
            .right("gain", 15, |it| shown(it.gain()));
        out + &columns.text(rows)
    }

    fn figures(&self, rows: &[ReadingRow]) -> Vec<StudyFigure> {
        let algorithms = [Algorithm::MinimalChaos, Algorithm::Chaos];
        let each = EXPERIMENTS
            .iter()
            .flat_map(|experiment| algorithms.map(|algorithm| (*experiment, algorithm)));
        each.map(|of| self.figure_of(rows, of)).collect()
    }
}

impl ChaosReadings {
    /// The deviations of an experiment and algorithm over n, a curve for each reading.
    fn figure_of(
        &self,
        rows: &[ReadingRow],
        (experiment, algorithm): (&str, Algorithm),
    ) -> StudyFigure {
        let of = |reading: &Reading| {
            let rows = rows.iter().filter(|row| {
                (row.reading, row.experiment, row.fixed.kind.algorithm)
                    == (*reading, experiment, algorithm)
            });
            let means = rows.filter_map(|row| Some((row.fixed.n, row.deviation()?.scaled(100.0))));
            with_whiskers(name_in(READINGS, reading), Style::Curve, means)
        };
        let mut series: Vec<Series> = self.readings.iter().map(of).collect();
        series.retain(|it| !it.points.is_empty());
        let title = format!(
            "{experiment}, {}: deviation from the published times",
            algorithm.name()
        );
        let curves = Curves {
            title: &title,
            x_label: "side of the mesh, n (nodes)",
            y_label: "deviation (%)",
            series,
            ..Curves::default()
        };
        let name = format!("chaos-readings-{experiment}-{}.svg", algorithm.name());
        (name, curves.svg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::Silent;

    fn reading(name: &str) -> Reading {
        let named = READINGS.iter().find(|it| it.0 == name);
        named.expect("a name").1
    }

    #[test]
    fn every_reading_is_another_run() {
        let asked = ChaosReadings {
            readings: ["usual", "link", "b", "all", "b-tail"].map(reading).into(),
            n: vec![600],
            over: Seeds {
                first_seed: 1,
                seeds: 1,
            },
        };
        let Ok(Ran::AsFar(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
            panic!("no rows")
        };
        assert_eq!(rows.len(), asked.readings.len() * 3 * 2);
        // Deroutes among all packets change Chaos alone, so its digests tell readings apart.
        let digests_of = |reading: &Reading| {
            let rows = rows.iter().filter(|row| {
                row.reading == *reading && row.fixed.kind.algorithm == Algorithm::Chaos
            });
            rows.map(|row| row.fixed.digest()).collect::<Vec<_>>()
        };
        let mut digests: Vec<_> = asked.readings.iter().map(digests_of).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), asked.readings.len());
        // Random pointers change which packets meet: another run of the same permutation.
        let is_random_another = |row: &ReadingRow| row.fixed.digest() != row.random.digest();
        assert!(rows.iter().any(is_random_another));
        assert!(asked.text(&rows).contains("b-tail"));
        assert_eq!(asked.figures(&rows).len(), 6);
        assert!(
            asked
                .figures(&rows)
                .iter()
                .all(|(name, svg)| asked.owns(name) && svg.starts_with("<svg"))
        );
    }

    /// 110 and 130 for a published 100 are 10 and 30 % late, 20 % on average; 99 for 110 gains a tenth, 65 for 130 a half. Student's t with one
    /// degree of freedom is 12.706, the standard errors are half of the differences.
    #[test]
    fn figures_are_seed_by_seed() {
        let asked = ChaosReadings {
            readings: vec![reading("usual")],
            n: vec![60],
            over: Seeds {
                first_seed: 4,
                seeds: 2,
            },
        };
        let Ok(Ran::AsFar(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
            panic!("no rows")
        };
        let seeds: Vec<u64> = rows[0].random.runs.iter().map(|run| run.seed).collect();
        assert_eq!(seeds, [4, 5]);
        let mut row = rows[0].clone();
        row.fixed.published = Some(100.0);
        let times = [(110, 99), (130, 65)];
        for (at, (fixed, random)) in times.into_iter().enumerate() {
            row.fixed.runs[at].cycles = Some(fixed);
            row.random.runs[at].cycles = Some(random);
        }
        let near = |of: Option<Estimate>, mean: f64, error: f64| {
            let of = of.unwrap();
            (of.mean - mean).abs() < 1e-12 && (of.half_width.unwrap() / error - 12.706).abs() < 1e-3
        };
        assert!(near(row.deviation(), 0.2, 0.1), "{:?}", row.deviation());
        assert!(near(row.gain(), 0.3, 0.2), "{:?}", row.gain());
        assert!(near(row.time(), 120.0, 10.0), "{:?}", row.time());
        assert!(
            near(row.random_time(), 82.0, 17.0),
            "{:?}",
            row.random_time()
        );
        let columns = asked.columns();
        let cell = |name: &str| {
            let column = columns.iter().find(|it| it.header.name == name);
            column.unwrap().cell(&row)
        };
        let means = [
            ("time_mean_cycles", 120.0),
            ("time_deviation", 0.2),
            ("random_pointers_time_mean_cycles", 82.0),
            ("random_pointers_gain", 0.3),
        ];
        for (name, mean) in means {
            let found = cell(name).number().unwrap();
            assert!((found - mean).abs() < 1e-9, "{name}: {found}");
        }
        assert_eq!(cell("digest").to_string(), row.fixed.digest().to_string());
        assert_eq!(cycles(row.time()), "120.0 ± 127.1");
        // Four runs of a row: each seed with fixed pointers, then each with random ones.
        let runs = asked.details(std::slice::from_ref(&row))[0].text();
        let shown_runs = runs.lines().skip(1).map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let pointer = words.iter().position(|it| ["fixed", "random"].contains(it));
            words[pointer.unwrap()..][..3].join(" ")
        });
        let shown_runs: Vec<String> = shown_runs.collect();
        assert_eq!(
            shown_runs,
            ["fixed 4 110", "fixed 5 130", "random 4 99", "random 5 65"]
        );
        assert_eq!(shown(row.gain()), "+30.0 ± 254.1 %");
        assert_eq!(shown(None), "-");
        let table = &asked.details(&rows)[0];
        assert_eq!(table.text().lines().count(), 1 + rows.len() * 2 * 2);
    }
}
