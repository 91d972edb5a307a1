//! A formula, and what says that at most so many of its literals hold.

use batsat::clause::Kind;
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// Up to so many literals, each pair of which gets a clause of its own.
const PAIRS: usize = 6;

/// A formula for the solver.
pub(super) struct Clauses {
    solver: Solver<Conflicts>,
    clause: Vec<Lit>,
}

/// Stops the solver after so many conflicts.
struct Conflicts {
    left: u64,
}

impl Callbacks for Conflicts {
    fn on_new_clause(&mut self, _: &[Lit], kind: Kind) {
        if kind == Kind::Learnt {
            self.left = self.left.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.left == 0
    }
}

impl Clauses {
    /// A formula without clauses, with so many conflicts to be solved in.
    pub(super) fn new(conflicts: u64) -> Clauses {
        Clauses {
            solver: Solver::new(SolverOpts::default(), Conflicts { left: conflicts }),
            clause: Vec::new(),
        }
    }

    /// A new variable, as the literal that says that it holds.
    pub(super) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// One of these literals holds.
    pub(super) fn any(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// If one literal holds, so does another.
    pub(super) fn implies(&mut self, one: Lit, other: Lit) {
        self.any([!one, other]);
    }

    /// At most so many of these hold: by pairs, or by a counter (Sinz 2005) that says of each literal whether at least so many
    /// up to it hold.
    pub(super) fn at_most(&mut self, most: usize, literals: &[Lit]) {
        if literals.len() <= most {
            return;
        }
        if most == 0 {
            for literal in literals {
                self.any([!*literal]);
            }
            return;
        }
        if most == 1 && literals.len() <= PAIRS {
            for (place, one) in literals.iter().enumerate() {
                for other in &literals[..place] {
                    self.any([!*one, !*other]);
                }
            }
            return;
        }
        let mut before: Vec<Lit> = Vec::new();
        for literal in literals {
            let counts = (before.len() + 1).min(most);
            let now: Vec<Lit> = (0..counts).map(|_| self.variable()).collect();
            self.implies(*literal, now[0]);
            for (count, one) in before.iter().enumerate() {
                self.implies(*one, now[count]);
                match now.get(count + 1) {
                    Some(more) => self.any([!*literal, !*one, *more]),
                    None => self.any([!*literal, !*one]),
                }
            }
            before = now;
        }
    }

    /// Whether all clauses can hold; no answer if it took too many conflicts.
    pub(super) fn solve(&mut self) -> Option<bool> {
        match self.solver.solve_limited(&[]) {
            it if it == lbool::TRUE => Some(true),
            it if it == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// Whether a literal holds in the model that was found.
    pub(super) fn holds(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}
