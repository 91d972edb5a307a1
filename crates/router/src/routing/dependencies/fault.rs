//! Why a routing function can't be checked, or how it violates its declaration.

use super::Stopped;
use super::astray::Astray;
use crate::routing::contract::Head;
use std::fmt;
use thiserror::Error;

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckError {
    /// The network is too large for every head to be examined.
    #[error("the network is too large to check: {found} {what}; allowed: {allowed}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        found: u64,
        /// How much is allowed.
        allowed: u64,
    },
    /// The routing function violates its declaration.
    #[error("{0}")]
    Broken(RoutingFault),
    /// Packets don't arrive: the first destination for which a table has faults.
    #[error("{}", .0.lines().join("; "))]
    Astray(Astray),
    /// The observer ended the check.
    #[error("the check was ended")]
    Stopped,
}

impl From<Stopped> for CheckError {
    fn from(_: Stopped) -> CheckError {
        CheckError::Stopped
    }
}

/// How a routing function violates its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// The head has no choice at all.
    #[error("it has no choice")]
    NoChoice,
    /// A choice names a port without a link.
    #[error("it is sent through a port without a link")]
    NoLink,
    /// A choice names no virtual channel, or one that links don't have.
    #[error("it is sent into no virtual channel that a link has")]
    NoChannel,
    /// A choice neither leads closer nor is declared as a deroute.
    #[error("it is led away, which isn't declared as a deroute")]
    NotCloser,
    /// A choice that is declared as a deroute leads closer.
    #[error("it is led closer, which is declared as a deroute")]
    NoDeroute,
    /// The packet is offered a deroute after all that it is allowed.
    #[error("it is derouted more often than it may be")]
    TooManyDeroutes,
    /// No escape channel is among the choices, although the function declares some.
    #[error("it has no escape channel among its choices")]
    NoEscape,
    /// The packet visits an intermediate node, and its choices before that depend on the destination too, or
    /// after that on the intermediate node.
    #[error("where it goes depends on both its destination and its intermediate node")]
    BothGoals,
}

/// A head for which a routing function violates its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingFault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The head. Its destination may be the intermediate node that it visits first.
    pub head: Head,
    /// What users call the node of the head, its destination, and the port at which it arrived.
    pub names: (String, String, Option<String>),
}

impl fmt::Display for RoutingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (here, destination, port) = &self.names;
        write!(f, "node {here}: a packet to node {destination} ")?;
        match (port, self.head.from) {
            (Some(port), Some((_, channel))) => {
                write!(f, "arrived at port {port}, channel {channel}")?;
            }
            _ => f.write_str("was injected")?,
        }
        write!(f, " after {} deroutes: {}", self.head.deroutes, self.kind)
    }
}
