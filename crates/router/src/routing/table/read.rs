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
    let names = Names::of(shape);
    let mut routes = Builder::new(shape.nodes() as usize, channels);
    each_row(text, &COLUMNS, NEEDED, |row| {
        let (pair, ways) = ways(row, &names, channels)?;
        routes.add(pair, &ways).map_err(|way| {
            let before = first_with(text, shape, pair, |row| {
                let (_, earlier) = self::ways(row, &names, channels).ok()?;
                let clashes = |it: &Way| it.port == way.port && it.channels & way.channels != 0;
                earlier.iter().any(clashes).then_some(())
            });
            let line = before.map_or(0, |at| line_of(text, &at));
            let port = shape.port_name(way.port);
            let found = format!("channels of `{port}` again for these; they are in line {line}");
            wrong(
                row.at.clone(),
                found,
                "each channel of a port once for a node and a destination",
            )
        })
    })?;
    Ok(routes.routes())
}

/// The place of the first row of a pair.
pub(super) fn place_of(text: &str, shape: &Shape, pair: (NodeId, NodeId)) -> Option<Span> {
    first_with(text, shape, pair, |_| Some(()))
}

/// The place of the first row of a pair for which `is_it` says so. The text has been read before.
fn first_with(
    text: &str,
    shape: &Shape,
    pair: (NodeId, NodeId),
    is_it: impl Fn(&Row<'_>) -> Option<()>,
) -> Option<Span> {
    let names = Names::of(shape);
    let mut found = None;
    let _ = each_row(text, &COLUMNS, NEEDED, |row| {
        let is_pair = pair_of(row, &names).is_ok_and(|it| it == pair);
        match is_pair && is_it(row).is_some() {
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
    let node = |column| {
        let cell = row.needed(column, "a node")?;
        let node = names.node(cell);
        node.map_err(|(found, allowed)| wrong(row.at.clone(), found, allowed))
    };
    Ok((node("node")?, node("destination")?))
}

/// What a row says.
fn ways(
    row: &Row<'_>,
    names: &Names<'_>,
    channels: u8,
) -> Result<((NodeId, NodeId), Vec<Way>), FileMistake> {
    let (here, to) = pair_of(row, names)?;
    if here == to {
        let found = format!(
            "a route from node `{}` to itself",
            shown(row.needed("node", "a node")?)
        );
        return Err(wrong(row.at.clone(), found, "routes to other nodes"));
    }
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
    Ok(((here, to), ways))
}

/// What a cell lists: what is between bars, or else between spaces.
fn listed(cell: &str) -> Vec<&str> {
    match cell.contains('|') {
        true => cell.split('|').map(str::trim).collect(),
        false => cell.split_whitespace().collect(),
    }
}
