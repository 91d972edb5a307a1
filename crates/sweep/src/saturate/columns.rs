//! What a search found, as columns: figures that it has once, the seeds, and every load that was tried.

use super::{Saturation, SeedOutcome, Tried};
use crate::figures::{self, Figures};
use flitwork_report::{Column, Found, Table, column, estimate};

const LOAD: &str = "words/node/cycle";

impl Saturation {
    /// What JSON and the tables have.
    pub fn found(&self) -> Found {
        let tried = |it: &SeedOutcome| {
            let (seed, tried) = (it.seed, it.tried.clone());
            tried.into_iter().map(move |tried| (seed, tried))
        };
        Found {
            once: Some(Table::new("saturation", &once(), [self])),
            tables: vec![
                Table::new("seeds", &of_seed(), &self.seeds),
                Table::new("tried", &of_tried(), self.seeds.iter().flat_map(tried)),
            ],
        }
    }
}

#[rustfmt::skip]
fn once() -> Vec<Column<Saturation>> {
    let mut all = vec![
        column("name", "", "the configuration", |it: &Saturation| it.name.clone()),
        column("criterion", "", "what saturated means", |it: &Saturation| it.criterion.to_string()),
        column("partial", "", "whether the search was interrupted", |it: &Saturation| it.partial),
        column("lowest_load_words_per_node_cycle", LOAD, "of the loads that may be tried", |it: &Saturation| it.grid[0]),
        column("highest_load_words_per_node_cycle", LOAD, "of the loads that may be tried", |it: &Saturation| it.grid[1]),
        column("tolerance_words_per_node_cycle", LOAD, "the distance of two of them", |it: &Saturation| it.grid[2]),
        column("unsaturated_load_words_per_node_cycle", LOAD, "the largest that most seeds aren't saturated at; missing where most are at the lowest", |it: &Saturation| it.unsaturated_load),
        column("saturated_load_words_per_node_cycle", LOAD, "the smallest that the others are: the next one, unless the search was interrupted; missing where most seeds aren't saturated at the highest", |it: &Saturation| it.saturated_load),
        column("saturation_load_words_per_node_cycle", LOAD, "as configured: the mean over seeds of the middle between both loads; missing where a seed's search was interrupted", |it: &Saturation| it.load),
        column("saturation_load_lower_words_per_node_cycle", LOAD, "where its 95 % interval over the seeds begins, widened by half a step; with one seed that half step alone; never below 0", |it: &Saturation| Some(it.interval?[0])),
        column("saturation_load_upper_words_per_node_cycle", LOAD, "where it ends; never above 1", |it: &Saturation| Some(it.interval?[1])),
        column("offered_load_words_per_node_cycle", LOAD, "what the sources made at saturation: less than configured where some of them are silent", |it: &Saturation| it.offered_load),
        column("offered_load_lower_words_per_node_cycle", LOAD, "where its interval begins, widened by half of the widest distance of a seed's two offered loads", |it: &Saturation| Some(it.offered_interval?[0])),
        column("offered_load_upper_words_per_node_cycle", LOAD, "where it ends", |it: &Saturation| Some(it.offered_interval?[1])),
    ];
    all.extend(estimate(("accepted_at_saturation", "accepted_at_saturation"), LOAD, "the accepted load at each seed's largest load that isn't saturated, over seeds", |it: &Saturation| it.accepted_at_saturation));
    all.extend(estimate(("accepted_at_highest", "accepted_at_highest"), LOAD, "the accepted load at the highest load, over seeds", |it: &Saturation| it.accepted_at_highest));
    all.push(column("failed", "", "runs in which packets could not be delivered; their loads count as saturated", |it: &Saturation| it.failed));
    all
}

#[rustfmt::skip]
fn of_seed() -> Vec<Column<SeedOutcome>> {
    vec![
        column("seed", "", "the seed of all random draws", |it: &SeedOutcome| it.seed),
        column("unsaturated_load_words_per_node_cycle", LOAD, "the largest that isn't saturated; missing where the lowest is", |it: &SeedOutcome| it.unsaturated_load),
        column("saturated_load_words_per_node_cycle", LOAD, "the smallest that is; missing where the highest isn't", |it: &SeedOutcome| it.saturated_load),
        column("unsaturated_offered_load_words_per_node_cycle", LOAD, "what the sources made at the largest that isn't saturated", |it: &SeedOutcome| it.unsaturated_offered),
        column("saturated_offered_load_words_per_node_cycle", LOAD, "what they made at the smallest that is", |it: &SeedOutcome| it.saturated_offered),
        column("accepted_load_words_per_node_cycle", LOAD, "at the largest that isn't saturated", |it: &SeedOutcome| it.accepted),
        column("done", "", "whether the two are neighbours of the grid, or an end of it was reached", |it: &SeedOutcome| it.done),
    ]
}

#[rustfmt::skip]
fn of_tried() -> Vec<Column<(u64, Tried)>> {
    type Row = (u64, Tried);
    const SHOWN: [&str; 14] = [
        "offered_load_words_per_node_cycle", "offered_load_half_width_words_per_node_cycle", "offered_load_batches", "offered_load_observations",
        "accepted_load_words_per_node_cycle", "accepted_load_half_width_words_per_node_cycle", "accepted_load_batches", "accepted_load_observations",
        "latency_mean_cycles", "latency_half_width_cycles", "latency_batches", "latency_observations",
        "latency_mean_ps", "latency_half_width_ps",
    ];
    fn of(it: &Row) -> Option<&Figures> {
        Some(&it.1.figures)
    }
    let mut all = vec![
        column("seed", "", "the seed of all random draws", |it: &Row| it.0),
        column("configured_load_words_per_node_cycle", LOAD, "what the configuration asks for", |it: &Row| it.1.load),
        column("saturated", "", "whether the network was saturated", |it: &Row| it.1.saturated),
        column("reason", "", "why it was, or what else was found", |it: &Row| it.1.reason.clone()),
    ];
    all.extend(figures::columns(|name| SHOWN.contains(&name), of));
    all.extend([
        column("times_the_cycles", "", "how many times the configured warm-up and measurement the deciding run took", |it: &Row| it.1.times_the_cycles),
        column("failed", "", "whether packets could not be delivered", |it: &Row| it.1.failed),
    ]);
    all.extend(figures::columns(|name| name == "digest", of));
    all
}
