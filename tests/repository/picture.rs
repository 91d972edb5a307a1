//! The picture of the crates is drawn from their manifests:
//!
//! ```sh
//! FLITWORK_DRAW=1 cargo test --test cli repository::picture
//! ```
//!
//! redraws it, together with the table in ARCHITECTURE.md.

use super::{list, metadata, root, text};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

const PICTURE: &str = "docs/src/figures/crates.svg";
const PAGE: &str = "ARCHITECTURE.md";
/// The text before and after the table in the page.
const MARKS: [&str; 2] = ["<!-- crates, from their manifests -->\n", "<!-- end -->"];

/// A crate, without the common prefix of names: what it is, and what it uses directly.
struct Room {
    description: String,
    uses: BTreeSet<String>,
}

type Rooms = BTreeMap<String, Room>;

fn short(name: &str) -> String {
    name.strip_prefix("flitwork-").unwrap_or(name).to_owned()
}

fn rooms() -> Rooms {
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages");
    let own: BTreeSet<&str> = packages.iter().map(|it| text(it, "name")).collect();
    let room = |package| {
        let used = list(package, "dependencies").iter();
        let used = used.filter(|it| it["kind"].is_null() && own.contains(text(it, "name")));
        let room = Room {
            description: text(package, "description").to_owned(),
            uses: used.map(|it| short(text(it, "name"))).collect(),
        };
        (short(text(package, "name")), room)
    };
    packages.iter().map(room).collect()
}

/// Everything that a crate uses, directly or through others.
fn reach<'r>(rooms: &'r Rooms, name: &str, found: &mut BTreeSet<&'r str>) {
    for used in &rooms[name].uses {
        if found.insert(used) {
            reach(rooms, used, found);
        }
    }
}

/// What a crate uses and no other crate that it uses does.
fn arrows<'r>(rooms: &'r Rooms, name: &str) -> Vec<&'r str> {
    let uses = &rooms[name].uses;
    let mut indirect = BTreeSet::new();
    for used in uses {
        reach(rooms, used, &mut indirect);
    }
    let direct = uses.iter().map(String::as_str);
    direct.filter(|used| !indirect.contains(used)).collect()
}

/// The longest chain of arrows from a crate.
fn height(rooms: &Rooms, name: &str) -> usize {
    let below = rooms[name].uses.iter().map(|used| height(rooms, used) + 1);
    below.max().unwrap_or(0)
}

/// An item of a row: a crate, or an arrow that passes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    name: String,
    /// The target of the arrow.
    passes_to: Option<String>,
}

/// The rows from the bottom, and the lines between an item and one in the next row below.
#[derive(Default)]
struct Drawing {
    rows: Vec<Vec<Item>>,
    lines: Vec<(usize, Item, Item)>,
}

const BOX: (f64, f64) = (92.0, 30.0);
const PASS: f64 = 14.0;
const GAP: (f64, f64) = (16.0, 40.0);

impl Item {
    fn width(&self) -> f64 {
        if self.passes_to.is_none() {
            BOX.0
        } else {
            PASS
        }
    }
}

impl Drawing {
    fn of(rooms: &Rooms) -> Drawing {
        let mut drawing = Drawing::default();
        let standing = |name: &str| Item {
            name: name.to_owned(),
            passes_to: None,
        };
        let top = rooms.keys().map(|name| height(rooms, name)).max();
        drawing.rows.resize_with(top.unwrap_or(0) + 1, Vec::new);
        for name in rooms.keys() {
            let from = height(rooms, name);
            drawing.rows[from].push(standing(name));
            for to in arrows(rooms, name) {
                let mut above = standing(name);
                for row in (height(rooms, to) + 1..from).rev() {
                    let pass = Item {
                        name: name.clone(),
                        passes_to: Some(to.to_owned()),
                    };
                    drawing.rows[row].push(pass.clone());
                    drawing.lines.push((row + 1, above, pass.clone()));
                    above = pass;
                }
                let row = height(rooms, to) + 1;
                drawing.lines.push((row, above, standing(to)));
            }
        }
        for _ in 0..8 {
            drawing.order();
        }
        drawing
    }

    fn width(row: &[Item]) -> f64 {
        let boxes: f64 = row.iter().map(|item| item.width() + GAP.0).sum();
        boxes - GAP.0
    }

    fn widest(&self) -> f64 {
        self.rows
            .iter()
            .map(|row| Drawing::width(row))
            .fold(0.0, f64::max)
    }

    /// An item's middle.
    fn middle(&self, row: usize, wanted: &Item) -> f64 {
        let mut x = (self.widest() - Drawing::width(&self.rows[row])) / 2.0;
        for item in &self.rows[row] {
            if item == wanted {
                return x + item.width() / 2.0;
            }
            x += item.width() + GAP.0;
        }
        panic!("{wanted:?} isn't in row {row}")
    }

    /// Sorts every row by the positions of the other ends of its lines: above it, then below.
    fn order(&mut self) {
        let top = self.rows.len() - 1;
        for row in (0..top).rev() {
            self.order_row(row, row + 1);
        }
        for row in 1..=top {
            self.order_row(row, row - 1);
        }
    }

