//! Grids against coordinates computed by division: node = x + width * (y + height * (z + …)).

use flitwork_topology::{Grid, GridError, MAX_DIMENSIONS, MAX_NODES, Topology};
use flitwork_types::{NodeId, Port};

/// A node's coordinates.
fn coordinates(sides: &[u32], node: u32) -> Vec<u32> {
    let mut rest = node;
    let mut along = |side: &u32| {
        let here = rest % side;
        rest /= side;
        here
    };
    sides.iter().map(&mut along).collect()
}

fn node_at(sides: &[u32], coordinates: &[u32]) -> NodeId {
    let pairs = sides.iter().zip(coordinates).rev();
    NodeId(pairs.fold(0, |node, (side, along)| node * side + along))
}

/// The axis of a port and whether coordinates grow in its direction: north, east, south, west are (y, less),
/// (x, more), (y, more), (x, less); a line has east and west; further dimensions have towards 0, then away
/// from it.
fn way(dimensions: usize, port: u8) -> (usize, bool) {
    match (dimensions, port) {
        (1, 0) => (0, true),
        (1, _) => (0, false),
        (_, 0) => (1, false),
        (_, 1) => (0, true),
        (_, 2) => (1, true),
        (_, 3) => (0, false),
        (_, port) => (usize::from(port / 2), port % 2 == 1),
    }
}

/// All nodes of small grids, and nodes spread over large ones.
fn nodes(grid: &Grid) -> impl Iterator<Item = u32> + use<> {
    let (all, step) = (grid.nodes(), (grid.nodes() / 500).max(1));
    (0..all).step_by(step as usize).chain([all - 1])
}

const SIDES: [&[u32]; 13] = [
    &[2],
    &[9],
    &[1 << 24],
    &[3, 2],
    &[1, 5],
    &[7, 1],
    &[4093, 4099],
    &[4096, 4096],
    &[3, 1, 4],
    &[251, 255, 257],
    &[2, 3, 4, 5],
    &[2; 16],
    &[3, 2, 2, 2, 2, 2, 2, 2],
];

fn grids() -> Vec<(Grid, Vec<u32>, bool)> {
    let mut grids = Vec::new();
    for sides in SIDES.map(<[u32]>::to_vec) {
        let nodes: u64 = sides.iter().map(|side| u64::from(*side)).product();
        if nodes > MAX_NODES.into() {
            continue;
        }
        grids.push((Grid::mesh(&sides).unwrap(), sides.clone(), false));
        if !sides.contains(&1) {
            grids.push((Grid::torus(&sides).unwrap(), sides, true));
        }
    }
    grids
}

#[test]
fn neighbours_are_a_step_along_an_axis() {
    for (grid, sides, wraps) in grids() {
        assert_eq!((grid.sides(), grid.wraps()), (sides.clone(), wraps));
        assert_eq!(grid.nodes(), sides.iter().product::<u32>());
        assert_eq!(grid.ports(), 2 * sides.len());
        assert_eq!(grid.local(), Port(2 * sides.len() as u8));
        for node in nodes(&grid) {
            let here = coordinates(&sides, node);
            assert_eq!(grid.coordinates(NodeId(node)), here, "{grid:?}");
            assert_eq!(grid.node_at(&here), NodeId(node));
            for port in 0..grid.ports() as u8 {
                let (axis, grows) = way(sides.len(), port);
                let (side, mut there) = (sides[axis], here.clone());
                let ends = if grows {
                    here[axis] + 1 == side
                } else {
                    here[axis] == 0
                };
                there[axis] = match grows {
                    true => (here[axis] + 1) % side,
                    false => (here[axis] + side - 1) % side,
                };
                let expected = (wraps || !ends).then(|| node_at(&sides, &there));
                let port = Port(port);
                assert_eq!(
                    grid.neighbour(NodeId(node), port),
                    expected,
                    "{grid:?} {node}"
                );
                assert_eq!(grid.links(NodeId(node)).contains(port), expected.is_some());
                let back = way(sides.len(), grid.opposite(port).0);
                assert_eq!(back, (axis, !grows), "{grid:?} {port:?}");
            }
            let local = grid.local();
            assert_eq!(grid.neighbour(NodeId(node), local), None);
            assert!(!grid.links(NodeId(node)).contains(local));
        }
    }
}

