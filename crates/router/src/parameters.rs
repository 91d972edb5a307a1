//! What a kind of router says of itself: its keys, how a network of it is built, and all that is known of it
//! before a run. Nobody else matches on which router it is.

use crate::exchange::Crossing;
use crate::scheduled::Request;
use flitwork_node::{Posting, Stepped, Streamed};
use flitwork_schema::{Datum, Fault, Files, Given, Key, Parts, Refusal, Span, settings};
use flitwork_topology::{Grid, Shape, Topology};
use std::fmt;

/// A kind of router, by its parameters.
///
/// A new router implements it beside its own code and stands in the table of [`crate::each_router`]; one of a
/// crate outside is added to the program's parts.
pub trait RouterParameters: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// What a configuration calls it: its table is `[router.NAME]`.
    const NAME: &'static str;
    /// What it is, in a line.
    const HELP: &'static str;

    /// The keys of its table, in the order of the reference.
    const KEYS: &'static [Key<Self>];

    /// [`RouterParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Whether its table has a key of that name.
    fn has_key(&self, name: &str) -> bool {
        Self::KEYS.iter().any(|key| key.name == name)
    }

    /// The parameters that a configuration gives.
    ///
    /// # Errors
    /// A [`Refusal`] for values that can't be beside each other.
    fn read(given: &Given<'_>, around: &Reading<'_>) -> Result<Self, Refusal>;

    /// What its table would have to be given as for these parameters.
    fn settings(&self, _shape: &Shape) -> Vec<(&'static str, Datum)> {
        settings(Self::KEYS, self)
    }

    /// Refuses packets that it can't take; `given` is its table.
    ///
    /// # Errors
    /// A [`Refusal`] for packets that are too long.
    fn take_packets(&self, _given: &Given<'_>, _longest: &Longest) -> Result<(), Refusal> {
        Ok(())
    }

    /// Builds it, in each way in which engines can drive it.
    fn offer(&self, around: &Surroundings<'_>, to: &mut impl Offers);

    /// What is known of it whatever network it is in.
    fn facts(&self) -> Facts;

    /// Words, and what else is as large, that a node of so many ports can hold at the most, the local port
    /// among them.
    fn held_words(&self, ports: u64) -> u64 {
        ports * (u64::from(self.facts().credit_words.unwrap_or(1)) + 4)
    }

    /// The packets that it brings with it, where all its packets are known before the run.
    fn packets(&self) -> Option<Vec<crate::scheduled::Route>> {
        None
    }

    /// The same kind of router for a small network of which nothing is known but its shape.
    #[must_use]
    fn scaled_down(&self) -> Self {
        self.clone()
    }

    /// Whether packets can wait for each other in a circle.
    fn deadlock(&self, _around: &Surroundings<'_>) -> Deadlock {
        Deadlock::Unknown("not known to be free of deadlock: the router says nothing of it".into())
    }

    /// Whether packets can move for ever and not arrive.
    fn livelock(&self, _around: &Surroundings<'_>) -> Livelock {
        Livelock::Unknown("the router says nothing of it".into())
    }

    /// What may not be what its user wants.
    fn warnings(&self, _around: &Surroundings<'_>) -> Vec<Warning> {
        Vec::new()
    }

    /// Names and values of its own, for people.
    fn figures(&self, _around: &Surroundings<'_>) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// What is known of a router whatever network it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The length of every packet, in words, where the router has but one.
    pub fixed_words: Option<u16>,
    /// The words that a node may send over a link before a credit has to come back; `None` where none ever
    /// does, as each word must leave in the cycle in which it comes
    /// ([`Router::credit_words`](flitwork_node::Router::credit_words)).
    pub credit_words: Option<u32>,
    /// Whether each word of a packet finds a way of its own, so that a packet isn't where its head is.
    pub words_travel_alone: bool,
    /// Whether packets wait for more than their time: for others to move.
    pub waits: bool,
    /// How many cycles ahead an engine may know that a node's injection frame takes the next packet.
    pub injects_ahead_cycles: u32,
    /// Which packets it takes.
    pub takes: Takes,
    /// Whether its nodes begin as zeroed memory, where they are driven by time stamps.
    pub begins_zeroed: bool,
    /// The keys of its table that the memory of a node depends on most.
    pub memory_keys: &'static [&'static str],
}

