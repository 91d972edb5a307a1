//! Digests of small networks: every router in its variants on meshes and tori of one to three dimensions, under
//! every pattern and process, on all engines.

use crate::digests::{options, outcome, outcomes};
use crate::program::{each, flitwork, root, typed};
use crate::record::{Fact, compare};
use std::collections::BTreeSet;

/// The engines; live runs are in lockstep.
const ENGINES: [&[&str]; 5] = [
    &["--engine", "sync"],
    &["--engine", "sync-stepped"],
    &["--engine", "sync-plain"],
    &["--engine", "live", "--slack", "0"],
    &["--engine", "clocked"],
];

/// Networks, by topology and sides; those whose sides are powers of two accept every pattern.
const SHAPES: [(&str, &str); 8] = [
    ("mesh", "[4,4]"),
    ("torus", "[4,4]"),
    ("mesh", "[8]"),
    ("torus", "[8]"),
    ("mesh", "[2,4,2]"),
    ("torus", "[4,2,2]"),
    ("mesh", "[5,3]"),
    ("torus", "[3,5]"),
];

/// A router's file in `tests/facts/base`, and the settings of a variant.
const ROUTERS: &[(&str, &[&str])] = &[
    ("chaos", &[]),
    ("chaos", &["router.chaos.preset=chaos-chip"]),
    ("chaos", &["router.chaos.derouting=false"]),
    (
        "chaos",
        &[
            "router.chaos.multiqueue_policy=random",
            "router.chaos.multiqueue_frames=2",
            "router.chaos.stall_threshold_cycles=0",
        ],
    ),
    (
        "chaos",
        &[
            "router.chaos.multiqueue_policy=newest-first",
            "router.chaos.bypass=false",
            "router.chaos.initial_pointer=random",
        ],
    ),
    (
        "chaos",
        &[
            "router.chaos.cut_through=false",
            "router.chaos.decision_latency_cycles=1",
        ],
    ),
    (
        "chaos",
        &[
            "router.chaos.delivery=vanish",
            "router.chaos.packet_words=3",
            "router.chaos.multiqueue_frames=1",
        ],
    ),
    ("greedy-hp", &[]),
    ("wormhole", &[]),
    (
        "wormhole",
        &["router.wormhole.preset=booksim-iq", "router.wormhole.vcs=4"],
    ),
    ("wormhole", &["router.wormhole.preset=one-cycle"]),
    (
        "wormhole",
        &[
            "router.wormhole.routing=chaotic",
            "router.wormhole.vcs=4",
            "router.wormhole.misroutes=2",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.routing=fully-adaptive",
            "router.wormhole.allow_deadlock=true",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.routing=minimal-adaptive",
            "router.wormhole.vcs=4",
        ],
    ),
    ("wormhole", &["router.wormhole.routing=negative-first"]),
    ("wormhole", &["router.wormhole.routing=north-last"]),
    (
        "wormhole",
        &["router.wormhole.routing=o1turn", "router.wormhole.vcs=4"],
    ),
    ("wormhole", &["router.wormhole.routing=odd-even"]),
    (
        "wormhole",
        &["router.wormhole.routing=romm", "router.wormhole.vcs=4"],
    ),
    (
        "wormhole",
        &["router.wormhole.routing=valiant", "router.wormhole.vcs=8"],
    ),
    ("wormhole", &["router.wormhole.routing=west-first"]),
    (
        "wormhole",
        &[
            "router.wormhole.axis_order=x-last",
            "router.wormhole.dateline=crossed",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_allocator=age",
            "router.wormhole.switch_allocator=matrix",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_allocator=matrix",
            "router.wormhole.switch_allocator=age",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_allocator=separable-input-first",
            "router.wormhole.switch_allocator=separable-output-first",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_allocator=separable-output-first",
            "router.wormhole.switch_allocator=separable-input-first",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_allocator=wavefront",
            "router.wormhole.switch_allocator=wavefront",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.vc_iterations=3",
            "router.wormhole.switch_iterations=2",
            "router.wormhole.vcs=4",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.switching=cut-through",
            "router.wormhole.buffer_words=16",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.switching=store-and-forward",
            "router.wormhole.buffer_words=16",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.speculative=true",
            "router.wormhole.vcs=4",
            "router.wormhole.buffer_words=3",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.reallocation=buffer-empty",
            "router.wormhole.credit_cycles=3",
            "router.wormhole.route_cycles=2",
        ],
    ),
    ("deflection", &[]),
    ("deflection", &["router.deflection.preset=worm-bless"]),
    ("deflection", &["router.deflection.preset=chipper"]),
    ("deflection", &["router.deflection.preset=minbd"]),
    (
        "deflection",
        &[
            "router.deflection.priority=greedy",
            "router.deflection.port_choice=random",
        ],
    ),
    (
        "deflection",
        &[
            "router.deflection.priority=random",
            "router.deflection.eject_words=2",
        ],
    ),
    (
        "deflection",
        &[
            "router.deflection.switching=worm",
            "router.deflection.priority=golden",
            "router.deflection.transactions=3",
        ],
    ),
    (
        "deflection",
        &[
            "router.deflection.side_buffer_flits=2",
            "router.deflection.redirection_cycles=0",
        ],
    ),
    ("scheduled", &[]),
    ("queueing", &["router.queueing.allow_deadlock=true"]),
    (
        "queueing",
        &[
            "router.queueing.allow_deadlock=true",
            "router.queueing.frames=1",
            "router.queueing.order=farthest-first",
        ],
    ),
    (
        "queueing",
        &[
            "router.queueing.allow_deadlock=true",
            "router.queueing.order=random",
            "router.queueing.home_frames=1",
        ],
    ),
];

