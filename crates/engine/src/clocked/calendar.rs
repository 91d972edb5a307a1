//! Which clock domain ticks next.
//!
//! A ring of buckets covers the near future. Each bucket is some picoseconds wide, narrow enough that few domains
//! share one; ticks further ahead wait in a tree. Each domain is in the calendar once, so that its lists need no
//! memory of their own.
//!
//! Ticks of oscillators are entered no earlier than the shortest step after the one that is due, so that all ticks
//! within that time can be taken out of the ring together, and the nodes that come next are known. Self-timed nodes may
//! be entered for any later time, and removed again: those that come earlier than what has been taken out already are
//! put among it.

use flitwork_types::Due;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::ops::Range;

const LEAST_BUCKETS: u64 = 64;
const MOST_BUCKETS: u64 = 1 << 16;

/// A domain's number plus one, so that an empty list takes no extra space.
type Entry = Option<NonZeroU32>;

/// Domains by the time of their next tick, in ps.
#[derive(Clone)]
pub(super) struct Calendar {
    /// The first domain of each bucket's list.
    heads: Vec<Entry>,
    /// A bit for each bucket that is not empty.
    filled: Vec<u64>,
    /// log2 of a bucket's width in ps.
    shift: u32,
    /// The tick of each domain, and the domain after it in its bucket.
    entries: Vec<(u64, Entry)>,
    /// What lies beyond the ring.
    far: BTreeSet<(u64, u32)>,
    /// How many buckets are shorter than the shortest step, at least one.
    window: u64,
    /// The first bucket of the ring that has not passed, by its time.
    first: u64,
    /// Ticks taken out of the ring, in order, and how many of them were popped.
    taken: Vec<(u64, u32)>,
    popped: usize,
}

impl Calendar {
    /// A calendar of up to `domains` domains whose ticks are `shortest_ps` to `longest_ps` apart; a longer distance
    /// works too, only more slowly.
    pub(super) fn new(domains: usize, shortest_ps: u64, longest_ps: u64) -> Calendar {
        let width = (shortest_ps / (2 * domains.max(1) as u64)).max(1);
        let shift = width.ilog2();
        // Twice the longest step, so that no bucket is both the current one and one a full turn ahead.
        let buckets = (longest_ps >> shift).clamp(LEAST_BUCKETS / 2, MOST_BUCKETS / 2) * 2;
        let buckets = buckets.next_power_of_two() as usize;
        Calendar {
            heads: vec![None; buckets],
            filled: vec![0; buckets / 64],
            shift,
            entries: vec![(0, None); domains],
            far: BTreeSet::new(),
            window: (shortest_ps >> shift).max(1),
            first: 0,
            taken: Vec::new(),
            popped: 0,
        }
    }

    /// Enters `domain`, which is not in the calendar, for `at_ps`, no earlier than the time popped last. As a call of
    /// its own it costs a clocked run 2 to 4 %.
    #[inline(always)]
    pub(super) fn push(&mut self, domain: u32, at_ps: u64) {
        let ahead = (at_ps >> self.shift).wrapping_sub(self.first);
        if ahead < self.heads.len() as u64 {
            let bucket = (at_ps >> self.shift) as usize & (self.heads.len() - 1);
            self.entries[domain as usize] = (at_ps, self.heads[bucket]);
            self.heads[bucket] = NonZeroU32::new(domain + 1);
            self.filled[bucket / 64] |= 1 << (bucket % 64);
        } else {
            self.push_aside(domain, at_ps);
        }
    }

    /// Enters a domain outside the ring: for a time that has been taken out of it, or beyond it.
    #[inline(never)]
    fn push_aside(&mut self, domain: u32, at_ps: u64) {
        self.entries[domain as usize].0 = at_ps;
        if at_ps >> self.shift >= self.first {
            self.far.insert((at_ps, domain));
            return;
        }
        let left = &self.taken[self.popped..];
        let place = self.popped + left.partition_point(|(earlier_ps, _)| *earlier_ps <= at_ps);
        self.taken.insert(place, (at_ps, domain));
    }

