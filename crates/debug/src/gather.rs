//! The probe of a simulation that is looked into: events with their time, in order, none before its time.
//!
//! Engines may report an event ahead of its time: a delivery with the step that lets the last word go. Such an event is
//! kept until the simulation has come so far.

use crate::heat::Counts;
use flitwork_node::{Detail, Event, Explanation, PassingWord, Probe, Reported, View};
use flitwork_types::{Cycle, Moment, NodeId, Packet, PacketId, Port, Word};

/// Something that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// When, in the unit of its simulation.
    pub time: u64,
    /// Where.
    pub node: NodeId,
    /// In which of the node's own cycles.
    pub cycle: Cycle,
    /// Which cycle of the nominal clock that is, by which packets are made and delivered: the same without such a clock.
    pub nominal: Cycle,
    /// What.
    pub what: What,
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An event.
    Event(Event),
    /// A word has left over the link at a port, or for the processor.
    Word(PassingWord),
    /// A word has arrived over the link at a port, or from the source, by the receiver's clock.
    Arrived(PassingWord),
}

/// A step that has been explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// When the step began, in the unit of its simulation.
    pub time: u64,
    /// Where.
    pub node: NodeId,
    /// In which of the node's own cycles.
    pub cycle: Cycle,
    /// What the node held before it.
    pub view: View,
    /// What it decided.
    pub explanation: Explanation,
}

impl Happening {
    /// The packet that it is about; none where a frame is freed.
    pub fn packet(&self) -> Option<PacketId> {
        match &self.what {
            What::Event(
                Event::Injected { packet }
                | Event::Delivered { packet }
                | Event::Lost { packet, .. },
            ) => Some(packet.id),
            What::Event(
                Event::Moved { packet, .. }
                | Event::Head { packet, .. }
                | Event::Tail { packet, .. },
            )
            | What::Word(PassingWord { packet, .. })
            | What::Arrived(PassingWord { packet, .. }) => Some(*packet),
            What::Event(Event::Freed { .. }) => None,
        }
    }

    /// The packet, where it is delivered.
    pub fn delivered(&self) -> Option<&Packet> {
        match &self.what {
            What::Event(Event::Delivered { packet }) => Some(packet),
            _ => None,
        }
    }

    /// The packet and the port at which it left, where it is lost.
    pub fn lost(&self) -> Option<(&Packet, Port)> {
        match &self.what {
            What::Event(Event::Lost { packet, port }) => Some((packet, *port)),
            _ => None,
        }
    }

    /// A packet's latency, where it is delivered.
    pub fn latency(&self) -> Option<u64> {
        self.delivered().map(|packet| packet.latency(self.nominal))
    }

    /// By what happenings are put in order: time, node, and, where both are equal, as they were reported.
    fn order(&self) -> (u64, NodeId) {
        (self.time, self.node)
    }
}

/// What a run is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Its events, as fast as the engine gives them. What a node holds may be unknown, and words are reported only if the
    /// probe with which it begins wants them: copies are on the same engine.
    Events,
    /// What nodes hold and decide: words move one by one.
    Views,
}

/// What is to be gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Events.
    pub events: bool,
    /// Words as they leave.
    pub words: bool,
    /// Words as they arrive.
    pub arrivals: bool,
    /// Of nothing but this packet.
    pub only: Option<PacketId>,
    /// Each step of this node is to be explained.
    pub explain: Option<NodeId>,
}

impl Wanted {
    /// Nothing: only what is reported ahead is kept until its time.
    pub const NOTHING: Wanted = Wanted {
        events: false,
        words: false,
        arrivals: false,
        only: None,
        explain: None,
    };
    /// Events and no words.
    pub const EVENTS: Wanted = Wanted {
        events: true,
        ..Wanted::NOTHING
    };

    /// Nothing but the steps of a node, explained.
    pub const fn steps_of(node: NodeId) -> Wanted {
        Wanted {
            explain: Some(node),
            ..Wanted::NOTHING
        }
    }
}

