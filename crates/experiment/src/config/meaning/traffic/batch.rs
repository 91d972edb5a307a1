//! Requests and replies.

use super::{conflict, span};
use crate::config::error::ConfigError;
use crate::config::meaning::or;
use crate::config::source::Source;
use crate::config::written::{Field, WrittenBatch, WrittenTraffic};
use crate::machine::AnyRouter;
use flitwork_traffic::{BatchParameters, ReplyParameters};
use toml::Spanned;

const REQUESTS: u32 = 100;
const OUTSTANDING: u32 = 4;
const REPLY_WORDS: u16 = 4;

pub(super) fn mean(
    source: &Source<'_>,
    router: &AnyRouter,
    table: &Spanned<WrittenTraffic>,
) -> Result<BatchParameters, ConfigError> {
    let usual = WrittenBatch::default();
    let traffic = table.get_ref();
    let written = traffic.batch.as_ref().map_or(&usual, Spanned::get_ref);
    let fixed = router.fixed_words();
    let replies = or(&written.replies, true);
    if !replies {
        refuse_without_replies(source, written)?;
    }
    let words = |key: &str, field: &Field<u16>, usual: u16| match (fixed, field) {
        (Some(fixed), Some(given)) if *given.get_ref() != fixed => {
            let allowed = format!("{fixed}: the router's packets have one length");
            let key = format!("traffic.batch.{key}");
            Err(conflict(source, &given.span(), &key, allowed))
        }
        _ => Ok(or(field, fixed.unwrap_or(usual))),
    };
    let reply_words = or(&traffic.packet_words, REPLY_WORDS);
    let reply = ReplyParameters {
        words: words("reply_words", &written.reply_words, reply_words)?,
        service_cycles: or(&written.service_cycles, 1),
    };
    Ok(BatchParameters {
        requests: or(&written.requests, REQUESTS),
        outstanding: replies.then(|| or(&written.outstanding, OUTSTANDING)),
        request_words: words("request_words", &written.request_words, 1)?,
        reply: replies.then_some(reply),
    })
}

/// Refuses what only replies make sense of.
fn refuse_without_replies(source: &Source<'_>, written: &WrittenBatch) -> Result<(), ConfigError> {
    let given = [
        ("outstanding", span(&written.outstanding)),
        ("reply_words", span(&written.reply_words)),
        ("service_cycles", span(&written.service_cycles)),
    ];
    match given.into_iter().find_map(|(key, span)| Some((key, span?))) {
        None => Ok(()),
        Some((key, span)) => {
            let allowed = "nothing with traffic.batch.replies = false";
            let key = format!("traffic.batch.{key}");
            Err(conflict(source, &span, &key, allowed))
        }
    }
}
