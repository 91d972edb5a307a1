//! What each allocator promises, and that its shortcuts give the same results. That it follows its paper is
//! tested against models in `tests/models`.

use super::*;
use crate::lanes::Lanes;
use flitwork_node::{LaneSet, draw};
use flitwork_types::{Cycle, NodeId, Port};

const N: usize = 8;

fn all() -> Vec<Allocator> {
    let mut all: Vec<_> = ALLOCATORS.iter().map(|entry| entry.allocator).collect();
    all.extend([Allocator::Islip(2), Allocator::Islip(8)]);
    all
}

/// A request matrix as bits, row by row.
fn requests(size: usize, matrix: u64) -> Requests<u32, N> {
    let mut requests = Requests::none();
    for row in 0..size {
        for column in 0..size {
            if matrix >> (row * size + column) & 1 == 1 {
                requests.ask(row, column);
            }
        }
    }
    requests
}

fn pairs(matches: &Matches<u32, N>) -> Vec<(usize, usize)> {
    matches.pairs().collect()
}

#[test]
fn rows_apart_are_served_as_among_others() {
    let settling = |allocator: &Allocator| allocator.settles_apart();
    for allocator in all().into_iter().filter(settling) {
        let mut whole: Memory<u32, N> = Memory::default();
        let mut alone: Memory<u32, N> = Memory::default();
        for step in 0..2000 {
            // Each column is requested by one row, or by none.
            let mut asked = Requests::none();
            for column in 0..5 {
                let row = draw(2, NodeId(column as u32), Cycle(step), 0) as usize % 8;
                if row < 5 {
                    asked.ask(row, column);
                }
            }
            let found = allocator.allocate(&mut whole, 5, &asked, |_, _| 0);
            let apart = asked.asking.numbers().map(|row| {
                let columns = asked.rows[row];
                let column = allocator.allocate_apart(&mut alone, 5, (row, columns));
                (row, column)
            });
            assert_eq!(apart.collect::<Vec<_>>(), pairs(&found), "{allocator:?}");
            assert_eq!(format!("{whole:?}"), format!("{alone:?}"), "{allocator:?}");
        }
    }
}

#[test]
fn islip_under_full_load_settles_into_a_perfect_matching() {
    // McKeown 1999, section III: with all queues full, pointers drift apart until every output is used in
    // every cycle, with one iteration.
    let mut memory = Memory::default();
    let mut last = 0;
    for _ in 0..64 {
        let found = Allocator::Islip(1).allocate(&mut memory, 8, &requests(8, u64::MAX), |_, _| 0);
        last = pairs(&found).len();
    }
    assert_eq!(last, 8);
}

#[test]
fn the_oldest_comes_first() {
    // Rows 0 and 1 want column 0 only, row 2 columns 0 and 1; row 2 is the oldest.
    let mut memory = Memory::default();
    let born = |row: usize, _| [5, 3, 1][row];
    let asked = requests(3, 0b011_001_001);
    let found = Allocator::Age.allocate(&mut memory, 3, &asked, born);
    assert_eq!(pairs(&found), [(2, 0)]);
    let born = |row: usize, _| [5, 3, 4][row];
    let found = Allocator::Age.allocate(&mut memory, 3, &asked, born);
    assert_eq!(pairs(&found), [(1, 0), (2, 1)]);
}

#[test]
fn a_matrix_arbiter_serves_the_least_recently_served() {
    // All rows want column 0: they queue in the order of their last service.
    let mut memory = Memory::default();
    let mut queue: Vec<usize> = (0..8).collect();
    for step in 0..200 {
        let drawn = draw(1, NodeId(0), Cycle(step), 0) as u32 & 0xff;
        let mut asked = Requests::none();
        drawn.numbers().for_each(|row| asked.ask(row, 0));
        let found: Matches<u32, N> = Allocator::Matrix.allocate(&mut memory, 8, &asked, |_, _| 0);
        let first = queue.iter().position(|row| drawn.has(*row));
        let expected: Vec<_> = first.map(|place| (queue[place], 0)).into_iter().collect();
        assert_eq!(pairs(&found), expected);
        if let Some(place) = first {
            let row = queue.remove(place);
            queue.push(row);
        }
    }
}

