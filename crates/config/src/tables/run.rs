//! How long a run is, where its randomness comes from, and which engine runs it: `[run]`.

use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, settings,
};
use flitwork_traffic::{AnyProcess, ProcessEntry, names_of};
use flitwork_types::Cycle;

/// How long a run is, where its randomness comes from, and which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunParameters {
    /// What all random draws come from.
    pub seed: u64,
    /// The engine.
    pub engine: EngineChoice,
    /// Cycles before the measurement; 0 where the traffic isn't open-loop.
    pub warmup_cycles: u32,
    /// Cycles of the measurement, at least 1; 0 where the traffic isn't open-loop.
    pub measure_cycles: u32,
    /// Cycles after the measurement in which its packets may arrive; 0 where the traffic isn't open-loop.
    pub drain_cycles: u32,
    /// Whether nothing more enters the network once the measurement has shown an overload.
    pub stop_at_overload: bool,
    /// The cycle before which the run always ends, at most `Cycle::LAST`: warm-up + measurement + 2 * drain for
    /// open-loop traffic, the configured value otherwise.
    pub deadline_cycles: u32,
}

/// Which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    /// Steps nodes only when something can happen, in the fastest way that the router and the traffic allow.
    Sync,
    /// Steps nodes only when something can happen, word by word.
    SyncStepped,
    /// Steps every node in every cycle: the reference.
    SyncPlain,
    /// Each domain of nodes has its own clock.
    Clocked,
    /// Nodes run concurrently and exchange messages.
    Live,
}

flitwork_schema::named!(EngineChoice {
    Sync = "sync",
    SyncStepped = "sync-stepped",
    SyncPlain = "sync-plain",
    Clocked = "clocked",
    Live = "live",
});

/// Every engine, with a line of help: the fastest, its variants, then those with other clocks.
#[rustfmt::skip]
pub const ENGINES: &[(EngineChoice, &str)] = &[
    (EngineChoice::Sync, "one global clock; skips nodes that have nothing to do: the fastest"),
    (EngineChoice::SyncStepped, "like sync, but moves words one by one"),
    (EngineChoice::SyncPlain, "steps every node in every cycle and moves words one by one: the reference"),
    (EngineChoice::Clocked, "nodes with clocks of their own, as configured in [clocks]"),
    (EngineChoice::Live, "nodes that run concurrently on the host, as configured in [live]"),
];

const MAX_RUN_CYCLES: u64 = Cycle::LAST.get() as u64;
const WARMUP_CYCLES: u32 = 10_000;
const MEASURE_CYCLES: u32 = 50_000;
const DEADLINE_CYCLES: u32 = 100_000_000;

#[rustfmt::skip]
const KEYS: &[Key<RunParameters>] = &[
    key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX), "1", "the seed of all random draws"),
    key("engine", |it| &mut it.engine, Allowed::Choice(EngineChoice::NAMES), "\"sync\"", "the fast engine, the same word by word, or the plain reference, all three with the same results; one in which nodes have clocks of their own; or one in which nodes run concurrently on the host"),
    key("warmup_cycles", |it| &mut it.warmup_cycles, Allowed::Whole(0, MAX_RUN_CYCLES), "10000", "cycles before the measurement; open-loop traffic only"),
    key("measure_cycles", |it| &mut it.measure_cycles, Allowed::Whole(1, MAX_RUN_CYCLES), "50000", "cycles of the measurement; open-loop traffic only"),
    key("drain_cycles", |it| &mut it.drain_cycles, Allowed::Whole(0, MAX_RUN_CYCLES / 2), "10 * (warmup_cycles + measure_cycles), or less where the run would be too long", "cycles after the measurement in which its packets may arrive; open-loop traffic only; warmup_cycles + measure_cycles + 2 * drain_cycles is at most 4000000000"),
    key("stop_at_overload", |it| &mut it.stop_at_overload, Allowed::Truth, "false; true in sweeps, searches, comparisons and studies", "whether to stop injection once the measurement has shown an overload: packets that wait in the sources by then are left there instead of drained; open-loop traffic only, not on the live engine"),
    key("deadline_cycles", |it| &mut it.deadline_cycles, Allowed::Whole(1, MAX_RUN_CYCLES), "100000000; of a trace after its last packet's own cycle, where that is known before the run", "the cycle before which the run ends, whatever is still under way; not with open-loop traffic"),
];

/// The table.
pub(crate) fn table() -> Entry {
    let meaning = "how long, from which seed, by which engine";
    Entry::table("run", "all defaults", meaning, entries(KEYS))
}

