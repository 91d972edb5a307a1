//! Sources that send lost packets again.

use flitwork_traffic::{Birth, Left, Offer, Owed, TakeLeft, Tally, Workload};
use flitwork_types::{Cycle, Due, Packet, PacketId, TerminalId};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Traffic whose sources send a packet again if it is lost: so many cycles after it entered the network, and not before it is lost.
/// What is sent again is a packet of its own, with a number of its own, to the workload the one that it replaces.
pub struct Again {
    workload: Box<dyn Workload>,
    after_cycles: u32,
    sources: Vec<Sender>,
    sent: u64,
    /// Whether its sources have a task.
    owes: bool,
}

/// What a source has to send.
#[derive(Clone, Debug, Default)]
struct Sender {
    /// The workload's next packet, if it has been taken and isn't due.
    next: Option<Birth>,
    /// Packets to be sent again, by the cycle in which they are: the number that the workload knows, and a packet like it.
    lost: BTreeSet<(Cycle, u32)>,
    births: Vec<(u32, Birth)>,
    /// By number: the packet's number to the workload.
    numbers: Vec<u32>,
    /// How many packets of the workload have been taken.
    taken: u32,
}

impl Sender {
    /// A packet that the workload knows by `number` is taken.
    fn take(&mut self, number: u32, birth: Birth) -> Offer {
        self.numbers.push(number);
        Offer::Packet(birth)
    }

    /// The first cycle in which a packet is sent again.
    fn again_at(&self) -> Due {
        Due::soonest(self.lost.first().map(|(at, _)| *at))
    }

    /// Takes the packet that is to be sent again first.
    fn send_again(&mut self) -> Option<(u32, Birth)> {
        let (at, number) = self.lost.pop_first()?;
        let place = self.births.iter().position(|(of, _)| *of == number)?;
        let (_, birth) = self.births.swap_remove(place);
        Some((
            number,
            Birth {
                created: at,
                ..birth
            },
        ))
    }
}

impl Again {
    /// A workload whose lost packets are sent again so many cycles after they entered the network.
    pub fn new(mut workload: Box<dyn Workload>, after_cycles: u32) -> Again {
        let owes = workload.owed() != Owed::default();
        let terminals = workload.sources().last().map_or(0, |last| last.index() + 1);
        Again {
            workload,
            after_cycles,
            sources: vec![Sender::default(); terminals],
            sent: 0,
            owes,
        }
    }

    /// The packet as the workload knows it.
    fn known(&self, packet: &Packet) -> Packet {
        let PacketId { source, serial } = packet.id;
        let numbers = &self.sources[source.index()].numbers;
        let serial = numbers[serial as usize];
        Packet {
            id: PacketId { source, serial },
            ..*packet
        }
    }
}

impl Workload for Again {
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer {
        let Some(sender) = self.sources.get_mut(source.index()) else {
            return self.workload.next(source, now);
        };
        let later = match sender.next {
            Some(birth) => Due::at(birth.created),
            None => match self.workload.next(source, now) {
                Offer::Packet(birth) => {
                    sender.next = Some(birth);
                    Due::at(birth.created)
                }
                Offer::Later(cycle) => Due::at(cycle),
                // What is under way may be lost.
                Offer::WhenWoken | Offer::Never => Due::NEVER,
            },
        };
        let again = sender.again_at();
        if again <= now
            && again <= later
            && let Some((number, birth)) = sender.send_again()
        {
            self.sent += 1;
            return sender.take(number, birth);
        }
        match sender.next.take_if(|birth| birth.created <= now) {
            Some(birth) => {
                sender.taken += 1;
                sender.take(sender.taken - 1, birth)
            }
            None => match again.min(later).get() {
                Some(cycle) => Offer::Later(cycle),
                None => Offer::WhenWoken,
            },
        }
    }

    fn sources(&self) -> Vec<TerminalId> {
        self.workload.sources()
    }

    fn foresees(&self) -> bool {
        false
    }

    fn delivered(
        &mut self,
        terminal: TerminalId,
        packet: &Packet,
        now: Cycle,
        woken: &mut Vec<TerminalId>,
    ) {
        let packet = self.known(packet);
        if !self.workload.foresees() {
            self.workload.delivered(terminal, &packet, now, woken);
        }
    }

    fn lost(&mut self, packet: &Packet, now: Cycle, woken: &mut Vec<TerminalId>) {
        let PacketId { source, serial } = self.known(packet).id;
        let at = (now + 1).max(packet.injected + self.after_cycles);
        let birth = Birth {
            created: at,
            destination: packet.destination,
            words: packet.words,
            class: packet.class,
        };
        let sender = &mut self.sources[source.index()];
        sender.lost.insert((at, serial));
        sender.births.push((serial, birth));
        woken.push(source);
    }

