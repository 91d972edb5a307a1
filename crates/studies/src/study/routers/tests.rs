use super::*;
use crate::context::tests::{self, Silent};
use crate::contract::{Ran, Study};
use flitwork_config::Catalogue;
use flitwork_report::Table;
use serde_json::Value;

fn asked(line: &str) -> Routers {
    tests::asked(&ENTRY, line)
}

/// What a router may be built as: label, words and cycles of a hop.
fn choices(line: &str) -> Vec<(String, Option<u32>, Option<u32>)> {
    let entrants = asked(line)
        .entrants()
        .unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(entrants.len(), 1);
    let all = entrants.into_iter().flat_map(|it| it.choices);
    all.map(|it| (it.label, it.buffer_words, it.hop_cycles))
        .collect()
}

fn starts(all: &[(String, Option<u32>, Option<u32>)], end: &str) -> Vec<(String, u32)> {
    let of = all
        .iter()
        .filter_map(|(label, words, _)| Some((label.strip_suffix(end)?.to_owned(), (*words)?)));
    of.collect()
}

/// 400 words are 20 packets of 20: four input and four output frames, two at the processor, and ten that the multiqueue may have. 220 words
/// leave it one, and 219 none.
#[test]
fn what_chaos_may_have_of_a_budget() {
    let of = |budget: u32| {
        let line = format!("--routers chaos --hop-cycles 4 --budget {budget}");
        starts(&choices(&line), " frames, threshold 7")
    };
    assert_eq!(
        of(400),
        [("3".into(), 260), ("5".into(), 300), ("10".into(), 400)]
    );
    assert_eq!(of(220), [("1".into(), 220)]);
    let Err(Failed::BadInput(why)) = asked("--routers chaos --budget 219").entrants() else {
        panic!("it fits")
    };
    assert!(
        why.starts_with("--budget: 219 words are too few for chaos"),
        "{why}"
    );
}

/// 400 words over five ports: 80 for each, in one to sixteen channels. A torus needs two classes, and shortest paths a channel more; packets of
/// 20 words fit into 20 or more.
#[test]
fn what_channels_may_have_of_a_budget() {
    let of = |line: &str| starts(&choices(line), ", islip");
    let words = |all: &[&str]| -> Vec<(String, u32)> {
        all.iter().map(|it| ((*it).to_owned(), 400)).collect()
    };
    assert_eq!(
        of("--routers dimension-order --topologies mesh"),
        words(&["1 x 80", "2 x 40", "4 x 20", "8 x 10", "16 x 5"])
    );
    assert_eq!(
        of("--routers dimension-order"),
        words(&["2 x 40", "4 x 20", "8 x 10", "16 x 5"])
    );
    assert_eq!(
        of("--routers adaptive"),
        words(&["4 x 20", "8 x 10", "16 x 5"])
    );
    assert_eq!(of("--routers cut-through"), words(&["2 x 40", "4 x 20"]));
    // What the division leaves stays unused.
    assert_eq!(
        of("--routers cut-through --topologies mesh --budget 119"),
        [("1 x 23".into(), 115)]
    );
}

/// A deflection router's hop takes a cycle, so that of a hop of five cycles the link may take one, two, three and five; Chaos takes four, and its
/// link one or two.
#[test]
fn quicker_routers_may_have_longer_links() {
    let hops = |line: &str, begins: &str| -> Vec<u32> {
        let all = choices(line)
            .into_iter()
            .filter(|it| it.0.starts_with(begins));
        all.filter_map(|it| it.2).collect()
    };
    assert_eq!(hops("--routers worms", "ordered"), [1, 2, 3, 5]);
    assert_eq!(hops("--routers chaos", "5 frames, threshold 1"), [4, 5]);
    assert_eq!(hops("--routers dimension-order", "4 x 20, islip"), [5]);
    let Err(Failed::BadInput(why)) = asked("--routers adaptive --hop-cycles 4").entrants() else {
        panic!("it fits")
    };
    assert!(
        why.contains("4 cycles a hop are too few for adaptive, which takes 5"),
        "{why}"
    );
}

