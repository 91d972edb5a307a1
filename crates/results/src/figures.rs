//! The figures of a run. Each is one entry, which appears under its name in JSON, CSV and Parquet, in the rows of a
//! sweep, in `compare` if it declares what is better, in the text if it declares a line there, and in the documentation.

use super::latency::{Latency, PERCENTILES};
use super::lines::{self, Section};
use super::{BufferUse, Joules, Results, energy};
use flitwork_measure::Shares;
use flitwork_report::{Cell, CellValue, Column, Lines, column, estimate, line};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A figure of a run.
pub struct Figure {
    /// Its name and how it is computed.
    pub column: Column<Results>,
    /// How it compares two networks, if it does.
    pub comparison: Option<Comparison>,
    /// Whether it describes the host's work rather than the network's.
    pub is_of_host: bool,
    /// Where the text shows it, and how, if it does.
    shown: Option<(Section, Box<Shown>)>,
}

/// Lines of the text, from a run's results and a figure's own cell.
type Shown = dyn Fn(&Results, Cell) -> Lines + Send + Sync;

/// How a figure compares two networks.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// Whether it is meaningful only in the steady state.
    pub needs_steady: bool,
    /// The figure that replaces it when the network was overloaded.
    pub at_overload: Option<&'static str>,
}

/// All figures, in the order of every table.
pub fn figures() -> &'static [Figure] {
    static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| {
        let groups = [
            run(),
            load(),
            packets(),
            latencies(),
            steps(),
            ways(),
            occupancy(),
            synchronizers(),
            fairness(),
            energy(),
            host(),
        ];
        groups.into_iter().flatten().collect()
    });
    &FIGURES
}

/// A figure that is not compared.
fn figure<T: CellValue>(
    name: impl Into<Cow<'static, str>>,
    unit: &'static str,
    meaning: &'static str,
    of: impl Fn(&Results) -> T + Send + Sync + 'static,
) -> Figure {
    plain(column(name, unit, meaning, of))
}

fn plain(column: Column<Results>) -> Figure {
    Figure {
        column,
        comparison: None,
        is_of_host: false,
        shown: None,
    }
}

impl Figure {
    /// Its name in every table.
    pub fn name(&self) -> &str {
        &self.column.header.name
    }

    /// Its lines of the text, and where they appear.
    pub(super) fn lines(&self, results: &Results) -> Option<(Section, Lines)> {
        let (part, lines) = self.shown.as_ref()?;
        Some((*part, lines(results, self.column.cell(results))))
    }

    fn compared(self, comparison: Comparison) -> Figure {
        Figure {
            comparison: Some(comparison),
            ..self
        }
    }

    /// Shows it in the text, on a line of that name: its value and its unit, unless it is missing.
    fn shown(self, part: Section, name: &'static str) -> Figure {
        let unit = self.column.header.unit;
        self.with(part, move |_, cell| {
            let value = lines::value(&cell, unit);
            value.map(|value| line(name, value)).into_iter().collect()
        })
    }

    /// Shows it in the text, on a line of that name in words of its own, maybe together with others.
    fn line(
        self,
        part: Section,
        name: &'static str,
        of: impl Fn(&Results) -> Option<String> + Send + Sync + 'static,
    ) -> Figure {
        self.with(part, move |it, _| {
            let value = of(it);
            value.map(|value| line(name, value)).into_iter().collect()
        })
    }

    fn with(
        self,
        part: Section,
        of: impl Fn(&Results, Cell) -> Lines + Send + Sync + 'static,
    ) -> Figure {
        Figure {
            shown: Some((part, Box::new(of))),
            ..self
        }
    }
}

/// A figure that is better when smaller, in the steady state.
const fn less(name: &'static str, title: &'static str) -> Comparison {
    Comparison {
        name,
        title,
        more_is_better: false,
        needs_steady: true,
        at_overload: None,
    }
}

/// The run itself.
#[rustfmt::skip]
fn run() -> Vec<Figure> {
    vec![
        figure("status", "", "`complete`; `failed` where packets could not be delivered; `partial` where the run was interrupted; in sweeps `refused` where the configuration was", |it| it.status.name()),
        figure("reason", "", "why the run failed, or which rule of the steady state it violated, with its numbers", Results::reason),
        figure("seed", "", "the seed of all random draws", |it| it.seed).shown(Section::Seed, "seed"),
        figure("digest", "", "the digest of all events", |it| it.digest.clone()).shown(Section::Digest, "digest"),
        figure("cycles", "cycles", "simulated", |it| it.cycles).line(Section::Length, "simulated", |it| Some(format!("{} cycles, {} measured", it.cycles, it.measured_cycles))),
        figure("measured_cycles", "cycles", "simulated in the window", |it| it.measured_cycles),
    ]
}

