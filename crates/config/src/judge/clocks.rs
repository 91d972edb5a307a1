//! Reads a configuration's clocks: defaults, and checks of values against each other.

use super::self_timed::{arbiter, self_timed};
use crate::clocks::keys::{GivenClocks, ISLAND, KEYS, OF_OSCILLATORS, Sharing, SpreadLaw};
use crate::clocks::{ClockParameters, Domains, IslandParameters, Oscillators, Spread, Stepping};
use crate::pace::Pace;
use crate::resolved::RunParameters;
use flitwork_network::Clock;
use flitwork_schema::{Given, MistakeKind, Refusal};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeMap;

/// The latest instant of a run, in ps: a quarter of the range of 64 bits, so that the sum of two doesn't wrap.
const LAST_PS: u64 = 1 << 62;
/// Nodes of a block along each dimension, by default.
const BLOCK_SIDE: u32 = 4;

impl ClockParameters {
    /// The configured clocks, and the fastest and slowest pace among them.
    ///
    /// # Errors
    /// A key that is missing or conflicts with others, nodes that can't be in an island, and clocks whose
    /// ticks wouldn't stay in order or whose run wouldn't end in time.
    pub(crate) fn read(
        given: &Given<'_>,
        shape: &Shape,
        run: &RunParameters,
    ) -> Result<(ClockParameters, Pace), Refusal> {
        let usual = ClockParameters::default();
        let mut own = GivenClocks {
            period_ps: usual.period_ps,
            ..GivenClocks::default()
        };
        given.set(KEYS, &mut own);
        let stepping = match given.table("self-timed") {
            Some(steps) => {
                let unread = "nothing: with [clocks.self-timed] nodes have no oscillators";
                given.refuse(OF_OSCILLATORS, unread)?;
                Stepping::SelfTimed(self_timed(&steps)?)
            }
            None => Stepping::Oscillators(Oscillators {
                phase: own.phase.unwrap_or_default(),
                spread: spread_of(
                    given,
                    (own.spread.unwrap_or_default(), own.spread_percent),
                    "all periods are period_ps",
                )?,
                drift_ppm: own.drift_ppm.unwrap_or(0.0),
                jitter_ps: own.jitter_ps.unwrap_or(0),
                domains: domains(given, &own, shape)?,
            }),
        };
        let clocks = ClockParameters {
            period_ps: own.period_ps,
            arbiter: match given.table("arbiter") {
                Some(_) if matches!(stepping, Stepping::Oscillators(_)) => {
                    let allowed =
                        "nothing without [clocks.self-timed]: nodes with clocks don't arbitrate";
                    return Err(given.conflict("arbiter", allowed));
                }
                table => table.map(|table| arbiter(&table)).transpose()?,
            },
            stepping,
            islands: islands(given, shape)?,
        };
        let pace = check_drawn(given, (shape, run), &clocks)?;
        Ok((clocks, pace))
    }
}

/// How something is spread, given the law and its percentage; `unread` says why none is read without a spread.
pub(super) fn spread_of(
    given: &Given<'_>,
    (law, percent): (SpreadLaw, Option<f64>),
    unread: &str,
) -> Result<Spread, Refusal> {
    match (law, percent) {
        (SpreadLaw::None, None) => Ok(Spread::None),
        (SpreadLaw::None, Some(_)) => {
            let spread = given.key("spread");
            let allowed = format!("nothing: with {spread} = \"none\" {unread}");
            Err(given.conflict("spread_percent", allowed))
        }
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
        (Sharing::Node, None) => Ok(Domains::Node),
        (Sharing::One, None) => Ok(Domains::One),
        (Sharing::Node | Sharing::One, Some(_)) => {
            let allowed = "nothing: only clocks.domains = \"blocks\" reads block_sides";
            Err(given.conflict(KEY, allowed))
        }
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
    let mut island = IslandParameters {
        nodes: given.needed("nodes")?,
        period_ps: given.needed("period_ps")?,
        phase_ps: 0,
        jitter_ps: 0,
        drift_ppm: 0.0,
    };
    given.set(ISLAND, &mut island);
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
    let mut check = |pace: Pace, given: &Given<'_>, least: &str, phase_ps: u64| {
        check_jitter(given, pace, least)?;
        let pace = pace.with_jitter(given.get("jitter_ps").unwrap_or(0));
        check_end(given, run, pace, phase_ps)?;
        all = Some(all.map_or(pace, |all: Pace| all.and(pace)));
        Ok(())
    };
    if let Some(pace) = clocks.pace(shape, run.seed) {
        let least = "the shortest period that was drawn";
        check(pace, given, least, clocks.period_ps)?;
    }
    let tables = given.tables("islands");
    for (island, table) in clocks.islands.iter().zip(&tables) {
        let pace = Pace::of(&Clock::Periodic(island.clock()));
        if table.has("drift_ppm") && pace.shortest_ps == 0 {
            let allowed = "0 or more: ticks of a period below 1 ps would coincide";
            return Err(table.conflict("drift_ppm", allowed));
        }
        check(pace, table, "the period", island.phase_ps)?;
    }
    // A network has at least one node, and every node is in a domain or an island.
    Ok(all.unwrap_or(Pace::even(clocks.period_ps)))
}

/// Jitter never makes a tick later than the next one; `least` says what the shortest period is.
fn check_jitter(given: &Given<'_>, pace: Pace, least: &str) -> Result<(), Refusal> {
    match given.get::<u64>("jitter_ps") {
        Some(jitter) if jitter > 0 && jitter >= pace.shortest_ps => {
            let most = pace.shortest_ps.saturating_sub(1);
            let shortest = pace.shortest_ps;
            let allowed = format!(
                "0 to {most}: less than {least}, {shortest} ps; a jitter of a period or more would \
                 put ticks out of order"
            );
            Err(given.conflict("jitter_ps", allowed))
        }
        _ => Ok(()),
    }
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
