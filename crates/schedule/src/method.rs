//! Methods that configurations name: `[schedule.NAME]`. Each has a file, and a line in the table.

use crate::bounds::{BoundError, Model};
use crate::multistage::Mesh;
use crate::{Plan, Request};
use flitwork_schema::{Datum, Entry, Key, RawTable, Refusal, entries, settings};
use flitwork_topology::{Grid, NetworkReading, Shape};
use std::fmt;

/// Declares the methods' files, and the table of them.
macro_rules! methods {
    ($($file:ident::$parameters:ident),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::$parameters;)+

        /// Every method, sorted by name.
        const BUILT_IN: &[MethodEntry] = &[$(MethodEntry::of::<$parameters>()),+];
    };
}

methods! {
    exact::ExactParameters,
    frames::FramesParameters,
    multistage::MultistageParameters,
    naive::NaiveParameters,
    product::ProductParameters,
    worms::WormsParameters,
}

/// What a method's file declares: its name, its keys, and how it schedules. The implementing type holds the parameters.
pub trait MethodParameters: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// What users call it: its table is `[schedule.NAME]`.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// The keys of its table.
    const KEYS: &'static [Key<Self>] = &[];

    /// [`MethodParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// The parameters unless its keys say otherwise, in a run of this seed.
    fn seeded(seed: u64) -> Self;

    /// Refuses what doesn't suit the network, and sets what depends on it; `given` is the method's table.
    ///
    /// # Errors
    /// A [`Refusal`].
    fn suit(
        &mut self,
        _given: &RawTable<'_>,
        _reading: &NetworkReading<'_>,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// The keys that it reads, with their values.
    fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(Self::KEYS, self)
    }

    /// Which schedules a lower bound is for.
    fn model(&self) -> Model {
        Model::default()
    }

    /// Schedules a problem.
    ///
    /// # Errors
    /// [`Unmade`] for a problem that it isn't for.
    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade>;
}

flitwork_schema::erased! {
    /// A method of any kind, with its parameters.
    pub struct AnyMethod: MethodParameters;

    /// What users call it.
    fn name(&self) -> &'static str;
    /// [`MethodParameters::settings`].
    fn settings(&self) -> Vec<(&'static str, Datum)>;
    /// [`MethodParameters::model`].
    fn model(&self) -> Model;

    /// [`MethodParameters::make`].
    ///
    /// # Errors
    /// The same.
    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade>;
}

/// A schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleResult {
    /// The packets' ways.
    pub plans: Vec<Plan>,
    /// What is reported of how it was made; `None` for what there isn't.
    pub summary: Vec<(&'static str, Option<Datum>)>,
}

/// Why a problem isn't scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmade {
    /// What that is about.
    pub about: About,
    /// What was found. Of a key it is the value, after which more may stand: the message is `KEY is FOUND`.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

/// What a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A key of the method's table, whose value can't be used.
    Key(&'static str),
    /// The method.
    Method,
    /// The packets.
    Packets,
    /// Their words.
    Words,
}

impl Unmade {
    /// What is wrong, and what is allowed.
    pub fn new(about: About, found: impl fmt::Display, allowed: impl Into<String>) -> Unmade {
        Unmade {
            about,
            found: found.to_string(),
            allowed: allowed.into(),
        }
    }
}

impl From<BoundError> for Unmade {
    fn from(error: BoundError) -> Unmade {
        let (about, allowed) = match error {
            BoundError::Node { .. } | BoundError::Apart { .. } => (
                About::Packets,
                "nodes with links from one to the other".into(),
            ),
            BoundError::Shared { .. } => (About::Packets, "a permutation, or a part of one".into()),
            BoundError::Words { .. } | BoundError::Long { .. } => {
                (About::Words, "fewer words: 1 by the product method".into())
            }
            BoundError::Size { limit, .. } => (
                About::Packets,
                format!(
                    "nodes times packets times steps up to {limit}; other methods have no such limit"
                ),
            ),
        };
        Unmade::new(about, error, allowed)
    }
}

/// Refuses what isn't a mesh with two sides; `given` is the method's table.
///
/// # Errors
/// A conflict.
pub fn hold_mesh(given: &RawTable<'_>, shape: &Shape) -> Result<(), Refusal> {
    let Err(error) = mesh(shape) else {
        return Ok(());
    };
    let found = format!("{} is given, and the network is {error}", given.path());
    Err(given.misplaced(found, "it on a mesh with two sides"))
}

/// The network as a mesh of rows and columns; what it is, if it is none.
fn mesh(shape: &Shape) -> Result<Mesh, String> {
    let grid = shape.grid().ok_or("a graph of links")?;
    Mesh::new(grid).map_err(|error| error.to_string())
}

/// The grid that a method was read for.
fn grid_of(shape: &Shape) -> &Grid {
    let grid = shape.grid_for("a method that was read for a mesh");
    grid.unwrap_or_else(|needs| panic!("{needs}"))
}

/// A method in the table.
#[derive(Clone, Copy, Debug)]
pub struct MethodEntry {
    name: &'static str,
    help: &'static str,
    keys: fn() -> Vec<Entry>,
    read: fn(&RawTable<'_>, &NetworkReading<'_>) -> Result<AnyMethod, Refusal>,
}

impl MethodEntry {
    /// The entry of a method.
    pub const fn of<P: MethodParameters>() -> MethodEntry {
        MethodEntry {
            name: P::NAME,
            help: P::HELP,
            keys: || entries(P::KEYS),
            read: |given, reading| {
                let mut parameters = P::seeded(reading.seed);
                given.set(P::KEYS, &mut parameters);
                parameters.suit(given, reading)?;
                Ok(parameters.into())
            },
        }
    }

    /// The keys of its table.
    pub fn keys(&self) -> Vec<Entry> {
        (self.keys)()
    }

    /// The method of a table.
    ///
    /// # Errors
    /// A [`Refusal`] for values that don't fit together, or the network.
    pub fn read(
        &self,
        given: &RawTable<'_>,
        reading: &NetworkReading<'_>,
    ) -> Result<AnyMethod, Refusal> {
        (self.read)(given, reading)
    }
}

flitwork_schema::part!(MethodEntry { name, help }: "methods", BUILT_IN.to_vec());
