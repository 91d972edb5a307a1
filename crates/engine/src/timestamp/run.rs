//! The run: it goes on, is copied where it stands, and is looked into.

use super::TimestampEngine;
use crate::engine::{answer_alike, bytes_of, copy_of, cycle_of, waits_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Progress, Stopped};
use flitwork_node::{Probe, TimestampRouter, View, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port, TerminalId};

impl<T: Topology + 'static, R: TimestampRouter + 'static, P: Probe + Send + 'static> Engine
    for TimestampEngine<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.probe.probe), run(self, self.demand));
    answer_alike!(self: cycles(self, self.demand, self.probe.end));

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        let until = cycle_of(until);
        self.probe.go_on_until(until);
        self.later_credits.retain(|(_, _, comes)| *comes >= until);
        self.begin();
        let ended = self.cycles(until, control);
        self.probe.held_back.ended(ended)
    }

    fn conclude(&mut self, ended: Ended, control: Control<'_>) -> Outcome {
        let now = self.now;
        // Before the first step nothing has happened in cycle 0 yet.
        let cycle = if self.steps == 0 && ended == Ended::Interrupted {
            Cycle::ZERO
        } else {
            now + 1
        };
        let end = match ended {
            Ended::Interrupted => cycle,
            _ => self.demand.end,
        };
        let owed = match ended {
            Ended::Interrupted => self.take_back(end),
            _ => 0,
        };
        let mut remains = self.remains(end, &mut || control(Progress::counting(now)));
        remains.owed.packets += owed;
        let stopped = Stopped {
            ended,
            cycle,
            in_network: self.probe.deliveries.in_network(),
            steps: self.steps,
        };
        Outcome::of(self.demand.aim(), stopped, remains)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        copy_of! {
            TimestampEngine of self under self.probe.fork(probe);
            network demand now has_begun nodes packets later_credits due wheel signals turns waiting
            serials backlog steps
        }
    }

    fn premises(&self) -> Premises {
        Premises::of(&self.network)
    }

    /// A packet's stamps don't say where it was before: what has been decided is forgotten.
    fn look(&self, _: NodeId) -> Option<View> {
        None
    }

    /// As of the end of what has been simulated: what is known beyond it isn't counted.
    fn waits(&self) -> Vec<Wait> {
        let router = &self.network.router;
        let end = self.probe.end;
        let mut waits = waits_of(router, &self.nodes, &self.packets, |_| end);
        self.wait_without_foresight(&mut waits);
        waits
    }

    fn wake_source(&mut self, source: TerminalId) {
        if let Some(from) = self.waiting.remove(&source) {
            self.inject(source, from);
            self.settle();
        }
    }

    fn bytes(&self) -> usize {
        let nodes = bytes_of(&self.network.router, &self.nodes, &self.packets);
        nodes + size_of_val(&*self.due) + self.wheel.bytes() + 4 * self.nodes.len()
    }
}
