//! Against every deterministic, destination-exchangeable, minimal adaptive rule (Chinn 1995, sections 2.2 and 2.3), and against
//! those that are minimal from the edge of the 1-box on (section 2.4.4).
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

mod constants;

pub use constants::{AdaptiveConstants, AdaptiveSetting, Queues};

use super::construct::{Classes, Construction, construct, square};
use super::{Constructed, Corner, LowerError};
use crate::route::GoOn;
use crate::{Adversary, Machine, Meddling, PacketId, Rule};
use flitwork_topology::Shape;
use flitwork_types::NodeId;

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
struct Exchanger {
    constants: AdaptiveConstants,
    corner: Corner,
    /// By [`Class::index`].
    classes: Classes,
    /// By packet: where it is about to go.
    target: Vec<Option<NodeId>>,
    /// By packet: the least box that it has never left, of all of its nodes up to now.
    reached: Vec<u32>,
    failure: Option<String>,
}

impl Exchanger {
    /// Where a node is: how many columns and rows it is beyond those of the 0-box. What isn't in the submesh is beyond all.
    fn beyond(&self, node: NodeId) -> (u32, u32) {
        let Some((column, row)) = self.constants.place(self.corner, node) else {
            return (u32::MAX, u32::MAX);
        };
        let box_0 = self.constants.before_the_edge();
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

    /// The box of a node.
    fn box_of(&self, node: NodeId) -> u32 {
        let (column, row) = self.beyond(node);
        column.max(row)
    }

    /// Packets that are exchanged look alike in every step up to then: they have never left the box before the one that is
    /// guarded, in which both can go on north and east. (Lemma 2.11, and its use in Lemma 2.12.)
    fn check_alike(&mut self, guard: Class, packets: [PacketId; 2]) {
        let left = |packet: &PacketId| self.reached[packet.index()] >= guard.number();
        if packets.iter().any(left) {
            let what = format!(
                "a packet that has been on the edge of {guard:?} is exchanged (Lemma 2.12)"
            );
            self.failure.get_or_insert(what);
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

impl Adversary for Exchanger {
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
            if !self.is_guarded(step, guard) || !Exchanger::must_not(class, guard) {
                continue;
            }
            match self.eligible(guard, meddling) {
                Some(other) => {
                    self.check_alike(guard, [packet, other]);
                    self.classes.exchange(packet, other, meddling);
                }
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

/// The first arrangement: as many packets a node of the corner as a node sends, so that only its class is on an edge.
fn place(constants: &AdaptiveConstants, corner: Corner) -> (Vec<(NodeId, NodeId)>, Vec<Class>) {
    let AdaptiveConstants {
        setting,
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
        // As many of a class share a row, or a column, as a node receives.
        let line = edge - 1 + class.number();
        let beyond = line + count.div_ceil(setting.per_node);
        *count -= 1;
        let destination = match class {
            Class::North(_) => constants.node(corner, line, beyond),
            Class::East(_) => constants.node(corner, beyond, line),
        };
        problem.push((constants.node(corner, column, row), destination));
        found.push(class);
    };
    let each = |(column, row)| (0..setting.per_node).map(move |_| (column, row));
    let north = (1..=edge).map(|row| (edge, row));
    north
        .flat_map(each)
        .for_each(|(column, row)| put(column, row, Class::North(1), &mut left));
    let east = (1..edge).map(|column| (column, edge));
    east.flat_map(each)
        .for_each(|(column, row)| put(column, row, Class::East(1), &mut left));
    let inside = (1..edge).flat_map(|row| (1..edge).map(move |column| (column, row)));
    let mut inside = inside.flat_map(each);
    for class in all {
        for _ in 0..left[class.index()] {
            let (column, row) = inside.next().expect("all classes fit into the corner");
            put(column, row, class, &mut left);
        }
    }
    (problem, found)
}

/// Makes the problem that a [blind](crate::Blind) rule takes long to route, in a corner of a mesh or of half a torus. The lemmas
/// are checked in every step. That the rule is blind isn't checked here, but by
/// [`Constants::construct`](super::Constants::construct).
///
/// # Errors
/// [`LowerError::Outside`] for a rule that isn't of the class, [`LowerError::Machine`] for one that can't use the queues.
pub fn construct_adaptive<R: Rule>(
    constants: &AdaptiveConstants,
    corner: Corner,
    rule: &R,
    go_on: GoOn<'_>,
) -> Result<Constructed, LowerError> {
    let (problem, classes) = place(constants, corner);
    let classes = classes.into_iter().map(Class::index).collect();
    let mut adversary = Exchanger {
        constants: *constants,
        corner,
        target: vec![None; problem.len()],
        reached: Vec::new(),
        classes: Classes::new(classes, 2 * constants.classes as usize),
        failure: None,
    };
    let reached = problem.iter().map(|(from, _)| adversary.box_of(*from));
    adversary.reached = reached.collect();
    let shape = square(constants.side, constants.setting.wraps);
    construct(
        (&shape, constants.store()),
        &problem,
        constants.bound_steps(),
        adversary,
        rule,
        go_on,
    )
}

impl Construction for Exchanger {
    fn failure<R: Rule>(&mut self, machine: &Machine<'_, Shape, R>) -> Option<String> {
        for moved in machine.moves() {
            let now = self.box_of(machine.packets()[moved.packet.index()].at);
            let reached = &mut self.reached[moved.packet.index()];
            *reached = now.max(*reached);
        }
        let failure = self.failure.take();
        failure.or_else(|| check::step(self, machine))
    }
}

/// The lemmas of section 2.3.1, read off what has moved and where packets are.
mod check {
    use super::{Class, Exchanger};
    use crate::{Machine, Rule};
    use flitwork_topology::Topology;

    /// The lemma that doesn't hold after this step, if one doesn't.
    pub(super) fn step<T: Topology, R: Rule>(
        adversary: &Exchanger,
        machine: &Machine<'_, T, R>,
    ) -> Option<String> {
        left_boxes(adversary, machine).or_else(|| are_outside(adversary, machine))
    }

    /// Lemmas 2.1 and 2.2: who leaves a box in this step.
    fn left_boxes<T: Topology, R: Rule>(
        adversary: &Exchanger,
        machine: &Machine<'_, T, R>,
    ) -> Option<String> {
        let (step, class_steps) = (machine.steps(), adversary.constants.class_steps);
        let mut left = vec![0; adversary.classes.count()];
        for moved in machine.moves() {
            let class = Class::of_index(adversary.classes.of(moved.packet));
            let from = adversary.box_of(moved.from);
            if from == 0 || from >= adversary.box_of(machine.packets()[moved.packet.index()].at) {
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
        adversary: &Exchanger,
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
            let i = class.number().min(column.max(row).saturating_add(1));
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
