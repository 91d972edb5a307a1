//! Reproductions of published experiments.

mod chinn_1995;
mod chinn_steps;
mod classes;
mod entry;
mod kaufmann_sibeyn;
mod mesh;
mod problems;
mod published;
mod reading;
mod report;
mod roberts_symvonis;
mod route;
mod row;
mod symvonis_tidswell;

pub use entry::PaperEntry;
pub(crate) use mesh::{LAST_CYCLES, Mesh};
pub(crate) use published::{Algorithm, published};
pub(crate) use reading::{HALF, Preset, Reading};
pub(crate) use route::{Run, Watched, route, run_columns, sum_of_digests};

/// The experiments that the program comes with, by paper and chapter.
const BUILT_IN: &[&[PaperEntry]] = &[
    chinn_steps::EXPERIMENTS,
    chinn_1995::EXPERIMENTS,
    kaufmann_sibeyn::EXPERIMENTS,
    roberts_symvonis::EXPERIMENTS,
    symvonis_tidswell::EXPERIMENTS,
];
