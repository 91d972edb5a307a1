//! Networks from files: what is written out, and what is refused.

use crate::{Catalogue, ConfigError, FileTexts, Resolved, resolve};
use flitwork_schema::MistakeKind;
use flitwork_topology::Topology;
use std::path::Path;

const TEXT: &str = "\
[network]
topology = \"file\"
file = \"l.csv\"
[router.chaos]
[traffic]
load = 0.1
";
const LINKS: &str = "from,to,cycles\na,b,\nb,c,2\n";

/// A configuration beside a file of links.
fn with(text: &str, links: impl AsRef<[u8]>) -> Result<Resolved, ConfigError> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("l.csv"), links).unwrap();
    std::fs::write(directory.path().join("n.csv"), "node\nc\nb\na\n").unwrap();
    resolve(text, "x.toml", directory.path(), &[])
}

fn right(text: &str, links: &str) -> Resolved {
    with(text, links).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_files_are_written_out_and_their_names_can_be_replaced() {
    let keys = "format = \"csv\"\nnodes_file = \"n.csv\"\n[router";
    let mut own = right(&TEXT.replace("[router", keys), LINKS);
    assert_eq!(
        own.network.shape.node_name(flitwork_types::NodeId(0)),
        "0 (c)"
    );
    let network = "[network]\ntopology = \"file\"\nfile = \"l.csv\"\nformat = \"csv\"\nnodes_file = \"n.csv\"\n";
    assert!(own.to_toml().starts_with(network), "{}", own.to_toml());
    own.rename_files(|file| format!("/f/{file}"));
    let network = "[network]\ntopology = \"file\"\nfile = \"/f/l.csv\"\nformat = \"csv\"\nnodes_file = \"/f/n.csv\"\n";
    assert!(own.to_toml().starts_with(network), "{}", own.to_toml());
    let names: Vec<&str> = own.texts.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["/f/l.csv", "/f/n.csv"]);
    // With the texts it says all: there is no folder f.
    let text = own.to_toml();
    let catalogue = Catalogue::default();
    let read = |texts: &FileTexts| catalogue.resolve_recorded(&text, "x.flog", texts, &[]);
    assert_eq!(read(&own.texts).unwrap().0, own);
    let error = read(&FileTexts::default()).unwrap_err().to_string();
    assert!(error.contains("/f/l.csv doesn't exist"), "{error}");
    let bad = own.texts.iter();
    let bad = bad.map(|(name, text)| (name, text.replace("from,", "form,").into()));
    let bad: FileTexts = bad.collect();
    let error = read(&bad).unwrap_err().to_string();
    assert!(error.contains("/f/l.csv (in the record):1:1"), "{error}");
}

/// A checksum includes links, their latencies, terminals and names; a mesh has nothing but its keys.
#[test]
fn what_files_say_is_part_of_a_checksum() {
    let content = |text: &str, links: &str| {
        let mut all: Vec<u8> = Vec::new();
        let own = right(text, links);
        own.network.content(&mut |bytes| all.extend(bytes));
        all
    };
    let own = content(TEXT, LINKS);
    assert_eq!(content(TEXT, LINKS), own);
    assert_eq!(
        content(TEXT, "# The same.\nfrom,cycles,to\na,,b\nb,2,c\n"),
        own
    );
    for other in [
        "from,to,cycles\na,b,\nb,c,3\n",
        "from,to,cycles\na,b,\nb,d,2\n",
        "from,to,cycles\na,b,\na,c,2\n",
        "from,to,cycles,from_port,to_port\na,b,,p,q\nb,c,2,p,q\n",
    ] {
        assert_ne!(content(TEXT, other), own, "{other}");
    }
    assert_ne!(
        content(
            &TEXT.replace("[router", "nodes_file = \"n.csv\"\n[router"),
            LINKS
        ),
        own
    );
    assert!(content(super::SHORT, LINKS).is_empty());
}

#[test]
fn files_are_refused_as_other_files_are() {
    let error = resolve(TEXT, "x.toml", Path::new("no/such/directory"), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
x.toml:3:8: network.file: no/such/directory/l.csv doesn't exist
  3 | file = \"l.csv\"
    |        ^^^^^^^
  allowed: a readable file of UTF-8 text, at most 64 MiB"
    );
    assert_eq!(error.kind(), MistakeKind::File);
    let error = with(TEXT, b"from,to\na,\xff\n").unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Links);
    let found = "is not UTF-8 text: byte 10 (0xff, in line 2) isn't valid there";
    assert_eq!(error.found(), found);
    let text = TEXT.replace(
        "[router",
        "format = \"anynet\"\nnodes_file = \"n.csv\"\n[router",
    );
    assert_eq!(
        with(&text, "router 0 node 0 router 1\nrouter 1 node 1\n")
            .unwrap_err()
            .to_string(),
        "\
x.toml:5:14: network.nodes_file is \"n.csv\"
  5 | nodes_file = \"n.csv\"
    |              ^^^^^^^
  allowed: only with a file in CSV; it is read as \"anynet\""
    );
}

#[test]
fn a_mistake_in_a_file_to_the_letter() {
    let error = with(TEXT, "from,to\na,b\n\nc,c\n").unwrap_err();
    let message = error.to_string();
    let (path, message) = message.split_once("l.csv").unwrap();
    assert!(!path.is_empty());
    assert_eq!(
        message,
        "\
:4:1: a link from node `c` to itself
  4 | c,c
    | ^^^
  allowed: links between two nodes
  hint: read for network.file, x.toml:3:8"
    );
}
