//! `flitwork trace blame`.

mod critical;

use super::session::{Session, filter};
use crate::args::{Blame, By};
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain, print};
use flitwork_debug::Why;
use flitwork_debug::rows::packet_columns;
use flitwork_experiment::simulation::Use;
use flitwork_node::Cause;
use flitwork_view::shown::{charge_unit, named};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(super) fn run(args: &Blame, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&args.of, asking)?;
    if args.critical {
        return critical::run(args, &session);
    }
    let columns = packet_columns(&session.nodes);
    let filter = filter(args.filter.as_ref(), &columns)?;
    let mut rows = session.all_packets()?;
    rows.retain(|row| row.delivered.is_some() && filter.holds(&(row, &session.nodes)));
    rows.sort_by_key(|row| Reverse(row.latency));
    rows.truncate(args.limit as usize);
    // Time goes forwards once.
    rows.sort_by_key(|row| row.injected);
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let unit = charge_unit(timeline.unit());
    let mut sums: BTreeMap<(String, Cause), u64> = BTreeMap::new();
    let mut explained = 0;
    for row in &rows {
        if session.interruption().flow().is_break() {
            break;
        }
        let Some(packet) = row.packet() else { continue };
        let journey = session.journey(&mut timeline, row, packet)?;
        let found = flitwork_debug::why(&mut timeline, journey, session.recalled.end());
        add(&mut sums, &session, &found, args.by);
        explained += 1;
    }
    let about = json!({"packets": explained, "unit": unit});
    show(args, sums, &format!("{explained} packets"), about)?;
    session.agree(&differs)?;
    if explained < rows.len() {
        complain(&format!(
            "{} packets more were asked for",
            rows.len() - explained
        ));
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code(FINE))
}

/// Prints the sums, the largest first.
fn show(
    args: &Blame,
    sums: BTreeMap<(String, Cause), u64>,
    of_what: &str,
    mut about: Value,
) -> Result<(), Exit> {
    let total: u64 = sums.values().sum();
    let mut sums: Vec<((String, Cause), u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(key, amount)| (Reverse(*amount), key.clone()));
    if args.of.json {
        let rows = sums.iter().map(
            |((of, cause), amount)| json!({"of": of, "cause": cause.name(), "amount": amount}),
        );
        about["total"] = total.into();
        about["charges"] = rows.collect();
        return print(&format!("{about:#}\n"));
    }
    let unit = about["unit"].as_str().unwrap_or_default();
    let mut text = format!("{of_what}, {total} {unit} in all\n");
    for ((of, cause), amount) in &sums {
        let percent = 100.0 * *amount as f64 / total.max(1) as f64;
        let name = cause.name();
        let line = format!("{amount:>10}  {percent:>5.1} %  {name:<22}  {of}");
        text += &format!("{}\n", line.trim_end());
    }
    print(&text)
}

/// Adds a packet's charges.
fn add(sums: &mut BTreeMap<(String, Cause), u64>, session: &Session<'_>, found: &Why, by: By) {
    let nodes = &session.nodes;
    let packet = &found.journey.packet;
    for charge in &found.charges {
        let of = match by {
            By::Cause => String::new(),
            By::Node => format!("node {}", nodes.name(charge.node)),
            By::Flow => format!(
                "{} to {}",
                nodes.terminal_name(packet.id.source),
                nodes.terminal_name(packet.destination)
            ),
            By::Link => {
                let port = found.journey.way_out(charge.node, charge.time);
                let port = port.map_or("-", |port| nodes.port(port));
                format!("node {} {port}", nodes.name(charge.node))
            }
            By::Culprit => charge.culprit.map(named).unwrap_or_else(|| "-".into()),
        };
        *sums.entry((of, charge.cause)).or_default() += charge.amount;
    }
}
