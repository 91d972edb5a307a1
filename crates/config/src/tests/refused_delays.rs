//! `[clocks.delays]`: what is refused.

use super::delays::{FILE, KEYS, LINE, at, east, right, west, with_table};
use crate::{ErrorPlace, MistakeKind, resolve};
use flitwork_types::Port;
use std::path::Path;

/// Everything that is wrong with a table for the line of three Chaos nodes: the table, the place, what was found, and
/// what is allowed, or its begin.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("", "", "has no header", "stage, node, port and ps"),
    ("# nothing\n", "", "has no header", "stage, node, port and ps"),
    ("stage,node,ps\n", "1:1", "no column port", "stage, node, port and ps"),
    ("stage,node,port\n", "1:1", "no column ps", "stage, node, port and ps"),
    ("stage,node,port,least_ps\n", "1:1", "no column most_ps", "stage, node, port and ps"),
    ("stage,node,port,law\n", "1:1", "no column least_ps", "stage, node, port and ps"),
    ("stage,node,port,ps,law\n", "1:20", "a column law beside ps", "stage, node, port and ps"),
    ("stage,node,port,most_ps,ps\n", "1:17", "a column most_ps beside ps", "stage, node, port and ps"),
    ("stage,node,port,ps,ps\n", "1:20", "a second column \"ps\"", "stage, node, port and ps"),
    ("stage,node,prot,ps\n", "1:12", "a column \"prot\"; did you mean port?", "stage, node, port and ps"),
    ("stage,node,port,ps,Zzzz\n", "1:20", "a column \"Zzzz\"", "stage, node, port and ps"),
    ("stage,node,port,ps\nword,*,*\n", "2:1", "a line with 3 values", "4, one for each column"),
    ("stage,node,port,ps\nword,*,*,1,2\n", "2:1", "a line with 5 values", "4, one for each column"),
    ("stage,node,port,ps\nwords,*,*,1\n", "2:1", "stage is \"words\"", r#""word", "decision", "allocation", "credit", "count", "latency", "request" or "acknowledge""#),
    ("stage,node,port,ps\nword,3,*,1\n", "2:6", "node is \"3\"", "the number of a node, 0 to 2, or *"),
    ("stage,node,port,ps\nword,x,*,1\n", "2:6", "node is \"x\"", "the number of a node, 0 to 2, or *"),
    ("stage,node,port,ps\nword,,*,1\n", "2:6", "node is \"\"", "the number of a node, 0 to 2, or *"),
    ("stage,node,port,ps\nword,*,north,1\n", "2:8", "port is \"north\"", "east, west, local, queue, the number of a link's port, or *"),
    ("stage,node,port,ps\nword,*,2,1\n", "2:8", "port is \"2\"", "east, west, local, queue, the number of a link's port, or *"),
    ("stage,node,port,ps\nword,2,east,1\n", "2:8", "node 2 (2) has no port east", "west, local, queue or *"),
    ("stage,node,port,ps\nlatency,0,west,1\n", "2:11", "node 0 (0) has no port west", "east or *"),
    ("stage,node,port,ps\nlatency,0,local,1\n", "2:11", "port is \"local\"", "east, west, the number of a link's port, or *"),
    ("stage,node,port,ps\nlatency,0,queue,1\n", "2:11", "port is \"queue\"", "east, west, the number of a link's port, or *"),
    ("stage,node,port,ps\ncredit,0,queue,1\n", "2:10", "port is \"queue\"", "east, west, local, the number of a link's port, or *"),
    ("stage,node,port,ps\ncount,0,east,1\n", "2:9", "port is \"east\"", "*: a node counts for all its ports"),
    ("stage,node,port,ps\nword,*,*,0\n", "2:10", "ps is \"0\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\nword,*,*,1000000001\n", "2:10", "ps is \"1000000001\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\nword,*,*,1.5\n", "2:10", "ps is \"1.5\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\nword,*,*,+5\n", "2:10", "ps is \"+5\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\nword,*,*,99999999999999999999\n", "2:10", "ps is \"99999999999999999999\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\nlatency,*,*,0\n", "2:13", "ps is \"0\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,ps\ncount,*,*,-1\n", "2:11", "ps is \"-1\"", "a whole number from 0 to 1000000000"),
    ("stage,node,port,least_ps,most_ps\nword,*,*,5,4\n", "2:12", "most_ps is 4, below least_ps", "a whole number from 5 to 1000000000"),
    ("stage,node,port,least_ps,most_ps\nword,*,*,0,4\n", "2:10", "least_ps is \"0\"", "a whole number from 1 to 1000000000"),
    ("stage,node,port,least_ps,most_ps\nlatency,*,*,4,5\n", "2:15", "most_ps is 5, above least_ps", "4: the delay of the stage latency is always the same"),
    ("stage,node,port,least_ps,most_ps\ncount,*,*,4,5\n", "2:13", "most_ps is 5, above least_ps", "4: the delay of the stage count is always the same"),
    ("stage,node,port,least_ps,most_ps,law\nword,*,*,4,5,gauss\n", "2:14", "law is \"gauss\"", r#""uniform", "normal" or "data""#),
    ("stage,node,port,segment,ps\nword,*,*,0,5\n", "2:10", "segment is \"0\"", "* or an empty cell: the stage word has no segments"),
    ("stage,node,port,segment,ps\nrequest,*,*,0,5\n", "2:1", "a delay for the stage request", "latency: without [network.handshake] links are wires"),
    ("stage,node,port,ps\nacknowledge,*,*,5\n", "2:1", "a delay for the stage acknowledge", "latency: without [network.handshake] links are wires"),
    ("stage,node,port,ps\nword,*,*,5\n\nword,*,*,6\n", "4:1", "a second delay for the same stage, node and port; the first is in line 2", "one for each stage, node and port"),
    ("stage,node,port,ps\nword,*,*,5\nword,1,east,5\nword,1,0,6\n", "4:1", "a second delay for the same stage, node and port; the first is in line 3", "one for each stage, node and port"),
    ("stage,node,port,ps\nword,0,*,5\nword,2,*,5\n", "2:1", "no delay for the stage word at node 1 (1), port east", "a delay for every node and port"),
    ("stage,node,port,ps\ndecision,*,*,1\nword,*,east,5\nword,*,west,5\nword,*,local,5\n", "3:1", "no delay for the stage word at node 0 (0), port queue", "a delay for every node and port"),
    ("stage,node,port,ps\ncredit,*,east,5\ncredit,*,west,5\n", "2:1", "no delay for the stage credit at node 0 (0), port local", "a delay for every node and port"),
    ("stage,node,port,ps\ncount,1,*,5\n", "2:1", "no delay for the stage count at node 0 (0)", "a delay for every node and port"),
    ("stage,node,port,ps\nlatency,0,*,5\nlatency,1,west,5\nlatency,2,*,5\n", "2:1", "no delay for the stage latency at node 1 (1), port east", "a delay for every node and port"),
];

#[test]
fn tables_are_refused_with_their_place() {
    assert_eq!((east(), west()), (Port(0), Port(1)));
    for (table, place, found, allowed) in MISTAKES {
        // Keys give what the table may lack.
        let error = with_table(&format!("{LINE}{KEYS}{FILE}"), table.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), MistakeKind::Delays, "{table}{error}");
        assert_eq!(error.key(), Some("clocks.delays.file"), "{table}");
        assert_eq!(error.found(), *found, "{table}");
        let says = error.allowed().unwrap_or_default();
        assert!(says.starts_with(allowed), "{table}{says}");
        let at = match error.place() {
            ErrorPlace::Text { file, line, column } => {
                assert!(file.ends_with("d.csv"), "{file}");
                format!("{line}:{column}")
            }
            ErrorPlace::File(file) => {
                assert!(file.ends_with("d.csv"), "{file}");
                String::new()
            }
            ErrorPlace::CommandLine(_) | ErrorPlace::Command(_) => panic!("{error}"),
        };
        assert_eq!(at, *place, "{table}");
        assert_eq!(error.each().count(), 1, "{error}");
    }
}

