//! A router that is driven by time stamps or by mail: the same happens as word by word.

use crate::clause::Clause;
use crate::happened::Happened;
use crate::ledger::{Ledger, Terminals};
use crate::setting::Setting;
use crate::trial::{demand, finish};
use flitwork_engine::{MailEngine, Outcome, TimestampEngine, can_post};
use flitwork_network::Network;
use flitwork_node::{MailRouter, Probe, TimestampRouter};
use flitwork_topology::Topology;
use flitwork_traffic::StaticPacket;
use flitwork_types::Cycle;

/// A run by time stamps or by mail, in the order of time.
pub(crate) struct Driven {
    engine: &'static str,
    outcome: Outcome,
    happened: Happened,
    terminals: Terminals,
}

impl Driven {
    /// By time stamps.
    pub(crate) fn by_timestamps<T: Topology + 'static, R: TimestampRouter + 'static>(
        setting: &Setting,
        packets: &[StaticPacket],
        end: Cycle,
        network: impl FnOnce() -> Network<T, R>,
    ) -> Driven {
        let engine = "driven by time stamps";
        setting.on(engine, || {
            let network = network();
            let terminals = Terminals::of(&network.topology);
            let run = TimestampEngine::new(network, demand(packets, end), Happened::default());
            let (outcome, happened) = finish(run);
            Driven {
                engine,
                outcome,
                happened: happened.sorted(),
                terminals,
            }
        })
    }

    /// By mail, if the engine can drive such a network.
    pub(crate) fn by_mail<T: Topology + 'static, R: MailRouter + 'static>(
        setting: &Setting,
        packets: &[StaticPacket],
        end: Cycle,
        network: impl FnOnce() -> Network<T, R>,
    ) -> Option<Driven> {
        let engine = "driven by mail";
        setting.on(engine, || {
            let network = network();
            if !can_post(&network) {
                return None;
            }
            let terminals = Terminals::of(&network.topology);
            let run = MailEngine::new(network, demand(packets, end), Happened::default());
            let (outcome, happened) = finish(run);
            Some(Driven {
                engine,
                outcome,
                happened: happened.sorted(),
                terminals,
            })
        })
    }

    /// The same has happened as word by word, and packets' own counts are right. `arrive` says how many packets must
    /// arrive, if they must.
    pub(crate) fn check(
        &self,
        setting: &Setting,
        words: &Happened,
        together: bool,
        arrive: Option<usize>,
    ) {
        setting.on(self.engine, || {
            let ends = (self.engine, "word by word");
            let stand = &setting.stand;
            self.happened
                .is_that_of(words, Clause::Engines, ends, stand);
            let mut ledger = Ledger::new(self.terminals.clone(), together, stand.clone());
            for (node, cycle, event) in self.happened.all() {
                ledger.event(node, cycle, event);
            }
            if let Some(packets) = arrive {
                let Outcome { ended, cycle, .. } = self.outcome;
                ledger.check_arrived(packets, &format!("{ended:?} before cycle {cycle}"));
            }
        });
    }
}
