//! What worms wait for: the front of each input lane for an output lane or for room behind the one it holds, those behind
//! it for the front, and the source's packet for room in a local lane.

use super::{Node, Reallocation, Switching, Wormhole};
use crate::bits::Bits;
use flitwork_node::{At, Until, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketRef, Packets};

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    pub(super) fn waiting(
        &self,
        node: NodeId,
        state: &Node<B, N, P, L>,
        packets: &Packets,
    ) -> Vec<Wait> {
        let wait =
            |worm: PacketRef, place, waits_for| Wait::of(node, &packets[worm], place, waits_for);
        let mut waits = Vec::new();
        for lane in state.occupied.numbers() {
            let front = &state.inputs[lane];
            let place = self.input_place(lane);
            let (waits_for, until) = match state.waiting.has(lane) {
                true => self.awaits_lane(state, lane),
                false => self.awaits_room(state, lane),
            };
            let wait_of_front = wait(front.worm, place, waits_for).until(until);
            let wait_of_front = wait_of_front.taking(state.words.get(lane).into());
            waits.push(match state.waiting.has(lane) {
                true => wait_of_front,
                false => {
                    let (port, channel) = self.lanes().place(state.output[lane].into());
                    wait_of_front.leaving_by(port, channel)
                }
            });
            for behind in self.behind(state, lane) {
                let behind_front = wait(behind.worm, place, WaitsFor::Front);
                waits.push(behind_front.taking(behind.words.into()));
            }
        }
        for (local, injection) in state.injections.iter().enumerate() {
            if let Some(packet) = injection.waiting() {
                let until = self.until_injected(state, local);
                let place = self.source_place(local);
                waits.push(wait(packet, place, WaitsFor::InputRoom).until(until));
            }
        }
        waits
    }

    /// A head waits for one of the output lanes that it may take.
    fn awaits_lane(&self, state: &Node<B, N, P, L>, lane: usize) -> (WaitsFor, Until) {
        let wanted = state.inputs[lane].preferred | state.inputs[lane].fallback;
        let places = wanted.numbers().map(|output| self.lanes().place(output));
        let ways = wanted
            .numbers()
            .map(|output| self.until_taken(state, lane, output));
        (WaitsFor::Channels(places.collect()), Until::any(ways))
    }

    /// What has to happen before the head of an input lane may take an output lane.
    fn until_taken(&self, state: &Node<B, N, P, L>, lane: usize, output: usize) -> Until {
        let (port, channel) = self.lanes().place(output);
        let is_free = state.free.has(output);
        if !is_free && !state.draining.has(output) {
            let holder = usize::from(state.holder[output]);
            return Until::Moves(At::Here(self.input_place(holder)));
        }
        if self.is_local(port) {
            return self.until_whole(state, lane);
        }
        let buffer_words = u32::from(self.parameters.buffer_words);
        let far = At::Far(port, Some(channel));
        let words = u32::from(state.inputs[lane].length);
        match (is_free, self.parameters.switching) {
            (false, _) => Until::Room(far, 0),
            (true, Switching::Wormhole) => Until::Time,
            // A packet fits into a buffer.
            (true, _) if state.room_words.get(output) < state.inputs[lane].length => {
                Until::Room(far, buffer_words.saturating_sub(words))
            }
            (true, _) => self.until_whole(state, lane),
        }
    }

    /// A packet that is stored before it is forwarded goes on once all of it has come.
    fn until_whole(&self, state: &Node<B, N, P, L>, lane: usize) -> Until {
        let stores = self.parameters.switching == Switching::StoreAndForward;
        match stores && !state.has_tail.has(lane) {
            true => self.until_words_come(lane),
            false => Until::Time,
        }
    }

    /// The worm's next words come over the link, or from the source, which always has them.
    fn until_words_come(&self, lane: usize) -> Until {
        match self.lanes().place(lane) {
            (port, _) if self.is_local(port) => Until::Time,
            (port, _) => Until::Comes(port),
        }
    }

    /// A worm that holds an output lane waits for room at its far end, and for its own next words if none is here.
    fn awaits_room(&self, state: &Node<B, N, P, L>, lane: usize) -> (WaitsFor, Until) {
        let words_come = match state.has_word.has(lane) {
            true => Until::Time,
            false => self.until_words_come(lane),
        };
        let (port, channel) = self.lanes().place(state.output[lane].into());
        // The processor's credit is on its way.
        if state.has_credit.has(lane) || self.is_local(port) {
            return (WaitsFor::Nothing, words_come);
        }
        let most = u32::from(self.parameters.buffer_words) - 1;
        let room = Until::Room(At::Far(port, Some(channel)), most);
        (
            WaitsFor::Room(port, channel),
            Until::all([words_come, room]),
        )
    }

    /// A source's packet waits for room in the local lane that it goes to, or in any while it goes to none.
    fn until_injected(&self, state: &Node<B, N, P, L>, local: usize) -> Until {
        let buffer_words = u32::from(self.parameters.buffer_words);
        let injection = &state.injections[local];
        let (lanes, most) = match (injection.gone, self.parameters.reallocation) {
            (0, Reallocation::BufferEmpty) => (0..self.parameters.vcs, 0),
            (0, Reallocation::TailSent) => (0..self.parameters.vcs, buffer_words - 1),
            _ => (injection.channel..injection.channel + 1, buffer_words - 1),
        };
        let room = |channel| {
            let place = self.input_place(self.local_lane(local, channel));
            Until::Room(At::Here(place), most)
        };
        Until::any(lanes.map(room))
    }
}
