//! `[live]`.

use super::{conflict, or};
use crate::config::error::ConfigError;
use crate::config::keys::MAX_CHANNEL_MESSAGES;
use crate::config::resolved::{LiveParameters, RuntimeChoice};
use crate::config::source::Source;
use crate::config::written::{NoSlack, WrittenLive, WrittenRuntime, WrittenSlack};

pub(super) fn mean(
    source: &Source<'_>,
    link_latency_cycles: u32,
    written: &WrittenLive,
) -> Result<LiveParameters, ConfigError> {
    let usual = LiveParameters::new(link_latency_cycles);
    let runtime = match &written.runtime {
        None => usual.runtime,
        Some(given) => match given.get_ref() {
            WrittenRuntime::Threads => RuntimeChoice::Threads,
            WrittenRuntime::Tokio => RuntimeChoice::Tokio,
        },
    };
    let slack = match &written.slack {
        None => usual.slack,
        Some(given) => match given.get_ref() {
            WrittenSlack::Cycles(cycles) => Some(*cycles),
            WrittenSlack::Named(NoSlack::None) => None,
        },
    };
    // A node may send a message in each cycle, and the far end takes the first one a latency later.
    let least = link_latency_cycles + 1;
    if let Some(given) = &written.channel_capacity
        && *given.get_ref() < least
    {
        let allowed = format!("{least} to {MAX_CHANNEL_MESSAGES}: link_latency_cycles + 1 or more");
        let key = "live.channel_capacity";
        return Err(conflict(source, &given.span(), key, allowed));
    }
    Ok(LiveParameters {
        runtime,
        slack,
        workers: or(&written.workers, usual.workers),
        channel_capacity: or(&written.channel_capacity, usual.channel_capacity),
        burst_cycles: or(&written.burst_cycles, runtime.usual_burst_cycles()),
        pinning: or(&written.pinning, usual.pinning),
    })
}