/// Loads of open-loop traffic, and whether the network carried them.
#[rustfmt::skip]
fn load() -> Vec<Figure> {
    const UNIT: &str = "words/node/cycle";
    let accepted = Comparison {
        name: "accepted",
        title: "accepted load",
        more_is_better: true,
        needs_steady: false,
        at_overload: None,
    };
    let mut all = vec![figure("configured_load_words_per_node_cycle", UNIT, "what the configuration asks for, where it is one number", |it| it.load.as_ref()?.configured)];
    let [mean, sure @ ..] = estimate(("offered_load", "offered_load"), UNIT, "what the sources made in the window", |it: &Results| Some(it.load.as_ref()?.offered)).map(plain);
    all.push(mean.line(Section::Load, "offered load", lines::offered));
    all.extend(sure);
    let [mean, sure @ ..] = estimate(("accepted_load", "accepted_load"), UNIT, "what was delivered in the window", |it: &Results| Some(it.load.as_ref()?.accepted)).map(plain);
    all.push(mean.compared(accepted).line(Section::Load, "accepted load", |it| Some(lines::load(it, &it.load.as_ref()?.accepted))));
    all.extend(sure);
    all.extend([
        figure("ideal_throughput_words_per_node_cycle", UNIT, "what could be delivered if the busiest link were always full, or a terminal made or received a word in each cycle (Dally and Towles 2004, section 3.3.1), under the pattern and the routing function; missing where that isn't known, or takes long beside the run", |it| Some(it.ideal?.throughput)).line(Section::Load, "ideal throughput", lines::ideal),
        figure("ideal_throughput_basis", "", "`exact`; `even-split` where words are taken to divide evenly over the ports that routing prefers; `best-mix` where packets go straight on or by way of a node as allows the most", |it| Some(it.ideal?.basis.name())),
        figure("channel_load_max_words_per_cycle", "words/cycle", "what the busiest link would carry if each terminal that sends sent a word in each cycle", |it| Some(it.ideal?.busiest)),
    ]);
    all.extend([
        figure("accepted_first_half_words_per_node_cycle", UNIT, "what was delivered in the first half of the window", |it| Some(it.load.as_ref()?.halves?.first)).line(Section::Load, "", lines::halves),
        figure("accepted_second_half_words_per_node_cycle", UNIT, "what was delivered in the second", |it| Some(it.load.as_ref()?.halves?.second)),
        figure("accepted_change", "", "by how much the second half is more than the first, as a part of that: an overloaded network has no steady state, but may stay where it is", |it| Some(it.load.as_ref()?.halves?.change.mean).filter(|it| it.is_finite())),
        figure("accepted_change_half_width", "", "half the width of its 95 % interval, by Student's t over the batches of both halves", |it| it.load.as_ref()?.halves?.change.half_width.filter(|it| it.is_finite())),
        figure("steady", "", "whether the network was in its steady state while it was measured; for open-loop traffic; missing where the window is too short to tell", |it| it.steady?.known()).line(Section::Load, "steady state", |it| Some(it.steady?.to_string())),
        figure("not_steady", "", "the rule of the steady state that was violated, or `window too short` or `window cut short`", |it| Some(it.steady?.reason()?.name())),
        figure("saturated", "", "whether the network failed or wasn't steady; for open-loop traffic; too few packets to judge by, or too few cycles, don't count as saturation", |it| it.steady.map(|_| it.is_saturated())),
    ]);
    all
}

