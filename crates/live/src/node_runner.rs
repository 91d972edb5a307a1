//! A node in a live run: its cell, its arrivals, and what is recorded of it.

mod recorded;

use crate::board::AnyLinks;
use crate::ends::NodeEnd;
use crate::fault::{Cause, NodeFault};
use crate::folding::Folding;
use crate::links::{Links, Pushed};
use crate::options::{Rehearsal, RehearsalKind};
use crate::recording::Log;
use crate::run::{Break, Run};
use crate::runner::{Awaited, Runner, Turn, TurnContext, TurnEnd};
use crate::tally::Tally;
use crate::timing::{Difference, Recorded};
use flitwork_network::{Cell, Message, Network, Wires};
use flitwork_node::WordRouter;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{Arrivals, Head};
use flitwork_types::{Cycle, Due, Packet, Port, PortSet};
use std::sync::Arc;

/// A node with a router.
pub(crate) struct NodeRunner<T, R: WordRouter> {
    network: Arc<Network<T, R>>,
    pub(crate) cell: Cell<R::Node>,
    /// The digest of the cycles it has completed.
    pub(crate) digest: Digest,
    /// Its record, which says when messages arrive; in a live run they arrive when they are there.
    pub(crate) recorded: Option<Box<Recorded>>,
    pub(crate) log: Option<Log>,
    /// Messages that have arrived and may not be seen yet, and their ports.
    held: Box<[Option<Message>]>,
    holding: PortSet,
    /// Messages of the last cycle that did not fit into their channels.
    unsent: Vec<(Port, Message)>,
    /// The first cycle that it cannot begin, as far as it knows.
    limit: Due,
    /// Whether it counts as settled, and whether its source has closed.
    quiet: bool,
    closed: bool,
    finished: bool,
    rehearsal: Option<Rehearsal>,
    /// In a replay: the port at which what the record says has not arrived yet.
    awaited_port: Option<Port>,
    /// The arrivals of the current cycle.
    arrivals: Arrivals,
    /// What was delivered in it, where the traffic wants to know.
    delivered: Vec<(Cycle, Packet)>,
    /// Packets that its source has put into the network less those delivered to it.
    pub(crate) entered: i64,
}

impl<T: Topology, R: WordRouter> NodeRunner<T, R> {
    pub(crate) fn new(
        network: Arc<Network<T, R>>,
        cell: Cell<R::Node>,
        links: usize,
        recorded: Option<Box<Recorded>>,
        log: Option<Log>,
    ) -> NodeRunner<T, R> {
        NodeRunner {
            network,
            cell,
            digest: Digest::default(),
            recorded,
            log,
            held: vec![None; links].into(),
            holding: PortSet::EMPTY,
            unsent: Vec::new(),
            limit: Due::at(Cycle::ZERO),
            quiet: true,
            closed: false,
            finished: false,
            rehearsal: None,
            awaited_port: None,
            arrivals: Arrivals::default(),
            delivered: Vec::new(),
            entered: 0,
        }
    }

    pub(crate) fn rehearse(&mut self, rehearsal: Option<Rehearsal>) {
        self.rehearsal = rehearsal.filter(|rehearsal| rehearsal.node == self.cell.node());
    }

    fn take_turn(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        burst: u32,
    ) -> Result<TurnEnd, Box<Break>> {
        if let Some(log) = &mut self.log {
            log.close_if_asked();
        }
        let before = self.completed();
        let turn = self.cycles(run, context, self.cell.now() + burst);
        let completed = self.completed();
        if completed > before && !self.finished {
            run.publish(self.cell.node(), completed);
        }
        self.take_stock(run, context.tally);
        turn
    }

    /// The first cycle that is not completed: a cycle is completed once its messages are on their way.
    #[inline]
    fn completed(&self) -> Cycle {
        self.cell.now() - u32::from(!self.unsent.is_empty())
    }

