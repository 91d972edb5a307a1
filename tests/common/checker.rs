//! Conservation, order and bounds, checked from nothing but a run's events.
//!
//! The checker keeps its own picture of every frame and every packet, knows the topology and nothing about a
//! router's code. With one clock events come in any order of cycles; they are sorted first. If nodes have
//! their own clocks, events come in order of time, and cycles of different nodes are compared by the
//! reference cycles in which they were reported.

use super::recorder::Recorder;
use flitwork_node::{Event, Place};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, Moment, NodeId, PacketId, Port, Word};
use std::collections::{HashMap, HashSet};

/// The rules that a network must obey.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) packet_words: u32,
    /// With many clocks in reference cycles, rounded down.
    pub(crate) link_latency_cycles: u32,
    /// Whether nodes have their own clocks.
    pub(crate) many_clocks: bool,
    /// The most packets of a central queue.
    pub(crate) queue_frames: usize,
    /// Whether input and output frames hold one packet each, with credits (not in a hot potato router).
    pub(crate) frames: bool,
    /// Whether packets leave through a delivery frame.
    pub(crate) delivery_frame: bool,
    /// Whether the run was to deliver everything that entered.
    pub(crate) complete: bool,
    /// Whether there was enough time for every frame to become free.
    pub(crate) settled: bool,
}

/// Where a packet's head is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    At {
        node: NodeId,
        place: Place,
        since: Cycle,
    },
    Gone,
}

struct Checker<'a> {
    grid: &'a Grid,
    rules: Rules,
    /// When the current event was reported: its cycle with one clock, its reference cycle with many.
    reported: Cycle,
    heads: HashMap<PacketId, Head>,
    destinations: HashMap<PacketId, NodeId>,
    delivered: HashSet<PacketId>,
    queues: HashMap<NodeId, usize>,
    /// Input frames that a packet's head has been sent to and that no decision has emptied.
    input_taken: HashMap<(NodeId, Port), PacketId>,
    /// The cycle from which a sender may use the far input frame.
    credit_from: HashMap<(NodeId, Port), Option<Cycle>>,
    /// Output frames in use, and the cycle of the last tail that left one.
    output_taken: HashMap<(NodeId, Port), PacketId>,
    last_tail: HashMap<(NodeId, Port), Cycle>,
    last_move: HashMap<(NodeId, bool), Cycle>,
    hops: HashMap<PacketId, (u16, u16)>,
}

/// Panics at the first violation. The recorder's packets must be those of one whole run.
pub(crate) fn check(grid: &Grid, rules: Rules, recorder: &Recorder) {
    let events = in_order(grid, rules, recorder);
    let mut checker = Checker {
        grid,
        rules,
        reported: Cycle::ZERO,
        heads: HashMap::new(),
        destinations: HashMap::new(),
        delivered: HashSet::new(),
        queues: HashMap::new(),
        input_taken: HashMap::new(),
        credit_from: HashMap::new(),
        output_taken: HashMap::new(),
        last_tail: HashMap::new(),
        last_move: HashMap::new(),
        hops: HashMap::new(),
    };
    for (_, _, _, event) in &events {
        if let Event::Delivered { packet } = event {
            let home = grid.home(packet.destination);
            checker.destinations.insert(packet.id, home);
        }
    }
    for (reported, cycle, node, event) in events {
        checker.reported = reported;
        checker.event(node, cycle, event);
    }
    if rules.complete {
        for (packet, head) in &checker.heads {
            assert_eq!(*head, Head::Gone, "{packet:?} was not delivered");
        }
        assert!(
            checker.queues.values().all(|count| *count == 0),
            "a queue was left with packets"
        );
    }
    if rules.settled {
        assert!(checker.output_taken.is_empty() && checker.input_taken.is_empty());
    }
    check_words(grid, rules, recorder);
}

