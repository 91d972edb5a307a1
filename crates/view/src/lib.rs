//! Showing a run: in a terminal, on a page on loopback, in a folder that is opened from disk.
//!
//! ```text
//!   Run ──▶ Show: player, asker, survey ──▶ page ──▶ browser
//!   (a configuration,   (a thread each)      └────▶ export ──▶ folder
//!    a record) ──▶ terminal                  shown: JSON, names
//! ```
//!
//! May depend on `debug` and on what it is made of. Must never know a configuration, a router or a file.
//!
//! ```
//! use flitwork_types::{PacketId, TerminalId};
//! use flitwork_view::shown::{named, packet_of};
//!
//! let packet = PacketId { source: TerminalId(33), serial: 4450 };
//! assert_eq!(named(packet), "33.4450");
//! assert_eq!(packet_of("33.4450"), Some(packet));
//! assert_eq!(packet_of("33,4450"), None);
//! ```

mod background;
pub mod compared;
pub mod export;
pub mod lookup;
pub mod page;
pub mod palette;
pub mod run;
pub mod show;
pub mod shown;
pub mod surveyed;
pub mod terminal;
pub mod text;
pub mod worker;
