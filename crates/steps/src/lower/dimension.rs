//! Against dimension order (Chinn 1995, section 2.4.5), whose regularity gives the adversary more.
//!
//! ```text
//!                    ┌──── destinations, north of row cn              class i goes to one column, the N_i-column: counted
//!                    │N1 N2 … Nl                                      from the west, or for farthest-first from the east
//!   ┌────────────────┼─────────┐
//!   │    packets     │         │  rows 1 to cn                        the i-box: up to and with the N_i-column
//!   └────────────────┴─────────┘
//! ```

use super::construct::{Classes, Construction, construct, square, with_a_class};
use super::{Constructed, Corner, LowerError};
use crate::route::GoOn;
use crate::{Adversary, Machine, Meddling, PacketId, Rule, Store};
use flitwork_topology::Shape;
use flitwork_types::NodeId;

/// Which packets of dimension order go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionClass {
    /// A blind rule says.
    Blind,
    /// Those that go straight on, with a queue for each incoming link and none that refuses in a column (Theorem 2.19): in its
    /// column a node holds as many packets that turn as a queue holds, and one that has come along the column.
    StraightThrough,
    /// Those that have the nearest to go.
    NearestFirst,
    /// Those that have the farthest to go.
    FarthestFirst,
}

/// The constants of the construction, in packets, columns and steps, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimensionConstants {
    /// Of which rules.
    pub class: DimensionClass,
    /// The mesh' side, n.
    pub side: u32,
    /// A queue's size, k.
    pub queue: u32,
    /// How many packets a node sends and receives at most, h.
    pub per_node: u32,
    /// The rows in which packets begin, cn.
    pub rows: u32,
    /// The steps of a class, dn.
    pub class_steps: u32,
    /// The packets of a class, p.
    pub per_class: u32,
    /// The classes, l.
    pub classes: u32,
}

impl DimensionConstants {
    /// For a mesh of this side, central queues of this size, and so many packets a node.
    ///
    /// # Errors
    /// [`LowerError::NoQueue`]; [`LowerError::PerNode`] for none, for more than fit into a queue, and for more than one where
    /// the rules see distances; [`LowerError::TooLarge`]; [`LowerError::TooSmall`] where there is no class.
    pub fn new(
        class: DimensionClass,
        side: u32,
        queue: u32,
        per_node: u32,
    ) -> Result<DimensionConstants, LowerError> {
        let most = match class {
            DimensionClass::Blind => queue,
            DimensionClass::StraightThrough
            | DimensionClass::NearestFirst
            | DimensionClass::FarthestFirst => 1,
        };
        let of = |side| DimensionConstants::of(class, side, queue, per_node);
        with_a_class(side, (queue, per_node, most), of, |it| it.classes)
    }

    fn of(class: DimensionClass, side: u32, queue: u32, per_node: u32) -> DimensionConstants {
        let [n, k, h] = [side, queue, per_node].map(u64::from);
        // The most packets of a class that a node of its column holds.
        let k = match class {
            DimensionClass::StraightThrough => k + 1,
            _ => k,
        };
        let (rows, columns, class_steps, per_class);
        match class {
            DimensionClass::Blind
            | DimensionClass::StraightThrough
            | DimensionClass::NearestFirst => {
                rows = h * n / (2 * (k + 1 + h));
                columns = n - rows;
                class_steps = h * n / 2;
                per_class = (k + 1) * rows + class_steps;
            }
            DimensionClass::FarthestFirst => {
                rows = n / (4 * (k + 1));
                columns = n;
                class_steps = n / 2;
                per_class = (2 * k + 1) * rows + class_steps;
            }
        }
        let classes = h * columns * rows / per_class.max(1);
        let [rows, class_steps, per_class, classes] =
            [rows, class_steps, per_class, classes].map(|it| it as u32);
        DimensionConstants {
            class,
            side,
            queue,
            per_node,
            rows,
            class_steps,
            per_class,
            classes,
        }
    }

