//! Exported files, read back by other libraries and held against the run: at any time a waveform shows what `look` does,
//! slices are packets' stays. Rows of Parquet files are read in `tests/parquet.rs`.

#[path = "exports/asked.rs"]
pub(crate) mod asked;
#[path = "exports/long.rs"]
mod long;
#[path = "exports/perfetto.rs"]
mod perfetto;
#[path = "exports/programs.rs"]
mod programs;
#[path = "exports/reading.rs"]
mod reading;
#[path = "exports/waves.rs"]
mod waves;
