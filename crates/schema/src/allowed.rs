//! The allowed values of a key, independent of other keys.

use crate::{Datum, Parts, listed};
use flitwork_types::MAX_NODES;
use std::fmt;

/// The allowed values of a key, independent of other keys. Whether a value is compatible with the others is
/// checked by its part.
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
    /// A whole number within a range, or a minimum and a maximum, both within it.
    Range(u64, u64),
    /// A number within a range, and its unit.
    Number(f64, f64, &'static str),
    /// A number from the first to below the second, and its unit.
    Below(f64, f64, &'static str),
    /// The number of a node.
    Node,
    /// `true` or `false`.
    Truth,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// The name of a part of some kind, as [`Parts::names`] lists them; the configuration's schema replaces it by
    /// [`Allowed::Names`].
    Part(fn(&Parts) -> Vec<&'static str>),
    /// One of the names of parts.
    Names(Vec<&'static str>),
    /// A string that isn't empty.
    Text,
    /// A string, possibly empty.
    AnyText,
    /// A list: the fewest and the most entries, and what each may be.
    List(usize, usize, &'static Allowed),
}

impl Allowed {
    /// A list of at least one entry.
    pub const fn list(of: &'static Allowed) -> Allowed {
        Allowed::List(1, usize::MAX, of)
    }

    /// The same, with the names of the parts.
    #[must_use]
    pub fn with_names(self, parts: &Parts) -> Allowed {
        match self {
            Allowed::Part(names) => Allowed::Names(names(parts)),
            other => other,
        }
    }

    /// Whether the value is allowed. The contents of tables aren't examined.
    pub fn admits(&self, value: &Datum) -> bool {
        match (self, value) {
            (
                Allowed::Whole(least, most)
                | Allowed::WholeOr(least, most, _)
                | Allowed::Range(least, most),
                Datum::Whole(number),
            ) => (i128::from(*least)..=i128::from(*most)).contains(number),
            (Allowed::Node, Datum::Whole(number)) => (0..MAX_NODES.into()).contains(number),
            (Allowed::Number(least, most, _), value) => value
                .as_real()
                .is_some_and(|it| (*least..=*most).contains(&it)),
            (Allowed::Below(least, bound, _), value) => value
                .as_real()
                .is_some_and(|it| (*least..*bound).contains(&it)),
            (Allowed::Choice(_) | Allowed::Names(_) | Allowed::WholeOr(..), Datum::Text(name)) => {
                self.choices().contains(&name.as_str())
            }
            (Allowed::Text, Datum::Text(text)) => !text.is_empty(),
            (Allowed::List(least, most, of), Datum::List(list)) => {
                (least..=most).contains(&&list.len()) && list.iter().all(|it| of.admits(&it.datum))
            }
            (Allowed::Range(least, most), Datum::List(list)) => {
                let of = Allowed::Whole(*least, *most);
                let numbers = list.iter().map(|it| it.datum.as_whole());
                list.len() == 2 && list.iter().all(|it| of.admits(&it.datum)) && numbers.is_sorted()
            }
            (Allowed::Truth, Datum::Truth(_))
            | (Allowed::AnyText | Allowed::Part(_), Datum::Text(_))
            | (Allowed::Table | Allowed::OneTable, Datum::Table(_)) => true,
            (Allowed::Tables, Datum::List(list)) => {
                list.iter().all(|it| Allowed::Table.admits(&it.datum))
            }
            _ => false,
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

    /// Whether the value is a string.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Allowed::Choice(_)
                | Allowed::Part(_)
                | Allowed::Names(_)
                | Allowed::Text
                | Allowed::AnyText
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
                write!(
                    f,
                    "a whole number from {least} to {most}, or two of them as [least, most]"
                )
            }
            Allowed::Below(least, bound, unit) => {
                write!(f, "a number from {least} to below {bound} ({unit})")
            }
            Allowed::Number(least, most, unit) => {
                write!(f, "a number from {least} to {most} ({unit})")
            }
            Allowed::Node => f.write_str("the number of a node, from 0"),
            Allowed::Truth => f.write_str("true or false"),
            Allowed::Part(_) => f.write_str("the name of a part"),
            Allowed::Choice(_) | Allowed::Names(_) => f.write_str(&listed(self.choices())),
            Allowed::Text => f.write_str("a string that isn't empty"),
            Allowed::AnyText => f.write_str("a string"),
            Allowed::List(least, most, of) => match of {
                Allowed::Node if *least == 2 => f.write_str("two node numbers, from 0"),
                Allowed::List(_, _, Allowed::Node) => {
                    f.write_str("a list of one or more pairs of node numbers, from 0")
                }
                Allowed::Node => f.write_str("a list of one or more node numbers, from 0"),
                Allowed::List(..) => f.write_str("a list of lists of numbers from 0 to 1"),
                Allowed::AnyText => f.write_str("a list of strings"),
                _ => {
                    let of = of.to_string();
                    let of = of.trim_start_matches("a ");
                    match *most {
                        usize::MAX => write!(f, "a list of at least one {of}"),
                        most => write!(
                            f,
                            "a list of 1 to {most} {}",
                            of.replacen("number", "numbers", 1)
                        ),
                    }
                }
            },
        }
    }
}
