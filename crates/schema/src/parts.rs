//! Tables of parts, to which other crates can add theirs.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// An entry of a table of parts of one kind: routers, topologies, patterns, …
pub trait Part: Clone + Send + Sync + 'static {
    /// The name of the kind.
    const KIND: &'static str;

    /// Its name in configurations and on the command line.
    fn name(&self) -> &'static str;

    /// A line of help.
    fn help(&self) -> &'static str;

    /// The parts that the program comes with, sorted by name.
    fn built_in() -> Vec<Self>;
}

/// Makes a type whose fields have a name and a line of help a [`Part`]; the kind and the built-in parts follow.
///
/// ```
/// use flitwork_schema::Parts;
///
/// #[derive(Clone, Copy)]
/// struct Colour {
///     name: &'static str,
///     help: &'static str,
/// }
///
/// flitwork_schema::part!(Colour { name, help }: "colours", Vec::new());
///
/// let red = Colour { name: "red", help: "of long waves" };
/// assert_eq!(Parts::new().with(red).names::<Colour>(), ["red"]);
/// ```
#[macro_export]
macro_rules! part {
    ($part:ident { $name:ident, $help:ident }: $kind:literal, $built_in:expr) => {
        impl $crate::Part for $part {
            const KIND: &'static str = $kind;

            fn name(&self) -> &'static str {
                self.$name
            }

            fn help(&self) -> &'static str {
                self.$help
            }

            fn built_in() -> Vec<$part> {
                $built_in
            }
        }
    };
}

/// All tables of parts: the program's own parts, and those that were added.
#[derive(Clone, Default)]
pub struct Parts(Arc<BTreeMap<TypeId, Added>>);

/// Parts of one kind, a `Vec` of them.
type Added = Arc<dyn Any + Send + Sync>;

impl Parts {
    /// The program's own parts.
    pub fn new() -> Parts {
        Parts::default()
    }

    /// With one more part.
    ///
    /// # Panics
    /// If there is a part of its kind and name.
    #[must_use]
    pub fn with<E: Part>(mut self, part: E) -> Parts {
        let mut all = self.all::<E>();
        let place = all.partition_point(|other| other.name() < part.name());
        let is_new = all
            .get(place)
            .is_none_or(|other| other.name() != part.name());
        assert!(is_new, "there are two of the {} {}", E::KIND, part.name());
        all.insert(place, part);
        Arc::make_mut(&mut self.0).insert(TypeId::of::<E>(), Arc::new(all));
        self
    }

    /// All parts of a kind, sorted by name.
    pub fn all<E: Part>(&self) -> Vec<E> {
        let added = self.0.get(&TypeId::of::<E>());
        let added = added.and_then(|all| all.downcast_ref::<Vec<E>>());
        added.cloned().unwrap_or_else(E::built_in)
    }

    /// The part of a kind with this name.
    pub fn find<E: Part>(&self, name: &str) -> Option<E> {
        self.all::<E>().into_iter().find(|part| part.name() == name)
    }

    /// The names of all parts of a kind, sorted.
    pub fn names<E: Part>(&self) -> Vec<&'static str> {
        self.all::<E>().iter().map(Part::name).collect()
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parts, with more of {} kinds", self.0.len())
    }
}

/// Names as they are listed in a sentence: `"a", "b" or "c"`.
pub fn listed(names: &[&str]) -> String {
    one_of(names.iter().map(|name| format!("{name:?}")))
}

/// Alternatives in a sentence: `a, b or c`.
pub fn one_of(all: impl IntoIterator<Item = String>) -> String {
    let all: Vec<String> = all.into_iter().collect();
    match all.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => all.concat(),
    }
}
