//! Functions of the tests' own, most of them wrong on purpose: the check finds a circle, and its dependencies
//! are real.

use crate::common::{built, mesh, named, torus};
use crate::dependencies::{assert_checked, assert_circle};
use flitwork_router::routing::{
    Chance, Choice, Choices, Dateline, Declaration, Head, Routing, RoutingParameters, Verdict,
    WhyCircle, check,
};
use flitwork_topology::{Grid, Topology};

/// Dimension order on a torus whose channels are all equivalent.
struct OneClass {
    grid: Grid,
    channels: u8,
}

impl Routing for OneClass {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        *choices = Choices::default();
        let here = self.grid.coordinates(head.here);
        let destination = self.grid.coordinates(head.destination);
        // The first port that changes the first coordinate that is wrong.
        let axis = (0..here.len()).find(|axis| here[*axis] != destination[*axis]);
        let productive = self.grid.productive(head.here, head.destination);
        let port = productive.iter().find(|port| {
            let next = self.grid.neighbour(head.here, *port).unwrap();
            let next = self.grid.coordinates(next);
            next[axis.unwrap()] != here[axis.unwrap()]
        });
        choices.preferred.push(Choice {
            port: port.unwrap(),
            channels: (1 << self.channels) - 1,
            deroute: false,
        });
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            channels: self.channels,
            escape: None,
            misroutes: 0,
            coins: &[0],
            visits: false,
            is_table: false,
        }
    }
}

#[test]
fn dimension_order_without_a_dateline_goes_around_a_ring() {
    for channels in [1, 2] {
        for sides in [&[4][..], &[5], &[4, 3], &[3, 5]] {
            let grid = torus(sides);
            let wrong = OneClass {
                grid: grid.clone(),
                channels,
            };
            let Verdict::Circle(circle) = assert_checked(&wrong, &grid) else {
                panic!("{grid:?} is said to be free of deadlock");
            };
            assert_eq!(circle.why, WhyCircle::Oblivious);
            // All links of a ring whose packets make two hops: one of side 4 or 5.
            let side = *sides.iter().max().unwrap();
            assert_eq!(circle.held.len() as u32, side, "{circle}");
            assert!(circle.to_string().starts_with("can deadlock: packets in "));
        }
        // No packet makes two hops along a ring of three, or of two.
        for sides in [&[3][..], &[2], &[3, 3], &[2, 3]] {
            let grid = torus(sides);
            let wrong = OneClass {
                grid: grid.clone(),
                channels,
            };
            let verdict = assert_checked(&wrong, &grid);
            assert!(
                matches!(verdict, Verdict::Acyclic { .. }),
                "{grid:?}: {verdict}"
            );
        }
    }
}

/// Chaotic, except that a packet in the escape channels may leave them and be derouted again.
struct Restless(Box<dyn Routing>);

impl Routing for Restless {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let escape = self.declaration().escape.unwrap();
        let from = head.from.filter(|from| escape >> from.1 & 1 == 0);
        self.0
            .choices_under(&Head { from, ..*head }, chance, choices);
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}

/// That is why packets stay in the escape channels.
#[test]
fn deroutes_out_of_the_escape_channels_close_a_circle() {
    for grid in [mesh(&[4]), mesh(&[3, 3]), mesh(&[2, 2]), mesh(&[2, 2, 2])] {
        for misroutes in [1, 2] {
            let chaotic = RoutingParameters {
                misroutes: Some(misroutes),
                ..named("chaotic", 2)
            };
            let right = assert_checked(&*built(&chaotic, &grid), &grid);
            assert!(!matches!(right, Verdict::Circle(_)), "{grid:?}: {right}");
            let wrong = Restless(built(&chaotic, &grid));
            let Verdict::Circle(circle) = assert_checked(&wrong, &grid) else {
                panic!("{grid:?} is said to be free of deadlock");
            };
            assert_eq!(circle.why, WhyCircle::Escape);
        }
    }
    // A larger one; only its circle is compared with brute force.
    let grid = mesh(&[8, 6]);
    let wrong = Restless(built(&named("chaotic", 2), &grid));
    let Ok(Verdict::Circle(circle)) = check(&wrong, &grid) else {
        panic!("{grid:?} is said to be free of deadlock");
    };
    assert_circle(&wrong, &grid, &circle);
    // Without deroutes it is minimal adaptive.
    let straight = RoutingParameters {
        misroutes: Some(0),
        ..named("chaotic", 2)
    };
    let grid = mesh(&[3, 3]);
    let verdict = assert_checked(&Restless(built(&straight, &grid)), &grid);
    assert!(
        matches!(verdict, Verdict::EscapeAcyclic { .. }),
        "{verdict}"
    );
}

/// Minimal adaptive on a torus, with escape channels under either rule at the dateline.
struct Escaping {
    grid: Grid,
    ordered: Box<dyn Routing>,
}

impl Routing for Escaping {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        let from = head.from.filter(|from| from.1 < 2);
        self.ordered
            .choices_under(&Head { from, ..*head }, chance, choices);
        std::mem::swap(&mut choices.preferred, &mut choices.fallback);
        for port in self.grid.productive(head.here, head.destination).iter() {
            choices.preferred.push(Choice {
                port,
                channels: 0b100,
                deroute: false,
            });
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            channels: 3,
            escape: Some(0b011),
            ..self.ordered.declaration()
        }
    }
}

/// That is why they follow the rule "wrapping": under the other a packet that crossed the dateline in an
/// adaptive channel would enter class 0 again.
#[test]
fn escape_channels_need_the_rule_that_looks_ahead() {
    let escaping = |sides: &[u32], dateline| {
        let grid = torus(sides);
        let ordered = RoutingParameters {
            dateline: Some(dateline),
            ..named("dimension-order", 2)
        };
        let ordered = built(&ordered, &grid);
        let routing = Escaping {
            grid: grid.clone(),
            ordered,
        };
        assert_checked(&routing, &grid)
    };
    for sides in [&[8][..], &[6, 2]] {
        let verdict = escaping(sides, Dateline::Wrapping);
        assert!(
            matches!(verdict, Verdict::EscapeAcyclic { .. }),
            "{verdict}"
        );
        let Verdict::Circle(circle) = escaping(sides, Dateline::Crossed) else {
            panic!("{sides:?} is said to be free of deadlock");
        };
        assert_eq!(circle.why, WhyCircle::Escape);
    }
}

/// Valiant's routing, except that packets injected at their intermediate node have channels of the second
/// phase to themselves.
struct Apart(Box<dyn Routing>);

impl Routing for Apart {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        self.0.choices_under(head, chance, choices);
        let [choice] = &mut choices.preferred[..] else {
            panic!("{choices:?}");
        };
        // The first phase has channel 0 of three.
        if choice.channels == 0b110 {
            let injected = head.from.is_none_or(|(_, channel)| channel == 1);
            choice.channels = if injected { 0b010 } else { 0b100 };
        }
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}

/// The ways from the first phase into the second are followed further.
#[test]
fn ways_from_one_phase_to_the_next_are_followed() {
    for grid in [mesh(&[3, 3]), mesh(&[4]), mesh(&[2, 2, 2])] {
        let verdict = assert_checked(&Apart(built(&named("valiant", 3), &grid)), &grid);
        assert!(matches!(verdict, Verdict::Acyclic { .. }), "{verdict}");
    }
}