/// Packets over the whole run.
#[rustfmt::skip]
fn packets() -> Vec<Figure> {
    vec![
        figure("packets_created", "packets", "made by the sources in the whole run", |it| it.packets.created).line(Section::Packets, "packets", lines::packets),
        figure("packets_injected", "packets", "entered the network", |it| it.packets.injected),
        figure("packets_delivered", "packets", "delivered at their destinations", |it| it.packets.delivered),
        figure("packets_in_network", "packets", "in the network at the end", |it| it.packets.in_network).line(Section::Packets, "left over", lines::left_over),
        figure("packets_in_sources", "packets", "in the sources at the end", |it| it.packets.in_sources),
        figure("packets_in_sources_at_least", "", "whether more are in the sources: the run was aborted while they were counted", |it| it.packets.in_sources_at_least),
        figure("packets_owed", "packets", "not made by the end, though the traffic still has them to send; for batches and traces", |it| it.packets.owed.packets),
        figure("packets_owed_replies", "packets", "replies among them", |it| it.packets.owed.replies),
        figure("packets_owed_at_least", "", "whether more may be owed: they were not counted to the end", |it| it.packets.owed.at_least),
        figure("packets_lost", "packets", "lost where [links fail](faults.md)", |it| Some(it.packets.failing?.all_lost())).line(Section::Packets, "lost", lines::lost),
        figure("packets_lost_failed_link", "packets", "those of them that were sent over a failed link", |it| Some(it.packets.failing?.lost[0])),
        figure("packets_lost_cut", "packets", "those that were crossing a link when it failed", |it| Some(it.packets.failing?.lost[1])),
        figure("packets_lost_no_path", "packets", "those that had no path left from where they were", |it| Some(it.packets.failing?.lost[2])),
        figure("packets_lost_failed_router", "packets", "those that came to a failed router", |it| Some(it.packets.failing?.lost[3])),
        figure("packets_refused", "packets", "refused by their sources, since there was no way for them; they don't count as made", |it| Some(it.packets.failing?.refused)),
        figure("packets_sent_again", "packets", "made to replace lost ones", |it| Some(it.packets.failing?.sent_again)),
    ]
}

/// Latencies of the packets created in the window.
#[rustfmt::skip]
fn latencies() -> Vec<Figure> {
    let mut all: Vec<Figure> = latency_columns("latency", |it: &Results| &it.latency).into_iter().map(plain).collect();
    all.push(figure("latency_window_mean_cycles", "cycles", "where the network was overloaded, of the packets delivered in the window, whenever they were created: it doesn't depend on what becomes of the rest", |it| it.latency.transient.as_ref()?.window_mean));
    all.extend(latency_columns("network_latency", |it: &Results| &it.network_latency).into_iter().map(plain));
    all.extend(exact_columns("latency", |it| Some(&it.exact.as_ref()?.latency)));
    all.push(figure("latency_window_mean_ps", "ps", "where the network was overloaded, of the packets delivered in the window", |it| it.exact.as_ref()?.latency.transient.as_ref()?.window_mean));
    all.extend(exact_columns("network_latency", |it| Some(&it.exact.as_ref()?.network_latency)));
    let comparisons = [
        ("latency_mean_cycles", "latency", "mean latency", "latency_transient_mean_cycles"),
        ("latency_p50_cycles", "p50", "median latency", "latency_transient_p50_cycles"),
        ("latency_p90_cycles", "p90", "90th percentile of latency", "latency_transient_p90_cycles"),
        ("latency_p99_cycles", "p99", "99th percentile of latency", "latency_transient_p99_cycles"),
        ("latency_p999_cycles", "p99.9", "99.9th percentile of latency", "latency_transient_p999_cycles"),
        ("latency_max_cycles", "max", "greatest latency", "latency_transient_max_cycles"),
        ("network_latency_mean_cycles", "network-latency", "mean network latency", "network_latency_transient_mean_cycles"),
        ("latency_mean_ps", "latency-ps", "mean latency", "latency_transient_mean_ps"),
        ("latency_p50_ps", "p50-ps", "median latency", "latency_transient_p50_ps"),
        ("latency_p90_ps", "p90-ps", "90th percentile of latency", "latency_transient_p90_ps"),
        ("latency_p99_ps", "p99-ps", "99th percentile of latency", "latency_transient_p99_ps"),
        ("latency_p999_ps", "p99.9-ps", "99.9th percentile of latency", "latency_transient_p999_ps"),
        ("latency_max_ps", "max-ps", "greatest latency", "latency_transient_max_ps"),
        ("network_latency_mean_ps", "network-latency-ps", "mean network latency", "network_latency_transient_mean_ps"),
    ];
    for (figure, name, title, at_overload) in comparisons {
        let found = all.iter_mut().find(|it| it.name() == figure);
        let found = found.expect("latencies have it");
        found.comparison = Some(Comparison { at_overload: Some(at_overload), ..less(name, title) });
    }
    all.into_iter().map(|it| match it.name() {
        "latency_mean_cycles" => it.with(Section::Latency, |it, _| lines::latency("latency", &it.latency, it.exact.as_ref().map(|exact| &exact.latency))),
        "network_latency_mean_cycles" => it.with(Section::Latency, |it, _| lines::network_latency(it)),
        _ => it,
    }).collect()
}

