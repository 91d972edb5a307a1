//! A heap of domains by time, from which any domain can be removed.

/// No place in the heap.
const NOWHERE: u32 = u32::MAX;

/// Domains by a time in ps, the earliest first; each is in it at most once.
#[derive(Clone)]
pub(super) struct Heap {
    /// A binary heap.
    items: Vec<(u64, u32)>,
    /// Where each domain is in it.
    places: Vec<u32>,
}

impl Heap {
    /// An empty heap for domains up to `domains`.
    pub(super) fn new(domains: usize) -> Heap {
        Heap {
            items: Vec::new(),
            places: vec![NOWHERE; domains],
        }
    }

    /// The earliest time, and a domain that is in the heap for it.
    #[inline]
    pub(super) fn peek(&self) -> Option<(u64, u32)> {
        self.items.first().copied()
    }

    /// Puts a domain into the heap, which is not in it.
    pub(super) fn push(&mut self, at_ps: u64, domain: u32) {
        debug_assert_eq!(self.places[domain as usize], NOWHERE);
        self.items.push((at_ps, domain));
        self.rise(self.items.len() - 1);
    }

    /// Takes out what [`Heap::peek`] shows.
    pub(super) fn pop(&mut self) -> Option<(u64, u32)> {
        let first = self.peek()?;
        self.remove(first.1);
        Some(first)
    }

    /// Takes out a domain. Returns whether it was there.
    pub(super) fn remove(&mut self, domain: u32) -> bool {
        let place = std::mem::replace(&mut self.places[domain as usize], NOWHERE);
        if place == NOWHERE {
            return false;
        }
        let place = place as usize;
        self.items.swap_remove(place);
        if place < self.items.len() {
            let place = self.rise(place);
            self.sink(place);
        }
        true
    }

    /// Moves an item up while it is earlier than what is above. Returns where it ends.
    fn rise(&mut self, mut place: usize) -> usize {
        let item = self.items[place];
        while place > 0 && item < self.items[(place - 1) / 2] {
            self.settle(place, self.items[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.settle(place, item);
        place
    }

    /// Moves an item down while anything below is earlier.
    fn sink(&mut self, mut place: usize) {
        let item = self.items[place];
        loop {
            let below = 2 * place + 1;
            let right = below + 1;
            let Some(left_item) = self.items.get(below) else {
                break;
            };
            let below = match self.items.get(right) {
                Some(right_item) if right_item < left_item => right,
                _ => below,
            };
            if item <= self.items[below] {
                break;
            }
            self.settle(place, self.items[below]);
            place = below;
        }
        self.settle(place, item);
    }

    fn settle(&mut self, place: usize, item: (u64, u32)) {
        self.items[place] = item;
        self.places[item.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::draw;
    use flitwork_types::{Cycle, NodeId};

    #[test]
    fn the_earliest_comes_first_whatever_was_removed() {
        let mut heap = Heap::new(30);
        let mut list: Vec<Option<u64>> = vec![None; 30];
        for step in 0..20_000 {
            let random = |index| draw(3, NodeId(index), Cycle(step), 0);
            let domain = random(0) as usize % 30;
            match list[domain] {
                Some(_) => {
                    assert!(heap.remove(domain as u32));
                    list[domain] = None;
                }
                None => {
                    assert!(!heap.remove(domain as u32));
                    let at_ps = random(1) % 50;
                    heap.push(at_ps, domain as u32);
                    list[domain] = Some(at_ps);
                }
            }
            let earliest = list.iter().flatten().min();
            assert_eq!(heap.peek().map(|(at_ps, _)| at_ps), earliest.copied());
            if random(2) % 5 == 0
                && let Some((at_ps, domain)) = heap.pop()
            {
                assert_eq!(list[domain as usize].take(), Some(at_ps));
            }
        }
    }
}
