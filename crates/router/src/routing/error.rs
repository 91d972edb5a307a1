//! Why a routing function can't be built.

use super::contract::MAX_CHANNELS;
use flitwork_schema::WrongValue;
use thiserror::Error;

/// Why a routing function can't be built. Parameters have the names of the fields of
/// [`RoutingParameters`](super::RoutingParameters).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoutingError {
    /// The routing function isn't defined on the network.
    #[error("{0}")]
    Topology(WrongValue),
    /// A parameter is given that the routing function doesn't read.
    #[error("{0}")]
    Unread(WrongValue),
    /// A parameter that the routing function can't work with, on the network.
    #[error("{0}")]
    Value(#[from] WrongValue),
    /// The same of a key of the function's own.
    #[error("{value}")]
    Own {
        /// The routing function.
        function: &'static str,
        /// The key that is wrong.
        value: WrongValue,
    },
}

impl RoutingError {
    /// The parameter that is wrong, and what is allowed instead.
    pub fn value(&self) -> &WrongValue {
        let (RoutingError::Topology(value)
        | RoutingError::Unread(value)
        | RoutingError::Value(value)
        | RoutingError::Own { value, .. }) = self;
        value
    }
}

/// Refuses fewer virtual channels than a routing function needs on a network, and more than a link may have.
pub(super) fn check_channels(routing: &str, found: u8, least: u8) -> Result<(), WrongValue> {
    if (least..=MAX_CHANNELS).contains(&found) {
        return Ok(());
    }
    let allowed = format!("{least} to {MAX_CHANNELS} with {routing} on this topology");
    Err(WrongValue::new("channels", found, allowed))
}
