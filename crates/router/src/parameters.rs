//! What a kind of router states about itself: its keys, how a network of it is built, and everything that is
//! known about it before a run. No other code matches on which router it is.

use crate::exchange::Crossing;
pub use crate::reading::Reading;
use crate::routes::{Request, Route};
use crate::routing::{Astray, CheckError, Circle, Followed, Watch};
use flitwork_node::{MailRouter, TimestampRouter, WordRouter};
use flitwork_schema::{Datum, Entry, Key, Parts, RawTable, Refusal, Span, entries, settings};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{Cycle, Due, Duplex};
use std::fmt;

/// A kind of router, by its parameters.
///
/// A new router implements it beside its own code and has a line in the table of [`crate::each_router`]; a
/// router from another crate is added to the program's parts.
pub trait RouterParameters: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// What a configuration calls it: its table is `[router.NAME]`.
    const NAME: &'static str;
    /// A line that describes it.
    const HELP: &'static str;

    /// The keys of its table, in the order of the reference.
    const KEYS: &'static [Key<Self>];

    /// The entries of its table: its keys, and the tables of parts that are named in it.
    fn keys(_parts: &Parts) -> Vec<Entry> {
        entries(Self::KEYS)
    }

    /// [`RouterParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Whether its table has a key of that name.
    fn has_key(&self, name: &str) -> bool {
        Self::KEYS.iter().any(|key| key.name == name)
    }

    /// Reads the parameters from a configuration.
    ///
    /// # Errors
    /// A [`Refusal`] for values that don't fit together.
    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<Self, Refusal>;

    /// The keys of its table that give these parameters, with their values.
    fn settings(&self, _shape: &Shape) -> Vec<(&'static str, Datum)> {
        settings(Self::KEYS, self)
    }

    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Passes the contents of its files to `take`, in bytes: a hash of the configuration includes them.
    fn content(&self, _take: &mut dyn FnMut(&[u8])) {}

    /// Refuses packets that it can't take; `given` is its table.
    ///
    /// # Errors
    /// A [`Refusal`] for packets that are too long.
    fn take_packets(&self, _given: &RawTable<'_>, _longest: &Longest) -> Result<(), Refusal> {
        Ok(())
    }

    /// Offers the router in each form that an engine can drive.
    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers);

    /// What is known about it in every network.
    fn facts(&self) -> Facts;

    /// The most words, and other items of that size, that a node with this many ports (the local one
    /// included) can hold.
    fn held_words(&self, ports: u64) -> u64 {
        ports * (u64::from(self.facts().credit_words.unwrap_or(1)) + 4)
    }

    /// Whether the two directions of its network's links have a wire each unless a configuration says so; `given` is its
    /// table.
    fn usual_duplex(_given: &RawTable<'_>) -> Duplex {
        Duplex::Full
    }

    /// The packets that it brings along, if all its packets are known before the run.
    fn packets(&self) -> Option<Vec<Route>> {
        None
    }

    /// The same kind of router for a small network of which only the shape is known.
    #[must_use]
    fn scaled_down(&self) -> Self {
        self.clone()
    }

    /// The memory of what it makes of its packets' paths before the run, which have so many hops in all.
    fn plan_bytes(&self, _hops: u64) -> PlanBytes {
        PlanBytes::default()
    }

    /// Whether packets can wait for each other in a circle.
    fn deadlock(&self, _around: &BuildContext<'_>) -> Deadlock {
        Deadlock::Unknown(
            "not known to be free of deadlock: the router says nothing about it".into(),
        )
    }

    /// Whether packets can move forever without arriving.
    fn livelock(&self, _around: &BuildContext<'_>) -> Livelock {
        Livelock::Unknown("the router says nothing about it".into())
    }

    /// Both, with what proves them, under observation.
    fn verdicts(&self, around: &BuildContext<'_>, _watch: &mut Watch<'_>) -> Verdicts {
        Verdicts::plain(self.deadlock(around), self.livelock(around))
    }

    /// Where its packets go while nothing is in their way, for the loads of links; `None` if no function says so.
    fn followed(&self, _around: &BuildContext<'_>) -> Option<Followed> {
        None
    }

    /// Settings that may not be what the user wants.
    fn warnings(&self, _around: &BuildContext<'_>) -> Vec<Warning> {
        Vec::new()
    }

    /// Names and values of its own figures, for people to read.
    fn figures(&self, _around: &BuildContext<'_>) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Bytes of what a router makes of its packets' paths before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanBytes {
    /// What it keeps during the run.
    pub kept: u64,
    /// What it takes at most while it makes it, with what is kept.
    pub most: u64,
}

/// What is known about a router in every network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The length of every packet, in words, if the router has only one.
    pub fixed_words: Option<u16>,
    /// The words that a node may send over a link before a credit must come back; `None` if there are no
    /// credits, since each word must leave in the cycle in which it arrives
    /// ([`Router::credit_words`](flitwork_node::Router::credit_words)).
    pub credit_words: Option<u32>,
    /// Whether each word of a packet is routed independently, so that a packet isn't where its head is.
    pub words_travel_alone: bool,
    /// Whether packets wait not only for time to pass but for others to move.
    pub waits: bool,
    /// How many cycles ahead an engine may know that a node's injection frame can take the next packet.
    pub injects_ahead_cycles: u32,
    /// Which packets it accepts.
    pub takes: Takes,
    /// Whether it takes half-duplex links ([`Router::takes_half_duplex`](flitwork_node::Router::takes_half_duplex)).
    pub takes_half_duplex: bool,
    /// Whether its nodes may have several terminals.
    pub takes_several_terminals: bool,
    /// Whether links may fail while it runs ([`Router::takes_faults`](flitwork_node::Router::takes_faults)).
    pub takes_faults: bool,
    /// Whether packets can't wait for each other in a circle whatever ways they take.
    pub is_free_on_any_paths: bool,
    /// Whether its nodes have a buffer behind no port: a central queue or a side buffer.
    pub has_queue: bool,
    /// Whether its nodes start as zeroed memory when they are driven by time stamps.
    pub begins_zeroed: bool,
    /// The keys of its table on which the memory of a node depends most.
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
        takes_half_duplex: false,
        takes_several_terminals: false,
        takes_faults: false,
        is_free_on_any_paths: false,
        has_queue: true,
        begins_zeroed: false,
        memory_keys: &[],
    };
}

