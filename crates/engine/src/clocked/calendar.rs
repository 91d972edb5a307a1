//! Which clock domain ticks next.
//!
//! A ring of buckets covers the near future, each some picoseconds wide and so narrow that few domains
//! share one; what lies further ahead waits in a heap. Each domain stands in the calendar once, so its
//! lists need no memory of their own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

const LEAST_BUCKETS: u64 = 64;
const MOST_BUCKETS: u64 = 1 << 16;

/// A domain's number and one, so that an empty list costs no more room.
type Entry = Option<NonZeroU32>;

/// Domains by the time of their next tick, in ps.
pub(super) struct Calendar {
    /// The first domain of each bucket's list.
    heads: Vec<Entry>,
    /// A bit for each bucket that isn't empty.
    filled: Vec<u64>,
    /// log2 of a bucket's width in ps.
    shift: u32,
    /// The tick of each domain, and the domain after it in its bucket.
    entries: Vec<(u64, Entry)>,
    far: BinaryHeap<Reverse<(u64, u32)>>,
    /// The time popped last: nothing is due before it.
    now_ps: u64,
}

impl Calendar {
    /// A calendar of up to `domains` domains, whose ticks follow each other after `shortest_ps` to
    /// `longest_ps`; any other distance works too, if more slowly.
    pub(super) fn new(domains: usize, shortest_ps: u64, longest_ps: u64) -> Calendar {
        let width = (shortest_ps / domains.max(1) as u64).max(1);
        let shift = width.ilog2();
        // Twice the longest step, so that a bucket is never both the current one and one a turn ahead.
        let buckets = (longest_ps >> shift).clamp(LEAST_BUCKETS / 2, MOST_BUCKETS / 2) * 2;
        let buckets = buckets.next_power_of_two() as usize;
        Calendar {
            heads: vec![None; buckets],
            filled: vec![0; buckets / 64],
            shift,
            entries: vec![(0, None); domains],
            far: BinaryHeap::with_capacity(domains),
            now_ps: 0,
        }
    }

    /// `domain`, which isn't in the calendar, ticks at `at_ps`, no earlier than the time popped last.
    #[inline]
    pub(super) fn push(&mut self, domain: u32, at_ps: u64) {
        debug_assert!(at_ps >= self.now_ps, "a tick in the past");
        let ahead = (at_ps >> self.shift) - (self.now_ps >> self.shift);
        if ahead < self.heads.len() as u64 {
            let bucket = (at_ps >> self.shift) as usize & (self.heads.len() - 1);
            self.entries[domain as usize] = (at_ps, self.heads[bucket]);
            self.heads[bucket] = NonZeroU32::new(domain + 1);
            self.filled[bucket / 64] |= 1 << (bucket % 64);
        } else {
            self.far.push(Reverse((at_ps, domain)));
        }
    }

    /// The time of the next tick, with all domains that tick then put into `due`.
    #[inline]
    pub(super) fn pop(&mut self, due: &mut Vec<u32>) -> Option<u64> {
        due.clear();
        let near = self.next_filled();
        let near_ps = near.map(|bucket| self.first_in(bucket));
        let far_ps = self.far.peek().map(|Reverse((at_ps, _))| *at_ps);
        let now_ps = match (near_ps, far_ps) {
            (Some(near), Some(far)) => near.min(far),
            (near, far) => near.or(far)?,
        };
        if let Some(bucket) = near
            && near_ps == Some(now_ps)
        {
            self.take_from(bucket, now_ps, due);
        }
        while let Some(Reverse((at_ps, domain))) = self.far.peek()
            && *at_ps == now_ps
        {
            due.push(*domain);
            self.far.pop();
        }
        self.now_ps = now_ps;
        Some(now_ps)
    }

    /// The earliest tick in a bucket that isn't empty.
    #[inline]
    fn first_in(&self, bucket: usize) -> u64 {
        let mut first_ps = u64::MAX;
        let mut entry = self.heads[bucket];
        while let Some(domain) = entry {
            let (at_ps, next) = self.entries[domain.get() as usize - 1];
            first_ps = first_ps.min(at_ps);
            entry = next;
        }
        first_ps
    }

    /// Moves a bucket's domains that tick at `now_ps` to `due`.
    #[inline]
    fn take_from(&mut self, bucket: usize, now_ps: u64, due: &mut Vec<u32>) {
        let mut entry = self.heads[bucket].take();
        while let Some(domain) = entry {
            let place = domain.get() as usize - 1;
            let (at_ps, next) = self.entries[place];
            if at_ps == now_ps {
                due.push(place as u32);
            } else {
                self.entries[place].1 = self.heads[bucket];
                self.heads[bucket] = Some(domain);
            }
            entry = next;
        }
        if self.heads[bucket].is_none() {
            self.filled[bucket / 64] &= !(1 << (bucket % 64));
        }
    }

    /// The first bucket from the current one on that has a domain.
    #[inline]
    fn next_filled(&self) -> Option<usize> {
        let first = (self.now_ps >> self.shift) as usize & (self.heads.len() - 1);
        let words = self.filled.len();
        let mut word = first / 64;
        let mut bits = self.filled[word] & u64::MAX << (first % 64);
        // The first word comes last once more, for the buckets before the current one.
        for _ in 0..=words {
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
            word = (word + 1) & (words - 1);
            bits = self.filled[word];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::draw;
    use flitwork_types::{Cycle, NodeId};

    fn pops_in_order(domains: u32, shortest_ps: u64, longest_ps: u64, spread_ps: u64) {
        let mut calendar = Calendar::new(domains as usize, shortest_ps, longest_ps);
        let mut expected = BinaryHeap::new();
        let mut drawn = 0;
        let mut random = |below: u64| {
            drawn += 1;
            draw(5, NodeId(0), Cycle(drawn), 0) % below
        };
        for domain in 0..domains {
            let at = random(spread_ps);
            calendar.push(domain, at);
            expected.push(Reverse((at, domain)));
        }
        let mut due = Vec::new();
        for _ in 0..2000 {
            let now = calendar.pop(&mut due).unwrap();
            due.sort_unstable();
            for domain in &due {
                assert_eq!(expected.pop(), Some(Reverse((now, *domain))));
            }
            assert!(
                expected
                    .peek()
                    .is_none_or(|Reverse((later, _))| *later > now)
            );
            for domain in &due {
                let at = now + shortest_ps + random(longest_ps - shortest_ps + 1);
                calendar.push(*domain, at);
                expected.push(Reverse((at, *domain)));
            }
        }
    }

    #[test]
    fn pops_in_order_whatever_the_distances() {
        pops_in_order(1, 1000, 1000, 1);
        pops_in_order(40, 900, 3000, 3000);
        pops_in_order(40, 1, 3, 5);
        // Further ahead than the ring reaches, and all at the same few times.
        pops_in_order(100, 1, 10_000_000, 50_000_000);
        pops_in_order(300, 1000, 1002, 3);
    }
}
