//! How long packets are.

use super::{conflict, missing, needed, refused, span};
use crate::config::error::ConfigError;
use crate::config::meaning::or;
use crate::config::source::Source;
use crate::config::written::{WrittenLaw, WrittenLengths, WrittenProcess, WrittenTraffic};
use crate::machine::AnyRouter;
use flitwork_traffic::{LengthLaw, Lengths};
use std::ops::Range;
use toml::Spanned;

const USUAL_WORDS: u16 = 4;
const TABLE: &str = "traffic.lengths";

/// The law of the lengths: one length, or a distribution.
pub(super) fn mean(
    source: &Source<'_>,
    router: &AnyRouter,
    kind: WrittenProcess,
    table: &Spanned<WrittenTraffic>,
) -> Result<LengthLaw, ConfigError> {
    const KEY: &str = "traffic.packet_words";
    let written = table.get_ref();
    let given = &written.packet_words;
    if let Some(lengths) = &written.lengths {
        let span = lengths.span();
        if let Some(fixed) = router.fixed_words() {
            let allowed = format!("nothing: the router's packets have one length, {fixed} words");
            return Err(conflict(source, &span, TABLE, allowed));
        }
        use WrittenProcess::{Batch, Schedule, Trace};
        if matches!(kind, Batch | Schedule | Trace) {
            let name = super::process::name(kind);
            let allowed =
                format!("nothing with traffic.process = {name:?}, which has its own lengths");
            return Err(conflict(source, &span, TABLE, allowed));
        }
        if let Some(words) = given {
            let allowed = "nothing beside [traffic.lengths]";
            return Err(conflict(source, &words.span(), KEY, allowed));
        }
        return law(source, lengths);
    }
    let words = match (router.fixed_words(), given) {
        (None, _) => or(given, USUAL_WORDS),
        (Some(fixed), None) => fixed,
        (Some(fixed), Some(given)) if *given.get_ref() == fixed => fixed,
        (Some(fixed), Some(given)) => {
            let allowed = match router.has_key("packet_words") {
                true => format!("{fixed}, the router's packet_words: its packets have one length"),
                false => format!("{fixed}: the router's packets have one length"),
            };
            return Err(conflict(source, &given.span(), KEY, allowed));
        }
    };
    Ok(LengthLaw::Fixed { words })
}

fn law(source: &Source<'_>, table: &Spanned<WrittenLengths>) -> Result<LengthLaw, ConfigError> {
    let (around, written) = (table.span(), table.get_ref());
    let kind = needed(source, &written.law, &around, "traffic.lengths.law")?;
    refuse_unread(source, kind, written)?;
    let most = || {
        let key = "traffic.lengths.most_words";
        needed(source, &written.most_words, &around, key)
    };
    let law = match kind {
        WrittenLaw::Uniform => LengthLaw::Uniform {
            least_words: or(&written.least_words, 1),
            most_words: most()?,
        },
        WrittenLaw::Geometric => LengthLaw::Geometric {
            mean_words: {
                let key = "traffic.lengths.mean_words";
                needed(source, &written.mean_words, &around, key)?
            },
            most_words: most()?,
        },
        WrittenLaw::Weighted => LengthLaw::Weighted {
            lengths: weighted(source, table)?,
        },
    };
    match Lengths::new(&law) {
        Ok(_) => Ok(law),
        Err(error) => {
            let (key, span) = match error.parameter {
                "least_words" => ("least_words", span(&written.least_words)),
                "most_words" => ("most_words", span(&written.most_words)),
                "mean_words" => ("mean_words", span(&written.mean_words)),
                "lengths.words" => ("words", list_span(&written.words)),
                _ => ("weights", list_span(&written.weights)),
            };
            let key = format!("{TABLE}.{key}");
            Err(refused(source, &span.unwrap_or(around), &key, &error))
        }
    }
}

fn list_span<T>(list: &Option<Spanned<Vec<T>>>) -> Option<Range<usize>> {
    list.as_ref().map(Spanned::span)
}

fn weighted(
    source: &Source<'_>,
    table: &Spanned<WrittenLengths>,
) -> Result<Vec<(u16, f64)>, ConfigError> {
    let written = table.get_ref();
    let Some(words) = &written.words else {
        return Err(missing(source, &table.span(), "traffic.lengths.words"));
    };
    let Some(weights) = &written.weights else {
        return Err(missing(source, &table.span(), "traffic.lengths.weights"));
    };
    let lengths = words.get_ref().len();
    if weights.get_ref().len() != lengths {
        let allowed = format!("{lengths} weights, one for each of words");
        let key = "traffic.lengths.weights";
        return Err(conflict(source, &weights.span(), key, allowed));
    }
    let pairs = words.get_ref().iter().zip(weights.get_ref());
    Ok(pairs
        .map(|(words, weight)| (*words.get_ref(), *weight.get_ref() + 0.0))
        .collect())
}

/// Refuses what another law reads.
fn refuse_unread(
    source: &Source<'_>,
    kind: WrittenLaw,
    written: &WrittenLengths,
) -> Result<(), ConfigError> {
    let (name, reads): (_, &[&str]) = match kind {
        WrittenLaw::Uniform => ("uniform", &["least_words", "most_words"]),
        WrittenLaw::Geometric => ("geometric", &["mean_words", "most_words"]),
        WrittenLaw::Weighted => ("weighted", &["words", "weights"]),
    };
    let given = [
        ("least_words", span(&written.least_words)),
        ("most_words", span(&written.most_words)),
        ("mean_words", span(&written.mean_words)),
        ("words", list_span(&written.words)),
        ("weights", list_span(&written.weights)),
    ];
    let mut unread = given.into_iter().filter(|(key, _)| !reads.contains(key));
    match unread.find_map(|(key, span)| Some((key, span?))) {
        None => Ok(()),
        Some((key, span)) => {
            let allowed = format!("nothing: the law {name} reads {}", reads.join(" and "));
            Err(conflict(source, &span, &format!("{TABLE}.{key}"), allowed))
        }
    }
}
