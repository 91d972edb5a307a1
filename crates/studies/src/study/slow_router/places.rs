//! What runs, and where it stands on which axis.

use super::{SlowRouter, away};
use crate::axes::{self, along};
use crate::contest::{Contender, Panel, configured, named};
use crate::context::Failed;
use crate::many::{refuse_set, set};
use crate::square::square;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Error, seed_override};
use std::fmt;

/// The period of all other routers.
const PERIOD_PS: f64 = 1000.0;

/// Whose clocks the other routers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    /// One for all.
    Shared,
    /// Each its own, with one period and a random phase.
    Own,
}

impl Clocks {
    pub(super) fn name(self) -> &'static str {
        match self {
            Clocks::Shared => "shared",
            Clocks::Own => "own",
        }
    }
}

/// What runs, with some seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    contender: &'static Contender,
    pub(super) panel: Panel,
    pub(super) slow: Vec<u32>,
    pub(super) factor: f64,
    pub(super) clocks: Clocks,
    pub(super) edges: u32,
    threshold: u32,
}

/// A run on an axis.
pub(super) type Place = axes::Place<Run>;

type At = axes::At<Run>;

const AXES: &[axes::Axis<SlowRouter, Run>] = &[
    ("pattern", patterns),
    ("position", positions),
    ("factor", factors),
    ("clocks", clocks),
    ("threshold", thresholds),
    ("network", networks),
];

impl Run {
    pub(super) fn router(&self) -> &'static str {
        self.contender.0
    }

    fn is_chaos(&self) -> bool {
        self.router() == "chaos"
    }

    /// A figure that only Chaos has.
    pub(super) fn threshold(&self) -> Option<u32> {
        self.is_chaos().then_some(self.threshold)
    }

    /// The same without a slow router.
    pub(super) fn without(&self) -> Run {
        Run {
            slow: Vec::new(),
            factor: 1.0,
            ..self.clone()
        }
    }

    /// The slow routers' nodes, as in "27, 28".
    pub(super) fn nodes(&self) -> String {
        let nodes: Vec<String> = self.slow.iter().map(u32::to_string).collect();
        nodes.join(", ")
    }

    /// The hops from each node to the nearest slow one.
    pub(super) fn away(&self) -> Vec<u32> {
        let grid = square(self.panel.topology == "torus", self.panel.side);
        grid.map_or(Vec::new(), |grid| away(&grid, &self.slow))
    }

    pub(super) fn resolve(
        &self,
        asked: &SlowRouter,
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
    pub(super) fn plan(&self, asked: &SlowRouter) -> String {
        format!("{self:?} {:?}", self.own(asked, 1))
    }

    /// The keys that the study sets.
    fn own(&self, asked: &SlowRouter, seed: u64) -> Vec<Override> {
        let mut all = self.panel.set();
        all.extend([
            set("run.engine", "clocked"),
            set("run.warmup_cycles", asked.cycles / 2),
            set("run.measure_cycles", asked.cycles),
            set("traffic.load", asked.load),
            set("clocks.period_ps", PERIOD_PS),
            seed_override(seed),
        ]);
        all.push(match self.is_chaos() {
            true => set("router.chaos.packet_words", asked.packet_words),
            false => set("traffic.packet_words", asked.packet_words),
        });
        match self.clocks {
            Clocks::Shared => all.push(set("clocks.domains", "one")),
            Clocks::Own => all.push(set("clocks.phase", "random")),
        }
        // Without a slower router a shared clock has no crossings.
        if self.clocks == Clocks::Own || self.factor != 1.0 {
            all.push(set("network.synchronizer_edges", self.edges));
        }
        if let Some(threshold) = self.threshold() {
            all.push(set("router.chaos.stall_threshold_cycles", threshold));
        }
        if !self.slow.is_empty() {
            let period = (PERIOD_PS * self.factor).round();
            let island = |node: &u32| format!("{{nodes = [{node}], period_ps = {period}}}");
            let islands: Vec<String> = self.slow.iter().map(island).collect();
            all.push(set("clocks.islands", format!("[{}]", islands.join(", "))));
        }
        all
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (router, title, clocks) = (self.router(), self.panel.title(), self.clocks.name());
        write!(
            f,
            "{router}, {title}, {clocks} clocks, {} edges",
            self.edges
        )?;
        if let Some(threshold) = self.threshold() {
            write!(f, ", threshold {threshold}")?;
        }
        match self.slow.is_empty() {
            true => Ok(()),
            false => write!(f, ", {} slower by {}", self.nodes(), self.factor),
        }
    }
}

