//! Probes that stand for others pass on everything that they observe.

use flitwork_node::{AnyProbe, ClockTicks, Event, Instant, Probe, Reported};
use flitwork_types::{
    Cycle, Moment, NodeId, Packet, PacketId, PacketRef, Packets, Port, TerminalId, Word,
};

/// Records what it observes, and redirects packets as an adversary does.
#[derive(Clone, Debug, Default, PartialEq)]
struct Diary(Vec<String>);

impl Probe for Diary {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.0.push(format!("{node} {cycle} {event:?}"));
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.0
            .push(format!("{node} {cycle} {port:?} {packet:?} {word:?}"));
    }

    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        self.0.push(format!("{node} {cycle} {words} buffered"));
    }

    fn tick(&mut self, node: NodeId, local: Cycle, at: Moment) {
        self.0.push(format!("{node} {local} is {at:?}"));
    }

    fn stepped(&mut self, node: NodeId, begin: Moment, took_ps: u64) {
        self.0.push(format!("{node} {begin:?} took {took_ps}"));
    }

    fn clocks(&mut self, reference: Cycle, before: ClockTicks) {
        self.0.push(format!("{before:?} before {reference}"));
    }

    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        self.0.push(format!(
            "{source} {created} {words} words left over, {packets} packets"
        ));
    }

    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Interventions)
    }

    fn intervene(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        (packet, port): (PacketRef, Port),
        when: Instant,
    ) {
        let further = match when {
            Instant::Decision => 1,
            Instant::Link => 4,
        };
        packets[packet].destination = TerminalId(packets[packet].destination.0 + further);
        self.0
            .push(format!("{node} {cycle} {packet:?} {port:?} {when:?}"));
    }
}

/// Reports everything that can be reported to a probe. Returns where the packet then goes.
fn report(probe: &mut impl Probe) -> TerminalId {
    let mut packets = Packets::new();
    let packet = packets.insert(Packet::default());
    let (node, cycle, port) = (NodeId(3), Cycle(7), Port(2));
    probe.event(node, cycle, Event::Freed { port });
    let word = Word::of(packet, 1, 4);
    probe.word(node, cycle, port, PacketId::default(), word);
    probe.buffered(node, cycle, 5);
    let at = Moment::new(Cycle(9), 9500);
    probe.tick(node, cycle, at);
    probe.stepped(node, at, 700);
    let before = ClockTicks {
        ticks: 12,
        idle: 5,
        working: 4,
    };
    probe.clocks(cycle, before);
    probe.left_over(TerminalId(3), cycle, 6, 8);
    for when in [Instant::Decision, Instant::Link] {
        probe.intervene(&mut packets, node, cycle, (packet, port), when);
    }
    packets[packet].destination
}

#[test]
fn everything_is_passed_on() {
    let mut diary = Diary::default();
    assert_eq!(report(&mut diary), TerminalId(5));
    assert_eq!(diary.0.len(), 9);

    let mut lent = Diary::default();
    assert_eq!(report(&mut &mut lent), TerminalId(5));
    assert_eq!(lent, diary);

    let mut pair = (Diary::default(), Diary::default());
    assert_eq!(report(&mut pair), TerminalId(10));
    assert_eq!(pair, (diary.clone(), diary.clone()));

    let mut three = (Diary::default(), Diary::default(), Diary::default());
    assert_eq!(report(&mut three), TerminalId(15));
    assert_eq!(three, (diary.clone(), diary.clone(), diary.clone()));

    let mut any = AnyProbe::new(Diary::default());
    assert_eq!(report(&mut any), TerminalId(5));
    assert_eq!(any.into_probe::<Diary>(), diary);
}

/// Observes words, or what is buffered.
struct Words;
struct Buffered;

impl Probe for Words {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}
}

impl Probe for Buffered {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Buffered)
    }

    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}
}

/// Whether a probe wants words, and what is buffered.
fn wants(probe: impl Probe) -> (bool, bool) {
    (
        probe.wants(Reported::Words),
        probe.wants(Reported::Buffered),
    )
}

#[test]
fn probes_want_what_any_of_them_wants() {
    assert_eq!(wants(()), (false, false));
    assert_eq!(wants(&mut Words), (true, false));
    assert_eq!(wants(&mut Buffered), (false, true));
    assert_eq!(wants(((), Words)), (true, false));
    assert_eq!(wants((Buffered, ())), (false, true));
    assert_eq!(wants((Buffered, Words)), (true, true));
    assert_eq!(wants((Words, (), ())), (true, false));
    assert_eq!(wants(((), Buffered, ())), (false, true));
    assert_eq!(wants(((), Buffered, Words)), (true, true));
    assert_eq!(wants(AnyProbe::new(())), (false, false));
    assert_eq!(wants(AnyProbe::new(Words)), (true, false));
    assert_eq!(wants(AnyProbe::new(((), Buffered))), (false, true));
}

#[test]
fn all_probes_want_events_but_the_one_that_observes_nothing() {
    assert!(!().wants(Reported::Events) && !((), ()).wants(Reported::Events));
    assert!(
        Words.wants(Reported::Events)
            && ((), Words).wants(Reported::Events)
            && (Words, ()).wants(Reported::Events)
    );
    assert!(
        !AnyProbe::new(()).wants(Reported::Events) && AnyProbe::new(Words).wants(Reported::Events)
    );
}
