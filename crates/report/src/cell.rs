//! What a column holds in a row: a value of the column's kind, or nothing.

use serde::{Serialize, Serializer};
use std::fmt;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers, with a sign.
    Whole,
    /// Whole numbers, without one.
    Count,
    /// Numbers.
    Number,
    /// `true` or `false`.
    Truth,
    /// Text.
    Text,
}

/// A value in a column of its kind; in JSON it is null where it is missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Nothing: it isn't known, or there is no such thing.
    Missing,
    /// Of [`Kind::Whole`].
    Whole(i64),
    /// Of [`Kind::Count`].
    Count(u64),
    /// Of [`Kind::Number`], finite.
    Number(f64),
    /// Of [`Kind::Number`], finite, shown to this many decimal places.
    #[serde(serialize_with = "in_full")]
    Places(f64, u8),
    /// Of [`Kind::Truth`].
    Truth(bool),
    /// Of [`Kind::Text`].
    Text(String),
}

/// A value that a cell can hold; what isn't a finite number is missing.
pub trait CellValue {
    /// The kind of its column.
    const KIND: Kind;
    /// The cell that holds it.
    fn cell(self) -> Cell;
}

/// A number that is shown to this many decimal places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places<const PLACES: u8>(pub f64);

macro_rules! held {
    ($($of:ty: $kind:ident, $it:ident => $cell:expr;)*) => {$(
        impl CellValue for $of {
            const KIND: Kind = Kind::$kind;
            fn cell(self) -> Cell {
                let $it = self;
                $cell
            }
        }
    )*};
}

held! {
    i64: Whole, it => Cell::Whole(it);
    u8: Count, it => Cell::Count(it.into());
    u16: Count, it => Cell::Count(it.into());
    u32: Count, it => Cell::Count(it.into());
    u64: Count, it => Cell::Count(it);
    u128: Count, it => u64::try_from(it).map_or(Cell::Missing, Cell::Count);
    usize: Count, it => Cell::Count(it as u64);
    f64: Number, it => if it.is_finite() { Cell::Number(it) } else { Cell::Missing };
    bool: Truth, it => Cell::Truth(it);
    String: Text, it => Cell::Text(it);
    &str: Text, it => Cell::Text(it.to_owned());
}

impl<const PLACES: u8> CellValue for Places<PLACES> {
    const KIND: Kind = Kind::Number;
    fn cell(self) -> Cell {
        match self.0.is_finite() {
            true => Cell::Places(self.0, PLACES),
            false => Cell::Missing,
        }
    }
}

impl<T: CellValue> CellValue for Option<T> {
    const KIND: Kind = T::KIND;
    fn cell(self) -> Cell {
        self.map_or(Cell::Missing, T::cell)
    }
}

impl Cell {
    /// The number it holds, of whatever kind.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Whole(number) => Some(*number as f64),
            Cell::Count(number) => Some(*number as f64),
            Cell::Number(number) | Cell::Places(number, _) => Some(*number),
            Cell::Missing | Cell::Truth(_) | Cell::Text(_) => None,
        }
    }
}

/// As CSV has it, before quotes: nothing where it is missing.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => Ok(()),
            Cell::Whole(number) => number.fmt(f),
            Cell::Count(number) => number.fmt(f),
            Cell::Number(number) => number.fmt(f),
            Cell::Places(number, places) => write!(f, "{number:.*}", usize::from(*places)),
            Cell::Truth(truth) => truth.fmt(f),
            Cell::Text(text) => text.fmt(f),
        }
    }
}

/// A number as JSON has it, with all of its places.
fn in_full<S: Serializer>(number: &f64, _: &u8, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*number)
}
