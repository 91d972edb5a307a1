//! What the contests with commands share.

use super::{Contender, Panel};
use crate::square::{HOT_FRACTION, hot_nodes};
use flitwork_config::Override;
use flitwork_sweep::Base;

/// A contender's name and its configuration.
pub(crate) type Text = (&'static str, &'static str);

/// The configuration of a contender.
macro_rules! text {
    ($file:literal) => {
        include_str!(concat!("../../configs/contest/", $file, ".toml"))
    };
}
pub(crate) use text;

/// Contenders with packets of a given length.
pub(crate) fn contenders(texts: &[Text], packet_words: u16) -> Vec<Contender> {
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
pub(crate) fn panel(topology: &str, side: u32, pattern: &str, cycles: u32) -> Panel {
    let set = |key: &str, value: &str| Override::new(key, value);
    let mut all = vec![
        set("network.topology", topology),
        set("network.sides", &format!("[{side}, {side}]")),
        set("traffic.pattern", pattern),
        set("run.warmup_cycles", &(cycles / 2).to_string()),
        set("run.measure_cycles", &cycles.to_string()),
    ];
    if pattern == "hot-spot" {
        let mut hot = hot_nodes(side).to_vec();
        hot.dedup();
        all.push(set("traffic.hot_nodes", &format!("{hot:?}")));
        all.push(set("traffic.hot_fraction", &HOT_FRACTION.to_string()));
    }
    Panel {
        stem: format!("{topology}-{side}-{pattern}"),
        title: format!("{topology} of {side} x {side}, {pattern}"),
        set: all,
    }
}
