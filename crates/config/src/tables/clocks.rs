//! What makes the nodes step: `[clocks]`.

mod changes;
mod common;
mod delays;
mod islands;
mod self_timed;

pub(crate) use common::MAX_PERIOD_PS;

use super::run::RunParameters;
use crate::clocks::{
    BLOCK_SIDE, ChangeParameters, ClockParameters, DelayParameters, Domains, IslandParameters,
    Oscillators, Phase, SelfTimedParameters, SpreadLaw, Stepping,
};
use crate::pace::Pace;
use changes::{changes, given_changes};
use common::{
    BOUND_MEANING, LAST_PS, PPM, WANDER, WANDER_BOUND, WANDER_MEANING, hold_spread, hold_wander,
};
use delays::{Nodes, delays};
use flitwork_network::Clock;
use flitwork_schema::{
    Allowed, Datum, Entry, Files, Key, RawTable, Refusal, entries, key, only_with, settings,
};
use flitwork_topology::{SIDES, Shape, Topology};
use islands::{are_all_in, islands};
use self_timed::{ARBITER, SELF_TIMED, self_timed};

flitwork_schema::named!(Phase { Zero = "zero", Random = "random" });
flitwork_schema::named!(Domains { Node = "node", One = "one", Blocks = "blocks" });

/// With what clocks of the nodes' own are read.
const OF_OSCILLATORS: &str = "nodes outside clocks.islands, and without clocks.self-timed";
const OF_SPREAD: &str = "clocks.spread = \"uniform\" or \"normal\"";
const OF_WANDER: &str = "clocks.wander_ps of 1 or more";
const OF_BLOCKS: &str = "clocks.domains = \"blocks\"";

#[rustfmt::skip]
const KEYS: &[Key<ClockParameters>] = &[
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "1000", "ps from one tick of the nominal clock to the next; times in cycles count these"),
];