/// What an allocator has come to remember.
fn memories(allocator: Allocator, size: usize) -> impl Iterator<Item = (Cycle, Memory<u32, N>)> {
    let first = [MatrixFirst::Lowest, MatrixFirst::Highest];
    let all = first.into_iter().flat_map(move |first| {
        let mut memory = match allocator {
            Allocator::Matrix => Memory::of_matrices(first),
            _ => Memory::default(),
        };
        (0..500).map(Cycle).map(move |step| {
            let before = memory.clone();
            let drawn = |index| draw(4, NodeId(first as u32), step, index);
            let asked = requests(size, drawn(0) & drawn(1));
            allocator.allocate(&mut memory, size, &asked, |row, _| drawn(2) >> row & 3);
            (step, before)
        })
    });
    all.collect::<Vec<_>>().into_iter()
}

/// If rows ask for one column alone, it goes to the one with the least rank, and of equals to the lowest.
#[test]
fn a_column_goes_to_the_row_of_the_least_rank() {
    const SIZE: usize = 6;
    for allocator in all() {
        for (step, memory) in memories(allocator, SIZE) {
            let drawn = |index| draw(5, NodeId(0), step, index);
            let born = |row: usize| drawn(0) >> row & 3;
            let column = drawn(1) as usize % SIZE;
            let rows = (drawn(2) as u32 & u32::below(SIZE)) | u32::only(step.0 as usize % SIZE);
            let mut asked = Requests::none();
            rows.numbers().for_each(|row| asked.ask(row, column));
            let rank = |row: usize| allocator.rank(&memory, SIZE, (row, column), born(row));
            let first = rows.numbers().min_by_key(|row| (rank(*row), *row)).unwrap();
            let mut after = memory.clone();
            let found = allocator.allocate(&mut after, SIZE, &asked, |row, _| born(row));
            assert_eq!(pairs(&found), [(first, column)], "{allocator:?} {memory:?}");
            let mut ranks: Vec<u64> = (0..SIZE).map(rank).collect();
            ranks.sort();
            let in_turn: Vec<u64> = (0..SIZE as u64).collect();
            assert!(
                allocator == Allocator::Age || ranks == in_turn,
                "{allocator:?}"
            );
        }
    }
}

/// Where all rows ask for a column, or a row for all columns, what is remembered says who goes first.
#[test]
fn the_first_is_the_one_that_is_remembered() {
    const SIZE: usize = 5;
    for allocator in all() {
        for (_, memory) in memories(allocator, SIZE) {
            let alone = |asked: &Requests<u32, N>| {
                pairs(&allocator.allocate(&mut memory.clone(), SIZE, asked, |_, _| 0))
            };
            let remembered = allocator.remembered(&memory, SIZE);
            for one in 0..SIZE {
                let (mut of_column, mut of_row) = (Requests::none(), Requests::none());
                (0..SIZE).for_each(|other| of_column.ask(other, one));
                (0..SIZE).for_each(|other| of_row.ask(one, other));
                let (row, column) = match remembered.diagonal {
                    // Row and column add up to the diagonal, modulo the size.
                    Some(diagonal) => (
                        (diagonal + SIZE - one) % SIZE,
                        (diagonal + SIZE - one) % SIZE,
                    ),
                    // Who remembers nothing lets the lowest go first, among those of one age.
                    None if remembered == Remembered::default() => (0, 0),
                    None => (remembered.first_rows[one], remembered.first_columns[one]),
                };
                assert_eq!(alone(&of_column), [(row, one)], "{allocator:?}");
                assert_eq!(alone(&of_row), [(one, column)], "{allocator:?}");
            }
        }
    }
}

