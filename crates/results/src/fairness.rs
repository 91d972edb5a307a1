//! How evenly the terminals are served.

use flitwork_measure::Shares;
use flitwork_observe::Observation;
use flitwork_topology::{Shape, Topology};
use flitwork_types::TerminalId;

/// How evenly the accepted throughput is shared, in words per cycle. Shares and waits are named by nodes: those of sources by where packets
/// enter, those of destinations by where they leave.
#[derive(Clone, Debug)]
pub struct Fairness {
    /// By source: terminals whose sources made words in the window, or from which words were delivered in it.
    pub by_source: Option<Shares>,
    /// By destination: terminals for which words entered the network in the window, or at which words were delivered in it.
    pub by_destination: Option<Shares>,
    /// The longest that a source with a packet to send waited to inject it, in cycles of the window; none if no source sends.
    pub longest_wait: Option<Wait>,
    /// Words delivered in the window by the terminal that they came from.
    pub sent: Vec<u64>,
    /// And by the terminal that they went to.
    pub got: Vec<u64>,
}

/// A source that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The number of its node. Of equal waits the lowest is given.
    pub node: u32,
    /// How long it waited.
    pub cycles: u32,
}

impl Fairness {
    pub(super) fn of(seen: &Observation, cycles: f64, shape: &Shape) -> Fairness {
        let throughput = &seen.throughput;
        let terminals = || (0..shape.terminals()).map(TerminalId);
        let entries = || terminals().map(|it| shape.entry(it).0);
        let homes = || terminals().map(|it| shape.home(it).0);
        // A terminal to which nothing was sent is not treated unfairly.
        let shares = |nodes: &mut dyn Iterator<Item = u32>, got: &[u64], meant: &[u64]| {
            let nodes = nodes.zip(got.iter().zip(meant));
            let nodes = nodes.filter(|(_, (got, meant))| **got > 0 || **meant > 0);
            Shares::of(nodes.map(|(node, (got, _))| (node, *got)), cycles)
        };
        let by_source = shares(&mut entries(), &throughput.sent, &throughput.made);
        let waits = entries().zip(seen.longest_wait_cycles.iter().copied());
        let waits = waits.map(|(node, cycles)| Wait { node, cycles });
        let longest = waits.max_by_key(|wait| (wait.cycles, u32::MAX - wait.node));
        Fairness {
            by_source,
            by_destination: shares(&mut homes(), &throughput.got, &throughput.addressed),
            longest_wait: longest.filter(|_| by_source.is_some()),
            sent: throughput.sent.clone(),
            got: throughput.got.clone(),
        }
    }
}
