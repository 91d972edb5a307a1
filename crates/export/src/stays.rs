//! Packets' stays in nodes, packet by packet.

use crate::error::ExportError;
use crate::job::{Done, Job, Progress};
use flitwork_debug::language::{Column, Columns, Kind, Row, packet_value};
use flitwork_debug::rows::{Nodes, unit_name};
use flitwork_debug::{Ended, Happening, Journey, Stay, TimeUnit, Wanted, What};
use flitwork_node::Event;
use flitwork_types::PacketId;
use std::collections::HashMap;

/// Cycles that are gathered at once.
const AT_ONCE_CYCLES: u64 = 64;

/// A column of a stay itself: its name, what it holds, what it says, and its value.
type Own = (
    &'static str,
    fn(&Nodes, TimeUnit) -> Kind,
    &'static str,
    fn(&StayRow<'_>) -> Option<i64>,
);

/// The columns that follow those of nodes.
#[rustfmt::skip]
const OWN: [Own; 14] = [
    ("hop", |_, _| Kind::Number("links"), "how many links it has crossed before", |it| Some(it.number as i64)),
    ("arrived", |_, unit| Kind::Number(unit_name(unit)), "when it came", |it| Some(it.stay().arrived.time as i64)),
    ("left", |_, unit| Kind::Number(unit_name(unit)), "when it left", |it| Some(it.left()? as i64)),
    ("stay", |_, unit| Kind::Number(unit_name(unit)), "for how long it stayed", |it| Some((it.left()? - it.stay().arrived.time) as i64)),
    ("from.port", |nodes, _| nodes.port_names(), "at which port it came", |it| it.arrival_port()),
    ("to.port", |nodes, _| nodes.port_names(), "at which port it left", |it| Some(it.stay().left?.1.0.into())),
    ("deroute", |_, _| Kind::Flag, "whether it left through a port that leads away from its destination", |it| Some(it.stay().deroute.into())),
    ("words", |_, _| Kind::Number("words"), "its length", |it| Some(it.journey.packet.words.into())),
    ("created", |_, _| Kind::Number("cycle"), "in which it was made", |it| Some(it.journey.packet.created.get().into())),
    ("injected", |_, _| Kind::Number("cycle"), "in which its head entered the injection frame", |it| Some(it.journey.packet.injected.get().into())),
    ("delivered", |_, _| Kind::Number("cycle"), "in which it was delivered", |it| Some(it.journey.delivered?.nominal.get().into())),
    ("latency", |_, _| Kind::Number("cycles"), "from its creation to its delivery", |it| Some(it.journey.delivered?.latency()? as i64)),
    ("hops", |_, _| Kind::Number("links"), "that it crossed on its whole way", |it| it.journey.delivered.map(|_| it.journey.packet.hops.into())),
    ("deroutes", |_, _| Kind::Number("links"), "those of them that led away from its destination", |it| it.journey.delivered.map(|_| it.journey.packet.deroutes.into())),
];

/// The columns of stays.
pub fn stay_columns(nodes: &Nodes, unit: TimeUnit) -> Columns {
    let packet = Column::new("packet", Kind::Packet, "its source and serial number");
    let mut columns = vec![packet];
    columns.extend(nodes.columns("node", "where it stays"));
    columns.extend(nodes.columns("source", "the node that made it"));
    columns.extend(nodes.columns("destination", "the node that it goes to"));
    let own = OWN.iter();
    columns.extend(own.map(|(name, kind, help, _)| Column::new(name, kind(nodes, unit), help)));
    Columns(columns)
}

/// A stay as a row.
#[derive(Clone, Copy, Debug)]
pub struct StayRow<'a> {
    /// The packet's way.
    pub journey: &'a Journey,
    /// Which stay of it.
    pub number: usize,
    /// The network's nodes.
    pub nodes: &'a Nodes,
}

impl StayRow<'_> {
    fn stay(&self) -> &Stay {
        &self.journey.stays[self.number]
    }

    /// When it left: where words travel alone, the last one is delivered as it arrives.
    fn left(&self) -> Option<u64> {
        let left = self.stay().left.map(|(left, _)| left.time);
        let is_last = self.number + 1 == self.journey.stays.len();
        let delivered = self.journey.delivered.filter(|_| is_last);
        left.or(delivered.map(|delivered| delivered.time))
    }

    fn arrival_port(&self) -> Option<i64> {
        match self.stay().arrived.what {
            What::Arrived(word) => Some(word.port.0.into()),
            _ => None,
        }
    }

    /// From when to when, in a file that holds what lies before a time.
    pub(crate) fn times(&self, until: u64) -> (u64, u64) {
        let from = self.stay().arrived.time;
        (from, self.left().unwrap_or(until).max(from))
    }
}

impl Row for StayRow<'_> {
    fn value(&self, column: usize) -> Option<i64> {
        let (each, packet) = (self.nodes.axes() + 1, &self.journey.packet);
        let Some(column) = column.checked_sub(1) else {
            return Some(packet_value(packet.id));
        };
        let of_node = column % each;
        match column / each {
            0 => return self.nodes.value(self.stay().node, of_node),
            1 => return self.nodes.terminal_value(packet.id.source, of_node),
            2 => return self.nodes.terminal_value(packet.destination, of_node),
            _ => {}
        }
        let (.., of) = OWN.get(column - 3 * each)?;
        of(self)
    }
}

