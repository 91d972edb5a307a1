//! How many words links hold: by default, and at least.

use super::crossings::{CROSSINGS, CrossingRule};
use crate::clocks::ClockParameters;
use crate::delay_draws::Delays;
use crate::pace::Pace;
use flitwork_network::{Clocks, LinkTiming};
use flitwork_schema::{MistakeKind, RawTable, Refusal};
use flitwork_topology::{Shape, Topology};
use std::ops::Range;

/// The most words that a link may hold.
pub(super) const MAX_LINK_WORDS: u64 = 65_535;

/// What the links' timing depends on.
pub(crate) struct Timing<'a> {
    /// The words that a node may send before a credit has to come back; `None` where words never wait.
    pub(crate) credit_words: Option<u32>,
    /// The nominal period, in ps.
    pub(crate) period_ps: u64,
    /// How fast and how slowly nodes step.
    pub(crate) pace: Pace,
    /// The clocks and the seed that latencies of single links are drawn from; none if `None`.
    pub(crate) drawn: Option<(&'a ClockParameters, u64)>,
    /// The place of `[clocks]`.
    pub(crate) clocks: Option<Range<usize>>,
}

impl Timing<'_> {
    /// Links of wires whose latency is that in cycles of the nominal period, with the capacity that they need.
    pub(super) fn wires(&self, shape: &Shape, latency_cycles: u32, edges: u32) -> LinkTiming {
        let latency_ps = u64::from(latency_cycles) * self.period_ps;
        let mut links = LinkTiming::wires(latency_ps, 1, edges);
        (links.capacity_words, _) = self.capacity_words(shape, &links);
        links
    }

    /// The words that links hold by default, and the least that they must hold if nodes may wait for each other.
    fn capacity_words(&self, shape: &Shape, links: &LinkTiming) -> (u32, u64) {
        // A link's own cycles are nominal periods. A link takes at least one cycle, so this is the longest of those
        // with a latency of their own.
        let longest_ps = match shape.has_own_latencies() {
            true => {
                let own_ps = u64::from(*shape.latencies(1).end()) * self.period_ps;
                links.latency_ps.max(own_ps)
            }
            false => links.latency_ps,
        };
        let drawn = self.drawn.and_then(|(clocks, seed)| {
            let delays = Delays::of(clocks, shape, seed);
            delays.longest_latency_ps(links.latency_ps)
        });
        let longest_ps = drawn.unwrap_or(longest_ps);
        // What a crossing hides besides edges: a margin, or what comes while a pausible clock waits.
        let hidden = links.crossings().map(|crossing| {
            let pause_ps = crossing.pause.map_or(0, |pause| pause.longest_ps());
            crossing.margin_ps.saturating_add(pause_ps)
        });
        let longest_ps = longest_ps.saturating_add(hidden.max().unwrap_or(0));
        // Where credits limit what is under way, more room than that is of no use while a clock is gated.
        let pace = match self.credit_words {
            Some(_) => self.pace.ungated(),
            None => self.pace,
        };
        let round_trip_words = pace.round_trip_words(longest_ps, links.most_edges());
        // The words that may be sent before a credit is needed, or those of a round trip if these are more.
        let least = u64::from(self.credit_words.unwrap_or(1)).min(MAX_LINK_WORDS);
        // The keys' table allows no more, which 32 bits hold.
        let usual = round_trip_words.clamp(least, MAX_LINK_WORDS) as u32;
        (usual, round_trip_words)
    }
}

/// The same of links over which words are handed over, as `clocks` has them.
pub(crate) fn handed_over_words(credit_words: Option<u32>, clocks: &Clocks) -> (u32, u64) {
    let handshake = clocks.links.handshake.iter();
    // A latch before each segment, and the word that waits for the first.
    let usual = handshake.flat_map(|it| &it.segments).count() as u64 + 1;
    match credit_words {
        Some(_) => (usual as u32, usual),
        None => {
            let least = clocks.least_capacity_words();
            (least.min(MAX_LINK_WORDS) as u32, least)
        }
    }
}

/// The words that a link holds: as many as are given, or those that it needs. `clocks` has the crossings already.
///
/// # Errors
/// Links, or the depths of crossings, that hold fewer than they must.
pub(super) fn of_links(
    given: &RawTable<'_>,
    own: Option<u32>,
    (timing, shape): (&Timing<'_>, &Shape),
    (crossings, clocks): (&[CrossingRule], &Clocks),
) -> Result<u32, Refusal> {
    let hands_over = clocks.links.handshake.is_some();
    let (usual, least) = match hands_over {
        true => handed_over_words(timing.credit_words, clocks),
        false => timing.capacity_words(shape, &clocks.links),
    };
    let words = own.unwrap_or(usual);
    let is_short = |words: u32| u64::from(words) < least;
    if timing.credit_words.is_none() && is_short(words) {
        return Err(stalls(given, timing, least));
    }
    if hands_over && is_short(words) {
        let allowed = format!(
            "{least} to {MAX_LINK_WORDS}: the sender's word, its latch and those of [network.handshake] count"
        );
        return Err(given.conflict("link_capacity_words", allowed));
    }
    let tables = given.tables(CROSSINGS);
    let mut depths = crossings.iter().zip(&tables);
    let short = depths.find(|(rule, _)| rule.crossing().capacity_words.is_some_and(is_short));
    match short {
        Some((_, table)) if timing.credit_words.is_none() => {
            let allowed = format!("{least} or more: routers without buffers can't wait for room");
            Err(table.conflict("depth", allowed))
        }
        _ => Ok(words),
    }
}

/// The mistake of links that can't carry what a bufferless router puts on them in each cycle.
fn stalls(given: &RawTable<'_>, timing: &Timing<'_>, least: u64) -> Refusal {
    const KEY: &str = "link_capacity_words";
    let reason = "a link must hold the words of a round trip, or routers without buffers may wait for each other forever";
    if given.has(KEY) && least <= MAX_LINK_WORDS {
        let allowed = format!("{least} to {MAX_LINK_WORDS}: {reason}");
        return given.conflict(KEY, allowed);
    }
    let span = given.span_of("link_latency_ps").or(timing.clocks.clone());
    let key = given.key(KEY);
    let found = format!("{key} would be at least {least}");
    Refusal::new(MistakeKind::Conflict, key, span.or(given.span_of(KEY)))
        .found(found)
        .allowed(format!("at most {MAX_LINK_WORDS}: {reason}"))
}
