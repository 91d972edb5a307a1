//! Commands of the documentation that aren't run and compared like all others, each with the reason. A line that fits no
//! command any more is a mistake.

use How::{Alike, LongAlike, Never, Soak};

/// How a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By the soak only: it takes seconds or minutes.
    Soak,
    /// The host decides its figures: only the names of the report's lines are compared.
    Alike,
    /// Both.
    LongAlike,
    /// Not at all.
    Never,
}

/// Commands of a page that contain a text.
pub(crate) struct Listed {
    pub(crate) page: &'static str,
    pub(crate) text: &'static str,
    pub(crate) how: How,
    /// Why it isn't run like the others.
    pub(crate) why: &'static str,
}

const fn listed(page: &'static str, text: &'static str, how: How, why: &'static str) -> Listed {
    Listed {
        page,
        text,
        how,
        why,
    }
}

const LIVE: &str = "a live run of 256 nodes, whose figures the host decides";
const OF_LIVE: &str = "the record is that of a live run";
const RUN: &str = "a long run";
const MANY: &str = "many runs";
const STUDY: &str = "a study or a paper takes minutes";
const FORM: &str = "a form with a part to fill in";
const KEYS: &str = "it waits for keys, or for a browser";
const CHANCE: &str = "what the host decides changes more than figures";
const OWN: &str = "it needs a file or a part of one's own";

