//! Single supersteps: all that a worm can do in one, against all that another can do in it.

use super::snakes::Slot;
use super::superstep::{Tracks, cells};
use super::walk::Walk;
use super::*;
use crate::Hop;
use flitwork_types::Port;
use std::collections::HashMap;

/// A part of what a worm can do in a superstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It is in a slot, to which it may have turned round in the middle, and stays or is sent.
    Leave {
        cell: Cell,
        slot: Slot,
        has_turned: bool,
        sent: Option<Direction>,
    },
    /// It is sent from a supernode, and comes to a gap of the next.
    Come {
        from: Cell,
        direction: Direction,
        gap: Slot,
    },
}

/// Whether two different parts can both be of a superstep.
fn are_compatible(one: Part, other: Part) -> bool {
    match (one, other) {
        (
            Part::Leave {
                cell,
                slot,
                has_turned,
                sent,
            },
            Part::Leave {
                cell: its,
                slot: its_slot,
                has_turned: it_has_turned,
                sent: its_sent,
            },
        ) => {
            let began = |slot: Slot, has_turned| {
                let half = if has_turned {
                    slot.half.other()
                } else {
                    slot.half
                };
                Slot { half, ..slot }
            };
            let is_one_slot =
                slot == its_slot || began(slot, has_turned) == began(its_slot, it_has_turned);
            let is_one_buffer = sent.is_some() && sent == its_sent;
            cell != its || !(is_one_slot || is_one_buffer)
        }
        (
            Part::Come {
                from,
                direction,
                gap,
            },
            Part::Come {
                from: its,
                direction: its_direction,
                gap: its_gap,
            },
        ) => {
            let to = [from.next(direction), its.next(its_direction)];
            to[0] != to[1] || (direction != its_direction && gap != its_gap)
        }
        (
            Part::Leave { cell, slot, .. },
            Part::Come {
                from,
                direction,
                gap,
            },
        ) => from.next(direction) != cell || slot != gap,
        (Part::Come { .. }, Part::Leave { .. }) => are_compatible(other, one),
    }
}

/// The links of a worm's words: node, port, first step.
fn links(mesh: &Grid, mut at: NodeId, hops: Vec<Hop>) -> Vec<(NodeId, Port, u32)> {
    let mut links = Vec::new();
    for hop in hops {
        links.push((at, hop.port, hop.step));
        at = mesh.neighbour(at, hop.port).unwrap();
    }
    links
}

/// The supernodes of a mesh, with the words of all that their worms can do.
struct Parts {
    tracks: Tracks,
    across: u32,
    mesh: Grid,
    /// By link: the step in which a worm's first word is there.
    uses: HashMap<(NodeId, Port), Vec<(u32, Part)>>,
}

impl Parts {
    fn node(&self, cell: Cell, place: Place) -> NodeId {
        let side = self.tracks.supernode.side();
        let x = cell.column * side + place.column;
        NodeId((cell.row * side + place.row) * side * self.across + x)
    }

    /// The step in which a supernode's clock is at one, in a superstep that begins late enough for worms to come to their slots.
    fn clock(&self, cell: Cell, step: u32) -> u32 {
        self.tracks.supernode.words() + u32::from(!cell.is_even()) + step
    }

    fn add(&mut self, part: Part, source: NodeId, walk: Walk) {
        for (at, port, step) in links(&self.mesh, source, walk.hops()) {
            let uses = self.uses.entry((at, port)).or_default();
            uses.push((step, part));
        }
    }

    /// All that a worm which ends up in a slot can do before it is in another supernode.
    fn add_leaving(&mut self, cell: Cell, slot: Slot, has_turned: bool) {
        let times = self.tracks.timetable;
        let half = if has_turned {
            slot.half.other()
        } else {
            slot.half
        };
        let began = stored(
            &self.tracks,
            cell,
            Slot { half, ..slot },
            self.clock(Cell { column: 0, row: 0 }, 0),
        );
        let reading = times.reading(slot.number, 0);
        let behind = reading - self.tracks.supernode.words();
        let source = self.node(cell, self.tracks.place(half, behind));
        let part = |sent| Part::Leave {
            cell,
            slot,
            has_turned,
            sent,
        };
        let mut walk = began.clone();
        let until = times.reading(slot.number, times.superstep());
        self.tracks.circle(&mut walk, slot, has_turned, until);
        assert_eq!(walk.step(), self.clock(cell, times.superstep()));
        assert_eq!(walk.place(), self.tracks.place(slot.half, reading));
        self.add(part(None), source, walk);
        for direction in directions(cell, self.across) {
            let mut walk = began.clone();
            let until = times.extraction(slot.half, direction.sender());
            self.tracks.circle(&mut walk, slot, has_turned, until);
            let at = self.clock(cell, times.transmission());
            self.tracks.send(&mut walk, slot.half, direction, at);
            self.add(part(Some(direction)), source, walk);
        }
    }

    /// All that a worm can do which is sent in a direction.
    fn add_coming(&mut self, from: Cell, direction: Direction) {
        let times = self.tracks.timetable;
        let supernode = &self.tracks.supernode;
        let mut begins = supernode.buffer_cycle(direction.sender())[0];
        match direction.is_vertical() {
            true => begins.column = supernode.lane(),
            false => begins.row = supernode.lane(),
        }
        let side = supernode.side();
        for gap in slots(&self.tracks) {
            if gap.half != direction.joins() {
                continue;
            }
            let to = from.next(direction);
            let mut walk = Walk::new(side, from, begins, self.clock(from, times.transmission()));
            let at = self.clock(to, times.step(gap.number, times.insertion()));
            self.tracks.receive(&mut walk, to, direction, gap, at);
            assert_eq!(walk.step(), self.clock(to, times.superstep()));
            let part = Part::Come {
                from,
                direction,
                gap,
            };
            self.add(part, self.node(from, begins), walk);
        }
    }

    /// No two parts that can be of one superstep have words on a link in one step, and none meets itself.
    fn hold(self) {
        let words = self.tracks.supernode.words();
        for ((at, port), mut list) in self.uses {
            list.sort_by_key(|(step, _)| *step);
            for (number, (step, part)) in list.iter().enumerate() {
                let later = list[number + 1..].iter();
                for (other_step, other) in later.take_while(|(it, _)| *it < step + words) {
                    assert!(
                        part != other && !are_compatible(*part, *other),
                        "{at} {port:?}: {part:?} in step {step}, {other:?} in step {other_step}"
                    );
                }
            }
        }
    }
}

/// Whatever a supernode's worms do, from whatever slots and to whatever gaps: all parts of all supernodes of a 4 x 4 mesh. Words
/// meet on a link in pairs, so that all pairs of parts are all there is.
fn hold_all_parts(words: u32, packets: u32) {
    let across = 4;
    let tracks = Tracks::new(Supernode::new(words, packets).unwrap());
    let side = tracks.supernode.side() * across;
    let mut parts = Parts {
        tracks,
        across,
        mesh: Grid::mesh(&[side, side]).unwrap(),
        uses: HashMap::new(),
    };
    for cell in cells(across) {
        for slot in slots(&parts.tracks) {
            for has_turned in [false, true] {
                parts.add_leaving(cell, slot, has_turned);
            }
        }
        for direction in directions(cell, across) {
            parts.add_coming(cell, direction);
        }
    }
    parts.hold();
}

#[test]
fn no_two_worms_of_a_superstep_can_meet() {
    for (words, packets) in [(4, 12), (4, 32), (4, 60), (16, 12), (16, 32), (36, 12)] {
        hold_all_parts(words, packets);
    }
}
