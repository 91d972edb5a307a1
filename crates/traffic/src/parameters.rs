//! `[traffic]`: who sends to whom, when, and how much.

use crate::{
    AnyPattern, AnyProcess, Arrivals, Destinations, LengthLaw, Lengths, ProcessEntry, ReadContext,
    RunContext, StaticPacket, Uniform, lengths, patterns, processes,
};
use flitwork_schema::{Allowed, Datum, Entry, Parts, RawTable, Refusal, Span};
use flitwork_types::Cycle;

/// Who sends to whom, when, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// When packets are made.
    pub process: AnyProcess,
    /// Their lengths; ignored by processes that set lengths of their own.
    pub lengths: LengthLaw,
    /// Their destinations; ignored by processes that choose destinations themselves.
    pub pattern: AnyPattern,
    /// Cycles after which sources send a packet again that has been lost; never if `None`.
    pub resend_after_cycles: Option<u32>,
}

const RESEND: &str = "resend_after_cycles";

/// The key of sources whose packets may be lost.
#[rustfmt::skip]
const RESENDING: Entry = Entry::new(RESEND, Allowed::Whole(1, Cycle::LAST.get() as u64), "never", "cycles from its entering the network after which its source sends a packet again that has been lost by then; one that is lost later is sent again in the next cycle");

impl TrafficParameters {
    /// The table with the keys of all patterns and processes: plain values first, then tables.
    pub fn keys(parts: &Parts) -> Entry {
        let [words, law] = lengths::keys();
        let (values, tables) = processes::keys(parts);
        let meaning = "who sends to whom, and when";
        let mut table = Entry::table("traffic", "required", meaning, vec![words, law]);
        table.share(values);
        table.share(patterns::keys(parts));
        table.share(vec![RESENDING.only_with("[[faults]]")]);
        table.share(tables);
        table
    }

    /// The process that a table names.
    ///
    /// # Errors
    /// A [`Refusal`] for keys that the process doesn't read.
    pub fn process_of(given: &RawTable<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
        processes::entry(given, parts)
    }

    /// Reads a table that names this process.
    ///
    /// # Errors
    /// A [`Refusal`] for missing keys and invalid values.
    pub fn read(
        given: &RawTable<'_>,
        entry: &ProcessEntry,
        context: &ReadContext<'_>,
    ) -> Result<TrafficParameters, Refusal> {
        let law = LengthLaw::read(given, entry, context)?;
        let pattern = match entry.destinations {
            Destinations::Pattern => patterns::read(given, context)?,
            Destinations::Process(why) => {
                let allowed = format!("only if traffic.process isn't {:?}: {why}", entry.name);
                patterns::refuse_any(given, context.parts, &allowed)?;
                Uniform::default().into()
            }
        };
        let lengths = Lengths::new(&law).expect("a distribution that was checked when it was read");
        let traffic = TrafficParameters {
            process: (entry.read)(given, &lengths, context)?,
            lengths: law,
            pattern,
            resend_after_cycles: given.get(RESEND).filter(|_| context.links_fail),
        };
        if traffic.resend_after_cycles.is_some()
            && let Some(engine) = context.unclocked_engine
            && engine == "live"
        {
            let allowed =
                "another engine: on the live one no source learns of a loss at another node";
            let refusal = given.conflict(RESEND, allowed);
            return Err(refusal.decided_by(vec!["run.engine".into()]));
        }
        let nodes = context
            .topology
            .terminals()
            .saturating_mul(traffic.listed());
        if let Some(k) = traffic.process.packets_at_once() {
            processes::hold_packets(given, k, nodes)?;
        }
        Ok(traffic)
    }

    /// The contents of the table that gives these parameters; `fixed_words` is the length of the router's packets, if it
    /// supports only one.
    pub fn settings(&self, fixed_words: Option<u16>) -> Vec<(&'static str, Datum)> {
        let entry = self.process.entry();
        let of_law = match self.lengths {
            LengthLaw::Fixed { words } if fixed_words.is_none() => Some(words),
            _ => None,
        };
        let words = self.process.packet_words(of_law);
        let words = words.map(|words| ("packet_words", Datum::Whole(words.into())));
        let law = self.lengths.settings().filter(|_| !entry.has_own_lengths);
        let mut all: Vec<_> = words.into_iter().chain(law).collect();
        all.push(("process", Datum::text(entry.name)));
        all.extend(self.process.settings());
        if entry.destinations == Destinations::Pattern {
            all.push(("pattern", Datum::text(self.pattern.name())));
            all.extend(self.pattern.settings());
        }
        let resend = self
            .resend_after_cycles
            .map(|cycles| (RESEND, Datum::Whole(cycles.into())));
        all.extend(resend);
        all
    }

    /// Words of the longest packet; of the longest possible one if the trace hasn't been read.
    pub fn longest_words(&self) -> u16 {
        let of_law = Lengths::new(&self.lengths).map_or(1, |lengths| lengths.most_words());
        self.process.longest_words(of_law)
    }

    /// The most packets that a node has in cycle 0, if all packets are made then.
    pub fn packets_at_once(&self) -> Option<u32> {
        self.with_listed(self.process.packets_at_once())
    }

    /// The most packets that can wait in a source at a time, if the parameters determine it.
    pub fn packets_waiting(&self) -> Option<u32> {
        self.with_listed(self.process.packets_waiting())
    }

    fn with_listed(&self, packets: Option<u32>) -> Option<u32> {
        Some(packets?.saturating_mul(self.listed()))
    }

    /// The packets of a list that stand for each packet of a source.
    fn listed(&self) -> u32 {
        let entry = self.process.entry();
        let is_list = entry.arrivals == Arrivals::AtOnce;
        match entry.destinations {
            Destinations::Pattern if is_list => self.pattern.most_listed(),
            _ => 1,
        }
    }

    /// The place that sets the lengths of packets, if any.
    pub fn span_of_lengths(
        given: &RawTable<'_>,
        entry: &ProcessEntry,
        parts: &Parts,
    ) -> Option<Span> {
        let own = match entry.has_own_lengths {
            true => entry.keys(parts),
            false => Vec::new(),
        };
        let tables = own.iter().filter(|key| key.allowed.is_table());
        let names = tables.map(|key| key.name).chain(lengths::NAMES);
        names.into_iter().find_map(|name| given.span_of(name))
    }

    /// The packets of a static problem, drawn for the context in which they were read; `None` if they don't all exist in
    /// cycle 0.
    pub fn problem(&self, context: &ReadContext<'_>) -> Option<Vec<StaticPacket>> {
        self.process.problem(&RunContext {
            topology: context.topology,
            seed: context.seed,
            until: Cycle::ZERO,
            lengths: Lengths::new(&self.lengths).ok()?,
            pattern: &self.pattern,
            open: context.open,
            scheduled: &Vec::new,
        })
    }

    /// The names of files, as configured.
    pub fn files(&mut self) -> impl Iterator<Item = &mut String> {
        let own = self.pattern.files().into_iter();
        own.chain(self.process.files())
    }
}
