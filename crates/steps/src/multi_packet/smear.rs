//! Smearing: packets are spread evenly over blocks of neighbouring nodes (sections 3 and 7.5).

use super::setting::Setting;
use crate::machine::PacketId;
use flitwork_types::NodeId;
use std::collections::BTreeMap;

/// Packets that are to be spread, by the block in which they are.
pub(super) struct Smear<'a> {
    setting: &'a Setting,
    /// The nodes of a block.
    block: u32,
    /// By axis, the block's first node and the packet's place: the packets.
    blocks: BTreeMap<(usize, NodeId), Vec<(u32, PacketId)>>,
}

impl<'a> Smear<'a> {
    /// Blocks of m = ⌈k ln n⌉ nodes, or as many as a line has.
    pub(super) fn new(setting: &'a Setting) -> Smear<'a> {
        let block = (f64::from(setting.k) * setting.ln_n()).ceil();
        Smear {
            setting,
            block: (block as u32).clamp(1, setting.n),
            blocks: BTreeMap::new(),
        }
    }

    /// A packet is in a node, and is to be spread along an axis.
    pub(super) fn put(&mut self, axis: usize, at: NodeId, packet: PacketId) {
        let place = self.setting.coordinate(at, axis);
        let first = place / self.block * self.block;
        let block = self.setting.along(at, axis, first);
        let of_block = self.blocks.entry((axis, block)).or_default();
        of_block.push((place, packet));
    }

    /// Where each packet goes along which axis: those of a block in their order, as many to each of its nodes, give or take one.
    pub(super) fn spread(self) -> impl Iterator<Item = (PacketId, usize, u32)> {
        let Smear { setting, block, .. } = self;
        self.blocks.into_iter().flat_map(move |(of, mut packets)| {
            packets.sort_unstable();
            let (axis, first) = of;
            let first = setting.coordinate(first, axis);
            let nodes = u64::from(block.min(setting.n - first));
            let all = packets.len() as u64;
            let spread = packets.into_iter().zip(0..all);
            spread.map(move |((_, packet), number)| {
                (packet, axis, first + (number * nodes / all) as u32)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multi_packet::algorithms::NoWrap;
    use flitwork_topology::{Grid, Shape};

    #[test]
    fn a_block_by_hand() {
        // Lines of 8 and two packets a node: ⌈2 ln 8⌉ = ⌈4.16⌉ = 5, so that blocks are of places 0 to 4 and 5 to 7.
        let shape = Shape::from(Grid::mesh(&[8, 8]).unwrap());
        let problem = [(NodeId(0), NodeId(9)), (NodeId(0), NodeId(9))];
        let setting = Setting::new::<NoWrap>(&shape, &problem, 1, 1).unwrap();
        let mut smear = Smear::new(&setting);
        // Five in one node and one beside it, along the row; four in the second block of a column.
        for packet in 0..5 {
            smear.put(0, NodeId(8), PacketId(packet));
        }
        smear.put(0, NodeId(9), PacketId(5));
        for packet in 6..10 {
            smear.put(1, NodeId(8 * 6 + 3), PacketId(packet));
        }
        let spread: Vec<_> = smear.spread().map(|it| (it.0.0, it.1, it.2)).collect();
        // Six over five nodes: 0 5/6, 1 5/6, …; four over three: 5 + 0 3/4, ….
        let along_row = [
            (0, 0, 0),
            (1, 0, 0),
            (2, 0, 1),
            (3, 0, 2),
            (4, 0, 3),
            (5, 0, 4),
        ];
        let along_column = [(6, 1, 5), (7, 1, 5), (8, 1, 6), (9, 1, 7)];
        assert_eq!(spread, [&along_row[..], &along_column[..]].concat());
        // By place, and not by number.
        let mut smear = Smear::new(&setting);
        smear.put(0, NodeId(9), PacketId(0));
        smear.put(0, NodeId(8), PacketId(1));
        let spread: Vec<_> = smear.spread().map(|it| (it.0.0, it.1, it.2)).collect();
        assert_eq!(spread, [(1, 0, 0), (0, 0, 2)]);
    }
}
