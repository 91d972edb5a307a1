//! The values of a configuration, with their places in its text.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A place in the text of a configuration, in bytes.
pub type Span = Range<usize>;

/// A value without its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A whole number.
    Whole(i128),
    /// A number.
    Real(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A table: names and values, in the order of the text.
    Table(Vec<(String, Value)>),
    /// A value that no key accepts: a date, or a whole number with too many digits.
    Other(String),
}

/// A value and its place, which is empty if the value isn't in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub datum: Datum,
    /// Its place.
    pub span: Span,
    /// The place of its name, if it is an entry of a table.
    pub name: Span,
    /// Whether it has been read.
    pub read: Mark,
}

/// Whether a value has been read. It is no part of the value: all marks are equal, and a copy has a mark of its own.
#[derive(Debug, Default)]
pub struct Mark(AtomicBool);

impl Mark {
    /// Notes that the value is read.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been noted.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Mark {
    fn clone(&self) -> Mark {
        Mark::default()
    }
}

impl PartialEq for Mark {
    fn eq(&self, _: &Mark) -> bool {
        true
    }
}

impl From<Datum> for Value {
    fn from(datum: Datum) -> Value {
        Value {
            datum,
            span: 0..0,
            name: 0..0,
            read: Mark::default(),
        }
    }
}

impl Datum {
    /// A string.
    pub fn text(text: impl Into<String>) -> Datum {
        Datum::Text(text.into())
    }

    /// A list of values.
    pub fn list(values: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::List(values.into_iter().map(Value::from).collect())
    }

    /// A table of values.
    pub fn table(entries: Vec<(&'static str, Datum)>) -> Datum {
        let entries = entries.into_iter();
        Datum::Table(
            entries
                .map(|(name, datum)| (name.to_owned(), Value::from(datum)))
                .collect(),
        )
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is a whole one.
    pub fn as_whole(&self) -> Option<i128> {
        match self {
            Datum::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, whole or not.
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Datum::Whole(number) => Some(*number as f64),
            Datum::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The values, if it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Datum::List(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Display for Datum {
    /// As messages show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Whole(number) => write!(f, "{number}"),
            Datum::Real(number) => write!(f, "{number:?}"),
            Datum::Truth(truth) => write!(f, "{truth}"),
            Datum::Text(text) => write!(f, "{text:?}"),
            Datum::List(values) => {
                let values: Vec<String> = values.iter().map(|it| it.datum.to_string()).collect();
                write!(f, "[{}]", values.join(", "))
            }
            Datum::Table(_) => f.write_str("a table"),
            Datum::Other(text) => f.write_str(text),
        }
    }
}