/// The same mistake, where the table should have given what no key gives: nothing follows from it.
#[test]
fn a_table_that_cant_be_read_is_the_only_mistake() {
    let text = format!("{LINE}[clocks.self-timed]\n{FILE}");
    let error = with_table(&text, b"stage,node,port,ps\nword,*,*,0\n").unwrap_err();
    assert_eq!(error.each().count(), 1, "{error}");
    // Another mistake is found beside it.
    let both = format!("{text}\n[energy]\nlink_pj = -1\n");
    let error = with_table(&both, b"stage,node,port,ps\nword,*,*,0\n").unwrap_err();
    let keys = error.each();
    let mut keys: Vec<String> = keys
        .map(|it| it.key().unwrap_or_default().to_owned())
        .collect();
    keys.sort_unstable();
    assert_eq!(keys, ["clocks.delays.file", "energy.link_pj"], "{error}");
    let error = with_table(&text, b"stage,node,port,ps\nword,*,*,5\n").unwrap_err();
    assert_eq!(
        error.key(),
        Some("clocks.self-timed.decision_ps"),
        "{error}"
    );
    assert_eq!(error.each().count(), 1, "{error}");
}

#[test]
fn files_are_refused_as_other_files_are() {
    let text = format!("{LINE}{KEYS}{FILE}");
    let error = resolve(&text, "x.toml", Path::new("no/such/directory"), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
x.toml:13:8: clocks.delays.file: no/such/directory/d.csv doesn't exist
  13 | file = \"d.csv\"
     |        ^^^^^^^
  allowed: a readable file of UTF-8 text, at most 256 MiB"
    );
    assert_eq!(error.kind(), MistakeKind::File);
    let error = with_table(&text, b"stage,node,port,ps\nword,*,*,\xff\n").unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Delays);
    let found = "is not UTF-8 text: byte 28 (0xff, in line 2) isn't valid there";
    assert_eq!(error.found(), found);
}

