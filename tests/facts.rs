//! Facts of the program, recorded before a change and compared after it: digests of every configuration on every
//! engine, texts, published rows, messages of bad inputs, and columns. They record what the program does, not what is
//! right: a difference is either a mistake or intended, and an intended one is recorded with
//!
//! ```sh
//! FLITWORK_RECORD_FACTS=1 cargo test --test facts
//! git diff tests/facts/recorded
//! ```

#[path = "facts/columns.rs"]
mod columns;
#[path = "facts/digests.rs"]
mod digests;
#[path = "facts/mask.rs"]
mod mask;
#[path = "facts/messages.rs"]
mod messages;
#[path = "facts/networks.rs"]
mod networks;
#[path = "facts/outputs.rs"]
mod outputs;
#[path = "facts/program.rs"]
mod program;
#[path = "facts/promises.rs"]
mod promises;
#[path = "facts/published.rs"]
mod published;
#[path = "facts/record.rs"]
mod record;
#[path = "facts/sample.rs"]
mod sample;
#[path = "facts/schema.rs"]
mod schema;
#[path = "facts/texts.rs"]
mod texts;
