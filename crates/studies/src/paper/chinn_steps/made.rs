//! What an adversary makes against a rule, and what the rule does with it.

use crate::context::Failed;
use crate::contract::Steps;
use flitwork_schema::Datum;
use flitwork_steps::lower::{Constants, Constructed, Corner, LowerError, Repeated};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_steps::rules::InqueueEntry;
use flitwork_steps::{Ended, MachineError};

/// A construction, and its repetition without exchanges.
type Made = (Constructed, Repeated);

/// The rule of a name against which constants are made, with a corner and the seed of a table.
pub(super) fn rule(
    entry: &RuleEntry,
    (constants, corner): (&Constants, Corner),
    (inqueue, seed): (&InqueueEntry, u64),
) -> AnyRule {
    let values = [
        ("seed", Datum::Whole(seed.into())),
        ("corner", Datum::text(corner.name())),
        ("box_side", Datum::Whole(constants.box_side().into())),
    ];
    entry.with(&values, inqueue, constants.store())
}

/// Makes it against a rule of the class, and routes it; none if the user asks to stop.
pub(super) fn make(
    name: &str,
    (constants, corner, rule): (&Constants, Corner, &AnyRule),
    steps: &mut Steps<'_>,
) -> Result<Option<Made>, Failed> {
    let constructed = steps.of_steps(&format!("{name}, construction"), |go_on| {
        rule.construct(constants, corner, go_on)
    });
    let constructed = match constructed.expect("rules of other classes are refused") {
        Err(LowerError::Stopped) => return Ok(None),
        made => made.map_err(|error| of_construction(name, error))?,
    };
    let repeated = steps.of_steps(name, |go_on| rule.repeat(constants, &constructed, go_on));
    let repeated = repeated.map_err(|error| unusable(&error))?;
    if repeated.ended == Ended::Stopped {
        return Ok(None);
    }
    holds(name, &repeated)?;
    Ok(Some((constructed, repeated)))
}

/// A rule that can't use the queues.
pub(super) fn unusable(error: &MachineError) -> Failed {
    Failed::option("--rule", error)
}

/// The theorem covers every rule that is asked here, so that one which leaves its class is a bug.
fn of_construction(name: &str, error: LowerError) -> Failed {
    match error {
        LowerError::Outside { .. } => Failed::Failure(format!(
            "{name}: {error}; but the theorem covers it, so this is a bug of this program"
        )),
        error => Failed::option("--rule", error),
    }
}

/// What the theorem says of every rule of the class. A rule that does otherwise, or a construction, is wrong.
fn holds(name: &str, repeated: &Repeated) -> Result<(), Failed> {
    if repeated.ended == Ended::Stuck {
        let packets = repeated.undelivered;
        return Err(Failed::Failure(format!(
            "{name}: {packets} packets never arrive"
        )));
    }
    if repeated.repeats {
        return Ok(());
    }
    Err(Failed::Failure(format!(
        "{name}: without exchanges packets stand elsewhere at the bound than with them, against Lemma 2.12; the theorem \
         covers this rule, so this is a bug of this program"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule of the class that doesn't repeat is our failure, exit code 1, and not a finding.
    #[test]
    fn a_theorem_that_doesnt_hold_is_a_failure() {
        let of = |ended, repeats| Repeated {
            ended,
            steps: 100,
            queue_max: 1,
            repeats,
            undelivered: 0,
        };
        assert_eq!(holds("a", &of(Ended::Done, true)), Ok(()));
        for (repeated, says) in [
            (of(Ended::Done, false), "a: without exchanges"),
            (of(Ended::Stuck, true), "a: 0 packets never arrive"),
        ] {
            let Err(Failed::Failure(why)) = holds("a", &repeated) else {
                panic!("{repeated:?}")
            };
            assert!(why.contains(says), "{why}");
        }
        let outside = LowerError::Outside {
            step: 7,
            what: "it turns".into(),
        };
        let failed = of_construction("a", outside);
        assert!(matches!(&failed, Failed::Failure(why) if why.contains("in step 7")));
        let refused = of_construction("a", LowerError::NoQueue);
        assert!(matches!(refused, Failed::BadInput(_)));
    }
}
