//! A network, its routers and what makes its nodes differ.

use crate::context::Failed;
use crate::many::{self, set};
use crate::options::{named, side, whole};
use crate::timing::{Timed, Timing, timed_columns};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_report::{Column, column};
use flitwork_sweep::{Base, Error};
use std::fmt;

/// The networks' topologies.
pub(in crate::study) const TOPOLOGIES: [&str; 2] = ["torus", "mesh"];

/// A parser of topologies.
pub(in crate::study) fn topology() -> impl TypedValueParser<Value = &'static str> {
    named(
        TOPOLOGIES
            .into_iter()
            .map(|it| (PossibleValue::new(it), it)),
    )
}

/// The sides of a network: `8`, or `4x4`.
pub(in crate::study) fn sides(text: &str) -> Result<Sides, String> {
    let sides: Result<Vec<u32>, String> = text.split('x').map(side).collect();
    let sides = sides.ok().filter(|sides| sides.len() <= 3);
    sides
        .map(Sides)
        .ok_or_else(|| "allowed: one to three sides, such as 8 or 4x4".into())
}

/// The sides of a network.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::study) struct Sides(pub(in crate::study) Vec<u32>);

impl Sides {
    pub(in crate::study) fn nodes(&self) -> u64 {
        self.0.iter().map(|side| u64::from(*side)).product()
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&sides.join("x"))
    }
}

/// A network with the packets of its nodes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::study) struct Network {
    pub(in crate::study) topology: &'static str,
    pub(in crate::study) sides: Sides,
    pub(in crate::study) pattern: String,
    /// How many nodes further on packets of the pattern shift go, if not half of each side.
    pub(in crate::study) shift: Option<u32>,
    /// Of each node.
    pub(in crate::study) packets: u32,
}

impl Network {
    pub(in crate::study) fn is_ring(&self) -> bool {
        self.topology == "torus" && self.sides.0.len() == 1
    }

    /// How many nodes further on packets go on a ring.
    pub(in crate::study) fn ring_shift(&self) -> Option<u32> {
        let ring = self.is_ring() && self.pattern == "shift";
        let half = self.sides.0.first().map(|side| side / 2);
        self.shift.or(half).filter(|_| ring)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_ring(), &self.sides.0[..]) {
            (true, [n]) => write!(f, "ring of {n}")?,
            _ => write!(f, "{} of {}", self.topology, self.sides)?,
        }
        if !matches!(&*self.pattern, "shift" | "listed") {
            write!(f, ", {}", self.pattern)?;
        }
        if let Some(shift) = self.shift {
            write!(f, ", {shift} nodes on")?;
        }
        match self.packets {
            1 => Ok(()),
            packets => write!(f, ", {packets} packets"),
        }
    }
}

/// What all routers have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::study) struct Router {
    pub(in crate::study) frames: u32,
    pub(in crate::study) threshold: u32,
    pub(in crate::study) words: u32,
}

impl Router {
    /// What is asked for by default, and isn't named.
    pub(in crate::study) const USUAL: Router = Router {
        frames: 1,
        threshold: 0,
        words: 10,
    };
}

/// What the routers have, by lists.
#[derive(Clone, Debug, Args)]
pub(in crate::study) struct Routers {
    /// Frames of the multiqueue; with more than one a full multiqueue draws at random.
    #[arg(long, value_name = "FRAMES,…", default_value = "1", value_parser = |text: &str| whole(text, 1..=64))]
    frames: Vec<u32>,
    /// Cycles that a packet waits before it may enter the multiqueue.
    #[arg(long, value_name = "CYCLES,…", default_value = "0", value_parser = |text: &str| whole(text, 0..=1 << 20))]
    threshold: Vec<u32>,
    /// Words of a packet.
    #[arg(long, value_name = "WORDS,…", default_value = "10", value_parser = |text: &str| whole(text, 1..=4096))]
    words: Vec<u32>,
}

impl Routers {
    /// Each with each.
    pub(in crate::study) fn all(&self) -> Vec<Router> {
        let mut all = Vec::new();
        for frames in self.frames.iter().copied() {
            for threshold in self.threshold.iter().copied() {
                all.extend(self.words.iter().copied().map(|words| Router {
                    frames,
                    threshold,
                    words,
                }));
            }
        }
        all
    }
}

