//! A packet's way through a network: when it came to each node, and when it left.
//!
//! What is followed is one of its words: the head, which shows the way to the others; or, where words go their own ways,
//! the one that arrives last.

use crate::gather::{Happening, Wanted, What};
use crate::timeline::{Branch, Timeline};
use flitwork_engine::{Ended, Simulation, TimeUnit};
use flitwork_node::Event;
use flitwork_types::{NodeId, Packet, PacketId, Port};

/// A packet's way, as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// The packet, as it is known last.
    pub packet: Packet,
    /// Its injection.
    pub injected: Happening,
    /// The nodes that it came to, its source first.
    pub stays: Vec<Stay>,
    /// Its delivery, if it has come to that.
    pub delivered: Option<Happening>,
    /// All that happened to it, in order.
    pub happened: Vec<Happening>,
    /// The word that is followed.
    pub word: u16,
}

/// A stay in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The node.
    pub node: NodeId,
    /// When the word arrived there.
    pub arrived: Happening,
    /// When it left, and where: over a link, or for the processor.
    pub left: Option<(Happening, Port)>,
    /// Whether it left through a port that leads away from its destination.
    pub deroute: bool,
}

impl Journey {
    /// The way of a packet to which this has happened, in order, since its injection; `None` without that.
    /// The simulation, anywhere in time, says how long links take.
    pub fn of(simulation: &dyn Simulation, happened: Vec<Happening>) -> Option<Journey> {
        let injected = happened.iter().find_map(|it| match it.what {
            What::Event(Event::Injected { packet }) => Some((*it, packet)),
            _ => None,
        });
        let (injected, packet) = injected?;
        let delivered = happened.iter().find_map(|it| match it.what {
            What::Event(Event::Delivered { packet }) => Some((*it, packet)),
            _ => None,
        });
        let packet = delivered.map_or(packet, |(_, packet)| packet);
        // Elsewhere all words age alike.
        let is_record = simulation.unit() == TimeUnit::Steps;
        let delivered_in_record = delivered.as_ref().filter(|_| is_record);
        let word = followed_word(&happened, &packet, |stays| {
            delivered_in_record.is_none_or(|(delivered, _)| {
                let took = age(simulation, (&injected, delivered), stays);
                took == packet.network_latency(delivered.cycle)
            })
        });
        Some(Journey {
            packet,
            injected,
            stays: stays(&happened, word),
            delivered: delivered.map(|(delivered, _)| delivered),
            happened,
            word,
        })
    }

    /// Whether something that happened to it concerns the packet, or the word that is followed, and no other word.
    pub fn is_of_its_word(&self, it: &Happening) -> bool {
        match it.what {
            What::Arrived { index, .. } | What::Word { index, .. } => index == self.word,
            What::Event(_) => true,
        }
    }

    /// The stay to which a packet wants to go from a node where it is at a time.
    pub(crate) fn next_stop(&self, node: NodeId, time: u64) -> Option<&Stay> {
        let is_there = |stay: &Stay| {
            let left = stay.left.is_none_or(|(left, _)| time <= left.time);
            stay.node == node && stay.arrived.time <= time && left
        };
        let place = self.stays.iter().position(is_there)?;
        self.stays.get(place + 1)
    }
}

/// Why a packet's way can't be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoJourney {
    /// The packet never enters the network.
    #[error("packet {}.{} never enters the network", .0.source, .0.serial)]
    Unknown(PacketId),
    /// It was to stop before it knew.
    #[error("stopped")]
    Stopped,
}

/// Follows a packet from a time at or before its injection. Stops at its delivery, at `end`, or where nothing more happens.
///
/// # Errors
/// If it isn't injected between these times.
pub fn follow(
    timeline: &mut Timeline,
    packet: PacketId,
    from: u64,
    end: u64,
) -> Result<Journey, NoJourney> {
    follow_while(timeline, packet, (from, end), &mut || true)
}

