//! `[traffic]`, beside the router and the engine.

use super::run::{EngineChoice, RunParameters};
use crate::file::{Folder, open_packets};
use flitwork_machine::AnyRouter;
use flitwork_router::parameters::Takes;
use flitwork_schema::{Parts, RawTable, Refusal};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{Arrivals, ProcessEntry, ReadContext, TrafficParameters, names_of};
use flitwork_types::Cycle;

/// The words of packets, unless a configuration gives them.
const USUAL_WORDS: u16 = 4;

/// The run that traffic is read for.
pub(crate) struct Run<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) files: &'a Folder<'a>,
    /// Whether a mistake is known already.
    pub(crate) skips_slow_checks: bool,
    pub(crate) topology: &'a dyn Topology,
    pub(crate) router: &'a AnyRouter,
    pub(crate) run: &'a RunParameters,
    pub(crate) link_latency_cycles: u32,
    /// Whether packets may be lost.
    pub(crate) links_fail: bool,
}

/// Who sends to whom, when, and how much.
pub(crate) fn read(
    run: &Run<'_>,
    (entry, given): (&ProcessEntry, &RawTable<'_>),
) -> Result<TrafficParameters, Refusal> {
    let parts = run.parts;
    let scheduled_words = scheduled_words(parts, run.router, entry, given)?;
    let unclocked_engine = match run.run.engine {
        EngineChoice::Clocked => Some("clocked"),
        EngineChoice::Live => Some("live"),
        EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => None,
    };
    let context = ReadContext {
        parts,
        files: run.files,
        open: open_packets,
        topology: run.topology,
        seed: run.run.seed,
        usual_words: USUAL_WORDS,
        fixed_words: run.router.fixed_words(),
        fixed_as: "the router's packets have one length",
        router_has_words: run.router.has_key("packet_words"),
        scheduled_words,
        unclocked_engine,
        links_fail: run.links_fail,
        skips_slow_checks: run.skips_slow_checks,
    };
    let traffic = TrafficParameters::read(given, entry, &context)?;
    if run.router.facts().takes == Takes::AtOnce {
        hold_schedule(parts, run, &traffic, given)?;
    }
    traffic.process.check_run(given, &context)?;
    Ok(traffic)
}

/// Words of the longest packet of the router's schedule. Only a schedule from a file defines packets, and it
/// carries no others.
fn scheduled_words(
    parts: &Parts,
    router: &AnyRouter,
    entry: &ProcessEntry,
    given: &RawTable<'_>,
) -> Result<Option<u16>, Refusal> {
    let scheduled = names_of(parts, |entry| entry.is_scheduled);
    let allowed = match (router.packets(), entry.is_scheduled) {
        (Some(routes), true) => {
            let longest = routes.iter().map(|route| route.words).max();
            return Ok(Some(longest.unwrap_or(1)));
        }
        (Some(_), false) => {
            format!(
                "{scheduled} with router.scheduled.schedule = \"file\": the file has the packets"
            )
        }
        (None, true) => format!("{scheduled} only with router.scheduled.schedule = \"file\""),
        (None, false) => return Ok(None),
    };
    Err(wrong_process(entry, given, allowed))
}

/// A process that conflicts with the router.
pub(crate) fn wrong_process(
    entry: &ProcessEntry,
    given: &RawTable<'_>,
    allowed: String,
) -> Refusal {
    let refusal = given.conflict("process", allowed);
    match given.has("process") {
        true => refusal,
        false => refusal.found(format!("traffic.process is {:?}, the default", entry.name)),
    }
}

/// Refuses packets that a schedule may not deliver before the last cycle that a run may have. Each worm starts at the
/// latest when all worms before it have been delivered.
fn hold_schedule(
    parts: &Parts,
    run: &Run<'_>,
    traffic: &TrafficParameters,
    given: &RawTable<'_>,
) -> Result<(), Refusal> {
    let Some(k) = traffic.packets_at_once() else {
        let at_once = names_of(parts, |entry| {
            entry.arrivals == Arrivals::AtOnce && !entry.is_scheduled
        });
        let allowed = format!("{at_once}: a schedule is made for packets that exist in cycle 0");
        let entry = &traffic.process.entry();
        return Err(wrong_process(entry, given, allowed));
    };
    let sides = run.topology.grid().map(Grid::sides);
    let sides: u64 = sides.into_iter().flatten().map(u64::from).sum();
    let worm = u64::from(traffic.longest_words()) + sides * u64::from(run.link_latency_cycles);
    let packets = u64::from(k) * u64::from(run.topology.terminals());
    if packets * worm <= u64::from(Cycle::LAST.get()) {
        return Ok(());
    }
    let allowed = format!(
        "packets * (words + hops) up to {} cycles with router.scheduled; here they are {packets} * {worm}",
        Cycle::LAST
    );
    let key = if given.has("k") { "k" } else { "process" };
    Err(given.conflict(key, allowed))
}
