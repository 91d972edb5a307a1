//! Static problems, and what packets go through: `flitwork route` and `flitwork schedule`.

use crate::judge::{Algorithm, read_problem};
use crate::resolved::{network, write};
use crate::source::Source;
use crate::values::{self, Entries};
use crate::{Catalogue, ConfigError, Override, Reading, Unread, read};
use flitwork_schedule::method::AnyMethod;
use flitwork_schema::{Datum, MistakeKind, Refusal};
use flitwork_steps::named::AnyRule;
use flitwork_topology::{Built, Shape};
use flitwork_traffic::{StaticPacket, TrafficParameters};
use std::path::Path;

/// A static problem, fully described: all packets exist before the first step.
#[derive(Clone, Debug)]
pub struct Problem<A> {
    pub(crate) network: Built,
    pub(crate) traffic: TrafficParameters,
    /// Every packet, those of a node and itself included.
    pub packets: Vec<StaticPacket>,
    /// What all random draws come from.
    pub seed: u64,
    /// What packets go through.
    pub algorithm: A,
}

/// A problem that a rule routes in synchronous steps.
pub type Routing = Problem<AnyRule>;

/// A problem that a method schedules before a run.
pub type Scheduling = Problem<AnyMethod>;

impl<A> Problem<A> {
    /// Nodes and links.
    pub fn shape(&self) -> &Shape {
        &self.network.shape
    }

    /// The topology's name in configurations.
    pub fn topology(&self) -> &'static str {
        self.network.topology
    }

    /// The key that says most about which packets there are.
    pub fn packets_key(&self) -> &'static str {
        let settings = self.traffic.settings(None);
        let keys = ["traffic.file", "traffic.destinations", "traffic.pattern"];
        let is_given = |key: &&str| settings.iter().any(|(name, _)| key.ends_with(name));
        keys.into_iter().find(is_given).unwrap_or("traffic.process")
    }
}

#[expect(private_bounds, reason = "the two algorithms are the crates' own")]
impl<A: Algorithm> Problem<A> {
    /// The full configuration with all defaults. Reading it gives the same problem, with the same directory if it names files.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        write(&mut out, "network", &network::made_by(&self.network));
        let (name, settings) = self.algorithm.settings();
        write(&mut out, &format!("{}.{name}", A::TABLE), &settings);
        write(&mut out, "traffic", &self.traffic.settings(A::FIXED_WORDS));
        let seed = [("seed", Datum::Whole(self.seed.into()))];
        write(&mut out, "run", &seed);
        out
    }
}

/// What was read, and where its text has what, for mistakes that only show later.
#[derive(Clone, Debug)]
pub struct Loaded<T> {
    /// What the text means.
    pub value: T,
    /// The given keys that are neither read nor refused.
    pub unread: Vec<Unread>,
    places: Places,
}

impl<T> Loaded<T> {
    /// The mistake that a key's value turned out to be: shown at the key, or at the innermost table around it that is given.
    pub fn refused(
        &self,
        key: &str,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> ConfigError {
        let Places {
            catalogue,
            name,
            text,
            overrides,
            entries,
        } = &self.places;
        let source = Source {
            catalogue,
            schema: catalogue.schema(),
            name,
            text,
            overrides,
            looks_again: false,
            refuses_unread: true,
            reader: "",
        };
        let mut at = key;
        let value = loop {
            match (values::find(entries, at), at.rsplit_once('.')) {
                (None, Some((table, _))) => at = table,
                (value, _) => break value,
            }
        };
        let span = value.map(|value| value.span.clone());
        let refusal = Refusal::new(MistakeKind::Conflict, key, span);
        source.error(refusal.found(found).allowed(allowed))
    }
}

/// A text and its values, with their places.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    catalogue: Catalogue,
    name: String,
    text: String,
    overrides: Vec<Override>,
    entries: Entries,
}

impl Places {
    pub(crate) fn of(source: &Source<'_>, entries: Entries) -> Places {
        Places {
            catalogue: source.catalogue.clone(),
            name: source.name.into(),
            text: source.text.into(),
            overrides: source.overrides.to_vec(),
            entries,
        }
    }
}

impl Catalogue {
    /// Reads a problem and the rule that routes it. Paths in the file are relative to its directory.
    ///
    /// # Errors
    /// A [`ConfigError`] for a file that can't be read, and for every mistake in it.
    pub fn load_routing(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Routing>, ConfigError> {
        self.load_problem(path, overrides)
    }

    /// Reads a problem and the method that schedules it. Paths in the file are relative to its directory.
    ///
    /// # Errors
    /// The same.
    pub fn load_scheduling(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Scheduling>, ConfigError> {
        self.load_problem(path, overrides)
    }

    fn load_problem<A: Algorithm>(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Problem<A>>, ConfigError> {
        let (text, name) = (read(path)?, path.display().to_string());
        let base_dir = path.parent().unwrap_or(Path::new(""));
        self.resolve_problem(&text, (&name, base_dir), overrides)
    }

    pub(crate) fn resolve_problem<A: Algorithm>(
        &self,
        text: &str,
        (name, base_dir): (&str, &Path),
        overrides: &[Override],
    ) -> Result<Loaded<Problem<A>>, ConfigError> {
        let reading = Reading {
            reader: A::COMMAND,
            refuses_unread: true,
            judge: &|source, given| read_problem(source, base_dir, given),
        };
        let (value, unread, places) = self.resolve_as(text, name, overrides, &reading)?;
        Ok(Loaded {
            value,
            unread,
            places,
        })
    }
}
