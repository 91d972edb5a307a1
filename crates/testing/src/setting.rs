//! What a message about a broken clause says beside it: which router, where, on which engine, from which seed.

use crate::stand::Stand;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A router on a network.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// The network and its packets, in words.
    pub(crate) network: String,
    pub(crate) seed: u64,
    pub(crate) stand: Stand,
}

impl Setting {
    /// Does something on an engine. Whatever panics in it, the router's own code included, panics with a message that
    /// names the node, the cycle and the seed.
    ///
    /// # Panics
    /// If that does.
    pub(crate) fn on<X>(&self, engine: &str, run: impl FnOnce() -> X) -> X {
        self.stand.reset();
        // Nothing that was under way is used again.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|why| {
            let Setting {
                name,
                network,
                seed,
                stand,
            } = self;
            let why = text_of(&*why);
            panic!("router {name}: {why}\n{stand}, seed {seed}; {engine}, {network}")
        })
    }
}

/// The message of a panic.
fn text_of(why: &(dyn Any + Send)) -> &str {
    let text = why.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| why.downcast_ref::<&'static str>().copied())
        .unwrap_or("a panic without a message")
}
