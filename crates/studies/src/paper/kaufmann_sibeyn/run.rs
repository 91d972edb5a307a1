//! A run, and what is computed apart from it.

use super::cases::Case;
use super::row::Routed;
use crate::context::Failed;
use flitwork_steps::multi_packet::{
    Cuts, LowerBounds, PhaseLemmas, Phases, Priority, Setting, Witness,
};
use flitwork_steps::{GoOn, Leg, Move, PacketState};
use flitwork_types::NodeId;
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

/// What is computed apart from a run.
struct Seen<'a> {
    lemmas: Option<PhaseLemmas<'a>>,
    cuts: Option<Cuts<'a>>,
    setting: &'a Setting,
    /// The mean packets of a node in the fullest line when the first phase has ended.
    fullest_line: Option<f64>,
    /// Whether a phase ends for all packets at once, in a mesh of rows and columns.
    ends_phases: bool,
}

/// The mean packets of a node in the fullest line.
fn fullest_line(setting: &Setting, packets: &[PacketState]) -> f64 {
    let most = (0..setting.d).map(|axis| {
        let mut held = vec![0u32; setting.n as usize];
        for packet in packets {
            held[setting.coordinate(packet.at, axis) as usize] += 1;
        }
        held.into_iter().max().unwrap_or(0)
    });
    let nodes = f64::from(setting.n).powi(setting.d as i32 - 1);
    f64::from(most.max().unwrap_or(0)) / nodes
}

impl Witness for Seen<'_> {
    fn sets_out(&mut self, phase: usize, at: NodeId, leg: &Leg) {
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.sets_out(phase, at, leg);
        }
    }

    fn stepped(&mut self, moves: &[Move]) {
        if let Some(cuts) = &mut self.cuts {
            cuts.stepped(moves);
        }
    }

    fn phase_ends(&mut self, phase: usize, packets: &[PacketState]) {
        if phase == 0 && self.ends_phases {
            self.fullest_line = Some(fullest_line(self.setting, packets));
        }
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.phase_ends(phase, packets);
        }
        if let Some(cuts) = &mut self.cuts {
            cuts.phase_ends(phase, packets);
        }
    }
}

fn routed(case: &Case, go_on: GoOn<'_>) -> Result<Routed, Failed> {
    let shape = case.shape()?;
    let packets = case.packets(&shape)?;
    let setting = case
        .setting(&shape, &packets)
        .map_err(|unfit| Failed::option("--algorithm", unfit))?;
    let epsilon = case.algorithm.epsilon(&setting);
    let mut seen = Seen {
        lemmas: is_by_lemmas(case).then(|| PhaseLemmas::new(&setting)),
        cuts: epsilon
            .filter(|_| case.counts_cuts)
            .map(|epsilon| Cuts::new(&setting, epsilon)),
        setting: &setting,
        fullest_line: None,
        ends_phases: setting.d == 2
            && (case.manner.phases == Phases::Barrier || case.algorithm.learns()),
    };
    let travelled = case.algorithm.travel(
        (&shape, &setting),
        &packets,
        case.manner,
        (&mut seen, go_on),
    );
    let travelled = travelled.map_err(Failed::failure)?;
    let grid = shape.grid().expect("a mesh or a torus");
    let flits = NonZeroU32::new(setting.flits).unwrap_or(NonZeroU32::MIN);
    Ok(Routed {
        case: case.clone(),
        locality: setting.locality,
        epsilon,
        promises: case.algorithm.promises(&setting),
        bounds: LowerBounds::of(grid, packets.iter().copied(), flits),
        fullest_line: seen.fullest_line,
        phase_lemmas: seen.lemmas.map(|it| it.steps().to_vec()),
        cuts: seen.cuts.map(|it| it.ended().to_vec()).unwrap_or_default(),
        travelled,
    })
}
