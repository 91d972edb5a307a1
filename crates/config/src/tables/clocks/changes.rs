//! Clocks that change during the run: `[[clocks.changes]]`.

use super::common::{LAST_PS, MAX_PERIOD_PS};
use crate::clock_draws::ClockOf;
use crate::clocks::{ChangeParameters, ChangedClocks, ClockParameters, Stepping};
use crate::pace::{BILLION, exact_ppb};
use crate::tables::run::RunParameters;
use flitwork_network::Rate;
use flitwork_schema::{
    Allowed, Datum, Entry, Key, MistakeKind, RawTable, Refusal, entries, key, settings,
};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// What a table of `[[clocks.changes]]` gives.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenChange {
    at_ps: u64,
    islands: Option<Vec<usize>>,
    nodes: Option<Vec<NodeId>>,
    period_ps: Option<u64>,
    gated: Option<bool>,
}

/// The place of an island in the configuration; no network has more of them than nodes.
const ISLAND_PLACE: Allowed = Allowed::Whole(0, flitwork_types::MAX_NODES as u64 - 1);

#[rustfmt::skip]
const CHANGE: &[Key<GivenChange>] = &[
    key("at_ps", |it| &mut it.at_ps, Allowed::Whole(0, LAST_PS), "required", "ps from the start of the run: from the first tick at or after it the change holds"),
    key("islands", |it| &mut it.islands, Allowed::list(&ISLAND_PLACE), "all clocks, without nodes", "the islands whose clocks change: 0 is the first [[clocks.islands]]"),
    key("nodes", |it| &mut it.nodes, Allowed::list(&Allowed::Node), "all clocks, without islands", "the nodes whose clocks change, one node of each clock; all nodes that share its clock change with it"),
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required unless gated", "ps from one tick to the next; drift, jitter and wander stay as they are"),
    key("gated", |it| &mut it.gated, Allowed::Truth, "false", "whether the clocks stop at at_ps, until a later change gives them a period: their first tick is then exactly at its at_ps"),
];

/// The tables.
#[rustfmt::skip]
pub(super) fn table() -> Entry {
    Entry::tables("changes", "none", "clocks that get another period or are gated during the run, a table [[clocks.changes]] for each time", entries(CHANGE))
}

impl ChangeParameters {
    /// The values of the keys that give it.
    pub(super) fn settings(&self) -> Datum {
        let mut given = GivenChange {
            at_ps: self.at_ps,
            period_ps: self.period_ps,
            gated: self.period_ps.is_none().then_some(true),
            ..GivenChange::default()
        };
        match &self.clocks {
            ChangedClocks::All => {}
            ChangedClocks::Islands(islands) => given.islands = Some(islands.clone()),
            ChangedClocks::Nodes(nodes) => given.nodes = Some(nodes.clone()),
        }
        Datum::table(settings(CHANGE, &given))
    }
}

/// What changes are checked against.
struct Context<'a> {
    clocks: &'a ClockParameters,
    shape: &'a Shape,
    run: &'a RunParameters,
}

/// The tables, each on its own: what they say about clocks doesn't depend on whether those are right.
///
/// # Errors
/// A time that is missing, both or none of a period and a gate, both islands and nodes, and nodes that don't exist.
pub(super) fn given_changes<'a>(
    given: &RawTable<'a>,
    shape: &Shape,
) -> Result<Vec<(RawTable<'a>, GivenChange)>, Refusal> {
    let read = |table: RawTable<'a>| {
        let own: GivenChange = table.parameters(CHANGE)?;
        check_kind(&table, &own)?;
        for (place, node) in own.nodes.iter().flatten().enumerate() {
            if node.0 >= shape.nodes() {
                let found = format!("node {node}, which the network doesn't have");
                let allowed = format!("nodes 0 to {}", shape.nodes() - 1);
                return Err(table.names_wrongly(("nodes", place), &found, allowed));
            }
        }
        Ok((table, own))
    };
    given.tables("changes").into_iter().map(read).collect()
}