#[test]
fn a_mistake_in_a_table_to_the_letter() {
    let text = format!("{LINE}{KEYS}{FILE}");
    let error = with_table(&text, b"stage,node,port,ps\nword,*,*,0\n").unwrap_err();
    let message = error.to_string();
    let (_, message) = message.split_once("d.csv:").unwrap();
    assert_eq!(
        message,
        "\
2:10: ps is \"0\"
  2 | word,*,*,0
    |          ^
  allowed: a whole number from 1 to 1000000000
  hint: read for clocks.delays.file, x.toml:13:8"
    );
}

/// Nodes with clocks have no stages, and the queue is asked for only where there is one.
#[test]
fn lines_fit_the_nodes() {
    let header = "stage,node,port,ps\n";
    let island = "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 900\n";
    let named = format!("{LINE}{KEYS}{FILE}{island}");
    let error = with_table(
        &named,
        format!("{header}word,*,*,5\nword,1,*,6\n").as_bytes(),
    )
    .unwrap_err();
    assert_eq!(error.found(), "a delay for node 1, which isn't self-timed");
    // All that aren't in the island have one.
    right(
        &named,
        &format!("{header}word,0,*,5\nword,2,*,6\nlatency,*,*,7\n"),
    );
    let error = with_table(
        &format!("{LINE}{FILE}"),
        format!("{header}word,*,*,5\n").as_bytes(),
    )
    .unwrap_err();
    assert_eq!(
        error.found(),
        "a delay for the stage word, but no node is self-timed"
    );
    let by_port = format!("{header}word,*,east,5\nword,*,west,5\nword,*,local,6\n");
    let hot = format!("{LINE}{KEYS}{FILE}").replace("router.chaos", "router.greedy-hp");
    right(&hot, &by_port);
    let error = with_table(&hot, format!("{by_port}word,*,queue,5\n").as_bytes()).unwrap_err();
    assert_eq!(error.found(), "no node has a port queue");
}

#[test]
fn a_spread_goes_with_its_percentage() {
    let text = |rest: &str| format!("{LINE}{KEYS}[clocks.delays]\n{rest}");
    let message = |rest: &str| {
        let read = resolve(&text(rest), "x.toml", Path::new(""), &[]);
        read.unwrap_err().to_string()
    };
    for (rest, expected) in [
        (
            "spread = \"normal\"",
            "x.toml:13:10: clocks.delays.spread_percent is missing",
        ),
        (
            "spread_percent = 5",
            "x.toml:13:18: clocks.delays.spread_percent is 5",
        ),
        (
            "spread = \"uniform\"\nspread_percent = 100",
            "x.toml:14:18: clocks.delays.spread_percent is 100",
        ),
        (
            "spread = \"cauchy\"",
            "x.toml:13:10: clocks.delays.spread is \"cauchy\"",
        ),
        ("file = \"\"", "x.toml:13:8: clocks.delays.file is"),
        (
            "files = \"d.csv\"",
            "x.toml:13:1: unknown key clocks.delays.files",
        ),
    ] {
        let message = message(rest);
        assert!(message.starts_with(expected), "{rest} gives\n{message}");
        assert!(message.contains("\n  allowed: "), "{message}");
    }
    let least = text("spread = \"uniform\"\nspread_percent = 99.9").replace("700", "1");
    let clocks = resolve(&least, "x.toml", Path::new(""), &[])
        .unwrap()
        .clocks();
    // No delay is below a ps.
    assert!((0..4).all(|port| at(&clocks, 0, Port(port)).word.least_ps >= 1));
}
