//! Which paths are tried from a stage.

use super::choices::choices;

// The short name is the first word.
choices! {
    /// A packet's path is the first that is free, from stage 0 on.
    Selection, |name| name.split('-').next().unwrap_or_default();
    HorizontalFirst = "horizontal-first",
        "Along the row, then along the column (Symvonis and Tidswell 1994, `Horizontal_First_Path_Selection`).";
    PathSelection = "path-selection",
        "At each stage horizontal first, and if that isn't free, vertical first (Symvonis and Tidswell 1994, `Path_Selection`).";
    VerticalFirst = "vertical-first",
        "Along the column, then along the row (Symvonis and Tidswell 1994, `Vertical_First_Path_Selection`).";
}
