//! `flitwork trace node`.

use super::session::Session;
use super::{Asking, Stop};
use crate::args::AtNode;
use crate::exit::{Code, FINE, INTERRUPTED, print};
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Inside, inside};
use flitwork_experiment::simulation::Use;
use flitwork_view::shown::node_json;
use flitwork_view::text::node_text;
use std::fmt::Write;

pub(super) fn run(args: &AtNode, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::open(&args.run, &args.settings, asking)?;
    let (node, cycle) = args.at;
    if node.0 >= session.nodes.count() {
        return Err(session.no_node(node).into());
    }
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let end = session.recalled.end();
    let Some(time) = timeline.time_of(node, cycle, end) else {
        let last = timeline.last_of(node, end);
        let refused = format!("node {node} doesn't come to cycle {cycle}; allowed: 0 to {last}");
        return Err(session.wrong(refused).into());
    };
    let Some(inside) = inside(&mut timeline, node, time, &mut || true) else {
        return Ok(Code(INTERRUPTED));
    };
    let nodes = &session.nodes;
    let text = match args.json {
        true => {
            let mut found = node_json(nodes, &inside.view, inside.next.as_ref());
            found["node"] = node.0.into();
            found["cycle"] = cycle.get().into();
            found["time"] = time.into();
            format!("{found:#}\n")
        }
        false => text(nodes, args, &inside),
    };
    print(&text)?;
    session.agree(&differs)?;
    Ok(Code(FINE))
}

fn text(nodes: &Nodes, args: &AtNode, inside: &Inside) -> String {
    let (node, cycle) = args.at;
    let mut text = format!("node {} before its cycle {cycle}", nodes.name(node));
    if inside.time != u64::from(cycle.get()) {
        let _ = write!(text, ", at {}", inside.time);
    }
    text += "\n\n";
    text += &node_text(nodes, &inside.view, inside.next.as_ref());
    if inside.next.is_none() {
        text += "\nnothing happens in it any more\n";
    }
    text
}
