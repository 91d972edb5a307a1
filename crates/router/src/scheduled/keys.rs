//! `[router.scheduled]`: a schedule made for the run's packets, or one from a file.

use super::file::{ScheduleFile, read};
use super::schedule::SPAN_BYTES;
use super::{Hop, Route, Schedule, Scheduled, one_bend};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Offers, PlanBytes, Reading, RouterParameters, Takes,
};
use flitwork_schema::{Allowed, Datum, Key, RawTable, Refusal, key_apart, settings_with};
use flitwork_topology::{Shape, Topology};
use flitwork_types::Cycle;

/// Where the schedule comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleParameters {
    /// Made for the run's packets: each along its row, then along its column.
    OneBend,
    /// From a file, which also lists the packets.
    File(ScheduleFile),
}

const SCHEDULES: &[&str] = &["file", "one-bend"];
/// The most worms that may wait in a node.
const MOST_WAITING: u64 = 1 << 20;
/// Bytes of a hop in a schedule: its port, a named cycle, and the cycle in which the head leaves.
const KEPT_BYTES: u64 = (size_of::<Hop>() + size_of::<Cycle>()) as u64;
/// The same while the schedule is made and checked: what was allocated for the spans of links, a quarter of which isn't used,
/// and then for those of hops.
const MOST_BYTES: u64 = KEPT_BYTES + (size_of::<[Cycle; 2]>() * 5 / 4 + SPAN_BYTES) as u64;

#[rustfmt::skip]
const KEYS: &[Key<ScheduleParameters>] = &[
    key_apart("schedule", Allowed::Choice(SCHEDULES), "\"one-bend\"", "where the schedule comes from: a file, with traffic.process = \"schedule\"; or constructed for the run's packets, each worm along its row, then its column, as early as its links are free"),
    key_apart("file", Allowed::Text, "required for file", "the schedule's file, relative to the configuration file's directory: one worm per line as source,words,start,path, with a path such as \"east east@7 south\", where the second hop waits for cycle 7; file only"),
    key_apart("waiting", Allowed::Whole(0, MOST_WAITING), "0", "worms that may wait in a node at once, besides those that haven't left their sources; file only"),
];

impl RouterParameters for ScheduleParameters {
    const NAME: &'static str = "scheduled";
    const HELP: &'static str = "worms on a schedule made before the run (Roberts and Symvonis 1994); for packets that all exist in cycle 0, on one clock";

    const KEYS: &'static [Key<ScheduleParameters>] = KEYS;

    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<ScheduleParameters, Refusal> {
        if !around.is_one_clock {
            let allowed = "run.engine = \"sync\", \"sync-stepped\" or \"sync-plain\": a schedule holds on one clock only";
            return Err(given.misplaced("a schedule with more than one clock", allowed));
        }
        if around.shape.has_own_latencies() {
            let allowed = "another router: a schedule holds where all links take as long";
            let found = format!(
                "{} is given, and links have latencies of their own",
                given.path()
            );
            return Err(given.misplaced(found, allowed));
        }
        if given.text("schedule") == Some("file") {
            let allowed = "a schedule's file, with router.scheduled.schedule = \"file\"";
            let file = given.text("file");
            let file = file.ok_or_else(|| given.missing("file").allowed(allowed))?;
            let waiting = given.get("waiting").unwrap_or(0);
            return read(given, around, file, waiting).map(ScheduleParameters::File);
        }
        if let Some(name) = ["file", "waiting"].into_iter().find(|name| given.has(name)) {
            let allowed = "only with router.scheduled.schedule = \"file\"; it is \"one-bend\"";
            let found = format!("{} is given", given.key(name));
            return Err(given.unread(name, &["schedule"], allowed).found(found));
        }
        around.grid(given).map(|_| ScheduleParameters::OneBend)
    }

    fn settings(&self, _: &Shape) -> Vec<(&'static str, Datum)> {
        settings_with(KEYS, self, |key| match (key, self) {
            ("schedule", ScheduleParameters::OneBend) => Some(Datum::text("one-bend")),
            ("schedule", ScheduleParameters::File(_)) => Some(Datum::text("file")),
            ("file", ScheduleParameters::File(from)) => Some(Datum::text(&*from.file)),
            ("waiting", ScheduleParameters::File(from)) => Some(Datum::Whole(from.waiting.into())),
            _ => None,
        })
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let (shape, latency) = (around.shape, around.link_latency_cycles);
        to.words(shape, || {
            let schedule = match self {
                ScheduleParameters::OneBend => {
                    one_bend(around.grid(), latency, &(around.requests)())
                }
                ScheduleParameters::File(from) => {
                    Schedule::new(shape, latency, from.waiting, from.routes.clone())
                }
            };
            let schedule =
                schedule.unwrap_or_else(|error| panic!("a schedule that was checked: {error}"));
            Scheduled::new(shape.clone(), schedule)
        });
    }

    fn facts(&self) -> Facts {
        Facts {
            credit_words: None,
            waits: false,
            has_queue: matches!(self, ScheduleParameters::File(from) if from.waiting > 0),
            takes: match self {
                ScheduleParameters::OneBend => Takes::AtOnce,
                ScheduleParameters::File(_) => Takes::Own,
            },
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        ports
    }

    fn packets(&self) -> Option<Vec<Route>> {
        match self {
            ScheduleParameters::OneBend => None,
            ScheduleParameters::File(from) => Some(from.routes.clone()),
        }
    }

    fn scaled_down(&self) -> ScheduleParameters {
        ScheduleParameters::OneBend
    }

    fn plan_bytes(&self, hops: u64) -> PlanBytes {
        PlanBytes {
            kept: hops * KEPT_BYTES,
            most: hops * MOST_BYTES,
        }
    }

    fn deadlock(&self, _: &BuildContext<'_>) -> Deadlock {
        Deadlock::Free("free of deadlock: no two words ever need a link in the same cycle".into())
    }

    fn livelock(&self, _: &BuildContext<'_>) -> Livelock {
        Livelock::None("each packet takes the hops of its schedule".into())
    }
}
