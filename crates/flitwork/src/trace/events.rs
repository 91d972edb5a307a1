//! `flitwork trace events`.

use super::session::{Session, filter};
use super::table::{Form, Table};
use super::times::within;
use crate::args::Events;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, INTERRUPTED, complain};
use flitwork_debug::language::{Columns, Filter};
use flitwork_debug::rows::{EventRow, KINDS_OF_WORDS, event_columns};
use flitwork_debug::{Ended, Wanted};
use flitwork_experiment::simulation::Use;

/// Cycles whose events are gathered before they are printed.
const AT_ONCE_CYCLES: u64 = 64;

pub(super) fn run(args: &Events, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&args.of, asking)?;
    let usage = match args.words {
        true => Use::Views,
        false => Use::Events,
    };
    let (mut timeline, differs) = session.timeline(usage)?;
    let columns = event_columns(&session.nodes, timeline.unit());
    let filter = filter(args.filter.as_ref(), &columns)?;
    if !args.words {
        say_left_out(&filter, &columns);
    }
    let end = session.recalled.end();
    let go_on = &mut || session.interruption().flow().is_continue();
    let (from, to) = within(&args.times, &mut timeline, end, go_on)?;
    let wanted = Wanted {
        words: args.words,
        arrivals: args.words,
        ..Wanted::EVENTS
    };
    let mut branch = timeline.copy_while(from, wanted, go_on)?;
    let mut table = Table::new(&columns, Form::new(args.of.json, args.jsonl));
    let limit = args.limit.map_or(u64::MAX, u64::from);
    let cycle_time = session.recalled.cycle_time();
    let mut ended = Ended::Deadline;
    while branch.now() < to && ended == Ended::Deadline && table.rows() < limit {
        if session.interruption().flow().is_break() {
            table.end()?;
            return Ok(Code(INTERRUPTED));
        }
        let until = branch
            .now()
            .saturating_add(AT_ONCE_CYCLES * cycle_time)
            .min(to);
        let (mut happened, how) = branch.advance(until);
        ended = how;
        if until == end || ended != Ended::Deadline {
            happened.extend(branch.rest());
        }
        // Deliveries by the last steps are of the run, however late they are, unless one asks for a part of it.
        happened.retain(|it| it.time < to || args.times.to.is_none());
        for happening in &happened {
            let row = EventRow {
                happening,
                nodes: &session.nodes,
            };
            if table.rows() < limit && filter.holds(&row) {
                table.put(&row)?;
            }
        }
    }
    table.end()?;
    session.agree(&differs)
}

/// Says that a condition asks for events that aren't listed.
fn say_left_out(filter: &Filter, columns: &Columns) {
    for kind in KINDS_OF_WORDS {
        if filter.asks_for(columns, "kind", kind) {
            complain(&format!(
                "--where: events of the kind {kind} are left out; --words lists them"
            ));
        }
    }
}
