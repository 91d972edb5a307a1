//! Chapter 3: the steps of the program of linear time.

use super::permutations::{
    Asked, OR_NAMES, Pairs, drawn, files_of, never_arrives, refuse_several, refuse_to_write,
    written,
};
use crate::context::{Context, Failed};
use crate::contract::{OwnFile, Ran, Steps, Study};
use crate::options::{Names, listed, or, seeds, side};
use crate::paths::Output;
use crate::statics;
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Provenance, column};
use flitwork_steps::Nobody;
use flitwork_steps::linear::{Phases, Program, QUEUE_MOST};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// When a phase ends.
#[rustfmt::skip]
const PHASES: Names<Phases> = &[
    ("fixed", Phases::Fixed, "After as many steps as the lemma says, which nodes count"),
    ("quiet", Phases::Quiet, "As soon as nothing moves, which takes an oracle that sees all nodes"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Linear {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// When phases end.
    #[arg(long, value_parser = listed(PHASES), value_name = "WHEN,…", default_value = "fixed,quiet")]
    phases: Vec<Phases>,
    /// Permutations to route: random, reversal, transpose, or a file; by default all that have a name.
    #[arg(long, value_name = "NAME|FILE,…", value_parser = Asked::read)]
    permutation: Vec<Asked>,
    /// Write the permutation into this file, for --permutation, and for route, run and schedule.
    #[arg(long, value_name = "FILE")]
    permutation_out: Option<Output>,
    /// The number of seeds. Means and intervals are over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
}

/// What a row is about: a side and when phases end, a permutation and its seed.
type Case<'a> = ((u32, Phases), (&'a Asked, u32));

fn program(n: u32, ends: Phases) -> Result<Program, Failed> {
    Program::new(n, ends).map_err(|error| Failed::option("--n", error))
}

/// A permutation that was routed.
#[derive(Clone, Debug)]
pub(super) struct Row {
    n: u32,
    ends: Phases,
    permutation: String,
    seed: u32,
    steps: u32,
    bound: u64,
    queue_max: usize,
    /// What is routed, if it is to be written.
    packets: Option<Pairs>,
}

impl Linear {
    fn sides(&self) -> &[u32] {
        or(&self.n, &[27, 81])
    }

    fn permutations(&self) -> &[Asked] {
        or(&self.permutation, Asked::NAMED)
    }

    /// A case for each row.
    fn cases(&self) -> impl Iterator<Item = Case<'_>> {
        let sides = self.sides().iter();
        let phases = sides.flat_map(|n| self.phases.iter().map(move |ends| (*n, *ends)));
        let drawn = |of| drawn(self.permutations(), self.seeds).map(move |it| (of, it));
        phases.flat_map(drawn)
    }

    /// A row; none if the user asks to stop.
    fn row(&self, case: Case<'_>, steps: &mut Steps<'_>) -> Result<Option<Row>, Failed> {
        let ((n, ends), (asked, seed)) = case;
        let program = program(n, ends)?;
        let problem = asked.packets(n, seed)?;
        let name = format!("n = {n}, {}, {asked}", ends.name());
        let Some(outcome) = steps.run(&name, |_| program.run(&problem, &mut Nobody)) else {
            return Ok(None);
        };
        let outcome = outcome.map_err(Failed::failure)?;
        if outcome.undelivered > 0 {
            return Err(never_arrives(&name));
        }
        Ok(Some(Row {
            n,
            ends,
            permutation: asked.to_string(),
            seed,
            steps: outcome.steps,
            bound: match ends {
                Phases::Fixed => program.fixed_steps(),
                Phases::Quiet => 20 * u64::from(n),
            },
            queue_max: outcome.queue_max,
            packets: self.permutation_out.as_ref().map(|_| problem),
        }))
    }

    /// Refuses files that can't be, before anything is routed.
    fn check(&self) -> Result<(), Failed> {
        for n in self.sides() {
            program(*n, Phases::Fixed)?;
        }
        for asked in self.permutations() {
            if let Asked::File(path) = asked {
                refuse_several(path, self.sides(), OR_NAMES)?;
                asked.packets(self.sides()[0], 0)?;
            }
        }
        if self.permutation_out.is_some() {
            let count = drawn(self.permutations(), self.seeds).count();
            let allowed = "one --n, one --permutation and --seeds 1";
            refuse_to_write(self.sides().len() * count, allowed)?;
        }
        Ok(())
    }
}

impl Study for Linear {
    type Row = Row;

    fn inputs(&self) -> Vec<(&'static str, PathBuf)> {
        files_of(&self.permutation)
    }

    fn file(&self, rows: &[Row], provenance: &Provenance) -> Option<OwnFile<'_>> {
        let packets = rows.first()?.packets.as_ref();
        written(self.permutation_out.as_deref(), packets, provenance)
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        self.check()?;
        Steps::new(context, None).rows(self.cases(), |case, steps| self.row(case, steps))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        vec![
            column("n", "nodes", "the side of the mesh", |it: &Row| it.n),
            column("phases", "", "when they end", |it: &Row| it.ends.name()),
            column("permutation", "", "what is routed", |it: &Row| it.permutation.clone()),
            column("seed", "", "of a random permutation", |it: &Row| it.seed),
            column("steps", "steps", "of the whole program", |it: &Row| it.steps),
            column("bound", "steps", "the sum of the lemmas' with fixed phases; 20 n, as measured, with quiet ones", |it: &Row| it.bound),
            column("queue_max", "packets", "the most in a node at the end of a step; by Lemma 3.13 at most 834", |it: &Row| it.queue_max as u64),
        ]
    }

    /// Networks and packets, as `flitwork route` reads them, and when phases end.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let text = |((n, ends), (asked, seed)): Case<'_>| {
            let (problem, ends) = (asked.to_toml(seed, None), ends.name());
            let network = statics::network("mesh", [n, n]);
            let text = format!(
                "# Routed by the program of chapter 3, whose phases are {ends}.\n{network}{problem}"
            );
            (format!("n = {n}, {ends}, {asked} {seed}"), text)
        };
        self.cases().map(text).collect()
    }
}

/// The bound that the columns' help names.
const _: () = assert!(QUEUE_MOST == 834);
