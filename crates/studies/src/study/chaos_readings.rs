//! Chinn's experiments 1 to 3 in several readings of the thesis, with fixed and random initial pointers.

use super::{Plot, Ran, Steps, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::options::{Names, listed, name_in, seeds, side};
use crate::paper::{Algorithm, Chinn, HALF, Mesh, Preset, Reading, Row};
use crate::seeds::{counted, dash, percent};
use clap::Args;
use flitwork_adversary::{Fraction, Instant};
use flitwork_config::Catalogue;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::{Aligned, Column, column};
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
    /// The number of seeds per row. Results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
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
    /// By how much random pointers are faster.
    fn gain(&self) -> f64 {
        1.0 - self.random.cycles() / self.fixed.cycles()
    }
}

impl ChaosReadings {
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
        Chinn::new(experiment, setting, self.n.clone(), self.seeds)
    }
}

/// The rows of an experiment; none if the user asks to stop.
fn times(of: &Chinn, meshes: &[Mesh], steps: &mut Steps<'_>) -> Option<Vec<Row>> {
    let rows: Option<Vec<_>> = meshes.iter().map(|mesh| of.rows(mesh, steps)).collect();
    Some(rows?.concat())
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
        let mut rows = Vec::new();
        for (of, fixed, meshes) in &all {
            let Some(fixed) = times(fixed, meshes, &mut steps) else {
                break;
            };
            let random = self.experiment(*of, InitialPointer::Random);
            let Some(random) = times(&random, meshes, &mut steps) else {
                break;
            };
            let (reading, experiment) = *of;
            let pairs = fixed.into_iter().zip(random);
            rows.extend(pairs.map(|(fixed, random)| ReadingRow {
                reading,
                experiment,
                fixed,
                random,
            }));
        }
        Ok(Ran::AsFar(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ReadingRow>> {
        vec![
            column("reading", "", "the reading of the thesis", |it: &ReadingRow| name_in(READINGS, &it.reading)),
            column("experiment", "", "the experiment", |it: &ReadingRow| it.experiment),
            column("n", "nodes", "the side of the mesh", |it: &ReadingRow| it.fixed.n),
            column("algorithm", "", "what routed", |it: &ReadingRow| it.fixed.kind.algorithm.name()),
            column("time_mean_cycles", "cycles", "until the last packet has left, mean over the seeds", |it: &ReadingRow| it.fixed.cycles()),
            column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &ReadingRow| it.fixed.published),
            column("time_deviation", "", "from the published time, as a fraction of it", |it: &ReadingRow| it.fixed.error()),
            column("random_pointers_time_mean_cycles", "cycles", "with random initial pointers until the last packet has left, mean over the seeds", |it: &ReadingRow| it.random.cycles()),
            column("random_pointers_gain", "", "by which random pointers shorten the time, as a fraction of it", ReadingRow::gain),
            column("seeds", "", "runs: one per seed", |it: &ReadingRow| it.fixed.runs.len() as u32),
            column("digest", "", "the sum of the runs' digests with fixed pointers", |it: &ReadingRow| it.fixed.digest()),
        ]
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
            "Chinn 1995, experiments 1 to 3 in several readings, {}\n\n",
            counted(self.seeds as usize, "seed")
        );
        let columns = Aligned::<ReadingRow>::new()
            .left("reading", 8, |it| name_in(READINGS, &it.reading))
            .left("experiment", 11, |it| it.experiment)
            .right("n", 5, |it| it.fixed.n)
            .behind(2)
            .left("algorithm", 13, |it| it.fixed.kind.algorithm.name())
            .right("cycles", 10, |it| format!("{:.1}", it.fixed.cycles()))
            .right("published", 11, |it| {
                dash(it.fixed.published.map(|cycles| format!("{cycles:.0}")))
            })
            .right("deviation", 10, |it| dash(it.fixed.error().map(percent)))
            .right("random pointers", 16, |it| {
                format!("{:.1}", it.random.cycles())
            })
            .right("gain", 9, |it| percent(it.gain()));
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
            let points =
                rows.filter_map(|row| Some((f64::from(row.fixed.n), 100.0 * row.fixed.error()?)));
            Series::new(name_in(READINGS, reading), Style::Curve, points.collect())
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
            seeds: 1,
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
        assert!(asked.text(&rows).contains("b-tail"));
        assert_eq!(asked.figures(&rows).len(), 6);
        assert!(
            asked
                .figures(&rows)
                .iter()
                .all(|(name, svg)| asked.owns(name) && svg.starts_with("<svg"))
        );
    }
}
