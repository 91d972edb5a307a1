//! Grids, routing functions on them, and packets that follow every choice.

use flitwork_router::routing::{
    Chance, Choices, Freedom, Head, ROUTINGS, Routing, RoutingParameters, build_routing,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, PacketId, TerminalId};
use std::collections::HashSet;

pub(crate) fn mesh(sides: &[u32]) -> Grid {
    Grid::mesh(sides).unwrap()
}

pub(crate) fn torus(sides: &[u32]) -> Grid {
    Grid::torus(sides).unwrap()
}

/// Small meshes and tori: lines, degenerate sides, rings of two, odd and even rings, three dimensions.
pub(crate) fn small_grids() -> Vec<Grid> {
    let sides: [&[u32]; 14] = [
        &[2],
        &[3],
        &[4],
        &[5],
        &[1, 5],
        &[4, 1],
        &[2, 2],
        &[2, 3],
        &[3, 3],
        &[4, 2],
        &[4, 3],
        &[4, 4],
        &[2, 2, 2],
        &[1, 3, 2],
    ];
    let meshes = sides.iter().map(|sides| mesh(sides));
    let tori = sides.iter().filter_map(|sides| Grid::torus(sides).ok());
    meshes.chain(tori).collect()
}

/// Larger ones, for tests that take less than following every packet everywhere.
pub(crate) fn more_grids() -> Vec<Grid> {
    let sides: [&[u32]; 5] = [&[5, 5], &[3, 3, 3], &[2, 3, 4], &[2, 2, 2, 2], &[6, 3]];
    let meshes = sides.iter().map(|sides| mesh(sides));
    let tori = sides.iter().map(|sides| torus(sides));
    small_grids()
        .into_iter()
        .chain(meshes)
        .chain(tori)
        .collect()
}

pub(crate) fn nodes(grid: &Grid) -> impl Iterator<Item = NodeId> + use<> {
    (0..grid.nodes()).map(NodeId)
}

/// A routing function's name and its channels, without other parameters.
pub(crate) fn named(name: &str, channels: u8) -> RoutingParameters {
    RoutingParameters {
        name: name.into(),
        channels,
        ..RoutingParameters::default()
    }
}

/// The routing function, which must be allowed.
pub(crate) fn built(parameters: &RoutingParameters, grid: &Grid) -> Box<dyn Routing> {
    match build_routing(parameters, grid) {
        Ok(routing) => routing,
        Err(error) => panic!("{error}"),
    }
}

/// Every routing function that is defined on the grid, with the fewest channels and with more.
pub(crate) fn defined_on(grid: &Grid) -> Vec<(RoutingParameters, Box<dyn Routing>)> {
    let mut defined = Vec::new();
    // Without a file there is no table.
    for entry in ROUTINGS.iter().filter(|it| it.freedom != Freedom::Checked) {
        let Some(least) = entry.needs.on(grid) else {
            continue;
        };
        for channels in [least, least + 1] {
            let mut parameters = named(entry.name, channels);
            if entry.name == "chaotic" {
                parameters.misroutes = Some(u16::from(channels - least) + 1);
            }
            let routing = built(&parameters, grid);
            defined.push((parameters, routing));
        }
    }
    defined
}

/// The injected head of a packet.
pub(crate) fn injected(source: NodeId, destination: NodeId, serial: u32) -> Head {
    Head {
        here: source,
        packet: PacketId {
            source: TerminalId(source.0),
            serial,
        },
        destination,
        terminal: TerminalId(destination.0),
        deroutes: 0,
        from: None,
    }
}

/// The channels in a mask.
pub(crate) fn channels_of(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |channel| mask >> channel & 1 == 1)
}

/// What `head` becomes by taking channel `channel` of a port.
pub(crate) fn moved(
    grid: &Grid,
    head: &Head,
    choice: &flitwork_router::routing::Choice,
    channel: u8,
) -> Head {
    let here = grid
        .neighbour(head.here, choice.port)
        .unwrap_or_else(|| panic!("{grid:?} {head:?} {choice:?}: no link"));
    Head {
        here,
        from: Some((grid.opposite(choice.port), channel)),
        deroutes: head.deroutes + u16::from(choice.deroute),
        ..*head
    }
}

/// Follows a packet through every choice that it may take. Calls `visit` with every head that it can become
/// and the hops that it has made; at the destination without choices.
pub(crate) fn follow(
    routing: &dyn Routing,
    grid: &Grid,
    first: Head,
    chance: Chance,
    mut visit: impl FnMut(&Head, u32, Option<&Choices>),
) {
    let mut seen = HashSet::from([(first, 0)]);
    let mut open = vec![(first, 0)];
    let mut choices = Choices::default();
    while let Some((head, hops)) = open.pop() {
        if head.here == head.destination {
            visit(&head, hops, None);
            continue;
        }
        routing.choices_under(&head, chance, &mut choices);
        visit(&head, hops, Some(&choices));
        for choice in choices.preferred.iter().chain(&choices.fallback) {
            for channel in channels_of(choice.channels) {
                let next = (moved(grid, &head, choice, channel), hops + 1);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
}

/// The possible outcomes of a packet's coin tosses, as far as they may matter on the grid: one coin for each
/// dimension, where there are rings each on its own, and one for the order.
pub(crate) fn all_coins(grid: &Grid) -> Vec<u32> {
    let every = (1u32 << grid.sides().len()) - 1;
    let of_dimensions = (0..=every).filter(|coins| grid.wraps() || [0, every].contains(coins));
    of_dimensions
        .flat_map(|coins| [coins, coins | 1 << 16])
        .collect()
}
