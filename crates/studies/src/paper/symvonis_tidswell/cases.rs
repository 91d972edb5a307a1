//! What the options ask for, row by row.

use super::SymvonisTidswell;
use super::shape::Shape;
use super::tables::{Printed, printed};
use crate::context::Failed;
use crate::options::{or, parts_of};
use crate::statics;
use flitwork_schedule::multistage::{Order, Rules};
use flitwork_schema::Parts;
use std::fmt;

/// The most nodes of a mesh all of whose permutations are scheduled: 479,001,600 take minutes.
pub(super) const MOST_EXHAUSTIVE_NODES: u32 = 12;
/// The random permutations of a mesh by default.
const USUAL_PERMUTATIONS: u64 = 100_000;
/// The meshes by default, of random permutations and of all.
const USUAL_MESHES: [&[Shape]; 2] = [
    &[of(4, 4), of(5, 5), of(6, 6), of(8, 8), of(10, 10)],
    &[of(2, 2), of(2, 3), of(2, 4), of(4, 2), of(3, 3)],
];

const fn of(rows: u32, columns: u32) -> Shape {
    Shape { rows, columns }
}

/// Which permutations of a mesh are scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    /// All of them.
    All,
    /// So many random ones.
    Random(u64),
    /// One.
    Given(Vec<u32>),
}

impl Sample {
    /// Its name in tables and JSON.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Sample::All => "all",
            Sample::Random(_) => "random",
            Sample::Given(_) => "given",
        }
    }

    /// How many there are on a mesh.
    pub(super) fn permutations(&self, shape: Shape) -> u64 {
        match self {
            Sample::All => (1..=u64::from(shape.nodes())).product(),
            Sample::Random(permutations) => *permutations,
            Sample::Given(_) => 1,
        }
    }
}

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) shape: Shape,
    pub(super) rules: Rules,
    pub(super) sample: Sample,
    /// The number of the table that has the mesh, and how many permutations were scheduled for it.
    pub(super) printed: Option<(u8, u64)>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.shape, self.rules().join(", "))
    }
}

impl Case {
    /// The names of the order, of the selection and of the ties.
    pub(super) fn rules(&self) -> [&'static str; 3] {
        let it = &self.rules;
        [it.order.name(), it.selection.name(), it.ties.name()]
    }

    /// It as a configuration.
    pub(super) fn to_toml(&self) -> String {
        let Shape { rows, columns } = self.shape;
        let ([order, select, ties], seed) = (self.rules(), self.rules.seed);
        let drawn = match [order, ties].contains(&"random") {
            true => format!("seed = {seed}\n"),
            false => String::new(),
        };
        let random = |seed| statics::traffic("random-permutation", "", seed);
        let (about, traffic) = match &self.sample {
            Sample::All => (
                "# Every permutation, not this one alone.\n".to_owned(),
                random(1),
            ),
            Sample::Random(count) => (
                format!("# {count} permutations of the seed.\n"),
                random(seed),
            ),
            Sample::Given(destinations) => {
                let lines = format!("destinations = {destinations:?}\n");
                (String::new(), statics::traffic("listed", &lines, 1))
            }
        };
        let network = statics::network("mesh", [columns, rows]);
        format!(
            "{network}[schedule.multistage]\norder = \"{order}\"\nselect = \"{select}\"\nties = \"{ties}\"\n{drawn}{about}{traffic}"
        )
    }
}

/// A mesh with its permutations, and with the table that has it.
type Problem = (Shape, Sample, Option<(u8, u64)>);

impl SymvonisTidswell {
    /// Whether meshes of the tables are asked for.
    pub(super) fn is_of_tables(&self) -> bool {
        self.tables || !self.table.is_empty()
    }

    /// A case for each row.
    pub(super) fn cases(&self, parts: &Parts) -> Result<Vec<Case>, Failed> {
        let orders: Vec<Order> = parts_of(parts, "--order", &self.order)?;
        let mut cases = Vec::new();
        for (shape, sample, printed) in self.problems()? {
            for order in &orders {
                for selection in &self.select {
                    for ties in &self.ties {
                        cases.push(Case {
                            shape,
                            rules: Rules {
                                order: *order,
                                ties: *ties,
                                seed: self.seed,
                                selection: *selection,
                            },
                            sample: sample.clone(),
                            printed,
                        });
                    }
                }
            }
        }
        Ok(cases)
    }

