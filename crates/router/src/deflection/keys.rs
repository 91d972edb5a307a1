//! `[router.deflection]` as a configuration gives it, and what is known about a deflection router before a run.

use super::parameters::{KEYS, MOST, REDIRECTION};
use super::{Deflection, DeflectionParameters, Extent, Golden, PRIORITIES, Priority};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Offers, Reading, RouterParameters, Warning,
};
use crate::routing::{Followed, ShortestPaths};
use flitwork_schema::{Datum, Key, RawTable, Refusal, settings_with};
use flitwork_topology::{Shape, Topology};

impl RouterParameters for DeflectionParameters {
    const NAME: &'static str = "deflection";
    const HELP: &'static str = "a bufferless router whose words never wait: they leave in the cycle in which they arrive, over an unproductive link if necessary";

    const KEYS: &'static [Key<DeflectionParameters>] = KEYS;

    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<DeflectionParameters, Refusal> {
        let mut parameters = match given.text("preset") {
            Some("worm-bless") => DeflectionParameters::worm_bless(),
            Some("chipper") => DeflectionParameters::chipper(Golden::USUAL),
            Some("minbd") => DeflectionParameters::minbd(Golden::USUAL),
            _ => DeflectionParameters::flit_bless(),
        };
        given.set(KEYS, &mut parameters);
        let named = |name: &str| PRIORITIES.iter().find(|entry| entry.name == name);
        if let Some(entry) = given.text("priority").and_then(named) {
            parameters.priority = entry.priority;
        }
        if let Priority::Golden(_) = parameters.priority {
            let home = parameters.home_cycles(extent(around.shape, around.longest_link_cycles()));
            let usual = u32::try_from(home).unwrap_or(u32::MAX).min(MOST);
            let transactions = given.get("transactions");
            parameters.priority = Priority::Golden(Golden {
                epoch_cycles: given.get("epoch_cycles").unwrap_or(usual),
                transactions: transactions.unwrap_or(Golden::USUAL.transactions),
            });
        } else {
            let name = parameters.priority.name();
            given.refuse(
                &["epoch_cycles", "transactions"],
                &["priority", "preset"],
                &format!("only with priority = \"golden\"; it is {name:?}"),
            )?;
        }
        let checked = parameters.check();
        checked.map_err(|error| given.wrong(&error, &["switching", "preset"]))?;
        if parameters.side_buffer_flits == 0 {
            parameters.redirection_cycles = DeflectionParameters::flit_bless().redirection_cycles;
        }
        Ok(parameters)
    }

    fn settings(&self, _: &Shape) -> Vec<(&'static str, Datum)> {
        let golden = match self.priority {
            Priority::Golden(golden) => Some(golden),
            _ => None,
        };
        let mut all = settings_with(KEYS, self, |key| match key {
            "priority" => Some(Datum::text(self.priority.name())),
            "epoch_cycles" => Some(Datum::Whole(golden?.epoch_cycles.into())),
            "transactions" => Some(Datum::Whole(golden?.transactions.into())),
            _ => None,
        });
        all.retain(|(key, _)| *key != REDIRECTION || self.side_buffer_flits > 0);
        all
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        to.words(around.shape, || {
            Deflection::new(around.shape.clone(), self.clone(), around.seed)
        });
    }

    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed> {
        Some(ShortestPaths::any(around.shape))
    }

    fn facts(&self) -> Facts {
        Facts {
            credit_words: None,
            words_travel_alone: true,
            waits: false,
            takes_several_terminals: true,
            has_queue: self.side_buffer_flits > 0,
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        4 * ports + self.side_buffer_flits as u64
    }

    fn deadlock(&self, _: &BuildContext<'_>) -> Deadlock {
        Deadlock::Free("free of deadlock: no word waits for another".into())
    }

    fn livelock(&self, around: &BuildContext<'_>) -> Livelock {
        let extent = extent(around.shape, around.longest_link_cycles());
        // The bounds hold for grids with a terminal a node.
        let bound = match around.is_in_step && around.shape.plain_grid().is_some() {
            true => self.bound_cycles(extent, 0),
            false => None,
        };
        match bound {
            Some(cycles) => Livelock::None(format!(
                "the word of highest priority is delivered within {cycles} cycles"
            )),
            None => self.priority.livelock(around.is_in_step),
        }
    }

    /// Warns of epochs in which a golden packet may not be delivered.
    fn warnings(&self, around: &BuildContext<'_>) -> Vec<Warning> {
        let Priority::Golden(golden) = self.priority else {
            return Vec::new();
        };
        let home = self.home_cycles(extent(around.shape, around.longest_link_cycles()));
        if u64::from(golden.epoch_cycles) >= home {
            return Vec::new();
        }
        vec![Warning {
            key: "router.deflection.epoch_cycles",
            text: format!(
                "{} cycles are fewer than the {home} that may be needed to deliver a golden packet: a packet's time \
                 in the network has no bound",
                golden.epoch_cycles
            ),
        }]
    }
}

fn extent(topology: &dyn Topology, link_latency_cycles: u32) -> Extent {
    Extent {
        terminals: topology.terminals(),
        diameter_hops: topology.diameter_hops(),
        link_latency_cycles,
    }
}