    fn cycles(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        stop: Cycle,
    ) -> Result<TurnEnd, Box<Break>> {
        loop {
            if let Some(port) = self.send_rest(run, &mut context.links)? {
                return Ok(TurnEnd::Waits(Awaited::Room(port)));
            }
            if self.log.as_mut().is_some_and(|log| !log.send(false)) {
                return Ok(TurnEnd::Waits(Awaited::Writer));
            }
            let now = self.cell.now();
            if now >= run.end {
                if let Some(log) = &mut self.log
                    && !log.is_closed_for_good()
                {
                    log.close_for_good();
                    continue;
                }
                self.finish(run);
                return Ok(TurnEnd::Finished);
            }
            if now >= stop {
                return Ok(TurnEnd::Ran);
            }
            if self
                .rehearsal
                .is_some_and(|rehearsal| rehearsal.cycle <= now)
                && let Some(turn) = self.rehearse_now(&mut context.links)
            {
                return Ok(turn);
            }
            if self.recorded.is_some() {
                match self.recorded_cycle(run, context, stop)? {
                    TurnEnd::Ran => continue,
                    turn => return Ok(turn),
                }
            }
            if self.limit <= now {
                self.limit = run.limit(self.cell.node());
                if self.limit <= now {
                    return Ok(TurnEnd::Waits(Awaited::Neighbour));
                }
            }
            if self.free_cycle(run, context, stop)? {
                return Ok(TurnEnd::Idles);
            }
        }
    }

    fn finish(&mut self, run: &Run) {
        self.finished = true;
        run.publish(self.cell.node(), Due::NEVER);
    }

    /// Triggers a rehearsed fault; the rest of the run may continue or not.
    fn rehearse_now(&mut self, links: &mut AnyLinks<'_>) -> Option<TurnEnd> {
        let rehearsal = self.rehearsal.take()?;
        match rehearsal.kind {
            RehearsalKind::Panic => panic!("a rehearsed panic"),
            RehearsalKind::Close => {
                links.close();
                None
            }
            RehearsalKind::Die => Some(TurnEnd::Dies),
        }
    }

    /// Sends what did not fit before; returns a port that is still full.
    fn send_rest(
        &mut self,
        run: &Run,
        links: &mut AnyLinks<'_>,
    ) -> Result<Option<Port>, Box<Break>> {
        while let Some((port, message)) = self.unsent.last() {
            match links.push(*port, *message) {
                Pushed::Gone => self.unsent.pop(),
                Pushed::Full => return Ok(Some(*port)),
                Pushed::Closed => {
                    let (node, port) = (self.cell.node(), *port);
                    let far = run.far(node, port).map_or(node, |(far, _)| far);
                    return Err(Box::new(Break::Fault(NodeFault {
                        node,
                        cycle: self.cell.now() - 1,
                        cause: Cause::Closed { port, far },
                    })));
                }
            };
        }
        Ok(None)
    }

    /// A cycle of a free-running node: whatever has arrived by now is seen. Returns whether the node has nothing more
    /// to do on its own and nothing holds it back: it must not run far ahead of nodes that do have something to do.
    #[inline]
    fn free_cycle(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        stop: Cycle,
    ) -> Result<bool, Box<Break>> {
        let (node, now) = (self.cell.node(), self.cell.now());
        let mut next_visible = Due::NEVER;
        for port in PortSet(context.links.waiting().0 | self.holding.0).iter() {
            let held = self.held[port.index()].take();
            let Some(message) = held.or_else(|| context.links.pop(port)) else {
                continue;
            };
            // A node may lead by the slack, and so may its messages; each is seen as soon as it is there.
            let latency = self.network.link_cycles(node, port);
            let visible = message.sent + latency - run.slack.unwrap_or(u32::MAX);
            if visible <= now {
                self.holding.remove(port);
                self.receive(run, context.wires, port, &message, context.tally);
            } else {
                self.holding.insert(port);
                self.held[port.index()] = Some(message);
                next_visible = next_visible.min(visible.into());
            }
        }
        if now < run.inject_until {
            self.inject(run, context.tally);
        }
        let injects_at = self.cell.injects_at(run.inject_until);
        if self.arrivals == Arrivals::default()
            && !self.cell.is_injecting()
            && self.network.router.is_idle(self.cell.state())
        {
            let passes_at = self.cell.passes_at();
            if passes_at <= now {
                self.pass_rights(context);
                return Ok(false);
            }
            if run.slack.is_none() && self.closed {
                self.skip_to(now + 1);
                return Ok(true);
            }
            let acts = injects_at.min(next_visible).min(passes_at);
            let rehearsal = self.rehearsal.map_or(run.end, |rehearsal| rehearsal.cycle);
            let stop = stop.min(rehearsal).min(run.end);
            self.skip_to(acts.min(self.limit).at_latest(stop));
            return Ok(false);
        }
        self.step(run, context)?;
        Ok(false)
    }

