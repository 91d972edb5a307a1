//! A minimal adaptive program that routes any permutation in a linear number of steps with queues of constant size (Chinn 1995,
//! chapter 3).
//!
//! ```text
//!   north-east packets, then the other three kinds, each a quarter turn on
//!     for tiles of side s = n, n/3, … 27
//!       vertical phase, for each tiling: March ─▶ Sort and Smooth, even, then odd ─▶ Horizontal Balancing
//!       horizontal phase, for each tiling: the same with rows and columns exchanged
//!     dimension order
//! ```
//!
//! A tile has 27 strips of d = s/27 lines. A packet that has three strips or more to go in its tile ends a phase two strips
//! before that of its destination (Lemma 3.3).
//!
//! What the chapter leaves open: n = 27 · 3^j. North-east packets have dx >= 0 and dy > 0, so that each packet is of one kind. The
//! tilings are shifted along the diagonal by 0, s/3 and 2s/3. What it calls the Q-rule is the 2-rule. q is 408 for tiles of
//! side n, and then 102: a packet of a smaller tile has at most 9 strips to go, so 17 (9 - 3) do for the proofs of Lemmas 3.6
//! and 3.14. Only with that are the steps below 972 n.

mod frame;
mod phase;

pub use frame::{Axis, Kind};
pub use phase::{Action, Phase};

use crate::machine::MachineError;
use crate::program::{self, Outcome, Part, Quiet, Until, Watcher};
use crate::store::Store;
use flitwork_topology::Grid;
use flitwork_types::{MAX_NODES, NodeId};

/// How long phases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// As long as Lemmas 3.14 to 3.17 say: nodes count steps.
    Fixed,
    /// Until nothing moves, which takes an oracle that sees all nodes.
    Quiet,
}

flitwork_schema::named!(Phases { Fixed = "fixed", Quiet = "quiet" });

/// Why there is no such program, or it can't route a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinearError {
    /// The mesh' side isn't 27 · 3^j.
    #[error("a side of {side}; it takes 27 times a power of 3{}", such_as(*.below, *.above))]
    Side {
        /// The side.
        side: u32,
        /// The greatest side below it for which there is a program.
        below: Option<u32>,
        /// The least above it.
        above: Option<u32>,
    },
    /// The problem is none of the mesh.
    #[error(transparent)]
    Machine(MachineError),
}

/// The sides next to one for which there is no program.
fn such_as(below: Option<u32>, above: Option<u32>) -> String {
    let sides: Vec<String> = below.iter().chain(&above).map(u32::to_string).collect();
    match sides.is_empty() {
        true => String::new(),
        false => format!(", such as {}", sides.join(" or ")),
    }
}

/// The program for a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    side: u32,
    program: program::Program<Phase>,
}

/// The strips of a tile.
pub const STRIPS: u32 = 27;

/// The most packets that a node ever holds (Lemma 3.13).
pub const QUEUE_MOST: usize = 834;

/// The sides for which there is a program.
fn sides() -> impl Iterator<Item = u32> {
    let sides = std::iter::successors(Some(STRIPS), |side| side.checked_mul(3));
    sides.take_while(|side| u64::from(*side).pow(2) <= MAX_NODES.into())
}

impl Program {
    /// For a square mesh.
    ///
    /// # Errors
    /// [`LinearError::Side`].
    pub fn new(side: u32, phases: Phases) -> Result<Program, LinearError> {
        if !sides().any(|it| it == side) {
            return Err(LinearError::Side {
                side,
                below: sides().filter(|it| *it < side).last(),
                above: sides().find(|it| *it > side),
            });
        }
        let parts = Kind::ALL.iter().flat_map(|kind| parts(side, *kind, phases));
        let program = program::Program {
            parts: parts.collect(),
        };
        Ok(Program { side, program })
    }

    /// The phases' parts, in their order.
    pub fn parts(&self) -> &[Part<Phase>] {
        &self.program.parts
    }

    /// The steps that fixed phases take, and quiet ones at most.
    pub fn fixed_steps(&self) -> u64 {
        let lengths = self.parts().iter().map(|it| it.rule.most_steps());
        lengths.map(u64::from).sum()
    }

    /// Routes a problem. Of a permutation all packets arrive; of others some may be under way at the end.
    ///
    /// # Errors
    /// [`LinearError::Machine`] for a problem that isn't one of the mesh.
    pub fn run(
        &self,
        problem: &[(NodeId, NodeId)],
        watcher: &mut impl Watcher,
    ) -> Result<Outcome, LinearError> {
        let mesh = Grid::mesh(&[self.side, self.side]).expect("a side of the program makes a mesh");
        let outcome = self.program.run(&mesh, Store::Unbounded, problem, watcher);
        outcome.map_err(LinearError::Machine)
    }
}

/// The parts for one kind of packets.
fn parts(side: u32, kind: Kind, phases: Phases) -> Vec<Part<Phase>> {
    let mut rules = Vec::new();
    let mut tile = side;
    while tile >= STRIPS {
        let shifts = if tile == side { 1 } else { 3 };
        // 17 packets in each node of the strips that are between: 24 in the first iteration, 6 in the others.
        let strips = if tile == side { STRIPS } else { 9 };
        for axis in [Axis::Vertical, Axis::Horizontal] {
            for shift in (0..shifts).map(|it| it * tile / 3) {
                let of = |action| Phase {
                    side,
                    kind,
                    axis,
                    tile,
                    shift,
                    most: 17 * (strips - 3),
                    action,
                };
                rules.extend(Action::ALL.map(of));
            }
        }
        tile /= 3;
    }
    rules.push(Phase {
        side,
        kind,
        axis: Axis::Horizontal,
        tile: side,
        shift: 0,
        most: 0,
        action: Action::End,
    });
    let part = |rule: Phase| {
        let quiet = rule.quiet();
        let until = match phases {
            Phases::Fixed => Until::StepsOnceQuiet(rule.most_steps(), quiet),
            Phases::Quiet => Until::Quiet(quiet),
        };
        Part { rule, until }
    };
    rules.into_iter().map(part).collect()
}

impl Phase {
    /// The steps that it takes at most (Lemmas 3.14 to 3.17).
    pub fn most_steps(&self) -> u32 {
        let d = self.strip_lines();
        match self.action {
            Action::March => self.most * d - 1,
            Action::SmoothEven | Action::SmoothOdd => d - 1 + self.most * d,
            Action::Balance => 3 * self.tile - 4,
            Action::End => 16,
        }
    }

    /// When nothing more moves. In a March a node may find that the next has enough, and only then send what goes on.
    fn quiet(&self) -> Quiet {
        match self.action {
            Action::March => Quiet {
                at_least: 3,
                steps: 2,
            },
            // From step d on all nodes of a strip send.
            Action::SmoothEven | Action::SmoothOdd => Quiet::at_least(self.strip_lines()),
            Action::Balance | Action::End => Quiet::at_least(1),
        }
    }
}
