//! The run that is debugged: where it stands, and what is seen of it there.

use crate::lookup::followed_from;
use crate::run::{Run, Use};
use flitwork_debug::heat::{Counting, Heat};
use flitwork_debug::language::{Columns, Filter};
use flitwork_debug::rows::{EventRow, Nodes, PacketRow, event_columns};
use flitwork_debug::search::{Gathered, Stopped, earlier, later};
use flitwork_debug::{
    Ended, Happening, Inside, TimeUnit, Timeline, Wanted, Why, counting_probe, follow_while,
    inside, why_while,
};
use flitwork_types::{Cycle, NodeId, Packet, PacketId};
use std::collections::HashMap;

/// Which way in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    On,
    Back,
}

/// Whether to go on with what takes long.
pub(super) type GoOn<'a> = &'a mut dyn FnMut() -> bool;

pub(super) struct Session<'a> {
    pub(super) run: &'a Run,
    pub(super) nodes: Nodes,
    pub(super) columns: Columns,
    timeline: Timeline,
    /// Where it stands: what lies before has happened.
    pub(super) time: u64,
    heat: Option<Heat>,
    inside: Option<Inside>,
    why: Option<(PacketId, Result<Why, String>)>,
    rows: Option<Vec<PacketRow>>,
    /// The time after the last event, once the run is known to be over.
    quiet: Option<u64>,
}

impl<'a> Session<'a> {
    pub(super) fn new(run: &'a Run, copies_bytes: usize) -> Session<'a> {
        let shape = &run.shape;
        let counting = Counting::new(shape, run.words_travel_alone);
        let simulation = run.repeats.begin(Use::Views, counting_probe(counting));
        let nodes = Nodes::new(shape);
        Session {
            columns: event_columns(&nodes, run.unit),
            nodes,
            timeline: Timeline::new(simulation, copies_bytes, run.cycle_time),
            run,
            time: 0,
            heat: None,
            inside: None,
            why: None,
            rows: None,
            quiet: None,
        }
    }

    pub(super) fn unit(&self) -> TimeUnit {
        self.timeline.unit()
    }

    /// A cycle in the unit of its time.
    pub(super) fn cycle_time(&self) -> u64 {
        self.timeline.cycle_time()
    }

    /// Before which time all has happened that ever will, as far as that is known, and the limit of time if it isn't.
    pub(super) fn end(&self) -> u64 {
        let over = self.timeline.over().map(|(at, _)| at);
        self.quiet.or(over).unwrap_or(self.run.end)
    }

    /// How it ends, if it has been run to its end.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.timeline.over().map(|(_, ended)| ended)
    }

    /// The first cycle of a node that has not been simulated.
    pub(super) fn local(&mut self, node: NodeId) -> Cycle {
        self.timeline.go(self.time);
        self.timeline.present().local(node)
    }

    /// Goes to a time, or to the end if that comes first. Stops before if it is to stop.
    pub(super) fn go(&mut self, time: u64, go_on: GoOn<'_>) -> Result<(), Stopped> {
        let time = time.min(self.run.end);
        self.timeline.go_while(time, go_on)?;
        if self.quiet.is_none() && self.timeline.over().is_some() {
            self.quiet = self.after_the_last(go_on)?;
        }
        self.time = time.min(self.end());
        Ok(())
    }

    /// The time after the last event of a run that is over.
    fn after_the_last(&mut self, go_on: GoOn<'_>) -> Result<Option<u64>, Stopped> {
        let Some((over, _)) = self.timeline.over() else {
            return Ok(None);
        };
        let wanted = Wanted {
            words: true,
            ..Wanted::EVENTS
        };
        let last = |all: &Gathered| all.happened.last().map(|it| it.time + 1);
        earlier(&mut self.timeline, over, wanted, go_on, last)
    }

    /// Goes to the end.
    pub(super) fn go_to_end(&mut self, go_on: GoOn<'_>) -> Result<(), Stopped> {
        self.go(self.run.end, go_on)
    }

    /// Goes by some cycles.
    pub(super) fn step(&mut self, way: Way, cycles: u64, go_on: GoOn<'_>) -> Result<(), Stopped> {
        let by = cycles.saturating_mul(self.cycle_time());
        let to = match way {
            Way::On => self.time.saturating_add(by),
            Way::Back => self.time.saturating_sub(by),
        };
        self.go(to, go_on)
    }

    /// The first time at which a node stands at a cycle of its own; `None` if it never comes there.
    pub(super) fn time_of(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        go_on: GoOn<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let end = self.run.end;
        self.timeline.time_of(node, cycle, end, go_on)
    }

    /// Goes to where the next event that is wanted is about to happen, or the last one before; returns it.
    pub(super) fn seek(
        &mut self,
        way: Way,
        wanted: Wanted,
        go_on: GoOn<'_>,
        is_it: impl Fn(&Happening, &Nodes) -> bool,
    ) -> Result<Option<Happening>, Stopped> {
        let (nodes, stands) = (&self.nodes, (self.time, self.run.end));
        let found = find(&mut self.timeline, way, stands, wanted, go_on, |all| {
            let mut happened = all.happened.iter();
            match way {
                Way::On => happened.find(|it| is_it(it, nodes)).copied(),
                Way::Back => happened.rfind(|it| is_it(it, nodes)).copied(),
            }
        })?;
        self.time = found.map_or(self.time, |found| found.time);
        Ok(found)
    }

    /// The same for an event for which a condition holds.
    pub(super) fn seek_where(
        &mut self,
        way: Way,
        filter: &Filter,
        go_on: GoOn<'_>,
    ) -> Result<Option<Happening>, Stopped> {
        let wanted = Wanted {
            words: true,
            arrivals: true,
            ..Wanted::EVENTS
        };
        self.seek(way, wanted, go_on, |happening, nodes| {
            filter.holds(&EventRow { happening, nodes })
        })
    }

