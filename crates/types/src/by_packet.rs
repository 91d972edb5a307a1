//! Maps from packets.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map from packets, by [`PacketId::as_u64`](crate::PacketId::as_u64).
pub type ByPacket<V> = HashMap<u64, V, BuildHasherDefault<SpreadPacketId>>;

/// A set of packets, by [`PacketId::as_u64`](crate::PacketId::as_u64).
pub type PacketSet = HashSet<u64, BuildHasherDefault<SpreadPacketId>>;

/// A packet's number, spread over all bits: it consists of two counts, so no input can make keys collide on
/// purpose.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpreadPacketId(u64);

impl Hasher for SpreadPacketId {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are of 64 bits")
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ (spread >> 32);
    }
}
