//! `topology = "links"`: the links of a file, each one way.
//!
//! A line is `node,port,node,port`: a link from the first port to the second; another line leads back. What begins with `#` is a
//! comment. Nodes are those that the lines name, from 0.

use crate::keys::{self, FILE};
use crate::{Graph, GraphError, Shape, TopologyEntry};
use flitwork_schema::{FileMistake, Key, MistakeKind, NamedFile, Span, shown};
use flitwork_types::{NodeId, Port};

/// The file's name, as configured.
#[derive(Clone, Debug, Default)]
struct LinksFile {
    file: String,
}

const FORM: &str = "node,port,node,port";
/// The longest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

const KEYS: &[Key<LinksFile>] = &[keys::file(|it| &mut it.file)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "the links of a file, each one way; flitwork route and flitwork schedule only";
    TopologyEntry::of_files("links", help, KEYS, |given, table, files| {
        let path = files.path(&given.file);
        let mut file = NamedFile::new(table, FILE, &path, MistakeKind::Links);
        let text = files.text(&given.file, MAX_FILE_BYTES);
        file.text = text.map_err(|why| file.unreadable(why))?;
        let read = graph(&file.text).map_err(|wrong| file.wrong(wrong))?;
        Ok(Shape::from(read))
    })
    .one_way()
}

/// The graph of a text.
fn graph(text: &str) -> Result<Graph, FileMistake> {
    let lines = lines(text)?;
    let last = lines.iter().flat_map(|(_, [from, _, to, _])| [*from, *to]);
    let nodes = last.max().map_or(0, |last| last.saturating_add(1));
    let whole = |error: &GraphError| FileMistake {
        at: None,
        found: error.to_string(),
        allowed: "links along which every node reaches every other".into(),
    };
    let mut graph = Graph::of_nodes(nodes).map_err(|error| whole(&error))?;
    for (span, [from, port, to, through]) in lines {
        let end = |node, port| (NodeId(node), Port(u8::try_from(port).unwrap_or(u8::MAX)));
        let linked = graph.link_one_way(end(from, port), end(to, through));
        linked.map_err(|error| FileMistake {
            at: Some(span),
            found: error.to_string(),
            allowed: "links between two nodes, each port once at either end of a link".into(),
        })?;
    }
    graph.build_one_way().map_err(|error| whole(&error))
}

/// The lines that say something, and their numbers.
fn lines(text: &str) -> Result<Vec<(Span, [u32; 4])>, FileMistake> {
    let mut all = Vec::new();
    let mut begin = 0;
    for line in text.split('\n') {
        let span = begin..begin + line.trim_end().len();
        begin += line.len() + 1;
        let line = line.trim();
        // The first one may say what the columns are.
        if line.is_empty() || line.starts_with('#') || all.is_empty() && line == FORM {
            continue;
        }
        let cells: Option<Vec<u32>> = line.split(',').map(|it| it.trim().parse().ok()).collect();
        match cells.and_then(|cells| cells.try_into().ok()) {
            Some(link) => all.push((span, link)),
            None => {
                return Err(FileMistake {
                    at: Some(span),
                    found: format!("`{}`", shown(line)),
                    allowed: "node,port,node,port a line".into(),
                });
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::graph;
    use crate::Topology;
    use flitwork_types::NodeId;

    #[test]
    fn a_ring_one_way() {
        let text = "# A ring.\nnode,port,node,port\n0,0,1,1\n1,0,2,1\r\n\n2, 0, 0, 1\n";
        let ring = graph(text).ok().unwrap();
        assert_eq!((ring.nodes(), ring.distance(NodeId(0), NodeId(2))), (3, 2));
    }

    #[test]
    fn what_is_no_graph_is_refused_with_its_place() {
        let refused = |text: &str| {
            let wrong = graph(text).err().unwrap();
            (wrong.at.map(|span| text[span].to_owned()), wrong.found)
        };
        let at = |line: &str, found: &str| (Some(line.to_owned()), found.to_owned());
        assert_eq!(refused("0,0,1\n"), at("0,0,1", "`0,0,1`"));
        let taken = "0,0,1,1\n1,0,0,1\n0,0,1,2\n";
        assert_eq!(
            refused(taken),
            at("0,0,1,2", "two links at port 0 of node 0")
        );
        assert_eq!(refused("").1, "0 nodes; a graph has 2 to 8192");
        let apart = "0,0,1,1\n2,0,1,2\n";
        assert_eq!(
            refused(apart),
            (None, "no path from node 1 to node 0".into())
        );
    }
}
