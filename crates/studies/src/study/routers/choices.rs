//! The ways in which each router may be built within the budget.

use super::Routers;
use crate::contest::{Choice, Entrant, configuration};
use crate::context::Failed;
use crate::many::set;
use flitwork_config::Override;

/// Ports of a node of a square network, the processor's among them.
const PORTS: u32 = 5;
/// Packets in a node of Chaos besides those in its multiqueue: an input and an output frame a link, and two at the processor.
const CHAOS_FRAMES: u32 = 2 * (PORTS - 1) + 2;

/// A router's name, its configuration, the cycles of its hop with a link of one cycle, and what can be chosen.
type Router = (&'static str, &'static str, u32, fn(&Routers) -> Vec<Choice>);

/// In the order of tables.
const ROUTERS: &[Router] = &[
    ("chaos", configuration!("chaos"), 4, chaos),
    (
        "dimension-order",
        configuration!("booksim-iq"),
        5,
        dimension_order,
    ),
    ("adaptive", configuration!("adaptive"), 5, adaptive),
    ("cut-through", configuration!("cut-through"), 5, cut_through),
    ("flits", configuration!("flit-bless"), 1, flits),
    ("worms", configuration!("worm-bless"), 1, worms),
];

/// The routers that are asked for, with all that the budget allows.
pub(super) fn entrants(asked: &Routers) -> Result<Vec<Entrant>, Failed> {
    let named = |wanted: &String| {
        let found = ROUTERS.iter().find(|it| it.0 == wanted);
        let Some((name, text, hop, of)) = found else {
            let names: Vec<&str> = ROUTERS.iter().map(|it| it.0).collect();
            let why = format!("found {wanted:?}; allowed: {}", names.join(", "));
            return Err(Failed::option("--routers", why));
        };
        if *hop > asked.hop_cycles {
            let why = format!(
                "{} cycles a hop are too few for {name}, which takes {hop}; allowed: more, or other --routers",
                asked.hop_cycles
            );
            return Err(Failed::option("--hop-cycles", why));
        }
        let choices: Vec<Choice> = of(asked)
            .into_iter()
            .filter(|it| it.buffer_words.is_none_or(|words| words <= asked.budget))
            .flat_map(|it| with_links(asked, *hop, &it))
            .collect();
        match choices.is_empty() {
            true => Err(Failed::option(
                "--budget",
                format!(
                    "{} words are too few for {name}; allowed: more, shorter --packet-words, or other --routers",
                    asked.budget
                ),
            )),
            false => Ok(Entrant {
                name,
                text,
                choices,
            }),
        }
    };
    asked.routers.iter().map(named).collect()
}

/// With links of one cycle, and with longer ones, which hold more words on their way: of a cycle more, of as many as the hop may have, and of
/// half as many.
fn with_links(asked: &Routers, hop: u32, choice: &Choice) -> Vec<Choice> {
    let most = 1 + asked.hop_cycles - hop;
    let mut all = vec![1, 2.min(most), most.div_ceil(2), most];
    all.sort_unstable();
    all.dedup();
    let with = |cycles: u32| {
        let mut it = choice.clone();
        it.hop_cycles = Some(hop + cycles - 1);
        it.set.push(set("network.link_latency_cycles", cycles));
        if cycles > 1 {
            it.label += &format!(", links of {cycles}");
        }
        it
    };
    all.into_iter().map(with).collect()
}

fn choice(label: String, buffer_words: u32, set: Vec<Override>) -> Choice {
    Choice {
        label,
        set,
        buffer_words: Some(buffer_words),
        hop_cycles: None,
    }
}

/// The multiqueue's frames, and the stall threshold: all that is left of the budget, the chip's five frames, and three.
fn chaos(asked: &Routers) -> Vec<Choice> {
    let words = u32::from(asked.packet_words);
    let most = (asked.budget / words).saturating_sub(CHAOS_FRAMES).min(64);
    let mut frames: Vec<u32> = [3, 5, most]
        .into_iter()
        .filter(|it| (1..=most).contains(it))
        .collect();
    frames.sort_unstable();
    frames.dedup();
    let all = frames
        .into_iter()
        .flat_map(|frames| [1, 7, 20, 80].map(|threshold| (frames, threshold)));
    let of = |(frames, threshold)| {
        choice(
            format!("{frames} frames, threshold {threshold}"),
            (CHAOS_FRAMES + frames) * words,
            vec![
                set("router.chaos.multiqueue_frames", frames),
                set("router.chaos.stall_threshold_cycles", threshold),
            ],
        )
    };
    all.map(of).collect()
}

/// Virtual channels as deep as the budget allows, and how the switch is allocated.
fn channels(asked: &Routers, least: u32, deep: u32) -> Vec<Choice> {
    let depth = |vcs: u32| asked.budget / (PORTS * vcs);
    let vcs = [1, 2, 4, 8, 16].into_iter();
    let vcs = vcs.filter(|vcs| *vcs >= least && depth(*vcs) >= deep);
    let all =
        vcs.flat_map(|vcs| ["islip", "separable-input-first"].map(|allocator| (vcs, allocator)));
    let of = |(vcs, allocator)| {
        let depth = depth(vcs).min(16384);
        choice(
            format!("{vcs} x {depth}, {allocator}"),
            PORTS * vcs * depth,
            vec![
                set("router.wormhole.vcs", vcs),
                set("router.wormhole.buffer_words", depth),
                set("router.wormhole.vc_allocator", allocator),
                set("router.wormhole.switch_allocator", allocator),
            ],
        )
    };
    all.map(of).collect()
}

/// On a torus dimension order needs two classes of channels.
fn classes(asked: &Routers) -> u32 {
    1 + u32::from(asked.topologies.iter().any(|it| it == "torus"))
}

fn dimension_order(asked: &Routers) -> Vec<Choice> {
    channels(asked, classes(asked), 1)
}

/// A channel of any shortest path beside the escape channels.
fn adaptive(asked: &Routers) -> Vec<Choice> {
    channels(asked, 1 + classes(asked), 1)
}

/// Channels that hold a packet.
fn cut_through(asked: &Routers) -> Vec<Choice> {
    channels(asked, classes(asked), asked.packet_words.into())
}

/// Who goes first, which of equally good ports, how many words are ejected, and a side buffer.
fn flits(asked: &Routers) -> Vec<Choice> {
    let mut all = Vec::new();
    for priority in ["oldest-first", "golden"] {
        for ports in ["ordered", "random"] {
            for side in [0, 4, 64.min(asked.budget)] {
                let label = match side {
                    0 => format!("{priority}, {ports} ports"),
                    side => format!("{priority}, {ports} ports, side buffer of {side}"),
                };
                let mut keys = deflected(asked, priority, ports);
                keys.push(set("router.deflection.side_buffer_flits", side));
                all.push(choice(label, side, keys));
            }
        }
    }
    all
}

/// The oldest first, and which of equally good ports.
fn worms(asked: &Routers) -> Vec<Choice> {
    let of = |ports| {
        choice(
            format!("{ports} ports"),
            0,
            deflected(asked, "oldest-first", ports),
        )
    };
    ["ordered", "random"].map(of).into()
}

fn deflected(asked: &Routers, priority: &str, ports: &str) -> Vec<Override> {
    vec![
        set("router.deflection.priority", priority),
        set("router.deflection.port_choice", ports),
        set("router.deflection.eject_words", asked.eject_words),
    ]
}
