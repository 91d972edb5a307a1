//! Random pairs of inputs and outputs over all commands: nothing is lost.
//!
//! Without `--force` no file that was there changes. With it, no input does. And a command that ends well has written
//! what each of its options is for. What a file holds is told by its first and last bytes, but for white space.

#![expect(clippy::print_stderr, reason = "a soak says what it did")]

use crate::harness::{Done, Folder};
use flitwork_traffic::Draws;
use flitwork_types::TerminalId;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// What is to be found where an output went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// A file that begins and ends so.
    File(&'static [u8], &'static [u8]),
    /// A folder with that file, which begins and ends so.
    Folder(&'static str, &'static [u8], &'static [u8]),
}

/// An option that names an output.
type Output = (&'static str, Holds);

const TABLE: Holds = Holds::File(b"# schema_version = ", b"");
const SVG: Holds = Holds::File(b"<svg", b"</svg>");
const LOG: Output = ("--log", Holds::File(b"{", b"}"));
const INDEX: Output = ("--trace", Holds::File(b"\x89FLITIDX", b"FLITEND"));
const RECORD: Output = ("--record", Holds::File(b"\x89FLITREC", b"FLITEND"));
const PACKETS: Output = ("--packets", TABLE);

const fn folder_of(table: &'static str) -> Output {
    ("--out", Holds::Folder(table, b"# schema_version = ", b""))
}

const RUN_OUT: Output = ("--out", Holds::Folder("results.json", b"{", b"}"));
const SWEEP_OUT: Output = folder_of("sweep.csv");

/// A command, the files that it reads, its outputs, and whether it has `--force`.
struct Command {
    words: &'static str,
    reads: &'static [&'static str],
    outputs: &'static [Output],
    forces: bool,
}

const fn command(
    words: &'static str,
    reads: &'static [&'static str],
    outputs: &'static [Output],
    forces: bool,
) -> Command {
    Command {
        words,
        reads,
        outputs,
        forces,
    }
}

const COMMANDS: &[Command] = &[
    command(
        "run c.toml",
        &["c.toml"],
        &[RUN_OUT, PACKETS, INDEX, LOG],
        true,
    ),
    command(
        "run t.toml",
        &["t.toml", "t.csv"],
        &[RUN_OUT, PACKETS, INDEX, LOG],
        true,
    ),
    command(
        "run c.toml --engine live",
        &["c.toml"],
        &[RUN_OUT, PACKETS, RECORD, LOG],
        true,
    ),
    command("replay k.flog", &["k.flog"], &[LOG], false),
    command("trace packets k.fltrace", &["k.fltrace"], &[LOG], false),
    command("check t.toml", &["t.toml", "t.csv"], &[LOG], false),
    command("route r.toml", &["r.toml", "p.csv"], &[LOG], false),
    command(
        "trace export k.fltrace",
        &["k.fltrace"],
        &[("--vcd", Holds::File(b"$", b"")), LOG],
        true,
    ),
    command(
        "trace export k.flog",
        &["k.flog"],
        &[("--fst", Holds::File(b"\0", b"")), LOG],
        true,
    ),
    command(
        "schedule s.toml",
        &["s.toml", "p.csv"],
        &[("--out", TABLE), LOG],
        true,
    ),
    command(
        "adversary --config a.toml",
        &["a.toml"],
        &[("--out", Holds::File(b"{", b"}")), LOG],
        true,
    ),
    command(
        "sweep t.toml --over traffic.trace.file=t.csv,u.csv --jobs 1",
        &["t.toml", "t.csv", "u.csv"],
        &[SWEEP_OUT, LOG],
        false,
    ),
    command(
        "merge sw",
        &["sw/sweep.toml", "sw/journal.jsonl"],
        &[SWEEP_OUT, LOG],
        false,
    ),
    command(
        "saturate c.toml --seeds 1 --tolerance 0.5 --jobs 1",
        &["c.toml"],
        &[folder_of("saturation.csv"), LOG],
        true,
    ),
    command(
        "compare c.toml c.toml --set-b traffic.load=0.2 --budget-runs 2 --jobs 1",
        &["c.toml"],
        &[folder_of("comparison.csv"), LOG],
        true,
    ),
    command(
        "view c.toml",
        &["c.toml"],
        &[("--export", Holds::Folder("index.html", b"<", b">")), LOG],
        false,
    ),
    command(
        "study greedy-steps --n 4 --seeds 1",
        &[],
        &[folder_of("greedy-steps.csv"), ("--plot", SVG), LOG],
        true,
    ),
    command(
        "paper symvonis-tidswell --mesh 2x2 --permutations 10",
        &[],
        &[folder_of("symvonis-tidswell.csv"), ("--plot", SVG), LOG],
        true,
    ),
];