#[test]
fn rows_and_columns_are_taken_out() {
    let mut asked = requests(3, 0b111_111_111);
    asked.without(u32::only(0), u32::only(2));
    assert_eq!(asked.asking.numbers().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(asked.rows[1], 0b011);
    let found = Allocator::Wavefront.allocate(&mut Memory::default(), 3, &asked, |_, _| 0);
    assert!(
        pairs(&found)
            .iter()
            .all(|(row, column)| *row > 0 && *column < 2)
    );
}

#[test]
fn islip_of_few_is_islip() {
    const FEW: usize = 7;
    const { assert!(FEW <= islip::FEW && N > islip::FEW) };
    for size in 1..=FEW {
        let mut plain: Memory<u32, FEW> = Memory::default();
        let mut few: Memory<u32, FEW> = Memory::default();
        for step in 0..3000 {
            let mut columns = [0; FEW];
            let rows = u32::below(size);
            for (column, asking) in columns[..size].iter_mut().enumerate() {
                let place = NodeId((size * FEW + column) as u32);
                // Many rows ask for some columns, few or none for others.
                *asking = rows & draw(3, place, Cycle(step), 0) as u32;
                if step % 2 == 0 {
                    *asking &= draw(3, place, Cycle(step), 1) as u32;
                }
            }
            let asked = (0..size).filter(|column| columns[*column] != 0);
            let asked = asked.fold(0, |asked, column| asked | 1 << column);
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            islip::iterate(&mut plain, size, (&columns, asked), |row, column| {
                expected.push((row, column));
            });
            let granted = |column: usize, from: u8| {
                let asking = columns[column];
                (asking != 0, asking.first_from(from.into()))
            };
            islip::iterate_few(&mut few, size, granted, |row, column| {
                found.push((row, column));
            });
            assert_eq!(found, expected);
            assert_eq!(format!("{few:?}"), format!("{plain:?}"));
        }
    }
}

/// Lanes that bid for one output port of the switch, in each of its ways: the one with the least rank crosses, and of equals
/// the one in the lowest row. Some of them have been served before.
#[test]
fn an_output_port_goes_to_the_lane_of_the_least_rank() {
    const CHANNELS: usize = 3;
    let order: Vec<Port> = (0..5).map(Port).collect();
    let lanes = Lanes::new(&order, CHANNELS);
    for allocator in all() {
        let switch = SwitchAllocator {
            allocator,
            lanes: lanes.clone(),
        };
        let mut memory: SwitchMemory<u32, 5> = SwitchMemory::default();
        let mut of_speculation: Memory<u32, 5> = Memory::default();
        for step in 0..4000 {
            let drawn = |index| draw(6, NodeId(0), Cycle(step), index);
            let born = |lane: usize| drawn(1) >> (2 * lane) & 3;
            let output = drawn(2) as usize % 5;
            let held = [(output * CHANNELS) as u8; 15];
            let bids = (drawn(0) as u32 & u32::below(15)) | u32::only(step as usize % 15);
            // Of those that bid together with others, some come after the others of their port.
            let sure = match step % 4 {
                3 => bids & drawn(3) as u32,
                _ => bids,
            };
            let is_blind = step % 4 == 2;
            (0..15).for_each(|lane| memory.connect(lane, output));
            let rank = |lane: usize| {
                let row = lanes.at_row::<u32>(lanes.row_of(lane));
                let beside = (bids & row).numbers();
                let bidder = Bidder {
                    bid: (lane, output),
                    born: born(lane),
                    oldest: beside.map(born).min().unwrap(),
                    is_outranked: !sure.has(lane) && !(sure & row).is_empty(),
                };
                let of_speculation = matches!(step % 4, 1 | 2).then_some(&of_speculation);
                switch.rank(&memory, of_speculation, bidder, is_blind)
            };
            let first = bids.numbers().min_by_key(|lane| (rank(*lane), *lane));
            let speculation = Speculation {
                bids: if step % 4 == 3 { bids & !sure } else { bids },
                wanted: |_| u32::only(output * CHANNELS),
                able: bids,
                taken: if step % 4 == 3 { sure } else { 0 },
                is_blind,
            };
            let through = match step % 4 {
                0 => switch.allocate(&mut memory, bids, &held, born),
                1 | 2 => {
                    let of_speculation = &mut of_speculation;
                    switch.speculate(&mut memory, of_speculation, &held, &speculation, born)
                }
                _ => switch.allocate_all(&mut memory, &held, &speculation, born),
            };
            let crossed: Vec<usize> = through.numbers().collect();
            assert_eq!(crossed, [first.unwrap()], "{allocator:?}, step {step}");
            (0..15).for_each(|lane| memory.disconnect(lane, output));
        }
    }
}
