//! Theorem 2.19: turning intervals and Φ, counted from moves alone.

use crate::permutations;
use flitwork_steps::rules::{DimensionOrder, Fixed, Lifo, StraightFirst, StraightThrough};
use flitwork_steps::{Machine, Move, Nobody, Rule, Store};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Problem = Vec<(NodeId, NodeId)>;

/// Of a row: a turning interval, or the time between two.
enum Phase {
    /// Since the end of a step, and who hasn't turned.
    Turning(u32, Vec<usize>),
    /// Since the end of a step, and Φ of the packets that go east and of those that go west.
    Between(u32, [Potential; 2]),
}

/// Φ of packets that go one way, numbered from the front as a turning interval ends.
#[derive(Default)]
struct Potential {
    packets: Vec<usize>,
    /// Φ_m, by m - 1.
    phi: Vec<u32>,
}

/// What moves tell.
struct Checker<'a> {
    grid: &'a Grid,
    n: u32,
    k: usize,
    problem: &'a [(NodeId, NodeId)],
    step: u32,
    at: Vec<NodeId>,
    /// By packet: the step at whose end it came.
    arrived: Vec<u32>,
    /// By packet: the difference of the node from which it came, if it came.
    came: Vec<Option<(i64, i64)>>,
    moved: Vec<bool>,
    /// By row.
    phases: Vec<Phase>,
    intervals: Vec<u32>,
    last_turned: u32,
}

/// A claim that doesn't hold.
type Broken = String;

fn claim(holds: bool, what: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(what()) }
}

