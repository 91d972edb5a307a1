//! How evenly the nodes are served.

use flitwork_measure::Shares;
use flitwork_observe::Throughput;

/// How evenly the accepted throughput is shared out, in words a cycle.
#[derive(Clone, Debug)]
pub struct Fairness {
    /// By the nodes that words came from: those whose sources made any in the window.
    pub by_source: Option<Shares>,
    /// By the nodes that they went to: those that any were sent to in the window.
    pub by_destination: Option<Shares>,
}

impl Fairness {
    pub(super) fn of(throughput: &Throughput, cycles: f64) -> Fairness {
        // A node that no word was meant for isn't treated unfairly.
        let shares = |got: &[u64], meant: &[u64]| {
            let nodes = (0..).zip(got.iter().zip(meant));
            let nodes = nodes.filter(|(_, (got, meant))| **got > 0 || **meant > 0);
            Shares::of(nodes.map(|(node, (got, _))| (node, *got)), cycles)
        };
        Fairness {
            by_source: shares(&throughput.sent, &throughput.made),
            by_destination: shares(&throughput.got, &throughput.addressed),
        }
    }
}
