//! The study of self-timed routers as text.

mod figures;

pub(super) use figures::self_timed_figures;

use super::costs::Spent;
use super::pairs::{Pair, Variant, pairs};
use super::place::{Design, Load, Place, Timing};
use super::{SelfTimed, SelfTimedRow};
use crate::axes::base_text;
use crate::seeds::{counted, dash, distinct};
use crate::seen::served_over;
use flitwork_config::Override;
use flitwork_measure::Estimate;
use flitwork_report::Aligned;
use std::fmt::Write;

/// The rows of a router on a network with links of a length, over spreads and designs.
fn by_network(rows: &[SelfTimedRow]) -> impl Iterator<Item = &[SelfTimedRow]> {
    let key = |row: &SelfTimedRow| {
        let Place {
            router,
            topology,
            length,
            ..
        } = &row.place;
        (router.name, topology.clone(), *length)
    };
    rows.chunk_by(move |one, other| key(one) == key(other))
}

fn network(rows: &[SelfTimedRow]) -> String {
    let place = &rows[0].place;
    let segments = counted(place.length as usize, "segment");
    format!(
        "{}, {}, links of {segments}",
        place.router.name, place.topology
    )
}

/// A ratio as a change in percent, with its sign and its interval.
fn change(ratio: Option<Estimate>) -> String {
    let change = ratio.map(|ratio| Estimate {
        mean: 100.0 * (ratio.mean - 1.0),
        half_width: ratio.half_width.map(|half| 100.0 * half),
        ..ratio
    });
    let signed = change.map(|it| format!("{}{it}", if it.mean >= 0.0 { "+" } else { "" }));
    dash(signed)
}

fn corner(corner: Option<f64>) -> String {
    dash(corner.map(|corner| format!("{corner:+}")))
}

pub(super) fn self_timed_text(asked: &SelfTimed, rows: &[SelfTimedRow]) -> String {
    let mut out = head(asked) + &base_text([""; 0], &asked.repeats.set);
    for rows in by_network(rows) {
        let columns = Aligned::<SelfTimedRow>::new()
            .left("spread\n%", 7, |it| it.place.spread)
            .left("design", 14, |it| it.place.design.name())
            .right("corner\n%", 6, |it| corner(it.place.corner))
            .right("period\nps", 7, |it| dash(it.period_ps().map(f64::round)))
            .right("latency\nns", 16, |it| dash(it.latency()))
            .right("accepted\nwords/node/ns", 18, SelfTimedRow::accepted)
            .right("worst source\n/mean", 15, |it| {
                dash(served_over(&it.served(), |run| run.worst_source))
            })
            .right("energy\npJ/word", 15, |it| {
                dash(it.energy(Load::Low, Spent::total))
            })
            .right("at overload\npJ/word", 15, |it| {
                dash(it.energy(Load::Most, Spent::total))
            });
        // Gates change energy only, which the tables below have.
        let own = rows
            .iter()
            .filter(|row| !row.place.design.is_gated || is_alone(rows, row));
        let _ = write!(out, "\n{}\n{}", network(rows), columns.text(own));
        let all = pairs(rows);
        if !all.is_empty() {
            let _ = write!(out, "\nself-timed against\n{}", against(&all));
            let _ = write!(out, "\n{}", prices(&all));
        }
        let _ = write!(out, "\n{}", split(rows));
    }
    out
}

fn head(asked: &SelfTimed) -> String {
    let costs = &asked.costs;
    let step = match asked.step[..] {
        [least, most] => format!("{least} to {most}"),
        _ => asked.step.first().map_or(String::new(), u32::to_string),
    };
    // The line with what is set says how many they have then.
    let sets_words = |it: &Override| it.key.ends_with(".packet_words");
    let words = match asked.repeats.set.iter().any(sets_words) {
        true => "",
        false => "packets of 10 words, ",
    };
    format!(
        "{0} x {0} nodes, {words}{1} traffic, {2}, {3} ns measured, ± 95 % intervals.\n\
         A step takes {step} ps, a segment of a link {4} ps, in the typical corner; self-timed links are {5}, with a latch\n\
         between two segments. `clocked` covers the slowest node of the slowest corner; `binned` the chip's own slowest node, with\n\
         a margin of {6} %. Latency at {7} words/node/ns. A tick costs {8} pJ, of which gates leave {9}; a transition of a\n\
         handshake {10} pJ a segment. Changes are ratios seed by seed.\n",
        asked.side,
        asked.pattern,
        counted(asked.repeats.seeds as usize, "seed"),
        asked.time,
        asked.segment,
        asked.protocol,
        asked.margin,
        asked.low_load,
        costs.clock_pj,
        costs.trunk_pj,
        costs.transition_pj,
    )
}

/// Whether a design with gates is asked for without the one that has none.
fn is_alone(rows: &[SelfTimedRow], row: &SelfTimedRow) -> bool {
    let own = row.place.as_run();
    !rows.iter().any(|other| other.place == own)
}

/// A self-timed design against a clock, with gates or without.
struct Against<'a> {
    pair: Pair<'a>,
    free: Option<Pair<'a>>,
    gated: Option<Pair<'a>>,
}

impl<'a> Against<'a> {
    fn of(pair: Pair<'a>, all: &[Pair<'a>]) -> Against<'a> {
        let find = |is_gated| {
            let mut same = all.iter().filter(|other| is_same(&pair, other));
            same.find(|it| it.against.place.design.is_gated == is_gated)
        };
        let (free, gated) = (find(false).copied(), find(true).copied());
        Against { pair, free, gated }
    }
}

