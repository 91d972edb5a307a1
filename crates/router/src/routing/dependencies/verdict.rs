//! The check's findings, in words.

use flitwork_types::{NodeId, Port};
use std::fmt;

/// Whether packets can wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They can't: no dependencies of virtual channels form a cycle.
    Acyclic {
        /// How many virtual channels there are.
        channels: u64,
        /// How many pairs of them depend on each other.
        dependencies: u64,
    },
    /// They can't: every head may take an escape channel, and no dependencies among these form a cycle.
    EscapeAcyclic {
        /// How many escape channels there are.
        channels: u64,
        /// How many pairs of them depend on each other, directly or through other channels.
        dependencies: u64,
    },
    /// They may, in this circle.
    Circle(Circle),
}

/// Which dependencies form a cycle, and therefore how certain a deadlock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyCircle {
    /// Those of a function that gives its heads no choice of ports: there is traffic that deadlocks.
    Oblivious,
    /// Those of a function that gives a choice and declares no escape channels: every packet of the circle
    /// may have another way out, so that a deadlock isn't certain.
    Adaptive,
    /// Those of the escape channels: Duato's condition isn't met.
    Escape,
}

/// A cycle of dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// Which dependencies they are.
    pub why: WhyCircle,
    /// How many pairs of virtual channels depend on each other in that way, within the circle and outside it.
    pub dependencies: u64,
    /// Its channels. Each depends on the next one, the last one on the first.
    pub held: Vec<HeldChannel>,
}

/// A virtual channel of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldChannel {
    /// The node where it begins.
    pub node: NodeId,
    /// The output port.
    pub port: Port,
    /// The virtual channel.
    pub channel: u8,
    /// The destination of a packet that crossed it and may wait for the next one. This may be the
    /// intermediate node that the packet visits first.
    pub destination: NodeId,
    /// What users call the node, the port and the destination.
    pub names: [String; 3],
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Acyclic {
                channels,
                dependencies,
            } => write!(
                f,
                "free of deadlock: the {dependencies} dependencies of {channels} virtual channels form no cycle"
            ),
            Verdict::EscapeAcyclic {
                channels,
                dependencies,
            } => write!(
                f,
                "free of deadlock: the {dependencies} dependencies, direct and indirect, of {channels} escape channels form no cycle, and every head may take one of these"
            ),
            Verdict::Circle(circle) => circle.fmt(f),
        }
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.held.len();
        match self.why {
            WhyCircle::Oblivious => {
                write!(f, "can deadlock: packets in {count} virtual channels")?;
            }
            WhyCircle::Adaptive => {
                write!(f, "may deadlock: packets in {count} virtual channels")?;
            }
            WhyCircle::Escape => {
                write!(
                    f,
                    "may deadlock: packets that went over {count} escape channels"
                )?;
            }
        }
        f.write_str(" can wait for each other in a circle:")?;
        for held in &self.held {
            let [node, port, destination] = &held.names;
            let channel = held.channel;
            write!(
                f,
                "\n  node {node} {port}, channel {channel}: a packet to node {destination} waits for"
            )?;
        }
        let Some(first) = self.held.first() else {
            return Ok(());
        };
        write!(
            f,
            "\n  node {} {}, channel {}",
            first.names[0], first.names[1], first.channel
        )
    }
}
