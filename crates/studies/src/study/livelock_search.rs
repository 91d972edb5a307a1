//! Which permutations livelock at all: all of small networks, or some drawn at random, under one clock, and of those that do, which
//! escape by what makes nodes differ.

mod permutations;
#[cfg(test)]
mod tests;

use super::{Ran, Study, StudyEntry};
use crate::axes::base_text;
use crate::context::{Context, Failed};
use crate::contract::over_threads;
use crate::lifetimes::LEVEL;
use crate::options::{Repeats, edges, jobs_or_cores, number, whole};
use crate::seeds::{counted, dash};
use crate::study::livelock::setting::{
    Network, Routers, Setting, Sides, refuse_set, setting_columns, sides, topology,
};
use crate::timing::{Timed, Timing};
use clap::Args;
use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::Interval;
use flitwork_report::{Aligned, Column, Table, column};
use flitwork_sweep::pool::Stop;
use permutations::Permutations;
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<LivelockSearch>(
    "livelock-search",
    "Which permutations of small networks livelock under one clock, and which of those escape with other timing",
);

/// Its options.
#[derive(Clone, Debug, Args)]
// The seed's name when there was one.
#[command(mut_arg("first_seed", |it| it.alias("seed")))]
pub(super) struct LivelockSearch {
    /// Sides of the networks, such as 8 or 2x3.
    #[arg(long = "n", value_name = "N,…", default_value = "4,2x2,2x3", value_parser = sides)]
    sizes: Vec<Sides>,
    /// The topologies: torus, which a ring is, and mesh.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus", value_parser = topology())]
    topology: Vec<&'static str>,
    /// Packets of each node, all to one destination.
    #[arg(long, value_name = "PACKETS,…", default_value = "1", value_parser = |text: &str| whole(text, 1..=1000))]
    packets: Vec<u32>,
    /// The most permutations of a network: all of them, or else so many drawn at random.
    #[arg(long, value_name = "COUNT", default_value_t = 720, value_parser = |text: &str| whole(text, 1..=10_000_000))]
    most: u32,
    #[command(flatten)]
    routers: Routers,
    /// The most by which periods and self-timed steps differ from the nominal ones, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = |text: &str| number(text, |it| (0.001..=50.0).contains(&it), "0.001 to 50 %"))]
    spread: f64,
    /// Edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another.
    #[arg(long, value_name = "EDGES", default_value_t = 2, value_parser = edges)]
    edges: u32,
    /// Cycles of the nominal clock after which packets that are under way are counted as in livelock.
    #[arg(long, value_name = "CYCLES", default_value_t = 20_000, value_parser = |text: &str| whole(text, 1000..=100_000_000))]
    deadline: u32,
    /// How often what livelocks is tried with other timing: each seed draws clocks and steps. The first one draws permutations, too.
    #[command(flatten)]
    repeats: Repeats<5>,
}

/// What is tried on permutations that livelock under one clock.
const TRIED: [Timing; 4] = [
    Timing::Phases,
    Timing::Spread,
    Timing::SelfTimed,
    Timing::SelfTimedDrawn,
];

/// A permutation that livelocks under one clock.
#[derive(Clone, Debug, PartialEq)]
struct Livelocked {
    destinations: Vec<u32>,
    /// When it escapes with each of the timings that are tried, in cycles; none if it doesn't. Seed by seed.
    escapes: Vec<(u64, [Option<u32>; TRIED.len()])>,
}

/// How many seeds it takes that a permutation escapes, for it to count.
#[derive(Clone, Copy)]
enum With {
    EverySeed,
    SomeSeed,
}

/// A row of the table: all permutations of a network.
#[derive(Clone, Debug)]
pub(super) struct SearchRow {
    setting: Setting,
    tried: u32,
    is_all: bool,
    livelocked: Vec<Livelocked>,
}

impl SearchRow {
    /// The part of permutations that livelock, with the exact interval of those that are drawn.
    fn part(&self) -> Option<Interval> {
        let part = Interval::of_part(self.livelocked.len() as u64, self.tried.into(), LEVEL);
        part.filter(|_| !self.is_all)
    }

