//! Keys of a routing function's own, in the table of its name: `[router.wormhole.NAME]`.

use super::contract::Routing;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use crate::reading::Reading;
use flitwork_schema::{Datum, Entry, Key, RawTable, Refusal, WrongValue, check, entries, settings};
use flitwork_topology::Shape;
use std::fmt;

/// What a routing function with keys of its own declares. The implementing type holds the values of the keys; its default
/// has those of keys that aren't given.
pub trait FunctionParameters:
    Clone + Default + fmt::Debug + PartialEq + Send + Sync + 'static
{
    /// What users call it: its table is `[router.wormhole.NAME]`.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// Where it is defined, and the virtual channels that it needs there.
    const NEEDS: Needs;
    /// Whether it is free of deadlock wherever it is defined, and why.
    const FREEDOM: Freedom;
    /// The keys of `[router.wormhole]` that it reads, as in [`RoutingEntry::reads`].
    const READS: &'static [&'static str] = &[];
    /// The keys of its table.
    const KEYS: &'static [Key<Self>];

    /// [`FunctionParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// The keys that it reads, with their values.
    fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(Self::KEYS, self)
    }

    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Passes the contents of its files to `take`, in bytes: a hash of the configuration includes them.
    fn content(&self, _take: &mut dyn FnMut(&[u8])) {}

    /// Reads its files; `given` is its table, and a link has so many virtual channels.
    ///
    /// # Errors
    /// A [`Refusal`] for a file that can't be read, and for one that says what can't be, with the place.
    fn read_files(
        &mut self,
        _given: &RawTable<'_>,
        _around: &Reading<'_>,
        _channels: u8,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Builds it for a network on which it is defined.
    ///
    /// # Errors
    /// A [`WrongValue`] of one of its keys, or of a parameter, that it can't work with on the network.
    fn build(
        &self,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> Result<Box<dyn Routing>, RoutingError>;
}

flitwork_schema::erased! {
    /// The values of the keys of any routing function.
    pub struct AnyFunction: FunctionParameters;

    /// What users call the function.
    fn name(&self) -> &'static str;
    /// [`FunctionParameters::settings`].
    fn settings(&self) -> Vec<(&'static str, Datum)>;
    /// [`FunctionParameters::files`].
    fn files(&mut self) -> Vec<&mut String>;
    /// [`FunctionParameters::content`].
    fn content(&self, take: &mut dyn FnMut(&[u8]));
}

/// The keys of a routing function's own.
#[derive(Clone, Copy, Debug)]
pub struct OwnKeys {
    keys: fn() -> Vec<Entry>,
    read: fn(&RawTable<'_>, &Reading<'_>, u8) -> Result<AnyFunction, Refusal>,
}

impl RoutingEntry {
    /// The entry of a routing function with keys of its own.
    pub const fn of<P: FunctionParameters>() -> RoutingEntry {
        let own = OwnKeys {
            keys: || entries(P::KEYS),
            read: |given, around, channels| {
                let mut own = given.parameters(P::KEYS)?;
                own.read_files(given, around, channels)?;
                Ok(AnyFunction::from(own))
            },
        };
        RoutingEntry {
            name: P::NAME,
            summary: P::HELP,
            needs: P::NEEDS,
            freedom: P::FREEDOM,
            reads: P::READS,
            own: if P::KEYS.is_empty() { None } else { Some(own) },
            build: build::<P>,
        }
    }

    /// Its table in `[router.wormhole]`, if it has keys of its own.
    pub(crate) fn table(&self) -> Option<Entry> {
        let keys = (self.own?.keys)();
        let default = match keys.iter().any(|key| key.default == "required") {
            true => "required by its routing function",
            false => "all defaults",
        };
        let meaning = "the keys of the routing function of this name; with that function only";
        Some(Entry::table(self.name, default, meaning, keys))
    }

    /// The values of its own keys, if it has any; `given` is `[router.wormhole]`, and a link has so many virtual channels.
    ///
    /// # Errors
    /// A [`Refusal`] for the table of another function, and for a key that is required and missing.
    pub(crate) fn read_own(
        &self,
        given: &RawTable<'_>,
        around: &Reading<'_>,
        channels: u8,
    ) -> Result<Option<AnyFunction>, Refusal> {
        let (name, all) = (self.name, around.parts.all::<RoutingEntry>());
        let mut others = all.iter().filter(|it| it.own.is_some() && it.name != name);
        if let Some(other) = others.find(|other| given.has(other.name)) {
            let routing = given.key("routing");
            let allowed = format!("only with {routing} = {:?}; it is {name:?}", other.name);
            return Err(given.unread(other.name, &["routing"], allowed));
        }
        let own = self
            .own
            .map(|own| (own.read)(&own_table(given, name), around, channels));
        own.transpose()
    }
}

/// The table of a routing function; if it isn't given, an empty one in the place of `given`, which is `[router.wormhole]`.
pub(crate) fn own_table<'a>(given: &RawTable<'a>, function: &str) -> RawTable<'a> {
    let table = given.table(function);
    table.unwrap_or_else(|| RawTable::new(given.key(function), given.span(), &[]))
}

/// Builds the function with the given values of its keys, or their defaults.
fn build<P: FunctionParameters>(
    parameters: &RoutingParameters,
    shape: &Shape,
) -> Result<Box<dyn Routing>, RoutingError> {
    let own = parameters.own.as_ref().and_then(AnyFunction::get::<P>);
    let own = own.cloned().unwrap_or_default();
    let of_own = |value: WrongValue| RoutingError::Own {
        function: P::NAME,
        value,
    };
    check(P::KEYS, &own).map_err(of_own)?;
    own.build(parameters, shape).map_err(|error| match error {
        RoutingError::Value(value) if P::KEYS.iter().any(|key| key.name == value.key) => {
            of_own(value)
        }
        error => error,
    })
}
