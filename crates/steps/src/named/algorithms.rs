//! Algorithms of legs, as rules that configurations name.

use super::{AnyRule, Object, RuleEntry, RuleFacts};
use crate::Nobody;
use crate::lower::{Constants, Constructed, Corner, LowerError, Repeated};
use crate::machine::MachineError;
use crate::multi_packet::algorithms::{EachAlgorithm, each_algorithm};
use crate::multi_packet::{Algorithm, Manner, Phases, Priority, Setting, Travelled, travel};
use crate::route::{Ended, GoOn, Routed};
use crate::store::Store;
use crate::unfit::Unfit;
use flitwork_schema::{Allowed, Key, RawTable, Refusal, entries, key, settings};
use flitwork_topology::{NetworkReading, Shape};
use flitwork_types::NodeId;
use std::sync::Arc;

/// An algorithm and how its packets go, with the seed of its draws.
#[derive(Clone, Debug, Default, PartialEq)]
struct Made<A> {
    algorithm: A,
    common: Common,
    seed: u64,
}

/// The keys of every algorithm's table.
#[derive(Clone, Debug, PartialEq)]
struct Common {
    priority: Priority,
    phases: Phases,
    smears: bool,
    flits: u32,
}

impl Default for Common {
    fn default() -> Common {
        Common {
            priority: Priority::default(),
            phases: Phases::default(),
            smears: false,
            flits: 1,
        }
    }
}

const SMEAR: &str = "smear";
const PHASES: &str = "phases";
const FLITS: &str = "flits";

#[rustfmt::skip]
const KEYS: &[Key<Common>] = &[
    key("priority", |it| &mut it.priority, Allowed::Choice(Priority::NAMES), "\"farthest-first\"", "which packet a link takes, of those in the same stage"),
    key(PHASES, |it| &mut it.phases, Allowed::Choice(Phases::NAMES), "\"barrier\"", "whether a phase begins once all packets have ended the one before, or at once for each"),
    key(SMEAR, |it| &mut it.smears, Allowed::Truth, "false", "whether packets are spread evenly over neighbouring nodes after each phase but the last; with barriers only"),
    key(FLITS, |it| &mut it.flits, Allowed::Whole(1, 1 << 16), "1", "flits of a packet: for as many steps it holds each link that it crosses"),
];

/// The keys of an algorithm that is for worms, or of one that isn't.
fn common(has_worms: bool) -> &'static [Key<Common>] {
    match has_worms {
        true => KEYS,
        false => &KEYS[..3],
    }
}

impl<A: Algorithm> Made<A> {
    fn set(&mut self, given: &RawTable<'_>) {
        given.set(common(A::HAS_WORMS), &mut self.common);
        given.set(A::KEYS, &mut self.algorithm);
    }

    fn manner(&self) -> Manner {
        Manner {
            priority: self.common.priority,
            phases: self.common.phases,
            smears: self.common.smears,
        }
    }

    /// What it is to route, if it can.
    fn setting(&self, shape: &Shape, problem: &[(NodeId, NodeId)]) -> Result<Setting, Unfit> {
        let setting = Setting::new::<A>(shape, problem, self.common.flits, self.seed)?;
        self.algorithm.check(&setting)?;
        Ok(setting)
    }

    fn travel(
        &self,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        go_on: GoOn<'_>,
    ) -> Result<Travelled, MachineError> {
        let setting = self.setting(shape, problem).map_err(MachineError::Unfit)?;
        let plan = (&self.algorithm, &setting);
        travel(shape, plan, problem, self.manner(), (&mut Nobody, go_on))
    }
}

impl<A: Algorithm> Object for Made<A> {
    fn check(&self, shape: &Shape, problem: &[(NodeId, NodeId)]) -> Result<(), Unfit> {
        self.setting(shape, problem).map(|_| ())
    }

    fn route(
        &self,
        shape: &Shape,
        (_, problem): (Store, &[(NodeId, NodeId)]),
        go_on: GoOn<'_>,
    ) -> Result<Routed, MachineError> {
        let travelled = self.travel(shape, problem, go_on)?;
        Ok(Routed {
            ended: match travelled.undelivered {
                0 => Ended::Done,
                _ => Ended::Stopped,
            },
            steps: travelled.steps,
            queue_max: travelled.queue_max,
            undelivered: travelled.undelivered,
            moves: travelled.moves,
            circle: Vec::new(),
            phase_steps: travelled.phase_steps,
        })
    }

    /// An adversary of a rule has nothing to exchange: packets go where their draws lead.
    fn construct(
        &self,
        _: (&Constants, Corner),
        _: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>> {
        None
    }

    fn repeat(
        &self,
        (constants, made): (&Constants, &Constructed),
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError> {
        let travelled = self.travel(&constants.shape(), &made.problem, go_on)?;
        Ok(Repeated {
            ended: match travelled.undelivered {
                0 => Ended::Done,
                _ => Ended::Stopped,
            },
            steps: travelled.steps,
            queue_max: travelled.queue_max,
            repeats: false,
            undelivered: travelled.undelivered,
        })
    }
}

/// The entry of an algorithm among rules.
const fn entry<A: Algorithm>() -> RuleEntry {
    RuleEntry {
        name: A::NAME,
        help: A::HELP,
        keys: || {
            let mut keys = entries(common(A::HAS_WORMS));
            keys.extend(entries(A::KEYS));
            keys
        },
        facts: || RuleFacts {
            is_blind: false,
            waits_for_links: false,
            is_dimension_order: false,
            deroutes: true,
            goes_by_legs: true,
        },
        read: read::<A>,
        make: |given, _, _| {
            let mut made = Made::<A>::default();
            made.set(given);
            any(made)
        },
    }
}

fn any<A: Algorithm>(made: Made<A>) -> AnyRule {
    let mut own = settings(common(A::HAS_WORMS), &made.common);
    own.extend(settings(A::KEYS, &made.algorithm));
    AnyRule {
        name: A::NAME,
        inqueue: None,
        store: Store::Unbounded,
        has_queues: false,
        own,
        rule: Arc::new(made),
    }
}

fn read<A: Algorithm>(
    given: &RawTable<'_>,
    reading: &NetworkReading<'_>,
) -> Result<AnyRule, Refusal> {
    let mut made = Made {
        seed: reading.seed,
        ..Made::<A>::default()
    };
    made.set(given);
    if made.common.smears && made.common.phases == Phases::Coalesced {
        return Err(given.conflict(
            SMEAR,
            "only with phases = \"barrier\": packets are spread where all have ended a phase",
        ));
    }
    let unfit = Setting::check_network::<A>(reading.shape).err();
    if let Some(unfit) = unfit {
        return Err(super::refused(given, &unfit));
    }
    Ok(any(made))
}

/// All of them, sorted by name.
pub(super) fn all() -> Vec<RuleEntry> {
    struct All(Vec<RuleEntry>);
    impl EachAlgorithm for All {
        fn algorithm<A: Algorithm>(&mut self) {
            self.0.push(entry::<A>());
        }
    }
    let mut all = All(Vec::new());
    each_algorithm(&mut all);
    all.0
}
