//! What each allocator promises, and that its shortcuts give the same results. That it follows its paper is
//! tested against models in `tests/models`.

use super::*;
use flitwork_node::draw;
use flitwork_types::{Cycle, NodeId};

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
            let apart = asked.asking().numbers().map(|row| {
                let columns = asked.row(row);
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

#[test]
fn rows_and_columns_are_taken_out() {
    let mut asked = requests(3, 0b111_111_111);
    asked.without(u32::only(0), u32::only(2));
    assert_eq!(asked.asking().numbers().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(asked.row(1), 0b011);
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
    const { assert!(Memory::<u32, FEW>::ARE_FEW && !Memory::<u32, N>::ARE_FEW) };
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
            plain.islip(size, (&columns, asked), |row, column| {
                expected.push((row, column));
            });
            let granted = |column: usize, from: u8| {
                let asking = columns[column];
                (asking != 0, asking.first_from(from.into()))
            };
            few.islip_few(size, granted, |row, column| found.push((row, column)));
            assert_eq!(found, expected);
            assert_eq!(format!("{few:?}"), format!("{plain:?}"));
        }
    }
}
