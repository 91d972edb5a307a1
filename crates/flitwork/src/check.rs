//! `flitwork check`.

mod report;

use crate::args::{Check, Schema};
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, NETWORK_FAILED, complain, print, print_found};
use crate::program::program;
use crate::progress::over_destinations;
use crate::run::{refused, warn_of_unread};
use flitwork_config::{
    ConfigError, Loaded, Override, Problem, Resolved, Routing, Scheduling, table_within,
    unread_warning,
};
use flitwork_experiment::examine::{CheckError, Deadlock, Examination, Livelock, examine_under};
use flitwork_schedule::method::AnyMethod;
use flitwork_steps::named::AnyRule;
use flitwork_topology::Topology;
use serde_json::json;

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
            return of_problem(
                catalogue.load_routing(config, &given),
                (what, Routing::to_toml),
                args,
                asking,
            );
        }
        false if has("schedule") => {
            let what = |algorithm: &AnyMethod| algorithm.name().to_owned();
            return of_problem(
                catalogue.load_scheduling(config, &given),
                (what, Scheduling::to_toml),
                args,
                asking,
            );
        }
        _ => {}
    }
    let error = match catalogue.load_examined(config, &given) {
        Ok((resolved, unread)) => {
            warn_of_unread(unread_warning(&unread));
            places.prepare()?;
            let found = follow(&resolved, asking)?;
            let ended = report(&resolved, found.as_ref(), args)?;
            // Nothing lets a table run that leads packets astray.
            if found
                .as_ref()
                .is_some_and(|it| it.circle.is_some() && it.astray.is_empty())
            {
                hint_at(catalogue.load(config, &given).err().as_ref());
            }
            return Ok(ended);
        }
        Err(error) => error,
    };
    // If a configuration is refused only because it may deadlock, show how it may.
    let lifted = error.lifted_by().map(|key| {
        let allow = Override::by_option("check", key, "true");
        let given = given.iter().cloned().chain([allow]);
        catalogue.load(config, &given.collect::<Vec<_>>())
    });
    let Some(Ok(resolved)) = lifted else {
        return Err(refused(&error));
    };
    places.prepare()?;
    match report(&resolved, follow(&resolved, asking)?.as_ref(), args)? {
        Code(FINE) => {
            // It was refused because it isn't known whether it may deadlock.
            Err(refused(&error))
        }
        code => {
            hint_at(Some(&error));
            Ok(code)
        }
    }
}

/// Says what runs a configuration that is refused.
fn hint_at(error: Option<&ConfigError>) {
    if let Some(key) = error.and_then(ConfigError::lifted_by) {
        complain(&format!(
            "hint: `flitwork run` refuses it without {key} = true"
        ));
    }
}

/// What is known about a configuration; `None` if the user doesn't wait for it.
fn follow(resolved: &Resolved, asking: &Asking<'_>) -> Result<Option<Examination>, Exit> {
    let found = over_destinations(asking.interruption, |watch| examine_under(resolved, watch));
    match &found.unchecked {
        Some(CheckError::Stopped) => Ok(None),
        Some(error @ CheckError::TooLarge { .. }) => Err(Exit::bad_input(error)),
        _ => Ok(Some(found)),
    }
}

/// Prints what is known, and returns how the command ends.
fn report(resolved: &Resolved, found: Option<&Examination>, args: &Check) -> Result<Code, Exit> {
    let Some(found) = found else {
        complain("interrupted: there is no verdict yet");
        return Ok(Code(INTERRUPTED));
    };
    print_found(&report::json(resolved, found), args.json, || {
        report::text(found)
    })?;
    for warning in &found.warnings {
        complain(&format!("warning: {warning}"));
    }
    Ok(verdict(found))
}

/// What is known of a static problem, and of what its packets go through.
fn of_problem<A>(
    loaded: Result<Loaded<Problem<A>>, ConfigError>,
    (what, to_toml): (impl Fn(&A) -> String, fn(&Problem<A>) -> String),
    args: &Check,
    asking: &Asking<'_>,
) -> Result<Code, Exit> {
    let loaded = loaded.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&loaded.unread));
    asking.places.prepare()?;
    let problem = &loaded.value;
    let shape = problem.shape();
    let (network, nodes) = (problem.topology(), shape.nodes());
    let (algorithm, packets) = (what(&problem.algorithm), problem.packets.len());
    let longest = problem.longest_distance();
    let json = json!({
        "network": problem.network_in_words(),
        "nodes": nodes,
        "algorithm": algorithm,
        "packets": packets,
        "longest_distance_hops": longest,
        "provenance": program().ran(to_toml(problem), problem.seed),
    });
    print_found(&json, args.json, || {
        format!(
            "network           {network}, {nodes} nodes\nalgorithm         {algorithm}\npackets           {packets}\n\
             longest distance  {longest} links\n"
        )
    })?;
    Ok(Code(FINE))
}

/// A network fails whose packets can wait for each other in a cycle, or don't arrive.
fn verdict(found: &Examination) -> Code {
    let may_fail =
        matches!(found.deadlock, Deadlock::May(_)) || matches!(found.livelock, Livelock::May(_));
    Code(if may_fail { NETWORK_FAILED } else { FINE })
}
