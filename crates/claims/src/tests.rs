use super::*;
use serde_json::{Value, json};

const HEAD: &str = "[[command]]\nrun = 'x'\n";

/// A claim on the column `lost_part` of the row of Chaos.
fn claim(more: &str) -> Claim {
    let text = format!(
        "{HEAD}[[command.claim]]\npage = 'p.md'\nsays = 'it loses'\nwhere = {{ router = 'chaos', edges = 2 }}\n\
         column = 'lost_part'\n{more}\n"
    );
    let claims: Claims = text.parse().unwrap();
    claims.commands[0].claims[0].clone()
}

fn results(mean: f64, half_width: f64) -> Value {
    json!({"rows": [
        {"router": "chaos", "edges": 2, "lost_part": mean, "lost_part_half_width": half_width},
        {"router": "chaos", "edges": 0, "lost_part": 9.0},
        {"router": "wormhole", "edges": 2, "lost_part": 0.1, "lost_part_half_width": 0.03},
    ]})
}

fn found(more: &str, mean: f64, half_width: f64) -> Found {
    claim(more)
        .judge(&results(mean, half_width), Seeds::First)
        .unwrap()
}

fn verdict(more: &str, mean: f64, half_width: f64) -> Verdict {
    found(more, mean, half_width).verdict
}

/// Of a comparison: whether it holds, and whether by more than the interval.
fn compared(more: &str, mean: f64, half_width: f64) -> (Verdict, bool) {
    let found = found(more, mean, half_width);
    (found.verdict, found.clearly.unwrap())
}

/// 0.25 ± 0.03 and a fresh figure ± 0.04 may be apart by 0.05, the hypotenuse.
#[test]
fn a_figure_may_move_by_both_intervals_together() {
    let of = |mean| verdict("value = 0.25\nhalf_width = 0.03", mean, 0.04);
    assert_eq!([of(0.299), of(0.201)], [Verdict::Holds; 2]);
    assert_eq!([of(0.301), of(0.199)], [Verdict::Fails; 2]);
    // Without intervals only the same figure will do.
    assert_eq!(verdict("value = 0.25", 0.25, 0.0), Verdict::Holds);
    assert_eq!(verdict("value = 0.25", 0.2501, 0.0), Verdict::Fails);
}

/// A page that says 29 % may have found 28.5 to 29.5 %.
#[test]
fn a_figure_may_move_by_half_of_what_it_is_rounded_to() {
    let of = |mean| verdict("value = 0.29\nrounded_to = 0.01", mean, 0.001);
    assert_eq!([of(0.2841), of(0.2959)], [Verdict::Holds; 2]);
    assert_eq!([of(0.2839), of(0.2961)], [Verdict::Fails; 2]);
}

#[test]
fn bounds_are_kept_by_the_mean_and_clearly_by_the_interval() {
    let of = |mean| compared("at_least = 0.1\nat_most = 0.2", mean, 0.02);
    assert_eq!(
        [of(0.125), of(0.15), of(0.175)],
        [(Verdict::Holds, true); 3]
    );
    assert_eq!([of(0.11), of(0.19)], [(Verdict::Holds, false); 2]);
    assert_eq!([of(0.09), of(0.21)], [(Verdict::Fails, false); 2]);
    assert_eq!([of(0.07), of(0.23)], [(Verdict::Fails, true); 2]);
    // Without an interval there is nothing to be clear of.
    let exact = found("at_most = 0.2", 0.2, 0.0);
    assert_eq!((exact.verdict, exact.clearly), (Verdict::Holds, None));
}

/// The other row has 0.1 ± 0.03: with ± 0.04 the difference has ± 0.05.
#[test]
fn comparisons_of_rows_are_of_independent_figures() {
    let of = |mean| compared("more_than = { router = 'wormhole' }", mean, 0.04);
    assert_eq!(of(0.151), (Verdict::Holds, true));
    assert_eq!(of(0.149), (Verdict::Holds, false));
    assert_eq!(of(0.051), (Verdict::Fails, false));
    assert_eq!(of(0.049), (Verdict::Fails, true));
    // As much isn't more, with an interval or without.
    assert_eq!(of(0.1), (Verdict::Fails, false));
    let exact = |mean: f64| {
        let results = json!({"rows": [
            {"router": "chaos", "edges": 2, "lost_part": mean}, {"router": "wormhole", "lost_part": 0.1},
        ]});
        let claim = claim("more_than = { router = 'wormhole' }");
        let found = claim.judge(&results, Seeds::First).unwrap();
        (found.verdict, found.clearly)
    };
    assert_eq!(exact(0.1), (Verdict::Fails, None));
    assert_eq!(exact(0.11), (Verdict::Holds, None));
}