    /// The steps that every rule of the class takes at least (Theorems 2.16 to 2.18).
    pub fn bound_steps(&self) -> u32 {
        self.classes * self.class_steps
    }

    /// The queues.
    pub fn store(&self) -> Store {
        let k = self.queue as usize;
        match self.class {
            DimensionClass::StraightThrough => Store::Incoming(k),
            _ => Store::Central(k),
        }
    }

    /// The columns in which packets begin; but for farthest-first the columns of the classes follow.
    fn columns(&self) -> u32 {
        match self.class {
            DimensionClass::FarthestFirst => self.side,
            _ => self.side - self.rows,
        }
    }

    /// The column to which packets of a class go.
    fn column(&self, class: u32) -> u32 {
        match self.class {
            DimensionClass::FarthestFirst => self.side + 1 - class,
            _ => self.columns() + class,
        }
    }

    /// The class whose packets go to a column.
    fn class_of(&self, column: u32) -> Option<u32> {
        let class = match self.class {
            DimensionClass::FarthestFirst => self.side + 1 - column,
            _ => column.checked_sub(self.columns())?,
        };
        (1..=self.classes).contains(&class).then_some(class)
    }

    /// The first arrangement: from the east, column by column, the classes in their order, so that in no row a later class is
    /// east of an earlier one.
    fn place(&self, corner: Corner) -> (Vec<(NodeId, NodeId)>, Vec<u32>) {
        let places = (1..=self.columns())
            .rev()
            .flat_map(|column| (1..=self.rows).map(move |row| (column, row)));
        let places = places.flat_map(|place| (0..self.per_node).map(move |_| place));
        let classes =
            (1..=self.classes).flat_map(|class| (0..self.per_class).map(move |it| (class, it)));
        let all = places.zip(classes).map(|((column, row), (class, number))| {
            // Each row beyond the lowest has as many as a node receives.
            let to = self.rows + 1 + number / self.per_node;
            let from = corner.node(self.side, column, row);
            (
                (from, corner.node(self.side, self.column(class), to)),
                class,
            )
        });
        all.unzip()
    }
}

/// The construction.
struct Exchanger {
    constants: DimensionConstants,
    corner: Corner,
    /// By number; there is none of number 0.
    classes: Classes,
    /// By packet: the column that it is about to enter within the rows in which packets begin.
    enters: Vec<Option<u32>>,
    failure: Option<String>,
}

impl Exchanger {
    fn place(&self, node: NodeId) -> (u32, u32) {
        self.corner.place(self.constants.side, node)
    }

    /// The class with which a packet has to change, and the column that it must not enter yet.
    fn wanted(&self, step: u32, class: u32, column: u32) -> Option<u32> {
        let class_of_column = self.constants.class_of(column)?;
        let is_guarded = |class| step <= class * self.constants.class_steps;
        match self.constants.class {
            DimensionClass::Blind | DimensionClass::StraightThrough => {
                (class > class_of_column && is_guarded(class_of_column)).then_some(class_of_column)
            }
            DimensionClass::NearestFirst => {
                (class > class_of_column && is_guarded(class_of_column)).then(|| class - 1)
            }
            DimensionClass::FarthestFirst => {
                (class == class_of_column && class > 1 && is_guarded(class - 1)).then(|| class - 1)
            }
        }
    }