    /// Removes a domain that is in the calendar.
    ///
    /// # Panics
    /// If it isn't there.
    pub(super) fn remove(&mut self, domain: u32) {
        let (at_ps, _) = self.entries[domain as usize];
        let is_it = |(_, other): &(u64, u32)| *other == domain;
        if at_ps >> self.shift < self.first {
            let place = self.taken[self.popped..].iter().position(is_it);
            let place = place.expect("what is due soon has been taken out of the ring");
            self.taken.remove(self.popped + place);
        } else if !self.remove_near(domain, at_ps) {
            let was_there = self.far.remove(&(at_ps, domain));
            assert!(was_there, "domain {domain} is nowhere");
        }
    }

    /// Removes a domain from the ring, if it is there.
    fn remove_near(&mut self, domain: u32, at_ps: u64) -> bool {
        let bucket = (at_ps >> self.shift) as usize & (self.heads.len() - 1);
        let (mut before, mut entry) = (None, self.heads[bucket]);
        while let Some(number) = entry {
            let found = number.get() - 1;
            let (_, next) = self.entries[found as usize];
            if found != domain {
                (before, entry) = (Some(found), next);
                continue;
            }
            match before {
                Some(before) => self.entries[before as usize].1 = next,
                None => self.heads[bucket] = next,
            }
            if self.heads[bucket].is_none() {
                self.filled[bucket / 64] &= !(1 << (bucket % 64));
            }
            return true;
        }
        false
    }

    /// The time of the next tick.
    pub(super) fn next_ps(&mut self) -> Option<u64> {
        if self.popped == self.taken.len() {
            self.take();
        }
        self.taken.get(self.popped).map(|(at_ps, _)| *at_ps)
    }

