//! When a head moves on: store-and-forward, virtual cut-through and wormhole switching on one network, by packet
//! length and buffer size.
//!
//! For each combination: the latency of a lone packet, exactly, with the closed form beside it; the load that is
//! accepted when sources offer all they can; and what the buffers cost. See `closed_form_cycles`.

use super::{Ran, Study, StudyEntry, StudyFigure};
use crate::axes::base_text;
use crate::contest::Panel;
use crate::context::{Context, Failed};
use crate::contract::as_done;
use crate::many::{admit, as_far, refuse_set, set, set_for};
use crate::options::{RunOptions, jobs_or_cores};
use crate::seeds::{counted, dash, mean_of};
use crate::seen::{Served, served_columns, served_over, served_seed_columns};
use crate::square::named_square;
use clap::Args;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Aligned, Column, Table, column, estimate};
use flitwork_results::Results;
use flitwork_router::wormhole::{RoutedWormhole, Switching};
use flitwork_sweep::pool::Stop;
use flitwork_sweep::{Base, Error};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const TEXT: &str = include_str!("../../configs/cut-through.toml");
const SWITCHINGS: [&str; 3] = ["store-and-forward", "cut-through", "wormhole"];

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<CutThrough>(
    "cut-through",
    "Store-and-forward, virtual cut-through and wormhole switching on one network: latency, throughput and \
     buffers, by packet length",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct CutThrough {
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh")]
    topologies: Vec<String>,
    /// The side of the square networks, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES", value_parser = clap::value_parser!(u32).range(2..=64))]
    side: u32,
    /// Traffic patterns without parameters.
    #[arg(long, value_name = "NAME,…", default_value = "uniform")]
    patterns: Vec<String>,
    /// Virtual channels per link.
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    vcs: u8,
    /// Packet lengths, in words.
    #[arg(long, value_name = "WORDS,…", default_value = "1,2,4,8,16,32,64", value_parser = clap::value_parser!(u16).range(1..=2048))]
    packet_words: Vec<u16>,
    /// How long and with how many seeds each runs under overload.
    #[command(flatten)]
    many: RunOptions,
}

impl Study for CutThrough {
    type Row = CutThroughRow;

    const FIGURES: Option<&'static str> = Some("cut-through-");

    fn run(&self, context: &mut dyn Context) -> Result<Ran<CutThroughRow>, Failed> {
        for topology in &self.topologies {
            named_square(topology, self.side)?;
        }
        let points = points(self);
        let own = [
            "network.topology",
            "network.sides",
            "router.wormhole.vcs",
            "router.wormhole.buffer_words",
            "router.wormhole.switching",
        ];
        let own = own.into_iter().chain([
            "traffic.packet_words",
            "traffic.load",
            "traffic.process",
            "traffic.pattern",
        ]);
        let own = own.chain(["run.warmup_cycles", "run.measure_cycles", "run.seed"]);
        let own: Vec<Override> = own.map(|key| set(key, "")).collect();
        refuse_set(&self.many.repeats.set, &own, &[TEXT])?;
        let jobs = jobs_or_cores(self.many.repeats.jobs);
        let catalogue = context.catalogue().clone();
        let overload = points.iter().map(|point| {
            let overload = self.overload(&catalogue, point, self.many.repeats.first_seed)?;
            self.lone(&catalogue, point, (0, 1))?;
            Ok(overload)
        });
        admit(jobs, 1, overload)?;
        let work = |index: u32, stop: &Stop| self.row(&catalogue, &points[index as usize], stop);
        let rows = as_done(context, jobs, points.len() as u32, work)?;
        Ok(as_far(rows.into_iter().flatten().collect(), points.len()))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<CutThroughRow>> {
        let mut all = point_columns(|it: &CutThroughRow| &it.point);
        all.extend([
            column("node_buffer_words", "words", "in all input buffers of a node", |it: &CutThroughRow| it.node_buffer_words),
            column("lone_latency_cycles", "cycles", "latency of a lone packet, mean over all pairs of nodes, measured", |it: &CutThroughRow| it.lone_latency_cycles),
            column("closed_form_cycles", "cycles", "the same by the closed form", |it: &CutThroughRow| it.closed_form_cycles),
        ]);
        all.extend(estimate(("accepted_load", "accepted_load"), "words/node/cycle", "under overload", |it: &CutThroughRow| Some(it.throughput)));
        all.extend(served_columns("cycles", CutThroughRow::served));
        all
    }

    /// Each run under overload.
    #[rustfmt::skip]
    fn details(&self, rows: &[CutThroughRow]) -> Vec<Table> {
        type One = (Point, Overloaded);
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.point.clone(), *run)));
        let mut columns = point_columns(|it: &One| &it.0);
        columns.extend([
            column("seed", "", "the seed of all random draws", |it: &One| it.1.seed),
            column("accepted_load_words_per_node_cycle", "words/node/cycle", "under overload", |it: &One| it.1.accepted),
        ]);
        columns.extend(served_seed_columns("cycles", |it: &One| it.1.served));
        vec![Table::new("runs", &columns, runs)]
    }

    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let of = |point: Point| {
            let resolved = self.overload(catalogue, &point, self.many.repeats.first_seed);
            Some((self.named(&point), resolved.ok()?.to_toml()))
        };
        points(self).into_iter().filter_map(of).collect()
    }

    fn text(&self, rows: &[CutThroughRow]) -> String {
        let seeds = counted(self.many.repeats.seeds as usize, "seed");
        let (vcs, set) = (
            counted(self.vcs.into(), "virtual channel"),
            base_text([""; 0], &self.many.repeats.set),
        );
        let columns = Aligned::<CutThroughRow>::new()
            .left("switching", 17, |it| it.point.switching)
            .right("packet\nwords", 6, |it| it.point.packet_words)
            .right("buffer\nwords", 6, |it| it.point.buffer_words)
            .right("buffers/node\nwords", 12, |it| it.node_buffer_words)
            .right("lone latency\ncycles", 12, |it| {
                format!("{:.3}", it.lone_latency_cycles)
            })
            .right("closed form\ncycles", 12, |it| {
                format!("{:.3}", it.closed_form_cycles)
            })
            .right("throughput\nwords/node/cycle", 20, |it| it.throughput)
            .right("worst source\n/mean", 16, |it| {
                dash(served_over(&it.served(), |run| run.worst_source))
            });
        let mut out = set;
        for rows in rows.chunk_by(|one, other| one.point.panel == other.point.panel) {
            let place = rows[0].point.panel.title();
            out += &format!(
                "{place}, dimension order, {vcs}, {seeds}; ± 95 % intervals\n\n{}\n",
                columns.text(rows)
            );
        }
        out.trim_end().to_owned() + "\n"
    }

    /// That of the first network and pattern.
    fn figure(&self, rows: &[CutThroughRow]) -> Option<String> {
        let first = self.panels().first().cloned()?;
        Some(self.figure_of(rows, &first))
    }

    /// Those of the others.
    fn figures(&self, rows: &[CutThroughRow]) -> Vec<StudyFigure> {
        let others = self.panels().into_iter().skip(1);
        let others = others.map(|panel| {
            let name = format!("cut-through-{}.svg", panel.stem());
            (name, self.figure_of(rows, &panel))
        });
        others.collect()
    }
}