/// The events in the order in which they happened, each with the time by which it is compared with those of
/// other nodes.
pub(crate) fn in_order(
    grid: &Grid,
    rules: Rules,
    recorder: &Recorder,
) -> Vec<(Cycle, Cycle, NodeId, Event)> {
    let events = recorder.events.iter().copied();
    if !rules.many_clocks {
        let events = events.map(|(cycle, node, event)| (cycle, cycle, node, event));
        let mut events: Vec<_> = events.collect();
        // Within a cycle a packet leaves a queue before the next enters, and a frame is freed last: the
        // sender learns of it a link later.
        events.sort_by_key(|(_, cycle, node, event)| (*cycle, rank(event), *node));
        return events;
    }
    let (mut last, mut last_local) = (Moment::default(), HashMap::new());
    // The cycles in which packets have left for the processor, and the ends of those cycles.
    let (mut left, mut ends) = (HashMap::new(), HashMap::new());
    let reported = events
        .zip(&recorder.ticks)
        .map(|((cycle, node, event), tick)| {
            let (at, local, begins) = tick.expect("a tick comes before its events");
            assert_eq!(at, node, "{event:?} in another node's tick");
            assert_eq!(cycle, local, "{event:?} out of its tick");
            let stepped = last_local.get(&node).copied();
            match event {
                Event::Tail { packet, port, .. } if port == grid.local() => {
                    left.insert(packet, (local, begins));
                }
                // The last word is at the processor at the end of the cycle in which it has left.
                Event::Delivered { packet } if left.contains_key(&packet.id) => {
                    let (before, began) = left[&packet.id];
                    assert_eq!(before + 1, local, "{event:?} long after its tail");
                    // A clock that may wait reports it at its next tick, others at once.
                    assert!(begins.ps > began.ps, "{event:?} before its step ended");
                    ends.insert((node, local), begins.ps);
                    return (began.reference, cycle, node, event);
                }
                _ => {}
            }
            if let Some(end_ps) = ends.get(&(node, local)) {
                // Without a clock the next step begins when something comes.
                assert!(
                    begins.ps >= *end_ps,
                    "{node} ticks before its last step ended"
                );
            }
            let (at, before) = (begins.reference, last.reference);
            assert!(
                begins.ps >= last.ps && at >= before,
                "{event:?} was reported after something later"
            );
            last = begins;
            assert!(
                stepped.is_none_or(|stepped| stepped <= local),
                "{node} counts back"
            );
            last_local.insert(node, local);
            (at, cycle, node, event)
        });
    reported.collect()
}

fn rank(event: &Event) -> u8 {
    match event {
        Event::Delivered { .. } | Event::Lost { .. } => 0,
        Event::Freed { .. } => 8,
        Event::Injected { .. } => 2,
        Event::Moved {
            from: Place::Queue, ..
        } => 3,
        Event::Moved {
            to: Place::Output(_),
            ..
        } => 4,
        Event::Moved { .. } => 5,
        Event::Head { .. } => 6,
        Event::Tail { .. } => 7,
    }
}

