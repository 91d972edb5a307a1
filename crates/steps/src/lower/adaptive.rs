//! Against every deterministic, destination-exchangeable, minimal adaptive rule (Chinn 1995, sections 2.2 and 2.3).
//!
//! ```text
//!            N1 N2 N3                  An N-packet of class i goes to column cn - 1 + i, north of row cn - 1 + i; an
//!            │  │  │                   E-packet of class i to that row, east of that column. The i-box is everything up
//!            │  │  ┌──── E3            to and with that row and that column.
//!            │  ┌──┼──── E2
//!   ┌────────┌──┼──┼──── E1            Up to step i dn, the i-th row west of the corner holds but packets of E-classes up
//!   │ 1-box  │  │  │                   to i and N-classes below i, and the i-th column south of it the other way round:
//!   │        │  │  │                   so at most one packet of each kind leaves a box in a step.
//! ```

use super::construct::{Classes, Construction, construct, with_a_class};
use super::{Constructed, Corner, LowerError};
use crate::{Blind, Machine, Meddler, Meddling, PacketId, Rule};
use flitwork_topology::Grid;
use flitwork_types::NodeId;

/// The constants of the construction, in packets, columns and steps (section 2.3.3), rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveConstants {
    /// The mesh' side, n.
    pub side: u32,
    /// The queue's size, k.
    pub queue: u32,
    /// The corner's side, cn.
    pub corner: u32,
    /// The steps of a class, dn.
    pub class_steps: u32,
    /// The packets of a class, p.
    pub per_class: u32,
    /// The classes, l.
    pub classes: u32,
}

impl AdaptiveConstants {
    /// For a mesh of this side and central queues of this size.
    ///
    /// # Errors
    /// [`LowerError::NoQueue`], [`LowerError::TooLarge`], and [`LowerError::TooSmall`] where there is no class.
    pub fn new(side: u32, queue: u32) -> Result<AdaptiveConstants, LowerError> {
        if queue == 0 {
            return Err(LowerError::NoQueue);
        }
        let of = |side| AdaptiveConstants::of(side, queue);
        with_a_class(side, of, |it| it.classes)
    }

    fn of(side: u32, queue: u32) -> AdaptiveConstants {
        let [n, k] = [side, queue].map(u64::from);
        let corner = n / (2 * (k + 2));
        let class_steps = 2 * n / 5;
        // (k + 1)(cn + c²n) + dn, where c²n = cn cn / n.
        let per_class = ((k + 1) * (corner * n + corner * corner) / n.max(1)) + class_steps;
        let classes = corner * corner / (2 * per_class.max(1));
        let [corner, class_steps, per_class, classes] =
            [corner, class_steps, per_class, classes].map(|it| it as u32);
        AdaptiveConstants {
            side,
            queue,
            corner,
            class_steps,
            per_class,
            classes,
        }
    }

    /// The steps that every rule of the class takes at least (Theorem 2.13).
    pub fn bound_steps(&self) -> u32 {
        self.classes * self.class_steps
    }
}

/// A class of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    North(u32),
    East(u32),
}

impl Class {
    fn number(self) -> u32 {
        match self {
            Class::North(number) | Class::East(number) => number,
        }
    }

    fn index(self) -> usize {
        match self {
            Class::North(number) => 2 * number as usize - 2,
            Class::East(number) => 2 * number as usize - 1,
        }
    }

    fn of_index(index: usize) -> Class {
        let number = index as u32 / 2 + 1;
        match index % 2 {
            0 => Class::North(number),
            _ => Class::East(number),
        }
    }
}

/// The construction.
struct Adversary {
    constants: AdaptiveConstants,
    corner: Corner,
    /// By [`Class::index`].
    classes: Classes,
    /// By packet: where it is about to go.
    target: Vec<Option<NodeId>>,
    failure: Option<String>,
}

impl Adversary {
    /// Where a node is: how many columns and rows it is beyond those of the 0-box.
    fn beyond(&self, node: NodeId) -> (u32, u32) {
        let (column, row) = self.corner.place(self.constants.side, node);
        let box_0 = self.constants.corner - 1;
        (column.saturating_sub(box_0), row.saturating_sub(box_0))
    }

