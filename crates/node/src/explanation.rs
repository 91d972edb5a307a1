//! What a node's next step decides, and why.
//!
//! ```text
//!   what is given away      who could have it        how it is decided      who gets it
//!   (an output, a lane, ──▶ candidates, each with ──▶ a rule, perhaps a  ──▶ a winner; for each other
//!    the switch, …)         its place                 draw                   packet why it stays
//! ```
//!
//! An explanation is of one step, given what arrives in it. What it says is what the step then does.

use crate::{Place, Wait, WaitsFor};
use flitwork_types::{PacketId, Port};

/// What a node's next step decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What it decides, in its order. A step that has nothing to decide decides nothing.
    pub decisions: Vec<Decision>,
    /// What each packet in the node does whose head is there or, once that is gone, its foremost word, in the order of
    /// their places.
    pub packets: Vec<Doing>,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is given away.
    pub subject: Subject,
    /// By which rule.
    pub rule: &'static Rule,
    /// Those that could get it, in the order in which the rule prefers them or, if it doesn't, of their places.
    pub candidates: Vec<Candidate>,
    /// What was drawn, if the rule draws.
    pub draw: Option<Draw>,
    /// The candidate that gets it; `None` if none does.
    pub winner: Option<usize>,
}

/// What a decision gives away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A frame, a lane or a link: the winner moves there, or holds it from now on.
    Place(Place),
    /// The way through the switch to an output port, for a word.
    Switch(Port),
    /// A way out of the network at its destination, for a word or a packet.
    Ejection,
    /// A way into the network, from the source or back from a side buffer.
    Injection,
}

/// A rule that routers obey.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// A short name.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub summary: &'static str,
    /// Where it is published: paper and section, or the page that describes it.
    pub source: &'static str,
}

/// Declares the rules of a router in a file of theirs: each with what it is for, its [name](Rule::name), its
/// [summary](Rule::summary), and its [source](Rule::source).
///
/// ```
/// mod rules {
///     flitwork_node::rules! {
///         /// Who enters.
///         ENTER = "a link is left", "a packet enters if a link is left for it", "Chinn 1995, section 4.3";
///     }
/// }
/// assert_eq!(rules::ENTER.name, "a link is left");
/// ```
#[macro_export]
macro_rules! rules {
    ($($(#[$doc:meta])+ $rule:ident = $name:literal, $summary:literal, $source:literal;)+) => {
        $(
            $(#[$doc])+
            pub(super) static $rule: $crate::Rule = $crate::Rule {
                name: $name,
                summary: $summary,
                source: $source,
            };
        )+
    };
}

/// One that could get what a decision gives away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The packet.
    pub packet: PacketId,
    /// Where it is.
    pub from: Place,
    /// By what the rule compares it with others: the lower goes first. 0 where a draw decides among all.
    pub rank: u64,
    /// Whether it would leave through a port that isn't productive for it.
    pub deroute: bool,
}

/// A draw from a node's random stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// It is drawn from 0 to this, less one.
    pub below: u32,
    /// What was drawn.
    pub drawn: u32,
}

/// What a packet does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doing {
    /// The packet.
    pub packet: PacketId,
    /// Where its head or its foremost word is, or what is left of it where words of one packet go their own ways.
    pub place: Place,
    /// What it does there.
    pub what: What,
}

/// What a packet does in a step, or why it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A decision of this step lets it move, or it leaves.
    Moves {
        /// Where it goes.
        to: Place,
        /// Whether it is derouted.
        deroute: bool,
    },
    /// Its foremost word goes where an earlier decision lets the packet go, or one of this step: then the packet moves
    /// and sends, and is listed twice.
    Sends {
        /// Where the word goes.
        to: Place,
    },
    /// It stays.
    Stays {
        /// Why.
        cause: Cause,
        /// The packet without which it would not, as far as one packet is to blame: itself, if it is in its own way, as a
        /// head behind its own tail.
        culprit: Option<PacketId>,
    },
}

