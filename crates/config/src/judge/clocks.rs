//! Reads a configuration's clocks: defaults, and checks of values against each other.

use super::changes::{changes, given_changes};
use super::delays::{Nodes, delays};
use super::self_timed::{arbiter, self_timed};
use crate::clocks::changes::LAST_PS;
use crate::clocks::keys::{
    GivenClocks, GivenIsland, GivenWander, ISLAND, KEYS, Sharing, SpreadLaw, are_all_in,
};
use crate::clocks::{
    ClockParameters, DelayParameters, Domains, IslandParameters, Oscillators, SelfTimedParameters,
    Spread, Stepping,
};
use crate::pace::Pace;
use crate::resolved::RunParameters;
use flitwork_network::{Clock, Delay, Wander};
use flitwork_schema::{Files, Given, MistakeKind, Refusal};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeMap;

/// Nodes of a block along each dimension, by default.
const BLOCK_SIDE: u32 = 4;

/// What clocks are read for.
pub(super) struct Around<'a> {
    pub(super) shape: &'a Shape,
    pub(super) run: &'a RunParameters,
    pub(super) files: &'a dyn Files,
    /// Whether nodes have a buffer behind no port; `None` if that isn't known.
    pub(super) has_queue: Option<bool>,
    /// The parts of a link with handshakes; `None` where links are wires.
    pub(super) segments: Option<u16>,
    /// Whether a mistake is known and further ones are sought.
    pub(super) looks_again: bool,
}

impl Around<'_> {
    /// Whether a table of delays may have been left out because of a mistake in it.
    fn lacks_table(&self, given: &Given<'_>) -> bool {
        let delays = given.table("delays");
        self.looks_again && delays.is_some_and(|delays| !delays.has("file"))
    }
}

impl ClockParameters {
    /// The configured clocks, and the fastest and slowest pace among them.
    ///
    /// # Errors
    /// A key that is missing or conflicts with others, nodes that can't be in an island, a table of delays that doesn't
    /// fit the network, clocks whose ticks wouldn't stay in order or whose run wouldn't end in time, and changes of
    /// clocks that don't exist or change at the same time.
    pub(super) fn read(
        given: &Given<'_>,
        around: &Around<'_>,
    ) -> Result<(ClockParameters, Pace), Refusal> {
        let Around { shape, run, .. } = *around;
        let usual = ClockParameters::default();
        let mut own = GivenClocks {
            period_ps: usual.period_ps,
            ..GivenClocks::default()
        };
        given.set(KEYS, &mut own);
        let changed = given_changes(given, shape)?;
        let islands = islands(given, shape);
        let named = islands.as_deref().unwrap_or_default();
        let delays = own_delays(given, around, named);
        let stepping = match given.table("self-timed") {
            _ if are_all_in(named, shape.nodes()) => usual.stepping,
            Some(steps) => {
                Stepping::SelfTimed(steps_of(&steps, around.lacks_table(given), &own, &delays)?)
            }
            None => Stepping::Oscillators(Oscillators {
                phase: own.phase.unwrap_or_default(),
                spread: spread_of(given, (own.spread.unwrap_or_default(), own.spread_percent))?,
                drift_ppm: own.drift_ppm.unwrap_or(0.0),
                jitter_ps: own.jitter_ps.unwrap_or(0),
                wander: wander(given, own.wander)?,
                domains: domains(given, &own, shape)?,
            }),
        };
        let mut clocks = ClockParameters {
            period_ps: own.period_ps,
            arbiter: given
                .table("arbiter")
                .map(|table| arbiter(&table))
                .transpose()?,
            stepping,
            islands: islands?,
            changes: Vec::new(),
            delays: delays?,
        };
        let pace = check_drawn(given, (shape, run), &clocks)?;
        clocks.changes = changes(changed, (shape, run), &clocks)?;
        let pace = match clocks.changes.is_empty() {
            true => pace,
            false => clocks.whole_pace(shape, run.seed),
        };
        Ok((clocks, pace))
    }
}

/// `[clocks.self-timed]` beside a table of delays, which may have a mistake or be left out because of one.
fn steps_of(
    given: &Given<'_>,
    is_lost: bool,
    own: &GivenClocks,
    delays: &Result<DelayParameters, Refusal>,
) -> Result<SelfTimedParameters, Refusal> {
    let in_table = |stage| match delays {
        Ok(DelayParameters { table, .. }) => {
            is_lost || table.as_ref().is_some_and(|table| table.names(stage))
        }
        Err(_) => true,
    };
    let mut steps = self_timed(given, in_table)?;
    if is_lost {
        let usual = Some(Delay::fixed(own.period_ps));
        let keys = &mut steps.delays;
        (keys.word, keys.decision) = (keys.word.or(usual), keys.decision.or(usual));
    }
    Ok(steps)
}

