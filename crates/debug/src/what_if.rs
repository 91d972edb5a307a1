//! What would have become of a packet if another one hadn't been there.
//!
//! The run goes on from before the other packet is taken from its source, without it. Adaptive routers are chaotic: a
//! packet that is left out anywhere may change much, and for the worse.

use crate::gather::{Happening, Wanted};
use crate::timeline::{Branch, Timeline};
use flitwork_engine::Simulation;
use flitwork_node::AnyProbe;
use flitwork_topology::Topology;
use flitwork_trace::index::PacketRow;
use flitwork_types::{NodeId, PacketId};

/// What became of a packet without another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The packet that was left out.
    pub without: PacketId,
    /// Cycles from the creation of the other to its delivery then; `None` if it wasn't delivered in time.
    pub latency: Option<u64>,
}

/// Runs without packets, for what becomes of one.
pub struct Removals<'a> {
    /// The packet.
    pub target: PacketId,
    /// The rows of all packets.
    pub rows: &'a [PacketRow],
    /// The run from its beginning without a packet, under a probe.
    pub afresh: &'a dyn Fn(PacketId, AnyProbe) -> Box<Simulation>,
    /// Before this time the run ends.
    pub end: u64,
}

impl Removals<'_> {
    fn row(&self, packet: PacketId) -> Option<&PacketRow> {
        self.rows.iter().find(|row| row.packet() == Some(packet))
    }

    /// What becomes of the packet without another; `None` if that can't be left out, because it isn't in the run.
    pub fn without(&self, timeline: &mut Timeline, left_out: PacketId) -> Option<WhatIf> {
        self.row(left_out)?;
        let wanted = Wanted {
            events: true,
            only: Some(self.target),
            ..Wanted::NOTHING
        };
        let mut branch = self.before(timeline, left_out, wanted)?;
        let target = self.row(self.target)?;
        let delivered = target
            .delivered
            .map(|cycle| u64::from(cycle.get()) * timeline.cycle_time());
        if delivered.is_some_and(|delivered| delivered < branch.now()) {
            // It was there before the other could matter.
            return Some(WhatIf {
                without: left_out,
                latency: target.latency,
            });
        }
        Some(WhatIf {
            without: left_out,
            latency: latency(&mut branch, self.end, timeline.cycle_time()),
        })
    }

    /// A copy of the run that stands before a packet is taken from its source, which has been left out.
    fn before(
        &self,
        timeline: &mut Timeline,
        left_out: PacketId,
        wanted: Wanted,
    ) -> Option<Branch> {
        // A source takes its next packet when it begins the one before.
        let before = left_out.serial.checked_sub(1).and_then(|serial| {
            let before = PacketId { serial, ..left_out };
            self.row(before)?.injected
        });
        if let Some(injected) = before {
            let time = u64::from(injected.get()) * timeline.cycle_time();
            let mut branch = timeline.copy_at(time.saturating_sub(timeline.cycle_time()), wanted);
            if branch.leave_out(left_out) {
                return Some(branch);
            }
        }
        Some(Branch::of((self.afresh)(
            left_out,
            crate::timeline::probe_for(wanted),
        )))
    }

    /// The packets that are in the network while the packet is, and can have reached a node of its way before it was
    /// delivered: until then its last words may be anywhere on it. `hop_cycles` is the least that a packet takes from one
    /// node to the next.
    pub fn candidates(
        &self,
        topology: &impl Topology,
        way: &[NodeId],
        hop_cycles: u64,
    ) -> Vec<PacketId> {
        let Some(target) = self.row(self.target) else {
            return Vec::new();
        };
        let (from, to) = (target.created, target.delivered);
        let until = to.map_or(u64::MAX, |delivered| delivered.get().into());
        let reaches = |row: &PacketRow, injected: u64| {
            let source = topology.home(row.source);
            way.iter().any(|node| {
                let distance = u64::from(topology.distance(source, *node));
                injected + distance * hop_cycles <= until
            })
        };
        let rows = self.rows.iter().filter(|row| {
            let is_there = row.delivered.is_none_or(|delivered| delivered >= from)
                && to.is_none_or(|to| row.injected.is_some_and(|injected| injected <= to));
            let injected = row.injected.map(|injected| u64::from(injected.get()));
            is_there
                && row.packet() != Some(self.target)
                && injected.is_some_and(|it| reaches(row, it))
        });
        rows.filter_map(PacketRow::packet).collect()
    }
}

/// The latency of the packet that a branch gathers.
fn latency(branch: &mut Branch, end: u64, cycle_time: u64) -> Option<u64> {
    let cycles = (64, 1 << 12, cycle_time);
    let of_it = |happened: Vec<Happening>| happened.iter().find_map(Happening::latency);
    let found = branch.stretches(end, cycles, &mut || true, |_, happened| of_it(happened));
    let (found, _) = found.ok()?;
    found.or_else(|| of_it(branch.rest()))
}
