//! A model of what a node holds. It knows no router: it puts words where what is reported says they go.

use crate::clause::{Clause, equal, holds};
use crate::log::Report;
use flitwork_node::{Buffer, BufferState, Capacity, Detail, Part, PassingWord, Place, View};
use flitwork_types::{PacketId, Port, PortSet};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Debug;

/// A word: its packet, and its place in it.
pub(crate) type Held1 = (PacketId, u16);

/// What a node holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// The words in each place.
    words: HashMap<Place, BTreeSet<Held1>>,
    /// The room at the far end of each link's channels.
    rooms: HashMap<(Port, u8), u32>,
    /// Packets that have been delivered here. What still comes of them vanishes.
    delivered: HashSet<PacketId>,
    /// The node's buffers.
    buffers: HashSet<Place>,
    /// Whether a credit is for a packet or for a word.
    counts_packets: bool,
    local: Port,
}

impl Held {
    /// What a node holds at first: nothing, as `view` must say.
    pub(crate) fn new(view: &View, local: Port) -> Held {
        let inputs = view
            .buffers
            .iter()
            .filter(|buffer| matches!(buffer.place, Place::Input(_) | Place::InputChannel(..)));
        let mut capacities = inputs.map(|buffer| buffer.capacity);
        let rooms = view.credits.iter();
        let held = Held {
            rooms: rooms
                .map(|credit| ((credit.port, credit.channel), credit.room))
                .collect(),
            buffers: view.buffers.iter().map(|buffer| buffer.place).collect(),
            counts_packets: capacities.any(|it| matches!(it, Capacity::Packets(_))),
            local,
            ..Held::default()
        };
        equal!(Clause::Looks, view.words(), 0, "{view:?}");
        held
    }

    /// The room at the far end of a link.
    pub(crate) fn room(&self, port: Port) -> Option<u32> {
        self.rooms.get(&(port, 0)).copied()
    }

    /// Whether a channel of a link has no room.
    pub(crate) fn is_full(&self, port: Port) -> bool {
        let mut rooms = self.rooms.iter();
        rooms.any(|((of, _), room)| *of == port && *room == 0)
    }

    /// The words of a packet in a place.
    pub(crate) fn words_of(&self, packet: PacketId, place: Place) -> usize {
        let words = self.words.get(&place).into_iter().flatten();
        words.filter(|(of, _)| *of == packet).count()
    }

    /// Whether a packet whose words leave from a place needs no more credit: one is for a packet, and its head took it along.
    pub(crate) fn has_used_credit(&self, packet: PacketId, place: Place) -> bool {
        let words = self.words.get(&place).into_iter().flatten();
        let mut own = words.filter(|(of, _)| *of == packet);
        let is_headless = match own.next() {
            Some((_, first)) => *first > 0,
            None => self.heads().all(|(other, _)| other != packet),
        };
        self.counts_packets && is_headless
    }

    /// Whether words of several packets are in a place.
    pub(crate) fn has_several(&self, place: Place) -> bool {
        let words = self.words.get(&place);
        let ends = words.and_then(|words| words.first().zip(words.last()));
        ends.is_some_and(|(first, last)| first.0 != last.0)
    }

    /// Whether a word of a packet is anywhere.
    pub(crate) fn has(&self, packet: PacketId) -> bool {
        self.words.values().flatten().any(|(of, _)| *of == packet)
    }

