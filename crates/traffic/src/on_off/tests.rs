//! Bursts against their definition.

use super::*;
use crate::open_loop::tests::{cycles, mean, order_does_not_matter, simple};
use crate::{LengthLaw, Lengths, Workload};
use flitwork_types::{Cycle, TerminalId};

fn bursts(load: f64, peak_load: f64, burst_cycles: f64) -> OnOffParameters {
    OnOffParameters {
        load,
        peak_load,
        burst_cycles,
    }
}

fn traffic(parameters: OnOffParameters, until: u32, nodes: u32) -> Modulated {
    parameters.traffic(simple(until, nodes)).unwrap()
}

#[test]
fn the_mean_load_is_as_configured() {
    for (load, peak, burst) in [
        (0.1, 0.5, 20.0),
        (0.01, 1.0, 100.0),
        (0.4, 0.5, 8.0),
        (0.3, 0.3, 7.0),
        (0.5, 1.0, 2.0),
    ] {
        let (until, nodes) = (3000, 2000);
        let mut traffic = traffic(bursts(load, peak, burst), until, nodes);
        let of_node = |node| cycles(&mut traffic, node).len() as f64 / f64::from(until);
        let loads: Vec<f64> = (4..nodes).map(of_node).collect();
        let (found, bound) = mean(&loads);
        assert!((found - load).abs() < bound, "{load}: {found} ± {bound}");
        // Packets per source over T cycles: each cycle's toss has the variance load * (1 - load), and two
        // cycles k apart have the covariance peak^2 * s * (1 - s) * (1 - alpha - beta)^k with the share s =
        // load / peak. Summed over all pairs, without end terms of the order of a burst:
        let law = bursts(load, peak, burst).law(1.0).unwrap();
        let (share, memory) = (load / peak, 1.0 - law.alpha - law.beta);
        let pairs = 2.0 * peak * peak * share * (1.0 - share) * memory / (1.0 - memory);
        let variance = (load * (1.0 - load) + pairs) / f64::from(until);
        let squares: Vec<f64> = loads.iter().map(|found| (found - load).powi(2)).collect();
        let (found, bound) = mean(&squares);
        // The end terms contribute at most 2 (burst + silence) / T of it.
        let ends = variance * 2.0 * (burst + 1.0 / law.alpha) / f64::from(until);
        assert!(
            (found - variance).abs() < bound + ends,
            "{load}: {found} for {variance}"
        );
    }
}

#[test]
fn bursts_and_silences_are_geometric() {
    // With a packet in every cycle that is on, bursts are runs of cycles with packets.
    let law = bursts(0.2, 1.0, 12.0).law(1.0).unwrap();
    assert!((law.beta - 1.0 / 12.0).abs() < 1e-15 && (law.alpha - 1.0 / 48.0).abs() < 1e-15);
    let mut traffic = traffic(bursts(0.2, 1.0, 12.0), 30_000, 300);
    let (mut runs, mut gaps) = (Vec::new(), Vec::new());
    for node in 4..300 {
        let cycles = cycles(&mut traffic, node);
        let bursts: Vec<&[u32]> = cycles.chunk_by(|one, next| one + 1 == *next).collect();
        // The first and the last may be cut off.
        for pair in bursts[1..bursts.len() - 1].windows(2) {
            runs.push(pair[0].len() as f64);
            gaps.push(f64::from(pair[1][0] - pair[0][pair[0].len() - 1] - 1));
        }
    }
    for (found, leave) in [(&runs, law.beta), (&gaps, law.alpha)] {
        let (mean_cycles, bound) = mean(found);
        assert!(
            (mean_cycles - 1.0 / leave).abs() < bound,
            "{mean_cycles} for {leave}"
        );
        // A fraction 1 - (1 - leave)^k of geometric stays lasts at most k cycles.
        for k in [1, 5, 30] {
            let part: Vec<f64> = found
                .iter()
                .map(|cycles| f64::from(u8::from(*cycles <= f64::from(k))))
                .collect();
            let (part, bound) = mean(&part);
            assert!(
                (part - (1.0 - (1.0 - leave).powi(k))).abs() < bound,
                "{leave} {k}"
            );
        }
    }
}

