//! The lemmas of section 5, by random instances and by all small ones.

use super::row::Row;
use crate::context::{Context, Failed};
use crate::contract::{Ran, over_threads};
use flitwork_steps::multi_packet::{
    line_any_order_steps, line_farthest_first_steps, ring_any_order_steps,
    ring_farthest_first_steps,
};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, NearestFirst, Order, Random,
};
use flitwork_steps::{Leg, Machine, Nobody, PacketId, Store};
use flitwork_sweep::pool::Stop;
use flitwork_topology::Grid;
use flitwork_types::draws::{below, split_mix};
use flitwork_types::{NodeId, Port};

/// What became of a lemma.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) lemma: u32,
    pub(super) topology: &'static str,
    pub(super) priority: &'static str,
    pub(super) which: &'static str,
    pub(super) instances: u64,
    pub(super) equal: u64,
    pub(super) fewer: u64,
    pub(super) more: u64,
}

/// An instance: the nodes, and from where each packet goes to the right, over how many links.
type Instance = (u32, Vec<(u32, u32)>);

/// The port to the greater coordinate of a line.
fn right(grid: &Grid) -> Port {
    let ports = (0..2).map(Port);
    let mut right = ports.filter(|port| {
        flitwork_topology::Topology::neighbour(grid, NodeId(0), *port) == Some(NodeId(1))
    });
    right.next().unwrap_or(Port(0))
}

/// The steps in which the machine routes an instance.
fn steps<O: Order>(rings: bool, order: &O, (nodes, packets): &Instance) -> u64 {
    let grid = match rings {
        true => Grid::torus(&[*nodes]),
        false => Grid::mesh(&[*nodes]),
    };
    let grid = grid.expect("two nodes or more");
    let rule = DimensionOrder {
        order: order.clone(),
        inqueue: Fixed,
    };
    let from = packets.iter().map(|it| NodeId(it.0));
    let machine = Machine::on_legs(&grid, &rule, Store::Unbounded, from);
    let mut machine = machine.expect("nodes of the line");
    let port = right(&grid);
    for (number, (from, links)) in packets.iter().enumerate() {
        let leg = Leg {
            goal: NodeId((from + links) % nodes),
            port,
            links: *links,
            crossed: 0,
            beyond: 0,
            stage: 0,
        };
        machine.set_out(PacketId(number as u32), leg);
    }
    while !machine.is_done() {
        machine.step(&mut Nobody);
        for packet in machine.reached().to_vec() {
            machine.take_out(packet);
        }
    }
    machine.steps().into()
}

/// A random instance of this number: up to 40 nodes and 60 packets.
fn random(rings: bool, number: u64) -> Instance {
    let mut state = split_mix(number);
    let mut draw = |bound: u32| {
        state = split_mix(state);
        below(state, bound.into()) as u32
    };
    let nodes = 2 + draw(39);
    let packets = 1 + draw(60);
    // Some begin close together, as in the worst cases.
    let width = 1 + draw(nodes);
    let packet = |draw: &mut dyn FnMut(u32) -> u32| match rings {
        true => (draw(width), 1 + draw(nodes / 2)),
        false => {
            let from = draw(width.min(nodes - 1));
            (from, 1 + draw(nodes - 1 - from))
        }
    };
    (nodes, (0..packets).map(|_| packet(&mut draw)).collect())
}

/// All instances of one to four packets on four nodes, in any order.
fn small(rings: bool) -> Vec<Instance> {
    let longest = |from: u32| if rings { 2 } else { 3 - from };
    let ways: Vec<(u32, u32)> = (0..4)
        .flat_map(|from| (1..=longest(from)).map(move |links| (from, links)))
        .collect();
    let mut all: Vec<Vec<(u32, u32)>> = vec![Vec::new()];
    let mut instances = Vec::new();
    for _ in 0..4 {
        let longer = all.iter().flat_map(|packets| {
            let extended = ways.iter().map(|way| [&packets[..], &[*way]].concat());
            extended.collect::<Vec<_>>()
        });
        all = longer.collect();
        instances.extend(all.iter().map(|packets| (4, packets.clone())));
    }
    instances
}

/// What is checked: a lemma by an order.
#[derive(Clone, Copy)]
struct Check {
    lemma: u32,
    rings: bool,
    priority: &'static str,
    is_small: bool,
}

impl Check {
    fn promised(&self, (nodes, packets): &Instance) -> u64 {
        let ways = packets.iter().copied();
        let ends = packets.iter().map(|(from, links)| (*from, from + links));
        match self.lemma {
            2 => line_farthest_first_steps(*nodes, ends),
            4 => line_any_order_steps(*nodes, ends),
            7 => ring_farthest_first_steps(*nodes, ways),
            _ => ring_any_order_steps(*nodes, ways),
        }
    }

    fn taken(&self, instance: &Instance) -> u64 {
        match self.priority {
            "farthest-first" => steps(self.rings, &FarthestFirst, instance),
            "nearest-first" => steps(self.rings, &NearestFirst, instance),
            "random" => steps(self.rings, &Random { seed: 1 }, instance),
            _ => steps(self.rings, &Fifo, instance),
        }
    }

    fn run(&self, instances: u32, stop: &Stop) -> Option<Lemma> {
        let mut lemma = Lemma {
            lemma: self.lemma,
            topology: if self.rings { "ring" } else { "line" },
            priority: self.priority,
            which: match self.is_small {
                true => "all of 1 to 4 packets on 4 nodes",
                false => "random, of up to 60 packets on up to 40 nodes",
            },
            instances: 0,
            equal: 0,
            fewer: 0,
            more: 0,
        };
        let mut add = |instance: &Instance| {
            let (taken, promised) = (self.taken(instance), self.promised(instance));
            lemma.instances += 1;
            lemma.equal += u64::from(taken == promised);
            lemma.fewer += u64::from(taken < promised);
            lemma.more += u64::from(taken > promised);
            stop.flow().is_continue()
        };
        let all = match self.is_small {
            true => small(self.rings).iter().all(&mut add),
            false => (0..instances).all(|number| add(&random(self.rings, number.into()))),
        };
        all.then_some(lemma)
    }
}

/// Checks Lemmas 2, 4, 7 and 10.
pub(super) fn check(
    instances: u32,
    jobs: usize,
    context: &mut dyn Context,
) -> Result<Ran<Row>, Failed> {
    let exact = [(2, false, "farthest-first"), (7, true, "farthest-first")];
    let any = [(4, false), (10, true)];
    let any = any.into_iter().flat_map(|(lemma, rings)| {
        ["fifo", "nearest-first", "random"].map(|priority| (lemma, rings, priority))
    });
    let checks: Vec<Check> = exact
        .into_iter()
        .chain(any)
        .flat_map(|(lemma, rings, priority)| {
            [false, true].map(|is_small| Check {
                lemma,
                rings,
                priority,
                is_small,
            })
        })
        .collect();
    let found = over_threads(context, jobs, checks.len() as u32, |number, stop| {
        checks[number as usize].run(instances, stop)
    })?;
    Ok(match found {
        Some(found) => Ran::Whole(found.into_iter().map(Row::Lemma).collect()),
        None => Ran::Nothing,
    })
}
