//! Curves over a parameter.

use super::*;

fn experiment_2() -> Curves<'static> {
    // Chinn 1995, Table 4.1 and Figure 4.5.
    let sizes = [600.0, 1080.0, 1560.0, 1800.0, 2280.0, 2520.0];
    let minimal = [8_318.0, 25_505.0, 52_430.0, 68_696.0, 109_210.0, 133_277.0];
    let chaos = [7_075.0, 17_112.0, 29_815.0, 36_051.0, 51_428.0, 60_357.0];
    let points = |cycles: [f64; 6]| sizes.into_iter().zip(cycles).collect::<Vec<_>>();
    let fit = (0..=100)
        .map(|step| 600.0 + 19.2 * f64::from(step))
        .map(|n: f64| (n, 4.0 * 7.0 / 120.0 * n + 0.439 * n.powf(1.509)));
    Curves {
        title: "Experiment 2",
        x_label: "n (mesh of n × n nodes)",
        y_label: "cycles until the box is empty",
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            Series::new("minimal Chaos", Style::FilledCircles, points(minimal)),
            Series::new("Chaos", Style::OpenCircles, points(chaos)),
            Series::new(
                "4cn + 0.439 n^1.509 <printed>",
                Style::Dashed,
                fit.collect(),
            ),
        ],
        ..Curves::default()
    }
}

#[test]
fn curves_say_what_they_show() {
    let svg = drawn_svg(&experiment_2());
    for text in [
        "Experiment 2",
        "minimal Chaos",
        "n^1.509 &lt;printed&gt;",
        "100,000",
        "2500",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let logarithmic = Curves {
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        ..experiment_2()
    };
    assert!(drawn_svg(&logarithmic).contains("2000"));
}

#[test]
fn odd_curves_are_drawn() {
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::MAX,
        f64::MIN,
        1e-310,
        0.0,
        -0.0,
        -5.0,
        1e149,
        7.0,
    ];
    let all = || {
        odd.iter()
            .flat_map(|x| odd.iter().map(move |y| (*x, *y)))
            .collect::<Vec<_>>()
    };
    let styles = [
        Style::FilledCircles,
        Style::OpenCircles,
        Style::Line,
        Style::Dashed,
        Style::Curve,
    ];
    for points in [
        vec![],
        vec![(3.0, 4.0)],
        vec![(0.0, 0.0); 3],
        vec![(f64::NAN, 1.0)],
        all(),
    ] {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let whiskers = Some(points.clone());
            let one = |style| Series {
                whiskers: whiskers.clone(),
                ..Series::new("", style, points.clone())
            };
            let series = styles.into_iter().map(one).collect();
            drawn_svg(&Curves {
                series,
                x_scale: scale,
                y_scale: scale,
                ..experiment_2()
            });
        }
    }
    drawn_svg(&Curves {
        series: vec![],
        title: "\u{0}\n",
        x_label: "",
        ..experiment_2()
    });
    let many = |index| {
        Series::new(
            format!("series {index} {}", "long ".repeat(30)),
            Style::Line,
            all(),
        )
    };
    drawn_svg(&Curves {
        series: (0..50).map(many).collect(),
        title: &"wide ".repeat(50),
        ..experiment_2()
    });
}

/// A line to a point above the axis' end leaves the plot at its top: from (0, 0) to (1, 40) with an axis to 10 it
/// comes to the top at a quarter of the way.
#[test]
fn curves_leave_the_plot_at_its_top() {
    let curves = Curves {
        series: vec![Series::new(
            "a",
            Style::Curve,
            vec![(0.0, 0.0), (1.0, 40.0), (2.0, 0.0)],
        )],
        y_top: Some(10.0),
        ..Curves::default()
    };
    let picture = curves.picture();
    let ink = |shape: &Shape| match shape {
        Shape::Path { points, color, .. } if *color == Color(0, 0, 0) => Some(points.clone()),
        _ => None,
    };
    let lines: Vec<_> = picture.shapes.iter().filter_map(ink).collect();
    let [up, down, _sample] = &lines[..] else {
        panic!("{lines:?}");
    };
    let (left, right) = (up[0].0, down[1].0);
    let top = up[1].1;
    assert!(
        (up[1].0 - (left + (right - left) / 8.0)).abs() < 1e-6,
        "{lines:?}"
    );
    assert!((down[0].0 - (right - (right - left) / 8.0)).abs() < 1e-6);
    assert!((down[0].1 - top).abs() < 1e-6);
    // The two points on the axis and the legend's sample, and none above.
    let discs = picture.shapes.iter();
    let discs = discs.filter(|shape| matches!(shape, Shape::Disc { .. }));
    assert_eq!(discs.count(), 3);
}

