//! What may run and what may not.

use super::{Beside, Free, Need, PROGRAM_BYTES, bound_bytes, free, need};
use bytesize::ByteSize;
use flitwork_config::{EngineChoice, Resolved};
use std::fmt;
use std::sync::OnceLock;

/// What a thread reserves for its stack, in bytes.
const STACK_BYTES: u64 = 2 << 20;

/// What the user allows in the place of what the host has free, in bytes; for the whole process.
static ASKED: OnceLock<u64> = OnceLock::new();

/// From now on so much counts as free, whatever the host has. Only the first call counts.
pub fn limit_to(bytes: u64) {
    let _ = ASKED.set(bytes);
}

/// More than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    /// What would be needed, in bytes.
    pub needs: u64,
    /// Whether several runs at a time make it so much.
    pub together: bool,
    /// What there is.
    pub free: Free,
    /// What could be made smaller.
    pub keys: Vec<String>,
    /// What is kept beside a run's figures, and needn't be.
    pub beside: Beside,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.together {
            true => "runs at a time need",
            false => "the run needs",
        };
        let free = ByteSize(self.free.bytes).display().si();
        let needs = ByteSize(self.needs).display().si();
        write!(
            f,
            "{what} about {needs} of memory, and {free} is free {}",
            self.free.limit
        )?;
        write!(
            f,
            "\n  allowed: a smaller {}",
            self.keys.join(", a smaller ")
        )?;
        if self.beside.every_cycles.is_some() {
            write!(f, ", a larger --every")?;
        }
        if self.beside.packets.is_some() {
            write!(f, ", no --packets")?;
        }
        if self.together {
            write!(f, ", fewer --jobs")?;
        }
        write!(f, "; --memory SIZE allows so much, whatever the host has")
    }
}

impl std::error::Error for TooMuch {}

fn limit() -> Option<Free> {
    let asked = ASKED.get().map(|bytes| Free {
        bytes: *bytes,
        limit: "by --memory",
        counts_reserved: false,
    });
    asked.or_else(free)
}

/// Sees that there is memory for a run, or for several like it at a time: 2.5 where two and a half would need
/// as much as all together. Nothing else may run in this process meanwhile.
///
/// # Errors
/// Where there isn't, with figures.
pub fn admit(resolved: &Resolved, runs: f64) -> Result<(), TooMuch> {
    let threads = runs.ceil() as u64;
    admit_to(limit(), resolved, Beside::default(), (runs, threads))
}

/// The same for one run, and for what is kept beside its figures.
///
/// # Errors
/// As [`admit`].
pub fn admit_with(resolved: &Resolved, beside: Beside) -> Result<(), TooMuch> {
    let threads = match resolved.run.engine {
        EngineChoice::Live => resolved.live.workers.into(),
        _ => 1,
    };
    admit_to(limit(), resolved, beside, (1.0, threads))
}

/// Runs that need as much as so many like this one, on so many threads.
fn admit_to(
    free: Option<Free>,
    resolved: &Resolved,
    beside: Beside,
    (runs, threads): (f64, u64),
) -> Result<(), TooMuch> {
    let Some(free) = free else {
        return Ok(());
    };
    let stacks = match free.counts_reserved {
        true => threads * STACK_BYTES,
        false => 0,
    };
    // An address space is also filled by what threads reserve for themselves.
    let ample = if free.counts_reserved {
        free.bytes / 2
    } else {
        free.bytes
    };
    let bound = of_several(bound_bytes(resolved, beside), runs);
    if bound.saturating_add(stacks) <= ample {
        return Ok(());
    }
    let too_much = |needs| TooMuch {
        needs,
        together: runs > 1.0,
        free,
        keys: keys(resolved),
        beside,
    };
    // Where there is no room for the stacks, there is none to measure in.
    if stacks > free.bytes {
        return Err(too_much(stacks.saturating_add(PROGRAM_BYTES)));
    }
    let Need {
        bytes,
        untouched_bytes,
    } = need(resolved, beside);
    let reserved = if free.counts_reserved {
        untouched_bytes
    } else {
        0
    };
    let needs = of_several(bytes + reserved, runs).saturating_add(stacks);
    if needs <= free.bytes {
        return Ok(());
    }
    Err(too_much(needs))
}

/// Sees that there are so many bytes, which `keys` decide.
///
/// # Errors
/// Where there aren't.
pub fn admit_bytes(needs: u64, keys: &[&str]) -> Result<(), TooMuch> {
    match limit() {
        Some(free) if needs > free.bytes => Err(TooMuch {
            needs,
            together: false,
            free,
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            beside: Beside::default(),
        }),
        _ => Ok(()),
    }
}

/// Runs of which several are under way at a time: what the heaviest of them need together.
#[derive(Clone, Debug)]
pub struct Together {
    at_a_time: usize,
    /// What was free before any of them began, and before the threads that look at them did.
    free: Option<Free>,
    /// The bounds of the heaviest, as many as run at a time, ascending.
    bounds: Vec<u64>,
    heaviest: Option<Box<Resolved>>,
}

impl Together {
    /// So many at a time, at least one.
    pub fn new(at_a_time: usize) -> Together {
        Together {
            at_a_time: at_a_time.max(1),
            free: limit(),
            bounds: Vec::new(),
            heaviest: None,
        }
    }

    /// Adds a run.
    pub fn add(&mut self, resolved: &Resolved) {
        let bound = bound_bytes(resolved, Beside::default());
        if self.bounds.last().is_none_or(|most| bound > *most) {
            self.heaviest = Some(Box::new(resolved.clone()));
        }
        let place = self.bounds.partition_point(|other| *other < bound);
        self.bounds.insert(place, bound);
        if self.bounds.len() > self.at_a_time {
            self.bounds.remove(0);
        }
    }

    /// Sees that there is memory for those that may run at the same time.
    ///
    /// # Errors
    /// Where there isn't.
    pub fn admit(&self) -> Result<(), TooMuch> {
        let (Some(heaviest), Some(most)) = (&self.heaviest, self.bounds.last()) else {
            return Ok(());
        };
        let all: f64 = self.bounds.iter().map(|bound| *bound as f64).sum();
        let runs = (all / *most as f64, self.bounds.len() as u64);
        admit_to(self.free, heaviest, Beside::default(), runs)
    }
}

/// The program is there once.
fn of_several(bytes: u64, runs: f64) -> u64 {
    PROGRAM_BYTES + (bytes.saturating_sub(PROGRAM_BYTES) as f64 * runs) as u64
}

/// The keys on which it depends most.
fn keys(resolved: &Resolved) -> Vec<String> {
    let mut keys = vec!["network.sides".to_owned()];
    let router = resolved.router.name();
    let own = resolved.router.facts().memory_keys.iter();
    keys.extend(own.map(|key| format!("router.{router}.{key}")));
    keys.extend(resolved.traffic.process.heavy_key().map(str::to_owned));
    match resolved.run.engine {
        EngineChoice::Live => {
            keys.extend(["live.channel_capacity", "live.workers"].map(str::to_owned));
        }
        EngineChoice::Clocked => keys.push("network.link_capacity_words".into()),
        _ if resolved.network.link_latency_cycles > 8 => {
            keys.push("network.link_latency_cycles".into());
        }
        _ => {}
    }
    keys
}
