//! A run in files that other programs read: waveforms, timelines, tables.
//!
//! ```text
//!                 ┌─ look ──────▶ wave: what changed, and when ──▶ fst, vcd     GTKWave, Surfer
//!   Timeline ─────┼─ journeys ──▶ stays ─────────────────────────▶ perfetto     ui.perfetto.dev
//!                 └─ events ────▶ rows ──────────────────────────▶ parquet      notebooks
//! ```
//!
//! Each format is one file and one line of a table ([`ExportFormat`]). A file appears under its name when it is whole;
//! if the user stops it, it holds what lies before the time to which it has come.
//!
//! May depend on `debug` and on what it is made of, and on `report`, which writes Parquet. Must never know a configuration,
//! a router or the command line.
//!
//! ```
//! use flitwork_debug::rows::Nodes;
//! use flitwork_debug::{Timeline, first_probe, language::Filter};
//! use flitwork_engine::EventDriven;
//! use flitwork_export::{ExportFormat, Job, About};
//! use flitwork_files::NewFile;
//! use flitwork_network::{Demand, Network};
//! use flitwork_router::greedy_hp::GreedyHp;
//! use flitwork_schema::Part;
//! use flitwork_topology::{Grid, Shape};
//! use flitwork_traffic::Once;
//! use flitwork_types::{Cycle, TerminalId};
//! use std::sync::Arc;
//!
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let nodes = Nodes::new(&Shape::from(mesh.clone()));
//! let network = Arc::new(Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1));
//! let packets = Once::new(&[(TerminalId(0), TerminalId(15))]);
//! let demand = Demand::until(Box::new(packets), Cycle(100));
//! let run = EventDriven::new(network, demand, first_probe());
//! let mut timeline = Timeline::new(Box::new(run), 1 << 20, 1);
//!
//! let formats = ExportFormat::built_in();
//! let vcd = formats.iter().find(|format| format.name == "vcd").unwrap();
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("run.vcd");
//! let mut job = Job {
//!     timeline: &mut timeline,
//!     nodes: &nodes,
//!     about: About { name: "run", version: "0.1.0", provenance: &[], words_travel_alone: false },
//!     times: (0, 100),
//!     words: false,
//!     filter: Filter::all(),
//!     limit: 10_000,
//!     go_on: &mut |_| true,
//! };
//! let done = (vcd.write)(&mut job, NewFile::create(&path).unwrap()).unwrap();
//! assert!(done.is_whole && done.count > 0);
//! assert!(std::fs::read_to_string(path).unwrap().contains("$scope module n15_x3_y3 $end"));
//! ```

mod error;
mod format;
mod job;
mod stays;
mod wave;

pub use error::ExportError;
pub use format::{ExportFormat, names};
pub use job::{About, Done, Job, Progress};
pub use stays::{StayRow, stay_columns};
pub use wave::{SignalRow, signal_columns};
