//! From the values that were given to what they mean together: each table is read beside those that it depends on.

use super::clocks::{ClockParameters, Stepping};
use super::file::Folder;
use super::pace::Pace;
use super::resolved::{Known, Resolved};
use super::source::Source;
use super::tables::energy::EnergyParameters;
use super::tables::live::LiveParameters;
use super::tables::network::{self, NetworkParameters};
use super::tables::run::{EngineChoice, RunParameters};
use super::tables::{clocks, part, traffic};
use super::unread::{self, Found};
use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::{Longest, Reading};
use flitwork_schema::{MistakeKind, Parts, RawTable, Refusal};
use flitwork_topology::{Built, Shape, Terminals, Topology};
use flitwork_traffic::{ProcessEntry, TrafficParameters};
use flitwork_types::Duplex;
use std::path::Path;

/// What every configuration needs.
fn needs(source: &Source<'_>) -> String {
    let routers = source.catalogue.parts().all::<RouterEntry>();
    let routers = part::tables("router", &routers);
    format!("a configuration needs [network], one of {routers}, and [traffic]")
}

/// Reads a configuration part by part. A part is judged if nothing in its table is wrong in itself and those that it depends
/// on are right, and of each the first mistake is returned.
pub(super) fn read(
    source: &Source<'_>,
    base_dir: &Path,
    all: &RawTable<'_>,
) -> Result<(Resolved, Vec<Found>), Vec<Refusal>> {
    let mut judge = Judge::new(source, all, TABLES, needs(source))?;
    judge.refuse_tables(all, "only without a router");
    judge.read(base_dir, all).ok_or(judge.errors)
}

/// The tables that every configuration needs.
const TABLES: [&str; 3] = ["network", "router", "traffic"];

/// A network's shape, its run, and its router with its table, as far as they are right.
type Rest<'r> = (
    Option<&'r Shape>,
    Option<&'r RunParameters>,
    Option<&'r (AnyRouter, RawTable<'r>)>,
);

/// The mistakes so far.
pub(super) struct Judge<'s> {
    pub(super) source: &'s Source<'s>,
    /// The tables that are needed, and what they are for messages.
    pub(super) tables: [&'static str; 3],
    needs: String,
    pub(super) errors: Vec<Refusal>,
}

impl<'s> Judge<'s> {
    /// No mistakes yet.
    ///
    /// # Errors
    /// A configuration with none of the tables that it needs.
    pub(super) fn new(
        source: &'s Source<'s>,
        all: &RawTable<'_>,
        tables: [&'static str; 3],
        needs: String,
    ) -> Result<Judge<'s>, Vec<Refusal>> {
        // Where other mistakes are known, something was given.
        if source.looks_again || tables.iter().any(|name| all.has(name)) {
            return Ok(Judge {
                source,
                tables,
                needs,
                errors: Vec::new(),
            });
        }
        let found = match source.text.trim().is_empty() {
            true => "is empty",
            false => "has no network",
        };
        let refusal = Refusal::new(MistakeKind::Missing, "", None).found(found);
        Err(vec![refusal.allowed(needs)])
    }
}

