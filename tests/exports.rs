//! Exported files, read back by other libraries and held against the run: at any time a waveform shows what `look` does,
//! slices are packets' stays.

#[path = "exports/asked.rs"]
mod asked;
#[path = "exports/long.rs"]
mod long;
#[path = "exports/perfetto.rs"]
mod perfetto;
#[path = "exports/programs.rs"]
mod programs;
#[path = "exports/reading.rs"]
mod reading;
#[path = "exports/rows.rs"]
mod rows;
#[path = "exports/waves.rs"]
mod waves;