/// The probe.
#[derive(Clone, Debug)]
pub(crate) struct Gatherer {
    wanted: Wanted,
    /// What nodes count, if that is wanted.
    counts: Option<Counts>,
    /// The time before which the simulation is to be run.
    until: u64,
    /// The moment of the step whose events come next, where nodes have clocks.
    moment: Option<Moment>,
    /// By how much the nominal clock's count leads that step's.
    lead: u32,
    /// What was reported ahead.
    ahead: Vec<Happening>,
    gathered: Vec<Happening>,
    explained: Vec<Explained>,
}

impl Gatherer {
    pub(crate) fn new(wanted: Wanted) -> Gatherer {
        Gatherer {
            wanted,
            counts: None,
            until: 0,
            moment: None,
            lead: 0,
            ahead: Vec::new(),
            gathered: Vec::new(),
            explained: Vec::new(),
        }
    }

    /// The same, and it counts.
    pub(crate) fn with(self, counts: Counts) -> Gatherer {
        Gatherer {
            counts: Some(counts),
            ..self
        }
    }

    /// What nodes count, if they do.
    pub(crate) fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }

    /// The same, mutably.
    pub(crate) fn counts_mut(&mut self) -> Option<&mut Counts> {
        self.counts.as_mut()
    }

    /// The probe of a copy of the simulation, from here on, for something else. Counts that go on with the run are kept
    /// in copies that are to be gone on with as the run.
    pub(crate) fn fork(&self, wanted: Wanted, keeps_counts: bool) -> Gatherer {
        Gatherer {
            wanted,
            counts: self
                .counts
                .as_ref()
                .filter(|_| keeps_counts)
                .map(Counts::fork),
            ahead: self.ahead.clone(),
            gathered: Vec::new(),
            explained: Vec::new(),
            ..*self
        }
    }

    /// The simulation is about to go on until a time.
    pub(crate) fn go_on(&mut self, until: u64) {
        self.until = until;
        let (wanted, gathered, counts) = (self.wanted, &mut self.gathered, &mut self.counts);
        self.ahead.retain(|happening| {
            let is_due = happening.time < until;
            if let Some(counts) = counts.as_mut().filter(|_| is_due) {
                count(counts, happening);
            }
            if is_due && wanted.wants(happening) {
                gathered.push(*happening);
            }
            !is_due
        });
    }

    /// Takes what has been gathered, in order.
    pub(crate) fn take(&mut self) -> Vec<Happening> {
        in_order(std::mem::take(&mut self.gathered))
    }

    /// Takes the steps that have been explained, in order.
    pub(crate) fn take_explained(&mut self) -> Vec<Explained> {
        std::mem::take(&mut self.explained)
    }

    fn time(&self, cycle: Cycle) -> u64 {
        self.moment.map_or(cycle.get().into(), |moment| moment.ps)
    }

    #[inline]
    fn put(&mut self, node: NodeId, cycle: Cycle, what: What) {
        let time = self.time(cycle);
        let happening = Happening {
            time,
            node,
            cycle,
            nominal: Cycle(cycle.0.wrapping_add(self.lead)),
            what,
        };
        if time >= self.until {
            self.ahead.push(happening);
            return;
        }
        if let Some(counts) = &mut self.counts {
            count(counts, &happening);
        }
        if self.wanted.wants(&happening) {
            self.gathered.push(happening);
        }
    }
}

/// Puts happenings in order.
///
/// Sorting them where they lie took two fifths of a Chaos network's run.
fn in_order(mut all: Vec<Happening>) -> Vec<Happening> {
    if all.is_sorted_by_key(Happening::order) {
        return all;
    }
    let first = all.iter().map(|it| it.time).min().unwrap_or(0);
    let last = all.iter().map(|it| it.time).max().unwrap_or(0);
    let nodes = all.iter().map(|it| it.node.0).max().unwrap_or(0);
    let bits = 32 - nodes.leading_zeros();
    if last - first > u64::from(u32::MAX) >> bits {
        all.sort_by_key(Happening::order);
        return all;
    }
    let key = |it: &Happening| ((it.time - first) << bits) as u32 | it.node.0;
    let mut places: Vec<(u32, u32)> = (0..).zip(&all).map(|(at, it)| (key(it), at)).collect();
    radsort::sort_by_key(&mut places, |(key, _)| *key);
    places.iter().map(|(_, at)| all[*at as usize]).collect()
}

