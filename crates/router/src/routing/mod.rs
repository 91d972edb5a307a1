//! Routing functions for wormhole routers with virtual channels: where a head may go on. One file a
//! function, and one line in [`ROUTINGS`], or in [`Parts::with`](flitwork_schema::Parts::with) outside this crate.
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
mod entry;
mod error;
mod escape;
mod fully_adaptive;
mod hop_classes;
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
mod up_down;
mod valiant;
mod west_first;

pub use chaotic::{DEFAULT_MISROUTES, MAX_MISROUTES};
pub use contract::{Chance, Choice, Choices, Declaration, Head, MAX_CHANNELS, Rank, Routing};
pub use dependencies::{
    CheckError, Circle, FaultKind, Held, MAX_CHECKED_NODES, RoutingFault, Verdict, WhyCircle, check,
};
pub use entry::{Build, Freedom, Needs, RoutingEntry};
pub use error::RoutingError;
pub use ordered::{AxisOrder, Dateline};

use flitwork_topology::Shape;

/// Everything that any routing function reads. One refuses what it doesn't read (see
/// [`RoutingEntry::reads`]); the channels and the seed are always given, and the seed may go unread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutingParameters {
    /// The name of one in the table.
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

const ORDERED: &[&str] = &["dateline", "axis_order"];

/// Every routing function of this crate, sorted by name.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingEntry] = &[
    RoutingEntry::on_grids("chaotic", chaotic::build, Needs::any(2, 3), Freedom::Escape, &["axis_order", "misroutes"], "minimal adaptive with a bounded number of deroutes, and escape channels"),
    RoutingEntry::on_grids("dimension-order", dimension_order::build, Needs::any(1, 2), Freedom::Acyclic, ORDERED, "one dimension after the other, the shorter way in each"),
    RoutingEntry::new("fully-adaptive", fully_adaptive::build, Needs::any(1, 1).or_graph(1), Freedom::None, &[], "any shortest path in any channel, and nothing against deadlock"),
    RoutingEntry::new("hop-classes", hop_classes::build, Needs::graph(1), Freedom::Acyclic, &[], "any shortest path, at each hop in the next class of channels; a class for each hop of the longest"),
    RoutingEntry::on_grids("minimal-adaptive", minimal_adaptive::build, Needs::any(2, 3), Freedom::Escape, &["axis_order"], "any shortest path, and dimension order in escape channels"),
    RoutingEntry::on_grids("negative-first", negative_first::build, Needs::mesh(1), Freedom::Acyclic, &[], "adaptive towards 0 in all dimensions, then adaptive away from it"),
    RoutingEntry::on_grids("north-last", north_last::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "adaptive, but north only when nothing else is left"),
    RoutingEntry::on_grids("o1turn", o1turn::build, Needs::any(2, 4).plane(), Freedom::Acyclic, &["dateline"], "x first or y first by a toss, each in its own channels"),
    RoutingEntry::on_grids("odd-even", odd_even::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "adaptive, with turns that hang on the column's parity"),
    RoutingEntry::on_grids("romm", romm::build, Needs::any(2, 4), Freedom::Acyclic, ORDERED, "by way of a random node between source and destination"),
    RoutingEntry::new("up-down", up_down::build, Needs::graph(1), Freedom::Acyclic, &[], "the shortest of the paths that go up a tree's links first and down afterwards"),
    RoutingEntry::on_grids("valiant", valiant::build, Needs::any(2, 4), Freedom::Acyclic, ORDERED, "by way of a random node anywhere"),
    RoutingEntry::on_grids("west-first", west_first::build, Needs::mesh(1).plane(), Freedom::Acyclic, &[], "west before all else, then adaptive"),
];

/// The routing function of this crate that `parameters` name, on a network.
///
/// # Errors
/// A [`RoutingError`] for an unknown name, and those of [`RoutingEntry::build`].
pub fn build_routing(
    parameters: &RoutingParameters,
    shape: impl Into<Shape>,
) -> Result<Box<dyn Routing>, RoutingError> {
    let entry = ROUTINGS.iter().find(|it| it.name == parameters.name);
    let entry = entry.ok_or_else(|| RoutingError::Unknown {
        found: parameters.name.clone(),
    })?;
    entry.build(parameters, &shape.into())
}
