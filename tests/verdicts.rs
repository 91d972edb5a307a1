//! Verdicts on runs that end with packets in the network, tried at their edges: slow stages, long packets, long links,
//! overload, clocks of the nodes' own.
//!
//! A deadlock has its circle, and ten times the time brings no delivery of what is in it. A deadline delivers more with
//! more time, unless the longer run finds a circle or a livelock. All engines agree, packet by packet and wait by wait.
//!
//! A failure prints the seed and the configuration:
//!
//! ```sh
//! FLITWORK_SOAK_SEED=1234 FLITWORK_SOAK_RUNS=1 cargo test --test networks verdicts:: -- --ignored --nocapture
//! ```

use flitwork_config::{EngineChoice, Resolved, resolve};
use flitwork_experiment::simulate::simulate;
use flitwork_results::{FailureKind, Results, Status};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// One of some texts.
fn one<'a>(draws: &mut impl Rng, of: &[&'a str]) -> &'a str {
    of[draws.random_range(0..of.len())]
}

/// Mostly small, sometimes up to the last.
fn sometimes(draws: &mut impl Rng, usual: Range<u32>, rare: Range<u32>) -> u32 {
    match draws.random_bool(0.75) {
        true => draws.random_range(usual),
        false => draws.random_range(rare),
    }
}

/// A network, its router and its traffic, without a run: most of them can deadlock.
fn hardware(draws: &mut impl Rng) -> String {
    let topology = one(draws, &["mesh", "torus", "torus"]);
    let sides = match draws.random_range(0..3) {
        0 => format!("[{}]", draws.random_range(3..9)),
        _ => format!(
            "[{}, {}]",
            draws.random_range(3..5),
            draws.random_range(3..5)
        ),
    };
    let latency = sometimes(draws, 1..5, 5..1025);
    let mut text = format!(
        "[network]\ntopology = \"{topology}\"\nsides = {sides}\nlink_latency_cycles = {latency}\n"
    );
    let words = sometimes(draws, 1..12, 12..300);
    let words = match draws.random_range(0..6) {
        0 | 1 => chaos(draws, &mut text),
        2 => queueing(draws, words, &mut text),
        3 if words < 60 => bufferless(draws, words, &mut text),
        _ => wormhole(draws, words, &mut text),
    };
    let load = one(draws, &["0.3", "1.0", "1.0"]);
    let pattern = one(draws, &["uniform", "uniform", "tornado", "permutation"]);
    let _ = write!(
        text,
        "[traffic]\nload = {load}\npattern = \"{pattern}\"\n{words}"
    );
    text
}

fn chaos(draws: &mut impl Rng, text: &mut String) -> String {
    let _ = write!(
        text,
        "[router.chaos]\npacket_words = {}\nmultiqueue_frames = {}\nstall_threshold_cycles = {}\n\
        decision_latency_cycles = {}\nderouting = {}\nbypass = {}\ncut_through = {}\n",
        sometimes(draws, 1..12, 12..60),
        draws.random_range(1..5),
        sometimes(draws, 0..10, 10..300),
        sometimes(draws, 1..5, 5..100),
        draws.random_bool(0.3),
        draws.random_bool(0.8),
        draws.random_bool(0.8),
    );
    String::new()
}

fn queueing(draws: &mut impl Rng, words: u32, text: &mut String) -> String {
    let frames = draws.random_range(1..4);
    let _ = write!(
        text,
        "[router.queueing]\nframes = {frames}\nframe_words = {words}\nallow_deadlock = true\n"
    );
    format!("packet_words = {words}\n")
}

fn bufferless(draws: &mut impl Rng, words: u32, text: &mut String) -> String {
    match one(
        draws,
        &["greedy", "flit-bless", "worm-bless", "chipper", "minbd"],
    ) {
        "greedy" => {
            text.push_str("[router.greedy-hp]\n");
            String::new()
        }
        preset => {
            let _ = write!(text, "[router.deflection]\npreset = \"{preset}\"\n");
            format!("packet_words = {words}\n")
        }
    }
}

