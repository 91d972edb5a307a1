//! Files that describe a network, which a configuration only names.

use super::NetworkParameters;
use flitwork_schema::Datum;
use flitwork_topology::{Topology, keys};
use flitwork_types::{NodeId, Port, TerminalId};

impl NetworkParameters {
    /// The names of its files, as configured.
    pub fn files(&mut self) -> impl Iterator<Item = &mut String> {
        let keys = self.made_by.iter_mut();
        keys.filter_map(|(key, value)| match value {
            Datum::Text(name) if keys::FILES.contains(key) => Some(name),
            _ => None,
        })
    }

    /// What its files say, as bytes, for a checksum: none without a file.
    pub fn content(&self, take: &mut dyn FnMut(&[u8])) {
        let is_file = |(key, _): &(&str, Datum)| keys::FILES.contains(key);
        if !self.made_by.iter().any(is_file) {
            return;
        }
        let shape = &self.shape;
        for port in (0..shape.ports() as u8).map(Port) {
            take(format!("{:?}", shape.port_name(port)).as_bytes());
        }
        for node in (0..shape.nodes()).map(NodeId) {
            take(format!("{:?}", shape.node_name(node)).as_bytes());
            for port in shape.links(node).iter() {
                let link = (port, shape.far(node, port), shape.link_cycles(node, port));
                take(format!("{link:?}").as_bytes());
            }
        }
        for terminal in (0..shape.terminals()).map(TerminalId) {
            take(&shape.home(terminal).0.to_le_bytes());
        }
    }
}
