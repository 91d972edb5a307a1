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

/// Every pair of places, each with a worm from each of 2 x 2 supernodes to another: 6,561 rounds, of 26,244 worms.
#[test]
fn all_rounds_with_as_many_worms_as_there_are_supernodes() {
    let sizes = [4, 12, 2];
    let simulation = simulation(sizes, Consumption::AfterRound);
    assert_eq!(simulation.superstep_steps(), 136);
    assert_eq!(simulation.rounds(), 6561);
    let mut draws = Draws::new(71);
    let mut totals = Totals::default();
    for from in places(9) {
        for until in places(9) {
            let to: Vec<Option<u32>> = shuffled(4, &mut draws).into_iter().map(Some).collect();
            let requests = worms(sizes, &to, from, until);
            let round = hold_round(&simulation, &requests);
            assert!(round.supersteps <= 2 && round.longest_queue <= 2);
            totals.add(&round);
        }
    }
    assert_eq!(totals.rounds, 6561);
    // 2 supersteps of 136 steps; at most 8 from a place to a snake's start, a step for odd supernodes, at most 51 around the death
    // cycle, 4 along a lane and 4 words: 340.
    assert!((330..=340).contains(&totals.longest_round), "{totals:?}");
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
        let schedule = simulation.schedule(&requests).unwrap();
        let totals = schedule.totals;
        assert!(totals.rounds <= 324 && totals.supersteps <= 2 * totals.rounds);
        assert!(totals.steps <= u64::from(totals.longest_round) * totals.rounds);
        hold(&mesh, &requests, &schedule.plans, totals.steps as u32);
        // Round by round, it is the same.
        let mut again = Totals::default();
        for worms in simulation.share_out(&requests).unwrap() {
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
