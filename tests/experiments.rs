//! The published rows that are quick to compute, within the deviations that the reproduction promises.

use crate::own_study::run_with;
use flitwork_schema::Parts;
use flitwork_studies::End;
use serde_json::Value;

/// What an experiment prints.
fn printed(line: &str) -> String {
    let (end, text) = run_with(Parts::new(), u32::MAX, line);
    assert_eq!(end, Ok(End::Fine), "{line}: {text}");
    text
}

/// The rows of an experiment with some meshes, and further options.
fn rows(experiment: &str, sizes: &str, options: &str) -> Vec<Value> {
    let json = printed(&format!("paper {experiment} --n {sizes} --json {options}"));
    let json: Value = serde_json::from_str(&json).unwrap();
    json["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, column: &str) -> f64 {
    let number = row[column].as_f64();
    number.unwrap_or_else(|| panic!("{column} of {row}"))
}

/// The relative deviation of a row's mean from the published figure.
fn error(row: &Value) -> f64 {
    number(row, "time_mean_cycles") / number(row, "published_time_cycles") - 1.0
}

/// Minimal Chaos within 3.5 %, Chaos within 10 % and 5 % on average, GreedyHP within 5 % of Tables 4.1 and 4.2.
fn compare_with_published(experiments: &[(&str, &str)]) {
    for (experiment, sizes) in experiments {
        let rows = rows(experiment, sizes, "--seeds 3");
        let chaos = rows.iter().filter(|row| row["algorithm"] == "chaos");
        let errors: Vec<f64> = chaos.map(|row| error(row).abs()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        assert!(
            mean <= 0.05,
            "{experiment}: Chaos is {mean:.4} off on average"
        );
        for row in rows {
            let allowed = match row["algorithm"].as_str().unwrap() {
                "minimal-chaos" => 0.035,
                "chaos" => 0.10,
                "greedy-hp" => 0.05,
                other => panic!("{other}"),
            };
            let error = error(&row);
            assert!(error.abs() <= allowed, "{experiment}: {error:+.4}, {row}");
            assert_eq!(number(&row, "packets"), number(&row, "cn").powi(2));
        }
    }
}

/// The small sizes: the time of a row grows with the cube of its size.
#[test]
fn published_rows_are_reproduced() {
    compare_with_published(&[
        ("chinn-exp1", "600,720"),
        ("chinn-exp2", "600,1080"),
        ("chinn-exp3", "1080"),
        ("chinn-exp4", "1080"),
    ]);
}

#[test]
#[ignore = "half a minute: larger sizes too"]
fn larger_published_rows_are_reproduced() {
    compare_with_published(&[
        ("chinn-exp1", "600,720,960,1080,1200"),
        ("chinn-exp2", "600,1080,1560"),
        ("chinn-exp3", "1080,1560"),
        ("chinn-exp4", "1080,1560"),
    ]);
}

/// Minimal Chaos in the second reading of the router and with another d, within 1 %; with exchanges when the link starts
/// and d = 1/3 within 1 % in experiments 2 and 3, whose rows don't separate the two.
fn compare_readings(experiments: &[(&str, &str)]) {
    for (experiment, sizes) in experiments {
        let link = (*experiment != "chinn-exp1").then_some("--exchange link");
        for reading in ["--preset chinn-1995-b --d 71/200"].into_iter().chain(link) {
            let rows = rows(experiment, sizes, &format!("--seeds 2 {reading}"));
            for row in rows
                .iter()
                .filter(|row| row["algorithm"] == "minimal-chaos")
            {
                let error = error(row);
                assert!(
                    error.abs() < 0.01,
                    "{experiment}, {reading}: {error:+.4}, {row}"
                );
            }
        }
    }
}

#[test]
fn minimal_chaos_is_within_a_percent_in_other_readings() {
    compare_readings(&[
        ("chinn-exp1", "600"),
        ("chinn-exp2", "600"),
        ("chinn-exp3", "1080"),
    ]);
}

#[test]
#[ignore = "minutes: all rows"]
fn all_of_minimal_chaos_is_within_a_percent_in_other_readings() {
    compare_readings(&[
        ("chinn-exp1", "600,720,960,1080,1200,1560"),
        ("chinn-exp2", "600,1080,1560,1800,2280,2520"),
        ("chinn-exp3", "1080,1560,1800,2280"),
    ]);
}

/// The same request gives the same rows; another initial pointer gives other rows, in which Chaos is no
/// slower than the thesis observed (at most 10 % faster, section 4.2.2) at this size; at larger sizes the
/// gain is greater here.
#[test]
fn rows_repeat_and_depend_on_the_initial_pointer() {
    let by = |pointer: &str| {
        let options = format!("--seeds 2 --initial-pointer {pointer}");
        rows("chinn-exp2", "600", &options)
    };
    let digests = |rows: &[Value]| {
        rows.iter()
            .map(|row| row["digest"].clone())
            .collect::<Vec<_>>()
    };
    let (one, two, random) = (by("fixed"), by("fixed"), by("random"));
    assert_eq!(digests(&one), digests(&two));
    assert_ne!(digests(&one), digests(&random));
    let chaos = |rows: &[Value]| {
        let chaos = rows.iter().find(|row| row["algorithm"] == "chaos");
        number(chaos.unwrap(), "time_mean_cycles")
    };
    let faster = 1.0 - chaos(&random) / chaos(&one);
    assert!((-0.05..0.10).contains(&faster), "{faster}");
}

#[test]
fn sizes_that_were_not_published_run_too() {
    for experiment in ["chinn-exp1", "chinn-exp2", "chinn-exp3", "chinn-exp4"] {
        for row in rows(experiment, "121,333", "--seeds 1") {
            assert!(row["published_time_cycles"].is_null(), "{row}");
            assert!(number(&row, "time_mean_cycles") > 0.0, "{row}");
        }
        let folder = tempfile::tempdir().unwrap();
        let svg = folder.path().join("figure.svg");
        let line = format!(
            "paper {experiment} --n 333 --seeds 1 --plot {}",
            svg.display()
        );
        assert!(printed(&line).contains("333"));
        assert!(std::fs::read_to_string(svg).unwrap().contains("<svg"));
        let refused = format!("paper {experiment} --n 600,5");
        assert!(run_with(Parts::new(), u32::MAX, &refused).0.is_err());
    }
}
