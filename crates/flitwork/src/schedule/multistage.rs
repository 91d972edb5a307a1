//! `multistage`: packets get their ways one after the other (Symvonis and Tidswell 1994).

use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::Plan;
use flitwork_schedule::multistage::{
    Mended, Mender, Mesh, MeshError, ORDERS, Order, Paths, ProblemError, Rules, Scheduler, Search,
    SearchError, Selection, Ties, longest_first,
};
use flitwork_topology::Topology;
use serde_json::{Value, json};

pub(super) const METHOD: Method = Method {
    name: "multistage",
    keys: &[
        "order", "select", "ties", "seed", "waiting", "detours", "tries",
    ],
    make,
};

/// The name of the selection that searches a graph.
const EARLIEST: &str = "earliest";
/// With what a seed is read.
const DRAWN_WITH: &str = "order or ties = \"random\", or tries, on a mesh with two sides";

fn make(ask: &Ask) -> Result<Made, Exit> {
    let mesh = match &ask.net {
        Net::Grid(grid) => Mesh::new(grid),
        Net::Graph(_) => Err(MeshError::Wraps),
    };
    let selections: Vec<(&str, Option<Selection>)> = Selection::ALL
        .iter()
        .flat_map(|(name, it)| [(*name, Some(*it)), (it.short_name(), Some(*it))])
        .chain([(EARLIEST, None)])
        .collect();
    let usual = mesh.is_ok().then_some(Selection::PathSelection);
    match ask.part("select", usual, &selections)? {
        Some(selection) => on_mesh(ask, mesh, selection),
        None => match &ask.net {
            Net::Grid(grid) => searched(ask, &**grid, mesh.ok()),
            Net::Graph(graph) => searched(ask, &**graph, None),
        },
    }
}

/// Paths with one bend at most.
fn on_mesh(ask: &Ask, mesh: Result<Mesh, MeshError>, selection: Selection) -> Result<Made, Exit> {
    let mesh = mesh.map_err(|error| match &ask.net {
        Net::Grid(_) => {
            let what = format!("{}: the network is {error}", selection.name());
            ask.wrong(
                "select",
                what,
                "on a mesh with two sides; elsewhere \"earliest\"",
            )
        }
        Net::Graph(_) => {
            let what = format!("{}: the network is a graph of links", selection.name());
            ask.wrong(
                "select",
                what,
                "on a mesh with two sides; elsewhere \"earliest\"",
            )
        }
    })?;
    for key in ["waiting", "detours"] {
        let is_needed = ask.settings.number(key) != Some(0) && ask.settings.has(key);
        if is_needed {
            let what = format!(
                "schedule.{key}: by {} nobody waits or turns twice",
                selection.name()
            );
            return Err(ask.wrong(key, what, "it with select = \"earliest\""));
        }
    }
    let rules = rules(ask, selection)?;
    let mut scheduler = Scheduler::new(mesh.clone());
    let refused = |error| refused(ask, error);
    let summary = scheduler.schedule(&ask.requests, &rules).map_err(refused)?;
    let mut plans = scheduler.plans(&ask.requests);
    let mut says = vec![
        ("order", json!(rules.order.name())),
        ("select", json!(selection.name())),
        ("ties", json!(rules.ties.name())),
    ];
    let tries = ask.settings.number("tries").unwrap_or(0) as u32;
    if tries > 0 && summary.excess() > 0 {
        let mended = Mender::new(mesh, tries).mend(&ask.requests, &rules);
        let mended = mended.map_err(refused)?;
        let order = scheduler
            .order(&ask.requests, &rules)
            .map_err(refused)?
            .to_vec();
        if let Some(better) = mend(ask, &mut scheduler, &rules, &order, mended)? {
            plans = better;
        }
        says.extend(as_values(mended));
    }
    Ok(Made { plans, says })
}

fn rules(ask: &Ask, selection: Selection) -> Result<Rules, Exit> {
    let usual = Rules::default();
    let ties = Ties::ALL.iter();
    let ties: Vec<(&str, Ties)> = ties
        .flat_map(|(name, it)| [(*name, *it), (it.short_name(), *it)])
        .collect();
    let orders: Vec<(&str, Order)> = ORDERS.iter().map(|it| (it.name, it.order)).collect();
    let order = ask.part("order", usual.order, &orders)?;
    let ties = ask.part("ties", usual.ties, &ties)?;
    let tries = ask.settings.number("tries").unwrap_or(0) > 0;
    let is_drawn = tries || order.name() == "random" || ties == Ties::Random;
    Ok(Rules {
        order,
        ties,
        seed: ask.seed(is_drawn, DRAWN_WITH)?,
        selection,
    })
}

