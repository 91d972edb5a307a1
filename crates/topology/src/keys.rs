//! Keys of `[network]` that several topologies have.
//!
//! A list of one name is the same in all; whole numbers may have a range of their own.

use crate::{MAX_DIMENSIONS, MAX_NODES};
use flitwork_schema::{Allowed, Field, Key, key};

/// The allowed sides: at least one, with at least one node.
pub const SIDES: Allowed = Allowed::List(1, MAX_DIMENSIONS, &Allowed::Whole(1, MAX_NODES as u64));

/// `nodes`: how many there are.
pub const fn nodes<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, MAX_NODES as u64);
    let meaning = "how many nodes there are";
    key("nodes", field, allowed, "required", meaning)
}

/// `sides`: nodes along each dimension.
pub const fn sides<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let meaning = "nodes along each dimension, x first; 2 to 16777216 nodes in all, and the sides of a torus are at least 2";
    key("sides", field, SIDES, "required", meaning)
}

/// `dimensions`: how many digits the number of a node has.
pub const fn dimensions<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_DIMENSIONS as u64);
    let meaning = "how many digits the number of a node has: 2 ^ dimensions nodes, or radix ^ dimensions where the radix is a key";
    key("dimensions", field, allowed, "required", meaning)
}

/// `seed`: where a topology's own random draws come from.
pub const fn seed<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let meaning = "the seed from which links are drawn; the run's own seed draws other things";
    key("seed", field, Allowed::Whole(0, u64::MAX), "1", meaning)
}
