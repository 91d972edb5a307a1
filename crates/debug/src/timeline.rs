//! A run's time, forwards and backwards.
//!
//! ```text
//!   kept:   0 ─────────●─────────●─────────●─────────●───────●────●──●─●● present ───────●
//!                     some evenly            the others, the denser the nearer
//! ```
//!
//! A simulation can only go on. To go back, a copy that was kept earlier goes on to where one wants to be; on the way,
//! more copies are kept, so that a step back costs about as much as a step. Those that are far from the present are
//! dropped first when memory is full, but none so that a long gap opens: every step back crosses one in the end.

use crate::gather::{Explained, Gatherer, Happening, Wanted};
use crate::heat::{Counting, Counts, Heat};
use flitwork_engine::{Ended, Simulation, TimeUnit};
use flitwork_node::AnyProbe;
use flitwork_types::{Cycle, NodeId, PacketId};
use std::collections::{BTreeMap, BTreeSet};

/// The most copies that are kept before a place, the denser the nearer.
const MOST_BEFORE: usize = 16;
/// How much an even spread of copies weighs. Copies of a run of N cycles are as dense, D cycles before the present, as
/// 1 / D + EVEN / N.
const EVEN: f64 = 32.0;
/// While one goes forwards, a copy is kept at least this many cycles after the one before.
const STRIDE_CYCLES: u64 = 256;
/// About how many cycles of a single node are simulated before it is asked whether to go on.
const NODE_CYCLES: u64 = 1 << 20;

/// It was to stop before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// A simulation that goes forwards and backwards.
pub struct Timeline {
    present: Box<Simulation>,
    /// Copies, by where they stand; one at the beginning.
    kept: BTreeMap<u64, Kept>,
    kept_bytes: usize,
    most_bytes: usize,
    /// A cycle in the simulation's unit.
    cycle_time: u64,
    /// Where the run ends, and how, once that is known.
    over: Option<(u64, Ended)>,
    /// How long has been simulated since it was asked whether to go on: copies may be kept more often than that.
    unasked: u64,
}

struct Kept {
    simulation: Box<Simulation>,
    bytes: usize,
}

pub(crate) fn gatherer(simulation: &mut Simulation) -> &mut Gatherer {
    simulation.probe_mut().probe_mut()
}

/// A copy that is the run, from where it stands.
pub(crate) fn copy(simulation: &Simulation) -> Box<Simulation> {
    let gatherer = simulation.probe().probe::<Gatherer>();
    let gatherer = gatherer.fork(Wanted::NOTHING, true);
    simulation.fork(AnyProbe::new(gatherer))
}

/// Simulates what lies before a time, and reports it.
pub(crate) fn advance(simulation: &mut Simulation, until: u64) -> Ended {
    gatherer(simulation).go_on(until);
    simulation.advance(until)
}

/// The probe with which a simulation must begin that is to have a timeline.
pub fn first_probe() -> AnyProbe {
    probe_for(Wanted::NOTHING)
}

/// The same, for a timeline whose nodes count what they do: [`Timeline::heat`].
pub fn counting_probe(counting: Counting) -> AnyProbe {
    AnyProbe::new(Gatherer::new(Wanted::NOTHING).with(Counts::new(counting)))
}

/// The probe of a simulation at its beginning.
pub(crate) fn probe_for(wanted: Wanted) -> AnyProbe {
    AnyProbe::new(Gatherer::new(wanted))
}

impl Timeline {
    /// The timeline of a simulation that stands at its beginning, under [`first_probe`]. Its copies take at most about
    /// `most_bytes`; two are kept in any case. `cycle_time` is a cycle in the unit of the simulation's time.
    pub fn new(simulation: Box<Simulation>, most_bytes: usize, cycle_time: u64) -> Timeline {
        let mut timeline = Timeline {
            present: simulation,
            kept: BTreeMap::new(),
            kept_bytes: 0,
            most_bytes,
            cycle_time: cycle_time.max(1),
            over: None,
            unasked: 0,
        };
        timeline.keep();
        timeline
    }

    /// Where it stands.
    pub fn now(&self) -> u64 {
        self.present.now()
    }

    /// How time is counted.
    pub fn unit(&self) -> TimeUnit {
        self.present.unit()
    }

    /// A cycle in the unit of its time.
    pub fn cycle_time(&self) -> u64 {
        self.cycle_time
    }

