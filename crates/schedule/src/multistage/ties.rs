//! Which of two packets of the same rank is first.

use super::Mesh;
use super::order::{column_by_column, row_by_row};
use crate::Request;

/// Declares the ways to break ties: each with its name and its summary.
macro_rules! ties {
    ($($tie:ident = $name:literal, $says:literal;)+) => {
        /// Which of two packets of the same rank is first. If they are equal in this too, the one that was requested first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Ties {
            $(
                #[doc = $says]
                $tie,
            )+
        }

        impl Ties {
            /// All of them, by what users call them.
            pub const ALL: &[(&str, Ties)] = &[$(($name, Ties::$tie)),+];

            /// What users call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Ties::$tie => $name,)+
                }
            }

            /// What users may say for short: sources needn't be named.
            pub fn short_name(self) -> &'static str {
                self.name().trim_start_matches("source-")
            }
        }
    };
}

ties! {
    DestinationColumnMajor = "destination-column-major", "By destination, column by column.";
    DestinationRowMajor = "destination-row-major", "By destination, row by row.";
    Random = "random", "By a number that looks random, of a seed.";
    SourceColumnMajor = "source-column-major", "By source, column by column.";
    SourceRowMajor = "source-row-major", "By source, row by row.";
}

impl Ties {
    /// The one of that name, or of that short name.
    pub fn find(name: &str) -> Option<Ties> {
        let found = Ties::ALL
            .iter()
            .find(|(its, ties)| [its, ties.short_name()].contains(&name));
        found.map(|(_, ties)| *ties)
    }

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
