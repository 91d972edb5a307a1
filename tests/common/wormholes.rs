//! Random wormhole routers.

use super::machine::any_router;
use flitwork_config::AnyRouter;
use flitwork_router::allocate::{ALLOCATORS, Allocator, MatrixFirst};
use flitwork_router::routing::{Dateline, Freedom, ROUTINGS, RoutingEntry, RoutingParameters};
use flitwork_router::wormhole::{
    FirstTurn, MAX_LANES, PortOrder, Reallocation, RoutedWormhole, Speculation, Switching,
    WormholeParameters,
};
use flitwork_schema::Parts;
use flitwork_topology::{Grid, Topology};
use proptest::prelude::*;

/// A router's random parameters other than its routing function.
#[derive(Clone, Debug)]
struct RandomParameters {
    more_vcs: u8,
    buffer_words: u16,
    stages: [u32; 6],
    switching: Switching,
    empty: bool,
    speculative: bool,
    allocators: [Allocator; 2],
    matrix_first: MatrixFirst,
    speculation: Speculation,
    ejection_credits: bool,
    port_order: PortOrder,
    first_turn: FirstTurn,
    dateline: Option<Dateline>,
}

fn random_parameters() -> BoxedStrategy<RandomParameters> {
    let mut all: Vec<Allocator> = ALLOCATORS.iter().map(|entry| entry.allocator).collect();
    all.push(Allocator::Islip(3));
    let allocator = prop::sample::select(all);
    let switching = prop_oneof![
        3 => Just(Switching::Wormhole),
        1 => Just(Switching::CutThrough),
        1 => Just(Switching::StoreAndForward),
    ];
    let sizes = (0u8..3, 1u16..12, prop::array::uniform6(0u32..4));
    let switches = (switching, any::<bool>(), any::<bool>());
    let orders = (
        prop::sample::select(vec![MatrixFirst::Lowest, MatrixFirst::Highest]),
        prop::sample::select(vec![
            Speculation::After,
            Speculation::Beside,
            Speculation::Together,
        ]),
        any::<bool>(),
        prop::sample::select(vec![PortOrder::Compass, PortOrder::Pairs]),
        prop::sample::select(vec![FirstTurn::Link, FirstTurn::Local]),
        prop::sample::select(vec![None, Some(Dateline::Descending)]),
    );
    (sizes, switches, prop::array::uniform2(allocator), orders)
        .prop_map(
            |(
                (more_vcs, buffer_words, stages),
                (switching, empty, speculative),
                allocators,
                orders,
            )| {
                let (matrix_first, speculation, ejection_credits, port_order, first_turn, dateline) =
                    orders;
                RandomParameters {
                    more_vcs,
                    buffer_words,
                    stages,
                    switching,
                    empty,
                    speculative,
                    allocators,
                    matrix_first,
                    speculation,
                    ejection_credits,
                    port_order,
                    first_turn,
                    dateline,
                }
            },
        )
        .boxed()
}

/// A wormhole router with any routing function that the grid allows, that is free of deadlock and that runs on every engine: not the one that
/// sees the queues of all nodes.
pub(crate) fn wormholes(grid: &Grid) -> BoxedStrategy<AnyRouter> {
    let ports = grid.ports() + 1;
    let most = (MAX_LANES / ports) as u8;
    let usable = ROUTINGS
        .iter()
        .filter(|entry| !matches!(entry.freedom, Freedom::None | Freedom::Checked))
        .filter(|entry| entry.name != "ugal-g")
        .filter_map(|entry| Some((entry.name, entry.needs.on(grid)?, entry.freedom)))
        .filter(|(_, least, _)| *least <= most);
    let usable: Vec<_> = usable.collect();
    (
        prop::sample::select(usable),
        random_parameters(),
        any::<u64>(),
    )
        .prop_map(move |((name, least, freedom), random, seed)| {
            let [route, vc, switch, traversal, credit, injection] = random.stages;
            let escapes = freedom == Freedom::Escape && random.switching == Switching::Wormhole;
            let parameters = WormholeParameters {
                vcs: (least + random.more_vcs).min(most),
                buffer_words: random.buffer_words,
                switching: random.switching,
                reallocation: if random.empty || escapes {
                    Reallocation::BufferEmpty
                } else {
                    Reallocation::TailSent
                },
                route_cycles: route,
                vc_allocation_cycles: if random.speculative {
                    vc.min(switch)
                } else {
                    vc
                },
                switch_allocation_cycles: switch,
                traversal_cycles: traversal,
                credit_cycles: credit,
                injection_cycles: injection,
                speculative: random.speculative,
                vc_allocator: random.allocators[0],
                switch_allocator: random.allocators[1],
                matrix_first: random.matrix_first,
                speculation: random.speculation,
                ejection_credits: random.ejection_credits,
                port_order: random.port_order,
                first_turn: random.first_turn,
            };
            parameters.check(ports).expect("drawn from what is allowed");
            let function: RoutingEntry = Parts::new().find(name).unwrap();
            let reads_dateline = function.reads.contains(&"dateline");
            any_router(RoutedWormhole {
                function,
                routing: RoutingParameters {
                    name: name.into(),
                    channels: parameters.vcs,
                    seed,
                    dateline: random.dateline.filter(|_| reads_dateline),
                    ..RoutingParameters::default()
                },
                parameters,
                allow_deadlock: false,
            })
        })
        .boxed()
}
