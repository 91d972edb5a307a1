//! Allocators against the models of [`crate::arbiters`], and against bounds that the models don't know.

use crate::arbiters::{Arbiters, Matrix, has_model};
use crate::dice::Dice;
use flitwork_router::allocate::{ALLOCATORS, Allocator, Memory, Requests};
use flitwork_router::bits::{Bits, Bits256};
use std::collections::HashSet;

fn all() -> Vec<Allocator> {
    let mut all: Vec<_> = ALLOCATORS.iter().map(|entry| entry.allocator).collect();
    all.extend([
        Allocator::Islip(2),
        Allocator::Islip(3),
        Allocator::Islip(8),
    ]);
    all
}

fn requests<B: Bits, const N: usize>(matrix: &Matrix) -> Requests<B, N> {
    let mut requests = Requests::none();
    for (row, columns) in matrix.iter().enumerate() {
        for (column, asks) in columns.iter().enumerate() {
            if *asks {
                requests.ask(row, column);
            }
        }
    }
    requests
}

/// A random matrix in which this many percent of all pairs are requests.
fn random_matrix(size: usize, percent: u32, dice: &mut Dice) -> Matrix {
    let mut row = || (0..size).map(|_| dice.percent(percent)).collect();
    (0..size).map(|_| row()).collect()
}

/// Thousands of allocations, each of which starts with the memory of the one before.
fn agrees_with_its_model<B: Bits, const N: usize>(allocator: Allocator, size: usize) {
    let mut dice = Dice::new(size as u64);
    let mut model = Arbiters::new(allocator, size);
    let mut memory: Memory<B, N> = Memory::default();
    for round in 0..2000 {
        let percent = dice.one_of(&[0, 5, 20, 50, 90, 100]);
        let matrix = random_matrix(size, percent, &mut dice);
        // Ages with ties.
        let ages: Vec<u64> = (0..size * size).map(|_| dice.next() % 8).collect();
        let born = |row: usize, column: usize| ages[row * size + column];
        let expected = model.allocate(&matrix, born);
        let found = allocator.allocate(&mut memory, size, &requests::<B, N>(&matrix), born);
        let found: Vec<_> = found.pairs().collect();
        assert_eq!(
            found, expected,
            "{allocator:?} of {size} in round {round}: {matrix:?}"
        );
    }
}

#[test]
fn every_allocator_does_what_its_paper_says() {
    for allocator in all().into_iter().filter(|it| has_model(*it)) {
        for size in 1..=8 {
            agrees_with_its_model::<u32, 8>(allocator, size);
        }
        agrees_with_its_model::<u16, 5>(allocator, 5);
        agrees_with_its_model::<u16, 16>(allocator, 15);
        agrees_with_its_model::<u128, 33>(allocator, 33);
        agrees_with_its_model::<Bits256, 64>(allocator, 64);
    }
}

/// Each row and column occurs at most once, and only in pairs that were requested.
fn is_matching(matrix: &Matrix, pairs: &[(usize, usize)]) -> bool {
    let once = |numbers: &dyn Fn(&(usize, usize)) -> usize| {
        let distinct: HashSet<_> = pairs.iter().map(numbers).collect();
        distinct.len() == pairs.len()
    };
    let asked = |(row, column): &(usize, usize)| matrix[*row][*column];
    pairs.iter().all(asked) && once(&|pair| pair.0) && once(&|pair| pair.1)
}

/// Whether no further request could be granted.
fn is_maximal(matrix: &Matrix, pairs: &[(usize, usize)]) -> bool {
    let stands = |row: usize, column: usize| {
        let in_its_way = |pair: &(usize, usize)| pair.0 == row || pair.1 == column;
        pairs.iter().any(in_its_way)
    };
    let size = matrix.len();
    (0..size * size).all(|place| {
        let (row, column) = (place / size, place % size);
        !matrix[row][column] || stands(row, column)
    })
}

/// Every request matrix of three rows and columns, after each of many others: the result is the model's, a
/// matching, not empty if there are requests, and maximal if that is promised.
#[test]
fn every_matrix_of_three_by_three_is_matched_whatever_came_before() {
    let matrix = |bits: usize| -> Matrix {
        let row = |row: usize| (0..3).map(move |column| bits >> (3 * row + column) & 1 == 1);
        (0..3).map(|number| row(number).collect()).collect()
    };
    for allocator in all() {
        let promises = matches!(
            allocator,
            Allocator::Age | Allocator::Wavefront | Allocator::Islip(3..)
        );
        let mut model = has_model(allocator).then(|| Arbiters::new(allocator, 3));
        let mut memory: Memory<u32, 3> = Memory::default();
        for before in (0..512).step_by(5) {
            let born = |row: usize, column: usize| (7 * row + 5 * column) as u64 % 4;
            let before = matrix(before);
            if let Some(model) = &mut model {
                model.allocate(&before, born);
            }
            allocator.allocate(&mut memory, 3, &requests::<u32, 3>(&before), born);
            for bits in 0..512 {
                let (asked, mut memory) = (matrix(bits), memory.clone());
                let found = allocator.allocate(&mut memory, 3, &requests(&asked), born);
                let found: Vec<_> = found.pairs().collect();
                if let Some(mut model) = model.clone() {
                    assert_eq!(found, model.allocate(&asked, born), "{allocator:?}");
                }
                assert!(is_matching(&asked, &found), "{allocator:?} {asked:?}");
                assert!(bits == 0 || !found.is_empty(), "{allocator:?} {asked:?}");
                assert!(!promises || is_maximal(&asked, &found), "{allocator:?}");
            }
        }
    }
}

