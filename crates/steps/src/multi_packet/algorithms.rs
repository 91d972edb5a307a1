//! The algorithms of Kaufmann and Sibeyn 1991: each is one file here and one line in the table.

use super::algorithm::{Algorithm, Move, Planned, Where};
use super::setting::{Draw, Setting};
use crate::unfit::{Misfit, Unfit};
use flitwork_schema::{Allowed, Field, Key, key};

/// Declares the files of algorithms, and the table of them.
macro_rules! algorithms {
    ($($file:ident :: $algorithm:ident),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::*;)+

        /// Shows every algorithm to a visitor, sorted by name.
        pub(crate) fn each_algorithm(visitor: &mut impl EachAlgorithm) {
            $(visitor.algorithm::<$algorithm>();)+
        }
    };
}

algorithms! {
    greedy::Greedy,
    level::Level,
    level_improved::LevelImproved,
    level_superior::LevelSuperior,
    local::Local,
    no_l::NoL,
    nowrap::NoWrap,
    strips::Strips,
    wrap::Wrap,
}

/// Visits every algorithm.
pub(crate) trait EachAlgorithm {
    /// An algorithm.
    fn algorithm<A: Algorithm>(&mut self);
}

/// The colour of a packet of an algorithm with two: the first axis along which it goes.
fn colour(setting: &Setting, packet: &Planned<'_>, colours: usize) -> usize {
    setting.draw(packet.packet, Draw::Colour, colours as u32) as usize
}

/// The key of a strip's width.
const fn epsilon_key<A>(field: fn(&mut A) -> &mut dyn Field) -> Key<A> {
    key(
        "epsilon",
        field,
        Allowed::Whole(1, 1 << 24),
        "n/8",
        "width of the strips in which packets are spread, in nodes",
    )
}

/// A strip's width that is given, or an eighth of the side.
fn strip(given: Option<u32>, setting: &Setting) -> u32 {
    given.unwrap_or((setting.n / 8).max(1))
}

/// Refuses a strip that is wider than `most` nodes.
fn check_strip(epsilon: u32, most: u32, of: &str) -> Result<(), Unfit> {
    match epsilon <= most {
        true => Ok(()),
        false => Err(Unfit::key(
            "epsilon",
            epsilon,
            format!("1 to {most} nodes, {of}"),
        )),
    }
}

/// The most packets a node of algorithms with levels: stages have 16 bits.
const MOST_K: u32 = 1 << 15;

/// Refuses an odd number of packets a node, which makes no whole number of levels.
fn check_levels(setting: &Setting) -> Result<(), Unfit> {
    match setting.k.is_multiple_of(2) && setting.k <= MOST_K {
        true => Ok(()),
        false => {
            let allowed = format!("an even number of packets a node, up to {MOST_K}: k/2 levels");
            Err(Unfit::problem(Misfit::Packets, sends(setting), allowed))
        }
    }
}

/// How many packets nodes send, in words.
fn sends(setting: &Setting) -> String {
    format!("a node sends {} packets", setting.k)
}

/// The level of a packet, from 0 to k/2 - 1.
fn level(setting: &Setting, packet: &Planned<'_>) -> u32 {
    setting.draw(packet.packet, Draw::Level, (setting.k / 2).max(1))
}

/// The flits that a node sends, k of worms.
fn flits(setting: &Setting) -> f64 {
    f64::from(setting.k) * f64::from(setting.flits)
}

/// The side, n.
fn side(setting: &Setting) -> f64 {
    f64::from(setting.n)
}
