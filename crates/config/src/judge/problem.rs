//! Static problems: a network, packets that all exist before the first step, and what they go through.

use super::router::{named, tables};
use super::traffic::wrong_process;
use super::{Judge, table};
use crate::file::{Folder, open_packets};
use crate::resolved::network;
use crate::resolved::problem::{Algorithm, Problem};
use crate::source::Source;
use crate::unread::{self, Found};
use flitwork_schedule::method::{AnyMethod, MethodEntry, MethodReading};
use flitwork_schema::{Datum, Given, Parts, Refusal};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_steps::rules::RuleReading;
use flitwork_topology::{Shape, Terminals};
use flitwork_traffic::{
    Arrivals, ProcessEntry, ReadContext, StaticPacket, TrafficParameters, names_of,
};
use std::path::Path;

/// What is named by a table within its own.
pub(crate) trait Readable: Algorithm {
    /// The tables that there are.
    fn tables(parts: &Parts) -> String;

    /// The one of a table.
    fn read(given: &Given<'_>, around: (&Parts, &Shape, u64)) -> Result<Self, Refusal>;
}

impl Readable for AnyRule {
    fn tables(parts: &Parts) -> String {
        tables(Self::TABLE, &parts.all::<RuleEntry>())
    }

    fn read(
        given: &Given<'_>,
        (parts, shape, seed): (&Parts, &Shape, u64),
    ) -> Result<AnyRule, Refusal> {
        let (entry, table) = named::<RuleEntry>(given, &parts.all(), "rule")?;
        entry.read(&table, &RuleReading { parts, shape, seed })
    }
}

impl Readable for AnyMethod {
    fn tables(parts: &Parts) -> String {
        tables(Self::TABLE, &parts.all::<MethodEntry>())
    }

    fn read(
        given: &Given<'_>,
        (parts, shape, seed): (&Parts, &Shape, u64),
    ) -> Result<AnyMethod, Refusal> {
        let (entry, table) = named::<MethodEntry>(given, &parts.all(), "method")?;
        entry.read(&table, &MethodReading { parts, shape, seed })
    }
}

/// Reads a static problem part by part, as [`super::read`] does a run.
pub(crate) fn read_problem<A: Readable>(
    source: &Source<'_>,
    base_dir: &Path,
    all: &Given<'_>,
) -> Result<(Problem<A>, Vec<Found>), Vec<Refusal>> {
    let needs = format!(
        "{} needs [network], one of {}, and [traffic]",
        A::COMMAND,
        A::tables(source.catalogue.parts())
    );
    let mut judge = Judge::new(source, all, ["network", A::TABLE, "traffic"], needs)?;
    let allowed = format!("only without [{}]", A::TABLE);
    judge.refuse_tables(all, &allowed);
    judge.read_problem(base_dir, all).ok_or(judge.errors)
}

impl Judge<'_> {
    fn read_problem<A: Readable>(
        &mut self,
        base_dir: &Path,
        all: &Given<'_>,
    ) -> Option<(Problem<A>, Vec<Found>)> {
        let parts = self.source.catalogue.parts();
        let files = Folder(base_dir, self.source.catalogue.inputs());
        let [network, algorithm, traffic] = self.tables.map(|name| self.needed(all, name));
        let built = network
            .as_ref()
            .map(|given| network::build(given, parts, &files));
        let built = self.step(built);
        let shape = built.as_ref().map(|built| &built.shape);
        let seed = table(all, "run").get("seed").unwrap_or(1);
        let process = traffic.as_ref().map(|given| process_of(given, parts));
        let process = self.step(process);
        let asked = shape.zip(process.as_ref()).zip(traffic.as_ref());
        let packets = asked.map(|((shape, process), given)| {
            let terminals = Terminals::of(shape);
            let context = ReadContext {
                parts,
                files: &files,
                open: open_packets,
                topology: terminals.as_ref().map_or(shape, |terminals| terminals),
                seed,
                usual_words: 1,
                fixed_words: A::FIXED_WORDS,
                fixed_as: "packets of synchronous steps have no words",
                router_has_words: false,
                scheduled_words: None,
                unclocked_engine: None,
                skips_slow_checks: self.source.looks_again,
            };
            let traffic = TrafficParameters::read(given, process, &context)?;
            let packets = traffic.problem(&context).unwrap_or_default();
            Ok((traffic, on_nodes(packets, terminals.as_ref())))
        });
        let packets = self.step(packets);
        let read = shape.zip(algorithm.as_ref());
        let read = read.map(|(shape, given)| A::read(given, (parts, shape, seed)));
        let read = self.step(read);
        let of_traffic = packets.as_ref();
        let of_traffic = of_traffic.map(|(traffic, _)| traffic.settings(A::FIXED_WORDS));
        let found = unread::find(
            self.source,
            all.entries(),
            &[
                ("network", built.as_ref().map(network::made_by)),
                (A::TABLE, read.as_ref().map(|it| it.settings().1)),
                ("traffic", of_traffic),
                ("run", Some(vec![("seed", Datum::Whole(seed.into()))])),
            ],
        );
        self.refuse_unread(&found);
        let (traffic, packets) = packets?;
        let problem = Problem {
            network: built?,
            traffic,
            packets,
            seed,
            algorithm: read?,
        };
        self.errors.is_empty().then_some((problem, found))
    }
}

/// The process, which makes all packets before the first step.
fn process_of(given: &Given<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
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

/// The packets between nodes, where terminals are numbered apart from switches.
fn on_nodes(
    mut packets: Vec<StaticPacket>,
    terminals: Option<&Terminals<'_>>,
) -> Vec<StaticPacket> {
    if let Some(terminals) = terminals {
        for (source, destination, _) in &mut packets {
            for end in [source, destination] {
                *end = terminals.by_rank()[end.index()];
            }
        }
    }
    packets
}
