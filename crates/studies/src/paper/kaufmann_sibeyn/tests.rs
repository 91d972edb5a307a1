//! The rows, by hand and by what the paper promises.

use super::row::{self, Routed, Row};
use super::{KaufmannSibeyn, as_far, run};
use crate::context::Failed;
use crate::context::tests::Silent;
use crate::contract::{Ran, Study};
use clap::{Args, Command, FromArgMatches};
use flitwork_steps::multi_packet::{CutPhase, Phases};

/// The study that such a command line asks for.
fn study(options: &str) -> KaufmannSibeyn {
    let command =
        KaufmannSibeyn::augment_args(Command::new("x")).mut_args(|it| match it.get_action() {
            clap::ArgAction::Append => it.value_delimiter(','),
            _ => it,
        });
    let words = std::iter::once("x").chain(options.split_whitespace());
    let matches = command.get_matches_from(words);
    KaufmannSibeyn::from_arg_matches(&matches).unwrap()
}

fn runs(options: &str) -> Vec<Routed> {
    let ran = study(options).run(&mut Silent::new(u32::MAX)).unwrap();
    let Ran::Whole(rows) = ran else {
        panic!("{options} was stopped")
    };
    rows.iter().filter_map(Row::run).cloned().collect()
}

fn refused(options: &str) -> String {
    let words = options.split_whitespace();
    let given: Vec<String> = words
        .filter_map(|it| it.strip_prefix("--").map(str::to_owned))
        .collect();
    let study = study(options);
    let read = study.refuse_unread(&given);
    match read.and_then(|()| study.run(&mut Silent::new(u32::MAX))) {
        Err(Failed::BadInput(why)) => why,
        other => panic!("{options}: {other:?}"),
    }
}

/// The greatest excess of runs.
fn excess(options: &str) -> f64 {
    let runs = runs(options);
    assert!(!runs.is_empty());
    runs.iter()
        .filter_map(Routed::excess)
        .fold(f64::MIN, f64::max)
}

const SMALL: &str = "--n 32 --k 8,16 --seeds 2 --jobs 1";

#[test]
fn excess_stays_below_what_was_found() {
    let of = |more: &str| excess(&format!("{SMALL} {more}"));
    assert!(of("--algorithm nowrap --topology mesh --phases barrier") <= 2.5);
    assert!(of("--algorithm wrap --phases barrier") <= 2.8);
    assert!(of("--algorithm nowrap --topology mesh --phases coalesced") <= 1.6);
    assert!(of("--algorithm wrap --phases coalesced") <= 1.6);
    assert!(of("--algorithm level --topology mesh --phases barrier") <= 1.7);
    assert!(
        of("--algorithm local --topology torus --workload shift --l 8 --phases barrier") <= 4.0
    );
    assert!(
        of("--algorithm local --topology mesh --workload blocks --l 8 --phases barrier") <= 4.0
    );
    assert!(of("--algorithm nowrap --topology mesh --worms --phases barrier") <= 2.5);
    assert!(of("--algorithm wrap --topology torus --worms --phases coalesced") <= 1.5);
}

/// What section 2 and the theorems promise of each of these runs.
fn keep_promises(options: &str, (barrier, coalesced): (f64, f64)) {
    for run in runs(options) {
        let most = match run.case.manner.phases {
            Phases::Barrier => barrier,
            Phases::Coalesced => coalesced,
        };
        let excess = run.excess().unwrap();
        assert!(excess <= most, "{}: {excess}", run.case);
        let least = run.bounds.most();
        assert!(u64::from(run.travelled.steps) >= least, "{}", run.case);
    }
}

#[test]
fn steps_come_closer_to_the_leading_term_as_meshes_grow() {
    let over = |n: u32, more: &str| {
        let runs = runs(&format!("--n {n} --k 8 --seeds 2 --jobs 1 {more}"));
        let over = runs
            .iter()
            .map(|run| f64::from(run.travelled.steps) / run.promises.leading.unwrap());
        over.sum::<f64>() / runs.len() as f64
    };
    for algorithm in [
        "nowrap --topology mesh",
        "wrap --topology mesh",
        "wrap --topology torus",
    ] {
        for phases in ["barrier", "coalesced"] {
            let more = format!("--algorithm {algorithm} --phases {phases}");
            let (small, large) = (over(8, &more), over(32, &more));
            assert!(large < 0.95 * small, "{more}: {small} {large}");
        }
    }
}

