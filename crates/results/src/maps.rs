//! Maps of nodes and links.

use super::links;
use flitwork_experiment::simulate::Simulated;
use flitwork_plot::{HeatMap, Palette, Sheet};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};

/// The most maps of a port that fit into one row.
const MOST_PLANES_IN_A_ROW: usize = 16;

/// Packets in a node: a line or a plane as one map, a grid of more dimensions as one map per plane.
pub(super) fn occupancy(grid: &Grid, values: &[f64]) -> HeatMap<'static> {
    let (width, height) = plane(grid);
    let planes = values.chunks(width * height).enumerate();
    let sheets = planes.map(|(plane, values)| Sheet {
        label: plane_name(grid, plane),
        values: values.to_vec(),
    });
    let sheets: Vec<Sheet> = sheets.collect();
    HeatMap {
        title: "Mean number of packets in a node",
        width,
        height,
        across: in_a_row(grid, sheets.len()),
        sheets,
        unit: "packets",
        palette: Palette::Viridis,
    }
}

/// Use of links: a map per port and plane, in which each node shows its link at that port.
pub(super) fn link_use(grid: &Grid, run: &Simulated, cycles: f64) -> HeatMap<'static> {
    let seen = &run.observation;
    let nodes = grid.nodes() as usize;
    let (width, height) = plane(grid);
    let ports = grid.ports();
    let mut use_by_port = vec![vec![f64::NAN; nodes]; ports];
    for (node, port) in links(grid) {
        let (node, port) = (node as usize, port as usize);
        use_by_port[port][node] = seen.link_words[node * ports + port] as f64 / cycles;
    }
    let planes = nodes / (width * height);
    let mut sheets = Vec::new();
    for (port, values) in use_by_port.iter().enumerate() {
        for (plane, values) in values.chunks(width * height).enumerate() {
            let to = match grid.port_name(Port(port as u8)).as_str() {
                "-d3" => "to lower z".to_owned(),
                "+d3" => "to higher z".to_owned(),
                name => format!("to {name}"),
            };
            let label = match planes {
                1 => to,
                _ => format!("{to}, {}", plane_name(grid, plane)),
            };
            let values = values.to_vec();
            sheets.push(Sheet { label, values });
        }
    }
    let across = match planes {
        1 if height == 1 => 1,
        1 => 2,
        // One row per port.
        2..=MOST_PLANES_IN_A_ROW => planes,
        _ => square(sheets.len()),
    };
    HeatMap {
        title: "Link utilisation, by output port",
        width,
        height,
        sheets,
        across,
        unit: "words/link/cycle",
        palette: Palette::Viridis,
    }
}

/// Nodes in a row and in a column of a plane; a line is a plane of one row.
fn plane(grid: &Grid) -> (usize, usize) {
    let side = |dimension: usize| grid.sides().get(dimension).map_or(1, |side| *side as usize);
    (side(0), side(1))
}

/// Where a plane lies in the dimensions beyond it: z = 1, d4 = 0. Nothing if there are none.
fn plane_name(grid: &Grid, number: usize) -> String {
    let (width, height) = plane(grid);
    let first = NodeId((number * width * height) as u32);
    let beyond = grid.coordinates(first).into_iter().enumerate().skip(2);
    let named = beyond.map(|(dimension, at)| match dimension {
        2 => format!("z = {at}"),
        _ => format!("d{} = {at}", dimension + 1),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Maps per row: those of one z below each other if z is short, otherwise about as many as rows.
fn in_a_row(grid: &Grid, maps: usize) -> usize {
    let third = grid.sides().get(2).map_or(1, |side| *side as usize);
    if third < maps && (2..=12).contains(&third) {
        third
    } else {
        square(maps)
    }
}

/// As many in a row as there are rows.
fn square(maps: usize) -> usize {
    ((maps as f64).sqrt().ceil() as usize).max(1)
}
