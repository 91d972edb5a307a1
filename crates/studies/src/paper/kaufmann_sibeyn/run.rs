//! A run, and what is computed apart from it.

use super::cases::Case;
use super::row::Routed;
use crate::context::Failed;
use flitwork_steps::multi_packet::{LowerBounds, PhaseLemmas, Phases, Priority, Witness};
use flitwork_steps::{GoOn, Nobody};
use std::num::NonZeroU32;

/// Routes a case; none if it was to stop.
pub(super) fn run(case: &Case, go_on: GoOn<'_>) -> Option<Result<Routed, Failed>> {
    match routed(case, go_on) {
        Ok(routed) if routed.travelled.undelivered > 0 => None,
        found => Some(found),
    }
}

/// Whether Lemmas 2 and 7 say how many steps each phase takes: all packets of a phase set out as it begins.
fn is_by_lemmas(case: &Case) -> bool {
    let (_, flits) = case.packets_and_flits();
    case.manner.phases == Phases::Barrier
        && case.manner.priority == Priority::FarthestFirst
        && flits == 1
        && case.algorithm.has_barriers()
        && !case.algorithm.learns()
}

fn routed(case: &Case, go_on: GoOn<'_>) -> Result<Routed, Failed> {
    let shape = case.shape()?;
    let packets = case.packets(&shape)?;
    let setting = case
        .setting(&shape, &packets)
        .map_err(|unfit| Failed::option("--algorithm", unfit))?;
    let mut lemmas = is_by_lemmas(case).then(|| PhaseLemmas::new(&setting));
    let mut nobody = Nobody;
    let witness: &mut dyn Witness = match &mut lemmas {
        Some(lemmas) => lemmas,
        None => &mut nobody,
    };
    let travelled =
        case.algorithm
            .travel((&shape, &setting), &packets, case.manner, (witness, go_on));
    let travelled = travelled.map_err(Failed::failure)?;
    let grid = shape.grid().expect("a mesh or a torus");
    let flits = NonZeroU32::new(setting.flits).unwrap_or(NonZeroU32::MIN);
    Ok(Routed {
        case: case.clone(),
        locality: setting.locality,
        epsilon: case.algorithm.epsilon(&setting),
        promises: case.algorithm.promises(&setting),
        bounds: LowerBounds::of(grid, packets.iter().copied(), flits),
        phase_lemmas: lemmas.map(|it| it.steps().to_vec()),
        travelled,
    })
}