impl fmt::Display for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Router {
            frames,
            threshold,
            words,
        } = *self;
        if frames != Router::USUAL.frames {
            write!(f, ", {frames} frames")?;
        }
        if threshold != Router::USUAL.threshold {
            write!(f, ", threshold {threshold}")?;
        }
        match words == Router::USUAL.words {
            true => Ok(()),
            false => write!(f, ", {words} words"),
        }
    }
}

/// All that a run depends on, but its seed.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::study) struct Setting {
    pub(in crate::study) network: Network,
    pub(in crate::study) router: Router,
    pub(in crate::study) timed: Timed,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}, {}", self.network, self.router, self.timed)
    }
}

/// The keys that a setting sets, and those in whose place it sets others; what makes nodes differ has more.
const OWN_KEYS: [&str; 10] = [
    "network.topology",
    "network.sides",
    "router.chaos.packet_words",
    "router.chaos.multiqueue_frames",
    "router.chaos.stall_threshold_cycles",
    "router.chaos.derouting",
    "traffic",
    "run.seed",
    "run.deadline_cycles",
    "run.engine",
];

/// Refuses what `--set` names in vain.
pub(in crate::study) fn refuse_set(asked: &[Override], settings: &[Setting]) -> Result<(), Failed> {
    let keys = settings.iter().flat_map(|setting| setting.timed.keys());
    let own = OWN_KEYS.iter().map(|key| set(key, ""));
    let own: Vec<Override> = own.chain(keys).collect();
    many::refuse_set(asked, &own, &["[router.chaos]"])
}

impl Setting {
    /// Whether all seeds are the same run: no clock or step is drawn, a multiqueue of one frame leaves no choice, and packets go a fixed way.
    pub(in crate::study) fn draws_nothing(&self) -> bool {
        let is_timed = matches!(self.timed.timing, Timing::OneClock | Timing::SelfTimed);
        is_timed && self.router.frames == 1 && self.network.ring_shift().is_some()
    }

    /// The configuration of a run, with these keys besides.
    pub(in crate::study) fn resolve(
        &self,
        catalogue: &Catalogue,
        set: &[Override],
        run: (u64, u32),
    ) -> Result<Resolved, Error> {
        self.resolve_with(catalogue, set, run, "")
    }

    /// The same with further keys of traffic.
    pub(in crate::study) fn resolve_with(
        &self,
        catalogue: &Catalogue,
        set: &[Override],
        (seed, deadline): (u64, u32),
        more: &str,
    ) -> Result<Resolved, Error> {
        let Network {
            topology,
            sides,
            pattern,
            shift,
            packets,
        } = &self.network;
        let shift = shift.map_or(String::new(), |shift| format!("shift = {shift}\n"));
        let Router {
            frames,
            threshold,
            words,
        } = self.router;
        let text = format!(
            "[network]\ntopology = \"{topology}\"\nsides = {:?}\n[router.chaos]\npacket_words = {words}\nmultiqueue_frames = {frames}\n\
             stall_threshold_cycles = {threshold}\nderouting = true\n[traffic]\nprocess = \"once\"\npattern = \"{pattern}\"\nk = {packets}\n{shift}{more}\
             [run]\nseed = {seed}\ndeadline_cycles = {deadline}\n",
            sides.0
        );
        let base = Base::of_text(catalogue, "the study's configuration", text, set.to_vec());
        base.repeatable(self.to_string(), &self.timed.keys())
    }
}

/// The columns of a setting.
#[rustfmt::skip]
pub(in crate::study) fn setting_columns<R: 'static>(of: impl Fn(&R) -> &Setting + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    let mut all = vec![column("n", "nodes", "of the network", move |it| of(it).network.sides.nodes())];
    all.extend(timed_columns(move |it| of(it).timed));
    all.extend([
        column("topology", "", "`torus`, which a ring is, or `mesh`", move |it| of(it).network.topology),
        column("sides", "nodes", "of the network", move |it| of(it).network.sides.to_string()),
        column("pattern", "", "of destinations", move |it| of(it).network.pattern.clone()),
        column("shift", "nodes", "how many nodes further on packets go; missing if half of each side, or with another pattern", move |it| of(it).network.shift),
        column("packets", "packets", "of each node", move |it| of(it).network.packets),
        column("multiqueue_frames", "packets", "frames of the multiqueue", move |it| of(it).router.frames),
        column("stall_threshold_cycles", "cycles", "that a packet waits before it may enter the multiqueue", move |it| of(it).router.threshold),
        column("packet_words", "words", "per packet", move |it| of(it).router.words),
    ]);
    all
}
