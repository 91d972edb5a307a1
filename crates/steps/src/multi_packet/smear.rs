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
