//! The designs that are compared, and their configurations.

use super::SelfTimed;
use super::costs::Gating;
use crate::context::Failed;
use crate::many::{refuse_set, set, set_for};
use crate::options::Names;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Base, Error, seed_override};
use std::fmt::Write;

/// The unit of time of self-timed designs, in ps.
const NOMINAL_PS: u64 = 1000;
/// By how much a request that comes with a word is delayed, as a part of what it takes.
const BUNDLING: f64 = 0.1;

/// A router that has buffers of any size.
pub(super) fn has_buffers(router: &str) -> bool {
    router == WORMHOLE
}

/// A router, and its tables in a configuration.
#[derive(Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    tables: &'static str,
}

const WORMHOLE: &str = "wormhole";

/// In the order of tables.
const CONTENDERS: &[Contender] = &[
    Contender {
        name: "chaos",
        tables: "[router.chaos]\npacket_words = 10\n[traffic]\n",
    },
    Contender {
        name: WORMHOLE,
        tables: "[router.wormhole]\nvcs = 4\n[traffic]\npacket_words = 10\n",
    },
    Contender {
        name: "deflection",
        tables: "[router.deflection]\npreset = \"flit-bless\"\n[traffic]\npacket_words = 10\n",
    },
];

/// What makes a network's nodes step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// A clock for the slowest node that there may be, in the slowest corner.
    Clocked,
    /// A clock for the slowest node that the chip has, in its own corner.
    Binned,
    /// A clock for the mean step of the mean node, which no chip could run with: what it loses against self-timing is what
    /// handshakes and unequal steps cost.
    Average,
    /// None.
    SelfTimed,
}

/// What makes its nodes step, and whether their clocks stop while they do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Design {
    pub(super) timing: Timing,
    pub(super) is_gated: bool,
}

const fn design(timing: Timing, is_gated: bool) -> Design {
    Design { timing, is_gated }
}

/// All of them, in the order of tables.
pub(super) const DESIGNS: Names<Design> = &[
    (
        "clocked",
        design(Timing::Clocked, false),
        "one clock for the slowest node in the slowest corner",
    ),
    (
        "clocked-gated",
        design(Timing::Clocked, true),
        "the same, stopped within a node in cycles in which it does nothing",
    ),
    (
        "binned",
        design(Timing::Binned, false),
        "one clock for the chip's own slowest node in its own corner",
    ),
    (
        "binned-gated",
        design(Timing::Binned, true),
        "the same, stopped within a node in cycles in which it does nothing",
    ),
    (
        "average",
        design(Timing::Average, false),
        "one clock for the mean step of the mean node, which no chip could run with",
    ),
    (
        "self-timed",
        design(Timing::SelfTimed, false),
        "no clock; steps take what they take, and links hand words over",
    ),
];

impl Design {
    pub(super) fn name(self) -> &'static str {
        crate::options::name_in(DESIGNS, &self)
    }

    pub(super) fn is_self_timed(self) -> bool {
        self.timing == Timing::SelfTimed
    }

    pub(super) fn gating(self) -> Gating {
        match self.is_gated {
            true => Gating::Cycles,
            false => Gating::None,
        }
    }
}

/// A load at which a design runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Load {
    /// That of the option.
    Low,
    /// As much as sources can offer.
    Most,
}

impl Load {
    /// The overload first: of several runs alike, the first one's memory is measured.
    pub(super) const BOTH: [Load; 2] = [Load::Most, Load::Low];

    pub(super) fn name(self) -> &'static str {
        match self {
            Load::Low => "low load",
            Load::Most => "overload",
        }
    }
}

/// A design on a network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) router: &'static Contender,
    pub(super) topology: String,
    /// Segments of a link.
    pub(super) length: u32,
    /// Of nodes' delays, in percent.
    pub(super) spread: f64,
    pub(super) design: Design,
    /// Of the chip, in percent; none for a design that runs at one period in all corners.
    pub(super) corner: Option<f64>,
}

/// The clock of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) ps: u64,
    /// Of a word over a link.
    pub(super) link_cycles: u64,
}

/// Everything that is asked for: of each network the designs in their order, each in each corner that matters to it.
pub(super) fn places(asked: &SelfTimed) -> Result<Vec<Place>, Failed> {
    check(asked)?;
    let mut places = Vec::new();
    for name in &asked.routers {
        let Some(router) = CONTENDERS.iter().find(|it| it.name == name) else {
            let names: Vec<&str> = CONTENDERS.iter().map(|it| it.name).collect();
            let why = format!("found {name:?}; allowed: {}", names.join(", "));
            return Err(Failed::option("--routers", why));
        };
        for topology in &asked.topologies {
            let of_length = asked.lengths.iter();
            let networks =
                of_length.flat_map(|length| asked.spreads.iter().map(move |it| (*length, *it)));
            for (length, spread) in networks {
                places.extend(designs(asked).map(|(design, corner)| Place {
                    router,
                    topology: topology.clone(),
                    length,
                    spread,
                    design,
                    corner,
                }));
            }
        }
    }
    Ok(places)
}

