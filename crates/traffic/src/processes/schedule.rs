//! `schedule`: the packets of the router's schedule, which is read from a file, all in cycle 0.

use super::{Arrivals, BernoulliParameters, Destinations, ProcessParameters};
use crate::{AnyProcess, Lengths, ReadContext, RunContext, StaticPacket};
use flitwork_schema::{RawTable, Refusal};

/// What traffic knows about a schedule's packets; the schedule itself belongs to the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleTraffic {
    /// Words of the longest.
    pub longest_words: u16,
}

impl ProcessParameters for ScheduleTraffic {
    const NAME: &'static str = "schedule";
    const HELP: &'static str = "the packets of a schedule from a file";
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const DESTINATIONS: Destinations = Destinations::Process("the schedule sets where packets go");
    const HAS_OWN_LENGTHS: bool = true;
    const IS_SCHEDULED: bool = true;

    fn read(_: &RawTable<'_>, _: &Lengths, context: &ReadContext<'_>) -> Result<Self, Refusal> {
        let longest_words = context.scheduled_words.unwrap_or(1);
        Ok(ScheduleTraffic { longest_words })
    }

    fn problem(&self, context: &RunContext<'_>) -> Option<Vec<StaticPacket>> {
        Some((context.scheduled)())
    }

    fn longest_words(&self, _: u16) -> u16 {
        self.longest_words
    }

    fn may_leave_nodes_untouched(&self, _: bool) -> bool {
        true
    }

    fn scaled_down(&self, _: f64, _: u32) -> AnyProcess {
        BernoulliParameters { load: 0.1 }.into()
    }
}
