//! Tables of links, and of nodes: `from,to,cycles,from_port,to_port` and `node,terminals,x,y`.
//!
//! Columns are in any order, and all but `from`, `to` and `node` may be left out, as may their cells. What begins with `#` is a comment.

use super::listing::{
    Known, Link, Listing, MAX_LINK_PORTS, MAX_TERMINALS, Mistake, Node, coordinate, line_of,
    too_many, whole, wrong,
};
use crate::{MAX_GRAPH_NODES, MAX_LINK_CYCLES};
use flitwork_schema::{FileMistake, Span, shown};
use std::collections::BTreeMap;

/// The columns of links, the first two of which must be there.
const LINKS: [&str; 5] = ["from", "to", "cycles", "from_port", "to_port"];
/// Those of nodes, the first of which must be there.
const NODES: [&str; 4] = ["node", "terminals", "x", "y"];

/// The network of a table of links, with the nodes of another one if there is one.
pub(super) fn listing(links: &str, nodes: Option<&str>) -> Result<Listing, Mistake> {
    let mut all = Nodes::default();
    if let Some(text) = nodes {
        all.read(text).map_err(|what| Mistake {
            is_in_nodes: true,
            what,
        })?;
    }
    let mut ports = Vec::new();
    let mut listed = Vec::new();
    for row in &rows(links, &LINKS, 2)? {
        let ends = [all.of(row, "from")?, all.of(row, "to")?];
        let cycles = row.number("cycles", (1, MAX_LINK_CYCLES))?;
        let through = row.both(["from_port", "to_port"])?;
        let through = through.map(|names| names.map(|name| numbered(&mut ports, name)));
        if ports.len() > MAX_LINK_PORTS {
            let found = format!("more than {MAX_LINK_PORTS} names of ports");
            let allowed =
                format!("at most {MAX_LINK_PORTS}: ports of a name are the same at all nodes");
            return Err(wrong(row.at.clone(), found, allowed).into());
        }
        listed.push(Link {
            at: row.at.clone(),
            ends,
            ports: through,
            cycles,
        });
    }
    Ok(Listing {
        known: if all.are_given {
            Known::Apart
        } else {
            Known::ByName
        },
        nodes: all.listed,
        links: listed,
        ports,
        homes: None,
    })
}

