//! What Lemmas 2 and 7 say of each phase, from the legs that set out in it.

use super::journey::Witness;
use super::lines::{line_farthest_first_steps, ring_farthest_first_steps};
use super::setting::Setting;
use crate::leg::Leg;
use crate::meddler::PacketState;
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// The steps of each phase by farthest-first, where all legs of a phase set out as it begins: the most of any direction of any
/// line. It knows where legs begin and end, and nothing of how packets move.
#[derive(Clone, Debug)]
pub struct PhaseLemmas<'a> {
    setting: &'a Setting,
    /// By direction and the line's first node: where legs begin, and over how many links.
    lines: BTreeMap<(Port, NodeId), Vec<(u32, u32)>>,
    /// By phase.
    steps: Vec<u64>,
}

impl<'a> PhaseLemmas<'a> {
    /// Of no phase so far.
    pub fn new(setting: &'a Setting) -> PhaseLemmas<'a> {
        PhaseLemmas {
            setting,
            lines: BTreeMap::new(),
            steps: Vec::new(),
        }
    }

    /// The steps of the phases that have ended.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }
}

impl Witness for PhaseLemmas<'_> {
    fn sets_out(&mut self, _: usize, at: NodeId, leg: &Leg) {
        let setting = self.setting;
        let (axis, grows) = setting.direction(leg.port);
        let place = setting.coordinate(at, axis);
        // The other direction is the mirror image.
        let place = if grows { place } else { setting.n - 1 - place };
        let line = (leg.port, setting.along(at, axis, 0));
        self.lines.entry(line).or_default().push((place, leg.links));
    }

    fn phase_ends(&mut self, _: usize, _: &[PacketState]) {
        let n = self.setting.n;
        let of_line = |packets: Vec<(u32, u32)>| match self.setting.wraps {
            true => ring_farthest_first_steps(n, packets),
            false => {
                let ends = packets
                    .into_iter()
                    .map(|(from, links)| (from, from + links));
                line_farthest_first_steps(n, ends)
            }
        };
        let lines = std::mem::take(&mut self.lines);
        self.steps
            .push(lines.into_values().map(of_line).max().unwrap_or(0));
    }
}
