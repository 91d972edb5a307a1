//! A run over time, as a table and as a figure: loads, latency, backlog and use of links.

use flitwork_experiment::intervals::{Interval, OverTime};
use flitwork_plot::{Band, Panel, Panels, Series, Style};
use flitwork_report::{Column, column, load_unit};

/// An interval of a run.
pub(super) type Row<'a> = (&'a OverTime, &'a Interval);

/// The columns; names, units and types are those of the whole run's figures.
#[rustfmt::skip]
pub(super) fn columns<'a>() -> [Column<Row<'a>>; 17] {
    const LOAD: &str = "words/node/cycle";
    [
        column("from_cycle", "cycle", "the first cycle", |it: &Row<'_>| it.1.from.get()),
        column("to_cycle", "cycle", "the first cycle after it; the end of the run cuts the last interval short, and whatever comes later counts in it: words behind a head that counted as delivered, and what an engine had reported ahead", |it: &Row<'_>| it.1.to.get()),
        column("phase", "", "`warm-up`, `measured`, `drain`, or `mixed` where the window begins or ends within it", |it: &Row<'_>| it.0.phase(it.1)),
        column("packets_created", "packets", "made by the sources", |it: &Row<'_>| it.1.sums.created_packets),
        column("words_created", "words", "of these packets", |it: &Row<'_>| it.1.sums.created_words),
        column("offered_load_words_per_node_cycle", LOAD, "the same words per node and cycle", |it: &Row<'_>| it.0.offered(it.1)),
        column("packets_injected", "packets", "entered the network", |it: &Row<'_>| it.1.sums.injected_packets),
        column("packets_delivered", "packets", "were delivered", |it: &Row<'_>| it.1.sums.delivered_packets),
        column("words_delivered", "words", "of these packets", |it: &Row<'_>| it.1.sums.delivered_words),
        column("accepted_load_words_per_node_cycle", LOAD, "the same words per node and cycle", |it: &Row<'_>| it.0.accepted(it.1)),
        column("latency_mean_cycles", "cycles", "from creation to delivery, of the packets delivered in the interval", |it: &Row<'_>| it.1.latency_mean_cycles()),
        column("latency_max_cycles", "cycles", "the greatest of them", |it: &Row<'_>| Some(it.1.sums.latency_max_cycles).filter(|_| it.1.sums.delivered_packets > 0)),
        column("network_latency_mean_cycles", "cycles", "the same from the injection frame", |it: &Row<'_>| it.1.network_latency_mean_cycles()),
        column("packets_in_sources", "packets", "in the sources' queues at the interval's end", |it: &Row<'_>| it.1.backlog_packets),
        column("packets_in_network", "packets", "in the network at its end", |it: &Row<'_>| it.1.in_network_packets),
        column("link_words", "words", "over links", |it: &Row<'_>| it.1.sums.link_words),
        column("link_utilisation_mean", "words/cycle", "the same per wire and cycle: each direction of a link has a wire, or half-duplex links share one", |it: &Row<'_>| it.0.link_utilisation(it.1)),
    ]
}

/// The most points drawn per line: beyond it, neighbours are merged.
const MOST_POINTS: usize = 1000;

/// What a line shows of an interval.
type Value = fn(&OverTime, &Interval) -> Option<f64>;

/// The panel of loads, whose unit depends on the network.
const LOADS: &str = "loads";

/// The panels: what is on their axis, and their lines.
#[rustfmt::skip]
const PANELS: [(&str, &[(&str, Value)]); 4] = [
    (LOADS, &[("offered", |run, one| Some(run.offered(one))), ("accepted", |run, one| Some(run.accepted(one)))]),
    ("latency (cycles)", &[("mean", |_, one| one.latency_mean_cycles()), ("in the network", |_, one| one.network_latency_mean_cycles())]),
    ("packets", &[("in sources", |_, one| Some(one.backlog_packets as f64)), ("in the network", |_, one| Some(one.in_network_packets as f64))]),
    ("words/wire/cycle", &[("links", |run, one| Some(run.link_utilisation(one)))]),
];

/// A run over time; cycles outside the measured window are shaded.
pub(super) fn figure(run: &OverTime) -> Panels<'static> {
    let together = run.intervals.len().div_ceil(MOST_POINTS).max(1);
    let drawn: Vec<Interval> = run.intervals.chunks(together).map(as_one).collect();
    let series = |(style, (name, value)): (Style, &(&str, Value))| {
        let middle = |it: &Interval| (f64::from(it.from.get()) + f64::from(it.to.get())) / 2.0;
        let point = |it: &Interval| (middle(it), value(run, it).unwrap_or(f64::NAN));
        Series::new(*name, style, drawn.iter().map(point).collect())
    };
    let panel = |(y_label, lines): (&'static str, &[(&str, Value)])| {
        let styles = [Style::Line, Style::Dashed].into_iter();
        Panel {
            y_label: match y_label {
                LOADS => load_unit(run.counts_terminals),
                other => other,
            },
            series: styles.zip(lines).map(series).collect(),
        }
    };
    Panels {
        title: "The run over time",
        x_label: "cycle",
        bands: bands(run),
        panels: PANELS.map(panel).into(),
    }
}

fn as_one(intervals: &[Interval]) -> Interval {
    let (first, rest) = intervals.split_first().expect("a chunk has an element");
    rest.iter().fold(*first, Interval::with)
}

/// The cycles outside the measured window.
fn bands(run: &OverTime) -> Vec<Band<'static>> {
    let end = run.intervals.last().map_or(0, |last| last.to.get());
    let (start, stop) = (run.window.start().get(), run.window.end().get());
    let cut = |cycle: u32| f64::from(cycle.min(end));
    let phases = [
        (0, start, "warm-up", true),
        (start, stop, "measured", false),
        (stop, end, "drain", true),
    ];
    let phases = phases.into_iter().filter(|(from, to, ..)| from < to);
    phases
        .map(|(from, to, name, is_shaded)| Band {
            from: cut(from),
            to: cut(to),
            name,
            is_shaded,
        })
        .filter(|band| band.from < band.to)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_experiment::intervals::Sums;
    use flitwork_measure::Window;
    use flitwork_plot::Drawable;
    use flitwork_report::Cell;
    use flitwork_types::Cycle;

    /// A run of 4 nodes and 8 links.
    fn over_time(intervals: Vec<Interval>, [from, to]: [u32; 2]) -> OverTime {
        OverTime {
            intervals,
            window: Window::new(Cycle(from), Cycle(to)).unwrap(),
            nodes: 4,
            counts_terminals: false,
            wires: 8,
        }
    }

    fn interval(from: u32, to: u32, sums: Sums) -> Interval {
        Interval {
            from: Cycle(from),
            to: Cycle(to),
            sums,
            backlog_packets: 0,
            in_network_packets: 1,
        }
    }

    /// Where some nodes are switches only terminals share the load.
    #[test]
    fn the_unit_of_loads_says_who_shares_them() {
        let run = over_time(vec![interval(0, 10, Sums::default())], [0, 10]);
        let says = |run: &OverTime| {
            let svg = figure(run).svg();
            ["words/node/cycle", "words/terminal/cycle"].map(|unit| svg.contains(unit))
        };
        assert_eq!(says(&run), [true, false]);
        let counts_terminals = true;
        assert_eq!(
            says(&OverTime {
                counts_terminals,
                ..run
            }),
            [false, true]
        );
    }

    #[test]
    fn an_interval_is_a_row() {
        let quiet = Sums {
            created_packets: 1,
            created_words: 4,
            injected_packets: 1,
            link_words: 4,
            ..Sums::default()
        };
        let busy = Sums {
            delivered_packets: 1,
            delivered_words: 4,
            latency_cycles: 21,
            latency_max_cycles: 21,
            network_latency_cycles: 15,
            link_words: 1,
            ..Sums::default()
        };
        let run = over_time(
            vec![interval(0, 10, quiet), interval(20, 25, busy)],
            [10, 23],
        );
        let rows = run.intervals.iter().map(|interval| {
            let cells = columns().map(|column| column.cell(&(&run, interval)));
            cells.map(|cell: Cell| cell.to_string()).join(",")
        });
        let expected = [
            "0,10,warm-up,1,4,0.1,1,0,0,0,,,,0,1,4,0.05",
            "20,25,mixed,0,0,0,0,1,4,0.2,21,21,15,0,1,1,0.025",
        ];
        assert_eq!(rows.collect::<Vec<String>>(), expected);
    }

    /// A long run's figure has no more points than can be distinguished, and the same sums.
    #[test]
    fn a_long_run_is_drawn_by_fewer_points() {
        let sums = Sums {
            link_words: 1,
            ..Sums::default()
        };
        let all = (0..5_003).map(|cycle| interval(cycle, cycle + 1, sums));
        let run = over_time(all.collect(), [1_000, 4_000]);
        let figure = figure(&run);
        let points = &figure.panels[3].series[0].points;
        assert!((500..=1000).contains(&points.len()), "{}", points.len());
        assert!(points.iter().all(|(_, y)| *y == 0.125));
        let names: Vec<&str> = figure.bands.iter().map(|band| band.name).collect();
        assert_eq!(names, ["warm-up", "measured", "drain"]);
        let shaded: Vec<bool> = figure.bands.iter().map(|band| band.is_shaded).collect();
        assert_eq!(shaded, [true, false, true]);
        let svg = figure.svg();
        for text in [
            "warm-up",
            "measured",
            "drain",
            "offered",
            "in sources",
            "words/wire/cycle",
        ] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn a_run_without_a_cycle_has_a_figure() {
        let svg = figure(&over_time(Vec::new(), [0, 10])).svg();
        assert!(svg.contains("offered"));
    }
}
