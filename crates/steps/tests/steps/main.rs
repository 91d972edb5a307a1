//! Rules and adversaries, held to what Chinn 1995 says of them; lines and rings, to Kaufmann and Sibeyn 1991.

mod adaptive;
mod chapter_one;
mod dimension;
mod extensions;
mod lanes;
mod linear;
mod moves;
mod multi_packet_bounds;
mod multi_packet_edges;
mod multi_packet_leading;
mod multi_packet_lines;
mod multi_packet_plans;
mod multi_packet_runs;
mod policies;
mod programs;
mod table;
mod together;
mod upper;

use flitwork_steps::lower::{AdaptiveConstants, AdaptiveSetting, Constructed, LowerError, Queues};
use flitwork_steps::{Machine, Nobody, Rule, Store};
use flitwork_topology::Grid;

/// A mesh, central queues and permutations (section 2.3).
const CENTRAL: AdaptiveSetting = AdaptiveSetting {
    queues: Queues::Central,
    wraps: false,
    per_node: 1,
};

/// The constants for permutations on a mesh of this side and central queues of this size.
fn central(side: u32, queue: u32) -> Result<AdaptiveConstants, LowerError> {
    AdaptiveConstants::for_setting(CENTRAL, side, queue)
}

/// The steps that a rule takes for what was constructed against it: at least the bound, and until then it does what it did
/// with exchanges (Lemma 2.12).
fn hold<R: Rule>(n: u32, k: u32, rule: &R, made: &Constructed) -> u32 {
    let mesh = Grid::mesh(&[n, n]).unwrap();
    hold_on(&mesh, Store::Central(k as usize), rule, made)
}

fn hold_on<R: Rule>(grid: &Grid, store: Store, rule: &R, made: &Constructed) -> u32 {
    let n = grid.sides()[0];
    let mut machine = Machine::new(grid, rule, store, &made.problem).unwrap();
    while !machine.is_done() && machine.steps() < 40 * n * n {
        machine.step(&mut Nobody);
        if machine.steps() == made.bound_steps {
            let places = machine.packets().iter().map(|it| it.at);
            assert!(places.eq(made.at_bound.iter().copied()), "{rule:?}");
        }
    }
    assert!(
        machine.is_done(),
        "{rule:?}: {} left",
        machine.undelivered()
    );
    // Some packets were still under way at the bound.
    let mut packets = made.problem.iter().zip(&made.at_bound);
    assert!(
        packets.any(|((_, to), at)| to != at) && machine.steps() >= made.bound_steps,
        "{rule:?}"
    );
    machine.steps()
}

/// All orders of the first `count` (Heap 1963).
fn permutations(order: &mut [u32], count: usize, each: &mut impl FnMut(&[u32])) {
    if count == 1 {
        return each(order);
    }
    for place in 0..count {
        permutations(order, count - 1, each);
        let other = if count.is_multiple_of(2) { place } else { 0 };
        if place + 1 < count {
            order.swap(other, count - 1);
        }
    }
}