    /// The class that may enter a node while it is guarded, if it is on the edge of a box but not at its corner.
    fn guard(&self, node: NodeId) -> Option<Class> {
        let (column, row) = self.beyond(node);
        let guard = match column.cmp(&row) {
            std::cmp::Ordering::Less => Class::East(row),
            std::cmp::Ordering::Greater => Class::North(column),
            std::cmp::Ordering::Equal => return None,
        };
        (guard.number() <= self.constants.classes).then_some(guard)
    }

    /// Whether a packet of a class must not enter a node that is guarded for another (EX1 to EX4).
    fn must_not(class: Class, guard: Class) -> bool {
        match (class, guard) {
            (Class::East(j), Class::East(i)) | (Class::North(j), Class::North(i)) => j > i,
            (Class::North(j), Class::East(i)) | (Class::East(j), Class::North(i)) => j >= i,
        }
    }

    fn is_guarded(&self, step: u32, guard: Class) -> bool {
        step <= guard.number() * self.constants.class_steps
    }

    /// A packet of a class in the box before its own that isn't about to enter the class' edge (Lemmas 2.3 and 2.4).
    fn eligible(&self, class: Class, meddling: &Meddling<'_>) -> Option<PacketId> {
        let mut of_class = self.classes.members(class.index()).iter().copied();
        of_class.find(|packet| {
            let (column, row) = self.beyond(meddling.packets()[packet.index()].at);
            let is_inside = column.max(row) < class.number();
            let enters = self.target[packet.index()].and_then(|to| self.guard(to));
            is_inside && enters != Some(class)
        })
    }
}

impl Meddler for Adversary {
    fn meddle(&mut self, meddling: &mut Meddling<'_>) {
        let step = meddling.step();
        let scheduled = meddling.scheduled().to_vec();
        scheduled
            .iter()
            .for_each(|it| self.target[it.packet.index()] = Some(it.to));
        // In the order of the boxes: who is exchanged for a later one isn't about to enter an earlier one's edge.
        let guarded = scheduled
            .iter()
            .filter_map(|it| Some((self.guard(it.to)?, it.packet)));
        let mut guarded: Vec<(Class, PacketId)> = guarded.collect();
        guarded.sort_unstable_by_key(|(guard, packet)| (guard.index(), *packet));
        for (guard, packet) in guarded {
            let class = Class::of_index(self.classes.of(packet));
            if !self.is_guarded(step, guard) || !Adversary::must_not(class, guard) {
                continue;
            }
            match self.eligible(guard, meddling) {
                Some(other) => self.classes.exchange(packet, other, meddling),
                None => {
                    let what = format!("no packet of {guard:?} can be exchanged (Lemmas 2.3, 2.4)");
                    self.failure.get_or_insert(what);
                }
            }
        }
        scheduled
            .iter()
            .for_each(|it| self.target[it.packet.index()] = None);
    }
}

/// The first arrangement: one packet a node of the corner, so that only its class is on an edge.
fn place(constants: &AdaptiveConstants, corner: Corner) -> (Vec<(NodeId, NodeId)>, Vec<Class>) {
    let AdaptiveConstants {
        side,
        corner: edge,
        per_class,
        classes,
        ..
    } = *constants;
    let class_of = |kind: fn(u32) -> Class| (1..=classes).map(kind);
    let all = class_of(Class::North).chain(class_of(Class::East));
    let mut left: Vec<u32> = all.clone().map(|_| per_class).collect();
    let mut problem = Vec::new();
    let mut found = Vec::new();
    let mut put = |column, row, class: Class, left: &mut Vec<u32>| {
        let count = &mut left[class.index()];
        // Each of a class has a row, or a column, of its own.
        let beyond = edge - 1 + class.number() + *count;
        let line = edge - 1 + class.number();
        *count -= 1;
        let destination = match class {
            Class::North(_) => corner.node(side, line, beyond),
            Class::East(_) => corner.node(side, beyond, line),
        };
        problem.push((corner.node(side, column, row), destination));
        found.push(class);
    };
    (1..=edge).for_each(|row| put(edge, row, Class::North(1), &mut left));
    (1..edge).for_each(|column| put(column, edge, Class::East(1), &mut left));
    let mut inside = (1..edge).flat_map(|row| (1..edge).map(move |column| (column, row)));
    for class in all {
        for _ in 0..left[class.index()] {
            let (column, row) = inside.next().expect("all classes fit into the corner");
            put(column, row, class, &mut left);
        }
    }
    (problem, found)
}

