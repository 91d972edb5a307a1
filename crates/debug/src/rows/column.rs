//! Columns with the values that rows have in them.

use super::Nodes;
use crate::language::{Column, Kind};

/// A column of rows that show an `R`.
pub(super) struct ColumnOf<R: 'static> {
    name: &'static str,
    kind: fn(&Nodes) -> Kind,
    help: &'static str,
    value: fn(&R) -> Option<i64>,
}

/// A column with a name, a kind and a line of help, and the value that it shows of an `R`.
pub(super) const fn column<R>(
    name: &'static str,
    kind: fn(&Nodes) -> Kind,
    help: &'static str,
    value: fn(&R) -> Option<i64>,
) -> ColumnOf<R> {
    ColumnOf {
        name,
        kind,
        help,
        value,
    }
}

impl<R> ColumnOf<R> {
    /// The column in a network of these nodes.
    pub(super) fn of(&self, nodes: &Nodes) -> Column {
        Column::new(self.name, (self.kind)(nodes), self.help)
    }

    #[inline]
    pub(super) fn value(&self, row: &R) -> Option<i64> {
        (self.value)(row)
    }
}
