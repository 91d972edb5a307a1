//! Questions to runs, held against the runs: charges add up, what is left out can't have mattered unless it was there in
//! time, and epochs are the same on every engine.

use crate::clocked::many_clocks;
use crate::common::live_runs::{options, recorded};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_debug::rows::PacketRow;
use flitwork_debug::{
    Happening, Held, Removals, Timeline, Wanted, What, Why, critical, first_difference,
    first_probe, follow, unfold, why,
};
use flitwork_experiment::extras::Extras;
use flitwork_experiment::index::EpochProbe;
use flitwork_experiment::packets::PacketFile;
use flitwork_experiment::simulate::{demand, simulate_with};
use flitwork_experiment::simulation::{Use, of_record, ready_demand, start, start_clocked};
use flitwork_live::Runtime;
use flitwork_node::{AnyProbe, Cause, Event};
use flitwork_topology::{Shape, Topology};
use flitwork_trace::index::Epochs;
use flitwork_types::{NodeId, PacketId};
use proptest::prelude::*;
use std::ops::ControlFlow;

/// The rows of a run's packets.
fn rows(resolved: &Resolved) -> Vec<PacketRow> {
    let (file, rows) = PacketFile::to_memory().unwrap();
    let extras = Extras {
        packets: Some(file.reporter()),
        ..Extras::default()
    };
    drop(simulate_with(resolved, extras, &mut |_| {
        ControlFlow::Continue(())
    }));
    file.finish("").unwrap();
    rows.take()
}

fn sync(resolved: &Resolved) -> Resolved {
    let mut resolved = resolved.clone();
    resolved.run.engine = EngineChoice::Sync;
    resolved
}

/// Some delivered packets: the slowest, and some others.
fn some(rows: &[PacketRow]) -> Vec<(PacketId, PacketRow)> {
    let mut delivered: Vec<&PacketRow> = rows.iter().filter(|row| row.latency.is_some()).collect();
    delivered.sort_by_key(|row| std::cmp::Reverse(row.latency));
    let places = [0, delivered.len() / 3, delivered.len().saturating_sub(1)];
    let all = places.iter().filter_map(|place| delivered.get(*place));
    let mut all: Vec<_> = all.filter_map(|row| Some((row.packet()?, **row))).collect();
    all.dedup_by_key(|it| it.0);
    all
}

fn explained(
    timeline: &mut Timeline,
    packet: PacketId,
    from: u64,
    end: u64,
) -> Result<Why, TestCaseError> {
    let journey = follow(timeline, packet, from, end);
    let journey = journey.map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(why(timeline, journey, end))
}

/// The charges follow each other in time along the packet's way, and none is of nothing.
fn is_in_order(found: &Why) -> Result<(), TestCaseError> {
    prop_assert!(found.charges.iter().all(|charge| charge.amount > 0));
    let way: Vec<_> = found.journey.stays.iter().map(|stay| stay.node).collect();
    let mut at = 0;
    for charge in &found.charges {
        let next = way[at..].iter().position(|node| *node == charge.node);
        prop_assert!(next.is_some(), "{:?} isn't on the way {:?}", charge, way);
        at += next.unwrap_or(0);
    }
    Ok(())
}

/// The packet to blame is where it is said to be, when the wait begins or, if it arrives in that cycle, a cycle later; or it
/// goes through in that cycle, as words do that no router of deflection keeps.
fn culprits_stand_there(timeline: &mut Timeline, found: &Why) -> Result<(), TestCaseError> {
    for (place, charge) in found.charges.iter().enumerate() {
        let Some(culprit) = charge
            .culprit
            .filter(|_| charge.cause != Cause::SourceQueue)
        else {
            continue;
        };
        let node = found.culprits_node(place).unwrap_or(charge.node);
        let mut holds = |time: u64| {
            timeline.go(time);
            let view = timeline.present().look(node).unwrap_or_default();
            view.places(culprit).count() > 0
        };
        let is_held = holds(charge.time) || holds(charge.time + 1);
        let is_there = is_held || goes_through(timeline, culprit, node, charge.time);
        prop_assert!(
            is_there,
            "{:?} isn't in node {:?}: {:?}",
            culprit,
            node,
            charge
        );
    }
    Ok(())
}

/// Whether the packet passes through the node when a wait begins: it gets an output there, or leaves.
fn goes_through(timeline: &mut Timeline, packet: PacketId, node: NodeId, time: u64) -> bool {
    let wanted = Wanted {
        events: true,
        words: true,
        ..Wanted::NOTHING
    };
    let (happened, _) = timeline.copy_at(time, wanted).advance(time + 2);
    let is_injected = |it: &&Happening| matches!(it.what, What::Event(Event::Injected { .. }));
    let here = happened.iter().filter(|it| it.node == node);
    let mut here = here.filter(|it| it.packet() == Some(packet));
    here.any(|it| !is_injected(&it))
}