    fn receive(
        &mut self,
        run: &Run,
        wires: &mut Wires,
        port: Port,
        message: &Message,
        tally: &mut Tally,
    ) {
        // The right to send alone leaves a node settled.
        if message.word.is_some() || message.credit.is_some() {
            self.become_busy(run, tally);
        }
        if message.word.is_some() {
            tally.taken += 1;
            self.arrivals.words.insert(port);
        }
        let header = message.word.and_then(|word| word.header);
        if let (Some(log), Some(packet)) = (&mut self.log, &header)
            && log.wants_heads()
        {
            let topology = &self.network.topology;
            let entry = topology.entry(packet.id.source);
            let shortest = topology.distance(entry, self.cell.node());
            log.head(&Head {
                packet: packet.id,
                extra_hops: packet.hops.wrapping_sub(shortest as u16),
                deroutes: packet.deroutes,
            });
        }
        if message.credit.is_some() {
            self.arrivals.credits.insert(port);
        }
        let latency = self.network.link_cycles(self.cell.node(), port);
        self.cell.receive(wires, port, message, latency);
    }

    /// Sources that can begin a packet do.
    #[inline]
    fn inject(&mut self, run: &Run, tally: &mut Tally) {
        let ask = |terminal, now| run.ask(terminal, now);
        for place in 0..self.cell.locals().all().len() {
            if !self.cell.inject(place, run.packet_words, ask) {
                continue;
            }
            self.become_busy(run, tally);
            let port = self.cell.locals().all()[place].port;
            self.arrivals.injected.insert(port);
            if self.network.router.credit_words().is_none() {
                run.count_packet(1);
            }
        }
    }

    fn become_busy(&mut self, run: &Run, tally: &mut Tally) {
        if self.quiet {
            self.quiet = false;
            run.settle(self.cell.node(), false);
            tally.become_busy(run);
        }
    }

    /// Updates whether the node counts as settled in the run, and its source as closed.
    fn take_stock(&mut self, run: &Run, tally: &mut Tally) {
        if self.recorded.is_some() {
            return;
        }
        let settled = self.unsent.is_empty()
            && !self.cell.is_injecting()
            && self.network.router.is_settled(self.cell.state());
        let over = !self.cell.locals().are_open() || self.cell.now() >= run.inject_until;
        if settled && !self.closed && over {
            self.closed = true;
            run.settle(self.cell.node(), self.quiet);
            run.close_source();
        }
        if settled && !self.quiet {
            self.quiet = true;
            run.settle(self.cell.node(), self.closed);
            tally.become_quiet(run);
        }
    }

