//! Admits runs that fit into memory.

use super::{Beside, Free, PROGRAM_BYTES, bound_bytes, free, need};
use bytesize::ByteSize;
use flitwork_config::{EngineChoice, Resolved};
use std::fmt;
use std::sync::OnceLock;

/// Bytes that a thread reserves for its stack.
const STACK_BYTES: u64 = 2 << 20;

/// Bytes that the user allows the whole process, instead of what the host has free.
static ASKED: OnceLock<u64> = OnceLock::new();

/// Sets the free memory from now on, whatever the host has. Only the first call counts.
pub fn limit_to(bytes: u64) {
    let _ = ASKED.set(bytes);
}

/// A run needs more memory than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    /// Bytes that it needs.
    pub needs: u64,
    /// Whether it takes several concurrent runs to need that much.
    pub together: bool,
    /// The memory that there is.
    pub free: Free,
    /// What could be made smaller.
    pub keys: Vec<String>,
    /// What the run keeps beside its figures and could do without.
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
            "{what} about {needs} of memory, but only {free} is free {}",
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
        write!(
            f,
            "; --memory SIZE sets the limit, whatever the host has free"
        )
    }
}

impl std::error::Error for TooMuch {}

fn limit() -> Option<Free> {
    let asked = ASKED.get().map(|bytes| Free {
        bytes: *bytes,
        limit: "under --memory",
        counts_reserved: false,
    });
    asked.or_else(free)
}

/// Checks that there is memory for a run, or for several like it at once; `runs` is 2.5 if all of them together need
/// as much as two and a half like this one. Nothing else may run in this process meanwhile.
///
/// # Errors
/// If there is not, with figures.
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
        EngineChoice::Live => resolved.live.workers as u64,
        _ => 1,
    };
    admit_to(limit(), resolved, beside, (1.0, threads))
}

/// Runs that together need as much as a given number like this one, on a given number of threads.
fn admit_to(
    free: Option<Free>,
    resolved: &Resolved,
    beside: Beside,
    (runs, threads): (f64, u64),
) -> Result<(), TooMuch> {
    let Some(free) = free else {
        return Ok(());
    };
    let counts_reserved = u64::from(free.counts_reserved);
    let stacks = counts_reserved * threads * STACK_BYTES;
    // Threads reserve address space, too.
    let ample = free.bytes / (1 + counts_reserved);
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
    // Without room for the stacks there is none to measure in.
    if stacks > free.bytes {
        return Err(too_much(stacks.saturating_add(PROGRAM_BYTES)));
    }
    let need = need(resolved, beside);
    let needs = need.bytes + counts_reserved * need.untouched_bytes;
    let needs = of_several(needs, runs).saturating_add(stacks);
    match needs <= free.bytes {
        true => Ok(()),
        false => Err(too_much(needs)),
    }
}

/// Checks that this many bytes are free; `keys` decide how many are needed.
///
/// # Errors
/// If there are not.
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

/// Concurrent runs: what the heaviest of them need together.
#[derive(Clone, Debug)]
pub struct Together {
    at_a_time: usize,
    /// The free memory before any of them, and any thread that examines them, began.
    free: Option<Free>,
    /// The bounds of the heaviest, as many as run at once, ascending.
    bounds: Vec<u64>,
    /// The one that is measured, with its number.
    heaviest: Option<(u32, Box<Resolved>)>,
}

impl Together {
    /// A given number of concurrent runs, at least one.
    pub fn new(at_a_time: usize) -> Together {
        Together {
            at_a_time: at_a_time.max(1),
            free: limit(),
            bounds: Vec::new(),
            heaviest: None,
        }
    }

    /// Adds the run of this number. Of several with the highest bound the one with the lowest number is
    /// measured, in whatever order threads add them.
    pub fn add(&mut self, number: u32, resolved: &Resolved) {
        let bound = bound_bytes(resolved, Beside::default());
        let is_heavier = match (&self.heaviest, self.bounds.last()) {
            (Some((first, _)), Some(most)) => bound > *most || (bound == *most && number < *first),
            _ => true,
        };
        if is_heavier {
            self.heaviest = Some((number, Box::new(resolved.clone())));
        }
        let place = self.bounds.partition_point(|other| *other < bound);
        self.bounds.insert(place, bound);
        if self.bounds.len() > self.at_a_time {
            self.bounds.remove(0);
        }
    }

