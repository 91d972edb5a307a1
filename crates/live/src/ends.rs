//! The states in which the nodes of a run end, and what it has come to by that.

use crate::run::Run;
use crate::timing::Difference;
use flitwork_engine::{Ended, Outcome, Stopped};
use flitwork_network::{Aim, Locals};
use flitwork_node::{AnyProbe, Wait};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;

/// The state in which a node ends.
pub(crate) struct NodeEnd {
    pub(crate) node: NodeId,
    /// The first cycle that it has not run.
    pub(crate) cycle: Cycle,
    pub(crate) digest: Digest,
    /// What it waited for and never got.
    pub(crate) lack: Option<Difference>,
    pub(crate) waits: Vec<Wait>,
    /// The terminals whose packets enter there, and what they have to send.
    pub(crate) locals: Locals,
    /// Packets that its sources have put into the network less those delivered to it.
    pub(crate) entered: i64,
    /// The first arrival that was not possible.
    pub(crate) impossible: Option<Difference>,
}

/// The states in which the nodes of a run end, without those that are lost.
pub(crate) struct Ends {
    pub(crate) nodes: Vec<NodeEnd>,
}

impl Ends {
    /// The first cycle that no node has run.
    pub(crate) fn latest(&self) -> Option<Cycle> {
        self.nodes.iter().map(|end| end.cycle).max()
    }

    /// The first cycle that each node has not run, and its digest.
    pub(crate) fn by_number(&self, run: &Run) -> Vec<(Cycle, Digest)> {
        let mut nodes = vec![(Cycle::ZERO, Digest::default()); run.nodes() as usize];
        for end in &self.nodes {
            nodes[end.node.index()] = (end.cycle, end.digest);
        }
        nodes
    }

    /// What a run has come to that ends so; what its sources still hold is reported to the probe.
    pub(crate) fn outcome(
        &self,
        run: &Run,
        (aim, ended): (Aim, Ended),
        probe: Option<&mut AnyProbe>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Outcome {
        let sources = self.nodes.iter().flat_map(|end| {
            // Before which cycle it would have put packets into the network.
            let until = match ended {
                Ended::Interrupted => end.cycle,
                _ => aim.end,
            };
            let locals = end.locals.all().iter();
            locals.map(move |local| (local.terminal, until, local.source))
        });
        let mut sources: Vec<_> = sources.collect();
        sources.sort_by_key(|(terminal, ..)| *terminal);
        let remains = run.remains(sources, probe, go_on);
        let in_network: i64 = self.nodes.iter().map(|end| end.entered).sum();
        let cycles = self.nodes.iter().map(|end| u64::from(end.cycle.get()));
        let stopped = Stopped {
            ended,
            cycle: self.latest().unwrap_or(Cycle::ZERO),
            // What has left a lost node is unknown.
            // Of nodes that were cut at different cycles more may be seen to leave than to enter.
            in_network: u64::try_from(in_network).unwrap_or(0),
            steps: cycles.sum(),
        };
        Outcome::of(aim, stopped, remains)
    }

    /// What the packets still in the network wait for.
    pub(crate) fn waits(self, ended: Ended) -> Vec<Wait> {
        match ended {
            Ended::Empty => Vec::new(),
            _ => self.nodes.into_iter().flat_map(|end| end.waits).collect(),
        }
    }
}
