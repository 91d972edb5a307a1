//! Distances, ports and names of grids.

use super::*;

fn grids() -> Vec<Grid> {
    let sides: [&[u32]; 9] = [
        &[2],
        &[7],
        &[2, 2],
        &[5, 3],
        &[1, 6],
        &[4, 4],
        &[3, 4, 5],
        &[2, 3, 2, 3],
        &[2; 6],
    ];
    let meshes = sides.iter().map(|sides| Grid::mesh(sides).unwrap());
    let tori = sides.iter().filter(|sides| !sides.contains(&1));
    meshes
        .chain(tori.map(|sides| Grid::torus(sides).unwrap()))
        .collect()
}

/// Distances by breadth-first search, using only `neighbour`.
fn searched(grid: &Grid, from: NodeId) -> Vec<u32> {
    let mut distance = vec![u32::MAX; grid.nodes() as usize];
    let mut queue = std::collections::VecDeque::from([from]);
    distance[from.index()] = 0;
    while let Some(node) = queue.pop_front() {
        for next in grid
            .links(node)
            .iter()
            .filter_map(|port| grid.neighbour(node, port))
        {
            if distance[next.index()] == u32::MAX {
                distance[next.index()] = distance[node.index()] + 1;
                queue.push_back(next);
            }
        }
    }
    distance
}

#[test]
fn links_lead_both_ways() {
    for grid in grids() {
        for node in (0..grid.nodes()).map(NodeId) {
            for port in (0..grid.ports() as u8).map(Port) {
                let next = grid.neighbour(node, port);
                assert_eq!(next.is_some(), grid.links(node).contains(port));
                let far = grid.far(node, port);
                assert_eq!(next, far.map(|(far, _)| far));
                if let Some((far, back)) = far {
                    assert_eq!(grid.far(far, back), Some((node, port)));
                    assert_eq!(back, grid.opposite(port));
                }
            }
            assert_eq!(grid.node_at(&grid.coordinates(node)), node);
        }
    }
}

#[test]
fn the_diameter_is_the_longest_distance_that_a_search_finds() {
    for grid in grids() {
        let nodes = (0..grid.nodes()).map(NodeId);
        let longest = nodes.flat_map(|from| searched(&grid, from)).max();
        assert_eq!(Some(grid.diameter_hops()), longest, "{grid:?}");
    }
}

#[test]
fn productive_ports_are_those_that_a_search_finds() {
    for grid in grids() {
        for to in (0..grid.nodes()).map(NodeId) {
            let distance = searched(&grid, to);
            for here in (0..grid.nodes()).map(NodeId) {
                assert_eq!(grid.distance(here, to), distance[here.index()]);
                for port in grid.links(here).iter() {
                    let next = grid.neighbour(here, port).unwrap();
                    assert_eq!(
                        grid.productive(here, to).contains(port),
                        distance[next.index()] < distance[here.index()],
                        "{grid:?} {here} {to} {port:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn nonsense_is_refused() {
    assert_eq!(Grid::mesh(&[]).unwrap_err(), GridError::Dimensions(0));
    assert_eq!(Grid::mesh(&[1; 17]).unwrap_err(), GridError::Dimensions(17));
    assert_eq!(Grid::mesh(&[1, 1]).unwrap_err(), GridError::Nodes(1));
    let zero = GridError::Side {
        dimension: 1,
        side: 0,
        least: 1,
    };
    assert_eq!(Grid::mesh(&[4, 0]).unwrap_err(), zero);
    let ring = GridError::Side {
        dimension: 0,
        side: 1,
        least: 2,
    };
    assert_eq!(Grid::torus(&[1, 4]).unwrap_err(), ring);
    assert!(matches!(
        Grid::mesh(&[u32::MAX; 16]),
        Err(GridError::Nodes(_))
    ));
}
