//! The shortest schedule of a small problem.
//!
//! Whether there is a schedule of so many steps is a question of satisfiability over the multistage graph. It's asked for one
//! length after the other, from the fractional bound on, up to what a search finds without it.

use super::clauses::Clauses;
use super::flow::{fractional_until, searched};
use super::stages::{Kind, Stages};
use super::{BoundError, Limits, Model, distance};
use crate::{Hop, Plan, Request, makespan};
use batsat::Lit;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// The shortest schedule that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortest {
    /// The packets' ways.
    pub plans: Vec<Plan>,
    /// The steps of the schedule.
    pub makespan: u32,
    /// No schedule has fewer steps.
    pub at_least: u32,
}

impl Shortest {
    /// Whether no schedule is shorter. If not, the solver gave up some lengths.
    pub fn is_proven(&self) -> bool {
        self.makespan == self.at_least
    }
}

/// The shortest schedule, with what proves it: no schedule of fewer steps.
///
/// A search in the order of [`longest_first`](crate::multistage::longest_first) comes first, and the solver is asked only for
/// what is shorter.
///
/// # Errors
/// A [`BoundError`] for packets that aren't the graph's, for those without a path, and for problems beyond the limits.
pub fn shortest(
    topology: &impl Topology,
    requests: &[Request],
    model: Model,
    limits: &Limits,
) -> Result<Shortest, BoundError> {
    let mut at_least = distance(topology, requests)?;
    limits.admit(topology, requests, at_least)?;
    let mut plans = searched(topology, requests, model)?;
    let mut most = makespan(requests, &plans);
    if at_least < most {
        limits.admit(topology, requests, most - 1)?;
        at_least = fractional_until(topology, requests, model, limits, most)?.steps;
    }
    let open = at_least..most;
    for steps in open {
        let mut question = Question::new(topology, requests, model, steps, limits.conflicts);
        match question.clauses.solve() {
            Some(true) => {
                plans = question.plans(requests);
                most = makespan(requests, &plans);
                break;
            }
            Some(false) if at_least == steps => at_least = steps + 1,
            _ => {}
        }
    }
    Ok(Shortest {
        plans,
        makespan: most,
        at_least,
    })
}

/// Whether there is a schedule of so many steps.
pub(super) struct Question {
    pub(super) clauses: Clauses,
    /// The packets that move, and their places among the requests.
    packets: Vec<(usize, Packet)>,
    links: BTreeMap<(NodeId, Port, u32), Vec<Lit>>,
    waits: BTreeMap<(NodeId, u32), Vec<Lit>>,
}

/// What a packet does in each state that it may be in.
struct Packet {
    /// The first of them: it's at its source as step 0 begins.
    begin: usize,
    /// By state: that it is there.
    states: Vec<Lit>,
    /// By state: the moves from it, and where they lead.
    moves: Vec<Vec<(Lit, Hop, Option<usize>)>>,
}

impl Question {
    pub(super) fn new(
        topology: &impl Topology,
        requests: &[Request],
        model: Model,
        steps: u32,
        conflicts: u64,
    ) -> Question {
        let mut question = Question {
            clauses: Clauses::new(conflicts),
            packets: Vec::new(),
            links: BTreeMap::new(),
            waits: BTreeMap::new(),
        };
        let mut alike: BTreeMap<_, Vec<Lit>> = BTreeMap::new();
        for (place, request) in requests.iter().enumerate() {
            if request.source == request.destination {
                continue;
            }
            let kind = Kind {
                destination: request.destination,
                words: request.words,
                sources: vec![(request.source, 1)],
            };
            let stages = Stages::new(topology, model.paths, kind, steps);
            let packet = question.packet(&stages, request, model);
            let home = (0..).map_while(|step| stages.state(request.source, step));
            let home: Vec<Lit> = home.map(|state| packet.states[state]).collect();
            // Of packets that are alike, those that come first leave first.
            let ends = (request.source, request.destination, request.words);
            if let Some(before) = alike.insert(ends, home.clone()) {
                for (one, other) in before.iter().zip(&home) {
                    question.clauses.implies(*one, *other);
                }
            }
            question.packets.push((place, packet));
        }
        for links in question.links.values() {
            question.clauses.at_most(1, links);
        }
        for waits in question.waits.values() {
            question.clauses.at_most(model.waiting, waits);
        }
        question
    }

    /// Adds a packet: it's in one state of each step, and goes on from it.
    fn packet(&mut self, stages: &Stages, request: &Request, model: Model) -> Packet {
        let clauses = &mut self.clauses;
        let states: Vec<Lit> = (0..stages.count()).map(|_| clauses.variable()).collect();
        let mut moves = vec![Vec::new(); states.len()];
        let mut onward = vec![Vec::new(); states.len()];
        for it in stages.moves() {
            let moved = clauses.variable();
            clauses.implies(moved, states[it.from]);
            if let Some(to) = it.to {
                clauses.implies(moved, states[to]);
            }
            for step in it.step..it.step + request.words {
                let link = self.links.entry((it.node, it.port, step));
                link.or_default().push(moved);
            }
            let hop = Hop {
                port: it.port,
                step: it.step,
            };
            moves[it.from].push((moved, hop, it.to));
            onward[it.from].push(moved);
        }
        for (node, step, from, to) in stages.waits().filter(|_| model.waiting > 0) {
            let waits = clauses.variable();
            clauses.implies(waits, states[from]);
            clauses.implies(waits, states[to]);
            self.waits.entry((node, step)).or_default().push(waits);
            onward[from].push(waits);
        }
        let mut by_step: BTreeMap<u32, Vec<Lit>> = BTreeMap::new();
        for (state, (node, step)) in stages.states().enumerate() {
            by_step.entry(step).or_default().push(states[state]);
            let stays = stages.state(node, step + 1);
            let stays = stays.filter(|_| node == request.source);
            let stays = stays.map(|state| states[state]);
            let ways = onward[state].iter().copied();
            clauses.any([!states[state]].into_iter().chain(ways).chain(stays));
        }
        for places in by_step.values() {
            clauses.at_most(1, places);
        }
        let begin = stages.state(request.source, 0);
        let begin = begin.expect("the steps are at least the distance");
        clauses.any([states[begin]]);
        Packet {
            begin,
            states,
            moves,
        }
    }

    /// The plans of the model that was found.
    pub(super) fn plans(&self, requests: &[Request]) -> Vec<Plan> {
        let mut plans = vec![Plan::default(); requests.len()];
        for (place, packet) in &self.packets {
            let mut state = Some(packet.begin);
            while let Some(at) = state {
                let moved = packet.moves[at].iter().find(|it| self.clauses.holds(it.0));
                // Who stays is in the next state, which is of the next step.
                state = match moved {
                    Some((_, hop, to)) => {
                        plans[*place].hops.push(*hop);
                        *to
                    }
                    None => Some(at + 1),
                };
            }
        }
        plans
    }
}