    /// A packet of a class that is west of a column and isn't about to enter it: where the rule sees distances, the last of
    /// its class in its row. (Of two in one node, the paper doesn't say which; the first would have left before the other.)
    fn eligible(&self, class: u32, column: u32, meddling: &Meddling<'_>) -> Option<PacketId> {
        let members = self.classes.members(class as usize);
        let place = |packet: &PacketId| self.place(meddling.packets()[packet.index()].at);
        let is_eligible = |packet: &&PacketId| {
            place(packet).0 < column && self.enters[packet.index()] != Some(column)
        };
        if matches!(
            self.constants.class,
            DimensionClass::Blind | DimensionClass::StraightThrough
        ) {
            return members.iter().find(is_eligible).copied();
        }
        // The last of its class in its row: the westernmost, and of those in one node the one that came last.
        let rank = |packet: &PacketId| {
            let (column, _) = place(packet);
            (
                column,
                u32::MAX - meddling.packets()[packet.index()].arrived,
            )
        };
        let mut last = vec![None; self.constants.rows as usize + 1];
        for packet in members {
            let (_, row) = place(packet);
            if let Some(last) = last.get_mut(row as usize) {
                let is_behind = last.is_none_or(|it| rank(packet) < rank(&it));
                *last = if is_behind { Some(*packet) } else { *last };
            }
        }
        last.iter().flatten().find(is_eligible).copied()
    }
}

impl Adversary for Exchanger {
    fn meddle(&mut self, meddling: &mut Meddling<'_>) {
        let step = meddling.step();
        let mut entering = Vec::new();
        for scheduled in meddling.scheduled() {
            let ((from, _), (column, row)) = (self.place(scheduled.from), self.place(scheduled.to));
            if column > from && row <= self.constants.rows {
                self.enters[scheduled.packet.index()] = Some(column);
                entering.push((column, scheduled.packet));
            }
        }
        entering.sort_unstable();
        for (column, packet) in &entering {
            // What has been exchanged once may have to be again.
            while let Some(class) = self.wanted(step, self.classes.of(*packet) as u32, *column) {
                let Some(other) = self.eligible(class, *column, meddling) else {
                    let what = format!("no packet of class {class} can be exchanged");
                    self.failure.get_or_insert(what);
                    break;
                };
                self.classes.exchange(*packet, other, meddling);
            }
        }
        entering
            .iter()
            .for_each(|(_, packet)| self.enters[packet.index()] = None);
    }
}

impl Construction for Exchanger {
    fn failure<R: Rule>(&mut self, machine: &Machine<'_, Shape, R>) -> Option<String> {
        if let Some(failure) = self.failure.take() {
            return Some(failure);
        }
        let step = machine.steps();
        let mut left = vec![0; self.classes.count()];
        for moved in machine.moves() {
            let class = self.classes.of(moved.packet) as u32;
            let ((from, row), at) = (
                self.place(moved.from),
                machine.packets()[moved.packet.index()].at,
            );
            let (column, _) = self.place(at);
            let own = self.constants.column(class);
            if column == from && from != own {
                return Some("a packet turns before its column".into());
            }
            if column == from && row == self.constants.rows {
                left[class as usize] += 1;
                if left[class as usize] > 1 {
                    return Some(format!(
                        "two packets of class {class} leave its box at once"
                    ));
                }
            }
            if column == own && step <= (class - 1) * self.constants.class_steps {
                return Some(format!(
                    "a packet of class {class} is in its column too early"
                ));
            }
        }
        None
    }
}

/// Makes the problem that a rule of the constants' class takes long to route, by watching it (Theorems 2.16 to 2.18). That
/// the rule sees no more than the class allows isn't checked here, but by [`Constants::construct`](super::Constants::construct).
///
/// # Errors
/// [`LowerError::Outside`] for a rule that isn't dimension order.
pub fn construct_dimension<R: Rule>(
    constants: &DimensionConstants,
    corner: Corner,
    rule: &R,
    go_on: GoOn<'_>,
) -> Result<Constructed, LowerError> {
    let (problem, classes) = constants.place(corner);
    let classes = classes.into_iter().map(|class| class as usize).collect();
    let adversary = Exchanger {
        constants: *constants,
        corner,
        enters: vec![None; problem.len()],
        classes: Classes::new(classes, constants.classes as usize + 1),
        failure: None,
    };
    let mesh = square(constants.side, false);
    construct(
        (&mesh, constants.store()),
        &problem,
        constants.bound_steps(),
        adversary,
        rule,
        go_on,
    )
}
