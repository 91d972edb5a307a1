//! Records of networks from files: nothing else is needed to replay them.

use crate::harness::Folder;
use crate::record_parts::{Parts, bytes};
use flitwork_trace::index::InputFile;
use std::fs;

const CSV: &str = "from,to,cycles\na,b,2\nb,c,2\nc,d,2\nd,a,2\n";
const NODES: &str = "node,terminals\nd,1\nc,1\nb,0\na,1\n";
const GRAPHML: &str = r#"<graphml><key id="c" for="edge" attr.name="cycles"/><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="c">2</data></edge>
<edge source="b" target="c"><data key="c">2</data></edge></graph></graphml>
"#;
const ANYNET: &str = "router 0 node 0 router 1 2\nrouter 1 node 1 router 0 2 router 2 2\nrouter 2 node 2 router 1 2\n";

/// Each format: the keys, and the files with what alters the latency of a link in them.
type Given = (
    &'static str,
    &'static [(&'static str, &'static str, [&'static str; 2])],
);
const FORMATS: [Given; 4] = [
    ("file = \"n.csv\"", &[("n.csv", CSV, ["a,b,2", "a,b,3"])]),
    (
        "file = \"n.csv\"\nnodes_file = \"nodes.csv\"",
        &[
            ("n.csv", CSV, ["a,b,2", "a,b,3"]),
            ("nodes.csv", NODES, ["d,1", "d,0"]),
        ],
    ),
    (
        "file = \"n.graphml\"",
        &[("n.graphml", GRAPHML, [">2<", ">3<"])],
    ),
    (
        "file = \"n.net\"",
        &[(
            "n.net",
            ANYNET,
            ["router 0 2 router 2 2", "router 0 3 router 2 2"],
        )],
    ),
];

fn text(network: &str) -> String {
    format!(
        "[network]\ntopology = \"file\"\n{network}\n[router.wormhole]\nrouting = \"up-down\"\n[traffic]\n\
         pattern = \"uniform\"\npacket_words = 4\nload = 0.1\n[run]\nwarmup_cycles = 50\nmeasure_cycles = 300\n"
    )
}

const RUN: [&str; 8] = [
    "run", "n.toml", "--engine", "live", "--force", "--record", "run.flog", "--json",
];

/// A folder with a record of such a network, and the run's digest.
fn recorded((network, files): Given) -> (Folder, String) {
    let folder = Folder::new();
    for (name, text, _) in files {
        folder.write(name, text);
    }
    folder.write("n.toml", text(network));
    let digest = folder.fine(&RUN).json()["digest"].as_str().unwrap().into();
    (folder, digest)
}

#[track_caller]
fn agrees(folder: &Folder, digest: &str) {
    let said = folder.fine(&["replay", "run.flog"]).err;
    let agrees = format!("the replay agrees with its record: digest {digest}\n");
    assert_eq!(said, agrees);
}

/// The files are altered, then deleted, then the record is moved to a folder that has nothing else.
#[test]
fn a_record_replays_whatever_becomes_of_the_networks_files() {
    for given in FORMATS {
        let (folder, digest) = recorded(given);
        agrees(&folder, &digest);
        for (name, text, [was, is]) in given.1 {
            let altered = text.replace(was, is);
            assert_ne!(altered, *text);
            folder.write(name, altered);
            agrees(&folder, &digest);
            folder.write(name, "nonsense");
            agrees(&folder, &digest);
            fs::remove_file(folder.path(name)).unwrap();
            agrees(&folder, &digest);
        }
        folder.refuses(&["replay", "n.toml"], &["not a record"]);
        let other = Folder::new();
        other.write("run.flog", bytes(&folder));
        drop(folder);
        agrees(&other, &digest);
    }
}

