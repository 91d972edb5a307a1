//! Supervises a run from outside: progress, interruption, deadlock, a slow host.

use crate::run::{Run, Stop};
use flitwork_engine::{Control, Progress};
use flitwork_types::{Cycle, Due, NodeId};
use std::time::{Duration, Instant};

/// How often the run is checked.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// How long nodes may take to stop.
const STOP_WAIT: Duration = Duration::from_secs(1);
/// How long no node may complete a cycle before the host is called slow.
const SLOW: Duration = Duration::from_secs(2);
/// Cycles without a moving word after which a network is called stuck, in addition to what its nodes can wait.
const STILL_CYCLES: u32 = 1000;

/// What was seen when a word had last moved, or a node last completed a cycle.
struct Watch {
    words: u64,
    /// How far each node was when it was seen that no word had moved since.
    still_from: Option<Vec<Due>>,
    cycles: u64,
    advanced: Instant,
    warned: bool,
    begun: Instant,
    /// The record's mark that all nodes have been woken for.
    mark: u32,
}

/// Supervises a run until all `workers` have ended or it stops; then wakes sleepers and waits for them. Returns
/// whether all have ended.
pub(crate) fn watch(run: &Run, workers: usize, control: Control<'_>, wake_all: impl Fn()) -> bool {
    let mut watch = Watch::new();
    while !run.is_stopped() && run.wait(workers, CHECK_EVERY) < workers {
        let progress = Progress::at(least(run), usize::from(run.is_busy()));
        if control(progress).is_break() {
            run.stop_for(Stop::Interrupted);
        }
        watch.check(run);
        // A node that waits for a neighbour may for a long time have nothing to do but hand over what it has.
        let mark = run.asked.latest();
        if std::mem::replace(&mut watch.mark, mark) != mark {
            wake_all();
        }
    }
    let asked = Instant::now();
    while run.wait_ended(workers, CHECK_EVERY) < workers {
        wake_all();
        if asked.elapsed() > STOP_WAIT {
            return false;
        }
    }
    true
}

/// The current cycle of the slowest node.
fn least(run: &Run) -> Cycle {
    let nodes = (0..run.nodes()).map(|node| run.progress(NodeId(node)));
    Due::soonest(nodes).at_latest(run.end)
}

impl Watch {
    fn new() -> Watch {
        Watch {
            words: 0,
            still_from: None,
            cycles: 0,
            advanced: Instant::now(),
            warned: false,
            begun: Instant::now(),
            mark: 0,
        }
    }

    fn check(&mut self, run: &Run) {
        let all = || (0..run.nodes()).map(|node| run.progress(NodeId(node)));
        if tracing::enabled!(tracing::Level::TRACE) {
            let cycles: Vec<u32> = all().map(|cycle| cycle.at_latest(run.end).get()).collect();
            let ms = self.begun.elapsed().as_millis() as u64;
            tracing::trace!(ms, ?cycles, "nodes have completed");
        }
        let cycles = all().map(|cycle| u64::from(cycle.bits())).sum();
        if cycles != self.cycles {
            (self.cycles, self.advanced, self.warned) = (cycles, Instant::now(), false);
        } else if self.advanced.elapsed() > SLOW && !self.warned {
            self.warned = true;
            tracing::warn!(
                cycle = least(run).get(),
                "no node has completed a cycle for {SLOW:?}: the host is slow, or stopped the program"
            );
        }
        if run.quiet.is_for_good() {
            run.stop_for(Stop::Stuck);
        }
        let words = run.words_moved();
        if words != self.words || !run.is_busy() {
            (self.words, self.still_from) = (words, None);
            return;
        }
        // A word may have moved since it was counted: the cycles count from here.
        let from = self.still_from.get_or_insert_with(|| all().collect());
        let patience = run.patience_cycles + run.longest_link_cycles;
        let nodes = all()
            .zip(from)
            .zip(0..)
            .map(|((now, from), node)| match () {
                () if now == Due::NEVER => Rest::Ended,
                // Without credits, all nodes have settled while the last words are still on links.
                () if run.has_credits && run.is_settled(NodeId(node)) => Rest::Settled,
                () if now > *from + (STILL_CYCLES + 4 * patience) => Rest::Still,
                () => Rest::None,
            });
        let nodes: Vec<Rest> = nodes.collect();
        // A network whose nodes have all settled is empty, and the run about to end.
        let still = !nodes.contains(&Rest::None) && nodes.iter().any(|rest| *rest != Rest::Settled);
        // Nodes continued during the check, which takes long on a busy host: so it is repeated.
        if still && !self.has_moved_on(run) {
            tracing::warn!(
                cycle = least(run).get(),
                "no word has moved for {} cycles of every node that still runs: the network is stuck",
                STILL_CYCLES + 4 * patience
            );
            run.stop_for(Stop::Stuck);
        }
    }

    /// Whether a word has moved since the check began, or the run is ending.
    fn has_moved_on(&self, run: &Run) -> bool {
        run.words_moved() != self.words || is_ending(run)
    }
}

/// Why a node may move no further word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It may move one.
    None,
    /// It has run its last cycle.
    Ended,
    /// It is empty, all credits are back, and its source has closed.
    Settled,
    /// It has run longer than anything waits on its own.
    Still,
}

