//! Tests of all patterns, and what the tests of single patterns share.

use super::*;
use flitwork_schema::Datum;
use flitwork_topology::{Graph, Grid};
use flitwork_types::NodeId;
use std::collections::HashSet;

/// A mesh of the given sides.
pub(super) fn grid(sides: &[u32]) -> Grid {
    Grid::mesh(sides).unwrap()
}

/// A pattern with its default parameters.
pub(super) fn named(pattern: &str) -> AnyPattern {
    AnyPattern::named(&flitwork_schema::Parts::new(), pattern).unwrap()
}

/// The pattern, which must be allowed.
pub(super) fn built(pattern: &AnyPattern, grid: &Grid) -> Box<dyn Pattern> {
    match pattern.build(grid, 0) {
        Ok(pattern) => pattern,
        Err(error) => panic!("{error}"),
    }
}

/// The error of a pattern that must be refused.
pub(super) fn refused(pattern: &AnyPattern, grid: &Grid) -> PatternError {
    match pattern.build(grid, 0) {
        Ok(_) => panic!("{pattern:?} is allowed"),
        Err(error) => error,
    }
}

/// The message with which a pattern without parameters refuses a mesh and a torus.
pub(super) fn refusal(pattern: &str, sides: &[u32]) -> String {
    let refusal = refused(&named(pattern), &grid(sides));
    if let Ok(torus) = Grid::torus(sides) {
        assert_eq!(refused(&named(pattern), &torus), refusal);
    }
    refusal.to_string()
}

/// Every node and where its terminal sends, for a pattern with its default parameters.
pub(super) fn images(pattern: &str, grid: &Grid) -> Vec<(NodeId, Option<NodeId>)> {
    images_of(&named(pattern), grid)
}

/// Every node and where its terminal sends.
pub(super) fn images_of(pattern: &AnyPattern, grid: &Grid) -> Vec<(NodeId, Option<NodeId>)> {
    let pattern = built(pattern, grid);
    let mut draws = Draws::new(0, TerminalId(0));
    let mut image = |source| {
        let destination = pattern.destination(source, &mut draws);
        destination.map(|destination| grid.home(destination))
    };
    let sources = (0..grid.terminals()).map(TerminalId);
    sources
        .map(|source| (grid.home(source), image(source)))
        .collect()
}

/// Where nodes 0, 1 and so on send, as plain numbers, for a pattern with its default parameters.
pub(super) fn numbers(pattern: &str, grid: &Grid) -> Vec<Option<u32>> {
    numbers_of(&named(pattern), grid)
}

/// Where nodes 0, 1 and so on send, as plain numbers.
pub(super) fn numbers_of(pattern: &AnyPattern, grid: &Grid) -> Vec<Option<u32>> {
    images_of(pattern, grid)
        .into_iter()
        .map(|(_, image)| image.map(|node| node.0))
        .collect()
}

/// Every node and where its terminal sends, for a pattern that must be a permutation in which none is silent.
pub(super) fn hold_permutation(pattern: &AnyPattern, grid: &Grid) -> Vec<(NodeId, NodeId)> {
    let images = images_of(pattern, grid).into_iter();
    let images: Vec<_> = images.map(|(from, to)| (from, to.unwrap())).collect();
    let reached: HashSet<NodeId> = images.iter().map(|(_, to)| *to).collect();
    let all = (0..grid.nodes()).map(NodeId).collect();
    assert_eq!(reached, all, "{pattern:?} {:?}", grid.sides());
    images
}

/// All meshes and tori of one to three dimensions whose sides are from 2 to `most`.
pub(super) fn grids_up_to(most: u32) -> impl Iterator<Item = Grid> {
    let sides = move || 2..=most;
    let lines = sides().map(|x| vec![x]);
    let planes = sides().flat_map(move |x| sides().map(move |y| vec![x, y]));
    let boxes =
        sides().flat_map(move |x| sides().flat_map(move |y| sides().map(move |z| vec![x, y, z])));
    let all = lines.chain(planes).chain(boxes);
    all.flat_map(|sides| [Grid::mesh(&sides).unwrap(), Grid::torus(&sides).unwrap()])
}