    fn order_row(&mut self, row: usize, beside: usize) {
        let place = |item: &Item| {
            let ends = self.lines.iter().filter_map(|(upper, from, to)| {
                let (here, there) = if beside > row { (to, from) } else { (from, to) };
                (*upper == row.max(beside) && here == item).then_some(there)
            });
            let ends: Vec<f64> = ends.map(|end| self.middle(beside, end)).collect();
            let own = self.middle(row, item);
            if ends.is_empty() {
                own
            } else {
                ends.iter().sum::<f64>() / ends.len() as f64
            }
        };
        let items = self.rows[row].iter();
        let mut placed: Vec<(f64, Item)> = items.map(|it| (place(it), it.clone())).collect();
        placed.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
        self.rows[row] = placed.into_iter().map(|(_, item)| item).collect();
    }

    fn svg(&self) -> String {
        let step = BOX.1 + GAP.1;
        let (width, height) = (
            self.widest() + 20.0,
            self.rows.len() as f64 * step - GAP.1 + 20.0,
        );
        let top = |row: usize| 10.0 + (self.rows.len() - 1 - row) as f64 * step;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"14\">\n\
             <title>Flitwork's crates: an arrow points at what a crate uses</title>\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0L8,4L0,8z\" fill=\"#555\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for (upper, from, to) in &self.lines {
            let (x1, x2) = (
                10.0 + self.middle(*upper, from),
                10.0 + self.middle(*upper - 1, to),
            );
            let (y1, y2) = (top(*upper) + BOX.1, top(*upper - 1));
            let half = f64::midpoint(y1, y2);
            let (through, tip) = match (&from.passes_to, &to.passes_to) {
                (_, Some(_)) => (format!("V{:.0}", y2 + BOX.1), ""),
                (_, None) => (String::new(), " marker-end=\"url(#tip)\""),
            };
            let _ = writeln!(
                svg,
                "<path d=\"M{x1:.0},{y1:.0}C{x1:.0},{half:.0} {x2:.0},{half:.0} {x2:.0},{y2:.0}{through}\" \
                 fill=\"none\" stroke=\"#555\"{tip}/>"
            );
        }
        for (row, items) in self.rows.iter().enumerate() {
            for item in items.iter().filter(|item| item.passes_to.is_none()) {
                let (x, y) = (10.0 + self.middle(row, item), top(row));
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.0}\" y=\"{y:.0}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#eef3fb\" \
                     stroke=\"#335\"/><text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                    x - BOX.0 / 2.0,
                    BOX.0,
                    BOX.1,
                    y + 20.0,
                    item.name
                );
            }
        }
        svg + "</svg>\n"
    }
}

/// One row per crate, from the top.
fn table(rooms: &Rooms) -> String {
    let mut names: Vec<&String> = rooms.keys().collect();
    names.sort_by_key(|name| (std::cmp::Reverse(height(rooms, name)), *name));
    let mut table = "| crate | what it is | uses |\n|---|---|---|\n".to_owned();
    for name in names {
        let room = &rooms[name];
        let uses: Vec<&str> = room.uses.iter().map(String::as_str).collect();
        let _ = writeln!(
            table,
            "| `{name}` | {} | {} |",
            room.description,
            uses.join(", ")
        );
    }
    table
}

/// Writes a file if that is requested; otherwise the file must already hold this text.
fn hold(path: &str, made: &str) {
    let file = root().join(path);
    if std::env::var_os("FLITWORK_DRAW").is_some() {
        fs::write(&file, made).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == made,
        "{path} isn't what the manifests say: FLITWORK_DRAW=1 cargo test --test cli repository::picture"
    );
}

#[test]
fn the_picture_is_what_the_manifests_say() {
    let rooms = rooms();
    hold(PICTURE, &Drawing::of(&rooms).svg());
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (head, rest) = page.split_once(MARKS[0]).expect("where the table begins");
    let (_, tail) = rest.split_once(MARKS[1]).expect("where the table ends");
    let made = format!("{head}{}\n{}\n{}{tail}", MARKS[0], table(&rooms), MARKS[1]);
    hold(PAGE, &made);
}

/// Arrows that follow from others are left out, and nothing else.
#[test]
fn arrows_that_follow_from_others_are_left_out() {
    let room = |uses: &[&str]| Room {
        description: String::new(),
        uses: uses.iter().map(|&it| it.to_owned()).collect(),
    };
    let rooms = Rooms::from([
        ("a".to_owned(), room(&["b", "c", "d"])),
        ("b".to_owned(), room(&["d"])),
        ("c".to_owned(), room(&[])),
        ("d".to_owned(), room(&["c"])),
    ]);
    assert_eq!(arrows(&rooms, "a"), ["b"]);
    assert_eq!(arrows(&rooms, "d"), ["c"]);
    assert_eq!((height(&rooms, "a"), height(&rooms, "c")), (3, 0));
}
