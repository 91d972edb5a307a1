//! Tables of links, and of nodes: `from,to,cycles,from_port,to_port` and `node,terminals,x,y`. All columns but `from`, `to` and `node`
//! may be left out.

use super::listing::{
    Known, Link, Listing, MAX_LINK_PORTS, MAX_TERMINALS, Mistake, Node, coordinate, too_many, wrong,
};
use crate::rows::{Row, each_row, line_of};
use crate::{MAX_GRAPH_NODES, MAX_LINK_CYCLES};
use flitwork_schema::{FileMistake, shown};
use std::collections::BTreeMap;

/// The columns of links, the first two of which must be there.
const LINKS: [&str; 5] = ["from", "to", "cycles", "from_port", "to_port"];
/// Those of nodes, the first of which must be there.
const NODES: [&str; 4] = ["node", "terminals", "x", "y"];
/// What cells name.
const NAME: &str = "the name of a node";

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
    each_row(links, &LINKS, 2, |row| {
        let ends = [all.of(row, "from")?, all.of(row, "to")?];
        let cycles = row.number("cycles", (1, MAX_LINK_CYCLES))?;
        let through = row.both(["from_port", "to_port"])?;
        let through = through.map(|names| names.map(|name| numbered(&mut ports, name)));
        if ports.len() > MAX_LINK_PORTS {
            let found = format!("more than {MAX_LINK_PORTS} names of ports");
            let allowed =
                format!("at most {MAX_LINK_PORTS}: ports of a name are the same at all nodes");
            return Err(wrong(row.at.clone(), found, allowed));
        }
        listed.push(Link {
            at: row.at.clone(),
            ends,
            ports: through,
            cycles,
        });
        Ok(())
    })?;
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
        each_row(text, &NODES, 1, |row| {
            let name = row.needed("node", NAME)?;
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
            Ok(())
        })
    }

    /// The node that a link's end names.
    fn of(&mut self, row: &Row<'_>, column: &'static str) -> Result<usize, FileMistake> {
        let name = row.needed(column, NAME)?;
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
        row: &Row<'_>,
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
