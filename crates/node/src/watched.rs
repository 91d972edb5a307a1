//! A probe whose type nobody needs to know, so that code is compiled once for all probes.

use crate::{Event, Probe};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, PacketRef, Packets, Port, Word};
use std::any::Any;

/// A probe behind an object, called through a table: at most 1.5 % more instructions of a run than the probe
/// itself, and the engine needn't be compiled for it. (One call an event is less than to keep events and hand them
/// over in batches, which takes 2 to 4 %: the calls are guessed well, and the events needn't be written and read.)
///
/// `WORDS` says whether it hears words. That costs a router whose mail is posted 17 %, as every word is then
/// reported by itself; a probe that hears them can't be given to an object that doesn't.
pub struct Watched<const WORDS: bool = true>(Box<dyn Watcher>);

/// What a probe is told.
trait Watcher: Send {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event);
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word);
    fn tick(&mut self, node: NodeId, local: Cycle, reference: Cycle);
    fn left_over(&mut self, node: NodeId, created: Cycle, words: u16, packets: u64);
    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet);
    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32);
    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        packet: PacketRef,
        port: Port,
    );
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<P: Probe + Send + 'static> Watcher for P {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        Probe::event(self, node, cycle, event);
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        Probe::word(self, node, cycle, port, packet, word);
    }

    fn tick(&mut self, node: NodeId, local: Cycle, reference: Cycle) {
        Probe::tick(self, node, local, reference);
    }

    fn left_over(&mut self, node: NodeId, created: Cycle, words: u16, packets: u64) {
        Probe::left_over(self, node, created, words, packets);
    }

    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        Probe::take_back(self, node, cycle, packet);
    }

    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        Probe::buffered(self, node, cycle, words);
    }

    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        packet: PacketRef,
        port: Port,
    ) {
        Probe::scheduled(self, packets, node, cycle, packet, port);
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl<const WORDS: bool> Watched<WORDS> {
    /// A probe without its type. One that hears words is refused by the compiler where `WORDS` is false.
    pub fn new<P: Probe + Send + 'static>(probe: P) -> Watched<WORDS> {
        const { assert!(WORDS || !P::HEARS_WORDS, "the probe hears words") }
        Watched(Box::new(probe))
    }

    /// The probe that it was made of.
    ///
    /// # Panics
    /// Where it was made of another type.
    pub fn into_probe<P: 'static>(self) -> P {
        let probe = self.0.into_any().downcast();
        *probe.expect("a probe is asked back as what it was given as")
    }
}

impl<const WORDS: bool> Probe for Watched<WORDS> {
    const HEARS_WORDS: bool = WORDS;
    const HEARS_BUFFERED: bool = true;

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.0.event(node, cycle, event);
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.0.word(node, cycle, port, packet, word);
    }

    fn tick(&mut self, node: NodeId, local: Cycle, reference: Cycle) {
        self.0.tick(node, local, reference);
    }

    fn left_over(&mut self, node: NodeId, created: Cycle, words: u16, packets: u64) {
        self.0.left_over(node, created, words, packets);
    }

    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        self.0.take_back(node, cycle, packet);
    }

    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        self.0.buffered(node, cycle, words);
    }

    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        packet: PacketRef,
        port: Port,
    ) {
        self.0.scheduled(packets, node, cycle, packet, port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Count(u32);

    impl Probe for Count {
        fn event(&mut self, _: NodeId, _: Cycle, _: Event) {
            self.0 += 1;
        }
    }

    #[test]
    fn it_is_told_and_given_back() {
        let mut watched: Watched = Watched::new((Count::default(), ()));
        let freed = Event::Freed { port: Port(0) };
        Probe::event(&mut watched, NodeId(0), Cycle(3), freed);
        assert_eq!(watched.into_probe::<(Count, ())>(), (Count(1), ()));
    }
}
