use super::*;
use serde_json::{Value, json};

/// A claim on the column `lost_part` of the row of Chaos.
fn claim(more: &str) -> Claim {
    let text = format!(
        "[[command]]\nrun = 'x'\n[[command.claim]]\npage = 'p.md'\nsays = 'it loses'\nwhere = {{ router = 'chaos', edges = 2 }}\n\
         column = 'lost_part'\n{more}\n"
    );
    let claims: Claims = text.parse().unwrap();
    claims.command[0].claim[0].clone()
}

fn results(mean: f64, half_width: f64) -> Value {
    json!({"rows": [
        {"router": "chaos", "edges": 2, "lost_part": mean, "lost_part_half_width": half_width},
        {"router": "chaos", "edges": 0, "lost_part": 9.0},
        {"router": "wormhole", "edges": 2, "lost_part": 0.1, "lost_part_half_width": 0.03},
    ]})
}

fn verdict(more: &str, mean: f64, half_width: f64) -> Verdict {
    claim(more)
        .judge(&results(mean, half_width))
        .unwrap()
        .verdict
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

#[test]
fn bounds_are_kept_by_the_whole_interval() {
    let of = |mean| verdict("at_least = 0.1\nat_most = 0.2", mean, 0.02);
    assert_eq!([of(0.125), of(0.15), of(0.175)], [Verdict::Holds; 3]);
    assert_eq!([of(0.11), of(0.09), of(0.21)], [Verdict::Open; 3]);
    assert_eq!([of(0.07), of(0.23)], [Verdict::Fails; 2]);
    assert_eq!(verdict("at_most = 0.2", 0.2, 0.0), Verdict::Holds);
}

/// The other row has 0.1 ± 0.03: with ± 0.04 the difference has ± 0.05.
#[test]
fn comparisons_are_of_independent_figures() {
    let of = |mean| verdict("more_than = { router = 'wormhole' }", mean, 0.04);
    assert_eq!(of(0.151), Verdict::Holds);
    assert_eq!([of(0.149), of(0.051)], [Verdict::Open; 2]);
    assert_eq!(of(0.049), Verdict::Fails);
}

#[test]
fn what_the_results_do_not_have_is_said() {
    let missing = |claim: &Claim| claim.judge(&results(0.2, 0.0)).unwrap_err();
    let one = claim("value = 1");
    let several = Claim {
        row: one
            .row
            .iter()
            .take(0)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
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
        ..one
    };
    assert_eq!(
        missing(&column).to_string(),
        "the row has no number `gained`"
    );
}

#[test]
fn a_claim_claims_one_thing() {
    let refused = |more: &str| {
        let text = format!(
            "[[command]]\nrun = 'x'\n[[command.claim]]\npage = 'p.md'\nsays = 's'\ncolumn = 'c'\n{more}\n"
        );
        text.parse::<Claims>().unwrap_err()
    };
    assert!(refused("").contains("nothing is claimed"));
    assert!(refused("value = 1\nat_least = 2").contains("more than one thing"));
    assert!(refused("at_least = 1\nhalf_width = 2").contains("half_width without a value"));
    assert!(refused("values = 1").contains("unknown field `values`"));
}

#[test]
fn the_half_width_of_a_mean_is_found() {
    let names = |column: &str| {
        let claim = Claim {
            column: column.into(),
            ..claim("value = 1")
        };
        claim.half_width_name()
    };
    assert!(names("lost_part").contains(&"lost_part_half_width".into()));
    assert!(names("latency_mean_cycles").contains(&"latency_half_width_cycles".into()));
    let load = "accepted_load_half_width_words_per_node_cycle";
    assert!(names("accepted_load_words_per_node_cycle").contains(&load.into()));
}

#[test]
fn words_are_found_over_lines() {
    let claim = claim("value = 1");
    assert!(claim.is_on("Under load it\n  loses a part."));
    assert!(!claim.is_on("Under load it gains."));
}
