//! Deliveries on their way to the traffic, and how many packets are in the network.

use flitwork_node::{Event, Probe};
use flitwork_traffic::Workload;
use flitwork_types::{Cycle, Due, NodeId, Packet, TerminalId};

/// A probe that keeps deliveries until they are reported to the traffic, and counts packets.
#[derive(Clone)]
pub(crate) struct Deliveries {
    /// Whether the traffic wants them.
    wanted: bool,
    kept: Vec<(Cycle, Packet)>,
    woken: Vec<TerminalId>,
    /// Packets that have entered the network and packets that have left it, arrived or lost, by the events.
    injected: u64,
    delivered: u64,
}

impl Deliveries {
    /// No deliveries yet, for this traffic.
    pub(crate) fn new(workload: &dyn Workload) -> Deliveries {
        Deliveries {
            wanted: !workload.foresees(),
            kept: Vec::new(),
            woken: Vec::new(),
            injected: 0,
            delivered: 0,
        }
    }

    /// Packets in the network, by the events.
    pub(crate) fn in_network(&self) -> u64 {
        self.injected - self.delivered
    }

    /// A packet that was reported ahead doesn't enter the network.
    pub(crate) fn take_back(&mut self) {
        self.injected -= 1;
    }

    /// Whether everything has been reported to the traffic.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.kept.is_empty()
    }

    /// Reports those up to `until` to the traffic, in cycles of its sources' clock, and passes the sources that may have
    /// received a packet to `wake`. If some are later, they must have been kept in the order of their cycles.
    #[inline]
    pub(crate) fn report(
        &mut self,
        until: Due,
        workload: &mut dyn Workload,
        by_source: impl Fn(Cycle) -> Cycle,
        wake: impl FnMut(TerminalId),
    ) {
        if self.are_none() {
            return;
        }
        let due = self.kept.partition_point(|(cycle, _)| until >= *cycle);
        for (cycle, packet) in self.kept.drain(..due) {
            let (terminal, now) = (packet.destination, by_source(cycle));
            match packet.loss {
                None => workload.delivered(terminal, &packet, now, &mut self.woken),
                Some(_) => workload.lost(&packet, now, &mut self.woken),
            }
        }
        self.woken.drain(..).for_each(wake);
    }
}

impl Probe for Deliveries {
    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { .. } => self.injected += 1,
            Event::Delivered { packet } | Event::Lost { packet, .. } => {
                self.delivered += 1;
                if self.wanted {
                    self.kept.push((cycle, packet));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_traffic::Offer;
    use flitwork_types::PacketId;

    /// Traffic that keeps what is reported to it, and wakes the terminal's source in every even cycle.
    #[derive(Clone, Default)]
    struct Kept {
        foresees: bool,
        reported: Vec<(TerminalId, u32, Cycle)>,
    }

    impl Workload for Kept {
        fn next(&mut self, _: TerminalId, _: Cycle) -> Offer {
            Offer::Never
        }

        fn sources(&self) -> Vec<TerminalId> {
            Vec::new()
        }

        fn foresees(&self) -> bool {
            self.foresees
        }

        fn fork(&self) -> Box<dyn Workload> {
            Box::new(self.clone())
        }

        fn delivered(
            &mut self,
            terminal: TerminalId,
            packet: &Packet,
            now: Cycle,
            woken: &mut Vec<TerminalId>,
        ) {
            self.reported.push((terminal, packet.id.serial, now));
            if now.get().is_multiple_of(2) {
                woken.push(terminal);
            }
        }
    }

    fn packet(serial: u32) -> Packet {
        let source = TerminalId(0);
        Packet {
            id: PacketId { source, serial },
            destination: TerminalId(10 + serial),
            created: Cycle(0),
            injected: Cycle(0),
            hops: 0,
            deroutes: 0,
            words: 1,
            class: 0,
            loss: None,
            skew: 0,
        }
    }

    /// Deliveries of the packets 0, 1, 2, … to terminal 10, 11, 12, … in these cycles.
    fn deliveries(workload: &Kept, cycles: &[u32]) -> Deliveries {
        let mut deliveries = Deliveries::new(workload);
        for (serial, cycle) in (0..).zip(cycles) {
            let packet = packet(serial);
            deliveries.event(NodeId(0), Cycle(0), Event::Injected { packet });
            deliveries.event(NodeId(1), Cycle(*cycle), Event::Delivered { packet });
        }
        deliveries
    }

    #[test]
    fn deliveries_are_reported_up_to_a_cycle_and_the_rest_later() {
        let mut workload = Kept::default();
        let mut deliveries = deliveries(&workload, &[3, 5, 6, 6, 8]);
        let mut report = |deliveries: &mut Deliveries, until| {
            let until = Due::at(Cycle(until));
            let mut woken = Vec::new();
            let wake = |terminal: TerminalId| woken.push(terminal.0);
            deliveries.report(until, &mut workload, |cycle| cycle + 100, wake);
            let reported = std::mem::take(&mut workload.reported);
            let reported = reported
                .iter()
                .map(|(terminal, serial, at)| (terminal.0, *serial, at.get()));
            (reported.collect::<Vec<_>>(), woken)
        };
        assert_eq!(report(&mut deliveries, 2), (vec![], vec![]));
        let reported = vec![(10, 0, 103), (11, 1, 105)];
        assert_eq!(report(&mut deliveries, 5), (reported, vec![]));
        assert!(!deliveries.are_none());
        let reported = vec![(12, 2, 106), (13, 3, 106)];
        assert_eq!(report(&mut deliveries, 7), (reported, vec![12, 13]));
        let reported = vec![(14, 4, 108)];
        assert_eq!(report(&mut deliveries, 8), (reported, vec![14]));
        assert!(deliveries.are_none());
    }

    #[test]
    fn nothing_is_reported_to_traffic_that_foresees_everything() {
        let mut workload = Kept {
            foresees: true,
            ..Kept::default()
        };
        let mut deliveries = deliveries(&workload, &[3]);
        assert!(deliveries.are_none());
        deliveries.report(Due::NEVER, &mut workload, |cycle| cycle, |_| ());
        assert!(workload.reported.is_empty());
    }

    #[test]
    fn what_entered_and_has_not_left_is_in_the_network() {
        let mut deliveries = deliveries(&Kept::default(), &[3, 5]);
        assert_eq!(deliveries.in_network(), 0);
        for serial in 5..9 {
            let packet = packet(serial);
            deliveries.event(NodeId(0), Cycle(7), Event::Injected { packet });
        }
        assert_eq!(deliveries.in_network(), 4);
        let packet = packet(6);
        deliveries.event(NodeId(1), Cycle(9), Event::Delivered { packet });
        assert_eq!(deliveries.in_network(), 3);
    }
}
