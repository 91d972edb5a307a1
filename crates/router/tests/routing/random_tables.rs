//! The check of tables on random graphs against a walk of its own; and damaged tables.

#[path = "../../../../tests/tables/case.rs"]
mod case;

use case::{Case, Draws, hold};
use flitwork_router::routing::{
    AnyFunction, ROUTINGS, Routing, RoutingParameters, Table, Verdict, astray, check, examine,
};
use flitwork_topology::{Graph, Shape};
use flitwork_types::NodeId;
use std::ops::ControlFlow;

/// The network, whose nodes have the names `n0`, `n1` and so on.
fn network(case: &Case) -> Shape {
    let nodes = case.terminals.len() as u32;
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for (one, other) in &case.links {
        graph
            .join(NodeId(*one as u32), NodeId(*other as u32))
            .unwrap();
    }
    let homes = (0..nodes).flat_map(|node| vec![NodeId(node); case.terminals[node as usize]]);
    graph.set_terminals(homes).unwrap();
    let names = (0..nodes).map(|node| format!("{node} (n{node})"));
    graph.name_nodes(names.collect()).unwrap();
    Shape::from(graph.build().unwrap())
}

fn routing(case: &Case, shape: &Shape) -> Box<dyn Routing> {
    let table = Table::of_text(("t.csv", &case.text()), shape, case.channels);
    let parameters = RoutingParameters {
        name: "table".into(),
        channels: case.channels,
        own: Some(AnyFunction::from(table.unwrap())),
        ..RoutingParameters::default()
    };
    let entry = ROUTINGS.iter().find(|it| it.name == "table").unwrap();
    entry.build(&parameters, shape).unwrap()
}

#[test]
fn the_check_of_tables_is_a_walk() {
    let (mut free, mut faulty) = (0, 0);
    for seed in 0..4000 {
        let case = Case::drawn(seed);
        let shape = network(&case);
        let routing = routing(&case, &shape);
        let mut passes = Vec::new();
        let watched = examine(&*routing, &shape, &mut |done, of| {
            assert!(done < of);
            passes.push(done);
            ControlFlow::Continue(())
        });
        let found = watched.unwrap();
        assert!(passes.iter().filter(|done| **done == 0).count() >= 2);
        let (circle, dependencies) = match &found.verdict {
            Verdict::Acyclic { dependencies, .. } => (None, *dependencies),
            Verdict::Circle(circle) => (Some(circle), circle.dependencies),
            verdict @ Verdict::EscapeAcyclic { .. } => panic!("{verdict}"),
        };
        hold(&case, &shape, &found.astray, (circle, dependencies));
        assert_eq!(astray(&*routing, &shape), found.astray);
        assert_eq!(
            check(&*routing, &shape).ok().is_some(),
            found.astray.is_empty()
        );
        free += u32::from(circle.is_none() && found.astray.is_empty());
        faulty += u32::from(!found.astray.is_empty());
        // The observer ends it.
        assert!(examine(&*routing, &shape, &mut |_, _| ControlFlow::Break(())).is_err());
    }
    assert!(free > 400 && faulty > 400, "{free} {faulty}");
}

/// Damaged tables are read or refused, with a place in the text; nothing panics.
#[test]
fn damaged_tables_are_refused_with_a_place() {
    let mut draws = Draws(7);
    let mut refused = 0;
    for seed in 0..20 {
        let case = Case::drawn(seed);
        let (shape, text) = (network(&case), case.text());
        for _ in 0..50 {
            let mut damaged: Vec<char> = text.chars().collect();
            for _ in 0..1 + draws.below(3) {
                let at = draws.below(damaged.len());
                let new =
                    [',', '\n', '\r', '|', '"', '#', '9', 'n', ' ', 'ß', '\0'][draws.below(11)];
                match draws.below(3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, new),
                    _ => damaged[at] = new,
                }
            }
            let damaged: String = damaged.into_iter().collect();
            let read = Table::of_text(("t.csv", &damaged), &shape, case.channels);
            if let Err(mistake) = read {
                refused += 1;
                assert!(!mistake.found.is_empty() && !mistake.allowed.is_empty());
                let place = mistake.at.map(|at| damaged.get(at).map(str::len));
                assert_ne!(place, Some(None), "{damaged}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
