//! Where a contest takes place.

use crate::many::set;
use crate::square::{HOT_FRACTION, hot_nodes};
use flitwork_config::Override;

/// A network of `side` x `side` nodes, and a pattern. Hot spot: a tenth of the packets goes to the four nodes a quarter
/// and three quarters along each side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub(crate) topology: String,
    pub(crate) side: u32,
    pub(crate) pattern: String,
}

impl Panel {
    /// Each pattern on each side of each topology.
    pub(crate) fn all(topologies: &[String], sides: &[u32], patterns: &[String]) -> Vec<Panel> {
        let mut all = Vec::new();
        for topology in topologies {
            for side in sides {
                all.extend(patterns.iter().map(|pattern| Panel {
                    topology: topology.clone(),
                    side: *side,
                    pattern: pattern.clone(),
                }));
            }
        }
        all
    }

    /// How its files' names begin.
    pub(crate) fn stem(&self) -> String {
        format!("{}-{}-{}", self.topology, self.side, self.pattern)
    }

    pub(crate) fn network(&self) -> String {
        format!("{} of {1} x {1}", self.topology, self.side)
    }

    pub(crate) fn title(&self) -> String {
        format!("{}, {}", self.network(), self.pattern)
    }

    /// The keys that its contenders share.
    pub(crate) fn set(&self) -> Vec<Override> {
        let side = self.side;
        let mut all = vec![
            set("network.topology", &self.topology),
            set("network.sides", format!("[{side}, {side}]")),
            set("traffic.pattern", &self.pattern),
        ];
        if self.pattern == "hot-spot" {
            let mut hot = hot_nodes(side).to_vec();
            hot.dedup();
            all.push(set("traffic.hot_nodes", format!("{hot:?}")));
            all.push(set("traffic.hot_fraction", HOT_FRACTION));
        }
        all
    }
}