impl Judge<'_> {
    /// Refuses tables that stand in the place of the one that is needed.
    pub(super) fn refuse_tables(&mut self, all: &RawTable<'_>, allowed: &str) {
        let others = part::ONE_OF
            .iter()
            .filter(|name| !self.tables.contains(name));
        for name in others.filter(|name| all.has(name)) {
            let reads = self.source.schema.only_with(name);
            let allowed = match reads {
                "" => allowed.to_owned(),
                reads => format!("{allowed}, for {reads}"),
            };
            self.errors.push(all.conflict(name, allowed));
        }
    }

    /// The result of a step, or `None` if what it depends on isn't known or it found a mistake.
    pub(super) fn step<T>(&mut self, found: Option<Result<T, Refusal>>) -> Option<T> {
        found?.map_err(|refusal| self.errors.push(refusal)).ok()
    }

    /// A required table.
    pub(super) fn needed<'g>(
        &mut self,
        all: &RawTable<'g>,
        name: &'static str,
    ) -> Option<RawTable<'g>> {
        if self.source.is_unsure(all, name) {
            return None;
        }
        let table = all.table(name).ok_or_else(|| absent(name, &self.needs));
        self.step(Some(table))
    }

    /// An optional table, if it is known what it says.
    pub(super) fn optional<'g>(&self, all: &RawTable<'g>, name: &str) -> Option<RawTable<'g>> {
        (!self.source.is_unsure(all, name)).then(|| table(all, name))
    }

    /// The table of the traffic, if it is known which process makes it.
    pub(super) fn naming_process<'g>(&self, all: &RawTable<'g>) -> Option<RawTable<'g>> {
        let traffic = all.table("traffic")?;
        let is_known = traffic.has("process") || !self.source.is_unsure(all, "traffic");
        is_known.then_some(traffic)
    }

    /// The network with its links, if all is known that they are checked against.
    fn linked(
        &mut self,
        all: &RawTable<'_>,
        network: Option<Linking<'_>>,
        parts: &Parts,
    ) -> Option<NetworkParameters> {
        let linking = network?;
        let (_, ((clocks, _), _)) = &linking;
        let clocks = &clocks.0;
        let network = self.step(Some(linked(all, linking, parts)))?;
        self.step(Some(arbitrates(all, &network, clocks)))?;
        Some(network)
    }

    /// Refuses what no part reads, and returns all of it.
    fn unread(&mut self, all: &RawTable<'_>, known: &Known<'_>) -> Vec<Found> {
        let unread = unread::find(self.source, all.entries(), &known.tables());
        self.refuse_unread(&unread);
        unread
    }

    /// Refuses what isn't read. That depends on the values, so those must be right first.
    pub(super) fn refuse_unread(&mut self, unread: &[Found]) {
        if self.source.refuses_unread && !self.source.looks_again && self.errors.is_empty() {
            let refused = unread.iter().filter(|it| it.is_refused());
            let mut refused: Vec<Refusal> = refused.map(|it| it.refusal.clone()).collect();
            refused.dedup();
            self.errors.append(&mut refused);
        }
    }

    /// Who sends, if all is known that this is checked against.
    fn sources(
        &mut self,
        (files, timing): (&Folder<'_>, Option<Timing>),
        (shape, run, router): Rest<'_>,
        asked: Option<(&ProcessEntry, &RawTable<'_>)>,
    ) -> Option<TrafficParameters> {
        let terminals = shape.and_then(|shape| Terminals::of(shape));
        let read = shape.zip(timing).zip(run).zip(router).zip(asked);
        let read = read.map(|((((shape, timing), run), (router, _)), asked)| {
            let in_run = traffic::Run {
                parts: self.source.catalogue.parts(),
                files,
                skips_slow_checks: self.source.looks_again,
                topology: shape,
                terminals: terminals.as_ref(),
                router,
                run,
                link_latency_cycles: timing.link_latency_cycles,
            };
            traffic::read(&in_run, asked)
        });
        self.step(read)
    }

    /// The clocks and the paces among them, if all is known that they are checked against.
    fn clocked(
        &mut self,
        all: &RawTable<'_>,
        (shape, run, router): Rest<'_>,
        files: &Folder<'_>,
        network: Option<&RawTable<'_>>,
    ) -> Option<(ClockParameters, Pace)> {
        let around = shape.zip(run).map(|(shape, run)| clocks::Context {
            shape,
            run,
            files,
            has_queue: router.map(|(router, _)| router.facts().has_queue),
            segments: network.and_then(network::segments),
        });
        let read = around.zip(self.optional(all, "clocks"));
        let read = read.map(|(around, given)| ClockParameters::read(&given, &around));
        self.step(read)
    }

    /// How nodes run concurrently.
    fn live(&mut self, all: &RawTable<'_>, on: Option<(&Shape, Timing)>) -> Option<LiveParameters> {
        let live = on.zip(self.optional(all, "live"));
        let live = live.map(|((shape, timing), given)| {
            LiveParameters::read(&given, shape, timing.link_latency_cycles)
        });
        self.step(live)
    }

    fn read(&mut self, base_dir: &Path, all: &RawTable<'_>) -> Option<(Resolved, Vec<Found>)> {
        let parts = self.source.catalogue.parts();
        let [network, router, traffic] = TABLES.map(|name| self.needed(all, name));
        let files = Folder(base_dir, self.source.catalogue.inputs());
        let built = network
            .as_ref()
            .map(|given| network::build_for_routers(given, parts, &files));
        let built = self.step(built);
        let shape = built.as_ref().map(|built| &built.shape);
        let process = self.naming_process(all);
        let process = process.map(|given| TrafficParameters::process_of(&given, parts));
        let process = self.step(process);
        let given_run = self.optional(all, "run");
        let read = given_run.as_ref().zip(process.as_ref());
        let read = read.map(|(given, process)| RunParameters::read(given, process, parts));
        let mut run = self.step(read);
        let timing = self.timing(all, network.as_ref(), run.as_ref());
        let read = shape.zip(timing).zip(run.as_ref()).zip(router.as_ref());
        let read = read.map(|(((shape, timing), run), given)| {
            let reading = reading((parts, &files), (shape, timing), run);
            part::read_router(&reading, given)
        });
        let router = self.step(read);
        let asked = process.as_ref().zip(traffic.as_ref());
        let given = (shape, run.as_ref(), router.as_ref());
        let read = self.sources((&files, timing), given, asked);
        if let Some(((run, given), read)) = run.as_mut().zip(given_run).zip(read.as_ref()) {
            run.hold_last_cycle(&given, &read.process);
        }
        let taken = read.as_ref().zip(router.as_ref()).zip(asked);
        self.step(taken.map(|((read, (router, table)), asked)| {
            router.take_packets(table, &longest(read, asked, parts))
        }));
        let given = (shape, run.as_ref(), router.as_ref());
        let clocks = self.clocked(all, given, &files, network.as_ref());
        let live = self.live(all, shape.zip(timing));
        let hardware = clocks.as_ref().zip(router.as_ref()).zip(run.as_ref());
        let nodes = shape.map(|shape| shape.nodes());
        let settings = shape.zip(router.as_ref());
        let settings = settings.map(|(shape, (router, _))| (router, router.settings(shape)));
        let network = network.zip(built).zip(hardware);
        let network = self.linked(all, network, parts);
        let hands_over = network.as_ref().map(NetworkParameters::hands_over);
        let is_clocked = timing.is_some_and(|timing| timing.clocked_ps.is_some());
        let hands_over = hands_over != Some(false) && is_clocked;
        let energy = EnergyParameters::read(&table(all, "energy"), hands_over);
        let known = Known {
            network: network.as_ref(),
            nodes,
            router: settings,
            traffic: read.as_ref(),
            run: run.as_ref(),
            clocks: clocks.as_ref().map(|(clocks, _)| clocks),
            live: live.as_ref(),
            energy,
        };
        let unread = self.unread(all, &known);
        if !self.errors.is_empty() {
            return None;
        }
        let resolved = Resolved {
            network: network?,
            router: router?.0,
            traffic: read?,
            run: run?,
            clocks: clocks?.0,
            live: live?,
            energy,
        };
        Some((resolved, unread))
    }
}

/// The time of a cycle, and of a word over a link.
#[derive(Clone, Copy)]
struct Timing {
    /// The nominal period, on the clocked engine.
    clocked_ps: Option<u64>,
    /// The cycles that a word takes over a link.
    link_latency_cycles: u32,
}

impl Judge<'_> {
    /// The timing of a network, if all is known that it depends on.
    fn timing(
        &self,
        all: &RawTable<'_>,
        network: Option<&RawTable<'_>>,
        run: Option<&RunParameters>,
    ) -> Option<Timing> {
        let clocked_ps = match run?.engine {
            EngineChoice::Clocked => {
                let given = self.optional(all, "clocks")?.get("period_ps");
                Some(given.unwrap_or(ClockParameters::default().period_ps))
            }
            _ => None,
        };
        Some(Timing {
            clocked_ps,
            link_latency_cycles: network::link_latency_cycles(network?, clocked_ps),
        })
    }
}

