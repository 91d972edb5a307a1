//! Stacked plots over one x axis.

use super::*;

/// From 0 to 6 with values at 0 and 1, at 3 alone, and at 5 and 6: two lines, and between them a disc in the middle of the
/// x axis, as high as the lines, whose values are the same.
#[test]
fn a_value_between_gaps_is_a_disc() {
    let gap = f64::NAN;
    let values = [2.0, 2.0, gap, 2.0, gap, 2.0, 2.0];
    let points = (0u8..7).map(f64::from).zip(values);
    let panels = Panels {
        title: "The run over time",
        x_label: "cycle",
        bands: Vec::new(),
        panels: vec![Panel {
            y_label: "latency (cycles)",
            series: vec![Series::new("mean", Style::Line, points.collect())],
        }],
    };
    drawn_svg(&panels);
    let picture = panels.picture();
    let black = Color(0, 0, 0);
    let lines = picture.shapes.iter().filter_map(|shape| match shape {
        Shape::Path { points, color, .. } if *color == black => Some(points.clone()),
        _ => None,
    });
    let lines: Vec<_> = lines.collect();
    let [before, after, _sample] = &lines[..] else {
        panic!("{lines:?}");
    };
    let discs = picture.shapes.iter().filter_map(|shape| match shape {
        Shape::Disc { center, color, .. } => Some((*center, *color)),
        _ => None,
    });
    let discs: Vec<_> = discs.collect();
    let [((x, y), color)] = discs[..] else {
        panic!("{discs:?}");
    };
    assert_eq!(color, black);
    assert!((x - (before[0].0 + after[1].0) / 2.0).abs() < 1e-6, "{x}");
    assert!((y - before[0].1).abs() < 1e-6, "{y}");
}