/// What is there before each command: its inputs and other people's files.
fn inputs() -> Folder {
    let folder = Folder::new();
    let network = "network = { topology = \"mesh\", sides = [3, 3] }\nrouter.chaos = {}\n";
    let run = "run = { warmup_cycles = 20, measure_cycles = 200 }\n";
    folder.write("c.toml", format!("{network}{run}traffic.load = 0.1\n"));
    let traced = "traffic = { process = \"trace\", trace = { file = \"t.csv\" } }\nrun.deadline_cycles = 400\n";
    let worms = network.replace("chaos = {}", "wormhole = { vcs = 2 }");
    folder.write("t.toml", format!("{worms}{traced}"));
    folder.write("t.csv", "cycle,src,dst,words\n1,0,5,8\n2,3,4,8\n");
    folder.write("u.csv", "cycle,src,dst,words\n1,1,5,8\n");
    let problem = "network = { topology = \"mesh\", sides = [3, 3] }\n\
                   traffic = { process = \"once\", pattern = \"listed\", file = \"p.csv\" }\n";
    folder.write("p.csv", "0,5\n3,4\n");
    folder.write("r.toml", format!("{problem}rule.fifo = {{ k = 2 }}\n"));
    folder.write("s.toml", format!("{problem}schedule.multistage = {{}}\n"));
    folder.write(
        "a.toml",
        "network = { topology = \"mesh\", sides = [60, 60] }\nrouter.chaos.derouting = false\n\
         traffic = { process = \"once\", pattern = \"permutation\" }\n",
    );
    folder.fine(&["run", "c.toml", "--engine", "live", "--record", "k.flog"]);
    folder.fine(&["run", "t.toml", "--trace", "k.fltrace"]);
    folder.fine(&[
        "sweep",
        "c.toml",
        "--over",
        "traffic.load=0.1,0.2",
        "--out",
        "sw",
        "--jobs",
        "1",
    ]);
    folder.write("old", "somebody's");
    fs::create_dir_all(folder.path("full/deep")).unwrap();
    for name in [
        "results.json",
        "links.csv",
        "sweep.csv",
        "saturation.csv",
        "index.html",
    ] {
        folder.write(&format!("full/{name}"), "somebody's");
    }
    folder
}

/// Copies a folder's files into another one.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// All files below a folder and what they hold, by their names. A link is no file.
fn contents(root: &Path, below: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = below.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            contents(root, &name, all);
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            all.insert(name.to_str().unwrap().to_owned(), bytes);
        }
    }
}

/// Names that several may draw, of inputs, of somebody's files, of new files and of those that commands write in folders.
const NAMES: &[&str] = &[
    "new.csv",
    "new.csv",
    "new.csv",
    "new",
    "old",
    "full",
    "full/results.json",
    "o",
    "o",
    "o",
    "o/links.csv",
    "o/results.json",
    "o/sweep.csv",
    "o/journal.jsonl",
    "o/index.html",
    "o/saturation.csv",
    "o/comparison.csv",
    "o/greedy-steps.csv",
    "o/greedy-steps.svg",
    "o/symvonis-tidswell.csv",
    "o/packets.csv",
    "o/own.csv",
    "sw",
    "sw/sweep.csv",
    "sw/journal.jsonl",
    "sw/shard-1-of-2.jsonl",
    "c.toml",
    "t.csv",
    "k.flog",
    "/dev/null",
];

/// A drawn command line, what it reads and where its outputs go.
struct Case {
    args: Vec<String>,
    command: &'static Command,
    outputs: Vec<(Output, String)>,
    forced: bool,
}

struct Drawn<'a> {
    draws: Draws,
    folder: &'a Folder,
}

impl Drawn<'_> {
    fn of<'x, X: ?Sized>(&mut self, all: &'x [&'x X]) -> &'x X {
        all[self.draws.below(all.len() as u32) as usize]
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.draws.below(count) == 0
    }

    /// The same file under another name: through a link, as a second name, or spelled differently.
    fn other_name(&mut self, path: &str) -> String {
        let name = format!("link-{}.csv", self.draws.below(1_000_000));
        let link = self.folder.path(&name);
        let is_absolute = path.starts_with('/');
        match self.draws.below(6) {
            0 => path.to_owned(),
            1 if !is_absolute => format!("./{path}"),
            2 if !is_absolute => format!("full/../{path}"),
            3 if !is_absolute => format!("full/deep/../..//{path}"),
            4 if fs::hard_link(self.folder.path(path), &link).is_ok() => name,
            _ => {
                symlink(path, link).unwrap();
                name
            }
        }
    }

    fn case(&mut self) -> Case {
        let command = &COMMANDS[self.draws.below(COMMANDS.len() as u32) as usize];
        let mut args: Vec<String> = command.words.split(' ').map(str::to_owned).collect();
        let first = self.draws.below(command.outputs.len() as u32) as usize;
        let second = self.draws.below(command.outputs.len() as u32) as usize;
        let mut chosen = vec![command.outputs[first]];
        if second != first {
            chosen.push(command.outputs[second]);
        }
        let mut outputs: Vec<(Output, String)> = Vec::new();
        for output in chosen {
            let before = outputs.first().map(|(_, path)| path.clone());
            let path = match (before, self.draws.below(4)) {
                (Some(path), 0 | 1) => path,
                (_, 2) if !command.reads.is_empty() => self.of(command.reads).to_owned(),
                _ => self.of(NAMES).to_owned(),
            };
            let path = match self.one_in(2) {
                true => self.other_name(&path),
                false => path,
            };
            args.extend([output.0.to_owned(), path.clone()]);
            outputs.push((output, path));
        }
        let must_export = command.words.starts_with("trace export");
        if must_export && !args.iter().any(|arg| arg == "--vcd" || arg == "--fst") {
            args.extend([command.outputs[0].0.to_owned(), "export".to_owned()]);
        }
        // Without it the page is served until a signal comes.
        if command.words.starts_with("view") && !args.iter().any(|arg| arg == "--export") {
            args.extend(["--export", "page"].map(str::to_owned));
        }
        if command.words.starts_with("adversary") && !args.iter().any(|arg| arg == "--out") {
            args.extend(["--out", "adversary.json"].map(str::to_owned));
        }
        let forced = command.forces && self.one_in(2);
        let writes =
            !command.words.starts_with("schedule") || args.iter().any(|arg| arg == "--out");
        if forced && writes {
            args.push("--force".to_owned());
        }
        Case {
            args,
            command,
            outputs,
            forced,
        }
    }
}

