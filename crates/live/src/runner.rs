//! A node in its place, as the code that runs nodes sees it: whichever router it has, so that this code is compiled
//! once.

use crate::board::AnyLinks;
use crate::chunk_reader::Reads;
use crate::ends::NodeEnd;
use crate::fault::{Cause, NodeFault};
use crate::run::{Break, Run};
use crate::tally::Tally;
use crate::timing::Difference;
use flitwork_network::Wires;
use flitwork_node::AnyProbe;
use flitwork_types::{Cycle, Port};

/// How a node's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// It could continue.
    Ran,
    /// It cannot begin its next cycle before something else happens.
    Waits(Awaited),
    /// It has let a cycle pass, and will do nothing more on its own.
    Idles,
    /// It has run its last cycle.
    Finished,
    /// The rehearsed end of its worker.
    Dies,
}

/// What a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// A neighbour, to complete a cycle.
    Neighbour,
    /// Room in the channel behind a port.
    Room(Port),
    /// In a replay: the message that arrived at a port.
    Message(Port),
    /// In a replay: the next part of the record.
    Record,
    /// Room in the channel to the record's file.
    Writer,
}

/// How a node's turn ended, and whether cycles have passed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) end: TurnEnd,
    pub(crate) has_advanced: bool,
}

/// A node in its place. It is called once per turn.
pub(crate) trait Runner: Reads + Send {
    /// Runs up to `burst` cycles, and lets the neighbours know how far it has got.
    fn turn(
        &mut self,
        run: &Run,
        context: &mut TurnContext<'_>,
        burst: u32,
    ) -> Result<Turn, Box<Break>>;

    /// The first cycle that it has not run.
    fn now(&self) -> Cycle;

    /// Ends its part of the record, with the last cycle that it completed.
    fn end_log(&mut self);

    /// In a replay that cannot continue: what the node waits for and won't get.
    fn lack(&self) -> Option<Difference>;

    /// In a replay: the node continues without what it lacks.
    fn do_without(&mut self);

    /// Whether it is held to its record.
    fn is_strict(&self) -> bool;

    /// The state in which it ends.
    fn ending(&self) -> NodeEnd;

    /// It has panicked with a message, which aborts the run.
    fn panicked(&self, run: &Run, message: String) {
        run.fail(NodeFault {
            node: self.node(),
            cycle: self.now(),
            cause: Cause::Panic(message),
        });
    }
}

/// Makes a probe for each part of a network.
pub type Probes<'a> = &'a mut dyn FnMut() -> AnyProbe;

/// What a turn needs besides the runner.
pub(crate) struct TurnContext<'a> {
    pub(crate) links: AnyLinks<'a>,
    pub(crate) wires: &'a mut Wires,
    pub(crate) probe: &'a mut AnyProbe,
    pub(crate) tally: &'a mut Tally,
}