    fn leave_over(
        &mut self,
        source: TerminalId,
        end: Cycle,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        if let Some(sender) = self.sources.get_mut(source.index()) {
            if let Some(birth) = sender.next.take_if(|birth| birth.created < end) {
                left(Left::one(&birth))?;
            }
            while sender.again_at() < end
                && let Some((_, birth)) = sender.send_again()
            {
                left(Left::one(&birth))?;
            }
            if sender.next.is_some() {
                return ControlFlow::Continue(());
            }
        }
        self.workload.leave_over(source, end, left)
    }

    /// What is to be sent again later is owed, too.
    fn owed(&mut self) -> Owed {
        let waiting = self.sources.iter().map(|it| it.lost.len() as u64);
        let held = self.sources.iter().filter(|it| it.next.is_some());
        let held = if self.owes { held.count() as u64 } else { 0 };
        let owed = self.workload.owed();
        Owed {
            packets: owed.packets + waiting.sum::<u64>() + held,
            ..owed
        }
    }

    fn tally(&self, end: Cycle) -> Tally {
        Tally {
            sent_again: self.sent,
            ..self.workload.tally(end)
        }
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        self.workload.leave_out(packet)
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Again {
            workload: self.workload.fork(),
            after_cycles: self.after_cycles,
            sources: self.sources.clone(),
            sent: self.sent,
            owes: self.owes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_traffic::Once;

    const SOURCE: TerminalId = TerminalId(0);

    fn packet(serial: u32, injected: u32) -> Packet {
        Packet {
            id: PacketId {
                source: SOURCE,
                serial,
            },
            destination: TerminalId(3),
            injected: Cycle(injected),
            words: 2,
            ..Packet::default()
        }
    }

    /// What is lost comes again, no sooner than in the cycle after, and its source is woken. The workload counts only its own
    /// packets.
    #[test]
    fn a_lost_packet_comes_again() {
        let once = Once::new(&[(SOURCE, TerminalId(3)), (SOURCE, TerminalId(2))]);
        let mut again = Again::new(Box::new(once), 50);
        let next = |again: &mut Again, now| match again.next(SOURCE, Cycle(now)) {
            Offer::Packet(birth) => Ok((birth.created.get(), birth.destination.0)),
            offer => Err(offer),
        };
        assert_eq!(next(&mut again, 0), Ok((0, 3)));
        let mut woken = Vec::new();
        again.lost(&packet(0, 10), Cycle(30), &mut woken);
        assert_eq!(woken, [SOURCE]);
        // The workload's second packet goes first: it is due.
        assert_eq!(next(&mut again, 31), Ok((0, 2)));
        assert_eq!(next(&mut again, 31), Err(Offer::Later(Cycle(60))));
        let owed = again.owed();
        assert_eq!((owed.packets, again.tally(Cycle(99)).sent_again), (1, 0));
        assert_eq!(next(&mut again, 60), Ok((60, 3)));
        // Packet 2 is packet 0 to the workload, and lost late.
        let known = again.known(&packet(2, 61));
        assert_eq!(known.id.serial, 0);
        again.lost(&packet(2, 61), Cycle(400), &mut woken);
        assert_eq!(next(&mut again, 400), Err(Offer::Later(Cycle(401))));
        assert_eq!(next(&mut again, 405), Ok((401, 3)));
        assert_eq!(next(&mut again, 500), Err(Offer::WhenWoken));
        assert_eq!(again.tally(Cycle(99)).sent_again, 2);
    }

    /// At the end what is still to be sent again is left over before the end, and owed after it.
    #[test]
    fn what_is_still_to_come_is_left_over() {
        let once = Once::new(&[(SOURCE, TerminalId(3)), (SOURCE, TerminalId(2))]);
        let mut again = Again::new(Box::new(once), 50);
        for _ in 0..2 {
            assert!(again.next(SOURCE, Cycle(0)).packet().is_some());
        }
        for (serial, injected) in [(0, 10), (1, 20)] {
            again.lost(&packet(serial, injected), Cycle(30), &mut Vec::new());
        }
        let mut left = Vec::new();
        let flow = again.leave_over(SOURCE, Cycle(65), &mut |it| {
            left.push((it.created.get(), it.packets));
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        assert_eq!(left, [(60, 1)]);
        assert_eq!(again.owed().packets, 1);
    }
}
