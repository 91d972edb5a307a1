//! Studies of our own: tables over a parameter, made by one command each.

mod multiqueue;

pub use multiqueue::{Multiqueue, MultiqueueRow, multiqueue, multiqueue_text};
