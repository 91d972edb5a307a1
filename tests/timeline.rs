//! A run's time, forwards and backwards: wherever one goes, and whichever way, one finds what a run that goes straight there
//! finds. And a record in causal time: what is before is what it says.

use crate::clocked::many_clocks;
use crate::common::live_runs::{options, recorded};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Override, Resolved};
use flitwork_debug::heat::{Counting, Heat};
use flitwork_debug::search::{Gathered, earlier, later};
use flitwork_debug::{Happening, Timeline, Wanted, What, counting_probe, first_probe};
use flitwork_engine::Simulation;
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, of_record, start, start_clocked};
use flitwork_live::Runtime;
use flitwork_node::{AnyProbe, Event, PassingWord};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, Port};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Where one goes: a part of the run's length, or a step from where one is, back or forth.
#[derive(Clone, Copy, Debug)]
enum Move {
    To(f64),
    Back(u64),
    Forth(u64),
}

fn moves() -> BoxedStrategy<Vec<Move>> {
    let one = prop_oneof![
        (0.0..1.0f64).prop_map(Move::To),
        (1u64..4).prop_map(Move::Back),
        (1u64..4).prop_map(Move::Forth),
        (1u64..200).prop_map(Move::Back),
    ];
    prop::collection::vec(one, 1..12).boxed()
}

/// All that is seen where a simulation stands.
fn seen(simulation: &Simulation) -> impl PartialEq + std::fmt::Debug + use<> {
    let nodes = (0..simulation.nodes()).map(NodeId);
    let views: Vec<_> = nodes
        .map(|node| (simulation.local(node), simulation.look(node)))
        .collect();
    let mut packets = simulation.packets();
    packets.sort_by_key(|packet| packet.id);
    let mut waits: Vec<String> = simulation
        .waits()
        .iter()
        .map(|wait| format!("{wait:?}"))
        .collect();
    waits.sort();
    (simulation.now(), views, packets, waits)
}

/// Goes about in a run and looks.
fn wander(
    make: impl Fn(AnyProbe) -> Box<Simulation>,
    (end, cycle_time): (u64, u64),
    most_bytes: usize,
    moves: &[Move],
) -> Result<(), TestCaseError> {
    let mut timeline = Timeline::new(make(first_probe()), most_bytes, cycle_time);
    for step in moves {
        let now = timeline.now();
        let time = match step {
            Move::To(part) => (part * end as f64) as u64,
            Move::Back(cycles) => now.saturating_sub(cycles * cycle_time),
            Move::Forth(cycles) => (now + cycles * cycle_time).min(end),
        };
        timeline.go(time);
        let mut straight = make(AnyProbe::new(()));
        straight.advance(time);
        prop_assert_eq!(
            seen(timeline.present()),
            seen(&*straight),
            "{:?} at {}",
            step,
            time
        );
        let (count, bytes) = (timeline.kept().len(), timeline.kept_bytes());
        prop_assert!(
            count <= 2 || bytes <= most_bytes,
            "{} copies, {} bytes",
            count,
            bytes
        );
    }
    // What happens from anywhere on is what happens in a run from the beginning.
    let mut whole = Timeline::new(make(first_probe()), usize::MAX, cycle_time);
    let (all, _) = whole.copy_at(0, Wanted::EVENTS).advance(end);
    let from = timeline.now();
    let (rest, _) = timeline.copy_at(from, Wanted::EVENTS).advance(end);
    let following: Vec<Happening> = all.iter().filter(|it| it.time >= from).copied().collect();
    prop_assert_eq!(by_place(rest), by_place(following));
    // The last before and the first from there on, of a packet.
    let packet = all.get(all.len() / 2).and_then(Happening::packet);
    let is_it = |it: &Happening| packet.is_some() && it.packet() == packet;
    let mut always = || true;
    let is_first = |seen: &Gathered| seen.happened.iter().find(|it| is_it(it)).copied();
    let next = later(
        &mut timeline,
        (from, end),
        Wanted::EVENTS,
        &mut always,
        is_first,
    )
    .unwrap();
    prop_assert_eq!(
        next.map(|it| it.time),
        all.iter()
            .filter(|it| it.time >= from)
            .find(|it| is_it(it))
            .map(|it| it.time)
    );
    let is_last = |seen: &Gathered| seen.happened.iter().rfind(|it| is_it(it)).copied();
    let last = earlier(&mut timeline, from, Wanted::EVENTS, &mut always, is_last).unwrap();
    prop_assert_eq!(
        last.map(|it| it.time),
        all.iter()
            .rev()
            .filter(|it| it.time < from)
            .find(|it| is_it(it))
            .map(|it| it.time)
    );
    Ok(())
}