    /// The packets whose heads are in the node, and where.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (PacketId, Place)> + '_ {
        let places = self.words.iter();
        let heads = places.flat_map(|(place, words)| words.iter().map(move |word| (*word, *place)));
        heads.filter_map(|((packet, index), place)| (index == 0).then_some((packet, place)))
    }

    /// Follows what is reported.
    pub(crate) fn follow(&mut self, report: &Report) {
        match *report {
            Report::Detail(Detail::Arrived(PassingWord {
                port,
                channel,
                packet,
                index,
            })) => {
                if !self.delivered.contains(&packet) {
                    let lane = Place::InputChannel(port, channel);
                    let place = match self.buffers.contains(&lane) {
                        true => lane,
                        false => Place::Input(port),
                    };
                    self.put(place, (packet, index));
                }
            }
            Report::Detail(Detail::Shifted {
                packet,
                index,
                from,
                to,
            }) => {
                self.take(from, (packet, index));
                self.put(to, (packet, index));
            }
            Report::Detail(Detail::Credited { port, channel }) => {
                *self.room_mut(port, channel) += 1;
            }
            Report::Detail(Detail::Returned { .. }) => {}
            Report::Word(port, packet, word) => {
                self.leave(port, word.channel, (packet, word.index));
                let counts = !self.counts_packets || word.flit.is_head();
                if port < self.local && counts && !self.rooms.is_empty() {
                    let room = self.room_mut(port, word.channel);
                    holds!(
                        Clause::Looks,
                        *room > 0,
                        "{packet:?} left at {port:?} without a credit"
                    );
                    *room -= 1;
                }
            }
            Report::Delivered(packet) => {
                for words in self.words.values_mut() {
                    words.retain(|(of, _)| *of != packet);
                }
                self.delivered.insert(packet);
            }
        }
    }

    fn room_mut(&mut self, port: Port, channel: u8) -> &mut u32 {
        let room = self.rooms.get_mut(&(port, channel));
        room.unwrap_or_else(|| {
            Clause::Looks.broken(format_args!("channel {channel} of {port:?} has no credits"))
        })
    }

    fn put(&mut self, place: Place, word: Held1) {
        let is_new = self.words.entry(place).or_default().insert(word);
        holds!(Clause::Looks, is_new, "{word:?} is at {place:?} already");
    }

    fn take(&mut self, place: Place, word: Held1) {
        let was_there = self.words.entry(place).or_default().remove(&word);
        holds!(
            Clause::Looks,
            was_there,
            "{word:?} isn't at {place:?}: {:?}",
            self.words
        );
    }

    /// A word leaves at a port: from the port's buffer, if there is one, or from wherever it is.
    fn leave(&mut self, port: Port, channel: u8, word: Held1) {
        let buffers = [Place::Output(port), Place::OutputChannel(port, channel)];
        let buffer = buffers.into_iter().find(|it| self.buffers.contains(it));
        let place = buffer.unwrap_or_else(|| {
            let places = self.words.iter();
            let mut places = places.filter(|(_, words)| words.contains(&word));
            let (place, _) = places
                .next()
                .unwrap_or_else(|| Clause::Looks.broken(format_args!("{word:?} is nowhere")));
            holds!(
                Clause::Looks,
                places.next().is_none(),
                "{word:?} is in two places"
            );
            *place
        });
        self.take(place, word);
    }

    /// The view holds the same words and the same credits.
    pub(crate) fn check(&self, view: &View, when: impl Debug) {
        let mut left: HashMap<Place, BTreeSet<Held1>> = self.words.clone();
        let mut places = HashSet::new();
        for buffer in &view.buffers {
            let place = buffer.place;
            holds!(
                Clause::Looks,
                places.insert(place),
                "{when:?}: {place:?} is there twice"
            );
            let here = left.remove(&place).unwrap_or_default();
            match place {
                Place::Assembly => check_assembly(buffer, &here, &when),
                _ => equal!(
                    Clause::Looks,
                    words_in(&buffer.held),
                    here,
                    "{when:?}: {place:?}"
                ),
            }
            check_room(buffer, &when);
        }
        equal!(Clause::Looks, places, self.buffers, "{when:?}");
        left.retain(|_, words| !words.is_empty());
        holds!(
            Clause::Looks,
            left.is_empty(),
            "{when:?}: {left:?} in no buffer"
        );
        let rooms = view.credits.iter();
        let rooms = rooms.map(|credit| ((credit.port, credit.channel), credit.room));
        equal!(
            Clause::Looks,
            rooms.collect::<HashMap<_, _>>(),
            self.rooms,
            "{when:?}"
        );
        equal!(
            Clause::Looks,
            view.credits.len(),
            self.rooms.len(),
            "{when:?}"
        );
    }
}

/// The words of parts, each once.
fn words_in(parts: &[Part]) -> BTreeSet<Held1> {
    let mut words = BTreeSet::new();
    for part in parts {
        for index in part.first..part.first + part.words {
            holds!(
                Clause::Looks,
                words.insert((part.packet, index)),
                "{parts:?}"
            );
        }
    }
    words
}

/// Words come together in any order: only their number is known.
fn check_assembly(buffer: &Buffer, here: &BTreeSet<Held1>, when: &impl Debug) {
    let mut counts: HashMap<PacketId, u16> = HashMap::new();
    here.iter()
        .for_each(|(packet, _)| *counts.entry(*packet).or_default() += 1);
    let parts = buffer.held.iter();
    let said: HashMap<PacketId, u16> = parts.map(|part| (part.packet, part.words)).collect();
    equal!(
        Clause::Looks,
        (said.len(), said),
        (buffer.held.len(), counts),
        "{when:?}"
    );
}

/// A buffer holds no more than it takes, and what doesn't take anything is empty. A packet stands in the central queue
/// until its last word has left, and no longer counts.
fn check_room(buffer: &Buffer, when: &impl Debug) {
    let words: u32 = buffer.held.iter().map(|part| u32::from(part.words)).sum();
    let is_within = match buffer.capacity {
        Capacity::Words(most) => words <= most,
        Capacity::Packets(most) => buffer.place == Place::Queue || buffer.held.len() as u32 <= most,
        Capacity::Unbounded => true,
    };
    holds!(Clause::Looks, is_within, "{when:?}: {buffer:?}");
    let is_closed = buffer.state != BufferState::Usual;
    holds!(
        Clause::Looks,
        !is_closed || buffer.held.is_empty(),
        "{when:?}: {buffer:?}"
    );
}

/// Credits are for the links that there are, and frames at ports that aren't there are missing.
pub(crate) fn check_links(view: &View, (links, there): (PortSet, PortSet), channels: u8) {
    let ports = view.credits.iter().map(|credit| credit.port);
    let per_link = view.credits.len() == links.len() * usize::from(channels);
    holds!(
        Clause::Looks,
        view.credits.is_empty() || per_link && ports.collect::<PortSet>() == links,
        "links at {links:?}: {view:?}"
    );
    holds!(
        Clause::Looks,
        view.credits.iter().all(|credit| credit.room > 0),
        "{view:?}"
    );
    for buffer in &view.buffers {
        let Some(port) = buffer.place.port() else {
            continue;
        };
        let is_missing = !there.contains(port);
        let says_so = buffer.state == BufferState::Missing;
        equal!(Clause::Looks, says_so, is_missing, "{buffer:?}");
    }
}
