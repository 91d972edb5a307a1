//! Random networks of checked routers, on each engine: what a node shows and explains is right whatever its parameters,
//! links and clocks. Edges are drawn often: packets of one word, the shortest delays, special rules.

use flitwork_network::{Clock, Clocks, LinkTiming, Periodic};
use flitwork_node::{WordRouter, draw_below};
use flitwork_router::chaos::{
    self, Chaos, ChaosParameters, Delivery, DerouteAmong, InitialPointer, MultiqueueFreed,
    MultiqueuePolicy, StallRule, WordFlow,
};
use flitwork_router::deflection::{
    Deflection, DeflectionParameters, Golden, PortChoice, Priority, Switching,
};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::scheduled::{Request, Schedule, Scheduled, one_bend};
use flitwork_testing::{Shown, Told, Trial};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::StaticPacket;
use flitwork_types::{Cycle, Duplex, NodeId, Port, TerminalId};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A run ends here, whether its packets have arrived or block each other.
const END: Cycle = Cycle(1500);

/// Random choices.
struct Dice {
    seed: u64,
    thrown: u32,
}

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice { seed, thrown: 0 }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.thrown += 1;
        draw_below(bound, self.seed, NodeId(0), Cycle::ZERO, self.thrown)
    }

    fn toss(&mut self) -> bool {
        self.below(2) == 1
    }

    fn one_of<X: Copy>(&mut self, all: &[X]) -> X {
        all[self.below(all.len() as u32) as usize]
    }

    fn grid(&mut self) -> Grid {
        let all: [&[u32]; 7] = [
            &[2],
            &[5],
            &[3, 3],
            &[4, 2],
            &[4, 4],
            &[2, 2, 2],
            &[3, 2, 2],
        ];
        let sides = self.one_of(&all);
        let torus = self.toss().then(|| Grid::torus(sides).ok()).flatten();
        torus.unwrap_or_else(|| Grid::mesh(sides).unwrap())
    }

    /// Clocks of three speeds: words come with gaps, and credits late.
    fn clocks(&mut self, nodes: u32) -> Clocks {
        let (more, skew) = (u64::from(self.below(700)), u64::from(self.below(90)));
        let domain = |index: u64| {
            let period = Periodic::new(1000 + more * index / 2, skew * index);
            Clock::Periodic(period)
        };
        Clocks {
            nominal_ps: 1000,
            domains: (0..3).map(domain).collect(),
            domain_of: (0..nodes).map(|node| node % 3).collect(),
            links: LinkTiming::wires(1 + u64::from(self.below(4000)), 40, self.below(3)),
            seed: self.seed,
        }
    }
}

/// What has been explained in all runs.
#[derive(Default)]
struct All(Told);

impl All {
    fn add(&mut self, told: &Told) {
        for (what, times) in told {
            *self.0.entry(*what).or_default() += times;
        }
    }

    /// All of this has been explained somewhere, often enough to be tested.
    fn covers(&self, all: &[&str]) {
        for what in all {
            let times = self.0.get(what).copied().unwrap_or(0);
            assert!(times >= 20, "{what}: {times} times of {:?}", self.0);
        }
    }
}

/// A router in a network, and what is asked of it.
struct Drawn<R> {
    name: &'static str,
    router: R,
    grid: Grid,
    packets: Vec<StaticPacket>,
    duplex: Duplex,
    link_cycles: u32,
    frees: bool,
    shown: Shown,
    /// Whether it runs under any clock.
    is_clocked: bool,
}

/// Packets of these words, some to one node, so that they get in each other's way.
fn packets(dice: &mut Dice, grid: &Grid, words: &[u16]) -> Vec<StaticPacket> {
    let nodes = grid.nodes();
    let (each, hot, heat) = (1 + dice.below(14), dice.below(nodes), 1 + dice.below(4));
    let pairs = (0..nodes).flat_map(|from| (0..each).map(move |_| from));
    let packet = |from| {
        let to = match dice.below(heat) {
            0 => hot,
            _ => dice.below(nodes),
        };
        (TerminalId(from), TerminalId(to), dice.one_of(words))
    };
    let packets: Vec<_> = pairs.map(packet).collect();
    packets
        .into_iter()
        .filter(|(from, to, _)| from != to)
        .collect()
}

