//! A table in CSV.

use super::names::Names;
use super::routes::{Builder, Routes, Way};
use crate::routing::channels::all;
use flitwork_schema::{FileMistake, Span, shown};
use flitwork_topology::rows::{Row, each_row, line_of, whole, wrong};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;

/// The columns, the first three of which must be there.
const COLUMNS: [&str; 5] = ["node", "destination", "ports", "channels", "rank"];
const NEEDED: usize = 3;

/// The routes that a text has for a network with so many virtual channels a link.
pub(super) fn routes(text: &str, shape: &Shape, channels: u8) -> Result<Routes, FileMistake> {
    let mut rows = Rows::of(shape, channels);
    let mut routes = Builder::new(shape.nodes() as usize, channels);
    each_row(text, &COLUMNS, NEEDED, |row| {
        let (pair, ways) = rows.read(row)?;
        routes
            .add(pair, ways)
            .map_err(|way| again(text, shape, channels, (row, pair), way))
    })?;
    Ok(routes.routes())
}

/// Channels of a way of a row that another row of the same pair has, too.
fn again(
    text: &str,
    shape: &Shape,
    channels: u8,
    (row, pair): (&Row<'_>, (NodeId, NodeId)),
    way: Way,
) -> FileMistake {
    let mut rows = Rows::of(shape, channels);
    let before = first_with(text, shape, pair, |row| {
        let clashes = |it: &Way| it.port == way.port && it.channels & way.channels != 0;
        rows.read(row)
            .is_ok_and(|(_, ways)| ways.iter().any(clashes))
    });
    let line = before.map_or(0, |at| line_of(text, &at));
    let port = shape.port_name(way.port);
    let found = format!("channels of `{port}` again for these; they are in line {line}");
    let allowed = "each channel of a port once for a node and a destination";
    wrong(row.at.clone(), found, allowed)
}

/// The place of the first row of a pair.
pub(super) fn place_of(text: &str, shape: &Shape, pair: (NodeId, NodeId)) -> Option<Span> {
    first_with(text, shape, pair, |_| true)
}

/// The place of the first row of a pair for which `is_it` says so. The text has been read before.
fn first_with(
    text: &str,
    shape: &Shape,
    pair: (NodeId, NodeId),
    mut is_it: impl FnMut(&Row<'_>) -> bool,
) -> Option<Span> {
    let names = Names::of(shape);
    let mut found = None;
    let _ = each_row(text, &COLUMNS, NEEDED, |row| {
        let is_pair = pair_of(row, &names).is_ok_and(|it| it == pair);
        match is_pair && is_it(row) {
            false => Ok(()),
            true => {
                found = Some(row.at.clone());
                Err(wrong(None, "", ""))
            }
        }
    });
    found
}

/// The node and the destination of a row.
fn pair_of(row: &Row<'_>, names: &Names<'_>) -> Result<(NodeId, NodeId), FileMistake> {
    Ok((node(row, "node", names)?, node(row, "destination", names)?))
}

/// What cells name.
const A_NODE: &str = "a node";

/// The node that a cell names.
fn node(row: &Row<'_>, column: &str, names: &Names<'_>) -> Result<NodeId, FileMistake> {
    let node = names.node(row.needed(column, A_NODE)?);
    node.map_err(|(found, allowed)| wrong(row.at.clone(), found, allowed))
}

/// How many different cells of a node's rows are remembered.
const MOST_KEPT: usize = 64;

/// What rows say. Rows that follow each other are often of one node, and have few different ports.
struct Rows<'s> {
    names: Names<'s>,
    channels: u8,
    /// The node of the last row, as it calls it.
    last: (String, NodeId),
    /// What its rows said so far, by their cells for ports, channels and rank.
    said: Vec<([String; 3], Vec<Way>)>,
}

impl<'s> Rows<'s> {
    fn of(shape: &'s Shape, channels: u8) -> Rows<'s> {
        Rows {
            names: Names::of(shape),
            channels,
            last: (String::new(), NodeId(0)),
            said: Vec::new(),
        }
    }

    fn read(&mut self, row: &Row<'_>) -> Result<((NodeId, NodeId), &[Way]), FileMistake> {
        let cell = row.needed("node", A_NODE)?;
        if self.last.0 != cell {
            self.last = (cell.to_owned(), node(row, "node", &self.names)?);
            self.said.clear();
        }
        let here = self.last.1;
        let to = node(row, "destination", &self.names)?;
        if here == to {
            let found = format!("a route from node `{}` to itself", shown(cell));
            return Err(wrong(row.at.clone(), found, "routes to other nodes"));
        }
        let cells = ["ports", "channels", "rank"].map(|it| row.cell(it).unwrap_or_default());
        let known = self.said.iter().position(|(it, _)| *it == cells);
        let known = match known {
            Some(known) => known,
            None => {
                let ways = ways(row, here, &self.names, self.channels)?;
                if self.said.len() == MOST_KEPT {
                    self.said.clear();
                }
                self.said.push((cells.map(str::to_owned), ways));
                self.said.len() - 1
            }
        };
        Ok(((here, to), &self.said[known].1))
    }
}

/// The ways of a row at a node.
fn ways(
    row: &Row<'_>,
    here: NodeId,
    names: &Names<'_>,
    channels: u8,
) -> Result<Vec<Way>, FileMistake> {
    let is_fallback = match row.cell("rank") {
        None | Some("preferred") => false,
        Some("fallback") => true,
        Some(other) => {
            let found = format!("rank `{}`", shown(other));
            return Err(wrong(row.at.clone(), found, "preferred or fallback"));
        }
    };
    let mut mask = 0;
    for cell in row
        .cell("channels")
        .map_or_else(Vec::new, |cell| listed(cell))
    {
        mask |= 1 << whole(cell, "channel", (0, u32::from(channels) - 1), &row.at)?;
    }
    let mask = if mask == 0 { all(channels) } else { mask };
    let cell = row.needed("ports", "ports of the node, or neighbours")?;
    let mut ways: Vec<Way> = Vec::new();
    // A name may have spaces.
    let is_name = !cell.contains('|') && names.ports(here, cell).is_ok();
    let each = if is_name { vec![cell] } else { listed(cell) };
    for name in each {
        let ports = names.ports(here, name);
        let ports = ports.map_err(|(found, allowed)| wrong(row.at.clone(), found, allowed))?;
        for port in ports {
            if ways.iter().any(|way| way.port == port) {
                let found = format!("`{}` again", shown(name));
                return Err(wrong(row.at.clone(), found, "each port once in a row"));
            }
            ways.push(Way {
                port,
                channels: mask,
                is_fallback,
            });
        }
    }
    Ok(ways)
}

/// What a cell lists: what is between bars, or else between spaces.
fn listed(cell: &str) -> Vec<&str> {
    match cell.contains('|') {
        true => cell.split('|').map(str::trim).collect(),
        false => cell.split_whitespace().collect(),
    }
}
