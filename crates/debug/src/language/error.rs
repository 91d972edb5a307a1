//! What is wrong with a question.

use std::fmt;

/// A question that can't be answered, with the place of what is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageError {
    /// The question.
    pub text: String,
    /// Where in it, in bytes.
    pub at: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong at a place in a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else was to come there.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A number that is too large.
    #[error("the number is too large; up to {} is allowed", i64::MAX)]
    TooLarge,
    /// No column has that name.
    #[error("there is no column {found}; allowed: {allowed}")]
    NoColumn {
        /// The name.
        found: String,
        /// Those that there are.
        allowed: String,
    },
    /// The column holds none of these names.
    #[error("{column} is never \"{found}\"; allowed: {allowed}")]
    NoName {
        /// The column.
        column: String,
        /// The name.
        found: String,
        /// Those that there are.
        allowed: String,
    },
    /// Two things that can't be compared with each other.
    #[error("{left} can't be compared with {right}")]
    Unlike {
        /// What the left is.
        left: &'static str,
        /// What the right is.
        right: &'static str,
    },
    /// Names and packets have no order.
    #[error("{0} has no order; allowed: == and !=")]
    Unordered(&'static str),
    /// A column that isn't true or false, without a comparison.
    #[error("{column} is neither true nor false: compare it with something")]
    NotAFlag {
        /// The column.
        column: String,
    },
    /// A range that holds nothing.
    #[error("the range is empty: its end isn't in it")]
    EmptyRange,
}

impl LanguageError {
    /// What is wrong, and what stands there, in one line.
    pub fn in_a_line(&self) -> String {
        let rest: String = self
            .text
            .get(self.at..)
            .unwrap_or_default()
            .chars()
            .take(12)
            .collect();
        match rest.trim() {
            "" => format!("at its end: {}", self.problem),
            rest => format!("at `{rest}`: {}", self.problem),
        }
    }
}

/// The question, a caret below the place, and what is wrong there.
impl fmt::Display for LanguageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A question of several lines is shown as one.
        let line: String = self
            .text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let before = self.text.get(..self.at).unwrap_or(&self.text);
        let column = before.chars().count();
        writeln!(f, "{line}")?;
        write!(f, "{:column$}^ {}", "", self.problem)
    }
}

impl std::error::Error for LanguageError {}
