//! The distance, the fractional bound, the shortest schedule and the multistage method: none exceeds the next.

use crate::{grid, models, packets, permutation};
use flitwork_schedule::bounds::{Cut, Limits, distance, fractional, shortest};
use flitwork_schedule::multistage::{Mesh, Rules, Scheduler, Search, longest_first};
use flitwork_schedule::{Request, check, makespan};
use proptest::prelude::*;

fn hold(side: u32, requests: &[Request]) -> Result<(), TestCaseError> {
    let (grid, limits) = (grid(side, side), Limits::default());
    let longest = distance(&grid, requests).expect("a problem");
    let mut scheduler = Scheduler::new(Mesh::new(&grid).expect("a mesh"));
    let summary = scheduler.schedule(requests, &Rules::default());
    let multistage = summary.expect("a problem").makespan;
    let order = longest_first(&grid, requests);
    let mut steps = Vec::new();
    for model in models() {
        let bound = fractional(&grid, requests, model, &limits).expect("a problem");
        prop_assert!(longest <= bound.steps);
        prop_assert_eq!(bound.cut.is_some(), bound.steps > longest);
        if let Some(cut) = &bound.cut {
            prop_assert_eq!(cut.steps, bound.steps - 1);
            prop_assert!(cut.proves(&grid, requests, model));
        }
        let found = shortest(&grid, requests, model, &limits).expect("a problem");
        prop_assert!(found.is_proven());
        prop_assert_eq!(check(&grid, requests, &found.plans, model.waiting), Ok(()));
        prop_assert_eq!(makespan(requests, &found.plans), found.makespan);
        prop_assert!(bound.steps <= found.makespan);
        prop_assert!(found.makespan <= multistage);
        let mut search = Search::new(&grid, model.waiting, model.paths);
        let plans = search.schedule(requests, &order).expect("a problem");
        prop_assert!(found.makespan <= makespan(requests, &plans));
        steps.push(found.makespan);
    }
    // More room for schedules never makes the shortest longer.
    let [none, waiting, detours, both] = steps[..] else {
        unreachable!("there are four models");
    };
    prop_assert!(both <= waiting.min(detours) && waiting.max(detours) <= none);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn permutations_of_3_x_3_keep_the_order(requests in permutation(9)) {
        hold(3, &requests)?;
    }

    #[test]
    fn permutations_of_4_x_4_keep_the_order(requests in permutation(16)) {
        hold(4, &requests)?;
    }

    #[test]
    fn patterns_of_3_x_3_keep_the_order(requests in packets(9, 1, 18)) {
        hold(3, &requests)?;
    }

    #[test]
    fn patterns_of_4_x_4_keep_the_order(requests in packets(16, 1, 16)) {
        hold(4, &requests)?;
    }

    #[test]
    fn worms_keep_the_order(requests in packets(9, 3, 8)) {
        hold(3, &requests)?;
    }

    /// Whatever links cost, packets that have a schedule don't pay more than all of it.
    #[test]
    fn no_prices_prove_what_is_false(
        requests in packets(9, 2, 9),
        model in 0..4usize,
        links in prop::collection::btree_map((0..9u32, 0..4u8, 0..9u32), 0..5u32, 0..40),
        waits in prop::collection::btree_map((0..9u32, 0..9u32), 0..5u32, 0..9),
    ) {
        use flitwork_types::{NodeId, Port};
        let (grid, model) = (grid(3, 3), models()[model]);
        let found = shortest(&grid, &requests, model, &Limits::default()).expect("a problem");
        let links = links.into_iter();
        let waits = waits.into_iter();
        let cut = Cut {
            steps: found.makespan,
            links: links.map(|((node, port, step), price)| ((NodeId(node), Port(port), step), price)).collect(),
            waits: waits.map(|((node, step), price)| ((NodeId(node), step), price)).collect(),
        };
        prop_assert!(!cut.proves(&grid, &requests, model));
    }
}
