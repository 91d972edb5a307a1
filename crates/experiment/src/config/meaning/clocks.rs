//! `[clocks]`.

use super::{conflict, missing, or};
use crate::config::clocks::{
    ClockParameters, Domains, IslandParameters, Oscillators, Phase, SelfTimedParameters, Spread,
    Stepping,
};
use crate::config::drawn::Pace;
use crate::config::error::{ConfigError, Fault};
use crate::config::resolved::RunParameters;
use crate::config::source::Source;
use crate::config::written::{
    Field, WrittenClocks, WrittenDomains, WrittenIsland, WrittenPhase, WrittenSelfTimed,
    WrittenSpread,
};
use flitwork_network::{Clock, Delay};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// The latest instant of a run, in ps: a quarter of what 64 bits hold, so that no sum of two wraps.
const LAST_PS: u64 = 1 << 62;
/// Nodes of a block along each dimension where they aren't given.
const BLOCK_SIDE: u32 = 4;

/// The clocks, and how fast and how slowly all of them tick.
pub(super) fn mean(
    source: &Source<'_>,
    grid: &Grid,
    run: &RunParameters,
    table: Option<&Spanned<WrittenClocks>>,
) -> Result<(ClockParameters, Pace), ConfigError> {
    let nothing = WrittenClocks::default();
    let written = table.map_or(&nothing, Spanned::get_ref);
    let usual = ClockParameters::default();
    let phase = match or(&written.phase, WrittenPhase::Zero) {
        WrittenPhase::Zero => Phase::Zero,
        WrittenPhase::Random => Phase::Random,
    };
    let stepping = match &written.self_timed {
        Some(steps) => {
            refuse_oscillators(source, written)?;
            Stepping::SelfTimed(self_timed(source, steps)?)
        }
        None => Stepping::Oscillators(oscillators(source, grid, written)?),
    };
    let clocks = ClockParameters {
        period_ps: or(&written.period_ps, usual.period_ps),
        phase,
        stepping,
        islands: islands(source, grid, written)?,
    };
    let pace = check_drawn(source, (grid, run), written, &clocks)?;
    Ok((clocks, pace))
}

/// Refuses what self-timed nodes have no use for.
fn refuse_oscillators(source: &Source<'_>, written: &WrittenClocks) -> Result<(), ConfigError> {
    let given: [(&str, Option<Range<usize>>); 6] = [
        ("spread", written.spread.as_ref().map(Spanned::span)),
        (
            "spread_percent",
            written.spread_percent.as_ref().map(Spanned::span),
        ),
        ("drift_ppm", written.drift_ppm.as_ref().map(Spanned::span)),
        ("jitter_ps", written.jitter_ps.as_ref().map(Spanned::span)),
        ("domains", written.domains.as_ref().map(Spanned::span)),
        (
            "block_sides",
            written.block_sides.as_ref().map(Spanned::span),
        ),
    ];
    for (key, span) in given {
        if let Some(span) = span {
            let allowed = "nothing: with [clocks.self-timed] nodes have no oscillators";
            return Err(conflict(source, &span, &format!("clocks.{key}"), allowed));
        }
    }
    Ok(())
}

fn self_timed(
    source: &Source<'_>,
    table: &Spanned<WrittenSelfTimed>,
) -> Result<SelfTimedParameters, ConfigError> {
    let written = table.get_ref();
    let delay = |key: &str, field: &Field<[u64; 2]>| match field {
        Some(range) => {
            let [least_ps, most_ps] = *range.get_ref();
            Ok(Delay { least_ps, most_ps })
        }
        None => {
            let key = format!("clocks.self-timed.{key}");
            Err(missing(source, &table.span(), &key))
        }
    };
    Ok(SelfTimedParameters {
        word: delay("word_ps", &written.word_ps)?,
        decision: delay("decision_ps", &written.decision_ps)?,
        idle: delay("idle_ps", &written.idle_ps)?,
    })
}

fn oscillators(
    source: &Source<'_>,
    grid: &Grid,
    written: &WrittenClocks,
) -> Result<Oscillators, ConfigError> {
    Ok(Oscillators {
        spread: spread(source, written)?,
        // A drift of -0.0 becomes 0.0.
        drift_ppm: or(&written.drift_ppm, 0.0) + 0.0,
        jitter_ps: or(&written.jitter_ps, 0),
        domains: domains(source, grid, written)?,
    })
}

