//! `[router.greedy-hp]`: its key, and what is known about the router before a run.

use super::{Assignment, GreedyHp};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Offers, Reading, RouterParameters,
};
use crate::routing::{Followed, ShortestPaths};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};

/// The parameters of the greedy hot potato router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreedyHpParameters {
    /// How a node decides which packets advance.
    pub assignment: Assignment,
}

impl RouterParameters for GreedyHpParameters {
    const NAME: &'static str = "greedy-hp";
    const HELP: &'static str =
        "the greedy hot potato router of Chinn 1995, section 4.3: packets of one word";

    #[rustfmt::skip]
    const KEYS: &'static [Key<GreedyHpParameters>] = &[
        key("assignment", |it| &mut it.assignment, Allowed::Choice(Assignment::NAMES), "\"greedy\"", "which packets advance: one outlink after the other takes a random one, or as many as possible advance, by a random maximum matching"),
    ];

    fn read(given: &RawTable<'_>, _: &Reading<'_>) -> Result<GreedyHpParameters, Refusal> {
        let mut parameters = GreedyHpParameters::default();
        given.set(GreedyHpParameters::KEYS, &mut parameters);
        Ok(parameters)
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let shape = around.shape;
        to.words(shape, || {
            GreedyHp::new(shape.clone(), around.seed).assigning(self.assignment)
        });
    }

    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed> {
        Some(ShortestPaths::any(around.shape))
    }

    fn facts(&self) -> Facts {
        Facts {
            fixed_words: Some(1),
            credit_words: None,
            has_queue: false,
            takes_several_terminals: true,
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        ports
    }

    fn deadlock(&self, _: &BuildContext<'_>) -> Deadlock {
        Deadlock::Free("free of deadlock: no word waits in the network".into())
    }

    fn livelock(&self, _: &BuildContext<'_>) -> Livelock {
        Livelock::ProbabilityZero("which word is deflected is drawn at random".into())
    }
}
