//! The designs that are compared, and their configurations.

use super::SelfTimed;
use crate::context::Failed;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Base, Error, seed_override};
use std::fmt::Write;

/// The unit of time of self-timed designs, in ps.
const NOMINAL_PS: f64 = 1000.0;
/// By how much a request that comes with a word is delayed, as a part of what it takes.
const BUNDLING: f64 = 0.1;

/// A router, and its tables in a configuration.
#[derive(Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    tables: &'static str,
}

/// In the order of tables.
const CONTENDERS: &[Contender] = &[
    Contender {
        name: "chaos",
        tables: "[router.chaos]\npacket_words = 10\n[traffic]\n",
    },
    Contender {
        name: "wormhole",
        tables: "[router.wormhole]\nvcs = 4\nbuffer_words = 10\n[traffic]\npacket_words = 10\n",
    },
    Contender {
        name: "deflection",
        tables: "[router.deflection]\npreset = \"flit-bless\"\n[traffic]\npacket_words = 10\n",
    },
];

/// How a network keeps time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Design {
    /// By one clock of this period, in ps, over links of so many cycles.
    Clocked { period_ps: u64, link_cycles: u64 },
    /// By itself, in a corner, in percent.
    SelfTimed { corner: f64 },
}

impl Design {
    pub(super) fn name(self) -> &'static str {
        match self {
            Design::Clocked { .. } => "clocked",
            Design::SelfTimed { .. } => "self-timed",
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
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) router: &'static Contender,
    pub(super) topology: String,
    /// Segments of a link.
    pub(super) length: u32,
    /// Of nodes' delays, in percent.
    pub(super) spread: f64,
    pub(super) design: Design,
}

/// Everything that is asked for: the clocked design of each network, and then the self-timed one in each corner.
pub(super) fn places(asked: &SelfTimed) -> Result<Vec<Place>, Failed> {
    let [least, most] = asked.step[..] else {
        return Err(Failed::option("--step", "allowed: two numbers, LEAST,MOST"));
    };
    if least > most {
        return Err(Failed::option(
            "--step",
            "allowed: a least that isn't above the most",
        ));
    }
    if !["two-phase", "four-phase"].contains(&&*asked.protocol) {
        let why = format!("found {:?}; allowed: two-phase, four-phase", asked.protocol);
        return Err(Failed::option("--protocol", why));
    }
    let mut places = Vec::new();
    for name in &asked.routers {
        let Some(router) = CONTENDERS.iter().find(|it| it.name == name) else {
            let names: Vec<&str> = CONTENDERS.iter().map(|it| it.name).collect();
            let why = format!("found {name:?}; allowed: {}", names.join(", "));
            return Err(Failed::option("--routers", why));
        };
        for topology in &asked.topologies {
            if !["mesh", "torus"].contains(&&**topology) {
                let why = format!("found {topology:?}; allowed: mesh, torus");
                return Err(Failed::option("--topologies", why));
            }
            for &length in &asked.lengths {
                for &spread in &asked.spreads {
                    let corners = asked.corners.iter();
                    let corners = corners.map(|&corner| Design::SelfTimed { corner });
                    let clocked = clocked(asked, most, length, spread);
                    let designs = [clocked].into_iter().chain(corners);
                    places.extend(designs.map(|design| Place {
                        router,
                        topology: topology.clone(),
                        length,
                        spread,
                        design,
                    }));
                }
            }
        }
    }
    Ok(places)
}

/// The clock that covers the longest step of the slowest node in the slowest corner, and the cycles that the longest
/// way of a signal takes there.
fn clocked(asked: &SelfTimed, most_ps: u32, length: u32, spread: f64) -> Design {
    let slowest = asked.corners.iter().copied().fold(0.0, f64::max);
    let corner = 1.0 + slowest / 100.0;
    let period_ps = (f64::from(most_ps) * corner * (1.0 + spread / 100.0)).ceil();
    let link_ps = f64::from(length * asked.segment) * corner;
    Design::Clocked {
        period_ps: period_ps as u64,
        link_cycles: (link_ps / period_ps).ceil().max(1.0) as u64,
    }
}

