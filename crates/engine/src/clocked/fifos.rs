//! What is under way over many links, by the time of its arrival.
//!
//! All FIFOs have the same capacity and lie next to each other, so that those of a node's ports share cache lines.
//! When one overflows, the capacity of all is doubled, which soon stops happening. There is a limit, because a
//! slow receiver may let a single link hold thousands of words: what exceeds the limit goes into a queue of its
//! own.

use std::collections::VecDeque;

/// log2 of the largest capacity of a FIFO.
const MOST_SHIFT: u32 = 4;

/// FIFOs of things with a time, in ps.
#[derive(Clone)]
pub(super) struct Fifos<T> {
    /// log2 of a FIFO's capacity.
    shift: u32,
    ends: Vec<End>,
    slots: Vec<(u64, T)>,
    blank: T,
    /// What does not fit into each FIFO, once anything does not.
    beyond: Vec<VecDeque<(u64, T)>>,
}

/// Where a FIFO begins, and how many items are in it and in its overflow.
#[derive(Clone, Copy, Default)]
struct End {
    first: u32,
    length: u32,
}

impl<T: Copy> Fifos<T> {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.slots)
    }

    /// `count` empty FIFOs with an initial capacity of `room` items; `blank` fills empty places.
    pub(super) fn new(count: usize, room: usize, blank: T) -> Fifos<T> {
        let shift = room.max(1).next_power_of_two().ilog2();
        Fifos {
            shift,
            ends: vec![End::default(); count],
            slots: vec![(0, blank); count << shift],
            blank,
            beyond: Vec::new(),
        }
    }

    /// Appends an item; its time is no earlier than that of any other. Returns how many the FIFO then has.
    #[inline]
    pub(super) fn push(&mut self, fifo: usize, at_ps: u64, thing: T) -> u32 {
        let End { first, length } = self.ends[fifo];
        self.ends[fifo].length = length + 1;
        if length >> self.shift != 0 {
            self.overflow(fifo, at_ps, thing);
        } else {
            let slot = self.slot(fifo, first + length);
            self.slots[slot] = (at_ps, thing);
        }
        length + 1
    }

    /// Takes the first item of a FIFO that is not empty, if its time is no later than `limit_ps`, and returns
    /// whether there are more.
    #[inline(always)]
    pub(super) fn pop_until(&mut self, fifo: usize, limit_ps: u64) -> Option<(T, bool)> {
        let End { first, length } = self.ends[fifo];
        debug_assert!(length > 0, "nothing is in the FIFO");
        let slot = self.slot(fifo, first);
        let (at_ps, thing) = self.slots[slot];
        if at_ps > limit_ps {
            return None;
        }
        if length > 1 << self.shift
            && let Some(next) = self.beyond[fifo].pop_front()
        {
            self.slots[slot] = next;
        }
        self.ends[fifo] = End {
            first: (first + 1) & ((1 << self.shift) - 1),
            length: length - 1,
        };
        Some((thing, length > 1))
    }

    /// The time of the first item of a FIFO that is not empty, in ps.
    #[inline]
    pub(super) fn front_ps(&self, fifo: usize) -> u64 {
        let (at_ps, _) = self.slots[self.slot(fifo, self.ends[fifo].first)];
        at_ps
    }

    /// The times of all items of a FIFO, in ps.
    pub(super) fn times_ps(&self, fifo: usize) -> impl Iterator<Item = u64> + '_ {
        let End { first, length } = self.ends[fifo];
        let near = length.min(1 << self.shift);
        let near = (0..near).map(move |place| self.slots[self.slot(fifo, first + place)].0);
        let beyond = self.beyond.get(fifo).into_iter().flatten();
        near.chain(beyond.map(|(at_ps, _)| *at_ps))
    }

    #[inline]
    fn slot(&self, fifo: usize, place: u32) -> usize {
        fifo << self.shift | (place & ((1 << self.shift) - 1)) as usize
    }

    /// Appends an item to a FIFO that is full.
    #[cold]
    fn overflow(&mut self, fifo: usize, at_ps: u64, thing: T) {
        if self.shift < MOST_SHIFT {
            self.double();
            let End { first, length } = self.ends[fifo];
            let slot = self.slot(fifo, first + length - 1);
            self.slots[slot] = (at_ps, thing);
            return;
        }
        if self.beyond.is_empty() {
            self.beyond.resize_with(self.ends.len(), VecDeque::new);
        }
        self.beyond[fifo].push_back((at_ps, thing));
    }

    fn double(&mut self) {
        let mut slots = vec![(0, self.blank); self.slots.len() * 2];
        for (fifo, new) in slots.chunks_exact_mut(2 << self.shift).enumerate() {
            let first = std::mem::take(&mut self.ends[fifo].first);
            for place in 0..1 << self.shift {
                new[place as usize] = self.slots[self.slot(fifo, first + place)];
            }
        }
        self.slots = slots;
        self.shift += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::draw;
    use flitwork_types::{Cycle, NodeId};
    use std::collections::VecDeque;

    /// Up to 50 things, which is more than a FIFO's own places: the others are in its queue.
    #[test]
    fn each_is_a_queue_whatever_the_others_hold() {
        let mut fifos = Fifos::new(3, 1, 0);
        let mut queues = vec![VecDeque::new(); 3];
        let mut longest = 0;
        for step in 1..=10_000u64 {
            let drawn = draw(1, NodeId(0), Cycle(step as u32), 0);
            let fifo = (drawn % 3) as usize;
            let queue = &mut queues[fifo];
            // Longer and longer ones, up to 50.
            if drawn >> 8 & 1 == 0 && queue.len() as u64 <= step / 200 {
                queue.push_back((step, drawn));
                assert_eq!(fifos.push(fifo, step, drawn), queue.len() as u32);
            } else if let Some((at_ps, thing)) = queue.pop_front() {
                assert_eq!(fifos.pop_until(fifo, at_ps - 1), None);
                let popped = fifos.pop_until(fifo, at_ps);
                assert_eq!(popped, Some((thing, !queue.is_empty())));
            }
            for (fifo, queue) in queues.iter().enumerate() {
                let times_ps = fifos.times_ps(fifo);
                assert!(times_ps.eq(queue.iter().map(|(at_ps, _)| *at_ps)));
                if let Some((front_ps, _)) = queue.front() {
                    assert_eq!(fifos.front_ps(fifo), *front_ps);
                }
                longest = longest.max(queue.len());
            }
        }
        assert!(longest > 2 << MOST_SHIFT, "{longest}");
    }
}
