//! Random routing functions, correct ones and wrong ones: the check agrees with brute force on all.

use crate::common::{mesh, torus};
use crate::dependencies::assert_checked;
use flitwork_node::mix;
use flitwork_router::routing::{
    Chance, Choice, Choices, Declaration, Head, Routing, Verdict, WhyCircle,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Port;

/// Shortest paths, mostly in dimension order, and deroutes if they are allowed.
struct Random {
    grid: Grid,
    seed: u64,
    declaration: Declaration,
    /// How many of 256 heads may leave dimension order.
    disorder: u64,
    /// How many of 256 unproductive ports are offered.
    wandering: u64,
    /// Whether choices depend on how a head arrived.
    remembers: bool,
}

impl Random {
    fn draw(&self, head: &Head, index: u64) -> u64 {
        let from = match head.from.filter(|_| self.remembers) {
            Some((port, channel)) => u64::from(port.0) << 8 | u64::from(channel),
            None => 0xffff,
        };
        let place = u64::from(head.here.0) << 32 | u64::from(head.destination.0);
        mix(mix(mix(self.seed ^ place).wrapping_add(from)).wrapping_add(index))
    }

    /// Some of the channels in `mask`, at least one.
    fn some(&self, mask: u32, draw: u64) -> u32 {
        let lowest = mask & mask.wrapping_neg();
        match mask & draw as u32 {
            0 => lowest,
            some => some,
        }
    }
}

impl Routing for Random {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        *choices = Choices::default();
        let Declaration {
            channels,
            escape,
            misroutes,
            ..
        } = self.declaration;
        let all = u32::MAX >> (32 - channels);
        let free = all & !escape.unwrap_or(0);
        let productive = self.grid.productive(head.here, head.destination);
        // East and west come first, then the others by number.
        let rank = |port: &Port| (self.grid.port_name(*port).len() != 4, port.0);
        let ordered = productive.iter().min_by_key(rank).unwrap();
        let disorderly = self.draw(head, 0) % 256 < self.disorder;
        let mut push = |port, channels, deroute| {
            choices.preferred.push(Choice {
                port,
                channels,
                deroute,
            });
        };
        for port in productive.iter() {
            let index = 1 + u64::from(port.0);
            let offered = port == ordered || disorderly || escape.is_some();
            if offered && free != 0 {
                push(port, self.some(free, self.draw(head, index)), false);
            }
        }
        if let Some(escape) = escape {
            let port = if disorderly {
                productive.iter().last().unwrap()
            } else {
                ordered
            };
            push(port, self.some(escape, self.draw(head, 100)), false);
        }
        let others = self.grid.links(head.here);
        for port in others.iter().filter(|port| !productive.contains(*port)) {
            let draw = self.draw(head, 200 + u64::from(port.0));
            if head.deroutes < misroutes && draw % 256 < self.wandering && free != 0 {
                push(port, self.some(free, draw >> 8), true);
            }
        }
    }

    fn declaration(&self) -> Declaration {
        self.declaration
    }
}

#[test]
fn the_check_agrees_with_brute_force_on_random_functions() {
    let grids = [
        mesh(&[2, 2]),
        mesh(&[3, 3]),
        mesh(&[4, 2]),
        mesh(&[2, 2, 2]),
        torus(&[4]),
        torus(&[3, 2]),
    ];
    let escapes = [None, None, Some(0b01), Some(0b10), Some(0b011), Some(0b110)];
    let mut counts = [0; 5];
    for seed in 0..800 {
        let draw = |index: u64| mix(mix(seed) + index) as usize;
        let grid = &grids[draw(0) % grids.len()];
        let escape = escapes[draw(1) % escapes.len()];
        let random = Random {
            grid: grid.clone(),
            seed,
            declaration: Declaration {
                channels: if escape > Some(0b10) { 3 } else { 2 },
                escape,
                misroutes: [0, 0, 1, 2][draw(2) % 4],
                coins: &[0],
                visits: false,
                is_table: false,
            },
            disorder: [0, 10, 40, 256][draw(3) % 4],
            wandering: [0, 5, 60][draw(4) % 3],
            remembers: draw(5) % 2 == 0,
        };
        let kind = match assert_checked(&random, grid) {
            Verdict::Acyclic { .. } => 0,
            Verdict::EscapeAcyclic { .. } => 1,
            Verdict::Circle(circle) => match circle.why {
                WhyCircle::Oblivious => 2,
                WhyCircle::Adaptive => 3,
                WhyCircle::Escape => 4,
            },
        };
        counts[kind] += 1;
    }
    // Every kind of verdict has been tested.
    assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
}
