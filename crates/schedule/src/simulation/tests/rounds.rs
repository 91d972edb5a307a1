//! Whole rounds, and all rounds of a permutation.

use super::*;

/// Routes a round, and holds it to what is promised.
fn hold_round(simulation: &Simulation, requests: &[Request]) -> Round {
    let round = simulation.round(requests).unwrap();
    hold(&simulation.mesh(), requests, &round.plans, round.steps);
    for (request, plan) in requests.iter().zip(&round.plans) {
        let (cell, _) = simulation.locate(request.source);
        let first = plan.hops.first().map(|hop| hop.step);
        match request.source == request.destination {
            true => assert_eq!(first, None),
            false => assert_eq!(first, Some(u32::from(!cell.is_even()))),
        }
    }
    round
}

/// Every pair of places of a supernode of 9 x 9 nodes, each with a worm from each supernode to another.
fn hold_all_rounds(across: u32, seed: u64) -> Totals {
    let sizes = [4, 12, across];
    let simulation = simulation(sizes, Consumption::AfterRound);
    assert_eq!(simulation.superstep_steps(), 136);
    assert_eq!(simulation.rounds(), 6561);
    let mut draws = Draws::new(seed);
    let mut totals = Totals::default();
    for from in places(9) {
        for until in places(9) {
            let to = shuffled(across * across, &mut draws);
            let to: Vec<Option<u32>> = to.into_iter().map(Some).collect();
            let requests = worms(sizes, &to, from, until);
            totals.add(&hold_round(&simulation, &requests));
        }
    }
    // Each superstep takes 136 steps; besides, at most 8 from a place to a snake's start, a step for odd supernodes, 51 around the
    // death cycle, 4 to a place beside it, and 4 words.
    let supersteps = 2 * (across - 1);
    let most = supersteps * 136 + 8 + 1 + 51 + 4 + 4;
    assert!(totals.longest_round <= most, "{totals:?}");
    assert!(totals.supersteps <= u64::from(supersteps) * 6561);
    assert_eq!(totals.rounds, 6561);
    totals
}

/// 18 x 18 nodes: 6,561 rounds, of 26,244 worms.
#[test]
fn all_rounds_with_a_worm_from_every_supernode() {
    let totals = hold_all_rounds(2, 71);
    assert!(totals.longest_round > 2 * 136 && totals.longest_queue == 2);
}

/// 36 x 36 nodes: 104,976 worms.
#[test]
#[ignore = "takes 10 seconds"]
fn all_rounds_of_sixteen_supernodes() {
    let totals = hold_all_rounds(4, 78);
    assert!(totals.longest_queue > 2, "{totals:?}");
}

/// Two random permutations of all 324 nodes of an 18 x 18 mesh, each as one schedule.
#[test]
fn a_whole_permutation() {
    let simulation = simulation([4, 12, 2], Consumption::AfterRound);
    let mesh = simulation.mesh();
    for seed in [72, 73] {
        let to = shuffled(324, &mut Draws::new(seed));
        let requests: Vec<Request> = (0..)
            .zip(to)
            .map(|(from, to)| Request {
                source: NodeId(from),
                destination: NodeId(to),
                words: 4,
            })
            .collect();
        let schedule = schedule(&simulation, &requests);
        let totals = schedule.totals;
        assert!(totals.rounds <= 324 && totals.supersteps <= 2 * totals.rounds);
        assert!(totals.steps <= u64::from(totals.longest_round) * totals.rounds);
        hold(&mesh, &requests, &schedule.plans, totals.steps as u32);
        // Round by round, it is the same.
        let mut again = Totals::default();
        for worms in simulation.partition_into_rounds(&requests).unwrap() {
            let of_round: Vec<Request> = worms.iter().map(|worm| requests[*worm]).collect();
            again.add(&hold_round(&simulation, &of_round));
        }
        assert_eq!(again, totals);
    }
}

/// Sizes that are admissible, with more words than s twice, and with more supernodes.
const SIZES: [[u32; 3]; 12] = [
    [4, 12, 1],
    [4, 12, 3],
    [4, 12, 4],
    [4, 12, 7],
    [4, 32, 5],
    [4, 60, 3],
    [16, 12, 3],
    [16, 32, 3],
    [16, 60, 2],
    [36, 12, 3],
    [64, 12, 3],
    [100, 12, 3],
];