/// The first line that fits a command holds.
pub(crate) const LISTED: &[Listed] = &[
    listed("README.md", "paper chinn-exp2", Soak, STUDY),
    listed("docs/src/steps.md", "traffic.file=worst.csv", Soak, STUDY),
    listed("README.md", "saturate configs", Soak, MANY),
    listed("README.md", "compare A.toml B.toml", Never, FORM),
    listed("README.md", "sweep configs", Soak, MANY),
    listed("README.md", "study routers", Soak, STUDY),
    listed("README.md", "--record run.flog", LongAlike, LIVE),
    listed("README.md", "replay run.flog", LongAlike, OF_LIVE),
    listed(
        "docs/src/asynchrony.md",
        "run configs/clocked-mesh.toml",
        Soak,
        RUN,
    ),
    listed("docs/src/asynchrony.md", "--slack N", Never, FORM),
    listed(
        "docs/src/asynchrony.md",
        "live-mesh.toml --slack",
        LongAlike,
        LIVE,
    ),
    listed("docs/src/contributing/adding.md", "study sides", Never, OWN),
    listed("docs/src/debugging.md", "trace why", Soak, RUN),
    listed("docs/src/debugging.md", "trace node", Soak, RUN),
    listed("docs/src/debugging.md", "--by packets", Soak, RUN),
    listed("docs/src/debugging.md", "flitwork debug", Never, KEYS),
    listed("docs/src/debugging.md", "--export chaos", Soak, RUN),
    listed("docs/src/debugging.md", "flitwork view", Never, KEYS),
    listed("docs/src/engines.md", "--runtime R", Never, FORM),
    listed("docs/src/engines.md", "$RUN", Never, FORM),
    listed("docs/src/exports.md", "trace export", Soak, RUN),
    listed(
        "docs/src/introduction.md",
        "sides=[4096,4096]",
        Soak,
        "small networks are run to estimate the memory",
    ),
    listed("docs/src/links.md", "configs/chaos-chip.toml", Soak, RUN),
    listed("docs/src/live.md", "first.flog", LongAlike, LIVE),
    listed("docs/src/live.md", "--slack 0", Soak, RUN),
    listed("docs/src/live.md", "heads.flog", LongAlike, LIVE),
    listed(
        "docs/src/live.md",
        "kill.flog",
        Never,
        "it is killed on the way",
    ),
    listed("docs/src/live.md", "bad.flog", Never, CHANCE),
    listed("docs/src/live.md", "--rehearse", Never, FORM),
    listed("docs/src/live.md", "configs/deadlock.toml", Never, CHANCE),
    listed("docs/src/live.md", "--record run.flog", Alike, OF_LIVE),
    listed("docs/src/live.md", "replay run.flog", Alike, OF_LIVE),
    listed(
        "docs/src/live.md",
        "RUST_LOG",
        Alike,
        "the log has the time of day",
    ),
    listed("docs/src/results.md", "--out /tmp/maps", Soak, RUN),
    listed("docs/src/results.md", "--out /tmp/over-time", Soak, RUN),
    listed(
        "docs/src/routers/greedy-hp.md",
        "configs/greedy-hp.toml",
        Soak,
        RUN,
    ),
    listed("docs/src/schedules.md", "--select either --play", Soak, RUN),
    listed("docs/src/steps.md", "flitwork paper", Soak, STUDY),
    listed(
        "docs/src/studies/asynchrony.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/asynchronous.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/chaos-readings.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed("docs/src/studies/chinn.md", "flitwork paper", Soak, STUDY),
    listed(
        "docs/src/studies/crossing.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/cut-through.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/deadlock.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/deadlock.md",
        "for topology in torus mesh",
        Soak,
        MANY,
    ),
    listed(
        "docs/src/studies/deflection.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed("docs/src/studies/duplex.md", "flitwork study", Soak, STUDY),
    listed(
        "docs/src/studies/greedy-hp.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/livelock.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed("docs/src/studies/livelock.md", "ring.toml", Never, OWN),
    listed("docs/src/studies/routers.md", "flitwork study", Soak, STUDY),
    listed(
        "docs/src/studies/schedules.md",
        "flitwork paper",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/self-timed.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed(
        "docs/src/studies/slow-router.md",
        "flitwork study",
        Soak,
        STUDY,
    ),
    listed("docs/src/sweeps.md", "SLURM_ARRAY_TASK_ID", Never, FORM),
    listed("docs/src/sweeps.md", "merge loads", Never, FORM),
    listed("docs/src/sweeps.md", "sweep configs", Soak, MANY),
    listed("docs/src/sweeps.md", "saturate configs", Soak, MANY),
    listed("docs/src/sweeps.md", "compare configs", Soak, MANY),
    listed("docs/src/traces.md", "PATH.", Never, OWN),
    listed("docs/src/traffic.md", "--set traffic.load=0.4", Soak, RUN),
    listed("docs/src/traffic.md", "for load in", Soak, MANY),
    listed("docs/src/traffic.md", "hot_fraction", Soak, RUN),
    listed(
        "docs/src/validation.md",
        "configs/booksim-iq.toml",
        Soak,
        RUN,
    ),
    listed(
        "docs/src/tutorials.md",
        "flitwork ",
        Never,
        "the page has a test of its own: tutorials.rs",
    ),
];

/// Exit codes that aren't seen from what is shown: page, text in the command, code.
pub(crate) const EXITS: &[(&str, &str, i32)] = &[
    ("docs/src/links.md", "configs/chaos-chip.toml", 3),
    ("docs/src/routers/chaos.md", "/tmp/link.toml", 3),
    ("docs/src/validation.md", "configs/booksim-iq.toml", 3),
];

/// Blocks of output without a command: page, first line, text in the command that prints them.
pub(crate) const OUTPUTS: &[(&str, &str, &str)] = &[
    ("README.md", "results", "run configs/chaos-mesh.toml"),
    (
        "docs/src/studies/deadlock.md",
        "torus  bit-complement   derouting false  0 of 20  derouting true   0 of 20",
        "for topology in torus mesh",
    ),
    (
        "docs/src/studies/cut-through.md",
        "mesh of 8 x 8, uniform, dimension order, 2 virtual channels, 10 seeds; ± 95 % intervals",
        "study cut-through",
    ),
    (
        "docs/src/studies/deflection.md",
        "loads in words/node/cycle, latency in cycles, 5 seeds, ± 95 % intervals",
        "study deflection",
    ),
    (
        "docs/src/studies/greedy-hp.md",
        "GreedyHP, a random permutation of an n x n mesh, 10 seeds; mean ± 95 % interval",
        "study greedy-steps",
    ),
    (
        "docs/src/studies/routers.md",
        "loads in words/node/cycle, latency in cycles, 5 seeds, ± 95 % intervals",
        "study routers",
    ),
];

/// Outputs that are shown whole: page, command.
pub(crate) const WHOLE: &[(&str, &str)] = &[(
    "docs/src/introduction.md",
    "flitwork run configs/chaos-mesh.toml",
)];

/// Other programs that pages run.
pub(crate) const OTHERS: &[&str] = &[".ci/run", "cargo", "exiftool", "git", "python3", "xxd"];
