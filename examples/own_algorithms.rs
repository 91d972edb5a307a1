//! A rule, an inqueue discipline, a method and an order of packets from another crate: they register themselves, and
//! `flitwork route`, `flitwork schedule`, `flitwork list` and the reference know them.
//!
//! ```sh
//! cargo run --release --example own_algorithms -- route examples/own_rule.toml
//! cargo run --release --example own_algorithms -- schedule examples/own_schedule.toml --play
//! cargo run --release --example own_algorithms -- schedule configs/schedule/permutation.toml --order south-first
//! ```

use flitwork_schedule::method::{MethodEntry, MethodParameters, ScheduleResult, Unmade};
use flitwork_schedule::multistage::{Mesh, Order as PacketOrder, Ranked, Ranking};
use flitwork_schedule::{Hop, Plan, Request};
use flitwork_schema::{Allowed, Datum, Key, Parts, key};
use flitwork_steps::named::RuleEntry;
use flitwork_steps::rules::{Incoming, Inqueue, InqueueEntry, Link, Order, Ordered};
use flitwork_steps::{Blind, Seen};
use flitwork_topology::{Shape, Topology};
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, with these four.
pub(crate) fn parts() -> Parts {
    Parts::new()
        .with(RuleEntry::of::<Ordered<Turns>>())
        .with(InqueueEntry::of::<Oldest>(
            "oldest-offer",
            "the packet that has waited the longest with its neighbour",
        ))
        .with(MethodEntry::of::<OneByOne>())
        .with(PacketOrder::of::<SouthFirst>())
}

/// Dimension order in which sources take turns, `turn_steps` each.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turns {
    turn_steps: u32,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { turn_steps: 4 }
    }
}

impl Order for Turns {
    const NAME: &'static str = "turns";
    const HELP: &'static str = "dimension order, sources take turns";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Turns>] = &[
        key("turn_steps", |it| &mut it.turn_steps, Allowed::Whole(1, 1000), "4", "steps for which a source is first"),
    ];

    type Sight = Blind;

    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        let turn = link.step / self.turn_steps;
        packet.source.0.wrapping_sub(turn).into()
    }
}

/// What has waited the longest is let in first.
#[derive(Clone, Copy, Debug, Default)]
struct Oldest;

impl Inqueue for Oldest {
    fn rank(&self, _: u64, offer: &Incoming) -> u64 {
        offer.arrived.into()
    }
}

/// One packet after the other, along a shortest path: no two are under way at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OneByOne {
    pause_steps: u32,
}

impl MethodParameters for OneByOne {
    const NAME: &'static str = "one-by-one";
    const HELP: &'static str = "each packet leaves when the one before it is home";
    #[rustfmt::skip]
    const KEYS: &'static [Key<OneByOne>] = &[
        key("pause_steps", |it| &mut it.pause_steps, Allowed::Whole(0, 1000), "0", "steps between two packets"),
    ];

    fn seeded(_: u64) -> OneByOne {
        OneByOne { pause_steps: 0 }
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let mut step = 0;
        let plans = requests.iter().map(|request| {
            let mut plan = Plan::default();
            let mut at = request.source;
            while let Some(port) = shape.productive(at, request.destination).iter().next() {
                plan.hops.push(Hop { port, step });
                at = shape.neighbour(at, port).expect("a productive port's link");
                step += 1;
            }
            step += request.words - 1 + self.pause_steps;
            plan
        });
        Ok(ScheduleResult {
            plans: plans.collect(),
            summary: vec![("pause", Some(Datum::Whole(self.pause_steps.into())))],
        })
    }
}

/// The southernmost sources first.
struct SouthFirst;

impl Ranking for SouthFirst {
    const NAME: &'static str = "south-first";
    const HELP: &'static str = "by source, the southernmost row first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.rows())
    }

    fn rank(packet: Ranked<'_>) -> u32 {
        let [_, y] = packet.source();
        packet.mesh().rows() - 1 - u32::from(y)
    }
}
