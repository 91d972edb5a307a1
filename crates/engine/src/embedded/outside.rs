//! Traffic that another program makes, packet by packet, while the network runs.

use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, TerminalId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The packets that have been given to the sources and that these have not taken; the program and the run share them.
#[derive(Clone)]
pub(super) struct Outside(Arc<Mutex<Vec<VecDeque<Birth>>>>);

impl Outside {
    /// No packets yet, for the sources of this many terminals.
    pub(super) fn new(terminals: u32) -> Outside {
        Outside::of(vec![VecDeque::new(); terminals as usize])
    }

    fn of(queues: Vec<VecDeque<Birth>>) -> Outside {
        Outside(Arc::new(Mutex::new(queues)))
    }

    fn queues(&self) -> MutexGuard<'_, Vec<VecDeque<Birth>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a packet to a source.
    pub(super) fn give(&self, source: TerminalId, birth: Birth) {
        self.queues()[source.index()].push_back(birth);
    }
}

/// It foresees: nothing depends on deliveries, and a packet is handed over as soon as it is known.
impl Workload for Outside {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let birth = self.queues()[source.index()].pop_front();
        birth.map_or(Offer::WhenWoken, Offer::Packet)
    }

    fn sources(&self) -> Vec<TerminalId> {
        (0..self.queues().len() as u32).map(TerminalId).collect()
    }

    /// Nobody gives the copy more packets than there are.
    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Outside::of(self.queues().clone()))
    }
}