    /// The time of the next tick, and the places of the domains that tick then, see
    /// [`Calendar::domain`].
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, Range<usize>)> {
        if self.popped == self.taken.len() {
            self.take();
        }
        let from = self.popped;
        let (now_ps, _) = *self.taken.get(from)?;
        let mut to = from + 1;
        while self
            .taken
            .get(to)
            .is_some_and(|(at_ps, _)| *at_ps == now_ps)
        {
            to += 1;
        }
        self.popped = to;
        Some((now_ps, from..to))
    }

    /// The domain at a place among those popped last, or at a later place if it is known already.
    #[inline]
    pub(super) fn domain(&self, place: usize) -> Option<u32> {
        self.taken.get(place).map(|(_, domain)| *domain)
    }

    /// Takes out the next ticks, up to the time before which no more can be entered.
    fn take(&mut self) {
        self.taken.clear();
        self.popped = 0;
        let far = self.far.first().map(|(at_ps, _)| at_ps >> self.shift);
        let near: Due<u64> = self.next_filled().into();
        let Some(first) = near.min(far.into()).get() else {
            return;
        };
        // At most one word of bits.
        let end = (first + self.window).min((first | 63) + 1);
        self.take_near(first, end);
        let mut ordered = self.shift == 0;
        while let Some((at_ps, _)) = self.far.first()
            && at_ps >> self.shift < end
        {
            self.taken.extend(self.far.pop_first());
            ordered = false;
        }
        if !ordered {
            self.taken.sort_unstable_by_key(|(at_ps, _)| *at_ps);
        }
        self.first = end;
    }

    /// Takes out the buckets from `first` up to, but not including, `end`, all in one word of bits.
    #[inline]
    fn take_near(&mut self, first: u64, end: u64) {
        let word = (first as usize / 64) & (self.filled.len() - 1);
        let wanted = (u64::MAX << (first % 64)) & (u64::MAX >> (63 - (end - 1) % 64));
        let mut bits = self.filled[word] & wanted;
        self.filled[word] &= !wanted;
        while bits != 0 {
            let bucket = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let mut entry = self.heads[bucket].take();
            while let Some(domain) = entry {
                let domain = domain.get() - 1;
                let (at_ps, next) = self.entries[domain as usize];
                self.taken.push((at_ps, domain));
                entry = next;
            }
        }
    }

    /// The first bucket of the ring that has a domain, by its time.
    #[inline]
    fn next_filled(&self) -> Option<u64> {
        let ring = self.heads.len() - 1;
        let first = self.first as usize & ring;
        let words = self.filled.len();
        let mut word = first / 64;
        let mut bits = self.filled[word] & u64::MAX << (first % 64);
        // The first word is examined again at the end, for the buckets before the current one.
        for _ in 0..=words {
            if bits != 0 {
                let bucket = word * 64 + bits.trailing_zeros() as usize;
                return Some(self.first + (bucket.wrapping_sub(first) & ring) as u64);
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
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

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
        for _ in 0..2000 {
            let (now, places) = calendar.pop().unwrap();
            let due = places.map(|place| calendar.domain(place).unwrap());
            let mut due: Vec<u32> = due.collect();
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

    /// A hundred domains that are entered for any time from the one popped last on, moved, and removed, against a plain
    /// list.
    #[test]
    fn domains_come_at_the_times_that_they_were_moved_to() {
        for (shortest_ps, spread_ps) in [(1000, 3000), (1, 40), (70, 20_000_000)] {
            let mut calendar = Calendar::new(100, shortest_ps, 2 * shortest_ps);
            let mut expected: Vec<Option<u64>> = vec![None; 100];
            let mut now_ps = 0;
            for step in 0..20_000 {
                let random = |index| draw(9, NodeId(index), Cycle(step), 0);
                let domain = random(0) as u32 % 100;
                let at_ps = now_ps + random(1) % spread_ps;
                let known = &mut expected[domain as usize];
                if known.is_some() {
                    calendar.remove(domain);
                    *known = None;
                }
                if random(2) % 8 != 0 {
                    calendar.push(domain, at_ps);
                    *known = Some(at_ps);
                }
                if random(3) % 4 == 0 {
                    let soonest = expected.iter().flatten().min().copied();
                    let popped = calendar.pop();
                    assert_eq!(popped.as_ref().map(|(at_ps, _)| *at_ps), soonest);
                    let Some((at_ps, places)) = popped else {
                        continue;
                    };
                    now_ps = at_ps;
                    let mut due: Vec<usize> = places
                        .map(|place| calendar.domain(place).unwrap() as usize)
                        .collect();
                    due.sort_unstable();
                    let all = expected.iter().enumerate();
                    let now: Vec<usize> = all
                        .filter_map(|(domain, at_ps)| (*at_ps == soonest).then_some(domain))
                        .collect();
                    assert_eq!(due, now);
                    due.iter().for_each(|domain| expected[*domain] = None);
                }
            }
        }
    }

    /// Two domains whose shortest step is 256 ps have buckets of 64 ps and are taken four at a time, but no
    /// further than a multiple of 64 buckets. One tick waits in the tree for bucket 64, beyond the ring's 64; when
    /// the last four buckets before it are taken out, one that comes before it in bucket 64 is not known yet.
    #[test]
    fn a_far_tick_is_taken_with_those_of_its_bucket() {
        let mut calendar = Calendar::new(2, 256, 256);
        let far_ps = 64 * 64 + 63;
        calendar.push(1, far_ps);
        calendar.push(0, 60 * 64);
        let domain_at = |calendar: &mut Calendar| {
            let (at_ps, places) = calendar.pop().unwrap();
            assert_eq!(places.len(), 1);
            (at_ps, calendar.domain(places.start))
        };
        assert_eq!(domain_at(&mut calendar), (60 * 64, Some(0)));
        calendar.push(0, 60 * 64 + 256);
        assert_eq!(domain_at(&mut calendar), (64 * 64, Some(0)));
        assert_eq!(domain_at(&mut calendar), (far_ps, Some(1)));
        assert_eq!(calendar.pop(), None);
    }
}