/// Open-loop traffic, which is measured for a fixed number of cycles.
const OPEN: &[&[&str]] = &[
    &["traffic.load=0.2"],
    &["traffic.load=0.9", "run.stop_at_overload=true"],
    &["traffic.load=0.3", "traffic.pattern=bit-complement"],
    &["traffic.load=0.3", "traffic.pattern=bit-reversal"],
    &[
        "traffic.load=0.2",
        "traffic.pattern=hot-spot",
        "traffic.hot_nodes=[3,5]",
        "traffic.hot_fraction=0.2",
    ],
    &[
        "traffic.load=0.1",
        "traffic.pattern=many-to-one",
        "traffic.destination=6",
        "traffic.sources=[0,1,7]",
    ],
    &["traffic.load=0.4", "traffic.pattern=neighbour"],
    &["traffic.load=0.3", "traffic.pattern=permutation"],
    &["traffic.load=0.3", "traffic.pattern=shuffle"],
    &["traffic.load=0.3", "traffic.pattern=tornado"],
    &["traffic.load=0.3", "traffic.pattern=transpose"],
    &[
        "traffic.process=on-off",
        "traffic.load=0.1",
        "traffic.on-off={peak_load=0.5,burst_cycles=30}",
    ],
    &[
        "traffic.process=modulated",
        "traffic.modulated.states=[{load=0.05,mean_cycles=90},{load=0.4,mean_cycles=20}]",
    ],
    &[
        "traffic.process=phases",
        "traffic.repeat_cycles=300",
        "traffic.phases=[{load=0.1},{from_cycle=100,load=0.3,pattern=\"neighbour\"}]",
    ],
    &[
        "traffic.load=0.2",
        "traffic.lengths={law=\"uniform\",least_words=2,most_words=9}",
    ],
    &[
        "traffic.load=0.2",
        "traffic.lengths={law=\"geometric\",mean_words=3,most_words=12}",
    ],
    &[
        "traffic.load=0.2",
        "traffic.lengths={law=\"weighted\",words=[1,7],weights=[3,1]}",
    ],
    &["traffic.load=0.2", "network.link_latency_cycles=3"],
];

/// Open-loop traffic that isn't taken in turn.
const BESIDE: &[&[&str]] = &[
    &[
        "traffic.load=0.3",
        "traffic.pattern=reflection",
        "traffic.locality=2",
    ],
    &["traffic.load=0.3", "traffic.pattern=shift"],
    &[
        "traffic.load=0.3",
        "traffic.pattern=swap",
        "traffic.locality=2",
    ],
];

/// Traffic that ends.
const CLOSED: &[&[&str]] = &[
    &["traffic.process=once"],
    &[
        "traffic.process=once",
        "traffic.k=5",
        "traffic.pattern=tornado",
    ],
    &["traffic.process=k-k", "traffic.k=3"],
    &["traffic.process=h-h", "traffic.k=4", "traffic.packets=30"],
    &[
        "traffic.process=batch",
        "traffic.batch={requests=9,outstanding=2,service_cycles=7}",
    ],
    &[
        "traffic.process=batch",
        "traffic.batch={requests=6,request_words=3,replies=false}",
    ],
    &[
        "traffic.process=trace",
        "traffic.trace={file=\"../../../traces/read-miss.csv\",nodes=4,map=\"block\",columns=2}",
    ],
    &[
        "traffic.process=trace",
        "traffic.packet_words=10",
        "traffic.trace={file=\"../../../traces/read-miss.tra.bz2\",first_region=0,link_bytes=16}",
    ],
    &[
        "traffic.process=trace",
        "traffic.trace={file=\"../../../traces/read-miss.tra.bz2\",dependencies=false,read_first=false}",
    ],
];

/// Networks that deadlock: nothing keeps packets from waiting for each other in a circle.
const STUCK: &[(&str, &[&str])] = &[
    (
        "chaos",
        &[
            "router.chaos.derouting=false",
            "router.chaos.multiqueue_frames=1",
            "network.topology=torus",
            "network.sides=[6,6]",
            "traffic.load=1",
            "run.warmup_cycles=100",
            "run.measure_cycles=900",
        ],
    ),
    (
        "wormhole",
        &[
            "router.wormhole.routing=fully-adaptive",
            "router.wormhole.allow_deadlock=true",
            "router.wormhole.vcs=1",
            "router.wormhole.buffer_words=2",
            "traffic.packet_words=16",
            "network.topology=torus",
            "network.sides=[6,6]",
            "traffic.load=1",
            "run.warmup_cycles=100",
            "run.measure_cycles=900",
        ],
    ),
];

