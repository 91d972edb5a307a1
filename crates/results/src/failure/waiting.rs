//! Packets that wait, described in words. A run may end with millions of them: what many share is kept once.

use flitwork_network::place_name;
use flitwork_node::{Wait, WaitsFor};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// A packet that waits.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Waiting {
    /// The node that it is in.
    pub node: u32,
    /// The node's coordinates, as (x, y, …).
    #[schemars(with = "String")]
    #[serde(serialize_with = "as_text")]
    pub coordinates: Arc<str>,
    /// The node that made it.
    pub source: u32,
    /// Its number among that node's packets, from 0.
    pub serial: u32,
    /// Its destination.
    pub destination: u32,
    /// The frame that it is in.
    #[schemars(with = "String")]
    #[serde(serialize_with = "as_text")]
    pub place: Arc<str>,
    /// What it waits for, in words.
    #[schemars(with = "String")]
    #[serde(serialize_with = "as_text")]
    pub waits_for: Arc<str>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiting {
            node,
            coordinates,
            source,
            serial,
            destination,
            place,
            waits_for,
        } = self;
        write!(
            f,
            "node {node} {coordinates}: packet {serial} of node {source} to node {destination}, in the {place}, \
             waits for {waits_for}"
        )
    }
}

/// A text that many share, as a text of its own.
fn as_text<S: Serializer>(shared: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(shared)
}

/// Puts the waits of a network into words.
pub(super) struct Describer<'a> {
    shape: &'a Shape,
    shared: HashSet<Arc<str>>,
}

impl<'a> Describer<'a> {
    pub(super) fn new(shape: &'a Shape) -> Self {
        Describer {
            shape,
            shared: HashSet::new(),
        }
    }

    pub(super) fn describe(&mut self, wait: &Wait) -> Waiting {
        Waiting {
            node: wait.node.0,
            coordinates: self.shared(coordinates(self.shape, wait.node)),
            source: wait.packet.source.0,
            serial: wait.packet.serial,
            destination: wait.destination.0,
            place: self.shared(place_name(self.shape, wait.place)),
            waits_for: self.shared(waits_for(self.shape, wait)),
        }
    }

    fn shared(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.shared.get(text.as_str()) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.shared.insert(Arc::clone(&text));
        text
    }
}

/// A node's coordinates, or its number if nodes have none.
fn coordinates(shape: &Shape, node: NodeId) -> String {
    let Some(grid) = shape.grid() else {
        return format!("({})", shape.node_name(node));
    };
    let at: Vec<String> = grid.coordinates(node).iter().map(u32::to_string).collect();
    format!("({})", at.join(", "))
}

/// The port of arrival for what leaves through a port. A port without a far end leads to the processor.
fn far_port(shape: &Shape, node: NodeId, port: Port) -> String {
    let far = shape.far(node, port).map(|(_, far)| far);
    let opposite = || shape.grid().map(|grid| grid.opposite(port));
    shape.port_name(far.or_else(opposite).unwrap_or(port))
}

fn waits_for(shape: &Shape, wait: &Wait) -> String {
    // The node at the far end of a link, and its port there.
    let far = |port: Port, nobody: &str| {
        let node = shape.neighbour(wait.node, port);
        let node = node.map(|node| format!("node {}", shape.node_name(node)));
        let node = node.unwrap_or_else(|| nobody.to_owned());
        (node, far_port(shape, wait.node, port))
    };
    let or = |names: Vec<String>| names.join(" or ");
    match &wait.waits_for {
        WaitsFor::Neighbour(port) => {
            let (far, port) = far(*port, "nobody");
            format!("{far} to free its input frame {port}")
        }
        WaitsFor::Outputs(wanted) => {
            let named = wanted.iter().map(|port| shape.port_name(port));
            format!("its node's output frame {}", or(named.collect()))
        }
        WaitsFor::QueueRoom => "room in its node's multiqueue".into(),
        WaitsFor::Channels(wanted) => {
            let named = wanted.iter();
            let named = named
                .map(|(port, channel)| format!("{} channel {channel}", shape.port_name(*port)));
            format!("its node's output {}", or(named.collect()))
        }
        WaitsFor::Room(port, channel) => {
            let (far, port) = far(*port, "its processor");
            format!("room in input {port} channel {channel} of {far}")
        }
        WaitsFor::Turn(port) => {
            let (far, _) = far(*port, "nobody");
            format!("its turn on the half-duplex link to {far}")
        }
        WaitsFor::Front => "the worm before it in the same buffer".into(),
        WaitsFor::InputRoom => "room in its node's input buffers".into(),
        WaitsFor::Nothing => "nothing: it can go on".into(),
    }
}