/// The keys that only open-loop traffic reads.
const OF_OPEN: &[&str] = &[
    "warmup_cycles",
    "measure_cycles",
    "drain_cycles",
    "stop_at_overload",
];
const OF_CLOSED: &[&str] = &["deadline_cycles"];

impl RunParameters {
    /// The given values, for traffic of a process.
    ///
    /// # Errors
    /// A conflict for keys that the traffic doesn't read, for a run that is too long, and for a live run
    /// that is to stop at an overload.
    pub(crate) fn read(
        given: &RawTable<'_>,
        process: &ProcessEntry,
        parts: &Parts,
    ) -> Result<RunParameters, Refusal> {
        let is_open_loop = process.arrivals.is_open_loop();
        let others = names_of(parts, |it| it.arrivals.is_open_loop() != is_open_loop);
        let mut run = RunParameters {
            seed: 1,
            engine: EngineChoice::Sync,
            warmup_cycles: 0,
            measure_cycles: 0,
            drain_cycles: 0,
            stop_at_overload: false,
            deadline_cycles: DEADLINE_CYCLES,
        };
        if !is_open_loop {
            refuse_unread(given, OF_OPEN, &others)?;
            given.set(KEYS, &mut run);
            return Ok(run);
        }
        refuse_unread(given, OF_CLOSED, &others)?;
        (run.warmup_cycles, run.measure_cycles) = (WARMUP_CYCLES, MEASURE_CYCLES);
        given.set(KEYS, &mut run);
        run.hold_phases(given)?;
        // An overload shows in what all nodes have done by a cycle, which isn't known during a live run.
        if run.stop_at_overload && run.engine == EngineChoice::Live {
            return Err(given.conflict("stop_at_overload", "false on the live engine"));
        }
        Ok(run)
    }

    /// Sets the drain's default, and the deadline that follows from warm-up, measurement and drain.
    fn hold_phases(&mut self, given: &RawTable<'_>) -> Result<(), Refusal> {
        let (warmup, measure) = (self.warmup_cycles, self.measure_cycles);
        let before = u64::from(warmup) + u64::from(measure);
        if !given.has("drain_cycles") {
            let room = MAX_RUN_CYCLES.saturating_sub(before) / 2;
            // At most half of LAST, which 32 bits hold.
            self.drain_cycles = (10 * before).min(room) as u32;
        }
        let drain = self.drain_cycles;
        let total = before + 2 * u64::from(drain);
        if let Ok(deadline) = u32::try_from(total)
            && total <= MAX_RUN_CYCLES
        {
            self.deadline_cycles = deadline;
            return Ok(());
        }
        let phases = [
            ("drain_cycles", drain),
            ("measure_cycles", measure),
            ("warmup_cycles", warmup),
        ];
        let phases = phases.into_iter().filter(|(key, _)| given.has(key));
        // The longest of the given phases.
        let longest = phases.max_by_key(|(_, cycles)| *cycles);
        let (key, _) = longest.expect("the default phases of a run fit");
        let allowed = format!(
            "warmup_cycles + measure_cycles + 2 * drain_cycles up to {MAX_RUN_CYCLES}; they are {warmup} + {measure} + 2 * {drain} = {total}"
        );
        Err(given.conflict(key, allowed))
    }

    /// Unless a deadline is given, a trace has the default deadline after the cycle of its last packet.
    pub(crate) fn hold_last_cycle(&mut self, given: &RawTable<'_>, process: &AnyProcess) {
        if let Some(last) = process.last_cycle()
            && !given.has("deadline_cycles")
        {
            let deadline = last + self.deadline_cycles;
            self.deadline_cycles = deadline.min(Cycle::LAST).get();
        }
    }

    /// The values of the keys that give it, for open-loop or other traffic.
    pub(crate) fn settings(&self, is_open_loop: bool) -> Vec<(&'static str, Datum)> {
        let unread = if is_open_loop { OF_CLOSED } else { OF_OPEN };
        let mut all = settings(KEYS, self);
        all.retain(|(key, _)| !unread.contains(key));
        all
    }
}

/// Refuses the first given key that only other processes read.
fn refuse_unread(given: &RawTable<'_>, keys: &[&str], readers: &str) -> Result<(), Refusal> {
    match keys.iter().find(|key| given.has(key)) {
        None => Ok(()),
        Some(key) => {
            let allowed = format!("only with traffic.process = {readers}");
            let refusal = given.conflict(key, allowed);
            Err(refusal.decided_by(vec!["traffic.process".to_owned()]))
        }
    }
}