impl<'a> Checker<'a> {
    fn new(grid: &'a Grid, n: u32, k: usize, problem: &'a [(NodeId, NodeId)]) -> Checker<'a> {
        let mut checker = Checker {
            grid,
            n,
            k,
            problem,
            step: 0,
            at: problem.iter().map(|it| it.0).collect(),
            arrived: vec![0; problem.len()],
            came: vec![None; problem.len()],
            moved: vec![false; problem.len()],
            phases: Vec::new(),
            intervals: vec![0; n as usize],
            last_turned: 0,
        };
        checker.phases = (0..n).map(|row| checker.between(row)).collect();
        checker
    }

    fn place(&self, node: NodeId) -> (i64, i64) {
        ((node.0 % self.n).into(), (node.0 / self.n).into())
    }

    /// How far it is to a packet's column, to the east.
    fn to_column(&self, packet: usize) -> i64 {
        self.place(self.problem[packet].1).0 - self.place(self.at[packet]).0
    }

    /// The packets of a row that aren't in their column, from the front.
    fn live(&self, row: u32, sign: i64) -> Vec<usize> {
        let is_live = |it: &usize| {
            self.place(self.at[*it]).1 == i64::from(row) && self.to_column(*it) * sign > 0
        };
        let mut live: Vec<usize> = (0..self.at.len()).filter(is_live).collect();
        live.sort_by_key(|it| (-sign * self.place(self.at[*it]).0, self.arrived[*it]));
        live
    }

    fn phi(&self, packets: &[usize]) -> Vec<u32> {
        let (mut sum, mut ahead) = (0, None::<i64>);
        let of = |packet: &usize| {
            if self.to_column(*packet) != 0 {
                let x = self.place(self.at[*packet]).0;
                sum += match ahead.map(|it| it.abs_diff(x)) {
                    Some(0) => 2,
                    Some(1) => 1,
                    _ => 0,
                };
                ahead = Some(x);
            }
            sum
        };
        packets.iter().map(of).collect()
    }

    fn between(&self, row: u32) -> Phase {
        let sides = [1, -1].map(|sign| {
            let packets = self.live(row, sign);
            let phi = self.phi(&packets);
            Potential { packets, phi }
        });
        Phase::Between(self.step, sides)
    }

    /// The queues of a row by which packets come along it, all of whose k packets want to turn.
    fn turning(&self) -> BTreeMap<u32, Vec<usize>> {
        let mut queues: BTreeMap<(NodeId, i64), Vec<usize>> = BTreeMap::new();
        for (packet, (from, to)) in self.problem.iter().enumerate() {
            let is_along = self.came[packet].is_some_and(|(x, _)| x != 0);
            let begins_along =
                self.came[packet].is_none() && self.place(*from).0 != self.place(*to).0;
            if self.at[packet] != *to && (is_along || begins_along) {
                let way = (self.place(*to).0 - self.place(*from).0).signum();
                queues
                    .entry((self.at[packet], way))
                    .or_default()
                    .push(packet);
            }
        }
        let full = queues.into_iter().filter(|(_, packets)| {
            packets.len() == self.k && packets.iter().all(|it| self.to_column(*it) == 0)
        });
        full.map(|((node, _), packets)| (node.0 / self.n, packets))
            .collect()
    }

    /// Who goes along a column isn't delayed unless one that came before it from the same side leaves.
    fn check_columns(&self) -> Result<(), Broken> {
        let mut queues: BTreeMap<(NodeId, i64), bool> = BTreeMap::new();
        for (packet, (from, to)) in self.problem.iter().enumerate() {
            let begins = self.place(*from).0 == self.place(*to).0;
            let is_along = self.came[packet].map_or(begins, |(_, y)| y != 0);
            if self.at[packet] != *to && is_along {
                let way = (self.place(*to).1 - self.place(*from).1).signum();
                *queues.entry((self.at[packet], way)).or_default() |= self.moved[packet];
            }
        }
        let mut queues = queues.into_iter();
        let idle = queues.find(|(_, sends)| !sends);
        claim(idle.is_none(), || format!("a column waits: {idle:?}"))
    }

    /// Lemma 2.20 (1) to (5).
    fn check_phi(&self, was: &Potential, live: &[usize]) -> Result<Vec<u32>, Broken> {
        let phi = self.phi(&was.packets);
        let mut delayed = false;
        for (m, packet) in was.packets.iter().enumerate() {
            let is_delayed = live.contains(packet) && !self.moved[*packet];
            delayed |= is_delayed;
            let what = || format!("Φ_{} {} to {}", m + 1, was.phi[m], phi[m]);
            claim(was.phi[m] <= 2 * m as u32, || format!("(1): {}", what()))?;
            claim(was.phi[m] > 0 || !delayed, || format!("(3): {}", what()))?;
            claim(phi[m] <= was.phi[m], || format!("(4): {}", what()))?;
            let falls = !is_delayed || phi[m] < was.phi[m];
            claim(falls, || format!("(5): {}", what()))?;
        }
        Ok(phi)
    }

    fn step(&mut self, moves: &[Move]) -> Result<(), Broken> {
        self.step += 1;
        let live: Vec<usize> = (0..self.at.len())
            .filter(|it| self.to_column(*it) != 0)
            .collect();
        self.moved.fill(false);
        moves
            .iter()
            .for_each(|it| self.moved[it.packet.index()] = true);
        self.check_columns()?;
        for it in moves {
            let packet = it.packet.index();
            let to = self.grid.neighbour(it.from, it.port).unwrap();
            let ((x, y), (to_x, to_y)) = (self.place(it.from), self.place(to));
            let has_turned = to_y != y && self.came[packet].is_none_or(|(x, _)| x != 0);
            if has_turned {
                self.last_turned = self.step;
                for phase in &mut self.phases {
                    if let Phase::Turning(_, left) = phase {
                        left.retain(|it| *it != packet);
                    }
                }
            }
            self.came[packet] = Some((to_x - x, to_y - y));
            (self.at[packet], self.arrived[packet]) = (to, self.step);
        }
        let turning = self.turning();
        for row in 0..self.n {
            self.row(row, &live, turning.get(&row))?;
        }
        Ok(())
    }

    fn row(&mut self, row: u32, live: &[usize], full: Option<&Vec<usize>>) -> Result<(), Broken> {
        let (step, n) = (self.step, self.n);
        let place = row as usize;
        match &self.phases[place] {
            Phase::Turning(since, left) => {
                claim(step - since <= n, || {
                    format!("an interval of {} steps", step - since)
                })?;
                if !left.is_empty() {
                    return Ok(());
                }
                self.phases[place] = self.between(row);
            }
            Phase::Between(since, sides) => {
                let [east, west] = sides;
                let phi = [self.check_phi(east, live)?, self.check_phi(west, live)?];
                let since = *since;
                let is_live =
                    |side: &Potential| side.packets.iter().any(|it| self.to_column(*it) != 0);
                let ends = full.is_some() || !sides.iter().any(is_live);
                let what = || format!("Lemma 2.21: {} steps", step - since);
                claim(ends || step - since < 3 * (n - 1), what)?;
                let Phase::Between(_, sides) = &mut self.phases[place] else {
                    unreachable!("it is one");
                };
                for (side, phi) in sides.iter_mut().zip(phi) {
                    side.phi = phi;
                }
            }
        }
        if let Some(packets) = full {
            self.phases[place] = Phase::Turning(step, packets.clone());
            self.intervals[place] += 1;
            let most = n / self.k as u32;
            claim(self.intervals[place] <= most, || {
                format!("{} intervals", most + 1)
            })?;
        }
        Ok(())
    }
}

