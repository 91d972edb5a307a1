//! First come, first out.

use super::Order;
use crate::{Blind, Link, Seen};

/// First come, first out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

impl Order for Fifo {
    const NAME: &'static str = "fifo";
    const HELP: &'static str = "dimension order, first in, first out";

    type Sight = Blind;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, _: &Link<'_>, packet: &Seen<'_, Blind, P>) -> u64 {
        packet.arrived.into()
    }
}