/// Whether the run is over for all nodes, or for the first one, and for the others a slack later: words that
/// stop moving then are cut off, not stuck. Without a slack nodes may wait long for those that have ended.
fn is_ending(run: &Run) -> bool {
    let mut ended = (0..run.nodes()).map(|node| run.has_finished(NodeId(node)));
    match run.slack {
        Some(_) => ended.any(|ended| ended),
        None => ended.all(|ended| ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::slack::{Silent, line};
    use flitwork_network::Network;
    use flitwork_router::chaos::{Chaos, ChaosParameters, Plane, WordFlow};
    use flitwork_topology::Grid;
    use std::sync::atomic::Ordering;

    /// Two checks on a slow host may both see all nodes at the run's last cycle while their threads haven't
    /// ended yet.
    #[test]
    fn a_run_that_its_deadline_ends_is_not_stuck() {
        for (slack, ended) in [(Some(0), 1), (Some(0), 3), (Some(4), 2), (None, 3)] {
            let run = line(slack, 1, 1);
            (0..3).for_each(|node| run.settle(NodeId(node), true));
            run.count_packet(1);
            let mut watch = Watch::new();
            (0..3).for_each(|node| run.publish(NodeId(node), Cycle(2)));
            watch.check(&run);
            (0..ended).for_each(|node| run.publish(NodeId(node), Due::NEVER));
            (0..3).for_each(|_| watch.check(&run));
            assert!(
                !run.is_stopped(),
                "{ended} nodes have ended, slack {slack:?}"
            );
        }
    }

    /// Of nodes that have ended only the end of the run, cycle 1000, is known.
    #[test]
    fn the_slowest_node_is_one_that_has_not_ended() {
        let run = line(None, 1, 1);
        let progress = [
            ([Some(7), Some(5), Some(9)], 5),
            ([None, Some(8), Some(9)], 8),
            ([None, None, Some(999)], 999),
            ([None; 3], 1000),
        ];
        for (nodes, slowest) in progress {
            for (node, cycle) in (0..).map(NodeId).zip(nodes) {
                run.publish(node, Due::from(cycle.map(Cycle)));
            }
            assert_eq!(least(&run), Cycle(slowest));
        }
    }

    /// With credits, a network whose nodes have all settled is empty: its workers are about to report that.
    #[test]
    fn a_network_that_has_just_emptied_is_not_stuck() {
        for slack in [Some(0), None] {
            let grid = Grid::mesh(&[3]).unwrap();
            let network: Network<_, Chaos<_, Plane<WordFlow>>> = Network::new(
                grid.clone(),
                Chaos::new(grid.clone(), ChaosParameters::chinn_1995(2), 1),
                1,
            );
            let end = Cycle(1000);
            let run = Run::new(&network, Box::new(Silent), end, end, slack, 1);
            run.become_busy();
            (0..3).for_each(|node| run.settle(NodeId(node), true));
            let mut watch = Watch::new();
            (0..3).for_each(|_| watch.check(&run));
            assert!(!run.is_stopped(), "slack {slack:?}");
            // Without a slack, a node that has ended with something in it blocks the others.
            run.settle(NodeId(1), false);
            run.publish(NodeId(1), Due::NEVER);
            watch.check(&run);
            assert_eq!(run.is_stopped(), slack.is_none());
        }
    }

    /// While a check was under way a word has moved, and then a node has run its last cycle.
    #[test]
    fn a_network_that_continues_during_a_check_is_not_stuck() {
        let run = line(Some(0), 1, 1);
        let mut watch = Watch::new();
        assert!(!watch.has_moved_on(&run));
        run.moved[0].fetch_add(1, Ordering::Relaxed);
        assert!(watch.has_moved_on(&run));
        watch.words = run.words_moved();
        assert!(!watch.has_moved_on(&run));
        run.publish(NodeId(2), Due::NEVER);
        assert!(watch.has_moved_on(&run));
    }

    /// A host is called slow once, and again if nodes have continued in between.
    #[test]
    fn a_slow_host_is_reported_once() {
        let run = line(Some(0), 1, 1);
        let mut watch = Watch::new();
        watch.check(&run);
        assert!(!watch.warned);
        for cycle in [0, 1] {
            run.publish(NodeId(0), Cycle(cycle));
            watch.check(&run);
            assert!(!watch.warned, "at cycle {cycle}");
            let Some(earlier) = Instant::now().checked_sub(SLOW + CHECK_EVERY) else {
                return;
            };
            watch.advanced = earlier;
            (0..2).for_each(|_| watch.check(&run));
            assert!(watch.warned, "at cycle {cycle}");
        }
        // A cycle of another node counts too.
        run.publish(NodeId(2), Cycle(1));
        watch.check(&run);
        assert!(!watch.warned);
    }

    /// Two checks on a slow host may see a word on the same link: all nodes have settled, and the network is
    /// not stuck. It is once every node has completed more cycles without a word than the longest wait.
    #[test]
    fn words_on_links_are_not_stuck_while_nodes_rest() {
        let run = line(Some(0), 1, 1);
        (0..3).for_each(|node| run.settle(NodeId(node), true));
        run.count_packet(1);
        let mut watch = Watch::new();
        let still = STILL_CYCLES + 4;
        for cycle in [0, 0, 1, still] {
            (0..3).for_each(|node| run.publish(NodeId(node), Cycle(cycle)));
            watch.check(&run);
            assert!(!run.is_stopped(), "at cycle {cycle}");
        }
        (0..2).for_each(|node| run.publish(NodeId(node), Cycle(still + 1)));
        watch.check(&run);
        assert!(!run.is_stopped(), "a node hasn't come that far");
        run.publish(NodeId(2), Cycle(still + 1));
        watch.check(&run);
        assert!(run.is_stopped());
    }
}
