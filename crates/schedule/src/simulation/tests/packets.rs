//! The packet algorithm by itself.

use super::super::packets::{Packet, Run, run};
use super::superstep::cells;
use super::*;

/// Replays a run: in each superstep and direction each supernode that has packets for it sends one of those with the farthest to
/// go, and nothing else.
fn hold_run(across: u32, mut packets: Vec<Packet>, consumption: Consumption) -> Run {
    let run = run(across, packets.clone(), consumption);
    let mut longest = 0;
    for (superstep, sent) in (0..).zip(&run.supersteps) {
        let is_new = superstep == 0 || consumption == Consumption::AfterRound;
        for cell in cells(across) {
            let here = packets.iter().zip(sent).filter(|(it, _)| it.at == cell);
            let here: Vec<_> = here.collect();
            let stored = here.iter().filter(|(it, _)| is_new || it.at != it.to);
            let stored = stored.count() as u32;
            let is_longest = (run.longest.supernode, run.longest.superstep) == (cell, superstep);
            assert!(!is_longest || stored == run.longest.packets);
            longest = longest.max(stored);
            for direction in Direction::ALL {
                let far = |packet: &Packet| {
                    let x = i64::from(packet.to.column) - i64::from(cell.column);
                    let y = i64::from(packet.to.row) - i64::from(cell.row);
                    match direction {
                        Direction::East => x.max(0),
                        Direction::West => (-x).max(0),
                        _ if x != 0 => 0,
                        Direction::South => y.max(0),
                        Direction::North => (-y).max(0),
                    }
                };
                let farthest = here.iter().map(|(it, _)| far(it)).max().unwrap_or(0);
                let goes: Vec<i64> = here
                    .iter()
                    .filter(|(_, goes)| **goes == Some(direction))
                    .map(|(it, _)| far(it))
                    .collect();
                let expected = if farthest > 0 { vec![farthest] } else { vec![] };
                assert_eq!(goes, expected, "{cell} {direction:?}");
            }
        }
        for (packet, sent) in packets.iter_mut().zip(sent) {
            if let Some(direction) = sent {
                packet.at = packet.at.next(*direction);
            }
        }
    }
    assert!(packets.iter().all(|packet| packet.at == packet.to));
    assert_eq!(run.longest.packets, longest);
    run
}

fn of(across: u32, to: &[u32]) -> Vec<Packet> {
    let all: Vec<Cell> = cells(across).collect();
    let packets = all.iter().zip(to);
    packets
        .map(|(at, to)| Packet {
            at: *at,
            to: all[*to as usize],
        })
        .collect()
}

/// Permutations, in at most 2 (N - 1) steps: farthest first, N - 1 are enough for the rows, and N - 1 for the columns. And any others.
#[test]
fn packets_go_farthest_first() {
    for across in 1..=9 {
        let mut draws = Draws::of_stream(80, across.into());
        let cells = across * across;
        for _ in 0..100 {
            let to = shuffled(cells, &mut draws);
            let run = hold_run(across, of(across, &to), Consumption::AfterRound);
            assert!(run.supersteps.len() as u32 <= (2 * across - 2).max(1));
            let any: Vec<u32> = to
                .iter()
                .map(|_| draws.below(cells as usize) as u32)
                .collect();
            for consumption in [Consumption::AfterRound, Consumption::EachSuperstep] {
                hold_run(across, of(across, &any), consumption);
            }
        }
    }
}

/// By hand: in a row of three, two packets for the last. The one from the middle is on its way before the other comes.
#[test]
fn two_packets_in_a_row() {
    let at = |column| Cell { column, row: 0 };
    let packets = [0, 1].map(|column| Packet {
        at: at(column),
        to: at(2),
    });
    let run = hold_run(3, packets.to_vec(), Consumption::AfterRound);
    let east = Some(Direction::East);
    assert_eq!(run.supersteps, [[east, east], [east, None]]);
    let longest = Queue {
        packets: 1,
        supernode: at(0),
        superstep: 0,
    };
    assert_eq!(run.longest, longest);
}

/// By hand: two packets come to the middle of the first row from its ends, both with two supernodes to go to the south. The first
/// goes first, from whichever end it came. Packets of a round that meet with as far to go in one direction have one destination, so that
/// the supersteps are as many either way: it is the plans that differ.
#[test]
fn of_packets_with_as_far_to_go_the_first_is_sent() {
    let at = |column, row| Cell { column, row };
    let [east, south, west] = [Direction::East, Direction::South, Direction::West].map(Some);
    for (columns, comes) in [([0, 2], [east, west]), ([2, 0], [west, east])] {
        let packets = columns.map(|column| Packet {
            at: at(column, 0),
            to: at(1, 2),
        });
        let run = hold_run(3, packets.to_vec(), Consumption::EachSuperstep);
        let expected = [comes, [south, None], [south, south], [None, south]];
        assert_eq!(run.supersteps, expected);
    }
}
