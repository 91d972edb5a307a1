//! `[traffic]`: who sends to whom, when, and how much.

use crate::{
    AnyPattern, AnyProcess, Around, Destinations, LengthLaw, Lengths, ProcessEntry, Uniform,
    lengths, patterns, processes,
};
use flitwork_schema::{Datum, Entry, Given, Parts, Refusal, Span};

/// Who sends to whom, when, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// When packets are made.
    pub process: AnyProcess,
    /// How long they are; not read by processes with lengths of their own.
    pub lengths: LengthLaw,
    /// Where they go; not read by processes that say so themselves.
    pub pattern: AnyPattern,
}

impl TrafficParameters {
    /// The table with the keys of all patterns and processes: values, then tables.
    pub fn keys(parts: &Parts) -> Entry {
        let [words, law] = lengths::keys();
        let (values, tables) = processes::keys(parts);
        let meaning = "who sends to whom, and when";
        let mut table = Entry::table("traffic", "required", meaning, vec![words, law]);
        table.share(values);
        table.share(patterns::keys(parts));
        table.share(tables);
        table
    }

    /// Which process a table asks for.
    ///
    /// # Errors
    /// A [`Refusal`] for keys that it doesn't read.
    pub fn process_of(given: &Given<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
        processes::entry(given, parts)
    }

    /// What a table means, which asks for a process.
    ///
    /// # Errors
    /// A [`Refusal`] for what is missing or can't be.
    pub fn read(
        given: &Given<'_>,
        entry: &ProcessEntry,
        around: &Around<'_>,
    ) -> Result<TrafficParameters, Refusal> {
        let law = LengthLaw::read(given, entry, around)?;
        let pattern = match entry.destinations {
            Destinations::Pattern => patterns::read(given, around)?,
            Destinations::Process(why) => {
                let allowed = format!("nothing with traffic.process = {:?}: {why}", entry.name);
                patterns::refuse_any(given, around.parts, &allowed)?;
                Uniform.into()
            }
        };
        let lengths = Lengths::new(&law).expect("a law that was checked as it was read");
        Ok(TrafficParameters {
            process: processes::read(entry, given, &lengths, around)?,
            lengths: law,
            pattern,
        })
    }

    /// What the table would have to hold for a router whose packets have one length or lengths of their own.
    pub fn written(&self, fixed_words: Option<u16>) -> Vec<(&'static str, Datum)> {
        let entry = self.process.entry();
        let of_law = match self.lengths {
            LengthLaw::Fixed { words } if fixed_words.is_none() => Some(words),
            _ => None,
        };
        let words = self.process.packet_words(of_law);
        let words = words.map(|words| ("packet_words", Datum::Whole(words.into())));
        let law = self.lengths.written().filter(|_| !entry.has_own_lengths);
        let mut all: Vec<_> = words.into_iter().chain(law).collect();
        all.push(("process", Datum::text(entry.name)));
        all.extend(self.process.written());
        if entry.destinations == Destinations::Pattern {
            all.push(("pattern", Datum::text(self.pattern.name())));
            all.extend(self.pattern.written());
        }
        all
    }

    /// Words of the longest packet; the longest that there can be where nobody has read the trace.
    pub fn longest_words(&self) -> u16 {
        let of_law = Lengths::new(&self.lengths).map_or(1, |lengths| lengths.most_words());
        self.process.longest_words(of_law)
    }

    /// Where it is said how long packets are, if it is.
    pub fn span_of_lengths(given: &Given<'_>) -> Option<Span> {
        let tables = ["batch", "trace", "lengths", "packet_words"];
        tables.iter().find_map(|name| given.span_of(name))
    }

    /// The names of files in it, as they were written.
    pub fn files(&mut self) -> impl Iterator<Item = &mut String> {
        let own = self.pattern.files().into_iter();
        own.chain(self.process.files())
    }
}
