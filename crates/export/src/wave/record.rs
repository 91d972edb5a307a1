//! Goes along a run and notes what changes.

use super::links;
use super::rows::SignalRow;
use super::signals::{self, Key, Shape, Signal, called};
use super::spool::{Change, Changes, Spool};
use crate::error::ExportError;
use crate::job::{Done, Job, Progress};
use flitwork_debug::{Branch, Ended, Happening, Wanted};
use flitwork_node::View;
use flitwork_types::{Cycle, NodeId, Port};
use std::collections::{HashMap, HashSet};
use std::io;
use std::iter::Peekable;
use std::path::Path;

/// How many steps are made before it is asked whether to go on.
const STEPS: u32 = 64;

/// The most signals of a file: each is a few hundred bytes of memory.
const MOST_SIGNALS: u64 = 4_000_000;

/// Signals, and how they change.
pub(crate) struct Wave {
    pub(crate) signals: Vec<Signal>,
    pub(crate) changes: Peekable<Changes>,
    pub(crate) done: Done,
}

impl Wave {
    /// What each signal has at the beginning; its changes at that time are taken.
    pub(crate) fn first(&mut self, from: u64) -> io::Result<Vec<Option<u64>>> {
        let mut first = vec![None; self.signals.len()];
        while let Some(change) = self
            .changes
            .next_if(|it| it.as_ref().is_ok_and(|it| it.time == from))
        {
            let change = change?;
            first[change.signal as usize] = change.value;
        }
        Ok(first)
    }
}

/// A node's signals so far.
#[derive(Default)]
struct Known {
    /// What it held when it was looked at last.
    view: Option<View>,
    /// Its first cycle that had not been simulated then.
    local: Option<Cycle>,
    /// Its signals in the order in which they usually come.
    slots: Vec<Slot>,
    places: HashMap<Key, usize>,
    names: HashSet<(Option<String>, String)>,
    /// Links over which a word leaves.
    sending: Vec<Port>,
}

/// A signal of a node.
struct Slot {
    key: Key,
    /// Its place among all signals; none if it isn't wanted.
    signal: Option<u32>,
    value: Option<u64>,
    /// The last look in which it was there.
    look: u64,
}

/// What is being noted.
struct Noting<'j, 'a> {
    job: &'j mut Job<'a>,
    path: &'j Path,
    signals: Vec<Signal>,
    spool: Spool,
    looks: u64,
}

/// Goes along the run and notes what changes.
///
/// # Errors
/// If there are too many signals or changes, or the host has no room for them.
pub(crate) fn record(job: &mut Job<'_>, path: &Path) -> Result<Wave, ExportError> {
    let (from, to) = job.times;
    let wanted = Wanted {
        words: true,
        ..Wanted::NOTHING
    };
    let mut branch = job.timeline.copy_at(from, wanted);
    let mut noting = Noting {
        job,
        path,
        signals: Vec::new(),
        spool: Spool::new(),
        looks: 0,
    };
    let mut nodes = noting.chosen();
    for (node, known) in &mut nodes {
        noting.look(&branch, (*node, known), from)?;
    }
    let (mut is_whole, mut steps) = (true, 0);
    let mut until = from;
    while let Some(next) = branch.next_step().filter(|next| *next < to) {
        steps += 1;
        if steps % STEPS == 0 && !noting.go_on(until) {
            is_whole = false;
            break;
        }
        let (happened, ended) = branch.advance(next + 1);
        noting.step(&branch, &mut nodes, (next, to), happened)?;
        until = next + 1;
        if ended != Ended::Deadline {
            // What is left then is seen for a moment.
            for (node, known) in nodes.iter_mut().filter(|_| until < to) {
                noting.links((*node, known), until, Vec::new())?;
            }
            until = (until + 1).min(to);
            break;
        }
    }
    // Where nothing happens any more, nothing changes until the end.
    let is_over = is_whole && branch.next_step().is_some_and(|next| next >= to);
    let until = if is_over { to } else { until.min(to) };
    noting.end(until, is_whole)
}

impl Noting<'_, '_> {
    /// The nodes of which a signal may be wanted.
    fn chosen(&self) -> Vec<(NodeId, Known)> {
        let nodes = self.job.nodes;
        let is_known = |column| SignalRow::is_of_node(nodes, column);
        let all = (0..nodes.count()).map(NodeId);
        let may = all.filter(|node| {
            let row = SignalRow::of(nodes, *node, None);
            self.job.filter.may_hold(&row, &is_known)
        });
        may.map(|node| (node, Known::default())).collect()
    }

    fn go_on(&mut self, time: u64) -> bool {
        let count = self.spool.count;
        (self.job.go_on)(Progress { time, count })
    }

