//! Keys: how a part is configured, declared once, beside the part.
//!
//! ```text
//!                       ┌─▶ the check of single values, and its messages
//!   a key: name, range, ├─▶ the parameters' field, set where the key is given
//!   unit, default,    ──┼─▶ the resolved configuration
//!   meaning, field      ├─▶ the JSON Schema
//!                       └─▶ the reference
//! ```
//!
//! A key is one line in its part's table ([`Key`]) and one field of the part's parameters. Which values are
//! compatible is checked by the part: it reads what was [`RawTable`] and returns parameters or a [`Refusal`]. Parts of
//! one kind are entries of one sorted table, to which crates outside add theirs ([`Parts`]).
//!
//! May depend on `types`. Must never know a file format, a router or a network.
//!
//! ```
//! use flitwork_schema::{Allowed, Datum, Key, RawTable, Value, key, settings};
//!
//! #[derive(Clone, Default)]
//! struct Parameters {
//!     frames: u8,
//! }
//!
//! const KEYS: &[Key<Parameters>] = &[key(
//!     "frames",
//!     |parameters| &mut parameters.frames,
//!     Allowed::Whole(1, 16),
//!     "4",
//!     "frames of the queue",
//! )];
//!
//! let entries = [("frames".to_owned(), Value::from(Datum::Whole(9)))];
//! let given = RawTable::new("router.toy".into(), 0..0, &entries);
//! let mut parameters = Parameters { frames: 4 };
//! given.set(KEYS, &mut parameters);
//! assert_eq!(parameters.frames, 9);
//! assert_eq!(settings(KEYS, &parameters), [("frames", Datum::Whole(9))]);
//! ```

mod allowed;
mod entry;
mod erased;
mod field;
mod files;
mod formats;
mod given;
mod key;
mod parts;
mod refusal;
mod value;
mod words;

pub use allowed::Allowed;
pub use entry::Entry;
pub use field::{Between, Field};
pub use files::{FileMistake, Files, NamedFile, Unreadable};
pub use formats::with_unbuilt;
pub use given::RawTable;
pub use key::{Key, check, entries, key, key_apart, only_with, settings, settings_with};
pub use parts::{Part, Parts, listed, one_of};
pub use refusal::{MistakeKind, MistakePlace, Refusal, WrongValue};
pub use value::{Datum, Mark, Span, Value};
pub use words::{cut, nearest, printable, shown};
