//! Rows of packets that are kept in memory.

use super::TakesRows;
use flitwork_debug::rows::PacketRow;
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

impl TakesRows for PacketRows {
    fn put(&mut self, row: &PacketRow) -> io::Result<()> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(*row);
        Ok(())
    }
}
