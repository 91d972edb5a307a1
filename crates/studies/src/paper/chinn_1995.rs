//! Chinn 1995, chapter 4, on the command line: experiments 1 to 4, their options, rows and snapshots.

use super::classes;
use super::entry::PaperEntry;
use super::mesh::{LAST_CYCLES, Mesh, Pairs, assert_done};
use super::published::{Algorithm, published};
use super::reading::Reading;
use super::report::{figure, text};
use super::route::{Run, Watched, route, run_columns};
use super::row::{Kind, Row};
use crate::context::{Context, Failed};
use crate::contract::{FileIn, Plot, Ran, Steps, Study};
use crate::options::{Names, Seeds, cycle, listed, or, side};
use crate::paths::{OutputFolder, OwnFolder};
use clap::Args;
use flitwork_adversary::Class;
use flitwork_config::Catalogue;
use flitwork_plot::{Drawable, HeatMap, Palette, Sheet};
use flitwork_report::{Column, Provenance, Table, column};
use flitwork_router::chaos::InitialPointer;
use flitwork_types::Cycle;
use std::collections::BTreeMap;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[
    PaperEntry::of::<Chinn>(
        "chinn-exp1",
        "the permutation against minimal Chaos on the whole mesh",
    ),
    PaperEntry::of::<Chinn>(
        "chinn-exp2",
        "the same on the box in the corner, at whose edge packets vanish",
    ),
    PaperEntry::of::<Chinn>("chinn-exp3", "the same with multiqueues of two frames"),
    PaperEntry::of::<Chinn>("chinn-exp4", "the permutation against GreedyHP"),
];

