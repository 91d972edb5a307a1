//! The keys of `[clocks]`, and the values that give clocks.

use super::self_timed::{ARBITER, GivenSteps, tables};
use super::{
    ChangeParameters, ClockParameters, DelayParameters, Domains, IslandParameters, Oscillators,
    Phase, Spread, Stepping, changes,
};
use flitwork_network::Wander;
use flitwork_schema::{Allowed, Datum, Entry, Key, entries, key, only_with, settings};
use flitwork_topology::SIDES;
use flitwork_types::NodeId;

/// The longest period and the longest delay of a node, in ps: a millisecond.
pub(crate) const MAX_PERIOD_PS: u64 = 1_000_000_000;
const PPM: &str = "parts per million";

flitwork_schema::named!(Phase { Zero = "zero", Random = "random" });

/// The law of a [`Spread`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum SpreadLaw {
    #[default]
    None,
    Uniform,
    Normal,
}

flitwork_schema::named!(SpreadLaw { None = "none", Uniform = "uniform", Normal = "normal" });

/// Which [`Domains`] there are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Sharing {
    #[default]
    Node,
    One,
    Blocks,
}

flitwork_schema::named!(Sharing { Node = "node", One = "one", Blocks = "blocks" });

/// What `[clocks]` itself gives; `None` for what isn't given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GivenClocks {
    pub(crate) period_ps: u64,
    pub(crate) phase: Option<Phase>,
    pub(crate) spread: Option<SpreadLaw>,
    pub(crate) spread_percent: Option<f64>,
    pub(crate) drift_ppm: Option<f64>,
    pub(crate) jitter_ps: Option<u64>,
    pub(crate) wander: GivenWander,
    pub(crate) domains: Option<Sharing>,
    pub(crate) block_sides: Option<Vec<u32>>,
}

/// What is given of a [`Wander`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GivenWander {
    pub(crate) most_ps: Option<u64>,
    pub(crate) bound_ps: Option<u64>,
}

impl GivenWander {
    fn of(wander: Option<Wander>) -> GivenWander {
        GivenWander {
            most_ps: Some(wander.map_or(0, |wander| wander.most_ps)),
            bound_ps: wander.and_then(|wander| wander.bound_ps),
        }
    }

    /// The walk of the ticks, if they wander.
    pub(crate) fn wander(self) -> Option<Wander> {
        let most_ps = self.most_ps.filter(|most_ps| *most_ps > 0);
        most_ps.map(|most_ps| Wander {
            most_ps,
            bound_ps: self.bound_ps,
        })
    }
}

/// What a table of `[[clocks.islands]]` gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenIsland {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) period_ps: u64,
    pub(crate) phase_ps: u64,
    pub(crate) jitter_ps: u64,
    pub(crate) wander: GivenWander,
    pub(crate) drift_ppm: f64,
}

const WANDER: Allowed = Allowed::Whole(0, MAX_PERIOD_PS - 1);
const WANDER_BOUND: Allowed = Allowed::Whole(1, MAX_PERIOD_PS);
const WANDER_MEANING: &str = "ps by which a period may be longer or shorter than the clock's own; drawn for each tick, and added up from tick to tick; together with jitter_ps less than every period";
const BOUND_MEANING: &str = "the most ps by which ticks may have wandered from their places, either way; a step beyond it ends as far within it instead; at least wander_ps";

/// With what clocks of the nodes' own are read.
const OSCILLATORS: &str = "nodes outside clocks.islands, and without clocks.self-timed";
const OF_SPREAD: &str = "clocks.spread = \"uniform\" or \"normal\"";
const OF_WANDER: &str = "clocks.wander_ps of 1 or more";
const OF_BLOCKS: &str = "clocks.domains = \"blocks\"";