/// Runs it on each engine that it can run on.
fn try_out<R>(drawn: Drawn<R>, dice: &mut Dice, all: &mut All)
where
    R: WordRouter + Send + 'static,
{
    let nodes = drawn.grid.nodes();
    let trial = Trial {
        duplex: drawn.duplex,
        link_cycles: drawn.link_cycles,
        frees: Some(drawn.frees),
        together: false,
        shown: drawn.shown,
        arrives: false,
        clocks: drawn.is_clocked.then(|| dice.clocks(nodes)),
        end: END,
        seed: dice.seed,
        ..Trial::new(drawn.name, drawn.grid, drawn.router, drawn.packets)
    };
    all.add(&trial.run());
}

fn chaos_parameters(dice: &mut Dice, ports: usize) -> ChaosParameters {
    let mut drawn = ChaosParameters::chinn_1995(ports);
    drawn.packet_words = dice.one_of(&[1, 2, 3, 5, 10, 24]);
    drawn.multiqueue_frames = dice.one_of(&[1, 2, 3, 5, 7]);
    drawn.stall_threshold_cycles = dice.one_of(&[0, 1, 7, 20]);
    drawn.decision_latency_cycles = dice.one_of(&[1, 1, 2, 3]);
    drawn.input_release_cycles = drawn.least_release_cycles() + dice.one_of(&[0, 0, 1, 4]);
    drawn.output_reopen_cycles = dice.one_of(&[0, 0, 1, 6]);
    drawn.initial_pointer = dice.one_of(&[InitialPointer::Fixed, InitialPointer::Random]);
    drawn.multiqueue_policy = dice.one_of(&[
        MultiqueuePolicy::OldestFirst,
        MultiqueuePolicy::NewestFirst,
        MultiqueuePolicy::Random,
    ]);
    drawn.derouting = dice.below(4) > 0;
    drawn.deroute_among = dice.one_of(&[DerouteAmong::Ready, DerouteAmong::All]);
    drawn.multiqueue_freed_at = dice.one_of(&[MultiqueueFreed::Decision, MultiqueueFreed::Tail]);
    drawn.bypass = dice.below(4) > 0;
    drawn.cut_through = dice.below(4) > 0;
    drawn.delivery = dice.one_of(&[Delivery::Frame, Delivery::Frame, Delivery::Vanish]);
    let mut order: Vec<Port> = (0..ports as u8).map(Port).collect();
    for place in (1..ports).rev() {
        order.swap(place, dice.below(place as u32 + 1) as usize);
    }
    drawn.set_scan_order(order, ports).unwrap();
    drawn.check().unwrap();
    drawn
}

fn try_chaos(seed: u64, all: &mut All) {
    let mut dice = Dice::new(seed);
    let grid = dice.grid();
    let parameters = chaos_parameters(&mut dice, grid.ports());
    let duplex = match dice.below(3) {
        0 => Duplex::Half {
            turnaround_cycles: dice.below(3),
        },
        _ => Duplex::Full,
    };
    let rule = dice.one_of(&[StallRule::BehindOpenOutput, StallRule::BehindWaitingOutput]);
    let packets = packets(&mut dice, &grid, &[parameters.packet_words]);
    let link_cycles = dice.one_of(&[1, 1, 2, 5]);
    // Both shapes of a node.
    let is_small = parameters.is_small(grid.ports()) && dice.toss();
    fn drawn<R>(router: R, grid: &Grid, packets: &[StaticPacket]) -> Drawn<R> {
        Drawn {
            name: "chaos",
            router,
            grid: grid.clone(),
            packets: packets.to_vec(),
            duplex: Duplex::Full,
            link_cycles: 1,
            frees: true,
            shown: Shown::Decisions,
            is_clocked: true,
        }
    }
    macro_rules! with_nodes {
        ($node:ty) => {{
            let router = Chaos::<_, $node>::new(grid.clone(), parameters, seed)
                .with_stall_rule(rule)
                .with_half_duplex(duplex.is_half());
            let drawn = Drawn {
                duplex,
                link_cycles,
                ..drawn(router, &grid, &packets)
            };
            try_out(drawn, &mut dice, all);
        }};
    }
    match is_small {
        true => with_nodes!(chaos::Plane<WordFlow>),
        false => with_nodes!(chaos::Any<WordFlow>),
    }
}

