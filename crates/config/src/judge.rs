//! From the values that were given to what they mean together: each table is read beside those that it depends on.

use super::clocks::{ClockParameters, Stepping};
use super::file::Folder;
use super::file_texts::Base;
use super::pace::Pace;
use super::resolved::{Known, Resolved};
use super::source::Source;
use super::tables::energy::EnergyParameters;
use super::tables::faults::FaultPlan;
use super::tables::live;
use super::tables::network::{self, NetworkParameters};
use super::tables::run::{EngineChoice, RunParameters};
use super::tables::{clocks, part, traffic};
use super::unread::{self, Found};
use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::{Longest, Reading};
use flitwork_schema::{MistakeKind, Parts, RawTable, Refusal};
use flitwork_topology::{Built, Shape, Topology};
use flitwork_traffic::{ProcessEntry, TrafficParameters};
use flitwork_types::{Duplex, TerminalId};

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
    base: Base<'_>,
    all: &RawTable<'_>,
) -> Result<(Resolved, Vec<Found>), Vec<Refusal>> {
    let mut judge = Judge::new(source, all, TABLES, needs(source))?;
    judge.refuse_tables("only without a router");
    judge.read(base).ok_or(judge.errors)
}

/// The tables that every configuration needs.
const TABLES: [&str; 3] = ["network", "router", "traffic"];

/// A router with its table.
type Router<'g> = (AnyRouter, RawTable<'g>);

