//! Heads at a node that have the same choices, after the same number of deroutes, form a class. Their
//! successors are the same too, so they are examined once.

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

/// Heads with the same choices.
#[derive(Clone, Debug)]
struct Class {
    here: NodeId,
    deroutes: u16,
    wanted: Range<usize>,
}

/// The classes of one leg.
pub(super) struct Classes {
    classes: Vec<Class>,
    /// The choices of all classes, one after the other.
    wanted: Vec<Choice>,
    /// For each node, its classes.
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

    /// The class of a head, and whether the head is its first.
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

    /// The first class of a node.
    pub(super) fn first_at(&self, here: NodeId) -> Option<ClassNumber> {
        self.at[here.index()].first().copied()
    }

    /// The node of a class.
    pub(super) fn here(&self, class: ClassNumber) -> NodeId {
        self.classes[class.index()].here
    }

    /// The choices of a class.
    pub(super) fn wanted(&self, class: ClassNumber) -> &[Choice] {
        &self.wanted[self.classes[class.index()].wanted.clone()]
    }

    /// The channels that a class may take, apart from those of `except`: each by where it begins, and by the
    /// number of deroutes of a head in it.
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
