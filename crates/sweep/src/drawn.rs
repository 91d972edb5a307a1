//! The names of a sweep's figures.

use flitwork_plot::load_curves::Shown;

/// The names of a figure's files, as SVG and as PNG.
pub(crate) fn files_of(shown: Shown) -> [String; 2] {
    ["svg", "png"].map(|ending| format!("{}.{ending}", shown.name()))
}

/// Whether a file of that name is a figure of a sweep.
pub(crate) fn is_figure(name: &str) -> bool {
    let mut all = Shown::ALL.into_iter().flat_map(files_of);
    all.any(|file| file == name)
}