    /// Steps the cell, records what arrived, and sends what goes out.
    #[inline]
    fn step(&mut self, run: &Run, context: &mut TurnContext<'_>) -> Result<(), Box<Break>> {
        // What has been taken from the channels may have been sent after a mark: then this cycle is after it
        // too.
        if let Some(log) = &mut self.log {
            log.close_if_asked();
        }
        let mut digest = self.digest;
        let delivered = run.needs_deliveries.then_some(&mut self.delivered);
        let mut probe = Folding::new(&mut digest, context.probe, delivered);
        let now = self.cell.now();
        self.cell.step(&self.network, context.wires, &mut probe);
        let (packets_in, packets_out) = (probe.packets_in, probe.packets_out);
        self.entered += packets_in - packets_out;
        self.digest = digest;
        if !self.delivered.is_empty() {
            run.report_delivered(&self.delivered);
            let mut opens = false;
            for (_, packet) in self.delivered.drain(..) {
                opens |= self.cell.wake_source(packet.destination);
            }
            if opens && self.closed && self.cell.now() < run.inject_until {
                self.closed = false;
                run.settle(self.cell.node(), false);
                run.open_source();
            }
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.turns = context.wires.turns();
        if let Some(log) = &mut self.log {
            log.cycle(now, &arrivals);
            log.pass(now, now + 1, self.digest);
        }
        self.send(context);
        if packets_out != 0
            && self.network.router.credit_words().is_none()
            && self.recorded.is_none()
        {
            run.count_packet(-packets_out);
        }
        self.compare()
    }

    /// Sends what the last cycle has put on the wires.
    #[inline]
    fn send(&mut self, context: &mut TurnContext<'_>) {
        for port in context.wires.outgoing().iter() {
            let message = self.cell.sent(context.wires, port);
            context.tally.words += u64::from(message.word.is_some());
            if !self.unsent.is_empty() || context.links.push(port, message) != Pushed::Gone {
                self.unsent.push((port, message));
            }
        }
    }

    /// A cycle in which the node only passes on rights to send over half-duplex links.
    fn pass_rights(&mut self, context: &mut TurnContext<'_>) {
        let now = self.cell.now();
        if let Some(log) = &mut self.log {
            // As in a step: these rights may have been sent after a mark.
            log.close_if_asked();
            log.pass(now, now + 1, self.digest);
        }
        self.cell.pass_rights(context.wires);
        self.send(context);
    }

    fn skip_to(&mut self, until: Cycle) {
        if let Some(log) = &mut self.log {
            log.pass(self.cell.now(), until, self.digest);
        }
        self.cell.skip_to(until);
    }
}

impl<T: Topology, R: WordRouter> Runner for NodeRunner<T, R> {
    fn turn(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        burst: u32,
    ) -> Result<Turn, Box<Break>> {
        let before = self.cell.now();
        let end = self.take_turn(run, context, burst)?;
        let has_advanced = self.cell.now() != before;
        Ok(Turn { end, has_advanced })
    }

    fn now(&self) -> Cycle {
        self.cell.now()
    }

    fn end_log(&mut self) {
        // The writer ends when the last log is gone.
        if let Some(mut log) = self.log.take() {
            log.end(self.cell.now(), self.digest);
        }
    }

    fn lack(&self) -> Option<Difference> {
        let rest = "; nothing was sent there";
        let at = (self.cell.node(), self.cell.now());
        self.awaited_port
            .map(|port| Difference::at_port(at, port, "something comes in", rest))
    }

    fn do_without(&mut self) {
        if let (Some(difference), Some(port)) = (self.lack(), self.awaited_port.take())
            && let Some(recorded) = &mut self.recorded
        {
            // Only a node that isn't held to its record is asked to.
            let _ = recorded.give_up(port, difference);
        }
    }

    fn is_strict(&self) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.is_some_and(|recorded| recorded.strict)
    }

    fn ending(&self) -> NodeEnd {
        NodeEnd {
            node: self.cell.node(),
            cycle: self.cell.now(),
            digest: self.digest,
            lack: self.lack(),
            waits: self.cell.waits(&self.network.router),
            locals: self.cell.locals().clone(),
            entered: self.entered,
            impossible: self
                .recorded
                .as_ref()
                .and_then(|recorded| recorded.impossible.clone()),
        }
    }
}
