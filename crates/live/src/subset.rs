//! Some nodes of a record, replayed without the others.
//!
//! A record may say which packets arrived at a node. Then nothing else is needed to replay the node: the words that
//! arrive are made from the record, and what it sends is discarded.

use crate::board::AnyLinks;
use crate::chunk_reader::{BadRecord, ChunkReader, Reads, trailer_or_cut};
use crate::fault::contain;
use crate::links::{Links, Pushed};
use crate::replay::{ReplayError, ReplayVerdict, last_difference, runner};
use crate::run::{Run, Stop, lock};
use crate::runner::{Awaited, Runner, TurnContext, TurnEnd};
use crate::tally::Tally;
use crate::timing::{Difference, Recorded};
use flitwork_engine::{Control, Progress};
use flitwork_network::{Carried, Demand, Message, Network, Wires, born};
use flitwork_node::{AnyProbe, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{Arrivals, Decoder, Head, Reader, Trailer};
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, Flit, NodeId, Packet, PacketId, Port, PortSet, TerminalId};
use std::io::{self, Read};
use std::sync::{Arc, Mutex};

/// How many cycles a node runs in a row.
const BURST_CYCLES: u32 = 1 << 14;

/// Which nodes are replayed, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsetOptions {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The replay ends when this node, one of them, begins this cycle.
    pub until: Option<(NodeId, Cycle)>,
}

/// A subset of nodes after its replay.
pub struct Subset {
    /// What each node did: its digest, and the first cycle that it has not run.
    pub nodes: Vec<(NodeId, Cycle, Digest)>,
    /// What the end of the record says; `None` if it is cut, or the replay ended before it.
    pub trailer: Option<Trailer>,
    /// How it compares with the record.
    pub verdict: ReplayVerdict,
    /// What observed them. A packet's latency and the cycle of its injection are not known here.
    pub probe: AnyProbe,
    /// What the packets in them wait for.
    pub waits: Vec<Wait>,
}

/// Every packet that sources have made so far.
struct Births {
    workload: Box<dyn Workload>,
    /// Those of each source, and how many of them it has put into the network.
    made: Vec<(Vec<Birth>, usize)>,
}

impl Births {
    /// The packet of this number of a source, if it makes that many.
    fn get(&mut self, source: TerminalId, serial: usize) -> Option<Birth> {
        let (made, _) = self.made.get_mut(source.index())?;
        while made.len() <= serial {
            made.push(self.workload.next(source, Cycle::ZERO).packet()?);
        }
        Some(made[serial])
    }
}

/// The sources of a replay, whose packets are looked up as well.
#[derive(Clone)]
struct Sources(Arc<Mutex<Births>>);

impl Workload for Sources {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let mut births = lock(&self.0);
        let Some((_, sent)) = births.made.get_mut(source.index()) else {
            return Offer::Never;
        };
        let serial = *sent;
        *sent += 1;
        births
            .get(source, serial)
            .map_or(Offer::Never, Offer::Packet)
    }

    fn sources(&self) -> Vec<TerminalId> {
        lock(&self.0).workload.sources()
    }

    fn fork(&self) -> Box<dyn Workload> {
        let births = lock(&self.0);
        let copy = Births {
            workload: births.workload.fork(),
            made: births.made.clone(),
        };
        Box::new(Sources(Arc::new(Mutex::new(copy))))
    }
}

/// The links of a node whose neighbours are absent.
struct Ends<'a> {
    topology: &'a dyn Topology,
    /// What links take that have no latency of their own.
    link_latency_cycles: u32,
    births: Sources,
    packet_words: u16,
    /// Words of the packet that is arriving at each port.
    came: Box<[u16]>,
    messages: Box<[Option<Message>]>,
    /// Whether packets start only towards a free frame.
    has_credits: bool,
    /// The ports whose input frame holds a packet, as far as the sender knows, and those whose frame at the
    /// far end holds one of this node's packets.
    taken: PortSet,
    far_taken: PortSet,
}

