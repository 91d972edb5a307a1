//! `flitwork trace packets`.

use super::session::{Session, filter};
use super::table::{Form, Table};
use crate::args::Packets;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain};
use flitwork_debug::language::Row;
use flitwork_debug::rows::{PacketRow, packet_columns};
use flitwork_view::lookup::column;
use std::cmp::Reverse;

pub(super) fn run(args: &Packets, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&args.of, asking)?;
    let columns = packet_columns(&session.nodes);
    let filter = filter(args.filter.as_ref(), &columns)?;
    let sort = args.sort.as_ref().map(|name| column(&columns, name));
    let sort = sort.transpose();
    let sort = sort.map_err(|error| Exit::bad_input(format!("--sort: {error}")))?;
    let (mut rows, is_whole) = session.packets()?;
    rows.retain(|row| filter.holds(&(row, &session.nodes)));
    if let Some(column) = sort {
        let key = |row: &PacketRow| Reverse((row, &session.nodes).value(column));
        rows.sort_by_key(key);
    }
    let shown = args
        .limit
        .map_or(rows.len(), |limit| limit as usize)
        .min(rows.len());
    let mut table = Table::new(&columns, Form::new(args.of.json, args.jsonl));
    for row in &rows[..shown] {
        table.put(&(row, &session.nodes))?;
    }
    table.end()?;
    if shown < rows.len() {
        complain(&format!("{} more packets", rows.len() - shown));
    }
    Ok(Code(if is_whole { FINE } else { INTERRUPTED }))
}