fn wormhole(draws: &mut impl Rng, words: u32, text: &mut String) -> String {
    let routing = one(
        draws,
        &[
            "fully-adaptive",
            "fully-adaptive",
            "fully-adaptive",
            "dimension-order",
            "chaotic",
            "minimal-adaptive",
        ],
    );
    let switching = one(
        draws,
        &["wormhole", "wormhole", "cut-through", "store-and-forward"],
    );
    let room = draws.random_range(1..10);
    let room = if switching == "wormhole" {
        room
    } else {
        room.max(words)
    };
    let reallocation = one(draws, &["tail-sent", "buffer-empty"]);
    let _ = write!(
        text,
        "[router.wormhole]\nvcs = {}\nbuffer_words = {room}\nrouting = \"{routing}\"\n\
        switching = \"{switching}\"\nreallocation = \"{reallocation}\"\nallow_deadlock = true\n",
        match routing {
            "dimension-order" => 2,
            "fully-adaptive" => draws.random_range(1..3),
            _ => draws.random_range(3..6),
        },
    );
    for stage in [
        "route",
        "vc_allocation",
        "switch_allocation",
        "traversal",
        "credit",
        "injection",
    ] {
        let _ = writeln!(text, "{stage}_cycles = {}", sometimes(draws, 0..3, 0..300));
    }
    format!("packet_words = {words}\n")
}

/// Nodes' clocks: equal ones, or some of the nodes' own.
fn clocks(draws: &mut impl Rng) -> &'static str {
    one(
        draws,
        &[
            "",
            "[clocks]\nspread = \"uniform\"\nspread_percent = 10\n",
            "[clocks]\nspread = \"uniform\"\nspread_percent = 1\njitter_ps = 20\n",
        ],
    )
}

