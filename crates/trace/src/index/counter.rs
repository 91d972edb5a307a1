//! Epochs as they are added up.

use super::epochs::{EpochCell, Epochs};
use flitwork_types::{Cycle, NodeId};

/// Adds up epochs. Those last added to are at hand: most events fall into them, and nothing of them is looked for.
///
/// Events come in *series*, each nearly in the order of its cycles. A series may run ahead of another, as tails do that
/// are announced with their heads, so each has an epoch of its own at hand.
#[derive(Clone, Debug)]
pub struct EpochCounter<const SERIES: usize> {
    epochs: Epochs,
    at_hand: [AtHand; SERIES],
}

/// An epoch to which a series adds.
#[derive(Clone, Copy, Debug, Default)]
struct AtHand {
    /// Its first cycle.
    first: u32,
    /// Its cycles; none if no epoch is at hand.
    cycles: u32,
    /// Its number.
    epoch: usize,
    /// What its digest has not been added yet.
    digest: u64,
    /// Where its cells begin.
    cells: usize,
}

impl<const SERIES: usize> EpochCounter<SERIES> {
    /// No epoch yet.
    pub fn new(nodes: u32) -> EpochCounter<SERIES> {
        EpochCounter {
            epochs: Epochs::new(nodes),
            at_hand: [AtHand::default(); SERIES],
        }
    }

    /// Adds the digest of an event of a series to the epoch of its cycle.
    #[inline(always)]
    pub fn add(&mut self, series: usize, cycle: Cycle, digest: u64) {
        let at_hand = &self.at_hand[series];
        if cycle.0.wrapping_sub(at_hand.first) >= at_hand.cycles {
            self.turn_to(series, cycle);
        }
        let sum = &mut self.at_hand[series].digest;
        *sum = sum.wrapping_add(digest);
    }

    /// What a node did in the epoch that a series last added to, to be added to.
    #[inline(always)]
    pub fn cell_mut(&mut self, series: usize, node: NodeId) -> &mut EpochCell {
        &mut self.epochs.cells[self.at_hand[series].cells + node.index()]
    }

    #[cold]
    #[inline(never)]
    fn turn_to(&mut self, series: usize, cycle: Cycle) {
        self.put_digest(series);
        let cycles = self.epochs.epoch_cycles();
        let epoch = self.epochs.find(cycle).unwrap_or_else(|| {
            // Epochs may become longer by this: then no other number or place means anything.
            self.put_digests();
            let epoch = self.epochs.further(cycle);
            if self.epochs.epoch_cycles() != cycles {
                self.at_hand = [AtHand::default(); SERIES];
            }
            epoch
        });
        let cycles = self.epochs.epoch_cycles();
        self.at_hand[series] = AtHand {
            first: epoch as u32 * cycles,
            cycles,
            epoch,
            digest: 0,
            cells: epoch * self.epochs.nodes,
        };
    }

    fn put_digest(&mut self, series: usize) {
        let at_hand = &mut self.at_hand[series];
        if at_hand.cycles > 0 {
            let sum = self.epochs.digest_mut(at_hand.epoch);
            *sum = sum.wrapping_add(std::mem::take(&mut at_hand.digest));
        }
    }

    fn put_digests(&mut self) {
        (0..SERIES).for_each(|series| self.put_digest(series));
    }

    /// Adds what another part of the same run observed.
    pub fn merge(&mut self, other: &EpochCounter<SERIES>) {
        self.put_digests();
        self.epochs.merge(&other.clone().into_epochs());
        self.at_hand = [AtHand::default(); SERIES];
    }

    /// All epochs.
    pub fn into_epochs(mut self) -> Epochs {
        self.put_digests();
        self.epochs
    }
}
