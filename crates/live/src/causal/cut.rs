//! The least consistent cut with a node at one of its cycles: no step is in it that this node's steps don't depend on.
//!
//! The node is stepped to that cycle. Where a step takes in a message that hasn't been sent, the node that sends it is
//! stepped first, and so on:
//!
//! ```text
//!   node A   1───2 ┄ ┄ ┄ ┄          A's third step isn't in the cut: nothing of it has come to C
//!                 ╲
//!   node B         1───2 ┄ ┄
//!                       ╲
//!   node C   1───2───────3──|       the cut with C at its third cycle
//! ```

use super::CausalReplay;
use flitwork_node::WordRouter;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};

/// After how many turns it is asked whether to go on.
const TURNS: u64 = 1 << 14;

impl<T: Topology + Clone + 'static, R: WordRouter + 'static> CausalReplay<T, R> {
    /// Where all nodes stand in that cut, of a replay before its first step; `None` if the record ends before it, or
    /// `go_on`, which is asked now and then, says no.
    pub(super) fn cut_at(
        mut self,
        node: NodeId,
        cycle: Cycle,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Cycle>> {
        // A stamp for each turn, later than those of all before.
        let mut stamp = 0;
        let mut waiting = Vec::new();
        while self.nodes[node.index()].cell.now() < cycle {
            waiting.push(node);
            while let Some(next) = waiting.last().copied() {
                stamp += 1;
                if stamp % TURNS == 0 && !go_on() {
                    return None;
                }
                let before = self.nodes[next.index()].cell.now();
                self.turn(next, stamp, stamp + 1).ok()?;
                self.due.clear();
                let state = &mut self.nodes[next.index()];
                if state.cell.now() > before {
                    waiting.pop();
                    continue;
                }
                // In a record that holds together no step waits for itself.
                let port = state.awaited_port.take()?;
                let (sender, _) = self.network.topology.far(next, port)?;
                waiting.push(sender);
                if waiting.len() > self.nodes.len() {
                    return None;
                }
            }
        }
        Some(self.nodes.iter().map(|node| node.cell.now()).collect())
    }
}
