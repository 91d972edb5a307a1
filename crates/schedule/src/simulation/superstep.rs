//! How worms move in the phases of a superstep (section 3.3).

use super::snakes::{Slot, Snakes};
use super::timetable::Timetable;
use super::walk::Walk;
use super::{Cell, Direction, Half, Place, Quadrant, Supernode};
use std::ops::RangeInclusive;

/// The ways of worms inside a supernode.
#[derive(Clone, Debug)]
pub(super) struct Tracks {
    pub(super) supernode: Supernode,
    pub(super) timetable: Timetable,
    storage: [Vec<Place>; 2],
    delayed: [Vec<Place>; 2],
    pub(super) death: [Vec<Place>; 2],
}

impl Tracks {
    pub(super) fn new(supernode: Supernode) -> Tracks {
        let timetable = Timetable::new(&supernode);
        let tracks = Tracks {
            supernode,
            timetable,
            storage: Half::ALL.map(|half| supernode.storage_cycle(half)),
            delayed: Half::ALL.map(|half| supernode.delayed_cycle(half, timetable.delay / 2)),
            death: Half::ALL.map(|half| supernode.death_cycle(half)),
        };
        let lengths = [&tracks.storage[0], &tracks.delayed[0], &tracks.death[0]].map(Vec::len);
        let Timetable {
            cycle,
            delay,
            death_cycle,
            ..
        } = timetable;
        assert_eq!(
            lengths,
            [cycle, cycle + delay, death_cycle].map(|it| it as usize)
        );
        tracks
    }

    /// Where a head is at a reading.
    pub(super) fn place(&self, half: Half, reading: u32) -> Place {
        let Timetable { cycle, delay, .. } = self.timetable;
        let (way, at) = if reading < 3 * cycle {
            (&self.storage, reading % cycle)
        } else if reading < 4 * cycle + delay {
            (&self.delayed, reading - 3 * cycle)
        } else {
            (&self.storage, reading - 4 * cycle - delay)
        };
        way[half as usize][at as usize]
    }

    pub(super) fn follow(&self, walk: &mut Walk, half: Half, readings: RangeInclusive<u32>) {
        walk.through(readings.map(|reading| self.place(half, reading)));
    }

    /// The cycles of a worm that ends up in a slot, until a reading. If it has turned round in the middle, it began in the other
    /// half.
    pub(super) fn circle(&self, walk: &mut Walk, slot: Slot, has_turned: bool, until: u32) {
        let mut from = self.timetable.reading(slot.number, 0) + 1;
        if has_turned {
            let middle = self.timetable.middle();
            self.follow(walk, slot.half.other(), from..=middle);
            from = middle + 1;
        }
        self.follow(walk, slot.half, from..=until);
    }

    /// The command processor beside a buffer.
    fn command(&self, quadrant: Quadrant) -> Place {
        let [upper, lower] = self.supernode.command_processors();
        if quadrant.is_upper { upper } else { lower }
    }

    /// The node of the horizontal lane beside a buffer's corner.
    fn beside(&self, corner: Place) -> Place {
        let row = self.supernode.lane();
        Place { row, ..corner }
    }

    /// Extraction and transmission: from the command processor into the buffer, around it until step `at` begins on the lane, and
    /// over to the next supernode.
    pub(super) fn send(&self, walk: &mut Walk, half: Half, direction: Direction, at: u32) {
        let quadrant = direction.sender();
        let buffer = self.supernode.buffer_cycle(quadrant);
        let (corner, command) = (buffer[0], self.command(quadrant));
        walk.go(corner);
        if Timetable::is_first(half, quadrant) {
            walk.through([self.beside(corner), corner]);
        }
        while walk.step() + 1 < at {
            walk.through(turn(&buffer));
        }
        let lane = match direction.is_vertical() {
            true => command,
            false => self.beside(corner),
        };
        walk.go(lane);
        assert_eq!(walk.step(), at, "transmission begins in one step");
    }

    /// Transmission and queueing: over to the next supernode and into its buffer, around it until the gap comes by as step `at`
    /// begins, and into the gap.
    pub(super) fn receive(
        &self,
        walk: &mut Walk,
        to: Cell,
        direction: Direction,
        slot: Slot,
        at: u32,
    ) {
        let quadrant = direction.receiver();
        let buffer = self.supernode.buffer_cycle(quadrant);
        let links = self.supernode.side() - 2;
        if to.is_even() {
            walk.leave(direction, links - 1);
            walk.through(buffer[1..].iter().copied());
            walk.go(buffer[0]);
        } else {
            walk.leave(direction, links);
            walk.go(buffer[0]);
        }
        while walk.step() + 1 < at {
            walk.through(turn(&buffer));
        }
        walk.go(self.command(quadrant));
        assert_eq!(walk.step(), at, "a worm is where its gap is");
        let (from, last) = (self.timetable.insertion(), self.timetable.superstep());
        let until = self.timetable.reading(slot.number, last);
        self.follow(walk, slot.half, from + 1..=until);
    }

    /// A superstep of all supernodes, in a mesh of so many a side, of which each worm is sent as `sends` says. The clocks of even
    /// supernodes are at 0 in step `start`, those of odd ones a step later.
    pub(super) fn superstep(
        &self,
        across: u32,
        snakes: &mut [Snakes],
        walks: &mut [Walk],
        sends: &[Option<Direction>],
        start: u32,
    ) {
        let times = &self.timetable;
        let step = |cell: Cell, step: u32| start + u32::from(!cell.is_even()) + step;
        let mut gaps = Vec::new();
        let mut sent = Vec::new();
        for (cell, here) in cells(across).zip(snakes.iter_mut()) {
            let turned = here.balance();
            gaps.push(here.gaps());
            for (worm, slot) in here.worms() {
                let (walk, has_turned) = (&mut walks[worm], turned.contains(&slot));
                let Some(direction) = sends[worm] else {
                    let until = times.reading(slot.number, times.superstep());
                    self.circle(walk, slot, has_turned, until);
                    continue;
                };
                let until = times.extraction(slot.half, direction.sender());
                self.circle(walk, slot, has_turned, until);
                self.send(walk, slot.half, direction, step(cell, times.transmission()));
                here.take(slot);
                sent.push((worm, cell, direction));
            }
        }
        for (worm, cell, direction) in sent {
            let to = cell.next(direction);
            let number = (to.row * across + to.column) as usize;
            let slot = gaps[number][direction as usize];
            let at = step(to, times.step(slot.number, times.insertion()));
            self.receive(&mut walks[worm], to, direction, slot, at);
            snakes[number].put(slot, worm);
        }
    }
}

/// A turn of a buffer, from its corner.
fn turn(buffer: &[Place]) -> impl Iterator<Item = Place> {
    buffer[1..].iter().chain(&buffer[..1]).copied()
}

/// The supernodes, row by row.
pub(super) fn cells(across: u32) -> impl Iterator<Item = Cell> {
    (0..across).flat_map(move |row| (0..across).map(move |column| Cell { column, row }))
}