fn deflection_parameters(dice: &mut Dice) -> DeflectionParameters {
    let golden = Priority::Golden(Golden {
        epoch_cycles: 1 + dice.below(20),
        transactions: 1 + dice.below(4),
    });
    let is_worm = dice.below(3) == 0;
    let priorities = [
        golden,
        Priority::OldestFirst,
        Priority::Random,
        Priority::Greedy,
    ];
    let choices = [PortChoice::Ordered, PortChoice::Random];
    let drawn = DeflectionParameters {
        switching: match is_worm {
            true => Switching::Worm,
            false => Switching::Flit,
        },
        priority: dice.one_of(&priorities[..4 - usize::from(is_worm)]),
        port_choice: dice.one_of(&choices),
        eject_words: dice.one_of(&[1, 1, 2, 4]),
        side_buffer_flits: match is_worm {
            true => 0,
            false => dice.one_of(&[0, 1, 2, 4]),
        },
        redirection_cycles: dice.below(4),
    };
    drawn.check().unwrap();
    drawn
}

fn try_deflection(seed: u64, all: &mut All) {
    let mut dice = Dice::new(seed);
    let grid = dice.grid();
    let parameters = deflection_parameters(&mut dice);
    let lengths: &[u16] = dice.one_of(&[&[1u16][..], &[4], &[1, 2, 9]]);
    let drawn = Drawn {
        name: "deflection",
        router: Deflection::new(grid.clone(), parameters, seed),
        packets: packets(&mut dice, &grid, lengths),
        duplex: Duplex::Full,
        link_cycles: dice.one_of(&[1, 2, 3]),
        frees: false,
        shown: Shown::Decisions,
        is_clocked: true,
        grid,
    };
    try_out(drawn, &mut dice, all);
}

fn try_hot_potatoes(seed: u64, all: &mut All) {
    let mut dice = Dice::new(seed);
    // More links than those whose matchings are counted.
    let grid = match dice.below(6) {
        0 => Grid::torus(&[3, 3, 3, 3]).unwrap(),
        _ => dice.grid(),
    };
    let drawn = Drawn {
        name: "greedy-hp",
        router: GreedyHp::new(grid.clone(), seed).assigning(dice.one_of(&Assignment::ALL)),
        packets: packets(&mut dice, &grid, &[1]),
        duplex: Duplex::Full,
        link_cycles: dice.one_of(&[1, 2, 3]),
        frees: false,
        shown: Shown::Decisions,
        is_clocked: true,
        grid,
    };
    try_out(drawn, &mut dice, all);
}

