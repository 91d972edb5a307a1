//! Theorem 2.19: the steps of dimension order that goes straight through.

use super::problems::Permutation;
use crate::context::{Context, Failed};
use crate::contract::{Ran, Steps, Study};
use crate::options::{seeds, side, whole};
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::{Column, column};
use flitwork_steps::rules::{Chosen, RuleName, StraightThrough};
use flitwork_steps::{Ended, Store};
use flitwork_topology::Grid;
use std::collections::BTreeMap;

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Upper {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// The packets that a queue holds.
    #[arg(long, value_name = "K,…", value_parser = queue, default_value = "1")]
    k: Vec<u32>,
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

/// A queue's size.
pub(super) fn queue(text: &str) -> Result<u32, String> {
    whole(text, 1..=1 << 16)
}

/// A permutation that was routed.
#[derive(Clone, Debug)]
pub(super) struct Row {
    n: u32,
    k: u32,
    permutation: Permutation,
    seed: u32,
    steps: u32,
    bound: u64,
    queue_max: usize,
}

const DEFAULT_SIDES: &[u32] = &[64, 128];

/// The greatest mesh: its permutations are routed in minutes.
const MOST_SIDE: u32 = 4096;

/// The sides that are asked for, or others by default.
pub(super) fn sides(asked: &[u32], default: &[u32]) -> Result<Vec<u32>, Failed> {
    let sides = if asked.is_empty() { default } else { asked };
    match sides.iter().find(|side| !(2..=MOST_SIDE).contains(*side)) {
        Some(side) => {
            let why = format!("{side}; allowed: 2 to {MOST_SIDE} nodes");
            Err(Failed::option("--n", why))
        }
        None => Ok(sides.to_vec()),
    }
}

/// The permutations of a mesh, each with its seed.
pub(super) fn drawn(
    permutations: &[Permutation],
    seeds: u32,
) -> impl Iterator<Item = (Permutation, u32)> {
    permutations.iter().flat_map(move |permutation| {
        let seeds = if permutation.is_drawn() { seeds } else { 1 };
        (1..=seeds).map(|seed| (*permutation, seed))
    })
}

impl Study for Upper {
    type Row = Row;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let sides = sides(&self.n, DEFAULT_SIDES)?;
        let rule = RuleName::find("straight-through").expect("a line of the table");
        let chosen = Chosen::of(rule);
        let mut steps = Steps::new(context, None);
        let mut rows = Vec::new();
        for n in sides {
            let mesh = Grid::mesh(&[n, n]).map_err(Failed::bad_input)?;
            for k in &self.k {
                for (permutation, seed) in drawn(&self.permutation, self.seeds) {
                    let problem = permutation.of(n, seed.into());
                    let store = Store::Incoming(*k as usize);
                    let name = format!("n = {n}, k = {k}, {}", permutation.name());
                    let routed =
                        steps.of_steps(&name, |go_on| chosen.route(&mesh, store, &problem, go_on));
                    let routed = routed.map_err(|error| Failed::Failure(error.to_string()))?;
                    match routed.ended {
                        Ended::Done => {}
                        Ended::Stopped => return Ok(Ran::AsFar(rows)),
                        Ended::Stuck => {
                            let why = format!("{name}: a packet never arrives");
                            return Err(Failed::Failure(why));
                        }
                    }
                    rows.push(Row {
                        n,
                        k: *k,
                        permutation,
                        seed,
                        steps: routed.steps,
                        bound: StraightThrough::bound_steps(n, *k),
                        queue_max: routed.queue_max,
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
            column("k", "packets", "the size of a queue, one for each incoming link", |it: &Row| it.k),
            column("permutation", "", "what is routed", |it: &Row| it.permutation.name()),
            column("seed", "", "of a random permutation", |it: &Row| it.seed),
            column("steps", "steps", "until the last packet has arrived", |it: &Row| it.steps),
            column("bound", "steps", "by Theorem 2.19: ⌊n/k⌋ (4n - 3) + 5n", |it: &Row| it.bound),
            column("queue_max", "packets", "the most in a node at the end of a step", |it: &Row| it.queue_max as u64),
        ]
    }

    /// Graphs, rules and problems, as `flitwork route` reads them.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let sides = sides(&self.n, DEFAULT_SIDES).unwrap_or_default();
        let mut all = BTreeMap::new();
        for n in sides {
            for k in &self.k {
                for (permutation, seed) in drawn(&self.permutation, self.seeds) {
                    let name = permutation.name();
                    let text = format!(
                        "[graph]\ntopology = \"mesh\"\nsides = [{n}, {n}]\n[rule]\nname = \"straight-through\"\n\
                         queues = \"incoming\"\nk = {k}\n[problem]\npattern = \"{name}\"\nseed = {seed}\n"
                    );
                    all.insert(format!("n = {n}, k = {k}, {name} {seed}"), text);
                }
            }
        }
        all
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }
}
