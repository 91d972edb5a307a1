//! What runs, and where it stands on which axis.

use super::Crossing;
use crate::axes::{self, along};
use crate::contest::{Contender, Panel, configured, named};
use crate::context::Failed;
use crate::many::{refuse_set, set};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Error, seed_override};
use std::fmt;

const PERIOD_PS: u32 = 1000;
/// For which an arrival keeps the next edge of a pausible clock away.
const TRANSFER_PS: u32 = PERIOD_PS / 10;
/// Words of a dual-clock FIFO: more than any round trip here.
const DEPTH: u32 = 32;

/// What links are between.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    /// Nodes of one clock, so many cycles long.
    OneClock(u32),
    /// Clocks of random phases.
    Crossing(Kind, u32),
}

/// A kind of crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Synchronizer,
    DualClockFifo,
    Mesochronous,
    Pausible,
}

impl Kind {
    const ALL: [Kind; 4] = [
        Kind::Synchronizer,
        Kind::DualClockFifo,
        Kind::Mesochronous,
        Kind::Pausible,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Synchronizer => "synchronizer",
            Kind::DualClockFifo => "dual-clock-fifo",
            Kind::Mesochronous => "mesochronous",
            Kind::Pausible => "pausible",
        }
    }

    fn has_edges(self) -> bool {
        matches!(self, Kind::Synchronizer | Kind::DualClockFifo)
    }

    /// Its table.
    fn table(self, edges: u32) -> String {
        let more = match self {
            Kind::Synchronizer => format!(", edges = {edges}"),
            Kind::DualClockFifo => format!(", edges = {edges}, depth = {DEPTH}"),
            Kind::Mesochronous => String::new(),
            Kind::Pausible => format!(", transfer_ps = {TRANSFER_PS}"),
        };
        format!("[{{kind = \"{}\"{more}}}]", self.name())
    }
}

/// What runs, with some seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    contender: &'static Contender,
    pub(super) panel: Panel,
    pub(super) words: u16,
    buffer: u16,
    link: Link,
    /// Whether sources offer a word per cycle, or the low load.
    pub(super) is_overload: bool,
}

/// A run on an axis.
pub(super) type Place = axes::Place<Run>;

type At = axes::At<Run>;

const AXES: &[axes::Axis<Crossing, Run>] = &[
    ("packet", packets),
    ("edges", edges),
    ("kind", kinds),
    ("buffer", buffers),
    ("network", networks),
];

impl Run {
    pub(super) fn router(&self) -> &'static str {
        self.contender.0
    }

    fn has_channels(&self) -> bool {
        matches!(self.router(), "adaptive" | "dimension-order")
    }

    /// Words of a virtual channel, if there are any.
    pub(super) fn buffer(&self) -> Option<u16> {
        self.has_channels().then_some(self.buffer)
    }

    /// The kind of its crossings.
    pub(super) fn kind(&self) -> &'static str {
        match self.link {
            Link::OneClock(_) => "none",
            Link::Crossing(kind, _) => kind.name(),
        }
    }

    /// Their edges, if they have any.
    pub(super) fn edges(&self) -> Option<u32> {
        match self.link {
            Link::Crossing(kind, edges) if kind.has_edges() => Some(edges),
            _ => None,
        }
    }

    /// At overload, and at the low load.
    pub(super) fn at_both_loads(&self) -> [Run; 2] {
        [true, false].map(|is_overload| Run {
            is_overload,
            ..self.clone()
        })
    }

    /// The same under one clock, with links of so many cycles.
    pub(super) fn under_one_clock(&self, cycles: u32) -> Run {
        Run {
            link: Link::OneClock(cycles),
            ..self.clone()
        }
    }

    /// The cycles that a word and its credit take over a link together: between clocks whose edges are apart by d of a period, a word
    /// takes 1 + d and a credit 2 - d, and each as many more as a synchronizer has edges.
    fn round_trip(&self) -> u32 {
        match self.link {
            Link::OneClock(cycles) => 2 * cycles,
            Link::Crossing(..) => 3 + 2 * self.edges().unwrap_or(0),
        }
    }

    /// Under one clock at overload: with the round trip shorter by a cycle, and longer by one.
    pub(super) fn longer(&self) -> [Run; 2] {
        let trip = self.round_trip();
        [trip / 2, trip.div_ceil(2)].map(|cycles| Run {
            is_overload: true,
            ..self.under_one_clock(cycles)
        })
    }

    /// All that a row is made from.
    pub(super) fn with_twins(&self) -> Vec<Run> {
        let one = self.under_one_clock(1);
        [self.at_both_loads(), one.at_both_loads(), self.longer()].concat()
    }

    /// What a loaded link of Chaos loses: it starts a packet every L + 4 cycles under one clock, where the round trip takes two, and that
    /// much later as the round trip takes longer (docs/src/routers/chaos.md#timing).
    pub(super) fn predicted(&self) -> Option<f64> {
        let every = f64::from(self.words) + 4.0;
        let more = f64::from(self.round_trip()) - 2.0;
        (self.router() == "chaos").then_some(more / (every + more))
    }

    pub(super) fn resolve(
        &self,
        asked: &Crossing,
        catalogue: &Catalogue,
        seed: u64,
        more: &[Override],
    ) -> Result<Resolved, Error> {
        let mut over = self.own(asked, seed);
        over.extend_from_slice(more);
        let point = (self.to_string(), over);
        configured(catalogue, *self.contender, point, &asked.repeats.set)
    }

    /// Its router, and all that the study sets.
    pub(super) fn plan(&self, asked: &Crossing) -> String {
        format!("{self:?} {:?}", self.own(asked, 1))
    }

    /// The keys that the study sets.
    fn own(&self, asked: &Crossing, seed: u64) -> Vec<Override> {
        let load = if self.is_overload {
            1.0
        } else {
            asked.low_load
        };
        let mut all = self.panel.set();
        all.extend([
            set("run.warmup_cycles", asked.cycles / 2),
            set("run.measure_cycles", asked.cycles),
            set("traffic.load", load),
            seed_override(seed),
        ]);
        match self.router() {
            "chaos" => all.push(set("router.chaos.packet_words", self.words)),
            _ => all.push(set("traffic.packet_words", self.words)),
        }
        if let Some(buffer) = self.buffer() {
            all.push(set("router.wormhole.buffer_words", buffer));
        }
        match self.link {
            Link::OneClock(cycles) => all.push(set("network.link_latency_cycles", cycles)),
            Link::Crossing(kind, edges) => {
                all.extend([
                    set("run.engine", "clocked"),
                    set("clocks.period_ps", PERIOD_PS),
                    set("clocks.phase", "random"),
                    set("network.crossings", kind.table(edges)),
                ]);
                if asked.spread > 0.0 {
                    all.push(set("clocks.spread", "uniform"));
                    all.push(set("clocks.spread_percent", asked.spread));
                }
            }
        }
        all
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (router, title, words) = (self.router(), self.panel.title(), self.words);
        write!(f, "{router}, {title}, packets of {words} words")?;
        if let Some(buffer) = self.buffer() {
            write!(f, ", buffers of {buffer}")?;
        }
        match self.link {
            Link::OneClock(cycles) => write!(f, ", one clock, links of {cycles}")?,
            Link::Crossing(kind, _) => write!(f, ", {}", kind.name())?,
        }
        if let Some(edges) = self.edges() {
            write!(f, " of {edges} edges")?;
        }
        f.write_str(if self.is_overload {
            ", overload"
        } else {
            ", low load"
        })
    }
}

fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|it| it.name() == name)
}

/// Everything on the axes that are asked for.
pub(super) fn places(asked: &Crossing) -> Result<Vec<Place>, Failed> {
    if let Some(name) = asked.kinds.iter().find(|name| kind(name).is_none()) {
        let names = Kind::ALL.map(Kind::name).join(", ");
        let why = format!("found {name:?}; allowed: {names}");
        return Err(Failed::option("--kinds", why));
    }
    let is_mesochronous = |name: &String| name == Kind::Mesochronous.name();
    let asks_kinds = asked.axes.iter().any(|axis| axis == "kind");
    if asks_kinds && asked.spread > 0.0 && asked.kinds.iter().any(is_mesochronous) {
        let why = "mesochronous clocks have one period; allowed with --spread: other kinds";
        return Err(Failed::option("--kinds", why));
    }
    axes::places(AXES, (asked, &asked.axes), &starts(asked)?)
}

/// The points from which all axes start, one for each router.
pub(super) fn starts(asked: &Crossing) -> Result<Vec<Run>, Failed> {
    let routers = named(&asked.routers)?.into_iter();
    Ok(routers.map(|it| start(asked, it)).collect())
}

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of<'a>(
    asked: &Crossing,
    runs: impl Iterator<Item = &'a Run>,
) -> Result<(), Failed> {
    let (mut own, mut texts) = (Vec::new(), Vec::new());
    for run in runs {
        own.extend(run.own(asked, 1));
        own.extend(run.under_one_clock(1).own(asked, 1));
        own.extend([set("clocks.spread", ""), set("clocks.spread_percent", "")]);
        texts.push(run.contender.1);
    }
    refuse_set(&asked.repeats.set, &own, &texts)
}

/// The point from which all axes start.
fn start(asked: &Crossing, contender: &'static Contender) -> Run {
    let words = asked.packet_words.first().copied().unwrap_or(10);
    Run {
        contender,
        panel: Panel {
            topology: asked.topologies.first().cloned().unwrap_or_default(),
            side: asked.sides.first().copied().unwrap_or(8),
            pattern: asked.pattern.clone(),
        },
        words,
        buffer: words,
        link: Link::Crossing(
            Kind::Synchronizer,
            asked.edges.first().copied().unwrap_or(2),
        ),
        is_overload: true,
    }
}

fn ascending<T: Ord + Clone>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn packets(asked: &Crossing, start: &Run) -> Vec<At> {
    along(&ascending(&asked.packet_words), |words| Run {
        words,
        buffer: words,
        ..start.clone()
    })
}

fn edges(asked: &Crossing, start: &Run) -> Vec<At> {
    along(&ascending(&asked.edges), |edges| Run {
        link: Link::Crossing(Kind::Synchronizer, edges),
        ..start.clone()
    })
}

fn kinds(asked: &Crossing, start: &Run) -> Vec<At> {
    let edges = start.edges().unwrap_or(0);
    let at = |(x, name): (u32, &String)| {
        let link = Link::Crossing(kind(name)?, edges);
        Some((
            name.clone(),
            x.into(),
            Run {
                link,
                ..start.clone()
            },
        ))
    };
    (0..).zip(&asked.kinds).filter_map(at).collect()
}

/// Of routers that have virtual channels.
fn buffers(asked: &Crossing, start: &Run) -> Vec<At> {
    let mut values = ascending(&asked.buffer_words);
    values.retain(|_| start.has_channels());
    along(&values, |buffer| Run {
        buffer,
        ..start.clone()
    })
}

fn networks(asked: &Crossing, start: &Run) -> Vec<At> {
    let pattern = std::slice::from_ref(&start.panel.pattern);
    let sides = ascending(&asked.sides);
    let at = |panel: Panel| {
        (
            panel.network(),
            panel.side.into(),
            Run {
                panel,
                ..start.clone()
            },
        )
    };
    Panel::all(&asked.topologies, &sides, pattern)
        .into_iter()
        .map(at)
        .collect()
}
