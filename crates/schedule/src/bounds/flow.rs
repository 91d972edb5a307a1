//! The least steps within which packets that may be divided get through.
//!
//! The multicommodity flow over the multistage graph (Symvonis and Tidswell 1994, section 3.2), seen from its dual: a price for
//! each link and step, so that the cheapest ways of all packets cost as much more than all links as can be. If that's nothing,
//! there is a flow. If it's something, the prices are the proof that there is none, and they are held to it in whole numbers:
//! where rounding leaves doubt, the bound stays below.

use super::stages::{Kind, Stages};
use super::{BoundError, Cut, Limits, Model, distance};
use crate::multistage::{Search, longest_first};
use crate::{Plan, Request, makespan};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};
use std::collections::BTreeMap;

/// What a price of 1 of the linear program is in whole numbers.
const UNIT: f64 = (1 << 24) as f64;

/// What the fractional flow says of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fractional {
    /// No schedule has fewer steps.
    pub steps: u32,
    /// The proof, unless it's the longest distance.
    pub cut: Option<Cut>,
}

/// The fewest steps within which all packets get through, if they may be divided among paths and steps.
///
/// # Errors
/// A [`BoundError`] for packets that aren't the graph's, for those without a path, and for problems beyond the limits.
pub fn fractional(
    topology: &impl Topology,
    requests: &[Request],
    model: Model,
    limits: &Limits,
) -> Result<Fractional, BoundError> {
    let distance = distance(topology, requests)?;
    limits.admit(topology, requests, distance)?;
    // A schedule is a flow, so what a search finds needs no linear program.
    let most = makespan(requests, &searched(topology, requests, model)?);
    fractional_until(topology, requests, model, limits, most)
}

/// The plans that a search finds in the order of [`longest_first`].
pub(super) fn searched(
    topology: &impl Topology,
    requests: &[Request],
    model: Model,
) -> Result<Vec<Plan>, BoundError> {
    let order = longest_first(topology, requests);
    let mut search = Search::new(topology, model.waiting, model.paths);
    Ok(search.schedule(requests, &order)?)
}

/// The same, for a problem that has a schedule of so many steps.
pub(super) fn fractional_until(
    topology: &impl Topology,
    requests: &[Request],
    model: Model,
    limits: &Limits,
    most: u32,
) -> Result<Fractional, BoundError> {
    let mut steps = distance(topology, requests)?;
    let mut cut = None;
    while steps < most {
        limits.admit(topology, requests, steps)?;
        let prices = Dual::new(topology, requests, model, steps).solve();
        let prices = prices.filter(|it| it.proves(topology, requests, model));
        let Some(found) = prices else { break };
        cut = Some(found);
        steps += 1;
    }
    Ok(Fractional { steps, cut })
}

/// Packets of one length and destination are one commodity.
pub(super) fn kinds(requests: &[Request]) -> impl Iterator<Item = Kind> {
    let mut kinds: BTreeMap<_, BTreeMap<NodeId, u32>> = BTreeMap::new();
    let moving = requests.iter().filter(|it| it.source != it.destination);
    for request in moving {
        let sources = kinds.entry((request.destination, request.words));
        *sources.or_default().entry(request.source).or_default() += 1;
    }
    kinds
        .into_iter()
        .map(|((destination, words), sources)| Kind {
            destination,
            words,
            sources: sources.into_iter().collect(),
        })
}

/// The linear program: the most that packets pay beyond what all room is worth, none more than 1.
pub(super) struct Dual {
    program: Problem,
    steps: u32,
    waiting: usize,
    links: BTreeMap<(NodeId, Port, u32), Variable>,
    waits: BTreeMap<(NodeId, u32), Variable>,
}

impl Dual {
    pub(super) fn new(
        topology: &impl Topology,
        requests: &[Request],
        model: Model,
        steps: u32,
    ) -> Dual {
        let mut dual = Dual {
            program: Problem::new(OptimizationDirection::Maximize),
            steps,
            waiting: model.waiting,
            links: BTreeMap::new(),
            waits: BTreeMap::new(),
        };
        for kind in kinds(requests) {
            dual.add(&Stages::new(topology, model.paths, kind, steps));
        }
        dual
    }

    /// What a packet still pays from each state is at most what a move costs, and what it pays from there.
    fn add(&mut self, stages: &Stages) {
        let free = (0.0, f64::INFINITY);
        let states: Vec<Variable> = (0..stages.count())
            .map(|_| self.program.add_var(0.0, free))
            .collect();
        for it in stages.moves() {
            let mut pays = LinearExpr::empty();
            pays.add(states[it.from], 1.0);
            if let Some(to) = it.to {
                pays.add(states[to], -1.0);
            }
            for step in it.step..it.step + stages.kind.words {
                let link = self.links.entry((it.node, it.port, step));
                let price = link.or_insert_with(|| self.program.add_var(-1.0, free));
                pays.add(*price, -1.0);
            }
            self.program.add_constraint(pays, ComparisonOp::Le, 0.0);
        }
        let worth = -(self.waiting as f64);
        let waits = stages.waits().filter(|_| self.waiting > 0);
        for (node, step, from, to) in waits {
            let place = self.waits.entry((node, step));
            let price = *place.or_insert_with(|| self.program.add_var(worth, free));
            let pays = [(states[from], 1.0), (states[to], -1.0), (price, -1.0)];
            self.program.add_constraint(pays, ComparisonOp::Le, 0.0);
        }
        for (source, packets) in &stages.kind.sources {
            let all = self.program.add_var((*packets).into(), (0.0, 1.0));
            for state in (0..).map_while(|step| stages.state(*source, step)) {
                let pays = [(all, 1.0), (states[state], -1.0)];
                self.program.add_constraint(pays, ComparisonOp::Le, 0.0);
            }
        }
    }

    /// The prices in whole numbers, which may prove something or not.
    pub(super) fn solve(self) -> Option<Cut> {
        let solved = self.program.solve().ok()?.into_solution().ok()?;
        let price = |variable: &Variable| {
            (solved.var_value(*variable).clamp(0.0, 1.0) * UNIT).round() as u32
        };
        let links = self.links.iter().map(|(link, it)| (*link, price(it)));
        let waits = self.waits.iter().map(|(place, it)| (*place, price(it)));
        Some(Cut {
            steps: self.steps,
            links: links.filter(|(_, price)| *price > 0).collect(),
            waits: waits.filter(|(_, price)| *price > 0).collect(),
        })
    }
}