/// What has happened to the packets in the network.
#[derive(Default)]
struct Ways {
    under_way: HashMap<PacketId, Vec<Happening>>,
    /// Packets that have been delivered, or lost: something may still be reported of the same time.
    delivered: Vec<PacketId>,
    words_travel_alone: bool,
}

impl Ways {
    fn put(&mut self, it: Happening) {
        let Some(packet) = it.packet() else {
            return;
        };
        match it.what {
            What::Event(Event::Delivered { .. } | Event::Lost { .. }) => {
                self.delivered.push(packet);
            }
            // Where the head shows the way, other words say nothing.
            What::Word(word) | What::Arrived(word)
                if word.index > 0 && !self.words_travel_alone =>
            {
                return;
            }
            _ => {}
        }
        // Its first word may arrive before it is said to be injected.
        self.under_way.entry(packet).or_default().push(it);
    }

    /// Takes the ways of packets that had been delivered before a stretch.
    fn take(&mut self, before: usize, nodes: &Nodes) -> Vec<Journey> {
        let delivered = self.delivered.drain(..before);
        let happened = delivered.filter_map(|packet| self.under_way.remove(&packet));
        happened.filter_map(|it| way(it, nodes)).collect()
    }

    /// The ways of all others, as far as they have come.
    fn rest(&mut self, nodes: &Nodes) -> Vec<Journey> {
        let mut rest: Vec<Journey> = self
            .under_way
            .drain()
            .filter_map(|(_, it)| way(it, nodes))
            .collect();
        rest.sort_by_key(|journey| (journey.injected.time, journey.packet.id));
        rest
    }
}

/// The way of a packet to which this has happened.
fn way(happened: Vec<Happening>, nodes: &Nodes) -> Option<Journey> {
    Journey::of(happened, |terminal| nodes.home(terminal))
}

/// Takes a way, its stays that are wanted, and the time before which all is known of it.
pub(crate) type Put<'p> = &'p mut dyn FnMut(&Journey, &[usize], u64) -> Result<(), ExportError>;

/// Gives each packet's way, with those of its stays that are wanted: packets in the order of their deliveries, and last
/// those that are still under way.
///
/// # Errors
/// Those of `put`.
pub(crate) fn each_journey(job: &mut Job<'_>, put: Put<'_>) -> Result<Done, ExportError> {
    let (from, to) = job.times;
    let wanted = Wanted {
        events: true,
        words: true,
        arrivals: true,
        ..Wanted::NOTHING
    };
    let begin = begin(job, from);
    let mut branch = job.timeline.copy_at(begin, wanted);
    let mut ways = Ways {
        words_travel_alone: job.about.words_travel_alone,
        ..Ways::default()
    };
    let stretch = AT_ONCE_CYCLES * job.timeline.cycle_time();
    let (mut count, mut is_whole, mut ended) = (0, true, Ended::Deadline);
    while branch.now() < to && ended == Ended::Deadline {
        let (time, before) = (branch.now(), ways.delivered.len());
        is_whole = (job.go_on)(Progress { time, count });
        if !is_whole {
            break;
        }
        let (happened, how) = branch.advance(time.saturating_add(stretch).min(to));
        ended = how;
        happened.into_iter().for_each(|it| ways.put(it));
        for journey in ways.take(before, job.nodes) {
            count += give(job, &journey, branch.now(), put)?;
            job.admit("stays", count, branch.now())?;
        }
    }
    if ended != Ended::Deadline {
        branch.rest().into_iter().for_each(|it| ways.put(it));
    }
    let until = branch.now().min(to);
    let left = ways.delivered.len();
    let last = ways.take(left, job.nodes);
    for journey in last.into_iter().chain(ways.rest(job.nodes)) {
        count += give(job, &journey, until, put)?;
        job.admit("stays", count, until)?;
    }
    Ok(Done {
        count,
        until,
        is_whole,
    })
}

/// Where one must begin to know the ways of the packets that are under way at a time.
fn begin(job: &mut Job<'_>, from: u64) -> u64 {
    if job.timeline.unit() != TimeUnit::Cycles {
        return 0;
    }
    job.timeline.go(from);
    let under_way = job.timeline.present().packets();
    let injected = under_way
        .iter()
        .map(|packet| u64::from(packet.injected.get()));
    injected.fold(from, u64::min)
}

/// Gives a way with those of its stays that are wanted; returns how many these are.
fn give(job: &Job<'_>, journey: &Journey, until: u64, put: Put<'_>) -> Result<u64, ExportError> {
    let is_wanted = |number: &usize| {
        let row = StayRow {
            journey,
            number: *number,
            nodes: job.nodes,
        };
        row.times(until).1 >= job.times.0 && job.filter.holds(&row)
    };
    let wanted: Vec<usize> = (0..journey.stays.len()).filter(is_wanted).collect();
    if !wanted.is_empty() {
        put(journey, &wanted, until)?;
    }
    Ok(wanted.len() as u64)
}
