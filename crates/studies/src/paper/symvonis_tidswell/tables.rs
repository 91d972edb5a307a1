//! Tables 1 to 9 as they were printed.

use super::shape::Shape;
use serde::Deserialize;
use std::sync::LazyLock;

/// The number of the last table.
pub(super) const LAST: u8 = 9;

/// A mesh of a table, and how many permutations of it were scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Printed {
    rows: u32,
    columns: u32,
    /// How many permutations of it were scheduled.
    pub(super) experiments: u64,
}

impl Printed {
    /// The mesh; its long side lies along the rows.
    pub(super) fn shape(&self) -> Shape {
        let Printed { rows, columns, .. } = *self;
        Shape { rows, columns }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    number: u8,
    meshes: Vec<Printed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    table: Vec<Table>,
}

static PAPER: LazyLock<Paper> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../data/symvonis-tidswell-1994.toml"))
        .expect("the tables come with the program, and a test reads them")
});

/// The meshes of all tables, each with the number of its table, in the paper's order.
pub(super) fn printed() -> impl Iterator<Item = (u8, &'static Printed)> {
    let of = |table: &'static Table| table.meshes.iter().map(|mesh| (table.number, mesh));
    PAPER.table.iter().flat_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The captions say how many nodes the meshes of Tables 2 to 9 have: 2^14 down to 2^7. The text says that all are
    /// 2^m x 2^(k - m).
    #[test]
    fn the_tables_have_the_meshes_of_their_captions() {
        let tables: Vec<u8> = printed().map(|it| it.0).collect();
        assert!(tables.is_sorted());
        let meshes = (1..=LAST).map(|table| tables.iter().filter(|it| **it == table).count());
        assert_eq!(meshes.collect::<Vec<_>>(), [18, 5, 5, 5, 4, 4, 3, 3, 2]);
        for (place, (table, it)) in printed().enumerate() {
            let Shape { rows, columns } = it.shape();
            match table {
                1 => assert_eq!([rows, columns], [10 * (place as u32 + 1); 2]),
                table => assert_eq!(rows * columns, 1 << (16 - table)),
            }
            assert!(rows <= columns, "the long side lies along the rows");
        }
        // "We ran millions of experiments": added up by hand, table by table.
        let sum: u64 = printed().map(|it| it.1.experiments).sum();
        let tables = [
            2_723_400, 16_760, 10_820, 20_480, 22_160, 18_540, 42_240, 224_160, 365_980,
        ];
        assert_eq!(sum, tables.iter().sum::<u64>());
    }
}