/// The keys and tables that designs set.
const OWN_KEYS: [&str; 13] = [
    "network.topology",
    "network.sides",
    "network.link_latency_cycles",
    "network.synchronizer_edges",
    "network.crossings",
    "network.handshake",
    "router.wormhole.buffer_words",
    "traffic.process",
    "traffic.pattern",
    "traffic.load",
    "energy",
    "clocks",
    "run",
];

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of(asked: &SelfTimed, places: &[Place]) -> Result<(), Failed> {
    let own: Vec<Override> = OWN_KEYS.iter().map(|key| set(key, "")).collect();
    let routers: Vec<&str> = places.iter().map(|place| place.router.tables).collect();
    refuse_set(&asked.repeats.set, &own, &routers)
}

/// What is asked for on each network.
fn designs(asked: &SelfTimed) -> impl Iterator<Item = (Design, Option<f64>)> + '_ {
    let all = DESIGNS.iter().map(|it| it.1);
    let all = all.filter(|design| asked.designs.contains(design));
    all.flat_map(|design| {
        let corners = match design.timing {
            Timing::Clocked => vec![None],
            _ => asked.corners.iter().copied().map(Some).collect(),
        };
        corners.into_iter().map(move |corner| (design, corner))
    })
}

/// Refuses what no configuration could say.
fn check(asked: &SelfTimed) -> Result<(), Failed> {
    match asked.step[..] {
        [_] => {}
        [least, most] if least <= most => {}
        [_, _] => {
            let why = "allowed: a least that isn't above the most";
            return Err(Failed::option("--step", why));
        }
        _ => {
            let why = "allowed: one number, or two, LEAST,MOST";
            return Err(Failed::option("--step", why));
        }
    }
    if !["two-phase", "four-phase"].contains(&&*asked.protocol) {
        let why = format!("found {:?}; allowed: two-phase, four-phase", asked.protocol);
        return Err(Failed::option("--protocol", why));
    }
    let odd = asked.topologies.iter();
    let mut odd = odd.filter(|it| !["mesh", "torus"].contains(&&***it));
    if let Some(topology) = odd.next() {
        let why = format!("found {topology:?}; allowed: mesh, torus");
        return Err(Failed::option("--topologies", why));
    }
    if asked.costs.step_pj() < 0.0 {
        let why = format!(
            "allowed: at most the {} pJ of --clock-pj",
            asked.costs.clock_pj
        );
        return Err(Failed::option("--trunk-pj", why));
    }
    Ok(())
}

/// The least and the most that a step takes, in ps.
fn step(asked: &SelfTimed) -> (u32, u32) {
    (asked.step[0], asked.step[asked.step.len() - 1])
}

/// What delays are multiplied by in a corner.
fn factor(corner: f64) -> f64 {
    1.0 + corner / 100.0
}

/// A clock that waits for steps of so many ps in a corner, and for links.
fn period(asked: &SelfTimed, step_ps: f64, length: u32, corner: f64) -> Period {
    // 1000 ps and a tenth more are 1100, and not a rounding error above that.
    let ps = (step_ps - 1e-6).ceil();
    let link_ps = f64::from(length * asked.segment) * factor(corner);
    Period {
        ps: ps as u64,
        link_cycles: (link_ps / ps).ceil().max(1.0) as u64,
    }
}

impl Place {
    /// "chaos, mesh, links of 4, 10 % spread, self-timed, corner 30 %".
    pub(super) fn name(&self) -> String {
        let name = format!(
            "{}, {}, links of {}, {} % spread, {}",
            self.router.name,
            self.topology,
            self.length,
            self.spread,
            self.design.name()
        );
        let corner = self.corner;
        let corner = corner.map_or(String::new(), |corner| format!(", corner {corner} %"));
        name + &corner
    }

    /// What is to be run for it: stopping clocks doesn't change what happens.
    pub(super) fn as_run(&self) -> Place {
        let mut place = self.clone();
        place.design.is_gated = false;
        place
    }

    /// Its clock with a seed, if it has one.
    pub(super) fn period(
        &self,
        asked: &SelfTimed,
        catalogue: &Catalogue,
        seed: u64,
    ) -> Result<Option<Period>, Error> {
        let corner = self.corner.unwrap_or(0.0);
        let (least, most) = step(asked);
        let (least, most) = (f64::from(least), f64::from(most));
        let of = |step_ps, corner| Some(period(asked, step_ps, self.length, corner));
        Ok(match self.design.timing {
            Timing::SelfTimed => None,
            Timing::Clocked => {
                let slowest = asked.corners.iter().copied().fold(0.0, f64::max);
                let step_ps = most * factor(slowest) * (1.0 + self.spread / 100.0);
                of(step_ps, slowest)
            }
            Timing::Average => of((least + most) / 2.0 * factor(corner), corner),
            Timing::Binned => {
                let mut own = self.as_run();
                own.design.timing = Timing::SelfTimed;
                let own = own.resolve(asked, catalogue, (seed, Load::Low), &[])?;
                let longest_ps = own.longest_step_ps().expect("its nodes are self-timed");
                of(longest_ps as f64 * (1.0 + asked.margin / 100.0), corner)
            }
        })
    }