/// Which packets a router accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any.
    Any,
    /// Packets that all exist in cycle 0: the router is built for them.
    AtOnce,
    /// Its own ([`RouterParameters::packets`]).
    Own,
}

/// The longest packet of the traffic, and where the configuration gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Its length in words.
    pub words: u16,
    /// Where it is given, if it is.
    pub span: Option<Span>,
}

impl Longest {
    /// Refuses it where a buffer must hold a whole packet and doesn't: of `most` words, by a key of the router's table.
    /// `holds` says so in words.
    ///
    /// # Errors
    /// A conflict, shown at the key or, if that isn't given, at the packets' length.
    pub fn fits(
        &self,
        given: &RawTable<'_>,
        (name, most): (&str, u16),
        holds: &str,
    ) -> Result<(), Refusal> {
        let words = self.words;
        if words <= most {
            return Ok(());
        }
        let key = given.key(name);
        let found = format!("{key} is {most}, and packets have up to {words} words");
        let refusal = given.conflict(name, format!("{words} or more: {holds}"));
        Err(Refusal {
            span: given.span_of(name).or(self.span.clone()).or(refusal.span),
            found,
            ..refusal
        })
    }
}

/// The network and the run that a router is built for.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The network's shape.
    pub shape: &'a Shape,
    /// Cycles that a word takes over a link that has no latency of its own.
    pub link_latency_cycles: u32,
    /// Whether the two directions of a link have a wire each.
    pub duplex: Duplex,
    /// The seed of all random draws.
    pub seed: u64,
    /// Whether all nodes are always in the same cycle.
    pub is_in_step: bool,
    /// How links and clocks are timed.
    pub crossing: &'a dyn Crossing,
    /// The packets that the sources hold in cycle 0, for a router that is built for them.
    pub requests: &'a dyn Fn() -> Vec<Request>,
    /// When the network has this shape, if its links may fail.
    pub epoch: Option<Epoch>,
}

