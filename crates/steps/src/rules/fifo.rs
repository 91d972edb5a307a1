//! First come, first out.

use super::{Link, Order};
use crate::{Blind, Seen};

/// First come, first out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

impl Order for Fifo {
    const NAME: &'static str = "fifo";
    const HELP: &'static str = "dimension order, first in, first out";

    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, _: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        packet.arrived.into()
    }
}