/// Whom waits lead to takes as long as the wait, on each level.
fn waits_unfold(timeline: &mut Timeline, shape: &Shape, found: &Why) -> Result<(), TestCaseError> {
    fn amount(held: &[Held]) -> u64 {
        held.iter().map(|held| held.amount).sum()
    }
    fn is_whole(held: &[Held]) -> bool {
        held.iter().all(|it| {
            let parts = amount(&it.held_by);
            (it.held_by.is_empty() || parts == it.amount) && is_whole(&it.held_by)
        })
    }
    let with_culprit = (0..found.charges.len()).filter(|it| found.charges[*it].culprit.is_some());
    for place in with_culprit.take(3) {
        let charge = &found.charges[place];
        let node = found.culprits_node(place).unwrap_or(charge.node);
        let culprit = charge.culprit.unwrap_or(found.journey.packet.id);
        let held = unfold(
            timeline,
            shape,
            (charge.time, found.takes(place)),
            (culprit, node),
        );
        prop_assert_eq!(amount(&held), charge.amount, "{:?} of {:?}", held, charge);
        prop_assert!(
            held.iter()
                .all(|it| (it.packet, it.node) == (culprit, node))
        );
        prop_assert!(is_whole(&held), "{:?}", held);
    }
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn charges_add_up_to_the_latency(resolved in machines().boxed()) {
        let resolved = sync(&resolved);
        let end = demand(&resolved).end.get().into();
        let simulation = start(&resolved, Use::Views, ready_demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        for (packet, row) in some(&rows(&resolved)) {
            let from = row.injected.map_or(0, |cycle| cycle.get().into());
            let found = explained(&mut timeline, packet, from, end)?;
            prop_assert_eq!(Some(found.total()), row.latency, "{:?} {:?} of {:?}", packet, found.charges, found.journey);
            prop_assert_eq!(Some(found.journey.packet.hops), row.hops);
            is_in_order(&found)?;
            culprits_stand_there(&mut timeline, &found)?;
            waits_unfold(&mut timeline, &resolved.network.shape, &found)?;
        }
    }

    /// Its stretches follow each other, from the creation of a packet to the last delivery.
    #[test]
    fn the_critical_way_has_no_gap(resolved in machines().boxed()) {
        let resolved = sync(&resolved);
        let end = demand(&resolved).end.get().into();
        let simulation = start(&resolved, Use::Views, ready_demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        let rows = rows(&resolved);
        let last = rows.iter().filter(|row| row.delivered.is_some()).max_by_key(|row| row.delivered);
        let Some(last) = last.and_then(PacketRow::packet) else { return Ok(()) };
        let way = critical(&mut timeline, last, end, |timeline, packet| follow(timeline, packet, 0, end));
        let way = way.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let row = |packet| rows.iter().find(|row| row.packet() == Some(packet));
        for (this, next) in way.iter().zip(way.iter().skip(1)) {
            prop_assert_eq!(this.time + this.amount, next.time);
        }
        let (Some(first), Some(at_last)) = (way.first(), way.last()) else { return Ok(()) };
        let delivered = row(last).and_then(|row| row.delivered).map(|cycle| u64::from(cycle.get()));
        prop_assert_eq!(Some(at_last.time + at_last.amount), delivered);
        let created = row(first.packet).map(|row| u64::from(row.created.get()));
        prop_assert!(Some(first.time) >= created, "{:?} {:?}", first, created);
    }

    #[test]
    fn charges_add_up_in_ps((resolved, clocks) in many_clocks().boxed()) {
        let nominal = clocks.nominal_ps;
        let end = u64::from(demand(&resolved).end.get()) * nominal;
        let simulation = start_clocked(&resolved, (clocks, 1), demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, nominal);
        let packets = rows(&sync(&resolved));
        for (packet, _) in some(&packets) {
            let Ok(journey) = follow(&mut timeline, packet, 0, end) else { continue };
            let Some(delivered) = journey.delivered else { continue };
            let found = why(&mut timeline, journey, end);
            let created = u64::from(found.journey.packet.created.get()) * nominal;
            // With a clock of its own a source may make a packet within the cycle in which it takes it.
            prop_assert_eq!(found.total(), delivered.time.saturating_sub(created), "{:?} of {:?}", found.charges, found.journey);
            // By the nominal clock a delivery is a cycle after the one in which the step began: up to a cycle off either way.
            let cycles = (delivered.time / nominal).saturating_sub(created / nominal);
            let latency = delivered.latency().unwrap_or_default();
            prop_assert!(latency.abs_diff(cycles) <= 1, "{:?} of {:?}", delivered, found.journey);
        }
    }

    #[test]
    fn epochs_are_the_same_on_every_engine(resolved in machines().boxed()) {
        let epochs = |engine, usage| -> Epochs {
            let mut resolved = resolved.clone();
            resolved.run.engine = engine;
            let alone = resolved.router.facts().words_travel_alone;
            let probe = EpochProbe::new(&resolved.network.shape, alone);
            let demand = demand(&resolved);
            let end = demand.end.get().into();
            let mut simulation = start(&resolved, usage, demand, AnyProbe::new(probe));
            simulation.advance(end);
            simulation.into_probe().into_probe::<EpochProbe>().into_epochs()
        };
        let plain = epochs(EngineChoice::SyncPlain, Use::Events);
        prop_assert_eq!(plain.first_difference(&epochs(EngineChoice::Sync, Use::Events)), None);
        prop_assert_eq!(plain.first_difference(&epochs(EngineChoice::Sync, Use::Views)), None);
    }

    /// Without one packet, a run first does something else where that packet entered the network, and when.
    #[test]
    fn a_difference_is_found_where_it_was_planted(resolved in machines().boxed(), place in 0.0..1.0f64) {
        let resolved = sync(&resolved);
        if resolved.router.facts().takes != flitwork_router::parameters::Takes::Any {
            return Ok(());
        }
        let all = rows(&resolved);
        let entered: Vec<_> = all.iter().filter_map(|row| Some((row.packet()?, row.injected?))).collect();
        let Some((packet, cycle)) = entered.get((place * entered.len() as f64) as usize) else { return Ok(()) };
        let timeline = |leave_out: bool| {
            let mut demand = ready_demand(&resolved);
            if leave_out {
                demand.workload.leave_out(*packet);
            }
            Timeline::new(start(&resolved, Use::Views, demand, first_probe()), 1 << 22, 1)
        };
        let end = demand(&resolved).end.get().into();
        let (mut with, mut without) = (timeline(false), timeline(true));
        let found = first_difference([&mut with, &mut without], [end; 2], &mut || true);
        let found = found.map(|it| (it.node, it.cycle, it.is_of_sources()));
        let home = resolved.network.shape.home(packet.source);
        prop_assert_eq!(found, Some((home, *cycle, true)), "without {:?}", packet);
        let found = first_difference([&mut timeline(false), &mut timeline(false)], [end; 2], &mut || true);
        prop_assert_eq!(found, None);
    }

    /// A packet that can't have come to a node of another's way before that had left it changes nothing for it.
    #[test]
    fn what_comes_too_late_changes_nothing(resolved in machines().boxed()) {
        let resolved = sync(&resolved);
        if resolved.router.facts().takes != flitwork_router::parameters::Takes::Any || resolved.traffic.process.waits_for_deliveries() {
            return Ok(());
        }
        let end = demand(&resolved).end.get().into();
        let simulation = start(&resolved, Use::Views, ready_demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        let all = rows(&resolved);
        let Some((target, row)) = some(&all).into_iter().next() else { return Ok(()) };
        let from = row.injected.map_or(0, |cycle| cycle.get().into());
        let found = explained(&mut timeline, target, from, end)?;
        let way: Vec<_> = found.journey.stays.iter().map(|stay| stay.node).collect();
        let removals = Removals {
            target,
            rows: &all,
            afresh: &|packet, probe| {
                let mut demand = ready_demand(&resolved);
                demand.workload.leave_out(packet);
                start(&resolved, Use::Views, demand, probe)
            },
            end,
        };
        let near = removals.candidates(&resolved.network.shape, &way, 1);
        let created = row.created;
        let too_late = all.iter().filter(|other| {
            let packet = other.packet();
            // Those that were gone before may have changed what others did.
            let is_later = other.injected.is_some_and(|injected| injected >= created);
            is_later && packet.is_some_and(|packet| packet != target && !near.contains(&packet))
        });
        for other in too_late.take(4) {
            let packet = other.packet().unwrap_or(target);
            let without = removals.without(&mut timeline, packet);
            prop_assert_eq!(without.and_then(|it| it.latency), row.latency, "without {:?}", packet);
        }
        // Left out alone, the others keep their numbers: the packet is found at all.
        for packet in near.into_iter().take(3) {
            prop_assert!(removals.without(&mut timeline, packet).is_some());
        }
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn charges_of_a_record_add_up(resolved in machines().boxed(), slack in prop_oneof![Just(Some(4u32)), Just(None)]) {
        let (_, parts) = recorded(&resolved, &options(Runtime::Threads, slack, 2, 4));
        let (file, packets) = PacketFile::to_memory().unwrap();
        let (mut replay, _) = of_record(&resolved, parts.clone(), AnyProbe::new(file.reporter()));
        replay.advance(u64::MAX);
        drop(replay);
        file.finish("").unwrap();
        let mut timeline = Timeline::new(of_record(&resolved, parts, first_probe()).0, 1 << 22, 1);
        for (packet, row) in some(&packets.take()) {
            let found = explained(&mut timeline, packet, 0, 1 << 40)?;
            prop_assert_eq!(Some(found.total()), row.latency, "{:?} {:?} of {:?}", packet, found.charges, found.journey);
        }
    }
}
