//! A run that is being shown: who plays it, who answers questions, and what is known of the whole.
//!
//! ```text
//!              ┌─▶ player: the engine that gives events the fastest, counting ──▶ frames
//!   questions ─┤
//!              └─▶ asker: the engine whose nodes can be looked into ──▶ nodes, packets
//!   survey: goes through the run once ──▶ strip, rows of packets; copies for the player
//! ```
//!
//! Each is a thread, so that a question that takes long holds up no frame.

use crate::lookup::{followed_from, no_cycle, no_node, no_packet, no_terminal};
use crate::run::{Run, Use};
use crate::shown::{inside_json, way_json, why_json};
use crate::surveyed::{Packets, Surveyed};
use crate::worker::{Answer, NotAsked, Worker};
use flitwork_debug::heat::{Counting, Heat};
use flitwork_debug::rows::Nodes;
use flitwork_debug::search::Stopped;
use flitwork_debug::strip::Strip;
use flitwork_debug::{
    Ended, NoJourney, Timeline, counting_probe, first_probe, follow_while, inside, why_while,
};
use flitwork_types::{Cycle, NodeId, PacketId};
use serde_json::{Value, json};
use std::sync::Arc;

/// A run that is being shown.
pub struct Show {
    run: Arc<Run>,
    nodes: Arc<Nodes>,
    surveyed: Surveyed,
    player: Arc<Worker>,
    asker: Worker,
}

/// What nodes count in a stretch, and how the run ends if it doesn't go on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What they count.
    pub heat: Heat,
    /// How the run has ended, if it has by then.
    pub ended: Option<Ended>,
}

/// When a node is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At a time of the run.
    Time(u64),
    /// Before a cycle of its own.
    Cycle(Cycle),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// There is no such thing in the run.
    #[error("{0}")]
    Nothing(String),
    /// Whoever has asked doesn't wait any more.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

/// An answer as JSON, or none.
pub type Found = Result<Value, NoAnswer>;

impl Show {
    /// Opens a run. Copies of it take at most about `most_bytes`.
    ///
    /// # Errors
    /// If the host gives no threads.
    pub fn open(run: Arc<Run>, most_bytes: usize) -> std::io::Result<Show> {
        // Playing goes everywhere; questions are about one place after another.
        let asker_bytes = most_bytes / 3;
        let player_bytes = most_bytes - asker_bytes;
        let of_player = run.clone();
        let player = Worker::new("player", move || {
            let run = of_player;
            let counting = Counting::new(&run.shape, run.words_travel_alone);
            let simulation = run.repeats.begin(Use::Events, counting_probe(counting));
            Timeline::new(simulation, player_bytes, run.cycle_time)
        })?;
        let of_asker = run.clone();
        let asker = Worker::new("asker", move || {
            let simulation = of_asker.repeats.begin(Use::Views, first_probe());
            Timeline::new(simulation, asker_bytes, of_asker.cycle_time)
        })?;
        let player = Arc::new(player);
        Ok(Show {
            nodes: Arc::new(Nodes::new(&run.shape)),
            surveyed: Surveyed::begin(run.clone(), player.clone())?,
            run,
            player,
            asker,
        })
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Its nodes by name and place.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Its strip, as far as it is known.
    pub fn strip(&self) -> Option<Strip> {
        self.surveyed.strip()
    }

    /// The rows of its packets, if they are known.
    pub fn packets(&self) -> Packets {
        self.surveyed.packets()
    }

    /// Before which time it ends: exactly, once that is known.
    pub fn end(&self) -> u64 {
        let strip = self.strip().filter(|strip| strip.ended.is_some());
        strip.map_or(self.run.end, |strip| strip.until)
    }

    /// What nodes count from one time to another; nothing if nobody waits for it any more.
    ///
    /// # Errors
    /// If it isn't asked.
    pub fn frame(&self, from: u64, to: u64) -> Result<Answer<Option<Frame>>, NotAsked> {
        let end = self.end();
        let (from, to) = (from.min(end), to.min(end));
        self.player.ask(move |timeline, going| {
            let heat = timeline.heat(from, to, &mut || going.on())?;
            let ended = match timeline.over() {
                Some((at, ended)) if at <= to => Some(ended),
                _ if to >= end => Some(Ended::Deadline),
                _ => None,
            };
            Some(Frame { heat, ended })
        })
    }

    /// What a node holds, and what it decides next, as `flitwork trace node --json` prints it.
    ///
    /// # Errors
    /// If it isn't asked.
    pub fn node(&self, node: NodeId, when: When) -> Result<Answer<Found>, NotAsked> {
        let (end, nodes) = (self.run.end, self.nodes.clone());
        self.asker.ask(move |timeline, going| {
            let go_on = &mut || going.on();
            if node.0 >= nodes.count() {
                return Err(NoAnswer::Nothing(no_node(node, &nodes)));
            }
            let time = match when {
                When::Time(time) => time.min(end),
                When::Cycle(cycle) => match timeline.time_of(node, cycle, end, go_on)? {
                    Some(time) => time,
                    None => {
                        let last = timeline.last_of(node, end, go_on)?;
                        return Err(NoAnswer::Nothing(no_cycle(node, cycle, last)));
                    }
                },
            };
            let found = inside(timeline, node, time, go_on)?;
            let cycle = match when {
                When::Cycle(cycle) => cycle,
                When::Time(_) => found.cycle,
            };
            Ok(inside_json(&nodes, &found, cycle))
        })
    }

    /// A packet's way, and why it took as long as it did.
    ///
    /// # Errors
    /// If it isn't asked.
    pub fn packet(&self, packet: PacketId) -> Result<Answer<Found>, NotAsked> {
        let (end, nodes, run) = (self.run.end, self.nodes.clone(), self.run.clone());
        let packets = self.packets();
        self.asker.ask(move |timeline, going| {
            if packet.source.0 >= nodes.terminals() {
                return Err(NoAnswer::Nothing(no_terminal(packet.source, &nodes)));
            }
            let from = match &packets {
                Packets::Known(rows) => {
                    let row = rows.of(packet);
                    let row = row.ok_or_else(|| NoAnswer::Nothing(no_packet(packet, &rows.all)))?;
                    match run.is_record {
                        true => 0,
                        false => followed_from(row.injected, run.cycle_time),
                    }
                }
                _ => 0,
            };
            let go_on = &mut || going.on();
            let journey = follow_while(timeline, packet, (from, end), go_on);
            let journey = journey.map_err(|error| match error {
                NoJourney::Stopped(stopped) => stopped.into(),
                error => NoAnswer::Nothing(error.to_string()),
            })?;
            let found = why_while(timeline, journey, end, go_on)?;
            let journey = &found.journey;
            let known = &journey.packet;
            Ok(json!({
                "why": why_json(&found, None, timeline.unit()),
                "way": way_json(&nodes, &found),
                "words": known.words,
                "hops": known.hops,
                "deroutes": known.deroutes,
                "injected": journey.injected.time,
                "delivered": journey.delivered.map(|it| it.time),
                "latency": journey.delivered.and_then(|it| it.latency()),
            }))
        })
    }
}
