//! Why a packet took as long as it did: each cycle has a cause, and at most one packet to blame.
//!
//! ```text
//!   created ──source queue──▶ injected ──┐            ┌── delivered
//!                                        ▼            │
//!   node:  arrives ──each step explained──▶ leaves ──link──▶ next node … destination ──words behind──▶
//! ```
//!
//! The charges add up to the latency. In a node a cycle is charged with what the node's step in that cycle says of the
//! packet ([`flitwork_node::Explanation`]); between nodes with the link; a hop that leads away from the destination with the deroute.

use crate::buffers::last_in;
use crate::gather::{self, Explained, Happening, Wanted};
use crate::journey::{Journey, Stay};
use crate::timeline::{Branch, Stopped, Timeline};
use flitwork_engine::TimeUnit;
use flitwork_node::{Cause, Doing, Place, What};
use flitwork_types::{Cycle, NodeId, PacketId};

/// A part of a packet's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// When it begins, in the unit of the run's time.
    pub time: u64,
    /// Where the packet is, or from where it goes.
    pub node: NodeId,
    /// How much it is: cycles, or ps where nodes have clocks.
    pub amount: u64,
    /// What it is due to.
    pub cause: Cause,
    /// The packet without which it would not be, as far as one is to blame.
    pub culprit: Option<PacketId>,
}

/// Where a packet's latency comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Its way.
    pub journey: Journey,
    /// Where its latency comes from, in order; together they are its latency, as far as it has come.
    pub charges: Vec<Charge>,
    /// A cycle in the unit of the run's time.
    pub(crate) cycle_time: u64,
}

impl Why {
    /// All charges together.
    pub fn total(&self) -> u64 {
        self.charges.iter().map(|charge| charge.amount).sum()
    }

    /// Where the packet to blame for a charge stands: in the same node or, if it takes the room at the far end of a link,
    /// in the next one. `None` for a charge without one.
    pub fn culprits_node(&self, charge: usize) -> Option<NodeId> {
        let charge = self.charges.get(charge)?;
        charge.culprit?;
        let far = self.journey.next_stop(charge.node, charge.time);
        match (charge.cause, far) {
            (Cause::NoCredit, Some(far)) => Some(far.node),
            _ => Some(charge.node),
        }
    }

    /// How long a charge takes in the run's time.
    pub fn takes(&self, charge: usize) -> u64 {
        let delivered = self.journey.delivered.map(|it| it.time);
        let next = self.charges.get(charge + 1).map(|next| next.time);
        let this = self.charges.get(charge);
        this.map_or(0, |this| {
            let until = next.or(delivered).unwrap_or(this.time + this.amount);
            until.saturating_sub(this.time)
        })
    }

    /// The charges of each cause, the largest first.
    pub fn by_cause(&self) -> Vec<(Cause, u64)> {
        let mut all: Vec<(Cause, u64)> = Cause::ALL
            .into_iter()
            .map(|cause| {
                let of_it = self.charges.iter().filter(|charge| charge.cause == cause);
                (cause, of_it.map(|charge| charge.amount).sum())
            })
            .filter(|(_, amount)| *amount > 0)
            .collect();
        all.sort_by_key(|(cause, amount)| (std::cmp::Reverse(*amount), *cause));
        all
    }
}

/// Explains a packet's latency along its way, up to its delivery or its loss, or to as far as it has come by `end`.
pub fn why(timeline: &mut Timeline, journey: Journey, end: u64) -> Why {
    why_while(timeline, journey, end, &mut || true).expect("nothing stops it")
}