/// The surroundings that a router is read for.
fn reading<'a>(
    (parts, files): (&'a Parts, &'a Folder<'a>),
    (shape, timing): (&'a Shape, Timing),
    run: &RunParameters,
) -> Reading<'a> {
    Reading {
        parts,
        files,
        shape,
        link_latency_cycles: timing.link_latency_cycles,
        seed: run.seed,
        is_one_clock: !matches!(run.engine, EngineChoice::Clocked | EngineChoice::Live),
    }
}

/// An arbiter has something to decide.
fn arbitrates(
    all: &RawTable<'_>,
    network: &NetworkParameters,
    clocks: &ClockParameters,
) -> Result<(), Refusal> {
    let has_requests =
        matches!(clocks.stepping, Stepping::SelfTimed(_)) || network.has_pausible_clocks();
    match clocks.arbiter {
        Some(_) if !has_requests => {
            let allowed = "only with [clocks.self-timed] or a pausible clock: nodes with other clocks don't arbitrate";
            let refusal = table(all, "clocks").conflict("arbiter", allowed);
            let by = ["clocks.islands", "network.crossings"].map(str::to_owned);
            Err(refusal.decided_by(by.into()))
        }
        _ => Ok(()),
    }
}

/// The clocks with their pace, and the router with its table.
type Hardware<'a> = (&'a (ClockParameters, Pace), &'a (AnyRouter, RawTable<'a>));