/// The columns of a distribution of latencies in cycles, of any rows that have one.
#[rustfmt::skip]
pub(super) fn latency_columns<R: 'static>(
    stem: &'static str,
    of: fn(&R) -> &Latency,
) -> Vec<Column<R>> {
    let mut all = vec![
        column(format!("{stem}_packets"), "packets", match stem {
            "network_latency" => "the same from the injection frame to delivery: packets created in the window that were delivered",
            _ => "packets created in the window that were delivered; latency is theirs, from creation to delivery",
        }, move |it| of(it).packets),
    ];
    all.extend(estimate((&format!("{stem}_mean"), stem), "cycles", "mean; it and the percentiles are missing where the network was overloaded", move |it| of(it).mean));
    all.extend(distribution(stem, "cycles", move |it| Some(of(it))));
    all
}

/// The columns of the same distribution in picoseconds, where there is one.
#[rustfmt::skip]
fn exact_columns(stem: &'static str, of: fn(&Results) -> Option<&Latency>) -> Vec<Figure> {
    let mean = "the mean in ps, exactly: the times at which local cycles begin are subtracted, not rounded to nominal cycles; with the engine `clocked`";
    let [mean, half_width, ..] = estimate((&format!("{stem}_mean"), stem), "ps", mean, move |it| of(it)?.mean);
    let mut all = vec![mean, half_width];
    all.extend(distribution(stem, "ps", of));
    all.into_iter().map(plain).collect()
}

/// The columns of the ends and the percentiles of a distribution, where there is one.
#[rustfmt::skip]
fn distribution<R: 'static>(
    stem: &'static str,
    unit: &'static str,
    of: impl Fn(&R) -> Option<&Latency> + Copy + Send + Sync + 'static,
) -> Vec<Column<R>> {
    let named = |name: &str| format!("{stem}_{name}_{unit}");
    let mut all: Vec<Column<R>> = Vec::new();
    for (at, (name, meaning, _)) in PERCENTILES.into_iter().enumerate() {
        all.push(column(named(name), unit, meaning, move |it| of(it)?.percentiles.0[at]));
    }
    all.push(column(named("transient_sum"), unit, "where the network was overloaded, the latencies of the packets that happened to be delivered, added up: they say how long the run was", move |it| Some(of(it)?.transient.as_ref()?.sum)));
    all.push(column(named("transient_mean"), unit, "the mean of these", move |it| of(it)?.transient.as_ref()?.mean()));
    for (at, (name, meaning, _)) in PERCENTILES.into_iter().enumerate() {
        all.push(column(named(&format!("transient_{name}")), unit, format!("of these, {meaning}"), move |it| of(it)?.transient.as_ref()?.percentiles.0[at]));
    }
    all
}

/// How long steps of self-timed nodes took.
#[rustfmt::skip]
fn steps() -> Vec<Figure> {
    vec![
        figure("timed_steps", "steps", "of self-timed nodes that began in the window and took time", |it| Some(it.steps?.steps)),
        figure("step_mean_ps", "ps", "how long they took, mean", |it| it.steps?.mean_ps).line(Section::Steps, "steps", |it| lines::steps(&it.steps?)),
        figure("step_worst_ps", "ps", "the most that a step of any self-timed node may take by its delays, while arbiters decide at once: the period of a clock that waits for the slowest", |it| Some(it.steps?.worst_ps)),
        figure("step_mean_of_worst", "", "the mean as a part of that", |it| it.steps?.of_worst()),
    ]
}

/// The paths that packets took.
#[rustfmt::skip]
fn ways() -> Vec<Figure> {
    vec![
        figure("hops_per_packet", "hops", "links crossed per packet, for packets created in the window", |it| it.hops_per_packet).compared(less("hops", "hops per packet")).line(Section::Ways, "hops", |it| Some(lines::a_packet(it.hops_per_packet))),
        figure("deroutes_per_packet", "hops", "hops through unproductive ports per packet, for the same packets", |it| it.deroutes_per_packet).compared(less("deroutes", "deroutes per packet")).line(Section::Ways, "deroutes", |it| Some(lines::a_packet(it.deroutes_per_packet))),
        figure("deroutes_per_hop", "", "deroutes in the window as a fraction of the hops in it, of any packet; of words where words travel alone", |it| it.deroutes_per_hop),
    ]
}

