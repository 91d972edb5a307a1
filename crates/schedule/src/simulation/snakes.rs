//! Which worm is in which slot of a supernode's storage.

use super::{Direction, Half};

/// A place for a worm in a snake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) half: Half,
    /// From 0, the first of the snake, to f / 2 - 1.
    pub(super) number: u32,
}

/// The snakes of both halves. Worms are numbers.
#[derive(Clone, Debug)]
pub(super) struct Snakes {
    slots: [Vec<Option<usize>>; 2],
}

impl Snakes {
    /// Empty ones, for queues of f packets.
    pub(super) fn new(packets: u32) -> Snakes {
        let slots = vec![None; packets as usize / 2];
        Snakes {
            slots: [slots.clone(), slots],
        }
    }

    /// The worms, and where they are.
    pub(super) fn worms(&self) -> Vec<(usize, Slot)> {
        let halves = Half::ALL.into_iter().zip(&self.slots);
        let all = halves.flat_map(|(half, slots)| {
            (0..).zip(slots).filter_map(move |(number, worm)| {
                let slot = Slot { half, number };
                worm.map(|worm| (worm, slot))
            })
        });
        all.collect()
    }

    /// Puts a worm into a gap.
    pub(super) fn put(&mut self, slot: Slot, worm: usize) {
        let gap = &mut self.slots[slot.half as usize][slot.number as usize];
        assert_eq!(*gap, None, "worm {worm} needs {slot:?}, which is no gap");
        *gap = Some(worm);
    }

    /// Takes the worm from a slot.
    pub(super) fn take(&mut self, slot: Slot) {
        self.slots[slot.half as usize][slot.number as usize] = None;
    }

    /// Sees to two gaps in each half: while one has fewer, a worm of its that comes to the middle with a gap of the other half
    /// turns round, and fills it. The slots that are now filled so.
    pub(super) fn balance(&mut self) -> Vec<Slot> {
        let mut turned = Vec::new();
        for half in Half::ALL {
            let gaps = self.slots[half as usize].iter().filter(|it| it.is_none());
            let mut missing = 2usize.saturating_sub(gaps.count());
            for number in 0..self.slots[0].len() {
                let [from, to] = [half, half.other()].map(|it| self.slots[it as usize][number]);
                if missing > 0 && from.is_some() && to.is_none() {
                    self.slots[half.other() as usize][number] = from;
                    self.slots[half as usize][number] = None;
                    missing -= 1;
                    turned.push(Slot {
                        half: half.other(),
                        number: number as u32,
                    });
                }
            }
            assert_eq!(missing, 0, "too many worms for two gaps in each half");
        }
        turned
    }

    /// The gaps for the worms that come from each direction, in the order of [`Direction::ALL`]: those that come into lower
    /// buffers go to the left snake, those that come into upper ones to the right.
    pub(super) fn gaps(&self) -> [Slot; 4] {
        let mut free = Half::ALL.map(|half| {
            let slots = (0..).zip(&self.slots[half as usize]);
            slots.filter(|(_, worm)| worm.is_none()).map(|(it, _)| it)
        });
        Direction::ALL.map(|direction| {
            let half = direction.joins();
            let number = free[half as usize].next();
            Slot {
                half,
                number: number.expect("there are two gaps in each half"),
            }
        })
    }
}
