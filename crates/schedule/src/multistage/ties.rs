//! Which of two packets of the same rank is first.

use super::Mesh;
use super::choices::choices;
use super::order::{column_by_column, row_by_row};
use crate::Request;

// In a short name sources needn't be named.
choices! {
    /// Which of two packets of the same rank is first. If they are equal in this too, the one that was requested first.
    Ties, |name| name.trim_start_matches("source-");
    DestinationColumnMajor = "destination-column-major", "By destination, column by column.";
    DestinationRowMajor = "destination-row-major", "By destination, row by row.";
    Random = "random", "By a number that looks random, of a seed.";
    SourceColumnMajor = "source-column-major", "By source, column by column.";
    SourceRowMajor = "source-row-major", "By source, row by row.";
}

impl Ties {
    /// A packet's key: the least is first. Those that look random have none.
    #[inline]
    pub(super) fn key(self, mesh: &Mesh, request: &Request) -> Option<u32> {
        let (source, destination) = (mesh.place(request.source), mesh.place(request.destination));
        match self {
            Ties::DestinationColumnMajor => Some(column_by_column(mesh, destination)),
            Ties::DestinationRowMajor => Some(row_by_row(mesh, destination)),
            Ties::Random => None,
            Ties::SourceColumnMajor => Some(column_by_column(mesh, source)),
            Ties::SourceRowMajor => Some(row_by_row(mesh, source)),
        }
    }
}
