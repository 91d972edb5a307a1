//! `batch`: requests and replies.

use super::{Arrivals, COUNT, MAX_WORDS, ProcessParameters};
use crate::{
    AnyProcess, Batch, BatchParameters, Lengths, ReadContext, ReadySources, ReplyParameters,
    RunContext,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, settings,
};
use flitwork_types::Cycle;

const TABLE: &str = "batch";
const OUTSTANDING: u32 = 4;
const REPLY_WORDS: u16 = 4;
/// From this many outstanding requests on, a node needs a lot of memory.
const MANY: u32 = 64;
const CYCLES: u64 = Cycle::LAST.get() as u64;

/// The table as configured.
#[derive(Clone, Default)]
struct Table {
    requests: u32,
    outstanding: Option<u32>,
    request_words: Option<u16>,
    replies: bool,
    reply_words: Option<u16>,
    service_cycles: Option<u32>,
}

#[rustfmt::skip]
const KEYS: &[Key<Table>] = &[
    key("requests", |it| &mut it.requests, Allowed::Whole(1, COUNT), "100", "requests per node"),
    key("outstanding", |it| &mut it.outstanding, Allowed::Whole(1, COUNT), "4; unlimited without replies", "how many of a node's requests may await a reply at a time"),
    key("request_words", |it| &mut it.request_words, Allowed::Whole(1, MAX_WORDS), "1, or the router's if it has one length", "words per request"),
    key("replies", |it| &mut it.replies, Allowed::Truth, "true", "whether requests are answered"),
    key("reply_words", |it| &mut it.reply_words, Allowed::Whole(1, MAX_WORDS), "packet_words", "words per reply"),
    key("service_cycles", |it| &mut it.service_cycles, Allowed::Whole(1, CYCLES), "1", "cycles from a request's delivery to its reply"),
];

impl ProcessParameters for BatchParameters {
    const NAME: &'static str = "batch";
    const HELP: &'static str =
        "a batch of requests from every node, and replies to them: a closed loop";
    const ARRIVALS: Arrivals = Arrivals::Closed;
    const HAS_OWN_LENGTHS: bool = true;

    fn keys(_: &Parts) -> Vec<Entry> {
        let meaning = "a batch of requests from every node, and the replies to them; batch only";
        vec![Entry::table(TABLE, "all defaults", meaning, entries(KEYS))]
    }

    fn read(given: &RawTable<'_>, _: &Lengths, context: &ReadContext<'_>) -> Result<Self, Refusal> {
        let table = given.table(TABLE);
        let table = table.unwrap_or_else(|| RawTable::nothing(&given.key(TABLE)));
        let mut keys = Table {
            requests: 100,
            replies: true,
            ..Table::default()
        };
        table.set(KEYS, &mut keys);
        if !keys.replies {
            let answered = ["outstanding", "reply_words", "service_cycles"];
            let allowed = "only with traffic.batch.replies = true";
            table.refuse(&answered, &["replies"], allowed)?;
        }
        let words = |name, keys: Option<u16>, usual: u16| match (context.fixed_words, keys) {
            (Some(fixed), Some(keys)) if keys != fixed => {
                let allowed = format!("{fixed}: the router's packets have one length");
                Err(table.conflict(name, allowed))
            }
            (fixed, keys) => Ok(keys.or(fixed).unwrap_or(usual)),
        };
        let usual = match keys.replies && keys.reply_words.is_none() {
            true => given.get("packet_words").unwrap_or(REPLY_WORDS),
            false => REPLY_WORDS,
        };
        let reply = ReplyParameters {
            words: words("reply_words", keys.reply_words, usual)?,
            service_cycles: keys.service_cycles.unwrap_or(1),
        };
        Ok(BatchParameters {
            requests: keys.requests,
            outstanding: keys
                .replies
                .then(|| keys.outstanding.unwrap_or(OUTSTANDING)),
            request_words: words("request_words", keys.request_words, 1)?,
            reply: keys.replies.then_some(reply),
        })
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let keys = Table {
            requests: self.requests,
            outstanding: self.outstanding,
            request_words: Some(self.request_words),
            replies: self.reply.is_some(),
            reply_words: self.reply.map(|reply| reply.words),
            service_cycles: self.reply.map(|reply| reply.service_cycles),
        };
        vec![(TABLE, Datum::table(settings(KEYS, &keys)))]
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let sources = Batch::new(*self, context.pattern(), context.seed, context.terminals());
        sources.expect("a resolved configuration's traffic").into()
    }

    fn longest_words(&self, _: u16) -> u16 {
        let reply = self.reply.map_or(1, |reply| reply.words);
        self.request_words.max(reply)
    }

    fn packets_waiting(&self) -> Option<u32> {
        Some(self.outstanding.unwrap_or(self.requests))
    }

    /// Replies that queue behind the requests that a node may make before any reply: a short run shows none of them. A
    /// node receives about as many requests as it makes, and a request takes one cycle per word.
    fn packets_gathered(&self, last_cycle: u32, shown_cycles: u32) -> u32 {
        if self.reply.is_none() {
            return 0;
        }
        let first = self.outstanding.unwrap_or(u32::MAX).min(self.requests);
        let in_time = last_cycle / u32::from(self.request_words.max(1));
        first.min(in_time).saturating_sub(shown_cycles)
    }

    fn waits_for_deliveries(&self) -> bool {
        true
    }

    fn scaled_down(&self, _: f64, cycles: u32) -> AnyProcess {
        let few = BatchParameters {
            requests: self.requests.min(cycles),
            outstanding: self.outstanding.map(|outstanding| outstanding.min(cycles)),
            ..*self
        };
        few.into()
    }

    fn memory_key(&self) -> Option<&'static str> {
        let is_heavy = self
            .outstanding
            .is_none_or(|outstanding| outstanding > MANY);
        is_heavy.then_some("traffic.batch.outstanding")
    }
}
