//! What is routed: permutations of a square mesh by name, of a file, or made against the rule; and their files.

use crate::context::Failed;
use crate::contract::OwnFile;
use crate::options::name_of;
use crate::paper::problems::Pattern;
use crate::statics;
use flitwork_report::Provenance;
use flitwork_topology::Grid;
use flitwork_traffic::{parse_permutation, write_packets};
use flitwork_types::NodeId;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// From where to where each packet goes.
pub(super) type Pairs = Vec<(NodeId, NodeId)>;

/// The longest file of a permutation, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// What stands in the place of a file, in a message.
pub(super) const OR_NAMES: &str = "random, reversal, transpose, or ";

/// A permutation that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Named(Pattern),
    /// What an adversary makes against the rule.
    Adversary,
    /// That of a file.
    File(PathBuf),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Named(pattern) => f.write_str(&name_of(*pattern)),
            Asked::Adversary => f.write_str("adversary"),
            Asked::File(path) => path.display().fmt(f),
        }
    }
}

impl Asked {
    /// All that have a name, the adversary's last.
    pub(super) const ALL: &[Asked] = &[
        Asked::Named(Pattern::Random),
        Asked::Named(Pattern::Reversal),
        Asked::Named(Pattern::Transpose),
        Asked::Adversary,
    ];
    pub(super) const NAMED: &[Asked] = Asked::ALL.split_at(3).0;

    /// Reads a name; what is none names a file.
    pub(super) fn read(text: &str) -> Result<Asked, String> {
        let named = Asked::NAMED.iter().find(|it| it.to_string() == text);
        match named {
            Some(named) => Ok(named.clone()),
            None if text.is_empty() => Err("allowed: random, reversal, transpose or a file".into()),
            None => Ok(Asked::File(text.into())),
        }
    }

    /// The same, where there is an adversary.
    pub(super) fn read_or_adversary(text: &str) -> Result<Asked, String> {
        match text {
            "adversary" => Ok(Asked::Adversary),
            _ => Asked::read(text),
        }
    }

    fn is_drawn(&self) -> bool {
        matches!(self, Asked::Named(pattern) if pattern.is_drawn())
    }

    /// The packets on a mesh of that side.
    ///
    /// # Panics
    /// For an adversary, which has to be asked.
    pub(super) fn packets(&self, side: u32, seed: u32) -> Result<Pairs, Failed> {
        match self {
            Asked::Adversary => unreachable!("an adversary makes packets against a rule"),
            Asked::File(path) => of_file(path, side, OR_NAMES),
            Asked::Named(pattern) => {
                let grid = Grid::mesh(&[side, side]).map_err(Failed::bad_input)?;
                Ok(statics::packets(&pattern.pattern(), &grid, seed.into()))
            }
        }
    }

    /// `[traffic]` and `[run]` of what `flitwork route` reads; nothing of an adversary's, unless it is written into a file.
    pub(super) fn to_toml(&self, seed: u32, written: Option<&Path>) -> String {
        match (self, written) {
            (Asked::Named(it), _) => statics::traffic(&it.pattern(), "", seed.into()),
            (Asked::File(path), _) => statics::listed(path),
            (Asked::Adversary, Some(path)) => statics::listed(path),
            (Asked::Adversary, None) => String::new(),
        }
    }
}

/// The files among them, with their option.
pub(super) fn files_of(all: &[Asked]) -> Vec<(&'static str, PathBuf)> {
    let files = all.iter().filter_map(|it| match it {
        Asked::File(path) => Some(("--permutation", path.clone())),
        _ => None,
    });
    files.collect()
}

/// The permutations that are asked for, each with its seeds.
pub(super) fn drawn(all: &[Asked], seeds: u32) -> impl Iterator<Item = (&Asked, u32)> {
    all.iter().flat_map(move |asked| {
        let seeds = if asked.is_drawn() { seeds } else { 1 };
        (1..=seeds).map(move |seed| (asked, seed))
    })
}

/// The permutation of a file, on a square mesh or torus of that side.
pub(super) fn of_file(path: &Path, side: u32, others: &str) -> Result<Pairs, Failed> {
    let shown = path.display();
    let mut text = String::new();
    let file = open(path, others)?;
    file.take(MOST_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| unread(path, &error, others))?;
    let nodes = side * side;
    let packets = parse_permutation(&text, nodes).map_err(|error| {
        let why = format!("{shown}: {error}; it is routed on {side} x {side} = {nodes} nodes");
        Failed::option("--permutation", why)
    })?;
    Ok(statics::between_nodes(&packets))
}

fn open(path: &Path, others: &str) -> Result<std::fs::File, Failed> {
    flitwork_files::open_input(path).map_err(|error| unread(path, &error, others))
}

fn unread(path: &Path, error: &std::io::Error, others: &str) -> Failed {
    let shown = path.display();
    let why = format!("{shown}: {error}; allowed: {others}a file with a permutation");
    Failed::option("--permutation", why)
}

/// Refuses a file of a permutation on meshes of several sides; first one that can't be read, which may be meant for a name.
pub(super) fn refuse_several(path: &Path, sides: &[u32], others: &str) -> Result<(), Failed> {
    open(path, others)?;
    if sides.len() == 1 {
        return Ok(());
    }
    let all: Vec<String> = sides.iter().map(u32::to_string).collect();
    let why = format!(
        "{} is of one mesh, and would be routed on those of side {}; allowed: one side, as in --n {}",
        path.display(),
        all.join(", "),
        sides[0]
    );
    Err(Failed::option("--permutation", why))
}

/// A rule or a program that leaves packets where they are.
pub(super) fn never_arrives(name: &str) -> Failed {
    Failed::failure(format!("{name}: a packet never arrives"))
}

/// Refuses to write more than one permutation.
pub(super) fn refuse_to_write(count: usize, allowed: &str) -> Result<(), Failed> {
    if count == 1 {
        return Ok(());
    }
    let why = format!("{count} permutations for one file; allowed: {allowed}");
    Err(Failed::option("--permutation-out", why))
}

/// The file of `--permutation-out`: that which `flitwork route`, `run` and `schedule` read.
pub(super) fn written<'a>(
    path: Option<&'a Path>,
    packets: Option<&Pairs>,
    provenance: &Provenance,
) -> Option<OwnFile<'a>> {
    let packets = statics::between_terminals(packets?);
    let text = provenance.comment() + &write_packets(&packets);
    Some(OwnFile {
        option: "--permutation-out",
        path: path?,
        bytes: text.into_bytes(),
    })
}