/// A network's table and shape, and what its links are checked against.
type Linking<'a> = ((RawTable<'a>, Built), (Hardware<'a>, &'a RunParameters));

/// The network with its links.
fn linked(
    all: &RawTable<'_>,
    ((given, built), ((clocks, router), run)): Linking<'_>,
    parts: &Parts,
) -> Result<NetworkParameters, Refusal> {
    let timing = timing_of(all, (clocks, run), &router.0);
    let around = network::Context {
        clocks: &clocks.0,
        seed: run.seed,
        is_clocked: run.engine == EngineChoice::Clocked,
        parts,
    };
    let router = of_router(router, parts);
    NetworkParameters::read(&given, built, &timing, (&router, around))
}

/// The longest packet of the traffic, which `given` describes.
fn longest(
    traffic: &TrafficParameters,
    (process, given): (&ProcessEntry, &RawTable<'_>),
    parts: &Parts,
) -> Longest {
    Longest {
        words: traffic.longest_words(),
        span: TrafficParameters::span_of_lengths(given, process, parts),
    }
}

/// What the timing of links depends on.
fn timing_of<'a>(
    all: &RawTable<'_>,
    ((clocks, pace), run): (&'a (ClockParameters, Pace), &RunParameters),
    router: &AnyRouter,
) -> network::Timing<'a> {
    network::Timing {
        credit_words: router.credit_words(),
        period_ps: clocks.period_ps,
        pace: *pace,
        drawn: Some((clocks, run.seed)),
        clocks: all.span_of("clocks"),
    }
}

/// What a router says about its links; `given` is its table.
fn of_router((router, given): &(AnyRouter, RawTable<'_>), parts: &Parts) -> network::OfRouter {
    let entry = parts.find::<RouterEntry>(router.name());
    network::OfRouter {
        name: router.name(),
        takes_half_duplex: router.facts().takes_half_duplex,
        usual_duplex: entry.map_or(Duplex::Full, |entry| (entry.usual_duplex)(given)),
    }
}

/// An optional table.
fn table<'a>(all: &RawTable<'a>, name: &str) -> RawTable<'a> {
    let given = all.table(name);
    given.unwrap_or_else(|| RawTable::nothing(name))
}

/// A required table that isn't given.
fn absent(name: &str, needs: &str) -> Refusal {
    let refusal = Refusal::new(MistakeKind::Missing, name, None);
    refusal
        .found(format!("has no table [{name}]"))
        .allowed(needs)
}