    fn problems(&self) -> Result<Vec<Problem>, Failed> {
        self.refuse_others()?;
        if self.is_of_tables() {
            return Ok(self.of_tables());
        }
        if let Some(nodes) = self.nodes {
            let all = Shape::up_to(nodes).into_iter();
            return Ok(all.map(|shape| (shape, Sample::All, None)).collect());
        }
        if !self.permutation.is_empty() {
            let shape = self.of_the_permutation()?;
            let sample = Sample::Given(self.permutation.clone());
            return Ok(vec![(shape, sample, None)]);
        }
        let sample = match self.exhaustive {
            true => Sample::All,
            false => Sample::Random(self.permutations.map_or(USUAL_PERMUTATIONS, u64::from)),
        };
        let shapes = self.meshes();
        if self.exhaustive {
            shapes.iter().try_for_each(|shape| few_enough(*shape))?;
        }
        let of = |shape: &Shape| (*shape, sample.clone(), None);
        Ok(shapes.iter().map(of).collect())
    }

    /// Refuses options that have no meaning beside others.
    fn refuse_others(&self) -> Result<(), Failed> {
        let given = [
            ("--mesh", !self.mesh.is_empty()),
            ("--exhaustive", self.exhaustive),
            ("--nodes", self.nodes.is_some()),
            ("--permutation", !self.permutation.is_empty()),
            ("--permutations", self.permutations.is_some()),
            ("--turned", self.turned),
            ("--tables", self.tables),
        ];
        const TABLES: &str = "the tables have meshes of their own";
        #[rustfmt::skip]
        let ways: [(bool, &str, &[&str]); 6] = [
            (!self.table.is_empty(), TABLES, &["--turned", "--permutations"]),
            (self.tables, TABLES, &["--tables", "--turned", "--permutations"]),
            (self.nodes.is_some(), "--nodes takes all meshes and permutations", &["--nodes", "--exhaustive"]),
            (!self.permutation.is_empty(), "--permutation is the only one that is scheduled", &["--permutation", "--mesh"]),
            (self.exhaustive, "--exhaustive takes all permutations of each mesh", &["--exhaustive", "--mesh"]),
            (true, "random permutations of meshes are scheduled", &["--mesh", "--permutations"]),
        ];
        let Some((_, of, allowed)) = ways.into_iter().find(|(is_asked, ..)| *is_asked) else {
            return Ok(());
        };
        let mut given = given.iter().filter(|(_, is_given)| *is_given);
        match given.find(|(option, _)| !allowed.contains(option)) {
            Some((option, _)) => {
                let why = format!("{of}; allowed among these options: {}", allowed.join(", "));
                Err(Failed::option(option, why))
            }
            None => Ok(()),
        }
    }

    fn of_tables(&self) -> Vec<Problem> {
        let is_asked = |table: u8| self.table.is_empty() || self.table.contains(&table.into());
        let asked = printed().filter(|it| is_asked(it.0));
        let problem = |(table, it): (u8, &Printed)| {
            let shape = match self.turned {
                true => it.shape().turned(),
                false => it.shape(),
            };
            let count = self.permutations.map_or(it.experiments, u64::from);
            let printed = (table, it.experiments);
            (shape, Sample::Random(count), Some(printed))
        };
        asked.map(problem).collect()
    }

    /// The meshes that are asked for, or others by default.
    fn meshes(&self) -> &[Shape] {
        or(&self.mesh, USUAL_MESHES[usize::from(self.exhaustive)])
    }

    /// The mesh of the one permutation.
    fn of_the_permutation(&self) -> Result<Shape, Failed> {
        let [shape] = self.mesh[..] else {
            let found = self.mesh.len();
            let why = format!("{found} meshes; allowed with --permutation: 1");
            return Err(Failed::option("--mesh", why));
        };
        let nodes = shape.nodes();
        let is_full = self.permutation.len() == nodes as usize;
        let beyond = self.permutation.iter().find(|node| **node >= nodes);
        let why = match beyond {
            Some(node) => format!("there is no node {node}"),
            None if !is_full => format!("{} destinations", self.permutation.len()),
            None => return Ok(shape),
        };
        let last = nodes - 1;
        let why = format!("{why}; allowed for {shape}: each node from 0 to {last} once");
        Err(Failed::option("--permutation", why))
    }
}

/// Refuses a mesh with too many permutations.
fn few_enough(shape: Shape) -> Result<(), Failed> {
    let nodes = shape.nodes();
    if nodes <= MOST_EXHAUSTIVE_NODES {
        return Ok(());
    }
    let why = format!(
        "{shape} has {nodes} nodes, and too many permutations; allowed with --exhaustive: up to \
         {MOST_EXHAUSTIVE_NODES} nodes"
    );
    Err(Failed::option("--mesh", why))
}
