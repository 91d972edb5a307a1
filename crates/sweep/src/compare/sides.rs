//! What is put over one of two configurations and not over the other.

use super::Compare;
use crate::base::{Base, SEED};
use crate::error::Error;
use flitwork_config::Override;

/// What is put over a configuration and not over the other.
fn own<'a>(side: &'a Base, other: &'a Base) -> impl Iterator<Item = &'a Override> {
    side.set
        .iter()
        .filter(move |over| !other.set.contains(over))
}

/// Both run with the same seeds: a seed for one of them would never be read, or be read for both.
pub(super) fn refuse_own_seed(asked: &Compare) -> Result<(), Error> {
    let mut all = own(&asked.a, &asked.b).chain(own(&asked.b, &asked.a));
    match all.find(|over| over.key == SEED) {
        None => Ok(()),
        Some(over) => Err(Error::BadValue(format!(
            "{over}: both configurations run with the same seeds, those from A's {SEED} on\n  allowed: --seed N or \
             --set {SEED}=N, for both"
        ))),
    }
}

/// A configuration's name, with what is put over it and not over the other.
pub(super) fn name(side: &Base, other: &Base) -> String {
    own(side, other).fold(side.name.clone(), |name, over| format!("{name} {over}"))
}
