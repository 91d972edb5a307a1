//! Routers by the names that options have for them, and their configurations with what a study sets.

use super::{Contender, configuration};
use crate::context::Failed;
use crate::many::set_for;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_sweep::{Base, Error};

/// In the order of tables.
const ROUTERS: &[Contender] = &[
    ("chaos", configuration!("chaos")),
    ("adaptive", configuration!("adaptive")),
    ("dimension-order", configuration!("booksim-iq")),
    ("flit-bless", configuration!("flit-bless")),
];

/// The routers that `--routers` names.
pub(crate) fn named(wanted: &[String]) -> Result<Vec<&'static Contender>, Failed> {
    let find = |name: &String| {
        let found = ROUTERS.iter().find(|it| it.0 == name);
        let names: Vec<&str> = ROUTERS.iter().map(|it| it.0).collect();
        let why = || format!("found {name:?}; allowed: {}", names.join(", "));
        found.ok_or_else(|| Failed::option("--routers", why()))
    };
    wanted.iter().map(find).collect()
}

/// A router's configuration at a point: the keys of `--set` that apply to it are overridden by those of the study.
pub(crate) fn configured(
    catalogue: &Catalogue,
    (name, text): (&str, &str),
    (point, own): (String, Vec<Override>),
    given: &[Override],
) -> Result<Resolved, Error> {
    let name = format!("the configuration of {name}");
    let base = Base::of_text(catalogue, name, text, set_for(given, text));
    base.repeatable(point, &own)
}