impl Case {
    /// Whether a file may change: that of the sweep which is resumed, or merged into.
    fn is_resumed(&self, name: &str) -> bool {
        let is_many = ["sweep", "merge"]
            .iter()
            .any(|it| self.command.words.starts_with(it));
        let state = ["sw/sweep.toml", "sw/journal.jsonl"];
        is_many && name.starts_with("sw/") && !state.contains(&name)
    }

    fn check(&self, folder: &Folder, before: &BTreeMap<String, Vec<u8>>, done: &Done) {
        let said = format!("{:?}: {:?}\n{}", self.args, done.code, done.err);
        assert!(matches!(done.code, Some(0 | 2 | 3)), "{said}");
        let mut after = BTreeMap::new();
        contents(&folder.path(""), Path::new(""), &mut after);
        for (name, bytes) in before {
            let stays = !self.forced || self.command.reads.contains(&name.as_str());
            if stays && !self.is_resumed(name) {
                assert!(after.get(name) == Some(bytes), "{name} changes: {said}");
            }
        }
        let left = after.keys().find(|name| name.ends_with(".new"));
        assert!(left.is_none(), "{left:?} is left: {said}");
        if done.code != Some(0) {
            return;
        }
        for ((option, holds), path) in &self.outputs {
            let path = folder.path(path);
            let (path, begin, end) = match *holds {
                Holds::File(begin, end) => (path, begin, end),
                Holds::Folder(file, begin, end) => (path.join(file), begin, end),
            };
            if path
                .metadata()
                .is_ok_and(|found| !found.is_file() && !found.is_dir())
            {
                continue;
            }
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{option}: {error}: {said}"));
            // A log may have nothing to say.
            let is_silent = *option == "--log" && bytes.is_empty();
            assert!(
                is_silent || bytes.starts_with(begin) && bytes.trim_ascii_end().ends_with(end),
                "{option} holds {:?}: {said}",
                String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
            );
        }
    }
}

/// Draws pairs and tries them; returns how many ended well and how many were refused.
fn pairs(count: u64, first_seed: u64) -> (u32, u32) {
    let original = inputs();
    let (mut fine, mut refused) = (0, 0);
    for seed in first_seed..first_seed + count {
        let folder = Folder::new();
        copy(&original.path(""), &folder.path(""));
        let mut drawn = Drawn {
            draws: Draws::new(seed, TerminalId(0)),
            folder: &folder,
        };
        let case = drawn.case();
        let mut before = BTreeMap::new();
        contents(&folder.path(""), Path::new(""), &mut before);
        let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
        let done = folder.flitwork(&args);
        eprintln!("seed {seed}: {} {:?}", args.join(" "), done.code);
        case.check(&folder, &before, &done);
        fine += u32::from(done.code == Some(0));
        refused += u32::from(done.code == Some(2));
    }
    (fine, refused)
}

#[test]
fn sixty_pairs_of_paths_lose_nothing() {
    let (fine, refused) = pairs(60, 1);
    assert!(
        fine >= 10 && refused >= 10,
        "{fine} fine, {refused} refused"
    );
}

/// `FLITWORK_SOAK_RUNS` sets how many, and `FLITWORK_SOAK_SEED` the first.
#[test]
#[ignore = "minutes"]
fn two_thousand_pairs_of_paths_lose_nothing() {
    let number =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (count, first) = (
        number("FLITWORK_SOAK_RUNS", 2000),
        number("FLITWORK_SOAK_SEED", 1),
    );
    let (fine, refused) = pairs(count, first);
    eprintln!("{count} pairs from seed {first}: {fine} fine, {refused} refused");
}