/// A router's and a network's command line, without traffic.
fn network(router: &(&str, &[&str]), shape: &(&str, &str)) -> Vec<String> {
    let file = format!("tests/facts/base/{}.toml", router.0);
    let mut args = vec!["run".to_owned(), file, "--json".to_owned()];
    let mut set = |setting: String| args.extend(["--set".to_owned(), setting]);
    // A mesh has no dateline.
    let settings = router.1.iter();
    let settings = settings.filter(|it| shape.0 == "torus" || !it.contains("dateline"));
    settings.for_each(|setting| set((*setting).to_owned()));
    if *shape != SHAPES[0] {
        set(format!("network.topology={}", shape.0));
        set(format!("network.sides={}", shape.1));
    }
    args
}

/// The traffic of a number, which wraps around.
fn traffic(number: usize) -> Vec<String> {
    let number = number % (OPEN.len() + CLOSED.len());
    match number.checked_sub(OPEN.len()) {
        None => open(OPEN[number]),
        Some(closed) => set(&[CLOSED[closed], &["run.deadline_cycles=20000"]].concat()),
    }
}

/// Open-loop traffic, with its cycles.
fn open(settings: &[&str]) -> Vec<String> {
    set(&[
        settings,
        &["run.warmup_cycles=100", "run.measure_cycles=400"],
    ]
    .concat())
}

/// The options that make these settings.
fn set(settings: &[&str]) -> Vec<String> {
    settings
        .iter()
        .flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()])
        .collect()
}

/// Each router with its defaults under all traffic, in turn on a mesh and a torus, then each variant on each network, the
/// traffic taken in turn, and each router with its defaults under the traffic beside.
fn cases() -> Vec<Vec<String>> {
    let mut cases = BTreeSet::new();
    let mut ordered = Vec::new();
    let mut add = |case: Vec<String>| {
        if cases.insert(case.clone()) {
            ordered.push(case);
        }
    };
    let kinds = OPEN.len() + CLOSED.len();
    for router in ROUTERS.iter().filter(|router| router.1.is_empty()) {
        for (place, shape) in SHAPES[..2].iter().enumerate() {
            let numbers = (place..kinds).step_by(2);
            numbers.for_each(|number| add([network(router, shape), traffic(number)].concat()));
        }
    }
    for (index, router) in ROUTERS.iter().enumerate() {
        for (number, shape) in SHAPES.iter().enumerate() {
            // The steps have no divisor in common with the number of kinds, so all kinds occur.
            let number = if router.0 == "scheduled" {
                OPEN.len() + number
            } else {
                7 * index + 5 * number
            };
            add([network(router, shape), traffic(number)].concat());
        }
    }
    for router in ROUTERS.iter().filter(|router| router.1.is_empty()) {
        for (number, settings) in BESIDE.iter().enumerate() {
            let shape = &SHAPES[number % 2];
            add([network(router, shape), open(settings)].concat());
        }
    }
    for (router, settings) in STUCK {
        add([network(&(*router, *settings), &SHAPES[0]), Vec::new()].concat());
    }
    ordered
}

/// The part of a command line that names the router, and its other settings.
fn split(case: &[String]) -> (Vec<&str>, Vec<&str>) {
    let words: Vec<&str> = case.iter().map(String::as_str).collect();
    // After `run`, the file and `--json`.
    let is_other = |at: &usize| !words[at + 1].starts_with("router.");
    let end = (3..words.len()).step_by(2).find(is_other);
    let (router, others) = words.split_at(end.unwrap_or(words.len()));
    let settings = others.iter().copied().filter(|word| *word != "--set");
    (router.to_vec(), settings.collect())
}

/// A network's settings, each of which is given by `--set`, and what came of it on which engines.
fn line(case: &[String]) -> String {
    let args: Vec<&str> = case.iter().map(String::as_str).collect();
    let run = |engine: &&[&str]| {
        let done = flitwork(root(), &[&args[..], engine].concat());
        let name = options(engine).replace("--engine ", "");
        (name, outcome(&done))
    };
    let runs: Vec<(String, String)> = ENGINES.iter().map(run).collect();
    let settings = split(case).1.join(" ");
    format!("{settings}: {}\n", outcomes(&runs).join("; "))
}

/// One fact for each router in each of its variants, with a line for each of its networks.
#[test]
fn digests_of_small_networks() {
    let cases = cases();
    let mut routers: Vec<(String, String)> = Vec::new();
    for (case, line) in cases.iter().zip(each(&cases, |case| line(case))) {
        let router = typed(&split(case).0);
        match routers.iter_mut().find(|known| known.0 == router) {
            Some(known) => known.1 += &line,
            None => routers.push((router, line)),
        }
    }
    let facts = routers
        .into_iter()
        .map(|(done, came)| Fact::new(done, came));
    compare("networks.txt", &facts.collect::<Vec<Fact>>());
}
