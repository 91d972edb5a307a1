//! The study of experiment 2 under clocks, as text and as a figure.

use super::{ALGORITHMS, AsyncExp2, AsyncExp2Row, RANDOM_POINTERS, SELF_TIMED, Setting};
use crate::axes::base_text;
use crate::paper::Algorithm;
use crate::seeds::{counted, dash, distinct, with_whiskers};
use crate::study::clocking::{Clocking, asynchronous, change, changes};
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::Aligned;
use flitwork_router::chaos::InitialPointer;
use std::fmt::Write;

/// The rows as a table, their ratios over n, and the conclusions in sentences.
pub(super) fn async_exp2_text(asked: &AsyncExp2, rows: &[AsyncExp2Row]) -> String {
    let mut out = format!(
        "Experiment 2 of Chinn 1995 (section 4.2.2) with asynchronous nodes\n\
         {}; cycles of the nominal clock to the last delivery, means with 95 % intervals\n{}\n",
        counted(asked.repeats.seeds as usize, "seed"),
        base_text([""; 0], &asked.repeats.set)
    );
    let columns = Aligned::<AsyncExp2Row>::new()
        .right("n", 5, |it| it.key.n)
        .right("cn", 4, |it| it.key.cn)
        .left("router", 13, |it| it.key.algorithm.name())
        .behind(2)
        .left("clocks", 26, |it| it.key.setting)
        .behind(2)
        .right("edges", 5, |it| edges(it.key.setting))
        .right("cycles", 18, |it| shown(it.cycles(), 1))
        .right("of one clock", 16, |it| shown(it.ratio(), 4))
        .right("deroutes", 9, |it| format!("{:.0}", it.deroutes()))
        .left("", 0, |it| match it.stuck_runs() {
            0 => String::new(),
            stuck => format!("  {stuck} of {} runs are stuck", it.runs.len()),
        })
        .behind(0);
    out.push_str(&columns.text(rows));
    out.push_str(&over_n(rows));
    out.push('\n');
    for sentence in sentences(rows) {
        let _ = writeln!(out, "{sentence}");
    }
    out
}

fn edges(setting: Setting) -> String {
    dash(setting.clocking.edges())
}

fn shown(estimate: Option<Estimate>, decimals: usize) -> String {
    dash(estimate.map(|estimate| format!("{estimate:.decimals$}")))
}

/// Each router's and setting's ratios, over n.
fn over_n(rows: &[AsyncExp2Row]) -> String {
    let sizes = distinct(rows.iter().map(|row| row.key.n));
    let sizes: Vec<(u32, String)> = sizes.into_iter().map(|n| (n, n.to_string())).collect();
    let mut groups = distinct(rows.iter().map(|row| (row.key.algorithm, row.key.setting)));
    groups.sort_by_key(|group| group.0);
    let head = Aligned::<(Algorithm, Setting)>::new()
        .left("router", 13, |it| it.0.name())
        .left("clocks", 26, |it| it.1)
        .behind(2)
        .right("edges", 5, |it| edges(it.1));
    let columns = sizes.iter().fold(head, |columns, (n, name)| {
        columns.right(name, 7, move |(algorithm, setting)| {
            let mut at = of(rows, *algorithm, *setting).filter(|row| row.key.n == *n);
            let ratio = at.next().and_then(AsyncExp2Row::ratio);
            dash(ratio.map(|ratio| format!("{:.3}", ratio.mean)))
        })
    });
    let table = columns.text(&groups);
    format!("\nTime relative to one clock, against n\n{table}")
}

/// A router's rows in a setting, over n.
fn of(
    rows: &[AsyncExp2Row],
    algorithm: Algorithm,
    setting: Setting,
) -> impl Iterator<Item = &AsyncExp2Row> {
    let rows = rows.iter();
    rows.filter(move |row| (row.key.algorithm, row.key.setting) == (algorithm, setting))
}

/// The conclusions from the rows.
fn sentences(rows: &[AsyncExp2Row]) -> Vec<String> {
    let mut sentences = vec![check_sentence(rows)];
    let stuck: u32 = rows.iter().map(|row| row.stuck_runs()).sum();
    if stuck > 0 {
        sentences.push(format!(
            "{stuck} runs did not deliver every packet: their networks are stuck, and their times are \
             missing above."
        ));
    }
    for algorithm in ALGORITHMS {
        sentences.extend(router_sentences(rows, algorithm));
    }
    sentences.extend(thesis_sentence(rows));
    sentences
}

/// Checks the clocked engine with equal clocks against the synchronous one.
fn check_sentence(rows: &[AsyncExp2Row]) -> String {
    let in_step = rows.iter();
    let in_step = in_step.filter(|row| row.key.setting.clocking == Clocking::InStep);
    let runs: usize = in_step.clone().map(|row| row.runs.len()).sum();
    match in_step.filter(|row| !row.is_as_one_clock()).count() {
        0 => format!(
            "Check: equal clocks in step give one clock's cycles, deroutes and digests in all of {runs} runs."
        ),
        differ => {
            format!("Check FAILED: equal clocks in step differ from one clock in {differ} rows.")
        }
    }
}

