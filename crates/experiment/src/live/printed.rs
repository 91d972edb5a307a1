//! Prints events while a replay runs, one per line.

use flitwork_node::{Event, Probe};
use flitwork_topology::Topology;
use flitwork_trace::lines;
use flitwork_types::{Cycle, NodeId};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Prints the events of some nodes, or of none.
#[derive(Clone)]
pub(super) struct Lines(Option<Shared>);

/// The printer that all parts of a replay's probe share.
#[derive(Clone)]
struct Shared {
    wanted: Arc<[bool]>,
    printer: Arc<Mutex<Printer>>,
}

/// Prints each node's events in the order of their cycles.
struct Printer {
    out: io::BufWriter<io::Stdout>,
    /// Each node's latest events. A delivery may be reported a cycle early, so an event is kept until one arrives
    /// that is two cycles later.
    latest: Vec<Vec<(Cycle, Event)>>,
    /// The error that stopped printing.
    error: Option<io::Error>,
}

impl Printer {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let latest = &mut self.latest[node.index()];
        let place = latest.partition_point(|(before, _)| *before <= cycle);
        latest.insert(place, (cycle, event));
        let certain = latest.partition_point(|(before, _)| *before + 1 < cycle);
        self.print(node, certain);
    }

    /// Prints the first of a node's kept events.
    fn print(&mut self, node: NodeId, events: usize) {
        for (cycle, event) in self.latest[node.index()].drain(..events) {
            if self.error.is_none() {
                let line = lines::Line { node, cycle, event };
                self.error = writeln!(self.out, "{line}").err();
            }
        }
    }
}

impl Lines {
    /// Prints the events of these nodes, or of all if none are named, if asked to.
    pub(super) fn new(asked: bool, nodes: &[NodeId], topology: &dyn Topology) -> Lines {
        let mut wanted = vec![nodes.is_empty(); topology.nodes() as usize];
        nodes.iter().for_each(|node| wanted[node.index()] = true);
        Lines(asked.then(|| Shared {
            printer: Arc::new(Mutex::new(Printer {
                out: io::BufWriter::new(io::stdout()),
                latest: vec![Vec::new(); wanted.len()],
                error: None,
            })),
            wanted: wanted.into(),
        }))
    }

    /// The same, or a break once nothing can be printed any more. A reader that has closed the pipe is no reason to
    /// stop.
    pub(super) fn flow(&self, flow: ControlFlow<()>) -> ControlFlow<()> {
        let failed = |shared: &Shared| shared.printer().error.as_ref().is_some_and(is_failure);
        if self.0.as_ref().is_some_and(failed) {
            return ControlFlow::Break(());
        }
        flow
    }

    /// Prints the kept events.
    ///
    /// # Errors
    /// Whatever stopped printing, except a reader that has closed the pipe.
    pub(super) fn end(&self) -> io::Result<()> {
        let Some(shared) = &self.0 else {
            return Ok(());
        };
        let mut printer = shared.printer();
        for node in 0..printer.latest.len() {
            let events = printer.latest[node].len();
            printer.print(NodeId(node as u32), events);
        }
        let error = printer.error.take().or_else(|| printer.out.flush().err());
        error.filter(is_failure).map_or(Ok(()), Err)
    }
}

fn is_failure(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::BrokenPipe
}

impl Shared {
    #[cold]
    fn event(&self, node: NodeId, cycle: Cycle, event: Event) {
        if self.wanted[node.index()] {
            self.printer().event(node, cycle, event);
        }
    }

    fn printer(&self) -> MutexGuard<'_, Printer> {
        self.printer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for Lines {
    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        if let Some(shared) = &self.0 {
            shared.event(node, cycle, event);
        }
    }
}