impl Facts {
    /// A router with buffers, of packets of any length.
    pub const USUAL: Facts = Facts {
        fixed_words: None,
        credit_words: Some(1),
        words_travel_alone: false,
        waits: true,
        injects_ahead_cycles: 1,
        takes: Takes::Any,
        begins_zeroed: false,
        memory_keys: &[],
    };
}

/// Which packets a router takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any.
    Any,
    /// Those that are all there in cycle 0: it is built for them.
    AtOnce,
    /// Its own ([`RouterParameters::packets`]).
    Own,
}

/// What parameters are read for.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The parts that can be named.
    pub parts: &'a Parts,
    /// The files that can be named.
    pub files: &'a dyn Files,
    /// The network's shape.
    pub shape: &'a Shape,
    /// Cycles that a word takes over a link without a latency of its own.
    pub link_latency_cycles: u32,
    /// What all random draws come from.
    pub seed: u64,
    /// Whether one clock steps all nodes.
    pub is_one_clock: bool,
}

impl<'a> Reading<'a> {
    /// The most cycles that a word takes over a link.
    pub fn longest_link_cycles(&self) -> u32 {
        *self.shape.latencies(self.link_latency_cycles).end()
    }

    /// The grid, for a router that needs coordinates; `given` is its table.
    ///
    /// # Errors
    /// A conflict where nodes have none.
    pub fn grid(&self, given: &Given<'_>) -> Result<&'a Grid, Refusal> {
        self.shape.grid_for(given.path()).map_err(|needs| {
            Refusal::new(Fault::Conflict, given.path(), Some(given.span()))
                .found(format!("{} is given", given.path()))
                .allowed(format!("another router: {needs}"))
        })
    }
}

/// The longest packet of the traffic, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Its words.
    pub words: u16,
    /// Where it is written, if it is.
    pub span: Option<Span>,
}

/// The network and the run that a router is built for.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The network's shape.
    pub shape: &'a Shape,
    /// Cycles that a word takes over a link without a latency of its own.
    pub link_latency_cycles: u32,
    /// What all random draws come from.
    pub seed: u64,
    /// Whether all nodes are in the same cycle, always.
    pub is_in_step: bool,
    /// How links and clocks are timed.
    pub crossing: &'a dyn Crossing,
    /// The packets that the sources have in cycle 0, for a router that is built for them.
    pub requests: &'a dyn Fn() -> Vec<Request>,
}

impl<'a> Surroundings<'a> {
    /// The most cycles that a word takes over a link.
    pub fn longest_link_cycles(&self) -> u32 {
        *self.shape.latencies(self.link_latency_cycles).end()
    }

    /// The grid, for a router that [needs one](Reading::grid).
    ///
    /// # Panics
    /// Where nodes have no coordinates.
    pub fn grid(&self) -> &'a Grid {
        let grid = self.shape.grid_for("a router that was read for one");
        grid.unwrap_or_else(|needs| panic!("{needs}; it is a {:?}", self.shape))
    }
}

/// Who takes a router in the ways in which engines can drive it. A router offers each way that it has, with
/// one that takes it word by word among them.
pub trait Offers {
    /// Word by word.
    fn words<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static;

    /// By time stamps.
    fn stamps<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static;

    /// By mail that is posted ahead.
    fn mail<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Posting + Send + Sync + 'static,
        R::Node: 'static;
}

/// Whether packets can wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// They can't, and why.
    Free(String),
    /// They can or may, and how.
    May(String),
    /// Nobody knows, and why not.
    Unknown(String),
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Deadlock::Free(text) | Deadlock::May(text) | Deadlock::Unknown(text)) = self;
        f.write_str(text)
    }
}

/// Whether packets can move for ever and not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Livelock {
    /// They can't, and why.
    None(String),
    /// With probability 0: how long a packet is under way has no bound, and every one arrives.
    ProbabilityZero(String),
    /// Nobody knows, and why not.
    Unknown(String),
}

impl fmt::Display for Livelock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Livelock::None(why) => write!(f, "free of livelock: {why}"),
            Livelock::ProbabilityZero(why) => {
                write!(f, "livelock has probability 0, without a bound: {why}")
            }
            Livelock::Unknown(why) => write!(f, "livelock is not known to be impossible: {why}"),
        }
    }
}

/// Something that is allowed and may not be what the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The key that it is about, with its tables.
    pub key: &'static str,
    /// What is so, and what that does.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.text)
    }
}