/// Within an instant and a node, an engine may report ahead in another order than when the time has come.
/// With room for few copies too, no step back is far: whichever way one has come, a copy is near before.
#[test]
fn copies_leave_no_long_gap() {
    const END: u64 = 20_000;
    let text = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.2\n\
                [run]\nmeasure_cycles = 20000\n";
    let resolved = flitwork_config::resolve(text, "text", Path::new(""), &[]).unwrap();
    let make = || start(&resolved, Use::Views, demand(&resolved), first_probe());
    let mut one = make();
    one.advance(1000);
    let bytes = one.bytes() * 9;
    let mut timeline = Timeline::new(make(), bytes, 1);
    let mut random = 1u64;
    for step in 0..200 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let to = match step % 20 {
            0 => END,
            10 => (random >> 32) % END,
            _ => timeline.now().saturating_sub(1 + step % 3 * 10),
        };
        timeline.go(to);
        let kept: Vec<u64> = timeline.kept().filter(|at| *at <= to).chain([to]).collect();
        let longest = kept.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(longest <= Some(END / 3), "at {to}, copies at {kept:?}");
        assert!(timeline.kept_bytes() <= bytes);
    }
}

fn by_place(mut happened: Vec<Happening>) -> Vec<Happening> {
    happened.sort_by_key(|it| (it.time, it.node, format!("{:?}", it.what)));
    happened
}

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn synchronous_time_goes_both_ways(
        resolved in machines().boxed(),
        moves in moves(),
        most_bytes in prop_oneof![Just(0usize), 1usize << 14..1 << 22],
        usage in prop_oneof![Just(Use::Views), Just(Use::Events)],
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let make = |probe| start(&resolved, usage, demand(&resolved), probe);
        let end = demand(&resolved).end.get().min(3000).into();
        wander(make, (end, 1), most_bytes, &moves)?;
    }

    #[test]
    fn time_under_many_clocks_goes_both_ways(
        (resolved, clocks) in many_clocks().boxed(),
        moves in moves(),
        most_bytes in 1usize << 14..1 << 22,
    ) {
        let make = |probe| start_clocked(&resolved, (clocks.clone(), 1), demand(&resolved), probe);
        let end = u64::from(demand(&resolved).end.get().min(2000)) * clocks.nominal_ps;
        wander(make, (end, clocks.nominal_ps), most_bytes, &moves)?;
    }
}

/// What a network's nodes count in a stretch, from the events of the whole run, one by one.
fn counted(resolved: &Resolved, all: &[Happening], (from, to): (u64, u64)) -> Heat {
    let shape = &resolved.network.shape;
    let alone = resolved.router.facts().words_travel_alone;
    let (nodes, ports) = (shape.nodes() as usize, shape.ports());
    let mut held = vec![0i64; nodes];
    let mut heat = Heat {
        from,
        to,
        held: Vec::new(),
        deroutes: vec![0; nodes],
        words: vec![0; nodes * ports],
        ports,
    };
    let neighbour = |node, port: Port| match port.index() < ports {
        true => shape.neighbour(node, port),
        false => None,
    };
    for it in all.iter().filter(|it| it.time < to) {
        let is_in = it.time >= from;
        let weight = |words: u16| if alone { i64::from(words) } else { 1 };
        match it.what {
            What::Event(Event::Injected { packet }) => {
                held[it.node.index()] += weight(packet.words);
            }
            What::Event(Event::Delivered { packet }) => {
                held[it.node.index()] -= weight(packet.words);
            }
            What::Event(Event::Head { port, .. }) => {
                if let Some(far) = neighbour(it.node, port) {
                    held[it.node.index()] -= 1;
                    held[far.index()] += 1;
                }
            }
            What::Event(Event::Moved { deroute: true, .. }) if is_in => {
                heat.deroutes[it.node.index()] += 1;
            }
            What::Word(PassingWord { port, .. }) if is_in && port.index() < ports => {
                heat.words[it.node.index() * ports + port.index()] += 1;
            }
            _ => {}
        }
    }
    heat.held = held.iter().map(|it| u32::try_from(*it).unwrap()).collect();
    heat
}

