//! The links of workers that aren't run.

use super::{Worker, deal};
use crate::board::NodeLinks;
use crate::links::{Links, Pushed};
use crate::runner::Runner;
use crate::tests::slack::Line;
use flitwork_network::Message;
use flitwork_node::AnyProbe;
use flitwork_types::{Due, NodeId, Port, PortSet};

/// Workers that don't work.
pub(crate) struct Rig(Vec<Worker>);

impl Rig {
    pub(crate) fn new(run: &Line, runners: Vec<Box<dyn Runner>>, capacity: usize) -> Rig {
        Rig(deal(
            run,
            runners,
            &mut || AnyProbe::new(()),
            run.moved.len(),
            capacity,
        ))
    }

    fn place<'a>(&'a mut self, run: &'a Line, node: NodeId) -> NodeLinks<'a> {
        let worker = &mut self.0[run.owner(node)];
        let mut runners = worker.runners.iter();
        let place = runners.position(|runner| runner.node() == node).unwrap();
        NodeLinks {
            board: &mut worker.board,
            run,
            place,
            node,
        }
    }

    pub(crate) fn push(
        &mut self,
        run: &Line,
        node: NodeId,
        port: Port,
        message: Message,
    ) -> Pushed {
        self.place(run, node).push(port, message)
    }

    pub(crate) fn pop(&mut self, run: &Line, node: NodeId, port: Port) -> Option<Message> {
        self.place(run, node).pop(port)
    }

    pub(crate) fn waiting(&mut self, run: &Line, node: NodeId) -> PortSet {
        self.place(run, node).waiting()
    }

    pub(crate) fn close(&mut self, run: &Line, node: NodeId) {
        self.place(run, node).close();
    }

    /// The node has run its last cycle.
    pub(crate) fn finish(&mut self, run: &Line, node: NodeId) {
        run.publish(node, Due::NEVER);
        let NodeLinks { board, place, .. } = self.place(run, node);
        board.finished[place] = true;
    }
}
