//! What is drawn for `[clocks]`: spreads, drifts, phases.

use super::clocks::{exact, many, with};
use super::right_by_clocked;
use flitwork_network::Clocks;

#[test]
fn a_uniform_spread_fills_its_range() {
    let drawn = many("spread = \"uniform\"\nspread_percent = 5");
    assert!(
        drawn
            .iter()
            .all(|clock| (950.0..=1050.0).contains(&exact(clock)))
    );
    assert!(drawn.iter().any(|clock| exact(clock) < 951.0));
    assert!(drawn.iter().any(|clock| exact(clock) > 1049.0));
    // The standard deviation is 100 / sqrt(12) = 28.9 ps, that of the mean of 4096 is 0.45 ps.
    let mean = drawn.iter().map(exact).sum::<f64>() / 4096.0;
    assert!((mean - 1000.0).abs() < 2.0, "{mean}");
    assert!(drawn.iter().all(|clock| clock.phase_ps == 0));
}

#[test]
fn a_normal_spread_stays_within_three_deviations() {
    let drawn = many("spread = \"normal\"\nspread_percent = 1");
    let off: Vec<f64> = drawn.iter().map(|clock| exact(clock) - 1000.0).collect();
    assert!(off.iter().all(|off| off.abs() < 30.000_01));
    // Of a normal draw 68.3 % lie within a deviation: 2797 of 4096, with a deviation of 30.
    let near = off.iter().filter(|off| off.abs() <= 10.0).count();
    assert!(near.abs_diff(2797) < 120, "{near}");
    let variance = off.iter().map(|off| off * off).sum::<f64>() / 4096.0;
    assert!((variance / 100.0 - 1.0).abs() < 0.1, "{variance}");
}

#[test]
fn a_spread_below_a_ps_is_in_the_drift() {
    let drawn = many("spread = \"uniform\"\nspread_percent = 0.01");
    assert!(drawn.iter().all(|clock| clock.period_ps == 1000));
    assert!(drawn.iter().all(|clock| clock.drift_ppb.abs() <= 100_000));
    assert!(drawn.iter().any(|clock| clock.drift_ppb.abs() > 90_000));
}

#[test]
fn a_drift_is_drawn_for_each_domain() {
    let drawn = many("drift_ppm = 0.5");
    assert!(drawn.iter().all(|clock| clock.drift_ppb.abs() <= 500));
    assert!(drawn.iter().any(|clock| clock.drift_ppb < -450));
    assert!(drawn.iter().any(|clock| clock.drift_ppb > 450));
}

#[test]
fn no_period_is_below_a_ps() {
    for keys in [
        "period_ps = 1\nspread = \"normal\"\nspread_percent = 99.9",
        "period_ps = 1\ndrift_ppm = 100_000",
        "period_ps = 2\nspread = \"uniform\"\nspread_percent = 99\ndrift_ppm = 100_000",
    ] {
        let drawn = many(keys);
        assert!(drawn.iter().all(|clock| exact(clock) >= 1.0), "{keys}");
    }
}

#[test]
fn random_phases_lie_in_the_first_period() {
    let drawn = many("phase = \"random\"\nperiod_ps = 100");
    assert!(drawn.iter().all(|clock| clock.phase_ps < 100));
    let mean = drawn.iter().map(|clock| clock.phase_ps).sum::<u64>() as f64 / 4096.0;
    assert!((mean - 49.5).abs() < 2.0, "{mean}");
}

#[test]
fn draws_follow_the_seed_and_the_domain_only() {
    let keys = "phase = \"random\"\nspread = \"normal\"\nspread_percent = 2\ndrift_ppm = 10\n";
    let seeded = |seed: u64, rest: &str| {
        let text = with(&format!("[run]\nseed = {seed}\n[clocks]\n{keys}{rest}"));
        right_by_clocked(&text).clocks()
    };
    assert_eq!(seeded(3, ""), seeded(3, ""));
    assert_ne!(seeded(3, "").domains, seeded(4, "").domains);
    // An island doesn't change the clocks of the other nodes.
    let alone = seeded(3, "");
    let beside = seeded(3, "[[clocks.islands]]\nnodes = [0, 7]\nperiod_ps = 9\n");
    for node in (1..16).filter(|node| *node != 7) {
        let clock = |clocks: &Clocks| clocks.domains[clocks.domain_of[node] as usize].clone();
        assert_eq!(clock(&alone), clock(&beside));
    }
}