impl CutThrough {
    /// The throughput over the buffers of a node: for each length a curve of wormhole switching, open circles of
    /// store-and-forward and filled ones of cut-through.
    fn figure_of(&self, rows: &[CutThroughRow], panel: &Panel) -> String {
        let mut series = Vec::new();
        for switching in SWITCHINGS {
            for packet_words in &self.packet_words {
                let own = rows.iter().map(|row| (row, &row.point)).filter(|(_, it)| {
                    it.panel == *panel
                        && (it.switching, it.packet_words) == (switching, *packet_words)
                });
                let style = match switching {
                    "wormhole" => Style::Curve,
                    "cut-through" => Style::FilledCircles,
                    _ => Style::OpenCircles,
                };
                let points =
                    own.map(|(row, _)| (f64::from(row.node_buffer_words), row.throughput.mean));
                // Colours follow the length; marks without a line are named once.
                let name = match switching {
                    "wormhole" if *packet_words == 1 => "wormhole, 1 word".to_owned(),
                    "wormhole" => format!("wormhole, {packet_words} words"),
                    _ if series.len() % self.packet_words.len() == 0 => switching.to_owned(),
                    _ => String::new(),
                };
                series.push(Series::new(name, style, points.collect()));
            }
        }
        let curves = Curves {
            title: &format!(
                "Throughput by switching and packet length: {}",
                panel.title()
            ),
            x_label: "buffers per node (words)",
            y_label: "accepted load at overload (words/node/cycle)",
            x_scale: Scale::Logarithmic,
            series,
            ..Curves::default()
        };
        curves.svg()
    }

    fn panels(&self) -> Vec<Panel> {
        Panel::all(&self.topologies, &[self.side], &self.patterns)
    }

