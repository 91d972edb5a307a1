//! Numbers that nodes show to all others.

use crate::Cycle;

/// Numbers by place. What is put up in a cycle is seen from the next one on, so that it doesn't matter in which order nodes are stepped in a cycle. All
/// nodes must be in the same cycle.
#[derive(Clone, Debug, Default)]
pub struct Board {
    places: Vec<Notice>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Notice {
    /// The cycle in which the number was put up last.
    since: Cycle,
    number: u32,
    /// The number at the end of the cycle before.
    before: u32,
}

impl Board {
    /// Puts up a number in a cycle. The last one of a cycle counts.
    pub fn put(&mut self, place: usize, now: Cycle, number: u32) {
        if self.places.len() <= place {
            self.places.resize(place + 1, Notice::default());
        }
        let notice = &mut self.places[place];
        if notice.since != now {
            notice.before = notice.number;
            notice.since = now;
        }
        notice.number = number;
    }

    /// The number as it was at the end of the cycle before: 0 before the first.
    pub fn seen(&self, place: usize, now: Cycle) -> u32 {
        match self.places.get(place) {
            Some(notice) if notice.since == now => notice.before,
            Some(notice) => notice.number,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seen_from_the_next_cycle_on() {
        let mut board = Board::default();
        assert_eq!(board.seen(3, Cycle(0)), 0);
        board.put(3, Cycle(0), 7);
        assert_eq!([0, 1, 9].map(|now| board.seen(3, Cycle(now))), [0, 7, 7]);
        board.put(3, Cycle(9), 5);
        board.put(3, Cycle(9), 6);
        assert_eq!([9, 10].map(|now| board.seen(3, Cycle(now))), [7, 6]);
        assert_eq!([2, 4].map(|place| board.seen(place, Cycle(10))), [0, 0]);
    }
}