const SIDES: [&[u32]; 17] = [
    &[2],
    &[7],
    &[16],
    &[2, 2],
    &[5, 3],
    &[1, 6],
    &[4, 4],
    &[8, 4],
    &[9, 9],
    &[8, 12],
    &[3, 4, 5],
    &[4, 4, 4],
    &[1, 2, 1, 2],
    &[2, 3, 2, 3],
    &[4, 2, 4, 2],
    &[2; 6],
    &[3; 4],
];

fn grids() -> Vec<Grid> {
    let meshes = SIDES.iter().map(|sides| grid(sides));
    let tori = SIDES.iter().filter_map(|sides| Grid::torus(sides).ok());
    meshes.chain(tori).collect()
}

#[test]
fn the_table_is_sorted_and_every_name_is_known() {
    assert!(BUILT_IN.is_sorted_by(|one, next| one.name < next.name));
    for entry in BUILT_IN {
        let found = named(entry.name).build(&grid(&[4, 4]), 0).err();
        let missing = |error| match error {
            PatternError::Network { needs, .. } => needs == "at least two groups of nodes",
            error => matches!(error, PatternError::Missing { .. }),
        };
        assert!(found.is_none_or(missing), "{}", entry.name);
    }
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let found = AnyPattern::named(&flitwork_schema::Parts::new(), "Transpose")
        .unwrap_err()
        .to_string();
    assert!(found.contains("\"Transpose\"") && found.contains("tornado, transpose, uniform"));
}

#[test]
fn patterns_are_equal_where_their_parameters_are() {
    let hot = |node| HotSpotParameters {
        hot_nodes: Some(vec![TerminalId(node)]),
        hot_fraction: Some(0.5),
    };
    let (one, other) = (AnyPattern::from(hot(1)), AnyPattern::from(hot(2)));
    assert!(one == one.clone() && one != other && one != named("hot-spot"));
    assert!(named("uniform") != named("shuffle"));
    assert_eq!(one.get::<HotSpotParameters>(), Some(&hot(1)));
    assert_eq!(one.get::<ManyToOneParameters>(), None);
    let half = ("hot_fraction", Datum::Real(0.5));
    let nodes = ("hot_nodes", Datum::list([Datum::Whole(1)]));
    assert_eq!(one.settings(), [nodes, half]);
}

/// Patterns with destinations that several nodes have.
const NOT_PERMUTATIONS: [&str; 6] = [
    "adversarial",
    "hot-spot",
    "listed",
    "many-to-one",
    "random-destinations",
    "uniform",
];

/// Each pattern with its default parameters, or with some values of those that are required.
fn samples(entry: &PatternEntry) -> Vec<AnyPattern> {
    let localities = [1, 2, 4].map(Some);
    match entry.name {
        "reflection" => localities
            .map(|locality| ReflectionParameters { locality }.into())
            .into(),
        "swap" => localities
            .map(|locality| SwapParameters { locality }.into())
            .into(),
        _ => vec![entry.with_defaults()],
    }
}

/// Each sample of a pattern with each grid, whether it suits it or not.
fn in_grids(entry: &PatternEntry) -> Vec<(Grid, AnyPattern)> {
    let all = samples(entry).into_iter();
    all.flat_map(|sample| grids().into_iter().map(move |grid| (grid, sample.clone())))
        .collect()
}

/// A silent node counts as its own image: together with the images of the others, all nodes must occur.
#[test]
fn patterns_that_are_permutations_reach_every_node_once() {
    let permutations = BUILT_IN
        .iter()
        .filter(|entry| !NOT_PERMUTATIONS.contains(&entry.name));
    for entry in permutations {
        let (name, mut allowed) = (entry.name, 0);
        for (grid, sample) in in_grids(entry) {
            for seed in 0..3 {
                let Ok(pattern) = sample.build(&grid, seed) else {
                    continue;
                };
                allowed += 1;
                let mut draws = Draws::new(seed, TerminalId(0));
                let mut reached = HashSet::new();
                for source in (0..grid.nodes()).map(TerminalId) {
                    let image = pattern.destination(source, &mut draws);
                    assert_eq!(image.is_none(), pattern.silent(source));
                    assert_ne!(image, Some(source));
                    let image = image.unwrap_or(source);
                    assert!(
                        image.0 < grid.nodes() && reached.insert(image),
                        "{name} {source}"
                    );
                }
                // Nothing was drawn.
                assert_eq!(draws, Draws::new(seed, TerminalId(0)));
            }
        }
        assert!(allowed >= 30, "{name}: {allowed}");
    }
}

