//! `flitwork trace node`.

use super::session::Session;
use crate::args::AtNode;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, FINE, INTERRUPTED, print};
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Inside, TimeUnit, inside};
use flitwork_experiment::simulation::Use;
use flitwork_types::{Cycle, NodeId};
use flitwork_view::lookup::no_cycle;
use flitwork_view::shown::inside_json;
use flitwork_view::text::{idle_text, node_text};
use std::fmt::Write;

pub(super) fn run(args: &AtNode, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&args.of, asking)?;
    let (node, cycle) = args.at;
    if node.0 >= session.nodes.count() {
        return Err(session.no_node(node).into());
    }
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let go_on = &mut || session.interruption().flow().is_continue();
    let end = session.recalled.end();
    let Some(time) = timeline.time_of(node, cycle, end, go_on)? else {
        let last = timeline.last_of(node, end, go_on)?;
        return Err(session.wrong(no_cycle(node, cycle, last)).into());
    };
    let Ok(inside) = inside(&mut timeline, node, time, go_on) else {
        return Ok(Code(INTERRUPTED));
    };
    let nodes = &session.nodes;
    let cut = timeline.least_cut(node, cycle, go_on);
    let text = match args.of.json {
        true => {
            let mut found = inside_json(nodes, &inside, cycle);
            if let Some(cut) = &cut {
                found["least_cut"] = cut.iter().map(|cycle| cycle.get()).collect();
            }
            format!("{found:#}\n")
        }
        false => {
            let cut = cut.map(|cut| cut_text(nodes, node, &cut));
            text(nodes, args, &inside, timeline.unit()) + &cut.unwrap_or_default()
        }
    };
    print(&text)?;
    session.agree(&differs)?;
    match go_on() {
        true => Ok(Code(FINE)),
        // Perhaps without the cut.
        false => Ok(Code(INTERRUPTED)),
    }
}

fn text(nodes: &Nodes, args: &AtNode, inside: &Inside, unit: TimeUnit) -> String {
    let (node, cycle) = args.at;
    let mut text = format!("node {} before its cycle {cycle}", nodes.name(node));
    if inside.time != u64::from(cycle.get()) {
        let _ = write!(text, ", at {}", inside.time);
    }
    text += "\n\n";
    text += &node_text(nodes, &inside.view, inside.next.step());
    if let Some(idle) = idle_text(&inside.next, unit) {
        text += &format!("\n{idle}\n");
    }
    text
}

/// Where the others stand in the least consistent cut.
fn cut_text(nodes: &Nodes, node: NodeId, cut: &[Cycle]) -> String {
    let others = (0..)
        .map(NodeId)
        .zip(cut)
        .filter(|(other, _)| *other != node);
    let ends = others
        .clone()
        .min_by_key(|it| it.1)
        .zip(others.max_by_key(|it| it.1));
    let Some(((first, least), (last, most))) = ends else {
        return String::new();
    };
    format!(
        "\nin the least consistent cut with it the others stand at their cycles {least} (node {}) to {most} (node {})\n",
        nodes.name(first),
        nodes.name(last)
    )
}
