//! What is found out about a run in the background: its strip, the rows of its packets, their latencies.

use crate::background::{Background, Ending, locked};
use crate::run::{Run, Use};
use crate::worker::Worker;
use flitwork_debug::heat::Counting;
use flitwork_debug::rows::PacketRow;
use flitwork_debug::strip::{Strip, Survey};
use flitwork_types::PacketId;
use serde::Serialize;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the strip is published while it grows.
const EVERY: Duration = Duration::from_millis(50);

/// Copies of the run are handed to whoever scrubs: each comes later than the one before by this part of its time, so that
/// from one of them it is never far to anywhere.
const COPIES_PART: u64 = 32;

/// The rows of a run's packets.
#[derive(Clone, Debug, Default)]
pub enum Packets {
    /// They aren't known yet; the run has come to this cycle.
    #[default]
    Waiting,
    /// The run is made for them, and has come to this cycle.
    Coming(u64),
    /// They are known.
    Known(Arc<Rows>),
    /// The host has failed.
    Failed(String),
}

/// Rows of packets.
#[derive(Debug, Default)]
pub struct Rows {
    /// In the order of their delivery.
    pub all: Vec<PacketRow>,
    /// The delivered ones among them, the slowest first and those of one latency in their order, as far as
    /// [`Rows::SLOWEST`].
    pub slowest: Vec<usize>,
    /// Their latencies.
    pub latencies: Latencies,
}

/// How many packets took how long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latencies {
    /// The width of a bin, in cycles.
    pub width: u64,
    /// How many packets took less than (i + 1) widths, and at least i.
    pub bins: Vec<u64>,
    /// How many were delivered.
    pub delivered: u64,
    /// Half, 90, 99 and 99.9 % took at most so many cycles.
    pub quantiles: [u64; 4],
    /// The longest, in cycles.
    pub longest: u64,
}

impl Rows {
    /// How many of the slowest are listed at most.
    pub const SLOWEST: usize = 1000;

    /// From rows in the order of their delivery.
    pub fn new(all: Vec<PacketRow>) -> Rows {
        let mut delivered: Vec<usize> = (0..all.len())
            .filter(|place| all[*place].latency.is_some() && all[*place].delivered.is_some())
            .collect();
        delivered.sort_by_key(|place| (Reverse(all[*place].latency), *place));
        let latencies = delivered.iter().rev().filter_map(|it| all[*it].latency);
        let latencies = Latencies::of(&latencies.collect::<Vec<u64>>());
        delivered.truncate(Rows::SLOWEST);
        Rows {
            all,
            slowest: delivered,
            latencies,
        }
    }

    /// The row of a packet.
    pub fn of(&self, packet: PacketId) -> Option<&PacketRow> {
        self.all.iter().find(|row| row.packet() == Some(packet))
    }
}

impl Latencies {
    /// About how many bins there are.
    const BINS: u64 = 100;

    /// Of latencies in their order.
    fn of(sorted: &[u64]) -> Latencies {
        let Some(longest) = sorted.last().copied() else {
            return Latencies::default();
        };
        let width = round_up(longest / Latencies::BINS + 1);
        let mut bins = vec![0; (longest / width) as usize + 1];
        for latency in sorted {
            bins[(latency / width) as usize] += 1;
        }
        let count = sorted.len() as u64;
        // The least that so many of a thousand don't exceed.
        let quantile =
            |of_1000: u64| sorted[((count * of_1000).div_ceil(1000).max(1) - 1) as usize];
        Latencies {
            width,
            bins,
            delivered: count,
            quantiles: [500, 900, 990, 999].map(quantile),
            longest,
        }
    }
}

/// The next of 1, 2, 5, 10, 20, 50, …
fn round_up(least: u64) -> u64 {
    let mut decade = 1u64;
    loop {
        for step in [1, 2, 5] {
            if step * decade >= least || decade > u64::MAX / 100 {
                return step * decade;
            }
        }
        decade *= 10;
    }
}

#[derive(Default)]
struct Board {
    strip: Mutex<Option<Strip>>,
    packets: Mutex<Packets>,
}

/// A thread that goes through a run, and what it has found so far.
pub struct Surveyed {
    board: Arc<Board>,
    _thread: Background,
}

