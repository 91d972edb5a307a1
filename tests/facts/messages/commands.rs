//! Wrong command lines of every command.

use super::{Case, SMALL};

/// A short run, an overloaded one too.
const RUN: &str = "[run]\nwarmup_cycles = 50\nmeasure_cycles = 200\n";

/// Command lines in a folder with `small.toml` (short), `minimal.toml` (minimal Chaos), and a file `file`; blanks
/// separate the arguments, and `''` is an empty one.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "", "runn", "small.toml", "--nonsense", "help nothing", "run", "run --nonsense small.toml", "run small.toml other.toml",
    "run small.toml --out", "run small.toml --set", "run small.toml --set nonsense", "run small.toml --set =1",
    "run small.toml --set traffic.load=2", "run small.toml --set traffic.laod=0.2", "run small.toml --set load=0.2",
    "run small.toml --set foo.bar=1", "run small.toml --set network.sides=[4", "run small.toml --set traffic.load=2 --set run.seed=-1",
    "run small.toml --set traffic.load=0.1 --set traffic.load=x", "run small.toml --seed -1", "run small.toml --seed=-1",
    "run small.toml --seed abc", "run small.toml --seed 1.5", "run small.toml --seed ''", "run small.toml --seed 18446744073709551616",
    "run small.toml --seed 1 --seed 2", "run small.toml --engine parallel", "run small.toml --engine ''", "run small.toml --engine",
    "run small.toml --load 0.3", "run --load=0.3 small.toml", "run small.toml --traffic.load 0.3", "run small.toml --load",
    "run small.toml --sed 2", "run small.toml --router 2", "run small.toml --vcs 2", "check small.toml --link-latency-cycles 2",
    "check small.toml --packets 2", "check small.toml --json", "check", "check --schema=nothing", "check small.toml --schema",
    "check none.toml --schema", "run small.toml --out file", "run small.toml --out file/x", "run small.toml --out /proc/nosuch/x",
    "run small.toml --out ''", "run small.toml --out .", "run small.toml --force", "run small.toml --packets p.txt",
    "run small.toml --packets file", "run small.toml --packets p", "run small.toml --packets small.toml/p.csv", "run small.toml --packets ''",
    "run small.toml --packets small.toml", "run small.toml --every 0 --out o", "run small.toml --every 5", "run small.toml --every x --out o",
    "run small.toml --every 1 --out o --set run.drain_cycles=1000000000", "run small.toml --record r.flog",
    "run small.toml --engine sync --record r.flog", "run small.toml --engine live --record file", "run small.toml --engine live --record file/r.flog",
    "run small.toml --record-heads", "run small.toml --engine live --record-heads",
    "run small.toml --engine live --record r.flog --record-heads --set traffic.load=2", "run small.toml --rehearse panic:3@9",
    "run small.toml --engine live --rehearse panic", "run small.toml --engine live --rehearse explode:3@9",
    "run small.toml --engine live --rehearse panic:99@9", "run small.toml --engine live --rehearse panic:3@x",
    "run small.toml --engine live --rehearse die:3", "run small.toml --runtime async", "run small.toml --slack -1", "run small.toml --slack some",
    "run small.toml --workers 0", "run small.toml --workers 9999", "run small.toml --channel-capacity 1", "run small.toml --burst-cycles x",
    "run small.toml --burst-cycles 0", "run small.toml --pinning=3", "run small.toml --memory 1KB", "run small.toml --memory lots",
    "run small.toml --memory -1", "run small.toml --memory ''", "run small.toml --memory 0", "run small.toml --log file/x", "run small.toml --log .",
    "sweep", "sweep none.toml", "sweep small.toml --over", "sweep small.toml --over traffic.load", "sweep small.toml --over traffic.load=",
    "sweep small.toml --over =1", "sweep small.toml --over traffic.laod=0.1,0.2", "sweep small.toml --over traffic.load=0.1,1.5",
    "sweep small.toml --over traffic.load=0.1:0.5:0.3", "sweep small.toml --over traffic.load=0.5:0.1:0.1", "sweep small.toml --over traffic.load=0.1:0.5:0",
    "sweep small.toml --over traffic.load=0.1:0.5", "sweep small.toml --over traffic.load=a:b:c", "sweep small.toml --over traffic.load=0.1 --over traffic.load=0.2",
    "sweep small.toml --over traffic.load=0.1,0.1", "sweep small.toml --over traffic.load=0.1 --set traffic.load=0.2",
    "sweep small.toml --over run.seed=1:1000001:1", "sweep small.toml --over run.seed=1:2000:1 --seeds 2",
    "sweep small.toml --over run.seed=1:2000:1 --over run.warmup_cycles=1:2000:1", "sweep small.toml --over run.engine=sync,live",
    "sweep small.toml --over router.chaos.multiqueue_frames=3,4 --set router.chaos.multiqueue_frame=3", "sweep small.toml --seeds 0",
    "sweep small.toml --seeds x", "sweep small.toml --jobs 0", "sweep small.toml --jobs x", "sweep small.toml --shard 0/4",
    "sweep small.toml --shard 5/4", "sweep small.toml --shard 1", "sweep small.toml --shard a/b", "sweep small.toml --shard 1/0",
    "sweep small.toml --out file", "sweep small.toml --out file/below", "sweep small.toml --engine live", "sweep small.toml --vcs 2",
    "sweep small.toml --seed 18446744073709551615 --seeds 5", "merge", "merge none", "merge file", "merge . --complete", "merge . . --out file",
    "saturate", "saturate small.toml --low 0.5 --high 0.4", "saturate small.toml --low 0", "saturate small.toml --low x", "saturate small.toml --high 2",
    "saturate small.toml --high 0", "saturate small.toml --set traffic.process=once", "saturate small.toml --set router.chaos.x=1",
    "saturate small.toml --criterion latency=1", "saturate small.toml --criterion latency", "saturate small.toml --criterion fast",
    "saturate small.toml --tolerance x", "saturate small.toml --tolerance 0", "saturate small.toml --tolerance 2", "saturate small.toml --seeds 0",
    "saturate small.toml --seeds 5 --seed 18446744073709551615", "saturate small.toml --jobs 0", "saturate small.toml --engine live",
    "compare", "compare small.toml", "compare small.toml none.toml", "compare small.toml small.toml --set-b traffic.laod=1",
    "compare small.toml small.toml --set-a x", "compare small.toml small.toml --measure speed", "compare small.toml small.toml --measure ''",
    "compare small.toml small.toml --confidence 1", "compare small.toml small.toml --confidence 0", "compare small.toml small.toml --confidence x",
    "compare small.toml small.toml --budget-runs 1", "compare small.toml small.toml --budget-runs x", "compare small.toml small.toml --budget-seconds 0",
    "compare small.toml small.toml --seed 18446744073709551615", "compare small.toml small.toml --engine live", "compare small.toml small.toml --jobs 0",
    "replay", "replay none.flog", "replay small.toml", "replay .", "replay none.flog --node x", "replay none.flog --until 5", "replay none.flog --until x@y",
    "replay none.flog --threads 0", "replay none.flog --threads x", "replay none.flog --set traffic.load=0.1", "replay none.flog --what-if",
    "replay none.flog --trace --json", "replay none.flog --config none.toml",
    "paper", "paper nosuch", "paper chinn-exp2 --n abc", "paper chinn-exp2 --n ''", "paper chinn-exp2 --n -5", "paper chinn-exp2 --n 0",
    "paper chinn-exp2 --n 4000000000", "paper chinn-exp2 --n 99999999999", "paper chinn-exp2 --n 120,", "paper chinn-exp2 --n 1.5",
    "paper chinn-exp2 --n 5", "paper chinn-exp2 --n 3120,5", "paper chinn-exp2 --n 1000000", "paper chinn-exp1 --n 10000", "paper chinn-exp4 --n 5",
    "paper chinn-exp2 --seeds 0", "paper chinn-exp2 --seeds -1", "paper chinn-exp2 --seeds x", "paper chinn-exp2 --seeds 4294967296",
    "paper chinn-exp2 --snapshot -1", "paper chinn-exp2 --snapshot x", "paper chinn-exp2 --snapshot 4294967295", "paper chinn-exp2 --snapshot-dir x",
    "paper chinn-exp2 --initial-pointer x", "paper chinn-exp2 --plot file", "paper chinn-exp2 --plot file/x", "paper chinn-exp2 --plot .",
    "paper chinn-exp2 --snapshot 9 --snapshot-dir file", "adversary", "adversary --config small.toml", "adversary --out p.json",
    "adversary --config small.toml --out p.json", "adversary --config minimal.toml --out file", "adversary --config minimal.toml --out .",
    "adversary --config minimal.toml --out file/x", "adversary --config minimal.toml --out p.json --corner 1",
    "adversary --config minimal.toml --out p.json --corner 40", "adversary --config minimal.toml --out p.json --corner 0",
    "adversary --config minimal.toml --out p.json --corner x", "adversary --config minimal.toml --out p.json --seed -1",
    "adversary --config minimal.toml --out p.json --set network.topology=torus", "adversary --config minimal.toml --out p.json --set network.sides=[4,4]",
    "adversary --config minimal.toml --out p.json --set network.sides=[60,50]", "adversary --config minimal.toml --out p.json --set network.sides=[60]",
    "adversary --config minimal.toml --out p.json --set router.chaos.initial_pointer=random",
    "adversary --config minimal.toml --out p.json --set router.chaos.derouting=true", "adversary --config minimal.toml --out p.json --engine live",
    "study", "study nothing", "study multiqueue --load 2", "study multiqueue --side 0", "study multiqueue --side 1", "study multiqueue --side x",
    "study multiqueue --cycles 0", "study multiqueue --cycles 1", "study multiqueue --patterns nothing", "study multiqueue --patterns hot-spot",
    "study multiqueue --patterns ''", "study multiqueue --frames 0", "study multiqueue --frames 65", "study multiqueue --frames x", "study multiqueue --seed -1",
    "study async-exp2 --n 34", "study async-exp2 --n 0", "study async-exp2 --n x", "study async-exp2 --spreads -1", "study async-exp2 --spreads 50.5",
    "study async-exp2 --spreads NaN", "study async-exp2 --spreads ''", "study async-exp2 --synchronizer 17", "study async-exp2 --synchronizer -1",
    "study async-exp2 --seeds 0", "study async-exp2 --plot .", "study async-exp2 --plot file", "study async-exp2 --n 99999", "study greedy-steps --n 1",
    "study greedy-steps --n 0", "study greedy-steps --n x", "study greedy-steps --seeds 0", "study greedy-steps --plot file", "study greedy-steps --n 99999",
    "study async-load --side 0", "study async-load --side 1", "study async-load --loads 0", "study async-load --loads 1.5", "study async-load --spreads 0,99",
    "study async-load --topologies ring", "study async-load --patterns many-to-one", "study async-load --patterns nothing", "study async-load --cycles 19",
    "study async-load --synchronizer 2,17", "study async-load --seeds 0", "study async-load --plot small.toml", "study routers --side 1",
    "study routers --side x", "study routers --topologies ring", "study routers --patterns nothing", "study routers --patterns many-to-one",
    "study routers --loads 0", "study routers --loads 0.5,0.1", "study routers --loads 1.5", "study routers --loads x", "study routers --seeds 0",
    "study routers --cycles 0", "study routers --jobs 0", "study routers --out file", "study routers --out file/x", "study routers --side 6 --patterns bit-complement",
    "study deflection --sides 1", "study deflection --sides x", "study deflection --sides 8,0", "study deflection --patterns nothing", "study deflection --loads 0.5,0.1",
    "study deflection --seeds 0", "study deflection --cycles 1", "study deflection --out file", "study cut-through --side 1", "study cut-through --vcs 0",
    "study cut-through --vcs 33", "study cut-through --packet-words 0", "study cut-through --packet-words 4097", "study cut-through --packet-words x",
    "study cut-through --seeds 0", "study cut-through --cycles 1", "study cut-through --out file", "list nothing", "list r", "list p", "list ''", "list routers topologies",
    "reference x", "run small.toml --log", "-v", "--version --nonsense", "--memory 1GB", "run --set traffic.load=0.3",
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
