//! A lone packet over self-timed Chaos nodes in a line: its latency to the ps, by formulas that follow from
//! docs/src/self-timed.md, docs/src/routers/chaos.md and docs/src/handshakes.md.
//!
//! A packet of L words passes n nodes; w is `word_ps`, d `decision_ps`, and m the longer of both. The source has all words at
//! 0 ps and gives one to each step.
//!
//! - *A head* is decided on in the step in which it comes, which takes m. With a decision latency of D cycles it is in the output
//!   frame, and may leave, D cycles later: it moves there in the cycle before, a step of w unless it is that of the
//!   decision (D = 1), and leaves in the next, another step of w. The cycles between are skipped. So it takes the node h = m + 2 w
//!   (m + w with D = 1), and as long to leave the last one through the delivery frame.
//! - *Words behind it* come at the earliest w after the word before, so each of them finds the word before gone from its place:
//!   it moves into the output frame in the step in which it comes, and leaves in the next. They follow the head one step
//!   apart, w.
//!
//! Over wires that take l, that is n h + (n - 1) l + (L - 1) w.

use flitwork_config::{Resolved, resolve};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use std::ops::ControlFlow;
use std::path::Path;

/// A line of self-timed nodes, and the packet that goes from its one end to the other.
#[derive(Clone, Debug)]
struct Line {
    nodes: u64,
    words: u64,
    word_ps: u64,
    decision_ps: u64,
    /// D, and the preset of the router.
    decision_cycles: u64,
    preset: &'static str,
    /// Further keys of the network, and of self-timed nodes.
    network: String,
    steps: String,
}

