//! `flitwork trace why`.

use super::session::Session;
use super::what_if;
use crate::args::AskWhy;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, print};
use flitwork_debug::{Charge, Does, Held, Journey, Timeline, Why};
use flitwork_experiment::simulation::Use;
use flitwork_report::Aligned;
use flitwork_types::{Loss, NodeId};
use flitwork_view::shown::{charge_unit, named, why_json};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn run(ask: &AskWhy, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&ask.one.of, asking)?;
    let (packet, node) = ask.one.packet;
    if let Some(node) = node.filter(|node| node.0 >= session.nodes.count()) {
        return Err(session.no_node(node).into());
    }
    let row = session.packet(packet)?;
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let journey = session.journey(&mut timeline, &row, packet)?;
    let unit = timeline.unit();
    let found = session.why(&mut timeline, journey)?;
    let trees = trees(&session, &mut timeline, &found, (node, ask.unfold));
    let without = ask
        .without
        .map(|left_out| what_if::try_out(&session, &mut timeline, &found, left_out));
    let without = without.transpose()?;
    if ask.one.of.json {
        let mut all = why_json(&found, node, unit);
        put_trees(&mut all, &found, node, &trees);
        if let Some(without) = &without {
            all["without"] = without.json();
        }
        print(&format!("{all:#}\n"))?;
    } else {
        print(&heading(&session, &found.journey))?;
        print(&table(&session, &found, node, &trees))?;
        print(&sums(&found, charge_unit(unit)))?;
        if let Some(without) = &without {
            print(&without.text())?;
        }
    }
    session.agree(&differs)
}

/// What the packet is, in a line.
pub(super) fn heading(session: &Session<'_>, journey: &Journey) -> String {
    let packet = &journey.packet;
    let (from, to) = (
        session.nodes.terminal_name(packet.id.source),
        session.nodes.terminal_name(packet.destination),
    );
    let end = match &journey.delivered {
        Some(delivered) => format!(
            "delivered in cycle {}, after {} cycles and {} hops, {} of them deroutes",
            delivered.nominal,
            delivered.latency().unwrap_or_default(),
            packet.hops,
            packet.deroutes
        ),
        None => match journey.lost.as_ref().and_then(|it| Some((it, it.lost()?))) {
            Some((lost, (packet, port))) => format!(
                "lost in cycle {} at node {}, {}: {}",
                lost.nominal,
                session.nodes.name(lost.node),
                session.nodes.port(port),
                packet.loss.map_or("", Loss::name)
            ),
            None => "not delivered".to_owned(),
        },
    };
    format!(
        "packet {} of {} words from node {from} to node {to}: made in cycle {}, {end}\n\n",
        named(packet.id),
        packet.words,
        packet.created
    )
}

/// What the packets to blame for some waits do meanwhile, by the charge of the wait.
pub(super) type Trees = BTreeMap<usize, Vec<Held>>;

/// Unfolds the longest waits, of one node if it is given.
fn trees(
    session: &Session<'_>,
    timeline: &mut Timeline,
    found: &Why,
    (node, most): (Option<NodeId>, usize),
) -> Trees {
    let mut waits: Vec<usize> = asked(found, node).collect();
    waits.sort_by_key(|place| Reverse(found.charges[*place].amount));
    let topology = &session.recalled.resolved.network.shape;
    let unfold_one = |place: usize| {
        let charge = &found.charges[place];
        let held = (charge.culprit?, found.culprits_node(place)?);
        let when = (charge.time, found.takes(place));
        let held = flitwork_debug::unfold(timeline, topology, when, held);
        Some((place, held))
    };
    waits
        .into_iter()
        .filter_map(unfold_one)
        .take(most)
        .collect()
}

/// The places of its charges, of one node if it is given.
fn asked(found: &Why, node: Option<NodeId>) -> impl Iterator<Item = usize> {
    let charges = found.charges.iter().enumerate();
    let asked = charges.filter(move |(_, it)| node.is_none_or(|node| it.node == node));
    asked.map(|(place, _)| place)
}

/// Its charges, in order, and below some what holds them.
pub(super) fn table(
    session: &Session<'_>,
    found: &Why,
    node: Option<NodeId>,
    trees: &Trees,
) -> String {
    let places: Vec<usize> = asked(found, node).collect();
    let table = Aligned::new()
        .right("time", 10, |it: &Charge| it.time)
        .left("node", 14, |it: &Charge| session.nodes.name(it.node))
        .behind(2)
        .right("takes", 8, |it: &Charge| it.amount)
        .left("because of", 22, |it: &Charge| it.cause.name())
        .behind(2)
        .left("packet", 12, |it: &Charge| {
            it.culprit.map(named).unwrap_or_default()
        });
    let text = table.text(places.iter().map(|place| &found.charges[*place]));
    let mut lines = text.lines();
    let mut all = String::new();
    let title = lines.next().unwrap_or_default();
    let _ = writeln!(all, "{}", title.trim_end());
    for (line, place) in lines.zip(&places) {
        let _ = writeln!(all, "{}", line.trim_end());
        if let Some(held) = trees.get(place) {
            write_tree(&mut all, session, held, 0);
        }
    }
    all
}

/// Below a wait, what holds the packet to blame, each behind the one that it holds.
fn write_tree(text: &mut String, session: &Session<'_>, all: &[Held], depth: usize) {
    for held in all {
        let indent = 2 * depth;
        let _ = writeln!(
            text,
            "{:28}{:indent$}{:>8}  {} in {} {}",
            "",
            "",
            held.amount,
            named(held.packet),
            session.nodes.name(held.node),
            does(held)
        );
        write_tree(text, session, &held.held_by, depth + 1);
    }
}

fn does(held: &Held) -> String {
    match held.does {
        Does::Goes => "goes on".to_owned(),
        Does::Stays(cause) if held.held_by.is_empty() => format!("waits: {}", cause.name()),
        Does::Stays(cause) => format!("waits: {}, for", cause.name()),
        Does::Circle => "closes the circle".to_owned(),
        Does::Unknown => "has gone".to_owned(),
    }
}

fn tree_json(all: &[Held]) -> Value {
    let held = all.iter().map(|held| {
        let (does, cause) = match held.does {
            Does::Goes => ("goes", None),
            Does::Stays(cause) => ("stays", Some(cause.name())),
            Does::Circle => ("circle", None),
            Does::Unknown => ("gone", None),
        };
        json!({
            "packet": named(held.packet),
            "node": held.node.0,
            "amount": held.amount,
            "does": does,
            "cause": cause,
            "held_by": tree_json(&held.held_by),
        })
    });
    held.collect()
}

fn sums(found: &Why, unit: &str) -> String {
    let total = found.total().max(1);
    let mut text = format!("\n{} {unit} in all\n", found.total());
    for (cause, amount) in found.by_cause() {
        let percent = 100.0 * amount as f64 / total as f64;
        text += &format!("{amount:>8}  {percent:>5.1} %  {}\n", cause.name());
    }
    text
}

/// Puts each tree to its charge.
fn put_trees(all: &mut Value, found: &Why, node: Option<NodeId>, trees: &Trees) {
    for (row, place) in asked(found, node).enumerate() {
        if let Some(held) = trees.get(&place) {
            all["charges"][row]["held"] = tree_json(held);
        }
    }
}
