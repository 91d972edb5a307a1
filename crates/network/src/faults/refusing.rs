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
