//! A moment of the whole network, up to which a record that stops early is good.

use super::error::{RecordError, invalid};
use super::fields::Fields;
use super::source::{check_crc, put_crc};
use super::varint;
use flitwork_types::{Cycle, NodeId};
use std::io;

pub(super) const MARKER: u8 = b'M';
/// Marker, length and head CRC.
pub(super) const HEAD_BYTES: u64 = 9;
/// The most bytes of a node whose mark lies before the end of its chunks: two varints.
const NODE_BYTES: u64 = 10;

/// A cycle for each node, chosen such that whatever arrived at a node before its cycle was sent by a neighbour before
/// the neighbour's: all nodes can be run exactly that far, independently of anything later.
///
/// A node's cycle is the end of its chunks so far, except for the nodes that are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The digest of what all nodes did before their cycles: the sum of theirs.
    pub digest: u64,
    /// Nodes whose chunks already go further, by number, and the cycle of each, at which a chunk ends.
    pub behind: Vec<(NodeId, Cycle)>,
}

impl Mark {
    /// The bytes in [the format](super), for a network of `nodes` nodes.
    pub(super) fn to_bytes(&self, nodes: u32) -> io::Result<Vec<u8>> {
        self.check(nodes).map_err(invalid)?;
        let mut body = self.digest.to_le_bytes().to_vec();
        let mut before = 0;
        for (node, cycle) in &self.behind {
            varint::put(&mut body, u64::from(node.0 - before));
            varint::put(&mut body, u64::from(cycle.get()));
            before = node.0;
        }
        let mut bytes = vec![MARKER];
        bytes.extend((body.len() as u32).to_le_bytes());
        put_crc(&mut bytes);
        bytes.extend(body);
        put_crc(&mut bytes);
        Ok(bytes)
    }

    /// What no reader would accept.
    fn check(&self, nodes: u32) -> Result<(), String> {
        let order = self.behind.windows(2).find(|two| two[0].0 >= two[1].0);
        if let Some(two) = order {
            return Err(format!(
                "a mark that names node {} after node {}",
                two[1].0, two[0].0
            ));
        }
        match self.behind.last() {
            Some((node, _)) if node.0 >= nodes => Err(format!(
                "a mark of node {node} in the record of {nodes} nodes"
            )),
            _ => Ok(()),
        }
    }

    /// The length of the body, from a whole head that starts at `offset`.
    pub(super) fn check_head(head: &[u8], offset: u64, nodes: u32) -> Result<u64, RecordError> {
        let head = check_crc(head, offset)?;
        let found = u64::from(Fields(&head[1..]).u32().unwrap_or_default());
        let allowed = 8 + u64::from(nodes) * NODE_BYTES;
        RecordError::check_length(offset, "a mark", found, allowed)?;
        Ok(found)
    }

    /// The mark, from all its bytes.
    pub(super) fn parse(bytes: &[u8], offset: u64, nodes: u32) -> Result<Mark, RecordError> {
        let body = &check_crc(bytes, offset)?[HEAD_BYTES as usize..];
        let mark = Mark::parse_body(body).ok_or_else(|| {
            RecordError::corrupt(offset, "the mark's fields don't fill its length")
        })?;
        let checked = mark.check(nodes);
        checked.map_err(|what| RecordError::corrupt(offset, what))?;
        Ok(mark)
    }

    fn parse_body(body: &[u8]) -> Option<Mark> {
        let mut fields = Fields(body);
        let digest = fields.u64()?;
        let mut behind = Vec::new();
        let mut node = 0_u32;
        while !fields.0.is_empty() {
            node = node.checked_add(fields.varint()?)?;
            behind.push((NodeId(node), Cycle(fields.varint()?)));
        }
        Some(Mark { digest, behind })
    }
}
