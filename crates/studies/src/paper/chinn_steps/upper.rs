//! Theorem 2.19: the steps of dimension order that goes straight through.

use super::made::make;
use super::permutations::{
    Asked, OR_NAMES, Pairs, drawn, files_of, never_arrives, refuse_several, refuse_to_write,
    written,
};
use crate::context::{Context, Failed};
use crate::contract::{OwnFile, Ran, Steps, Study};
use crate::options::{or, seeds, side, whole};
use crate::paths::Output;
use crate::statics;
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Provenance, column};
use flitwork_schema::Parts;
use flitwork_steps::lower::{Constants, Corner, DimensionClass, DimensionConstants, LowerError};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_steps::rules::{InqueueEntry, RuleParameters, StraightThrough};
use flitwork_steps::{Ended, Store};
use flitwork_topology::{Grid, Shape};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Upper {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// The packets that a queue holds.
    #[arg(long, value_name = "K,…", value_parser = queue, default_value = "1")]
    k: Vec<u32>,
    /// Permutations to route: random, reversal, transpose, adversary (what section 2.4.5 makes against the rule), or a file; by
    /// default all that have a name.
    #[arg(long, value_name = "NAME|FILE,…", value_parser = Asked::read_or_adversary)]
    permutation: Vec<Asked>,
    /// Write the permutation into this file, for --permutation, and for route, run and schedule.
    #[arg(long, value_name = "FILE")]
    permutation_out: Option<Output>,
    /// The number of seeds. Means and intervals are over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
}

/// A queue's size.
pub(super) fn queue(text: &str) -> Result<u32, String> {
    whole(text, 1..=1 << 16)
}

/// A permutation that was routed.
#[derive(Clone, Debug)]
pub(super) struct Row {
    case: Case,
    steps: u32,
    /// What the adversary of section 2.4.5 makes sure of.
    at_least: Option<u32>,
    queue_max: usize,
    /// What is routed, if it is to be written.
    packets: Option<Pairs>,
}

const DEFAULT_SIDES: &[u32] = &[64, 128];

/// The greatest mesh: its permutations are routed in minutes.
const MOST_SIDE: u32 = 4096;

/// The sides that are asked for, or others by default.
pub(super) fn sides(asked: &[u32], default: &[u32]) -> Result<Vec<u32>, Failed> {
    let sides = or(asked, default);
    let Some(side) = sides.iter().find(|side| !(2..=MOST_SIDE).contains(*side)) else {
        return Ok(sides.to_vec());
    };
    let why = format!("{side}; allowed: 2 to {MOST_SIDE} nodes");
    Err(Failed::option("--n", why))
}

/// A permutation that is routed.
#[derive(Clone, Debug)]
struct Case {
    n: u32,
    k: u32,
    asked: Asked,
    seed: u32,
    /// Of the adversary's.
    constants: Option<Constants>,
}

impl Upper {
    /// The permutations that are routed: by default all, and the adversary's wherever it has a class of packets.
    fn cases(&self) -> Result<Vec<Case>, Failed> {
        let sides = sides(&self.n, DEFAULT_SIDES)?;
        let mut cases = Vec::new();
        for n in &sides {
            for k in &self.k {
                for (asked, seed) in drawn(self.permutations(), self.seeds) {
                    let constants = match asked {
                        Asked::Adversary => Some(against(*n, *k)),
                        Asked::File(path) => {
                            refuse_several(path, &sides, OR_NAMES)?;
                            None
                        }
                        Asked::Named(_) => None,
                    };
                    let constants = match constants.transpose() {
                        Err(_) if self.permutation.is_empty() => continue,
                        found => found.map_err(|error| Failed::option("--n", error))?,
                    };
                    cases.push(Case {
                        n: *n,
                        k: *k,
                        asked: asked.clone(),
                        seed,
                        constants,
                    });
                }
            }
        }
        if self.permutation_out.is_some() {
            let allowed = "one --n, one --k, one --permutation and --seeds 1";
            refuse_to_write(cases.len(), allowed)?;
        }
        Ok(cases)
    }

    fn permutations(&self) -> &[Asked] {
        or(&self.permutation, Asked::ALL)
    }

