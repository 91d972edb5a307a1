//! What a node holds, by the details of its steps alone.

use flitwork_node::{Detail, Part, PassingWord, Place, Value, View};
use flitwork_router::wormhole::{Reallocation, WormholeParameters};
use flitwork_types::{Cycle, PacketId, Port, PortSet, Word};
use std::collections::{HashMap, VecDeque};

/// The words of a worm in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) packet: PacketId,
    /// The place in its packet of the first word that is there or comes next.
    pub(super) first: u16,
    pub(super) words: u16,
    /// The packet's length in words.
    pub(super) length: u16,
}

impl Run {
    /// Whether all of its words that haven't left are there.
    pub(super) fn is_whole(&self) -> bool {
        self.first + self.words == self.length
    }
}

/// A word in the switch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    due: Cycle,
    port: Port,
    channel: u8,
    packet: PacketId,
    index: u16,
}

/// One node.
#[derive(Clone)]
pub(super) struct Model {
    parameters: WormholeParameters,
    local: Port,
    held: HashMap<Place, VecDeque<Run>>,
    /// The room at the far end of each output lane that needs credits.
    room: HashMap<(Port, u8), u16>,
    /// Credits that count from a cycle on.
    ripening: Vec<(Cycle, Port, u8)>,
    /// The room in each local lane, as the source knows, and what it will know from a cycle on.
    source_room: Vec<u16>,
    returning: Vec<(Cycle, u8)>,
    crossing: Vec<Crossing>,
    /// Words that are on their way from the source to a lane: when they arrive, and the lane.
    entering: VecDeque<(Cycle, PacketId, Place)>,
}

impl Model {
    pub(super) fn new(parameters: &WormholeParameters, links: PortSet, local: Port) -> Model {
        let mut ports: Vec<Port> = links.iter().collect();
        if counts_ejection(parameters) {
            ports.push(local);
        }
        let channels = |port: Port| (0..parameters.vcs).map(move |channel| (port, channel));
        let room = ports.into_iter().flat_map(channels);
        Model {
            parameters: parameters.clone(),
            local,
            held: HashMap::new(),
            room: room.map(|lane| (lane, parameters.buffer_words)).collect(),
            ripening: Vec::new(),
            source_room: vec![parameters.buffer_words; parameters.vcs.into()],
            returning: Vec::new(),
            crossing: Vec::new(),
            entering: VecDeque::new(),
        }
    }