fn spread(source: &Source<'_>, written: &WrittenClocks) -> Result<Spread, ConfigError> {
    let Some(percent) = &written.spread_percent else {
        return match &written.spread {
            Some(spread) if *spread.get_ref() != WrittenSpread::None => {
                Err(missing(source, &spread.span(), "clocks.spread_percent"))
            }
            _ => Ok(Spread::None),
        };
    };
    let span = percent.span();
    let percent = *percent.get_ref() + 0.0;
    match or(&written.spread, WrittenSpread::None) {
        WrittenSpread::Uniform => Ok(Spread::Uniform { percent }),
        WrittenSpread::Normal => Ok(Spread::Normal { percent }),
        WrittenSpread::None => {
            let allowed = "nothing: with clocks.spread = \"none\" all periods are period_ps";
            Err(conflict(source, &span, "clocks.spread_percent", allowed))
        }
    }
}

fn domains(
    source: &Source<'_>,
    grid: &Grid,
    written: &WrittenClocks,
) -> Result<Domains, ConfigError> {
    const KEY: &str = "clocks.block_sides";
    let domains = or(&written.domains, WrittenDomains::Node);
    let dimensions = grid.sides().len();
    match (domains, &written.block_sides) {
        (WrittenDomains::Node, None) => Ok(Domains::Node),
        (WrittenDomains::One, None) => Ok(Domains::One),
        (WrittenDomains::Node | WrittenDomains::One, Some(given)) => {
            let allowed = "nothing: only clocks.domains = \"blocks\" reads block_sides";
            Err(conflict(source, &given.span(), KEY, allowed))
        }
        (WrittenDomains::Blocks, None) => Ok(Domains::Blocks {
            sides: vec![BLOCK_SIDE; dimensions],
        }),
        (WrittenDomains::Blocks, Some(given)) => {
            let sides: Vec<u32> = given.get_ref().iter().map(|side| *side.get_ref()).collect();
            if sides.len() != dimensions {
                let allowed = format!("as many sides as network.sides has: {dimensions}");
                return Err(conflict(source, &given.span(), KEY, allowed));
            }
            Ok(Domains::Blocks { sides })
        }
    }
}

fn islands(
    source: &Source<'_>,
    grid: &Grid,
    written: &WrittenClocks,
) -> Result<Vec<IslandParameters>, ConfigError> {
    let given = written.islands.iter().flat_map(|list| list.get_ref());
    // Where each node has been named.
    let mut taken = BTreeMap::new();
    given
        .enumerate()
        .map(|(index, table)| island(source, grid, (index, table), &mut taken))
        .collect()
}

/// An island; `taken` has the islands of the nodes that earlier ones name.
fn island(
    source: &Source<'_>,
    grid: &Grid,
    (index, table): (usize, &Spanned<WrittenIsland>),
    taken: &mut BTreeMap<u32, usize>,
) -> Result<IslandParameters, ConfigError> {
    let key = |name: &str| format!("clocks.islands[{index}].{name}");
    let written = table.get_ref();
    let needs = |name: &str| missing(source, &table.span(), &key(name));
    let list = written.nodes.as_ref().ok_or_else(|| needs("nodes"))?;
    let period = written
        .period_ps
        .as_ref()
        .ok_or_else(|| needs("period_ps"))?;
    let error = |span: &Range<usize>, found: String, allowed: String| {
        let error = source.error(Fault::Conflict, span, found);
        error.about(&key("nodes")).allowed_is(allowed)
    };
    let mut nodes = Vec::new();
    for node in list.get_ref() {
        let (span, node) = (node.span(), *node.get_ref());
        let named = format!("{} names node {node}", key("nodes"));
        if node >= grid.nodes() {
            let found = format!("{named}, which the network doesn't have");
            let last = grid.nodes() - 1;
            return Err(error(&span, found, format!("nodes 0 to {last}")));
        }
        match taken.insert(node, index) {
            None => nodes.push(NodeId(node)),
            Some(before) if before == index => {
                return Err(error(
                    &span,
                    format!("{named} twice"),
                    "each node once".into(),
                ));
            }
            Some(before) => {
                let found = format!("{named}, which is in clocks.islands[{before}]");
                return Err(error(&span, found, "each node in one island".into()));
            }
        }
    }
    Ok(IslandParameters {
        nodes,
        period_ps: *period.get_ref(),
        phase_ps: or(&written.phase_ps, 0),
        jitter_ps: or(&written.jitter_ps, 0),
        drift_ppm: or(&written.drift_ppm, 0.0) + 0.0,
    })
}

