//! What prices make of the energy of a self-timed design.

use super::*;

/// A self-timed row against one of a clock without gates that ticks ten times; with these steps and transitions in each run.
fn rows(steps: u64, transitions: u64) -> [SelfTimedRow; 2] {
    let row = |design, counts: Counts| {
        let mut row = row(design, [1.0; 3], [None; 3]);
        for run in &mut row.runs {
            (run.low.counts, run.most.counts) = (counts, counts);
        }
        row
    };
    let words = 1;
    let clocked = Counts {
        words,
        ticks: 10,
        steps: 10,
        ..Counts::default()
    };
    let own = Counts {
        words,
        steps,
        transitions,
        ..Counts::default()
    };
    [row("binned", clocked), row("self-timed", own)]
}

/// Of ten ticks that cost 3.724 pJ each, a step costs 3.563 pJ (3.724 - 0.161), a transition 0.081. One step is a tenth whatever the prices, 30 are
/// three times as much. Ten and thirty transitions are 35.63 + 2.43 = 38.06 of 37.24 pJ: more, but less where a transition costs half.
#[test]
fn prices_decide_what_is_near() {
    for (steps, transitions, says) in [
        (1, 0, "less"),
        (30, 0, "more"),
        (10, 30, "depends on prices"),
    ] {
        let rows = rows(steps, transitions);
        let asked =
            study("--routers chaos --topologies mesh --lengths 1 --designs binned,self-timed");
        let text = asked.text(&rows);
        let table = text.split("self-timed energy against").nth(1).unwrap();
        let lines: Vec<&str> = table.lines().skip(1).take(2).collect();
        for line in lines {
            assert!(
                line.starts_with("binned") && line.trim_end().ends_with(says),
                "{says}: {line}"
            );
        }
    }
}
