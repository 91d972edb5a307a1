//! Routes a permutation's packets, and observes them.

use super::classes::Leaves;
use crate::statics;
use flitwork_config::Resolved;
use flitwork_engine::{Control, Ended};
use flitwork_experiment::simulate::execute;
use flitwork_network::Demand;
use flitwork_node::{Event, Probe};
use flitwork_report::{Column, column};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, Moment, NodeId, PacketId};

/// A run of a permutation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) seed: u64,
    /// The cycle of the nominal clock in which the last packet left; none if not all did.
    pub(crate) cycles: Option<u32>,
    /// Hops through unproductive ports.
    pub(crate) deroutes: u64,
    pub(crate) digest: Digest,
    /// Host time of the run, constructions not counted.
    pub(super) seconds: f64,
}

/// A run, and what else was observed in it.
pub(crate) struct Routed {
    pub(crate) run: Run,
    pub(super) ended: Ended,
    pub(super) seen: ObservedRun,
}

/// What else is to be observed in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watched {
    /// The packets in each node at this cycle.
    pub(super) snapshot: Option<Cycle>,
    /// When packets leave the corner of this side, where they start.
    pub(super) corner: Option<u32>,
}

/// The columns of runs, which `of` finds in the rows; `time` describes their time.
#[rustfmt::skip]
pub(crate) fn run_columns<R>(time: &'static str, of: impl Fn(&R) -> Run + Copy + Send + Sync + 'static) -> [Column<R>; 4] {
    [
        column("seed", "", "the seed of all random draws", move |it| of(it).seed),
        column("time_cycles", "cycles", time, move |it| of(it).cycles),
        column("deroutes", "hops", "through unproductive ports", move |it| of(it).deroutes),
        column("digest", "", "the digest of all events", move |it| of(it).digest.to_string()),
    ]
}

/// The sum of runs' digests.
pub(crate) fn sum_of_digests(runs: &[Run]) -> String {
    let digests = runs.iter().map(|run| run.digest.get());
    format!("{:016x}", digests.fold(0, u64::wrapping_add))
}

/// Records a run's events.
pub(super) struct ObservedRun {
    digest: Digest,
    /// Each packet with the cycle in which it was delivered.
    pub(super) deliveries: Vec<(Cycle, PacketId)>,
    deroutes: u64,
    pub(super) occupancy: Option<Occupancy>,
    pub(super) leaves: Option<Leaves>,
    /// How far the clock of the node that reports is behind the nominal one, in cycles.
    shift: i64,
}

/// Packets in each node once all events up to a cycle have happened.
#[derive(Clone, Debug)]
pub(super) struct Occupancy {
    grid: Grid,
    at: Cycle,
    link_latency_cycles: u32,
    packets: Vec<i32>,
}

impl Occupancy {
    /// The packets in each node of a square in the north-west, row by row, and the square's side: the given one, or
    /// the whole grid's if that is shorter.
    pub(super) fn corner(&self, side: u32) -> (u32, Vec<f64>) {
        let width = self.grid.sides()[0];
        let side = side.min(width);
        let nodes = (0..side).flat_map(|y| (0..side).map(move |x| y * width + x));
        let packets = nodes.map(|node| f64::from(self.packets[node as usize]));
        (side, packets.collect())
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: &Event) {
        let mut add = |node: NodeId, cycle: Cycle, change| {
            if cycle <= self.at {
                self.packets[node.index()] += change;
            }
        };
        match event {
            Event::Injected { .. } => add(node, cycle, 1),
            Event::Delivered { .. } => add(node, cycle, -1),
            Event::Head { port, .. } if *port != self.grid.local() => {
                let far = self.grid.neighbour(node, *port);
                let arrives = cycle + self.link_latency_cycles;
                add(node, arrives, -1);
                add(far.expect("heads leave over links"), arrives, 1);
            }
            _ => {}
        }
    }
}

impl Probe for ObservedRun {
    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.digest.event(node, cycle, event);
        match event {
            Event::Delivered { packet } => {
                let cycle = Cycle((i64::from(cycle.get()) + self.shift) as u32);
                self.deliveries.push((cycle, packet.id));
            }
            Event::Moved { deroute: true, .. } => self.deroutes += 1,
            _ => {}
        }
        if let Some(occupancy) = &mut self.occupancy {
            occupancy.event(node, cycle, &event);
        }
        if let (Some(leaves), Event::Head { packet, port }) = (&mut self.leaves, event) {
            leaves.head(node, cycle, packet, port);
        }
    }
}

/// Routes packets, all created in cycle 0, under a configuration.
pub(crate) fn route(
    resolved: &Resolved,
    pairs: &[(NodeId, NodeId)],
    watched: Watched,
    control: Control<'_>,
) -> Routed {
    let grid = resolved.network.grid();
    let observed = ObservedRun {
        digest: Digest::default(),
        deliveries: Vec::with_capacity(pairs.len()),
        deroutes: 0,
        occupancy: watched.snapshot.map(|at| Occupancy {
            grid: grid.clone(),
            at,
            link_latency_cycles: resolved.network.link_latency_cycles,
            packets: vec![0; grid.nodes() as usize],
        }),
        leaves: watched
            .corner
            .map(|corner| Leaves::new(grid.clone(), corner)),
        shift: 0,
    };
    let end = Cycle(resolved.run.deadline_cycles);
    let packets = statics::between_terminals(pairs);
    let demand = Demand::until(Box::new(Once::new(&packets)), end);
    let done = execute(resolved, demand, observed, control);
    let seen = done.probe;
    let last = seen.deliveries.iter().map(|(cycle, _)| cycle.get()).max();
    let ended = done.outcome.ended;
    Routed {
        run: Run {
            seed: resolved.run.seed,
            cycles: last.filter(|_| ended == Ended::Empty),
            deroutes: seen.deroutes,
            digest: seen.digest,
            seconds: done.elapsed.as_secs_f64(),
        },
        ended,
        seen,
    }
}
