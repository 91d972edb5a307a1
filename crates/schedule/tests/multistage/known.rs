//! Permutations that are known to miss the longest distance.

use crate::mesh;
use flitwork_schedule::multistage::count::next_permutation;
use flitwork_schedule::multistage::{Mesh, Order, Ranked, Ranking, Rules, Scheduler};
use std::cell::RefCell;

/// 3 rows of 4: missed by the longest total distance first, however ties are broken.
const UNDER_EVERY_TIE_ORDER: [u32; 12] = [3, 6, 9, 10, 7, 2, 11, 4, 8, 0, 1, 5];

thread_local! {
    /// The ranks that [`Listed`] gives, by packet.
    static RANKS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// The order of a list.
struct Listed;

impl Ranking for Listed {
    const NAME: &'static str = "listed";
    const HELP: &'static str = "as a list has them";

    fn ranks(_: &Mesh) -> Option<u32> {
        None
    }

    fn rank(packet: Ranked<'_>) -> u32 {
        RANKS.with_borrow(|ranks| ranks[packet.number()])
    }
}

/// All orders of each group, by turns: the last turns fastest, and each begins again once it is through.
fn next_of_groups(groups: &mut [Vec<u32>]) -> bool {
    groups.iter_mut().rev().any(|group| {
        let goes_on = next_permutation(group);
        if !goes_on {
            group.reverse();
        }
        goes_on
    })
}

#[test]
fn one_is_missed_under_every_tie_order() {
    let mesh = mesh(3, 4);
    let requests = Mesh::permutation(&UNDER_EVERY_TIE_ORDER);
    let mut scheduler = Scheduler::new(mesh.clone());
    let links = |packet: &u32| {
        let request = &requests[*packet as usize];
        flitwork_topology::Topology::distance(mesh.grid(), request.source, request.destination)
    };
    let order = scheduler
        .order(&requests, &Rules::default())
        .expect("an order")
        .to_vec();
    let groups = order.chunk_by(|one, other| links(one) == links(other));
    let mut groups: Vec<_> = groups.map(<[u32]>::to_vec).collect();
    let mut orders = 0;
    loop {
        RANKS.with_borrow_mut(|ranks| {
            ranks.resize(requests.len(), 0);
            for (rank, packet) in (0..).zip(groups.iter().flatten()) {
                ranks[*packet as usize] = rank;
            }
        });
        let rules = Rules {
            order: Order::of::<Listed>(),
            ..Rules::default()
        };
        let summary = scheduler.schedule(&requests, &rules).expect("a problem");
        assert!(summary.excess() > 0, "{groups:?}");
        orders += 1;
        if !next_of_groups(&mut groups) {
            break;
        }
    }
    assert_eq!(orders, 241_920);
}

#[test]
fn one_of_16_nodes_takes_4_steps_for_a_distance_of_3() {
    let requests = Mesh::permutation(&[0, 3, 7, 15, 12, 1, 5, 9, 14, 2, 4, 13, 8, 10, 6, 11]);
    let mut scheduler = Scheduler::new(mesh(4, 4));
    let summary = scheduler
        .schedule(&requests, &Rules::default())
        .expect("a problem");
    assert_eq!((summary.distance, summary.makespan), (3, 4));
}