impl Line {
    fn resolved(&self) -> Resolved {
        let Line {
            nodes,
            words,
            word_ps,
            decision_ps,
            decision_cycles,
            preset,
            network,
            steps,
        } = self;
        let last = nodes - 1;
        let text = format!(
            "[router.chaos]\npreset = \"{preset}\"\npacket_words = {words}\n\
             decision_latency_cycles = {decision_cycles}\n\
             [traffic]\nprocess = \"once\"\npattern = \"many-to-one\"\ndestination = {last}\nsources = [0]\n\
             [run]\nengine = \"clocked\"\n\
             [clocks.self-timed]\nword_ps = {word_ps}\ndecision_ps = {decision_ps}\n{steps}\n\
             [network]\ntopology = \"mesh\"\nsides = [{nodes}]\n{network}"
        );
        resolve(&text, "line.toml", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The latency of its packet, from its creation at 0 ps, in ps.
    fn latency_ps(&self) -> u64 {
        let simulated = simulate(&self.resolved(), &mut |_| ControlFlow::Continue(()));
        assert_eq!(simulated.outcome.ended, Ended::Empty, "{self:?}");
        let exact = simulated.observation.exact.expect("nodes without clocks");
        assert_eq!(exact.latency.latency.count(), 1);
        exact.latency.latency.min().unwrap()
    }

    /// m: what a step with a decision takes.
    fn decides_ps(&self) -> u64 {
        self.word_ps.max(self.decision_ps)
    }

    /// h: what a head takes from its arrival at a node until it leaves.
    fn head_ps(&self) -> u64 {
        let moves_ps = if self.decision_cycles > 1 {
            self.word_ps
        } else {
            0
        };
        self.decides_ps() + moves_ps + self.word_ps
    }
}

/// Words, and decisions that take less, much more, and as long.
const STEPS: [(u64, u64); 4] = [(800, 300), (800, 2500), (1000, 1000), (1, 700)];
const PRESETS: [&str; 2] = ["chinn-1995", "chinn-1995-b"];

/// Lines of 2 to 11 nodes, with decision latencies of 1 to 3 cycles.
fn lines() -> impl Iterator<Item = Line> {
    let sizes = (2..=11).flat_map(|nodes| [1, 2, 10].map(|words| (nodes, words)));
    sizes.flat_map(|(nodes, words)| {
        STEPS.map(|(word_ps, decision_ps)| Line {
            nodes,
            words,
            word_ps,
            decision_ps,
            decision_cycles: 1 + nodes % 3,
            preset: PRESETS[usize::from(nodes % 2 == 0)],
            network: String::new(),
            steps: String::new(),
        })
    })
}

#[test]
fn over_wires_a_packet_takes_a_decision_and_a_word_in_each_node() {
    for line in lines() {
        for latency_ps in [1, 700, 5000] {
            let line = Line {
                network: format!("link_latency_ps = {latency_ps}"),
                ..line.clone()
            };
            let nodes = line.nodes * line.head_ps();
            let links = (line.nodes - 1) * latency_ps;
            let words = (line.words - 1) * line.word_ps;
            assert_eq!(line.latency_ps(), nodes + links + words, "{line:?}");
        }
    }
}

/// A credit c that takes no longer than a word delays nothing. A longer one stretches the step in which it leaves: the
/// injection frame's in the step in which the last word moves on, an input frame's in the next (`chinn-1995`), or in the same
/// (`chinn-1995-b`). The word before the last one leaves in the step in which the last one moves.
///
/// - *A lone word* is c - w later in each node: the step in which it moves or leaves takes c. If D = 1 it moves in its
///   decision's step, which then takes c, not m.
/// - *Other packets.* At the first node the last word moves at h - 2 w + (L - 1) w, in a step of c. So the word before it comes to
///   the next node at X = h + (L - 3) w + c + l, and the last word w behind it. If c >= h, the node has nothing left to do at X.
///   Both are through w + w + c later, or h + c if the word before is the head. At each further node the last word takes w + c
///   after the link's l: `chinn-1995` lets the word before go ahead and then moves and sends the last one; `chinn-1995-b` moves
///   the last one while the word before leaves, which has been moved in w, or as a head in h - w.
#[test]
fn a_slow_credit_delays_the_last_word() {
    const LINK_PS: u64 = 100;
    for line in lines() {
        let (word_ps, head_ps) = (line.word_ps, line.head_ps());
        for preset in PRESETS {
            let of = |credit_ps: u64| Line {
                steps: format!("credit_ps = {credit_ps}"),
                network: format!("link_latency_ps = {LINK_PS}"),
                preset,
                ..line.clone()
            };
            let others = line.nodes - 1;
            let alone = line.nodes * head_ps + others * LINK_PS + (line.words - 1) * word_ps;
            assert_eq!(of(word_ps).latency_ps(), alone, "{line:?}");
            let credit_ps = line.decides_ps() + 2 * word_ps + 300;
            let expected = match line.words {
                1 => {
                    let later = |moves_ps: u64| credit_ps - moves_ps;
                    let moves_ps = match line.decision_cycles {
                        1 => line.decides_ps(),
                        _ => word_ps,
                    };
                    let input_ps = match preset {
                        "chinn-1995" => word_ps,
                        _ => moves_ps,
                    };
                    alone + later(moves_ps) + others * later(input_ps)
                }
                words => {
                    let comes_ps = head_ps + words * word_ps + credit_ps + LINK_PS - 3 * word_ps;
                    let before_ps = if words == 2 { head_ps } else { 2 * word_ps };
                    let each_ps = match preset {
                        "chinn-1995" => word_ps + credit_ps,
                        _ => before_ps - word_ps + credit_ps,
                    };
                    comes_ps + before_ps + credit_ps + (others - 1) * (LINK_PS + each_ps)
                }
            };
            assert_eq!(of(credit_ps).latency_ps(), expected, "{preset} {line:?}");
        }
    }
}

/// Between the cycle of the decision and that of the move, D - 1 later, are D - 2 in which the router only counts. They take
/// `count_ps` each unless a word comes, and a packet of one word is followed by none.
#[test]
fn a_lone_word_waits_for_counting_in_each_node() {
    for line in lines().filter(|line| line.words == 1) {
        for (decision_cycles, count_ps) in [(1, 400), (2, 400), (3, 0), (3, 1), (4, 1300)] {
            let line = Line {
                decision_cycles,
                steps: format!("count_ps = {count_ps}"),
                ..line.clone()
            };
            let counting_ps = decision_cycles.saturating_sub(2) * count_ps;
            let nodes = line.nodes * (line.head_ps() + counting_ps);
            let expected = nodes + (line.nodes - 1) * 1000;
            assert_eq!(line.latency_ps(), expected, "{line:?}");
        }
    }
}

/// A link with handshakes: its keys, the sum F of the forward delays of its segments, and the time f + b of each handshake.
struct Shaken {
    keys: &'static str,
    forward_ps: u64,
    cycles_ps: &'static [u64],
}

/// Forward and backward delays: docs/src/handshakes.md, Segments.
const SHAKEN: [Shaken; 5] = [
    Shaken {
        keys: "request_ps = 4200\nacknowledge_ps = 4000",
        forward_ps: 4200,
        cycles_ps: &[8200],
    },
    // 1,300 forward with the margin, and 2,000 + 1,200 + 2,000 back.
    Shaken {
        keys: "protocol = \"four-phase\"\nrequest_ps = 1200\nacknowledge_ps = 2000\nbundling_ps = 100",
        forward_ps: 1300,
        cycles_ps: &[6500],
    },
    // The sender's segment is the slowest.
    Shaken {
        keys: "request_ps = 4000\nacknowledge_ps = 3400\n[[network.handshake.stages]]\nlatches = 3\nrequest_ps = 500\nacknowledge_ps = 400",
        forward_ps: 4000 + 3 * 500,
        cycles_ps: &[7400, 900],
    },
    // The one in the middle is.
    Shaken {
        keys: "request_ps = 4000\nacknowledge_ps = 3200\n[[network.handshake.stages]]\nrequest_ps = 3900\nacknowledge_ps = 4500\n[[network.handshake.stages]]\nrequest_ps = 800\nacknowledge_ps = 900",
        forward_ps: 4000 + 3900 + 800,
        cycles_ps: &[7200, 8400],
    },
    // 2,050 forward and 1,500 + 2,000 + 1,500 back, and at the end 550 and 4,000 + 500 + 4,000.
    Shaken {
        keys: "protocol = \"four-phase\"\nrequest_ps = 2000\nacknowledge_ps = 1500\nbundling_ps = 50\n[[network.handshake.stages]]\nrequest_ps = 500\nacknowledge_ps = 4000",
        forward_ps: 2050 + 550,
        cycles_ps: &[7050, 9050],
    },
];

/// Over a link with handshakes words follow each other P apart, the time f + b of its slowest segment: the sender's next word
/// waits in its latch meanwhile. The head comes to the next node h + F after it came to the one before, and word k is k P
/// behind: as long as h is no longer than P, a node is done with a word, the head among them, when the next one comes,
/// and no node makes it later. At the last node the last word moves into the delivery frame when it comes, and leaves in the
/// next step: 2 w. That is
///
/// ```text
/// (n - 1) (h + F) + (L - 1) P + 2 w,   or n h + (n - 1) F for a single word
/// ```
#[test]
fn over_handshakes_words_follow_each_other_by_the_slowest_segment() {
    let mut held = 0;
    for line in lines() {
        for shaken in &SHAKEN {
            let line = Line {
                network: format!("[network.handshake]\n{}", shaken.keys),
                ..line.clone()
            };
            let slowest_ps = *shaken.cycles_ps.iter().max().unwrap();
            let (head_ps, forward_ps) = (line.head_ps(), shaken.forward_ps);
            let expected = match line.words {
                1 => line.nodes * head_ps + (line.nodes - 1) * forward_ps,
                _ if head_ps > slowest_ps => continue,
                words => {
                    let heads = (line.nodes - 1) * (head_ps + forward_ps);
                    heads + (words - 1) * slowest_ps + 2 * line.word_ps
                }
            };
            assert_eq!(line.latency_ps(), expected, "{line:?}");
            held += 1;
        }
    }
    assert!(held > 500, "{held} lines");
}

/// Nodes that nothing comes to make no step, however many there are: in a network 64 times as large a lone packet costs as
/// many.
#[test]
fn idle_nodes_cost_no_step() {
    for router in ["chaos", "wormhole", "deflection"] {
        let steps = [8, 64].map(|side| {
            let destination = 3 + 3 * side;
            let text = format!(
                "[router.{router}]\n\
                 [traffic]\nprocess = \"once\"\npattern = \"many-to-one\"\ndestination = {destination}\nsources = [0]\n\
                 [run]\nengine = \"clocked\"\n\
                 [clocks.self-timed]\nword_ps = 800\ndecision_ps = 900\n\
                 [network]\ntopology = \"mesh\"\nsides = [{side}, {side}]\n\
                 [network.handshake]\nrequest_ps = 300\nacknowledge_ps = 200\n"
            );
            let resolved = resolve(&text, "idle.toml", Path::new(""), &[]);
            let resolved = resolved.unwrap_or_else(|error| panic!("{router}: {error}"));
            let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
            assert_eq!(simulated.observation.delivered, 1, "{router}");
            simulated.outcome.steps
        });
        assert_eq!(steps[0], steps[1], "{router}");
        // Each of the seven nodes takes some for each word.
        assert!((7..500).contains(&steps[0]), "{router}: {}", steps[0]);
    }
}
