//! Chinn's experiments 1 to 3 in several readings of the thesis, with fixed and random initial pointers.

use super::{Plot, Ran, Steps, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::options::{seeds, side};
use crate::paper::{Algorithm, InReading, Reading, Timed};
use crate::seeds::counted;
use clap::{Args, ValueEnum};
use flitwork_config::Catalogue;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::{Aligned, Column, column};
use std::collections::BTreeMap;

/// The experiments with Chaos routers.
const EXPERIMENTS: [&str; 3] = ["chinn-exp1", "chinn-exp2", "chinn-exp3"];

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<ChaosReadings>(
    "chaos-readings",
    "Chinn's experiments 1 to 3 in several readings of the thesis, and what random pointers gain",
);

/// Readings by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// The defaults of `flitwork paper`.
    Usual,
    /// Exchanges when the link starts: A.
    Link,
    /// The preset chinn-1995-b.
    B,
    /// The same with d = 71/200.
    #[value(name = "b-d")]
    BD,
    /// Deroutes among all packets.
    All,
    /// Multiqueue frames freed at the tail.
    Tail,
    /// B, and deroutes among all packets.
    BAll,
    /// B, and multiqueue frames freed at the tail.
    BTail,
    /// Half-duplex links.
    Half,
    /// B, and half-duplex links.
    BHalf,
}

impl Name {
    /// As the command line has it.
    fn name(self) -> &'static str {
        match self {
            Name::Usual => "usual",
            Name::Link => "link",
            Name::B => "b",
            Name::BD => "b-d",
            Name::All => "all",
            Name::Tail => "tail",
            Name::BAll => "b-all",
            Name::BTail => "b-tail",
            Name::Half => "half",
            Name::BHalf => "b-half",
        }
    }

    fn reading(self) -> Reading {
        let usual = Reading::USUAL;
        match self {
            Name::Usual => usual,
            Name::Link => usual.at_link(),
            Name::B => usual.b(),
            Name::BD => usual.b().with_d(71, 200),
            Name::All => usual.derouting_any(),
            Name::Tail => usual.freed_at_tail(),
            Name::BAll => usual.b().derouting_any(),
            Name::BTail => usual.b().freed_at_tail(),
            Name::Half => usual.with_half_duplex(),
            Name::BHalf => usual.b().with_half_duplex(),
        }
    }
}

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct ChaosReadings {
    /// The readings.
    #[arg(
        long,
        value_enum,
        value_name = "NAME,…",
        default_value = "usual,link,b,b-d,b-half"
    )]
    readings: Vec<Name>,
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
    name: Name,
    experiment: &'static str,
    fixed: Timed,
    random: Timed,
}

impl ReadingRow {
    /// The relative deviation from the published time.
    fn error(&self) -> Option<f64> {
        Some(self.fixed.cycles / self.fixed.published? - 1.0)
    }

    /// By how much random pointers are faster.
    fn gain(&self) -> f64 {
        1.0 - self.random.cycles / self.fixed.cycles
    }
}

impl ChaosReadings {
    /// Each reading of each experiment, with fixed pointers.
    fn all(&self) -> impl Iterator<Item = (Name, InReading)> {
        self.readings.iter().flat_map(|name| {
            EXPERIMENTS.map(|experiment| {
                let of = InReading::new(experiment, name.reading(), self.n.clone(), self.seeds);
                (*name, of)
            })
        })
    }
}

impl Study for ChaosReadings {
    type Row = ReadingRow;