#[test]
#[ignore = "half an hour: all rows of n = 64 and 128"]
fn large_meshes_keep_what_was_found() {
    let sizes = "--n 64,128 --k 8,32 --seeds 3";
    keep_promises(
        &format!("--algorithm nowrap --topology mesh {sizes}"),
        (2.5, 1.6),
    );
    keep_promises(&format!("--algorithm wrap {sizes}"), (2.8, 1.6));
    keep_promises(
        &format!("--algorithm level --topology mesh {sizes}"),
        (1.7, 1.7),
    );
    for l in [8, 16] {
        keep_promises(
            &format!("--algorithm local --topology torus --workload shift --l {l} {sizes}"),
            (4.0, 4.0),
        );
    }
    keep_promises(
        &format!("--algorithm nowrap --topology mesh --worms {sizes}"),
        (2.5, 1.5),
    );
    keep_promises(
        &format!("--algorithm wrap --topology torus --worms {sizes}"),
        (2.5, 1.5),
    );
}

#[test]
fn cuts_are_shown_of_passes_in_the_middle_by_their_ways() {
    let options = "--algorithm level --topology mesh --n 8 --k 8 --workload k-pr --seeds 1 --phases barrier --cuts --jobs 1";
    let mut run = runs(options).remove(0);
    let cut = |phase, grows, packets| CutPhase {
        phase,
        strip: 0,
        links: 1,
        grows,
        packets,
    };
    run.cuts = vec![cut(1, true, 10), cut(3, true, 40), cut(5, false, 10)];
    let rows = [Row::Run(Box::new(run))];
    let text = row::cuts_text(&rows, true);
    assert!(
        text.contains("a strip's cut of 1 links passes 40.0 packets"),
        "{text}"
    );
    assert_eq!(row::cuts_text(&rows, false), "");
    let table = serde_json::to_value(row::cuts(&rows)).unwrap();
    let ways = [0, 1, 2].map(|it| table[it]["direction"].as_str().unwrap().to_owned());
    assert_eq!(ways, ["east", "east", "west"]);
}

#[test]
fn many_packets_are_spread_while_the_locality_is_learnt() {
    // 64 and 65 packets in each of 64 nodes, 3 links away along either axis: 8n/k is 1, and below 1.
    for k in [64u64, 65] {
        let options = format!(
            "--algorithm no-l --topology torus --n 8 --k {k} --workload shift --l 3 --seeds 1 --phases barrier --jobs 1"
        );
        let run = runs(&options).remove(0);
        let least = k * 64 * 6;
        // A third is spread upwards, a third downwards, and both have a link more or less to go.
        assert!(
            run.travelled.moves > least + least / 12,
            "{} for {least}",
            run.travelled.moves
        );
        assert!(run.travelled.phase_steps[0] > 10);
    }
}

#[test]
fn a_line_of_many_packets_is_a_row_or_a_column_at_a_barrier() {
    let line = |options: &str| {
        runs(&format!("--k 4 --seeds 1 --jobs 1 {options}"))
            .remove(0)
            .fullest_line
    };
    let of = |d: u32, phases: &str| {
        line(&format!(
            "--algorithm nowrap --topology mesh --n 6 --d {d} --phases {phases}"
        ))
    };
    assert!(of(2, "barrier").is_some_and(|it| it >= 4.0));
    assert_eq!(
        [of(2, "coalesced"), of(1, "barrier"), of(3, "barrier")],
        [None; 3]
    );
    // The first phase of no-l ends by a barrier in any case.
    assert!(line("--algorithm no-l --topology torus --n 8 --phases coalesced").is_some());
}

#[test]
fn a_narrow_strip_is_not_among_the_cuts_that_are_shown() {
    let options = "--algorithm level --topology mesh --n 17 --k 4 --epsilon 4 --workload k-pr --seeds 1 --phases barrier --cuts --jobs 1";
    let study = study(options);
    let Ran::Whole(rows) = study.run(&mut Silent::new(u32::MAX)).unwrap() else {
        panic!("nobody stopped it")
    };
    let text = study.text(&rows);
    // Four strips of 4 rows, and one of a row: k/2 packets of a level, of both colours, 4 * 8 cross each way: 64 on average.
    let cut = text
        .split("a strip's cut of 4 links passes ")
        .nth(1)
        .unwrap();
    let packets: f64 = cut.split(' ').next().unwrap().parse().unwrap();
    assert!((56.0..72.0).contains(&packets), "{text}");
}

