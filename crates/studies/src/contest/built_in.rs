//! The contests that have a command of their own.

use super::{Contender, Panel};
use flitwork_experiment::config::Override;
use flitwork_sweep::Base;

/// A contender's name and its configuration.
type Text = (&'static str, &'static str);

macro_rules! text {
    ($file:literal) => {
        include_str!(concat!("../../configs/contest/", $file, ".toml"))
    };
}

/// Packets of 20 words: as BookSim 2's router is set up to be compared with, and as the Chaos chip has them.
const ROUTERS: [Text; 6] = [
    ("chaos", text!("chaos")),
    ("wormhole (BookSim iq)", text!("booksim-iq")),
    ("wormhole, adaptive", text!("adaptive")),
    ("virtual cut-through", text!("cut-through")),
    ("FLIT-BLESS", text!("flit-bless")),
    ("WORM-BLESS", text!("worm-bless")),
];

/// Packets of 5 words: a cache line and its header over links of 16 bytes.
const DEFLECTION: [Text; 6] = [
    ("FLIT-BLESS", text!("flit-bless")),
    ("WORM-BLESS", text!("worm-bless")),
    ("CHIPPER", text!("chipper")),
    ("MinBD", text!("minbd")),
    ("wormhole", text!("booksim-iq")),
    ("chaos", text!("chaos")),
];

fn contenders(texts: &[Text], packet_words: u16) -> Vec<Contender> {
    let words = packet_words.to_string();
    let contender = |(name, text): &Text| {
        let key = if text.contains("[router.chaos]") {
            "router.chaos.packet_words"
        } else {
            "traffic.packet_words"
        };
        Contender {
            name: (*name).into(),
            base: Base::of_text(
                format!("the configuration of {name}"),
                *text,
                vec![Override::new(key, &words)],
            ),
        }
    };
    texts.iter().map(contender).collect()
}

/// A network of `side` x `side` nodes under a pattern. Hot spot: a tenth of the packets goes to the four nodes
/// a quarter and three quarters along each side.
fn panel(topology: &str, side: u32, pattern: &str, cycles: u32) -> Panel {
    let set = |key: &str, value: &str| Override::new(key, value);
    let mut all = vec![
        set("network.topology", topology),
        set("network.sides", &format!("[{side}, {side}]")),
        set("traffic.pattern", pattern),
        set("run.warmup_cycles", &(cycles / 2).to_string()),
        set("run.measure_cycles", &cycles.to_string()),
    ];
    if pattern == "hot-spot" {
        let (near, far) = (side / 4, 3 * side / 4);
        let hot = [(near, near), (far, near), (near, far), (far, far)];
        let mut hot = hot.map(|(x, y)| y * side + x).to_vec();
        hot.dedup();
        all.push(set("traffic.hot_nodes", &format!("{hot:?}")));
        all.push(set("traffic.hot_fraction", "0.1"));
    }
    Panel {
        stem: format!("{topology}-{side}-{pattern}"),
        title: format!("{topology} of {side} x {side}, {pattern}"),
        set: all,
    }
}

/// Chaos, wormhole, cut-through and deflection routers with packets of 20 words.
pub fn routers_contest(
    side: u32,
    topologies: &[String],
    patterns: &[String],
    cycles: u32,
) -> (Vec<Contender>, Vec<Panel>) {
    let panels = topologies.iter().flat_map(|topology| {
        let pattern = |pattern: &String| panel(topology, side, pattern, cycles);
        patterns.iter().map(pattern)
    });
    (contenders(&ROUTERS, 20), panels.collect())
}

/// Deflection routers beside buffered ones on meshes, with packets of 5 words.
pub fn deflection_contest(
    sides: &[u32],
    patterns: &[String],
    cycles: u32,
) -> (Vec<Contender>, Vec<Panel>) {
    let panels = sides.iter().flat_map(|side| {
        let pattern = |pattern: &String| panel("mesh", *side, pattern, cycles);
        patterns.iter().map(pattern)
    });
    (contenders(&DEFLECTION, 5), panels.collect())
}
