//! Claims, checked.

use std::collections::BTreeMap;

/// The cells by which a row is known: columns and what stands in them.
pub type Cells = BTreeMap<String, toml::Value>;

/// All claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// The commands, each with its claims.
    pub commands: Vec<Command>,
}

/// A command with the claims that its results show.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What follows `flitwork` on the command line, word by word, without fresh seeds and `--json`; a word may contain `{out}`, the file that
    /// the command writes its JSON to.
    pub words: Vec<String>,
    /// How it gets fresh seeds.
    pub seeds: Seeds,
    /// What it shows.
    pub claims: Vec<Claim>,
}

/// How a command gets seeds that no page used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// By the option that names the first of its seeds.
    First,
    /// By the option that names its only seed.
    One,
    /// It counts them from 1: those after this one are fresh, and the others' runs are left out.
    After(u64),
    /// It draws nothing at random.
    None,
}

/// A sentence with a number or a comparison, and where to find it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The line of the file that it begins on.
    pub line: usize,
    /// The page below docs/src.
    pub page: String,
    /// The words of the page, with single spaces.
    pub says: String,
    /// The table of the results; empty if the results themselves are the row.
    pub table: String,
    /// The cells by which its row is known.
    pub row: Cells,
    /// The column with the figure.
    pub column: String,
    /// The column with half of its 95 % interval, if that isn't found by its name.
    pub half_width_column: Option<String>,
    /// The column in which the rows of one figure differ, such as `seed`: the figure is their mean, with an interval over them.
    pub each: Option<String>,
    /// The cells of another row, of which the figure is taken: by how much it is more, as a part of that, each by each if there is `each`.
    pub relative_to: Option<Cells>,
    /// What must be found.
    pub expected: Expected,
}

/// What must be found.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// The page's figure.
    Value {
        /// The figure.
        mean: f64,
        /// Half of its 95 % interval; 0 if it has none.
        half_width: f64,
        /// What it is rounded to a multiple of; 0 if it isn't.
        rounded_to: f64,
    },
    /// Bounds.
    Bounds {
        /// The least.
        least: Option<f64>,
        /// The most.
        most: Option<f64>,
    },
    /// More than in the row with these cells.
    MoreThan(Cells),
    /// So many.
    Count {
        /// How many.
        count: u64,
        /// Of how many.
        of: u64,
        /// The column that says of how many in the fresh results.
        of_column: String,
    },
}

impl Claim {
    /// Whether a page has its words, over lines or not.
    pub fn is_on(&self, page: &str) -> bool {
        plain(page).contains(&self.says)
    }

    /// All columns that it names.
    pub fn columns(&self) -> Vec<&str> {
        let mut all: Vec<&str> = vec![&self.column];
        all.extend(self.row.keys().map(String::as_str));
        all.extend(self.each.as_deref());
        all.extend(self.half_width_column.as_deref());
        all.extend(
            self.relative_to
                .iter()
                .flat_map(Cells::keys)
                .map(String::as_str),
        );
        match &self.expected {
            Expected::MoreThan(cells) => all.extend(cells.keys().map(String::as_str)),
            Expected::Count { of_column, .. } => all.push(of_column),
            Expected::Value { .. } | Expected::Bounds { .. } => {}
        }
        all
    }
}

/// Words with single spaces.
pub(crate) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