/// Whether two pairs differ only by gates.
fn is_same(one: &Pair<'_>, other: &Pair<'_>) -> bool {
    let run = |pair: &Pair<'_>| pair.against.place.as_run();
    one.own.place == other.own.place && run(one) == run(other)
}

/// What self-timing changes against each clock: latency and throughput, which gates don't change, and energy, which they do.
fn against(all: &[Pair<'_>]) -> String {
    let first = all.iter().enumerate();
    let first = first.filter(|(at, pair)| !all[..*at].iter().any(|it| is_same(it, pair)));
    let lines: Vec<Against<'_>> = first.map(|(_, pair)| Against::of(*pair, all)).collect();
    let timing = |it: &Against<'_>| match it.pair.against.place.design.timing {
        Timing::Clocked => "clocked",
        Timing::Binned => "binned",
        Timing::Average => "average",
        Timing::SelfTimed => "self-timed",
    };
    let energy = |pair: Option<Pair<'_>>, load| change(pair.and_then(|it| it.energy(load)));
    let margin = |it: &Against<'_>| dash(it.pair.break_even_margin().map(|it| format!("{it:+.1}")));
    Aligned::<Against<'_>>::new()
        .left("spread\n%", 7, |it| it.pair.own.place.spread)
        .left("clock", 8, timing)
        .right("corner\n%", 6, |it| corner(it.pair.own.place.corner))
        .right("latency\n%", 14, |it| change(it.pair.latency()))
        .right("accepted\n%", 14, |it| change(it.pair.accepted()))
        .right("even at\nmargin, %", 10, margin)
        .right("energy, %\nungated", 14, move |it| {
            energy(it.free, Load::Low)
        })
        .right("\ngated", 14, move |it| energy(it.gated, Load::Low))
        .right("at overload, %\nungated", 15, move |it| {
            energy(it.free, Load::Most)
        })
        .right("\ngated", 14, move |it| energy(it.gated, Load::Most))
        .text(&lines)
}

/// Whether prices change the sign of what energy does: of each clock at each load, over spreads and corners.
fn prices(all: &[Pair<'_>]) -> String {
    let variants: Vec<Variant> = all.iter().flat_map(Pair::variants).collect();
    let keys = distinct(variants.iter().map(|it| (it.against, it.load)));
    let of = |key: (Design, Load)| {
        let own = variants
            .iter()
            .filter(move |it| (it.against, it.load) == key);
        let ratios: Vec<(bool, f64)> = own
            .filter_map(|it| Some((it.is_as_given(), it.ratio?.mean)))
            .collect();
        let span = |given: Vec<f64>| {
            let least = given.iter().copied().fold(f64::INFINITY, f64::min);
            let most = given.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (100.0 * (least - 1.0), 100.0 * (most - 1.0))
        };
        let given = span(ratios.iter().filter(|it| it.0).map(|it| it.1).collect());
        (key, given, span(ratios.iter().map(|it| it.1).collect()))
    };
    let lines: Vec<_> = keys.into_iter().map(of).collect();
    type Line = ((Design, Load), (f64, f64), (f64, f64));
    let range = |(least, most): (f64, f64)| format!("{least:+.1} to {most:+.1}");
    let sign = |it: &Line| match it.2 {
        (_, most) if most < 0.0 => "less",
        (least, _) if least > 0.0 => "more",
        _ => "depends on prices",
    };
    Aligned::<Line>::new()
        .left("self-timed energy against", 26, |it| it.0.0.name())
        .left("at", 9, |it| it.0.1.name())
        .right("%", 17, move |it| range(it.1))
        .right("prices x 0.5 to x 2, %", 24, move |it| range(it.2))
        .left("", 18, sign)
        .text(&lines)
}

/// Where energy goes, in the first spread and the corner nearest to the typical one.
fn split(rows: &[SelfTimedRow]) -> String {
    let spread = rows[0].place.spread;
    let corners = rows.iter().filter_map(|row| row.place.corner);
    let typical = corners.min_by(|one, other| one.abs().total_cmp(&other.abs()));
    let own = rows.iter().filter(|row| {
        let place = &row.place;
        place.spread == spread && (place.corner.is_none() || place.corner == typical)
    });
    let mean = |row: &SelfTimedRow, load, of| {
        dash(row.energy(load, of).map(|it| format!("{:.2}", it.mean)))
    };
    type Part = fn(&Spent) -> f64;
    let parts: [(&str, Part); 5] = [
        ("clock", |it| it.clock),
        ("steps", |it| it.steps),
        ("handshake", |it| it.handshake),
        ("datapath", |it| it.datapath),
        ("sum", Spent::total),
    ];
    let title = format!("pJ/word, spread {spread} %, corner {} %", corner(typical));
    let titles = [Load::Low, Load::Most].map(|load| {
        let titles = parts.iter().enumerate().map(|(at, (name, _))| {
            let above = if at == 0 { load.name() } else { "" };
            format!("{above}\n{name}")
        });
        (load, titles.collect::<Vec<_>>())
    });
    let mut columns =
        Aligned::<SelfTimedRow>::new().left("\ndesign", 14, |it| it.place.design.name());
    for (load, titles) in &titles {
        for (title, (_, of)) in titles.iter().zip(parts) {
            columns = columns.right(title, 10, move |it| mean(it, *load, of));
        }
    }
    format!("{title}\n{}", columns.text(own))
}
