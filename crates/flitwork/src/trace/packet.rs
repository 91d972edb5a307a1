//! `flitwork trace packet`.

use super::session::Session;
use super::table::{Form, print_events};
use super::why;
use crate::args::AskPacket;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, print};
use flitwork_debug::rows::event_columns;
use flitwork_experiment::simulation::Use;

pub(super) fn run(ask: &AskPacket, asking: &Asking<'_>) -> Result<Code, Stop> {
    let form = Form::new(ask.one.of.json, ask.jsonl);
    let session = Session::of(&ask.one.of, asking)?;
    let (packet, node) = ask.one.packet;
    let row = session.packet(packet)?;
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let journey = session.journey(&mut timeline, &row, packet)?;
    let columns = event_columns(&session.nodes, timeline.unit());
    let happened = journey.happened.iter().filter(|it| {
        let is_there = node.is_none_or(|node| it.node == node);
        is_there && (ask.words || journey.is_of_its_word(it))
    });
    if form == Form::Text {
        print(&why::heading(&session, &journey))?;
    }
    print_events(&session.nodes, &columns, form, happened)?;
    if form == Form::Text {
        let found = session.why(&mut timeline, journey)?;
        print(&format!(
            "\n{}",
            why::table(&session, &found, node, &why::Trees::new())
        ))?;
    }
    session.agree(&differs)
}
