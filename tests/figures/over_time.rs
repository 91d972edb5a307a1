//! The expected rows of intervals.csv: each interval is counted separately from the ledger.

use crate::figures::account::Account;
use crate::figures::lives::Life;
use crate::figures::statistics::{Span, mean};
use crate::figures::tables::{Row, row};
use flitwork_node::Event;
use flitwork_topology::Topology;
use serde_json::json;

impl Account<'_> {
    /// A row for each span of this many cycles. The last is cut at the run's end and includes what comes
    /// later: words that follow a packet which counts as delivered, and what an engine reported ahead.
    pub(crate) fn intervals_csv(&self, every: i64) -> Vec<Row> {
        let starts = (0..self.cycles).step_by(every as usize);
        let spans = starts.map(|start| Span {
            start,
            end: (start + every).min(self.cycles),
        });
        spans.map(|span| self.interval(span)).collect()
    }

    fn interval(&self, all: Span) -> Row {
        let end = match all.end == self.cycles {
            true => i64::MAX,
            false => all.end,
        };
        let span = Span { end, ..all };
        let made: Vec<_> = self.made.iter().filter(|made| span.has(made.1)).collect();
        let words_made: u64 = made.iter().map(|made| made.2).sum();
        let injected = self.lives.iter().filter(|life| span.has(life.injected));
        let delivered: Vec<(&Life, i64)> = self
            .lives
            .iter()
            .filter_map(|life| Some((life, life.delivered?)))
            .filter(|(_, at)| span.has(*at))
            .collect();
        let words: u64 = delivered.iter().map(|(life, _)| life.words).sum();
        let latency = |from: fn(&Life) -> i64| -> Vec<f64> {
            let pairs = delivered.iter();
            pairs.map(|(life, at)| (at - from(life)) as f64).collect()
        };
        let (total, network) = (latency(|life| life.created), latency(|life| life.injected));
        let some = |values: &[f64]| (!values.is_empty()).then(|| mean(values));
        let greatest = delivered.iter().map(|(life, at)| at - life.created).max();
        let inside = self.lives.iter().filter(|life| {
            life.injected < span.end && life.delivered.is_none_or(|at| at >= span.end)
        });
        let (time, nodes) = (all.cycles() as f64, self.nodes() as f64);
        let load = |words: u64| words as f64 / nodes / time;
        let (carried, wires) = self.carried(span);
        row([
            ("from_cycle", json!(span.start)),
            ("to_cycle", json!(all.end)),
            ("phase", json!(self.phase(all))),
            ("packets_created", json!(made.len())),
            ("words_created", json!(words_made)),
            ("offered_load_words_per_node_cycle", json!(load(words_made))),
            ("packets_injected", json!(injected.count())),
            ("packets_delivered", json!(delivered.len())),
            ("words_delivered", json!(words)),
            ("accepted_load_words_per_node_cycle", json!(load(words))),
            ("latency_mean_cycles", json!(some(&total))),
            ("latency_max_cycles", json!(greatest)),
            ("network_latency_mean_cycles", json!(some(&network))),
            ("packets_in_sources", json!(self.backlog(span.end))),
            ("packets_in_network", json!(inside.count())),
            ("link_words", json!(carried)),
            (
                "link_utilisation_mean",
                json!(carried as f64 / wires as f64 / time),
            ),
        ])
    }

    fn phase(&self, span: Span) -> &'static str {
        let counts = (span.start..span.end).filter(|cycle| self.window.has(*cycle));
        match counts.count() as i64 {
            0 if span.end <= self.window.start => "warm-up",
            0 => "drain",
            all if all == span.cycles() => "measured",
            _ => "mixed",
        }
    }

    /// Words over all links in a span, one per cycle up to each tail; and how many wires there are.
    fn carried(&self, span: Span) -> (usize, usize) {
        let tails = self.ledger.events.iter().filter_map(|(tail, _, event)| {
            let Event::Tail { port, words, .. } = event else {
                return None;
            };
            let left = (0..i64::from(*words)).filter(|before| span.has(tail - before));
            (*port != self.grid.local()).then(|| left.count())
        });
        (tails.sum(), self.wire_words().len())
    }
}