/// The most allocations for which a pair that always asks may wait, whatever the others ask for; `None` if it
/// may starve.
fn longest_wait(allocator: Allocator, size: usize) -> Option<usize> {
    match allocator {
        // The oldest request is always granted, and no other becomes older: each of the others precedes it at
        // most once.
        Allocator::Age => Some(size * size),
        // McKeown 1999, section III, property 3: N² + (N - 1)² cells. Further iterations only add matches.
        // Separable, input first, is iSLIP with rows and columns exchanged.
        Allocator::Islip(_) | Allocator::SeparableInputFirst => {
            Some(size * size + (size - 1) * (size - 1))
        }
        // At most n - 1 rows precede this one in its column's queue. Each may reject the column n - 1 times,
        // after which the column is first in that row's queue, and then be served, after which it is behind:
        // n (n - 1) allocations. Then this row is first, and may itself reject the column n - 1 times.
        Allocator::Matrix => Some(size * (size - 1) + size),
        // On the first diagonal every request is granted, and each diagonal is the first in its turn.
        Allocator::Wavefront => Some(size),
        // A column's pointer moves on even if the row went elsewhere, so it may never point to this row in
        // time.
        Allocator::SeparableOutputFirst => None,
        // Nothing is known of one that is new.
        _ => None,
    }
}

/// A pair asks in every allocation while the others ask for whatever they like: it is served within the
/// bound, again and again. Any matching that depends only on the requests starves some pair forever.
#[test]
fn nobody_starves() {
    const SIZE: usize = 5;
    for allocator in all() {
        let Some(bound) = longest_wait(allocator, SIZE) else {
            continue;
        };
        for pair in 0..SIZE * SIZE {
            let (row, column) = (pair / SIZE, pair % SIZE);
            for percent in [30, 70, 100] {
                let mut dice = Dice::new((pair * 100) as u64 + u64::from(percent));
                let mut memory: Memory<u32, SIZE> = Memory::default();
                // When each pair began its current request.
                let mut since = [0; SIZE * SIZE];
                let mut waited = 0;
                for round in 1..40 * SIZE * SIZE {
                    let mut matrix = random_matrix(SIZE, percent, &mut dice);
                    matrix[row][column] = true;
                    let asked = requests::<u32, SIZE>(&matrix);
                    let born = |row: usize, column: usize| since[row * SIZE + column];
                    let found = allocator.allocate(&mut memory, SIZE, &asked, born);
                    waited += 1;
                    for (row, column) in found.pairs() {
                        since[row * SIZE + column] = round as u64;
                    }
                    if found.pairs().any(|served| served == (row, column)) {
                        waited = 0;
                    }
                    assert!(
                        waited < bound,
                        "{allocator:?}: {row} waits for {column} at {percent} %"
                    );
                }
            }
        }
    }
}

/// If every row asks for every column, the pointers of a separable allocator with columns first stay
/// together: all columns choose the same row, one row after the other, and each row takes one column after
/// the other, one pair per allocation. So each of n² pairs is served once in n² allocations.
#[test]
fn separable_output_first_serves_one_pair_after_the_other_at_full_load() {
    const SIZE: usize = 6;
    let mut memory: Memory<u32, SIZE> = Memory::default();
    let asked = requests::<u32, SIZE>(&vec![vec![true; SIZE]; SIZE]);
    for _ in 0..3 {
        let mut served = [0; SIZE * SIZE];
        for _ in 0..SIZE * SIZE {
            let allocator = Allocator::SeparableOutputFirst;
            let found = allocator.allocate(&mut memory, SIZE, &asked, |_, _| 0);
            let pairs: Vec<_> = found.pairs().collect();
            assert_eq!(pairs.len(), 1);
            served[pairs[0].0 * SIZE + pairs[0].1] += 1;
        }
        assert_eq!(served, [1; SIZE * SIZE]);
    }
}

/// McKeown 1999, section III: under full load pointers drift apart until all columns are served in every cell,
/// and from then on each pair is served once in n cells.
#[test]
fn islip_at_full_load_serves_every_pair_once_in_n() {
    const SIZE: usize = 6;
    for iterations in [1, 2, 4] {
        let mut memory: Memory<u32, SIZE> = Memory::default();
        let asked = requests::<u32, SIZE>(&vec![vec![true; SIZE]; SIZE]);
        let mut served = [0; SIZE * SIZE];
        for cell in 0..SIZE * SIZE + 4 * SIZE {
            let allocator = Allocator::Islip(iterations);
            let found = allocator.allocate(&mut memory, SIZE, &asked, |_, _| 0);
            if cell >= SIZE * SIZE {
                for (row, column) in found.pairs() {
                    served[row * SIZE + column] += 1;
                }
            }
        }
        assert_eq!(served, [4; SIZE * SIZE], "{iterations} iterations");
    }
}
