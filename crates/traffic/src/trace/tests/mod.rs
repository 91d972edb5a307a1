//! Traces written by hand and at random, damaged, read, and run in a network of random delays.

mod csv;
mod damage;
mod netrace;
mod real;
mod regions;
mod runs;
mod writer;

use super::checked::Checked;
use crate::toy::{Run, Toy};
use crate::{
    Links, NodeMap, TraceBirth, TraceError, TraceFollower, TraceHandle, TraceId, TraceOptions,
    TracePacket, TraceReader, TraceWorkload,
};
use flitwork_types::Cycle;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

/// All packets of a trace, read only by its format.
fn all(reader: &mut dyn TraceReader) -> Result<Vec<TracePacket>, TraceError> {
    let packets = std::iter::from_fn(|| reader.packet().transpose());
    packets.collect()
}

/// The dependencies of a trace: pairs of a packet and one that waits for it, in the order of the trace. The second may lie
/// beyond the regions that are read.
fn dependencies(reader: impl Into<Box<dyn TraceReader>>) -> Vec<(TraceId, TraceId)> {
    let mut trace = Checked::new(reader.into());
    let packets = std::iter::from_fn(|| trace.packet().unwrap());
    let pairs = packets.flat_map(|packet| {
        let pair = |named: &TraceId| match packet.links {
            Links::After(_) => (*named, packet.id),
            Links::Before(_) => (packet.id, *named),
        };
        packet.links.names().iter().map(pair).collect::<Vec<_>>()
    });
    pairs.collect()
}

/// A run of a trace, as its owner follows it.
struct Followed {
    handle: TraceHandle,
    follower: TraceFollower,
    births: RefCell<Vec<TraceBirth>>,
}

impl Followed {
    fn new(trace: &TraceWorkload) -> Followed {
        let handle = trace.handle();
        Followed {
            follower: handle.follow(),
            handle,
            births: RefCell::default(),
        }
    }

    /// Births by the network's packet ids: in the order of source and serial number.
    fn births(&self) -> Vec<TraceBirth> {
        let mut births = self.births.borrow_mut();
        births.extend(self.follower.take());
        births.sort_by_key(|birth| birth.packet);
        births.clone()
    }
}

impl Deref for Followed {
    type Target = TraceHandle;

    fn deref(&self) -> &TraceHandle {
        &self.handle
    }
}

/// A trace on a network with the same number of nodes.
fn workload(reader: Box<dyn TraceReader>, window_packets: usize) -> (TraceWorkload, Followed) {
    let map = NodeMap::in_order(reader.nodes(), reader.nodes()).unwrap();
    let options = TraceOptions {
        window_packets,
        ..TraceOptions::default()
    };
    let workload =
        TraceWorkload::new(reader, map, options).unwrap_or_else(|error| panic!("{error}"));
    let followed = Followed::new(&workload);
    (workload, followed)
}

/// When each packet of the trace must have been ready, from the trace and the deliveries alone.
///
/// `waits` lists pairs of a packet and one that waits for it.
fn ready_by_the_rule(
    packets: &[TracePacket],
    waits: &[(TraceId, TraceId)],
    run: &Run,
    births: &[TraceBirth],
) -> HashMap<TraceId, Cycle> {
    let delivered_by_network: HashMap<TraceId, Cycle> = births
        .iter()
        .zip(&run.sent)
        .map(|(birth, sent)| {
            assert_eq!(birth.packet, sent.id);
            (birth.id, sent.delivered)
        })
        .collect();
    let mut waits_for: HashMap<TraceId, Vec<TraceId>> = HashMap::new();
    for (earlier, later) in waits {
        waits_for.entry(*later).or_default().push(*earlier);
    }
    let (mut ready, mut delivered) = (HashMap::new(), HashMap::new());
    for packet in packets {
        let mut cycle = Cycle(packet.cycle as u32);
        for earlier in waits_for.get(&packet.id).into_iter().flatten() {
            cycle = cycle.max(delivered[earlier] + 1);
        }
        ready.insert(packet.id, cycle);
        let end = if packet.source == packet.destination {
            cycle + 1
        } else {
            delivered_by_network[&packet.id]
        };
        delivered.insert(packet.id, end);
    }
    ready
}

/// Everything that must hold for a finished run.
fn check(packets: &[TracePacket], waits: &[(TraceId, TraceId)], run: &Run, handle: &Followed) {
    let births = handle.births();
    assert_eq!(births.len(), run.sent.len());
    let ready = ready_by_the_rule(packets, waits, run, &births);
    let by_id: HashMap<TraceId, &TracePacket> =
        packets.iter().map(|packet| (packet.id, packet)).collect();
    for (birth, sent) in births.iter().zip(&run.sent) {
        let packet = by_id[&birth.id];
        assert_eq!(birth.ready, ready[&birth.id], "{packet:?}");
        assert_eq!(sent.birth.created, birth.ready);
        assert_eq!(sent.id.source.0, packet.source.0);
        assert_eq!(sent.birth.destination.0, packet.destination.0);
        assert_eq!(
            (sent.birth.words, sent.birth.class),
            (packet.words, packet.class)
        );
    }
    // A source's queue is ordered by readiness, then by id.
    for of_source in births.chunk_by(|one, next| one.packet.source == next.packet.source) {
        assert!(of_source.is_sorted_by_key(|birth| (birth.ready, birth.id)));
    }
    let account = handle.account();
    let to_self = packets
        .iter()
        .filter(|packet| packet.source == packet.destination);
    assert_eq!(account.packets, packets.len() as u64);
    assert_eq!(account.self_delivered, to_self.count() as u64);
    assert_eq!(account.delivered, run.sent.len() as u64);
    assert_eq!(
        account.last_ready,
        ready.values().copied().max().unwrap_or_default()
    );
    assert!(account.is_finished() && handle.error().is_none());
}

/// A network with as many nodes as the trace.
fn toy(reader: &dyn TraceReader, longest: u32, seed: u64) -> Toy {
    Toy::new(reader.nodes(), longest, seed)
}