/// 11 ± 0.4 is 10 % more than 10 ± 0.3: parts of 3.64 and 3 % are 4.71 % in quadrature, of 1.1 it is 0.0519.
#[test]
fn a_part_of_another_row_has_both_intervals() {
    let results = json!({"rows": [
        {"router": "chaos", "edges": 2, "lost_part": 11.0, "lost_part_half_width": 0.4},
        {"router": "wormhole", "lost_part": 10.0, "lost_part_half_width": 0.3},
    ]});
    let of = |value: f64| {
        let claim = claim(&format!(
            "relative_to = {{ router = 'wormhole' }}\nvalue = {value}"
        ));
        claim.judge(&results, Seeds::First).unwrap().verdict
    };
    assert_eq!([of(0.0485), of(0.1515)], [Verdict::Holds; 2]);
    assert_eq!([of(0.0475), of(0.1525)], [Verdict::Fails; 2]);
}

/// Three seeds, of which A is ahead of B by 1, 2 and 3: by 2 on average, with a deviation of 1, and 4.303 over the root of 3 is 2.484.
fn runs() -> Value {
    let run =
        |router: &str, seed: u64, time: f64| json!({"router": router, "seed": seed, "time": time});
    json!({"runs": [
        run("A", 4, 11.0), run("A", 5, 22.0), run("A", 6, 33.0), run("B", 4, 10.0), run("B", 5, 20.0), run("B", 6, 30.0),
        run("A", 3, 500.0), run("B", 3, 1.0),
    ]})
}

fn by_seed(more: &str) -> Found {
    let text = format!(
        "{HEAD}seeds = 'after-3'\n[[command.claim]]\npage = 'p.md'\nsays = 's'\ntable = 'runs'\nwhere = {{ router = 'A' }}\n\
         column = 'time'\neach = 'seed'\n{more}\n"
    );
    let claims: Claims = text.parse().unwrap();
    let command = &claims.commands[0];
    command.claims[0].judge(&runs(), command.seeds).unwrap()
}

#[test]
fn seeds_are_compared_one_by_one_and_used_ones_left_out() {
    let more = by_seed("more_than = { router = 'B' }");
    assert_eq!((more.verdict, more.clearly), (Verdict::Holds, Some(false)));
    // 11, 22, 33: 22 with a deviation of 11, and 4.303 of it over the root of 3.
    let Fresh::Figure(figure) = more.fresh else {
        panic!("{more:?}")
    };
    assert!(
        (figure.mean - 22.0).abs() < 1e-9 && (figure.half_width - 27.33).abs() < 0.01,
        "{figure}"
    );
    // 10 % more in every seed.
    let part = by_seed("relative_to = { router = 'B' }\nvalue = 0.1\n");
    assert_eq!(part.verdict, Verdict::Holds);
    let part = by_seed("relative_to = { router = 'B' }\nvalue = 0.11\n");
    assert_eq!(part.verdict, Verdict::Fails);
}

/// Rows that are compared by seed have the same seeds, each of them once.
#[test]
fn seeds_that_have_no_like_are_refused() {
    let run = |router: &str, seed: u64| json!({"router": router, "seed": seed, "time": 1.0});
    let refused = |runs: &[(&str, u64)], more: &str| {
        let text = format!(
            "{HEAD}[[command.claim]]\npage = 'p.md'\nsays = 's'\ntable = 'runs'\nwhere = {{ router = 'A' }}\ncolumn = 'time'\n\
             each = 'seed'\n{more}\n"
        );
        let claims: Claims = text.parse().unwrap();
        let runs: Vec<Value> = runs.iter().map(|it| run(it.0, it.1)).collect();
        let judged = claims.commands[0].claims[0].judge(&json!({"runs": runs}), Seeds::First);
        judged.unwrap_err().to_string()
    };
    let unpaired = "not the same of `seed` are in both rows that are compared";
    for more in [
        "more_than = { router = 'B' }",
        "relative_to = { router = 'B' }\nvalue = 0",
    ] {
        assert_eq!(
            refused(&[("A", 4), ("A", 5), ("B", 4), ("B", 6)], more),
            unpaired
        );
        assert_eq!(refused(&[("A", 4), ("B", 4), ("B", 5)], more), unpaired);
    }
    let twice = refused(&[("A", 4), ("A", 4)], "value = 1");
    assert!(twice.starts_with("2 rows have router = \"A\""), "{twice}");
    assert!(refused(&[("B", 4)], "value = 1").starts_with("0 rows have"));
}

