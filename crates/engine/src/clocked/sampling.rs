//! Flip-flops that may become metastable: what each of them samples, whether it is undecided, and whether it is so for
//! longer than the synchronizer waits.
//!
//! Something that comes within a window before an edge leaves the flip-flop that samples it undecided, for a time with an
//! exponential distribution. If that is longer than the edges that follow, it fails: the router is given what came all
//! the same, and the failure is counted. With the window W, the time constant tau, n further edges and the receiver's
//! period T, an arrival that may come at any time of a period fails with the probability W / T * exp(-n T / tau), the
//! formula for the mean time between failures (Ginosar, "Metastability and Synchronizers: A Tutorial", 2011).

use super::Clocked;
use super::domains::{Domain, Driver};
use super::draws::Draws;
use flitwork_network::{Clock, Clocks, Flops};
use flitwork_node::{Probe, Sampled, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Moment, NodeId, Port};

/// The numbers of a port's draws; there are two for everything that may come to it in a tick.
const SAMPLE_DRAW: u32 = 1 << 12;
const PORTS: u32 = 1 << 8;

/// The flip-flops of all crossings that have any.
#[derive(Clone, Default)]
pub(super) struct Samplers {
    /// By node; empty if there are none.
    of: Vec<Vec<Sampler>>,
    seed: u64,
    /// When something came to a port, in ps, for the flip-flops that are looked at.
    came: Vec<(Port, u64)>,
    /// The last tick of each domain, in ps.
    last_ps: Vec<u64>,
}

/// The flip-flops behind a port.
#[derive(Clone, Copy)]
struct Sampler {
    port: Port,
    flops: Flops,
    /// How long they have to decide, in ps.
    patience_ps: u64,
    /// The probability with which something that comes at any time of a period fails.
    failure_chance: f64,
}

impl Sampler {
    fn new(port: Port, flops: Flops, (edges, period_ps): (u32, u64)) -> Sampler {
        let patience_ps = u64::from(edges) * period_ps;
        // What comes is sampled at the next edge, however long the window.
        let undecided = (flops.window_ps as f64 / period_ps as f64).min(1.0);
        Sampler {
            port,
            flops,
            patience_ps,
            failure_chance: undecided * libm::exp(-(patience_ps as f64) / flops.tau_ps as f64),
        }
    }
}

impl Samplers {
    pub(super) fn new<T: Topology>(topology: &T, clocks: &Clocks, domains: usize) -> Samplers {
        if clocks.links.crossings().all(|it| it.flops.is_none()) {
            return Samplers::default();
        }
        let samplers = (0..topology.nodes()).map(NodeId).map(|node| {
            let ports = topology.links(node).iter();
            let samplers = ports.filter_map(|port| {
                let way = clocks.way(topology, topology.far(node, port)?)?;
                let (Clock::Periodic(clock), crossing) = (way.receiver, way.crossing?) else {
                    return None;
                };
                let flops = crossing.flops?;
                Some(Sampler::new(port, flops, (crossing.edges, clock.period_ps)))
            });
            samplers.collect()
        });
        Samplers {
            of: samplers.collect(),
            seed: clocks.seed,
            came: Vec::new(),
            last_ps: vec![0; domains],
        }
    }

    /// Whether no flip-flop can become metastable.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.of.is_empty()
    }
}

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// The flip-flops of a domain sample what has come since its last tick, at `now_ps`, before its nodes are stepped.
    #[inline(never)]
    pub(super) fn sample(&mut self, domain: u32, now_ps: u64) {
        let Samplers {
            of,
            seed,
            came,
            last_ps,
        } = &mut self.samplers;
        let Domain {
            driver,
            first,
            nodes,
        } = &self.domains[domain as usize];
        let Driver::Ticks(ticker) = driver else {
            return;
        };
        let since_ps = std::mem::replace(&mut last_ps[domain as usize], now_ps);
        let at = Moment::new(self.reference.cycle, now_ps);
        for node in &self.members[*first as usize..][..*nodes as usize] {
            for sampler in &of[node.index()] {
                came.clear();
                let end = (*node, sampler.port);
                self.links.came_ps(end, (since_ps, now_ps), came);
                self.rights.came_ps(end, (since_ps, now_ps), came);
                let draws = Draws::of_node(*seed, *node);
                for (place, (port, came_ps)) in came.iter().enumerate() {
                    let index = SAMPLE_DRAW + PORTS * place as u32 + u32::from(port.0);
                    let is_undecided = now_ps - came_ps < sampler.flops.window_ps;
                    let tau_ps = sampler.flops.tau_ps;
                    let has_failed = is_undecided
                        && draws.exponential(tau_ps, ticker.ticks(), index) > sampler.patience_ps;
                    let sampled = Sampled {
                        failure_chance: sampler.failure_chance,
                        is_undecided,
                        has_failed,
                    };
                    self.probe.sampled(*node, at, sampled);
                }
            }
        }
    }
}
