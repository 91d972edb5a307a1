//! `[traffic.lengths]`, and the one length of `traffic.packet_words`.

use super::{LengthLaw, Lengths};
use crate::ReadContext;
use crate::processes::{MAX_WORDS, ProcessEntry};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, RawTable, Refusal, WrongValue, entries, key_apart, named,
};

const TABLE: &str = "lengths";
const WORDS: &str = "packet_words";
/// The keys that set lengths for processes without lengths of their own.
pub(crate) const NAMES: [&str; 2] = [TABLE, WORDS];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Law {
    Geometric,
    #[default]
    Uniform,
    Weighted,
}

named!(Law { Geometric = "geometric", Uniform = "uniform", Weighted = "weighted" });

impl Law {
    /// The keys that the distribution reads.
    fn reads(self) -> &'static [&'static str] {
        match self {
            Law::Uniform => &["least_words", "most_words"],
            Law::Geometric => &["mean_words", "most_words"],
            Law::Weighted => &["words", "weights"],
        }
    }
}

#[rustfmt::skip]
const KEYS: &[Key<()>] = &[
    key_apart("law", Allowed::Choice(Law::NAMES), "required", "the distribution"),
    key_apart("least_words", Allowed::Whole(1, MAX_WORDS), "1", "the shortest packet; uniform only"),
    key_apart("most_words", Allowed::Whole(1, MAX_WORDS), "required for geometric and uniform", "the longest packet"),
    key_apart("mean_words", Allowed::Number(1.0, 32_768.0, "words"), "required for geometric", "the mean length, at most (most_words + 1) / 2; geometric only"),
    key_apart("words", Allowed::list(&Allowed::Whole(1, MAX_WORDS)), "required for weighted", "the lengths of packets; weighted only"),
    key_apart("weights", Allowed::list(&Allowed::Number(0.0, 1e9, "of the sum of all weights")), "required for weighted", "how often each length occurs; weighted only"),
];

/// The key of a single length, and the table of a distribution.
pub(crate) fn keys() -> [Entry; 2] {
    let meaning = "words per packet; some routers support only one length; with a trace: the length of every packet, in place of the trace's lengths";
    let default = "4, or the router's if it has one length; schedules: 1";
    let words = Entry::new(WORDS, Allowed::Whole(1, MAX_WORDS), default, meaning).only_with(
        "packets whose lengths traffic.process doesn't set; with batch as the default of reply_words",
    );
    let meaning = "a distribution of packet lengths, in place of packet_words; not with processes that set lengths of their own";
    let keys = entries(KEYS);
    let law = Entry::table(TABLE, "all packets have packet_words", meaning, keys);
    [words, law]
}

impl LengthLaw {
    /// The configured lengths: one length, or a distribution.
    pub(crate) fn read(
        given: &RawTable<'_>,
        entry: &ProcessEntry,
        context: &ReadContext<'_>,
    ) -> Result<LengthLaw, Refusal> {
        if let Some(table) = given.table(TABLE) {
            if let Some(fixed) = context.fixed_words {
                let allowed = format!("no such table: {}, {fixed} words", context.fixed_as);
                return Err(given.conflict(TABLE, allowed));
            }
            if entry.has_own_lengths {
                let name = entry.name;
                let allowed = format!(
                    "only if traffic.process isn't {name:?}, which sets lengths of its own"
                );
                return Err(given.unread(TABLE, &["process"], allowed));
            }
            given.refuse(&[WORDS], &[TABLE], "only without [traffic.lengths]")?;
            return law(&table);
        }
        let words = match context.fixed_words {
            None if entry.has_own_lengths => context.usual_words,
            None => given.get(WORDS).unwrap_or(context.usual_words),
            Some(fixed) if given.get(WORDS).is_none_or(|words: u16| words == fixed) => fixed,
            Some(fixed) => {
                let allowed = match context.router_has_words {
                    true => {
                        format!("{fixed}, the router's packet_words: its packets have one length")
                    }
                    false => format!("{fixed}: {}", context.fixed_as),
                };
                return Err(given.conflict(WORDS, allowed));
            }
        };
        Ok(LengthLaw::Fixed { words })
    }

    /// The table that configures it; none for a single length.
    pub(crate) fn settings(&self) -> Option<(&'static str, Datum)> {
        let law = |law: Law| ("law", Datum::text(law.name()));
        let whole = |words: &u16| Datum::Whole((*words).into());
        let entries = match self {
            LengthLaw::Fixed { .. } => return None,
            LengthLaw::Uniform {
                least_words,
                most_words,
            } => vec![
                law(Law::Uniform),
                ("least_words", whole(least_words)),
                ("most_words", whole(most_words)),
            ],
            LengthLaw::Geometric {
                mean_words,
                most_words,
            } => vec![
                law(Law::Geometric),
                ("mean_words", Datum::Real(*mean_words)),
                ("most_words", whole(most_words)),
            ],
            LengthLaw::Weighted { lengths } => {
                let words = lengths.iter().map(|(words, _)| whole(words));
                let weights = lengths.iter().map(|(_, weight)| Datum::Real(*weight));
                vec![
                    law(Law::Weighted),
                    ("words", Datum::list(words)),
                    ("weights", Datum::list(weights)),
                ]
            }
        };
        Some((TABLE, Datum::table(entries)))
    }
}

fn law(table: &RawTable<'_>) -> Result<LengthLaw, Refusal> {
    let kind = table.needed::<Law>("law")?;
    refuse_unread(table, kind)?;
    let law = match kind {
        Law::Uniform => LengthLaw::Uniform {
            least_words: table.get("least_words").unwrap_or(1),
            most_words: table.needed("most_words")?,
        },
        Law::Geometric => LengthLaw::Geometric {
            mean_words: table.needed("mean_words")?,
            most_words: table.needed("most_words")?,
        },
        Law::Weighted => LengthLaw::Weighted {
            lengths: weighted(table)?,
        },
    };
    match Lengths::new(&law) {
        Ok(_) => Ok(law),
        Err(error) => {
            let key = key_of(&error);
            Err(table.wrong(&WrongValue { key, ..error }, &[]))
        }
    }
}

fn key_of(error: &WrongValue) -> &'static str {
    match error.key {
        "lengths.words" => "words",
        name @ ("least_words" | "most_words" | "mean_words") => name,
        _ => "weights",
    }
}

fn weighted(table: &RawTable<'_>) -> Result<Vec<(u16, f64)>, Refusal> {
    let (words, weights): (Vec<u16>, Vec<f64>) = (table.needed("words")?, table.needed("weights")?);
    if weights.len() != words.len() {
        let allowed = format!("{} weights, one for each of words", words.len());
        return Err(table.conflict("weights", allowed));
    }
    Ok(words.into_iter().zip(weights).collect())
}

/// Refuses keys that only another distribution reads.
fn refuse_unread(table: &RawTable<'_>, law: Law) -> Result<(), Refusal> {
    let reads = law.reads();
    let keys = KEYS[1..].iter().map(|key| key.name);
    let unread: Vec<&str> = keys.filter(|key| !reads.contains(key)).collect();
    let (name, keys) = (law.name(), reads.join(" and "));
    let allowed = format!("only with another law: {name} reads {keys}");
    table.refuse(&unread, &["law"], &allowed)
}
