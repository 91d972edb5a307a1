//! Sources that refuse packets for which there is no way.

use super::Faults;
use flitwork_traffic::{Birth, Offer, Owed, TakeLeft, Tally, Workload};
use flitwork_types::{Cycle, Packet, PacketId, TerminalId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Traffic of which those packets are left out that find no way in the cycle in which they are made: their router has failed, or no
/// working link leads to their destination, as far as routers know. They take their numbers.
pub struct Refusing {
    workload: Box<dyn Workload>,
    faults: Arc<Faults>,
    /// When refused packets were made: a source may have been asked for those of cycles that are still to come.
    refused: Vec<Cycle>,
}

impl Refusing {
    /// A workload in a network with these failures.
    pub fn new(workload: Box<dyn Workload>, faults: Arc<Faults>) -> Refusing {
        Refusing {
            workload,
            faults,
            refused: Vec::new(),
        }
    }
}

impl Workload for Refusing {
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer {
        let offer = self.workload.next(source, now);
        let Offer::Packet(birth) = offer else {
            return offer;
        };
        if birth.is_left_out() || self.faults.takes(source, birth.destination, birth.created) {
            return offer;
        }
        self.refused.push(birth.created);
        Offer::Packet(Birth { words: 0, ..birth })
    }

    fn sources(&self) -> Vec<TerminalId> {
        self.workload.sources()
    }

    fn foresees(&self) -> bool {
        self.workload.foresees()
    }

    fn delivered(
        &mut self,
        terminal: TerminalId,
        packet: &Packet,
        now: Cycle,
        woken: &mut Vec<TerminalId>,
    ) {
        self.workload.delivered(terminal, packet, now, woken);
    }

    fn lost(&mut self, packet: &Packet, now: Cycle, woken: &mut Vec<TerminalId>) {
        self.workload.lost(packet, now, woken);
    }

    fn leave_over(
        &mut self,
        source: TerminalId,
        end: Cycle,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        self.workload.leave_over(source, end, left)
    }

    fn owed(&mut self) -> Owed {
        self.workload.owed()
    }

    fn tally(&self, end: Cycle) -> Tally {
        let refused = self.refused.iter().filter(|created| **created < end);
        Tally {
            refused: refused.count() as u64,
            ..self.workload.tally(end)
        }
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        self.workload.leave_out(packet)
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Refusing {
            workload: self.workload.fork(),
            faults: self.faults.clone(),
            refused: self.refused.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{Failure, InFlight};
    use flitwork_topology::{Grid, Topology};
    use flitwork_traffic::Once;
    use flitwork_types::{Due, NodeId};

    /// A packet of cycle 0 across a link that is known to have failed is refused and keeps its number; another isn't. It counts only in runs that
    /// come to its cycle.
    #[test]
    fn a_packet_without_a_way_is_left_out() {
        let row = Grid::mesh(&[3]).unwrap();
        let fails = |detection_cycles| Failure {
            links: row
                .links(NodeId(1))
                .iter()
                .filter(|port| row.neighbour(NodeId(1), *port) == Some(NodeId(2)))
                .map(|port| (NodeId(1), port))
                .collect(),
            routers: Vec::new(),
            from: Cycle::ZERO,
            until: Due::NEVER,
            in_flight: InFlight::Lost,
            detection_cycles,
        };
        for (detection, refused) in [(Some(0), true), (Some(1), false), (None, false)] {
            let faults = Faults::of(&row, &[fails(detection)]).unwrap();
            let packets = Once::new(&[
                (TerminalId(0), TerminalId(2)),
                (TerminalId(0), TerminalId(1)),
            ]);
            let mut refusing = Refusing::new(Box::new(packets), Arc::new(faults));
            let next = |it: &mut Refusing| it.next(TerminalId(0), Cycle::ZERO).packet().unwrap();
            assert_eq!(next(&mut refusing).is_left_out(), refused);
            assert!(!next(&mut refusing).is_left_out());
            assert_eq!(refusing.tally(Cycle(1)).refused, u64::from(refused));
            assert_eq!(refusing.tally(Cycle(0)).refused, 0);
        }
    }
}