impl Checker<'_> {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => self.injected(node, packet.id, packet.created),
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => {
                self.moved(node, cycle, packet, from, to, deroute);
            }
            Event::Head { packet, port } => self.head(node, packet, port),
            Event::Tail { packet, port, .. } => self.tail(node, cycle, packet, port),
            Event::Freed { port } => self.freed(node, port),
            Event::Lost { packet, .. } => panic!("{packet:?} is lost, and no link has failed"),
            Event::Delivered { packet } => {
                let home = self.grid.home(packet.destination);
                assert_eq!(home, node, "{packet:?} was delivered elsewhere");
                assert!(
                    self.delivered.insert(packet.id),
                    "{packet:?} was delivered twice"
                );
                let head = self
                    .heads
                    .insert(packet.id, Head::Gone)
                    .expect("it entered");
                let Head::At {
                    node: at,
                    place,
                    since,
                } = head
                else {
                    panic!("{packet:?} was gone")
                };
                assert_eq!(at, node, "{packet:?} was not there");
                assert!(self.reported >= since, "{packet:?} was delivered too early");
                let (hops, deroutes) = self.hops.get(&packet.id).copied().unwrap_or_default();
                assert_eq!(
                    (packet.hops, packet.deroutes),
                    (hops, deroutes),
                    "{packet:?}"
                );
                let shortest = self.grid.distance(self.grid.home(packet.id.source), node);
                assert!(u32::from(hops) >= shortest, "{packet:?} took a short cut");
                assert!(
                    deroutes > 0 || u32::from(hops) == shortest,
                    "{packet:?} went astray"
                );
                let local = self.grid.local();
                if self.rules.delivery_frame {
                    assert_eq!(
                        place,
                        Place::Output(local),
                        "{packet:?} left past the frame"
                    );
                } else if let Place::Input(port) = place {
                    self.input_taken.remove(&(node, port));
                }
            }
        }
    }

    fn injected(&mut self, node: NodeId, packet: PacketId, created: Cycle) {
        assert!(
            created <= self.reported,
            "{packet:?} entered before it was made"
        );
        let home = self.grid.home(packet.source);
        assert_eq!(home, node, "{packet:?} entered at another node");
        let place = Place::Input(self.grid.local());
        let head = Head::At {
            node,
            place,
            since: self.reported,
        };
        assert!(
            self.heads.insert(packet, head).is_none(),
            "{packet:?} entered twice"
        );
        if self.rules.frames {
            let taken = self.input_taken.insert((node, self.grid.local()), packet);
            assert_eq!(taken, None, "the injection frame of {node} had a packet");
        }
    }

    fn freed(&mut self, node: NodeId, port: Port) {
        if port != self.grid.local() {
            let sender = self
                .grid
                .neighbour(node, port)
                .expect("a credit crosses a link");
            let key = (sender, self.grid.opposite(port));
            let from = self.reported + self.rules.link_latency_cycles;
            let before = self.credit_from.insert(key, Some(from));
            assert_eq!(before, Some(None), "a credit for a frame that was free");
            let free = !self.input_taken.contains_key(&(node, port));
            assert!(
                free,
                "{node} freed input frame {port:?} with a packet in it"
            );
        }
    }

    fn moved(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        packet: PacketId,
        from: Place,
        to: Place,
        deroute: bool,
    ) {
        let head = self.heads.get(&packet).copied().expect("it entered");
        let Head::At {
            node: at,
            place,
            since,
        } = head
        else {
            panic!("{packet:?} was gone")
        };
        assert_eq!(
            (at, place),
            (node, from),
            "{packet:?} moved from where it was not"
        );
        assert!(
            self.reported >= since,
            "{packet:?} moved in {} before it came in {since}",
            self.reported
        );
        let key = (node, to == Place::Queue);
        let last = self.last_move.insert(key, cycle);
        let again = self.rules.frames && last == Some(cycle);
        assert!(!again, "{node} decided twice in {cycle}");
        if from == Place::Queue {
            *self.queues.get_mut(&node).expect("the queue had a packet") -= 1;
        }
        if let (Place::Input(port), true) = (from, self.rules.frames) {
            assert_eq!(self.input_taken.remove(&(node, port)), Some(packet));
        }
        match to {
            Place::Queue => {
                let count = self.queues.entry(node).or_default();
                *count += 1;
                assert!(
                    *count <= self.rules.queue_frames,
                    "the queue of {node} overflows"
                );
                assert!(!deroute);
            }
            Place::Output(port) => {
                self.decided_out(node, cycle, packet, port, deroute);
            }
            other => panic!("{packet:?} moved to {other}"),
        }
        self.heads.insert(
            packet,
            Head::At {
                node,
                place: to,
                since: self.reported,
            },
        );
    }

    fn decided_out(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        packet: PacketId,
        port: Port,
        deroute: bool,
    ) {
        let taken = self.output_taken.insert((node, port), packet);
        assert_eq!(taken, None, "output frame {port:?} of {node} had a packet");
        if let (Some(tail), true) = (self.last_tail.get(&(node, port)), self.rules.frames) {
            assert!(
                cycle > *tail,
                "output frame {port:?} of {node} was decided on too early"
            );
        }
        if port == self.grid.local() {
            return;
        }
        assert!(
            self.grid.neighbour(node, port).is_some(),
            "{node} used a link that isn't there"
        );
        if let Some(destination) = self.destinations.get(&packet) {
            let productive = self.grid.productive(node, *destination).contains(port);
            assert_eq!(
                productive, !deroute,
                "{packet:?} at {node} through {port:?}"
            );
        }
        let (hops, deroutes) = self.hops.entry(packet).or_default();
        *hops += 1;
        *deroutes += u16::from(deroute);
    }

    fn head(&mut self, node: NodeId, packet: PacketId, port: Port) {
        assert_eq!(self.output_taken.get(&(node, port)), Some(&packet));
        let head = self.heads.get(&packet).copied();
        let at = matches!(head, Some(Head::At { node: at, place: Place::Output(out), since })
            if at == node && out == port && since <= self.reported);
        assert!(
            at,
            "{packet:?} left {node} through {port:?}, but was {head:?}"
        );
        if port == self.grid.local() {
            return;
        }
        let far = self.grid.neighbour(node, port).expect("a link");
        let into = self.grid.opposite(port);
        if self.rules.frames {
            let credit = self
                .credit_from
                .insert((node, port), None)
                .unwrap_or(Some(Cycle::ZERO));
            let credit = credit.expect("a head left without a credit");
            assert!(
                self.reported >= credit,
                "{packet:?} left in {} with a credit for {credit}",
                self.reported
            );
            let taken = self.input_taken.insert((far, into), packet);
            assert_eq!(taken, None, "{packet:?} arrived at a frame in use");
        }
        let since = self.reported + self.rules.link_latency_cycles;
        let place = Place::Input(into);
        self.heads.insert(
            packet,
            Head::At {
                node: far,
                place,
                since,
            },
        );
    }

    fn tail(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port) {
        assert_eq!(self.output_taken.remove(&(node, port)), Some(packet));
        self.last_tail.insert((node, port), cycle);
    }
}

