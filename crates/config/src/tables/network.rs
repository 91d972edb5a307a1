//! The network's shape and links: `[network]`.

mod capacity;
mod crossings;
mod files;
mod handshake;
mod topology;

pub(crate) use capacity::{Timing, handed_over_words};
pub(crate) use topology::{build, build_for_routers, in_words, made_by};

use super::clocks::MAX_PERIOD_PS;
use crate::clocks::ClockParameters;
use crate::pace::Pace;
use capacity::MAX_LINK_WORDS;
use crossings::{CROSSINGS, CrossingRule, Places};
use flitwork_machine::AnyRouter;
use flitwork_network::{Clocks, LinkTiming};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, only_with, settings,
};
use flitwork_topology::{Built, Grid, Shape, Topology, TopologyEntry};
use flitwork_types::Duplex;
use std::fmt;
use topology::TOPOLOGY;

/// The network's shape and links.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkParameters {
    /// Nodes and how they are connected.
    pub shape: Shape,
    /// The topology and its keys, which the shape is built from.
    made_by: Vec<(&'static str, Datum)>,
    /// Cycles that a word or a credit takes from one node to the next, at least 1; links with a latency of their
    /// own take that. 1 where the clocked engine has another latency in ps, or handshakes.
    pub link_latency_cycles: u32,
    /// Whether the two directions of a link have a wire each.
    pub duplex: Duplex,
    /// What links are like where nodes have clocks of their own; only
    /// [`EngineChoice::Clocked`](crate::EngineChoice::Clocked) reads it.
    pub links: LinkTiming,
    /// The crossings that configurations name.
    crossings: Vec<CrossingRule>,
    /// Keys of links that the clocked engine doesn't read with these crossings and clocks.
    pub(crate) unread: Vec<&'static str>,
}

/// The values of the keys of links.
#[derive(Clone, Debug, Default)]
struct GivenLinks {
    /// `None` only where it isn't written.
    link_latency_cycles: Option<u32>,
    duplex: Option<DuplexChoice>,
    turnaround_cycles: Option<u32>,
    link_latency_ps: Option<u64>,
    link_capacity_words: Option<u32>,
    synchronizer_edges: Option<u32>,
}

/// Whether the two directions of a link have a wire each, as `network.duplex` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DuplexChoice {
    #[default]
    Full,
    Half,
}

flitwork_schema::named!(DuplexChoice { Full = "full", Half = "half" });

const DUPLEX: &str = "duplex";
const TURNAROUND: &str = "turnaround_cycles";
const CAPACITY: &str = "link_capacity_words";
const EDGES: &str = "synchronizer_edges";
const HANDSHAKE: &str = "handshake";
/// The longest link, in cycles.
const MAX_LINK_CYCLES: u64 = flitwork_topology::MAX_LINK_CYCLES as u64;
/// The longest link, in ps: the most cycles, of the longest period.
const MAX_LINK_PS: u64 = MAX_LINK_CYCLES * MAX_PERIOD_PS;
/// The edges of a synchronizer, by default.
const SYNCHRONIZER_EDGES: u32 = 2;

/// With what links take `link_latency_cycles`.
const IN_CYCLES: &str = "links without network.handshake, whose network.link_latency_ps isn't given or is as many clocks.period_ps";

#[rustfmt::skip]
const LINKS: &[Key<GivenLinks>] = &[
    only_with(IN_CYCLES, key("link_latency_cycles", |it| &mut it.link_latency_cycles, Allowed::Whole(1, MAX_LINK_CYCLES), "1", "cycles that a word or a credit takes from one node to the next; topologies may have links with latencies of their own")),
    key(DUPLEX, |it| &mut it.duplex, Allowed::Choice(DuplexChoice::NAMES), "\"full\"; chaos-chip: \"half\"", "whether the two directions between neighbours have a wire each that carries a word per cycle, or share one: its direction alternates at the end of each packet; not every router takes half-duplex links"),
    only_with("network.duplex = \"half\"", key(TURNAROUND, |it| &mut it.turnaround_cycles, Allowed::Whole(0, MAX_LINK_CYCLES), "0", "cycles from the arrival of the right to send over a half-duplex link until it may be used")),
    only_with("run.engine = \"clocked\", and without network.handshake", key("link_latency_ps", |it| &mut it.link_latency_ps, Allowed::Whole(1, MAX_LINK_PS), "link_latency_cycles * clocks.period_ps", "ps that a word or a credit takes from one node to the next, in place of link_latency_cycles")),
    only_with("run.engine = \"clocked\", for links whose network.crossings give no depth", key(CAPACITY, |it| &mut it.link_capacity_words, Allowed::Whole(1, MAX_LINK_WORDS), "packet_words, or the words of a round trip where those are more; with handshakes those that its latches hold and the sender's next one, and two more for routers without buffers", "words that may be in flight on a link or wait at its far end; routers without buffers need at least the default; with handshakes those beyond the latches and the sender's next one wait in a FIFO at the far end")),
    only_with("run.engine = \"clocked\", for links between different clocks that no network.crossings covers", key(EDGES, |it| &mut it.synchronizer_edges, Allowed::Whole(0, 16), "2", "edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another, unless a crossing is given")),
];

