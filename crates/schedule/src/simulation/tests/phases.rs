//! Supersteps and death cycles from any storage.

use super::snakes::{Slot, Snakes};
use super::superstep::{Tracks, cells};
use super::walk::Walk;
use super::*;
use crate::makespan;
use std::collections::HashSet;

/// Worms in the storages of 3 x 3 supernodes.
struct Stored<'a> {
    tracks: &'a Tracks,
    snakes: Vec<Snakes>,
    walks: Vec<Walk>,
    sources: Vec<NodeId>,
    /// The step in which the clocks of even supernodes are at 0.
    start: u32,
}

impl Stored<'_> {
    fn new<'a>(tracks: &'a Tracks, filled: impl Fn(Cell) -> Vec<Slot>) -> Stored<'a> {
        let (words, packets) = (tracks.supernode.words(), tracks.supernode.packets());
        let side = tracks.supernode.side();
        let mut snakes = vec![Snakes::new(packets); 9];
        let (mut walks, mut sources) = (Vec::new(), Vec::new());
        for (cell, here) in cells(3).zip(&mut snakes) {
            for slot in filled(cell) {
                here.put(slot, walks.len());
                walks.push(stored(tracks, cell, slot, words));
                let behind = tracks.timetable.reading(slot.number, 0) - words;
                let place = tracks.place(slot.half, behind);
                let x = cell.column * side + place.column;
                sources.push(NodeId((cell.row * side + place.row) * side * 3 + x));
            }
        }
        Stored {
            tracks,
            snakes,
            walks,
            sources,
            start: words,
        }
    }

    /// Sends most of what can be sent, and holds all worms to where they should be then.
    fn superstep(&mut self, draws: &mut Draws) {
        let mut sends = vec![None; self.walks.len()];
        for (cell, here) in cells(3).zip(&self.snakes) {
            let mut worms = here.worms();
            draws.shuffle(&mut worms);
            for (direction, (worm, _)) in directions(cell, 3).into_iter().zip(worms) {
                sends[worm] = (draws.below(8) > 0).then_some(direction);
            }
        }
        let (tracks, snakes, walks) = (self.tracks, &mut self.snakes, &mut self.walks);
        tracks.superstep(3, snakes, walks, &sends, self.start);
        self.start += tracks.timetable.superstep();
        for (cell, here) in cells(3).zip(&self.snakes) {
            for (worm, slot) in here.worms() {
                let (walk, step) = (&self.walks[worm], self.start + u32::from(!cell.is_even()));
                let place = tracks.place(slot.half, tracks.timetable.reading(slot.number, 0));
                assert_eq!((walk.step(), walk.place()), (step, place));
            }
        }
    }

    /// A death cycle, in which a third of the worms go to a place, and those for which a queue has no room.
    fn consume(&mut self, place: Place, draws: &mut Draws) {
        let most = self.tracks.supernode.packets() as usize - 4;
        for here in &mut self.snakes {
            let worms = here.worms();
            let excess = worms.len().saturating_sub(most);
            for (number, (worm, slot)) in worms.into_iter().enumerate() {
                let walk = &mut self.walks[worm];
                if number < excess || draws.below(3) == 0 {
                    self.tracks.consume(walk, slot, place);
                    here.take(slot);
                } else {
                    self.tracks.survive(walk, slot);
                }
            }
        }
        self.start += self.tracks.timetable.death_cycle;
    }

    /// Holds what the worms have done to the checks.
    fn hold(self) {
        let words = self.tracks.supernode.words();
        let side = self.tracks.supernode.side() * 3;
        let mesh = Grid::mesh(&[side, side]).unwrap();
        let mut requests = Vec::new();
        let mut plans = Vec::new();
        for (walk, source) in self.walks.into_iter().zip(self.sources) {
            let hops = walk.hops();
            let ports = hops.iter().map(|hop| hop.port);
            requests.push(Request {
                source,
                destination: ports.fold(source, |at, port| mesh.neighbour(at, port).unwrap()),
                words,
            });
            plans.push(Plan { hops });
        }
        let steps = makespan(&requests, &plans);
        hold(&mesh, &requests, &plans, steps);
    }
}