    /// The worms in a buffer.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &Run> {
        self.held.get(&place).into_iter().flatten()
    }

    /// All buffers with a worm.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let held = self.held.iter();
        held.filter(|(_, runs)| !runs.is_empty())
            .map(|(place, _)| *place)
    }

    /// Whether any of a packet is in the node.
    pub(super) fn holds(&self, packet: PacketId) -> bool {
        let mut runs = self.held.values().flatten();
        runs.any(|run| run.packet == packet)
    }

    /// The room at the far end of an output lane; `None` if it needs no credits.
    pub(super) fn room(&self, lane: (Port, u8)) -> Option<u16> {
        self.room.get(&lane).copied()
    }

    /// The credits that count before cycle `until` are there.
    pub(super) fn ripen(&mut self, until: Cycle) {
        for (_, port, channel) in self.ripening.extract_if(.., |(at, ..)| *at < until) {
            let room = self.room.get_mut(&(port, channel)).unwrap();
            *room += 1;
            assert!(*room <= self.parameters.buffer_words, "{port:?} {channel}");
        }
        for (_, channel) in self.returning.extract_if(.., |(at, _)| *at < until) {
            self.source_room[usize::from(channel)] += 1;
        }
    }

    /// The room in a local lane, as the source knows.
    pub(super) fn source_room(&self, channel: u8) -> u16 {
        self.source_room[usize::from(channel)]
    }

    /// The words of a packet that have come from the source and are neither in a lane nor on their way there.
    pub(super) fn at_source(&self, packet: PacketId) -> usize {
        let mut runs = self.at(Place::Input(self.local));
        let run = runs.find(|run| run.packet == packet);
        let entering = self.entering.iter().filter(|it| it.1 == packet);
        run.map_or(0, |run| run.words.into()) - entering.count()
    }

    /// The lane to which a packet's words go from the source, once the first of them has begun to.
    pub(super) fn way_in(&self, packet: PacketId) -> Option<Place> {
        let mut entering = self.entering.iter();
        let on_its_way = entering.find(|it| it.1 == packet).map(|it| it.2);
        let mut lanes =
            (0..self.parameters.vcs).map(|channel| Place::InputChannel(self.local, channel));
        on_its_way.or_else(|| lanes.find(|lane| self.at(*lane).any(|run| run.packet == packet)))
    }

    /// At the beginning of cycle `now` the node shows exactly this.
    pub(super) fn check(&mut self, now: Cycle, view: &View) {
        self.ripen(now);
        let mut shown = 0;
        for buffer in &view.buffers {
            let runs = self.at(buffer.place).map(|run| Part {
                packet: run.packet,
                first: run.first,
                words: run.words,
            });
            let runs: Vec<Part> = runs.collect();
            assert_eq!(buffer.held, runs, "cycle {now}, {}", buffer.place);
            shown += usize::from(!runs.is_empty());
            let words: u16 = runs.iter().map(|part| part.words).sum();
            let is_lane = matches!(buffer.place, Place::InputChannel(..));
            assert!(!is_lane || words <= self.parameters.buffer_words);
        }
        assert_eq!(shown, self.places().count(), "cycle {now}: {view:?}");
        let credits = view.credits.iter();
        let credits = credits.map(|it| ((it.port, it.channel), it.room as u16));
        assert_eq!(credits.collect::<HashMap<_, _>>(), self.room, "cycle {now}");
        for register in view.registers.iter().filter(|it| it.name == "wait") {
            let mut worms = self.at(register.at.unwrap());
            assert!(worms.next().is_some(), "{register:?} without a worm");
        }
        for (channel, room) in (0..).zip(&self.source_room) {
            let at = Some(Place::InputChannel(self.local, channel));
            let mut registers = view.registers.iter();
            let shown = registers.find(|it| it.name == "source's room" && it.at == at);
            assert_eq!(shown.unwrap().value, Value::Number((*room).into()));
        }
    }

    /// Words and credits that arrive, and words from the source that are in a lane from now on.
    pub(super) fn arrive(&mut self, now: Cycle, detail: &Detail, length: impl Fn(PacketId) -> u16) {
        match *detail {
            Detail::Arrived(PassingWord {
                port,
                channel,
                packet,
                index,
            }) => {
                let place = match port == self.local {
                    true => Place::Input(port),
                    false => Place::InputChannel(port, channel),
                };
                self.put(place, packet, index, length(packet));
            }
            Detail::Credited { port, channel } => {
                let from = now + self.parameters.credit_cycles;
                self.ripening.push((from, port, channel));
            }
            Detail::Shifted {
                packet,
                index,
                from,
                to,
            } => {
                let entered = self.entering.pop_front();
                assert_eq!(entered, Some((now, packet, to)), "a word enters a lane");
                self.take(from, packet, index);
                self.put(to, packet, index, length(packet));
            }
            Detail::Returned { .. } => panic!("{detail:?} before anything has left"),
        }
    }

    /// A word of a packet goes from the source to a lane.
    pub(super) fn enter(&mut self, now: Cycle, packet: PacketId, to: Place) {
        let Place::InputChannel(_, channel) = to else {
            panic!("{packet:?} enters {to}");
        };
        let room = &mut self.source_room[usize::from(channel)];
        *room = room.checked_sub(1).expect("a word needs room");
        let at = now + self.parameters.injection_cycles;
        self.entering.push_back((at, packet, to));
    }

    /// A word leaves its lane, and is under way.
    pub(super) fn cross(
        &mut self,
        now: Cycle,
        (packet, index): (PacketId, u16),
        (from, to): (Place, Place),
    ) {
        let Place::OutputChannel(port, channel) = to else {
            panic!("{packet:?} crosses to {to}");
        };
        self.take(from, packet, index);
        if let Place::InputChannel(port, channel) = from
            && port == self.local
        {
            let later = self.parameters.injection_cycles.max(1);
            self.returning.push((now + later, channel));
        }
        let crossing_cycles = self.parameters.crossing_cycles();
        if let Some(room) = self.room.get_mut(&(port, channel)) {
            *room = room.checked_sub(1).expect("a word needs room");
            if port == self.local {
                // Over a link to the processor, which takes it at once, and back.
                let back = now + crossing_cycles + 2 + self.parameters.credit_cycles;
                self.ripening.push((back, port, channel));
            }
        }
        self.crossing.push(Crossing {
            due: now + crossing_cycles,
            port,
            channel,
            packet,
            index,
        });
    }

    /// A word leaves the node: the first of those that have crossed to its port.
    pub(super) fn leave(&mut self, now: Cycle, port: Port, packet: PacketId, word: Word) {
        let first = self.crossing.iter().position(|it| it.port == port);
        let it = self.crossing.remove(first.expect("a word has crossed"));
        let left = (it.packet, it.index, it.channel);
        assert_eq!(left, (packet, word.index, word.channel), "{port:?}");
        assert!(it.due <= now, "{it:?} in cycle {now}");
    }

    fn put(&mut self, place: Place, packet: PacketId, index: u16, length: u16) {
        let runs = self.held.entry(place).or_default();
        match runs.back_mut().filter(|run| !run.is_whole()) {
            Some(run) => {
                assert_eq!((run.packet, run.first + run.words), (packet, index));
                run.words += 1;
            }
            None => {
                assert_eq!(index, 0, "{packet:?} begins at {place}");
                runs.push_back(Run {
                    packet,
                    first: 0,
                    words: 1,
                    length,
                });
            }
        }
    }

    fn take(&mut self, place: Place, packet: PacketId, index: u16) {
        let runs = self.held.get_mut(&place).expect("a word was there");
        let run = runs.front_mut().expect("a word was there");
        assert_eq!((run.packet, run.first), (packet, index), "{place}");
        (run.first, run.words) = (index + 1, run.words.checked_sub(1).unwrap());
        if run.first == run.length {
            runs.pop_front();
        }
    }
}

/// Whether words to the processor need credits, so that it matters.
fn counts_ejection(parameters: &WormholeParameters) -> bool {
    let trip = parameters.crossing_cycles() + 2 + parameters.credit_cycles;
    let is_short = trip <= parameters.buffer_words.into();
    let waits = parameters.reallocation == Reallocation::BufferEmpty;
    parameters.ejection_credits && (waits || !is_short)
}
