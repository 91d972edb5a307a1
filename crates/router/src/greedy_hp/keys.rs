//! `[router.greedy-hp]`: an empty table, and what is known about the router before a run.

use super::GreedyHp;
use crate::parameters::{
    Deadlock, Facts, Livelock, Offers, Reading, RouterParameters, Surroundings,
};
use flitwork_schema::{Given, Key, Refusal};
use flitwork_topology::on_shape;

/// The greedy hot potato router has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreedyHpParameters;

impl RouterParameters for GreedyHpParameters {
    const NAME: &'static str = "greedy-hp";
    const HELP: &'static str = "the greedy hot potato router of Chinn 1995, section 4.3: packets of one word; an empty table";

    const KEYS: &'static [Key<GreedyHpParameters>] = &[];

    fn read(_: &Given<'_>, _: &Reading<'_>) -> Result<GreedyHpParameters, Refusal> {
        Ok(GreedyHpParameters)
    }

    fn offer(&self, around: &Surroundings<'_>, to: &mut impl Offers) {
        on_shape!(around.shape, topology => {
            let router = || GreedyHp::new(topology.clone(), around.seed);
            to.words(topology, router);
            to.stamps(topology, router);
        });
    }

    fn facts(&self) -> Facts {
        Facts {
            fixed_words: Some(1),
            credit_words: None,
            has_queue: false,
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        ports
    }

    fn deadlock(&self, _: &Surroundings<'_>) -> Deadlock {
        Deadlock::Free("free of deadlock: no word waits in the network".into())
    }

    fn livelock(&self, _: &Surroundings<'_>) -> Livelock {
        Livelock::ProbabilityZero("which word is deflected is drawn at random".into())
    }
}
