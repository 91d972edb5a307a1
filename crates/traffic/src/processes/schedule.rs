//! `schedule`: in cycle 0 the packets of the router's schedule, which is from a file.

use super::{Arrivals, BernoulliParameters, Destinations, ProcessEntry, ProcessParameters};
use crate::{AnyProcess, Around, Lengths, Once, ReadySources, Site};
use flitwork_schema::{Datum, Entry, Given, Parts, Refusal};

/// What is known of a schedule's packets; the schedule itself is the router's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleTraffic {
    /// Words of the longest.
    pub longest_words: u16,
}

pub(super) const ENTRY: ProcessEntry = ProcessEntry::of::<ScheduleTraffic>();

impl ProcessParameters for ScheduleTraffic {
    const NAME: &'static str = "schedule";
    const HELP: &'static str = "the packets of a schedule from a file, for worms that never stop";
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const DESTINATIONS: Destinations = Destinations::Process("its packets go to random nodes");
    const HAS_OWN_LENGTHS: bool = true;
    const IS_SCHEDULED: bool = true;

    fn keys(_: &Parts) -> Vec<Entry> {
        Vec::new()
    }

    fn read(_: &Given<'_>, _: &Lengths, around: &Around<'_>) -> Result<Self, Refusal> {
        let longest_words = around.scheduled_words.unwrap_or(1);
        Ok(ScheduleTraffic { longest_words })
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        Vec::new()
    }

    fn sources(&self, site: &Site<'_>) -> ReadySources {
        Once::of_packets((site.scheduled)()).into()
    }

    fn packet_words(&self, _: Option<u16>) -> Option<u16> {
        None
    }

    fn longest_words(&self, _: u16) -> u16 {
        self.longest_words
    }

    fn leaves_nodes_alone(&self, _: bool) -> bool {
        true
    }

    fn small(&self, _: f64, _: u32) -> AnyProcess {
        BernoulliParameters { load: 0.1 }.into()
    }
}