/// Cells are texts, numbers, whole or not, and truths; an empty text is a cell without any.
#[test]
fn rows_are_known_by_cells_of_all_kinds() {
    let rows = json!({"rows": [
        {"name": "a", "load": 0.5, "frames": 2, "wraps": true, "note": null, "found": 1},
        {"name": "b", "load": 0.25, "frames": 3, "wraps": false, "note": "x", "found": 2},
    ]});
    let found = |cell: &str| {
        let text = format!(
            "{HEAD}[[command.claim]]\npage = 'p.md'\nsays = 's'\nwhere = {{ {cell} }}\ncolumn = 'found'\nvalue = 1"
        );
        let claims: Claims = text.parse().unwrap();
        let judged = claims.commands[0].claims[0].judge(&rows, Seeds::First);
        judged.unwrap().verdict
    };
    for cell in [
        "name = 'a'",
        "load = 0.5",
        "frames = 2",
        "frames = 2.0",
        "wraps = true",
        "note = ''",
    ] {
        assert_eq!(found(cell), Verdict::Holds, "{cell}");
    }
    for cell in [
        "name = 'b'",
        "load = 0.25",
        "frames = 3",
        "wraps = false",
        "note = 'x'",
    ] {
        assert_eq!(found(cell), Verdict::Fails, "{cell}");
    }
}

/// Of how many is said by a column of its own, or by `seeds`; more than of how many there are is no count.
#[test]
fn counts_have_a_column_of_how_many() {
    let judged = |more: &str, row: Value| {
        let text = format!(
            "{HEAD}[[command.claim]]\npage = 'p.md'\nsays = 's'\ncolumn = 'stuck'\ncount = 3\nof = 4\n{more}\n"
        );
        let claims: Claims = text.parse().unwrap();
        claims.commands[0].claims[0].judge(&json!({"rows": [row]}), Seeds::First)
    };
    let row = json!({"stuck": 1, "seeds": 4, "runs": 5});
    // 3 of 4 and 1 of 4: 34/70, as of the lady who tastes tea.
    let found = judged("", row.clone()).unwrap();
    assert_eq!((found.page.as_str(), found.clearly), ("3 of 4", None));
    assert_eq!(found.fresh.to_string(), "1 of 4 (Fisher: 0.486)");
    let found = judged("of_column = 'runs'", row.clone()).unwrap();
    assert!(found.fresh.to_string().starts_with("1 of 5 "), "{found:?}");
    let many = judged("", json!({"stuck": 5, "seeds": 4})).unwrap_err();
    assert_eq!(many.to_string(), "a row has no number `seeds`");
}

/// 20 of 20 on the page: 16 of 20 may be chance (0.106), 15 not (0.047).
#[test]
fn counts_are_held_to_fishers_test() {
    let of = |count: u64| {
        let text = format!(
            "{HEAD}[[command.claim]]\npage = 'p.md'\nsays = 's'\ncolumn = 'stuck'\ncount = 20\nof = 20\n"
        );
        let claims: Claims = text.parse().unwrap();
        let results = json!({"rows": [{"stuck": count, "seeds": 20}]});
        claims.commands[0].claims[0]
            .judge(&results, Seeds::First)
            .unwrap()
            .verdict
    };
    assert_eq!([of(20), of(16)], [Verdict::Holds; 2]);
    assert_eq!(of(15), Verdict::Fails);
}

#[test]
fn what_the_results_do_not_have_is_said() {
    let missing = |claim: &Claim| claim.judge(&results(0.2, 0.0), Seeds::First).unwrap_err();
    let one = claim("value = 1");
    let several = Claim {
        row: Cells::new(),
        ..one.clone()
    };
    assert!(matches!(missing(&several), Missing::Row { rows: 3, .. }));
    let table = Claim {
        table: "runs".into(),
        ..one.clone()
    };
    assert_eq!(
        missing(&table).to_string(),
        "the results have no table `runs`"
    );
    let column = Claim {
        column: "gained".into(),
        ..one.clone()
    };
    assert_eq!(missing(&column).to_string(), "a row has no number `gained`");
    // Two rows of Chaos, but none has a seed.
    let each = Claim {
        each: Some("seed".into()),
        row: Cells::new(),
        ..one
    };
    assert_eq!(missing(&each).to_string(), "a row has no number `seed`");
}

