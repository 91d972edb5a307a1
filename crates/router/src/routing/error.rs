//! Why a routing function can't be built.

use super::chaotic::MAX_MISROUTES;
use super::contract::MAX_CHANNELS;
use super::{ROUTINGS, RoutingEntry};
use std::fmt;

/// Why a routing function can't be built. Parameters have the names of the fields of
/// [`RoutingParameters`](super::RoutingParameters).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutingError {
    /// No routing function has this name.
    Unknown {
        /// The name.
        found: String,
    },
    /// The routing function isn't defined on the network.
    Topology {
        /// The routing function's name.
        routing: &'static str,
        /// What it is defined on.
        needs: String,
        /// The network: "mesh" or "torus", and its sides; "graph", and its nodes and links.
        found: String,
    },
    /// Fewer virtual channels than the routing function needs on the network, or more than a link may have.
    Channels {
        /// The routing function's name.
        routing: &'static str,
        /// How many there are.
        found: u8,
        /// The fewest that it needs there.
        least: u8,
    },
    /// More deroutes than a packet may be allowed.
    Misroutes {
        /// How many are asked for.
        found: u16,
    },
    /// Something else that a routing function can't work with.
    Refused {
        /// The parameter that is wrong: a field of [`RoutingParameters`](super::RoutingParameters).
        parameter: &'static str,
        /// What was found.
        found: String,
        /// What is allowed instead.
        allowed: String,
    },
    /// A parameter is given that the routing function doesn't read.
    Unread {
        /// The routing function's name.
        routing: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// The parameters that it does read.
        reads: &'static [&'static str],
    },
}

impl RoutingError {
    /// The parameter that is wrong.
    pub fn key(&self) -> &'static str {
        match self {
            RoutingError::Unknown { .. } | RoutingError::Topology { .. } => "name",
            RoutingError::Channels { .. } => "channels",
            RoutingError::Misroutes { .. } => "misroutes",
            RoutingError::Unread { parameter, .. } | RoutingError::Refused { parameter, .. } => {
                parameter
            }
        }
    }

    /// What was found.
    pub fn found(&self) -> String {
        match self {
            RoutingError::Unknown { found } => {
                format!("{found:?}, which isn't a routing function")
            }
            RoutingError::Topology { routing, found, .. } => format!("{routing} on a {found}"),
            RoutingError::Channels { found, .. } => found.to_string(),
            RoutingError::Misroutes { found } => found.to_string(),
            RoutingError::Refused { found, .. } => found.clone(),
            RoutingError::Unread { .. } => "given".into(),
        }
    }

    /// What is allowed instead.
    pub fn allowed(&self) -> String {
        match self {
            RoutingError::Unknown { .. } => {
                let name = |entry: &RoutingEntry| entry.name;
                ROUTINGS.iter().map(name).collect::<Vec<_>>().join(", ")
            }
            RoutingError::Topology { routing, needs, .. } => format!("{routing} on {needs}"),
            RoutingError::Channels { routing, least, .. } => {
                format!("{least} to {MAX_CHANNELS} with {routing} on this topology")
            }
            RoutingError::Misroutes { .. } => format!("0 to {MAX_MISROUTES}"),
            RoutingError::Refused { allowed, .. } => allowed.clone(),
            RoutingError::Unread {
                routing, reads: [], ..
            } => {
                format!(
                    "only with another routing function: {routing} reads no parameter of its own"
                )
            }
            RoutingError::Unread { routing, reads, .. } => {
                format!(
                    "only with another routing function: {routing} reads only {}",
                    reads.join(" and ")
                )
            }
        }
    }
}

impl fmt::Display for RoutingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, found, allowed) = (self.key(), self.found(), self.allowed());
        write!(f, "{key} is {found}; allowed: {allowed}")
    }
}

impl std::error::Error for RoutingError {}
