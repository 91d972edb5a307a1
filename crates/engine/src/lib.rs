//! Who steps when.
//!
//! - [`Plain`] steps every node in every cycle and moves every word over every link: the reference.
//! - [`TimestampEngine`] visits a node only in cycles in which something can happen there.
//! - [`EventDriven`] does the same for routers that are stepped word by word.
//! - [`MailEngine`] does it for routers whose messages can be posted to the far node ahead of time.
//! - [`Clocked`] steps each node at the ticks of its own clock.
//! - [`Embedded`] runs a network inside another program, on any of the first four.
//!
//! All of them report the same events, so their digests and statistics are equal; so are those of `Clocked`
//! if all clocks are equal. Tests enforce this.
//!
//! May depend on `network` and what that uses. Must never know which router it drives, or the host's time.
//!
//! ```
//! use flitwork_engine::{Ended, Engine, EventDriven, Plain};
//! use flitwork_network::{Demand, Network};
//! use flitwork_router::greedy_hp::GreedyHp;
//! use flitwork_topology::Grid;
//! use flitwork_trace::Digest;
//! use flitwork_traffic::Once;
//! use flitwork_types::{Cycle, TerminalId};
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let network = Arc::new(Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1));
//! let demand = || {
//!     let [first, last] = [0, 15].map(TerminalId);
//!     let packets = Once::new(&[(first, last), (last, first)]);
//!     Demand::until(Box::new(packets), Cycle(1000))
//! };
//! let engines: [Box<dyn Engine<Probe = Digest>>; 2] = [
//!     Box::new(Plain::new(network.clone(), demand(), Digest::default(), 7)),
//!     Box::new(EventDriven::new(network, demand(), Digest::default())),
//! ];
//! let [plain, awake] = engines.map(|mut engine| {
//!     let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
//!     assert_eq!(outcome.ended, Ended::Empty);
//!     engine.into_probe()
//! });
//! assert_eq!(plain, awake);
//! ```

mod calls;
mod clocked;
mod delivered;
mod embedded;
mod engine;
mod event_driven;
mod held_back;
mod mail;
mod order;
mod plain;
mod prefetch;
mod sources;
mod timestamp;
mod wheel;

pub use clocked::{Clocked, ticks_between};
pub use embedded::{Advanced, Delivery, Embedded, InjectError};
pub use engine::{Engine, Premises, Simulation, TimeUnit};
pub use event_driven::EventDriven;
pub use mail::{MailEngine, can_post};
pub use plain::Plain;
pub use timestamp::TimestampEngine;

use flitwork_network::{Aim, Remains};
use flitwork_traffic::{Owed, Tally};
use flitwork_types::Cycle;
use std::ops::ControlFlow;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No packet is left in the network, and none may enter it any more; if the sources had a task, it is done.
    Empty,
    /// The last cycle came with packets still in the network, or before the sources had done their task.
    Deadline,
    /// Packets are in the network and none of them can ever move again.
    Stuck,
    /// The caller asked for it.
    Interrupted,
}

impl Ended {
    /// How a run has ended in which nothing can happen any more, by whether its network is empty.
    pub(crate) fn at_rest(is_empty: bool) -> Ended {
        match is_empty {
            true => Ended::Empty,
            false => Ended::Stuck,
        }
    }
}

/// What an engine knows at the end of a run; what happened in it has been reported to the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the run ended.
    pub ended: Ended,
    /// The first cycle that was not simulated.
    pub cycle: Cycle,
    /// How often a node was stepped or woken.
    pub steps: u64,
    /// Packets that were created before the end and never entered the network.
    pub backlog: u64,
    /// Packets that the sources would have made after it.
    pub owed: Owed,
    /// Packets that the sources refused, and that they sent again.
    pub tally: Tally,
    /// Where the count of the backlog was interrupted: it includes all packets created before this cycle.
    pub counted_until: Option<Cycle>,
}

/// A run that has stopped, with as much as its engine knows of why.
#[derive(Clone, Copy, Debug)]
pub struct Stopped {
    /// Why. The two counts below decide whether anything was left to do.
    pub ended: Ended,
    /// The first cycle that was not simulated.
    pub cycle: Cycle,
    /// Packets in the network, by the events before the end.
    pub in_network: u64,
    /// How often a node was stepped or woken.
    pub steps: u64,
}

impl Outcome {
    /// The outcome of a run, the same on every engine. Packets that are still in the network are a failure, and so
    /// are packets of a task that never entered it; that an engine found nothing more to do before the end says
    /// nothing about either.
    pub fn of(aim: Aim, stopped: Stopped, remains: Remains) -> Outcome {
        let Remains {
            backlog,
            owed,
            tally,
            counted_until,
        } = remains;
        let is_done = !aim.is_task || backlog + owed.packets == 0;
        let ended = match stopped.ended {
            _ if counted_until.is_some() => Ended::Interrupted,
            Ended::Interrupted => Ended::Interrupted,
            Ended::Stuck if stopped.in_network > 0 => Ended::Stuck,
            _ if stopped.in_network == 0 && is_done => Ended::Empty,
            _ => Ended::Deadline,
        };
        let cycle = match ended {
            // Once nothing can move and nothing can come, the rest of the run is known.
            Ended::Deadline | Ended::Stuck => aim.end,
            Ended::Empty | Ended::Interrupted => stopped.cycle.min(aim.end),
        };
        Outcome {
            ended,
            cycle,
            steps: stopped.steps,
            backlog,
            owed,
            tally,
            counted_until,
        }
    }
}

/// How far a run has got, for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current cycle.
    pub cycle: Cycle,
    /// Packets in the network.
    pub in_network: usize,
    /// Whether the run is over and packets that never entered the network are being counted: a caller who has
    /// asked for its end need not interrupt that at once.
    pub is_counting: bool,
}

impl Progress {
    /// A run under way.
    pub fn at(cycle: Cycle, in_network: usize) -> Progress {
        Progress {
            cycle,
            in_network,
            is_counting: false,
        }
    }

    /// A run that is over, counting.
    pub fn counting(cycle: Cycle) -> Progress {
        Progress {
            cycle,
            in_network: 0,
            is_counting: true,
        }
    }
}

/// Called before a run's first cycle and then every few milliseconds; returns `Break` to interrupt the run.
pub type Control<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;