impl Surveyed {
    /// Begins. Copies of the run are handed to a worker whose timeline counts.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub fn begin(run: Arc<Run>, scrubbing: Arc<Worker>) -> std::io::Result<Surveyed> {
        let board = Arc::new(Board::default());
        let found = board.clone();
        let thread = Background::begin("survey", move |ending| {
            survey(&run, &scrubbing, &found, ending);
            list_packets(&run, &found, ending);
        })?;
        Ok(Surveyed {
            board,
            _thread: thread,
        })
    }

    /// The strip as far as it is known.
    pub fn strip(&self) -> Option<Strip> {
        locked(&self.board.strip).clone()
    }

    /// The rows of packets, if they are known.
    pub fn packets(&self) -> Packets {
        locked(&self.board.packets).clone()
    }
}

/// Makes the strip.
fn survey(run: &Run, scrubbing: &Worker, board: &Board, ending: &Ending) {
    let probe = Survey::probe(Counting::new(&run.shape, run.words_travel_alone));
    let simulation = run.repeats.begin(Use::Events, probe);
    let mut survey = Survey::new(simulation, run.end, run.cycle_time);
    let mut published = Instant::now();
    let is_under_way = Arc::new(AtomicBool::new(false));
    let mut next_copy = survey.strip().bucket_time * COPIES_PART;
    while !survey.is_over() && !ending.is_asked() {
        survey.go_on();
        let until = survey.strip().until;
        if until >= next_copy {
            next_copy = until + (until / COPIES_PART).max(survey.strip().bucket_time);
            // While the last one waits, its memory is nobody's.
            if !is_under_way.swap(true, Ordering::Relaxed) {
                let copy = survey.copy();
                let taken = is_under_way.clone();
                let is_told = scrubbing.tell(move |timeline| {
                    timeline.adopt(copy);
                    taken.store(false, Ordering::Relaxed);
                });
                if !is_told {
                    is_under_way.store(false, Ordering::Relaxed);
                }
            }
        }
        if published.elapsed() >= EVERY || survey.is_over() {
            published = Instant::now();
            *locked(&board.strip) = Some(survey.strip().clone());
        }
    }
}

/// Makes the rows of packets.
fn list_packets(run: &Run, board: &Board, ending: &Ending) {
    let go_on = &mut |cycle| {
        *locked(&board.packets) = Packets::Coming(cycle);
        !ending.is_asked()
    };
    let found = match run.repeats.packets(go_on) {
        Ok(Some(rows)) => Packets::Known(Arc::new(Rows::new(rows))),
        Ok(None) => return,
        Err(error) => Packets::Failed(error),
    };
    *locked(&board.packets) = found;
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::Cycle;

    /// Rows of packets that were delivered one a cycle, after these latencies.
    fn delivered(latencies: &[u64]) -> Rows {
        let rows = (0..).zip(latencies).map(|(cycle, latency)| PacketRow {
            delivered: Some(Cycle(cycle)),
            latency: Some(*latency),
            ..PacketRow::default()
        });
        Rows::new(rows.collect())
    }

    #[test]
    fn of_equally_slow_packets_the_first_are_listed() {
        assert_eq!(delivered(&[3, 7, 3, 7, 5]).slowest, [1, 3, 4, 0, 2]);
        // As many as are listed, and then a slower one: the last of the others, at place 999, is not.
        let mut latencies = vec![5; Rows::SLOWEST];
        latencies.push(9);
        let listed: Vec<usize> = std::iter::once(1000).chain(0..999).collect();
        assert_eq!(delivered(&latencies).slowest, listed);
    }

    #[test]
    fn latencies_are_counted_in_bins_of_round_widths() {
        let found = Latencies::of(&[1, 2, 2, 3, 10, 999]);
        // 999 / 100 + 1 = 10: bins of 10 cycles, the last from 990 on.
        assert_eq!((found.width, found.bins.len()), (10, 100));
        assert_eq!((found.bins[0], found.bins[1], found.bins[99]), (4, 1, 1));
        // The third of six is the least that half of them don't exceed.
        assert_eq!(found.quantiles, [2, 999, 999, 999]);
        assert_eq!(found.longest, 999);
        assert_eq!(Latencies::of(&[]), Latencies::default());
        assert_eq!([1, 3, 7, 11, 21].map(round_up), [1, 5, 10, 20, 50]);
    }
}
