//! What nodes did in each stretch of a run.

use crate::record::fields::Fields;
use crate::record::varint;
use flitwork_types::{Cycle, NodeId};
use std::borrow::Cow;

/// What one node did in one epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpochCell {
    /// By how much what it holds changed: packets or, where words travel alone, words; those on a link count for the node
    /// at its end.
    pub change: i32,
    /// The deroutes that it decided.
    pub deroutes: u32,
    /// The words that it sent over links.
    pub link_words: u32,
}

/// Cycles of an epoch of a short run.
const FIRST_CYCLES: u32 = 64;
/// The most epochs; when a run would have more, epochs become twice as long.
const MOST_EPOCHS: usize = 256;

/// What all nodes did, epoch by epoch. The longer the run, the longer its epochs, by powers of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Epochs {
    pub(super) nodes: usize,
    epoch_cycles: u32,
    /// The digest of each epoch's events.
    digests: Vec<u64>,
    /// Node by node, epoch after epoch.
    pub(super) cells: Vec<EpochCell>,
}

impl Epochs {
    /// No epoch yet.
    pub fn new(nodes: u32) -> Epochs {
        Epochs {
            nodes: nodes as usize,
            epoch_cycles: FIRST_CYCLES,
            digests: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// How many epochs there are.
    pub fn count(&self) -> usize {
        self.digests.len()
    }

    /// Cycles of an epoch.
    pub fn epoch_cycles(&self) -> u32 {
        self.epoch_cycles
    }

    /// The number of a cycle's epoch, if it is there.
    #[inline]
    pub(super) fn find(&self, cycle: Cycle) -> Option<usize> {
        // The length is a power of two.
        let epoch = (cycle.0 >> self.epoch_cycles.trailing_zeros()) as usize;
        (epoch < self.digests.len()).then_some(epoch)
    }

    /// The number of a cycle's epoch, which is there from now on. All others may be numbered anew.
    pub(super) fn further(&mut self, cycle: Cycle) -> usize {
        while (cycle.0 / self.epoch_cycles) as usize >= MOST_EPOCHS {
            self.lengthen();
        }
        let epoch = (cycle.0 / self.epoch_cycles) as usize;
        self.reach(epoch);
        epoch
    }

    /// From now on, an epoch is there.
    pub(super) fn reach(&mut self, epoch: usize) {
        if epoch >= self.digests.len() {
            self.digests.resize(epoch + 1, 0);
            self.cells
                .resize((epoch + 1) * self.nodes, EpochCell::default());
        }
    }

    /// The digest of an epoch, to be added to.
    pub(super) fn digest_mut(&mut self, epoch: usize) -> &mut u64 {
        &mut self.digests[epoch]
    }

    /// What a node did in an epoch, to be added to.
    pub(super) fn cell_mut(&mut self, epoch: usize, node: NodeId) -> &mut EpochCell {
        &mut self.cells[epoch * self.nodes + node.index()]
    }

    /// Makes epochs twice as long.
    fn lengthen(&mut self) {
        let shorter = std::mem::replace(self, Epochs::new(self.nodes as u32));
        self.epoch_cycles = shorter.epoch_cycles.saturating_mul(2);
        for epoch in 0..shorter.count() {
            self.add(epoch / 2, shorter.digest(epoch), shorter.cells(epoch));
        }
    }

    /// Adds to an epoch.
    fn add(&mut self, epoch: usize, digest: u64, cells: &[EpochCell]) {
        self.reach(epoch);
        for (node, more) in (0..).map(NodeId).zip(cells) {
            let cell = self.cell_mut(epoch, node);
            cell.change += more.change;
            cell.deroutes += more.deroutes;
            cell.link_words += more.link_words;
        }
        let sum = self.digest_mut(epoch);
        *sum = sum.wrapping_add(digest);
    }

    /// The digest of an epoch's events.
    pub fn digest(&self, epoch: usize) -> u64 {
        self.digests[epoch]
    }

    /// What each node did in an epoch.
    pub fn cells(&self, epoch: usize) -> &[EpochCell] {
        &self.cells[epoch * self.nodes..][..self.nodes]
    }

    /// Adds what another part of the same run observed.
    pub fn merge(&mut self, other: &Epochs) {
        while self.epoch_cycles < other.epoch_cycles {
            self.lengthen();
        }
        let other = other.in_epochs_of(self.epoch_cycles);
        for epoch in 0..other.count() {
            self.add(epoch, other.digest(epoch), other.cells(epoch));
        }
    }

    /// The same in epochs of so many cycles, at least its own.
    fn in_epochs_of(&self, cycles: u32) -> Cow<'_, Epochs> {
        let mut epochs = Cow::Borrowed(self);
        while epochs.epoch_cycles < cycles {
            epochs.to_mut().lengthen();
        }
        epochs
    }

    /// The first epoch in which two runs differ, and the first node whose cells do, if any does: the digests may differ
    /// alone. It is counted in the longer of both runs' epochs.
    pub fn first_difference(&self, other: &Epochs) -> Option<(usize, Option<NodeId>)> {
        let cycles = self.epoch_cycles.max(other.epoch_cycles);
        self.in_epochs_of(cycles)
            .difference(&other.in_epochs_of(cycles))
    }

    fn difference(&self, other: &Epochs) -> Option<(usize, Option<NodeId>)> {
        let most = self.count().max(other.count());
        (0..most).find_map(|epoch| {
            if epoch >= self.count() || epoch >= other.count() {
                return Some((epoch, None));
            }
            let pairs = self.cells(epoch).iter().zip(other.cells(epoch));
            let node = (0..)
                .map(NodeId)
                .zip(pairs)
                .find(|(_, (one, two))| one != two);
            let node = node.map(|(node, _)| node);
            let differs = node.is_some() || self.digest(epoch) != other.digest(epoch);
            differs.then_some((epoch, node))
        })
    }

    /// The raw part of an epoch's block.
    pub(super) fn encode(&self, epoch: usize) -> Vec<u8> {
        let mut raw = Vec::new();
        varint::put(&mut raw, epoch as u64);
        varint::put(&mut raw, self.epoch_cycles.into());
        raw.extend(self.digest(epoch).to_le_bytes());
        let cells = self.cells(epoch);
        for cell in cells {
            varint::put(&mut raw, varint::zigzag(cell.change.into()));
        }
        for cell in cells {
            varint::put(&mut raw, cell.deroutes.into());
        }
        for cell in cells {
            varint::put(&mut raw, cell.link_words.into());
        }
        raw
    }

    /// Adds the epoch of a block's raw part; `None` if it makes no sense or isn't the next.
    pub(super) fn decode(&mut self, raw: &[u8]) -> Option<()> {
        let mut fields = Fields(raw);
        let epoch: u64 = fields.varint()?;
        if epoch != self.count() as u64 {
            return None;
        }
        let cycles: u32 = fields.varint()?;
        if !cycles.is_power_of_two() || epoch > 0 && cycles != self.epoch_cycles {
            return None;
        }
        self.epoch_cycles = cycles;
        let digest = fields.u64()?;
        // Memory is taken as counts are read: a file of few bytes may claim many nodes.
        let cells = (0..self.nodes).map(|_| {
            let change = varint::unzigzag(fields.varint()?);
            Some(EpochCell {
                change: i32::try_from(change).ok()?,
                ..EpochCell::default()
            })
        });
        let mut cells: Vec<EpochCell> = cells.collect::<Option<_>>()?;
        for cell in &mut cells {
            cell.deroutes = fields.varint()?;
        }
        for cell in &mut cells {
            cell.link_words = fields.varint()?;
        }
        if !fields.0.is_empty() {
            return None;
        }
        self.digests.push(digest);
        self.cells.extend(cells);
        Some(())
    }
}