/// The keys that only the clocked engine reads.
const OF_CLOCKED: &[&str] = &["link_latency_ps", CAPACITY, EDGES, HANDSHAKE, CROSSINGS];

/// The table, with the keys of all topologies.
pub(crate) fn table(parts: &Parts) -> Entry {
    let names = Allowed::Names(parts.names::<TopologyEntry>());
    let meaning = "how nodes are linked";
    let topology = Entry::new(TOPOLOGY, names, "required", meaning);
    let meaning = "the network's shape and its links";
    let mut table = Entry::table("network", "required", meaning, vec![topology]);
    let topologies = parts.all::<TopologyEntry>();
    for topology in &topologies {
        topology::share(&mut table, topology.keys());
    }
    let is_read = |key: &Entry| topologies.iter().all(|it| it.keys().contains(key));
    for key in table.within.iter_mut().skip(1) {
        if key.default == "required" && !is_read(key) {
            key.default = "required by its topology";
        }
    }
    table.share(entries(LINKS));
    table.share(vec![handshake::table(), crossings::table(parts)]);
    table
}

/// Cycles that a word takes from one node to the next, before the rest of the links' timing is known: 1 where links take
/// another time. `clocked_ps` is the nominal period, on the clocked engine.
pub(crate) fn link_latency_cycles(given: &RawTable<'_>, clocked_ps: Option<u64>) -> u32 {
    GivenLinks::of(given, clocked_ps).cycles()
}

impl GivenLinks {
    /// The given values. A latency in cycles isn't one of them where the clocked engine has another one.
    fn of(given: &RawTable<'_>, clocked_ps: Option<u64>) -> GivenLinks {
        let mut own = GivenLinks::default();
        given.set(LINKS, &mut own);
        if let Some(period_ps) = clocked_ps {
            let cycles_ps = u64::from(own.cycles()) * period_ps;
            let is_in_cycles = own.link_latency_ps.is_none_or(|own_ps| own_ps == cycles_ps);
            if given.has(HANDSHAKE) || !is_in_cycles {
                own.link_latency_cycles = None;
            }
        }
        own
    }

    fn cycles(&self) -> u32 {
        self.link_latency_cycles.unwrap_or(1)
    }
}

/// The segments of each link, if words are handed over.
pub(crate) fn segments(given: &RawTable<'_>) -> Option<u16> {
    let handshake = handshake::read(&given.table(HANDSHAKE)?).ok()?;
    u16::try_from(handshake.segments.len()).ok()
}

/// What the links and their timing are checked against.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) router: &'a AnyRouter,
    /// Whether the two directions have a wire each unless the network says so.
    pub(crate) usual_duplex: Duplex,
    pub(crate) clocks: &'a ClockParameters,
    pub(crate) seed: u64,
    /// Whether the engine is the clocked one.
    pub(crate) is_clocked: bool,
    pub(crate) parts: &'a Parts,
}

