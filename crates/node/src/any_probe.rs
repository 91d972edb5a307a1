//! A probe whose type nobody needs to know, so that code is compiled once for all probes.

use crate::{Event, Instant, Place, Probe, Reported};
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port};
use std::any::Any;

/// A probe as an object, called through a table, so that engines needn't be compiled for each probe.
///
/// One call per event takes fewer instructions than keeping events and handing them over in batches (2 to 4 %
/// of a run): the processor predicts the calls well, and events needn't be written and read.
pub struct AnyProbe {
    /// What the probe wants. Reporting words one by one costs a router whose mail is posted 17 %.
    wants: [bool; Reported::ALL.len()],
    probe: Box<dyn ErasedProbe>,
}

/// [`Probe`] without its type.
trait ErasedProbe: Probe + Any + Send {
    /// [`Probe::event`] of a kind without a method of its own.
    fn other(&mut self, node: NodeId, cycle: Cycle, event: &Event);
    /// The most frequent kinds of events have methods of their own: their callers know the kind, and probes needn't
    /// find out.
    fn moved(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        packet: PacketId,
        way: (Place, Place),
        deroute: bool,
    );
    fn head(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port);
    fn tail(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port, words: u16);
    fn freed(&mut self, node: NodeId, cycle: Cycle, port: Port);
}

impl<P: Probe + Send + 'static> ErasedProbe for P {
    fn other(&mut self, node: NodeId, cycle: Cycle, event: &Event) {
        self.event(node, cycle, *event);
    }

    fn moved(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        packet: PacketId,
        (from, to): (Place, Place),
        deroute: bool,
    ) {
        let moved = Event::Moved {
            packet,
            from,
            to,
            deroute,
        };
        self.event(node, cycle, moved);
    }

    fn head(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port) {
        self.event(node, cycle, Event::Head { packet, port });
    }

    fn tail(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port, words: u16) {
        let tail = Event::Tail {
            packet,
            port,
            words,
        };
        self.event(node, cycle, tail);
    }

    fn freed(&mut self, node: NodeId, cycle: Cycle, port: Port) {
        self.event(node, cycle, Event::Freed { port });
    }
}

impl AnyProbe {
    /// A probe without its type.
    pub fn new<P: Probe + Send + 'static>(probe: P) -> AnyProbe {
        AnyProbe {
            wants: Reported::ALL.map(|what| probe.wants(what)),
            probe: Box::new(probe),
        }
    }

    /// The probe that it was made from.
    ///
    /// # Panics
    /// Where it was made of another type.
    pub fn probe<P: 'static>(&self) -> &P {
        let probe: &dyn Any = &*self.probe;
        let probe = probe.downcast_ref();
        probe.expect("a probe is asked for as what it was given as")
    }

    /// The same, mutably.
    ///
    /// # Panics
    /// Where it was made of another type.
    pub fn probe_mut<P: 'static>(&mut self) -> &mut P {
        let probe: &mut dyn Any = &mut *self.probe;
        let probe = probe.downcast_mut();
        probe.expect("a probe is asked for as what it was given as")
    }

    /// The same, by value.
    ///
    /// # Panics
    /// Where it was made of another type.
    pub fn into_probe<P: 'static>(self) -> P {
        let probe: Box<dyn Any> = self.probe;
        let probe = probe.downcast();
        *probe.expect("a probe is asked back as what it was given as")
    }
}

impl Probe for AnyProbe {
    crate::forward_probe!(self, (self.probe): word, buffered, tick, sampled, stepped, clocks, left_over, take_back, detail, wants_explanation, explained);

    #[inline]
    fn wants(&self, what: Reported) -> bool {
        self.wants[what as usize]
    }

    #[inline(always)]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => {
                self.probe.moved(node, cycle, packet, (from, to), deroute);
            }
            Event::Head { packet, port } => self.probe.head(node, cycle, packet, port),
            Event::Tail {
                packet,
                port,
                words,
            } => self.probe.tail(node, cycle, packet, port, words),
            Event::Freed { port } => self.probe.freed(node, cycle, port),
            event => self.probe.other(node, cycle, &event),
        }
    }

    #[inline]
    fn intervene(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        leaves: (PacketRef, Port),
        when: Instant,
    ) {
        if self.wants(Reported::Interventions) {
            self.probe.intervene(packets, node, cycle, leaves, when);
        }
    }
}
