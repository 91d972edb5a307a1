//! Entries of a schema: keys and tables, without the type of the parameters that they set.

use crate::Allowed;

/// A key or a table, with everything in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name within its table.
    pub name: &'static str,
    /// What it may be.
    pub allowed: Allowed,
    /// Its value if it isn't given, as TOML or in words; "required" if it has to be given.
    pub default: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// With what it is read, in words that follow "only with"; empty if it always is.
    pub only_with: &'static str,
    /// The keys and tables in it, if it is a table or a list of tables.
    pub within: Vec<Entry>,
}

impl Entry {
    /// A key.
    pub const fn new(
        name: &'static str,
        allowed: Allowed,
        default: &'static str,
        meaning: &'static str,
    ) -> Entry {
        Entry {
            name,
            allowed,
            default,
            meaning,
            only_with: "",
            within: Vec::new(),
        }
    }

    /// The same, which is read only with this.
    #[must_use]
    pub fn only_with(self, what: &'static str) -> Entry {
        Entry {
            only_with: what,
            ..self
        }
    }

    /// A table with its entries.
    pub fn table(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
        within: Vec<Entry>,
    ) -> Entry {
        Entry {
            within,
            ..Entry::new(name, Allowed::Table, default, meaning)
        }
    }

    /// A list of tables, each with these entries.
    pub fn tables(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
        within: Vec<Entry>,
    ) -> Entry {
        Entry {
            allowed: Allowed::Tables,
            ..Entry::table(name, default, meaning, within)
        }
    }

    /// Adds keys. A key that is there already must be the same.
    ///
    /// # Panics
    /// If two keys of the same name differ.
    pub fn share(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            match self.within.iter().find(|other| other.name == entry.name) {
                None => self.within.push(entry),
                Some(other) => assert_eq!(
                    *other, entry,
                    "the key {} of {} is declared twice, and differently",
                    entry.name, self.name
                ),
            }
        }
    }
}