#[test]
fn phases_are_those_of_the_lemmas() {
    for run in runs("--n 12,16 --k 4 --d 1,2 --seeds 1 --phases barrier --jobs 1") {
        let lemmas = run.phase_lemmas.expect("farthest-first with barriers");
        let steps = run.travelled.phase_steps.iter().map(|it| u64::from(*it));
        assert!(steps.eq(lemmas), "{}", run.case);
    }
    let none = runs("--n 12 --k 4 --seeds 1 --phases coalesced --jobs 1");
    assert!(none.iter().all(|it| it.phase_lemmas.is_none()));
}

#[test]
fn ties_that_split_both_ways_halve_a_phase() {
    let steps = |workload: &str| {
        let options = format!(
            "--algorithm nowrap --topology torus --n 32 --k 32 --seeds 1 --phases barrier --jobs 1 {workload}"
        );
        let run = runs(&options).remove(0);
        (run.excess().unwrap(), run.travelled.phase_steps[1])
    };
    let (of_half, middle) = steps("--workload k-ls");
    assert!(of_half < 0.0, "below the leading term");
    // All of a row's packets of a colour go 15 links one way: 16 a node, 240 over each link.
    let (one_less, whole) = steps("--workload shift --l 15");
    assert!(
        one_less > 0.0 && whole >= 240 && middle < 200,
        "{whole} {middle}"
    );
}

#[test]
fn on_average_less_is_promised() {
    let options =
        "--n 32 --k 32 --workload random --seeds 1 --phases barrier --topology mesh --jobs 1";
    for (more, average) in [
        ("--algorithm nowrap", 384.0),
        ("--algorithm wrap", 512.0),
        ("--algorithm nowrap --without-randomising", 256.0),
    ] {
        let run = runs(&format!("{options} {more}")).remove(0);
        assert_eq!(run.promises.average, Some(average), "{more}");
        let over = f64::from(run.travelled.steps) - average;
        assert!(over / run.promises.excess_unit <= 2.5, "{more}");
    }
}

#[test]
fn own_strips_fill_a_row_and_learnt_ones_do_not() {
    let steps = |strips: &str, l: u32| {
        let options = format!(
            "--algorithm no-l --topology torus --n 64 --k 16 --workload figure-6 --l {l} --strips {strips} --seeds 1 --phases barrier --jobs 1"
        );
        runs(&options).remove(0)
    };
    // Of the half that is spread along columns by its own move, row r gets 1 + Σ 2/(2δ + 1) times what it had, δ = 1 … L/2: with
    // k = 16, 8 (1 + that). The other half stays in its row.
    for l in [4, 8, 16, 32] {
        let sum: f64 = (1..=l / 2).map(|it| 2.0 / f64::from(2 * it + 1)).sum();
        let (own, learnt) = (
            steps("own", l).fullest_line.unwrap(),
            steps("learnt", l).fullest_line.unwrap(),
        );
        let expected = 16.0 + 8.0 * sum;
        assert!(
            (own / expected - 1.0).abs() < 0.1,
            "{own} for {expected}, L = {l}"
        );
        assert!(learnt < 18.0, "{learnt}, L = {l}");
    }
    let own = steps("own", 32);
    let learnt = steps("learnt", 32);
    assert_eq!(
        (
            own.travelled.information_max,
            own.travelled.phase_steps.len()
        ),
        (None, 3)
    );
    assert!(learnt.travelled.information_max.is_some());
}

