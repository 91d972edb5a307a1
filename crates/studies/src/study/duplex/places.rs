//! What runs, and where it stands on which axis.

use super::Duplex;
use crate::contest::Panel;
use crate::context::Failed;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Base, Error, seed_override};

/// A router with its links.
#[derive(Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    text: &'static str,
    kind: Kind,
    pub(super) is_half: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Chaos,
    Wormhole,
    Deflection,
}

/// In the order of tables.
pub(super) const CONTENDERS: &[Contender] = &[
    Contender {
        name: "chaos, half duplex",
        text: include_str!("../../../configs/contest/chaos.toml"),
        kind: Kind::Chaos,
        is_half: true,
    },
    Contender {
        name: "chaos, full duplex",
        text: include_str!("../../../configs/contest/chaos.toml"),
        kind: Kind::Chaos,
        is_half: false,
    },
    Contender {
        name: "wormhole (BookSim iq)",
        text: include_str!("../../../configs/contest/booksim-iq.toml"),
        kind: Kind::Wormhole,
        is_half: false,
    },
    Contender {
        name: "wormhole, adaptive",
        text: include_str!("../../../configs/contest/adaptive.toml"),
        kind: Kind::Wormhole,
        is_half: false,
    },
    Contender {
        name: "WORM-BLESS",
        text: include_str!("../../../configs/contest/worm-bless.toml"),
        kind: Kind::Deflection,
        is_half: false,
    },
];

impl Contender {
    /// How many words of its own a wide one takes.
    pub(super) fn own_per_wide(&self) -> f64 {
        f64::from(self.words_per_wide())
    }

    fn words_per_wide(&self) -> u16 {
        match self.is_half {
            true => 1,
            false => 2,
        }
    }

    fn is_chaos(&self) -> bool {
        self.kind == Kind::Chaos
    }
}

/// What runs, with some seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) contender: &'static Contender,
    pub(super) topology: String,
    pub(super) side: u32,
    pub(super) pattern: String,
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
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) axis: &'static str,
    pub(super) value: String,
    /// Where figures have it.
    pub(super) x: f64,
    pub(super) run: Run,
}

impl Run {
    /// Words of a packet, of the router's own width.
    pub(super) fn own_words(&self) -> u16 {
        self.wide_words * self.contender.words_per_wide()
    }

    /// In wide words per node and cycle.
    pub(super) fn configured_load(&self) -> f64 {
        self.load.unwrap_or(1.0 / self.contender.own_per_wide())
    }

    /// A figure that only Chaos has.
    pub(super) fn of_chaos<T>(&self, value: T) -> Option<T> {
        self.contender.is_chaos().then_some(value)
    }

    pub(super) fn network(&self) -> String {
        format!("{} of {1} x {1}", self.topology, self.side)
    }

