//! Networks whose links or nodes are thousands of cycles slow: wherever a run ends, what is under way isn't called a deadlock or a
//! livelock; what is one still is. And what `check` says of neighbours holds for the longest time of their links.

use flitwork_config::{Resolved, resolve};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Deadlock, examine};
use flitwork_experiment::simulate::simulate;
use flitwork_results::{FailureKind, Results};
use std::ops::ControlFlow;
use std::path::Path;

fn read(text: &str) -> Resolved {
    resolve(text, "slow.toml", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A few packets of each node of a ring of four, on these clocks and links.
fn ring(router: &str, engine: &str, network: &str, clocks: &str) -> String {
    format!(
        "[router.{router}\n\
         [traffic]\nprocess = \"once\"\nk = 3\n\
         [run]\nengine = \"{engine}\"\ndeadline_cycles = 900000000\n\
         {clocks}\n[network]\ntopology = \"torus\"\nsides = [4]\n{network}"
    )
}

const CHAOS: &str = "chaos]";
const COUNTS: &str = "chaos]\npacket_words = 1\ndecision_latency_cycles = 8";
const WORMHOLE: &str = "wormhole]\nvcs = 2\nbuffer_words = 2\nrouting = \"dimension-order\"";

/// Slow links and nodes of all kinds, the nominal clock having 1,000 ps.
fn slow() -> Vec<(&'static str, String)> {
    let wires = "link_latency_ps = 20_000_000";
    let narrow = "link_latency_ps = 1_000_000\nlink_capacity_words = 1";
    let shaken = "[network.handshake]\nrequest_ps = 500_000\nacknowledge_ps = 1_000_000";
    let latched = "[network.handshake]\nprotocol = \"four-phase\"\nrequest_ps = 1000\nacknowledge_ps = 1000\n\
         [[network.handshake.stages]]\nlatches = 3\nrequest_ps = 500_000\nacknowledge_ps = 1_500_000";
    let returns = "[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 8_000_000";
    let half = "duplex = \"half\"\nturnaround_cycles = 1000";
    let margin = "link_latency_ps = 100\n[[network.crossings]]\nkind = \"mesochronous\"\nmargin_ps = 40_000_000";
    let waits =
        "link_latency_ps = 100\n[[network.crossings]]\nkind = \"pausible\"\ntransfer_ps = 400";
    let steps = "[clocks.self-timed]\nword_ps = 800\ndecision_ps = 1000";
    let slow_steps = "[clocks.self-timed]\nword_ps = 5_000_000\ndecision_ps = 1000";
    let counts = "[clocks.self-timed]\nword_ps = 500\ndecision_ps = 600\ncount_ps = 3_000_000";
    let undecided = "[clocks.self-timed]\nword_ps = 800\ndecision_ps = 1000\n\
         [clocks.arbiter]\nwindow_ps = 100_000\ntau_ps = 40_000_000";
    let unlike = "[clocks]\nphase = \"random\"\nspread = \"uniform\"\nspread_percent = 20";
    let late = "[clocks]\nphase = \"random\"\nspread = \"uniform\"\nspread_percent = 20\n\
         [clocks.arbiter]\nwindow_ps = 500\ntau_ps = 20_000_000";
    let phases = "[clocks]\nphase = \"random\"";
    let clocked = |router, network, clocks| ring(router, "clocked", network, clocks);
    vec![
        ("wires", clocked(CHAOS, wires, "")),
        ("wires between clocks", clocked(CHAOS, wires, unlike)),
        ("wires of a word", clocked(CHAOS, narrow, unlike)),
        ("wires without clocks", clocked(CHAOS, wires, steps)),
        ("wires and small buffers", clocked(WORMHOLE, wires, "")),
        ("handshakes", clocked(CHAOS, shaken, "")),
        ("handshakes between clocks", clocked(CHAOS, shaken, unlike)),
        ("handshakes without clocks", clocked(CHAOS, shaken, steps)),
        (
            "handshakes and small buffers",
            clocked(WORMHOLE, shaken, unlike),
        ),
        ("latches", clocked(CHAOS, latched, steps)),
        ("acknowledges", clocked(CHAOS, returns, unlike)),
        ("slow steps", clocked(CHAOS, "", slow_steps)),
        ("slow counting", clocked(COUNTS, "", counts)),
        ("slow arbiters", clocked(CHAOS, "", undecided)),
        ("slow mutual exclusions", clocked(CHAOS, waits, late)),
        ("wide margins", clocked(CHAOS, margin, phases)),
        ("turns on one clock", ring(CHAOS, "sync", half, "")),
        ("turns", clocked(CHAOS, half, unlike)),
        (
            "small buffers on one clock",
            ring(WORMHOLE, "sync", "link_latency_cycles = 1000", ""),
        ),
    ]
}

/// Cut anywhere, each of these runs has ended too early, and nothing worse.
#[test]
fn what_is_under_way_is_not_stuck() {
    for (what, text) in slow() {
        let mut resolved = read(&text);
        let go_on = &mut |_| ControlFlow::Continue(());
        let whole = simulate(&resolved, go_on);
        assert_eq!(whole.outcome.ended, Ended::Empty, "{what}");
        let last = whole.observation.last_delivery;
        let cycles = last.expect("packets arrive").get();
        assert!(cycles > 5000, "{what} takes {cycles} cycles only");
        let (mut cuts, mut last) = (0, 0);
        for part in 1..=24 {
            let cut = (f64::from(cycles) * f64::from(part) / 25.0) as u32;
            resolved.run.deadline_cycles = cut;
            let simulated = simulate(&resolved, go_on);
            let results = Results::new(&resolved, &simulated);
            let Some(failure) = results.failure else {
                // The step in which a last word leaves had begun, and its delivery is known.
                let delivered = simulated.observation.delivered;
                assert_eq!(
                    delivered, whole.observation.delivered,
                    "{what}, cut at {cut}"
                );
                continue;
            };
            let at = format!("{what}, cut at {cut} of {cycles}");
            assert_eq!(failure.kind, FailureKind::Deadline, "{at}");
            cuts += 1;
            // Some are cut when nothing has happened for long.
            last = last.max(cut - failure.last_head.unwrap_or(0));
        }
        assert!(cuts > 18, "{what}: {cuts}");
        assert!(last > 700, "{what} never stands still: {last}");
    }
}

/// Minimal Chaos on a torus, whose packets wait for each other in circles, on slow links.
#[test]
fn what_is_stuck_is_reported() {
    for network in [
        "link_latency_ps = 2_000_000",
        "[network.handshake]\nrequest_ps = 100_000\nacknowledge_ps = 100_000",
    ] {
        let text = format!(
            "[router.chaos]\nderouting = false\n\
             [traffic]\nload = 1.0\npattern = \"bit-reversal\"\n\
             [run]\nengine = \"clocked\"\nmeasure_cycles = 1000000\ndrain_cycles = 2000000\n\
             [clocks.self-timed]\nword_ps = 800\ndecision_ps = 1000\n\
             [network]\ntopology = \"torus\"\nsides = [8, 8]\n{network}"
        );
        let resolved = read(&text);
        let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let results = Results::new(&resolved, &simulated);
        let failure = results.failure.expect("it is stuck");
        assert_eq!(failure.kind, FailureKind::Deadlock, "{network}: {failure}");
    }
}

/// Whether `check` says that neighbours always exchange packets.
fn exchanges(router: &str, network: &str, clocks: &str) -> bool {
    let text = format!(
        "[router.chaos]\n{router}\n[traffic]\nload = 0.5\n[run]\nengine = \"clocked\"\n\
         {clocks}\n[network]\ntopology = \"mesh\"\nsides = [2]\n{network}"
    );
    let Deadlock::Free(why) = examine(&read(&text)).deadlock else {
        panic!("derouting makes Chaos free of deadlock");
    };
    why.contains("neighbours can exchange packets")
}

/// What a case needs is just met, and not any more when something takes a ps longer.
fn up_to(longest_ps: u64, exchanges: impl Fn(u64) -> bool) {
    assert!(exchanges(longest_ps), "{longest_ps}");
    assert!(!exchanges(longest_ps + 1), "{} more than {longest_ps}", 1);
}

/// Packets of 4 words leave a clock of 1,000 ps in 4 ticks, which is all there is for a link and what its crossing hides.
#[test]
fn a_packet_is_seen_before_the_next_is_decided_on() {
    const FOUR: &str = "packet_words = 4";
    // Other phases: nodes don't share their clocks.
    const APART: &str = "[clocks]\nphase = \"random\"";
    // On one clock no edges count.
    up_to(4000, |ps| {
        exchanges(FOUR, &format!("link_latency_ps = {ps}"), "")
    });
    // Two edges of 1,000 ps.
    up_to(2000, |ps| {
        exchanges(FOUR, &format!("link_latency_ps = {ps}"), APART)
    });
    let margin = |ps| {
        format!(
            "link_latency_ps = {ps}\n[[network.crossings]]\nkind = \"mesochronous\"\nmargin_ps = 700"
        )
    };
    up_to(3300, |ps| exchanges(FOUR, &margin(ps), APART));
    // A pausible clock hides what comes while it waits: for a transfer, or for 38 time constants at the most.
    let waits = |ps| {
        format!(
            "link_latency_ps = {ps}\n[[network.crossings]]\nkind = \"pausible\"\ntransfer_ps = 600"
        )
    };
    up_to(3400, |ps| exchanges(FOUR, &waits(ps), APART));
    let undecided = format!("{APART}\n[clocks.arbiter]\nwindow_ps = 10\ntau_ps = 20");
    up_to(4000 - 38 * 20, |ps| exchanges(FOUR, &waits(ps), &undecided));
    // An output frame that stays shut for three more cycles.
    let shut = "packet_words = 4\noutput_reopen_cycles = 3";
    up_to(5000, |ps| {
        exchanges(shut, &format!("link_latency_ps = {ps}"), APART)
    });
}

/// A self-timed node's head leaves when its step is over, so only the three words behind it count, at the least 800 ps each; a
/// frame that stays shut costs no time, since such cycles can be skipped. There are no edges.
#[test]
fn a_node_without_a_clock_decides_a_step_earlier() {
    const STEPS: &str = "[clocks.self-timed]\nword_ps = [800, 1000]\ndecision_ps = 500";
    for router in [
        "packet_words = 4",
        "packet_words = 4\noutput_reopen_cycles = 3",
    ] {
        up_to(2400, |ps| {
            exchanges(router, &format!("link_latency_ps = {ps}"), STEPS)
        });
    }
    let lone = "packet_words = 1";
    assert!(!exchanges(lone, "link_latency_ps = 1", STEPS));
}

/// Over handshakes a packet takes longer to leave: its first two words leave at once, the third when the first has been
/// acknowledged, and each later one a handshake of f + b later. And it takes longer to arrive: all f, and b of a segment that
/// may have to return first.
#[test]
fn a_packet_takes_its_handshakes_to_leave() {
    const FOUR: &str = "packet_words = 4";
    const STEPS: &str = "[clocks.self-timed]\nword_ps = 800\ndecision_ps = 500";
    // Without latches: f + b <= 2 (f + b) always.
    let plain = |ps| format!("[network.handshake]\nrequest_ps = {ps}\nacknowledge_ps = {ps}");
    for ps in [1, 1000, 1_000_000] {
        assert!(exchanges(FOUR, &plain(ps), ""));
        assert!(exchanges(FOUR, &plain(ps), STEPS));
    }
    // Two words leave without waiting for any, in the time of the second one's step.
    up_to(400, |ps| exchanges("packet_words = 2", &plain(ps), STEPS));
    // A packet of one word leaves at once.
    assert!(!exchanges("packet_words = 1", &plain(10), STEPS));
    // A latch: 100 + r forward and 200 back. The steps of three words are longer than two handshakes of 150, and so are
    // four ticks.
    let latched = |ps| {
        format!(
            "[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 50\n\
             [[network.handshake.stages]]\nrequest_ps = {ps}\nacknowledge_ps = 200"
        )
    };
    up_to(2400 - 300, |ps| exchanges(FOUR, &latched(ps), STEPS));
    up_to(4000 - 300, |ps| exchanges(FOUR, &latched(ps), ""));
    // With first handshakes of 2,000 ps two of them and a tick are more than four ticks: 5,000.
    let slow = |ps| {
        format!(
            "[network.handshake]\nrequest_ps = 1500\nacknowledge_ps = 500\n\
             [[network.handshake.stages]]\nrequest_ps = {ps}\nacknowledge_ps = 200"
        )
    };
    up_to(5000 - 1500 - 500, |ps| exchanges(FOUR, &slow(ps), ""));
}

/// Without cut-through a packet is ready with its last word, and all compares with that word's departure: a tick later the
/// frame may be decided on. Over wires that is all there is for the link; over handshakes each word may cost the slowest
/// segment and the receiver's tick, less the time in which they left.
#[test]
fn a_packet_that_must_be_whole_has_a_tick() {
    let whole = "packet_words = 4\ncut_through = false";
    up_to(1000, |ps| {
        exchanges(whole, &format!("link_latency_ps = {ps}"), "")
    });
    let shut = "packet_words = 4\ncut_through = false\noutput_reopen_cycles = 9";
    up_to(10_000, |ps| {
        exchanges(shut, &format!("link_latency_ps = {ps}"), "")
    });
    // 100 forward and b back, a tick to be taken, and three words, each of which may cost 100 + b and a tick; they left in two
    // handshakes or more.
    let shaken = |ps| format!("[network.handshake]\nrequest_ps = 100\nacknowledge_ps = {ps}");
    up_to(2900, |ps| {
        let (ready_ps, words_ps) = (100 + ps + 1000, 3 * (100 + ps + 1000) - 2 * (100 + ps));
        assert_eq!(ready_ps + words_ps <= 10_000, ps <= 2900);
        exchanges(shut, &shaken(ps), "")
    });
}
