//! The load of links under a configuration's pattern and routing function, before a run.

use crate::around::around;
use flitwork_config::Resolved;
use flitwork_router::routing::Demand;
use flitwork_router::routing::channel_load;
pub use flitwork_router::routing::{Basis, ChannelLoad, Unloaded, Watch};
use flitwork_topology::Topology;
use flitwork_traffic::Destinations;

/// The load of links, and what it was computed for.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternLoad {
    /// The load.
    pub load: ChannelLoad,
    /// The pattern's name.
    pub pattern: &'static str,
    /// The routing function, in words.
    pub routing: String,
    /// How many terminals there are.
    pub terminals: u32,
    /// How many nodes there are.
    pub nodes: u32,
}

impl PatternLoad {
    /// The ideal throughput in words per terminal and cycle, mean over all terminals, those that don't send included.
    pub fn mean_throughput(&self) -> f64 {
        let part = f64::from(self.load.senders) / f64::from(self.terminals);
        self.load.throughput() * part
    }
}

/// Why the load of links isn't known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKnown {
    /// The traffic has no pattern.
    #[error("traffic.process = {0:?} has no pattern")]
    NoPattern(&'static str),
    /// The pattern doesn't say how likely destinations are.
    #[error("the pattern {0} doesn't say how likely its destinations are")]
    NoSpread(&'static str),
    /// The router has no function that says where packets go.
    #[error("no function says where packets of the router {0} go")]
    NoFunction(&'static str),
    /// The flow wasn't followed to its end.
    #[error(transparent)]
    Unloaded(#[from] Unloaded),
}

/// The load of links if the terminals of a configuration send by its pattern and its router's routing function says where packets go. At most
/// `allowed` heads of packets are followed.
///
/// # Errors
/// [`NotKnown`].
pub fn pattern_load(
    resolved: &Resolved,
    allowed: u64,
    watch: &mut Watch<'_>,
) -> Result<PatternLoad, NotKnown> {
    let (traffic, network) = (&resolved.traffic, &resolved.network);
    let process = traffic.process.entry();
    if process.destinations != Destinations::Pattern {
        return Err(NotKnown::NoPattern(process.name));
    }
    let (shape, name) = (&network.shape, traffic.pattern.name());
    let no_spread = NotKnown::NoSpread(name);
    let pattern = traffic.pattern.build(shape, resolved.run.seed);
    let pattern = pattern.map_err(|_| no_spread.clone())?;
    let demand = Demand::of(shape, |source| pattern.spread(source)).ok_or(no_spread)?;
    // A large network's function takes time to build.
    demand.refuse_above(allowed)?;
    let router = &resolved.router;
    let followed = around(resolved)
        .without_packets()
        .show(|around| router.followed(around));
    let followed = followed.ok_or(NotKnown::NoFunction(router.name()))?;
    let of = (shape, network.duplex);
    let load = channel_load(followed.function.as_ref(), of, &demand, allowed, watch)?;
    Ok(PatternLoad {
        load,
        pattern: name,
        routing: followed.in_words,
        terminals: shape.terminals(),
        nodes: shape.nodes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::simulate;
    use flitwork_config::resolve;
    use std::ops::ControlFlow;
    use std::path::Path;

    /// The words that a run at a low load sends over each link are what the flow says: words of independent packets, so within five
    /// standard deviations of a Poisson distribution's.
    #[track_caller]
    fn hold(network: &str, router: &str, pattern: &str) {
        let text = format!(
            "[network]\n{network}\n[router.{router}\n[traffic]\npacket_words = 1\nload = 0.04\npattern = \"{pattern}\"\n\
             [run]\nwarmup_cycles = 200\nmeasure_cycles = 20000\n"
        );
        let resolved = resolve(&text, "load.toml", Path::new(""), &[]).unwrap();
        let on = &mut |_, _| ControlFlow::Continue(());
        let found = pattern_load(&resolved, 1 << 24, on).unwrap();
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let words = 0.04 * f64::from(run.observation.measured_cycles);
        for (link, load) in found.load.links.iter().enumerate() {
            let (expected, seen) = (load * words, run.observation.link_words[link] as f64);
            let apart = (expected - seen).abs();
            assert!(
                apart <= 5.0 * expected.sqrt(),
                "{link}: {seen} of {expected}"
            );
        }
    }

    #[test]
    fn runs_load_links_as_expected() {
        let torus = "topology = \"torus\"\nsides = [4, 4]";
        let dragonfly = "topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 1";
        let tree = "topology = \"fat-tree\"\nradix = 2\nlevels = 3";
        hold(torus, "wormhole]\nvcs = 2", "uniform");
        hold(
            torus,
            "wormhole]\nvcs = 4\nrouting = \"valiant\"",
            "transpose",
        );
        hold(torus, "wormhole]\nvcs = 4\nrouting = \"romm\"", "tornado");
        hold(
            dragonfly,
            "wormhole]\nvcs = 4\nrouting = \"valiant\"",
            "adversarial",
        );
        hold(
            dragonfly,
            "wormhole]\nvcs = 2\nrouting = \"minimal\"",
            "uniform",
        );
        let random = "wormhole]\n[router.wormhole.nearest-common-ancestor]\nup = \"random\"";
        hold(tree, random, "tornado");
        let by_destination =
            "wormhole]\n[router.wormhole.nearest-common-ancestor]\nup = \"destination\"";
        hold(tree, by_destination, "uniform");
        hold(
            "topology = \"mesh\"\nsides = [4, 4]",
            "queueing]",
            "uniform",
        );
    }
}
