//! `[router.chaos]`: a key and a validated parameter for every choice that the published text leaves open.

use crate::exchange::Leaving;
use flitwork_schema::{Allowed, Key, WrongValue, key, key_apart, only_with};
use flitwork_types::Port;

/// The most multiqueue frames a node may have.
pub const MAX_MULTIQUEUE_FRAMES: usize = 64;
/// The most words a packet may have.
pub const MAX_PACKET_WORDS: u16 = 1 << 12;
/// The longest time, in cycles, that any parameter may ask for.
pub(super) const MAX_CYCLES: u32 = 1 << 20;

/// Where the decision engine's pointer is before the first cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialPointer {
    /// On the first port of the scan order.
    #[default]
    Fixed,
    /// On a random link port, drawn for each node.
    Random,
}

/// Which multiqueue packet goes, of those for which an output is productive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MultiqueuePolicy {
    /// The one that entered first.
    #[default]
    OldestFirst,
    /// The one that entered last.
    NewestFirst,
    /// Any of them, chosen uniformly.
    Random,
}

/// Which packets of a full multiqueue a deroute is drawn among.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DerouteAmong {
    /// Those whose heads are ready.
    #[default]
    Ready,
    /// All of them. One whose head isn't ready yet leaves as if it had been decided on once it is.
    All,
}

/// When a multiqueue frame whose packet goes to an output frame can take the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MultiqueueFreed {
    /// At the decision: the next packet's words follow those that leave.
    #[default]
    Decision,
    /// Once the packet's last word has left it.
    Tail,
}

/// Behind which output frames a packet that has stalled moves to the multiqueue.
///
/// Two neighbours whose output frames wait for each other's input frames block each other forever, unless one
/// of the input frames can be emptied. The published rule suffices if a packet takes longer to leave than to
/// be seen at the far end; whoever builds a network knows whether it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StallRule {
    /// If the paired output frame is open, as published.
    #[default]
    BehindOpenOutput,
    /// Also if the paired output frame holds a packet that waits for the neighbour's input frame.
    BehindWaitingOutput,
}

/// How a packet leaves the network at its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Through the delivery frame: by a decision, one word per cycle.
    #[default]
    Frame,
    /// It vanishes when its head arrives, as in Chinn 1995, section 4.2.2.
    Vanish,
}

/// The parameters of a Chaos router, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChaosParameters {
    /// Words per packet.
    pub packet_words: u16,
    /// Frames of the multiqueue.
    pub multiqueue_frames: usize,
    /// Cycles that a packet waits in an input frame before it may move to the multiqueue although no
    /// other packet leaves.
    pub stall_threshold_cycles: u32,
    /// Cycles from a decision until the head is in its new frame.
    pub decision_latency_cycles: u32,
    /// Cycles from the decision that releases an input frame until a neighbour one cycle away can send
    /// into it again.
    pub input_release_cycles: u32,
    /// Cycles from an output frame's being empty, its last word gone, until it can be decided on again.
    pub output_reopen_cycles: u32,
    /// The order in which output frames are scanned.
    scan_order: Vec<Port>,
    /// Where the scan begins.
    pub initial_pointer: InitialPointer,
    /// Which multiqueue packet goes first.
    pub multiqueue_policy: MultiqueuePolicy,
    /// Whether a full multiqueue sends a random packet through an unproductive port.
    pub derouting: bool,
    /// Which packets that one is drawn among.
    pub deroute_among: DerouteAmong,
    /// When a multiqueue frame can take the next packet.
    pub multiqueue_freed_at: MultiqueueFreed,
    /// Whether a packet may go from an input frame straight to an output frame.
    pub bypass: bool,
    /// Whether a head may move on before its tail has come (virtual cut-through); otherwise packets are
    /// stored in each frame before they are forwarded.
    pub cut_through: bool,
    /// How packets leave.
    pub delivery: Delivery,
}

flitwork_schema::named!(InitialPointer { Fixed = "fixed", Random = "random" });
flitwork_schema::named!(MultiqueuePolicy {
    OldestFirst = "oldest-first",
    NewestFirst = "newest-first",
    Random = "random",
});
flitwork_schema::named!(DerouteAmong { Ready = "ready", All = "all" });
flitwork_schema::named!(MultiqueueFreed { Decision = "decision", Tail = "tail" });
flitwork_schema::named!(Delivery { Frame = "frame", Vanish = "vanish" });

