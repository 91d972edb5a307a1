//! Rows of packets that are kept in memory.

use super::row::COLUMNS;
use flitwork_debug::rows::PacketRow;
use flitwork_files::WriteError;
use flitwork_report::{Cell, TableFile};
use flitwork_types::{Cycle, NodeId};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The rows that have been put there so far.
#[derive(Clone, Debug, Default)]
pub struct PacketRows(Arc<Mutex<Vec<PacketRow>>>);

impl PacketRows {
    /// Takes them.
    pub fn take(&self) -> Vec<PacketRow> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TableFile for PacketRows {
    fn put(&mut self, row: &[Cell]) -> io::Result<()> {
        let facts =
            row_of(row).ok_or_else(|| io::Error::other("a row of a packet has other columns"))?;
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(facts);
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[(&str, Cell)]) -> Result<(), WriteError> {
        Ok(())
    }
}

/// The row of these cells, in the order of the columns.
pub(crate) fn row_of(row: &[Cell]) -> Option<PacketRow> {
    let row: &[Cell; COLUMNS] = row.try_into().ok()?;
    let number = |place: usize| match row[place] {
        Cell::Count(number) => Some(number),
        _ => None,
    };
    let cycle = |place| number(place).map(|cycle| Cycle(cycle as u32));
    Some(PacketRow {
        source: NodeId(number(0)? as u32),
        serial: number(1).map(|it| it as u32),
        destination: number(2).map(|it| NodeId(it as u32)),
        class: number(3).map(|it| it as u8),
        words: number(4)? as u16,
        trace_id: number(5),
        created: cycle(6)?,
        injected: cycle(7),
        delivered: cycle(8),
        latency: number(9),
        hops: number(10).map(|it| it as u16),
        deroutes: number(11).map(|it| it as u16),
    })
}
