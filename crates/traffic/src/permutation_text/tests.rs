use super::*;
use proptest::prelude::*;

fn parsed(text: &str, nodes: u32) -> Vec<(u32, u32)> {
    let pairs = parse_permutation(text, nodes);
    let pairs = pairs.unwrap_or_else(|error| panic!("{text:?}: {error}"));
    pairs.iter().map(|(source, to)| (source.0, to.0)).collect()
}

fn message(text: &str, nodes: u32) -> String {
    match parse_permutation(text, nodes) {
        Ok(pairs) => panic!("{text:?} gives {pairs:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn plain_text() {
    let text = "# a comment\n\n0 3\r\n 1,2 # and one more\n\t2 ,\t1\n3, 0";
    assert_eq!(parsed(text, 4), [(0, 3), (1, 2), (2, 1), (3, 0)]);
    assert_eq!(parsed("\u{feff}3 3\n", 4), [(3, 3)]);
    assert_eq!(parsed("007 0", 8), [(7, 0)]);
}

/// The columns may have names, before the first packet.
#[test]
fn plain_text_with_a_header() {
    let text = "# a comment\nsource,destination\n0,3\n";
    assert_eq!(parsed(text, 4), [(0, 3)]);
    assert!(message("0,3\nsource,destination\n", 4).starts_with("line 2, column 1: \"source\""));
    assert!(message("destination,source\n0,3\n", 4).starts_with("line 1"));
}

/// Where a node may send several packets.
#[test]
fn packets_of_which_a_node_sends_several() {
    let found = |text: &str| {
        let listed = parse_packets(text, 4).unwrap();
        let ends = listed.iter().map(|(source, to)| (source.0, to.0));
        ends.collect::<Vec<_>>()
    };
    assert_eq!(found("# two\n0,3\n\n0 3\n"), [(0, 3), (0, 3)]);
    let pairs = found("{\"packets\": [[1, 2], [1, 2]]}");
    assert_eq!(pairs, [(1, 2), (1, 2)]);
    assert_eq!(found("[2, 2, null, 2]").len(), 3);
    assert_eq!(found(""), []);
    assert!(
        parse_packets("0,4\n", 4)
            .unwrap_err()
            .to_string()
            .contains("\"4\" is not a node")
    );
}

#[test]
fn json() {
    assert_eq!(parsed("[3, null, 1, 0]", 4), [(0, 3), (2, 1), (3, 0)]);
    let text = "\n{\"name\": {\"packets\": [[]]}, \"packets\": [[2, 0],\n[0, 2]], \"x\": [1e9]}\n";
    assert_eq!(parsed(text, 4), [(2, 0), (0, 2)]);
    assert_eq!(parsed("\u{feff} [1, 0]", 2), [(0, 1), (1, 0)]);
}

#[test]
fn plain_errors_say_where_and_what() {
    let not = |place, found| {
        format!("line {place}: {found:?} is not a node; nodes are whole numbers from 0 to 3")
    };
    for (text, expected) in [
        ("0 1\n2 x", not("2, column 3", "x")),
        ("4 0", not("1, column 1", "4")),
        ("0,\t-1", not("1, column 4", "-1")),
        ("0 +1", not("1, column 3", "+1")),
        ("0 1.0", not("1, column 3", "1.0")),
        (
            "99999999999999999999999 1",
            not("1, column 1", "99999999999999999999999"),
        ),
        ("0 4294967296", not("1, column 3", "4294967296")),
        (",1", not("1, column 1", ",")),
        ("1,", not("1, column 2", ",")),
        (
            "0 1\n\n 0 2",
            "line 3, column 2: a second packet from node 0; a node sends at most one".into(),
        ),
        (
            "0 1\n2 1",
            "line 2, column 3: a second packet to node 1; a node receives at most one".into(),
        ),
    ] {
        assert_eq!(message(text, 4), expected);
    }
    for (text, start) in [
        ("0", "line 1, column 2: the number of fields is 1;"),
        ("0 1 2", "line 1, column 5: the number of fields is 3;"),
        ("0 1\n1,,2", "line 2, column 3: the number of fields is 3;"),
        ("0 1,2", "line 1, column 4: the number of fields is 3;"),
    ] {
        assert!(message(text, 4).starts_with(start), "{}", message(text, 4));
    }
}

#[test]
fn json_errors_say_where_and_what() {
    let not = |place, found| {
        format!("line {place}: {found:?} is not a node; nodes are whole numbers from 0 to 3")
    };
    for (text, expected) in [
        ("[0,\n 4]", not("2, column 2", "4")),
        ("[0, -1]", not("1, column 6", "-1")),
        ("[0, 1.5]", not("1, column 7", "1.5")),
        ("[0, \"1\"]", not("1, column 7", "1")),
        ("[true]", not("1, column 5", "true")),
        ("{\"packets\": [[0, null]]}", not("1, column 21", "null")),
        (
            "{\"packets\": [[99999999999999999999, 1]]}",
            not("1, column 34", "100000000000000000000"),
        ),
    ] {
        assert_eq!(message(text, 4), expected);
    }
    for (text, part) in [
        (
            "[0, 0, 1, 2]",
            "line 1, column 5: a second packet to node 0",
        ),
        (
            "{\"packets\": [[0, 1],\n [0, 2]]}",
            "line 2, column 3: a second packet from node 0",
        ),
        (
            "[0, 1, 2]",
            "3 destinations; a list has one for each of 4 nodes",
        ),
        ("[0, 1, 2, 3, null]", "more than 4 destinations"),
        (
            "{\"packets\": [[0]]}",
            "a packet as a list of length 1; a packet is [source, destination]",
        ),
        ("{\"packets\": [[]]}", "a packet as a list of length 0"),
        (
            "{\"packets\": [[0, 1, 2, 3]]}",
            "a packet as a list of length 3 or more",
        ),
        ("{\"packet\": []}", "an object without `packets`"),
        (
            "{\"packets\": [], \"packets\": []}",
            "`packets` a second time",
        ),
        (
            "{\"packets\": 3}",
            "invalid type: integer `3`, expected a list",
        ),
        (
            "{\"packets\": [3]}",
            "invalid type: integer `3`, expected a [s",
        ),
        ("[[0, 1]]", "invalid type: sequence, expected a node's"),
        ("[0, 1", "line 1, column 5: EOF"),
        ("[0, 1, 2, 3] 4", "line 1, column 14: trailing characters"),
        ("{", "EOF"),
        ("[nope", "expected ident"),
    ] {
        assert!(
            message(text, 4).contains(part),
            "{text}: {}",
            message(text, 4)
        );
    }
}

#[test]
fn a_text_without_packets_is_refused() {
    for text in [
        "",
        " \n\t\r\n",
        "# nothing\n",
        "\u{feff}",
        "{\"packets\": []}",
        "[null, null]",
    ] {
        assert!(message(text, 2).starts_with("no packet;"), "{text}");
    }
}

#[test]
fn deep_nesting_and_long_words_are_refused_briefly() {
    let deep = "[".repeat(100_000);
    assert!(message(&deep, 4).len() < 200);
    let ignored = format!("{{\"x\": {deep}");
    assert!(message(&ignored, 4).contains("EOF"));
    for text in [
        "é".repeat(100_000) + " 1",
        format!("[\"{}\"]", "é".repeat(100_000)),
    ] {
        assert!(message(&text, 4).len() < 200);
    }
    assert!(parse_permutation("0 0", 0).is_err());
    assert!(parse_permutation("[0]", 0).is_err());
}

fn permutation() -> BoxedStrategy<Vec<Option<u32>>> {
    (1u32..30)
        .prop_flat_map(|nodes| Just((0..nodes).map(Some).collect::<Vec<_>>()).prop_shuffle())
        .prop_flat_map(|images| {
            let kept = prop::collection::vec(any::<bool>(), images.len());
            (Just(images), kept)
        })
        .prop_map(|(images, kept)| {
            // The first packet always stays: a text without any is refused.
            let keep = |(place, (image, kept))| if place == 0 || kept { image } else { None };
            images.into_iter().zip(kept).enumerate().map(keep).collect()
        })
        .boxed()
}

fn pairs(images: &[Option<u32>]) -> Vec<(u32, u32)> {
    let pair = |(source, image): (usize, &Option<u32>)| image.map(|image| (source as u32, image));
    images.iter().enumerate().filter_map(pair).collect()
}

/// The permutation in each of the forms.
fn texts(images: &[Option<u32>]) -> [String; 3] {
    let pairs = pairs(images);
    let lines = pairs
        .iter()
        .map(|(source, to)| format!("{source} {to}\n"))
        .collect();
    let packets = serde_json::json!({ "packets": pairs, "about": "a test" });
    [
        lines,
        serde_json::json!(images).to_string(),
        packets.to_string(),
    ]
}

/// What is accepted must be a partial permutation of the network's nodes.
fn check(text: &str, nodes: u32) {
    match parse_permutation(text, nodes) {
        Ok(pairs) => {
            let sources: HashSet<TerminalId> = pairs.iter().map(|pair| pair.0).collect();
            let destinations: HashSet<TerminalId> = pairs.iter().map(|pair| pair.1).collect();
            assert!(!pairs.is_empty());
            assert_eq!(
                (sources.len(), destinations.len()),
                (pairs.len(), pairs.len())
            );
            assert!(
                sources
                    .iter()
                    .chain(&destinations)
                    .all(|node| node.0 < nodes)
            );
        }
        Err(error) => assert!(error.to_string().len() < 700, "{error}"),
    }
}

proptest! {
    #[test]
    fn all_forms_give_the_same_packets(images in permutation()) {
        let nodes = images.len() as u32;
        for text in texts(&images) {
            prop_assert_eq!(parsed(&text, nodes), pairs(&images));
        }
        let packets = parse_permutation(&texts(&images)[0], nodes).unwrap();
        prop_assert_eq!(parse_permutation(&write_packets(&packets), nodes).unwrap(), packets);
    }

    #[test]
    fn arbitrary_text_gives_packets_or_an_error(text in ".*", nodes in 0u32..9) {
        check(&text, nodes);
    }

    #[test]
    fn arbitrary_bytes_give_packets_or_an_error(bytes: Vec<u8>, nodes: u32) {
        check(&String::from_utf8_lossy(&bytes), nodes);
    }

    #[test]
    fn nearly_right_text_gives_packets_or_an_error(
        text in "[\\[{]?([0-9]{1,2}|null|\"packets\"|[\\[\\]{},: \n#-]){0,30}",
        nodes in 0u32..20,
    ) {
        check(&text, nodes);
    }

    #[test]
    fn mutated_files_give_packets_or_an_error(
        images in permutation(),
        form in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..4),
    ) {
        let mut bytes = texts(&images)[form].clone().into_bytes();
        for (place, byte, kind) in changes {
            let place = place.index(bytes.len() + 1);
            match kind {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, byte),
                _ if place < bytes.len() => bytes[place] = byte,
                _ => {}
            }
        }
        check(&String::from_utf8_lossy(&bytes), images.len() as u32);
    }
}

#[test]
fn a_place_is_named_as_far_as_it_is_known() {
    let message = |line, column| {
        let problem = PermutationProblem::PacketsTwice;
        let error = PermutationError {
            line,
            column,
            problem,
        };
        error.to_string()
    };
    let what = message(None, None);
    assert_eq!(
        message(Some(7), Some(9)),
        format!("line 7, column 9: {what}")
    );
    assert_eq!(message(Some(7), None), format!("line 7: {what}"));
    assert_eq!(message(None, Some(9)), what);
}