/// Patterns are asked about nodes of the network; asking about others must do no harm.
#[test]
fn nodes_off_the_network_do_not_panic() {
    for entry in BUILT_IN {
        for (grid, sample) in in_grids(entry) {
            let Ok(pattern) = sample.build(&grid, 0) else {
                continue;
            };
            for node in [grid.nodes(), grid.nodes() + 1, u32::MAX] {
                pattern.silent(TerminalId(node));
                pattern.destination(TerminalId(node), &mut Draws::new(0, TerminalId(node)));
            }
        }
    }
}

/// A line of terminals, each at a node of its own, without coordinates.
pub(super) fn line(nodes: u32) -> Graph {
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 1..nodes {
        graph.join(NodeId(node - 1), NodeId(node)).unwrap();
    }
    graph.build().unwrap()
}

/// Where terminals 0, 1 and so on of such a line send, or why they can't.
pub(super) fn on_line(pattern: &str, nodes: u32) -> Result<Vec<u32>, String> {
    let graph = line(nodes);
    let pattern = named(pattern).build(&graph, 0);
    let pattern = pattern.map_err(|error| error.to_string())?;
    for off in [nodes, u32::MAX].map(TerminalId) {
        pattern.silent(off);
        pattern.destination(off, &mut Draws::new(0, off));
    }
    let mut draws = Draws::new(0, TerminalId(0));
    let mut image = |source| {
        let destination = pattern.destination(source, &mut draws);
        destination.map_or(source.0, |destination| destination.0)
    };
    Ok((0..nodes).map(|node| image(TerminalId(node))).collect())
}

/// What a pattern says of its destinations is what it draws: each within five standard deviations.
#[test]
fn spreads_are_what_is_drawn() {
    let several = ListedParameters {
        packets: [(0, 1), (0, 2), (0, 2), (1, 1), (3, 0)]
            .map(|(from, to)| (TerminalId(from), TerminalId(to)))
            .to_vec(),
        file: Some("listed".into()),
        ..ListedParameters::default()
    };
    let hot = |nodes: &[u32]| HotSpotParameters {
        hot_nodes: Some(nodes.iter().copied().map(TerminalId).collect()),
        hot_fraction: Some(0.3),
    };
    let one = ManyToOneParameters {
        destination: Some(TerminalId(2)),
        sources: None,
    };
    let own = Uniform { own_node: true };
    let grid = grid(&[4, 4]);
    let given = [
        hot(&[1]).into(),
        hot(&[0, 3]).into(),
        several.into(),
        one.into(),
        own.into(),
    ];
    let samples = BUILT_IN.iter().flat_map(samples).chain(given);
    let mut held = 0;
    for sample in samples {
        let Ok(pattern) = sample.build(&grid, 1) else {
            continue;
        };
        held += 1;
        for source in (0..4).map(TerminalId) {
            let spread = pattern.spread(source).unwrap();
            let mut likely = [spread.others / 15.0; 16];
            likely[source.index()] = 0.0;
            for (to, part) in spread.single.iter().copied() {
                likely[to.index()] += part;
            }
            let sum: f64 = likely.iter().sum();
            let expected = f64::from(u8::from(!pattern.silent(source)));
            assert!((sum - expected).abs() < 1e-12, "{sample:?} {source}: {sum}");
            assert_eq!(spread.is_nothing(), pattern.silent(source));
            let mut counts = [0.0; 16];
            let mut draws = Draws::new(7, source);
            for _ in 0..2000 {
                if let Some(to) = pattern.destination(source, &mut draws) {
                    counts[to.index()] += 1.0;
                }
            }
            for (count, likely) in counts.iter().zip(likely) {
                let deviation = (2000.0 * likely * (1.0 - likely)).max(0.0).sqrt();
                let apart = f64::abs(count - 2000.0 * likely);
                assert!(
                    apart <= 5.0 * deviation + 1e-9,
                    "{sample:?} {source}: {count} {likely}"
                );
            }
        }
    }
    assert!(held >= 15, "{held}");
}
