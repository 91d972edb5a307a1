//! A chain of states: how long a source stays in each, which one follows, and what share of the time it spends in each
//! in the long run.

use crate::Draws;
use crate::geometric::Coin;
use crate::parameter::within;
use flitwork_schema::WrongValue;

/// The most states of a chain.
const MOST_STATES: usize = 64;
/// How far the sum of a row of transitions may lie from 1.
const ROW_TOLERANCE: f64 = 1e-9;

/// The rates of a state: of packets, and of leaving it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// From 0 to 1.
    pub(crate) packets_per_cycle: f64,
    /// From 0 to 1; its inverse is the mean length of a stay, in cycles.
    pub(crate) leaves_per_cycle: f64,
}

/// A chain whose parameters have been checked.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    states: Vec<State>,
}

#[derive(Clone, Debug)]
struct State {
    rate: Rate,
    packet: Coin,
    leave: Coin,
    /// The share of the time that a source spends here in the long run.
    share: f64,
    /// The states that may follow, each with the cumulative probability up to it.
    followers: Vec<(f64, u8)>,
}

impl Chain {
    /// The chain of these states; without transitions, all other states are equally likely to follow.
    pub(crate) fn new(
        rates: Vec<Rate>,
        transitions: Option<&[Vec<f64>]>,
    ) -> Result<Chain, WrongValue> {
        let states = rates.len();
        if states == 0 || states > MOST_STATES {
            let allowed = format!("1 to {MOST_STATES} states");
            return Err(WrongValue::new("states", states, allowed));
        }
        let rows = match transitions {
            Some(rows) => checked(rows, states)?,
            None => alike(states),
        };
        let visits = visits(&rows);
        // A state that is never left holds a source forever, and its share is all of the time.
        let time = |(rate, visits): (&Rate, &f64)| visits / rate.leaves_per_cycle;
        let times: Vec<f64> = rates.iter().zip(&visits).map(time).collect();
        let all: f64 = times.iter().sum();
        let share = |time: f64| {
            if all.is_infinite() {
                f64::from(u8::from(time.is_infinite()))
            } else {
                time / all
            }
        };
        let state = |((rate, time), row): ((Rate, f64), Vec<f64>)| State {
            rate,
            packet: Coin::new(rate.packets_per_cycle),
            leave: Coin::new(rate.leaves_per_cycle),
            share: share(time),
            followers: sums(&row),
        };
        let states = rates.into_iter().zip(times).zip(rows).map(state).collect();
        Ok(Chain { states })
    }

    /// The long-run mean of packets per cycle.
    pub(crate) fn packets_per_cycle(&self) -> f64 {
        let packets = |state: &State| state.share * state.rate.packets_per_cycle;
        self.states.iter().map(packets).sum()
    }

    /// The chain with all rates scaled to a mean of `load` words per cycle, at `words` words per packet.
    pub(crate) fn scaled(mut self, load: f64, words: f64) -> Result<Chain, WrongValue> {
        let mean = self.packets_per_cycle();
        let rates = self.states.iter().map(|state| state.rate.packets_per_cycle);
        let peak = rates.fold(0.0, f64::max);
        // At most, the state with the highest rate makes one packet per cycle.
        let most = if peak > 0.0 { mean / peak * words } else { 0.0 };
        within("load", load, (0.0, most), "words per node and cycle")?;
        for state in &mut self.states {
            let rate = &mut state.rate.packets_per_cycle;
            if load == 0.0 {
                *rate = 0.0;
            } else {
                *rate = (*rate / mean * (load / words)).min(1.0);
            }
            state.packet = Coin::new(*rate);
        }
        Ok(self)
    }

    /// The coin that decides whether a source makes a packet in a state.
    #[inline]
    pub(crate) fn coin(&self, state: u8) -> Coin {
        self.states[usize::from(state)].packet
    }

    /// The state in which a source starts, by the long-run shares. Takes one draw, or none in a chain of one state.
    pub(crate) fn first(&self, draws: &mut Draws) -> u8 {
        let shares: Vec<f64> = self.states.iter().map(|state| state.share).collect();
        pick(&sums(&shares), draws).unwrap_or(0)
    }

    /// How many more cycles a source stays in a state, from any cycle of the stay. Takes one draw.
    pub(crate) fn stay(&self, state: u8, draws: &mut Draws) -> u64 {
        self.states[usize::from(state)].leave.tosses(draws)
    }

    /// The state that follows a state. Takes one draw, or none if only one can follow.
    pub(crate) fn after(&self, state: u8, draws: &mut Draws) -> u8 {
        pick(&self.states[usize::from(state)].followers, draws).unwrap_or(state)
    }
}

/// The indices of the probabilities above 0, each with the cumulative probability up to it.
fn sums(probabilities: &[f64]) -> Vec<(f64, u8)> {
    let mut sum = 0.0;
    let places = probabilities
        .iter()
        .zip(0..)
        .filter(|(part, _)| **part > 0.0);
    let add = |(part, place): (&f64, u8)| {
        sum += part;
        (sum, place)
    };
    places.map(add).collect()
}