/// What brought the schedule to the longest distance, as it is reported.
fn as_values(mended: Mended) -> [(&'static str, Value); 5] {
    [
        ("mended_by_ties", json!(mended.ties)),
        ("mended_by_restarts", json!(mended.restarts)),
        ("mended_by_waiting", json!(mended.waiting)),
        ("mended_by_detours", json!(mended.detours)),
        ("mended_by_both", json!(mended.waiting_and_detours)),
    ]
}

/// The plans that reach the longest distance, if anything does.
fn mend(
    ask: &Ask,
    scheduler: &mut Scheduler,
    rules: &Rules,
    order: &[u32],
    mended: Mended,
) -> Result<Option<Vec<Plan>>, Exit> {
    let by_ties = mended.ties.map(|number| rules.with_random_ties(number));
    let by_order = mended
        .restarts
        .map(|number| rules.with_random_order(number));
    let tried = by_ties.or(by_order);
    if let Some(rules) = tried {
        let scheduled = scheduler.schedule(&ask.requests, &rules);
        scheduled.map_err(|error| refused(ask, error))?;
        return Ok(Some(scheduler.plans(&ask.requests)));
    }
    let searched = match mended {
        Mended { waiting: true, .. } => (1, Paths::Shortest),
        Mended { detours: true, .. } => (0, Paths::Any),
        Mended {
            waiting_and_detours: true,
            ..
        } => (1, Paths::Any),
        _ => return Ok(None),
    };
    let grid = scheduler.mesh().grid().clone();
    let plans = Search::new(&grid, searched.0, searched.1).schedule(&ask.requests, order);
    Ok(plans.ok())
}

fn refused(ask: &Ask, error: ProblemError) -> Exit {
    match error {
        ProblemError::Node { packet, .. } => {
            ask.wrong_packet(packet, error, "nodes of the network")
        }
        ProblemError::Words { .. } => ask.wrong_words(error, "shorter packets"),
        ProblemError::Order => Exit::Failure(error.to_string()),
    }
}

/// The path of each packet that arrives the earliest.
fn searched<T: Topology>(ask: &Ask, topology: &T, mesh: Option<Mesh>) -> Result<Made, Exit> {
    let (order, named) = match mesh {
        Some(mesh) => {
            let rules = rules(ask, Selection::PathSelection)?;
            let mut scheduler = Scheduler::new(mesh);
            let order = scheduler.order(&ask.requests, &rules);
            let order = order.map_err(|error| refused(ask, error))?;
            (order.to_vec(), (rules.order.name(), rules.ties.name()))
        }
        None => {
            let usual = Order::LongestTotal.name();
            if let Some(order) = ask.settings.text("order").filter(|order| *order != usual) {
                let what = format!(
                    "schedule.order is \"{order}\" and the network has no rows and columns"
                );
                return Err(ask.wrong("order", what, format!("{usual} there")));
            }
            if ask.settings.has("ties") {
                let what = "schedule.ties: the network has no rows and columns";
                return Err(ask.wrong(
                    "ties",
                    what,
                    "nothing there: ties are by the packets' order",
                ));
            }
            ask.seed(false, DRAWN_WITH)?;
            (
                longest_first(topology, &ask.requests),
                (usual, "packets' order"),
            )
        }
    };
    if ask.settings.has("tries") {
        let what = "schedule.tries: by earliest there are no other orders to try";
        return Err(ask.wrong("tries", what, "it with paths of one bend on a mesh"));
    }
    let waiting = ask.settings.number("waiting").unwrap_or(0) as usize;
    let paths = match ask.settings.is_true("detours") {
        true => Paths::Any,
        false => Paths::Shortest,
    };
    let plans = Search::new(topology, waiting, paths).schedule(&ask.requests, &order);
    let plans = plans.map_err(|error| match error {
        SearchError::Node { packet, .. } | SearchError::Apart { packet } => {
            ask.wrong_packet(packet, error, "nodes with links from one to the other")
        }
        SearchError::Words { .. } => ask.wrong_words(error, "shorter packets"),
        SearchError::Order => Exit::Failure(error.to_string()),
    })?;
    Ok(Made {
        plans,
        says: vec![
            ("order", json!(named.0)),
            ("select", json!(EARLIEST)),
            ("ties", json!(named.1)),
            ("may_wait", json!(waiting)),
            ("detours", json!(paths == Paths::Any)),
        ],
    })
}
