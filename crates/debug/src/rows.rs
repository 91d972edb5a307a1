//! What can be asked of a run, row by row: its events, its packets.

mod column;
mod events;
mod nodes;
mod packets;
mod shown;

pub(crate) use events::kind;
pub use events::{
    EventRow, KINDS_OF_WORDS, event_columns, place_kind, place_names, place_parts, place_port,
    unit_name,
};
pub use flitwork_trace::index::PacketRow;
pub use nodes::Nodes;
pub use packets::packet_columns;
pub use shown::{Cell, cells};