/// Beyond the place at which the last curve leaves the plot nothing is seen, so that the x axis ends there: from (1, 2)
/// to (2, 40) the line is at 10 at 1 + 8/38, and the axis ends at the next quarter of its half steps, 1.25.
#[test]
fn the_x_axis_ends_where_the_last_curve_leaves() {
    let curves = Curves {
        series: vec![Series::new(
            "a",
            Style::Line,
            vec![(0.0, 1.0), (1.0, 2.0), (2.0, 40.0), (10.0, 400.0)],
        )],
        y_top: Some(10.0),
        ..Curves::default()
    };
    let picture = curves.picture();
    let line = picture.shapes.iter().find_map(|shape| match shape {
        Shape::Path { points, color, .. } if *color == Color(0, 0, 0) => Some(points),
        _ => None,
    });
    let [first, _, last] = line.unwrap()[..] else {
        panic!("{line:?}");
    };
    let share = (1.0 + 8.0 / 38.0) / 1.25;
    let width = crate::curves::PLOT_WIDTH;
    assert!((last.0 - first.0 - share * width).abs() < 1e-6, "{line:?}");
}

/// A latency isn't below 0, however wide its interval is: the whisker is cut at the axis, and one that isn't known
/// changes nothing.
#[test]
fn a_whisker_does_not_take_the_axis_below_0() {
    let labels = |points: &[(f64, f64)], whisker: (f64, f64)| -> Vec<String> {
        let whiskers = Some(vec![whisker; points.len()]);
        let one = Series {
            whiskers,
            ..Series::new("", Style::Curve, points.to_vec())
        };
        let curves = Curves {
            series: vec![one],
            ..Curves::default()
        };
        let picture = curves.picture();
        let texts = picture.shapes.iter().filter_map(|shape| match shape {
            Shape::Text {
                text,
                anchor: Anchor::Right,
                ..
            } => Some(text.clone()),
            _ => None,
        });
        texts.collect()
    };
    let positive = [(1.0, 5.0), (2.0, 6.0)];
    assert_eq!(
        labels(&positive, (-20.0, 10.0)),
        labels(&positive, (0.0, 10.0))
    );
    assert_eq!(
        labels(&positive, (f64::NAN, f64::NAN)),
        labels(&positive, (5.0, 6.0))
    );
    let mixed = labels(&[(1.0, -5.0), (2.0, 6.0)], (-20.0, 10.0));
    assert_eq!(mixed[0], "−20");
}

/// An open marker shows paper inside; a vertical line is where it was requested; the note is in the picture.
#[test]
fn open_markers_marks_and_notes_are_drawn() {
    let plain = Series::new("a", Style::Curve, vec![(0.0, 1.0), (4.0, 2.0)]);
    let drawn = |series: Series, note: &str| {
        let curves = Curves {
            series: vec![series],
            note,
            ..Curves::default()
        };
        curves.picture()
    };
    let papers = |picture: &Picture| {
        let discs = picture.shapes.iter();
        let paper = Color(255, 255, 255);
        discs
            .filter(|shape| matches!(shape, Shape::Disc { color, .. } if *color == paper))
            .count()
    };
    let before = drawn(plain.clone(), "");
    assert_eq!(papers(&before), 0);
    let one = Series {
        open: vec![false, true],
        mark: Some(3.0),
        ..plain
    };
    let after = drawn(one, "first\nsecond");
    assert_eq!(papers(&after), 1);
    let upright = after.shapes.iter().any(|shape| match shape {
        Shape::Path { points, color, .. } => {
            *color == Color(0, 0, 0)
                && points[0].0 == points[1].0
                && points[0].1 > points[1].1 + 300.0
        }
        _ => false,
    });
    assert!(upright);
    let said = |text: &str| {
        after
            .shapes
            .iter()
            .any(|shape| matches!(shape, Shape::Text { text: it, .. } if it == text))
    };
    assert!(said("first") && said("second") && after.height > before.height);
}
