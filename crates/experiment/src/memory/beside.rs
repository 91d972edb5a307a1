//! Memory for what a run keeps beside its figures.

use crate::extras::Extras;
use crate::intervals::{INTERVAL_BYTES, Intervals, MOST_INTERVALS, OVER_TIME_BYTES};
use crate::packets::{PacketFile, held_bytes};
use crate::window::last_cycle;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_report::Format;

/// What a run keeps beside its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// A file of its packets.
    pub packets: Option<Format>,
    /// Intervals of this many cycles.
    pub every_cycles: Option<u32>,
}

impl Beside {
    /// Bytes that do not depend on the nodes: rows held until they are written, and intervals.
    pub(super) fn bytes(self, resolved: &Resolved) -> u64 {
        let packets = self.packets.as_ref().map_or(0, held_bytes);
        let every = self.every_cycles.filter(|every| *every > 0);
        let intervals = every.map_or(0, |every| last_cycle(resolved).get() / every + 1);
        let intervals = u64::from(intervals.min(MOST_INTERVALS));
        // Each worker of a live run keeps its own.
        let keepers = match resolved.run.engine {
            EngineChoice::Live => resolved.live.workers as u64,
            _ => 1,
        };
        packets + intervals * (keepers * INTERVAL_BYTES + OVER_TIME_BYTES)
    }

    /// Probes that take as much memory as those of the run will for packets in the network.
    pub(super) fn trial_probes(self, small: &Resolved) -> (Option<PacketFile>, Extras) {
        let file = self.packets.and_then(|_| PacketFile::nowhere().ok());
        let shape = &small.network.shape;
        let extras = Extras {
            packets: file.as_ref().map(PacketFile::reporter),
            // Few: the whole run's cycles count them already.
            intervals: self.every_cycles.map(|_| Intervals::new(shape, u32::MAX)),
            index: None,
            is_trial: true,
        };
        (file, extras)
    }
}
