//! The clocks of the nodes, drawn from the configuration's seed.
//!
//! A domain's draws are keyed by its node or block, not by the number of domains before it, so that another island
//! doesn't change the other nodes' clocks.

mod changed;

pub(crate) use changed::ClockOf;

use super::clocks::{BLOCK_SIDE, ClockParameters, Domains, Oscillators, Phase, Spread, Stepping};
use super::delay_draws::Delays;
use super::draws::Stream;
use super::pace::{BILLION, Pace, exact_ppb};
use changed::Changed;
use flitwork_network::{Clock, Clocks, LinkTiming, ONE_PPB, Periodic, SelfTimed};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;

/// Separates the draws of clocks from those that routers and traffic derive from the same seed.
const CLOCKS: u64 = u64::from_be_bytes(*b"clocks..");
/// The numbers of a domain's draws, besides those for its period.
const PHASE: u32 = 0;
const DRIFT: u32 = 1;

impl ClockParameters {
    /// The clocks of a network's nodes. Domains are in the order of their first nodes.
    pub(super) fn draw(&self, shape: &Shape, seed: u64, links: LinkTiming) -> Clocks {
        let mut delays = Delays::of(self, shape, seed);
        let seed = seed ^ CLOCKS;
        let islands = self.island_of(shape);
        let blocks = Blocks::of(self, shape);
        let changed = Changed::of(self, shape);
        let mut domains = Vec::new();
        let mut island_domain: Vec<Option<u32>> = vec![None; self.islands.len()];
        let mut block_domain: Vec<Option<u32>> = vec![None; blocks.count()];
        let domain_of = (0..shape.nodes()).map(|node| {
            let island = islands.get(node as usize).copied().flatten();
            let block = blocks.of_node(node);
            let known = match island {
                Some(island) => &mut island_domain[island],
                None => &mut block_domain[block as usize],
            };
            *known.get_or_insert_with(|| {
                domains.push(match island {
                    Some(island) => Clock::Periodic(self.island(island, &changed)),
                    None => self.clock(seed, block, (&mut delays, &changed)),
                });
                domains.len() as u32 - 1
            })
        });
        let domain_of = domain_of.collect();
        let links = delays.time(links);
        Clocks {
            nominal_ps: self.period_ps,
            domains,
            domain_of,
            links,
            seed,
        }
    }

    /// The pace of all domains, with everything that is drawn for each tick. Links and clocks are checked by it.
    pub(super) fn whole_pace(&self, shape: &Shape, seed: u64) -> Pace {
        let changed = Changed::of(self, shape);
        let islands = self.islands.iter().enumerate().map(|(place, island)| {
            let pace = Pace::of(&Clock::Periodic(self.island(place, &changed)));
            pace.with_draws(island.jitter_ps, island.wander.most_ps)
        });
        let (jitter_ps, wander_ps) = match &self.stepping {
            Stepping::Oscillators(all) => (all.jitter_ps, all.wander.most_ps),
            Stepping::SelfTimed(_) => (0, 0),
        };
        let others = self.pace(shape, seed);
        let others = others.map(|pace| pace.with_draws(jitter_ps, wander_ps));
        let all = islands.chain(others).reduce(Pace::and);
        // Every node is in a domain or an island.
        all.unwrap_or(Pace::even(self.period_ps))
    }

    /// The pace of the domains that aren't islands, if there are any.
    pub(super) fn pace(&self, shape: &Shape, seed: u64) -> Option<Pace> {
        let outside = |island: &Option<usize>| island.is_none();
        let islands = self.island_of(shape);
        if !islands.is_empty() && !islands.iter().any(outside) {
            return None;
        }
        let mut delays = Delays::of(self, shape, seed);
        let seed = seed ^ CLOCKS;
        let changed = Changed::of(self, shape);
        let alike = match &self.stepping {
            _ if !changed.is_alike() => false,
            Stepping::Oscillators(all) => all.spread == Spread::NONE && all.drift_ppm == 0.0,
            Stepping::SelfTimed(steps) => steps.spread == Spread::NONE && delays.are_alike(),
        };
        if alike {
            return Some(Pace::of(&self.clock(seed, 0, (&mut delays, &changed))));
        }
        let blocks = Blocks::of(self, shape);
        let mut known = vec![false; blocks.count()];
        let mut pace: Option<Pace> = None;
        for node in 0..shape.nodes() {
            let block = blocks.of_node(node);
            let island = islands.get(node as usize).copied().flatten();
            if island.is_none() && !std::mem::replace(&mut known[block as usize], true) {
                let drawn = Pace::of(&self.clock(seed, block, (&mut delays, &changed)));
                pace = Some(pace.map_or(drawn, |pace| pace.and(drawn)));
            }
        }
        pace
    }

    /// The island of each node; empty if there are no islands.
    pub(super) fn island_of(&self, shape: &Shape) -> Vec<Option<usize>> {
        if self.islands.is_empty() {
            return Vec::new();
        }
        let mut island_of = vec![None; shape.nodes() as usize];
        for (index, island) in self.islands.iter().enumerate() {
            for node in &island.nodes {
                island_of[node.0 as usize] = Some(index);
            }
        }
        island_of
    }