fn try_schedule(seed: u64, all: &mut All) {
    let mut dice = Dice::new(seed);
    let grid = dice.grid();
    let lengths: &[u16] = dice.one_of(&[&[1u16][..], &[4], &[1, 2, 9]]);
    let mut packets = packets(&mut dice, &grid, lengths);
    packets.sort_by_key(|(source, ..)| *source);
    let request = |(source, destination, words): &StaticPacket| Request {
        source: grid.home(*source),
        destination: grid.home(*destination),
        words: *words,
    };
    let requests: Vec<Request> = packets.iter().map(request).collect();
    let link_cycles = dice.one_of(&[1, 2, 3]);
    let mut schedule = one_bend(&grid, link_cycles, &requests).unwrap();
    if seed % 2 == 1 {
        schedule = with_waits(&schedule, &grid, link_cycles, &mut dice);
    }
    let drawn = Drawn {
        name: "scheduled",
        router: Scheduled::new(grid.clone(), schedule),
        packets,
        duplex: Duplex::Full,
        link_cycles,
        frees: false,
        shown: Shown::Moves,
        // Worms meet where nodes count cycles of their own.
        is_clocked: false,
        grid,
    };
    try_out(drawn, &mut dice, all);
}

/// The schedule, in which some worms wait now and then: as the last of all they would come in later, so each delay that
/// still fits is kept.
fn with_waits(schedule: &Schedule, grid: &Grid, link_cycles: u32, dice: &mut Dice) -> Schedule {
    const WAITING: u32 = 3;
    let mut routes: Vec<_> = schedule.routes().map(|(_, route)| route.clone()).collect();
    let checked = |routes: &[_]| Schedule::new(grid, link_cycles, WAITING, routes.to_vec());
    let mut fits = checked(&routes).unwrap();
    for number in 0..routes.len() {
        let before = routes[number].clone();
        let route = &mut routes[number];
        let mut ready = route.start;
        for hop in &mut route.path {
            let cycle = ready + dice.one_of(&[0, 0, 1, 3, 40]);
            hop.cycle = (cycle > ready).then_some(cycle);
            ready = cycle + link_cycles;
        }
        match checked(&routes) {
            Ok(schedule) => fits = schedule,
            Err(_) => routes[number] = before,
        }
    }
    fits
}

/// What is tried for these seeds; more of them with `FLITWORK_CONTRACT_CASES`.
fn each(cases: u64, mut case: impl FnMut(u64, &mut All)) -> All {
    let more = std::env::var("FLITWORK_CONTRACT_CASES").ok();
    let cases = more.map_or(cases, |cases| cases.parse().expect("a number of cases"));
    let mut all = All::default();
    for seed in 0..cases {
        let tried = catch_unwind(AssertUnwindSafe(|| case(seed, &mut all)));
        assert!(tried.is_ok(), "seed {seed}");
    }
    all
}

#[test]
fn chaos_does_what_it_explains_and_holds_what_it_shows() {
    each(24, try_chaos).covers(&[
        "scan",
        "multiqueue first, oldest first",
        "multiqueue first, newest first",
        "multiqueue first, at random",
        "multiqueue bypass",
        "deroute",
        "deroute among all",
        "stalled",
        "stalled behind a waiting output",
        "paired input",
        "pipeline",
        "words behind the head",
        "output taken",
        "no credit",
        "multiqueue full",
        "lost decision",
        "stall rule",
        "ejection",
        "clock crossing",
    ]);
}

/// A word is never deflected over a worm's link: each of the words after it holds at most one of the free links, and
/// there are no more words than links.
#[test]
fn deflection_does_what_it_explains_and_holds_what_it_shows() {
    each(60, try_deflection).covers(&[
        "ejection",
        "reinjection",
        "redirection",
        "a link is left",
        "the link of its worm",
        "a productive link",
        "a worm's productive link",
        "any link",
        "side buffer",
        "greedy",
        "left over",
        "words behind the head",
        "output taken",
        "behind another worm",
    ]);
}

#[test]
fn hot_potatoes_do_what_they_explain() {
    each(60, try_hot_potatoes).covers(&[
        "a link is left",
        "greedy",
        "matching",
        "matching by augmenting paths",
        "left over",
        "output taken",
    ]);
}

#[test]
fn worms_on_schedule_do_what_they_explain() {
    each(30, try_schedule).covers(&["source queue", "words behind the head", "schedule"]);
}
