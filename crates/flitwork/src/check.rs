//! `flitwork check`.

use crate::args::{Check, Schema};
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, NETWORK_FAILED, complain, print};
use crate::run::{refused, warn_of_unread};
use flitwork_config::{ConfigError, Loaded, Override, Problem, table_within, unread_warning};
use flitwork_experiment::examine::{Deadlock, Examination, examine};
use flitwork_schedule::method::AnyMethod;
use flitwork_steps::named::AnyRule;
use flitwork_topology::Topology;
use std::fmt::Write;

pub(crate) fn run(args: &Check, asking: &Asking<'_>) -> Result<Code, Exit> {
    let (catalogue, places) = (asking.catalogue, asking.places);
    let Some(config) = args.config.as_ref().filter(|_| args.schema.is_none()) else {
        let schema = match args.schema {
            Some(Schema::Results) => flitwork_results::json_schema(),
            Some(Schema::Configuration) | None => catalogue.json_schema(),
        };
        places.prepare()?;
        print(&format!("{schema:#}\n"))?;
        return Ok(Code(FINE));
    };
    let given = args.settings.overrides()?;
    let has = |table| table_within(config, table).is_some();
    match has("router") {
        false if has("rule") => {
            let what = |algorithm: &AnyRule| format!("{}, {}", algorithm.name(), algorithm.store());
            return of_problem(catalogue.load_routing(config, &given), what, asking);
        }
        false if has("schedule") => {
            let what = |algorithm: &AnyMethod| algorithm.name().to_owned();
            return of_problem(catalogue.load_scheduling(config, &given), what, asking);
        }
        _ => {}
    }
    let error = match catalogue.load_with_unread(config, &given) {
        Ok((resolved, unread)) => {
            warn_of_unread(unread_warning(&unread));
            places.prepare()?;
            let found = examine(&resolved);
            show(&found)?;
            return Ok(verdict(&found));
        }
        Err(error) => error,
    };
    // If a configuration is refused only because it may deadlock, show how it may.
    let lifted = error.lifted_by().map(|key| {
        let allow = Override::by_option("check", key, "true");
        let given = given.iter().cloned().chain([allow]);
        (key, catalogue.load(config, &given.collect::<Vec<_>>()))
    });
    let Some((key, Ok(resolved))) = lifted else {
        return Err(refused(&error));
    };
    let found = examine(&resolved);
    show(&found)?;
    match verdict(&found) {
        Code(NETWORK_FAILED) => {
            complain(&format!(
                "hint: `flitwork run` refuses it without {key} = true"
            ));
            Ok(Code(NETWORK_FAILED))
        }
        // It was refused because it isn't known whether it may deadlock.
        _ => Err(refused(&error)),
    }
}

/// What is known of a static problem, and of what its packets go through.
fn of_problem<A>(
    loaded: Result<Loaded<Problem<A>>, ConfigError>,
    what: impl Fn(&A) -> String,
    asking: &Asking<'_>,
) -> Result<Code, Exit> {
    let loaded = loaded.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&loaded.unread));
    asking.places.prepare()?;
    let problem = &loaded.value;
    let shape = problem.shape();
    print(&format!(
        "network           {}, {} nodes\nalgorithm         {}\npackets           {}\nlongest distance  {} links\n",
        problem.topology(),
        shape.nodes(),
        what(&problem.algorithm),
        problem.packets.len(),
        problem.longest_distance()
    ))?;
    Ok(Code(FINE))
}

/// A network whose packets can wait for each other in a cycle may fail.
fn verdict(found: &Examination) -> Code {
    Code(match found.deadlock {
        Deadlock::May(_) => NETWORK_FAILED,
        Deadlock::Free(_) | Deadlock::Unknown(_) => FINE,
    })
}

fn show(found: &Examination) -> Result<(), Exit> {
    let width = found.facts.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for (name, value) in &found.facts {
        let _ = writeln!(text, "{name:width$}  {value}");
    }
    let _ = writeln!(text, "\n{}\n{}", found.deadlock, found.livelock);
    print(&text)?;
    for warning in &found.warnings {
        complain(&format!("warning: {warning}"));
    }
    Ok(())
}
