//! What runs, and where it stands on which axis.

use super::DeadlockFrequency;
use crate::axes::{self, along};
use crate::context::Failed;
use crate::many::{refuse_set, set, set_for};
use crate::timing::{Timed, Timing};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Base, Error, seed_override};
use std::fmt;

/// A router that may deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Minimal Chaos.
    Chaos,
    /// Wormholes on any shortest path, without escape channels.
    Wormhole,
}

impl Kind {
    pub(super) const ALL: [Kind; 2] = [Kind::Chaos, Kind::Wormhole];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Chaos => "minimal-chaos",
            Kind::Wormhole => "wormhole",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Kind::Chaos => "Chaos without derouting: any shortest path, a multiqueue",
            Kind::Wormhole => {
                "wormholes on any shortest path in any channel, without escape channels"
            }
        }
    }

    /// Its configuration before anything is set.
    fn text(self) -> &'static str {
        match self {
            Kind::Chaos => "[router.chaos]\n",
            Kind::Wormhole => "[router.wormhole]\nbuffer_words = 8\n",
        }
    }
}

/// Where packets may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adaptivity {
    /// On any shortest path.
    Free,
    /// The same with derouting: Chaos.
    Derouted,
    /// On any shortest path, with escape channels.
    Escape,
    /// West first, then on any shortest path.
    WestFirst,
    /// Dimension by dimension.
    DimensionOrder,
}

impl Adaptivity {
    pub(super) fn name(self) -> &'static str {
        match self {
            Adaptivity::Free => "shortest paths",
            Adaptivity::Derouted => "with derouting",
            Adaptivity::Escape => "escape channels",
            Adaptivity::WestFirst => "west first",
            Adaptivity::DimensionOrder => "dimension order",
        }
    }

    /// The key that says so.
    fn key(self, kind: Kind) -> Override {
        let routing = match (kind, self) {
            (Kind::Chaos, derouted) => {
                return set("router.chaos.derouting", derouted == Adaptivity::Derouted);
            }
            (_, Adaptivity::Escape) => "minimal-adaptive",
            (_, Adaptivity::WestFirst) => "west-first",
            (_, Adaptivity::DimensionOrder) => "dimension-order",
            _ => "fully-adaptive",
        };
        set("router.wormhole.routing", routing)
    }
}

/// What runs, with some seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) kind: Kind,
    pub(super) adaptivity: Adaptivity,
    /// Frames of the multiqueue, or virtual channels of a link.
    room: u32,
    /// That a packet of Chaos waits before it may enter the multiqueue, in cycles.
    threshold: u32,
    pub(super) words: u32,
    pub(super) topology: &'static str,
    pub(super) side: u32,
    pub(super) pattern: String,
    pub(super) load: f64,
    pub(super) timed: Timed,
}

/// A run on an axis.
pub(super) type Place = axes::Place<Run>;

type At = axes::At<Run>;

const AXES: &[axes::Axis<DeadlockFrequency, Run>] = &[
    ("frames", frames),
    ("channels", channels),
    ("threshold", thresholds),
    ("adaptivity", adaptivities),
    ("timing", timings),
    ("load", loads),
    ("network", networks),
    ("pattern", patterns),
    ("packet", packets),
];

impl Run {
    pub(super) fn router(&self) -> &'static str {
        self.kind.name()
    }

    pub(super) fn frames(&self) -> Option<u32> {
        (self.kind == Kind::Chaos).then_some(self.room)
    }

    pub(super) fn channels(&self) -> Option<u32> {
        (self.kind == Kind::Wormhole).then_some(self.room)
    }

    pub(super) fn threshold(&self) -> Option<u32> {
        (self.kind == Kind::Chaos).then_some(self.threshold)
    }

    pub(super) fn network(&self) -> String {
        format!("{} of {1} x {1}", self.topology, self.side)
    }

    pub(super) fn resolve(
        &self,
        asked: &DeadlockFrequency,
        catalogue: &Catalogue,
        seed: u64,
    ) -> Result<Resolved, Error> {
        let text = self.kind.text();
        let given = set_for(&asked.repeats.set, text);
        let name = format!("the configuration of {}", self.router());
        let base = Base::of_text(catalogue, name, text, given);
        base.repeatable(self.to_string(), &self.own(asked, seed))
    }

    /// Its router, and all that the study sets.
    pub(super) fn plan(&self, asked: &DeadlockFrequency) -> String {
        format!("{self:?} {:?}", self.own(asked, 1))
    }

    /// The keys that the study sets.
    fn own(&self, asked: &DeadlockFrequency, seed: u64) -> Vec<Override> {
        let side = self.side;
        let mut all = vec![
            set("network.topology", self.topology),
            set("network.sides", format!("[{side}, {side}]")),
            set("traffic.pattern", &self.pattern),
            set("traffic.load", self.load),
            set("run.warmup_cycles", 0),
            set("run.measure_cycles", asked.deadline),
            set("run.drain_cycles", 0),
            seed_override(seed),
            self.adaptivity.key(self.kind),
        ];
        match self.kind {
            Kind::Chaos => all.extend([
                set("router.chaos.packet_words", self.words),
                set("router.chaos.multiqueue_frames", self.room),
                set("router.chaos.stall_threshold_cycles", self.threshold),
            ]),
            Kind::Wormhole => all.extend([
                set("traffic.packet_words", self.words),
                set("router.wormhole.vcs", self.room),
                set(
                    "router.wormhole.allow_deadlock",
                    self.adaptivity == Adaptivity::Free,
                ),
            ]),
        }
        all.extend(self.timed.keys());
        all
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run {
            adaptivity,
            room,
            threshold,
            words,
            pattern,
            load,
            timed,
            ..
        } = self;
        let room_of = match self.kind {
            Kind::Chaos => format!("frames, threshold {threshold}"),
            Kind::Wormhole => "channels".into(),
        };
        write!(
            f,
            "{}, {}, {room} {room_of}, {words} words, {}, {pattern}, load {load}, {timed}",
            self.router(),
            adaptivity.name(),
            self.network()
        )
    }
}