    /// How many of those that livelock escape with a timing that is tried.
    fn escaped(&self, tried: usize, with: With) -> u64 {
        let escaped = |it: &&Livelocked| {
            let mut seeds = it.escapes.iter().map(|(_, of)| of[tried].is_some());
            match with {
                With::EverySeed => seeds.all(|escapes| escapes),
                With::SomeSeed => seeds.any(|escapes| escapes),
            }
        };
        self.livelocked.iter().filter(escaped).count() as u64
    }

    /// "16", or "12 to 18" where some escape with some seeds alone.
    fn shown_escaped(&self, tried: usize) -> String {
        let every = self.escaped(tried, With::EverySeed);
        match self.escaped(tried, With::SomeSeed) {
            some if some == every => every.to_string(),
            some => format!("{every} to {some}"),
        }
    }

    fn example(&self) -> Option<String> {
        let first = self.livelocked.first()?;
        Some(listed(&first.destinations))
    }
}

/// The last permutation of all: each node's packet goes to the node that is as far from the other end.
fn reversed(nodes: u64) -> Vec<u32> {
    (0..u32::try_from(nodes).unwrap_or(u32::MAX))
        .rev()
        .collect()
}

/// Destinations as an option of `--set` takes them.
fn listed(destinations: &[u32]) -> String {
    let all: Vec<String> = destinations.iter().map(u32::to_string).collect();
    format!("[{}]", all.join(","))
}