    const PLOT: Option<Plot> = Some(Plot::Folder(
        "Plot the deviations against n in this folder, one SVG file for each experiment and algorithm",
    ));

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ReadingRow>, Failed> {
        for (_, of) in self.all() {
            of.admit(context.catalogue())?;
        }
        let mut steps = Steps::new(context, None);
        let mut rows = Vec::new();
        for (name, of) in self.all() {
            let Some(fixed) = of.times(&mut steps)? else {
                break;
            };
            let Some(random) = of.with_random_pointers().times(&mut steps)? else {
                break;
            };
            let experiment = of.experiment();
            rows.extend(
                fixed
                    .into_iter()
                    .zip(random)
                    .map(|(fixed, random)| ReadingRow {
                        name,
                        experiment,
                        fixed,
                        random,
                    }),
            );
        }
        Ok(Ran::AsFar(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ReadingRow>> {
        vec![
            column("reading", "", "the reading of the thesis", |it: &ReadingRow| it.name.name()),
            column("experiment", "", "the experiment", |it: &ReadingRow| it.experiment),
            column("n", "nodes", "the side of the mesh", |it: &ReadingRow| it.fixed.n),
            column("algorithm", "", "what routed", |it: &ReadingRow| it.fixed.algorithm.name()),
            column("time_mean_cycles", "cycles", "until the last packet has left, mean over the seeds", |it: &ReadingRow| it.fixed.cycles),
            column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &ReadingRow| it.fixed.published),
            column("time_deviation", "", "from the published time, as a fraction of it", ReadingRow::error),
            column("random_pointers_time_mean_cycles", "cycles", "with random initial pointers until the last packet has left, mean over the seeds", |it: &ReadingRow| it.random.cycles),
            column("random_pointers_gain", "", "by which random pointers shorten the time, as a fraction of it", ReadingRow::gain),
            column("seeds", "", "runs: one per seed", |it: &ReadingRow| it.fixed.seeds),
            column("digest", "", "the sum of the runs' digests with fixed pointers", |it: &ReadingRow| it.fixed.digest.clone()),
        ]
    }

    /// What routes the first seed's permutations, by reading, experiment, mesh and algorithm.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let named = self.all().flat_map(|(name, of)| {
            let all = of.configurations(catalogue).into_iter();
            let prefix = format!("{}, {}", name.name(), of.experiment());
            all.map(move |(rest, text)| (format!("{prefix}, {rest}"), text))
        });
        named.collect()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }

    fn text(&self, rows: &[ReadingRow]) -> String {
        let out = format!(
            "Chinn 1995, experiments 1 to 3 in several readings, {}\n\n",
            counted(self.seeds as usize, "seed")
        );
        let percent = |part: f64| format!("{:+.1} %", 100.0 * part);
        let dash = |shown: Option<String>| shown.unwrap_or("-".into());
        let columns = Aligned::<ReadingRow>::new()
            .left("reading", 8, |it| it.name.name())
            .left("experiment", 11, |it| it.experiment)
            .right("n", 5, |it| it.fixed.n)
            .behind(2)
            .left("algorithm", 13, |it| it.fixed.algorithm.name())
            .right("cycles", 10, |it| format!("{:.1}", it.fixed.cycles))
            .right("published", 11, |it| {
                dash(it.fixed.published.map(|cycles| format!("{cycles:.0}")))
            })
            .right("deviation", 10, |it| dash(it.error().map(percent)))
            .right("random pointers", 16, |it| {
                format!("{:.1}", it.random.cycles)
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

    fn owns(&self, name: &str) -> bool {
        name.starts_with("chaos-readings-") && name.ends_with(".svg")
    }
}

impl ChaosReadings {
    /// The deviations of an experiment and algorithm over n, a curve for each reading.
    fn figure_of(
        &self,
        rows: &[ReadingRow],
        (experiment, algorithm): (&str, Algorithm),
    ) -> StudyFigure {
        let of = |name: &Name| {
            let rows = rows.iter().filter(|row| {
                (row.name, row.experiment, row.fixed.algorithm) == (*name, experiment, algorithm)
            });
            let points =
                rows.filter_map(|row| Some((f64::from(row.fixed.n), 100.0 * row.error()?)));
            Series::new(name.name(), Style::Curve, points.collect())
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
        StudyFigure {
            name: format!("chaos-readings-{experiment}-{}.svg", algorithm.name()),
            svg: curves.svg(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::Silent;

    #[test]
    fn every_reading_is_another_run() {
        let variants = Name::value_variants().iter();
        let named =
            variants.map(|name| name.to_possible_value().unwrap().get_name() == name.name());
        assert!(named.into_iter().all(|same| same));
        let asked = ChaosReadings {
            readings: vec![Name::Usual, Name::Link, Name::B, Name::All, Name::BTail],
            n: vec![600],
            seeds: 1,
        };
        let Ok(Ran::AsFar(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
            panic!("no rows")
        };
        assert_eq!(rows.len(), asked.readings.len() * 3 * 2);
        // Deroutes among all packets change Chaos alone, so its digests tell readings apart.
        let digests_of = |name: &Name| {
            let rows = rows
                .iter()
                .filter(|row| row.name == *name && row.fixed.algorithm == Algorithm::Chaos);
            rows.map(|row| row.fixed.digest.clone()).collect::<Vec<_>>()
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
                .all(|it| asked.owns(&it.name) && it.svg.starts_with("<svg"))
        );
    }
}