impl NetworkParameters {
    /// A network whose links are timed for the clocks of [`ClockParameters::default`].
    pub fn new(
        built: impl Into<Built>,
        link_latency_cycles: u32,
        credit_words: Option<u32>,
    ) -> NetworkParameters {
        let period_ps = ClockParameters::default().period_ps;
        let timing = Timing {
            credit_words,
            period_ps,
            pace: Pace::even(period_ps),
            drawn: None,
            clocks: None,
        };
        let built = built.into();
        NetworkParameters {
            made_by: made_by(&built),
            links: timing.wires(&built.shape, link_latency_cycles, SYNCHRONIZER_EDGES),
            shape: built.shape,
            link_latency_cycles,
            duplex: Duplex::Full,
            crossings: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// A network of a shape, with the links that are given.
    ///
    /// # Errors
    /// A conflict for links that can't carry what a router without buffers puts on them, or that it doesn't take, and
    /// for crossings that don't suit their links.
    pub(crate) fn read(
        given: &RawTable<'_>,
        built: Built,
        timing: &Timing<'_>,
        around: Context<'_>,
    ) -> Result<NetworkParameters, Refusal> {
        take_terminals(given, &built.shape, &around)?;
        let clocked_ps = around.is_clocked.then_some(timing.period_ps);
        let mut own = GivenLinks::of(given, clocked_ps);
        let mut network = NetworkParameters {
            made_by: made_by(&built),
            shape: built.shape,
            link_latency_cycles: own.cycles(),
            duplex: duplex(given, &own, &around)?,
            links: links(given, &own, timing)?,
            crossings: CrossingRule::read_all(given, around.parts)?,
            unread: Vec::new(),
        };
        if let Some(usual) = network.crossings.iter().find(|rule| rule.is_usual()) {
            network.links.crossing = usual.crossing();
        }
        let clocks = network.clocks(around.clocks, around.seed);
        network.take_capacity(given, &own, (timing, &clocks))?;
        let places = Places::of(&network.shape, around.clocks);
        places.check(given, (&network.crossings, around.parts), &clocks)?;
        network.unread = network.unread_keys(around.clocks, &clocks);
        // What isn't read has its default, as if it weren't given.
        let mut is_without = false;
        if network.unread.contains(&CAPACITY) {
            is_without |= own.link_capacity_words.take().is_some();
        }
        if network.unread.contains(&EDGES) {
            is_without |= own.synchronizer_edges.take().is_some();
        }
        if is_without {
            let crossing = network.links.crossing;
            network.links = links(given, &own, timing)?;
            if !network.crossings.is_empty() {
                network.links.crossing = crossing;
            }
            let clocks = network.clocks(around.clocks, around.seed);
            network.take_capacity(given, &own, (timing, &clocks))?;
        }
        Ok(network)
    }

    /// Links of wires without crossings of their own, for clocks and a seed that they are drawn from.
    pub(crate) fn rewire(
        &mut self,
        (clocks, seed): (&ClockParameters, u64),
        credit_words: Option<u32>,
        synchronizer_edges: u32,
    ) {
        let timing = Timing {
            credit_words,
            period_ps: clocks.period_ps,
            pace: clocks.whole_pace(&self.shape, seed),
            drawn: Some((clocks, seed)),
            clocks: None,
        };
        self.links = timing.wires(&self.shape, self.link_latency_cycles, synchronizer_edges);
        self.crossings.clear();
        self.unread = self.unread_keys(clocks, &self.clocks(clocks, seed));
    }

    /// Takes the capacity of links that is given, or that which they need with these clocks, which have been drawn.
    fn take_capacity(
        &mut self,
        given: &RawTable<'_>,
        own: &GivenLinks,
        (timing, clocks): (&Timing<'_>, &Clocks),
    ) -> Result<(), Refusal> {
        let around = (timing, &self.shape);
        let own = own.link_capacity_words;
        let words = capacity::of_links(given, own, around, (&self.crossings, clocks))?;
        self.links.capacity_words = words;
        Ok(())
    }

    /// The keys of links that the clocked engine doesn't read with these clocks, which have been drawn.
    fn unread_keys(&self, clocks: &ClockParameters, drawn: &Clocks) -> Vec<&'static str> {
        let places = Places::of(&self.shape, clocks);
        let keys = [
            (CAPACITY, places.has_usual_capacity(drawn)),
            (EDGES, places.has_usual_edges(&self.crossings, drawn)),
        ];
        let unread = keys.into_iter().filter(|(_, is_read)| !is_read);
        unread.map(|(key, _)| key).collect()
    }

    /// The clocks of the nodes and the timing of the links, drawn from a seed.
    pub(crate) fn clocks(&self, clocks: &ClockParameters, seed: u64) -> Clocks {
        let mut drawn = clocks.draw(&self.shape, seed, self.links.clone());
        if !self.crossings.is_empty() {
            Places::of(&self.shape, clocks).give(&self.crossings, &mut drawn);
            drawn.links.arbitrate(clocks.arbiter);
        }
        drawn
    }

    /// Whether words are handed over, if the engine is the clocked one.
    pub(crate) fn hands_over(&self) -> bool {
        self.links.handshake.is_some()
    }

    /// Whether any clock waits for what comes.
    pub(crate) fn has_pausible_clocks(&self) -> bool {
        let mut crossings = self.crossings.iter().map(CrossingRule::crossing);
        crossings.any(|crossing| crossing.pause.is_some())
    }

    /// The topology's name in configurations.
    pub fn topology(&self) -> &str {
        topology::named(&self.made_by)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.shape.nodes()
    }

    /// How many terminals there are.
    pub fn terminals(&self) -> u32 {
        self.shape.terminals()
    }

    /// Whether loads are said to be of terminals: there are more or fewer of them than nodes.
    pub fn counts_terminals(&self) -> bool {
        self.terminals() != self.nodes()
    }

    /// The most cycles that a word or a credit takes over a link.
    pub fn longest_link_cycles(&self) -> u32 {
        *self.shape.latencies(self.link_latency_cycles).end()
    }

    /// The grid, for what needs coordinates.
    ///
    /// # Panics
    /// If nodes have none: a configuration whose parts need them on such a network is refused.
    pub fn grid(&self) -> &Grid {
        self.shape
            .grid_for("a part of the run")
            .unwrap_or_else(|needs| panic!("{needs}; it is a {:?}", self.shape))
    }

    /// Replaces the shape and keeps the links.
    pub fn reshape(&mut self, built: impl Into<Built>) {
        let built = built.into();
        self.made_by = made_by(&built);
        self.shape = built.shape;
    }

    /// The values of the keys that give it, for the clocked engine with a nominal period or for others.
    pub(crate) fn settings(&self, clocked_ps: Option<u64>) -> Vec<(&'static str, Datum)> {
        let cycles = self.link_latency_cycles;
        let is_in_cycles = clocked_ps.is_none_or(|period_ps| {
            let links = &self.links;
            links.handshake.is_none() && links.latency_ps == u64::from(cycles) * period_ps
        });
        let (duplex, turnaround_cycles) = match self.duplex {
            Duplex::Full => (DuplexChoice::Full, None),
            Duplex::Half { turnaround_cycles } => (DuplexChoice::Half, Some(turnaround_cycles)),
        };
        let links = GivenLinks {
            link_latency_cycles: is_in_cycles.then_some(cycles),
            duplex: Some(duplex),
            turnaround_cycles,
            link_latency_ps: match self.links.handshake {
                Some(_) => None,
                None => Some(self.links.latency_ps),
            },
            link_capacity_words: Some(self.links.capacity_words),
            synchronizer_edges: match self.crossings.iter().any(CrossingRule::is_usual) {
                true => None,
                false => Some(self.links.crossing.edges),
            },
        };
        let mut links = settings(LINKS, &links);
        if let Some(handshake) = &self.links.handshake {
            links.push((HANDSHAKE, handshake::written(handshake)));
        }
        if !self.crossings.is_empty() {
            let rules = self.crossings.iter().map(CrossingRule::written);
            links.push((CROSSINGS, Datum::list(rules)));
        }
        links.retain(|(key, _)| match clocked_ps {
            Some(_) => !self.unread.contains(key),
            None => !OF_CLOCKED.contains(key),
        });
        let mut all = self.made_by.clone();
        all.extend(links);
        all
    }
}

/// In words: `mesh of 8 x 8, 64 nodes`; a graph's topology with the values of its keys.
impl fmt::Display for NetworkParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_words(&self.made_by, &self.shape))
    }
}