impl Place {
    /// "chaos, mesh, 4 segments, 10 % spread, self-timed, 30 % corner".
    pub(super) fn name(&self) -> String {
        let name = format!(
            "{}, {}, links of {}, {} % spread, {}",
            self.router.name,
            self.topology,
            self.length,
            self.spread,
            self.design.name()
        );
        let corner = self.corner();
        let corner = corner.map_or(String::new(), |corner| format!(", corner {corner} %"));
        name + &corner
    }

    pub(super) fn corner(&self) -> Option<f64> {
        match self.design {
            Design::SelfTimed { corner } => Some(corner),
            Design::Clocked { .. } => None,
        }
    }

    pub(super) fn period_ps(&self) -> Option<u64> {
        match self.design {
            Design::Clocked { period_ps, .. } => Some(period_ps),
            Design::SelfTimed { .. } => None,
        }
    }

    /// A cycle of the clock by which loads are counted, in ns.
    pub(super) fn cycle_ns(&self) -> f64 {
        self.period_ps().map_or(NOMINAL_PS, |ps| ps as f64) / 1000.0
    }

    /// The price of a handshake, the last of `[energy]`, and the tables of its links and clocks.
    fn timing(&self, asked: &SelfTimed) -> String {
        let corner = match self.design {
            Design::Clocked { link_cycles, .. } => {
                return format!("[network]\nlink_latency_cycles = {link_cycles}\n");
            }
            Design::SelfTimed { corner } => corner,
        };
        let in_corner = |ps: f64| ((ps * (1.0 + corner / 100.0)).round() as u64).max(1);
        let (segment, transition_pj) = (f64::from(asked.segment), asked.transition_pj);
        let (request_ps, bundling_ps) = (in_corner(segment), in_corner(segment * BUNDLING));
        let mut text = format!(
            "transition_pj = {transition_pj:?}\n[network.handshake]\nprotocol = {:?}\nrequest_ps = {request_ps}\n\
             acknowledge_ps = {request_ps}\nbundling_ps = {bundling_ps}\n",
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
        let (least, most) = (asked.step[0], asked.step[1]);
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
        let cycle_ns = self.cycle_ns();
        let offered = match load {
            Load::Low => (asked.low_load * cycle_ns).min(1.0),
            Load::Most => 1.0,
        };
        let engine = match self.design {
            Design::Clocked { .. } => "sync",
            Design::SelfTimed { .. } => "clocked",
        };
        let cycles = |ns: u32| (f64::from(ns) / cycle_ns).ceil() as u32;
        // A cycle in which an overloaded network could deliver everything isn't waited for.
        let drain_cycles = match load {
            Load::Low => 100_000,
            Load::Most => 0,
        };
        let (side, tables) = (asked.side, self.router.tables);
        let (warmup, measure) = (cycles(asked.time / 2), cycles(asked.time));
        let clock_pj = asked.clock_pj;
        let text = format!(
            "{tables}pattern = \"uniform\"\nload = {offered:?}\n\
             [run]\nengine = {engine:?}\nwarmup_cycles = {warmup}\nmeasure_cycles = {measure}\n\
             drain_cycles = {drain_cycles}\n\
             [energy]\nclock_pj_per_node_tick = {clock_pj:?}\n{}",
            self.timing(asked)
        );
        let mut over = vec![
            Override::new("network.topology", &self.topology),
            Override::new("network.sides", &format!("[{side}, {side}]")),
            seed_override(seed),
        ];
        over.extend_from_slice(more);
        let name = format!("the configuration of {}", self.name());
        let base = Base::of_text(catalogue, name, text, Vec::new());
        base.repeatable(self.name(), &over)
    }
}