/// What synchronizers did that may fail.
#[rustfmt::skip]
fn synchronizers() -> Vec<Figure> {
    vec![
        figure("synchronizer_arrivals", "", "words, credits and reports in the window that flip-flops sampled which may become metastable: those of `[[network.crossings]]` with tau_ps", |it| Some(it.synchronizers.as_ref()?.sampled.arrivals)).line(Section::Crossings, "synchronizers", |it| Some(it.synchronizers.as_ref()?.in_words())),
        figure("synchronizer_undecided", "", "those of them that left a flip-flop undecided", |it| Some(it.synchronizers.as_ref()?.sampled.undecided)),
        figure("synchronizer_failures", "", "those that it was still undecided about after the synchronizer's last edge", |it| Some(it.synchronizers.as_ref()?.sampled.failures)),
        figure("synchronizer_mtbf_seconds", "s", "mean simulated time between failures that the edges leave: 1 over the sum, over crossings, of window / period * arrivals per second * exp(-edges * period / tau); missing where it is beyond 1e300 s", |it| it.synchronizers.as_ref()?.mean_time_between_failures_seconds).line(Section::Crossings, "", |it| it.synchronizers.as_ref()?.mean_in_words()),
    ]
}

/// How full buffers, nodes and links were.
#[rustfmt::skip]
fn occupancy() -> Vec<Figure> {
    fn of<'a>(it: &'a Results, unit: &str) -> Option<&'a BufferUse> {
        it.buffers.as_ref().filter(|buffers| buffers.unit == unit)
    }
    vec![
        figure("buffers", "", "which buffers the next figures describe: those that show how congested this router is", |it| Some(it.buffers.as_ref()?.name)).with(Section::Occupancy, |it, _| it.buffers.iter().map(lines::buffers).collect()),
        figure("buffer_packets_mean", "packets", "in a node's buffers, mean over nodes and window, for buffers that are counted in packets", |it| Some(of(it, "packets")?.mean)),
        figure("buffer_packets_busiest_mean", "packets", "the largest mean of a node", |it| Some(of(it, "packets")?.busiest.value)),
        figure("buffer_packets_max", "packets", "the most that any node held in the whole run", |it| Some(of(it, "packets")?.max)),
        figure("buffer_words_mean", "words", "the same for buffers that are counted in words", |it| Some(of(it, "words")?.mean)),
        figure("buffer_words_busiest_mean", "words", "the largest mean of a node", |it| Some(of(it, "words")?.busiest.value)),
        figure("buffer_words_max", "words", "the most that any node held in the whole run", |it| Some(of(it, "words")?.max)),
        figure("buffer_busiest_node", "", "the node with the largest mean", |it| Some(it.buffers.as_ref()?.busiest.node)),
        figure("node_packets_mean", "packets", "in a node, mean over nodes and window; missing where words travel alone", |it| it.node_packets_mean).line(Section::Occupancy, "packets in a node", |it| Some(format!("{:.3} mean", it.node_packets_mean?))),
        figure("node_words_mean", "words", "in a node, mean over nodes and window, where words travel alone", |it| it.node_words_mean).line(Section::Occupancy, "words in a node", |it| Some(format!("{:.3} mean", it.node_words_mean?))),
        figure("link_words_mean", "words", "over a link in the window, mean over links", |it| it.link_words_mean).line(Section::Occupancy, "words per link", |it| Some(format!("{:.1} mean", it.link_words_mean))),
        figure("link_utilisation_mean", "words/cycle", "per wire and cycle of the nominal clock, the fraction of its capacity that is used if nodes have that clock: each direction of a link has a wire, or half-duplex links share one", |it| it.link_utilisation_mean).compared(less("utilisation", "mean link utilisation")).line(Section::Occupancy, "link utilisation", |it| Some(lines::utilisation(it))),
        figure("link_utilisation_max", "words/cycle", "that of the busiest wire", |it| it.link_utilisation_max),
    ]
}