/// The timing of links, without their capacity.
///
/// # Errors
/// A latency beside handshakes.
fn links(given: &RawTable<'_>, own: &GivenLinks, timing: &Timing) -> Result<LinkTiming, Refusal> {
    let usual_ps = u64::from(own.cycles()) * timing.period_ps;
    let latency_ps = own.link_latency_ps.unwrap_or(usual_ps);
    let edges = own.synchronizer_edges.unwrap_or(SYNCHRONIZER_EDGES);
    let mut links = LinkTiming::wires(latency_ps, 1, edges);
    if let Some(table) = given.table(HANDSHAKE) {
        links.handshake = Some(handshake::read(&table)?);
    }
    Ok(links)
}

/// Refuses several terminals at a node, and those that don't send from where they receive, for a router that doesn't take them.
fn take_terminals(
    given: &RawTable<'_>,
    shape: &Shape,
    around: &Context<'_>,
) -> Result<(), Refusal> {
    let router = around.router;
    if shape.has_plain_terminals() || router.facts().takes_several_terminals {
        return Ok(());
    }
    let allowed = format!(
        "networks of nodes with one terminal at the most, whose packets enter there, for the router {}",
        router.name()
    );
    Err(given.conflict(TOPOLOGY, allowed))
}

/// Whether the two directions of a link have a wire each.
fn duplex(given: &RawTable<'_>, own: &GivenLinks, around: &Context<'_>) -> Result<Duplex, Refusal> {
    let is_half = match own.duplex {
        Some(choice) => choice == DuplexChoice::Half,
        None => around.usual_duplex.is_half(),
    };
    if is_half && !around.router.facts().takes_half_duplex {
        let allowed = format!(
            "\"full\": the router {} doesn't wait for its turn to send over a link",
            around.router.name()
        );
        return Err(given.conflict(DUPLEX, allowed));
    }
    let usual_cycles = around.usual_duplex.turnaround_cycles();
    match is_half {
        true => Ok(Duplex::Half {
            turnaround_cycles: own.turnaround_cycles.unwrap_or(usual_cycles),
        }),
        false => Ok(Duplex::Full),
    }
}
