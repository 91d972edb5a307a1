//! Words on their way from frame to frame.

use super::passage::{Passage, Stage};
use super::{UNKNOWN, WordNode};
use crate::chaos::output::OutputFrame;
use crate::chaos::registers::Held;
use crate::chaos::{Chaos, Mask};
use flitwork_node::{Outputs, Place, Probe, Reported, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, MAX_PORTS, PacketRef, PortSet};

/// The bit of the central queue in a set of output frames, where the last port has none of its own.
const QUEUE: u64 = 1 << (MAX_PORTS - 1);

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    /// [`Self::move_words`]; each move is reported to a probe that wants details.
    #[inline(always)]
    pub(in crate::chaos) fn move_and_report<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        match site.probe.wants(Reported::Details) {
            false => self.move_words(state, now, outputs, |_, _, _| ()),
            true => self.move_in_detail(state, now, outputs, site),
        }
    }

    #[cold]
    #[inline(never)]
    fn move_in_detail<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        self.move_words(state, now, outputs, |packet, index, places| {
            site.shifted(now, packet, index, places);
        });
    }

    /// Moves one word from each frame of a passage to the next, last frames first, so that a word moves only
    /// once a cycle. `shifts` is called with each word's packet, its place in it, and where it was and goes.
    #[inline(never)]
    fn move_words(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        mut shifts: impl FnMut(PacketRef, u16, (Place, Place)),
    ) {
        let (words, standing) = (self.parameters.packet_words, self.lag_cycles + 1);
        // With as many ports as a set has bits the queue has a flag of its own.
        let is_full = P == MAX_PORTS;
        let (mut moved_into, mut into_queue, mut follows) = (0, false, 0);
        for place in 0..state.flow.passages.len() {
            let passage = &mut state.flow.passages[place];
            if passage.last().words == words {
                continue;
            }
            let (packet, sent) = (passage.packet, passage.sent);
            // Whether enough words of the packet now stand in the stage for a decision, or all of them.
            let mut takes = |behind: &Stage, stage: &mut Stage| {
                if stage.starts > now || stage.words == behind.words {
                    return false;
                }
                shifts(packet, stage.words, (behind.place, stage.place));
                stage.words += 1;
                follows |= sent;
                match stage.place {
                    Place::Output(port) => moved_into |= 1 << port.0,
                    _ if is_full => into_queue = true,
                    _ => moved_into |= QUEUE,
                }
                stage.words == words || u32::from(stage.words) == standing
            };
            let [first, second, third] = &mut passage.stages;
            let marks = match passage.count {
                2 => (takes(first, second), false),
                3 => {
                    let last = takes(second, third);
                    (takes(first, second), last)
                }
                _ => continue,
            };
            if marks.1 {
                self.reach_mark(state, now, place, 2);
            }
            if marks.0 {
                self.reach_mark(state, now, place, 1);
            }
        }
        state.flow.streams |= follows > 0;
        let queue = if is_full { 0 } else { QUEUE };
        outputs.moved = PortSet(moved_into & !queue);
        outputs.queued = into_queue || moved_into & queue != 0;
    }

    /// In a stage of a passage enough words stand for a decision, or all of them.
    #[inline(never)]
    fn reach_mark(&self, state: &mut WordNode<M, P, Q>, now: Cycle, place: usize, stage: usize) {
        let queued = usize::from(state.queued);
        let passage = &mut state.flow.passages[place];
        let (behind, moved) = (passage.stages[stage - 1].place, passage.stages[stage].words);
        if u32::from(moved) == self.lag_cycles + 1 {
            let queue = &mut state.queue[..queued];
            self.head_stands(passage, stage, (&mut state.outputs, queue), now);
            state.flow.decides_from = UNKNOWN;
        }
        if moved < self.parameters.packet_words {
            return;
        }
        if let Place::Input(port) = behind {
            let wait = self.release_lag_cycles(port);
            state.flow.credits.push((port, now + wait));
        } else if self.special_rules && self.frees_at_tail() {
            let frames = queued..self.parameters.multiqueue_frames;
            self.vacated(&mut state.queue[frames], now + 1);
            state.flow.decides_from = UNKNOWN;
        }
    }

    /// Enough of a packet stands in a stage of its passage: it is ready from the next cycle on.
    fn head_stands(
        &self,
        passage: &mut Passage,
        stage: usize,
        (outputs, queue): (&mut [OutputFrame], &mut [Held]),
        now: Cycle,
    ) {
        if let Place::Output(port) = passage.stages[stage].place {
            outputs[port.index()].set_ready(now + 1);
        } else if stage + 1 < usize::from(passage.count) {
            // It has been derouted before.
            let starts = now + self.parameters.decision_latency_cycles;
            passage.stages[stage + 1].starts = starts.into();
        } else {
            let held = queue.iter_mut().find(|held| held.packet == passage.packet);
            let held = held.expect("a packet in the multiqueue stands there");
            held.ready = Due::at(now + 1);
        }
    }
}
