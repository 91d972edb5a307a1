//! A router that draws from one of two streams in turn, for all nodes together: what a node does depends on which others
//! were visited before it.

use flitwork_node::{Inputs, Outputs, Probe, Router, Site, Wait, WordRouter};
use flitwork_router::deflection::{Deflection, DeflectionParameters, PortChoice};
use flitwork_topology::Grid;
use flitwork_types::{Cycle, NodeId, Packets};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Which of several good links a word takes is drawn.
pub(crate) fn parameters() -> DeflectionParameters {
    DeflectionParameters {
        port_choice: PortChoice::Random,
        ..DeflectionParameters::flit_bless()
    }
}

/// The router with two seeds, and how many steps all nodes have made.
pub(crate) struct Fickle {
    routers: [Deflection<Grid>; 2],
    steps: AtomicUsize,
}

impl Fickle {
    pub(crate) fn new(grid: &Grid, seed: u64) -> Fickle {
        let router = |seed| Deflection::new(grid.clone(), parameters(), seed);
        Fickle {
            routers: [router(seed), router(seed + 1)],
            steps: AtomicUsize::new(0),
        }
    }
}

impl Router for Fickle {
    type Node = <Deflection<Grid> as Router>::Node;

    fn nodes(&self) -> Vec<Self::Node> {
        self.routers[0].nodes()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.routers[0].waits(node, state, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        self.routers[0].packet_words()
    }

    fn credit_words(&self) -> Option<u32> {
        self.routers[0].credit_words()
    }
}

impl WordRouter for Fickle {
    fn is_idle(&self, state: &Self::Node) -> bool {
        self.routers[0].is_idle(state)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let turn = self.steps.fetch_add(1, Ordering::Relaxed) % 2;
        self.routers[turn].step(state, now, inputs, outputs, site);
    }
}
