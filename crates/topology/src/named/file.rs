//! `topology = "file"`: the network of a file, whose links go both ways.
//!
//! ```text
//!   CSV                GraphML                               anynet (BookSim 2)
//!
//!   from,to,cycles     <node id="a"/> <node id="b"/>         router 0 node 0 router 1 2
//!   a,b,2              <edge source="a" target="b">          router 1 node 1 router 0 2
//!                        <data key="cycles">2</data></edge>
//! ```
//!
//! A reader of each format makes a [`Listing`] of what the file says, with the places of its lines; whether that is a network is the same
//! question for all of them. Nodes are numbered as the file first names them, a node's ports in the order of its links, and terminals node by node, but in anynet
//! files routers and terminals have numbers of their own, and a router's ports are in the order of its neighbours' numbers.

mod anynet;
mod csv;
mod graphml;
mod listing;

use crate::keys::{self, FILE, NODES_FILE};
use crate::{Shape, TopologyEntry};
use flitwork_schema::{
    Allowed, Files, Key, MistakeKind, NamedFile, RawTable, Refusal, key, only_with,
};
use listing::{Listing, Mistake, wrong};

/// The files' names, as configured.
#[derive(Clone, Debug, Default)]
struct NetworkFile {
    file: String,
    format: Option<Format>,
    nodes_file: Option<String>,
}

/// How a file describes a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    Csv,
    GraphMl,
    #[default]
    AnyNet,
}

flitwork_schema::named!(Format { Csv = "csv", GraphMl = "graphml", AnyNet = "anynet" });

impl Format {
    /// That of a file whose format isn't given.
    fn of_file(name: &str) -> Format {
        let extension = name.rsplit_once('.').map(|(_, it)| it.to_lowercase());
        match extension.as_deref() {
            Some("csv") => Format::Csv,
            Some("graphml" | "xml") => Format::GraphMl,
            _ => Format::AnyNet,
        }
    }
}

const FORMAT: &str = "format";
/// The longest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 26;

#[rustfmt::skip]
const KEYS: &[Key<NetworkFile>] = &[
    keys::file(|it| &mut it.file),
    key(FORMAT, |it| &mut it.format, Allowed::Choice(Format::NAMES), "by the end of the file's name: csv of .csv, graphml of .graphml and .xml, anynet of any other", "how the file describes the network: a table of links, GraphML, or a file for BookSim's anynet"),
    only_with("a file in CSV", key(NODES_FILE, |it| &mut it.nodes_file, Allowed::Text, "nodes are those that links name, with one terminal each", "the table of nodes in CSV, relative to the configuration file's directory: the column node, and terminals, x and y if they are to be given; nodes are numbered as it lists them")),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "the network of a file in CSV, GraphML or BookSim's anynet format";
    TopologyEntry::of_files("file", help, KEYS, read)
}

fn read(given: &NetworkFile, table: &RawTable<'_>, files: &dyn Files) -> Result<Shape, Refusal> {
    let format = given.format.unwrap_or(Format::of_file(&given.file));
    if given.nodes_file.is_some() && format != Format::Csv {
        let allowed = format!("only with a file in CSV; it is read as {:?}", format.name());
        return Err(table.unread(NODES_FILE, &[FORMAT, FILE], allowed));
    }
    let open = |key, name| opened((key, name), table, files);
    let file = open(FILE, &given.file)?;
    let nodes = given.nodes_file.as_ref();
    let nodes = nodes.map(|name| open(NODES_FILE, name)).transpose()?;
    let listing = listed(
        format,
        &file.text,
        nodes.as_ref().map(|it| it.text.as_str()),
    );
    let graph = listing.and_then(|listing| listing.graph(&file.text));
    let graph = graph.map_err(|Mistake { is_in_nodes, what }| match &nodes {
        Some(nodes) if is_in_nodes => nodes.wrong(what),
        _ => file.wrong(what),
    })?;
    Ok(Shape::from(graph))
}

/// The file that a key names, with its text.
fn opened(
    (key, name): (&str, &str),
    table: &RawTable<'_>,
    files: &dyn Files,
) -> Result<NamedFile, Refusal> {
    let mut file = NamedFile::new(table, key, &files.path(name), MistakeKind::Links);
    let text = files.text(name, MAX_FILE_BYTES);
    file.text = text.map_err(|why| file.without_text(why))?;
    // Lines may end in carriage returns alone; places remain the same.
    if !file.text.contains('\n') {
        file.text = file.text.replace('\r', "\n");
    }
    match file.text.trim().is_empty() {
        true => Err(file.wrong(wrong(
            None,
            "the file is empty",
            "the nodes or links of a network",
        ))),
        false => Ok(file),
    }
}

fn listed(format: Format, text: &str, nodes: Option<&str>) -> Result<Listing, Mistake> {
    match format {
        Format::Csv => csv::listing(text, nodes),
        Format::GraphMl => Ok(graphml::listing(text)?),
        Format::AnyNet => Ok(anynet::listing(text)?),
    }
}
