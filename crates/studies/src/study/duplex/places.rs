//! What runs, and where it stands on which axis.

use super::Duplex;
use crate::axes::{self, at};
use crate::contest::{Panel, configuration, configured};
use crate::context::Failed;
use crate::many::{refuse_set, set};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Error, seed_override};

/// A router with its links: its name, its configuration and its kind.
#[derive(Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    text: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Chaos with half-duplex links; all others have full-duplex ones.
    HalfChaos,
    Chaos,
    Wormhole,
    Deflection,
}

const fn contender(name: &'static str, text: &'static str, kind: Kind) -> Contender {
    Contender { name, text, kind }
}

/// In the order of tables.
#[rustfmt::skip]
pub(super) const CONTENDERS: &[Contender] = &[
    contender("chaos, half duplex", configuration!("chaos"), Kind::HalfChaos),
    contender("chaos, full duplex", configuration!("chaos"), Kind::Chaos),
    contender("wormhole (BookSim iq)", configuration!("booksim-iq"), Kind::Wormhole),
    contender("wormhole, adaptive", configuration!("adaptive"), Kind::Wormhole),
    contender("WORM-BLESS", configuration!("worm-bless"), Kind::Deflection),
];

impl Contender {
    /// How many words of its own a wide one takes.
    pub(super) fn own_per_wide(&self) -> f64 {
        f64::from(self.words_per_wide())
    }

    fn words_per_wide(&self) -> u16 {
        match self.is_half() {
            true => 1,
            false => 2,
        }
    }

    pub(super) fn is_half(&self) -> bool {
        self.kind == Kind::HalfChaos
    }

    fn duplex(&self) -> &'static str {
        if self.is_half() { "half" } else { "full" }
    }

    fn is_chaos(&self) -> bool {
        self.is_half() || self.kind == Kind::Chaos
    }
}

/// What runs, with some seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) contender: &'static Contender,
    pub(super) panel: Panel,
    /// Of a packet.
    pub(super) wide_words: u16,
    pub(super) frames: u32,
    pub(super) threshold: u32,
    pub(super) turnaround: u32,
    pub(super) reopen: u32,
    /// In wide words per node and cycle; without it sources offer a word of their own width per cycle.
    pub(super) load: Option<f64>,
}

/// A run on an axis.
pub(super) type Place = axes::Place<Run>;

impl Run {
    /// Words of a packet, of the router's own width.
    pub(super) fn own_words(&self) -> u16 {
        self.wide_words * self.contender.words_per_wide()
    }

    /// In wide words per node and cycle.
    pub(super) fn configured_load(&self) -> f64 {
        self.load.unwrap_or(1.0 / self.contender.own_per_wide())
    }

    fn on(&self, panel: Panel) -> Run {
        Run {
            panel,
            ..self.clone()
        }
    }

    /// A figure that only Chaos has.
    pub(super) fn of_chaos<T>(&self, value: T) -> Option<T> {
        self.contender.is_chaos().then_some(value)
    }

    /// What tells it from all other runs.
    pub(super) fn name(&self) -> String {
        let (router, words) = (self.contender.name, self.own_words());
        let mut name = format!("{router}, {}, packets of {words} words", self.panel.title());
        if self.contender.is_chaos() {
            name += &format!(
                ", {} frames, threshold {}, reopen {}",
                self.frames, self.threshold, self.reopen
            );
        }
        if self.contender.is_half() {
            name += &format!(", turnaround {}", self.turnaround);
        }
        format!("{name}, load {}", self.configured_load())
    }

    /// Its configuration with a seed.
    pub(super) fn resolve(
        &self,
        asked: &Duplex,
        catalogue: &Catalogue,
        seed: u64,
        more: &[Override],
    ) -> Result<Resolved, Error> {
        let mut over = self.own(asked, seed);
        over.extend_from_slice(more);
        let Contender { name, text, .. } = self.contender;
        let point = (self.name(), over);
        configured(catalogue, (name, text), point, &asked.repeats.set)
    }

    /// Its router, and all that the study sets.
    pub(super) fn plan(&self, asked: &Duplex) -> String {
        format!("{self:?} {:?}", self.own(asked, 1))
    }

    /// The keys that the study sets.
    fn own(&self, asked: &Duplex, seed: u64) -> Vec<Override> {
        let (contender, words) = (self.contender, self.own_words().to_string());
        let mut over = self.panel.set();
        match contender.kind {
            Kind::HalfChaos | Kind::Chaos => over.extend([
                set("router.chaos.preset", "chaos-chip"),
                set("router.chaos.packet_words", &words),
                set("router.chaos.multiqueue_frames", self.frames),
                set("router.chaos.stall_threshold_cycles", self.threshold),
                set("router.chaos.output_reopen_cycles", self.reopen),
            ]),
            // A buffer holds a packet, unless it is asked for otherwise.
            Kind::Wormhole => over.extend([
                set("traffic.packet_words", &words),
                set("router.wormhole.vcs", asked.vcs),
                set(
                    "router.wormhole.buffer_words",
                    asked.buffer_words.unwrap_or(self.own_words()),
                ),
            ]),
            Kind::Deflection => over.push(set("traffic.packet_words", &words)),
        }
        over.push(set("network.duplex", contender.duplex()));
        if contender.is_half() {
            over.push(set("network.turnaround_cycles", self.turnaround));
        }
        let load = self.configured_load() * contender.own_per_wide();
        over.extend([
            set("run.warmup_cycles", asked.cycles / 2),
            set("run.measure_cycles", asked.cycles),
            set("traffic.load", load),
            seed_override(seed),
        ]);
        over
    }
}

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of(asked: &Duplex, runs: &[Run]) -> Result<(), Failed> {
    let own: Vec<Override> = runs.iter().flat_map(|run| run.own(asked, 1)).collect();
    let texts: Vec<&str> = runs.iter().map(|run| run.contender.text).collect();
    refuse_set(&asked.repeats.set, &own, &texts)
}

