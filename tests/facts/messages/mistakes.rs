//! Mistakes in a small configuration: replaced text, appended lines, and values set on the command line.

/// Text of [`SMALL`](super::SMALL), and its replacement.
#[rustfmt::skip]
pub(crate) const REPLACED: &[(&str, &str)] = &[
    ("load = 0.2", "load = nan"),
    ("load = 0.2", "load = inf"),
    ("load = 0.2", "load.x = 1"),
    ("[4, 4]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]"),
    ("[4, 4]", "[16777216,16777216,16777216,16777216,16777216,16777216]"),
    ("\"mesh\"\nsides = [4, 4]", "\"torus\"\nsides = [1, 4]"),
    ("[traffic]", "[trafic]"),
    ("[traffic]", "[[traffic]]"),
    ("[router.chaos]", "[chaos]"),
    ("[router.chaos]", "[router]"),
    ("[router.chaos]", "[router.chaos]\nframe_words = 9"),
    ("[router.chaos]", "[router.chaos]\ninput_release_cycles = 11"),
    ("[router.chaos]", "[router.chaos]\ndecision_latency_cycles = 1048576"),
    ("[router.chaos]", "[router.chaos]\nscan_order = [\"south\", \"north\", \"east\", \"south\"]"),
    ("[router.chaos]", "[router.chaos]\nscan_order = [\"south\", \"north\"]"),
    ("load = 0.2", "load = 0.2\npattern = \"many-to-one\"\ndestination = 9\nsources = [1, 9]"),
    ("load = 0.2", "load = 0.2\n[run]\ndrain_cycles = 2000000000"),
    ("load = 0.2", "load = 0.2\n[run]\nengine = \"live\"\nstop_at_overload = true"),
    ("[4, 4]", "[3, 5]"),
    ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[3, 5]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"bit-reversal\""),
    ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[4, 8]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"transpose\""),
    ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[3, 4]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"shift\""),
    ("load = 0.2", "load = 0.2\npattern = \"swap\"\nlocality = 3"),
    ("load = 0.2", "process = \"phases\"\nphases = [{ load = 0.2, pattern = \"reflection\", locality = 1 }]"),
    ("load = 0.2", "load ="),
];

/// Values of `--set` beside [`SMALL`](super::SMALL).
#[rustfmt::skip]
pub(crate) const SET: &[&str] = &[
    "=1",
    "run.seed='1",
    "run.seed=",
    "router.wormhole.vcs=2",
    "router={}",
    "traffic.process=once",
    "traffic.load=1e-400",
    "traffic.load=+0.2",
    "run.measure_cycles=1_000",
    "run.measure_cycles=0x10",
    " traffic.load = 0.9",
];

/// Further lines below [`SMALL`](super::SMALL).
#[rustfmt::skip]
pub(crate) const APPENDED: &[&str] = &[
    "[clock]",
    "[clocks.self-timed]\nidle_ps = [1, 2]",
    "[clocks.self-timed]\nword_ps = [3]",
    "[clocks.self-timed]\nword_ps = [3, 2]",
    "[clocks]\nspread = \"normal\"",
    "[clocks]\ndomains = \"blocks\"\nblock_sides = [4]",
    "[clocks]\njitter_ps = 999\ndrift_ppm = 1",
    "[clocks]\nislands = [{ nodes = [1], period_ps = 2 }, []]",
    "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 5\n[[clocks.islands]]\nperiod_ps = 3\nnodes = [2, 2]",
    "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 5\n[[clocks.islands]]\nperiod_ps = 3\nnodes = [2, 1]",
    "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 5\n[[clocks.islands]]\nperiod_ps = 3\nnodes = [2]\njitter_ps = 3",
    "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 5\n[[clocks.islands]]\nperiod_ps = 1\nnodes = [2]\ndrift_ppm = -1",
    "[[clocks.islands]]\nnodes = [0]\nperiod_ps = 1_000_000_000\ndrift_ppm = 100_000\njitter_ps = 999_999_999\n[run]\nmeasure_cycles = 3_999_990_000",
    "[clocks]\nwander_ps = 1000",
    "[clocks]\nwander_ps = 600\njitter_ps = 400",
    "[clocks]\nwander_ps = 10\nwander_bound_ps = 9",
    "[[clocks.islands]]\nnodes = [0]\nperiod_ps = 5\njitter_ps = 2\nwander_ps = 3",
    "[[clocks.changes]]\nat_ps = 5\ngated = true\nperiod_ps = 8",
    "[[clocks.changes]]\nat_ps = 5\ngated = true\nnodes = [1]\nislands = [0]",
    "[[clocks.islands]]\nnodes = [4, 5]\nperiod_ps = 700\n[[clocks.changes]]\nat_ps = 5\ngated = true\nislands = [0, 0]",
    "[[clocks.islands]]\nnodes = [4, 5]\nperiod_ps = 700\n[[clocks.changes]]\nat_ps = 5\ngated = true\nnodes = [4, 5]",
    "[[clocks.changes]]\nat_ps = 5\ngated = true\n[[clocks.changes]]\nat_ps = 5\nperiod_ps = 9",
    "[clocks]\njitter_ps = 100\n[[clocks.changes]]\nat_ps = 5\nperiod_ps = 100",
    "[[clocks.changes]]\nat_ps = 5\ngated = true\nnodes = [0]\n[clocks.self-timed]\nword_ps = 1\ndecision_ps = 1",
    "[[clocks.changes]]\nat_ps = 5\ngated = true\n[clocks.self-timed]\nword_ps = 1\ndecision_ps = 1",
    "a = '1",
    "a = 1\na = 2",
    "\u{feff}x = 1",
    "run.seed = 1",
];

/// Whole texts that aren't configurations.
#[rustfmt::skip]
pub(crate) const WHOLE: &[&str] = &[
    "",
    "[run]\nseed = 2",
    "[network",
    "\0\u{1}\u{7f}",
    "[traffic]\nload = \"é\u{1b}[31m\"",
];
