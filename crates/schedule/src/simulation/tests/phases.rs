//! Single supersteps: all that a worm can do in one, against all that another can do in it.

use super::snakes::{Slot, Snakes};
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

fn slots(tracks: &Tracks) -> Vec<Slot> {
    let numbers = 0..tracks.supernode.packets() / 2;
    let all = Half::ALL
        .into_iter()
        .flat_map(|half| numbers.clone().map(move |number| Slot { half, number }));
    all.collect()
}

/// The directions in which a supernode of a mesh has a neighbour.
fn directions(cell: Cell, across: u32) -> Vec<Direction> {
    let all = Direction::ALL.into_iter();
    all.filter(|direction| match direction {
        Direction::North => cell.row > 0,
        Direction::East => cell.column + 1 < across,
        Direction::South => cell.row + 1 < across,
        Direction::West => cell.column > 0,
    })
    .collect()
}

/// A worm that comes to a slot as the supernode's clock is at 0, and has been in the storage for its whole length.
fn stored(tracks: &Tracks, cell: Cell, slot: Slot, start: u32) -> Walk {
    let words = tracks.supernode.words();
    let reading = tracks.timetable.reading(slot.number, 0);
    let behind = reading - words;
    let place = tracks.place(slot.half, behind);
    let first = start + u32::from(!cell.is_even()) - words;
    let mut walk = Walk::new(tracks.supernode.side(), cell, place, first);
    tracks.follow(&mut walk, slot.half, behind + 1..=reading);
    walk
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

/// Whatever a supernode's worms do, from whatever slots and to whatever gaps: all parts of all supernodes of a 4 x 4 mesh. Words
/// meet on a link in pairs, so that all pairs of parts are all there is.
fn hold_all_parts(words: u32, packets: u32) {
    let across = 4;
    let tracks = Tracks::new(Supernode::new(words, packets).unwrap());
    let times = tracks.timetable;
    let side = tracks.supernode.side();
    let mesh = Grid::mesh(&[side * across, side * across]).unwrap();
    let start = words;
    let clock = |cell: Cell, step: u32| start + u32::from(!cell.is_even()) + step;
    let node = |cell: Cell, place: Place| {
        let x = cell.column * side + place.column;
        NodeId((cell.row * side + place.row) * side * across + x)
    };
    let mut uses: HashMap<(NodeId, Port), Vec<(u32, Part)>> = HashMap::new();
    let mut add = |part: Part, source: NodeId, walk: Walk| {
        for (at, port, step) in links(&mesh, source, walk.hops()) {
            uses.entry((at, port)).or_default().push((step, part));
        }
    };
    for cell in cells(across) {
        for slot in slots(&tracks) {
            for has_turned in [false, true] {
                let half = if has_turned {
                    slot.half.other()
                } else {
                    slot.half
                };
                let begins = Slot { half, ..slot };
                let began = stored(&tracks, cell, begins, start);
                let behind = times.reading(slot.number, 0) - words;
                let source = node(cell, tracks.place(half, behind));
                let part = |sent| Part::Leave {
                    cell,
                    slot,
                    has_turned,
                    sent,
                };
                let mut walk = began.clone();
                let until = times.reading(slot.number, times.superstep());
                tracks.circle(&mut walk, slot, has_turned, until);
                assert_eq!(walk.step(), clock(cell, times.superstep()));
                assert_eq!(
                    walk.place(),
                    tracks.place(slot.half, times.reading(slot.number, 0))
                );
                add(part(None), source, walk);
                for direction in directions(cell, across) {
                    let mut walk = began.clone();
                    let until = times.extraction(slot.half, direction.sender());
                    tracks.circle(&mut walk, slot, has_turned, until);
                    let at = clock(cell, times.transmission());
                    tracks.send(&mut walk, slot.half, direction, at);
                    add(part(Some(direction)), source, walk);
                }
            }
        }
        for direction in directions(cell, across) {
            let corner = tracks.supernode.buffer_cycle(direction.sender())[0];
            let lane = tracks.supernode.lane();
            let begins = match direction.is_vertical() {
                true => Place {
                    column: lane,
                    ..corner
                },
                false => Place {
                    row: lane,
                    ..corner
                },
            };
            for gap in slots(&tracks) {
                if gap.half != direction.joins() {
                    continue;
                }
                let at = clock(cell, times.transmission());
                let to = cell.next(direction);
                let mut walk = Walk::new(side, cell, begins, at);
                let gap_at = clock(to, times.step(gap.number, times.insertion()));
                tracks.receive(&mut walk, to, direction, gap, gap_at);
                assert_eq!(walk.step(), clock(to, times.superstep()));
                let part = Part::Come {
                    from: cell,
                    direction,
                    gap,
                };
                add(part, node(cell, begins), walk);
            }
        }
    }
    for ((at, port), mut list) in uses {
        list.sort_by_key(|(step, _)| *step);
        for (number, (step, part)) in list.iter().enumerate() {
            let later = list[number + 1..].iter();
            for (other_step, other) in later.take_while(|(it, _)| *it < step + words) {
                let is_allowed = part != other && !are_compatible(*part, *other);
                assert!(
                    is_allowed,
                    "{at} {port:?}: {part:?} in step {step}, {other:?} in step {other_step}"
                );
            }
        }
    }
}

#[test]
fn no_two_worms_of_a_superstep_can_meet() {
    for (words, packets) in [(4, 12), (4, 32), (4, 60), (16, 12), (16, 32), (36, 12)] {
        hold_all_parts(words, packets);
    }
}

/// Worms in some slots of each of 3 x 3 supernodes, with some sent, through several supersteps, with death cycles between them or
/// without.
fn hold_supersteps(
    tracks: &Tracks,
    filled: impl Fn(Cell, &mut Draws) -> Vec<Slot>,
    has_deaths: bool,
    draws: &mut Draws,
) {
    let across = 3;
    let (words, packets) = (tracks.supernode.words(), tracks.supernode.packets());
    let side = tracks.supernode.side();
    let mesh = Grid::mesh(&[side * across, side * across]).unwrap();
    let node = |cell: Cell, place: Place| {
        let x = cell.column * side + place.column;
        NodeId((cell.row * side + place.row) * side * across + x)
    };
    let all: Vec<Place> = places(side).collect();
    let target = all[draws.below(all.len())];
    let mut snakes = vec![Snakes::new(packets); 9];
    let (mut walks, mut sources) = (Vec::new(), Vec::new());
    for (cell, here) in cells(across).zip(&mut snakes) {
        for slot in filled(cell, draws) {
            here.put(slot, walks.len());
            walks.push(stored(tracks, cell, slot, words));
            let behind = tracks.timetable.reading(slot.number, 0) - words;
            sources.push(node(cell, tracks.place(slot.half, behind)));
        }
    }
    let mut start = words;
    for _ in 0..3 {
        let mut sends = vec![None; walks.len()];
        for (cell, here) in cells(across).zip(&snakes) {
            let mut worms = here.worms();
            draws.shuffle(&mut worms);
            for (direction, (worm, _)) in directions(cell, across).into_iter().zip(worms) {
                sends[worm] = (draws.below(8) > 0).then_some(direction);
            }
        }
        tracks.superstep(across, &mut snakes, &mut walks, &sends, start);
        start += tracks.timetable.superstep();
        for (cell, here) in cells(across).zip(&mut snakes) {
            let worms = here.worms();
            let excess = worms.len().saturating_sub(packets as usize - 4);
            for (worm, slot) in &worms {
                let (walk, step) = (&walks[*worm], start + u32::from(!cell.is_even()));
                let reading = tracks.timetable.reading(slot.number, 0);
                let at = (walk.step(), walk.place());
                assert_eq!(at, (step, tracks.place(slot.half, reading)));
            }
            for (number, (worm, slot)) in worms.into_iter().enumerate() {
                if has_deaths && (number < excess || draws.below(3) == 0) {
                    tracks.consume(&mut walks[worm], slot, target);
                    here.take(slot);
                } else if has_deaths {
                    tracks.survive(&mut walks[worm], slot);
                }
            }
        }
        match has_deaths {
            true => start += tracks.timetable.death_cycle,
            false => break,
        }
    }
    let plans: Vec<Plan> = walks
        .into_iter()
        .map(|walk| Plan { hops: walk.hops() })
        .collect();
    let end = |(plan, source): (&Plan, &NodeId)| {
        let ports = plan.hops.iter().map(|hop| hop.port);
        ports.fold(*source, |at, port| mesh.neighbour(at, port).unwrap())
    };
    let requests: Vec<Request> = plans
        .iter()
        .zip(&sources)
        .map(|(plan, source)| Request {
            source: *source,
            destination: end((plan, source)),
            words,
        })
        .collect();
    let steps = plans.iter().map(|plan| plan.end(words)).max().unwrap_or(0);
    hold(&mesh, &requests, &plans, steps);
}

/// The slots of a supernode that a number has a bit for.
fn of_bits(tracks: &Tracks, bits: u32) -> Vec<Slot> {
    let all = (0..).zip(slots(tracks));
    all.filter(|(number, _)| bits >> number & 1 == 1)
        .map(|(_, slot)| slot)
        .collect()
}

/// All 3,797 ways to have at most 8 of 12 slots filled, in the middle of as many as can be.
#[test]
fn every_storage_of_eight_packets() {
    let tracks = Tracks::new(Supernode::new(4, 12).unwrap());
    let mut draws = Draws::new(76);
    let middle = Cell { column: 1, row: 1 };
    let mut held = 0;
    for bits in (0..4096u32).filter(|bits| bits.count_ones() <= 8) {
        let filled = |cell: Cell, draws: &mut Draws| {
            if cell == middle {
                return of_bits(&tracks, bits);
            }
            let mut all = slots(&tracks);
            draws.shuffle(&mut all);
            all.truncate(8);
            all
        };
        hold_supersteps(&tracks, filled, bits % 8 == 0, &mut draws);
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
        for _ in 0..6 {
            let filled = |_, draws: &mut Draws| {
                let mut all = slots(&tracks);
                draws.shuffle(&mut all);
                all.truncate(packets as usize - 4);
                all
            };
            hold_supersteps(&tracks, filled, true, &mut draws);
        }
    }
}
