//! `flitwork trace`: questions to a run.

mod blame;
mod diff;
mod events;
mod export;
mod hang;
mod info;
mod node;
mod packet;
mod packets;
pub(crate) mod session;
mod table;
mod times;
mod what_if;
mod why;

use crate::args::{Question, Trace};
use crate::asking::{Asking, Stop};
use crate::exit::Code;

pub(crate) fn run(args: &Trace, asking: &Asking<'_>) -> Result<Code, Stop> {
    match &args.question {
        Question::Info(args) => info::run(args, asking),
        Question::Packets(args) => packets::run(args, asking),
        Question::Packet(args) => packet::run(args, asking),
        Question::Why(args) => why::run(args, asking),
        Question::Blame(args) => blame::run(args, asking),
        Question::Node(args) => node::run(args, asking),
        Question::Events(args) => events::run(args, asking),
        Question::Export(args) => export::run(args, asking),
        Question::Diff(args) => diff::run(args, asking),
        Question::Hang(args) => hang::run(args, asking),
    }
}