#[test]
fn lemmas_hold() {
    let study = study("--lemmas --instances 300 --jobs 1");
    let Ran::Whole(rows) = study.run(&mut Silent::new(u32::MAX)).unwrap() else {
        panic!("stopped")
    };
    let lemmas: Vec<_> = rows
        .iter()
        .filter_map(|it| match it {
            Row::Lemma(lemma) => Some(lemma),
            Row::Run(_) => None,
        })
        .collect();
    assert_eq!(lemmas.len(), 16);
    for lemma in lemmas {
        assert_eq!(lemma.more, 0, "{lemma:?}");
        assert_eq!(lemma.equal + lemma.fewer, lemma.instances);
        assert!(lemma.equal > 0, "{lemma:?}");
        if [2, 7].contains(&lemma.lemma) {
            assert_eq!(lemma.equal, lemma.instances, "{lemma:?}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (options, says) in [
        (
            "--algorithm level --k 7",
            "--k: level on a mesh of side 32, k-ls: a node sends 7 packets",
        ),
        (
            "--n 33",
            "--n: k-ls leads n/2 nodes on, and the side is 33; allowed: even sides",
        ),
        (
            "--algorithm level-superior --epsilon 6 --n 32",
            "--epsilon: level-superior on a mesh of side 32, k-ls: epsilon is 6; allowed: 1 to 5 nodes, n/6",
        ),
        (
            "--algorithm local --topology mesh --workload k-pr",
            "--workload: local on a mesh of side 32, k-pr: a packet goes 31 nodes along an axis; allowed: problems whose packets go at most n/2 = 16 nodes along an axis, such as blocks",
        ),
        (
            "--algorithm local --topology mesh --workload shift --n 16 --l 4",
            "--workload: local on a mesh of side 16, shift with L = 4 (--l; n/8 unless given): a packet goes 12 nodes along an axis; allowed: problems whose packets go at most n/2 = 8",
        ),
        (
            "--workload blocks --n 100",
            "--workload: blocks with L = 12 (--l; n/8 unless given): ",
        ),
        (
            "--algorithm no-l --topology mesh",
            "--topology: no-l on a mesh of side 32, k-ls: a mesh; allowed: a torus",
        ),
        (
            "--algorithm level --topology mesh --worms",
            "--worms: level on a mesh of side 32",
        ),
        (
            "--algorithm level --d 3 --n 4",
            "--d: level on a mesh of side 4, k-ls: sides [4, 4, 4]; allowed: two equal sides",
        ),
        (
            "--algorithm level-improved --epsilon 2 --n 32 --k 8",
            "--k: level-improved on a mesh of side 32, k-ls: a node sends 8 packets; allowed: at least 4n/ε = 64 packets a node, with ε = 2",
        ),
        (
            "--lemmas --worms",
            "--worms: the lemmas don't read it; allowed: with --lemmas",
        ),
        (
            "--instances 5",
            "--instances: only the lemmas read it; allowed: with --lemmas",
        ),
        ("--strips learnt", "--strips: none of nowrap, wrap reads it"),
        ("--epsilon 3", "--epsilon: none of nowrap, wrap reads it"),
        ("--l 3", "--l: no workload has a locality"),
        ("--smear", "--smear: packets are spread where"),
        (
            "--without-randomising --algorithm wrap",
            "--without-randomising: none of wrap reads it",
        ),
        ("--strips own", "--strips: none of nowrap, wrap reads it"),
        ("--d 7 --n 32", "--n: "),
    ] {
        let why = refused(options);
        assert!(why.starts_with(says), "{options}: {why}");
    }
}

#[test]
fn who_stops_it_gets_the_rows_that_are_done() {
    let cases = study("--algorithm nowrap --n 8 --k 2 --seeds 1 --jobs 1")
        .cases()
        .unwrap();
    // Asked before its first step, and then after every sixteenth: a run that stops is no row.
    assert!(run::run(&cases[0], &mut |_| false).is_none());
    let done = run::run(&cases[0], &mut |_| true).unwrap().unwrap();
    assert_eq!(done.travelled.undelivered, 0);
    assert!(matches!(as_far(false, Vec::new()), Ran::Nothing));
    assert!(matches!(as_far(true, Vec::new()), Ran::Whole(rows) if rows.is_empty()));
    assert!(matches!(as_far(false, vec![done.clone()]), Ran::AsFar(rows) if rows.len() == 1));
    assert!(matches!(as_far(true, vec![done]), Ran::Whole(rows) if rows.len() == 1));
}

#[test]
fn what_is_run_can_be_read_back() {
    let study = study(
        "--algorithm nowrap,level,no-l --topology torus --n 8 --k 4 --workload random,k-ls,figure-6 --l 2 --seeds 1 --jobs 1",
    );
    let catalogue = flitwork_config::Catalogue::default();
    let configurations = study.configurations(&catalogue);
    assert_eq!(configurations.len(), 3 * 3 * 2);
    for (name, text) in configurations {
        assert!(
            text.contains("[rule.") && text.contains("[traffic]"),
            "{name}"
        );
    }
}