#[test]
fn every_cycle_has_the_same_rate_from_the_first_to_the_last() {
    // 20,000 sources, 40 cycles at 0.25: 5,000 packets a cycle, standard deviation 61.
    let mut counts = [0u32; 40];
    let mut traffic = traffic(bursts(0.25, 0.5, 10.0), 40, 20_001);
    for node in 0..20_001 {
        for cycle in cycles(&mut traffic, node) {
            counts[cycle as usize] += 1;
        }
    }
    let near = |count: &u32| count.abs_diff(5000) < 306;
    assert!(counts.iter().all(near), "{counts:?}");
}

#[test]
fn loads_are_in_words() {
    let law = LengthLaw::Weighted {
        lengths: vec![(1, 1.0), (5, 1.0)],
    };
    let mut open_loop = simple(20_000, 500);
    open_loop.lengths = Lengths::new(&law).unwrap();
    let bursts = bursts(0.6, 2.0, 30.0);
    let law = bursts.law(open_loop.lengths.mean_words()).unwrap();
    assert!((law.r1 - 2.0 / 3.0).abs() < 1e-15);
    let mut traffic = bursts.traffic(open_loop).unwrap();
    let mut words = |node| {
        let next = || traffic.next(TerminalId(node), Cycle::ZERO).packet();
        let words: f64 = std::iter::from_fn(next)
            .map(|birth| f64::from(birth.words))
            .sum();
        words / 20_000.0
    };
    let (found, bound) = mean(&(4..500).map(&mut words).collect::<Vec<_>>());
    assert!((found - 0.6).abs() < bound, "{found} ± {bound}");
}

#[test]
fn the_ends() {
    for none in [
        bursts(0.0, 0.5, 4.0),
        bursts(0.0, 0.0, 1.0),
        bursts(-0.0, 1.0, 1e300),
    ] {
        assert!(traffic(none, u32::MAX, 300).sources().is_empty());
    }
    let mut always = traffic(bursts(1.0, 1.0, 1.0), 50, 300);
    assert_eq!(cycles(&mut always, 7), (0..50).collect::<Vec<_>>());
    assert!(cycles(&mut always, 3).is_empty());
    // On and off in turn, for one cycle each.
    let mut turns = traffic(bursts(0.5, 1.0, 1.0), 1000, 300);
    let cycles = cycles(&mut turns, 7);
    assert!(cycles.windows(2).all(|pair| pair[1] == pair[0] + 2) && cycles.len() == 500);
}

#[test]
fn births_do_not_depend_on_the_order_of_calls() {
    order_does_not_matter(|| Box::new(traffic(bursts(0.02, 0.5, 6.0), 200, 600)), 600);
}

#[test]
fn nonsense_is_refused() {
    let refused = |parameters: OnOffParameters| parameters.law(2.0).unwrap_err().to_string();
    for (parameters, message) in [
        (
            bursts(0.1, 2.1, 9.0),
            "peak_load is 2.1; allowed: a number from 0 to 2 words per cycle",
        ),
        (
            bursts(0.6, 0.5, 9.0),
            "load is 0.6; allowed: a number from 0 to 0.5 words per cycle",
        ),
        (
            bursts(-0.1, 0.5, 9.0),
            "load is -0.1; allowed: a number from 0 to 0.5 words per cycle",
        ),
        (
            bursts(0.1, 0.5, 0.5),
            "burst_cycles is 0.5; allowed: a number of at least 1 cycles",
        ),
        (
            bursts(0.75, 1.0, 2.5),
            "burst_cycles is 2.5; allowed: a number of at least 3 cycles",
        ),
    ] {
        assert_eq!(refused(parameters), message);
    }
    for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(bursts(strange, 0.5, 9.0));
        refused(bursts(0.1, strange, 9.0));
        refused(bursts(0.1, 0.5, strange));
    }
}