/// How evenly the accepted throughput is shared.
#[rustfmt::skip]
fn fairness() -> Vec<Figure> {
    let mut all = shares("source", "fairness, sources", "nodes whose sources made words in the window; the share of each is what was delivered from it", |it| it.fairness.by_source);
    all.extend(shares("destination", "fairness, destinations", "nodes to which words were sent in the window; the share of each is what was delivered to it", |it| it.fairness.by_destination));
    all.extend([
        figure("source_longest_wait_cycles", "cycles", "the longest in the window that a source with a packet to send waited until it entered the network: from when the packet was made or the one before it entered, whichever is later", |it| Some(it.fairness.longest_wait?.cycles)).line(Section::Fairness, "longest wait", lines::longest_wait),
        figure("source_longest_wait_node", "", "whose it is", |it| Some(it.fairness.longest_wait?.node)),
    ]);
    all
}

#[rustfmt::skip]
fn shares(
    stem: &'static str,
    shown: &'static str,
    meaning: &'static str,
    of: fn(&Results) -> Option<Shares>,
) -> Vec<Figure> {
    const UNIT: &str = "words/cycle";
    let named = |name: &str| format!("{stem}_{name}");
    vec![
        figure(named("nodes"), "nodes", meaning, move |it| Some(of(it)?.nodes)).with(Section::Fairness, move |it, _| of(it).map_or(Lines::new(), |it| lines::shares(shown, &it))),
        figure(named("min_words_per_cycle"), UNIT, "the least of their shares", move |it| Some(of(it)?.min.value)),
        figure(named("min_node"), "", "whose it is", move |it| Some(of(it)?.min.node)),
        figure(named("max_words_per_cycle"), UNIT, "the greatest", move |it| Some(of(it)?.max.value)),
        figure(named("max_node"), "", "whose it is", move |it| Some(of(it)?.max.node)),
        figure(named("mean_words_per_cycle"), UNIT, "their mean", move |it| Some(of(it)?.mean)),
        figure(named("jain"), "", "Jain's index: 1 where all got the same, k / n where k of n got the same and the rest nothing", move |it| of(it)?.jain),
    ]
}

/// Energy of the window's work.
#[rustfmt::skip]
fn energy() -> Vec<Figure> {
    fn joules(it: &Results) -> Option<&Joules> {
        it.energy.as_ref()?.joules.as_ref()
    }
    let counts = energy::PARTS.iter().enumerate().map(|(at, part)| {
        let count = figure(part.count, part.unit, part.meaning, move |it| it.energy.as_ref()?.counts[at]);
        match part.count_shown {
            Some(name) => count.line(Section::Energy, name, move |it| lines::spent(it.energy.as_ref()?, at)),
            None => count,
        }
    });
    let costs = energy::PARTS.iter().enumerate().map(|(at, part)| {
        let cost = figure(part.joules, "J", part.joules_meaning, move |it| joules(it)?.parts[at]);
        cost.line(Section::Energy, part.joules_shown, move |it| Some(lines::si(joules(it)?.parts[at]?, "J")))
    });
    let delivered = figure("words_delivered", "words", "delivered in the window", |it| Some(it.energy.as_ref()?.delivered_words));
    let mut all: Vec<Figure> = counts.chain([delivered]).chain(costs).collect();
    all.extend([
        figure("energy_joules", "J", "the sum of what is priced", |it| Some(joules(it)?.total)).line(Section::Energy, "energy", |it| Some(lines::energy(joules(it)?))),
        figure("energy_joules_per_delivered_word", "J/word", "the sum per delivered word", |it| joules(it)?.per_delivered_word),
        figure("packet_hops", "hops", "of all packets in the whole run", |it| it.packet_hops),
    ]);
    all
}

/// What the host did.
#[rustfmt::skip]
fn host() -> Vec<Figure> {
    let all = [
        figure("node_steps", "", "how often a node was stepped or woken", |it| it.node_steps),
        figure("packet_hops_per_second", "hops/s", "simulated per second of host time", |it| it.packet_hops_per_second).line(Section::Speed, "speed", |it| Some(lines::speed(it))),
        figure("node_cycles_per_second", "cycles/s", "nodes times cycles simulated per second of host time, including skipped ones", |it| it.node_cycles_per_second),
        figure("seconds", "s", "host time", |it| it.seconds),
    ];
    all.map(|it| Figure { is_of_host: true, ..it }).into()
}