/// Every link carries at most one word per cycle, and each packet's words in order and unmixed. In a run that
/// moved words individually, each head and tail event is a word's.
fn check_words(grid: &Grid, rules: Rules, recorder: &Recorder) {
    if recorder.words.is_empty() {
        return;
    }
    let mut words = recorder.words.clone();
    words.sort_by_key(|(cycle, node, port, _, _)| (*node, *port, *cycle));
    let mut last: Option<(Cycle, NodeId, Port, PacketId, Word)> = None;
    let mut heads = HashSet::new();
    let mut tails = HashSet::new();
    for word in words {
        let (cycle, node, port, packet, Word { index, .. }) = word;
        let before = last.filter(|(_, n, p, _, _)| (*n, *p) == (node, port));
        if let Some((then, _, _, earlier, Word { index: at, .. })) = before {
            assert!(cycle > then, "two words over one link in {cycle}");
            let next = if earlier == packet && at + 1 < rules.packet_words as u16 {
                at + 1
            } else {
                0
            };
            assert_eq!(
                index, next,
                "words of {packet:?} at {node} {port:?} are out of order"
            );
            assert!(
                index > 0 || u32::from(at) + 1 == rules.packet_words,
                "{earlier:?} was cut"
            );
        } else {
            assert_eq!(index, 0);
        }
        if index == 0 {
            heads.insert((cycle, node, port, packet));
        }
        if u32::from(index) + 1 == rules.packet_words {
            tails.insert((cycle, node, port, packet));
        }
        last = Some(word);
    }
    for (cycle, node, event) in &recorder.events {
        match event {
            Event::Head { packet, port } => {
                assert!(
                    heads.remove(&(*cycle, *node, *port, *packet)),
                    "a head without a word"
                );
            }
            Event::Tail { packet, port, .. } => {
                assert!(
                    tails.remove(&(*cycle, *node, *port, *packet)),
                    "a tail without a word"
                );
            }
            _ => {}
        }
    }
    assert!(
        heads.is_empty() && tails.is_empty(),
        "words without their events on {grid:?}"
    );
}