    /// "cut-through, packets of 8, buffers of 16", with its panel if there are several.
    fn named(&self, point: &Point) -> String {
        let panel = match self.topologies.len() * self.patterns.len() {
            1 => String::new(),
            _ => format!("{}, ", point.panel.title()),
        };
        let Point {
            switching,
            packet_words,
            buffer_words,
            ..
        } = point;
        format!("{panel}{switching}, packets of {packet_words}, buffers of {buffer_words}")
    }
}

/// A combination.
#[derive(Clone, Debug)]
pub(super) struct CutThroughRow {
    point: Point,
    node_buffer_words: u32,
    lone_latency_cycles: f64,
    closed_form_cycles: f64,
    throughput: Estimate,
    /// Each seed's.
    runs: Vec<Overloaded>,
}

/// A run under overload.
#[derive(Clone, Copy, Debug)]
struct Overloaded {
    seed: u64,
    accepted: f64,
    served: Served,
}

impl CutThroughRow {
    fn served(&self) -> Vec<Served> {
        self.runs.iter().map(|run| run.served).collect()
    }
}

/// What is run.
#[derive(Clone, Debug)]
struct Point {
    panel: Panel,
    switching: &'static str,
    packet_words: u16,
    buffer_words: u16,
}

#[rustfmt::skip]
fn point_columns<R>(of: impl Fn(&R) -> &Point + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("topology", "", "`mesh` or `torus`", move |it| of(it).panel.topology.clone()),
        column("pattern", "", "the traffic pattern", move |it| of(it).panel.pattern.clone()),
        column("switching", "", "`store-and-forward`, `cut-through` or `wormhole`", move |it| of(it).switching),
        column("packet_words", "words", "per packet", move |it| of(it).packet_words),
        column("buffer_words", "words", "in a virtual channel's buffer", move |it| of(it).buffer_words),
    ]
}

/// Buffers from one word to two packets, in powers of two and whole packets; those that can't hold a packet
/// only for switching that doesn't need them to.
fn points(asked: &CutThrough) -> Vec<Point> {
    let panels = asked.panels().into_iter();
    panels.flat_map(|panel| points_in(asked, &panel)).collect()
}

fn points_in(asked: &CutThrough, panel: &Panel) -> Vec<Point> {
    let mut points = Vec::new();
    for packet_words in &asked.packet_words {
        let most = packet_words.saturating_mul(2);
        let powers = (0..16)
            .map(|power| 1u16 << power)
            .filter(|words| *words < most);
        let mut buffers: Vec<u16> = powers.chain([*packet_words, most]).collect();
        buffers.sort_unstable();
        buffers.dedup();
        for switching in SWITCHINGS {
            let is_enough = |words: &&u16| switching == "wormhole" || **words >= *packet_words;
            let enough = buffers.iter().filter(is_enough);
            points.extend(enough.map(|buffer_words| Point {
                panel: panel.clone(),
                switching,
                packet_words: *packet_words,
                buffer_words: *buffer_words,
            }));
        }
    }
    points
}