/// Where the nodes' decision engines begin their scans.
#[rustfmt::skip]
const POINTERS: Names<InitialPointer> = &[
    ("fixed", InitialPointer::Fixed, "All at the first port of the scan order"),
    ("random", InitialPointer::Random, "Each at a random port: the random-initial-state runs"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Chinn {
    /// Which of them it is.
    #[arg(skip)]
    experiment: &'static str,
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// Which seeds; each gives other random draws.
    #[command(flatten)]
    over: Seeds<3>,
    /// The nodes' initial pointers when the permutation is routed.
    #[arg(long, value_parser = listed(POINTERS), default_value = "fixed", value_name = "WHERE")]
    initial_pointer: InitialPointer,
    #[command(flatten)]
    reading: Reading,
    /// Let hot potatoes also advance by a random maximum matching, which GreedyHP approximates: each of the two routes the
    /// permutation constructed against it, and the other's; experiment 4 only.
    #[arg(long)]
    matching: bool,
    /// Show when the first, the middle and the last packet of each class leave the corner where packets start, and draw
    /// the classes' order in place of the experiment's figure; experiments 1 to 3 only.
    #[arg(long)]
    classes: bool,
    /// Draw the occupancy of the corner at this cycle, as in Figure 4.4: a PNG and an SVG file per row, in
    /// the current folder or --snapshot-dir.
    #[arg(long, value_name = "CYCLE", value_parser = cycle)]
    snapshot: Option<u32>,
    /// Where snapshots go.
    #[arg(long, value_name = "DIR", default_value = ".", requires = "snapshot")]
    snapshot_dir: OutputFolder,
}

impl Chinn {
    /// The meshes: by default the experiment's own.
    fn meshes(&self, catalogue: &Catalogue) -> Result<Vec<Mesh>, Failed> {
        self.refuse()?;
        let own = published(self.experiment).sides();
        let mesh = |n: &u32| Mesh::new(catalogue, *n, (self.experiment, self.reading), &[]);
        or(&self.n, &own).iter().map(mesh).collect()
    }

    /// Refuses options that an experiment doesn't read.
    fn refuse(&self) -> Result<(), Failed> {
        let is_hot = self.experiment == "chinn-exp4";
        if self.matching && !is_hot {
            let why = format!(
                "{} has no hot potatoes; allowed: chinn-exp4",
                self.experiment
            );
            return Err(Failed::option("--matching", why));
        }
        if self.classes && is_hot {
            let why = "chinn-exp4 has no classes; allowed: chinn-exp1, chinn-exp2 and chinn-exp3";
            return Err(Failed::option("--classes", why));
        }
        Ok(())
    }

    /// What routes: what was published, and the matching if that is asked for.
    fn algorithms(&self) -> Vec<Algorithm> {
        let mut all = published(self.experiment).algorithms();
        all.extend(self.matching.then_some(Algorithm::MatchingHp));
        all
    }

    /// The kinds of rows that a mesh has.
    fn kinds(&self) -> Vec<Kind> {
        let algorithms = self.algorithms();
        let by: Vec<Option<Algorithm>> = match self.matching {
            true => algorithms.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let on = |by: Option<Algorithm>| {
            algorithms.iter().map(move |algorithm| Kind {
                algorithm: *algorithm,
                committed_by: by,
            })
        };
        by.into_iter().flat_map(on).collect()
    }

    /// The rows of a mesh; none if the user asks to stop. Each seed has a permutation of its own, for both algorithms; that
    /// of experiment 4 is committed once, and then routed under each seed.
    fn rows(&self, mesh: &Mesh, steps: &mut Steps<'_>) -> Option<Vec<Row>> {
        let (n, published) = (mesh.plan.n, published(self.experiment));
        let row = |kind: Kind| Row {
            experiment: self.experiment,
            n,
            cn: mesh.plan.corner,
            kind,
            published: kind
                .published(published)
                .find(|row| row.0 == n)
                .map(|row| row.2),
            packets: mesh.plan.packets(),
            runs: Vec::new(),
            occupancy: None,
            leaving: Vec::new(),
        };
        let mut rows: Vec<Row> = self.kinds().into_iter().map(row).collect();
        if self.experiment == "chinn-exp4" {
            let same = |one: &Row, other: &Row| one.kind.committed_by == other.kind.committed_by;
            for rows in rows.chunk_by_mut(same) {
                let by = rows[0].kind.committed_by.unwrap_or(Algorithm::GreedyHp);
                let pairs = mesh.commit(by, steps)?;
                for seed in self.over.all() {
                    self.route_all(mesh, rows, (seed, &pairs, &[]), steps)?;
                }
            }
            return Some(rows);
        }
        for seed in self.over.all() {
            let (pairs, classes) = mesh.construct(seed, steps)?;
            self.route_all(mesh, &mut rows, (seed, &pairs, &classes), steps)?;
        }
        Some(rows)
    }

    /// Routes a permutation under a seed for each row; none if the user asks to stop.
    fn route_all(
        &self,
        mesh: &Mesh,
        rows: &mut [Row],
        (seed, pairs, classes): (u64, &Pairs, &[Class]),
        steps: &mut Steps<'_>,
    ) -> Option<()> {
        let watched = Watched {
            snapshot: self
                .snapshot
                .map(Cycle)
                .filter(|_| seed == self.over.first_seed),
            corner: self.classes.then_some(mesh.plan.corner),
        };
        for row in rows {
            let (pointer, run) = (self.initial_pointer, (seed, LAST_CYCLES));
            let resolved = mesh.resolved(row.kind.algorithm, pointer, run);
            let name = format!("n = {}, seed {seed}: {}", row.n, row.kind.label());
            let routed = steps.run(&name, |control| route(&resolved, pairs, watched, control))?;
            assert_done(routed.ended);
            row.runs.push(routed.run);
            let seen = routed.seen;
            row.occupancy = row.occupancy.take().or(seen.occupancy);
            let leaving = seen.leaves.map(|leaves| leaves.of_classes(seed, classes));
            row.leaving.extend(leaving);
        }
        Some(())
    }
}

impl Study for Chinn {
    type Row = Row;

    const PLOT: Plot = Plot::File("Draw the figure, with the published points, into this SVG file");

    fn set_name(&mut self, name: &'static str) {
        self.experiment = name;
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let meshes = self.meshes(context.catalogue())?;
        Mesh::admit(meshes.iter(), 1)?;
        let mut steps = Steps::new(context, None);
        let mut rows = Vec::new();
        for mesh in &meshes {
            let Some(done) = self.rows(mesh, &mut steps) else {
                break;
            };
            for row in &done {
                let (n, label, cycles) = (row.n, row.kind.label(), row.cycles());
                let line = format!("n = {n}: {label} {cycles:.1} cycles");
                steps.context.remark(&line);
            }
            rows.extend(done);
        }
        Ok(Ran::AsFar(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        let mut columns = vec![
            column("experiment", "", "the experiment", |it: &Row| it.experiment),
            column("n", "nodes", "the side of the mesh", |it: &Row| it.n),
            column("cn", "nodes", "the side of the corner", |it: &Row| it.cn),
            column("algorithm", "", "what routed", |it: &Row| it.kind.algorithm.name()),
        ];
        if self.matching {
            columns.push(column("committed_by", "", "what the permutation was committed by", |it: &Row| it.kind.committed_by.map(Algorithm::name)));
        }
        columns.extend([
            column("time_mean_cycles", "cycles", "until the last packet has left, mean over the seeds", Row::cycles),
            column("time_min_cycles", "cycles", "the least of them", |it: &Row| it.range().0),
            column("time_max_cycles", "cycles", "the greatest of them", |it: &Row| it.range().1),
            column("seeds", "", "runs: one per seed", |it: &Row| it.runs.len() as u32),
            column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &Row| it.published),
            column("packets", "packets", "per run", |it: &Row| it.packets),
            column("deroutes_mean", "hops", "through unproductive ports, mean over the seeds", Row::deroutes),
            column("seconds", "s", "host time of the row's runs, constructions not counted", Row::seconds),
            column("digest", "", "the sum of the runs' digests", Row::digest),
        ]);
        columns
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[Row]) -> Vec<Table> {
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.n, row.kind, *run)));
        let experiment = self.experiment;
        let mut columns = vec![
            column("experiment", "", "the experiment", move |_: &(u32, Kind, Run)| experiment),
            column("n", "nodes", "the side of the mesh", |it: &(u32, Kind, Run)| it.0),
            column("algorithm", "", "what routed", |it: &(u32, Kind, Run)| it.1.algorithm.name()),
        ];
        if self.matching {
            columns.push(column("committed_by", "", "what the permutation was committed by", |it: &(u32, Kind, Run)| it.1.committed_by.map(Algorithm::name)));
        }
        columns.extend(run_columns("until the last packet has left", |it: &(u32, Kind, Run)| it.2));
        let classes = self.classes.then(|| classes::table(rows));
        [Table::new("runs", &columns, runs)].into_iter().chain(classes).collect()
    }

    /// What routes the first seed's permutations, by mesh and algorithm.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let meshes = self.meshes(catalogue).unwrap_or_default();
        let algorithms = self.algorithms();
        let of = |mesh: &Mesh, algorithm: Algorithm| {
            let (pointer, run) = (self.initial_pointer, (self.over.first_seed, LAST_CYCLES));
            let resolved = mesh.resolved(algorithm, pointer, run);
            let name = format!("n = {}, {}", mesh.plan.n, algorithm.name());
            (name, resolved.to_toml())
        };
        let all = meshes.iter();
        all.flat_map(|mesh| algorithms.iter().map(move |it| of(mesh, *it)))
            .collect()
    }

    fn text(&self, rows: &[Row]) -> String {
        let mut text = text(
            published(self.experiment),
            &self.reading,
            &self.kinds(),
            rows,
        );
        if self.classes {
            text += &classes::text(rows);
        }
        text
    }

    fn figure(&self, rows: &[Row]) -> Option<String> {
        let published = published(self.experiment);
        Some(match self.classes {
            true => classes::figure(published, rows),
            false => figure(published, &self.kinds(), rows),
        })
    }

    fn folder(&self) -> Option<OwnFolder> {
        let (cycle, experiment, sizes) = (self.snapshot?, self.experiment, self.n.clone());
        Some(OwnFolder {
            option: "--snapshot-dir",
            path: self.snapshot_dir.to_path_buf(),
            owns: Box::new(move |name| is_snapshot(experiment, &sizes, cycle, name)),
        })
    }

    fn folder_files(&self, rows: &[Row], of: &Provenance) -> Vec<FileIn> {
        let files = |cycle| rows.iter().flat_map(move |row| snapshot(row, cycle, of));
        self.snapshot.into_iter().flat_map(files).collect()
    }
}

