//! The surroundings that a configuration's network and engine give its router.

use crate::exchange::{Configured, is_in_step};
use crate::workload::demand;
use flitwork_config::Resolved;
use flitwork_machine::{FastDriven, WordDriven};
use flitwork_network::Clocks;
use flitwork_router::parameters::BuildContext;
use flitwork_router::scheduled::Request;
use flitwork_topology::Topology;
use flitwork_traffic::Offer;
use flitwork_types::Cycle;

/// The network and the engine of a configuration, as its router sees them.
pub(crate) struct RouterContext<'a> {
    network: Configured<'a>,
    /// Whether a router that is built for its packets gets those of the run.
    has_packets: bool,
}

/// The surroundings that a configuration gives.
pub(crate) fn around(resolved: &Resolved) -> RouterContext<'_> {
    RouterContext {
        network: Configured {
            resolved,
            clocks: None,
        },
        has_packets: true,
    }
}

/// The same with other clocks than the configuration's.
pub(crate) fn around_clocks<'a>(resolved: &'a Resolved, clocks: &'a Clocks) -> RouterContext<'a> {
    RouterContext {
        network: Configured {
            resolved,
            clocks: Some(clocks),
        },
        ..around(resolved)
    }
}

impl RouterContext<'_> {
    /// The same without the run's packets, for questions that do not depend on them.
    pub(crate) fn without_packets(self) -> Self {
        RouterContext {
            has_packets: false,
            ..self
        }
    }

    /// The configuration.
    pub(crate) fn resolved(&self) -> &Resolved {
        self.network.resolved
    }

    /// Passes the surroundings to `to`.
    pub(crate) fn show<O>(&self, to: impl FnOnce(&BuildContext<'_>) -> O) -> O {
        let resolved = self.resolved();
        to(&BuildContext {
            shape: resolved.intact(),
            link_latency_cycles: resolved.network.link_latency_cycles,
            duplex: resolved.network.duplex,
            seed: resolved.run.seed,
            is_in_step: is_in_step(resolved),
            crossing: &self.network,
            requests: &|| match self.has_packets {
                true => requests(resolved),
                false => Vec::new(),
            },
            epoch: None,
        })
    }

    /// The configuration's network, word by word.
    pub(crate) fn words(&self) -> Box<dyn WordDriven> {
        let Resolved { router, faults, .. } = self.resolved();
        self.show(|around| match &faults.faults {
            Some(faults) => router.by_words_failing(around, faults),
            None => router.by_words(around),
        })
    }

    /// The same by time stamps, where its router can be driven by them and no link fails.
    pub(crate) fn timestamps(&self) -> Option<FastDriven> {
        if self.resolved().faults.faults.is_some() {
            return None;
        }
        self.show(|around| self.resolved().router.by_timestamps(around))
    }

    /// The same by mail, where its router posts ahead, the engine takes the network and no link fails.
    pub(crate) fn mail(&self) -> Option<FastDriven> {
        if self.resolved().faults.faults.is_some() {
            return None;
        }
        self.show(|around| self.resolved().router.by_mail(around))
    }
}

/// The packets that a configuration's sources have in cycle 0.
pub(crate) fn requests(resolved: &Resolved) -> Vec<Request> {
    let shape = &resolved.network.shape;
    let mut workload = demand(resolved).workload;
    let mut requests = Vec::new();
    for source in workload.sources() {
        while let Offer::Packet(birth) = workload.next(source, Cycle::ZERO) {
            requests.push(Request {
                source: shape.home(source),
                destination: shape.home(birth.destination),
                words: birth.words,
            });
        }
    }
    requests
}
