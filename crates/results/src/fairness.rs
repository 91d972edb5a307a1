//! How evenly the nodes are served.

use flitwork_measure::Shares;
use flitwork_observe::Throughput;

/// How evenly the accepted throughput is shared, in words per cycle.
#[derive(Clone, Debug)]
pub struct Fairness {
    /// By source: nodes whose sources made words in the window, or from which words were delivered in it.
    pub by_source: Option<Shares>,
    /// By destination: nodes for which words entered the network in the window, or at which words were delivered in it.
    pub by_destination: Option<Shares>,
}

impl Fairness {
    pub(super) fn of(throughput: &Throughput, cycles: f64) -> Fairness {
        // A node to which nothing was sent is not treated unfairly.
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