/// Without a table the results themselves are the row.
#[test]
fn results_may_be_one_row() {
    let whole = Claim {
        table: String::new(),
        column: "cycles".into(),
        row: Cells::new(),
        ..claim("value = 7")
    };
    let found = whole.judge(&json!({"cycles": 7}), Seeds::One).unwrap();
    assert_eq!(found.verdict, Verdict::Holds);
}

#[test]
fn a_bad_file_is_refused_with_its_line_and_key() {
    let refused = |head: &str, more: &str| {
        let text = format!(
            "# Claims.\n{HEAD}{head}[[command.claim]]\npage = 'p.md'\nsays = 's'\ncolumn = 'c'\n{more}\n"
        );
        text.parse::<Claims>().unwrap_err().to_string()
    };
    let kinds = "one of value, at_least and at_most, more_than, and count";
    assert_eq!(
        refused("", ""),
        format!("line 4: nothing is claimed\n  allowed: {kinds}")
    );
    let two = refused("", "value = 1\nat_least = 2");
    assert_eq!(
        two,
        format!("line 9: at_least or at_most is given besides value\n  allowed: {kinds}")
    );
    let alone = refused("", "at_least = 1\nhalf_width = 2");
    assert_eq!(
        alone,
        "line 9: half_width is given without value\n  allowed: with value"
    );
    assert!(
        refused("", "value = 1\nhalf_width = -2")
            .contains("line 9: half_width is -2\n  allowed: 0 or more")
    );
    assert!(refused("", "value = 1\nhalf_width = inf").contains("line 9: half_width is inf"));
    assert!(
        refused("", "at_most = 1\nrounded_to = 2").contains("rounded_to is given without value")
    );
    assert!(refused("", "at_most = 1\nof = 2").contains("line 9: of is given without count"));
    assert!(refused("", "value = 1\nof_column = 'x'").contains("of_column is given without count"));
    assert!(refused("seeds = 'after-x'\n", "value = 1").contains("seeds is \"after-x\""));
    assert!(refused("", "count = 1").contains("line 8: of is missing"));
    assert!(refused("", "count = 3\nof = 2").contains("line 8: count is 3\n  allowed: 0 to 2"));
    assert!(refused("", "values = 1").starts_with("line 8: unknown field `values`"));
    assert!(refused("", "value = 'x'").starts_with("line 8: invalid type: string"));
    assert!(
        refused("seeds = 'some'\n", "value = 1")
            .contains("line 4: seeds is \"some\"\n  allowed: \"first-seed\"")
    );
    assert!(refused("seeds = 'after-3'\n", "value = 1").contains("line 5: each is missing"));
    let text = "[[command]]\nrun = 'study \"x'\nclaim = []\n";
    assert!(
        text.parse::<Claims>()
            .unwrap_err()
            .to_string()
            .contains("line 2: run is")
    );
    let text = "[[command]]\nrun = 'study x'\nclaim = []\n";
    assert!(
        text.parse::<Claims>()
            .unwrap_err()
            .to_string()
            .contains("line 1: claim is missing")
    );
}

#[test]
fn the_half_width_of_a_mean_is_found() {
    let names = |column: &str| {
        Claim {
            column: column.into(),
            ..claim("value = 1")
        }
        .half_width_names()
    };
    assert!(names("lost_part").contains(&"lost_part_half_width".into()));
    assert!(names("latency_mean_cycles").contains(&"latency_half_width_cycles".into()));
    assert!(names("added_per_hop_mean").contains(&"added_per_hop_half_width".into()));
    let load = "accepted_load_half_width_words_per_node_cycle";
    assert!(names("accepted_load_words_per_node_cycle").contains(&load.into()));
}

#[test]
fn words_are_found_over_lines() {
    let claim = claim("value = 1");
    assert!(claim.is_on("Under load it\n  loses a part."));
    assert!(!claim.is_on("Under load it gains."));
}

/// A page's 0.25 and a fresh 0.27 ± 0.02 may be the same; with the column of 0.01 they aren't.
#[test]
fn a_half_width_has_the_column_that_is_named() {
    let judged = |named: &str| {
        let mut results = results(0.27, 0.02);
        results["rows"][0]["own_width"] = json!(0.01);
        let claim = claim(&format!("value = 0.25\n{named}"));
        claim.judge(&results, Seeds::First).unwrap()
    };
    let (usual, named) = (judged(""), judged("half_width_column = 'own_width'"));
    assert_eq!(
        (usual.verdict, named.verdict),
        (Verdict::Holds, Verdict::Fails)
    );
    assert_eq!(named.fresh.to_string(), "0.270 ± 0.010");
}