/// The run of a text on an engine, over some cycles of measurement and of draining.
fn resolved(
    hardware: &str,
    (engine, clocks): (EngineChoice, &str),
    cycles: (u32, u32),
) -> Resolved {
    let (measure, drain) = cycles;
    let text = format!(
        "{hardware}[run]\nengine = \"{}\"\nwarmup_cycles = 0\nmeasure_cycles = {measure}\n\
        drain_cycles = {drain}\n{clocks}",
        engine.name()
    );
    resolve(&text, "text", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn results(resolved: &Resolved) -> Results {
    let run = simulate(resolved, &mut |_| ControlFlow::Continue(()));
    Results::new(resolved, &run)
}

/// What must be the same on all engines.
fn said(results: &Results) -> Value {
    serde_json::json!({
        "status": format!("{:?}", results.status),
        "digest": results.digest,
        "delivered": results.packets.delivered,
        "failure": results.failure,
    })
}

/// How many runs ended how.
#[derive(Debug, Default)]
struct Verdicts {
    complete: u32,
    deadlocks: u32,
    deadlines: u32,
    livelocks: u32,
    /// Deadlines of which the longer run was complete, delivered more, and was a deadlock or a livelock.
    longer: [u32; 3],
}

impl Verdicts {
    fn of(seeds: Range<u64>) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for seed in seeds {
            verdicts.try_one(seed);
        }
        verdicts
    }

    fn try_one(&mut self, seed: u64) {
        let mut draws = Pcg64Mcg::seed_from_u64(seed);
        let hardware = hardware(&mut draws);
        let cycles = (
            sometimes(&mut draws, 100..2000, 2000..20_000),
            sometimes(&mut draws, 0..300, 300..20_000),
        );
        let clocks = clocks(&mut draws);
        let of = |engine, cycles| results(&resolved(&hardware, engine, cycles));
        let first = of((EngineChoice::Sync, ""), cycles);
        let context =
            |what: &str| format!("{what}: seed {seed}, {cycles:?} cycles\n{hardware}{clocks}");
        for engine in [
            EngineChoice::SyncStepped,
            EngineChoice::SyncPlain,
            EngineChoice::Clocked,
        ] {
            let other = of((engine, ""), cycles);
            let what = format!("{engine:?}");
            assert_eq!(said(&other), said(&first), "{}", context(&what));
        }
        let (engine, run) = match clocks {
            "" => ((EngineChoice::Sync, ""), first),
            own => {
                let engine = (EngineChoice::Clocked, own);
                (engine, of(engine, cycles))
            }
        };
        let longer = |drain| of(engine, (cycles.0, drain));
        let mut again = longer(longer_drain(cycles));
        if is_no_further(&run, &again) {
            // A worm of 300 words through buffers of one, over links of 1,024 cycles, takes 600,000 a hop.
            again = longer(8_000_000);
        }
        self.compare(&(run, again), &context);
    }

    /// A run and a longer one.
    fn compare(&mut self, (run, longer): &(Results, Results), context: &dyn Fn(&str) -> String) {
        let kind = |results: &Results| results.failure.as_ref().map(|it| it.kind);
        let in_circle = |results: &Results| {
            let failure = results.failure.as_ref();
            failure.is_some_and(|it| !it.circle.is_empty() && it.stuck > 0)
        };
        match kind(run) {
            None => {
                self.complete += 1;
                assert_eq!(run.status, Status::Complete, "{}", context("status"));
            }
            Some(FailureKind::Livelock) => self.livelocks += 1,
            Some(FailureKind::Deadlock) => {
                self.deadlocks += 1;
                assert!(in_circle(run), "{}", context("a deadlock without a circle"));
                let again = kind(longer) == Some(FailureKind::Deadlock) && in_circle(longer);
                assert!(again, "{}", context("no deadlock with more time"));
                let stuck = |results: &Results| results.failure.as_ref().map_or(0, |it| it.stuck);
                assert!(
                    stuck(longer) >= stuck(run),
                    "{}",
                    context("a knot that opened")
                );
            }
            Some(FailureKind::Deadline) => {
                self.deadlines += 1;
                let way = match kind(longer) {
                    None => 0,
                    Some(FailureKind::Deadlock | FailureKind::Livelock) => 2,
                    Some(FailureKind::Deadline) => {
                        let what = "a deadline that delivers no more";
                        assert!(!is_no_further(run, longer), "{}", context(what));
                        1
                    }
                };
                self.longer[way] += 1;
            }
        }
    }
}

/// Whether a deadline is still one, and nothing more has been delivered.
fn is_no_further(run: &Results, longer: &Results) -> bool {
    let ended_early = |results: &Results| {
        let failure = results.failure.as_ref();
        failure.is_some_and(|it| it.kind == FailureKind::Deadline)
    };
    let delivered = |results: &Results| results.packets.delivered;
    ended_early(run) && ended_early(longer) && delivered(longer) == delivered(run)
}

/// Ten times the time, and enough for most.
fn longer_drain((measure, drain): (u32, u32)) -> u32 {
    (10 * (measure + drain)).max(measure + drain + 60_000)
}

#[test]
fn deadlocks_have_circles_and_deadlines_deliver_more() {
    let verdicts = Verdicts::of(0..40);
    let Verdicts {
        complete,
        deadlocks,
        deadlines,
        ..
    } = verdicts;
    assert!(
        complete > 3 && deadlocks > 1 && deadlines > 3,
        "{verdicts:?}"
    );
}

/// A chaotic worm may come back to a node that its body is still leaving. Its head there isn't what its body further on
/// waits for: such a network drains, and no run of it that is too short for that has a knot.
#[test]
fn worms_that_come_back_to_their_bodies_are_no_deadlock() {
    let hardware = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n\
        [router.wormhole]\nrouting = \"chaotic\"\nvcs = 3\nbuffer_words = 4\n\
        [traffic]\nload = 1\npacket_words = 16\n";
    let sync = (EngineChoice::Sync, "");
    let (mut ended_early, short) = (0, [5, 15, 25]);
    for drain in short.into_iter().chain([20_000]) {
        for more in 0..4 {
            let cycles = (1000 + more, drain);
            let run = results(&resolved(hardware, sync, cycles));
            let kind = run.failure.as_ref().map(|it| it.kind);
            let expected = (drain < 100).then_some(FailureKind::Deadline);
            ended_early += u32::from(kind.is_some());
            assert_eq!(kind, expected, "{cycles:?} cycles");
        }
    }
    assert_eq!(ended_early, 12);
}

/// `cargo test --release --test networks thousands_of_verdicts_hold -- --ignored --nocapture`.
#[test]
#[ignore = "minutes: FLITWORK_SOAK_RUNS, 3,000 by default, from FLITWORK_SOAK_SEED on"]
fn thousands_of_verdicts_hold() {
    let number = |name: &str, usual| {
        let given = std::env::var(name).ok();
        given.map_or(usual, |text| text.parse().expect("a number"))
    };
    let first = number("FLITWORK_SOAK_SEED", 1000);
    let runs = number("FLITWORK_SOAK_RUNS", 3000);
    let verdicts = Verdicts::of(first..first + runs);
    let _ = writeln!(
        std::io::stderr(),
        "{runs} seeds from {first} on: {verdicts:?}"
    );
}