/// The changes of `clocks`, which has none.
///
/// # Errors
/// Clocks that don't exist or are named twice, two changes of a clock at a time, and a period that is too short for what
/// is drawn or too long for the run.
pub(super) fn changes(
    given: Vec<(RawTable<'_>, GivenChange)>,
    (shape, run): (&Shape, &RunParameters),
    clocks: &ClockParameters,
) -> Result<Vec<ChangeParameters>, Refusal> {
    let around = Context { clocks, shape, run };
    // The tables that change each clock, by time.
    let mut taken: BTreeMap<u64, BTreeMap<ClockOf, usize>> = BTreeMap::new();
    let mut changes = Vec::new();
    for (place, (table, own)) in given.into_iter().enumerate() {
        let (which, changed) = around.changed(&table, &own)?;
        let at = taken.entry(own.at_ps).or_default();
        for clock in &changed {
            if let Some(before) = at.insert(*clock, place) {
                let clock = around.name(*clock);
                let allowed = format!(
                    "another time: clocks.changes[{before}] changes the clock of {clock} at {} ps too",
                    own.at_ps
                );
                return Err(table.conflict("at_ps", allowed));
            }
        }
        if let Some(period_ps) = own.period_ps {
            around.check_period(&table, period_ps, &changed)?;
        }
        changes.push(ChangeParameters {
            at_ps: own.at_ps,
            clocks: which,
            period_ps: own.period_ps,
        });
    }
    Ok(changes)
}

/// A change gives a period or gates, and names islands or nodes.
fn check_kind(given: &RawTable<'_>, own: &GivenChange) -> Result<(), Refusal> {
    match (own.period_ps, own.gated) {
        (Some(_), Some(true)) => {
            let allowed = "only without gated = true: a gated clock has no period";
            return Err(given.conflict("period_ps", allowed));
        }
        (None, Some(true)) | (Some(_), _) => {}
        (None, _) => {
            let refusal = given.missing("period_ps");
            return Err(refusal.allowed("a period, or gated = true"));
        }
    }
    match own.islands.is_some() && own.nodes.is_some() {
        true => Err(given.conflict(
            "nodes",
            "only without islands: a table names one or the other",
        )),
        false => Ok(()),
    }
}

impl Context<'_> {
    /// Which clocks a table changes.
    fn changed(
        &self,
        given: &RawTable<'_>,
        own: &GivenChange,
    ) -> Result<(ChangedClocks, BTreeSet<ClockOf>), Refusal> {
        if let Some(islands) = &own.islands {
            let clocks = self.of_islands(given, islands)?;
            return Ok((ChangedClocks::Islands(islands.clone()), clocks));
        }
        if let Some(nodes) = &own.nodes {
            let clocks = self.of_nodes(given, nodes)?;
            return Ok((ChangedClocks::Nodes(nodes.clone()), clocks));
        }
        let clocks = self.clocks.all_clocks(self.shape);
        if clocks.is_empty() {
            let path = given.path();
            // Islands or nodes are missing, unless what was given there is wrong.
            let refusal = Refusal::new(MistakeKind::Missing, path, Some(given.span()));
            let refusal = refusal.found(format!("{path} changes all clocks, and there are none"));
            return Err(
                refusal.allowed("only where some nodes have clocks; here all are self-timed")
            );
        }
        Ok((ChangedClocks::All, clocks))
    }

    fn of_islands(
        &self,
        given: &RawTable<'_>,
        islands: &[usize],
    ) -> Result<BTreeSet<ClockOf>, Refusal> {
        let mut clocks = BTreeSet::new();
        for (place, island) in islands.iter().enumerate() {
            let allowed = match self.clocks.islands.len() {
                0 => "only with [[clocks.islands]]; there are none".to_owned(),
                count => format!("islands 0 to {}", count - 1),
            };
            if *island >= self.clocks.islands.len() {
                let found = format!("island {island}, which isn't given");
                return Err(given.names_wrongly(("islands", place), &found, allowed));
            }
            if !clocks.insert(ClockOf::Island(*island)) {
                let found = format!("island {island} twice");
                return Err(given.names_wrongly(("islands", place), &found, "each island once"));
            }
        }
        Ok(clocks)
    }

    fn of_nodes(
        &self,
        given: &RawTable<'_>,
        nodes: &[NodeId],
    ) -> Result<BTreeSet<ClockOf>, Refusal> {
        let clock_of = self.clocks.clock_of(self.shape);
        let mut first: BTreeMap<ClockOf, NodeId> = BTreeMap::new();
        for (place, node) in nodes.iter().enumerate() {
            let refuse = |found: String, allowed: &str| {
                let found = format!("node {node}{found}");
                Err(given.names_wrongly(("nodes", place), &found, allowed))
            };
            let clock = clock_of(*node);
            if !self.clocks.ticks(clock) {
                return refuse(
                    ", which is self-timed".into(),
                    "nodes of islands: others have no clock",
                );
            }
            match first.insert(clock, *node) {
                None => {}
                Some(before) if before == *node => {
                    return refuse(" twice".into(), "each node once");
                }
                Some(before) => {
                    return refuse(
                        format!(", whose clock is that of node {before}"),
                        "one node of each clock",
                    );
                }
            }
        }
        Ok(first.into_keys().collect())
    }

    /// Ticks stay in order with this period of these clocks, and the run ends in time.
    fn check_period(
        &self,
        given: &RawTable<'_>,
        period_ps: u64,
        changed: &BTreeSet<ClockOf>,
    ) -> Result<(), Refusal> {
        for clock in changed {
            let drift_ppb = self.clocks.drift_ppb(*clock, self.run.seed);
            let exact = exact_ppb(Rate {
                period_ps,
                drift_ppb,
            });
            let (jitter_ps, wander_ps) = self.draws(*clock);
            let off_ps = jitter_ps + wander_ps;
            let least_ps = off_ps + 1;
            if exact / BILLION < u128::from(least_ps) {
                let factor = BILLION.saturating_add_signed(drift_ppb.into());
                let least = (u128::from(least_ps) * BILLION).div_ceil(factor);
                let clock = self.name(*clock);
                let why = match off_ps {
                    0 => "at least a ps, or ticks would coincide".to_owned(),
                    off_ps => format!(
                        "more than its jitter_ps and wander_ps, {off_ps} ps, or ticks would be out of order"
                    ),
                };
                let allowed = format!(
                    "at least {least}: with its drift the period of {clock} has to be {why}"
                );
                return Err(given.conflict("period_ps", allowed));
            }
            let longest = exact.div_ceil(BILLION) + u128::from(off_ps);
            let cycles = self.run.deadline_cycles;
            let last = u128::from(cycles) * longest;
            if last > LAST_PS.into() {
                let allowed = format!(
                    "a run of at most {LAST_PS} ps; {cycles} cycles of up to {longest} ps are {last} ps"
                );
                return Err(given.conflict("period_ps", allowed));
            }
        }
        Ok(())
    }

    /// By how much the ticks of a clock may be late, and a period be shorter, in ps.
    fn draws(&self, clock: ClockOf) -> (u64, u64) {
        match (clock, &self.clocks.stepping) {
            (ClockOf::Island(place), _) => {
                let island = &self.clocks.islands[place];
                (island.jitter_ps, island.wander.most_ps)
            }
            (ClockOf::Block(_), Stepping::Oscillators(all)) => (all.jitter_ps, all.wander.most_ps),
            (ClockOf::Block(_), Stepping::SelfTimed(_)) => (0, 0),
        }
    }

    /// A clock in messages: `island 2`, or by its first node.
    fn name(&self, clock: ClockOf) -> String {
        if let ClockOf::Island(place) = clock {
            return format!("clocks.islands[{place}]");
        }
        let clock_of = self.clocks.clock_of(self.shape);
        let first = (0..self.shape.nodes()).find(|node| clock_of(NodeId(*node)) == clock);
        format!("node {}", first.unwrap_or_default())
    }
}
