//! `traffic.locality`, which several patterns read: the longest way of a packet in one dimension (Kaufmann and Sibeyn 1991,
//! section 9, where it is L).

use flitwork_schema::{Allowed, Field, Key, key};
use flitwork_types::MAX_NODES;

pub(super) const LOCALITY: &str = "locality";

/// The key.
pub(super) const fn locality_key<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    key(
        LOCALITY,
        field,
        Allowed::Whole(1, MAX_NODES as u64),
        "required for reflection and swap",
        "the longest way of a packet in one dimension, in nodes, with lines taken as rings; reflection and swap only",
    )
}
