//! The cycles of a replayed node, with the arrivals of its record.

use super::NodeRunner;
use crate::board::AnyLinks;
use crate::chunk_reader::Reads;
use crate::links::Links;
use crate::run::{Break, Run};
use crate::runner::{Awaited, TurnContext, TurnEnd};
use crate::timing::{Difference, Upcoming};
use flitwork_node::WordRouter;
use flitwork_topology::Topology;
use flitwork_trace::record::{Arrivals, Chunk, Corrupt};
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};

impl<T: Topology, R: WordRouter> NodeRunner<T, R> {
    /// Runs the next cycles of the record; returns [`TurnEnd::Ran`] if the node can continue.
    #[inline]
    pub(super) fn recorded_cycle(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        stop: Cycle,
    ) -> Result<TurnEnd, Box<Break>> {
        let Some(recorded) = &mut self.recorded else {
            return Ok(TurnEnd::Ran);
        };
        let next = recorded.next(self.cell.now());
        match next.map_err(|error| Box::new(Break::Record((*error).into())))? {
            Upcoming::Finished => {
                self.finish(run);
                return Ok(TurnEnd::Finished);
            }
            Upcoming::More => return Ok(TurnEnd::Waits(Awaited::Record)),
            Upcoming::Quiet(until) => self.pass(run, context, until.min(stop))?,
            Upcoming::Arrivals => {
                let arrivals = recorded.pending;
                let (node, now) = (self.cell.node(), self.cell.now());
                context
                    .links
                    .foretell(node, now, &arrivals, recorded.decoder.heads())?;
                self.awaited_port = self.fetch(&mut context.links, &arrivals);
                if let Some(port) = self.awaited_port {
                    return Ok(TurnEnd::Waits(Awaited::Message(port)));
                }
                self.take_recorded(run, context, &arrivals)?;
                self.step(run, context)?;
                self.compare_turns(now, arrivals.turns, context.wires.turns())?;
            }
        }
        Ok(TurnEnd::Ran)
    }

    /// Cycles until `until` in which nothing comes in, as a replay knows: runs one, or skips them all.
    fn pass(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        until: Cycle,
    ) -> Result<(), Box<Break>> {
        if let Some(recorded) = &self.recorded
            && (!recorded.owed.is_empty() || !recorded.free.is_empty())
        {
            self.take_recorded(run, context, &Arrivals::default())?;
            return self.step(run, context);
        }
        if !self.cell.is_injecting() && self.network.router.is_idle(self.cell.state()) {
            self.skip_to(until);
            return self.compare();
        }
        self.step(run, context)
    }

    /// Takes from the links what a replay is about to need; returns a port at which it has not arrived yet.
    fn fetch(&mut self, links: &mut AnyLinks<'_>, arrivals: &Arrivals) -> Option<Port> {
        let free = self.recorded.as_ref().map_or(0, |it| it.free.0);
        let wanted = arrivals.words.0 | arrivals.credits.0;
        for port in PortSet(wanted & !self.holding.0 & !free).iter() {
            let Some(message) = links.pop(port) else {
                return Some(port);
            };
            self.held[port.index()] = Some(message);
            self.holding.insert(port);
        }
        None
    }

    /// Takes in what the record says, if it agrees with what has arrived.
    fn take_recorded(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        arrivals: &Arrivals,
    ) -> Result<(), Box<Break>> {
        let (node, cycle) = (self.cell.node(), self.cell.now());
        let Some(recorded) = &mut self.recorded else {
            return Ok(());
        };
        for port in PortSet(arrivals.words.0 | arrivals.credits.0 | recorded.free.0).iter() {
            self.holding.remove(port);
            let held = self.held[port.index()].take();
            let Some(message) = held.or_else(|| context.links.pop(port)) else {
                continue;
            };
            if !recorded.free.contains(port)
                && let Err(difference) =
                    Difference::of_message((node, cycle), port, arrivals, &message)
            {
                recorded.give_up(port, *difference)?;
            }
            let latency = self.network.link_cycles(node, port);
            self.cell.receive(context.wires, port, &message, latency);
        }
        self.cell.take_turns(arrivals.turns, recorded.free);
        recorded.owed.extend(arrivals.injected.iter());
        let (mut place, mut tried) = (0, PortSet::EMPTY);
        while let Some(port) = recorded.owed.get(place).copied() {
            let at = self.cell.locals().place(port);
            let ask = |terminal, now| run.ask(terminal, now);
            let mut inject = |at| self.cell.inject(at, run.packet_words, ask);
            if !tried.contains(port) && at.is_some_and(&mut inject) {
                recorded.owed.remove(place);
            } else {
                place += 1;
                recorded.tolerate(Difference::no_injection((node, cycle), port))?;
            }
            tried.insert(port);
        }
        recorded.taken();
        Ok(())
    }

    /// Compares the links over which packets began to leave in `cycle` with those of the record.
    #[inline]
    fn compare_turns(
        &mut self,
        cycle: Cycle,
        said: PortSet,
        found: PortSet,
    ) -> Result<(), Box<Break>> {
        let Some(recorded) = &mut self.recorded else {
            return Ok(());
        };
        for port in PortSet(said.0 & !found.0 & !recorded.free.0).iter() {
            let difference = Difference::idle_turn(self.cell.node(), cycle, port);
            recorded.give_up(port, difference)?;
        }
        Ok(())
    }

    /// Compares the replay's digest with the record's, wherever the record has one.
    pub(super) fn compare(&mut self) -> Result<(), Box<Break>> {
        match &mut self.recorded {
            None => Ok(()),
            Some(recorded) => {
                Ok(recorded.compare(self.cell.node(), self.cell.now(), self.digest)?)
            }
        }
    }
}

impl<T: Topology, R: WordRouter> Reads for NodeRunner<T, R> {
    fn node(&self) -> NodeId {
        self.cell.node()
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        let recorded = self.recorded.as_mut();
        recorded.map_or(Ok(()), |recorded| recorded.decoder.push(chunk))
    }

    fn upto(&self) -> Cycle {
        let recorded = self.recorded.as_ref();
        recorded.map_or(Cycle::ZERO, |recorded| recorded.decoder.upto())
    }

    fn end(&mut self) -> Option<&mut Due> {
        self.recorded.as_mut().map(|recorded| &mut recorded.end)
    }
}
