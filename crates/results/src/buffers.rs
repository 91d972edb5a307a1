//! How full the buffers were.

use flitwork_measure::Share;
use flitwork_node::Buffers;
use flitwork_observe::Observation;

/// How full the nodes' buffers were.
#[derive(Clone, Debug)]
pub struct BufferUse {
    /// Which buffers: those that show how congested this router is.
    pub name: &'static str,
    /// Their unit: `packets` or `words`.
    pub unit: &'static str,
    /// Mean contents of a node, over nodes and window.
    pub mean: f64,
    /// The largest mean of a node.
    pub busiest: Share,
    /// The most that any node held in the whole run.
    pub max: u32,
    /// Each node's mean and most.
    pub(super) nodes: Vec<(f64, u32)>,
}

impl BufferUse {
    pub(super) fn of(buffers: Buffers, seen: &Observation, cycles: f64) -> Option<BufferUse> {
        let (name, unit, sums, most) = match buffers {
            Buffers::None => return None,
            Buffers::Queue => {
                let seen = (&seen.queue_packet_cycles, &seen.queue_max);
                ("multiqueue", "packets", seen.0, seen.1)
            }
            Buffers::Words(name) => {
                let seen = (&seen.buffer_word_cycles, &seen.buffer_max);
                (name, "words", seen.0, seen.1)
            }
        };
        let means = super::node_means(sums, cycles);
        let mut busiest = Share {
            node: 0,
            value: 0.0,
        };
        for (node, value) in (0..).zip(means.iter().copied()) {
            if value > busiest.value {
                busiest = Share { node, value };
            }
        }
        Some(BufferUse {
            name,
            unit,
            mean: means.iter().sum::<f64>() / means.len() as f64,
            busiest,
            max: most.iter().copied().max().unwrap_or(0),
            nodes: means.into_iter().zip(most.iter().copied()).collect(),
        })
    }
}