/// The number of a name, which may be a new one.
fn numbered(names: &mut Vec<String>, name: &str) -> usize {
    let known = names.iter().position(|other| other == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// The nodes by now.
#[derive(Default)]
struct Nodes {
    listed: Vec<Node>,
    by_name: BTreeMap<String, usize>,
    /// Whether there are no others than those of a table.
    are_given: bool,
}

impl Nodes {
    /// Reads those of a table.
    fn read(&mut self, text: &str) -> Result<(), FileMistake> {
        self.are_given = true;
        for row in &rows(text, &NODES, 1)? {
            let name = row.name("node")?;
            if let Some(first) = self.by_name.get(name) {
                let line = line_of(text, &self.listed[*first].at);
                let found = format!("node `{}` again; it is in line {line}", shown(name));
                return Err(wrong(row.at.clone(), found, "each node once"));
            }
            let terminals = row.number("terminals", (0, MAX_TERMINALS))?.unwrap_or(1);
            let place = match row.both(["x", "y"])? {
                None => None,
                Some([x, y]) => Some((coordinate(x, "x", &row.at)?, coordinate(y, "y", &row.at)?)),
            };
            self.add(name, row, terminals, place)?;
        }
        Ok(())
    }

    /// The node that a link's end names.
    fn of(&mut self, row: &Row, column: &'static str) -> Result<usize, FileMistake> {
        let name = row.name(column)?;
        match self.by_name.get(name) {
            Some(node) => Ok(*node),
            None if self.are_given => {
                let found = format!("node `{}`, which isn't in the table of nodes", shown(name));
                Err(wrong(row.at.clone(), found, "the nodes of that table"))
            }
            None => self.add(name, row, 1, None),
        }
    }

    fn add(
        &mut self,
        name: &str,
        row: &Row,
        terminals: u32,
        place: Option<(f64, f64)>,
    ) -> Result<usize, FileMistake> {
        let number = self.listed.len();
        if number == MAX_GRAPH_NODES as usize {
            return Err(too_many(&row.at));
        }
        self.by_name.insert(name.to_owned(), number);
        self.listed.push(Node {
            name: name.to_owned(),
            at: row.at.clone(),
            terminals,
            place,
        });
        Ok(number)
    }
}

/// A row of a table.
struct Row {
    at: Span,
    /// The cells that aren't empty, by their columns.
    cells: BTreeMap<&'static str, String>,
}

impl Row {
    fn cell(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str)
    }

    /// A cell that names something.
    fn name(&self, column: &str) -> Result<&str, FileMistake> {
        self.cell(column).ok_or_else(|| {
            let found = format!("nothing in the column {column}");
            wrong(self.at.clone(), found, "the name of a node")
        })
    }

    fn number(&self, column: &str, range: (u32, u32)) -> Result<Option<u32>, FileMistake> {
        let cell = self.cell(column);
        cell.map(|cell| whole(cell, column, range, &self.at))
            .transpose()
    }

    /// Two cells that are both filled, or neither.
    fn both(&self, columns: [&str; 2]) -> Result<Option<[&str; 2]>, FileMistake> {
        let [one, other] = columns;
        match (self.cell(one), self.cell(other)) {
            (None, None) => Ok(None),
            (Some(cell), Some(beside)) => Ok(Some([cell, beside])),
            (cell, _) => {
                let (filled, empty) = if cell.is_some() {
                    (one, other)
                } else {
                    (other, one)
                };
                let found = format!("{filled} without {empty}");
                Err(wrong(self.at.clone(), found, "both of them, or neither"))
            }
        }
    }
}

/// The rows of a table with these columns, the first so many of which must be there.
fn rows(text: &str, names: &[&'static str], needed: usize) -> Result<Vec<Row>, FileMistake> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut columns: Option<Vec<&'static str>> = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(None, error.to_string(), "a table in CSV"))?;
        let begin = record.position().map_or(0, |it| it.byte() as usize);
        let at = line_at(text, begin);
        let Some(columns) = &columns else {
            columns = Some(header(&record, &at, names, needed)?);
            continue;
        };
        if record.len() != columns.len() {
            let plural = if record.len() == 1 { "" } else { "s" };
            let found = format!("{} cell{plural}", record.len());
            let allowed = format!("{}, one for each column", columns.len());
            return Err(wrong(at, found, allowed));
        }
        let cells = columns.iter().zip(&record);
        let cells = cells.filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| (*column, cell.to_owned()));
        rows.push(Row {
            cells: cells.collect(),
            at,
        });
    }
    match columns {
        Some(_) => Ok(rows),
        None => Err(wrong(None, "no columns", columns_of(names, needed))),
    }
}

/// The columns that the first row names.
fn header(
    record: &csv::StringRecord,
    at: &Span,
    names: &[&'static str],
    needed: usize,
) -> Result<Vec<&'static str>, FileMistake> {
    let refused = |found| Err(wrong(at.clone(), found, columns_of(names, needed)));
    let mut columns = Vec::new();
    for cell in record {
        match names.iter().find(|name| **name == cell) {
            None => return refused(format!("a column `{}`", shown(cell))),
            Some(name) if columns.contains(name) => {
                return refused(format!("two columns `{name}`"));
            }
            Some(name) => columns.push(*name),
        }
    }
    match names[..needed].iter().find(|name| !columns.contains(name)) {
        Some(name) => refused(format!("no column `{name}`")),
        None => Ok(columns),
    }
}

/// The columns that a table may have, in words.
fn columns_of(names: &[&str], needed: usize) -> String {
    let (needed, others) = names.split_at(needed);
    format!(
        "the columns {}, and {} if they are needed",
        needed.join(" and "),
        others.join(", ")
    )
}

/// The line of a record, if the reader looks for it from a place on: the end of the line before, empty lines and comments may come
/// first.
fn line_at(text: &str, mut begin: usize) -> Span {
    let rest = |begin: usize| text.get(begin..).unwrap_or_default();
    let end_of_line = |begin: usize| {
        let length = rest(begin).find(['\n', '\r']);
        length.map_or(text.len(), |length| begin + length)
    };
    loop {
        match rest(begin).bytes().next() {
            Some(b'\n' | b'\r') => begin += 1,
            Some(b'#') => begin = end_of_line(begin),
            _ => return begin..end_of_line(begin).max(begin),
        }
    }
}
