//! The run: it goes on, is copied where it stands, and is looked into.

use super::Plain;
use crate::engine::{answer_alike, bytes_of, copy_of, cycle_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Stopped};
use flitwork_node::{Probe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port, TerminalId};

impl<T: Topology + 'static, R: WordRouter + 'static, P: Probe + Send + 'static> Engine
    for Plain<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.probe), run(self, self.sources.demand), words(self));
    answer_alike!(self: cycles(self, self.sources.demand, self.stands_at), conclude());

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        self.catch_up();
        let until = cycle_of(until);
        self.stands_at = self.stands_at.max(until);
        self.cycles(until, control)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        copy_of! {
            Plain of self under probe;
            network now stands_at nodes packets sources under_way wire_ends
            deliveries steps outbox outbox_channels shuffle
        }
    }

    fn wake_source(&mut self, source: TerminalId) {
        self.sources.wake(source);
    }

    fn bytes(&self) -> usize {
        let nodes = bytes_of(&self.network.router, &self.nodes, &self.packets);
        nodes + self.under_way.bytes()
    }
}
