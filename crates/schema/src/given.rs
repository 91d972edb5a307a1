//! What was given in a table of a configuration.

use crate::{Datum, Field, Key, MistakeKind, Refusal, Span, Value, WrongValue};

/// A table of a configuration. Its values have been checked against what their keys allow.
#[derive(Clone, Debug)]
pub struct RawTable<'a> {
    path: String,
    span: Span,
    entries: &'a [(String, Value)],
}

impl<'a> RawTable<'a> {
    /// The table with this path and place.
    pub fn new(path: String, span: Span, entries: &'a [(String, Value)]) -> RawTable<'a> {
        RawTable {
            path,
            span,
            entries,
        }
    }

    /// A table that isn't given.
    pub fn nothing(path: &str) -> RawTable<'static> {
        RawTable::new(path.into(), 0..0, &[])
    }

    /// The table's place in the text.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// The table's name, with those of the tables around it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A key of the table, with the table's name.
    pub fn key(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.into(),
            path => format!("{path}.{name}"),
        }
    }

    /// The keys that are given, with their values, in the order of the text.
    pub fn entries(&self) -> &'a [(String, Value)] {
        self.entries
    }

    /// The names of the keys that are given, in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// The value of a key, if it is given.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        let mut entries = self.entries.iter();
        entries.find_map(|(other, value)| (other == name).then_some(value))
    }

    /// Whether a key is given.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The place of a key's value, if it is given.
    pub fn span_of(&self, name: &str) -> Option<Span> {
        self.value(name).map(|value| value.span.clone())
    }

    /// The value of a key, which is read by this.
    fn read(&self, name: &str) -> Option<&'a Value> {
        let value = self.value(name)?;
        value.read.set();
        Some(value)
    }

    /// The value of a key, as a field holds it, if it is given. The key counts as read.
    pub fn get<T: Field + Default>(&self, name: &str) -> Option<T> {
        let mut field = T::default();
        field.set(self.read(name)?);
        Some(field)
    }

    /// The value of a key that is a string, if it is given. The key counts as read.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.read(name)?.datum.as_text()
    }

    /// The entries of a list; none if it isn't given.
    pub fn list(&self, name: &str) -> &'a [Value] {
        let value = self.value(name);
        value
            .and_then(|value| value.datum.as_list())
            .unwrap_or_default()
    }

    /// The table of that name, if it is given.
    pub fn table(&self, name: &str) -> Option<RawTable<'a>> {
        let value = self.value(name)?;
        self.within(self.key(name), value)
    }

    /// The tables of a list; none if it isn't given.
    pub fn tables(&self, name: &str) -> Vec<RawTable<'a>> {
        let tables = self.list(name).iter().enumerate();
        let within = |(place, value)| self.within(format!("{}[{place}]", self.key(name)), value);
        tables.filter_map(within).collect()
    }

    fn within(&self, path: String, value: &'a Value) -> Option<RawTable<'a>> {
        match &value.datum {
            Datum::Table(entries) => Some(RawTable::new(path, value.span.clone(), entries)),
            _ => None,
        }
    }

    /// Sets the fields of the keys that are given. Which of them the run reads, the resolved configuration says.
    pub fn set<P>(&self, keys: &[Key<P>], parameters: &mut P) {
        for key in keys {
            if let (Some(value), Some(field)) = (self.value(key.name), key.field(parameters)) {
                field.set(value);
            }
        }
    }

    /// The parameters that keys reach: what is given, and the defaults of the rest.
    ///
    /// # Errors
    /// A key that is required and missing.
    pub fn parameters<P: Default>(&self, keys: &[Key<P>]) -> Result<P, Refusal> {
        let mut required = keys.iter().filter(|key| key.default == "required");
        if let Some(key) = required.find(|key| self.read(key.name).is_none()) {
            return Err(self.missing(key.name));
        }
        let mut parameters = P::default();
        self.set(keys, &mut parameters);
        Ok(parameters)
    }

    /// A key that must be given and isn't: shown at the table.
    pub fn missing(&self, name: &str) -> Refusal {
        self.missing_for(name, self.span())
    }

    /// The same, shown at the place that requires it.
    pub fn missing_for(&self, name: &str, span: Span) -> Refusal {
        let key = self.key(name);
        let found = format!("{key} is missing");
        Refusal::new(MistakeKind::Missing, key, Some(span)).found(found)
    }

    /// The value of a key that must be given.
    ///
    /// # Errors
    /// [`RawTable::missing`].
    pub fn needed<T: Field + Default>(&self, name: &str) -> Result<T, Refusal> {
        self.get(name).ok_or_else(|| self.missing(name))
    }

    /// A key whose value conflicts with others: shown at the value, or at the table if it isn't given.
    pub fn conflict(&self, name: &str, allowed: impl Into<String>) -> Refusal {
        let value = self.value(name);
        let span = value.map_or(self.span(), |value| value.span.clone());
        let key = self.key(name);
        // The text at a table's place may be its header only.
        let found = match value.map(|value| &value.datum) {
            Some(Datum::Table(_)) => format!("{key} is given"),
            _ => String::new(),
        };
        let refusal = Refusal::new(MistakeKind::Conflict, key, Some(span));
        refusal.found(found).allowed(allowed)
    }

    /// A list that names at a place what it can't, and how: shown at the entry, or at the table if it isn't given.
    pub fn names_wrongly(
        &self,
        (name, place): (&str, usize),
        how: &str,
        allowed: impl Into<String>,
    ) -> Refusal {
        let value = self.list(name).get(place);
        let span = value.map_or(self.span(), |value| value.span.clone());
        let key = self.key(name);
        let found = format!("{key} names {how}");
        Refusal::new(MistakeKind::Conflict, key, Some(span))
            .found(found)
            .allowed(allowed)
    }

    /// The table itself conflicts with others, and is shown.
    pub fn misplaced(&self, found: impl Into<String>, allowed: impl Into<String>) -> Refusal {
        let refusal = Refusal::new(MistakeKind::Conflict, self.path(), Some(self.span()));
        refusal.found(found).allowed(allowed)
    }

    /// The mistake that a part's own check found: shown at the key, at the first of some other keys that is
    /// given, or at the table.
    pub fn wrong(&self, error: &WrongValue, others: &[&str]) -> Refusal {
        let mut names = std::iter::once(&error.key).chain(others);
        let span = names.find_map(|name| self.span_of(name));
        let span = span.unwrap_or_else(|| self.span());
        let key = self.key(error.key);
        let found = format!("{key} is {}", error.found);
        Refusal::new(MistakeKind::Conflict, key, Some(span))
            .found(found)
            .allowed(&*error.allowed)
    }

    /// A key that isn't read, as the values of the keys `by` of the same table decide. Where they are the command line's and
    /// the key is the file's, that is no mistake.
    pub fn unread(&self, name: &str, by: &[&str], allowed: impl Into<String>) -> Refusal {
        let by = by.iter().map(|name| self.key(name));
        self.conflict(name, allowed).decided_by(by.collect())
    }

    /// Refuses the first of these keys that is given, as one that [isn't read](RawTable::unread).
    ///
    /// # Errors
    /// A conflict that says what is `allowed` instead.
    pub fn refuse(&self, names: &[&str], by: &[&str], allowed: &str) -> Result<(), Refusal> {
        match names.iter().find(|name| self.has(name)) {
            Some(name) => Err(self.unread(name, by, allowed)),
            None => Ok(()),
        }
    }
}
