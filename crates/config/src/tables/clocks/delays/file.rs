//! The lines and columns of a table of delays, before they are held against a network.

use crate::clocks::table::Stage;
use crate::tables::clocks::common::MAX_PERIOD_PS;
use flitwork_network::{Delay, Law};
use flitwork_schema::{FileMistake, Span, listed, nearest, shown};

/// The columns that there may be.
const COLUMNS: [&str; 8] = [
    "stage", "node", "port", "segment", "ps", "least_ps", "most_ps", "law",
];
const NEEDED: [&str; 3] = ["stage", "node", "port"];
/// What a header may be.
const HEADERS: &str = "stage, node, port and ps, or stage, node, port, least_ps, most_ps and optionally law; segment is optional with both";

/// A mistake at a place.
pub(super) fn wrong(
    at: &Span,
    found: impl Into<String>,
    allowed: impl Into<String>,
) -> Box<FileMistake> {
    Box::new(FileMistake {
        at: Some(at.clone()),
        found: found.into(),
        allowed: allowed.into(),
    })
}

/// A value of a line, and its place.
#[derive(Clone, Debug)]
pub(super) struct Cell<'t> {
    pub(super) text: &'t str,
    pub(super) at: Span,
}

/// A line: what it is about as it is written, and its delay.
pub(super) struct Row<'t> {
    pub(super) stage: Stage,
    pub(super) node: Cell<'t>,
    pub(super) port: Cell<'t>,
    /// `None` without such a column.
    pub(super) segment: Option<Cell<'t>>,
    pub(super) delay: Delay,
    /// The line's place.
    pub(super) at: Span,
}

/// The position of each column, by its place in [`COLUMNS`].
struct Header([Option<usize>; COLUMNS.len()]);

/// The rows of a file, each with its mistake if it has one.
///
/// # Errors
/// A header that is missing or wrong.
pub(super) fn rows(
    text: &str,
) -> Result<impl Iterator<Item = Result<Row<'_>, Box<FileMistake>>>, Box<FileMistake>> {
    let mut lines = lines(text);
    let (_, cells) = lines.next().ok_or_else(|| {
        Box::new(FileMistake {
            at: None,
            found: "has no header".into(),
            allowed: HEADERS.into(),
        })
    })?;
    let header = Header::of(&cells)?;
    Ok(lines.map(move |(at, cells)| header.row(at, &cells)))
}

/// The lines that aren't empty and no comments, each with its place and its cells.
fn lines(text: &str) -> impl Iterator<Item = (Span, Vec<Cell<'_>>)> {
    let mut begin = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let at = begin;
        begin += line.len();
        (at, line)
    });
    let lines = lines.map(|(begin, line)| trimmed(line, begin));
    let lines = lines.filter(|line| !line.text.is_empty() && !line.text.starts_with('#'));
    lines.map(|line| {
        let mut begin = line.at.start;
        let cells = line.text.split(',').map(|cell| {
            let at = begin;
            begin += cell.len() + 1;
            unquoted(trimmed(cell, at))
        });
        (line.at.clone(), cells.collect())
    })
}

/// A text that begins at a place, without the space around it.
fn trimmed(text: &str, begin: usize) -> Cell<'_> {
    let begin = begin + text.len() - text.trim_start().len();
    let text = text.trim();
    Cell {
        text,
        at: begin..begin + text.len(),
    }
}

/// Without the quotes that spreadsheets write.
fn unquoted(cell: Cell<'_>) -> Cell<'_> {
    let inner = cell.text.strip_prefix('"');
    match inner.and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => trimmed(inner, cell.at.start + 1),
        None => cell,
    }
}

