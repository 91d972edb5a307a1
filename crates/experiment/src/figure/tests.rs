use super::*;
use std::io;

fn decoded(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(io::Cursor::new(bytes))
        .read_info()
        .expect("a PNG header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("a PNG image");
    (frame.width, frame.height, pixels)
}

/// Draws in both formats; returns the SVG.
fn drawn(figure: &impl Figure) -> String {
    let picture = figure.picture();
    let (width, height, pixels) = decoded(&figure.png());
    assert_eq!((width, height), (2 * picture.width, 2 * picture.height));
    assert_eq!(pixels.len(), width as usize * height as usize * 3);
    let svg = figure.svg();
    let start = format!(
        "<svg width=\"{}\" height=\"{}\" viewBox=",
        picture.width, picture.height
    );
    assert!(svg.starts_with(&start), "{}", &svg[..200]);
    assert!(svg.trim_end().ends_with("</svg>"));
    svg
}

fn map(width: usize, height: usize, values: &[f64]) -> HeatMap<'_> {
    HeatMap {
        title: "Packets in a node, cycle 4000",
        width,
        height,
        values,
        unit: "packets",
        min: None,
        max: None,
        palette: Palette::Viridis,
    }
}

/// Congestion about the corner's diagonal.
fn hot_spot(width: usize, height: usize) -> Vec<f64> {
    (0..width * height)
        .map(|node| {
            (
                (node % width) as f64 / width as f64,
                (node / width) as f64 / height as f64,
            )
        })
        .map(|(x, y)| {
            1.0 + 13.0 * (-4.0 * (x * x + y * y)).exp() * (0.5 + 0.5 * (40.0 * x * y).cos())
        })
        .collect()
}

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
fn a_map_says_what_it_shows() {
    let values = hot_spot(64, 64);
    let svg = drawn(&map(64, 64, &values));
    for text in [
        "Packets in a node, cycle 4000",
        "packets",
        "x (east)",
        "y (south)",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // Two runs of one colour at least in every row.
    assert!(svg.matches("<rect").count() > 128);
}

#[test]
fn the_origin_is_in_the_north_west() {
    // One node of nine is hot: x = 2, y = 0. In the PNG its cell is the last of the first row.
    let mut values = [0.0; 9];
    values[2] = 1.0;
    let figure = HeatMap {
        palette: Palette::Greys,
        ..map(3, 3, &values)
    };
    let picture = figure.picture();
    let dark = picture.shapes.iter().find_map(|shape| match shape {
        Shape::Rectangle {
            from,
            to,
            color: Color(15, 15, 15),
        } => Some((*from, *to)),
        _ => None,
    });
    let light = picture.shapes.iter().find_map(|shape| match shape {
        Shape::Rectangle {
            from,
            to,
            color: Color(255, 255, 255),
        } => Some((*from, *to)),
        _ => None,
    });
    let ((dark, _), (light, _)) = (dark.unwrap(), light.unwrap());
    // A cell is 48 units wide.
    assert_eq!((dark.0 - light.0, dark.1), (96.0, light.1));
    let (width, _, pixels) = decoded(&figure.png());
    let at =
        |x: f64, y: f64| pixels[3 * ((2.0 * y) as usize * width as usize + (2.0 * x) as usize)];
    assert_eq!(
        (
            at(dark.0 + 9.0, dark.1 + 9.0),
            at(light.0 + 9.0, light.1 + 9.0)
        ),
        (15, 255)
    );
}

#[test]
fn maps_of_every_size_are_drawn() {
    for (width, height) in [
        (0, 0),
        (0, 5),
        (1, 1),
        (1, 7),
        (2, 1),
        (150, 150),
        (400, 400),
        (1000, 3),
    ] {
        let values = hot_spot(width, height);
        drawn(&map(width, height, &values));
    }
    // Larger than 400: blocks of 2 x 2 are averaged.
    let values: Vec<f64> = (0..800 * 2).map(|node| (node % 2) as f64).collect();
    let picture = HeatMap {
        palette: Palette::Greys,
        ..map(800, 2, &values)
    }
    .picture();
    let Shape::Rectangle { from, to, color } = &picture.shapes[1] else {
        panic!("cells come second")
    };
    assert_eq!((to.0 - from.0, color), (400.0, &Color(15, 15, 15)));
}

/// A line of very many nodes is a strip that can be seen, in a map of its own and in one of several.
#[test]
fn the_longest_line_is_thick_enough_to_be_seen() {
    let values = hot_spot(2000, 1);
    let sheets = vec![sheet("to east", &values), sheet("to west", &values)];
    let atlas = Atlas {
        title: "Use of links",
        width: 2000,
        height: 1,
        sheets,
        across: 1,
        unit: "words",
    };
    for picture in [map(2000, 1, &values).picture(), atlas.picture()] {
        let Some(Shape::Rectangle { from, to, .. }) = picture
            .shapes
            .iter()
            .find(|shape| matches!(shape, Shape::Rectangle { .. }))
        else {
            panic!("no cell")
        };
        assert!(to.1 - from.1 >= 12.0, "{from:?} {to:?}");
    }
}

/// No title and no refusal is cut, however few or narrow the maps are.
#[test]
fn texts_of_an_atlas_are_whole() {
    let title = "Use of links, by the port through which they leave a node";
    for (sheets, says) in [
        (2, title),
        (
            1800,
            "1800 maps aren't drawn: 256 are the most. The tables have all values.",
        ),
    ] {
        let atlas = Atlas {
            title,
            width: 1,
            height: 60,
            sheets: vec![sheet("to north", &hot_spot(1, 60)); sheets],
            across: 2,
            unit: "words",
        };
        let picture = atlas.picture();
        let whole = |shape: &Shape| match shape {
            Shape::Text { at, text, size, .. } => {
                let half = super::picture::text_width(text, *size) / 2.0;
                text == says && at.0 - half > 0.0 && at.0 + half < f64::from(picture.width)
            }
            _ => false,
        };
        assert!(picture.shapes.iter().any(whole), "{says}");
    }
}

#[test]
fn odd_values_are_drawn_as_none() {
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        1e-310,
        0.0,
        -0.0,
    ];
    for palette in [Palette::Viridis, Palette::Greys] {
        for end in [
            None,
            Some(3.0),
            Some(f64::NAN),
            Some(f64::INFINITY),
            Some(-1e300),
            Some(0.0),
        ] {
            for values in [&odd[..], &odd[..3], &odd[6..], &odd[3..4], &odd[4..6], &[]] {
                drawn(&HeatMap {
                    min: end,
                    palette,
                    ..map(4, 2, values)
                });
                drawn(&HeatMap {
                    max: end,
                    palette,
                    ..map(4, 2, values)
                });
            }
        }
    }
}

