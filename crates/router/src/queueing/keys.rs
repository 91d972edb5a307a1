//! `[router.queueing]`: its keys, and what is known about the router before a run.

use super::{Order, Queueing, deadlock};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Longest, Offers, Reading, RouterParameters, Warning,
};
use crate::routing::{Followed, ShortestPaths};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_topology::Topology;

/// The parameters of a router with a queue at each incoming link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueingParameters {
    /// Packets that the queue of an incoming link holds.
    pub frames: u16,
    /// Words that a frame holds.
    pub frame_words: u16,
    /// Packets for the node itself that may be under way on an incoming link, or in a frame of its own there.
    pub home_frames: u16,
    /// Which of the packets that want a link goes first.
    pub order: Order,
    /// Whether it runs although packets may wait for each other in a circle.
    pub allow_deadlock: bool,
}

impl Default for QueueingParameters {
    /// A queue of four packets, first in, first out.
    fn default() -> QueueingParameters {
        QueueingParameters {
            frames: 4,
            frame_words: 16,
            home_frames: 2,
            order: Order::Fifo,
            allow_deadlock: false,
        }
    }
}

impl QueueingParameters {
    /// The words that may be under way over a link and in the frames at its end.
    pub fn credit_words(&self) -> u32 {
        (u32::from(self.frames) + u32::from(self.home_frames)) * u32::from(self.frame_words)
    }
}

#[rustfmt::skip]
const KEYS: &[Key<QueueingParameters>] = &[
    key("frames", |it| &mut it.frames, Allowed::Whole(1, 1024), "4", "k: packets that the queue of an incoming link holds, and that of the source"),
    key("frame_words", |it| &mut it.frame_words, Allowed::Whole(1, 1024), "16", "words that a frame holds: the longest packet"),
    key("home_frames", |it| &mut it.home_frames, Allowed::Whole(1, 64), "2", "frames at an incoming link for packets that have reached their destination; with links of one cycle two keep a link busy"),
    key("order", |it| &mut it.order, Allowed::Choice(Order::NAMES), "\"fifo\"", "which of the packets that want a link goes first; of equals, the one that came first"),
    key("allow_deadlock", |it| &mut it.allow_deadlock, Allowed::Truth, "false", "whether to run even though packets may wait for each other in a circle"),
];

impl RouterParameters for QueueingParameters {
    const NAME: &'static str = "queueing";
    const HELP: &'static str = "dimension order with a queue of k packets at each incoming link: store and forward (Chinn 1995, section 2.4.5)";

    const KEYS: &'static [Key<QueueingParameters>] = KEYS;

    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<QueueingParameters, Refusal> {
        let mut parameters = QueueingParameters::default();
        given.set(KEYS, &mut parameters);
        if !parameters.allow_deadlock
            && let Deadlock::May(how) = deadlock::verdict(around.shape)
        {
            let allowed = "a network without wrapping links, or allow_deadlock = true";
            return Err(given
                .misplaced(how, allowed)
                .hint(Some("allow_deadlock = true runs it anyway".to_owned()))
                .lifted_by(given.key("allow_deadlock")));
        }
        Ok(parameters)
    }

    /// Refuses packets that don't fit into a frame.
    fn take_packets(&self, given: &RawTable<'_>, longest: &Longest) -> Result<(), Refusal> {
        let frame = ("frame_words", self.frame_words);
        longest.fits(given, frame, "a frame holds a whole packet")
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let build = || Queueing::new(around.shape.clone(), self.clone(), around.seed);
        to.words(around.shape, build);
        to.failing(around.shape, build);
    }

    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed> {
        Some(ShortestPaths::in_order(around.shape))
    }

    fn facts(&self) -> Facts {
        Facts {
            credit_words: Some(self.credit_words()),
            has_queue: false,
            takes_several_terminals: true,
            takes_faults: true,
            memory_keys: &["frames", "frame_words"],
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        // A frame's registers take as much as a dozen words.
        ports * (u64::from(self.credit_words()) + 12 * u64::from(self.frames))
    }

    fn deadlock(&self, around: &BuildContext<'_>) -> Deadlock {
        deadlock::verdict(around.shape)
    }

    fn livelock(&self, _: &BuildContext<'_>) -> Livelock {
        Livelock::None("each hop brings a packet closer".into())
    }

    /// Warns of queues that are shorter than the credit round trip.
    fn warnings(&self, around: &BuildContext<'_>) -> Vec<Warning> {
        let Some(link_cycles) = around.crossing.longest_link_cycles() else {
            return Vec::new();
        };
        let trip = 2 * link_cycles;
        let short = [
            ("router.queueing.frames", self.frames),
            ("router.queueing.home_frames", self.home_frames),
        ];
        let short = short
            .into_iter()
            .filter(|(_, frames)| u32::from(*frames) < trip);
        short
            .map(|(key, frames)| Warning {
                key,
                text: format!(
                    "{frames} frames are fewer than the {trip} cycles of a credit round trip: packets of one word use at \
                     most {} % of a link",
                    100 * u32::from(frames) / trip
                ),
            })
            .collect()
    }

    fn figures(&self, around: &BuildContext<'_>) -> Vec<(&'static str, String)> {
        let inputs = (around.shape.ports() + around.shape.locals()) as u64;
        let frames = inputs * u64::from(self.frames);
        vec![
            ("order", self.order.name().to_owned()),
            ("frames per node", format!("{frames} packets")),
        ]
    }
}
