//! Maps over nodes, one or several.

use super::*;
use crate::heat_map::MOST_SHEETS;

#[test]
fn a_map_says_what_it_shows() {
    let values = hot_spot(64, 64);
    let svg = drawn_svg(&map(64, 64, &values));
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
    let (width, _, pixels) = decoded(&figure.png_with(&[]));
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
        drawn_svg(&map(width, height, &values));
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
    let atlas = HeatMap {
        title: "Use of links",
        width: 2000,
        height: 1,
        sheets,
        across: 1,
        unit: "words",
        palette: Palette::Viridis,
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
    let title = "Link utilisation, by output port";
    for (sheets, says) in [
        (2, title),
        (
            1800,
            "1800 maps aren't drawn: at most 256 fit. The tables have all values.",
        ),
    ] {
        let atlas = HeatMap {
            title,
            width: 1,
            height: 60,
            sheets: vec![sheet("to north", &hot_spot(1, 60)); sheets],
            across: 2,
            unit: "words",
            palette: Palette::Viridis,
        };
        let picture = atlas.picture();
        let whole = |shape: &Shape| match shape {
            Shape::Text { at, text, size, .. } => {
                let half = crate::picture::text_width(text, *size) / 2.0;
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
        for values in [&odd[..], &odd[..3], &odd[6..], &odd[3..4], &odd[4..6], &[]] {
            drawn_svg(&HeatMap {
                palette,
                ..map(4, 2, values)
            });
        }
    }
}

/// Two planes of 2 x 2 nodes with one scale: 8 is the lightest colour in both, 0 the darkest, and a node
/// without a value is grey.
#[test]
fn sheets_share_a_scale() {
    let atlas = HeatMap {
        title: "t",
        width: 2,
        height: 2,
        sheets: vec![
            sheet("z = 0", &[0.0, 8.0, 2.0, f64::NAN]),
            sheet("z = 1", &[8.0, 0.0, 2.0, 2.0]),
        ],
        across: 2,
        unit: "packets",
        palette: Palette::Viridis,
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
    drawn_svg(&atlas);
}

/// Whatever the number of planes and their shape, all of them are on the paper; if there are too many, the figure says so.
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
        let atlas = HeatMap {
            title: "Packets in a node, mean",
            width,
            height,
            sheets: (0..sheets)
                .map(|z| sheet(&format!("z = {z}"), &values))
                .collect(),
            across,
            unit: "packets",
            palette: Palette::Viridis,
        };
        let picture = atlas.picture();
        let refused = picture.shapes.iter().any(
            |shape| matches!(shape, Shape::Text { text, .. } if text.contains("aren't drawn")),
        );
        assert_eq!(refused, sheets == 0 || sheets > MOST_SHEETS, "{sheets}");
        drawn_svg(&atlas);
    }
}
