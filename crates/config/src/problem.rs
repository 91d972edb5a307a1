//! Static problems: a network, packets that all exist before the first step, and what they go through.

use super::file::open_packets;
use super::file_texts::Base;
use super::judge::Judge;
use super::source::Source;
use super::tables::network;
use super::tables::part::{named, tables};
use super::tables::traffic::wrong_process;
use super::text::{Settings, write};
use super::unread::{self, Found};
use flitwork_schedule::method::{AnyMethod, MethodEntry};
use flitwork_schema::{Datum, Parts, RawTable, Refusal};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_topology::{Built, NetworkReading, Shape, Topology};
use flitwork_traffic::{
    Arrivals, ProcessEntry, ReadContext, StaticPacket, TrafficParameters, names_of,
};
use flitwork_types::{NodeId, TerminalId};
use std::path::Path;

/// What packets of static problems go through.
pub(crate) trait Algorithm: Sized {
    /// Its table.
    const TABLE: &'static str;
    /// The command that reads it.
    const COMMAND: &'static str;
    /// The words of every packet, if all have as many.
    const FIXED_WORDS: Option<u16>;

    /// The tables that there are.
    fn tables(parts: &Parts) -> String;

    /// The one of a table.
    ///
    /// # Errors
    /// Not exactly one table, and what its part refuses.
    fn read(given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<Self, Refusal>;

    /// Refuses packets that it isn't for; `given` is the table around its own.
    ///
    /// # Errors
    /// A [`Refusal`].
    fn check(
        &self,
        _given: &RawTable<'_>,
        _shape: &Shape,
        _packets: &[NodePacket],
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// What it is called, and the keys that it reads.
    fn settings(&self) -> (&'static str, Settings);
}

impl Algorithm for AnyRule {
    const TABLE: &'static str = "rule";
    const COMMAND: &'static str = "flitwork route";
    const FIXED_WORDS: Option<u16> = Some(1);

    fn tables(parts: &Parts) -> String {
        tables(Self::TABLE, &parts.all::<RuleEntry>())
    }

    fn read(given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<AnyRule, Refusal> {
        let (entry, table) = named::<RuleEntry>(given, &reading.parts.all(), "rule")?;
        entry.read(&table, reading)
    }

    fn check(
        &self,
        given: &RawTable<'_>,
        shape: &Shape,
        packets: &[NodePacket],
    ) -> Result<(), Refusal> {
        let table = given.table(self.name());
        let table = table.unwrap_or_else(|| RawTable::nothing(Self::TABLE));
        let packets: Vec<_> = packets.iter().map(|(from, to, _)| (*from, *to)).collect();
        self.check(&table, shape, &packets)
    }

    fn settings(&self) -> (&'static str, Settings) {
        (self.name(), self.settings())
    }
}

impl Algorithm for AnyMethod {
    const TABLE: &'static str = "schedule";
    const COMMAND: &'static str = "flitwork schedule";
    const FIXED_WORDS: Option<u16> = None;

    fn tables(parts: &Parts) -> String {
        tables(Self::TABLE, &parts.all::<MethodEntry>())
    }

    fn read(given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<AnyMethod, Refusal> {
        let (entry, table) = named::<MethodEntry>(given, &reading.parts.all(), "method")?;
        entry.read(&table, reading)
    }

    fn settings(&self) -> (&'static str, Settings) {
        (self.name(), self.settings())
    }
}

/// A packet between nodes: its source, its destination and its words.
pub type NodePacket = (NodeId, NodeId, u16);

/// A static problem, fully described: all packets exist before the first step.
#[derive(Clone, Debug)]
pub struct Problem<A> {
    pub(crate) network: Built,
    pub(crate) traffic: TrafficParameters,
    /// Every packet, those of a node and itself included.
    pub packets: Vec<NodePacket>,
    /// What all random draws come from.
    pub seed: u64,
    /// What packets go through.
    pub algorithm: A,
}

/// A problem that a rule routes in synchronous steps.
pub type Routing = Problem<AnyRule>;

/// A problem that a method schedules before a run.
pub type Scheduling = Problem<AnyMethod>;

impl<A> Problem<A> {
    /// Nodes and links.
    pub fn shape(&self) -> &Shape {
        &self.network.shape
    }

    /// The longest distance of a packet, in links.
    pub fn longest_distance(&self) -> u32 {
        let packets = self.packets.iter();
        let distances = packets.map(|(from, to, _)| self.shape().distance(*from, *to));
        distances.max().unwrap_or(0)
    }

    /// The network in words, as that of a run.
    pub fn network_in_words(&self) -> String {
        network::in_words(&network::made_by(&self.network), self.shape())
    }

    /// The topology's name in configurations.
    pub fn topology(&self) -> &'static str {
        self.network.topology
    }

    /// The key that says most about which packets there are.
    pub fn packets_key(&self) -> &'static str {
        let settings = self.traffic.settings(None);
        let keys = ["traffic.file", "traffic.destinations", "traffic.pattern"];
        let is_given = |key: &&str| settings.iter().any(|(name, _)| key.ends_with(name));
        keys.into_iter().find(is_given).unwrap_or("traffic.process")
    }
}

#[expect(private_bounds, reason = "the two algorithms are the crates' own")]
impl<A: Algorithm> Problem<A> {
    /// The full configuration with all defaults. Reading it gives the same problem, with the same directory if it names files.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        write(&mut out, "network", &network::made_by(&self.network));
        let (name, settings) = self.algorithm.settings();
        write(&mut out, &format!("{}.{name}", A::TABLE), &settings);
        write(&mut out, "traffic", &self.traffic.settings(A::FIXED_WORDS));
        let seed = [("seed", Datum::Whole(self.seed.into()))];
        write(&mut out, "run", &seed);
        out
    }
}

/// Reads a static problem part by part, as [`judge::read`](super::judge::read) does a run.
pub(crate) fn read_problem<A: Algorithm>(
    source: &Source<'_>,
    base_dir: &Path,
    all: &RawTable<'_>,
) -> Result<(Problem<A>, Vec<Found>), Vec<Refusal>> {
    let needs = format!(
        "{} needs [network], one of {}, and [traffic]",
        A::COMMAND,
        A::tables(source.catalogue.parts())
    );
    let mut judge = Judge::new(source, all, ["network", A::TABLE, "traffic"], needs)?;
    let allowed = format!("only without [{}]", A::TABLE);
    judge.refuse_tables(&allowed);
    judge.read_problem(base_dir).ok_or(judge.errors)
}

impl Judge<'_> {
    fn read_problem<A: Algorithm>(&mut self, base_dir: &Path) -> Option<(Problem<A>, Vec<Found>)> {
        let source = self.source;
        let parts = source.catalogue.parts();
        let files = source.catalogue.folder(Base::at(base_dir));
        let [network, algorithm, traffic] = self.tables.map(|name| self.needed(name));
        let built = self.step(|| Some(network::build(&network?, parts, &files)));
        let shape = built.as_ref().map(|built| &built.shape);
        let seed = self.optional("run");
        let seed = seed.map(|run| run.get("seed").unwrap_or(1));
        let given = self.naming_process();
        let process = self.step(|| Some(process_of(&given?, parts)));
        let packets = self.step(|| {
            let context = ReadContext {
                parts,
                files: &files,
                open: open_packets,
                topology: shape?,
                seed: seed?,
                usual_words: 1,
                fixed_words: A::FIXED_WORDS,
                fixed_as: "packets of synchronous steps have no words",
                router_has_words: false,
                scheduled_words: None,
                unclocked_engine: None,
                links_fail: false,
                skips_slow_checks: source.looks_again,
            };
            let read = TrafficParameters::read(&traffic?, process.as_ref()?, &context);
            Some(read.map(|traffic| {
                let packets = traffic.problem(&context).unwrap_or_default();
                (traffic, between_nodes(&packets, context.topology))
            }))
        });
        let read = self.step(|| {
            let (shape, seed) = (shape?, seed?);
            let algorithm = algorithm.as_ref()?;
            Some(A::read(algorithm, &NetworkReading { parts, shape, seed }))
        });
        self.step(|| {
            let (_, packets) = packets.as_ref()?;
            Some(read.as_ref()?.check(algorithm.as_ref()?, shape?, packets))
        });
        let of_traffic = packets.as_ref();
        let of_traffic = of_traffic.map(|(traffic, _)| traffic.settings(A::FIXED_WORDS));
        let found = unread::find(
            source,
            self.all.entries(),
            &[
                ("network", built.as_ref().map(network::made_by)),
                (A::TABLE, read.as_ref().map(|it| it.settings().1)),
                ("traffic", of_traffic),
                (
                    "run",
                    seed.map(|seed| vec![("seed", Datum::Whole(seed.into()))]),
                ),
            ],
        );
        self.refuse_unread(&found);
        let (traffic, packets) = packets?;
        let problem = Problem {
            network: built?,
            traffic,
            packets,
            seed: seed?,
            algorithm: read?,
        };
        self.errors.is_empty().then_some((problem, found))
    }
}

/// The process, which makes all packets before the first step.
fn process_of(given: &RawTable<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
    let entry = TrafficParameters::process_of(given, parts)?;
    let is_static =
        |entry: &ProcessEntry| entry.arrivals == Arrivals::AtOnce && !entry.is_scheduled;
    match is_static(&entry) {
        true => Ok(entry),
        false => {
            let allowed = format!(
                "{}: all packets exist before the first step",
                names_of(parts, is_static)
            );
            Err(wrong_process(&entry, given, allowed))
        }
    }
}

/// The packets between the nodes of terminals.
fn between_nodes(packets: &[StaticPacket], topology: &dyn Topology) -> Vec<NodePacket> {
    let home = |terminal: &TerminalId| topology.home(*terminal);
    let packets = packets.iter();
    packets
        .map(|(from, to, words)| (home(from), home(to), *words))
        .collect()
}