/// Declares the causes, and lists them with their names in tables and files.
macro_rules! causes {
    ($($(#[$doc:meta])+ $cause:ident: $name:literal,)+) => {
        /// Why a packet doesn't get on in a cycle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause {
            $($(#[$doc])+ $cause,)+
        }

        impl Cause {
            /// All causes, in the order in which they are listed.
            pub const ALL: [Cause; [$($name),+].len()] = [$(Cause::$cause),+];

            /// Its name in tables and files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Cause::$cause => $name,)+
                }
            }
        }
    };
}

causes! {
    /// It hasn't entered the network: others of its source come before it, or the injection frame isn't free.
    SourceQueue: "source queue",
    /// Nothing but the time that a stage takes.
    Pipeline: "pipeline",
    /// The time that a link takes.
    Link: "link",
    /// Its other words: the head has arrived, and they have not.
    WordsBehind: "words behind the head",
    /// All outputs that it may take are held by other packets.
    OutputTaken: "output taken",
    /// Another worm stands before it in the same buffer.
    BehindAnother: "behind another worm",
    /// The far end of its link has no room.
    NoCredit: "no credit",
    /// The node's central queue is full, so that nothing leaves an input frame.
    QueueFull: "multiqueue full",
    /// It could have gone, and another one was chosen.
    LostDecision: "lost decision",
    /// It holds no virtual channel, or its word didn't get the switch.
    ChannelOrSwitch: "channel or switch",
    /// It waits until it has stalled for long enough to go into the central queue.
    StallRule: "stall rule",
    /// The time that it takes to go a hop that doesn't bring it closer.
    Deroute: "deroute",
    /// It is at its destination and waits to leave the network.
    Ejection: "ejection",
    /// It waits at the border of two clocks, or for the right to send over a link.
    Crossing: "clock crossing",
    /// The cycle that a schedule names for it hasn't come.
    Schedule: "schedule",
}

impl Doing {
    /// A packet that waits stays.
    pub(crate) fn of_wait(wait: &Wait) -> Doing {
        Doing {
            packet: wait.packet,
            place: wait.place,
            what: What::Stays {
                cause: Cause::from(&wait.waits_for),
                culprit: None,
            },
        }
    }
}

impl Decision {
    /// One packet alone could get it, and does or doesn't.
    pub fn of_one(
        subject: Subject,
        rule: &'static Rule,
        packet: (PacketId, Place),
        gets: bool,
    ) -> Decision {
        Decision {
            winner: gets.then_some(0),
            ..Decision::in_order(subject, rule, [packet])
        }
    }

    /// The first of these packets gets it: those that could, each with its place, in the order of the rule.
    pub fn in_order(
        subject: Subject,
        rule: &'static Rule,
        packets: impl IntoIterator<Item = (PacketId, Place)>,
    ) -> Decision {
        let candidate = |(rank, (packet, from))| Candidate {
            packet,
            from,
            rank,
            deroute: false,
        };
        let candidates: Vec<Candidate> = (0..).zip(packets).map(candidate).collect();
        Decision {
            subject,
            rule,
            draw: None,
            winner: (!candidates.is_empty()).then_some(0),
            candidates,
        }
    }
}

impl From<&WaitsFor> for Cause {
    fn from(waits_for: &WaitsFor) -> Cause {
        match waits_for {
            WaitsFor::Neighbour(_) | WaitsFor::Room(..) => Cause::NoCredit,
            WaitsFor::Turn(_) => Cause::Crossing,
            WaitsFor::Outputs(_) => Cause::OutputTaken,
            WaitsFor::QueueRoom => Cause::QueueFull,
            WaitsFor::Channels(_) => Cause::ChannelOrSwitch,
            WaitsFor::Front => Cause::BehindAnother,
            WaitsFor::InputRoom => Cause::SourceQueue,
            WaitsFor::Nothing => Cause::Pipeline,
        }
    }
}

impl Explanation {
    /// What a packet does at a place.
    pub fn doing(&self, packet: PacketId) -> impl Iterator<Item = &Doing> {
        let doings = self.packets.iter();
        doings.filter(move |doing| doing.packet == packet)
    }

    /// The moves that the step reports: each packet that moves, from where, to where, and whether it is derouted.
    pub fn moves(&self) -> impl Iterator<Item = (PacketId, Place, Place, bool)> + '_ {
        self.packets.iter().filter_map(|doing| match doing.what {
            What::Moves { to, deroute } => Some((doing.packet, doing.place, to, deroute)),
            What::Sends { .. } | What::Stays { .. } => None,
        })
    }

    /// The words that go where their packets may go: each one's packet, from where, and to where.
    pub fn sends(&self) -> impl Iterator<Item = (PacketId, Place, Place)> + '_ {
        self.packets.iter().filter_map(|doing| match doing.what {
            What::Sends { to } => Some((doing.packet, doing.place, to)),
            What::Moves { .. } | What::Stays { .. } => None,
        })
    }
}
