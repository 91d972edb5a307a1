//! The table, and what is refused.

use crate::common::{mesh, more_grids, named, torus};
use flitwork_router::routing::{
    AxisOrder, Dateline, Freedom, MAX_CHANNELS, Needs, ROUTINGS, RoutingError, RoutingParameters,
    build_routing,
};
use flitwork_topology::Grid;

fn refusal(parameters: &RoutingParameters, grid: &Grid) -> RoutingError {
    match build_routing(parameters, grid) {
        Ok(_) => panic!("{parameters:?} is allowed on {grid:?}"),
        Err(error) => error,
    }
}

#[test]
fn the_table_is_sorted_and_describes_each() {
    assert!(ROUTINGS.is_sorted_by(|one, next| one.name < next.name));
    for entry in ROUTINGS {
        assert!(!entry.summary.is_empty(), "{}", entry.name);
        let Needs {
            mesh,
            torus,
            levels,
            groups,
            graph,
            ..
        } = entry.needs;
        let somewhere = mesh.or(torus).or(levels).or(groups).or(graph);
        assert!(somewhere.is_some(), "{}", entry.name);
    }
}

#[test]
fn each_takes_from_its_least_number_of_channels_to_all() {
    for grid in more_grids() {
        // Without a file there is no table.
        for entry in ROUTINGS.iter().filter(|it| it.freedom != Freedom::Checked) {
            let least = entry.needs.on(&grid);
            for channels in 0..=MAX_CHANNELS + 1 {
                let found = build_routing(&named(entry.name, channels), &grid);
                let allowed = least.is_some_and(|least| (least..=MAX_CHANNELS).contains(&channels));
                assert_eq!(found.is_ok(), allowed, "{} {channels} {grid:?}", entry.name);
                let Some(error) = found.err() else { continue };
                let key = if least.is_some() { "channels" } else { "name" };
                assert_eq!(error.value().key, key, "{error}");
            }
        }
    }
}

#[test]
fn refusals_say_what_was_found_and_what_is_allowed() {
    let error = refusal(&named("xy", 1), &mesh(&[4, 4]));
    assert_eq!(error.value().key, "name");
    assert_eq!(
        error.value().found,
        "\"xy\", which isn't a routing function"
    );
    assert!(
        error
            .value()
            .allowed
            .starts_with("chaotic, destination-tag, dimension-order, ")
    );

    let error = refusal(&named("odd-even", 1), &torus(&[4, 2]));
    assert_eq!(
        error.to_string(),
        "name is odd-even on a torus of 4 x 2; allowed: odd-even on a mesh of two dimensions"
    );
    let error = refusal(&named("west-first", 1), &mesh(&[4, 2, 3]));
    assert_eq!(
        error.to_string(),
        "name is west-first on a mesh of 4 x 2 x 3; allowed: west-first on a mesh of two dimensions"
    );
    let error = refusal(&named("o1turn", 4), &torus(&[4]));
    assert_eq!(
        error.to_string(),
        "name is o1turn on a torus of 4; allowed: o1turn on a mesh or torus of two dimensions"
    );
    let error = refusal(&named("negative-first", 1), &torus(&[4]));
    assert_eq!(
        error.to_string(),
        "name is negative-first on a torus of 4; allowed: negative-first on a mesh"
    );
    let error = refusal(&named("minimal-adaptive", 2), &torus(&[4, 2]));
    assert_eq!(
        error.to_string(),
        "channels is 2; allowed: 3 to 32 with minimal-adaptive on this topology"
    );
}

#[test]
fn parameters_that_go_unread_are_refused() {
    for entry in ROUTINGS {
        let grid = mesh(&[4, 4]);
        let given = [
            (
                "dateline",
                RoutingParameters {
                    dateline: Some(Dateline::Crossed),
                    ..named(entry.name, 4)
                },
            ),
            (
                "axis_order",
                RoutingParameters {
                    axis_order: Some(AxisOrder::XLast),
                    ..named(entry.name, 4)
                },
            ),
            (
                "misroutes",
                RoutingParameters {
                    misroutes: Some(2),
                    ..named(entry.name, 4)
                },
            ),
        ];
        for (parameter, parameters) in given {
            if entry.reads.contains(&parameter) {
                assert!(build_routing(&parameters, &grid).is_ok(), "{}", entry.name);
                continue;
            }
            let error = refusal(&parameters, &grid);
            assert_eq!(error.value().key, parameter);
            let reads = match (entry.reads, entry.own) {
                ([], Some(_)) => format!(
                    "only with another routing function: {} reads only the keys of its table",
                    entry.name
                ),
                ([], None) => format!(
                    "only with another routing function: {} reads no parameter of its own",
                    entry.name
                ),
                (reads, _) => format!(
                    "only with another routing function: {} reads only {}",
                    entry.name,
                    reads.join(" and ")
                ),
            };
            assert_eq!(
                error.to_string(),
                format!("{parameter} is given; allowed: {reads}")
            );
        }
    }
}

#[test]
fn a_packet_may_not_be_derouted_too_often() {
    let misroutes = |misroutes| RoutingParameters {
        misroutes: Some(misroutes),
        ..named("chaotic", 2)
    };
    let grid = mesh(&[4, 4]);
    assert!(build_routing(&misroutes(0), &grid).is_ok());
    assert!(build_routing(&misroutes(255), &grid).is_ok());
    let error = refusal(&misroutes(256), &grid);
    assert!(matches!(error, RoutingError::Value(_)));
    assert_eq!(error.to_string(), "misroutes is 256; allowed: 0 to 255");
}