impl Study for LivelockSearch {
    type Row = SearchRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<SearchRow>, Failed> {
        let catalogue = context.catalogue().clone();
        let Repeats { over, set, jobs } = &self.repeats;
        let jobs = jobs_or_cores(*jobs);
        let settings = self.settings();
        refuse_set(set, &self.tried(&settings))?;
        let mut rows = Vec::new();
        for setting in settings {
            let nodes = setting.network.sides.nodes();
            let permutations = Permutations::new(nodes, self.most, over.first_seed);
            // What any permutation is refused for, and what any timing is.
            for tried in self.tried(std::slice::from_ref(&setting)) {
                self.resolve(&catalogue, &tried, over.first_seed, &reversed(nodes))?;
            }
            let work = |number: u32, stop: &Stop| {
                let destinations = permutations.of(number);
                self.search(&catalogue, &setting, destinations, stop)
            };
            let Some(found) = over_threads(context, jobs, permutations.count, work)? else {
                return Ok(match rows.is_empty() {
                    true => Ran::Nothing,
                    false => Ran::AsFar(rows),
                });
            };
            rows.push(SearchRow {
                setting,
                tried: permutations.count,
                is_all: permutations.is_all,
                livelocked: found.into_iter().flatten().collect(),
            });
        }
        Ok(Ran::Whole(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<SearchRow>> {
        let seeds = self.repeats.seeds;
        let of_network = ["timing", "value", "synchronizer_edges", "pattern", "shift"];
        let mut all = setting_columns(|it: &SearchRow| &it.setting);
        all.retain(|column| !of_network.contains(&&*column.header.name));
        all.extend([
            column("permutations", "", "that were tried", |it: &SearchRow| it.tried),
            column("all_permutations", "", "whether those are all; otherwise they are drawn at random", |it: &SearchRow| it.is_all),
            column("livelocked", "", "of them, those of which a packet hadn't arrived by the deadline under one clock", |it: &SearchRow| it.livelocked.len() as u64),
            column("livelocked_part_low", "", "the lower end of the exact 95 % interval of their part (Clopper and Pearson 1934); missing if all were tried", |it: &SearchRow| it.part().map(|it| it.low)),
            column("livelocked_part_high", "", "its upper end", |it: &SearchRow| it.part().map(|it| it.high)),
            column("escaped_phases", "", "of those in livelock, those that escape with every seed with a clock a node, of one period and random phases", |it: &SearchRow| it.escaped(0, With::EverySeed)),
            column("escaped_spread", "", "the same with periods that differ", |it: &SearchRow| it.escaped(1, With::EverySeed)),
            column("escaped_self_timed", "", "the same with self-timed steps of one length", |it: &SearchRow| it.escaped(2, With::EverySeed)),
            column("escaped_self_timed_drawn", "", "the same with self-timed steps that are drawn", |it: &SearchRow| it.escaped(3, With::EverySeed)),
            column("some_seed_escaped_phases", "", "of those in livelock, those that escape with some seed with a clock a node, of one period and random phases", |it: &SearchRow| it.escaped(0, With::SomeSeed)),
            column("some_seed_escaped_spread", "", "the same with periods that differ", |it: &SearchRow| it.escaped(1, With::SomeSeed)),
            column("some_seed_escaped_self_timed", "", "the same with self-timed steps of one length", |it: &SearchRow| it.escaped(2, With::SomeSeed)),
            column("some_seed_escaped_self_timed_drawn", "", "the same with self-timed steps that are drawn", |it: &SearchRow| it.escaped(3, With::SomeSeed)),
            column("seeds", "", "with which those in livelock were tried", move |_: &SearchRow| seeds),
            column("first_livelocked", "", "the destinations of the first permutation that livelocks", SearchRow::example),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[SearchRow]) -> Vec<Table> {
        type Found = (Setting, String, (u64, [Option<u32>; TRIED.len()]));
        let mut columns = setting_columns(|it: &Found| &it.0);
        columns.retain(|column| ["topology", "sides", "packets", "multiqueue_frames", "stall_threshold_cycles", "packet_words"].contains(&&*column.header.name));
        columns.extend([
            column("destinations", "", "of the packets of node 0 and so on", |it: &Found| it.1.clone()),
            column("seed", "", "of clocks and steps", |it: &Found| it.2.0),
            column("escape_phases_cycles", "cycles", "until the last packet arrives with random phases; missing in livelock", |it: &Found| it.2.1[0]),
            column("escape_spread_cycles", "cycles", "the same with periods that differ", |it: &Found| it.2.1[1]),
            column("escape_self_timed_cycles", "cycles", "the same with self-timed steps of one length", |it: &Found| it.2.1[2]),
            column("escape_self_timed_drawn_cycles", "cycles", "the same with steps that are drawn", |it: &Found| it.2.1[3]),
        ]);
        let mut found = Vec::new();
        for row in rows {
            for it in &row.livelocked {
                let of_seed = |escapes: &_| (row.setting.clone(), listed(&it.destinations), *escapes);
                found.extend(it.escapes.iter().map(of_seed));
            }
        }
        vec![Table::new("livelocked", &columns, found)]
    }

    /// Each setting under one clock, with the last permutation of all.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let of = |setting: Setting| {
            let seed = self.repeats.first_seed;
            let permutations = Permutations::new(setting.network.sides.nodes(), 1, seed);
            let resolved = self.resolve(catalogue, &setting, seed, &permutations.of(0));
            let resolved = resolved.ok()?;
            Some((setting.to_string(), resolved.to_toml()))
        };
        self.settings().into_iter().filter_map(of).collect()
    }

    fn text(&self, rows: &[SearchRow]) -> String {
        let name = |it: &SearchRow| format!("{}{}", it.setting.network, it.setting.router);
        let widest = rows.iter().map(|row| name(row).chars().count()).max();
        let part = |it: &SearchRow| {
            dash(
                it.part()
                    .map(|it| format!("{:.4} to {:.4}", it.low, it.high)),
            )
        };
        let columns = Aligned::<SearchRow>::new()
            .left("network", widest.unwrap_or(0).max(7), name)
            .right("permutations", 12, |it| it.tried)
            .left("", 5, |it| if it.is_all { "all" } else { "drawn" })
            .right("livelocked", 10, |it| it.livelocked.len())
            .right("95 % interval", 16, part)
            .right("phases", 10, |it| it.shown_escaped(0))
            .right("spread", 10, |it| it.shown_escaped(1))
            .right("self-timed", 10, |it| it.shown_escaped(2))
            .right("drawn", 10, |it| it.shown_escaped(3))
            .left("  first", 20, |it| format!("  {}", dash(it.example())));
        format!(
            "Permutations under one clock, {} cycles at most; those in livelock with other timing, {} from {} on\n{}\n{}\nphases, spread, \
             self-timed, drawn: of those in livelock, those that escape with random phases, with periods\nup to {} % apart, with self-timed \
             steps of one length, and with steps drawn within as much: with every seed, to with\nsome seed where that is more. first: the \
             destinations of the first one that livelocks.\n",
            self.deadline,
            counted(self.repeats.seeds as usize, "seed"),
            self.repeats.first_seed,
            base_text([""; 0], &self.repeats.set),
            columns.text(rows),
            self.spread
        )
    }
}

impl LivelockSearch {
    fn settings(&self) -> Vec<Setting> {
        let mut all = Vec::new();
        for topology in self.topology.iter().copied() {
            for sides in &self.sizes {
                for packets in self.packets.iter().copied() {
                    let network = Network {
                        topology,
                        sides: sides.clone(),
                        pattern: "listed".into(),
                        shift: None,
                        packets,
                    };
                    let routers = self.routers.all();
                    all.extend(routers.into_iter().map(|router| Setting {
                        network: network.clone(),
                        router,
                        timed: Timed::ONE_CLOCK,
                    }));
                }
            }
        }
        all
    }

    /// Settings with all timings that may run.
    fn tried(&self, settings: &[Setting]) -> Vec<Setting> {
        let with = |timing| settings.iter().map(move |it| self.timed(it, timing));
        let all = std::iter::once(Timing::OneClock).chain(TRIED);
        all.flat_map(with).collect()
    }

    fn timed(&self, setting: &Setting, timing: Timing) -> Setting {
        let timed = Timed {
            timing,
            value: self.spread,
            edges: self.edges,
        };
        Setting {
            timed,
            ..setting.clone()
        }
    }

    fn resolve(
        &self,
        catalogue: &Catalogue,
        setting: &Setting,
        seed: u64,
        destinations: &[u32],
    ) -> Result<Resolved, flitwork_sweep::Error> {
        let list = format!("destinations = {}\n", listed(destinations));
        setting.resolve_with(catalogue, &self.repeats.set, (seed, self.deadline), &list)
    }

    /// A permutation under one clock, and if it livelocks with what is tried; `None` if the user asks to stop.
    fn search(
        &self,
        catalogue: &Catalogue,
        setting: &Setting,
        destinations: Vec<u32>,
        stop: &Stop,
    ) -> Option<Option<Livelocked>> {
        let run = |timing: Timing, seed: u64| {
            let setting = self.timed(setting, timing);
            let resolved = self.resolve(catalogue, &setting, seed, &destinations);
            let resolved = resolved.ok()?;
            let run = simulate(&resolved, &mut |_| stop.flow());
            let last = run.observation.last_delivery.map_or(0, |it| it.get());
            match run.outcome.ended {
                Ended::Interrupted => None,
                Ended::Empty => Some(Some(last)),
                _ => Some(None),
            }
        };
        // Nothing moves if all packets are at home.
        let is_home = destinations
            .iter()
            .copied()
            .eq(0..destinations.len() as u32);
        let one_clock = |seed| run(Timing::OneClock, seed);
        if is_home || one_clock(self.repeats.first_seed)?.is_some() {
            return Some(None);
        }
        let mut all = Vec::new();
        for seed in self.repeats.all() {
            let mut escapes = [None; TRIED.len()];
            for (escape, timing) in escapes.iter_mut().zip(TRIED) {
                *escape = run(timing, seed)?;
            }
            all.push((seed, escapes));
        }
        Some(Some(Livelocked {
            destinations,
            escapes: all,
        }))
    }
}
