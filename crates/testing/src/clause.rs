//! What a router promises, clause by clause, and how a broken promise is reported.

use std::fmt;

/// Declares the clauses, each with its name and what it says.
macro_rules! clauses {
    ($($clause:ident = $name:literal, $summary:literal;)+) => {
        /// A clause of the contract between a router and its engines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Clause {
            $(#[doc = $summary] $clause,)+
        }

        impl Clause {
            /// All clauses.
            pub const ALL: &'static [Clause] = &[$(Clause::$clause),+];

            /// Its name in messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Clause::$clause => $name,)+
                }
            }

            /// What it says.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Clause::$clause => $summary,)+
                }
            }
        }
    };
}

clauses! {
    Facts = "facts", "A router says the same of itself before and after it is built.";
    Offers = "offers", "A router is offered word by word, once.";
    Wires = "wires", "A node sends only over links that exist and take a word.";
    Reports = "reports", "Each word, head, tail and freed frame that leaves is reported in its cycle, and nothing else is.";
    Words = "words", "A word leaves a node once, and only if it has come.";
    Source = "source", "A credit at the local port comes once for each packet, after its last word.";
    Events = "events", "Each event is reported once, in its cycle and in order.";
    Deliveries = "deliveries", "A packet is delivered at its destination, in the first cycle in which none of its words is in transit.";
    Counts = "counts", "A packet's hops and deroutes are those that were reported.";
    Settled = "settled", "No credit is under way to a node that says it is settled.";
    Credits = "credits", "Each word or worm that leaves over a link returns as a credit.";
    Arrival = "arrival", "Every packet arrives, and nothing is left of it.";
    Order = "order", "The order in which nodes are visited changes nothing.";
    Engines = "engines", "The same happens on every engine under one clock, however the router is driven.";
    Looks = "looks", "A node holds what it shows.";
    Explains = "explains", "A step does what was explained.";
}

impl Clause {
    /// Reports that it is broken.
    #[cold]
    #[track_caller]
    pub(crate) fn broken(self, what: fmt::Arguments<'_>) -> ! {
        let (name, summary) = (self.name(), self.summary());
        panic!("the clause `{name}` is broken: {summary} But: {what}")
    }
}

/// The clause holds if this is so.
macro_rules! holds {
    ($clause:expr, $is_so:expr $(,)?) => {
        holds!($clause, $is_so, "not {}", stringify!($is_so))
    };
    ($clause:expr, $is_so:expr, $($what:tt)+) => {
        if !$is_so {
            $clause.broken(format_args!($($what)+));
        }
    };
}

/// The clause holds if both are equal.
macro_rules! equal {
    ($clause:expr, $one:expr, $other:expr $(,)?) => {
        equal!($clause, $one, $other, "{}", stringify!($one))
    };
    ($clause:expr, $one:expr, $other:expr, $($what:tt)+) => {
        match (&$one, &$other) {
            (one, other) => {
                if *one != *other {
                    let what = format_args!($($what)+).to_string();
                    $clause.broken(format_args!("{what}: {one:?}, not {other:?}"));
                }
            }
        }
    };
}

pub(crate) use equal;
pub(crate) use holds;