/// Everything on the axes that are asked for.
pub(super) fn places(asked: &SlowRouter) -> Result<Vec<Place>, Failed> {
    for side in &asked.sides {
        let bad = asked
            .positions
            .iter()
            .find(|name| slow_nodes(name, *side).is_none());
        if let Some(bad) = bad {
            let why = format!(
                "found {bad:?}; allowed in {side} x {side} nodes: centre, edge, corner, pair, apart, and numbers from 0 to {}",
                side * side - 1
            );
            return Err(Failed::option("--positions", why));
        }
    }
    axes::places(AXES, (asked, &asked.axes), &starts(asked)?)
}

/// The points from which all axes start, one for each router.
pub(super) fn starts(asked: &SlowRouter) -> Result<Vec<Run>, Failed> {
    let routers = named(&asked.routers)?.into_iter();
    Ok(routers.map(|it| start(asked, it)).collect())
}

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of<'a>(
    asked: &SlowRouter,
    runs: impl Iterator<Item = &'a Run>,
) -> Result<(), Failed> {
    let (mut own, mut texts) = (
        vec![set("router.chaos.stall_threshold_cycles", 0)],
        Vec::new(),
    );
    for run in runs {
        own.extend(run.own(asked, 1));
        own.extend([set("clocks.domains", ""), set("clocks.phase", "")]);
        texts.push(run.contender.1);
    }
    refuse_set(&asked.repeats.set, &own, &texts)
}

/// The nodes of a position in a square network.
pub(super) fn slow_nodes(name: &str, side: u32) -> Option<Vec<u32>> {
    let node = |x: u32, y: u32| y * side + x;
    let middle = (side - 1) / 2;
    let (near, far) = (side / 4, 3 * side / 4);
    Some(match name {
        "centre" => vec![node(middle, middle)],
        "edge" => vec![node(middle, 0)],
        "corner" => vec![0],
        "pair" => vec![node(middle, middle), node(middle + 1, middle)],
        "apart" => vec![node(near, near), node(far, far)],
        number => vec![number.parse().ok().filter(|node| *node < side * side)?],
    })
}

/// The point from which all axes start.
fn start(asked: &SlowRouter, contender: &'static Contender) -> Run {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    let side = asked.sides.first().copied().unwrap_or(8);
    Run {
        contender,
        panel: Panel {
            topology: first(&asked.topologies),
            side,
            pattern: first(&asked.patterns),
        },
        slow: slow_nodes(&first(&asked.positions), side).unwrap_or_default(),
        factor: asked.factors.first().copied().unwrap_or(4.0),
        clocks: Clocks::Shared,
        edges: asked.edges.first().copied().unwrap_or(2),
        threshold: asked.thresholds.first().copied().unwrap_or(7),
    }
}

fn patterns(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let at = |(x, pattern): (u32, &String)| {
        let mut run = start.clone();
        run.panel.pattern.clone_from(pattern);
        (pattern.clone(), x.into(), run)
    };
    (0..).zip(&asked.patterns).map(at).collect()
}

fn positions(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let at = |(x, name): (u32, &String)| {
        let slow = slow_nodes(name, start.panel.side).unwrap_or_default();
        (
            name.clone(),
            x.into(),
            Run {
                slow,
                ..start.clone()
            },
        )
    };
    (0..).zip(&asked.positions).map(at).collect()
}

fn factors(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let mut factors = asked.factors.clone();
    factors.sort_by(f64::total_cmp);
    along(&factors, |factor| Run {
        factor,
        ..start.clone()
    })
}

fn clocks(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let all = [Clocks::Shared, Clocks::Own].into_iter();
    let all = all.flat_map(|clocks| asked.edges.iter().map(move |edges| (clocks, *edges)));
    let at = |(x, (clocks, edges)): (u32, (Clocks, u32))| {
        let value = format!("{}, {edges} edges", clocks.name());
        (
            value,
            x.into(),
            Run {
                clocks,
                edges,
                ..start.clone()
            },
        )
    };
    (0..).zip(all).map(at).collect()
}

fn thresholds(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let mut all = asked.thresholds.clone();
    all.retain(|_| start.is_chaos());
    all.sort_unstable();
    along(&all, |threshold| Run {
        threshold,
        ..start.clone()
    })
}

/// Networks of each topology and side, with the first position in each.
fn networks(asked: &SlowRouter, start: &Run) -> Vec<At> {
    let pattern = std::slice::from_ref(&start.panel.pattern);
    let mut sides = asked.sides.clone();
    sides.sort_unstable();
    let at = |panel: Panel| {
        let position = asked.positions.first().map_or("centre", |name| name);
        let slow = slow_nodes(position, panel.side).unwrap_or_default();
        (
            panel.network(),
            panel.side.into(),
            Run {
                panel,
                slow,
                ..start.clone()
            },
        )
    };
    Panel::all(&asked.topologies, &sides, pattern)
        .into_iter()
        .map(at)
        .collect()
}