#[inline]
fn count(counts: &mut Counts, it: &Happening) {
    match &it.what {
        What::Event(event) => counts.event(it.node, event),
        What::Word(word) => counts.word(it.node, word.port),
        What::Arrived(_) => {}
    }
}

impl Wanted {
    #[inline]
    fn wants(self, happening: &Happening) -> bool {
        let is_wanted = match &happening.what {
            What::Event(_) => self.events,
            What::Word(_) => self.words,
            What::Arrived(_) => self.arrivals,
        };
        is_wanted && (self.only.is_none() || happening.packet() == self.only)
    }
}

impl Probe for Gatherer {
    fn wants(&self, what: Reported) -> bool {
        match what {
            Reported::Events => true,
            Reported::Words => self.wanted.words || self.counts.is_some(),
            Reported::Details => self.wanted.arrivals || self.wanted.explain.is_some(),
            Reported::Buffered | Reported::Interventions => false,
        }
    }

    fn wants_explanation(&self, node: NodeId, _: Cycle) -> bool {
        self.wanted.explain == Some(node)
    }

    fn detail(&mut self, node: NodeId, cycle: Cycle, detail: Detail) {
        if let Detail::Arrived(word) = detail {
            self.put(node, cycle, What::Arrived(word));
        }
    }

    fn explained(&mut self, node: NodeId, cycle: Cycle, view: View, explanation: Explanation) {
        self.explained.push(Explained {
            time: self.time(cycle),
            node,
            cycle,
            view,
            explanation,
        });
    }

    #[inline]
    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.moment = Some(at);
        self.lead = at.reference.0.wrapping_sub(local.0);
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.put(node, cycle, What::Event(event));
    }

    #[inline]
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        let passing = PassingWord {
            port,
            channel: word.channel,
            packet,
            index: word.index,
        };
        self.put(node, cycle, What::Word(passing));
    }
}

#[cfg(test)]
mod tests {
    use super::{Happening, What, in_order};
    use flitwork_node::PassingWord;
    use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};
    use proptest::prelude::*;

    /// Numbers at the edges of what a key of 32 bits holds, and small ones, so that many are equal.
    fn numbers<T>(most: T) -> impl Strategy<Value = T>
    where
        T: Arbitrary + Clone + From<u8> + 'static,
    {
        prop_oneof![(0u8..4).prop_map(T::from), Just(most), any::<T>()]
    }

    proptest! {
        /// As if they had been sorted by time and node, and otherwise left as they were reported: their cycles number
        /// them.
        #[test]
        fn happenings_are_sorted_by_time_and_node_and_stay_as_reported(
            all in prop::collection::vec((numbers(u64::MAX), numbers(u32::MAX)), 0..60),
            is_near in any::<bool>(),
        ) {
            let happening = |(at, (time, node)): (u32, (u64, u32))| Happening {
                time: if is_near { time % 1000 } else { time },
                node: NodeId(if is_near { node % 300 } else { node }),
                cycle: Cycle(at),
                nominal: Cycle(at),
                what: What::Word(PassingWord {
                    port: Port(0),
                    channel: 0,
                    packet: PacketId { source: TerminalId(0), serial: at },
                    index: 0,
                }),
            };
            let all: Vec<Happening> = (0..).zip(all).map(happening).collect();
            let mut expected = all.clone();
            expected.sort_by_key(|it| (it.time, it.node, it.cycle));
            prop_assert_eq!(in_order(all), expected);
        }
    }
}
