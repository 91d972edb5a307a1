//! What a node keeps, and which of its packets stay. It decides nothing.

use super::{Kept, Lane, Node, Scheduled, Way};
use flitwork_node::{Capacity, Cause, Part, Place, Value, View, ViewBuilder, Witness};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets, Port};

impl<T: Topology> Scheduled<T> {
    /// All that a node holds at the beginning of a cycle: packets at their source, those that wait and, at their destination,
    /// those that have come in part. What passes through has left.
    pub(super) fn view(&self, state: &Node, packets: &Packets, now: Cycle) -> View {
        let mut view = ViewBuilder::default();
        let kept_in = |place| {
            let here = state.kept.iter();
            let here = here.filter(move |kept| self.place_of(kept) == place);
            here.map(|kept| Part::new(packets[kept.packet].id, kept.gone..kept.came))
        };
        let source = Place::Input(self.topology.local());
        view.buffer(source, Capacity::Unbounded, kept_in(source));
        let home = state
            .lanes
            .iter()
            .flatten()
            .filter(|lane| lane.at_destination());
        let home = home.map(|lane| Part::new(packets[lane.packet].id, 0..lane.came));
        view.buffer(Place::Assembly, Capacity::Unbounded, home);
        let waiting = self.schedule.waiting();
        if waiting > 0 {
            let capacity = Capacity::Packets(waiting);
            view.buffer(Place::Queue, capacity, kept_in(Place::Queue));
        }
        // Where each packet starts and when, and where each worm goes.
        for kept in &state.kept {
            let at = self.place_of(kept);
            view.register("leaves by", at, kept.port);
            let left = Value::Cycles(kept.start.since(now));
            view.register("starts after", at, left);
        }
        for (port, lane) in (0..).map(Port).zip(&state.lanes) {
            if let Some(Lane { packet, way, .. }) = lane {
                let at = Place::Input(port);
                view.register("worm", at, packets[*packet].id);
                view.register("goes to", at, self.place_ahead(*way));
            }
        }
        view.build()
    }

    fn place_ahead(&self, way: Way) -> Place {
        match way {
            Way::Link(port) => Place::Output(port),
            Way::Queue => Place::Queue,
            Way::Home => Place::Output(self.topology.local()),
        }
    }

    /// A packet stays whose start hasn't come.
    pub(super) fn tell_kept(
        &self,
        kept: &Kept,
        now: Cycle,
        (witness, packets): (&mut Witness, &Packets),
    ) {
        let place = self.place_of(kept);
        let cause = match place {
            Place::Queue => Cause::Schedule,
            _ => Cause::SourceQueue,
        };
        if kept.start > now {
            witness.stays(packets[kept.packet].id, place, cause, None);
        }
    }
}

impl Lane {
    fn at_destination(&self) -> bool {
        matches!(self.way, Way::Home)
    }
}