/// Makes the permutation that the rule takes long to route, in a corner of a mesh. The lemmas are checked in every step.
///
/// # Errors
/// [`LowerError::Outside`] for a rule that isn't minimal.
pub fn construct_adaptive<R: Rule<Sight = Blind>>(
    constants: &AdaptiveConstants,
    corner: Corner,
    rule: &R,
) -> Result<Constructed, LowerError> {
    let (problem, classes) = place(constants, corner);
    let classes = classes.into_iter().map(Class::index).collect();
    let adversary = Adversary {
        constants: *constants,
        corner,
        target: vec![None; problem.len()],
        classes: Classes::new(classes, 2 * constants.classes as usize),
        failure: None,
    };
    let mesh = (constants.side, constants.queue);
    construct(mesh, &problem, constants.bound_steps(), adversary, rule)
}

impl Construction for Adversary {
    fn failure<R: Rule>(&mut self, machine: &Machine<'_, Grid, R>) -> Option<String> {
        let failure = self.failure.take();
        failure.or_else(|| check::step(self, machine))
    }
}

/// The lemmas of section 2.3.1, read off what has moved and where packets are.
mod check {
    use super::{Adversary, Class};
    use crate::{Machine, Rule};
    use flitwork_topology::Topology;

    /// The lemma that doesn't hold after this step, if one doesn't.
    pub(super) fn step<T: Topology, R: Rule>(
        adversary: &Adversary,
        machine: &Machine<'_, T, R>,
    ) -> Option<String> {
        left_boxes(adversary, machine).or_else(|| are_outside(adversary, machine))
    }

    /// Lemmas 2.1 and 2.2: who leaves a box in this step.
    fn left_boxes<T: Topology, R: Rule>(
        adversary: &Adversary,
        machine: &Machine<'_, T, R>,
    ) -> Option<String> {
        let (step, class_steps) = (machine.steps(), adversary.constants.class_steps);
        let mut left = vec![0; adversary.classes.count()];
        for moved in machine.moves() {
            let class = Class::of_index(adversary.classes.of(moved.packet));
            let number = |node| {
                let (column, row) = adversary.beyond(node);
                column.max(row)
            };
            let from = number(moved.from);
            if from == 0 || from >= number(machine.packets()[moved.packet.index()].at) {
                continue;
            }
            if class.number() >= from && step <= (from - 1) * class_steps {
                return Some(format!("{class:?} leaves the {from}-box (Lemma 2.1)"));
            }
            if class.number() == from && step <= from * class_steps {
                left[class.index()] += 1;
                if left[class.index()] > 1 {
                    return Some(format!(
                        "two of {class:?} leave its box at once (Lemma 2.2)"
                    ));
                }
            }
        }
        None
    }

    /// Lemmas 2.5 to 2.8: where packets are.
    fn are_outside<T: Topology, R: Rule>(
        adversary: &Adversary,
        machine: &Machine<'_, T, R>,
    ) -> Option<String> {
        let (step, class_steps) = (machine.steps(), adversary.constants.class_steps);
        let classes = adversary
            .classes
            .all()
            .iter()
            .map(|it| Class::of_index(*it));
        for (class, packet) in classes.zip(machine.packets()) {
            let (column, row) = adversary.beyond(packet.at);
            // The strongest claim that a packet can break.
            let i = class.number().min(column.max(row) + 1);
            if i > 1 && column.max(row) > i - 2 && step <= (i - 1) * class_steps {
                return Some(format!(
                    "{class:?} is outside the {}-box (Lemmas 2.5, 2.6)",
                    i - 2
                ));
            }
            let is_beside = match class {
                Class::North(i) => row >= i && column < i,
                Class::East(i) => column >= i && row < i,
            };
            if is_beside && step <= class.number() * class_steps {
                return Some(format!("{class:?} is beside its line (Lemmas 2.7, 2.8)"));
            }
        }
        None
    }
}
