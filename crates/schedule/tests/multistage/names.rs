//! Orders, ties and selections by name.

use crate::mesh;
use flitwork_schedule::multistage::{Mesh, ORDERS, Order, Rules, Scheduler, Selection, Ties};
use flitwork_schema::{Part, Parts};

/// The order of that name.
fn find(name: &str) -> Option<Order> {
    Parts::new().find(name)
}

#[test]
fn names_find_what_they_name() {
    let names: Vec<_> = ORDERS.iter().map(|order| order.name()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for order in ORDERS {
        assert_eq!(find(order.name()), Some(*order));
        assert!(!order.help().is_empty());
    }
    for (name, ties) in Ties::ALL {
        assert_eq!((Ties::find(name), ties.name()), (Some(*ties), *name));
    }
    for (name, selection) in Selection::ALL {
        assert_eq!(
            (Selection::find(name), selection.name()),
            (Some(*selection), *name)
        );
    }
    assert!(Ties::ALL.is_sorted_by_key(|(name, _)| name));
    assert!(Selection::ALL.is_sorted_by_key(|(name, _)| name));
    assert_eq!(
        (find("longest"), Ties::find(""), Selection::find("any")),
        (None, None, None)
    );
}

/// ```text
///  0 1 2    to    5 2 4
///  3 4 5          3 0 1
/// ```
#[test]
fn orders_are_the_papers() {
    let requests = Mesh::permutation(&[5, 2, 4, 3, 0, 1]);
    let mut scheduler = Scheduler::new(mesh(2, 3));
    let mut order = |order: &str, ties: &str| {
        let rules = Rules {
            order: find(order).expect("an order"),
            ties: Ties::find(ties).expect("ties"),
            ..Rules::default()
        };
        scheduler
            .order(&requests, &rules)
            .expect("a problem")
            .to_vec()
    };
    let rows = "source-row-major";
    assert_eq!(order("row-major", "random"), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order("row-snake", "random"), [0, 1, 2, 5, 4, 3]);
    assert_eq!(order("column-major", "random"), [0, 3, 1, 4, 2, 5]);
    assert_eq!(order("column-snake", "random"), [0, 3, 4, 1, 2, 5]);
    // Links along the row and the column: 2 1, 1 0, 1 1, 0 0, 1 1, 1 1.
    assert_eq!(order("longest-total", rows), [0, 2, 4, 5, 1, 3]);
    assert_eq!(order("shortest-total", rows), [3, 1, 2, 4, 5, 0]);
    assert_eq!(order("longest-horizontal", rows), [0, 1, 2, 4, 5, 3]);
    assert_eq!(order("shortest-horizontal", rows), [3, 1, 2, 4, 5, 0]);
    assert_eq!(order("longest-vertical", rows), [0, 2, 4, 5, 1, 3]);
    assert_eq!(order("shortest-vertical", rows), [1, 3, 0, 2, 4, 5]);
    assert_eq!(
        order("longest-total", "source-column-major"),
        [0, 4, 2, 5, 1, 3]
    );
    assert_eq!(
        order("longest-total", "destination-row-major"),
        [0, 4, 5, 2, 1, 3]
    );
    assert_eq!(
        order("longest-total", "destination-column-major"),
        [0, 4, 5, 2, 1, 3]
    );
    let mut random = order("longest-total", "random");
    assert_eq!((random[0], &random[4..]), (0, &[1, 3][..]));
    random.sort_unstable();
    assert_eq!(random, [0, 1, 2, 3, 4, 5]);
    let mut random = order("random", rows);
    assert_ne!(random, [0, 1, 2, 3, 4, 5]);
    random.sort_unstable();
    assert_eq!(random, [0, 1, 2, 3, 4, 5]);
}

/// Each order of ties is reached by some seed.
#[test]
fn random_ties_are_any_order() {
    let requests = Mesh::permutation(&[1, 0, 3, 2]);
    let mut scheduler = Scheduler::new(mesh(2, 2));
    let orders = (0..300).map(|seed| {
        let rules = Rules {
            ties: Ties::Random,
            seed,
            ..Rules::default()
        };
        scheduler
            .order(&requests, &rules)
            .expect("a problem")
            .to_vec()
    });
    let orders: std::collections::BTreeSet<_> = orders.collect();
    assert_eq!(orders.len(), 24);
}
