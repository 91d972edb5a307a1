//! How the thesis is read where it leaves a choice: in the router, and in the construction.

use crate::context::Failed;
use crate::options::{EXCHANGES, Names, listed, name_in, name_of};
use clap::{Args, ValueEnum};
use flitwork_adversary::{Fraction, Instant};
use flitwork_router::chaos::{ChaosParameters, DerouteAmong, MultiqueueFreed};
use flitwork_types::Duplex;

/// Readings of the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// An input frame is free a cycle after its last word has left; the threshold is 7.
    #[value(name = "chinn-1995")]
    First,
    /// An output frame is decided on again a cycle after it is empty; the threshold is 1.
    #[value(name = "chinn-1995-b")]
    B,
}

/// What a deroute is drawn among.
#[rustfmt::skip]
const AMONG: Names<DerouteAmong> = &[
    ("ready", DerouteAmong::Ready, "Packets whose heads are ready"),
    ("all", DerouteAmong::All, "All packets of the multiqueue"),
];

/// When a multiqueue frame can take the next packet.
#[rustfmt::skip]
const FREED: Names<MultiqueueFreed> = &[
    ("decision", MultiqueueFreed::Decision, "At the decision that sends its packet to an output frame"),
    ("tail", MultiqueueFreed::Tail, "Once the packet's last word has left it"),
];

/// Half-duplex links, whose direction alternates at once.
pub(crate) const HALF: Duplex = Duplex::Half {
    turnaround_cycles: 0,
};

/// Whether the two directions of a link have a wire each.
const WIRES: Names<Duplex> = &[
    ("full", Duplex::Full, "A wire each"),
    ("half", HALF, "One wire, whose direction alternates"),
];

/// Options of experiments 1 to 3, for what the text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct Reading {
    /// The reading of the Chaos router
    #[arg(long, value_enum, default_value = "chinn-1995", value_name = "NAME")]
    pub(crate) preset: Preset,
    /// When the construction exchanges destinations
    #[arg(long, value_parser = listed(EXCHANGES), default_value = "decision", value_name = "WHEN")]
    pub(crate) exchange: Instant,
    /// The constant d of the construction: a class has floor(9 (cn + c²n) + d n) packets
    #[arg(long, default_value = "1/3", value_name = "FRACTION")]
    pub(crate) d: Fraction,
    /// Which packets of a full multiqueue a deroute is drawn among
    #[arg(long, value_parser = listed(AMONG), default_value = "ready", value_name = "WHICH")]
    pub(crate) deroute_among: DerouteAmong,
    /// When a multiqueue frame can take the next packet
    #[arg(long, value_parser = listed(FREED), default_value = "decision", value_name = "WHEN")]
    pub(crate) multiqueue_freed_at: MultiqueueFreed,
    /// Whether the two directions between neighbours have a wire each or share one
    #[arg(long, value_parser = listed(WIRES), default_value = "full", value_name = "KIND")]
    pub(crate) duplex: Duplex,
}

impl Reading {
    /// What the options' defaults give.
    pub(crate) const USUAL: Reading = Reading {
        preset: Preset::First,
        exchange: Instant::Decision,
        d: Fraction::THIRD,
        deroute_among: DerouteAmong::Ready,
        multiqueue_freed_at: MultiqueueFreed::Decision,
        duplex: Duplex::Full,
    };

    /// The router's parameters.
    pub(super) fn router(&self, ports: usize) -> ChaosParameters {
        let mut chaos = match self.preset {
            Preset::First => ChaosParameters::chinn_1995(ports),
            Preset::B => ChaosParameters::chinn_1995_b(ports),
        };
        chaos.deroute_among = self.deroute_among;
        chaos.multiqueue_freed_at = self.multiqueue_freed_at;
        chaos
    }

    /// The options that aren't as usual, each with its value.
    fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        let values = |it: &Reading| {
            [
                ("--preset", name_of(it.preset)),
                ("--exchange", name_in(EXCHANGES, &it.exchange).into()),
                ("--d", it.d.to_string()),
                ("--deroute-among", it.deroute_among.name().into()),
                (
                    "--multiqueue-freed-at",
                    it.multiqueue_freed_at.name().into(),
                ),
                ("--duplex", name_in(WIRES, &it.duplex).into()),
            ]
        };
        let both = values(self).into_iter().zip(values(&Reading::USUAL));
        both.filter_map(|(given, usual)| (given != usual).then_some(given))
    }

    /// A line that says what isn't as usual; none if all is.
    pub(super) fn line(&self) -> Option<String> {
        let said = self.given();
        let said: Vec<_> = said
            .map(|(option, value)| format!("{option} {value}"))
            .collect();
        (!said.is_empty()).then(|| format!("Reading: {}", said.join(" ")))
    }

    /// Refuses what an experiment without Chaos routers doesn't read.
    pub(super) fn refuse(&self) -> Result<(), Failed> {
        match self.given().next() {
            None => Ok(()),
            Some((option, _)) => Err(Failed::option(
                option,
                "chinn-exp4 has neither Chaos routers nor exchanges",
            )),
        }
    }
}
