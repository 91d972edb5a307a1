//! Random deflection routers.

use flitwork_router::deflection::{DeflectionParameters, Golden, PortChoice, Priority, Switching};
use proptest::prelude::*;

fn priorities() -> BoxedStrategy<Priority> {
    let golden = (1u32..100, 1u32..20).prop_map(|(epoch_cycles, transactions)| {
        Priority::Golden(Golden {
            epoch_cycles,
            transactions,
        })
    });
    prop_oneof![
        1 => golden,
        1 => Just(Priority::Greedy),
        2 => Just(Priority::OldestFirst),
        1 => Just(Priority::Random),
    ]
    .boxed()
}

pub(crate) fn any_parameters() -> BoxedStrategy<DeflectionParameters> {
    let switching = prop_oneof![3 => Just(Switching::Flit), 1 => Just(Switching::Worm)];
    let choice = prop_oneof![Just(PortChoice::Ordered), Just(PortChoice::Random)];
    let side = (prop_oneof![Just(0usize), 1usize..6], 0u32..5);
    (switching, priorities(), choice, 1u8..4, side)
        .prop_map(
            |(
                switching,
                priority,
                port_choice,
                eject_words,
                (side_buffer_flits, redirection_cycles),
            )| {
                let mut parameters = DeflectionParameters {
                    switching,
                    priority,
                    port_choice,
                    eject_words,
                    side_buffer_flits,
                    redirection_cycles,
                };
                if switching == Switching::Worm {
                    parameters.side_buffer_flits = 0;
                    if priority == Priority::Greedy {
                        parameters.priority = Priority::OldestFirst;
                    }
                }
                parameters
            },
        )
        .boxed()
}
