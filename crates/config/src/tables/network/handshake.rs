//! Links over which words are handed over: `[network.handshake]`.

use crate::tables::clocks::MAX_PERIOD_PS;
use flitwork_network::{Handshake, Protocol, Segment};
use flitwork_schema::{Allowed, Datum, Entry, Key, RawTable, Refusal, entries, key, settings};

/// What `[[network.handshake.stages]]` gives: latches in a row that are alike, each with the segment behind it.
#[derive(Clone, Copy, Debug, Default)]
struct GivenStage {
    latches: Option<u32>,
    segment: Segment,
}

const STAGES: &str = "stages";
const DELAY: Allowed = Allowed::Whole(1, MAX_PERIOD_PS);
/// The most latches of a stage.
const MAX_LATCHES: u64 = 1000;
/// The most latches of a link.
const MAX_LINK_LATCHES: usize = 10_000;

#[rustfmt::skip]
const KEYS: &[Key<Handshake>] = &[
    key("protocol", |it| &mut it.protocol, Allowed::Choice(Protocol::NAMES), "\"two-phase\"", "how a word is handed over: by a transition of the request and one of the acknowledge, or by two of each (return to zero)"),
    key("request_ps", |it| &mut it.segments[0].request_ps, DELAY, "required", "ps that a request takes from the sender to the receiver, or to the first latch between them"),
    key("acknowledge_ps", |it| &mut it.segments[0].acknowledge_ps, DELAY, "required", "ps that the acknowledge takes back"),
    key("bundling_ps", |it| &mut it.bundling_ps, Allowed::Whole(0, MAX_PERIOD_PS), "0", "ps by which each request that comes with a word is delayed so that it doesn't overtake the data"),
];

#[rustfmt::skip]
const STAGE: &[Key<GivenStage>] = &[
    key("latches", |it| &mut it.latches, Allowed::Whole(1, MAX_LATCHES), "1", "how many latches there are of this kind, one after the other"),
    key("request_ps", |it| &mut it.segment.request_ps, DELAY, "required", "ps that a request takes from such a latch to the next one, or to the receiver"),
    key("acknowledge_ps", |it| &mut it.segment.acknowledge_ps, DELAY, "required", "ps that the acknowledge takes back to it"),
];

/// The table.
#[rustfmt::skip]
pub(super) fn table() -> Entry {
    let mut within = entries(KEYS);
    within.push(Entry::tables(STAGES, "none", "latches along a link, each of which holds a word, a table [[network.handshake.stages]] for each kind, in the order in which a word passes them", entries(STAGE)));
    Entry::table("handshake", "words are put on wires at the sender's pace", "asynchronous links, on which each word is handed over by a request and an acknowledge; instead of link_latency_ps", within).only_with("run.engine = \"clocked\"")
}

/// The handshakes that are given.
///
/// # Errors
/// A delay that is missing, and too many latches.
pub(super) fn read(given: &RawTable<'_>) -> Result<Handshake, Refusal> {
    let mut handshake: Handshake = given.parameters(KEYS)?;
    for table in given.tables(STAGES) {
        let stage: GivenStage = table.parameters(STAGE)?;
        let latches = stage.latches.unwrap_or(1) as usize;
        handshake.segments.extend(vec![stage.segment; latches]);
        // The sender's own segment has no latch.
        if handshake.segments.len() - 1 > MAX_LINK_LATCHES {
            let allowed = format!("at most {MAX_LINK_LATCHES} latches in all");
            return Err(table.conflict("latches", allowed));
        }
    }
    Ok(handshake)
}

/// The values of the keys that give handshakes.
pub(super) fn written(handshake: &Handshake) -> Datum {
    let mut all = settings(KEYS, handshake);
    let alike = handshake.segments[1..].chunk_by(|one, other| one == other);
    let alike = alike.flat_map(|alike| alike.chunks(MAX_LATCHES as usize));
    let stages = alike.map(|alike| GivenStage {
        latches: Some(alike.len() as u32),
        segment: alike[0],
    });
    let stages: Vec<Datum> = stages
        .map(|stage| Datum::table(settings(STAGE, &stage)))
        .collect();
    if !stages.is_empty() {
        all.push((STAGES, Datum::list(stages)));
    }
    Datum::table(all)
}
