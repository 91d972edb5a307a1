//! Routing functions for wormhole routers with virtual channels: where a head may go on. One file a
//! function, and one line in [`ROUTINGS`].
//!
//! ```text
//!                    ┌──────────────┐  preferred: ports and virtual channels
//!   head, and how ──▶│   choices    │──────────────────────────────────────▶  bid for one that is free
//!   it came here     └──────────────┘  fallback: escape channels, deroutes
//! ```
//!
//! A routing function says what a head may take, the router which of it the head gets. [`check`] builds
//! the channel dependency graph of any of them and says whether packets can wait in a circle.

mod channels;
mod chaotic;
mod contract;
mod dependencies;
mod dimension_order;
mod draws;
mod error;
mod escape;
mod fully_adaptive;
mod minimal_adaptive;
mod negative_first;
mod north_last;
mod o1turn;
mod odd_even;
mod ordered;
mod places;
mod romm;
mod turn_model;
mod two_phase;
mod valiant;
mod west_first;

pub use chaotic::{DEFAULT_MISROUTES, MAX_MISROUTES};
pub use contract::{Chance, Choice, Choices, Declaration, Head, MAX_CHANNELS, Rank, Routing};
pub use dependencies::{
    CheckError, Circle, Fault, FaultKind, Held, MAX_CHECKED_NODES, Verdict, WhyCircle, check,
};
pub use error::RoutingError;
pub use ordered::{AxisOrder, Dateline};

use flitwork_schema::Part;
use flitwork_topology::Grid;

/// Everything that any routing function reads. One refuses what it doesn't read (see
/// [`RoutingEntry::reads`]); the channels and the seed are always given, and the seed may go unread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutingParameters {
    /// One of the names in [`ROUTINGS`].
    pub name: String,
    /// Virtual channels a link, 1 to [`MAX_CHANNELS`].
    pub channels: u8,
    /// What packets' draws are keyed by.
    pub seed: u64,
    /// How rings of a torus are kept from closing; by default [`Dateline::Wrapping`].
    pub dateline: Option<Dateline>,
    /// In which order dimensions are gone through; by default [`AxisOrder::XFirst`].
    pub axis_order: Option<AxisOrder>,
    /// Chaotic: how often a packet may be derouted; by default [`DEFAULT_MISROUTES`].
    pub misroutes: Option<u16>,
}

impl RoutingParameters {
    /// The parameters that only some functions read, by name, and whether each is given.
    fn given(&self) -> [(&'static str, bool); 3] {
        [
            ("dateline", self.dateline.is_some()),
            ("axis_order", self.axis_order.is_some()),
            ("misroutes", self.misroutes.is_some()),
        ]
    }
}

/// Why packets that a routing function routes can't wait for each other in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// No dependencies of channels form a cycle (Dally and Seitz 1987).
    Acyclic,
    /// Those among the escape channels don't, and every head can take one (Duato 1993). This asks of the
    /// router that an adaptive channel's buffer never holds words of two packets.
    Escape,
    /// They can.
    None,
}

/// Grids that a routing function is defined on, and the virtual channels that it needs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The least number of virtual channels on a mesh; `None` where it isn't defined on meshes.
    pub mesh: Option<u8>,
    /// The least number on a torus; `None` where it isn't defined on tori.
    pub torus: Option<u8>,
    /// Whether the grid must have two dimensions.
    pub plane: bool,
}

impl Needs {
    const fn any(mesh: u8, torus: u8) -> Needs {
        Needs {
            mesh: Some(mesh),
            torus: Some(torus),
            plane: false,
        }
    }

    const fn mesh(mesh: u8) -> Needs {
        Needs {
            mesh: Some(mesh),
            torus: None,
            plane: false,
        }
    }

    const fn plane(self) -> Needs {
        Needs {
            plane: true,
            ..self
        }
    }

    /// In words.
    fn describe(&self) -> &'static str {
        match (self.plane, self.mesh.is_some(), self.torus.is_some()) {
            (true, _, false) => "a mesh of two dimensions",
            (true, false, true) => "a torus of two dimensions",
            (true, true, true) => "a mesh or torus of two dimensions",
            (false, _, false) => "a mesh",
            (false, false, true) => "a torus",
            (false, true, true) => "a mesh or torus",
        }
    }

    /// The least number of virtual channels on `grid`; `None` where the function isn't defined there.
    pub fn on(&self, grid: &Grid) -> Option<u8> {
        let least = if grid.wraps() { self.torus } else { self.mesh };
        least.filter(|_| !self.plane || grid.sides().len() == 2)
    }
}