/// A router's ratios over n in a setting.
fn ratios(rows: &[AsyncExp2Row], algorithm: Algorithm, setting: Setting) -> Vec<f64> {
    let rows = of(rows, algorithm, setting);
    rows.filter_map(|row| Some(row.ratio()?.mean)).collect()
}

/// The spreads and synchronizers of the rows, each once, in ascending order.
fn asked(rows: &[AsyncExp2Row]) -> (Vec<f64>, Vec<u32>) {
    let clockings = || rows.iter().map(|row| row.key.setting.clocking);
    let mut spreads = distinct(clockings().filter_map(Clocking::spread_percent));
    spreads.sort_by(f64::total_cmp);
    let mut edges = distinct(clockings().filter_map(Clocking::edges));
    edges.sort_unstable();
    (spreads, edges)
}

fn router_sentences(rows: &[AsyncExp2Row], algorithm: Algorithm) -> Vec<String> {
    let (spreads, synchronizers) = asked(rows);
    let (Some(&least), Some(&most)) = (spreads.first(), spreads.last()) else {
        return Vec::new();
    };
    let sentence = |&edges: &u32| {
        let least_ratios = ratios(rows, algorithm, Setting::spread(least, edges));
        let most_ratios = ratios(rows, algorithm, Setting::spread(most, edges));
        let mut sentence = format!("{}, {edges} edges, against one clock: ", algorithm.name());
        let _ = write!(sentence, "{} at {least} % spread", changes(&least_ratios)?);
        if least < most {
            let _ = write!(sentence, ", {} at {most} % spread", changes(&most_ratios)?);
        }
        if least < most && least_ratios.len() == most_ratios.len() {
            let pairs = most_ratios.iter().zip(&least_ratios);
            let between: Vec<f64> = pairs.map(|(most, least)| most / least).collect();
            let _ = write!(
                sentence,
                "; {most} % against {least} %: {}",
                changes(&between)?
            );
        }
        Some(sentence + ".")
    };
    let self_timed = changes(&ratios(rows, algorithm, SELF_TIMED));
    let self_timed = self_timed.map(|changes| {
        format!(
            "{}, self-timed, against one clock: {changes}.",
            algorithm.name()
        )
    });
    let clocked = synchronizers.iter().filter_map(sentence);
    clocked.chain(self_timed).collect()
}

/// Chaos compared with what the thesis says about asynchrony.
fn thesis_sentence(rows: &[AsyncExp2Row]) -> Option<String> {
    let chaos = changes(&ratios(rows, Algorithm::Chaos, RANDOM_POINTERS))?;
    let minimal = changes(&ratios(rows, Algorithm::MinimalChaos, RANDOM_POINTERS))?;
    let own = rows.iter().filter(|row| {
        row.key.algorithm == Algorithm::Chaos && row.key.setting.clocking.edges().is_some()
    });
    let own: Vec<f64> = own.filter_map(|row| Some(row.ratio()?.mean)).collect();
    let least = own.iter().copied().reduce(f64::min)?;
    let faster = own.iter().filter(|ratio| **ratio < 1.0).count();
    Some(format!(
        "The thesis lets random initial pointers stand for asynchrony, and found Chaos no better than 10 % \
         faster with them in experiment 2, 4 % in experiment 1 (Chinn 1995, sections 4.2.2 and 4.2.1). \
         Here they give chaos {chaos} and minimal-chaos {minimal} under one clock. With asynchronous \
         nodes, chaos is faster than under one clock in {faster} of {} rows; the least is {}.",
        own.len(),
        change(least)
    ))
}

/// The figure: ratios over n at the least and the greatest spread and of self-timed nodes, as an SVG document.
pub(super) fn async_exp2_figure(rows: &[AsyncExp2Row]) -> String {
    let (spreads, synchronizers) = asked(rows);
    let ends: Vec<f64> = match (spreads.first(), spreads.last()) {
        (Some(least), Some(most)) if least < most => vec![*least, *most],
        _ => spreads,
    };
    let mut settings = vec![RANDOM_POINTERS];
    settings.extend(asynchronous(&ends, &synchronizers).map(Setting::under));
    let mut series = Vec::new();
    for algorithm in [Algorithm::Chaos, Algorithm::MinimalChaos] {
        let settings = settings.iter();
        series.extend(settings.map(|setting| curve(rows, (algorithm, *setting))));
    }
    let curves = Curves {
        title: "Experiment 2 with asynchronous nodes",
        x_label: "side of the mesh, n (nodes)",
        y_label: "time relative to one clock",
        series,
        ..Curves::default()
    };
    curves.svg()
}

fn curve(rows: &[AsyncExp2Row], (algorithm, setting): (Algorithm, Setting)) -> Series {
    let points = of(rows, algorithm, setting);
    let points = points.filter_map(|row| Some((row.key.n, row.ratio()?)));
    let edges = match setting.clocking.edges() {
        Some(edges) => format!(", {edges} edges"),
        None => String::new(),
    };
    let name = match setting.pointer {
        InitialPointer::Random => "random pointers".to_owned(),
        InitialPointer::Fixed => setting.to_string(),
    };
    let name = format!("{}, {name}{edges}", algorithm.name());
    with_whiskers(name, Style::Curve, points)
}
