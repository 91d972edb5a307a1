//! How the thesis is read where it leaves a choice: in the router, and in the construction.

use crate::context::Failed;
use crate::options::{Exchange, name_of};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Among {
    /// Packets whose heads are ready.
    Ready,
    /// All packets of the multiqueue.
    All,
}

/// When a multiqueue frame can take the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Freed {
    /// At the decision that sends its packet to an output frame.
    Decision,
    /// Once the packet's last word has left it.
    Tail,
}

/// Whether the two directions of a link have a wire each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Wires {
    /// A wire each.
    Full,
    /// One wire, whose direction alternates.
    Half,
}

/// Options of experiments 1 to 3, for what the text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct Reading {
    /// The reading of the Chaos router
    #[arg(long, value_enum, default_value = "chinn-1995", value_name = "NAME")]
    pub(crate) preset: Preset,
    /// When the construction exchanges destinations
    #[arg(long, value_enum, default_value = "decision", value_name = "WHEN")]
    pub(crate) exchange: Exchange,
    /// The constant d of the construction: a class has floor(9 (cn + c²n) + d n) packets
    #[arg(long, default_value = "1/3", value_name = "FRACTION")]
    pub(crate) d: Fraction,
    /// Which packets of a full multiqueue a deroute is drawn among
    #[arg(long, value_enum, default_value = "ready", value_name = "WHICH")]
    pub(crate) deroute_among: Among,
    /// When a multiqueue frame can take the next packet
    #[arg(long, value_enum, default_value = "decision", value_name = "WHEN")]
    pub(crate) multiqueue_freed_at: Freed,
    /// Whether the two directions between neighbours have a wire each or share one
    #[arg(long, value_enum, default_value = "full", value_name = "KIND")]
    pub(crate) duplex: Wires,
}

impl Reading {
    /// What the options' defaults give.
    pub(crate) const USUAL: Reading = Reading {
        preset: Preset::First,
        exchange: Exchange::Decision,
        d: Fraction::THIRD,
        deroute_among: Among::Ready,
        multiqueue_freed_at: Freed::Decision,
        duplex: Wires::Full,
    };

    /// Whether links are half duplex.
    pub(super) fn duplex(&self) -> Duplex {
        match self.duplex {
            Wires::Full => Duplex::Full,
            Wires::Half => Duplex::Half {
                turnaround_cycles: 0,
            },
        }
    }

    /// The router's parameters.
    pub(super) fn router(&self, ports: usize) -> ChaosParameters {
        let mut chaos = match self.preset {
            Preset::First => ChaosParameters::chinn_1995(ports),
            Preset::B => ChaosParameters::chinn_1995_b(ports),
        };
        chaos.deroute_among = match self.deroute_among {
            Among::Ready => DerouteAmong::Ready,
            Among::All => DerouteAmong::All,
        };
        chaos.multiqueue_freed_at = match self.multiqueue_freed_at {
            Freed::Decision => MultiqueueFreed::Decision,
            Freed::Tail => MultiqueueFreed::Tail,
        };
        chaos
    }

    /// When the construction exchanges destinations.
    pub(super) fn instant(&self) -> Instant {
        self.exchange.into()
    }

    /// The options that aren't as usual, each with its value.
    fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        let values = |it: &Reading| {
            [
                ("--preset", name_of(it.preset)),
                ("--exchange", name_of(it.exchange)),
                ("--d", it.d.to_string()),
                ("--deroute-among", name_of(it.deroute_among)),
                ("--multiqueue-freed-at", name_of(it.multiqueue_freed_at)),
                ("--duplex", name_of(it.duplex)),
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
