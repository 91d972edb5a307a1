//! What can't be answered is said, and the solver stops where it should.

use crate::{grid, models, request};
use flitwork_schedule::bounds::{BoundError, Limits, Model, distance, fractional, shortest};
use flitwork_schedule::multistage::Mesh;
use flitwork_schedule::{Request, check};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet};

/// A mesh of which no link leads from or to its last node.
struct Apart(Grid);

impl Apart {
    fn is_cut(&self, node: NodeId) -> bool {
        node.0 + 1 == self.0.nodes()
    }
}

impl Topology for Apart {
    fn nodes(&self) -> u32 {
        self.0.nodes()
    }
    fn ports(&self) -> usize {
        self.0.ports()
    }
    fn links(&self, node: NodeId) -> PortSet {
        let mut links = PortSet::EMPTY;
        for port in self.0.links(node).iter() {
            if self.far(node, port).is_some() {
                links.insert(port);
            }
        }
        links
    }
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let far = self.0.far(node, port)?;
        (!self.is_cut(node) && !self.is_cut(far.0)).then_some(far)
    }
    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet {
        if self.is_cut(here) || self.is_cut(destination) {
            return PortSet::EMPTY;
        }
        let mut ports = self.0.productive(here, destination);
        for port in self.0.productive(here, destination).iter() {
            if self.far(here, port).is_none() {
                ports.remove(port);
            }
        }
        ports
    }
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        self.0.distance(from, to)
    }
    fn diameter_hops(&self) -> u32 {
        self.0.diameter_hops()
    }
    fn port_name(&self, port: Port) -> String {
        self.0.port_name(port)
    }
    fn node_name(&self, node: NodeId) -> String {
        self.0.node_name(node)
    }
}

#[test]
fn packets_that_are_not_the_graphs() {
    let mesh = Apart(grid(3, 3));
    let errors = [
        (
            request(0, 9, 1),
            BoundError::Node {
                packet: 1,
                node: NodeId(9),
            },
        ),
        (
            request(u32::MAX, 0, 1),
            BoundError::Node {
                packet: 1,
                node: NodeId(u32::MAX),
            },
        ),
        (
            request(0, 1, 0),
            BoundError::Words {
                packet: 1,
                words: 0,
            },
        ),
        (request(0, 8, 1), BoundError::Apart { packet: 1 }),
        (request(8, 0, 1), BoundError::Apart { packet: 1 }),
        (request(0, 2, u32::MAX), BoundError::Long { packet: 1 }),
    ];
    let (model, limits) = (Model::default(), Limits::default());
    for (wrong, error) in errors {
        let requests = [request(0, 4, 1), wrong];
        assert_eq!(distance(&mesh, &requests), Err(error));
        assert_eq!(fractional(&mesh, &requests, model, &limits), Err(error));
        assert_eq!(shortest(&mesh, &requests, model, &limits), Err(error));
        assert!(!error.to_string().is_empty());
    }
    // Around the node that is cut off, all is well, also with detours.
    let requests: Vec<Request> = (0..8).map(|node| request(node, 7 - node, 1)).collect();
    for model in models() {
        let found = shortest(&mesh, &requests, model, &limits).expect("a problem");
        assert!(found.is_proven());
        assert_eq!(check(&mesh, &requests, &found.plans, model.waiting), Ok(()));
    }
}

#[test]
fn nothing_takes_no_steps() {
    let (grid, model, limits) = (grid(2, 2), Model::default(), Limits::default());
    for requests in [vec![], vec![request(3, 3, u32::MAX)]] {
        assert_eq!(distance(&grid, &requests), Ok(0));
        let bound = fractional(&grid, &requests, model, &limits).expect("a problem");
        assert_eq!((bound.steps, bound.cut), (0, None));
        let found = shortest(&grid, &requests, model, &limits).expect("a problem");
        assert_eq!((found.makespan, found.at_least), (0, 0));
    }
}

#[test]
fn large_problems_are_refused_at_once() {
    let grid = grid(100, 100);
    let requests: Vec<Request> = (0..9999).map(|node| request(node, 9999, 1)).collect();
    let (model, limits) = (Model::default(), Limits::default());
    let size = |steps: u32| BoundError::Size {
        size: 10_000 * 9_999 * u64::from(steps),
        limit: limits.size,
        steps,
    };
    assert_eq!(fractional(&grid, &requests, model, &limits), Err(size(198)));
    assert_eq!(shortest(&grid, &requests, model, &limits), Err(size(198)));
    let long = [request(0, 1, u32::MAX - 1), request(0, 1, u32::MAX - 1)];
    let size = BoundError::Size {
        size: 10_000 * 2 * u64::from(u32::MAX - 1),
        limit: limits.size,
        steps: u32::MAX - 1,
    };
    assert_eq!(fractional(&grid, &long, model, &limits), Err(size));
    assert_eq!(shortest(&grid, &long, model, &limits), Err(size));
}

/// Without conflicts to spare, the search's schedule stays, and it isn't called the shortest.
#[test]
fn a_solver_that_gives_up_says_so() {
    let grid = grid(3, 4);
    let requests = Mesh::permutation(&[3, 6, 9, 10, 7, 2, 11, 4, 8, 0, 1, 5]);
    let (model, limits) = (Model::default(), Limits::default());
    let limits = Limits {
        conflicts: 0,
        ..limits
    };
    let given_up = shortest(&grid, &requests, model, &limits).expect("a problem");
    assert_eq!(check(&grid, &requests, &given_up.plans, 0), Ok(()));
    assert_eq!((given_up.at_least, given_up.makespan), (3, 4));
    assert!(!given_up.is_proven());
}