/// Permutations, of all supernodes and of some.
#[test]
fn rounds_of_permutations_at_random() {
    for (number, sizes) in (0..).zip(SIZES) {
        let simulation = simulation(sizes, Consumption::AfterRound);
        let [words, packets, across] = sizes;
        let side = Supernode::new(words, packets).unwrap().side();
        assert_eq!(
            simulation.superstep_steps(),
            2 * packets * words + 4 * (side - 1) + words + 4
        );
        let all: Vec<Place> = places(side).collect();
        let mut draws = Draws::of_stream(74, number);
        for round in 0..15 {
            let [from, until] = [0, 1].map(|_| all[draws.below(all.len())]);
            let to = shuffled(across * across, &mut draws);
            let some = |it| (round % 3 > 0 || draws.below(2) > 0).then_some(it);
            let to: Vec<Option<u32>> = to.into_iter().map(some).collect();
            let requests = worms(sizes, &to, from, until);
            let round = hold_round(&simulation, &requests);
            // Farthest first, a permutation takes 2 (N - 1) steps.
            assert!(round.supersteps <= (2 * across).saturating_sub(2).max(1));
        }
    }
}

/// Many worms to few supernodes: those that come are consumed before the next superstep.
#[test]
fn many_worms_to_one_supernode_at_random() {
    let mut longest = 0;
    for (number, sizes) in (0..).zip(SIZES) {
        let simulation = simulation(sizes, Consumption::EachSuperstep);
        let [words, packets, across] = sizes;
        let side = Supernode::new(words, packets).unwrap().side();
        let all: Vec<Place> = places(side).collect();
        let mut draws = Draws::of_stream(75, number);
        let cells = across * across;
        for round in 0..12 {
            let [from, until] = [0, 1].map(|_| all[draws.below(all.len())]);
            let few: Vec<u32> = (0..=round % 3)
                .map(|_| draws.below(cells as usize) as u32)
                .collect();
            let to: Vec<Option<u32>> = (0..cells)
                .map(|_| Some(few[draws.below(few.len())]))
                .collect();
            let requests = worms(sizes, &to, from, until);
            match simulation.round(&requests) {
                Ok(_) => longest = longest.max(hold_round(&simulation, &requests).longest_queue),
                Err(SimulationError::Queue { longest, most }) => {
                    assert!(longest.packets > most && most == packets - 4, "{longest:?}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(longest >= 7, "{longest}");
}

/// Every node of an 18 x 18 mesh to one, and one to every node.
#[test]
fn all_nodes_to_one_and_one_to_all() {
    let simulation = simulation([4, 12, 2], Consumption::EachSuperstep);
    let one = NodeId(18 * 6 + 11);
    for is_inward in [true, false] {
        let request = |node| {
            let ends = [NodeId(node), one];
            Request {
                source: ends[usize::from(!is_inward)],
                destination: ends[usize::from(is_inward)],
                words: 4,
            }
        };
        let requests: Vec<Request> = (0..324).map(request).collect();
        let schedule = schedule(&simulation, &requests);
        let totals = schedule.totals;
        // Inward, a round for each place, one of them with the worm that stays where it is. Outward, a round for each worm.
        assert_eq!(totals.rounds, if is_inward { 81 } else { 324 });
        hold(
            &simulation.mesh(),
            &requests,
            &schedule.plans,
            totals.steps as u32,
        );
    }
}

/// All supernodes to one, each in turn. In its column they come from both sides, and go on one at a time: with 8 x 8 supernodes a
/// queue has 8, all that are allowed with f = 12.
#[test]
fn all_supernodes_to_one() {
    let mut longest = 0;
    for across in 2..=8 {
        let sizes = [4, 12, across];
        let simulation = simulation(sizes, Consumption::EachSuperstep);
        let all: Vec<Place> = places(9).collect();
        let mut draws = Draws::of_stream(79, across.into());
        for cell in (0..across * across).step_by(across as usize / 2) {
            let [from, until] = [0, 1].map(|_| all[draws.below(all.len())]);
            let to = vec![Some(cell); (across * across) as usize];
            let round = hold_round(&simulation, &worms(sizes, &to, from, until));
            longest = longest.max(round.longest_queue);
        }
    }
    assert_eq!(longest, 8);
}