    /// Registers on a link: between two segments, or between two cycles.
    pub(super) fn registers(&self, period: Option<Period>) -> u32 {
        let cycles = |period: Period| period.link_cycles as u32;
        period.map_or(self.length, cycles) - 1
    }

    /// `[energy]`, and the tables of links and clocks.
    fn timing(&self, asked: &SelfTimed, period: Option<Period>) -> String {
        let costs = &asked.costs;
        let link_pj = costs.link_pj(self.length, self.registers(period));
        let mut text = format!(
            "[energy]\nbuffer_write_pj = {:?}\nbuffer_read_pj = {:?}\ncrossbar_pj = {:?}\nlink_pj = {link_pj:?}\n\
             decision_pj = {:?}\n",
            costs.write_pj, costs.read_pj, costs.crossbar_pj, costs.decision_pj
        );
        let Some(Period { ps, link_cycles }) = period else {
            return text + &self.self_timing(asked);
        };
        let (tick_pj, step_pj) = match self.design.is_gated {
            false => (costs.clock_pj, String::new()),
            true => (costs.trunk_pj, format!("step_pj = {:?}\n", costs.step_pj())),
        };
        let _ = write!(
            text,
            "clock_pj_per_node_tick = {tick_pj:?}\n{step_pj}[network]\nlink_latency_cycles = {link_cycles}\n\
             [clocks]\nperiod_ps = {ps}\n"
        );
        text
    }

    /// The rest of `[energy]`, and the tables of links and clocks.
    fn self_timing(&self, asked: &SelfTimed) -> String {
        let corner = self.corner.unwrap_or(0.0);
        let in_corner = |ps: f64| ((ps * factor(corner)).round() as u64).max(1);
        let segment = f64::from(asked.segment);
        let (request_ps, bundling_ps) = (in_corner(segment), in_corner(segment * BUNDLING));
        let mut text = format!(
            "step_pj = {:?}\ntransition_pj = {:?}\n[network.handshake]\nprotocol = {:?}\nrequest_ps = {request_ps}\n\
             acknowledge_ps = {request_ps}\nbundling_ps = {bundling_ps}\n",
            asked.costs.step_pj(),
            asked.costs.transition_pj,
            asked.protocol
        );
        if self.length > 1 {
            let latches = self.length - 1;
            let _ = write!(
                text,
                "[[network.handshake.stages]]\nlatches = {latches}\nrequest_ps = {request_ps}\n\
                 acknowledge_ps = {request_ps}\n"
            );
        }
        let (least, most) = step(asked);
        let count_ps = u32::midpoint(least, most);
        let _ = write!(
            text,
            "[clocks]\nperiod_ps = {NOMINAL_PS}\n[clocks.self-timed]\nword_ps = [{least}, {most}]\n\
             decision_ps = [{least}, {most}]\ncount_ps = {count_ps}\ncorner_percent = {corner:?}\n\
             spread = \"uniform\"\nspread_percent = {:?}\n",
            self.spread
        );
        text
    }

    /// Its configuration with a seed at a load.
    pub(super) fn resolve(
        &self,
        asked: &SelfTimed,
        catalogue: &Catalogue,
        (seed, load): (u64, Load),
        more: &[Override],
    ) -> Result<Resolved, Error> {
        let period = self.period(asked, catalogue, seed)?;
        let cycle_ns = period.map_or(NOMINAL_PS, |it| it.ps) as f64 / 1000.0;
        let offered = match load {
            Load::Low => (asked.low_load * cycle_ns).min(1.0),
            Load::Most => 1.0,
        };
        let cycles = |ns: u32| (f64::from(ns) / cycle_ns).ceil() as u32;
        // A cycle in which an overloaded network could deliver everything isn't waited for.
        let drain_cycles = match load {
            Load::Low => 100_000,
            Load::Most => 0,
        };
        let (side, tables, pattern) = (asked.side, self.router.tables, &asked.pattern);
        let (warmup, measure) = (cycles(asked.time / 2), cycles(asked.time));
        let text = format!(
            "{tables}pattern = {pattern:?}\nload = {offered:?}\n\
             [run]\nengine = \"clocked\"\nwarmup_cycles = {warmup}\nmeasure_cycles = {measure}\n\
             drain_cycles = {drain_cycles}\n{}",
            self.timing(asked, period)
        );
        let mut over = vec![
            Override::new("network.topology", &self.topology),
            Override::new("network.sides", &format!("[{side}, {side}]")),
            seed_override(seed),
        ];
        if has_buffers(self.router.name) {
            over.push(set("router.wormhole.buffer_words", asked.buffer_words));
        }
        over.extend_from_slice(more);
        let name = format!("the configuration of {}", self.name());
        let given = set_for(&asked.repeats.set, self.router.tables);
        let base = Base::of_text(catalogue, name, text, given);
        base.repeatable(self.name(), &over)
    }
}
