//! What is drawn of a network besides its nodes.

use flitwork_experiment::load::ChannelLoad;
use flitwork_plot::Line;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The middle of a square for each terminal that enters or receives at a node, as parts of a node's radius: on a fan to the left where packets
/// only enter, to the right where they only leave, below on a tree, and elsewhere all around.
pub(super) fn marks(shape: &Shape, node: NodeId) -> Vec<(f64, f64)> {
    let first = shape.ports() as u8;
    let locals = || (0..shape.locals() as u8).map(|local| Port(first + local));
    let enter = locals().filter(|port| shape.source_at(node, *port).is_some());
    let leave = locals().filter(|port| shape.terminal_at(node, *port).is_some());
    let (enter, leave) = (enter.count(), leave.count());
    let is_tree = shape.level(node).is_some();
    let (number, middle) = match (enter, leave) {
        (0, leave) => (leave, 0.0),
        (enter, 0) => (enter, PI),
        (_, leave) => (leave, FRAC_PI_2),
    };
    let (apart, first) = match is_tree {
        // Next to each other, around the middle.
        true => {
            let apart = (0.7 * PI / number as f64).min(0.5);
            (apart, middle - 0.5 * apart * (number as f64 - 1.0))
        }
        // All around, the first to the lower right.
        false => (TAU / number as f64, FRAC_PI_2 / 2.0),
    };
    let at = |mark: usize| {
        let angle = first + apart * mark as f64;
        (1.3 * angle.cos(), 1.3 * angle.sin())
    };
    (0..number).map(at).collect()
}

/// Every link once, with what its busier way carries; one that leads one way as an arrow.
pub(super) fn lines(shape: &Shape, load: Option<&ChannelLoad>) -> Vec<Line> {
    let carried = |(node, port): (NodeId, Port)| {
        let link = node.index() * shape.ports() + port.index();
        load.map_or(0.0, |load| load.links[link])
    };
    let nodes = (0..shape.nodes()).map(NodeId);
    let all = nodes.flat_map(|node| shape.links(node).iter().map(move |port| (node, port)));
    let lines = all.filter_map(|from| {
        let far = shape.far(from.0, from.1)?;
        let is_arrow = shape.far(far.0, far.1) != Some(from);
        let back = if is_arrow { 0.0 } else { carried(far) };
        let load = carried(from).max(back);
        let (from, far, is_first) = (from.0.index(), far.0.index(), from < far);
        (is_first || is_arrow).then_some(Line {
            from,
            to: far,
            is_arrow,
            load,
        })
    });
    lines.collect()
}