/// Draws one of the indices by its probability; `None` if there is none.
fn pick(sums: &[(f64, u8)], draws: &mut Draws) -> Option<u8> {
    match sums {
        [] => None,
        [(_, only)] => Some(*only),
        [.., (all, last)] => {
            let drawn = draws.open_unit() * all;
            let found = sums.iter().find(|(sum, _)| drawn < *sum);
            Some(found.map_or(*last, |(_, place)| *place))
        }
    }
}

/// Transitions by which every other state is equally likely.
fn alike(states: usize) -> Vec<Vec<f64>> {
    let part = |from, to| {
        if from == to {
            0.0
        } else {
            1.0 / (states - 1) as f64
        }
    };
    let row = |from| (0..states).map(|to| part(from, to)).collect();
    (0..states).map(row).collect()
}

/// Refuses rows that aren't transitions between this many states.
fn checked(rows: &[Vec<f64>], states: usize) -> Result<Vec<Vec<f64>>, WrongValue> {
    let name = "transitions";
    if rows.len() != states {
        let found = format!("{} rows", rows.len());
        let allowed = format!("{states} rows, one per state");
        return Err(WrongValue::new(name, found, allowed));
    }
    for (from, row) in rows.iter().enumerate() {
        if row.len() != states {
            let found = format!("a matrix whose row {from} has length {}", row.len());
            let allowed = format!("{states} numbers per row, one per state");
            return Err(WrongValue::new(name, found, allowed));
        }
        for part in row {
            within(name, *part, (0.0, 1.0), "")?;
        }
        if row[from] != 0.0 {
            let found = format!("{} from state {from} to itself", row[from]);
            let allowed = "0 there: mean_cycles sets how long a source stays";
            return Err(WrongValue::new(name, found, allowed));
        }
        let sum: f64 = row.iter().sum();
        if states > 1 && (sum - 1.0).abs() > ROW_TOLERANCE {
            let found = format!("a matrix whose row {from} has the sum {sum}");
            return Err(WrongValue::new(name, found, "rows with the sum 1"));
        }
    }
    let forth = |from: usize, to: usize| rows[from][to] > 0.0;
    let back = |from: usize, to: usize| rows[to][from] > 0.0;
    let lost = unreached(states, forth)
        .map(|state| format!("a matrix without a path from state 0 to {state}"));
    let stuck = unreached(states, back)
        .map(|state| format!("a matrix without a path from state {state} to 0"));
    match lost.or(stuck) {
        Some(found) => {
            let allowed = "a path from every state to every other";
            Err(WrongValue::new(name, found, allowed))
        }
        None => Ok(rows.to_vec()),
    }
}

/// A state that can't be reached from state 0.
fn unreached(states: usize, leads: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let mut reached = vec![false; states];
    let mut left = vec![0];
    reached[0] = true;
    while let Some(from) = left.pop() {
        for (to, reached) in reached.iter_mut().enumerate() {
            if !*reached && leads(from, to) {
                *reached = true;
                left.push(to);
            }
        }
    }
    reached.iter().position(|reached| !reached)
}

/// How often each state is visited in the long run, up to a factor: v = v * rows, by elimination without subtraction (Grassmann, Taksar and Heyman 1985).
fn visits(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut rows = rows.to_vec();
    for last in (1..rows.len()).rev() {
        let out: f64 = rows[last][..last].iter().sum();
        for from in 0..last {
            rows[from][last] /= out;
            for to in 0..last {
                rows[from][to] += rows[from][last] * rows[last][to];
            }
        }
    }
    let mut visits = vec![1.0];
    for state in 1..rows.len() {
        let into = |(visits, row): (&f64, &Vec<f64>)| visits * row[state];
        visits.push(visits.iter().zip(&rows).map(into).sum());
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::visits;

    /// By hand, with one visit to the first of three states: v1 = v0 / 2 + v2 / 2, v0 = v1 / 4 + v2 / 2, so
    /// that v2 = 7/5 and v1 = 6/5, and indeed v2 = v0 / 2 + 3/4 v1. Of two states each is visited in turn.
    #[test]
    fn visits_balance_between_states() {
        let rows = [[0.0, 0.5, 0.5], [0.25, 0.0, 0.75], [0.5, 0.5, 0.0]];
        let found = visits(&rows.map(|row| row.to_vec()));
        for (found, law) in found.iter().zip([1.0, 1.2, 1.4]) {
            assert!((found - law).abs() < 1e-12, "{found} for {law}");
        }
        let two = visits(&[vec![0.0, 1.0], vec![1.0, 0.0]]);
        assert_eq!(two, [1.0, 1.0]);
        assert_eq!(visits(&[vec![1.0]]), [1.0]);
    }
}
