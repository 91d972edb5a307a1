//! Chinn 1995, chapters 2 and 3, on the command line: bounds against rules, the rule that meets them, and the program that takes
//! linear time.

mod bounds;
mod linear;
mod made;
mod permutations;
mod upper;

use super::entry::PaperEntry;
use bounds::Bounds;
use linear::Linear;
use upper::Upper;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[
    PaperEntry::of::<Bounds>(
        "chinn-bounds",
        "permutations constructed against queueing rules, and the steps that the rules take for them (chapter 2)",
    ),
    PaperEntry::of::<Linear>(
        "chinn-linear",
        "the minimal adaptive program of linear time with constant queues (chapter 3)",
    ),
    PaperEntry::of::<Upper>(
        "chinn-upper",
        "dimension order whose upper bound meets the lower bound against it (Theorem 2.19)",
    ),
];