/// Along each axis the shorter way, on a torus both if they are equally long; distances are the sum of these.
#[test]
fn productive_ports_go_the_shorter_way() {
    for (grid, sides, wraps) in grids() {
        let all: Vec<u32> = nodes(&grid).collect();
        for (place, from) in all.iter().enumerate() {
            let to = all[(place * 7 + 3) % all.len()];
            let (here, there) = (coordinates(&sides, *from), coordinates(&sides, to));
            let productive = grid.productive(NodeId(*from), NodeId(to));
            let mut distance = 0;
            for (axis, side) in sides.iter().enumerate() {
                let up = (there[axis] + side - here[axis]) % side;
                let down = (side - up) % side;
                let (grows, shrinks) = match (wraps, up) {
                    (_, 0) => (false, false),
                    (true, _) => (up <= down, down <= up),
                    (false, _) => (there[axis] > here[axis], there[axis] < here[axis]),
                };
                distance += if wraps {
                    up.min(down)
                } else {
                    there[axis].abs_diff(here[axis])
                };
                for port in 0..grid.ports() as u8 {
                    let (of, up) = way(sides.len(), port);
                    let good = if up { grows } else { shrinks };
                    let found = productive.contains(Port(port));
                    assert!(of != axis || found == good, "{grid:?} {from} to {to}");
                }
            }
            assert_eq!(grid.distance(NodeId(*from), NodeId(to)), distance);
            assert!(distance <= grid.diameter_hops());
            assert!(!productive.contains(grid.local()));
        }
        let along = |side: &u32| if wraps { side / 2 } else { side - 1 };
        assert_eq!(grid.diameter_hops(), sides.iter().map(along).sum::<u32>());
    }
}

#[test]
fn ports_and_nodes_have_names() {
    let names = |grid: &Grid| -> Vec<String> {
        let ports = (0..=grid.ports() as u8).map(Port);
        ports.map(|port| grid.port_name(port)).collect()
    };
    let line = Grid::mesh(&[4]).unwrap();
    assert_eq!(names(&line), ["east", "west", "local"]);
    let plane = Grid::torus(&[4, 3]).unwrap();
    assert_eq!(names(&plane), ["north", "east", "south", "west", "local"]);
    let space = Grid::mesh(&[4, 3, 2, 2]).unwrap();
    let expected = [
        "north", "east", "south", "west", "-d3", "+d3", "-d4", "+d4", "local",
    ];
    assert_eq!(names(&space), expected);
    assert_eq!(line.node_name(NodeId(2)), "2 (2)");
    assert_eq!(plane.node_name(NodeId(6)), "6 (2, 1)");
    // 1 + 4 * (2 + 3 * (0 + 2 * 1)).
    assert_eq!(space.node_name(NodeId(33)), "33 (1, 2, 0, 1)");
    assert_eq!(
        format!("{plane:?} {space:?}"),
        "torus[4, 3] mesh[4, 3, 2, 2]"
    );
}

#[test]
fn sides_that_make_no_grid_are_refused_with_what_is_allowed() {
    assert_eq!((MAX_DIMENSIONS, MAX_NODES), (16, 1 << 24));
    let mesh = |sides: &[u32]| {
        Grid::mesh(sides)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let torus = |sides: &[u32]| {
        Grid::torus(sides)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let wrong = |text: &str| Err(text.to_owned());
    assert_eq!(mesh(&[]), wrong("0 sides; a grid has 1 to 16"));
    assert_eq!(mesh(&[1; 17]), wrong("17 sides; a grid has 1 to 16"));
    assert_eq!(torus(&[2; 16]), Ok(()));
    assert_eq!(mesh(&[3, 0]), wrong("side 2 is 0; the least is 1"));
    assert_eq!(torus(&[1, 3]), wrong("side 1 is 1; the least is 2"));
    assert_eq!((mesh(&[2, 1]), torus(&[2, 2])), (Ok(()), Ok(())));
    assert_eq!(mesh(&[1, 1]), wrong("1 nodes; a grid has 2 to 16777216"));
    assert_eq!(mesh(&[4096, 4096]), Ok(()));
    assert_eq!(mesh(&[1 << 24]), Ok(()));
    let text = "16777217 nodes; a grid has 2 to 16777216";
    assert_eq!(mesh(&[(1 << 24) + 1]), wrong(text));
    let error = Grid::torus(&[2, 1]).unwrap_err();
    let side = GridError::Side {
        dimension: 1,
        side: 1,
        least: 2,
    };
    assert_eq!(error, side);
}