    /// A row; none if the user asks to stop.
    fn row(&self, case: &Case, steps: &mut Steps<'_>) -> Result<Option<Row>, Failed> {
        let (n, k, asked, seed) = (case.n, case.k, &case.asked, case.seed);
        let name = format!("n = {n}, k = {k}, {asked}");
        let row = |(steps, queue_max), at_least, packets| Row {
            case: case.clone(),
            steps,
            at_least,
            queue_max,
            packets: self.permutation_out.as_ref().map(|_| packets),
        };
        if let Some(constants) = &case.constants {
            let corner = Corner::SouthWest;
            let rule = straight_through(k);
            let made = make(&name, (constants, corner, &rule), steps)?;
            return Ok(made.map(|(constructed, repeated)| {
                let came_to = (repeated.steps, repeated.queue_max);
                row(came_to, Some(constructed.bound_steps), constructed.problem)
            }));
        }
        let packets = asked.packets(n, seed)?;
        let mesh = Grid::mesh(&[n, n]).map_err(Failed::bad_input)?;
        let (mesh, rule) = (Shape::from(mesh), straight_through(k));
        let routed = steps.of_steps(&name, |go_on| rule.route(&mesh, &packets, go_on));
        let routed = routed.map_err(Failed::failure)?;
        match routed.ended {
            Ended::Done => {}
            Ended::Stopped => return Ok(None),
            Ended::Stuck => return Err(never_arrives(&name)),
        }
        Ok(Some(row((routed.steps, routed.queue_max), None, packets)))
    }
}

/// The rule, with queues of k packets an incoming link.
fn straight_through(k: u32) -> AnyRule {
    let (parts, own) = (Parts::new(), StraightThrough::NAME);
    let rule = parts.find::<RuleEntry>(own).expect("a line of the table");
    let inqueue = &parts.all::<InqueueEntry>()[0];
    rule.with(&[], inqueue, Store::Incoming(k as usize))
}

/// What section 2.4.5 makes against the rule.
fn against(n: u32, k: u32) -> Result<Constants, LowerError> {
    DimensionConstants::new(DimensionClass::StraightThrough, n, k, 1).map(Constants::Dimension)
}

impl Study for Upper {
    type Row = Row;

    fn inputs(&self) -> Vec<(&'static str, PathBuf)> {
        files_of(&self.permutation)
    }

    fn file(&self, rows: &[Row], provenance: &Provenance) -> Option<OwnFile<'_>> {
        let packets = rows.first()?.packets.as_ref();
        written(self.permutation_out.as_deref(), packets, provenance)
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let cases = self.cases()?;
        Steps::new(context, None).rows(&cases, |case, steps| self.row(case, steps))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        vec![
            column("n", "nodes", "the side of the mesh", |it: &Row| it.case.n),
            column("k", "packets", "the size of a queue, one for each incoming link", |it: &Row| it.case.k),
            column("permutation", "", "what is routed", |it: &Row| it.case.asked.to_string()),
            column("seed", "", "of a random permutation", |it: &Row| it.case.seed),
            column("steps", "steps", "until the last packet has arrived", |it: &Row| it.steps),
            column("bound", "steps", "by Theorem 2.19: ⌊n/k⌋ (4n - 3) + 5n", |it: &Row| StraightThrough::bound_steps(it.case.n, it.case.k)),
            column("at_least", "steps", "that the adversary of section 2.4.5 forces", |it: &Row| it.at_least),
            column("queue_max", "packets", "the most in a node at the end of a step", |it: &Row| it.queue_max as u64),
        ]
    }

    /// Graphs, rules and problems, as `flitwork route` reads them.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let cases = self.cases().unwrap_or_default();
        let text = |it: &Case| {
            let (n, k, seed) = (it.n, it.k, it.seed);
            let problem = it.asked.to_toml(seed, self.permutation_out.as_deref());
            let network = statics::network("mesh", [n, n]);
            let text = format!(
                "{network}[rule.straight-through]\nqueues = \"incoming\"\nk = {k}\n{problem}"
            );
            (format!("n = {n}, k = {k}, {} {seed}", it.asked), text)
        };
        cases.iter().map(text).collect()
    }
}
