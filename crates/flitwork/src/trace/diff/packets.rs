//! What became of each packet in two runs.

use crate::args::Diff;
use crate::asking::Stop;
use crate::exit::{Code, FINE, print_found};
use crate::trace::session::Session;
use flitwork_debug::rows::PacketRow;
use flitwork_types::PacketId;
use flitwork_view::shown::named;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A packet, as it is in either run.
type Pair<'a> = (PacketId, &'a PacketRow, &'a PacketRow);

/// What two runs' packets come to.
struct Compared<'a> {
    /// Packets that are delivered in both, and their mean latencies in cycles.
    both: u64,
    mean: [f64; 2],
    /// Those of them that are faster, and slower, in the second run.
    faster: u64,
    slower: u64,
    /// Packets that the sources make in another cycle, for another node, or of other words.
    made_otherwise: usize,
    /// Packets that enter the network in one of the runs only.
    only: [usize; 2],
    /// The first that takes longer or shorter.
    first: Option<Pair<'a>>,
}

pub(super) fn run(args: &Diff, one: &Session<'_>, other: &Session<'_>) -> Result<Code, Stop> {
    let rows = one.all_packets()?;
    let others = other.all_packets()?;
    let found = compare(&rows, &others);
    print_found(&found.json(), args.json, || found.text())?;
    Ok(Code(FINE))
}

fn compare<'a>(rows: &'a [PacketRow], others: &'a [PacketRow]) -> Compared<'a> {
    let named = others.iter().filter_map(|row| Some((row.packet()?, row)));
    let of: HashMap<PacketId, &PacketRow> = named.collect();
    let pairs = rows.iter().filter_map(|row| {
        let packet = row.packet()?;
        Some((packet, row, *of.get(&packet)?))
    });
    let mut pairs: Vec<Pair<'a>> = pairs.collect();
    pairs.sort_by_key(|(packet, row, _)| (row.created, *packet));
    let is_made_alike = |(_, a, b): &&Pair<'a>| {
        let made = |row: &PacketRow| (row.created, row.destination, row.class, row.words);
        made(a) == made(b)
    };
    let alike: Vec<&Pair<'a>> = pairs.iter().filter(is_made_alike).collect();
    let latencies = alike
        .iter()
        .filter_map(|(_, a, b)| Some((a.latency?, b.latency?)));
    let latencies: Vec<(u64, u64)> = latencies.collect();
    let both = latencies.len() as u64;
    let mean = |of: fn(&(u64, u64)) -> u64| {
        latencies.iter().map(of).sum::<u64>() as f64 / both.max(1) as f64
    };
    let count = |is_it: fn(&&(u64, u64)) -> bool| latencies.iter().filter(is_it).count() as u64;
    Compared {
        both,
        mean: [mean(|it| it.0), mean(|it| it.1)],
        faster: count(|(a, b)| b < a),
        slower: count(|(a, b)| b > a),
        made_otherwise: pairs.len() - alike.len(),
        only: [rows, others].map(|rows| {
            // Packets that never entered have no name.
            let entered = rows.iter().filter(|row| row.packet().is_some());
            entered.count() - pairs.len()
        }),
        first: alike
            .into_iter()
            .find(|(_, a, b)| a.latency != b.latency)
            .copied(),
    }
}

impl Compared<'_> {
    fn json(&self) -> Value {
        let first = self.first.map(|(packet, a, b)| {
            json!({"packet": named(packet), "created": a.created.get(), "a": a.latency, "b": b.latency})
        });
        json!({
            "packets": self.both,
            "sources_differ": self.made_otherwise,
            "only_a": self.only[0],
            "only_b": self.only[1],
            "latency_mean_cycles": self.mean,
            "faster_in_b": self.faster,
            "slower_in_b": self.slower,
            "first": first,
        })
    }

    fn text(&self) -> String {
        let Compared {
            both,
            mean,
            faster,
            slower,
            made_otherwise,
            only,
            first,
        } = self;
        let mut text = format!(
            "{both} packets are delivered in both runs: on average after {:.1} cycles in A, {:.1} in B\n\
             {faster} are faster in B, {slower} slower\n",
            mean[0], mean[1]
        );
        if *made_otherwise > 0 {
            text += &format!(
                "the sources differ: {made_otherwise} packets are made in another cycle, for another node or with another length\n"
            );
        }
        if *only != [0, 0] {
            text += &format!(
                "{} packets enter the network only in A, {} only in B\n",
                only[0], only[1]
            );
        }
        let latency = |row: &PacketRow| match row.latency {
            Some(cycles) => format!("{cycles} cycles"),
            None => "not delivered".to_owned(),
        };
        text += &match first {
            None => "no packet takes longer or shorter\n".to_owned(),
            Some((packet, a, b)) => format!(
                "the first one that differs is {}, made in cycle {}: {} in A, {} in B\n",
                named(*packet),
                a.created,
                latency(a),
                latency(b)
            ),
        };
        text
    }
}
