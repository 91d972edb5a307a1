//! Routing functions for wormhole routers with virtual channels: where a head may go. Each function has a
//! file, and a line in [`ROUTINGS`], or, outside this crate, in
//! [`Parts::with`](flitwork_schema::Parts::with).
//!
//! ```text
//!                    ┌──────────────┐  preferred: ports and virtual channels
//!   head, and how ──▶│   choices    │──────────────────────────────────────▶  bid for one that is free
//!   it came here     └──────────────┘  fallback: escape channels, deroutes
//! ```
//!
//! A routing function says what a head may take, the router decides which of it the head gets. [`check`]
//! builds the channel dependency graph of any routing function and determines whether packets can wait for
//! each other in a circle.

mod channels;
mod contract;
mod dependencies;
mod detour;
mod draws;
mod entry;
mod error;
mod escape;
mod layers;
mod lines;
mod load;
mod ordered;
mod own;
mod paths;
mod phases;
mod places;
mod trees;
mod turn_model;
mod two_paths;
mod two_phase;

/// Declares the files of routing functions, and collects their entries in the table.
macro_rules! routings {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+

        /// Every routing function of this crate, sorted by name.
        pub const ROUTINGS: &[RoutingEntry] = &[$($file::ENTRY),+];
    };
}

routings! {
    chaotic,
    destination_tag,
    dimension_order,
    fully_adaptive,
    hop_classes,
    layered,
    minimal,
    minimal_adaptive,
    nearest_common_ancestor,
    negative_first,
    north_last,
    o1turn,
    odd_even,
    par,
    romm,
    table,
    ugal_g,
    ugal_l,
    up_down,
    valiant,
    west_first,
}

pub use chaotic::{DEFAULT_MISROUTES, MAX_MISROUTES};
pub use contract::{
    Chance, Choice, Choices, Declaration, Head, MAX_CHANNELS, Queues, Rank, Routing, Sees, Split,
    Stopovers,
};
pub(crate) use dependencies::first_cycle;
pub use dependencies::{
    Astray, CheckError, Circle, FaultKind, Findings, HeldChannel, MAX_CHECKED_NODES, RoutingFault,
    SomeNodes, Verdict, Watch, WhyCircle, astray, check, examine,
};
pub use entry::{Build, Freedom, Needs, RoutingEntry};
pub use error::RoutingError;
pub use load::{Basis, ChannelLoad, Demand, Followed, ShortestPaths, Unloaded, channel_load};
pub use nearest_common_ancestor::{NearestCommonAncestor, Up};
pub use ordered::{AxisOrder, Dateline};
pub(crate) use own::own_table;
pub use own::{AnyFunction, FunctionParameters, OwnKeys};
pub(crate) use places::ports_of;
pub use table::{Routes, Table};

use flitwork_schema::WrongValue;
use flitwork_topology::Shape;

/// Everything that any routing function reads. Each refuses what it doesn't read (see
/// [`RoutingEntry::reads`]); the channels and the seed are always given, and the seed may go unread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoutingParameters {
    /// The name of one in the table.
    pub name: String,
    /// Virtual channels per link, 1 to [`MAX_CHANNELS`].
    pub channels: u8,
    /// The seed of packets' draws.
    pub seed: u64,
    /// How rings of a torus are kept from forming cycles; by default [`Dateline::Wrapping`].
    pub dateline: Option<Dateline>,
    /// The order of the dimensions; by default [`AxisOrder::XFirst`].
    pub axis_order: Option<AxisOrder>,
    /// Chaotic: how often a packet may be derouted; by default [`DEFAULT_MISROUTES`].
    pub misroutes: Option<u16>,
    /// Functions that choose by queues between a shortest path and one by way of a random node: how much longer the shortest one's queue may be,
    /// times its links; by default 0.
    pub ugal_threshold_words: Option<u32>,
    /// The values of the function's own keys; by default those of [`FunctionParameters`].
    pub own: Option<AnyFunction>,
}

impl RoutingParameters {
    /// The parameters that only some functions read, by name, and whether each is given.
    fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("dateline", self.dateline.is_some()),
            ("axis_order", self.axis_order.is_some()),
            ("misroutes", self.misroutes.is_some()),
            (detour::THRESHOLD, self.ugal_threshold_words.is_some()),
        ]
    }
}

const ORDERED: &[&str] = &["dateline", "axis_order"];

/// The routing function of this crate that `parameters` name, on a network.
///
/// # Errors
/// A [`RoutingError`] for an unknown name, and those of [`RoutingEntry::build`].
pub fn build_routing(
    parameters: &RoutingParameters,
    shape: impl Into<Shape>,
) -> Result<Box<dyn Routing>, RoutingError> {
    let entry = ROUTINGS.iter().find(|it| it.name == parameters.name);
    let entry = entry.ok_or_else(|| {
        let found = format!("{:?}, which isn't a routing function", parameters.name);
        let names: Vec<&str> = ROUTINGS.iter().map(|entry| entry.name).collect();
        WrongValue::new("name", found, names.join(", "))
    })?;
    entry.build(parameters, &shape.into())
}
