//! Heads at a node that may take the same, after as many deroutes: one class. What they can become is the
//! same too, so it is looked at once.

use crate::routing::contract::Choice;
use flitwork_types::NodeId;
use std::ops::Range;

/// A class by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClassNumber(pub(super) u32);

impl ClassNumber {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Heads that may take the same.
#[derive(Clone, Debug)]
struct Class {
    here: NodeId,
    deroutes: u16,
    wanted: Range<usize>,
}

/// The classes of one leg.
pub(super) struct Classes {
    classes: Vec<Class>,
    /// What they may take, one after the other.
    wanted: Vec<Choice>,
    /// For each node its classes.
    at: Vec<Vec<ClassNumber>>,
}

impl Classes {
    pub(super) fn new(nodes: u32) -> Classes {
        Classes {
            classes: Vec::new(),
            wanted: Vec::new(),
            at: vec![Vec::new(); nodes as usize],
        }
    }

    pub(super) fn clear(&mut self) {
        self.classes.clear();
        self.wanted.clear();
        self.at.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// The class of a head, and whether it is the first one of it.
    pub(super) fn of(
        &mut self,
        here: NodeId,
        deroutes: u16,
        wanted: &[Choice],
    ) -> (ClassNumber, bool) {
        let same = |number: &&ClassNumber| {
            let class = &self.classes[number.index()];
            class.deroutes == deroutes && self.wanted[class.wanted.clone()] == *wanted
        };
        if let Some(known) = self.at[here.index()].iter().find(same) {
            return (*known, false);
        }
        let number = ClassNumber(self.classes.len() as u32);
        let first = self.wanted.len();
        self.wanted.extend_from_slice(wanted);
        self.classes.push(Class {
            here,
            deroutes,
            wanted: first..self.wanted.len(),
        });
        self.at[here.index()].push(number);
        (number, true)
    }

    /// Where a class stands.
    pub(super) fn here(&self, class: ClassNumber) -> NodeId {
        self.classes[class.index()].here
    }

    /// What a class may take.
    pub(super) fn wanted(&self, class: ClassNumber) -> &[Choice] {
        &self.wanted[self.classes[class.index()].wanted.clone()]
    }

    /// The channels that a class may take but for those of `except`: where they begin, and with how many
    /// deroutes a head is in them.
    pub(super) fn nexts(
        &self,
        class: ClassNumber,
        except: u32,
    ) -> impl Iterator<Item = (Choice, u16)> {
        let Class { deroutes, .. } = self.classes[class.index()];
        self.wanted(class).iter().map(move |choice| {
            let channels = choice.channels & !except;
            let deroutes = deroutes + u16::from(choice.deroute);
            (
                Choice {
                    channels,
                    ..*choice
                },
                deroutes,
            )
        })
    }
}
