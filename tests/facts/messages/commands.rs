//! Wrong command lines of every command.

use super::{Case, SMALL};

/// A short run, an overloaded one too.
const RUN: &str = "[run]\nwarmup_cycles = 50\nmeasure_cycles = 200\n";

/// Command lines in a folder with `small.toml` (short), `minimal.toml` (minimal Chaos), and a file `file`; blanks
/// separate the arguments, and `''` is an empty one.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "runn", "run small.toml --set load=0.2", "run small.toml --set network.sides=[4", "run small.toml --seed -1",
    "run small.toml --seed abc", "run small.toml --seed ''", "run small.toml --seed 1 --seed 2", "run small.toml --engine ''",
    "run small.toml --sed 2", "check small.toml --json", "check --schema=nothing", "check small.toml --schema",
    "run small.toml --out file/x", "run small.toml --out /proc/nosuch/x", "run small.toml --out .", "run small.toml --force",
    "run small.toml --packets p.txt", "run small.toml --packets file", "run small.toml --packets p",
    "run small.toml --packets small.toml/p.csv", "run small.toml --packets small.toml", "run small.toml --every 0 --out o",
    "run small.toml --every 1 --out o --set run.drain_cycles=1000000000", "run small.toml --engine sync --record r.flog",
    "run small.toml --engine live --record file", "run small.toml --engine live --record file/r.flog",
    "run small.toml --rehearse panic:3@9", "run small.toml --engine live --rehearse panic",
    "run small.toml --engine live --rehearse panic:99@9", "run small.toml --runtime async", "run small.toml --slack -1",
    "run small.toml --slack some", "run small.toml --workers 0", "run small.toml --channel-capacity 1",
    "run small.toml --burst-cycles x", "run small.toml --burst-cycles 0", "run small.toml --pinning=3",
    "run small.toml --memory 1KB", "run small.toml --memory ''", "run small.toml --log file/x", "run small.toml --log .",
    "sweep small.toml --over traffic.load", "sweep small.toml --over traffic.load=", "sweep small.toml --over =1",
    "sweep small.toml --over traffic.laod=0.1,0.2", "sweep small.toml --over traffic.load=0.1,1.5",
    "sweep small.toml --over traffic.load=0.1:0.5:0.3", "sweep small.toml --over traffic.load=0.1:0.5:0",
    "sweep small.toml --over traffic.load=0.1:0.5", "sweep small.toml --over traffic.load=a:b:c",
    "sweep small.toml --over traffic.load=0.1 --over traffic.load=0.2", "sweep small.toml --over traffic.load=0.1,0.1",
    "sweep small.toml --over traffic.load=0.1 --set traffic.load=0.2", "sweep small.toml --over run.seed=1:1000001:1",
    "sweep small.toml --over run.seed=1:2000:1 --seeds 2",
    "sweep small.toml --over run.seed=1:2000:1 --over run.warmup_cycles=1:2000:1", "sweep small.toml --over run.engine=sync,live",
    "sweep small.toml --over router.chaos.multiqueue_frames=3,4 --set router.chaos.multiqueue_frame=3",
    "sweep small.toml --shard a/b", "sweep small.toml --out file", "sweep small.toml --out file/below",
    "sweep small.toml --engine live", "sweep small.toml --seed 18446744073709551615 --seeds 5", "merge", "merge file",
    "saturate small.toml --low x", "saturate small.toml --high 2", "saturate small.toml --set traffic.process=once",
    "saturate small.toml --set router.chaos.x=1", "saturate small.toml --criterion latency=1",
    "saturate small.toml --engine live", "compare small.toml small.toml --set-b traffic.laod=1",
    "compare small.toml small.toml --set-a x", "compare small.toml small.toml --measure ''",
    "compare small.toml small.toml --confidence 0", "compare small.toml small.toml --budget-seconds 0",
    "compare small.toml small.toml --seed 18446744073709551615", "compare small.toml small.toml --engine live",
    "replay small.toml", "replay .", "replay none.flog --node x", "replay none.flog --until 5", "replay none.flog --trace --json",
    "replay none.flog --config none.toml", "paper nosuch", "paper chinn-exp2 --n 1000000", "paper chinn-exp4 --n 5",
    "paper chinn-exp2 --initial-pointer x", "paper chinn-exp2 --plot file", "paper chinn-exp2 --plot file/x",
    "paper chinn-exp2 --snapshot 9 --snapshot-dir file", "adversary --config small.toml --out p.json",
    "adversary --config minimal.toml --out file", "adversary --config minimal.toml --out .",
    "adversary --config minimal.toml --out file/x", "adversary --config minimal.toml --out p.json --corner 40",
    "adversary --config minimal.toml --out p.json --set network.topology=torus",
    "adversary --config minimal.toml --out p.json --set network.sides=[4,4]",
    "adversary --config minimal.toml --out p.json --set network.sides=[60,50]",
    "adversary --config minimal.toml --out p.json --set network.sides=[60]",
    "adversary --config minimal.toml --out p.json --set router.chaos.initial_pointer=random",
    "adversary --config minimal.toml --out p.json --set router.chaos.derouting=true",
    "adversary --config minimal.toml --out p.json --engine live", "study multiqueue --side 0", "study multiqueue --side 1",
    "study multiqueue --patterns hot-spot", "study multiqueue --patterns ''", "study multiqueue --frames 0",
    "study async-exp2 --plot .", "study greedy-steps --n 1", "study async-load --spreads 0,99",
    "study async-load --topologies ring", "study async-load --patterns many-to-one", "study async-load --plot small.toml",
    "study routers --side 1", "study routers --side x", "study routers --topologies ring", "study routers --patterns nothing",
    "study routers --patterns many-to-one", "study routers --loads 0.5,0.1", "study routers --loads x",
    "study routers --side 6 --patterns bit-complement", "study deflection --sides 1", "study deflection --sides 8,0",
    "study deflection --patterns nothing", "study deflection --cycles 1", "study cut-through --side 1",
    "study cut-through --vcs 33", "study cut-through --packet-words 0", "list ''", "list routers topologies", "reference x", "-v",
    "--version --nonsense",
];

pub(super) fn cases() -> Vec<Case> {
    let small = format!("{SMALL}{RUN}");
    let minimal = "[network]\ntopology = \"mesh\"\nsides = [60, 60]\n[router.chaos]\nderouting = false\n[traffic]\n\
        process = \"once\"\npattern = \"permutation\"\n";
    let case = |line: &&str| {
        let args: Vec<&str> = line
            .split_whitespace()
            .map(|arg| if arg == "''" { "" } else { arg })
            .collect();
        Case::new("", &args)
            .with("small.toml", small.clone())
            .with("minimal.toml", minimal)
            .with("file", "precious")
    };
    COMMANDS.iter().map(case).collect()
}