/// The packets that a network knows of are those that events leave in it, but for some whose delivery has been reported
/// ahead, or whose words are still under way to where they vanish: by no more than a worm's length.
fn packets_are_in(
    timeline: &Timeline,
    all: &[Happening],
    (to, end): (u64, u64),
) -> Result<(), TestCaseError> {
    const LONGEST: u64 = 64;
    let mut within: BTreeMap<PacketId, u64> = BTreeMap::new();
    for it in all {
        match it.what {
            What::Event(Event::Injected { packet }) if it.time < to => {
                within.insert(packet.id, end);
            }
            What::Event(Event::Delivered { packet }) => {
                within.entry(packet.id).and_modify(|at| *at = it.time);
            }
            _ => {}
        }
    }
    for packet in timeline.present().packets() {
        let at = within.remove(&packet.id);
        let is_in = at.is_some_and(|at| at + LONGEST >= to);
        prop_assert!(is_in, "{:?} isn't there before {}", packet, to);
    }
    within.retain(|_, at| *at >= to + LONGEST);
    prop_assert!(within.is_empty(), "{:?} aren't known before {}", within, to);
    Ok(())
}

/// Wherever one comes from, nodes count in a stretch what the events of the whole run say.
fn count(
    resolved: &Resolved,
    make: impl Fn(AnyProbe) -> Box<Simulation>,
    (end, cycle_time): (u64, u64),
    stretches: &[(f64, u64)],
) -> Result<(), TestCaseError> {
    let wanted = Wanted {
        events: true,
        words: true,
        ..Wanted::NOTHING
    };
    let shape = &resolved.network.shape;
    let alone = resolved.router.facts().words_travel_alone;
    let counting = Counting::new(shape, alone);
    let begun = make(counting_probe(counting.clone()));
    let mut whole = Timeline::new(begun, usize::MAX, cycle_time);
    let (all, _) = whole.copy_at(0, wanted).advance(end);
    let mut timeline = Timeline::new(make(counting_probe(counting)), 1 << 20, cycle_time);
    for (at, cycles) in stretches {
        // Every other one goes on where the last one has ended.
        let from = match cycles % 2 {
            0 => timeline.now(),
            _ => (at * end as f64) as u64,
        };
        let to = (from + cycles * cycle_time).min(end);
        let from = from.min(to);
        let heat = timeline.heat(from, to, &mut || true).unwrap();
        prop_assert_eq!(&heat, &counted(resolved, &all, (from, to)));
        // An engine that computes when words are where knows of packets at other times.
        let steps = timeline.present().look(NodeId(0)).is_some();
        if cycle_time == 1 && !alone && steps {
            packets_are_in(&timeline, &all, (to, end))?;
        }
    }
    // One that doesn't count has nothing to say; one that is to stop, neither.
    let mut uncounted = Timeline::new(make(first_probe()), usize::MAX, cycle_time);
    prop_assert_eq!(uncounted.heat(0, 1, &mut || true), None);
    timeline.go(0);
    let far = cycle_time << 40;
    prop_assert_eq!(timeline.heat(0, far, &mut || false), None);
    Ok(())
}

fn stretches() -> BoxedStrategy<Vec<(f64, u64)>> {
    prop::collection::vec((0.0..1.0f64, 0u64..400), 1..10).boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn nodes_count_what_events_say(
        resolved in machines().boxed(),
        stretches in stretches(),
        usage in prop_oneof![Just(Use::Views), Just(Use::Events)],
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let make = |probe| start(&resolved, usage, demand(&resolved), probe);
        let end = demand(&resolved).end.get().min(3000).into();
        count(&resolved, make, (end, 1), &stretches)?;
    }

    #[test]
    fn nodes_with_clocks_count_what_events_say(
        (resolved, clocks) in many_clocks().boxed(),
        stretches in stretches(),
    ) {
        let make = |probe| start_clocked(&resolved, (clocks.clone(), 1), demand(&resolved), probe);
        let end = u64::from(demand(&resolved).end.get().min(2000)) * clocks.nominal_ps;
        count(&resolved, make, (end, clocks.nominal_ps), &stretches)?;
    }
}