#[rustfmt::skip]
const OSCILLATORS: &[Key<Oscillators>] = &[
    only_with(OF_OSCILLATORS, key("phase", |it| &mut it.phase, Allowed::Choice(Phase::NAMES), "\"zero\"", "the first tick of each domain: at 0, or anywhere within its first period")),
    only_with(OF_OSCILLATORS, key("spread", |it| &mut it.spread.law, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how the periods of the domains are distributed around period_ps")),
    only_with(OF_SPREAD, key("spread_percent", |it| &mut it.spread.percent, Allowed::Below(0.0, 100.0, "percent of period_ps"), "required for uniform and normal", "how far periods lie from period_ps: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
    only_with(OF_OSCILLATORS, key("drift_ppm", |it| &mut it.drift_ppm, Allowed::Number(0.0, 100_000.0, PPM), "0", "how much faster or slower than its period a domain's oscillator may be; drawn for each domain")),
    only_with(OF_OSCILLATORS, key("jitter_ps", |it| &mut it.jitter_ps, Allowed::Whole(0, MAX_PERIOD_PS - 1), "0", "ps by which a tick may come late; drawn for each tick; less than every period")),
    only_with(OF_OSCILLATORS, key("wander_ps", |it| &mut it.wander.most_ps, WANDER, "0", WANDER_MEANING)),
    only_with(OF_WANDER, key("wander_bound_ps", |it| &mut it.wander.bound_ps, WANDER_BOUND, "no bound", BOUND_MEANING)),
    only_with(OF_OSCILLATORS, key("domains", |it| &mut it.domains, Allowed::Choice(Domains::NAMES), "\"node\"", "which nodes share a clock: none, all, or those of a block")),
    only_with(OF_BLOCKS, key("block_sides", |it| &mut it.block_sides, SIDES, "4 along each dimension", "nodes of a block along each dimension")),
];

/// The table, with those in it.
#[rustfmt::skip]
pub(crate) fn table() -> Entry {
    let mut within = entries(KEYS);
    within.extend(entries(OSCILLATORS));
    within.extend(self_timed::tables());
    within.push(delays::table());
    within.push(islands::table());
    within.push(changes::table());
    Entry::table("clocks", "all defaults", "what makes the nodes step", within).only_with("run.engine = \"clocked\"")
}

/// What clocks are read for.
pub(crate) struct Context<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) run: &'a RunParameters,
    pub(crate) files: &'a dyn Files,
    /// Whether nodes have a buffer behind no port; `None` if that isn't known.
    pub(crate) has_queue: Option<bool>,
    /// The parts of a link with handshakes; `None` where links are wires.
    pub(crate) segments: Option<u16>,
}

impl ClockParameters {
    /// The configured clocks, and the fastest and slowest pace among them.
    ///
    /// # Errors
    /// A key that is missing or conflicts with others, nodes that can't be in an island, a table of delays that doesn't
    /// fit the network, clocks whose ticks wouldn't stay in order or whose run wouldn't end in time, and changes of
    /// clocks that don't exist or change at the same time.
    pub(crate) fn read(
        given: &RawTable<'_>,
        around: &Context<'_>,
    ) -> Result<(ClockParameters, Pace), Refusal> {
        let Context { shape, run, .. } = *around;
        let mut clocks = ClockParameters::default();
        given.set(KEYS, &mut clocks);
        let changed = given_changes(given, shape)?;
        let islands = islands(given, shape);
        let named = islands.as_deref().unwrap_or_default();
        let delays = own_delays(given, around, named);
        match given.table("self-timed") {
            _ if are_all_in(named, shape.nodes()) => {}
            Some(steps) => clocks.stepping = Stepping::SelfTimed(steps_of(&steps, &delays)?),
            None => clocks.stepping = Stepping::Oscillators(oscillators(given, shape)?),
        }
        let arbiter = given.table("arbiter");
        let arbiter = arbiter.map(|table| table.parameters(ARBITER));
        clocks.arbiter = arbiter.transpose()?;
        clocks.islands = islands?;
        clocks.delays = delays?;
        let pace = check_drawn(given, (shape, run), &clocks)?;
        clocks.changes = changes(changed, (shape, run), &clocks)?;
        let pace = match clocks.changes.is_empty() {
            true => pace,
            false => clocks.whole_pace(shape, run.seed),
        };
        Ok((clocks, pace))
    }
}

/// `[clocks.self-timed]` beside a table of delays, which may have a mistake.
fn steps_of(
    given: &RawTable<'_>,
    delays: &Result<DelayParameters, Refusal>,
) -> Result<SelfTimedParameters, Refusal> {
    self_timed(given, |stage| match delays {
        Ok(DelayParameters { table, .. }) => table.as_ref().is_some_and(|it| it.names(stage)),
        Err(_) => true,
    })
}

/// `[clocks.delays]`.
fn own_delays(
    given: &RawTable<'_>,
    around: &Context<'_>,
    islands: &[IslandParameters],
) -> Result<DelayParameters, Refusal> {
    let nodes = Nodes {
        shape: around.shape,
        islands,
        are_self_timed: given.has("self-timed"),
        has_queue: around.has_queue,
        segments: around.segments,
    };
    let table = given.table("delays");
    let read = table.map(|table| delays(&table, around.files, &nodes));
    Ok(read.transpose()?.unwrap_or_default())
}

/// The oscillators that are given.
///
/// # Errors
/// A percentage that is missing, a bound below what it bounds, and blocks that don't fit the network.
fn oscillators(given: &RawTable<'_>, shape: &Shape) -> Result<Oscillators, Refusal> {
    let mut own: Oscillators = given.parameters(OSCILLATORS)?;
    hold_spread(given, &mut own.spread)?;
    hold_wander(given, &mut own.wander)?;
    own.block_sides = block_sides(given, &own, shape)?;
    Ok(own)
}

/// The sides of blocks, where nodes of a block share an oscillator.
fn block_sides(
    given: &RawTable<'_>,
    own: &Oscillators,
    shape: &Shape,
) -> Result<Option<Vec<u32>>, Refusal> {
    if own.domains != Domains::Blocks {
        return Ok(None);
    }
    let grid = shape.grid_for("clocks.domains = \"blocks\"");
    let grid = grid.map_err(|needs| given.conflict("domains", needs.to_string()))?;
    let dimensions = grid.sides().len();
    match &own.block_sides {
        None => Ok(Some(vec![BLOCK_SIDE; dimensions])),
        Some(sides) if sides.len() != dimensions => {
            let allowed = format!("as many sides as network.sides has: {dimensions}");
            Err(given.conflict("block_sides", allowed))
        }
        own => Ok(own.clone()),
    }
}

/// Checks drawn clocks and islands: ticks stay in order, and the run ends in time.
fn check_drawn(
    given: &RawTable<'_>,
    (shape, run): (&Shape, &RunParameters),
    clocks: &ClockParameters,
) -> Result<Pace, Refusal> {
    let mut all = None;
    let mut check = |pace: Pace, given: &RawTable<'_>, drawn: Option<&str>, phase_ps: u64| {
        let pace = match drawn {
            None => pace,
            Some(least) => {
                check_order(given, pace, least)?;
                let [jitter, wander] = drawn_ps(given);
                pace.with_draws(jitter, wander)
            }
        };
        check_end(given, run, pace, phase_ps)?;
        all = Some(all.map_or(pace, |all: Pace| all.and(pace)));
        Ok(())
    };
    if let Some(pace) = clocks.pace(shape, run.seed) {
        // Self-timed nodes have no ticks that jitter or wander.
        let has_ticks = matches!(clocks.stepping, Stepping::Oscillators(_));
        let least = has_ticks.then_some("the shortest period that was drawn");
        check(pace, given, least, clocks.period_ps)?;
    }
    let tables = given.tables("islands");
    for (island, table) in clocks.islands.iter().zip(&tables) {
        let pace = Pace::of(&Clock::Periodic(island.clock()));
        if table.has("drift_ppm") && pace.shortest_ps == 0 {
            let allowed = "0 or more: ticks of a period below 1 ps would coincide";
            return Err(table.conflict("drift_ppm", allowed));
        }
        check(pace, table, Some("the period"), island.phase_ps)?;
    }
    // A network has at least one node, and every node is in a domain or an island.
    Ok(all.unwrap_or(Pace::even(clocks.period_ps)))
}

/// By how much ticks may be late, and periods be shorter, in ps, as drawn for a table's clocks.
fn drawn_ps(given: &RawTable<'_>) -> [u64; 2] {
    ["jitter_ps", "wander_ps"].map(|key| given.get(key).unwrap_or(0))
}

/// No tick is ever later than the next one; `least` says what the shortest period is.
fn check_order(given: &RawTable<'_>, pace: Pace, least: &str) -> Result<(), Refusal> {
    let shortest = pace.shortest_ps;
    let [jitter, wander] = drawn_ps(given);
    if jitter > 0 && jitter >= shortest {
        let most = shortest.saturating_sub(1);
        let allowed = format!(
            "0 to {most}: less than {least}, {shortest} ps; a jitter of a period or more would \
             put ticks out of order"
        );
        return Err(given.conflict("jitter_ps", allowed));
    }
    // Both are below 2^30.
    if wander > 0 && wander + jitter >= shortest {
        let most = shortest.saturating_sub(jitter + 1);
        let together = match jitter {
            0 => String::new(),
            jitter => format!("with a jitter of {jitter} ps "),
        };
        let allowed = format!(
            "0 to {most}: {together}less than {least}, {shortest} ps, or ticks would be out of order"
        );
        return Err(given.conflict("wander_ps", allowed));
    }
    Ok(())
}

/// The time of the run's last tick fits, if the first is at `phase_ps` at the latest. Only a given period can be too
/// long.
fn check_end(
    given: &RawTable<'_>,
    run: &RunParameters,
    pace: Pace,
    phase_ps: u64,
) -> Result<(), Refusal> {
    let (cycles, longest) = (run.deadline_cycles, pace.longest_ps);
    let last = u128::from(phase_ps) + u128::from(cycles) * u128::from(longest);
    if given.has("period_ps") && last > LAST_PS.into() {
        let allowed = format!(
            "a run of at most {LAST_PS} ps; {cycles} cycles of up to {longest} ps are {last} ps"
        );
        return Err(given.conflict("period_ps", allowed));
    }
    Ok(())
}

impl ClockParameters {
    /// The values of the keys that give them, in a network of so many nodes.
    pub(crate) fn settings(&self, nodes: u32) -> Vec<(&'static str, Datum)> {
        let mut all = settings(KEYS, self);
        match &self.stepping {
            _ if are_all_in(&self.islands, nodes) => {}
            Stepping::Oscillators(own) => all.extend(settings(OSCILLATORS, own)),
            Stepping::SelfTimed(steps) => {
                all.push(("self-timed", Datum::table(settings(SELF_TIMED, steps))));
            }
        }
        if let Some(arbiter) = &self.arbiter {
            all.push(("arbiter", Datum::table(settings(ARBITER, arbiter))));
        }
        if self.delays != DelayParameters::default() {
            all.push(("delays", self.delays.settings()));
        }
        if !self.islands.is_empty() {
            let islands = self.islands.iter().map(IslandParameters::settings);
            all.push(("islands", Datum::list(islands)));
        }
        if !self.changes.is_empty() {
            let changes = self.changes.iter().map(ChangeParameters::settings);
            all.push(("changes", Datum::list(changes)));
        }
        all
    }
}
