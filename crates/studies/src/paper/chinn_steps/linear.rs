//! Chapter 3: the steps of the program of linear time.

use super::problems::Permutation;
use super::upper::drawn;
use crate::context::{Context, Failed};
use crate::contract::{Ran, Steps, Study};
use crate::options::{seeds, side};
use clap::{Args, ValueEnum};
use flitwork_config::Catalogue;
use flitwork_report::{Column, column};
use flitwork_steps::Nobody;
use flitwork_steps::linear::{Phases, Program, QUEUE_MOST};
use std::collections::BTreeMap;

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ends {
    /// After as many steps as its lemma says: nodes count.
    Fixed,
    /// As soon as nothing moves: that takes an oracle that sees all nodes.
    Quiet,
}

impl Ends {
    fn name(self) -> &'static str {
        match self {
            Ends::Fixed => "fixed",
            Ends::Quiet => "quiet",
        }
    }

    fn phases(self) -> Phases {
        match self {
            Ends::Fixed => Phases::Fixed,
            Ends::Quiet => Phases::Quiet,
        }
    }
}

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Linear {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// When phases end.
    #[arg(long, value_enum, value_name = "WHEN,…", default_value = "fixed,quiet")]
    phases: Vec<Ends>,
    /// Permutations to route.
    #[arg(
        long,
        value_enum,
        value_name = "NAME,…",
        default_value = "random,reversal,transpose"
    )]
    permutation: Vec<Permutation>,
    /// The number of seeds: what is drawn differs from one to the next.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
}

/// A permutation that was routed.
#[derive(Clone, Debug)]
pub(super) struct Row {
    n: u32,
    ends: Ends,
    permutation: Permutation,
    seed: u32,
    steps: u32,
    bound: u64,
    queue_max: usize,
}

impl Linear {
    fn sides(&self) -> &[u32] {
        match self.n.is_empty() {
            true => &[27, 81],
            false => &self.n,
        }
    }
}

impl Study for Linear {
    type Row = Row;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let sides = self.sides();
        let program = |n: &u32, ends: Ends| {
            Program::new(*n, ends.phases()).map_err(|error| Failed::option("--n", error))
        };
        // All sides are checked before the first is run.
        for n in sides {
            program(n, Ends::Fixed)?;
        }
        let mut steps = Steps::new(context, None);
        let mut rows = Vec::new();
        for n in sides {
            for ends in &self.phases {
                let program = program(n, *ends)?;
                for (permutation, seed) in drawn(&self.permutation, self.seeds) {
                    let problem = permutation.of(*n, seed.into());
                    let name = format!("n = {n}, {}, {}", ends.name(), permutation.name());
                    let Some(outcome) = steps.run(&name, |_| program.run(&problem, &mut Nobody))
                    else {
                        return Ok(Ran::AsFar(rows));
                    };
                    let outcome = outcome.map_err(|error| Failed::Failure(error.to_string()))?;
                    if outcome.undelivered > 0 {
                        return Err(Failed::Failure(format!("{name}: a packet never arrives")));
                    }
                    rows.push(Row {
                        n: *n,
                        ends: *ends,
                        permutation,
                        seed,
                        steps: outcome.steps,
                        bound: match ends {
                            Ends::Fixed => program.fixed_steps(),
                            Ends::Quiet => 20 * u64::from(*n),
                        },
                        queue_max: outcome.queue_max,
                    });
                }
            }
        }
        Ok(Ran::AsFar(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        vec![
            column("n", "nodes", "the side of the mesh", |it: &Row| it.n),
            column("phases", "", "when they end", |it: &Row| it.ends.name()),
            column("permutation", "", "what is routed", |it: &Row| it.permutation.name()),
            column("seed", "", "of a random permutation", |it: &Row| it.seed),
            column("steps", "steps", "of the whole program", |it: &Row| it.steps),
            column("bound", "steps", "the sum of the lemmas' with fixed phases; 20 n, as measured, with quiet ones", |it: &Row| it.bound),
            column("queue_max", "packets", "the most in a node at the end of a step; by Lemma 3.13 at most 834", |it: &Row| it.queue_max as u64),
        ]
    }

    /// Graphs and problems, as `flitwork route` reads them, and when phases end.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for n in self.sides() {
            for ends in &self.phases {
                for (permutation, seed) in drawn(&self.permutation, self.seeds) {
                    let (name, ends) = (permutation.name(), ends.name());
                    let text = format!(
                        "[graph]\ntopology = \"mesh\"\nsides = [{n}, {n}]\n[program]\nphases = \"{ends}\"\n[problem]\n\
                         pattern = \"{name}\"\nseed = {seed}\n"
                    );
                    all.insert(format!("n = {n}, {ends}, {name} {seed}"), text);
                }
            }
        }
        all
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }
}

/// The bound that the columns' help names.
const _: () = assert!(QUEUE_MOST == 834);
