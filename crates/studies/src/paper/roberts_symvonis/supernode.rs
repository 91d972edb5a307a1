//! A supernode as a picture: its regions, its storage cycles, its buffers' cycles and its command processors.

use flitwork_schedule::simulation::{Half, Place, Quadrant, Region, Supernode};
use std::fmt::Write;

/// Pixels from one node to the next.
const CELL: u32 = 36;
const MARGIN: u32 = 24;
/// For the lines of text below.
const FOOT: u32 = 76;

fn centre(place: Place) -> [u32; 2] {
    [place.column, place.row].map(|at| MARGIN + CELL * at + CELL / 2)
}

fn colour(region: Region) -> &'static str {
    match region {
        Region::Lane => "#eceff4",
        Region::Storage(Half::Left) => "#a9c7dd",
        Region::Storage(Half::Right) => "#c5dcc0",
        Region::Buffer(_) => "#f3d19c",
    }
}

/// A closed line through places, with an arrow at its beginning.
fn cycle(svg: &mut String, places: &[Place], colour: &str, shift: i32) {
    let points = places.iter().map(|place| {
        let [x, y] = centre(*place).map(|at| at.wrapping_add_signed(shift));
        format!("{x},{y}")
    });
    let points: Vec<String> = points.collect();
    let _ = writeln!(
        svg,
        "<polygon points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
        points.join(" ")
    );
    if let [first, second, ..] = places {
        let [from, to] = [first, second]
            .map(|place| centre(*place).map(|at| f64::from(at.wrapping_add_signed(shift))));
        let [x, y] = [0, 1].map(|axis| (from[axis] + to[axis]) / 2.0);
        let [dx, dy] = [0, 1].map(|axis| (to[axis] - from[axis]) / f64::from(CELL));
        let corner = |along: f64, across: f64| {
            format!(
                "{:.1},{:.1}",
                x + dx * along - dy * across,
                y + dy * along + dx * across
            )
        };
        let corners = [corner(7.0, 0.0), corner(-5.0, 5.0), corner(-5.0, -5.0)];
        let _ = writeln!(
            svg,
            "<polygon points=\"{}\" fill=\"{colour}\"/>",
            corners.join(" ")
        );
    }
}

/// The picture, as an SVG document.
pub(super) fn drawing(supernode: &Supernode) -> String {
    let side = supernode.side();
    let width = (2 * MARGIN + CELL * side).max(560);
    let height = 2 * MARGIN + CELL * side + FOOT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let places = (0..side).flat_map(|row| (0..side).map(move |column| Place { column, row }));
    for place in places {
        let [x, y] = [place.column, place.row].map(|at| MARGIN + CELL * at);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{}\" stroke=\"white\"/>",
            colour(supernode.region(place))
        );
    }
    for (half, colour, shift) in [(Half::Left, "#0072b2", -3), (Half::Right, "#2a7d4f", 3)] {
        cycle(&mut svg, &supernode.storage_cycle(half), colour, shift);
    }
    for quadrant in Quadrant::ALL {
        cycle(&mut svg, &supernode.buffer_cycle(quadrant), "#b36b00", 0);
    }
    for place in supernode.command_processors() {
        let [x, y] = centre(place);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"white\" stroke=\"#222\" stroke-width=\"2\"/>"
        );
    }
    let (k, f) = (supernode.words(), supernode.packets());
    let cycle_nodes = supernode.storage_cycle(Half::Left).len();
    let lines = [
        format!(
            "Supernode for worms of {k} words and queues of {f} packets: {side} x {side} nodes"
        ),
        format!("blue, green: storage of either half, on a cycle of {cycle_nodes} nodes"),
        "orange: buffers; grey: lanes; circles: command processors".to_owned(),
    ];
    for (number, line) in (0..).zip(lines) {
        let y = 2 * MARGIN + CELL * side + 10 + 20 * number;
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"#222\">{line}</text>"
        );
    }
    svg += "</svg>\n";
    svg
}