    /// Goes to where a node's next step that decides something is about to be made, or the last one before.
    pub(super) fn seek_decision(
        &mut self,
        way: Way,
        node: NodeId,
        go_on: GoOn<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let decides = |it: &&flitwork_debug::Explained| !it.explanation.decisions.is_empty();
        let (wanted, stands) = (Wanted::steps_of(node), (self.time, self.run.end));
        let found = find(&mut self.timeline, way, stands, wanted, go_on, |all| {
            let mut explained = all.explained.iter().filter(decides);
            let found = match way {
                Way::On => explained.next(),
                Way::Back => explained.next_back(),
            };
            found.map(|it| it.time)
        })?;
        self.time = found.unwrap_or(self.time);
        Ok(found)
    }

    /// What nodes have counted in the cycles before the present.
    pub(super) fn heat(&mut self, cycles: u64) -> Option<&Heat> {
        let from = self.time.saturating_sub(cycles * self.cycle_time());
        let known = self.heat.as_ref();
        if known.is_none_or(|heat| (heat.from, heat.to) != (from, self.time)) {
            self.heat = self.timeline.heat(from, self.time, &mut || true);
        }
        self.heat.as_ref()
    }

    /// What a node holds now and decides next.
    pub(super) fn inside(&mut self, node: NodeId) -> Option<&Inside> {
        let known = self.inside.as_ref();
        if known.is_none_or(|inside| (inside.node, inside.time) != (node, self.time)) {
            self.inside = inside(&mut self.timeline, node, self.time, &mut || true).ok();
        }
        self.inside.as_ref()
    }

    /// The packets in the network, those that were made first before others, each with the node where it waits, if it
    /// does.
    pub(super) fn packets(&mut self) -> Vec<(Packet, Option<NodeId>)> {
        self.timeline.go(self.time);
        let present = self.timeline.present();
        let mut all = present.packets();
        all.sort_by_key(|packet| (packet.created, packet.id));
        // Of a packet's waits, the last counts.
        let waits = present.waits().into_iter();
        let places: HashMap<PacketId, NodeId> = waits.map(|it| (it.packet, it.node)).collect();
        let place = |packet: Packet| (packet, places.get(&packet.id).copied());
        all.into_iter().map(place).collect()
    }

    /// What has happened in a node in the cycles before the present, and what will in those after it.
    pub(super) fn events_around(&mut self, node: NodeId, cycles: u64) -> Vec<Happening> {
        let by = cycles * self.cycle_time();
        let from = self.time.saturating_sub(by);
        let mut branch = self.timeline.copy_at(from, Wanted::EVENTS);
        let (mut all, _) = branch.advance(self.time.saturating_add(by));
        all.retain(|it| it.node == node);
        all
    }

    /// Why a packet took as long as it did, or takes, up to the end of the run.
    pub(super) fn ask_why(&mut self, packet: PacketId, go_on: GoOn<'_>) -> Result<(), String> {
        if self.why(packet).is_none() {
            self.why = Some((packet, self.explain(packet, go_on)));
        }
        match self.why(packet) {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// The same, if it has been asked.
    pub(super) fn why(&self, packet: PacketId) -> Option<&Result<Why, String>> {
        let (known, found) = self.why.as_ref()?;
        (*known == packet).then_some(found)
    }

    /// If it couldn't be said why, it may be asked again.
    pub(super) fn forget_failure(&mut self) {
        self.why.take_if(|(_, found)| found.is_err());
    }

    fn explain(&mut self, packet: PacketId, go_on: GoOn<'_>) -> Result<Why, String> {
        let from = self.injected(packet, go_on)?;
        let end = self.run.end;
        let journey = follow_while(&mut self.timeline, packet, (from, end), go_on);
        let journey = journey.map_err(|error| error.to_string())?;
        let found = why_while(&mut self.timeline, journey, end, go_on);
        found.map_err(|stopped| stopped.to_string())
    }

    /// A time at or before a packet's injection.
    fn injected(&mut self, packet: PacketId, go_on: GoOn<'_>) -> Result<u64, String> {
        if self.run.is_record {
            return Ok(0);
        }
        self.timeline.go(self.time);
        let present = self.timeline.present().packets();
        let known = present.iter().find(|it| it.id == packet);
        let cycle = match known {
            Some(known) => Some(known.injected),
            None => self.row(packet, go_on)?,
        };
        Ok(followed_from(cycle, self.cycle_time()))
    }

    /// When a packet was injected, if that is known.
    fn row(&mut self, packet: PacketId, go_on: GoOn<'_>) -> Result<Option<Cycle>, String> {
        if self.rows.is_none() {
            self.rows = self.run.repeats.packets(&mut |_| go_on())?;
        }
        if self.rows.is_none() {
            return Err(Stopped.to_string());
        }
        let rows = self.rows.iter().flatten();
        let mut of_it = rows.filter(|row| row.packet() == Some(packet));
        Ok(of_it.next().and_then(|row| row.injected))
    }
}

/// What is found first after a time and before an end, or last before that time.
fn find<T>(
    timeline: &mut Timeline,
    way: Way,
    (time, end): (u64, u64),
    wanted: Wanted,
    go_on: GoOn<'_>,
    found: impl FnMut(&Gathered) -> Option<T>,
) -> Result<Option<T>, Stopped> {
    match way {
        Way::On => later(timeline, (time + 1, end), wanted, go_on, found),
        Way::Back => earlier(timeline, time, wanted, go_on, found),
    }
}