    /// What tells it from all other runs.
    pub(super) fn name(&self) -> String {
        let mut name = format!(
            "{}, {}, {}, packets of {} words",
            self.contender.name,
            self.network(),
            self.pattern,
            self.own_words(),
        );
        if self.contender.is_chaos() {
            name += &format!(
                ", {} frames, threshold {}, reopen {}",
                self.frames, self.threshold, self.reopen
            );
        }
        if self.contender.is_half {
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
        let (contender, words) = (self.contender, self.own_words().to_string());
        let set = |key: &str, value: &dyn ToString| Override::new(key, &value.to_string());
        let panels = Panel::all(
            std::slice::from_ref(&self.topology),
            &[self.side],
            std::slice::from_ref(&self.pattern),
        );
        let mut over: Vec<Override> = panels.iter().flat_map(Panel::set).collect();
        match contender.kind {
            Kind::Chaos => over.extend([
                set("router.chaos.preset", &"chaos-chip"),
                set("router.chaos.packet_words", &words),
                set("router.chaos.multiqueue_frames", &self.frames),
                set("router.chaos.stall_threshold_cycles", &self.threshold),
                set("router.chaos.output_reopen_cycles", &self.reopen),
            ]),
            // A buffer holds a packet, as in the other contests.
            Kind::Wormhole => over.extend([
                set("traffic.packet_words", &words),
                set("router.wormhole.buffer_words", &words),
            ]),
            Kind::Deflection => over.push(set("traffic.packet_words", &words)),
        }
        match contender.is_half {
            true => over.extend([
                set("network.duplex", &"half"),
                set("network.turnaround_cycles", &self.turnaround),
            ]),
            false => over.push(set("network.duplex", &"full")),
        }
        let load = self.configured_load() * contender.own_per_wide();
        over.extend([
            set("run.warmup_cycles", &(asked.cycles / 2)),
            set("run.measure_cycles", &asked.cycles),
            set("traffic.load", &load),
            seed_override(seed),
        ]);
        over.extend_from_slice(more);
        let name = format!("the configuration of {}", contender.name);
        let base = Base::of_text(catalogue, name, contender.text, Vec::new());
        base.repeatable(&over).map_err(|reason| Error::Point {
            point: self.name(),
            reason,
        })
    }
}

/// An axis: its name, and how the point from which all start changes along it.
type Axis = (&'static str, fn(&Duplex, &Run) -> Vec<(String, f64, Run)>);

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
    let mut places = Vec::new();
    for name in &asked.axes {
        let Some((axis, along)) = AXES.iter().find(|(axis, _)| axis == name) else {
            let names: Vec<&str> = AXES.iter().map(|(axis, _)| *axis).collect();
            let why = format!("found {name:?}; allowed: {}", names.join(", "));
            return Err(Failed::option("--axes", why));
        };
        let mut found: Vec<Place> = Vec::new();
        for contender in CONTENDERS {
            let start = start(asked, contender);
            found.extend(
                along(asked, &start)
                    .into_iter()
                    .flat_map(|(value, x, run)| {
                        let at = |load| Place {
                            axis,
                            value: value.clone(),
                            x,
                            run: Run {
                                load,
                                ..run.clone()
                            },
                        };
                        match run.load {
                            Some(load) => vec![at(Some(load))],
                            None => vec![at(Some(asked.low_load)), at(None)],
                        }
                    }),
            );
        }
        let values = crate::seeds::distinct(found.iter().map(|place| place.value.clone()));
        let order = |place: &Place| values.iter().position(|value| *value == place.value);
        found.sort_by_key(order);
        places.extend(found);
    }
    Ok(places)
}

/// The chip under the first pattern on the first topology.
fn start(asked: &Duplex, contender: &'static Contender) -> Run {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    Run {
        contender,
        topology: first(&asked.topologies),
        side: asked.side,
        pattern: first(&asked.patterns),
        wide_words: 20,
        frames: 5,
        threshold: 1,
        turnaround: 0,
        reopen: 1,
        load: None,
    }
}

/// On the first topology with all routers, on others with Chaos.
fn patterns(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    let mut found = Vec::new();
    for topology in &asked.topologies {
        if *topology != start.topology && !start.contender.is_chaos() {
            continue;
        }
        for pattern in &asked.patterns {
            let (topology, pattern) = (topology.clone(), pattern.clone());
            let value = format!("{topology}, {pattern}");
            let run = Run {
                topology,
                pattern,
                ..start.clone()
            };
            found.push((value, found.len() as f64, run));
        }
    }
    found
}

fn networks(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    let mut found = Vec::new();
    for topology in &asked.topologies {
        for side in &asked.sides {
            let (topology, side) = (topology.clone(), *side);
            let run = Run {
                topology,
                side,
                ..start.clone()
            };
            found.push((run.network(), f64::from(side), run));
        }
    }
    found
}

fn packets(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    let of = |words: &u16| {
        let run = Run {
            wide_words: *words,
            ..start.clone()
        };
        (words.to_string(), f64::from(*words), run)
    };
    asked.packet_words.iter().map(of).collect()
}

/// Values of a parameter that only Chaos has.
fn of_chaos(values: &[u32], start: &Run, with: fn(Run, u32) -> Run) -> Vec<(String, f64, Run)> {
    let values = values.iter().filter(|_| start.contender.is_chaos());
    let of = |value: &u32| {
        let run = with(start.clone(), *value);
        (value.to_string(), f64::from(*value), run)
    };
    values.map(of).collect()
}

fn multiqueues(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    of_chaos(&asked.frames, start, |run, frames| Run { frames, ..run })
}

fn thresholds(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    of_chaos(&asked.thresholds, start, |run, threshold| Run {
        threshold,
        ..run
    })
}

/// Half duplex only: as the chip decides on output frames again, and as many cycles later as the wire turns around.
fn turnarounds(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    let mut found = Vec::new();
    for turnaround in asked.turnarounds.iter().copied() {
        let mut reopens = vec![start.reopen, start.reopen + turnaround];
        reopens.dedup();
        for reopen in reopens.into_iter().filter(|_| start.contender.is_half) {
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

fn loads(asked: &Duplex, start: &Run) -> Vec<(String, f64, Run)> {
    let of = |load: &f64| {
        let run = Run {
            load: Some(*load),
            ..start.clone()
        };
        (load.to_string(), *load, run)
    };
    asked.loads.iter().map(of).collect()
}