const WORDS: Allowed = Allowed::Whole(1, MAX_PACKET_WORDS as u64);
const FRAMES: Allowed = Allowed::Whole(1, MAX_MULTIQUEUE_FRAMES as u64);
const CYCLES: Allowed = Allowed::Whole(1, MAX_CYCLES as u64);
const WAIT: Allowed = Allowed::Whole(0, MAX_CYCLES as u64);
const PRESETS: &[&str] = &["chinn-1995", "chinn-1995-b", "chaos-chip"];

#[rustfmt::skip]
pub(super) const KEYS: &[Key<ChaosParameters>] = &[
    key_apart("preset", Allowed::Choice(PRESETS), "\"chinn-1995\"", "which design sets the defaults of the other keys: Chinn 1995, section 4.1, in the first reading or the second, or the chip of Bolding and Snyder 1992"),
    key("packet_words", |it| &mut it.packet_words, WORDS, "10; chaos-chip: 20", "words per packet"),
    key_apart("frame_words", WORDS, "packet_words", "words per frame, as many as in a packet, of which it holds one"),
    key("multiqueue_frames", |it| &mut it.multiqueue_frames, FRAMES, "5", "frames of the multiqueue"),
    key("stall_threshold_cycles", |it| &mut it.stall_threshold_cycles, WAIT, "7; chinn-1995-b, chaos-chip: 1", "cycles that a packet waits in an input frame before it counts as stalled and may move to the multiqueue"),
    key("decision_latency_cycles", |it| &mut it.decision_latency_cycles, CYCLES, "3", "cycles from a decision until the head is in its new frame"),
    key("input_release_cycles", |it| &mut it.input_release_cycles, CYCLES, "decision_latency_cycles + packet_words; chinn-1995-b, chaos-chip: 1 less", "cycles from the decision that releases an input frame until a neighbour one cycle away can send into it again; at least decision_latency_cycles + packet_words - 1"),
    key("output_reopen_cycles", |it| &mut it.output_reopen_cycles, WAIT, "0; chinn-1995-b, chaos-chip: 1", "cycles from an output frame's being empty, its last word gone, until it can be decided on again"),
    key_apart("scan_order", Allowed::List(0, usize::MAX, &Allowed::AnyText), "[\"south\", \"north\", \"east\", \"west\"], then further ports by number", "the order in which output frames are scanned: each link port once. By number they are north, east, south, west, then -d3, +d3 in the third dimension and so on; on a line east, west"),
    key("initial_pointer", |it| &mut it.initial_pointer, Allowed::Choice(InitialPointer::NAMES), "\"fixed\"", "where the scan begins: on the first port of the order, or on a random one at each node"),
    key("multiqueue_policy", |it| &mut it.multiqueue_policy, Allowed::Choice(MultiqueuePolicy::NAMES), "\"oldest-first\"", "which multiqueue packet goes, of those for which an output is productive"),
    key("derouting", |it| &mut it.derouting, Allowed::Truth, "true", "whether a full multiqueue sends a random packet through an unproductive port"),
    only_with("router.chaos.derouting = true", key("deroute_among", |it| &mut it.deroute_among, Allowed::Choice(DerouteAmong::NAMES), "\"ready\"", "which packets of a full multiqueue that one is drawn among: those whose heads are ready, or all")),
    key("multiqueue_freed_at", |it| &mut it.multiqueue_freed_at, Allowed::Choice(MultiqueueFreed::NAMES), "\"decision\"", "when a multiqueue frame can take the next packet: at the decision that sends its packet to an output frame, or once the packet's last word has left it"),
    key("bypass", |it| &mut it.bypass, Allowed::Truth, "true", "whether a packet may go from an input frame straight to an output frame"),
    key("cut_through", |it| &mut it.cut_through, Allowed::Truth, "true", "whether a head may move on before its tail has come; otherwise packets are stored in each frame first"),
    key("delivery", |it| &mut it.delivery, Allowed::Choice(Delivery::NAMES), "\"frame\"", "how a packet leaves at its destination: through the delivery frame, or when its head arrives"),
];