    /// All nodes that step at a time have done so.
    fn step(
        &mut self,
        branch: &Branch,
        nodes: &mut [(NodeId, Known)],
        (at, to): (u64, u64),
        mut happened: Vec<Happening>,
    ) -> Result<(), ExportError> {
        happened.sort_by_key(|it| it.node);
        let mut words = happened.iter().peekable();
        for (node, known) in &mut *nodes {
            let mut sent = Vec::new();
            while let Some(it) = words.next_if(|it| it.node <= *node) {
                sent.extend(links::word(it).filter(|_| it.node == *node));
            }
            let has_stepped = known.local != Some(branch.simulation().local(*node));
            if has_stepped || !sent.is_empty() {
                self.links((*node, known), at, sent)?;
            }
        }
        if at + 1 < to {
            for (node, known) in nodes {
                self.look(branch, (*node, known), at + 1)?;
            }
        }
        Ok(())
    }

    /// Notes over which links a node sends, and no more over which others.
    fn links(
        &mut self,
        (node, known): (NodeId, &mut Known),
        at: u64,
        sent: Vec<(Port, [u64; 4])>,
    ) -> Result<(), ExportError> {
        let ports = std::mem::take(&mut known.sending);
        let silent = ports
            .into_iter()
            .filter(|port| sent.iter().all(|(it, _)| it != port));
        let all = silent.map(|port| (port, None));
        for (port, word) in all.chain(sent.iter().map(|(port, word)| (*port, Some(*word)))) {
            for (key, shape, value) in links::of_link(port, word) {
                let place = self.place(node, known, key, shape, usize::MAX)?;
                self.note(&mut known.slots[place], at, value)?;
            }
        }
        known.sending.extend(sent.into_iter().map(|(port, _)| port));
        Ok(())
    }

    /// Notes what has changed in a node that has stepped since it was looked at last.
    fn look(
        &mut self,
        branch: &Branch,
        (node, known): (NodeId, &mut Known),
        at: u64,
    ) -> Result<(), ExportError> {
        let local = branch.simulation().local(node);
        if known.local == Some(local) {
            return Ok(());
        }
        known.local = Some(local);
        let view = branch.simulation().look(node).unwrap_or_default();
        if known.view.as_ref() == Some(&view) {
            return Ok(());
        }
        self.looks += 1;
        let (look, mut next) = (self.looks, 0);
        for (key, shape, value) in signals::of_view(&view, self.job.nodes.ports() as u8) {
            let place = self.place(node, known, key, shape, next)?;
            next = place + 1;
            known.slots[place].look = look;
            self.note(&mut known.slots[place], at, value)?;
        }
        known.view = Some(view);
        for slot in &mut known.slots {
            // Links are noted as words leave.
            let is_gone = slot.look != look && slot.key.subject != signals::Subject::Link;
            if is_gone && slot.value.is_some() {
                self.note(slot, at, None)?;
            }
        }
        Ok(())
    }

    /// The place of a signal among a node's, which is likely this one.
    fn place(
        &mut self,
        node: NodeId,
        known: &mut Known,
        key: Key,
        shape: Shape,
        likely: usize,
    ) -> Result<usize, ExportError> {
        if known.slots.get(likely).is_some_and(|slot| slot.key == key) {
            return Ok(likely);
        }
        if let Some(place) = known.places.get(&key) {
            return Ok(*place);
        }
        let nodes = self.job.nodes;
        let is_wanted = self
            .job
            .filter
            .holds(&SignalRow::of(nodes, node, Some(key)));
        let signal = is_wanted.then(|| {
            let (scope, mut name) = called(&key, nodes);
            while !known.names.insert((scope.clone(), name.clone())) {
                name.push('_');
            }
            self.signals.push(Signal {
                node,
                scope,
                name,
                shape,
                greatest: 0,
            });
            self.signals.len() as u32 - 1
        });
        if self.signals.len() as u64 > MOST_SIGNALS {
            return Err(ExportError::TooManySignals {
                allowed: MOST_SIGNALS,
            });
        }
        known.slots.push(Slot {
            key,
            signal,
            value: None,
            look: 0,
        });
        let place = known.slots.len() - 1;
        known.places.insert(key, place);
        Ok(place)
    }

    fn note(&mut self, slot: &mut Slot, time: u64, value: Option<u64>) -> Result<(), ExportError> {
        if slot.value == value {
            return Ok(());
        }
        slot.value = value;
        let Some(signal) = slot.signal else {
            return Ok(());
        };
        let greatest = &mut self.signals[signal as usize].greatest;
        *greatest = value.unwrap_or(0).max(*greatest);
        let put = self.spool.put(Change {
            time,
            signal,
            value,
        });
        put.map_err(ExportError::writing(self.path))?;
        self.job.admit("changes", self.spool.count, time + 1)
    }

    fn end(self, until: u64, is_whole: bool) -> Result<Wave, ExportError> {
        let count = self.spool.count;
        let changes: io::Result<Changes> = self.spool.read();
        Ok(Wave {
            signals: self.signals,
            changes: changes.map_err(ExportError::writing(self.path))?.peekable(),
            done: Done {
                count,
                until,
                is_whole,
            },
        })
    }
}