    /// The oscillator of an island.
    fn island(&self, place: usize, changed: &Changed) -> Periodic {
        let clock = self.islands[place].clock();
        let changes = changed.changes(self, ClockOf::Island(place), clock.drift_ppb);
        clock.with_changes(changes)
    }

    /// The clock of a block of nodes; a self-timed node is a block.
    fn clock(
        &self,
        seed: u64,
        block: u32,
        (delays, changed): (&mut Delays<'_>, &Changed),
    ) -> Clock {
        match &self.stepping {
            Stepping::Oscillators(all) => {
                let mut clock = all.draw(self.period_ps, seed, block);
                clock.phase_ps = all.phase_ps(clock.period_ps, seed, block);
                let drift_ppb = all.drift_ppb(seed, block);
                let changes = changed.changes(self, ClockOf::Block(block), drift_ppb);
                Clock::Periodic(clock.with_changes(changes))
            }
            Stepping::SelfTimed(steps) => {
                let corner = 1.0 + steps.corner_percent / 100.0;
                let off = steps.spread.draw(Stream::of(seed, block));
                let scale = corner * (1.0 + off.unwrap_or_default());
                let mut node = SelfTimed {
                    delays: delays.of_node(NodeId(block)),
                    scale_ppb: ((scale * ONE_PPB as f64).round() as u64).max(1),
                    count_ps: delays.count_ps(NodeId(block)),
                    arbiter: self.arbiter,
                };
                // A cycle that takes no time takes none in any corner.
                if node.count_ps > 0 {
                    node.count_ps = node.scaled_ps(node.count_ps);
                }
                Clock::SelfTimed(node)
            }
        }
    }
}

impl Oscillators {
    fn phase_ps(&self, period_ps: u64, seed: u64, block: u32) -> u64 {
        match self.phase {
            Phase::Zero => 0,
            Phase::Random => {
                flitwork_types::draws::below(Stream::of(seed, block).raw(PHASE), period_ps)
            }
        }
    }

    /// How much slower or faster than its period a block's oscillator runs, in parts per billion.
    fn drift_ppb(&self, seed: u64, block: u32) -> i32 {
        let drift = (2.0 * Stream::of(seed, block).unit(DRIFT) - 1.0) * self.drift_ppm * 1000.0;
        drift.round() as i32
    }

    /// A block's oscillator, without its phase and its changes. The part of the period that isn't a whole number of ps is in the
    /// drift.
    fn draw(&self, nominal_ps: u64, seed: u64, block: u32) -> Periodic {
        let drift_ppb = self.drift_ppb(seed, block);
        let oscillator = |period_ps, drift_ppb| {
            Periodic::new(period_ps, 0)
                .with_drift(drift_ppb)
                .with_jitter(self.jitter_ps)
                .with_wander(self.wander.if_any())
        };
        let off = self.spread.draw(Stream::of(seed, block));
        let drawn = match off {
            None => oscillator(nominal_ps, drift_ppb),
            Some(off) => {
                let period = (nominal_ps as f64 * (1.0 + off)).max(1.0);
                let whole = period.round();
                let drifting = period / whole * (1.0 + f64::from(drift_ppb) * 1e-9);
                oscillator(whole as u64, ((drifting - 1.0) * 1e9).round() as i32)
            }
        };
        // Two ticks are never at the same instant.
        if exact_ppb(drawn.rate()) < BILLION {
            return oscillator(1, 0);
        }
        drawn
    }
}

/// Which nodes outside islands share a clock.
struct Blocks {
    /// For each dimension: nodes of the network, nodes of a block, and the number by which a block differs
    /// from its neighbour.
    axes: Vec<[u32; 3]>,
    count: u32,
}

impl Blocks {
    fn of(clocks: &ClockParameters, shape: &Shape) -> Blocks {
        // Nodes without coordinates form one line.
        let sides = shape.sides();
        let block_sides = match &clocks.stepping {
            Stepping::SelfTimed(_) => vec![1; sides.len()],
            Stepping::Oscillators(all) => match (all.domains, &all.block_sides) {
                (Domains::One, _) => sides.clone(),
                (Domains::Blocks, Some(own)) => own.clone(),
                (Domains::Blocks, None) => vec![BLOCK_SIDE; sides.len()],
                (Domains::Node, _) => vec![1; sides.len()],
            },
        };
        let mut count = 1;
        let axes = sides.into_iter().zip(block_sides).map(|(side, block)| {
            let axis = [side, block, count];
            count *= side.div_ceil(block);
            axis
        });
        let axes = axes.collect();
        Blocks { axes, count }
    }

    fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of a node's block, which is the node's where each block is one node.
    fn of_node(&self, node: u32) -> u32 {
        let (mut rest, mut number) = (node, 0);
        for [side, block, stride] in &self.axes {
            number += rest % side / block * stride;
            rest /= side;
        }
        number
    }
}
