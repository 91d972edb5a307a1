//! The real binary, used as a stranger would use it: exit codes, messages, files, signals, terminals.

#[path = "cli/adversary.rs"]
mod adversary;
#[path = "cli/bad_configurations.rs"]
mod bad_configurations;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/beside.rs"]
mod beside;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/claims.rs"]
mod claims;
#[cfg(unix)]
#[path = "cli/clashes.rs"]
mod clashes;
#[path = "cli/clocked.rs"]
mod clocked;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/deadline.rs"]
mod deadline;
#[cfg(target_os = "linux")]
#[path = "cli/debug.rs"]
mod debug;
#[path = "docs.rs"]
mod docs;
#[cfg(unix)]
#[path = "cli/documented.rs"]
mod documented;
#[path = "cli/export.rs"]
mod export;
#[path = "cli/failure.rs"]
mod failure;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/harness.rs"]
mod harness;
#[path = "cli/interrupted_index.rs"]
mod interrupted_index;
#[path = "cli/interruption.rs"]
mod interruption;
#[cfg(unix)]
#[path = "cli/kept.rs"]
mod kept;
#[path = "cli/kills.rs"]
mod kills;
#[path = "cli/live.rs"]
mod live;
#[path = "cli/live_faults.rs"]
mod live_faults;
#[path = "cli/memory.rs"]
mod memory;
#[path = "cli/moments.rs"]
mod moments;
#[path = "cli/multi_packet.rs"]
mod multi_packet;
#[path = "cli/offline.rs"]
mod offline;
#[path = "cli/paper.rs"]
mod paper;
#[path = "cli/places.rs"]
mod places;
#[path = "cli/provenance.rs"]
mod provenance;
#[path = "cli/questions.rs"]
mod questions;
#[path = "cli/record_faults.rs"]
mod record_faults;
#[path = "cli/record_files.rs"]
mod record_files;
#[path = "cli/record_parts.rs"]
mod record_parts;
#[path = "cli/replay.rs"]
mod replay;
#[path = "repository.rs"]
mod repository;
#[path = "cli/results.rs"]
mod results;
#[path = "cli/route.rs"]
mod route;
#[path = "cli/routing_table.rs"]
mod routing_table;
#[path = "cli/saturate.rs"]
mod saturate;
#[path = "cli/schedule.rs"]
mod schedule;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/simulate.rs"]
mod simulate;
#[path = "cli/sourced.rs"]
mod sourced;
#[path = "cli/study.rs"]
mod study;
#[path = "cli/sweep.rs"]
mod sweep;
#[path = "cli/sweep_columns.rs"]
mod sweep_columns;
#[cfg(unix)]
#[path = "cli/sweep_folder.rs"]
mod sweep_folder;
#[path = "cli/sweep_refused.rs"]
mod sweep_refused;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/topology.rs"]
mod topology;
#[path = "cli/trace.rs"]
mod trace;
#[path = "cli/trace_rows.rs"]
mod trace_rows;
#[path = "cli/tutorials.rs"]
mod tutorials;
#[path = "cli/unread.rs"]
mod unread;
#[path = "cli/view.rs"]
mod view;
#[path = "cli/why.rs"]
mod why;
#[path = "cli/worst_cases.rs"]
mod worst_cases;
