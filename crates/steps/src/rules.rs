//! Rules: which packets a node sends, by which order, and which it lets in.
//!
//! | part | choices |
//! |---|---|
//! | way | [`DimensionOrder`], [`GreedyAdaptive`], [`Alternating`], [`StraightThrough`], [`Derouting`] |
//! | [`Order`] of those that want one link | [`Fifo`], [`Lifo`], [`FarthestFirst`], [`FarthestOrigin`], [`FarthestTotal`], [`NearestFirst`], [`Random`], [`StraightFirst`] |
//! | [`Inqueue`] | [`Fixed`], [`RoundRobin`] |
//!
//! A rule that configurations name is one file here, with its [`RuleParameters`], and one line in the table.

mod dimension_order;
mod inqueue;
mod order;
mod parameters;

/// Declares the files of rules, and the table of them.
macro_rules! rules {
    ($($file:ident => $parameters:ty),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::*;)+

        /// Shows every rule to a visitor, sorted by name.
        pub(crate) fn each_rule(visitor: &mut impl EachRule) {
            $(visitor.rule::<$parameters>();)+
        }
    };
}

// Every rule: its file, and the parameters that describe it. A new rule is one line here.
rules! {
    alternating => alternating::AlternatingParameters,
    derouting => derouting::DeroutingParameters,
    farthest_first => Ordered<farthest_first::FarthestFirst>,
    farthest_origin => Ordered<farthest_origin::FarthestOrigin>,
    farthest_total => Ordered<farthest_total::FarthestTotal>,
    fifo => Ordered<fifo::Fifo>,
    greedy_adaptive => greedy_adaptive::GreedyAdaptiveParameters,
    lifo => Ordered<lifo::Lifo>,
    nearest_first => Ordered<nearest_first::NearestFirst>,
    random => Ordered<random::Random>,
    straight_first => Ordered<straight_first::StraightFirst>,
    straight_through => straight_through::StraightThrough,
}

/// Visits every rule.
pub(crate) trait EachRule {
    /// A rule.
    fn rule<P: RuleParameters>(&mut self);
}

pub use dimension_order::DimensionOrder;
pub use inqueue::*;
pub use order::{Order, Ordered};

pub use crate::Link;
pub use parameters::RuleParameters;
