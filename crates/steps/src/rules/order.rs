//! Which of the packets that want a link goes first.

use crate::{Blind, Distances, Seen, Sight};
use flitwork_types::{NodeId, Port};
use std::fmt::Debug;

/// A link for which packets of its node are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The node.
    pub node: NodeId,
    /// The number of this step.
    pub step: u32,
    /// The link's [dimension](crate::Here::dimension).
    pub dimension: usize,
    /// The port by which those have come that go straight on, if nodes have opposite ports.
    pub across: Option<Port>,
}

/// An order of packets that want the same link.
pub trait Order: Clone + Debug + Default + Send + Sync {
    /// What it may know of destinations.
    type Sight: Sight;

    /// The rank of a packet for a link: the least goes first; of equals, the one that came first.
    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Self::Sight, P>) -> u64;
}

/// First come, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Order for Fifo {
    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, _: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        packet.arrived.into()
    }
}

/// Last come, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifo;

impl Order for Lifo {
    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, _: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        (u32::MAX - packet.arrived).into()
    }
}

/// The one that has the farthest to go in the link's dimension, then the one that came first (Leighton 1992, page 159).
#[derive(Clone, Copy, Debug, Default)]
pub struct FarthestFirst;

impl Order for FarthestFirst {
    type Sight = Distances;

    #[inline]
    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Distances, P>) -> u64 {
        u64::from(u32::MAX - packet.to_go.along(link.dimension)) << 32 | u64::from(packet.arrived)
    }
}

/// The one that has the nearest to go in the link's dimension, then the one that came first (Chinn 1995, section 2.4.5).
#[derive(Clone, Copy, Debug, Default)]
pub struct NearestFirst;

impl Order for NearestFirst {
    type Sight = Distances;

    #[inline]
    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Distances, P>) -> u64 {
        u64::from(packet.to_go.along(link.dimension)) << 32 | u64::from(packet.arrived)
    }
}

/// By a table that looks random: a number of node, step and source. It is as deterministic as the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random {
    /// Which table.
    pub seed: u64,
}

impl Order for Random {
    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        let place = u64::from(link.node.0) << 32 | u64::from(link.step);
        mix(mix(self.seed ^ place) ^ u64::from(packet.source.0))
    }
}

/// Spreads a number over all bits (Steele, Lea and Flood 2014, the output function of SplitMix64).
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Who goes straight on before who turns or begins, then first come, first out (Chinn 1995, Theorem 2.19).
#[derive(Clone, Copy, Debug, Default)]
pub struct StraightFirst;

impl Order for StraightFirst {
    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        let goes_straight = packet.through.is_some() && packet.through == link.across;
        u64::from(!goes_straight) << 32 | u64::from(packet.arrived)
    }
}