/// Routes a permutation, and checks every claim of the theorem and its lemmas. The steps, and the most intervals of a row.
fn route<R: Rule>(n: u32, k: u32, rule: &R, problem: &Problem) -> Result<(u32, u32), Broken> {
    let mesh = Grid::mesh(&[n, n]).unwrap();
    let store = Store::Incoming(k as usize);
    let mut machine = Machine::new(&mesh, rule, store, problem).unwrap();
    let mut checker = Checker::new(&mesh, n, k as usize, problem);
    let bound = n / k * (4 * n - 3) + 5 * n;
    assert_eq!(StraightThrough::bound_steps(n, k), u64::from(bound));
    while !machine.is_done() {
        claim(machine.steps() < bound, || format!("{bound} steps"))?;
        machine.step(&mut Nobody);
        checker.step(machine.moves())?;
    }
    let (steps, turned) = (machine.steps(), checker.last_turned);
    claim(steps <= turned + 2 * n, || "2n steps in columns".into())?;
    Ok((steps, checker.intervals.iter().copied().max().unwrap()))
}

fn problem(n: u32, to: impl Fn(u32, u32) -> (u32, u32)) -> Problem {
    let pair = |node| {
        let (x, y) = to(node % n, node / n);
        (NodeId(node), NodeId(y * n + x))
    };
    (0..n * n).map(pair).collect()
}

#[test]
fn structured_permutations_keep_the_bound() {
    for (n, k) in [4, 9, 16, 31, 32]
        .into_iter()
        .flat_map(|n| [1, 2, 4].map(|k| (n, k)))
    {
        let far = n - 1;
        let permutations = [
            problem(n, |x, y| (y, x)),
            problem(n, |x, y| (far - y, far - x)),
            problem(n, |x, y| (far - x, far - y)),
            problem(n, |x, y| ((x + n / 2) % n, (y + x) % n)),
            problem(n, |x, y| ((x + y) % n, (y + x / 2) % n)),
        ];
        for (number, problem) in permutations.iter().enumerate() {
            let found = route(n, k, &StraightThrough, problem);
            found.unwrap_or_else(|what| panic!("n = {n}, k = {k}, permutation {number}: {what}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_permutations_keep_the_bound(
        (n, order) in (2u32..33).prop_flat_map(|n| (Just(n), Just((0..n * n).collect::<Vec<u32>>()).prop_shuffle())),
        k in 1u32..5,
    ) {
        let to: Problem = order.iter().zip(0..).map(|(to, from)| (NodeId(from), NodeId(*to))).collect();
        let found = route(n, k.min(n), &StraightThrough, &to);
        prop_assert!(found.is_ok(), "{found:?}");
    }

    /// Packets of few sources and few columns meet in queues more often.
    #[test]
    fn crowded_columns_keep_the_bound(
        (n, order) in (4u32..17).prop_flat_map(|n| (Just(n), Just((0..n * n).collect::<Vec<u32>>()).prop_shuffle())),
        (columns, k) in (1u32..4, 1u32..4),
    ) {
        let is_crowded = |to: &u32| *to % n < columns;
        let to = order.iter().copied().filter(is_crowded);
        let from = (0..n * n).filter(|it| it / n < columns.min(n));
        let to: Problem = from.zip(to).map(|(from, to)| (NodeId(from), NodeId(to))).collect();
        let found = route(n, k, &StraightThrough, &to);
        prop_assert!(found.is_ok(), "{found:?}");
    }
}

/// All permutations of a 3 x 3 mesh: the bound is 3 9 + 15 steps.
#[test]
fn all_small_permutations_keep_the_bound() {
    let mut order: Vec<u32> = (0..9).collect();
    let mut most = (0, 0);
    permutations(&mut order, 9, &mut |order| {
        let problem = (0..9).map(|it| (NodeId(it), NodeId(order[it as usize])));
        let (steps, intervals) = route(3, 1, &StraightThrough, &problem.collect()).unwrap();
        most = (most.0.max(steps), most.1.max(intervals));
    });
    assert!(most.0 > 4 && most.1 > 0, "{most:?}");
}

/// The checker sees rules that aren't the theorem's: columns that refuse, and the last to come before the first.
#[test]
fn other_rules_are_seen() {
    let n = 12;
    let mixed = problem(n, |x, y| ((x + y) % n, (y + 7 * x) % n));
    assert!(route(n, 1, &StraightThrough, &mixed).is_ok());
    let straight = DimensionOrder::<StraightFirst, Fixed>::default();
    assert!(route(n, 1, &straight, &mixed).is_err());
    let lifo = DimensionOrder::<Lifo, Fixed>::default();
    assert!(route(n, 4, &lifo, &mixed).is_err());
}
