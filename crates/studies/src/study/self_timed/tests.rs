use super::costs::{Counts, Gating, Kind};
use super::pairs::pairs;
use super::place::Period;
use super::run::{Measured, Run};
use super::*;
use crate::context;
use crate::context::tests::Silent;
use crate::seen::Served;
use clap::{Command, FromArgMatches};
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use std::ops::ControlFlow;

fn study(options: &str) -> SelfTimed {
    let command = SelfTimed::augment_args(Command::new("x"));
    let command = command.mut_args(|it| match it.get_action() {
        clap::ArgAction::Append => it.value_delimiter(','),
        _ => it,
    });
    // Of an option that is given twice the last value counts.
    let words: Vec<&str> = options.split_whitespace().collect();
    let mut given: Vec<&[&str]> = Vec::new();
    for option in words.chunks(2) {
        given.retain(|other| other[0] != option[0]);
        given.push(option);
    }
    let words = std::iter::once("x").chain(given.concat());
    SelfTimed::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

const SMALL: &str = "--routers chaos,deflection --topologies mesh --side 4 --spreads 0,20 --corners -20,30 --low-load 0.05 \
                     --seeds 2 --time 2000 --jobs 2";

fn rows(asked: &SelfTimed) -> Vec<SelfTimedRow> {
    match asked.run(&mut Silent::new(u32::MAX)) {
        Ok(Ran::Whole(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// The clocks of a design with two seeds.
fn periods(options: &str, design: &str) -> Vec<[Period; 2]> {
    let asked = study(&format!(
        "--routers chaos --topologies mesh --side 4 --designs {design} {options}"
    ));
    let places = places(&asked).unwrap();
    let of = |place: &Place, seed| {
        let period = place.period(&asked, &Catalogue::default(), seed);
        period.unwrap().unwrap()
    };
    let both = |place| [of(place, 1), of(place, 2)];
    places.iter().map(both).collect()
}

/// 1000 ps, 30 % slower, and that 20 % slower: 1300 and 1560 ps, whatever the seed. A link of 4 * 250 ps takes 1300 ps there, one
/// cycle; one of 9 * 325 ps takes 2925, three.
#[test]
fn the_clock_covers_the_slowest_node_of_the_slowest_corner() {
    let found = periods("--lengths 1,4 --spreads 0,20 --corners -20,30", "clocked");
    let ps: Vec<u64> = found.iter().flatten().map(|it| it.ps).collect();
    assert_eq!(ps, [1300, 1300, 1560, 1560, 1300, 1300, 1560, 1560]);
    assert!(found.iter().flatten().all(|it| it.link_cycles == 1));
    let [long, _] = periods("--lengths 9 --spreads 0 --corners -20,30", "clocked")[0];
    assert_eq!((long.ps, long.link_cycles), (1300, 3));
    // Faster corners alone don't make it faster than typical.
    let [typical, _] = periods("--spreads 0 --corners -20", "clocked")[0];
    assert_eq!(typical.ps, 1000);
}

/// Without a spread a chip's slowest step is 1000 ps in its corner: 800 and 1300 ps, and a tenth more with a margin of 10 %. With
/// one each chip has a slowest node of its own, slower than typical and within 20 %. Of 16 nodes the slowest lies
/// 20 % * 15 / 17 above on average. A link of nine segments takes 9 * 200 ps where all is 20 % faster: three cycles of 800 ps.
#[test]
fn a_binned_clock_covers_the_slowest_node_of_its_own_chip() {
    let found = periods("--lengths 1 --spreads 0 --corners -20,30", "binned");
    assert_eq!(
        found
            .iter()
            .map(|it| it.map(|it| it.ps))
            .collect::<Vec<_>>(),
        [[800; 2], [1300; 2]]
    );
    let [with_margin, _] = periods(
        "--lengths 1 --spreads 0 --corners -20 --margin 10",
        "binned",
    )[0];
    assert_eq!(with_margin.ps, 880);
    let [one, other] = periods("--lengths 1 --spreads 20 --corners 0", "binned")[0];
    assert!(one != other, "{one:?}");
    assert!(
        [one, other].iter().all(|it| (1100..1200).contains(&it.ps)),
        "{one:?} {other:?}"
    );
    let [long, _] = periods("--lengths 9 --spreads 0 --corners -20", "binned")[0];
    assert_eq!((long.ps, long.link_cycles), (800, 3));
}

/// Ten words, unless they are told to have more: only the wormhole router has such buffers.
#[test]
fn buffers_hold_what_is_asked_for() {
    let of = |options: &str| {
        let asked = study(&format!(
            "--topologies mesh --lengths 1 --spreads 0 {options}"
        ));
        asked.configurations(&Catalogue::default())
    };
    for (options, words) in [("", 10), ("--buffer-words 40", 40)] {
        let all = of(&format!("--routers wormhole {options}"));
        let line = format!("buffer_words = {words}\n");
        assert!(
            !all.is_empty() && all.values().all(|text| text.contains(&line)),
            "{all:?}"
        );
    }
    assert!(
        of("--routers chaos")
            .values()
            .all(|text| !text.contains("buffer_words"))
    );
}

/// Nine segments have eight latches between them, and three cycles two registers.
#[test]
fn links_have_registers_between_segments_or_cycles() {
    let asked =
        study("--routers chaos --topologies mesh --lengths 9 --spreads 0 --designs self-timed");
    let place = places(&asked).unwrap().remove(0);
    let period = Period {
        ps: 800,
        link_cycles: 3,
    };
    assert_eq!(place.registers(None), 8);
    assert_eq!(place.registers(Some(period)), 2);
}

/// The middle of 600 and 1000 ps, 30 % slower; a step that is always as long is its own mean.
#[test]
fn an_average_clock_has_the_mean_step() {
    let [mean, _] = periods("--lengths 1 --spreads 20 --corners 30", "average")[0];
    assert_eq!(mean.ps, 1040);
    let [fixed, _] = periods(
        "--lengths 1 --spreads 20 --corners 30 --step 1000",
        "average",
    )[0];
    assert_eq!(fixed.ps, 1300);
}

/// Prices of powers of ten, so that each digit of a sum is a count.
fn digits() -> Costs {
    Costs {
        clock_pj: 11.0,
        trunk_pj: 1.0,
        transition_pj: 1e2,
        write_pj: 1e3,
        read_pj: 1e4,
        crossbar_pj: 1e5,
        decision_pj: 1e6,
        wire_pj: 1e7,
        register_pj: 1e8,
    }
}

/// Per word, with one delivered: 9 ticks, of which 4 are idle and 2 at work; a step opens what 10 of a tick's 11 pJ open. A word
/// over three segments with one register between them.
#[test]
fn energy_is_the_sum_of_what_happened_by_its_prices() {
    let clocked = Counts {
        words: 1,
        ticks: 9,
        idle_ticks: 4,
        steps: 2,
        transitions: 0,
        writes: 2,
        reads: 3,
        crossings: 4,
        decisions: 5,
        link_words: 1,
    };
    let spent = |counts: &Counts, gating| digits().spent(counts, gating, (3, 1)).unwrap();
    let free = spent(&clocked, Gating::None);
    assert_eq!((free.clock, free.steps, free.handshake), (99.0, 0.0, 0.0));
    assert_eq!(free.datapath, 135_432_000.0);
    assert_eq!(free.total(), 135_432_099.0);
    assert_eq!(spent(&clocked, Gating::Cycles).clock, 9.0 + 20.0);
    assert_eq!(spent(&clocked, Gating::IdleNodes).clock, 9.0 + 50.0);
    let self_timed = Counts {
        ticks: 0,
        idle_ticks: 0,
        transitions: 6,
        ..clocked
    };
    let own = spent(&self_timed, Gating::None);
    assert_eq!((own.clock, own.steps, own.handshake), (0.0, 20.0, 600.0));
    assert_eq!(own.timing(), 620.0);
    // Half as much per word.
    let two = Counts {
        words: 2,
        ..self_timed
    };
    assert_eq!(spent(&two, Gating::None).timing(), 310.0);
    let none = Counts { words: 0, ..two };
    assert_eq!(digits().spent(&none, Gating::None, (1, 0)), None);
}

#[test]
fn prices_are_varied_by_kind() {
    let twice = |kind| digits().with(kind, 2.0);
    let clock = twice(Kind::Clock);
    assert_eq!((clock.trunk_pj, clock.step_pj()), (2.0, 20.0));
    let trunk = twice(Kind::Trunk);
    assert_eq!((trunk.trunk_pj, trunk.step_pj()), (2.0, 10.0));
    assert_eq!(twice(Kind::Handshake).transition_pj, 200.0);
    assert_eq!(twice(Kind::Registers).link_pj(3, 1), 2.3e8);
    let datapath = twice(Kind::Datapath);
    assert_eq!(datapath.link_pj(3, 1), 1.6e8);
    assert_eq!((datapath.write_pj, datapath.decision_pj), (2e3, 2e6));
    assert_eq!(datapath.clock_pj, 11.0);
}

/// What DSENT 0.9 prints, in pJ, for the router and the link that `costs.rs` names: a bit over 1 mm takes 0.040362 with random data, of
/// which a quarter of the cycles have the wire go up.
#[test]
fn prices_follow_from_their_source() {
    let costs = study("").costs;
    let (up, pins) = (4.0 * 0.040362, 64.0 * 0.00311945);
    let (inputs, outputs) = (64.0 * 0.00136701, 64.0 * 0.00627901);
    let expected = [
        (costs.wire_pj, 2.58317),
        (costs.transition_pj, up / 2.0),
        (costs.trunk_pj, up),
        (costs.clock_pj, up + 0.567952 + 15.0 * pins),
        (costs.write_pj, 3.86312 + inputs + outputs),
        (costs.read_pj, 4.53099 - pins),
        (costs.crossbar_pj, 1.07367 - pins),
        (costs.decision_pj, 0.0814981 + 0.13333),
        (costs.register_pj, inputs + outputs + pins),
    ];
    for (price, source) in expected {
        assert!((price - source).abs() < 1e-3, "{price} {source}");
    }
}

/// The energy that a run reports by the prices in its configuration is that of the row.
#[test]
fn configurations_have_the_prices_of_their_rows() {
    let asked = study(&format!(
        "{SMALL} --routers chaos --spreads 0 --corners 30 --lengths 1,9 --seeds 1"
    ));
    for row in rows(&asked) {
        for load in Load::BOTH {
            let at = (1, load);
            let resolved = row
                .place
                .resolve(&asked, &Catalogue::default(), at, &[])
                .unwrap();
            let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
            let results = Results::new(&resolved, &simulated);
            let joules = results.energy.as_ref().unwrap().joules.as_ref().unwrap();
            let joules = joules.per_delivered_word.unwrap();
            let counts = Counts::of(&results).unwrap();
            let link = (row.place.length, row.runs[0].registers);
            let gating = row.place.design.gating();
            let spent = asked.costs.spent(&counts, gating, link).unwrap().total();
            assert!(
                near(joules * 1e12, spent),
                "{} {joules} {spent}",
                row.place.name()
            );
        }
    }
}

/// A row of runs that accepted this much and, where they were steady, had these latencies.
fn row(design: &str, accepted: [f64; 3], latency: [Option<f64>; 3]) -> SelfTimedRow {
    let asked = study(&format!(
        "--routers chaos --topologies mesh --lengths 1 --spreads 0 --corners 0 --designs {design}"
    ));
    let place = places(&asked).unwrap().remove(0);
    let counts = Counts {
        words: 1,
        steps: 1,
        ..Counts::default()
    };
    let run = |at: usize| {
        let measured = |latency| Measured {
            latency,
            accepted: accepted[at],
            counts,
            served: Served::default(),
        };
        Run {
            seed: at as u64 + 1,
            period_ps: None,
            registers: 0,
            low: measured(latency[at]),
            most: measured(None),
        }
    };
    SelfTimedRow::new(place, asked.costs, (0..3).map(run).collect())
}

/// 1 / 2, 2 / 1 and 3 / 2 are 4/3 on average, and a clock that is a quarter faster evens that out; the ratio of means would be 6 / 5.
/// The squares of deviations sum up to 7/6, so that half of the interval is 4.30265 * sqrt(7/6 / 2 / 3) = 1.8973. Latencies of one seed
/// of three are none.
#[test]
fn pairs_are_ratios_seed_by_seed() {
    let some = [Some(3.0), None, Some(1.0)];
    let own = row("self-timed", [1.0, 2.0, 3.0], some);
    let all = [row("binned", [2.0, 1.0, 2.0], [None, None, Some(2.0)]), own];
    let found = pairs(&all);
    let [pair] = found[..] else {
        panic!("{found:?}")
    };
    let accepted = pair.accepted().unwrap();
    assert!(near(accepted.mean, 4.0 / 3.0), "{accepted}");
    assert!(
        (accepted.half_width.unwrap() - 1.8973).abs() < 1e-4,
        "{accepted}"
    );
    assert!(near(pair.break_even_margin().unwrap(), -25.0));
    assert!(pair.latency().is_none());
    let all = [row("clocked", [2.0, 1.0, 2.0], some), all[1].clone()];
    let found = pairs(&all);
    assert_eq!(found[0].latency().unwrap().mean, 1.0);
    assert_eq!(found[0].break_even_margin(), None);
}

/// In a faster corner everything is faster, and a word costs as many transitions; a clock without gates costs more per word the less
/// there is to do, and one with gates never costs more.
#[test]
fn corners_scale_time_and_not_transitions() {
    let asked = study(&format!("{SMALL} --lengths 1,4"));
    let rows = rows(&asked);
    // Clocked in all corners, with gates and without; binned so in two each; self-timed in two.
    for rows in rows.chunks(8) {
        let [clocked, gated, .., fast, slow] = rows else {
            panic!()
        };
        let mean = |row: &SelfTimedRow| row.latency().unwrap().mean;
        // All delays are 0.8 and 1.3 times the typical ones, but for the instants at which packets are made.
        let ratio = mean(slow) / mean(fast) / (1.3 / 0.8);
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        assert!(fast.accepted().mean > slow.accepted().mean);
        let handshake = |row: &SelfTimedRow| row.energy(Load::Low, |it| it.handshake).unwrap().mean;
        assert!((handshake(fast) / handshake(slow) - 1.0).abs() < 0.1);
        // 16 nodes tick once per period and 0.05 * 16 words come per ns.
        let clock = |row: &SelfTimedRow, load| row.energy(load, |it| it.clock).unwrap().mean;
        let expected = asked.costs.clock_pj / (clocked.period_ps().unwrap() / 1000.0) / 0.05;
        let found = clock(clocked, Load::Low);
        assert!((found / expected - 1.0).abs() < 0.15, "{found} {expected}");
        assert!(clock(clocked, Load::Most) < found);
        assert!(
            Load::BOTH
                .iter()
                .all(|load| clock(gated, *load) <= clock(clocked, *load))
        );
        assert!(clock(gated, Load::Low) < 0.5 * found);
        assert_eq!(gated.runs, clocked.runs);
    }
}

/// In the slowest corner, without a spread, the chip's own clock is the clock of all chips.
#[test]
fn a_binned_clock_in_the_slowest_corner_is_the_clock() {
    let asked = study(&format!(
        "{SMALL} --spreads 0 --lengths 4 --designs clocked,binned"
    ));
    for rows in rows(&asked).chunks(3) {
        let [clocked, fast, slow] = rows else {
            panic!()
        };
        assert_eq!(clocked.runs, slow.runs);
        // Overloaded, as many words come in each cycle.
        let ratio = fast.accepted().mean / slow.accepted().mean;
        assert!((ratio / (1.3 / 0.8) - 1.0).abs() < 0.05, "{ratio}");
    }
}

#[test]
fn seeds_begin_where_they_are_told_to() {
    let options =
        format!("{SMALL} --routers chaos --spreads 20 --lengths 1 --corners 0 --time 400");
    let all = rows(&study(&options));
    let later = rows(&study(&format!("{options} --first-seed 2 --seeds 1")));
    for (both, one) in all.iter().zip(&later) {
        assert_eq!(
            both.runs.iter().map(|run| run.seed).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(both.runs[1..], one.runs);
    }
}

#[test]
fn wrong_values_are_refused_by_their_options() {
    let wrong = |options: &str, option: &str| {
        let error = study(options).run(&mut Silent::new(u32::MAX)).unwrap_err();
        let error = format!("{error:?}");
        assert!(error.contains(option), "{error}");
    };
    wrong("--routers bless", "--routers");
    wrong("--topologies ring", "--topologies");
    wrong("--step 600,700,800", "--step");
    wrong("--step 600,500", "--step");
    wrong("--protocol one-phase", "--protocol");
    wrong("--clock-pj 1 --trunk-pj 2", "--trunk-pj");
}

#[test]
fn options_that_nothing_reads_are_refused() {
    let cases = [
        ("margin", "--margin 3", "clocked,self-timed"),
        ("trunk-pj", "--trunk-pj 0.2", "clocked,binned"),
        ("transition-pj", "--transition-pj 1", "clocked,binned-gated"),
        ("protocol", "--protocol four-phase", "binned"),
    ];
    let given = ["buffer-words".to_owned()];
    let asked = study("--routers chaos,deflection --buffer-words 3");
    assert!(asked.refuse_unread(&given).is_err());
    assert!(study("--buffer-words 3").refuse_unread(&given).is_ok());
    for (option, options, designs) in cases {
        let given = [option.to_owned()];
        let asked = study(&format!("{options} --designs {designs}"));
        let error = format!("{:?}", asked.refuse_unread(&given).unwrap_err());
        assert!(
            error.contains(option) && error.contains("allowed"),
            "{error}"
        );
        assert!(study(options).refuse_unread(&given).is_ok());
        assert!(asked.refuse_unread(&[]).is_ok());
    }
}

#[test]
fn each_network_has_its_figures() {
    let asked = study(&format!("{SMALL} --routers chaos --lengths 1 --time 400"));
    let rows = rows(&asked);
    let figures = Study::figures(&asked, &rows);
    let names: Vec<&str> = figures.iter().map(|figure| &*figure.0).collect();
    let expected =
        ["accepted", "latency", "energy"].map(|name| format!("self-timed-chaos-mesh-1-{name}.svg"));
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| asked.owns(name)));
    let text = asked.text(&rows);
    for shown in [
        "chaos, mesh, links of 1 segment",
        "self-timed against",
        "binned-gated",
    ] {
        assert!(text.contains(shown), "{text}");
    }
}

mod against;
mod set;