/// The same, as long as it is to go on: `go_on` is asked now and then.
///
/// # Errors
/// If it isn't injected between these times, or it was to stop.
pub fn follow_while(
    timeline: &mut Timeline,
    packet: PacketId,
    (from, end): (u64, u64),
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Journey, NoJourney> {
    let wanted = Wanted {
        events: true,
        words: true,
        arrivals: true,
        only: Some(packet),
        explain: None,
    };
    if !timeline.go_while(from, go_on) {
        return Err(NoJourney::Stopped);
    }
    let mut branch = timeline.copy_at(from, wanted);
    let happened = collect(&mut branch, end, timeline.cycle_time(), go_on);
    let happened = happened.ok_or(NoJourney::Stopped)?;
    Journey::of(branch.simulation(), happened).ok_or(NoJourney::Unknown(packet))
}

/// What happens until the packet is delivered; nothing if it is to stop.
fn collect(
    branch: &mut Branch,
    end: u64,
    cycle_time: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Vec<Happening>> {
    let mut all = Vec::new();
    let mut cycles = 64;
    while branch.now() < end {
        if !go_on() {
            return None;
        }
        let until = branch.now().saturating_add(cycles * cycle_time).min(end);
        let (happened, ended) = branch.advance(until);
        all.extend(happened);
        let is_delivered = |it: &Happening| matches!(it.what, What::Event(Event::Delivered { .. }));
        if all.last().is_some_and(is_delivered) || ended != Ended::Deadline {
            break;
        }
        cycles = (2 * cycles).min(1 << 13);
    }
    all.extend(branch.rest());
    Some(all)
}

/// The head or, where words travel alone, the word that completes the packet: the last to come to the destination, but for
/// records, where words in one step may have aged differently, and one that comes later may leave earlier. `completes` says
/// whose stays have led to the packet's latency.
fn followed_word(
    happened: &[Happening],
    packet: &Packet,
    completes: impl Fn(&[Stay]) -> bool,
) -> u16 {
    if !travel_alone(happened, packet) {
        return 0;
    }
    let at_home = happened.iter().filter(|it| it.node == packet.destination);
    let arrivals = at_home.filter_map(|it| match it.what {
        What::Arrived { index, .. } => Some(index),
        _ => None,
    });
    let mut from_last: Vec<u16> = arrivals.collect();
    from_last.reverse();
    let found = from_last
        .iter()
        .find(|word| completes(&stays(happened, **word)));
    *found.or(from_last.first()).unwrap_or(&0)
}

/// How long a word was in the network from the injection of its packet on: in each node by its own clock, and on links.
fn age(
    simulation: &dyn Simulation,
    (injected, delivered): (&Happening, &Happening),
    stays: &[Stay],
) -> u64 {
    let mut before = injected.cycle;
    let mut age = 0;
    for stay in stays {
        // What has come over a link begins to age in the next node.
        if age > 0 {
            before = stay.arrived.cycle;
        }
        let Some((left, port)) = &stay.left else {
            return age + u64::from(delivered.cycle.get() - before.get());
        };
        age += u64::from(left.cycle.get() - before.get());
        age += simulation.link_time(stay.node, *port);
    }
    age
}

/// Whether each word makes its own decisions: then each is a worm by itself.
fn travel_alone(happened: &[Happening], packet: &Packet) -> bool {
    happened.iter().any(|it| match it.what {
        What::Event(Event::Tail { words, .. }) => words < packet.words,
        _ => false,
    })
}

fn stays(happened: &[Happening], word: u16) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    for it in happened {
        match it.what {
            What::Arrived { index, .. } if index == word => stays.push(Stay {
                node: it.node,
                arrived: *it,
                left: None,
                deroute: false,
            }),
            What::Word { index, port, .. } if index == word => {
                if let Some(stay) = stays.last_mut().filter(|stay| stay.node == it.node) {
                    stay.left = Some((*it, port));
                }
            }
            What::Event(Event::Moved { deroute: true, .. }) => {
                if let Some(stay) = stays.last_mut().filter(|stay| stay.node == it.node) {
                    stay.deroute = true;
                }
            }
            _ => {}
        }
    }
    stays
}
