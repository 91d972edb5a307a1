//! Files that were cut or altered, and files that aren't networks: they are refused, or are other networks.

use super::{ANYNET, GRAPHML, LINKS, NODES, read};
use flitwork_topology::Topology;
use proptest::prelude::*;

/// The files of each format: of links, and of nodes.
const GOOD: [(&str, &str, Option<&str>); 4] = [
    ("l.csv", LINKS, None),
    ("l.csv", LINKS, Some(NODES)),
    ("n.graphml", GRAPHML, None),
    ("n.anynet", ANYNET, None),
];

/// Reads files, which gives a network or a refusal whose place is in its file.
fn try_read(name: &str, links: &[u8], nodes: Option<&[u8]>) {
    let mut files = vec![(name, links)];
    let mut keys = vec![("file", name)];
    if let Some(nodes) = nodes {
        files.push(("nodes", nodes));
        keys.push(("nodes_file", "nodes"));
    }
    match read(&files, &keys) {
        Ok(shape) => assert!(shape.terminals() >= 2 && shape.nodes() >= 2),
        Err(refusal) => {
            assert!(
                !refusal.found.is_empty() && !refusal.allowed.is_empty(),
                "{refusal:?}"
            );
            let file = refusal.file.as_ref().expect("a place in a file");
            if let Some((text, span)) = &file.text {
                assert!(text.get(span.clone()).is_some(), "{refusal:?}");
            }
        }
    }
}

/// Some bytes replaced, and the rest cut off.
fn damaged(text: &str, flips: &[(usize, u8)], cut: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (at, byte) in flips {
        let at = at % bytes.len();
        bytes[at] = *byte;
    }
    let kept = cut % (2 * bytes.len());
    bytes.truncate(kept);
    bytes
}

/// What begins words of the formats, so that random text gets further.
const WORDS: &[&str] = &[
    "from",
    "to",
    "cycles",
    "from_port",
    "to_port",
    ",",
    "\n",
    "\"",
    "#",
    "a",
    "1",
    "0",
    "99999999999",
    "router ",
    "node ",
    " ",
    "<graphml>",
    "</graphml>",
    "<graph edgedefault='directed'>",
    "</graph>",
    "<node id='a'>",
    "<node id='b'/>",
    "</node>",
    "<edge source='a' target='b'/>",
    "<key id='k' for='node' attr.name='terminals'>",
    "<data key='k'>",
    "</data>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&amp;",
    "&b;",
    "&#x110000;",
    "<?xml version='1.0'?>",
    "\u{e9}",
    "\u{feff}",
    "\0",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_damaged_file_is_refused_or_another_network(
        of in 0..GOOD.len(),
        flips in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
        cut in any::<usize>(),
        in_nodes in any::<bool>(),
    ) {
        let (name, links, nodes) = GOOD[of];
        match nodes {
            Some(nodes) if in_nodes => try_read(name, links.as_bytes(), Some(&damaged(nodes, &flips, cut))),
            _ => try_read(name, &damaged(links, &flips, cut), nodes.map(str::as_bytes)),
        }
    }

    #[test]
    fn random_text_is_refused(of in 0..GOOD.len(), text in any::<String>()) {
        try_read(GOOD[of].0, text.as_bytes(), None);
    }

    #[test]
    fn random_words_are_refused_or_a_network(
        of in 0..GOOD.len(),
        words in prop::collection::vec(prop::sample::select(WORDS), 0..40),
    ) {
        try_read(GOOD[of].0, words.concat().as_bytes(), None);
    }
}

/// Every beginning of every file.
#[test]
fn cut_files() {
    for (name, links, nodes) in GOOD {
        for end in 0..=links.len() {
            try_read(name, &links.as_bytes()[..end], nodes.map(str::as_bytes));
        }
        for end in 0..=nodes.map_or(0, str::len) {
            try_read(
                name,
                links.as_bytes(),
                nodes.map(|nodes| &nodes.as_bytes()[..end]),
            );
        }
    }
}
