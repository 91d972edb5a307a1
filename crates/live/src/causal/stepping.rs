//! The steps of a replay in causal time, one after another.

use super::CausalReplay;
use crate::folding::Folding;
use crate::timing::{Difference, Upcoming};
use flitwork_network::Message;
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::record::{Arrivals, Corrupt};
use flitwork_types::{Cycle, Moment, NodeId, Port, PortSet};
use std::cmp::Reverse;

impl<T: Topology + Clone + 'static, R: WordRouter + 'static> CausalReplay<T, R> {
    fn link(&self, node: NodeId, port: Port) -> usize {
        node.index() * self.network.topology.ports() + port.index()
    }

    /// It is a node's turn to make the step with a stamp, or to skip cycles with stamps below `until`.
    pub(super) fn turn(
        &mut self,
        node: NodeId,
        stamp: u64,
        until: u64,
    ) -> Result<(), Box<Difference>> {
        let now = self.nodes[node.index()].cell.now();
        loop {
            let recorded = &mut self.nodes[node.index()].recorded;
            let next = recorded
                .next(now)
                .map_err(|corrupt| wrong(node, now, *corrupt))?;
            match next {
                Upcoming::Finished => return Ok(()),
                Upcoming::More if !self.give_chunk(node)? => return Ok(()),
                Upcoming::More => {}
                Upcoming::Quiet(quiet) => return self.pass(node, stamp, (quiet, until)),
                Upcoming::Arrivals => break,
            }
        }
        let arrivals = self.nodes[node.index()].recorded.pending;
        for port in PortSet(arrivals.words.0 | arrivals.credits.0).iter() {
            let link = self.link(node, port);
            match self.links[link].front() {
                // Woken when it is sent.
                None => {
                    self.nodes[node.index()].awaited_port = Some(port);
                    return Ok(());
                }
                Some((sent, _)) if *sent >= stamp => {
                    self.due.push(Reverse((sent + 1, node.0)));
                    return Ok(());
                }
                Some(_) => {}
            }
        }
        self.take(node, &arrivals)?;
        self.step(node, stamp)?;
        // The links over which packets began to leave are those of the record.
        let idle = PortSet(arrivals.turns.0 & !self.wires.turns().0);
        match idle.iter().next() {
            Some(port) => Err(Box::new(Difference::idle_turn(node, now, port))),
            None => Ok(()),
        }
    }

    /// Gives a node's decoder the next part of its record, if there is one.
    fn give_chunk(&mut self, node: NodeId) -> Result<bool, Box<Difference>> {
        let state = &mut self.nodes[node.index()];
        let Some(chunk) = self.parts.chunk(node, state.chunks) else {
            return Ok(false);
        };
        state.chunks += 1;
        let pushed = state.recorded.decoder.push(chunk.clone());
        let now = state.cell.now();
        pushed.map_err(|corrupt| wrong(node, now, corrupt))?;
        Ok(true)
    }

    /// Cycles in which nothing arrives: makes one step, or skips those in which nothing can happen.
    fn pass(
        &mut self,
        node: NodeId,
        stamp: u64,
        (quiet, until): (Cycle, u64),
    ) -> Result<(), Box<Difference>> {
        let is_watched = self.watched == Some(node);
        let state = &mut self.nodes[node.index()];
        let is_idle = !state.cell.is_injecting() && self.network.router.is_idle(state.cell.state());
        if !is_idle || is_watched {
            return self.step(node, stamp);
        }
        let now = state.cell.now();
        let cycles = u64::from(quiet.since(now)).min(until - stamp);
        state.cell.skip_to(now + cycles as u32);
        state.stamp = stamp + cycles - 1;
        self.end_step(node)
    }

    /// Takes in what the record says.
    fn take(&mut self, node: NodeId, arrivals: &Arrivals) -> Result<(), Box<Difference>> {
        let cycle = self.nodes[node.index()].cell.now();
        for port in PortSet(arrivals.words.0 | arrivals.credits.0).iter() {
            let link = self.link(node, port);
            let Some((_, message)) = self.links[link].pop_front() else {
                continue;
            };
            Difference::of_message((node, cycle), port, arrivals, &message)?;
            let latency = self.network.link_cycles(node, port);
            let cell = &mut self.nodes[node.index()].cell;
            cell.receive(&mut self.wires, port, &message, latency);
        }
        let state = &mut self.nodes[node.index()];
        state.cell.take_turns(arrivals.turns, PortSet::EMPTY);
        let fixed = self.network.router.packet_words();
        for port in arrivals.injected.iter() {
            let ask = |terminal, now| self.workload.next(terminal, now);
            let place = state.cell.locals().place(port);
            if !place.is_some_and(|place| state.cell.inject(place, fixed, ask)) {
                return Err(Box::new(Difference::no_injection((node, cycle), port)));
            }
        }
        state.recorded.taken();
        Ok(())
    }

    /// Makes a node's step with a stamp, and sends what it sends.
    fn step(&mut self, node: NodeId, stamp: u64) -> Result<(), Box<Difference>> {
        let state = &mut self.nodes[node.index()];
        let now = state.cell.now();
        let moment = Moment::new(now, stamp);
        self.probe.tick(node, now, moment);
        let delivered = self.needs_deliveries.then_some(&mut self.delivered);
        let mut probe = Folding::new(&mut state.digest, &mut self.probe, delivered);
        state.cell.step(&self.network, &mut self.wires, &mut probe);
        state.stamp = stamp;
        for (cycle, packet) in self.delivered.drain(..) {
            let mut woken = Vec::new();
            let terminal = packet.destination;
            self.workload
                .delivered(terminal, &packet, cycle, &mut woken);
            state.cell.wake_source(terminal);
        }
        for port in self.wires.outgoing().iter() {
            let message = self.nodes[node.index()].cell.sent(&mut self.wires, port);
            self.send(node, port, stamp, message);
        }
        self.end_step(node)
    }

    fn send(&mut self, node: NodeId, port: Port, stamp: u64, message: Message) {
        let Some((far, far_port)) = self.network.topology.far(node, port) else {
            return;
        };
        let link = self.link(far, far_port);
        self.links[link].push_back((stamp, message));
        let receiver = &mut self.nodes[far.index()];
        if receiver.awaited_port == Some(far_port) {
            receiver.awaited_port = None;
            let next = receiver.stamp.max(stamp) + 1;
            self.due.push(Reverse((next, far.0)));
        }
    }

    /// A node has run up to a cycle: its digest is compared with the record's, and its next step planned.
    fn end_step(&mut self, node: NodeId) -> Result<(), Box<Difference>> {
        let state = &mut self.nodes[node.index()];
        let now = state.cell.now();
        state.recorded.compare(node, now, state.digest)?;
        self.due.push(Reverse((state.stamp + 1, node.0)));
        Ok(())
    }
}

fn wrong(node: NodeId, cycle: Cycle, corrupt: Corrupt) -> Box<Difference> {
    Box::new(Difference::at(node, cycle, corrupt.to_string()))
}
