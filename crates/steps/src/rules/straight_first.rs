//! Who goes straight on before who turns or begins, then first come, first out (Chinn 1995, Theorem 2.19).

use super::Order;
use crate::{Blind, Link, Seen};

/// Who goes straight on before who turns or begins, then first come, first out (Chinn 1995, Theorem 2.19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StraightFirst;

impl Order for StraightFirst {
    const NAME: &'static str = "straight-first";
    const HELP: &'static str = "dimension order, straight on before turns";

    type Sight = Blind;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Blind, P>) -> u64 {
        let goes_straight = packet.through.is_some() && packet.through == link.across;
        u64::from(!goes_straight) << 32 | u64::from(packet.arrived)
    }
}