type Axis = axes::Axis<Duplex, Run>;

type At = axes::At<Run>;

const AXES: &[Axis] = &[
    ("pattern", patterns),
    ("network", networks),
    ("packet", packets),
    ("multiqueue", multiqueues),
    ("threshold", thresholds),
    ("turnaround", turnarounds),
    ("load", loads),
];

/// Everything on the axes that are asked for, axis by axis, value by value, contender by contender: at the low load and
/// at overload, on the axis of loads at each.
pub(super) fn places(asked: &Duplex) -> Result<Vec<Place>, Failed> {
    let starts: Vec<Run> = CONTENDERS.iter().map(|it| start(asked, it)).collect();
    let both = |place: Place| {
        let loads = match place.point.load {
            Some(load) => vec![Some(load)],
            None => vec![Some(asked.low_load), None],
        };
        let with = move |load| {
            let mut place = place.clone();
            place.point.load = load;
            place
        };
        loads.into_iter().map(with)
    };
    let all = axes::places(AXES, (asked, &asked.axes), &starts)?;
    Ok(all.into_iter().flat_map(both).collect())
}

/// The chip under the first pattern on the first topology.
fn start(asked: &Duplex, contender: &'static Contender) -> Run {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    Run {
        contender,
        panel: Panel {
            topology: first(&asked.topologies),
            side: asked.side,
            pattern: first(&asked.patterns),
        },
        wide_words: 20,
        frames: 5,
        threshold: 1,
        turnaround: 0,
        reopen: 1,
        load: None,
    }
}

/// On the first topology with all routers, on others with Chaos.
fn patterns(asked: &Duplex, start: &Run) -> Vec<At> {
    let panels = Panel::all(&asked.topologies, &[asked.side], &asked.patterns);
    let is_first = |panel: &Panel| panel.topology == start.panel.topology;
    let panels = panels.into_iter();
    let panels = panels.filter(|it| is_first(it) || start.contender.is_chaos());
    let at = |(x, panel): (u32, Panel)| {
        let value = format!("{}, {}", panel.topology, panel.pattern);
        (value, x.into(), start.on(panel))
    };
    (0..).zip(panels).map(at).collect()
}

fn networks(asked: &Duplex, start: &Run) -> Vec<At> {
    let pattern = std::slice::from_ref(&start.panel.pattern);
    let panels = Panel::all(&asked.topologies, &asked.sides, pattern);
    let at = |panel: Panel| (panel.network(), panel.side.into(), start.on(panel));
    panels.into_iter().map(at).collect()
}

fn packets(asked: &Duplex, start: &Run) -> Vec<At> {
    let with = |wide_words| Run {
        wide_words,
        ..start.clone()
    };
    let all = asked.packet_words.iter();
    all.map(|words| at(*words, with(*words))).collect()
}

/// Values of a parameter that only Chaos has.
fn of_chaos(values: &[u32], start: &Run, with: fn(Run, u32) -> Run) -> Vec<At> {
    let values = values.iter().filter(|_| start.contender.is_chaos());
    values
        .map(|value| at(*value, with(start.clone(), *value)))
        .collect()
}

fn multiqueues(asked: &Duplex, start: &Run) -> Vec<At> {
    of_chaos(&asked.frames, start, |run, frames| Run { frames, ..run })
}

fn thresholds(asked: &Duplex, start: &Run) -> Vec<At> {
    of_chaos(&asked.thresholds, start, |run, threshold| Run {
        threshold,
        ..run
    })
}

/// Half duplex only: as the chip decides on output frames again, and as many cycles later as the wire turns around.
fn turnarounds(asked: &Duplex, start: &Run) -> Vec<At> {
    let mut found = Vec::new();
    for turnaround in asked.turnarounds.iter().copied() {
        let mut reopens = vec![start.reopen, start.reopen + turnaround];
        reopens.dedup();
        for reopen in reopens.into_iter().filter(|_| start.contender.is_half()) {
            let value = format!("{turnaround}, decided on again after {reopen}");
            let run = Run {
                turnaround,
                reopen,
                ..start.clone()
            };
            found.push((value, f64::from(turnaround), run));
        }
    }
    found
}

fn loads(asked: &Duplex, start: &Run) -> Vec<At> {
    let with = |load| Run {
        load: Some(load),
        ..start.clone()
    };
    let all = asked.loads.iter();
    all.map(|load| at(*load, with(*load))).collect()
}