/// Whether a file of that name is a snapshot of these runs: of this experiment and cycle, and of a size that
/// is asked for.
fn is_snapshot(experiment: &str, sizes: &[u32], cycle: u32, name: &str) -> bool {
    let ends = ["png", "svg"].map(|end| format!("-cycle{cycle}.{end}"));
    let size = name
        .strip_prefix(&format!("{experiment}-n"))
        .and_then(|rest| rest.split('-').next()?.parse().ok());
    size.is_some_and(|n| sizes.is_empty() || sizes.contains(&n))
        && ends.iter().any(|end| name.ends_with(end))
}

/// The occupancy of a row's corner in the first seed's run, as PNG and SVG.
fn snapshot(row: &Row, cycle: u32, of: &Provenance) -> Vec<FileIn> {
    let Some(occupancy) = &row.occupancy else {
        return Vec::new();
    };
    // Figure 4.4 shows 150 nodes per side where cn is 91.
    let (side, packets) = occupancy.corner((row.cn * 150).div_ceil(91));
    let (name, n) = (row.kind.file_name(), row.n);
    let map = HeatMap {
        title: &format!("{name} of {n} x {n}, {side} x {side} corner, cycle {cycle}"),
        width: side as usize,
        height: side as usize,
        sheets: vec![Sheet {
            label: String::new(),
            values: packets,
        }],
        across: 1,
        unit: "packets",
        palette: Palette::Greys,
    };
    let stem = format!("{}-n{n}-{name}-cycle{cycle}", row.experiment);
    let svg = of.in_svg(&map.svg()).into_bytes();
    vec![
        (format!("{stem}.png"), map.png_with(&of.metadata())),
        (format!("{stem}.svg"), svg),
    ]
}
