//! Last come, first out.

use super::Order;
use crate::{Blind, Link, Seen};

/// Last come, first out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifo;

impl Order for Lifo {
    const NAME: &'static str = "lifo";
    const HELP: &'static str = "dimension order, last in, first out";

    type Sight = Blind;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, _: &Link<'_>, packet: &Seen<'_, Blind, P>) -> u64 {
        (u32::MAX - packet.arrived).into()
    }
}
