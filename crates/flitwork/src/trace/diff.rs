//! `flitwork trace diff`.

mod packets;

use super::session::Session;
use super::table::{Form, print_events};
use crate::args::{Diff, What};
use crate::asking::{Asking, Stop};
use crate::exit::{Code, FINE, INTERRUPTED, print};
use flitwork_debug::rows::event_columns;
use flitwork_debug::{Explained, FirstDifference, TimeUnit, explain, first_difference};
use flitwork_experiment::simulation::Use;
use flitwork_view::shown::difference_json;
use flitwork_view::text::node_text;
use serde_json::{Value, json};

pub(super) fn run(args: &Diff, asking: &Asking<'_>) -> Result<Code, Stop> {
    let (runs, settings) = ([&*args.run, &args.other], &args.settings);
    let [one, other] = Session::both(runs, settings, &args.set_b, asking)?;
    if args.by == What::Packets {
        return packets::run(args, &one, &other);
    }
    let (mut a, differs) = one.timeline(Use::Events)?;
    let (mut b, others) = other.timeline(Use::Events)?;
    let ends = [one.recalled.end(), other.recalled.end()];
    let interruption = one.interruption();
    let go_on = &mut || interruption.flow().is_continue();
    let found = first_difference([&mut a, &mut b], ends, go_on);
    one.agree(&differs)?;
    other.agree(&others)?;
    if interruption.is_requested() {
        return Ok(Code(INTERRUPTED));
    }
    let Some(found) = found else {
        let text = "no difference: every node does the same in each of its cycles, for as long as both runs last\n";
        print(&match args.json {
            true => format!("{}\n", json!({"difference": null})),
            false => text.to_owned(),
        })?;
        return Ok(Code(FINE));
    };
    let shown = Shown::new([&one, &other], ends, found)?;
    match args.json {
        true => print(&format!("{:#}\n", shown.json()))?,
        false => shown.print()?,
    }
    Ok(Code(FINE))
}

/// A difference with what is shown of it.
struct Shown<'a> {
    sessions: [&'a Session<'a>; 2],
    units: [TimeUnit; 2],
    found: FirstDifference,
    /// What the node holds and decides there, in either run.
    explained: [Option<Explained>; 2],
}

impl<'a> Shown<'a> {
    fn new(
        sessions: [&'a Session<'a>; 2],
        ends: [u64; 2],
        found: FirstDifference,
    ) -> Result<Shown<'a>, Stop> {
        let (mut a, _) = sessions[0].timeline(Use::Views)?;
        let (mut b, _) = sessions[1].timeline(Use::Views)?;
        let (node, cycle) = (found.node, found.cycle);
        let go_on = &mut || sessions[0].interruption().flow().is_continue();
        Ok(Shown {
            sessions,
            units: [a.unit(), b.unit()],
            explained: [
                explain(&mut a, node, cycle, ends[0], go_on),
                explain(&mut b, node, cycle, ends[1], go_on),
            ],
            found,
        })
    }

    fn json(&self) -> Value {
        difference_json(
            self.sessions.map(|session| &session.nodes),
            self.units,
            &self.found,
            self.explained.each_ref().map(Option::as_ref),
        )
    }

    fn print(&self) -> Result<(), Stop> {
        print(&heading(self.sessions[0], &self.found))?;
        for (side, name) in ["A", "B"].into_iter().enumerate() {
            let session = self.sessions[side];
            print(&format!("\n{name}, {}, does\n", session.title()))?;
            let columns = event_columns(&session.nodes, self.units[side]);
            match &self.found.events[side] {
                Some(it) => print_events(&session.nodes, &columns, Form::Text, [it])?,
                None => print("  nothing that the other doesn't\n")?,
            }
            if let Some(it) = &self.explained[side] {
                print(&node_text(&session.nodes, &it.view, Some(it)))?;
            }
        }
        print(&spread_text(&self.found))?;
        Ok(())
    }
}

fn heading(session: &Session<'_>, found: &FirstDifference) -> String {
    let node = session.nodes.name(found.node);
    let sources = match found.is_of_sources() {
        true => "\nthe sources differ: the runs have different packets from here on\n",
        false => "",
    };
    format!(
        "the first difference is at node {node} in its cycle {}\n{sources}",
        found.cycle
    )
}

fn spread_text(found: &FirstDifference) -> String {
    let mut text = "\nhow it spreads: nodes that differ within this many cycles\n".to_owned();
    for (cycles, nodes) in &found.spread {
        text += &format!("{cycles:>8} cycles  {nodes:>8} nodes\n");
    }
    text
}
