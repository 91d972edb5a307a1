//! Functions that violate their declaration in one place are detected.

use crate::common::{built, mesh, named, torus};
use flitwork_router::routing::{
    Chance, CheckError, Choice, Choices, Declaration, FaultKind, Head, Routing, RoutingParameters,
    check,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};

/// A correct function with one change.
struct But<F> {
    right: Box<dyn Routing>,
    change: F,
}

impl<F: Fn(&Head, &mut Choices) + Send + Sync> Routing for But<F> {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        self.right.choices_under(head, chance, choices);
        (self.change)(head, choices);
    }

    fn declaration(&self) -> Declaration {
        self.right.declaration()
    }
}

/// What the check finds in a function with a change.
fn fault(
    parameters: &RoutingParameters,
    grid: &Grid,
    change: impl Fn(&Head, &mut Choices) + Send + Sync,
) -> Option<(FaultKind, Head, String)> {
    let right = built(parameters, grid);
    let wrong = But { right, change };
    match check(&wrong, grid) {
        Err(CheckError::Broken(fault)) => Some((fault.kind, fault.head, fault.to_string())),
        Ok(_) => None,
        Err(error) => panic!("{error}"),
    }
}

/// A packet to (2, 2) of a 3 x 3 mesh that came south to (1, 2), the last node before it.
fn is_the_one(head: &Head) -> bool {
    head.destination == NodeId(8) && head.here == NodeId(7) && head.from == Some((Port(0), 0))
}

#[test]
fn one_wrong_choice_is_found() {
    let grid = mesh(&[3, 3]);
    let west_first = named("west-first", 2);
    let (north, south, west) = (Port(0), Port(2), Port(3));
    let choice = |port, channels, deroute| Choice {
        port,
        channels,
        deroute,
    };
    let wrong = [
        (FaultKind::NoLink, choice(south, 1, false)),
        (FaultKind::NoLink, choice(grid.local(), 1, false)),
        (FaultKind::NoChannel, choice(Port(1), 0, false)),
        (FaultKind::NoChannel, choice(Port(1), 0b101, false)),
        (FaultKind::NotCloser, choice(west, 1, false)),
        (FaultKind::NotCloser, choice(north, 2, false)),
        (FaultKind::NoDeroute, choice(Port(1), 1, true)),
        (FaultKind::TooManyDeroutes, choice(west, 1, true)),
    ];
    assert_eq!(fault(&west_first, &grid, |_, _| {}), None);
    for (kind, wrong) in wrong {
        for fallback in [false, true] {
            let found = fault(&west_first, &grid, |head, choices| {
                if is_the_one(head) && fallback {
                    choices.fallback.push(wrong);
                } else if is_the_one(head) {
                    choices.preferred.push(wrong);
                }
            });
            let (found, head, _) = found.unwrap_or_else(|| panic!("{kind:?} is not found"));
            assert_eq!(found, kind);
            assert!(is_the_one(&head), "{head:?}");
        }
    }
    let found = fault(&west_first, &grid, |head, choices| {
        if is_the_one(head) {
            *choices = Choices::default();
        }
    });
    let (found, head, text) = found.unwrap();
    assert_eq!(found, FaultKind::NoChoice);
    assert!(is_the_one(&head), "{head:?}");
    assert_eq!(
        text,
        "node 7 (1, 2): a packet to node 8 (2, 2) arrived at port north, channel 0 after 0 deroutes: it has no choice"
    );
}

#[test]
fn a_head_without_an_escape_channel_is_found() {
    for grid in [mesh(&[3, 3]), torus(&[3, 3])] {
        for name in ["minimal-adaptive", "chaotic"] {
            // Once the packet is injected at node 4, only an adaptive channel is left.
            let found = fault(&named(name, 4), &grid, |head, choices| {
                if head.here == NodeId(4) && head.from.is_none() {
                    choices.fallback.clear();
                }
            });
            let (found, head, text) = found.unwrap();
            assert_eq!(found, FaultKind::NoEscape);
            assert_eq!((head.here, head.from), (NodeId(4), None));
            assert!(
                text.ends_with(
                    "was injected after 0 deroutes: it has no escape channel among its choices"
                ),
                "{text}"
            );
        }
    }
}

/// The last allowed deroute may be taken, and none after it: neither if packets come straight, without any,
/// nor after all of them.
#[test]
fn deroutes_are_counted() {
    let grid = mesh(&[4, 3]);
    let parameters = RoutingParameters {
        misroutes: Some(2),
        ..named("chaotic", 2)
    };
    assert_eq!(fault(&parameters, &grid, |_, _| {}), None);
    // At node 5, (1, 1), to node 6, (2, 1), north leads away.
    let north = Choice {
        port: Port(0),
        channels: 2,
        deroute: true,
    };
    let offered_after = |deroutes| {
        fault(&parameters, &grid, move |head, choices| {
            let south_of_it = head.from.is_some_and(|(port, _)| port == Port(2));
            let the_one = (head.here, head.destination) == (NodeId(5), NodeId(6));
            if the_one && !south_of_it && head.deroutes == deroutes {
                choices.fallback.retain(|choice| choice.port != Port(0));
                choices.fallback.push(north);
            }
        })
    };
    assert_eq!(offered_after(0), None);
    assert_eq!(offered_after(1), None);
    let (found, head, _) = offered_after(2).unwrap();
    assert_eq!((found, head.deroutes), (FaultKind::TooManyDeroutes, 2));
}

/// A packet that has used up its deroutes must still have a way to continue.
#[test]
fn a_fully_derouted_packet_is_examined() {
    let grid = torus(&[3, 4]);
    let parameters = RoutingParameters {
        misroutes: Some(3),
        ..named("chaotic", 3)
    };
    let found = fault(&parameters, &grid, |head, choices| {
        if head.deroutes == 3 && head.here == NodeId(7) {
            *choices = Choices::default();
        }
    });
    let (found, head, _) = found.unwrap();
    assert_eq!((found, head.deroutes), (FaultKind::NoChoice, 3));
}

/// A function of two phases that fails before the packet has reached the intermediate node.
#[test]
fn both_phases_are_verified() {
    let grid = mesh(&[4, 4]);
    for second in [false, true] {
        let found = fault(&named("valiant", 2), &grid, |head, choices| {
            let in_second = choices.preferred[0].channels == 2;
            if head.here == NodeId(5) && head.from.is_some() && in_second == second {
                choices.preferred.clear();
            }
        });
        let (found, head, _) = found.unwrap_or_else(|| panic!("second phase {second}: not found"));
        assert_eq!((found, head.here), (FaultKind::NoChoice, NodeId(5)));
    }
}

/// Until a packet has reached its intermediate node its destination doesn't matter; from then on it stays in
/// the second phase, whatever the channel.
#[test]
fn phases_are_apart() {
    let grid = mesh(&[4, 4]);
    let valiant = named("valiant", 2);
    assert_eq!(fault(&valiant, &grid, |_, _| {}), None);
    let found = fault(&valiant, &grid, |head, choices| {
        // The first phase takes channels of the second if the destination's number is odd.
        if choices.preferred[0].channels == 1 && head.destination.0 % 2 == 1 {
            choices.preferred[0].channels = 2;
        }
    });
    assert_eq!(found.unwrap().0, FaultKind::BothGoals);
    let found = fault(&valiant, &grid, |_, choices| {
        // The second phase takes channels of the first, by which it is mistaken for the first phase.
        choices.preferred[0].channels = 3;
    });
    assert_eq!(found.unwrap().0, FaultKind::BothGoals);
}
