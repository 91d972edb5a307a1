//! Spots and lines, whose distances are measured here on the shapes that are drawn.

use super::*;

fn spots(places: &[(f64, f64)]) -> Vec<Spot> {
    let spot = |(number, at): (usize, &(f64, f64))| Spot {
        at: *at,
        is_filled: number.is_multiple_of(2),
        label: number.to_string(),
        marks: Vec::new(),
    };
    places.iter().enumerate().map(spot).collect()
}

fn lines(ends: &[(usize, usize)]) -> Vec<Line> {
    let line = |(from, to): &(usize, usize)| Line {
        from: *from,
        to: *to,
        is_arrow: false,
        load: 0.0,
    };
    ends.iter().map(line).collect()
}

fn diagram(places: &[(f64, f64)], ends: &[(usize, usize)]) -> Diagram<'static> {
    Diagram {
        title: "spots",
        spots: spots(places),
        lines: lines(ends),
        scale: None,
    }
}

type Point = (f64, f64);

/// The curves, and the discs of the spots.
fn drawn(figure: &Diagram<'_>) -> (Vec<Vec<Point>>, Vec<(Point, f64)>) {
    let (mut curves, mut discs) = (Vec::new(), Vec::new());
    for shape in figure.picture().shapes {
        match shape {
            Shape::Path { points, .. } => curves.push(points),
            Shape::Disc { center, radius, .. } => discs.push((center, radius)),
            _ => {}
        }
    }
    // Each spot is a rim and what is in it.
    (curves, discs.into_iter().step_by(2).collect())
}

/// How far a point is from a curve of straight pieces.
fn apart(point: (f64, f64), curve: &[(f64, f64)]) -> f64 {
    let pieces = curve.windows(2).flat_map(|ends| {
        (0..=20).map(|step| {
            let part = f64::from(step) / 20.0;
            let of = |a: f64, b: f64| a + part * (b - a);
            (of(ends[0].0, ends[1].0), of(ends[0].1, ends[1].1))
        })
    });
    let distances = pieces.map(|(x, y)| (x - point.0).hypot(y - point.1));
    distances.fold(f64::INFINITY, f64::min)
}

/// No line touches a spot other than those at its ends.
fn passes_all(figure: &Diagram<'_>) {
    let (curves, discs) = drawn(figure);
    assert_eq!(curves.len(), figure.lines.len());
    for (curve, line) in curves.iter().zip(&figure.lines) {
        for (spot, (at, radius)) in discs.iter().enumerate() {
            let distance = apart(*at, curve);
            let is_end = spot == line.from || spot == line.to;
            assert_eq!(
                distance <= *radius,
                is_end,
                "{line:?} and {spot}: {distance}"
            );
        }
    }
}

#[test]
fn lines_go_around_spots() {
    let row: Vec<(f64, f64)> = (0..5).map(|x| (f64::from(x), 0.0)).collect();
    passes_all(&diagram(&row, &[(0, 4), (4, 1), (0, 1), (2, 4)]));
    let square: Vec<(f64, f64)> = (0..25)
        .map(|n| (f64::from(n % 5), f64::from(n / 5)))
        .collect();
    let wraps: Vec<(usize, usize)> = (0..5)
        .flat_map(|n| [(5 * n, 5 * n + 4), (n, n + 20)])
        .chain([(0, 24), (4, 20), (0, 12), (1, 11)])
        .collect();
    passes_all(&diagram(&square, &wraps));
    let circle: Vec<(f64, f64)> = (0..40)
        .map(|n| (f64::from(n) * std::f64::consts::TAU / 40.0).sin_cos())
        .collect();
    let chords: Vec<(usize, usize)> = (0..40)
        .flat_map(|n| [1, 2, 3, 7, 20].map(|on| (n, (n + on) % 40)))
        .collect();
    passes_all(&diagram(&circle, &chords));
}

#[test]
fn lines_between_two_spots_lie_beside_each_other() {
    let figure = diagram(&[(0.0, 0.0), (3.0, 1.0)], &[(0, 1), (1, 0), (0, 1), (1, 0)]);
    let (curves, _) = drawn(&figure);
    for (place, one) in curves.iter().enumerate() {
        let middle = one[one.len() / 2];
        for other in &curves[..place] {
            let distance = apart(middle, other);
            assert!(distance > 4.0 || one.len() == 2, "{distance}");
        }
    }
    assert_eq!(curves.iter().filter(|curve| curve.len() == 2).count(), 1);
}

#[test]
fn an_arrow_points_at_its_end() {
    let mut figure = diagram(&[(0.0, 0.0), (1.0, 0.0)], &[(1, 0)]);
    figure.lines[0].is_arrow = true;
    let (_, discs) = drawn(&figure);
    let picture = figure.picture();
    let head = picture.shapes.iter().find_map(|shape| match shape {
        Shape::Polygon { corners, .. } => Some(corners),
        _ => None,
    });
    let (at, radius) = discs[0];
    let head = head.unwrap();
    assert_eq!(head[0], (at.0 + radius, at.1));
    assert!(head[1..].iter().all(|corner| corner.0 > at.0 + radius));
}

#[test]
fn odd_spots_and_lines_are_left_out() {
    let places = [
        (0.0, 0.0),
        (f64::NAN, 1.0),
        (2.0, 1.0),
        (f64::INFINITY, 0.0),
    ];
    let figure = diagram(&places, &[(0, 1), (0, 2), (2, 9), (3, 0)]);
    let (curves, discs) = drawn(&figure);
    assert_eq!((curves.len(), discs.len()), (1, 2));
    for places in [&[][..], &[(7.0, 7.0)], &[(1.0, 1.0), (1.0, 1.0)]] {
        let svg = drawn_svg(&diagram(places, &[(0, 1), (0, 0)]));
        assert!(svg.contains("spots"));
    }
}

/// All of a network of thousands is drawn, without labels.
#[test]
fn many_spots_are_small() {
    let places: Vec<(f64, f64)> = (0..4096)
        .map(|n| (f64::from(n % 64), f64::from(n / 64)))
        .collect();
    let svg = drawn_svg(&diagram(&places, &[(0, 4095)]));
    assert_eq!(svg.matches("<circle").count(), 2 * 4096);
    assert_eq!(svg.matches("<text").count(), 1);
}

/// A line that carries the most is the widest, one that carries nothing is as without a scale; the bar below has both ends.
#[test]
fn lines_have_the_colours_of_what_they_carry() {
    let mut figure = diagram(
        &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
        &[(0, 1), (1, 2), (2, 0)],
    );
    let strokes = |figure: &Diagram<'_>| -> Vec<(f64, Color)> {
        let shapes = figure.picture().shapes.into_iter();
        let strokes = shapes.filter_map(|shape| match shape {
            Shape::Path { width, color, .. } => Some((width, color)),
            _ => None,
        });
        strokes.collect()
    };
    let plain = strokes(&figure)[0];
    let height = figure.picture().height;
    for (line, load) in figure.lines.iter_mut().zip([0.0, 1.25, 2.5]) {
        line.load = load;
    }
    assert_eq!(strokes(&figure), [plain; 3]);
    figure.scale = Some(LineScale {
        most: 2.5,
        unit: "words",
        under: "uniform",
    });
    let [none, half, most] = strokes(&figure)[..] else {
        panic!("three lines")
    };
    assert_eq!(none, plain);
    assert!(none.0 < half.0 && half.0 < most.0 && half.1 != most.1);
    let svg = drawn_svg(&figure);
    for text in ["\n0\n", "\n2.5\n", "\nwords\n", "\nuniform\n"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(figure.picture().height > height + 40);
}