#[test]
fn questions_about_a_record_need_no_file() {
    let (folder, _) = recorded(FORMATS[1]);
    let index = [
        "run",
        "n.toml",
        "--engine",
        "live",
        "--force",
        "--record",
        "run.flog",
        "--trace",
        "run.fltrace",
    ];
    folder.fine(&index);
    let ask = || {
        let questions: [&[&str]; 5] = [
            &["trace", "packets", "run.flog"],
            &["trace", "packets", "run.fltrace"],
            &["trace", "info", "run.flog"],
            &["trace", "why", "run.flog", "0.0"],
            &["trace", "why", "run.fltrace", "0.0"],
        ];
        questions.map(|question| folder.fine(question).out)
    };
    let before = ask();
    for name in ["n.csv", "nodes.csv", "n.toml"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    assert_eq!(ask(), before);
    folder.fine(&["view", "run.flog", "--export", "page"]);
}

/// A configuration is compared by what its files say, wherever they are.
#[test]
fn another_text_is_another_configuration() {
    let (folder, digest) = recorded(FORMATS[1]);
    let mine = ["replay", "run.flog", "--config", "n.toml"];
    folder.fine(&mine);
    let elsewhere = Folder::new();
    for name in ["n.csv", "nodes.csv", "n.toml"] {
        fs::copy(folder.path(name), elsewhere.path(name)).unwrap();
    }
    elsewhere.write("run.flog", bytes(&folder));
    elsewhere.fine(&mine);

    folder.write("n.csv", CSV.replace("a,b,2", "a,b,3"));
    folder.refuses(
        &mine,
        &[
            "another configuration",
            "n.csv had another text",
            "--what-if",
        ],
    );
    let what_if = folder.flitwork(&[&mine[..], &["--what-if"]].concat());
    assert!(what_if.err.contains("possible"), "{}", what_if.err);
    let set = ["replay", "run.flog", "--set", "network.file=n.csv"];
    folder.refuses(&set, &["another configuration", "file = \"n.csv\""]);
    let set = ["replay", "run.flog", "--set", "network.file=missing.csv"];
    folder.refuses(&set, &["missing.csv doesn't exist"]);
    agrees(&folder, &digest);
}

/// Other files are there, too: here the destinations.
#[test]
fn the_packets_of_a_file_are_in_the_record() {
    let folder = Folder::new();
    folder.write("p.csv", "0,2\n1,0\n2,1\n");
    folder.write("n.net", ANYNET);
    let of_file = "pattern = \"permutation\"\nfile = \"p.csv\"";
    let text = text("file = \"n.net\"").replace("pattern = \"uniform\"", of_file);
    folder.write("n.toml", text);
    let digest = folder.fine(&RUN).json()["digest"].clone();
    fs::remove_file(folder.path("n.net")).unwrap();
    fs::remove_file(folder.path("p.csv")).unwrap();
    agrees(&folder, digest.as_str().unwrap());
}

/// A record with another text of its file, whose checksums are right, is refused with the place.
#[test]
fn a_mistake_in_the_records_own_text_is_shown_there() {
    let (folder, _) = recorded(FORMATS[1]);
    let mut parts = Parts::of(&bytes(&folder));
    let file = &mut parts.header.files[0];
    assert!(file.name.ends_with("n.csv"));
    file.text = CSV.replace("b,c,2", "b,b,2").into();
    parts.write(&folder, "bad.flog");
    for command in [&["replay"][..], &["trace", "info"], &["debug"]] {
        let refused = [command, &["bad.flog"]].concat();
        folder.refuses(&refused, &["n.csv (in the record):3:", "b,b,2"]);
    }
}

/// Without its file's text a record is as those of earlier versions: the file must be there.
#[test]
fn a_record_without_texts_needs_the_file() {
    let (folder, digest) = recorded(FORMATS[0]);
    let mut parts = Parts::of(&bytes(&folder));
    parts.header.files.clear();
    parts.write(&folder, "run.flog");
    agrees(&folder, &digest);
    fs::remove_file(folder.path("n.csv")).unwrap();
    folder.refuses(&["replay", "run.flog"], &["n.csv doesn't exist"]);
}

/// The header is cut and flipped at every twentieth byte, the rest at some.
#[test]
fn a_damaged_record_is_refused() {
    let (folder, _) = recorded(FORMATS[1]);
    let whole = bytes(&folder);
    let header = 14 + u32::from_le_bytes(whole[10..14].try_into().unwrap()) as usize + 4;
    for at in (0..header).step_by(20) {
        folder.write("cut.flog", &whole[..at]);
        folder.refuses(&["replay", "cut.flog"], &["cut.flog: byte "]);
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        folder.write("flipped.flog", &flipped);
        folder.refuses(&["replay", "flipped.flog"], &["flipped.flog: byte "]);
        // With a right checksum, too.
        let crc = InputFile::of(String::new(), &flipped[..header - 4]).crc;
        flipped[header - 4..header].copy_from_slice(&crc.to_le_bytes());
        folder.write("flipped.flog", &flipped);
        let done = folder.flitwork(&["replay", "flipped.flog"]);
        assert!(matches!(done.code, Some(0 | 2 | 4)), "byte {at}: {done:?}");
        assert!(!done.err.contains("panicked"), "byte {at}: {}", done.err);
    }
}