/// Everything on the axes that are asked for.
pub(super) fn places(asked: &DeadlockFrequency) -> Result<Vec<Place>, Failed> {
    axes::places(AXES, (asked, &asked.axes), &starts(asked))
}

/// The points from which all axes start, one for each router.
pub(super) fn starts(asked: &DeadlockFrequency) -> Vec<Run> {
    let start = |kind: &Kind| Run {
        kind: *kind,
        adaptivity: Adaptivity::Free,
        room: match kind {
            Kind::Chaos => first(&asked.frames),
            Kind::Wormhole => first(&asked.channels),
        },
        threshold: first(&asked.thresholds),
        words: first(&asked.words),
        topology: first(&asked.topology),
        side: first(&asked.sides),
        pattern: first(&asked.patterns),
        load: first(&asked.loads),
        timed: Timed::ONE_CLOCK,
    };
    asked.routers.iter().map(start).collect()
}

/// The first value of an option that has one at least.
fn first<T: Clone>(values: &[T]) -> T {
    values.first().cloned().expect("clap has a default")
}

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of<'a>(
    asked: &DeadlockFrequency,
    runs: impl Iterator<Item = &'a Run>,
) -> Result<(), Failed> {
    let (mut own, mut texts) = (Vec::new(), Vec::new());
    for run in runs {
        own.extend(run.own(asked, 1));
        texts.push(run.kind.text());
    }
    refuse_set(&asked.repeats.set, &own, &texts)
}

fn ascending<T: Clone + PartialOrd>(values: &[T]) -> Vec<T> {
    let mut all = values.to_vec();
    all.sort_by(|one, other| one.partial_cmp(other).expect("options have no NaN"));
    all
}

fn with_room(values: &[u32], start: &Run) -> Vec<At> {
    along(&ascending(values), |room| Run {
        room,
        ..start.clone()
    })
}

fn frames(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    match start.kind {
        Kind::Chaos => with_room(&asked.frames, start),
        Kind::Wormhole => Vec::new(),
    }
}

fn channels(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    match start.kind {
        Kind::Chaos => Vec::new(),
        Kind::Wormhole => with_room(&asked.channels, start),
    }
}

fn thresholds(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    let all: &[u32] = match start.kind {
        Kind::Chaos => &asked.thresholds,
        Kind::Wormhole => &[],
    };
    along(&ascending(all), |threshold| Run {
        threshold,
        ..start.clone()
    })
}

/// Values without numbers.
fn named<T>(values: impl IntoIterator<Item = T>, of: impl Fn(T) -> (String, Run)) -> Vec<At> {
    let at = |(x, value): (u32, T)| {
        let (name, run) = of(value);
        (name, x.into(), run)
    };
    (0..).zip(values).map(at).collect()
}

fn adaptivities(_: &DeadlockFrequency, start: &Run) -> Vec<At> {
    use Adaptivity::{Derouted, DimensionOrder, Escape, Free, WestFirst};
    let all: &[Adaptivity] = match (start.kind, start.topology) {
        (Kind::Chaos, _) => &[Free, Derouted],
        // A turn model is free of deadlock on a mesh.
        (Kind::Wormhole, "mesh") => &[Free, Escape, WestFirst, DimensionOrder],
        (Kind::Wormhole, _) => &[Free, Escape, DimensionOrder],
    };
    named(all, |adaptivity| {
        let run = Run {
            adaptivity: *adaptivity,
            ..start.clone()
        };
        (adaptivity.name().into(), run)
    })
}

fn timings(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    let mut all = asked.timings.all();
    // What others are compared with has a row.
    if !all.contains(&start.timed) {
        all.insert(0, start.timed);
    }
    // Only Chaos has a pointer.
    all.retain(|timed| timed.timing != Timing::RandomPointers || start.kind == Kind::Chaos);
    named(all, |timed| {
        let run = Run {
            timed,
            ..start.clone()
        };
        (timed.to_string(), run)
    })
}

fn loads(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    along(&ascending(&asked.loads), |load| Run {
        load,
        ..start.clone()
    })
}

fn networks(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    let sides = ascending(&asked.sides);
    let all = asked.topology.iter();
    let all = all.flat_map(|topology| sides.iter().map(move |side| (*topology, *side)));
    let at = |(topology, side): (&'static str, u32)| {
        let run = Run {
            topology,
            side,
            ..start.clone()
        };
        (run.network(), side.into(), run)
    };
    all.map(at).collect()
}

fn patterns(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    named(&asked.patterns, |pattern| {
        let run = Run {
            pattern: pattern.clone(),
            ..start.clone()
        };
        (pattern.clone(), run)
    })
}

fn packets(asked: &DeadlockFrequency, start: &Run) -> Vec<At> {
    along(&ascending(&asked.words), |words| Run {
        words,
        ..start.clone()
    })
}