/// A time in which a network's links are those for which a router is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Its first cycle.
    pub since: Cycle,
    /// The first cycle after it.
    pub until: Due,
}

impl Epoch {
    /// Whether a cycle is in it.
    #[inline]
    pub fn has(self, cycle: Cycle) -> bool {
        self.since <= cycle && self.until > cycle
    }
}

impl<'a> BuildContext<'a> {
    /// The most cycles that a word takes over a link.
    pub fn longest_link_cycles(&self) -> u32 {
        *self.shape.latencies(self.link_latency_cycles).end()
    }

    /// The grid, for a router that [needs one](Reading::grid).
    ///
    /// # Panics
    /// If nodes have no coordinates.
    pub fn grid(&self) -> &'a Grid {
        let grid = self.shape.grid_for("a router that was read for one");
        grid.unwrap_or_else(|needs| panic!("{needs}; it is a {:?}", self.shape))
    }
}

/// Receives a router in each form that engines can drive. A router offers each form that it has, always
/// including the one that is driven word by word.
pub trait Offers {
    /// Word by word.
    fn words<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    );

    /// Word by word over links that may fail, by a router that [takes faults](Facts::takes_faults): on any graph, and the same type
    /// for all graphs of as many ports.
    fn failing<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        _topology: &T,
        _router: impl FnOnce() -> R,
    ) {
    }

    /// By time stamps.
    fn timestamps<T: Topology + Clone + 'static, R: TimestampRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    );

    /// By mail, posted ahead.
    fn mail<T: Topology + Clone + 'static, R: MailRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    );
}

/// Whether packets can wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// They can't, and why.
    Free(String),
    /// They can or may, and how.
    May(String),
    /// It isn't known, and why not.
    Unknown(String),
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Deadlock::Free(text) | Deadlock::May(text) | Deadlock::Unknown(text)) = self;
        f.write_str(text)
    }
}

/// What is known about packets that don't arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// Whether packets can wait for each other in a circle.
    pub deadlock: Deadlock,
    /// Whether packets can move forever.
    pub livelock: Livelock,
    /// The circle in which they can wait, if there is one.
    pub circle: Option<Circle>,
    /// How many virtual channels may be held, and how many pairs of them depend on each other, if they were counted.
    pub dependencies: Option<(u64, u64)>,
    /// The destinations to which packets go astray.
    pub astray: Vec<Astray>,
    /// Why there is no verdict.
    pub unchecked: Option<CheckError>,
}

impl Verdicts {
    /// Without more than these.
    pub fn plain(deadlock: Deadlock, livelock: Livelock) -> Verdicts {
        Verdicts {
            deadlock,
            livelock,
            circle: None,
            dependencies: None,
            astray: Vec::new(),
            unchecked: None,
        }
    }
}

/// Whether packets can move forever without arriving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Livelock {
    /// They can't, and why.
    None(String),
    /// Only with probability 0: the time a packet is under way has no bound, but every packet arrives.
    ProbabilityZero(String),
    /// They can or may, or never arrive for other reasons, and how.
    May(String),
    /// It isn't known, and why not.
    Unknown(String),
}

impl fmt::Display for Livelock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Livelock::None(why) => write!(f, "free of livelock: {why}"),
            Livelock::ProbabilityZero(why) => {
                write!(
                    f,
                    "livelock has probability 0, but no bound is known: {why}"
                )
            }
            Livelock::May(how) => f.write_str(how),
            Livelock::Unknown(why) => write!(f, "livelock is not known to be impossible: {why}"),
        }
    }
}

/// An allowed setting that may not be what the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The key that it is about, with its tables.
    pub key: &'static str,
    /// The situation, and its consequence.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.text)
    }
}