impl CutThrough {
    /// A run of a point with further keys, one of which is the load or another process.
    fn resolve(
        &self,
        catalogue: &Catalogue,
        point: &Point,
        mut keys: Vec<Override>,
    ) -> Result<Resolved, Error> {
        let (switching, network) = (point.switching, point.panel.set().into_iter());
        // A lone packet has a pattern of its own.
        let is_free = |it: &Override| {
            !it.key.starts_with("traffic.") || !keys.iter().any(|key| key.key == "traffic.pattern")
        };
        let network: Vec<Override> = network.filter(is_free).collect();
        keys.extend(network);
        keys.extend([
            set("router.wormhole.vcs", self.vcs),
            set("router.wormhole.buffer_words", point.buffer_words),
            set("router.wormhole.switching", switching),
            set("traffic.packet_words", point.packet_words),
        ]);
        let lines = TEXT.lines().filter(|line| !line.starts_with("load"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let is_lone = keys
            .iter()
            .any(|key| key.key == "traffic.pattern" && key.value == "many-to-one");
        let mut set = set_for(&self.many.repeats.set, TEXT);
        set.retain(|it| !is_lone || !it.key.starts_with("traffic."));
        let base = Base::of_text(catalogue, "the study's configuration", text, set);
        base.repeatable(self.named(point), &keys)
    }

    /// Every source offers a word per cycle.
    fn overload(&self, catalogue: &Catalogue, point: &Point, seed: u64) -> Result<Resolved, Error> {
        let cycles = self.many.cycles;
        let keys = vec![
            set("traffic.load", "1.0"),
            set("run.warmup_cycles", cycles / 2),
            set("run.measure_cycles", cycles),
            set("run.seed", seed),
        ];
        self.resolve(catalogue, point, keys)
    }

    /// One packet from one node to another.
    fn lone(
        &self,
        catalogue: &Catalogue,
        point: &Point,
        (from, to): (u32, u32),
    ) -> Result<Resolved, Error> {
        let keys = vec![
            set("traffic.process", "once"),
            set("traffic.pattern", "many-to-one"),
            set("traffic.destination", to),
            set("traffic.sources", format!("[{from}]")),
        ];
        self.resolve(catalogue, point, keys)
    }

    fn row(&self, catalogue: &Catalogue, point: &Point, stop: &Stop) -> Option<CutThroughRow> {
        let (mut measured, mut computed, mut pairs) = (0.0, 0.0, 0.0);
        for (hops, (count, pair)) in distances(&point.panel) {
            let resolved = self.lone(catalogue, point, pair).ok()?;
            let run = simulate(&resolved, &mut |_| stop.flow());
            measured += count * run.observation.latency.mean()?;
            computed += count * closed_form_cycles(&resolved, point.packet_words, hops)? as f64;
            pairs += count;
        }
        let mut runs = Vec::new();
        let mut node_buffer_words = 0;
        for seed in self.many.repeats.all() {
            let resolved = self.overload(catalogue, point, seed).ok()?;
            let inputs = resolved.network.shape.ports() as u32 + 1;
            node_buffer_words = inputs * u32::from(self.vcs) * u32::from(point.buffer_words);
            // Packets still under way after the measurement don't matter.
            let end = resolved.run.warmup_cycles + resolved.run.measure_cycles;
            let run = simulate(&resolved, &mut |now| match now.cycle.get() < end {
                true => stop.flow(),
                false => ControlFlow::Break(()),
            });
            if run.outcome.ended == Ended::Interrupted && stop.flow().is_break() {
                return None;
            }
            let results = Results::new(&resolved, &run);
            runs.push(Overloaded {
                seed,
                accepted: results.load.as_ref()?.accepted.mean,
                served: Served::of(&results),
            });
        }
        Some(CutThroughRow {
            point: point.clone(),
            node_buffer_words,
            lone_latency_cycles: measured / pairs,
            closed_form_cycles: computed / pairs,
            throughput: mean_of(runs.iter().map(|run| run.accepted)),
            runs,
        })
    }
}

/// The distances of a network, in hops: how many pairs of nodes are that far apart, and the first of them.
fn distances(panel: &Panel) -> BTreeMap<u32, (f64, (u32, u32))> {
    let mut found = BTreeMap::new();
    let Ok(grid) = named_square(&panel.topology, panel.side) else {
        return found;
    };
    for from in 0..grid.nodes() {
        for to in (0..grid.nodes()).filter(|to| *to != from) {
            let hops = grid.distance(NodeId(from), NodeId(to));
            found.entry(hops).or_insert((0.0, (from, to))).0 += 1.0;
        }
    }
    found
}

/// The latency of a lone packet of L words over h hops, from creation to delivery, in cycles:
///
/// ```text
/// injection + (h + 1) router + h link + (L - 1) + gaps + 1
///
/// router = max(route, wait) + virtual channel + switch + traversal
/// wait   = L - 1 where the whole packet must have arrived (store-and-forward), 0 elsewhere
/// gaps   = floor((L - 1) / B) max(0, round trip - B)
/// ```
///
/// A head passes h + 1 routers, and the tail follows it L - 1 cycles later: the packet is delivered in the cycle
/// after. With buffers of B words, fewer than a credit round trip in cycles, a sender waits after every B words;
/// further links add nothing to that.
fn closed_form_cycles(resolved: &Resolved, packet_words: u16, hops: u32) -> Option<u64> {
    let parameters = &resolved.router.get::<RoutedWormhole>()?.parameters;
    let link = u64::from(resolved.network.link_latency_cycles);
    let tail = u64::from(packet_words) - 1;
    let wait = match parameters.switching {
        Switching::StoreAndForward => tail,
        _ => 0,
    };
    let router = u64::from(parameters.route_cycles).max(wait)
        + u64::from(parameters.vc_allocation_cycles)
        + u64::from(parameters.switch_allocation_cycles)
        + u64::from(parameters.traversal_cycles);
    let trip = parameters.credit_round_trip_cycles(resolved.network.link_latency_cycles);
    let buffer = u64::from(parameters.buffer_words);
    let gaps = tail / buffer * u64::from(trip).saturating_sub(buffer);
    let hops = u64::from(hops);
    let injection = u64::from(parameters.injection_cycles);
    Some(injection + (hops + 1) * router + hops * link + tail + gaps + 1)
}

#[cfg(test)]
mod tests;
