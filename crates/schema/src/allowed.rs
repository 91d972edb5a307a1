//! What a value may be, whatever the others are.

use crate::{Datum, Parts, listed};
use std::fmt;

/// What a value may be, whatever the others are. Whether it goes with the others is checked by its part.
// Two keys that name parts of one kind may compare as different, as a function may have several addresses.
#[allow(unpredictable_function_pointer_comparisons)]
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    /// A table of keys.
    Table,
    /// A table with exactly one table in it.
    OneTable,
    /// A list of tables with the same keys.
    Tables,
    /// A whole number within a range.
    Whole(u64, u64),
    /// A whole number within a range, or a name instead.
    WholeOr(u64, u64, &'static str),
    /// A minimum and a maximum, both within a range.
    Range(u64, u64),
    /// A number within a range, and its unit.
    Number(f64, f64, &'static str),
    /// A number from the first to below the second, and its unit.
    Below(f64, f64, &'static str),
    /// The number of a node.
    Node,
    /// The numbers of at least one node.
    Nodes,
    /// `true` or `false`.
    Truth,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// The name of a part of some kind, as [`Parts::names`] lists them; the configuration's schema replaces it by
    /// [`Allowed::Names`].
    Part(fn(&Parts) -> Vec<&'static str>),
    /// One of the names of parts.
    Names(Vec<&'static str>),
    /// A text that isn't empty.
    Text,
    /// A list of at least one whole number within a range.
    Wholes(u64, u64),
    /// A list of whole numbers within a range: its greatest length, and the range.
    UpTo(usize, u64, u64),
    /// A list of at least one number within a range, and their unit.
    Numbers(f64, f64, &'static str),
    /// A square matrix of probabilities, row by row.
    Rows,
    /// A list of texts.
    Texts,
}

impl Allowed {
    /// The same, with the names of the parts.
    #[must_use]
    pub fn with_names(self, parts: &Parts) -> Allowed {
        match self {
            Allowed::Part(names) => Allowed::Names(names(parts)),
            other => other,
        }
    }

    /// Whether a number is in range, or a name in the list. Everything else is admitted.
    pub fn admits(&self, value: &Datum) -> bool {
        match (self, value) {
            (
                Allowed::Whole(least, most) | Allowed::WholeOr(least, most, _),
                Datum::Whole(number),
            ) => (i128::from(*least)..=i128::from(*most)).contains(number),
            (Allowed::Number(least, most, _), Datum::Real(number)) => {
                (*least..=*most).contains(number)
            }
            (Allowed::Below(least, bound, _), Datum::Real(number)) => {
                (*least..*bound).contains(number)
            }
            (Allowed::Choice(names), Datum::Text(name)) => names.contains(&name.as_str()),
            _ => true,
        }
    }

    /// The names to choose from, if any.
    pub fn choices(&self) -> &[&'static str] {
        match self {
            Allowed::Choice(names) => names,
            Allowed::Names(names) => names,
            Allowed::WholeOr(_, _, name) => std::slice::from_ref(name),
            _ => &[],
        }
    }

    /// Whether the value is a list.
    pub fn is_list(&self) -> bool {
        matches!(
            self,
            Allowed::Tables
                | Allowed::Range(..)
                | Allowed::UpTo(..)
                | Allowed::Nodes
                | Allowed::Wholes(..)
                | Allowed::Numbers(..)
                | Allowed::Rows
                | Allowed::Texts
        )
    }

    /// Whether the value is a text.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Allowed::Choice(_) | Allowed::Part(_) | Allowed::Names(_) | Allowed::Text
        )
    }

    /// Whether it is a table, or a list of them.
    pub fn is_table(&self) -> bool {
        matches!(self, Allowed::Table | Allowed::OneTable | Allowed::Tables)
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Table | Allowed::OneTable => f.write_str("a table"),
            Allowed::Tables => f.write_str("a list of tables"),
            Allowed::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Allowed::WholeOr(least, most, name) => {
                write!(f, "a whole number from {least} to {most}, or {name:?}")
            }
            Allowed::Range(least, most) => {
                write!(f, "[least, most]: two whole numbers from {least} to {most}")
            }
            Allowed::Below(least, bound, unit) => {
                write!(f, "a number from {least} to below {bound} ({unit})")
            }
            Allowed::Number(least, most, unit) => {
                write!(f, "a number from {least} to {most} ({unit})")
            }
            Allowed::Node => f.write_str("the number of a node, from 0"),
            Allowed::Nodes => f.write_str("a list of at least one node, by their numbers, from 0"),
            Allowed::Truth => f.write_str("true or false"),
            Allowed::Part(_) => f.write_str("the name of a part"),
            Allowed::Choice(_) | Allowed::Names(_) => f.write_str(&listed(self.choices())),
            Allowed::Text => f.write_str("a string that isn't empty"),
            Allowed::UpTo(entries, least, most) => write!(
                f,
                "a list of 1 to {entries} whole numbers from {least} to {most}"
            ),
            Allowed::Texts => f.write_str("a list of strings"),
            Allowed::Wholes(least, most) => write!(
                f,
                "a list of at least one whole number from {least} to {most}"
            ),
            Allowed::Numbers(least, most, unit) => write!(
                f,
                "a list of at least one number from {least} to {most} ({unit})"
            ),
            Allowed::Rows => f.write_str("a list of lists of numbers from 0 to 1"),
        }
    }
}