#[rustfmt::skip]
pub(crate) const KEYS: &[Key<GivenClocks>] = &[
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "1000", "ps from one tick of the nominal clock to the next; times in cycles count these"),
    only_with(OSCILLATORS, key("phase", |it| &mut it.phase, Allowed::Choice(Phase::NAMES), "\"zero\"", "the first tick of each domain: at 0, or anywhere within its first period")),
    only_with(OSCILLATORS, key("spread", |it| &mut it.spread, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how the periods of the domains are distributed around period_ps")),
    only_with(OF_SPREAD, key("spread_percent", |it| &mut it.spread_percent, Allowed::Below(0.0, 100.0, "percent of period_ps"), "required for uniform and normal", "how far periods lie from period_ps: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
    only_with(OSCILLATORS, key("drift_ppm", |it| &mut it.drift_ppm, Allowed::Number(0.0, 100_000.0, PPM), "0", "how much faster or slower than its period a domain's oscillator may be; drawn for each domain")),
    only_with(OSCILLATORS, key("jitter_ps", |it| &mut it.jitter_ps, Allowed::Whole(0, MAX_PERIOD_PS - 1), "0", "ps by which a tick may come late; drawn for each tick; less than every period")),
    only_with(OSCILLATORS, key("wander_ps", |it| &mut it.wander.most_ps, WANDER, "0", WANDER_MEANING)),
    only_with(OF_WANDER, key("wander_bound_ps", |it| &mut it.wander.bound_ps, WANDER_BOUND, "no bound", BOUND_MEANING)),
    only_with(OSCILLATORS, key("domains", |it| &mut it.domains, Allowed::Choice(Sharing::NAMES), "\"node\"", "which nodes share a clock: none, all, or those of a block")),
    only_with(OF_BLOCKS, key("block_sides", |it| &mut it.block_sides, SIDES, "4 along each dimension", "nodes of a block along each dimension")),
];

#[rustfmt::skip]
pub(crate) const ISLAND: &[Key<GivenIsland>] = &[
    key("nodes", |it| &mut it.nodes, Allowed::list(&Allowed::Node), "required", "the nodes of the island; no node is in two"),
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required", "ps from one tick of the island to the next"),
    key("phase_ps", |it| &mut it.phase_ps, Allowed::Whole(0, MAX_PERIOD_PS), "0", "the island's first tick, in ps from the start"),
    key("jitter_ps", |it| &mut it.jitter_ps, Allowed::Whole(0, MAX_PERIOD_PS - 1), "0", "ps by which a tick may come late; drawn for each tick; less than the period"),
    key("wander_ps", |it| &mut it.wander.most_ps, WANDER, "0", WANDER_MEANING),
    only_with("wander_ps of 1 or more", key("wander_bound_ps", |it| &mut it.wander.bound_ps, WANDER_BOUND, "no bound", BOUND_MEANING)),
    key("drift_ppm", |it| &mut it.drift_ppm, Allowed::Number(-100_000.0, 100_000.0, PPM), "0", "how much slower (positive) or faster than its period the island's oscillator runs"),
];

/// The table, with those in it.
#[rustfmt::skip]
pub(crate) fn table() -> Entry {
    let mut within = entries(KEYS);
    within.extend(tables());
    within.push(super::delays::table());
    within.push(Entry::tables("islands", "none", "voltage-frequency islands, a table [[clocks.islands]] for each: domains with exactly the clock that is given", entries(ISLAND)));
    within.push(changes::table());
    Entry::table("clocks", "all defaults", "what makes the nodes step", within).only_with("run.engine = \"clocked\"")
}

/// Whether the islands hold all of so many nodes; none is in two.
pub(crate) fn are_all_in(islands: &[IslandParameters], nodes: u32) -> bool {
    islands
        .iter()
        .map(|island| island.nodes.len())
        .sum::<usize>()
        == nodes as usize
}

impl Spread {
    /// Its law, and the percentage that goes with it.
    pub(crate) fn given(self) -> (SpreadLaw, Option<f64>) {
        match self {
            Spread::None => (SpreadLaw::None, None),
            Spread::Uniform { percent } => (SpreadLaw::Uniform, Some(percent)),
            Spread::Normal { percent } => (SpreadLaw::Normal, Some(percent)),
        }
    }
}

impl ClockParameters {
    /// The values of the keys that give them, in a network of so many nodes.
    pub(crate) fn settings(&self, nodes: u32) -> Vec<(&'static str, Datum)> {
        let mut given = GivenClocks {
            period_ps: self.period_ps,
            ..GivenClocks::default()
        };
        let mut tables = Vec::new();
        match &self.stepping {
            _ if are_all_in(&self.islands, nodes) => {}
            Stepping::Oscillators(all) => given.have(all),
            Stepping::SelfTimed(steps) => {
                tables.push(("self-timed", Datum::table(GivenSteps::settings(steps))));
            }
        }
        if let Some(arbiter) = &self.arbiter {
            tables.push(("arbiter", Datum::table(settings(ARBITER, arbiter))));
        }
        if self.delays != DelayParameters::default() {
            tables.push(("delays", Datum::table(self.delays.settings())));
        }
        if !self.islands.is_empty() {
            let islands = self.islands.iter();
            let islands = islands.map(|island| Datum::table(settings(ISLAND, &island.given())));
            tables.push(("islands", Datum::list(islands)));
        }
        if !self.changes.is_empty() {
            let changes = self.changes.iter().map(ChangeParameters::settings);
            tables.push(("changes", Datum::list(changes)));
        }
        let mut all = settings(KEYS, &given);
        all.append(&mut tables);
        all
    }
}

impl IslandParameters {
    fn given(&self) -> GivenIsland {
        GivenIsland {
            nodes: self.nodes.clone(),
            period_ps: self.period_ps,
            phase_ps: self.phase_ps,
            jitter_ps: self.jitter_ps,
            wander: GivenWander::of(self.wander),
            drift_ppm: self.drift_ppm,
        }
    }
}

impl GivenClocks {
    fn have(&mut self, all: &Oscillators) {
        let (spread, spread_percent) = all.spread.given();
        (self.spread, self.spread_percent) = (Some(spread), spread_percent);
        self.phase = Some(all.phase);
        self.drift_ppm = Some(all.drift_ppm);
        self.jitter_ps = Some(all.jitter_ps);
        self.wander = GivenWander::of(all.wander);
        (self.domains, self.block_sides) = match &all.domains {
            Domains::Node => (Some(Sharing::Node), None),
            Domains::One => (Some(Sharing::One), None),
            Domains::Blocks { sides } => (Some(Sharing::Blocks), Some(sides.clone())),
        };
    }
}