/// Heads in the order of their stamps lead along links: a head leaves a node after it has left the one before.
fn heads_follow_links(resolved: &Resolved, happened: &[Happening]) -> Result<(), TestCaseError> {
    let mut heads: BTreeMap<PacketId, Vec<(u64, NodeId, NodeId)>> = BTreeMap::new();
    let shape = &resolved.network.shape;
    for it in happened {
        if let What::Event(Event::Head { packet, port }) = it.what
            && let Some((far, _)) = shape.far(it.node, port)
        {
            heads
                .entry(packet)
                .or_default()
                .push((it.time, it.node, far));
        }
    }
    for (packet, hops) in heads {
        prop_assert!(hops.iter().all(|hop| hop.0 > 0));
        for two in hops.windows(2) {
            prop_assert!(two[0].0 < two[1].0, "{:?}: {:?}", packet, hops);
            prop_assert_eq!(two[0].2, two[1].1, "{:?}: {:?}", packet, &hops);
        }
    }
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 15, ..ProptestConfig::default() })]

    #[test]
    fn causal_time_is_what_the_record_says(
        resolved in machines().boxed(),
        slack in prop_oneof![Just(Some(0u32)), Just(Some(4)), Just(None)],
        workers in 1usize..4,
        moves in moves(),
    ) {
        let (lived, parts) = recorded(&resolved, &options(Runtime::Threads, slack, workers, 4));
        let (mut whole, differs) = of_record(&resolved, parts.clone(), first_probe());
        whole.advance(u64::MAX);
        prop_assert_eq!(&*differs.lock().unwrap(), &None);
        // Each node does what it did, to its last cycle.
        for (node, (cycle, _)) in (0..).map(NodeId).zip(&lived.nodes) {
            prop_assert_eq!(whole.local(node), *cycle, "node {}", node);
        }
        let make = |probe| of_record(&resolved, parts.clone(), probe).0;
        let most = lived.nodes.iter().map(|(cycle, _)| u64::from(cycle.get())).max().unwrap_or(0);
        let end = (2 * most + 10).min(3000);
        wander(make, (end, 1), 1 << 20, &moves)?;
        let mut timeline = Timeline::new(make(first_probe()), usize::MAX, 1);
        let (happened, _) = timeline.copy_at(0, Wanted::EVENTS).advance(1 << 40);
        if !resolved.router.facts().words_travel_alone {
            heads_follow_links(&resolved, &happened)?;
        }
    }
}

/// A worm of 30 words is in all six nodes of a line at once. Wherever its rear is, it has crossed or is about to cross as
/// many links as nodes have decided to send its head over one: all nodes but the last, which delivers it.
#[test]
fn a_worm_in_causal_time_has_the_hops_of_its_head() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [6]\n[router.wormhole]\n[traffic]\nprocess = \"once\"\n\
                pattern = \"many-to-one\"\ndestination = 5\nsources = [0]\npacket_words = 30\n";
    let resolved = flitwork_config::resolve(text, "text", Path::new(""), &[]).unwrap();
    let (_, parts) = recorded(&resolved, &options(Runtime::Threads, Some(0), 2, 4));
    let whole = of_record(&resolved, parts.clone(), first_probe()).0;
    let mut timeline = Timeline::new(whole, usize::MAX, 1);
    let (happened, _) = timeline.copy_at(0, Wanted::EVENTS).advance(1 << 40);
    let is_decision = |it: &&Happening| matches!(it.what, What::Event(Event::Moved { .. }));
    let decisions = happened.iter().filter(is_decision);
    let sends: Vec<u64> = decisions
        .filter(|it| it.node != NodeId(5))
        .map(|it| it.time)
        .collect();
    assert_eq!(sends.len(), 5);
    assert!(sends.is_sorted());
    let (mut replay, _) = of_record(&resolved, parts, AnyProbe::new(()));
    for now in sends[0] + 1..sends[4] + 5 {
        replay.advance(now);
        let hops: Vec<u16> = replay.packets().iter().map(|it| it.hops).collect();
        let sent = sends.iter().filter(|at| **at < now).count();
        assert_eq!(hops, [sent as u16], "before {now}, sent in {sends:?}");
    }
}

/// However densely copies are kept on the way, it is asked now and then whether to go on.
#[test]
fn a_long_way_can_be_given_up_between_its_copies() {
    let long = [Override::by_assignment(
        "--set",
        "run.measure_cycles",
        "1000000",
    )];
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/chaos-mesh.toml");
    let resolved = flitwork_config::load(&config, &long).unwrap();
    let demand = demand(&resolved);
    let simulation = start(&resolved, Use::Events, demand, first_probe());
    let mut timeline = Timeline::new(simulation, usize::MAX, 1);
    let mut asked = 0;
    let mut go_on = || {
        asked += 1;
        asked < 3
    };
    // Copies are kept every 256 cycles.
    assert!(timeline.go_while(400_000, &mut go_on).is_err());
    assert!(timeline.now() < 100_000, "{}", timeline.now());
}