/// `[clocks.delays]`.
fn own_delays(
    given: &Given<'_>,
    around: &Around<'_>,
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

/// The walk of the ticks, if they wander.
fn wander(given: &Given<'_>, own: GivenWander) -> Result<Option<Wander>, Refusal> {
    let wander = own.wander();
    match (own.bound_ps, wander) {
        (Some(bound_ps), Some(Wander { most_ps, .. })) if bound_ps < most_ps => {
            let allowed = format!("wander_ps, {most_ps} ps, or more");
            Err(given.conflict("wander_bound_ps", allowed))
        }
        (_, wander) => Ok(wander),
    }
}

/// How something is spread, given the law and its percentage.
pub(super) fn spread_of(
    given: &Given<'_>,
    (law, percent): (SpreadLaw, Option<f64>),
) -> Result<Spread, Refusal> {
    match (law, percent) {
        (SpreadLaw::None, _) => Ok(Spread::None),
        (_, None) => {
            let law = given.span_of("spread").unwrap_or_else(|| given.span());
            Err(given.missing_for("spread_percent", law))
        }
        (SpreadLaw::Uniform, Some(percent)) => Ok(Spread::Uniform { percent }),
        (SpreadLaw::Normal, Some(percent)) => Ok(Spread::Normal { percent }),
    }
}

fn domains(given: &Given<'_>, own: &GivenClocks, shape: &Shape) -> Result<Domains, Refusal> {
    const KEY: &str = "block_sides";
    let sharing = own.domains.unwrap_or_default();
    let dimensions = match (sharing, shape.grid_for("clocks.domains = \"blocks\"")) {
        (Sharing::Blocks, Err(needs)) => return Err(given.conflict("domains", needs.to_string())),
        (_, grid) => grid.map_or(0, |grid| grid.sides().len()),
    };
    match (sharing, &own.block_sides) {
        (Sharing::Node, _) => Ok(Domains::Node),
        (Sharing::One, _) => Ok(Domains::One),
        (Sharing::Blocks, None) => Ok(Domains::Blocks {
            sides: vec![BLOCK_SIDE; dimensions],
        }),
        (Sharing::Blocks, Some(sides)) if sides.len() != dimensions => {
            let allowed = format!("as many sides as network.sides has: {dimensions}");
            Err(given.conflict(KEY, allowed))
        }
        (Sharing::Blocks, Some(sides)) => Ok(Domains::Blocks {
            sides: sides.clone(),
        }),
    }
}

fn islands(given: &Given<'_>, shape: &Shape) -> Result<Vec<IslandParameters>, Refusal> {
    // Where each node has been named.
    let mut taken = BTreeMap::new();
    let tables = given.tables("islands");
    let islands = tables.iter().enumerate();
    islands
        .map(|(index, table)| island(table, index, shape, &mut taken))
        .collect()
}

/// An island; `taken` has the islands of the nodes that earlier ones name.
fn island(
    given: &Given<'_>,
    index: usize,
    shape: &Shape,
    taken: &mut BTreeMap<NodeId, usize>,
) -> Result<IslandParameters, Refusal> {
    let mut own = GivenIsland {
        nodes: given.needed("nodes")?,
        period_ps: given.needed("period_ps")?,
        ..GivenIsland::default()
    };
    given.set(ISLAND, &mut own);
    let island = IslandParameters {
        nodes: own.nodes,
        period_ps: own.period_ps,
        phase_ps: own.phase_ps,
        jitter_ps: own.jitter_ps,
        wander: wander(given, own.wander)?,
        drift_ppm: own.drift_ppm,
    };
    let key = given.key("nodes");
    for (node, value) in island.nodes.iter().zip(given.list("nodes")) {
        let named = format!("{key} names node {node}");
        let (found, allowed) = if node.0 >= shape.nodes() {
            let last = shape.nodes() - 1;
            let found = format!("{named}, which the network doesn't have");
            (found, format!("nodes 0 to {last}"))
        } else {
            match taken.insert(*node, index) {
                None => continue,
                Some(before) if before == index => {
                    (format!("{named} twice"), "each node once".into())
                }
                Some(before) => (
                    format!("{named}, which is in clocks.islands[{before}]"),
                    "each node in one island".into(),
                ),
            }
        };
        let refusal = Refusal::new(MistakeKind::Conflict, key, Some(value.span.clone()));
        return Err(refusal.found(found).allowed(allowed));
    }
    Ok(island)
}

/// Checks drawn clocks and islands: ticks stay in order, and the run ends in time.
fn check_drawn(
    given: &Given<'_>,
    (shape, run): (&Shape, &RunParameters),
    clocks: &ClockParameters,
) -> Result<Pace, Refusal> {
    let mut all = None;
    let mut check = |pace: Pace, given: &Given<'_>, drawn: Option<&str>, phase_ps: u64| {
        let pace = match drawn {
            None => pace,
            Some(least) => {
                check_order(given, pace, least)?;
                let off = GivenWander {
                    most_ps: given.get("wander_ps"),
                    bound_ps: None,
                };
                pace.with_draws(given.get("jitter_ps").unwrap_or(0), off.wander())
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

/// No tick is ever later than the next one; `least` says what the shortest period is.
fn check_order(given: &Given<'_>, pace: Pace, least: &str) -> Result<(), Refusal> {
    let shortest = pace.shortest_ps;
    let [jitter, wander] = ["jitter_ps", "wander_ps"].map(|key| given.get::<u64>(key).unwrap_or(0));
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
    given: &Given<'_>,
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