impl Ends<'_> {
    /// The packet as it was when its head arrived.
    fn packet(&self, node: NodeId, port: Port, head: &Head) -> Option<Packet> {
        let PacketId { source, serial } = head.packet;
        let birth = lock(&self.births.0).get(source, serial as usize)?;
        let entry = self.topology.entry(source);
        let shortest = self.topology.distance(entry, node) as u16;
        let own_cycles = self.topology.link_cycles(node, port);
        let latency_cycles = own_cycles.unwrap_or(self.link_latency_cycles);
        let fixed = Some(self.packet_words);
        Some(Packet {
            hops: head.extra_hops.wrapping_add(shortest),
            deroutes: head.deroutes,
            // What the link adds at its end is subtracted in advance.
            skew: latency_cycles as i32,
            ..born(head.packet, &birth, birth.created, fixed)
        })
    }

    /// Refuses arrivals that no neighbour which obeys the flow control would send: a packet to a frame that
    /// isn't free, or a credit for a packet that it didn't receive.
    fn check_credits(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        arrivals: &Arrivals,
        heads: &[(Port, Head)],
    ) -> Result<(), Box<Difference>> {
        let unasked = arrivals.credits.0 & !self.far_taken.0;
        if let Some(port) = PortSet(unasked).iter().next() {
            let rest = "; none was sent there";
            let unsent = Difference::at_port((node, cycle), port, "a credit arrives", rest);
            return Err(Box::new(unsent));
        }
        if let Some((port, _)) = heads.iter().find(|(port, _)| self.taken.contains(*port)) {
            let rest = ", whose input frame isn't free";
            let crowded = Difference::at_port((node, cycle), *port, "a packet arrives", rest);
            return Err(Box::new(crowded));
        }
        self.far_taken.0 &= !arrivals.credits.0;
        heads.iter().for_each(|(port, _)| self.taken.insert(*port));
        Ok(())
    }
}

impl Links for Ends<'_> {
    fn waiting(&mut self) -> PortSet {
        PortSet::EMPTY
    }

    fn pop(&mut self, port: Port) -> Option<Message> {
        self.messages[port.index()].take()
    }

    fn push(&mut self, port: Port, message: Message) -> Pushed {
        if message.credit.is_some() {
            self.taken.remove(port);
        }
        if message.word.is_some_and(|word| word.flit.is_head()) {
            self.far_taken.insert(port);
        }
        Pushed::Gone
    }

    fn foretell(
        &mut self,
        node: NodeId,
        now: Cycle,
        arrivals: &Arrivals,
        heads: &[(Port, Head)],
    ) -> Result<(), Box<Difference>> {
        if self.has_credits {
            self.check_credits(node, now, arrivals, heads)?;
        }
        for port in PortSet(arrivals.words.0 | arrivals.credits.0).iter() {
            let came = self.came[port.index()];
            let header = match heads.iter().find(|(at, _)| *at == port) {
                None => None,
                Some((_, head)) => {
                    let packet = self.packet(node, port, head);
                    Some(packet.ok_or_else(|| unmade(node, now, port, head.packet))?)
                }
            };
            let word = arrivals.words.contains(port).then(|| Carried {
                header,
                index: came,
                channel: 0,
                flit: Flit::at(came, self.packet_words),
            });
            if word.is_some() {
                self.came[port.index()] = (came + 1) % self.packet_words;
            }
            self.messages[port.index()] = Some(Message {
                sent: now,
                credit: arrivals.credits.contains(port).then_some(0),
                word,
                right: false,
            });
        }
        Ok(())
    }

    fn close(&mut self) {}
}

fn unmade(node: NodeId, cycle: Cycle, port: Port, packet: PacketId) -> Box<Difference> {
    let PacketId { source, serial } = packet;
    let happens = format!("packet {source}.{serial} arrives");
    let rest = format!("; node {source} never makes it");
    Box::new(Difference::at_port((node, cycle), port, &happens, &rest))
}

/// Replays a subset of the nodes of a record made with heads ([`flitwork_trace::record::Header::heads`]), on
/// the network on which it was made, on this thread.
///
/// # Errors
/// If the record cannot be read or makes no sense.
pub fn replay_subset<T: Topology + 'static, R: WordRouter + 'static>(
    network: Network<T, R>,
    demand: Demand,
    options: &SubsetOptions,
    open: impl FnOnce() -> io::Result<Box<dyn Read + Send>>,
    probe: AnyProbe,
    control: Control<'_>,
) -> Result<Subset, ReplayError> {
    let (reader, _) = Reader::open(open()?).map_err(BadRecord::from)?;
    let made = vec![(Vec::new(), 0); network.topology.terminals() as usize];
    let births = Births {
        workload: demand.workload,
        made,
    };
    let sources = Sources(Arc::new(Mutex::new(births)));
    // How long a node runs, its record says.
    let end = Cycle::LAST;
    let run = Run::new(&network, Box::new(sources.clone()), end, end, None, 1);
    let network = Arc::new(network);
    let states = network.router.nodes();
    let nodes = (0..run.nodes()).map(NodeId).zip(states);
    let asked = nodes.filter(|(node, _)| options.nodes.contains(node));
    let runners = asked.map(|of| {
        let decoder = |decoder: Decoder| Recorded::new(decoder.with_heads(), true);
        runner(&network, &run, of, options.until, decoder)
    });
    let mut bench = SubsetRun {
        runners: runners.collect(),
        chunk_reader: ChunkReader::new(reader),
        wires: run.wires(),
        probe,
        tally: Tally::default(),
        turn_of: 0,
    };
    let links = (
        &network.topology as &dyn Topology,
        network.link_latency_cycles,
    );
    match contain(|| bench.work(&run, links, &sources, options.until, control)) {
        Ok(result) => result?,
        Err(message) => bench.runners[bench.turn_of].panicked(&run, message),
    }
    run.bad_record()?;
    Ok(bench.finish(&run))
}

