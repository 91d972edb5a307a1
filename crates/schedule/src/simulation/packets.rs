//! The packet algorithm that is simulated: first along the row, then along the column, farthest first.
//!
//! In each superstep a supernode sends at most one packet to each of its neighbours: of those that it has for the neighbour, one
//! that has the farthest to go in that direction, and of these the first. What it sends depends on its own packets only, and no
//! packet is refused (the paper's Assumption 1).

use super::{Cell, Consumption, Direction};

/// The longest queue, as supersteps begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// How many packets there are.
    pub packets: u32,
    /// The supernode.
    pub supernode: Cell,
    /// The superstep, from 0.
    pub superstep: u32,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) at: Cell,
    pub(super) to: Cell,
}

impl Packet {
    /// Where it goes next, and how far in that direction.
    fn wants(&self) -> Option<(Direction, u32)> {
        let (at, to) = (self.at, self.to);
        let far = [at.column.abs_diff(to.column), at.row.abs_diff(to.row)];
        match far {
            [0, 0] => None,
            [0, rows] if to.row < at.row => Some((Direction::North, rows)),
            [0, rows] => Some((Direction::South, rows)),
            [columns, _] if to.column > at.column => Some((Direction::East, columns)),
            [columns, _] => Some((Direction::West, columns)),
        }
    }
}

/// What a whole run does.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// For each superstep, and each packet, whether and where it is sent.
    pub(super) supersteps: Vec<Vec<Option<Direction>>>,
    /// The longest queue. Packets that have arrived count until they are consumed.
    pub(super) longest: Queue,
}

/// Routes packets over a mesh of so many supernodes a side. There is at least one superstep.
pub(super) fn run(across: u32, mut packets: Vec<Packet>, consumption: Consumption) -> Run {
    let number = |cell: Cell| (cell.row * across + cell.column) as usize;
    let cells = (across * across) as usize;
    let mut supersteps = Vec::new();
    let mut is_here = vec![true; packets.len()];
    let mut longest = Queue {
        packets: 0,
        supernode: Cell { column: 0, row: 0 },
        superstep: 0,
    };
    loop {
        let mut stored = vec![0; cells];
        for (packet, _) in packets.iter().zip(&is_here).filter(|(_, here)| **here) {
            let here = &mut stored[number(packet.at)];
            *here += 1;
            if *here > longest.packets {
                longest = Queue {
                    packets: *here,
                    supernode: packet.at,
                    superstep: supersteps.len() as u32,
                };
            }
        }
        let sent = select(&packets, |packet| number(packet.at), cells);
        for (packet, direction) in packets.iter_mut().zip(&sent) {
            if let Some(direction) = direction {
                packet.at = packet.at.next(*direction);
            }
        }
        supersteps.push(sent);
        if consumption == Consumption::EachSuperstep {
            for (packet, here) in packets.iter().zip(&mut is_here) {
                *here = packet.at != packet.to;
            }
        }
        if packets.iter().all(|packet| packet.at == packet.to) {
            return Run {
                supersteps,
                longest,
            };
        }
    }
}

/// Which packets are sent in a superstep, and where.
fn select(
    packets: &[Packet],
    number: impl Fn(&Packet) -> usize,
    cells: usize,
) -> Vec<Option<Direction>> {
    let mut farthest: Vec<[Option<(u32, usize)>; 4]> = vec![[None; 4]; cells];
    for (place, packet) in packets.iter().enumerate() {
        if let Some((direction, far)) = packet.wants() {
            let best = &mut farthest[number(packet)][direction as usize];
            if best.is_none_or(|(other, _)| far > other) {
                *best = Some((far, place));
            }
        }
    }
    let mut sent = vec![None; packets.len()];
    for by_direction in farthest {
        for (direction, best) in Direction::ALL.into_iter().zip(by_direction) {
            if let Some((_, place)) = best {
                sent[place] = Some(direction);
            }
        }
    }
    sent
}