/// Each choice is a configuration that can be run, and its hop takes what it says: a lone packet over one hop more takes that much longer.
#[test]
fn every_choice_runs_with_its_hops() {
    let asked = asked(
        "--side 4 --topologies mesh,torus --patterns uniform --loads 0.02,1 --seeds 1 --cycles 200",
    );
    let count: usize = asked
        .entrants()
        .unwrap()
        .iter()
        .map(|it| it.choices.len())
        .sum();
    let all = asked.configurations(&Catalogue::default());
    assert_eq!(all.len(), count, "all are named apart, and resolve");
    for entrant in asked.entrants().unwrap() {
        for choice in [
            &entrant.choices[0],
            &entrant.choices[entrant.choices.len() - 1],
        ] {
            let text = &all[&format!("{}, {}", entrant.name, choice.label)];
            let lone = |to: u32| lone_latency(text, to);
            let hop = f64::from(choice.hop_cycles.unwrap());
            assert_eq!(lone(3) - lone(2), hop, "{}, {}", entrant.name, choice.label);
        }
    }
}

/// The latency of a lone packet from node 0 to another node of the first row of a mesh.
fn lone_latency(text: &str, to: u32) -> f64 {
    use flitwork_config::Override;
    let mut table: toml::Table = text.parse().unwrap();
    let words = table["traffic"].get("packet_words").cloned();
    let mut traffic = toml::Table::new();
    traffic.extend(words.map(|words| ("packet_words".to_owned(), words)));
    table.insert("traffic".into(), toml::Value::Table(traffic));
    table.insert("run".into(), toml::Value::Table(toml::Table::new()));
    let keys = [
        ("network.topology", "mesh".to_owned()),
        ("traffic.process", "once".into()),
        ("traffic.pattern", "many-to-one".into()),
        ("traffic.destination", to.to_string()),
        ("traffic.sources", "[0]".into()),
    ];
    let keys: Vec<Override> = keys
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    let text = toml::to_string(&table).unwrap();
    let resolved = flitwork_config::resolve(&text, "text", std::path::Path::new(""), &keys);
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
    let run = flitwork_experiment::simulate::simulate(&resolved, &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    run.observation.latency.mean().unwrap()
}

/// Each candidate has two runs at overload and two at the lowest load, whose means are its figures.
fn candidates_are_means_of_their_runs(candidates: &Table, runs: &Table) {
    let [candidates, runs] = [candidates, runs].map(|it| serde_json::to_value(it).unwrap());
    let all = candidates.as_array().unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 4 * all.len());
    let same = |one: &Value, other: &Value, name: &str| one[name] == other[name];
    for it in all {
        let own = |overload: bool, figure: &str| -> Vec<f64> {
            let of = runs.as_array().unwrap().iter().filter(|run| {
                run["overload"] == overload && same(run, it, "router") && same(run, it, "choice")
            });
            of.map(|run| run[figure].as_f64().unwrap()).collect()
        };
        for (overload, figure) in [
            (true, "accepted_load_words_per_node_cycle"),
            (true, "source_worst_part"),
            (false, "latency_mean_cycles"),
        ] {
            let two = own(overload, figure);
            let mean = it[figure].as_f64().unwrap();
            assert_eq!(two.len(), 2, "{it}");
            assert!(
                (two.iter().sum::<f64>() / 2.0 - mean).abs() < 1e-9,
                "{figure} of {it}"
            );
        }
    }
}

/// Tuning runs other seeds than the comparison, and what it chooses is compared.
#[test]
fn the_chosen_are_compared() {
    let asked = asked(
        "--side 4 --topologies mesh --patterns uniform --loads 0.05,1 --seeds 2 --cycles 400 --routers worms,cut-through --jobs 2",
    );
    let Ok(Ran::Whole(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
        panic!("no rows")
    };
    let text = asked.text(&rows);
    assert!(
        text.contains("built as")
            && text.contains("candidates that no other beats in throughput and fairness")
            && text.contains("by fairness"),
        "{text}"
    );
    let tables = asked.details(&rows);
    let names: Vec<&str> = tables.iter().map(|it| it.name).collect();
    assert_eq!(names, ["runs", "candidates", "candidate_runs"]);
    candidates_are_means_of_their_runs(&tables[1], &tables[2]);
    assert_eq!(asked.figures(&rows).len(), 4);
    assert_eq!(rows.len(), 2 * 2);
}