impl ChaosParameters {
    /// The router of Chinn 1995, section 4.1, on nodes with `ports` links: packets of 10 words, a
    /// multiqueue of 5 frames.
    pub fn chinn_1995(ports: usize) -> ChaosParameters {
        ChaosParameters {
            packet_words: 10,
            multiqueue_frames: 5,
            stall_threshold_cycles: 7,
            decision_latency_cycles: 3,
            input_release_cycles: 13,
            output_reopen_cycles: 0,
            scan_order: ChaosParameters::usual_scan_order(ports),
            initial_pointer: InitialPointer::Fixed,
            multiqueue_policy: MultiqueuePolicy::OldestFirst,
            derouting: true,
            deroute_among: DerouteAmong::Ready,
            multiqueue_freed_at: MultiqueueFreed::Decision,
            bypass: true,
            cut_through: true,
            delivery: Delivery::Frame,
        }
    }

    /// The same in a second reading, which fits minimal Chaos' published times better: an output frame is decided on
    /// again a cycle after it is empty, an input frame is free as soon as its last word has left, and packets
    /// stall after one cycle.
    pub fn chinn_1995_b(ports: usize) -> ChaosParameters {
        ChaosParameters {
            stall_threshold_cycles: 1,
            input_release_cycles: 12,
            output_reopen_cycles: 1,
            ..ChaosParameters::chinn_1995(ports)
        }
    }

    /// The router chip (Bolding and Snyder 1992; Snyder's lecture, University of Washington, CSEP 524, 2002, slides 177
    /// to 185): packets and frames of 20 words, a multiqueue of 5 frames, 4 cycles per node, timed as in the second
    /// reading. Its links are half duplex: one at each side, whose direction alternates at the end of a packet.
    pub fn chaos_chip(ports: usize) -> ChaosParameters {
        ChaosParameters {
            packet_words: 20,
            input_release_cycles: 22,
            ..ChaosParameters::chinn_1995_b(ports)
        }
    }

    /// South, north, east, west on a plane (Chinn 1995); further ports, and those of a line, in the order of
    /// their numbers.
    pub fn usual_scan_order(ports: usize) -> Vec<Port> {
        crate::routes::ports_from([2, 0, 1, 3], ports)
    }

    /// The order in which output frames are scanned: each link port once.
    pub fn scan_order(&self) -> &[Port] {
        &self.scan_order
    }

    /// Sets the scan order.
    ///
    /// # Errors
    /// If it doesn't name each of the `ports` links once.
    pub fn set_scan_order(&mut self, order: Vec<Port>, ports: usize) -> Result<(), WrongValue> {
        let mut sorted: Vec<usize> = order.iter().map(|port| port.index()).collect();
        sorted.sort_unstable();
        if sorted != (0..ports).collect::<Vec<_>>() {
            let numbers: Vec<u8> = order.iter().map(|port| port.0).collect();
            let allowed = format!("each of the {ports} link ports once");
            return Err(WrongValue::new(
                "scan_order",
                format!("{numbers:?}"),
                allowed,
            ));
        }
        self.scan_order = order;
        Ok(())
    }

    /// Cycles from a head's arrival in a frame until it may move on.
    pub fn lag_cycles(&self) -> u32 {
        if self.cut_through {
            0
        } else {
            u32::from(self.packet_words) - 1
        }
    }

    /// How a packet leaves a node, as far as its neighbours depend on it.
    pub fn leaving(&self) -> Leaving {
        Leaving {
            words: self.packet_words,
            reopen_cycles: self.output_reopen_cycles,
            lag_cycles: self.lag_cycles(),
        }
    }

    /// The least value of `input_release_cycles`: a frame isn't free before its last word has left.
    pub fn least_release_cycles(&self) -> u32 {
        self.decision_latency_cycles + u32::from(self.packet_words) - 1
    }

    /// Checks everything that types don't.
    ///
    /// # Errors
    /// The first parameter that makes no sense.
    pub fn check(&self) -> Result<(), WrongValue> {
        flitwork_schema::check(KEYS, self)?;
        let range = (self.least_release_cycles().into(), MAX_CYCLES.into());
        let release = self.input_release_cycles.into();
        WrongValue::unless_within("input_release_cycles", release, range)
    }
}
