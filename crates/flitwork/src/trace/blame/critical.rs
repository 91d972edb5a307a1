//! `flitwork trace blame --critical`.

use super::super::session::Session;
use super::show;
use crate::args::{Blame, By};
use crate::asking::Stop;
use crate::exit::Code;
use flitwork_debug::rows::PacketRow;
use flitwork_debug::{Stretch, critical};
use flitwork_experiment::simulation::Use;
use flitwork_types::PacketId;
use flitwork_view::shown::{named, time_unit};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

pub(super) fn run(args: &Blame, session: &Session<'_>) -> Result<Code, Stop> {
    let rows = session.all_packets()?;
    let rows: HashMap<PacketId, PacketRow> = rows
        .into_iter()
        .filter_map(|row| Some((row.packet()?, row)))
        .collect();
    let delivered = rows.iter().filter(|(_, row)| row.delivered.is_some());
    let last = delivered.max_by_key(|(packet, row)| (row.delivered, **packet));
    let Some((&last, _)) = last else {
        return Err(session.wrong("no packet is delivered").into());
    };
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let end = session.recalled.end();
    let way = critical(&mut timeline, last, end, |timeline, packet| {
        match rows.get(&packet) {
            Some(row) => session.journey(timeline, row, packet),
            None => Err(session
                .wrong(format!("packet {} has no row", named(packet)))
                .into()),
        }
    })?;
    let unit = time_unit(timeline.unit());
    let mut sums = BTreeMap::new();
    for stretch in &way {
        *sums
            .entry((of(session, &rows, args.by, stretch), stretch.cause))
            .or_default() += stretch.amount;
    }
    let begins = way.first().map_or(0, |stretch| stretch.time);
    let about = json!({
        "last": named(last),
        "begins": begins,
        "unit": unit,
        "way": way.iter().map(stretch_json).collect::<Value>(),
    });
    let of_what = format!("from {begins} to the delivery of {}", named(last));
    show(args, sums, &of_what, about)?;
    session.agree(&differs)
}

fn of(
    session: &Session<'_>,
    rows: &HashMap<PacketId, PacketRow>,
    by: By,
    stretch: &Stretch,
) -> String {
    let nodes = &session.nodes;
    match by {
        By::Cause => String::new(),
        By::Node => format!("node {}", nodes.name(stretch.node)),
        By::Link => {
            let port = stretch.port.map_or("-", |port| nodes.port(port));
            format!("node {} {port}", nodes.name(stretch.node))
        }
        By::Culprit => named(stretch.packet),
        By::Flow => {
            let source = nodes.terminal_name(stretch.packet.source);
            let row = rows.get(&stretch.packet);
            let to = row.and_then(|row| row.destination);
            let to = to.map_or("-".to_owned(), |to| nodes.terminal_name(to));
            format!("{source} to {to}")
        }
    }
}

fn stretch_json(stretch: &Stretch) -> Value {
    json!({
        "time": stretch.time,
        "amount": stretch.amount,
        "packet": named(stretch.packet),
        "node": stretch.node.0,
        "cause": stretch.cause.name(),
    })
}