#[test]
fn a_scale_that_is_exceeded_says_so() {
    let values = [1.0, 2.0, 30.0, 4.0];
    assert!(
        drawn(&HeatMap {
            max: Some(10.0),
            ..map(2, 2, &values)
        })
        .contains("≥ 10")
    );
    assert!(!drawn(&map(2, 2, &values)).contains('≥'));
}

#[test]
fn curves_say_what_they_show() {
    let svg = drawn(&experiment_2());
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
    assert!(drawn(&logarithmic).contains("2000"));
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
            drawn(&Curves {
                series,
                x_scale: scale,
                y_scale: scale,
                ..experiment_2()
            });
        }
    }
    drawn(&Curves {
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
    drawn(&Curves {
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
    let width = super::curves::PLOT_WIDTH;
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

/// An open marker has paper within; an upright line stands where it is asked for; the note is in the picture.
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

fn sheet(label: &str, values: &[f64]) -> Sheet {
    Sheet {
        label: label.into(),
        values: values.to_vec(),
    }
}

/// Two planes of 2 x 2 nodes with one scale: 8 is the lightest colour in both, 0 the darkest, and a node
/// without a value is grey.
#[test]
fn sheets_share_a_scale() {
    let atlas = Atlas {
        title: "t",
        width: 2,
        height: 2,
        sheets: vec![
            sheet("z = 0", &[0.0, 8.0, 2.0, f64::NAN]),
            sheet("z = 1", &[8.0, 0.0, 2.0, 2.0]),
        ],
        across: 2,
        unit: "packets",
    };
    let picture = atlas.picture();
    let count = |wanted: Color| {
        let of = |shape: &&Shape| {
            matches!(shape, Shape::Rectangle { from, to, color }
                if *color == wanted && to.0 - from.0 > 30.0 && to.1 - from.1 > 30.0)
        };
        picture.shapes.iter().filter(of).count()
    };
    assert_eq!(count(palette::viridis(0.0)), 2);
    assert_eq!(count(palette::viridis(1.0)), 2);
    // In the second plane two neighbours of one colour are one rectangle.
    assert_eq!(count(palette::viridis(0.25)), 2);
    assert_eq!(count(palette::GRID), 1);
    let says = |wanted: &str| {
        let of = |shape: &&Shape| matches!(shape, Shape::Text { text, .. } if text == wanted);
        picture.shapes.iter().filter(of).count()
    };
    for once in ["t", "z = 0", "z = 1", "packets", "x (east)", "y (south)"] {
        assert_eq!(says(once), 1, "{once}");
    }
    drawn(&atlas);
}

/// Whatever the number of planes and their shape, all of it stands on the paper; of too many the figure says so.
#[test]
fn any_number_of_sheets_is_drawn_or_refused() {
    for (sheets, across, width, height) in [
        (1, 1, 1, 1),
        (3, 2, 5, 1),
        (7, 3, 1, 9),
        (24, 4, 64, 64),
        (MOST_SHEETS, 16, 2, 2),
        (MOST_SHEETS + 1, 16, 2, 2),
        (0, 0, 2, 2),
    ] {
        let values = vec![1.5; width * height];
        let atlas = Atlas {
            title: "Packets in a node, mean",
            width,
            height,
            sheets: (0..sheets)
                .map(|z| sheet(&format!("z = {z}"), &values))
                .collect(),
            across,
            unit: "packets",
        };
        let picture = atlas.picture();
        let refused = picture.shapes.iter().any(
            |shape| matches!(shape, Shape::Text { text, .. } if text.contains("aren't drawn")),
        );
        assert_eq!(refused, sheets == 0 || sheets > MOST_SHEETS, "{sheets}");
        drawn(&atlas);
    }
}
