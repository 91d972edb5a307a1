//! Last come, first out.

use super::{Link, Order};
use crate::{Blind, Seen};

/// Last come, first out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifo;

impl Order for Lifo {
    const NAME: &'static str = "lifo";
    const HELP: &'static str = "dimension order, last in, first out";

    type Sight = Blind;

    #[inline]
    fn rank<P>(&self, _: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        (u32::MAX - packet.arrived).into()
    }
}
