//! Which escape channels a packet may wait for after crossing one: at its end, or after any number of hops in
//! other channels (Duato's direct and indirect dependencies).
//!
//! A class of heads can eventually wait for its own escape channels, and for those that its successor classes
//! can eventually wait for.

use super::bits::BitRows;
use super::bits::each_channel;
use super::classes::ClassNumber;
use super::examine::Examiner;
use super::fault::CheckError;
use super::graph::EscapeChannels;
use super::walk::Walk;

/// The escape channels that packets of one leg can eventually wait for.
pub(super) struct Reach {
    escape: EscapeChannels,
    /// The classes reached by packets that have crossed an escape channel, in the order in which they are
    /// found.
    found: Vec<ClassNumber>,
    /// For each class found, the classes that it becomes by a hop in a channel that isn't an escape channel.
    nexts: Vec<Option<Vec<ClassNumber>>>,
    /// For each class, its escape channels.
    waits: BitRows,
}

impl Reach {
    pub(super) fn new(escape: EscapeChannels) -> Reach {
        Reach {
            escape,
            found: Vec::new(),
            nexts: Vec::new(),
            waits: BitRows::new(escape.count()),
        }
    }

    /// Reports for each escape channel of the examiner's leg, which was walked, what a packet that crossed it can eventually
    /// wait for: 64 escape channels at a time, with the position of their word.
    pub(super) fn run(
        &mut self,
        examiner: &mut Examiner<'_>,
        walk: &mut Walk,
        mut depends: impl FnMut(usize, usize, u64),
    ) -> Result<(), CheckError> {
        self.found.clear();
        self.nexts.clear();
        let mut held = Vec::new();
        for (number, class) in walk.under_way() {
            let (node, port, channel) = examiner.links.place(number);
            if self.escape.mask >> channel & 1 == 1 {
                held.push((self.escape.number(node, port, channel), class));
                self.find(class);
            }
        }
        let mut looked_at = 0;
        while let Some(class) = self.found.get(looked_at) {
            self.grow(examiner, walk, *class)?;
            looked_at += 1;
        }
        self.gather(examiner, walk);
        for (escape, class) in held {
            for (place, word) in self.waits.row(class.index()) {
                depends(escape, place, word);
            }
        }
        Ok(())
    }

    fn find(&mut self, class: ClassNumber) {
        if self.nexts.len() <= class.index() {
            self.nexts.resize(class.index() + 1, None);
        }
        if self.nexts[class.index()].is_none() {
            self.nexts[class.index()] = Some(Vec::new());
            self.found.push(class);
        }
    }

    /// Finds the successors of a class.
    fn grow(
        &mut self,
        examiner: &mut Examiner<'_>,
        walk: &mut Walk,
        class: ClassNumber,
    ) -> Result<(), CheckError> {
        let here = walk.classes.here(class);
        let choices: Vec<_> = walk.classes.nexts(class, self.escape.mask).collect();
        let mut nexts: Vec<ClassNumber> = Vec::new();
        for (choice, deroutes) in choices {
            for channel in each_channel(choice.channels) {
                let number = examiner.links.number(here, choice.port, channel);
                if examiner.links.end(number).0 == examiner.leg.destination {
                    break;
                }
                let next = walk.class(examiner, number, deroutes)?;
                if !nexts.contains(&next) {
                    nexts.push(next);
                    self.find(next);
                }
            }
        }
        self.nexts[class.index()] = Some(nexts);
        Ok(())
    }

    /// Gathers what each class can eventually wait for: from the destination outwards, repeated until nothing
    /// is new; with shortest paths the first pass suffices.
    fn gather(&mut self, examiner: &Examiner<'_>, walk: &Walk) {
        self.waits.reset(walk.classes.len());
        for class in &self.found {
            let here = walk.classes.here(*class);
            for choice in walk.classes.wanted(*class) {
                for channel in each_channel(choice.channels & self.escape.mask) {
                    let bit = self.escape.number(here, choice.port, channel);
                    self.waits.insert(class.index(), bit);
                }
            }
        }
        let mut order = self.found.clone();
        order.sort_by_key(|class| examiner.far(walk.classes.here(*class)));
        let mut grew = true;
        while grew {
            grew = false;
            for class in &order {
                for next in self.nexts[class.index()].iter().flatten() {
                    if next != class {
                        grew |= self.waits.unite(class.index(), next.index());
                    }
                }
            }
            grew &= examiner.declaration.misroutes > 0 || examiner.has_own_measure;
        }
    }
}
