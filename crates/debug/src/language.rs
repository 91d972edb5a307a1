//! A small language for questions about rows: events, packets.
//!
//! ```text
//!   latency > 300 && source.x < 4 || kind == "moved" && !(cycle in 100..200)
//!
//!   text ──parse──▶ a tree of names ──resolve, with the columns there are──▶ Filter ──▶ yes or no for each row
//! ```
//!
//! | | binds | means |
//! |---|---|---|
//! | `!a` | closest | not |
//! | `a == b`, `!=`, `<`, `<=`, `>`, `>=` | | compares two columns, or a column and a number, a name in quotes or a packet |
//! | `a in 3..7` | | from 3 on and below 7 |
//! | `a` | | a column that is true or false |
//! | `a && b` | | both |
//! | `a \|\| b` | farthest | one or both |
//!
//! Numbers are whole. A packet is written as its source and its serial number, `33.4450`. Parentheses group. A row that
//! has no value in a column fails each comparison with it, whichever it is.

mod columns;
mod error;
mod filter;
mod parse;

pub use columns::{Column, Columns, Kind, Row, packet_value};
pub use error::{LanguageError, Problem};
pub use filter::Filter;