type Build = fn(&RoutingParameters, &Grid) -> Result<Box<dyn Routing>, RoutingError>;

/// A routing function in the table.
#[derive(Clone, Copy, Debug)]
pub struct RoutingEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is defined, and the virtual channels that it needs there.
    pub needs: Needs,
    /// Whether it is free of deadlock wherever it is defined, and why.
    pub freedom: Freedom,
    /// The fields of [`RoutingParameters`] that it reads, besides the channels and the seed.
    pub reads: &'static [&'static str],
    build: Build,
}

impl Part for RoutingEntry {
    const KIND: &'static str = "routing function";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.summary
    }

    fn built_in() -> Vec<RoutingEntry> {
        ROUTINGS.to_vec()
    }
}

const fn entry(
    name: &'static str,
    build: Build,
    needs: Needs,
    freedom: Freedom,
    reads: &'static [&'static str],
    summary: &'static str,
) -> RoutingEntry {
    RoutingEntry {
        name,
        summary,
        needs,
        freedom,
        reads,
        build,
    }
}

const ORDERED: &[&str] = &["dateline", "axis_order"];

/// Every routing function, sorted by name.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingEntry] = &[
    entry("chaotic", chaotic::build, Needs::any(2, 3), Freedom::Escape, &["axis_order", "misroutes"], "minimal adaptive with a bounded number of deroutes, and escape channels"),
    entry("dimension-order", dimension_order::build, Needs::any(1, 2), Freedom::Acyclic, ORDERED, "one dimension after the other, the shorter way in each"),
    entry("fully-adaptive", fully_adaptive::build, Needs::any(1, 1), Freedom::None, &[], "any shortest path in any channel, and nothing against deadlock"),
    entry("minimal-adaptive", minimal_adaptive::build, Needs::any(2, 3), Freedom::Escape, &["axis_order"], "any shortest path, and dimension order in escape channels"),
    entry("negative-first", negative_first::build, Needs::mesh(1), Freedom::Acyclic, &[], "adaptive towards 0 in all dimensions, then adaptive away from it"),
    entry("north-last", north_last::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "adaptive, but north only when nothing else is left"),
    entry("o1turn", o1turn::build, Needs::any(2, 4).plane(), Freedom::Acyclic, &["dateline"], "x first or y first by a toss, each in its own channels"),
    entry("odd-even", odd_even::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "adaptive, with turns that hang on the column's parity"),
    entry("romm", romm::build, Needs::any(2, 4), Freedom::Acyclic, ORDERED, "by way of a random node between source and destination"),
    entry("valiant", valiant::build, Needs::any(2, 4), Freedom::Acyclic, ORDERED, "by way of a random node anywhere"),
    entry("west-first", west_first::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "west before all else, then adaptive"),
];

/// The routing function that `parameters` name, on `grid`.
///
/// # Errors
/// A [`RoutingError`] for an unknown name, a grid that the function isn't defined on, too few or too many
/// virtual channels, and a parameter that is wrong or not read by the function.
pub fn build_routing(
    parameters: &RoutingParameters,
    grid: &Grid,
) -> Result<Box<dyn Routing>, RoutingError> {
    let named = |entry: &&RoutingEntry| entry.name == parameters.name;
    let Some(entry) = ROUTINGS.iter().find(named) else {
        return Err(RoutingError::Unknown {
            found: parameters.name.clone(),
        });
    };
    let unread = |(name, given): &(&'static str, bool)| *given && !entry.reads.contains(name);
    if let Some((parameter, _)) = parameters.given().into_iter().find(unread) {
        return Err(RoutingError::Unread {
            routing: entry.name,
            parameter,
            reads: entry.reads,
        });
    }
    let Some(least) = entry.needs.on(grid) else {
        let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
        let shape = if grid.wraps() { "torus" } else { "mesh" };
        return Err(RoutingError::Topology {
            routing: entry.name,
            needs: entry.needs.describe(),
            found: format!("{shape} of {}", sides.join(" x ")),
        });
    };
    if parameters.channels < least || parameters.channels > MAX_CHANNELS {
        return Err(RoutingError::Channels {
            routing: entry.name,
            found: parameters.channels,
            least,
        });
    }
    (entry.build)(parameters, grid)
}