/// The nodes, and what they are run with.
struct SubsetRun {
    runners: Vec<Box<dyn Runner>>,
    chunk_reader: ChunkReader,
    wires: Wires,
    probe: AnyProbe,
    tally: Tally,
    /// The runner that has its turn.
    turn_of: usize,
}

impl SubsetRun {
    /// Runs all nodes to their ends, or until one begins a cycle.
    fn work(
        &mut self,
        run: &Run,
        (topology, link_latency_cycles): (&dyn Topology, u32),
        births: &Sources,
        until: Option<(NodeId, Cycle)>,
        control: Control<'_>,
    ) -> Result<(), ReplayError> {
        let ends = |_| Ends {
            topology,
            link_latency_cycles,
            births: births.clone(),
            packet_words: run.predicted_words(),
            came: vec![0; run.links].into(),
            messages: vec![None; run.links].into(),
            has_credits: run.has_credits,
            taken: PortSet::EMPTY,
            far_taken: PortSet::EMPTY,
        };
        let mut ends: Vec<_> = self.runners.iter().map(ends).collect();
        let mut finished = vec![false; self.runners.len()];
        while finished.contains(&false) && !run.is_stopped() {
            for place in 0..self.runners.len() {
                if finished[place] || run.is_stopped() {
                    continue;
                }
                finished[place] = self.run_on(run, place, &mut ends[place], control);
                let runner = &self.runners[place];
                if finished[place] && until == Some((runner.node(), runner.now())) {
                    run.stop_for(Stop::Empty);
                }
            }
            if self.chunk_reader.end.is_none() {
                self.chunk_reader.read(&mut self.runners)?;
            }
        }
        Ok(())
    }

    /// Runs a node as far as its record has been read; returns whether it has ended.
    fn run_on(
        &mut self,
        run: &Run,
        place: usize,
        ends: &mut Ends<'_>,
        control: Control<'_>,
    ) -> bool {
        self.turn_of = place;
        let runner = &mut self.runners[place];
        let mut context = TurnContext {
            links: AnyLinks::Other(ends),
            wires: &mut self.wires,
            probe: &mut self.probe,
            tally: &mut self.tally,
        };
        loop {
            let turn = runner.turn(run, &mut context, BURST_CYCLES);
            match turn.map(|turn| turn.end) {
                Ok(TurnEnd::Ran) => {}
                Ok(TurnEnd::Finished) => return true,
                Ok(TurnEnd::Waits(Awaited::Record)) => return false,
                // Its links hold what the record says, and take whatever it sends.
                Ok(turn @ (TurnEnd::Waits(_) | TurnEnd::Idles | TurnEnd::Dies)) => {
                    unreachable!("a node without neighbours waits only for its record: {turn:?}")
                }
                Err(reason) => {
                    run.break_off(*reason);
                    return false;
                }
            }
            let progress = Progress::at(runner.now(), 0);
            if control(progress).is_break() {
                run.stop_for(Stop::Interrupted);
                return false;
            }
        }
    }

    fn finish(self, run: &Run) -> Subset {
        let ends: Vec<_> = self.runners.iter().map(|runner| runner.ending()).collect();
        let nodes = ends.iter().map(|end| (end.node, end.cycle, end.digest));
        let nodes: Vec<_> = nodes.collect();
        let is_ended_early = matches!(run.stop(), Stop::Empty | Stop::Interrupted);
        let (trailer, cut) = trailer_or_cut(self.chunk_reader.end);
        let trailer = trailer.filter(|_| !is_ended_early);
        let last = trailer.as_ref().filter(|_| run.stop() == Stop::Run);
        let last = last.and_then(|trailer| last_difference(trailer, nodes.iter().copied()));
        Subset {
            trailer,
            verdict: ReplayVerdict {
                difference: run.difference().or(last),
                impossible: None,
                cut,
                fault: run.fault(),
                interrupted: run.stop() == Stop::Interrupted,
            },
            waits: ends.into_iter().flat_map(|end| end.waits).collect(),
            nodes,
            probe: self.probe,
        }
    }
}