/// Three supersteps with death cycles between them.
fn hold_supersteps(mut stored: Stored<'_>, draws: &mut Draws) {
    let all: Vec<Place> = places(stored.tracks.supernode.side()).collect();
    let target = all[draws.below(all.len())];
    for _ in 0..3 {
        stored.superstep(draws);
        stored.consume(target, draws);
    }
    stored.hold();
}

/// The slots of a supernode that a number has a bit for.
fn of_bits(tracks: &Tracks, bits: u32) -> Vec<Slot> {
    let all = (0..).zip(slots(tracks));
    all.filter(|(number, _)| bits >> number & 1 == 1)
        .map(|(_, slot)| slot)
        .collect()
}

/// Any slots, as many as a queue may have packets.
fn any_slots(tracks: &Tracks, draws: &mut Draws) -> Vec<Slot> {
    let mut all = slots(tracks);
    draws.shuffle(&mut all);
    all.truncate(tracks.supernode.packets() as usize - 4);
    all
}

/// All 3,797 ways to have at most 8 of 12 slots filled, in the middle of four supernodes with 8.
#[test]
fn every_storage_of_eight_packets() {
    let tracks = Tracks::new(Supernode::new(4, 12).unwrap());
    let mut draws = Draws::new(76);
    let mut held = 0;
    for bits in (0..4096u32).filter(|bits| bits.count_ones() <= 8) {
        let around = any_slots(&tracks, &mut draws);
        let filled = |cell: Cell| match cell {
            Cell { column: 1, row: 1 } => of_bits(&tracks, bits),
            Cell { column: 1, .. } | Cell { row: 1, .. } => around.clone(),
            _ => Vec::new(),
        };
        let mut stored = Stored::new(&tracks, filled);
        if bits % 16 == 0 {
            hold_supersteps(stored, &mut draws);
        } else {
            stored.superstep(&mut draws);
            stored.hold();
        }
        held += 1;
    }
    assert_eq!(held, 3797);
}

/// As many packets as a queue may have in each supernode, at sizes with other proportions.
#[test]
fn full_storage_at_random() {
    for (number, (words, packets)) in (0..).zip([(4, 32), (16, 12), (16, 32), (36, 12), (64, 12)]) {
        let tracks = Tracks::new(Supernode::new(words, packets).unwrap());
        let mut draws = Draws::of_stream(77, number);
        for _ in 0..3 {
            let filled: Vec<_> = (0..9).map(|_| any_slots(&tracks, &mut draws)).collect();
            let filled = |cell: Cell| filled[(cell.row * 3 + cell.column) as usize].clone();
            hold_supersteps(Stored::new(&tracks, filled), &mut draws);
        }
    }
}

/// Births and exits are short, and exits are on both death cycles.
#[test]
fn worms_come_in_and_go_out_on_short_ways() {
    for (words, packets) in [(4, 12), (4, 32), (16, 12), (100, 12)] {
        let tracks = Tracks::new(Supernode::new(words, packets).unwrap());
        let (side, lane) = (tracks.supernode.side(), tracks.supernode.lane());
        let cycles = Half::ALL.map(|half| tracks.supernode.death_cycle(half));
        let cycles = cycles.map(|cycle| cycle.into_iter().collect::<HashSet<_>>());
        let mesh = tracks.supernode.mesh();
        for place in places(side) {
            let (half, way) = tracks.birth(place);
            let start = *tracks.supernode.storage_cycle(half).last().unwrap();
            let nodes = [place, start].map(|it| tracks.supernode.node(it));
            assert_eq!(way.len() as u32, mesh.distance(nodes[0], nodes[1]));
            assert!((way.len() as u32) < side, "{place:?}");
            let (exit, way) = tracks.exit(place);
            assert!(cycles.iter().all(|cycle| cycle.contains(&exit)));
            let nodes = [exit, place].map(|it| tracks.supernode.node(it));
            assert_eq!(way.len() as u32, mesh.distance(nodes[0], nodes[1]));
            assert!(way.len() as u32 <= lane, "{place:?}");
        }
        assert_eq!(cycles[0].len() as u32, packets * words + 4);
        assert_eq!(cycles[0], cycles[1]);
    }
}
