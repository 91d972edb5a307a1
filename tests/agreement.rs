//! The wormhole router against an independent simulator: BookSim 2, its `iq` router, all stages of one cycle,
//! links of one cycle (two on a torus), packets of 20 flits, virtual channels of 20 flits, iSLIP with one
//! iteration, dimension order, uniform traffic.

use flitwork_config::{Resolved, resolve};
use flitwork_experiment::simulate::{Simulated, simulate};
use std::ops::ControlFlow;
use std::path::Path;

fn run(case: &Case, cycles: u32, drains: bool) -> Simulated {
    run_seed(case, 1, cycles, drains)
}

fn run_seed(case: &Case, seed: u64, cycles: u32, drains: bool) -> Simulated {
    let Case {
        topology,
        side,
        vcs,
        words: (buffer, packet),
        pattern,
        load,
        ..
    } = case;
    let latency = if *topology == "torus" { 2 } else { 1 };
    let drain = if drains { 50_000 } else { 0 };
    // BookSim's uniform traffic includes the own node.
    let own_node = match *pattern {
        "uniform" => "own_node = true\n",
        _ => "",
    };
    let text = format!(
        "[network]\ntopology = {topology:?}\nsides = [{side}, {side}]\nlink_latency_cycles = {latency}\n\
         [router.wormhole]\npreset = \"booksim-iq\"\nvcs = {vcs}\nbuffer_words = {buffer}\n\
         [traffic]\npacket_words = {packet}\nload = {load}\npattern = {pattern:?}\n{own_node}\
         [run]\nseed = {seed}\nwarmup_cycles = 5000\nmeasure_cycles = {cycles}\ndrain_cycles = {drain}\n"
    );
    let resolved: Resolved =
        resolve(&text, "agreement", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    simulate(&resolved, &mut |_| ControlFlow::Continue(()))
}

/// The mean total latency, in cycles.
fn latency(run: &Simulated) -> f64 {
    run.observation.latency.mean().expect("packets arrived")
}

/// Accepted flits per node and cycle.
fn accepted(run: &Simulated, nodes: u32) -> f64 {
    let packets = run.observation.words_delivered.observations() as f64;
    packets * 20.0 / f64::from(run.observation.window.cycles()) / f64::from(nodes)
}

#[test]
fn lone_packets_take_booksims_time_on_a_mesh() {
    // BookSim's zero-load latency on a mesh is 5 R + 21 cycles for 20 flits and R routers. Ours: the source's
    // word is in the buffer after 2 cycles; in each of R routers it is routed (1), gets its channel (1), is
    // granted the switch (1) and crosses it (1), then there are R - 1 links of one cycle; the processor has
    // it one cycle after it left, and the tail arrives 19 cycles later: 2 + 4 R + (R - 1) + 1 + 19 = 5 R +
    // 21. At a load of 0.0005 hardly any packet meets another: the means agree within half a cycle.
    let run = run(
        &Case::usual(("mesh", 8, 4), 0.0005, 0.0, 0.0),
        400_000,
        true,
    );
    let routers = run.observation.hops as f64 / run.observation.latency.count() as f64 + 1.0;
    let expected = 5.0 * routers + 21.0;
    let found = latency(&run);
    assert!((found - expected).abs() < 0.5, "{found} for {expected}");
    // A packet to its own node passes one router.
    assert_eq!(run.observation.latency.min(), Some(5 + 21));
}

/// A network, and the other simulator's result for it.
struct Case {
    topology: &'static str,
    side: u32,
    vcs: u8,
    /// Words of a buffer, and of a packet.
    words: (u16, u16),
    pattern: &'static str,
    load: f64,
    /// Its mean total latency, in cycles.
    latency: f64,
    /// The allowed deviation of our mean.
    tolerance: f64,
}

impl Case {
    /// A case with the settings shared by those published with this project's requirements.
    const fn usual(
        (topology, side, vcs): (&'static str, u32, u8),
        load: f64,
        latency: f64,
        tolerance: f64,
    ) -> Case {
        Case {
            topology,
            side,
            vcs,
            words: (20, 20),
            pattern: "uniform",
            load,
            latency,
            tolerance,
        }
    }

    /// The same settings with another pattern.
    const fn with_pattern(self, pattern: &'static str) -> Case {
        Case { pattern, ..self }
    }

    /// The same settings with other buffers and packets.
    const fn with_words(self, buffer: u16, packet: u16) -> Case {
        Case {
            words: (buffer, packet),
            ..self
        }
    }
}

/// Published with this project's requirements, except for two figures that samples of BookSim's default length, 1,000
/// cycles, can't settle. For the 16 x 16 mesh at 0.005 the given value is 76.7 cycles: that of a run whose packets
/// passed 11.16 routers on average, since 5 * 11.16 + 21 = 76.8, while the pattern has 11.63. The value here is from a
/// sample of 100,000 cycles. The torus at 0.2, which is almost full, has a separate test.
const PUBLISHED: [Case; 10] = [
    Case::usual(("mesh", 8, 4), 0.005, 51.6, 0.03),
    Case::usual(("mesh", 8, 4), 0.1, 61.6, 0.03),
    Case::usual(("mesh", 8, 4), 0.2, 76.9, 0.03),
    Case::usual(("mesh", 8, 4), 0.3, 109.7, 0.08),
    Case::usual(("mesh", 8, 4), 0.35, 143.1, 0.08),
    Case::usual(("mesh", 16, 2), 0.005, 79.39, 0.03),
    Case::usual(("mesh", 16, 2), 0.1, 96.8, 0.08),
    Case::usual(("mesh", 16, 2), 0.15, 123.6, 0.08),
    Case::usual(("torus", 16, 2), 0.005, 75.0, 0.03),
    Case::usual(("torus", 16, 2), 0.1, 87.3, 0.03),
];

/// Our own runs of BookSim 2, in samples of 30,000 cycles: other buffers, packets, channels and patterns.
const OTHERS: [Case; 7] = [
    Case::usual(("mesh", 8, 2), 0.1, 38.92, 0.03).with_words(8, 5),
    Case::usual(("mesh", 8, 2), 0.25, 45.12, 0.03).with_words(8, 5),
    Case::usual(("mesh", 8, 8), 0.3, 114.05, 0.08),
    Case::usual(("mesh", 8, 4), 0.05, 72.01, 0.03).with_pattern("bit-complement"),
    Case::usual(("mesh", 8, 4), 0.1, 82.39, 0.08).with_pattern("bit-complement"),
    Case::usual(("mesh", 8, 4), 0.1, 76.11, 0.08).with_pattern("tornado"),
    Case::usual(("torus", 8, 4), 0.3, 76.32, 0.08),
];

#[test]
fn latencies_match_booksim() {
    let mut wrong = Vec::new();
    for case in PUBLISHED.iter().chain(&OTHERS) {
        let nodes = case.side * case.side;
        let cycles = 6_000_000 / (nodes * 4).max((case.load * 1000.0) as u32);
        let found = latency(&run(case, cycles, true));
        if (found / case.latency - 1.0).abs() > case.tolerance {
            let Case {
                topology,
                side,
                vcs,
                load,
                latency,
                ..
            } = case;
            wrong.push((topology, side, vcs, load, found, latency));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// For the 16 x 16 torus at 0.2 the given value is 138 cycles, but BookSim's seeds 1 to 3 give 173, 146 and
/// 166 in samples of the default length and 212, 169 and 170 in samples of 30,000 cycles: some packets wait
/// for thousands of cycles. In 300,000 and 700,000 cycles two seeds give 154 and 161, on average 157.7, which
/// is compared with the mean of three of our seeds.
#[test]
fn an_almost_full_torus_matches_booksim() {
    let case = Case::usual(("torus", 16, 2), 0.2, 157.7, 0.08);
    let of_seed = |seed| latency(&run_seed(&case, seed, 60_000, true));
    let found = (1..=3).map(of_seed).sum::<f64>() / 3.0;
    let off = found / case.latency - 1.0;
    assert!(off.abs() < case.tolerance, "{found} for {}", case.latency);
}

#[test]
fn saturated_networks_accept_as_much_as_booksims() {
    for (side, vcs, expected) in [(8, 4, 0.401), (8, 1, 0.285), (16, 2, 0.179)] {
        let found = accepted(
            &run(
                &Case::usual(("mesh", side, vcs), 1.0, 0.0, 0.0),
                10_000,
                false,
            ),
            side * side,
        );
        assert!(
            (found / expected - 1.0).abs() < 0.06,
            "{found} for {expected}"
        );
    }
}