/// The mistakes so far.
pub(super) struct Judge<'s> {
    pub(super) source: &'s Source<'s>,
    /// All that is given.
    pub(super) all: &'s RawTable<'s>,
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
        all: &'s RawTable<'s>,
        tables: [&'static str; 3],
        needs: String,
    ) -> Result<Judge<'s>, Vec<Refusal>> {
        // Where other mistakes are known, something was given.
        if source.looks_again || tables.iter().any(|name| all.has(name)) {
            return Ok(Judge {
                source,
                all,
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

impl<'s> Judge<'s> {
    /// Refuses tables that stand in the place of the one that is needed.
    pub(super) fn refuse_tables(&mut self, allowed: &str) {
        let others = part::ONE_OF
            .iter()
            .filter(|name| !self.tables.contains(name));
        for name in others.filter(|name| self.all.has(name)) {
            let reads = self.source.schema.only_with(name);
            let allowed = match reads {
                "" => allowed.to_owned(),
                reads => format!("{allowed}, for {reads}"),
            };
            self.errors.push(self.all.conflict(name, allowed));
        }
    }

    /// The result of a step, or `None` if what it depends on isn't known or it found a mistake.
    pub(super) fn step<T>(
        &mut self,
        find: impl FnOnce() -> Option<Result<T, Refusal>>,
    ) -> Option<T> {
        find()?.map_err(|refusal| self.errors.push(refusal)).ok()
    }

    /// A required table.
    pub(super) fn needed(&mut self, name: &'static str) -> Option<RawTable<'s>> {
        if self.source.is_unsure(self.all, name) {
            return None;
        }
        let table = self.all.table(name);
        if table.is_none() {
            self.errors.push(absent(name, &self.needs));
        }
        table
    }

    /// An optional table, if it is known what it says.
    pub(super) fn optional(&self, name: &str) -> Option<RawTable<'s>> {
        (!self.source.is_unsure(self.all, name)).then(|| table(self.all, name))
    }

    /// The table of the traffic, if it is known which process makes it.
    pub(super) fn naming_process(&self) -> Option<RawTable<'s>> {
        let traffic = self.all.table("traffic")?;
        let is_known = traffic.has("process") || !self.source.is_unsure(self.all, "traffic");
        is_known.then_some(traffic)
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

    /// The network's shape, its router, who sends in it and for how long.
    fn what_runs(&mut self, files: &Folder<'_>) -> WhatRuns<'s> {
        let (source, all) = (self.source, self.all);
        let parts = source.catalogue.parts();
        let [network, router, traffic] = TABLES.map(|name| self.needed(name));
        let built = self.step(|| Some(network::build_for_routers(network.as_ref()?, parts, files)));
        let shape = built.as_ref().map(|built| &built.shape);
        let faults = (!source.is_unsure(all, "faults")).then_some(all);
        let faults = self.step(|| Some(FaultPlan::read(faults?, shape?)));
        // Without tables nothing fails, even if a table's name is wrong.
        let known = match all.has("faults") {
            true => faults.clone(),
            false => Some(FaultPlan::default()),
        };
        let given = self.naming_process();
        let process = self.step(|| Some(TrafficParameters::process_of(&given?, parts)));
        let given = self.optional("run");
        let mut run = self.step(|| {
            let process = process.as_ref()?;
            Some(RunParameters::read(given.as_ref()?, process, parts))
        });
        let timing = self.timing(network.as_ref(), run.as_ref());
        let router = self.step(|| {
            let (plan, whole) = (known.as_ref()?, shape?);
            let around = (plan.intact(whole), timing?);
            let reading = reading((parts, files), around, run.as_ref()?);
            let read = part::read_router(&reading, &router?);
            Some(read.map_err(|refusal| plan.explain(whole, refusal)))
        });
        self.step(|| {
            let (plan, (built, given)) = (faults.as_ref()?, router.as_ref()?);
            let (run, timing) = (run.as_ref()?, timing?);
            let entry = parts.find::<RouterEntry>(built.name())?;
            let read =
                |shape: &Shape| (entry.read)(given, &reading((parts, files), (shape, timing), run));
            Some(plan.take_router(all, built, read))
        });
        let asked = process.as_ref().zip(traffic.as_ref());
        let read = self.step(|| {
            let in_run = traffic::Run {
                parts,
                files,
                skips_slow_checks: source.looks_again,
                topology: shape?,
                router: &router.as_ref()?.0,
                run: run.as_ref()?,
                link_latency_cycles: timing?.link_latency_cycles,
                links_fail: all.has("faults"),
            };
            Some(traffic::read(&in_run, asked?))
        });
        if let (Some(run), Some(given), Some(read)) = (&mut run, given, &read) {
            run.hold_last_cycle(&given, &read.process);
        }
        self.step(|| {
            let (router, table) = router.as_ref()?;
            Some(router.take_packets(table, &longest(read.as_ref()?, asked?, parts)))
        });
        WhatRuns {
            network: network.zip(built),
            faults,
            router,
            traffic: read,
            run,
            timing,
        }
    }

    fn read(&mut self, base: Base<'_>) -> Option<(Resolved, Vec<Found>)> {
        let (all, parts) = (self.all, self.source.catalogue.parts());
        let files = self.source.catalogue.folder(base);
        let WhatRuns {
            network,
            faults,
            router,
            traffic,
            run,
            timing,
        } = self.what_runs(&files);
        let shape = network.as_ref().map(|(_, built)| &built.shape);
        let given = self.optional("clocks");
        let clocks = self.step(|| {
            let around = clocks::Context {
                shape: shape?,
                run: run.as_ref()?,
                files: &files,
                has_queue: router.as_ref().map(|(it, _)| it.facts().has_queue),
                segments: network.as_ref().and_then(|(it, _)| network::segments(it)),
            };
            Some(ClockParameters::read(&given?, &around))
        });
        let given = self.optional("live");
        let live = self.step(|| Some(live::read(&given?, shape?, timing?.link_latency_cycles)));
        let nodes = shape.map(|shape| shape.nodes());
        let settings = shape.zip(router.as_ref());
        let settings = settings.map(|(shape, (router, _))| (router, router.settings(shape)));
        let network = self.step(|| {
            let clocks = clocks.as_ref()?;
            Some(linked(
                all,
                network?,
                clocks,
                (router.as_ref()?, run.as_ref()?),
                (traffic.as_ref(), parts),
            ))
        });
        let hands_over = network.as_ref().map(NetworkParameters::hands_over);
        let is_clocked = timing.is_some_and(|timing| timing.clocked_ps.is_some());
        let hands_over = hands_over != Some(false) && is_clocked;
        let energy = EnergyParameters::read(&table(all, "energy"), is_clocked, hands_over);
        let known = Known {
            network: network.as_ref(),
            faults: faults.as_ref(),
            nodes,
            router: settings,
            traffic: traffic.as_ref(),
            run: run.as_ref(),
            clocks: clocks.as_ref().map(|(clocks, _)| clocks),
            live: live.as_ref(),
            energy,
        };
        let unread = unread::find(self.source, all.entries(), &known.tables());
        self.refuse_unread(&unread);
        if !self.errors.is_empty() {
            return None;
        }
        let resolved = Resolved {
            network: network?,
            faults: faults?,
            router: router?.0,
            traffic: traffic?,
            run: run?,
            clocks: clocks?.0,
            live: live?,
            energy,
            texts: files.into_texts(),
        };
        Some((resolved, unread))
    }
}

/// What runs, as far as it is right.
struct WhatRuns<'g> {
    /// Its table, and the shape.
    network: Option<(RawTable<'g>, Built)>,
    faults: Option<FaultPlan>,
    router: Option<Router<'g>>,
    traffic: Option<TrafficParameters>,
    run: Option<RunParameters>,
    timing: Option<Timing>,
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
        network: Option<&RawTable<'_>>,
        run: Option<&RunParameters>,
    ) -> Option<Timing> {
        let clocked_ps = match run?.engine {
            EngineChoice::Clocked => {
                let given = self.optional("clocks")?.get("period_ps");
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
        is_examined: files.is_examined(),
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

/// The network with its links.
fn linked(
    all: &RawTable<'_>,
    (given, built): (RawTable<'_>, Built),
    (clocks, pace): &(ClockParameters, Pace),
    ((router, given_router), run): (&Router<'_>, &RunParameters),
    (traffic, parts): (Option<&TrafficParameters>, &Parts),
) -> Result<NetworkParameters, Refusal> {
    let timing = network::Timing {
        credit_words: router.credit_words(),
        period_ps: clocks.period_ps,
        pace: *pace,
        drawn: Some((clocks, run.seed)),
        clocks: all.span_of("clocks"),
    };
    let entry = parts.find::<RouterEntry>(router.name());
    let around = network::Context {
        router,
        usual_duplex: entry.map_or(Duplex::Full, |entry| (entry.usual_duplex)(given_router)),
        clocks,
        seed: run.seed,
        is_clocked: run.engine == EngineChoice::Clocked,
        parts,
    };
    let network = NetworkParameters::read(&given, built, &timing, around)?;
    FaultPlan::take_duplex(all, network.duplex)?;
    arbitrates(all, &network, clocks)?;
    traffic.map_or(Ok(()), |traffic| runs_live(all, &network, traffic, run))?;
    Ok(network)
}

/// Whether nodes that run concurrently can have this traffic: a delivery at one node can't tell a source at another, whose cycles
/// are its own, and a record doesn't say when it would have.
fn runs_live(
    all: &RawTable<'_>,
    network: &NetworkParameters,
    traffic: &TrafficParameters,
    run: &RunParameters,
) -> Result<(), Refusal> {
    let shape = &network.shape;
    let is_apart = |terminal| shape.entry(terminal) != shape.home(terminal);
    let is_live = run.engine == EngineChoice::Live && traffic.process.waits_for_deliveries();
    if !is_live || !(0..shape.terminals()).map(TerminalId).any(is_apart) {
        return Ok(());
    }
    let allowed = "another engine: on the live one no source waits for deliveries at another node, and here packets enter at other \
                   nodes than they leave";
    let refusal = table(all, "run").conflict("engine", allowed);
    let by = ["network.topology", "traffic.process"].map(str::to_owned);
    Err(refusal.decided_by(by.into()))
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