    /// Checks that there is memory for those that may run at the same time.
    ///
    /// # Errors
    /// If there is not.
    pub fn admit(&self) -> Result<(), TooMuch> {
        let (Some((_, heaviest)), Some(most)) = (&self.heaviest, self.bounds.last()) else {
            return Ok(());
        };
        let all: f64 = self.bounds.iter().map(|bound| *bound as f64).sum();
        let runs = (all / *most as f64, self.bounds.len() as u64);
        admit_to(self.free, heaviest, Beside::default(), runs)
    }
}

/// The program itself counts once.
fn of_several(bytes: u64, runs: f64) -> u64 {
    PROGRAM_BYTES + (bytes.saturating_sub(PROGRAM_BYTES) as f64 * runs) as u64
}

/// The keys on which the need depends most.
fn keys(resolved: &Resolved) -> Vec<String> {
    let mut keys = vec!["network.sides".to_owned()];
    let router = resolved.router.name();
    let own = resolved.router.facts().memory_keys.iter();
    keys.extend(own.map(|key| format!("router.{router}.{key}")));
    keys.extend(resolved.traffic.process.memory_key().map(str::to_owned));
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

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_config::resolve;
    use std::path::Path;

    /// Runs that differ only in their load have the same bound but different needs: which of them is measured must not
    /// depend on which thread comes first.
    #[test]
    fn the_order_in_which_runs_are_added_does_not_matter() {
        let of = |load: &str| {
            let text = format!(
                "[network]\ntopology = \"mesh\"\nsides = [8, 8]\n[router.chaos]\n[traffic]\nload = {load}\n[run]\nmeasure_cycles = 100"
            );
            resolve(&text, "test", Path::new("."), &[]).unwrap()
        };
        let runs = [(0, of("0.1")), (1, of("0.2")), (2, of("0.3"))];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let mut together = Together::new(2);
            order
                .iter()
                .for_each(|run: &usize| together.add(runs[*run].0, &runs[*run].1));
            let (number, heaviest) = together.heaviest.unwrap();
            assert_eq!(
                (number, heaviest.to_toml()),
                (0, runs[0].1.to_toml()),
                "{order:?}"
            );
        }
    }

    /// What a refusal names to be made smaller is what takes room on a link: with clocks the words that it holds, in a live
    /// run the messages of its channel, and otherwise, on a long link, the words under way.
    #[test]
    fn a_refusal_names_what_takes_room_on_a_link() {
        let of = |engine: &str| {
            let text = format!(
                "[network]\ntopology = \"mesh\"\nsides = [8, 8]\nlink_latency_cycles = 9\n[router.chaos]\n[traffic]\nload = 0.1\n[run]\nmeasure_cycles = 100\nengine = \"{engine}\""
            );
            resolve(&text, "test", Path::new("."), &[]).unwrap()
        };
        type Enlarge = fn(&mut Resolved);
        let more: [(&str, Enlarge); 3] = [
            ("network.link_capacity_words", |it| {
                it.network.links.capacity_words += 1000;
            }),
            ("network.link_latency_cycles", |it| {
                it.network.link_latency_cycles += 1000;
            }),
            ("live.channel_capacity", |it| {
                it.live.channel_capacity += 1000;
            }),
        ];
        for (engine, takes_room) in [
            ("sync", "network.link_latency_cycles"),
            ("clocked", "network.link_capacity_words"),
            ("live", "live.channel_capacity"),
        ] {
            let resolved = of(engine);
            let bound = bound_bytes(&resolved, Beside::default());
            let named = keys(&resolved);
            for (key, enlarge) in more {
                let mut larger = resolved.clone();
                enlarge(&mut larger);
                let grows = bound_bytes(&larger, Beside::default()) > bound;
                assert_eq!(grows, key == takes_room, "{engine}: {key}");
                let is_named = named.iter().any(|it| it == key);
                assert_eq!(is_named, grows, "{engine}: {key} of {named:?}");
            }
        }
    }
}
