//! Latencies of packets, by class and by distance.

use flitwork_measure::{BatchMeans, Histogram, Window, WindowPart};
use flitwork_topology::{Shape, Topology};
use flitwork_types::Packet;
use std::ops::RangeInclusive;

/// The most groups of distances: in a network with more distances, neighbouring ones share a group.
const MAX_DISTANCE_GROUPS: u32 = 128;

/// Latencies of some of the packets created in the window, in cycles or in picoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyGroup {
    /// From creation to delivery.
    pub latency: Histogram,
    /// The same by the cycle of creation.
    pub by_creation: BatchMeans,
}

impl LatencyGroup {
    /// No packet yet.
    pub fn new(window: Window) -> LatencyGroup {
        LatencyGroup {
            latency: Histogram::new(),
            by_creation: BatchMeans::new(window),
        }
    }

    #[inline]
    pub(super) fn record(&mut self, created: WindowPart, latency: u64) {
        self.latency.record(latency);
        self.by_creation.record_in(created, latency);
    }

    /// Counts everything that `other` counted.
    pub fn merge(&mut self, other: &LatencyGroup) {
        self.latency.merge(&other.latency);
        self.by_creation.merge(&other.by_creation);
    }
}

/// Packets of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassGroup {
    /// The class.
    pub class: u8,
    /// Their latencies.
    pub group: LatencyGroup,
}

/// Packets between terminals whose nodes have a distance, or of a range of distances.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceGroup {
    /// Links on a shortest path from source to destination.
    pub hops: RangeInclusive<u32>,
    /// Their latencies.
    pub group: LatencyGroup,
}

/// Groups by number; a group without packets takes no memory.
#[derive(Clone, Debug, Default)]
struct Groups(Vec<Option<Box<LatencyGroup>>>);

impl Groups {
    #[inline]
    fn get(&mut self, number: usize, window: Window) -> &mut LatencyGroup {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number].get_or_insert_with(|| Box::new(LatencyGroup::new(window)))
    }

    fn merge(&mut self, other: Groups, window: Window) {
        let groups = other.0.into_iter().enumerate();
        for (number, group) in groups.filter_map(|(number, group)| Some((number, group?))) {
            self.get(number, window).merge(&group);
        }
    }

    fn into_groups(self) -> impl Iterator<Item = (u32, LatencyGroup)> {
        let groups = (0..).zip(self.0);
        groups.filter_map(|(number, group)| Some((number, *group?)))
    }
}

/// Latencies by class and by distance.
#[derive(Clone, Debug)]
pub(super) struct Latencies {
    window: Window,
    by_class: Groups,
    by_distance: Groups,
    /// Distances of a group.
    width: u32,
}

impl Latencies {
    pub(super) fn new(shape: &Shape, window: Window) -> Latencies {
        let farthest = shape.diameter_hops();
        Latencies {
            window,
            by_class: Groups::default(),
            by_distance: Groups::default(),
            width: (farthest + 1).div_ceil(MAX_DISTANCE_GROUPS),
        }
    }

    #[inline]
    pub(super) fn record(
        &mut self,
        shape: &Shape,
        packet: &Packet,
        created: WindowPart,
        latency: u64,
    ) {
        let from = shape.entry(packet.id.source);
        let hops = shape.distance(from, shape.home(packet.destination));
        let group = (hops / self.width) as usize;
        let by_distance = self.by_distance.get(group, self.window);
        by_distance.record(created, latency);
        let by_class = self.by_class.get(packet.class.into(), self.window);
        by_class.record(created, latency);
    }

    pub(super) fn merge(&mut self, other: Latencies) {
        self.by_class.merge(other.by_class, self.window);
        self.by_distance.merge(other.by_distance, self.window);
    }

    /// Latencies of all packets, by class and by distance.
    pub(super) fn finish(self) -> (LatencyGroup, Vec<ClassGroup>, Vec<DistanceGroup>) {
        let by_class = self
            .by_class
            .into_groups()
            .map(|(class, group)| ClassGroup {
                class: class as u8,
                group,
            });
        let by_class: Vec<ClassGroup> = by_class.collect();
        let mut all = LatencyGroup::new(self.window);
        by_class.iter().for_each(|class| all.merge(&class.group));
        let width = self.width;
        let by_distance = self.by_distance.into_groups().map(|(group, latencies)| {
            let nearest = group * width;
            DistanceGroup {
                hops: nearest..=nearest + (width - 1),
                group: latencies,
            }
        });
        (all, by_class, by_distance.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;
    use flitwork_types::{Cycle, PacketId, TerminalId};

    #[test]
    fn many_distances_share_groups() {
        let window = Window::new(Cycle(0), Cycle(100)).unwrap();
        // (side - 1) * 2 hops across a mesh, side / 2 * 2 on a torus; 128 groups of 16 hold 0 to 1998.
        for (grid, farthest, group) in [
            (Grid::mesh(&[1000, 1000]), 1998, 1984..=1999),
            (Grid::torus(&[64, 64]), 64, 64..=64),
            (Grid::mesh(&[64, 65]), 127, 127..=127),
            (Grid::mesh(&[65, 65]), 128, 128..=129),
        ] {
            let grid = grid.unwrap();
            let middle = grid.sides().into_iter().map(|side| match grid.wraps() {
                true => side / 2,
                false => side - 1,
            });
            let destination = grid.node_at(&middle.collect::<Vec<u32>>());
            let shape = Shape::from(grid);
            let mut latencies = Latencies::new(&shape, window);
            let packet = Packet {
                id: PacketId {
                    source: TerminalId(0),
                    serial: 0,
                },
                destination: TerminalId(destination.0),
                ..Packet::default()
            };
            let part = BatchMeans::new(window).part(Cycle(5)).unwrap();
            latencies.record(&shape, &packet, part, 7);
            let (all, by_class, by_distance) = latencies.finish();
            assert_eq!((all.latency.count(), by_class.len()), (1, 1));
            assert_eq!(by_distance.len(), 1);
            assert_eq!(by_distance[0].hops, group);
            assert!(group.contains(&farthest));
        }
    }
}
