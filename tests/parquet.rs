//! Tables of events as Parquet, in a binary of their own: the feature that they need builds nothing else again.

#[path = "exports/asked.rs"]
mod asked;
mod common;
#[path = "exports/rows.rs"]
mod rows;