/// Checks what is drawn, and what is given for islands: ticks stay in order, and the run ends in time.
fn check_drawn(
    source: &Source<'_>,
    (grid, run): (&Grid, &RunParameters),
    written: &WrittenClocks,
    clocks: &ClockParameters,
) -> Result<Pace, ConfigError> {
    let mut all = None;
    let mut check = |pace: Pace, told: &Told<'_>| {
        check_jitter(source, pace, told)?;
        let pace = pace.with_jitter(or(told.jitter_ps, 0));
        check_end(source, run, pace, told)?;
        all = Some(all.map_or(pace, |all: Pace| all.and(pace)));
        Ok(())
    };
    if let Some(pace) = clocks.pace(grid, run.seed) {
        let told = Told {
            table: "clocks".into(),
            least: "the shortest period that was drawn",
            period_ps: &written.period_ps,
            phase_ps: clocks.period_ps,
            jitter_ps: &written.jitter_ps,
        };
        check(pace, &told)?;
    }
    let given = written.islands.iter().flat_map(|list| list.get_ref());
    for (index, (island, table)) in clocks.islands.iter().zip(given).enumerate() {
        let table = table.get_ref();
        let told = Told {
            table: format!("clocks.islands[{index}]"),
            least: "the period",
            period_ps: &table.period_ps,
            phase_ps: island.phase_ps,
            jitter_ps: &table.jitter_ps,
        };
        let pace = Pace::of(&Clock::Periodic(island.clock()));
        if let Some(drift) = table.drift_ppm.as_ref().filter(|_| pace.shortest_ps == 0) {
            let key = format!("{}.drift_ppm", told.table);
            let allowed = "0 or more: two ticks of a shorter period than 1 ps would be one";
            return Err(conflict(source, &drift.span(), &key, allowed));
        }
        check(pace, &told)?;
    }
    // A network has a node, and every node is in a domain or an island.
    Ok(all.unwrap_or(Pace {
        shortest_ps: clocks.period_ps,
        longest_ps: clocks.period_ps,
    }))
}

/// A clock's keys, as they are told.
struct Told<'w> {
    /// The table that they are in.
    table: String,
    /// What the shortest period is.
    least: &'static str,
    period_ps: &'w Field<u64>,
    /// The latest first tick, in ps.
    phase_ps: u64,
    jitter_ps: &'w Field<u64>,
}

/// Jitter never makes a tick later than the next one.
fn check_jitter(source: &Source<'_>, pace: Pace, told: &Told<'_>) -> Result<(), ConfigError> {
    match told.jitter_ps {
        Some(jitter) if *jitter.get_ref() > 0 && *jitter.get_ref() >= pace.shortest_ps => {
            let key = format!("{}.jitter_ps", told.table);
            let most = pace.shortest_ps.saturating_sub(1);
            let (least, shortest) = (told.least, pace.shortest_ps);
            let allowed = format!(
                "0 to {most}: less than {least}, {shortest} ps; a jitter of a period or more would \
                 put ticks out of order"
            );
            Err(conflict(source, &jitter.span(), &key, allowed))
        }
        _ => Ok(()),
    }
}

/// The last tick of the run has an instant. Only a period that is given can be too long.
fn check_end(
    source: &Source<'_>,
    run: &RunParameters,
    pace: Pace,
    told: &Told<'_>,
) -> Result<(), ConfigError> {
    let (cycles, longest) = (run.deadline_cycles, pace.longest_ps);
    let last = u128::from(told.phase_ps) + u128::from(cycles) * u128::from(longest);
    match told.period_ps {
        Some(period) if last > LAST_PS.into() => {
            let key = format!("{}.period_ps", told.table);
            let allowed = format!(
                "a run of at most {LAST_PS} ps; {cycles} cycles of up to {longest} ps are {last} ps"
            );
            Err(conflict(source, &period.span(), &key, allowed))
        }
        _ => Ok(()),
    }
}
