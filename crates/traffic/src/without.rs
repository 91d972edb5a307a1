//! Traffic from which a packet is left out: what would have happened if it hadn't been there.

use crate::{Birth, Offer, Owed, TakeLeft, Tally, Workload};
use flitwork_types::{Cycle, Packet, PacketId, TerminalId};
use std::ops::ControlFlow;

/// Traffic of which packets can be left out before they are taken. The others keep their serial numbers: one that is left
/// out is handed over without words ([`Birth::is_left_out`]), takes its number and never enters the network. What waits
/// for its delivery isn't made either.
pub struct Without {
    workload: Box<dyn Workload>,
    left_out: Option<PacketId>,
    /// How many packets have been taken, by source.
    taken: Vec<u32>,
}

impl Without {
    /// All of a workload, for now.
    pub fn nothing(workload: Box<dyn Workload>) -> Without {
        Without {
            workload,
            left_out: None,
            taken: Vec::new(),
        }
    }
}

impl Workload for Without {
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer {
        let offer = self.workload.next(source, now);
        let Offer::Packet(birth) = offer else {
            return offer;
        };
        if self.taken.len() <= source.index() {
            self.taken.resize(source.index() + 1, 0);
        }
        let serial = self.taken[source.index()];
        self.taken[source.index()] += 1;
        let packet = PacketId { source, serial };
        Offer::Packet(match self.left_out == Some(packet) {
            true => Birth { words: 0, ..birth },
            false => birth,
        })
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
        self.workload.tally(end)
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Without {
            workload: self.workload.fork(),
            left_out: self.left_out,
            taken: self.taken.clone(),
        })
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        let taken = self.taken.get(packet.source.index()).copied();
        let is_in_time = taken.unwrap_or(0) <= packet.serial;
        if is_in_time {
            self.left_out = Some(packet);
        }
        is_in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Once;

    /// Of three packets of terminal 0 the second is left out: it comes without words, and the third keeps its place.
    #[test]
    fn a_packet_comes_without_words() {
        let packets = Once::new(&[
            (TerminalId(0), TerminalId(1)),
            (TerminalId(0), TerminalId(2)),
            (TerminalId(0), TerminalId(3)),
        ]);
        let mut traffic = Without::nothing(Box::new(packets));
        let packet = |serial| PacketId {
            source: TerminalId(0),
            serial,
        };
        let next = |traffic: &mut Without| {
            let birth = traffic.next(TerminalId(0), Cycle::ZERO).packet()?;
            Some((birth.destination.0, birth.is_left_out()))
        };
        assert_eq!(next(&mut traffic), Some((1, false)));
        // The first has been taken.
        assert!(!traffic.leave_out(packet(0)));
        let mut all = traffic.fork();
        assert!(traffic.leave_out(packet(1)));
        assert_eq!(next(&mut traffic), Some((2, true)));
        assert_eq!(next(&mut traffic), Some((3, false)));
        assert_eq!(next(&mut traffic), None);
        let birth = all.next(TerminalId(0), Cycle::ZERO).packet().unwrap();
        assert!(!birth.is_left_out());
    }
}
