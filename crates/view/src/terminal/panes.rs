//! What is shown beside the map, as lines.

use super::app::{App, Pane};
use super::describe::what;
use crate::shown::{charge_unit, named};
use crate::text::{idle_text, node_text};
use flitwork_debug::Why;
use ratatui::style::Stylize;
use ratatui::text::Line;

/// How many cycles before and after the present are shown of what happens in a node.
const AROUND_CYCLES: u64 = 128;

/// The lines of the pane that is turned to.
pub(super) fn lines(app: &mut App<'_>) -> Vec<Line<'static>> {
    match app.pane {
        Pane::Node => node(app),
        Pane::Events => events(app),
        Pane::Packets => packets(app),
        Pane::Why => why(app),
    }
}

fn node(app: &mut App<'_>) -> Vec<Line<'static>> {
    let cycle = app.session.local(app.node);
    let nodes = app.session.nodes.clone();
    let unit = app.session.unit();
    let title = format!("node {} before its cycle {cycle}", nodes.name(app.node));
    let chosen = app.packet.map(named);
    let Some(inside) = app.session.inside(app.node) else {
        return vec![Line::from(title)];
    };
    let mut text = node_text(&nodes, &inside.view, inside.next.step());
    if let Some(idle) = idle_text(&inside.next, unit) {
        text += &format!("\n{idle}\n");
    }
    let is_chosen = |line: &str| {
        let mut words = line.split([' ', ',']);
        chosen
            .as_deref()
            .is_some_and(|chosen| words.any(|word| word == chosen))
    };
    let lines = text.lines().map(|line| match is_chosen(line) {
        true => Line::from(line.to_owned()).bold(),
        false => Line::from(line.to_owned()),
    });
    [Line::from(title).bold(), Line::default()]
        .into_iter()
        .chain(lines)
        .collect()
}

fn events(app: &mut App<'_>) -> Vec<Line<'static>> {
    let now = app.session.time;
    let all = app.session.events_around(app.node, AROUND_CYCLES);
    let nodes = &app.session.nodes;
    let line = |it: &flitwork_debug::Happening| {
        let line = Line::from(format!("{:>12}  {}", it.time, what(nodes, it)));
        match it.packet().is_some() && it.packet() == app.packet {
            true => line.bold(),
            false => line,
        }
    };
    let (before, after): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.time < now);
    let present = Line::from(format!("{now:>12}  ── now ──")).reversed();
    let before = before.into_iter().map(line);
    let after = after.into_iter().map(line);
    before.chain([present]).chain(after).collect()
}

fn packets(app: &mut App<'_>) -> Vec<Line<'static>> {
    let all = app.session.packets();
    app.picked = app.picked.min(all.len().saturating_sub(1));
    let nodes = &app.session.nodes;
    let title = format!(
        "{} packets in the network; j, k and Enter choose",
        all.len()
    );
    let head = format!(
        "  {:<12} {:<14} {:<14} {:>9} {:>5} {:>8}",
        "packet", "waits in", "for node", "made in", "hops", "deroutes"
    );
    let rows = all.iter().enumerate().map(|(place, (packet, node))| {
        let waits_in = node.map(|node| nodes.name(node)).unwrap_or_default();
        let mark = if app.packet == Some(packet.id) {
            "▸"
        } else {
            " "
        };
        let line = Line::from(format!(
            "{mark} {:<12} {waits_in:<14} {:<14} {:>9} {:>5} {:>8}",
            named(packet.id),
            nodes.terminal_name(packet.destination),
            packet.created,
            packet.hops,
            packet.deroutes
        ));
        match place == app.picked {
            true => line.reversed(),
            false => line,
        }
    });
    let titles = [Line::from(title).bold(), Line::from(head)];
    titles.into_iter().chain(rows).collect()
}

fn why(app: &mut App<'_>) -> Vec<Line<'static>> {
    let Some(packet) = app.packet else {
        return vec![Line::from(
            "no packet is selected: f finds one, o takes one in the node",
        )];
    };
    let unit = charge_unit(app.session.unit());
    let now = app.session.time;
    let nodes = app.session.nodes.clone();
    let found = match app.session.why(packet) {
        Some(Ok(found)) => found,
        Some(Err(error)) => return vec![Line::from(format!("{error}; w asks again"))],
        None => return Vec::new(),
    };
    let title = format!("packet {}: {} {unit}", named(packet), found.total());
    let mut lines = vec![Line::from(title).bold()];
    lines.extend(sums(found));
    lines.push(Line::default());
    for (place, charge) in found.charges.iter().enumerate() {
        let culprit = charge.culprit.map(|it| format!("  {}", named(it)));
        let line = Line::from(format!(
            "{:>12} {:<14} {:>7}  {}{}",
            charge.time,
            nodes.name(charge.node),
            charge.amount,
            charge.cause.name(),
            culprit.unwrap_or_default()
        ));
        let is_now = (charge.time..charge.time + found.takes(place)).contains(&now);
        lines.push(match is_now {
            true => line.reversed(),
            false => line,
        });
    }
    lines
}

fn sums(found: &Why) -> Vec<Line<'static>> {
    let total = found.total().max(1);
    let sum = |(cause, amount): (flitwork_node::Cause, u64)| {
        let bar = "█".repeat((20 * amount / total) as usize);
        Line::from(format!("{amount:>8}  {:<22} {bar}", cause.name()))
    };
    found.by_cause().into_iter().map(sum).collect()
}
