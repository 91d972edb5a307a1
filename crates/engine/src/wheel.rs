//! A calendar of wakes: which nodes are due in which cycle.
//!
//! The near future is a ring of lists, one for each cycle; wakes further ahead wait in a heap.

use flitwork_types::{Cycle, Due, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cycles in the ring.
const SLOTS: usize = 512;

/// Nodes by the cycle in which they are due. A node may be listed for several cycles; the caller decides which of
/// them count.
#[derive(Clone)]
pub(crate) struct Wheel {
    slots: Vec<Vec<NodeId>>,
    /// A bit for each list that is not empty.
    filled: [u64; SLOTS / 64],
    /// The first cycle of the ring: all before have been popped.
    from: u32,
    far: BinaryHeap<Reverse<(u32, u32)>>,
    /// The next cycle in which a node is due.
    next: Option<Cycle>,
}

impl Wheel {
    pub(crate) fn new() -> Wheel {
        Wheel {
            slots: vec![Vec::new(); SLOTS],
            filled: [0; SLOTS / 64],
            from: 0,
            far: BinaryHeap::new(),
            next: None,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = self.slots.iter().map(|list| size_of_val(&**list));
        lists.sum::<usize>() + 8 * self.far.len()
    }

    /// `node` is due in `cycle`, which lies after the cycle popped last.
    #[inline]
    pub(crate) fn push(&mut self, cycle: Cycle, node: NodeId) {
        debug_assert!(cycle.0 >= self.from, "a wake in the past");
        self.next = Some(self.next.map_or(cycle, |next| next.min(cycle)));
        if cycle.0 - self.from < SLOTS as u32 {
            let slot = cycle.0 as usize % SLOTS;
            self.slots[slot].push(node);
            self.filled[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse((cycle.0, node.0)));
        }
    }

    /// The next cycle in which a node is due.
    #[inline]
    pub(crate) fn next(&self) -> Option<Cycle> {
        self.next
    }

    /// The same, searched for.
    fn find_next(&self) -> Option<Cycle> {
        let far = self.far.peek().map(|Reverse((cycle, _))| Cycle(*cycle));
        let near = Due::from(self.next_filled().map(Cycle));
        near.min(far.into()).get()
    }

    /// The next cycle in which a node is due, with all nodes of that cycle put into `due`.
    pub(crate) fn pop(&mut self, due: &mut Vec<NodeId>) -> Option<Cycle> {
        due.clear();
        let near = self.next_filled();
        let cycle = self.next()?.0;
        if near == Some(cycle) {
            let slot = cycle as usize % SLOTS;
            std::mem::swap(due, &mut self.slots[slot]);
            self.filled[slot / 64] &= !(1 << (slot % 64));
        }
        while let Some(Reverse((due_in, node))) = self.far.peek()
            && *due_in == cycle
        {
            due.push(NodeId(*node));
            self.far.pop();
        }
        self.from = cycle + 1;
        self.next = self.find_next();
        Some(Cycle(cycle))
    }

    /// The first cycle of the ring that has a node.
    fn next_filled(&self) -> Option<u32> {
        let first = self.from as usize % SLOTS;
        let words = self.filled.len();
        for step in 0..=words {
            let word = (first / 64 + step) % words;
            let mut bits = self.filled[word];
            if step == 0 {
                bits &= u64::MAX << (first % 64);
            } else if step == words {
                bits &= !(u64::MAX << (first % 64));
            }
            if bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                return Some(self.from + ((slot + SLOTS - first) % SLOTS) as u32);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::draw;

    #[test]
    fn pops_in_order_what_was_pushed_at_any_distance() {
        let mut wheel = Wheel::new();
        let mut expected = BinaryHeap::new();
        let (mut now, mut popped, mut drawn) = (0u32, Vec::new(), 0);
        let mut random = || {
            drawn += 1;
            draw(1, NodeId(0), Cycle(0), drawn)
        };
        for round in 0..5000 {
            for _ in 0..random() % 4 {
                let reach = [1, 20, SLOTS as u64, 5 * SLOTS as u64][(random() % 4) as usize];
                let cycle = now + u32::from(round > 0) + (random() % reach) as u32;
                let node = (random() % 100) as u32;
                wheel.push(Cycle(cycle), NodeId(node));
                expected.push(Reverse((cycle, node)));
            }
            let Some(cycle) = wheel.pop(&mut popped) else {
                assert!(expected.is_empty());
                continue;
            };
            now = cycle.0;
            popped.sort_unstable();
            for node in &popped {
                assert_eq!(expected.pop(), Some(Reverse((now, node.0))));
            }
            assert!(expected.peek().is_none_or(|Reverse((next, _))| *next > now));
        }
    }
}