    /// The simulation where it stands.
    pub fn present(&self) -> &Simulation {
        &*self.present
    }

    /// How the run ends, and before which time nothing more happens, if it has been run so far.
    pub fn over(&self) -> Option<(u64, Ended)> {
        self.over
    }

    /// Where copies are kept, the earliest first.
    pub fn kept(&self) -> impl ExactSizeIterator<Item = u64> {
        self.kept.keys().copied()
    }

    /// About how many bytes they take.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// A copy of the run at a time, which gathers what happens from then on.
    pub fn copy_at(&mut self, time: u64, wanted: Wanted) -> Branch {
        self.go(time);
        self.copy(wanted)
    }

    /// The same, as long as it is to go on.
    ///
    /// # Errors
    /// [`Stopped`] if `go_on` says no.
    pub fn copy_while(
        &mut self,
        time: u64,
        wanted: Wanted,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Branch, Stopped> {
        self.go_while(time, go_on)?;
        Ok(self.copy(wanted))
    }

    fn copy(&self, wanted: Wanted) -> Branch {
        Branch::fork(&*self.present, wanted)
    }

    /// The step of a node at a time; where nodes have clocks, it may come so many cycles later.
    pub(crate) fn step_at(&mut self, time: u64, node: NodeId, patience: u64) -> Option<Explained> {
        let mut branch = self.copy_at(time, Wanted::steps_of(node));
        (0..patience).find_map(|_| {
            branch.advance(branch.now() + self.cycle_time);
            branch.explained().into_iter().next()
        })
    }

    /// Goes to a time.
    pub fn go(&mut self, time: u64) {
        let _ = self.go_while(time, &mut || true);
    }

    /// Goes to a time, as long as it is to go on. `go_on` is asked now and then.
    ///
    /// # Errors
    /// [`Stopped`] if `go_on` says that it is to stop.
    pub fn go_while(&mut self, time: u64, go_on: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        let before = self.kept.range(..=time).next_back();
        let (at, nearest) = before.expect("one is kept at the beginning");
        if time < self.now() || self.now() < *at {
            self.present = copy(&*nearest.simulation);
        }
        self.advance_to(time, go_on)
    }

    /// What nodes count from one time to another, where the timeline then stands; `None` if `go_on` says that it is to
    /// stop, or if it has begun under a probe that doesn't count ([`counting_probe`]).
    ///
    /// A stretch that begins where the one before has ended costs no copy, but for one now and then.
    pub fn heat(&mut self, from: u64, to: u64, go_on: &mut dyn FnMut() -> bool) -> Option<Heat> {
        if self.now() != from {
            self.go_while(from, go_on).ok()?;
        }
        gatherer(&mut *self.present).counts_mut()?.begin();
        self.run_while(to.max(from), go_on).ok()?;
        let counts = gatherer(&mut *self.present).counts()?;
        let heat = counts.heat(from, to.max(from));
        self.keep_in_stride();
        Some(heat)
    }

    /// Keeps a copy that another simulation of the same run has come to.
    pub fn adopt(&mut self, simulation: Box<Simulation>) {
        let (now, bytes) = (simulation.now(), simulation.bytes());
        if self.kept.contains_key(&now) {
            return;
        }
        self.put(now, Kept { simulation, bytes });
    }

    /// Goes on to a time, and keeps copies on the way, the denser the nearer to it.
    fn advance_to(&mut self, time: u64, go_on: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        let from = self.now();
        for left in self.on_the_way(from, time) {
            self.run_while(time - left, go_on)?;
            self.keep();
        }
        let has_come = self.run_while(time, go_on);
        self.keep_in_stride();
        has_come
    }

    /// How long before a time copies are kept on the way to it, the earliest first: half of those that fit evenly spaced,
    /// and at most half of them denser towards it.
    fn on_the_way(&self, from: u64, time: u64) -> Vec<u64> {
        let half = (self.most_bytes / self.present.bytes().max(1) / 2).max(1);
        let before = half.min(MOST_BEFORE) as u32;
        let cycles = (time - from) / self.cycle_time;
        let ratio = (cycles as f64).powf(1.0 / f64::from(before)).max(2.0);
        let near = (0..before).map(|step| ratio.powi(step as i32).round() as u64 * self.cycle_time);
        let stride = (time / (half as u64 + 1)).max(STRIDE_CYCLES * self.cycle_time);
        let evenly = (1..=time / stride).map(|step| time - step * stride);
        let all = near.chain(evenly);
        let all: BTreeSet<u64> = all.filter(|it| (1..time - from).contains(it)).collect();
        all.into_iter().rev().collect()
    }

    /// Goes on to a time, as long as it is to go on.
    fn run_while(&mut self, until: u64, go_on: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        let nodes = u64::from(self.present.nodes()).max(1);
        let stretch = (NODE_CYCLES / nodes).max(1) * self.cycle_time;
        loop {
            // Before a long way, and after as long a way in short ones.
            let way = until.saturating_sub(self.now());
            if way > stretch || self.unasked >= stretch {
                if !go_on() {
                    return Err(Stopped);
                }
                self.unasked = 0;
            }
            let now = self.now();
            let next = until.min(now.saturating_add(stretch - self.unasked));
            let ended = self.run(next);
            self.unasked += next.saturating_sub(now);
            if next >= until {
                return Ok(());
            }
            if ended != Ended::Deadline {
                self.run(until);
                return Ok(());
            }
        }
    }

    fn run(&mut self, until: u64) -> Ended {
        let ended = advance(&mut *self.present, until);
        if ended != Ended::Deadline && self.over.is_none() {
            self.over = Some((until, ended));
        }
        ended
    }

    /// Keeps a copy of the present if the one before it is far.
    fn keep_in_stride(&mut self) {
        let now = self.now();
        let last = self.kept.range(..=now).next_back();
        let last = last.map_or(0, |(at, _)| *at);
        if now - last >= STRIDE_CYCLES * self.cycle_time {
            self.keep();
        }
    }

    /// Keeps a copy of the present.
    fn keep(&mut self) {
        let now = self.now();
        if self.kept.contains_key(&now) {
            return;
        }
        let simulation = copy(&*self.present);
        let bytes = simulation.bytes();
        self.put(now, Kept { simulation, bytes });
    }

    fn put(&mut self, at: u64, kept: Kept) {
        self.kept_bytes += kept.bytes;
        self.kept.insert(at, kept);
        while self.kept_bytes > self.most_bytes && self.kept.len() > 2 {
            self.drop_one();
        }
    }

    /// Drops the copy whose loss costs the least: that where the gap that it leaves is the smallest, compared to how dense
    /// copies are to be there. Before what is to come they needn't be dense: it is near by itself.
    fn drop_one(&mut self) {
        let now = self.now();
        let times: Vec<u64> = self.kept.keys().copied().collect();
        let last = times.last().copied().unwrap_or(0).max(now).max(1);
        let cost = |place: usize| {
            let at = times[place];
            let next = times.get(place + 1).copied().unwrap_or(now.max(at));
            let gap = next.saturating_sub(times[place - 1]);
            let near = match now.checked_sub(at) {
                Some(before) => 1.0 / (before + self.cycle_time) as f64,
                None => 0.0,
            };
            gap as f64 * (near + EVEN / last as f64)
        };
        let least = (1..times.len()).min_by(|one, other| cost(*one).total_cmp(&cost(*other)));
        if let Some(dropped) = least.and_then(|place| self.kept.remove(&times[place])) {
            self.kept_bytes -= dropped.bytes;
        }
    }

    /// The first time at which a node stands at a cycle of its own, or after it; `None` if it doesn't come so far before
    /// `end`.
    ///
    /// # Errors
    /// [`Stopped`] if `go_on` says that it is to stop.
    pub fn time_of(
        &mut self,
        node: NodeId,
        cycle: Cycle,
        end: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u64>, Stopped> {
        if self.unit() == TimeUnit::Cycles {
            let time = u64::from(cycle.get());
            return Ok((time <= end).then_some(time));
        }
        let mut early = 0;
        let mut late = self.cycle_time;
        loop {
            self.go_while(late.min(end), go_on)?;
            if self.present.local(node) >= cycle {
                break;
            }
            if late >= end || self.over.is_some_and(|(at, _)| at <= late) {
                return Ok(None);
            }
            (early, late) = (late, late.saturating_mul(2));
        }
        late = late.min(end);
        while early < late {
            let middle = early + (late - early) / 2;
            self.go_while(middle, go_on)?;
            match self.present.local(node) >= cycle {
                true => late = middle,
                false => early = middle + 1,
            }
        }
        self.go_while(late, go_on)?;
        Ok(Some(late))
    }

    /// Where all nodes stand in the [least consistent cut](flitwork_engine::Engine::least_cut) in which a node stands at a
    /// cycle of its own, of a record; `None` if `go_on` says that it is to stop.
    pub fn least_cut(
        &self,
        node: NodeId,
        cycle: Cycle,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Cycle>> {
        let (_, first) = self.kept.first_key_value()?;
        first.simulation.least_cut(node, cycle, go_on)
    }

    /// The last cycle of its own that a node comes to before `end`.
    ///
    /// # Errors
    /// [`Stopped`] if `go_on` says that it is to stop.
    pub fn last_of(
        &mut self,
        node: NodeId,
        end: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Cycle, Stopped> {
        self.go_while(end, go_on)?;
        Ok(self.present.local(node))
    }
}

/// A copy of a run that goes on by itself, and what happens in it.
pub struct Branch {
    simulation: Box<Simulation>,
}

impl Branch {
    /// A simulation at its beginning, under the probe for what is wanted.
    pub(crate) fn of(simulation: Box<Simulation>) -> Branch {
        Branch { simulation }
    }

    /// A copy that gathers something else.
    fn fork(simulation: &Simulation, wanted: Wanted) -> Branch {
        let gatherer = simulation.probe().probe::<Gatherer>();
        let mut simulation = simulation.fork(AnyProbe::new(gatherer.fork(wanted, false)));
        simulation.watch(wanted.explain);
        Branch { simulation }
    }

    /// Leaves a packet out, if its source hasn't taken it yet; returns whether it does.
    pub(crate) fn leave_out(&mut self, packet: PacketId) -> bool {
        self.simulation.leave_out(packet)
    }

    /// Where it stands.
    pub fn now(&self) -> u64 {
        self.simulation.now()
    }

    /// The first cycle of its own that a node hasn't come to.
    pub fn local(&self, node: NodeId) -> Cycle {
        self.simulation.local(node)
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &*self.simulation
    }

    /// The time of the next step of any node, as far as is known now; `None` where nothing happens any more.
    pub fn next_step(&mut self) -> Option<u64> {
        self.simulation.next_step()
    }

    /// Goes on to a time; returns what has happened on the way, in order.
    pub fn advance(&mut self, until: u64) -> (Vec<Happening>, Ended) {
        let ended = advance(&mut *self.simulation, until);
        (gatherer(&mut *self.simulation).take(), ended)
    }

    /// The run is over: what was reported ahead, deliveries by its last steps.
    pub fn rest(&mut self) -> Vec<Happening> {
        let gatherer = gatherer(&mut *self.simulation);
        gatherer.go_on(u64::MAX);
        gatherer.take()
    }

    /// Goes on before `end`, in stretches of so many cycles at first that double up to as many as `most`, until `find` has
    /// found something in a stretch. `go_on` is asked before each. Returns also how it ended: after the last step of a
    /// run, the last stretch has what was reported ahead.
    ///
    /// # Errors
    /// [`Stopped`] if `go_on` says no.
    pub(crate) fn stretches<T>(
        &mut self,
        end: u64,
        (first, most, cycle_time): (u64, u64, u64),
        go_on: &mut dyn FnMut() -> bool,
        mut find: impl FnMut(&mut Branch, Vec<Happening>) -> Option<T>,
    ) -> Result<(Option<T>, Ended), Stopped> {
        let mut cycles = first;
        while self.now() < end {
            if !go_on() {
                return Err(Stopped);
            }
            let by = cycles.saturating_mul(cycle_time);
            let (mut happened, ended) = self.advance(self.now().saturating_add(by).min(end));
            if ended != Ended::Deadline {
                happened.extend(self.rest());
            }
            let found = find(self, happened);
            if found.is_some() || ended != Ended::Deadline {
                return Ok((found, ended));
            }
            cycles = (2 * cycles).min(most);
        }
        Ok((None, Ended::Deadline))
    }

    /// Takes the steps that have been explained since it was asked last, in order.
    pub fn explained(&mut self) -> Vec<Explained> {
        gatherer(&mut *self.simulation).take_explained()
    }

    /// From now on it gathers something else.
    #[must_use]
    pub fn turned_to(&self, wanted: Wanted) -> Branch {
        Branch::fork(&*self.simulation, wanted)
    }
}