impl Header {
    fn of(cells: &[Cell<'_>]) -> Result<Header, Box<FileMistake>> {
        let mut header = Header([None; COLUMNS.len()]);
        for (position, cell) in cells.iter().enumerate() {
            let name = shown(cell.text);
            let Some(column) = COLUMNS.iter().position(|column| *column == cell.text) else {
                let meant = nearest(cell.text, COLUMNS.into_iter());
                let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
                let found = format!("a column {name:?}{meant}");
                return Err(wrong(&cell.at, found, HEADERS));
            };
            if header.0[column].replace(position).is_some() {
                let found = format!("a second column {name:?}");
                return Err(wrong(&cell.at, found, HEADERS));
            }
        }
        let all = cells.first().zip(cells.last());
        let all = all.map_or(0..0, |(first, last)| first.at.start..last.at.end);
        let has = |name: &str| header.position(name).is_some();
        let bounds = ["least_ps", "most_ps"];
        let mut needed = NEEDED.to_vec();
        match has("ps") {
            false if bounds.into_iter().any(has) || has("law") => needed.extend(bounds),
            false => needed.push("ps"),
            true => {
                let others = ["least_ps", "most_ps", "law"];
                if let Some(other) = others.into_iter().find(|name| has(name)) {
                    let at = header.position(other).map_or(&all, |at| &cells[at].at);
                    let found = format!("a column {other} beside ps");
                    return Err(wrong(at, found, HEADERS));
                }
            }
        }
        match needed.into_iter().find(|name| !has(name)) {
            Some(missing) => Err(wrong(&all, format!("no column {missing}"), HEADERS)),
            None => Ok(header),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let column = COLUMNS.iter().position(|column| *column == name)?;
        self.0[column]
    }

    fn row<'t>(&self, at: Span, cells: &[Cell<'t>]) -> Result<Row<'t>, Box<FileMistake>> {
        let columns = self.0.iter().flatten().count();
        if cells.len() != columns {
            let found = format!("a line with {} values", cells.len());
            return Err(wrong(&at, found, format!("{columns}, one for each column")));
        }
        let cell = |name: &str| self.position(name).map(|position| cells[position].clone());
        let needed = |name: &str| {
            let empty = Cell {
                text: "",
                at: at.clone(),
            };
            cell(name).unwrap_or(empty)
        };
        let (name, node, port) = (needed("stage"), needed("node"), needed("port"));
        let stage = named("stage", &name, Stage::of_name, Stage::NAMES)?;
        let delay = match cell("ps") {
            Some(ps) => {
                let ps = number_of(stage, "ps", &ps)?;
                Delay::uniform(ps, ps)
            }
            None => range(stage, [needed("least_ps"), needed("most_ps")], cell("law"))?,
        };
        Ok(Row {
            stage,
            node,
            port,
            segment: cell("segment"),
            delay,
            at,
        })
    }
}

/// What a cell of a column names.
fn named<T>(
    column: &str,
    cell: &Cell<'_>,
    of_name: fn(&str) -> Option<T>,
    names: &[&str],
) -> Result<T, Box<FileMistake>> {
    of_name(cell.text).ok_or_else(|| {
        let found = format!("{column} is {:?}", shown(cell.text));
        wrong(&cell.at, found, listed(names))
    })
}

/// A delay of a stage, in ps.
fn number_of(stage: Stage, name: &str, cell: &Cell<'_>) -> Result<u64, Box<FileMistake>> {
    // Only a cycle in which a router counts may take no time.
    let least = u64::from(stage != Stage::Count);
    number(name, cell, least, MAX_PERIOD_PS)
}

/// A whole number.
pub(super) fn number(
    name: &str,
    cell: &Cell<'_>,
    least: u64,
    most: u64,
) -> Result<u64, Box<FileMistake>> {
    let is_plain = cell.text.bytes().all(|byte| byte.is_ascii_digit());
    let number = cell.text.parse().ok().filter(|_| is_plain);
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        let found = format!("{name} is {:?}", shown(cell.text));
        let allowed = format!("a whole number from {least} to {most}");
        wrong(&cell.at, found, allowed)
    })
}

/// The delay between two bounds.
fn range(
    stage: Stage,
    [least, most]: [Cell<'_>; 2],
    law: Option<Cell<'_>>,
) -> Result<Delay, Box<FileMistake>> {
    let least_ps = number_of(stage, "least_ps", &least)?;
    let most_ps = number_of(stage, "most_ps", &most)?;
    if least_ps > most_ps {
        let found = format!("most_ps is {most_ps}, below least_ps");
        let allowed = format!("a whole number from {least_ps} to {MAX_PERIOD_PS}");
        return Err(wrong(&most.at, found, allowed));
    }
    if least_ps < most_ps && !stage.may_vary() {
        let found = format!("most_ps is {most_ps}, above least_ps");
        let allowed = format!(
            "{least_ps}: the delay of the stage {} is always the same",
            stage.name()
        );
        return Err(wrong(&most.at, found, allowed));
    }
    let law = match law.filter(|law| !law.text.is_empty()) {
        None => Law::Uniform,
        Some(cell) => named("law", &cell, Law::of_name, Law::NAMES)?,
    };
    Ok(Delay {
        least_ps,
        most_ps,
        // A delay that is always the same is drawn by no law.
        law: if least_ps < most_ps {
            law
        } else {
            Law::Uniform
        },
    })
}