/// The same, as long as it is to go on: `go_on` is asked now and then.
///
/// # Errors
/// [`Stopped`] if it was to stop.
pub fn why_while(
    timeline: &mut Timeline,
    journey: Journey,
    end: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Why, Stopped> {
    // Charges the source queue, and then stay after stay.
    let mut branch = timeline.copy_while(journey.injected.time, Wanted::NOTHING, go_on)?;
    let mut charging = Charging {
        by_time: timeline.unit() == TimeUnit::Picoseconds,
        cycle_time: timeline.cycle_time(),
        packet: journey.packet.id,
        charges: Vec::new(),
    };
    charging.source_queue(&journey);
    if let Some(first) = journey.stays.first() {
        charging.words_behind(first.node, &journey.injected, &first.arrived);
    }
    for (place, stay) in journey.stays.iter().enumerate() {
        if !go_on() {
            return Err(Stopped);
        }
        let next = journey.stays.get(place + 1);
        let until = match (&stay.left, &journey.delivered) {
            (Some((left, _)), _) => left.time,
            (None, Some(delivered)) => delivered.time,
            (None, None) => journey.lost.map_or(end, |lost| lost.time.min(end)),
        };
        let explained = explain_until(&mut branch, stay, until);
        match (&stay.left, &journey.delivered) {
            (None, Some(delivered)) => charging.last_stay(stay, &explained, delivered),
            _ => charging.stay(stay, &explained, until),
        }
        if let Some((left, port)) = &stay.left {
            match (next, &journey.delivered) {
                (Some(next), _) => {
                    let link = branch.simulation().link_time(stay.node, *port);
                    charging.link(stay, left, &next.arrived, link);
                }
                (None, Some(delivered)) => charging.words_behind(stay.node, left, delivered),
                (None, None) => {}
            }
        }
    }
    let mut charges = charging.charges;
    blame_far_ends(timeline, &journey, &mut charges);
    Ok(Why {
        journey,
        charges: merged(charges),
        cycle_time: timeline.cycle_time(),
    })
}

/// Who takes the room for which a packet waits at the far end of its link, as it is there at that time. While room that
/// has been freed is yet to be heard of, nobody does.
fn blame_far_ends(timeline: &mut Timeline, journey: &Journey, charges: &mut [Charge]) {
    let mut branch: Option<Branch> = None;
    for charge in charges {
        let is_open = charge.cause == Cause::NoCredit && charge.culprit.is_none();
        let Some(next) = journey
            .next_stop(charge.node, charge.time)
            .filter(|_| is_open)
        else {
            continue;
        };
        let branch = branch.get_or_insert_with(|| timeline.copy_at(charge.time, Wanted::NOTHING));
        if branch.now() < charge.time {
            branch.advance(charge.time);
        }
        charge.culprit = holder(branch, next, journey.packet.id);
    }
}

/// The packet that has come last into the buffer at which another arrives later.
fn holder(branch: &Branch, next: &Stay, packet: PacketId) -> Option<PacketId> {
    let gather::What::Arrived(word) = next.arrived.what else {
        return None;
    };
    let last = last_in(branch.simulation(), next.node, (word.port, word.channel));
    last.filter(|last| *last != packet)
}

/// Charges of one kind that follow each other are one.
fn merged(charges: Vec<Charge>) -> Vec<Charge> {
    let mut all: Vec<Charge> = Vec::new();
    for charge in charges {
        let kind = |it: &Charge| (it.node, it.cause, it.culprit);
        match all.last_mut().filter(|last| kind(last) == kind(&charge)) {
            Some(last) => last.amount += charge.amount,
            None => all.push(charge),
        }
    }
    all
}

/// The steps of the node of a stay, from the arrival on and before `until`.
fn explain_until(branch: &mut Branch, stay: &Stay, until: u64) -> Vec<Explained> {
    if branch.now() < stay.arrived.time {
        branch.advance(stay.arrived.time);
    }
    *branch = branch.turned_to(Wanted::steps_of(stay.node));
    branch.advance(until.max(stay.arrived.time));
    branch.explained()
}

struct Charging {
    /// Whether amounts are times, not cycles of nodes.
    by_time: bool,
    cycle_time: u64,
    packet: PacketId,
    charges: Vec<Charge>,
}

impl Charging {
    /// By what amounts are counted: a moment, or a node's own cycle.
    fn count(&self, it: &Happening) -> u64 {
        self.count_of(it.time, it.cycle)
    }

    fn count_of(&self, time: u64, cycle: Cycle) -> u64 {
        match self.by_time {
            true => time,
            false => cycle.get().into(),
        }
    }

    /// From its creation to its injection. Only the packet before it from the same source can have been in the way.
    fn source_queue(&mut self, journey: &Journey) {
        let created = journey.packet.created;
        let created = self.count_of(u64::from(created.get()) * self.cycle_time, created);
        let PacketId { source, serial } = self.packet;
        let before = serial
            .checked_sub(1)
            .map(|serial| PacketId { source, serial });
        let amount = self.count(&journey.injected).saturating_sub(created);
        let time = journey.injected.time.saturating_sub(amount);
        let node = journey.injected.node;
        self.charge(node, time, amount, (Cause::SourceQueue, before));
    }

    /// What each step in a node says of the packet, until it leaves or, if it hasn't, until now.
    fn stay(&mut self, stay: &Stay, explained: &[Explained], until: u64) {
        let is_over = explained.last().map(|it| u64::from(it.cycle.get()));
        let end = match (&stay.left, self.by_time) {
            (Some((left, _)), _) => self.count(left),
            (None, true) => until,
            (None, false) => is_over.map_or(0, |cycle| cycle + 1),
        };
        self.steps(stay, explained, end);
    }

    /// The stay at its destination of a word that doesn't leave it: there is nothing to say of it but that it waits for
    /// others.
    fn last_stay(&mut self, stay: &Stay, explained: &[Explained], delivered: &Happening) {
        let at_destination = explained
            .iter()
            .all(|it| doing(it, self.packet, stay).is_none());
        match at_destination {
            true => self.words_behind(stay.node, &stay.arrived, delivered),
            false => self.steps(stay, explained, self.count(delivered)),
        }
    }

    fn steps(&mut self, stay: &Stay, explained: &[Explained], end: u64) {
        let mut from = self.count(&stay.arrived);
        let mut said = (Cause::Pipeline, None);
        let mut time = stay.arrived.time;
        for it in explained {
            let at = self.count_of(it.time, it.cycle).clamp(from, end);
            self.charge(stay.node, time, at - from, said);
            (from, time) = (at, it.time);
            said = match doing(it, self.packet, stay).map(|doing| doing.what) {
                Some(What::Stays { cause, culprit }) => (cause, culprit),
                _ => (Cause::Pipeline, None),
            };
        }
        self.charge(stay.node, time, end.saturating_sub(from), said);
    }

    fn charge(
        &mut self,
        node: NodeId,
        time: u64,
        amount: u64,
        (cause, culprit): (Cause, Option<PacketId>),
    ) {
        if amount > 0 {
            self.charges.push(Charge {
                time,
                node,
                amount,
                cause,
                culprit,
            });
        }
    }

    /// From one node to the next.
    fn link(&mut self, stay: &Stay, left: &Happening, arrived: &Happening, link: u64) {
        let cause = match stay.deroute {
            true => Cause::Deroute,
            false => Cause::Link,
        };
        let all = match self.by_time {
            true => arrived.time.saturating_sub(left.time),
            false => link,
        };
        self.charge(stay.node, left.time, link.min(all), (cause, None));
        let rest = all.saturating_sub(link);
        self.charge(stay.node, left.time + link, rest, (Cause::Crossing, None));
    }

    /// From the moment in which the word has left for the processor, or has come home, until all have; and from the
    /// injection of the head until the word that is followed comes.
    fn words_behind(&mut self, node: NodeId, from: &Happening, to: &Happening) {
        let amount = self.count(to).saturating_sub(self.count(from));
        self.charge(node, from.time, amount, (Cause::WordsBehind, None));
    }
}

/// What a step says of a packet: where its head is, if it is said of more than one place.
fn doing(it: &Explained, packet: PacketId, stay: &Stay) -> Option<Doing> {
    let mut all = it.explanation.doing(packet);
    let first = all.next().copied()?;
    let heads = it.view.places(packet).filter(|(_, part)| part.first == 0);
    let head = heads.map(|(place, _)| place).last();
    let came = match stay.arrived.what {
        gather::What::Arrived(word) => Some(Place::Input(word.port)),
        _ => None,
    };
    let is_it =
        |doing: &&Doing| Some(doing.place) == head || head.is_none() && Some(doing.place) == came;
    let found = it.explanation.doing(packet).find(is_it).copied();
    Some(found.unwrap_or(first))
}
