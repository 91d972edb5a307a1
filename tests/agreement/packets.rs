//! The preset `booksim-iq` against BookSim 2, packet by packet. Each list of `tests/booksim` is a configuration, a trace,
//! and, behind each packet of the trace, the cycle in which BookSim delivered its tail (docs/src/validation.md says how
//! they were made).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lists in which not all packets arrive in BookSim's cycle: how many do, and why not the others
/// (docs/src/validation.md).
const DIFFERENT: &[(&str, usize, &str)] = &[
    (
        "final-delay-2",
        26,
        "_SwitchEvaluate starts a word's delay only after the previous words' delays",
    ),
    (
        "flatfly-4",
        772,
        "FlatFlyOnChip::_BuildNet numbers ports otherwise",
    ),
    (
        "flatfly-4-low",
        960,
        "FlatFlyOnChip::_BuildNet numbers ports otherwise",
    ),
    (
        "routing-delay-2",
        99,
        "_RouteEvaluate starts a head's delay only after the previous heads' delays",
    ),
    (
        "torus-5-vcs-3",
        378,
        "dim_order_torus gives the middle one of three channels to both classes",
    ),
    (
        "torus-8-ties",
        374,
        "dor_next_torus draws the way half round a ring from a stream of all packets",
    ),
];

fn lists() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/booksim")
}

/// The cycles in which BookSim delivered the packets of a list.
fn booksims(list: &Path) -> Vec<u32> {
    let text = fs::read_to_string(list.with_extension("csv")).unwrap();
    let packets = text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let arrival = |line: &str| line.split_once('#')?.1.trim().parse().ok();
    packets
        .map(|line| arrival(line).expect("an arrival behind each packet"))
        .collect()
}

/// The cycles in which this simulator delivers them, with some keys of the router changed.
fn ours(list: &Path, changes: &[&str]) -> Vec<u32> {
    let name = list.file_stem().unwrap().to_str().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let rows = folder.join(format!("booksim-{name}{}.csv", changes.join("-")));
    let sets = changes
        .iter()
        .flat_map(|change| ["--set".into(), format!("router.wormhole.{change}")]);
    let run = Command::new(env!("CARGO_BIN_EXE_flitwork"))
        .args(["run", "--force", "--packets"])
        .args([&rows, list])
        .args(sets)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    let text = fs::read_to_string(rows).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (id, delivered) = (column("trace_id"), column("delivered_cycle"));
    let mut packets: Vec<(u32, u32)> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (
                fields[id].parse().unwrap(),
                fields[delivered].parse().unwrap(),
            )
        })
        .collect();
    packets.sort_unstable();
    packets
        .into_iter()
        .map(|(_, delivered)| delivered)
        .collect()
}

/// How many packets arrive in the same cycle.
fn agreeing(expected: &[u32], found: &[u32]) -> usize {
    let pairs = expected.iter().zip(found);
    pairs.filter(|(expected, found)| expected == found).count()
}

/// What the preset's choices are worth: lists in which all packets agree, and how many do with other presets' value of a
/// key.
const CHOICES: &[(&str, &[&str], usize)] = &[
    ("mesh-8-load-0.1", &["port_order=compass"], 977),
    ("mesh-8-load-0.3", &["port_order=compass"], 357),
    ("mesh-8-vcs-1-buffer-2", &["ejection_credits=false"], 166),
    ("torus-7-vcs-4", &["dateline=wrapping"], 765),
    ("speculative-islip", &["speculation=after"], 364),
    ("speculative-prio", &["speculation=beside"], 88),
    ("matrix", &["matrix_first=lowest"], 206),
    ("cmesh-4", &["first_turn=link"], 353),
    ("dragonfly-2-wavefront", &["first_turn=link"], 247),
    ("anynet-6-wavefront", &["first_turn=link"], 52),
    ("credit-delay-0", &["credit_cycles=2"], 24),
    (
        "separable-output-first",
        &[
            "vc_allocator=separable-output-first",
            "switch_allocator=separable-output-first",
        ],
        209,
    ),
];

#[test]
fn each_choice_of_the_preset_matters() {
    for (name, changes, expected) in CHOICES {
        let list = lists().join(format!("{name}.toml"));
        let same = agreeing(&booksims(&list), &ours(&list, changes));
        assert_eq!(same, *expected, "{name} with {changes:?}");
    }
}

#[test]
fn every_packet_arrives_in_booksims_cycle() {
    let files = fs::read_dir(lists())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    files.sort();
    let (mut packets, mut wrong) = (0, Vec::new());
    for list in &files {
        let name = list.file_stem().unwrap().to_str().unwrap();
        let (expected, found) = (booksims(list), ours(list, &[]));
        assert_eq!(expected.len(), found.len(), "{name}");
        assert!(expected.len() >= 600, "{name}");
        let same = agreeing(&expected, &found);
        let different = DIFFERENT.iter().find(|(different, ..)| *different == name);
        let wanted = different.map_or(expected.len(), |(_, same, _)| *same);
        if same != wanted {
            wrong.push(format!(
                "{name}: {same} of {} packets, not {wanted}",
                expected.len()
            ));
        }
        packets += expected.len();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((files.len(), packets), (48, 47_924));
}
