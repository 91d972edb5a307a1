//! `flitwork trace why --without`: what leaving out other packets would have saved.

use super::session::Session;
use crate::args::LeftOut;
use crate::asking::Stop;
use crate::exit::complain;
use flitwork_debug::{Removals, Timeline, WhatIf, Why};
use flitwork_types::PacketId;
use flitwork_view::shown::named;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// What each packet that was left out would have saved, the most first.
pub(super) struct TriedOut {
    tries: Vec<Try>,
    /// How long the packet took with all of them.
    latency: u64,
    /// How many were to be tried.
    candidates: usize,
}

struct Try {
    what_if: WhatIf,
    /// Cycles of the latency that are charged to it.
    charged: u64,
}

impl Try {
    /// Cycles that leaving it out saves; less than none if the packet then takes longer.
    fn saved(&self, latency: u64) -> Option<i64> {
        Some(latency as i64 - self.what_if.latency? as i64)
    }
}

pub(super) fn try_out(
    session: &Session<'_>,
    timeline: &mut Timeline,
    found: &Why,
    left_out: LeftOut,
) -> Result<TriedOut, Stop> {
    if session.recalled.is_record() {
        return Err(session
            .wrong("--without: a record can't be changed; allowed: with a configuration")
            .into());
    }
    let rows = session.all_packets()?;
    let target = found.journey.packet.id;
    let latency = rows
        .iter()
        .find(|row| row.packet() == Some(target))
        .and_then(|row| row.latency);
    let Some(latency) = latency else {
        return Err(session
            .wrong(format!(
                "--without: packet {} isn't delivered",
                named(target)
            ))
            .into());
    };
    let removals = Removals {
        target,
        rows: &rows,
        afresh: &|packet, probe| session.recalled.simulation_without(packet, probe),
        end: session.recalled.end(),
    };
    let candidates = match left_out {
        LeftOut::One(packet) => {
            session.packet(packet)?;
            vec![packet]
        }
        LeftOut::Each => candidates(session, &removals, found),
    };
    let charged = |packet: PacketId| {
        let charges = found.charges.iter().filter(|it| it.culprit == Some(packet));
        charges.map(|it| it.amount).sum()
    };
    let mut tries = Vec::new();
    for packet in &candidates {
        if session.interruption().flow().is_break() {
            complain(&format!(
                "{} packets more could be left out",
                candidates.len() - tries.len()
            ));
            break;
        }
        if let Some(what_if) = removals.without(timeline, *packet) {
            tries.push(Try {
                what_if,
                charged: charged(*packet),
            });
        }
    }
    tries.sort_by_key(|it| (Reverse(it.saved(latency)), it.what_if.without));
    Ok(TriedOut {
        tries,
        latency,
        candidates: candidates.len(),
    })
}

fn candidates(session: &Session<'_>, removals: &Removals<'_>, found: &Why) -> Vec<PacketId> {
    let way: Vec<_> = found.journey.stays.iter().map(|stay| stay.node).collect();
    let shape = &session.recalled.resolved.network.shape;
    removals.candidates(shape, &way, 1)
}

impl TriedOut {
    fn changed(&self) -> usize {
        let all = self.tries.iter();
        all.filter(|it| it.saved(self.latency) != Some(0)).count()
    }

    pub(super) fn text(&self) -> String {
        const SHOWN: usize = 20;
        let mut text = format!(
            "\nwithout each of {} packets alone: {} change something\n{:>10}  {:>10}  without\n",
            self.tries.len(),
            self.changed(),
            "saved",
            "charged"
        );
        for it in self.tries.iter().take(SHOWN) {
            let saved = it
                .saved(self.latency)
                .map_or("not delivered".to_owned(), |saved| saved.to_string());
            text += &format!(
                "{saved:>10}  {:>10}  {}\n",
                it.charged,
                named(it.what_if.without)
            );
        }
        if self.tries.len() > SHOWN {
            text += &format!("… and {} more\n", self.tries.len() - SHOWN);
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let tries = self.tries.iter().map(|it| {
            json!({
                "packet": named(it.what_if.without),
                "latency": it.what_if.latency,
                "saved": it.saved(self.latency),
                "charged": it.charged,
            })
        });
        json!({
            "candidates": self.candidates,
            "changed": self.changed(),
            "tries": tries.collect::<Vec<_>>(),
        })
    }
}
