//! The keys that no part declares beside itself: what each may be, what it is by default, what it means.

use flitwork_router::chaos::MAX_PACKET_WORDS;
use flitwork_schema::Allowed;
use flitwork_topology::MAX_NODES;
use flitwork_types::Cycle;

/// The most cycles of a run.
pub(super) const MAX_RUN_CYCLES: u64 = Cycle::LAST.get() as u64;

/// A line of the table.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// The key with its tables.
    pub(super) key: &'static str,
    /// What it may be.
    pub(super) allowed: Allowed,
    /// What it is where it isn't given.
    pub(super) default: &'static str,
    /// What it means, with its unit.
    pub(super) meaning: &'static str,
}

const fn key(
    key: &'static str,
    allowed: Allowed,
    default: &'static str,
    meaning: &'static str,
) -> Key {
    Key {
        key,
        allowed,
        default,
        meaning,
    }
}

use Allowed::{
    Choice, Node, Nodes, Number, Numbers, Rows, Table, Tables, Text, Truth, Whole, Wholes,
};

const WORDS: u64 = MAX_PACKET_WORDS as u64;
/// Packets, cycles and numbers that 32 bits hold.
const COUNT: u64 = u32::MAX as u64;
const LOAD: &str = "words a node and cycle";

/// A name of a table of parts, put in where the schema is assembled.
const NAMED: Allowed = Allowed::Choice(&[]);

/// Every key, in the order of the file.
#[rustfmt::skip]
pub(super) const KEYS: &[Key] = &[
    key("router", Table, "required", "the router, by the one table in it"),
    key("traffic", Table, "required", "who sends to whom, and when"),
    key("traffic.packet_words", Whole(1, WORDS), "4; that of the router where it has one", "words a packet; chaos and greedy-hp have packets of one length; with a trace: the length of every packet in the place of the trace's"),
    key("traffic.lengths", Table, "all packets have packet_words", "packet lengths by a distribution, in the place of packet_words; not with batch and trace"),
    key("traffic.lengths.law", Choice(&["geometric", "uniform", "weighted"]), "required", "the distribution"),
    key("traffic.lengths.least_words", Whole(1, WORDS), "1", "the shortest packet; uniform only"),
    key("traffic.lengths.most_words", Whole(1, WORDS), "required for geometric and uniform", "the longest packet"),
    key("traffic.lengths.mean_words", Number(1.0, 32_768.0, "words"), "required for geometric", "the mean length, at most (most_words + 1) / 2; geometric only"),
    key("traffic.lengths.words", Wholes(1, WORDS), "required for weighted", "the lengths that there are; weighted only"),
    key("traffic.lengths.weights", Numbers(0.0, 1e9, "of the sum of all weights"), "required for weighted", "how often each of them comes; weighted only"),
    key("traffic.process", Choice(&["batch", "bernoulli", "h-h", "k-k", "modulated", "on-off", "once", "phases", "schedule", "trace"]), "\"bernoulli\"", "when packets are made: by a coin in each cycle, in bursts, in states or phases with other loads; or all in cycle 0; as requests and replies; as the router's schedule has them; or as a trace says"),
    key("traffic.load", Number(0.0, 1.0, LOAD), "required for bernoulli and on-off; modulated: what its states make", "how much traffic the sources make in the mean; bernoulli, on-off and modulated only"),
    key("traffic.pattern", NAMED, "\"uniform\"", "where packets go"),
    key("traffic.hot_nodes", Nodes, "required for hot-spot", "the nodes that get more than their share; hot-spot only"),
    key("traffic.hot_fraction", Number(0.0, 1.0, "packets of all packets"), "required for hot-spot", "the part of the packets that goes to a hot node; hot-spot only"),
    key("traffic.destination", Node, "required for many-to-one", "where all packets go; many-to-one only"),
    key("traffic.sources", Nodes, "every node but the destination", "who sends; many-to-one only"),
    key("traffic.file", Text, "drawn from the seed", "the permutation's file, from the configuration file's directory; permutation only"),
    key("traffic.k", Whole(1, COUNT), "1", "packets a source (once), random permutations one after the other (k-k), or the most packets that a node sends and receives (h-h)"),
    key("traffic.packets", Whole(0, COUNT), "k a node", "packets of the whole problem; h-h only"),
    key("traffic.on-off", Table, "required for on-off", "bursts of every source by itself; on-off only"),
    key("traffic.on-off.peak_load", Number(0.0, WORDS as f64, "words a cycle"), "required", "what a source makes while it is on; from the mean load to a packet a cycle"),
    key("traffic.on-off.burst_cycles", Number(1.0, 1e9, "cycles"), "required", "the mean length of a burst"),
    key("traffic.modulated", Table, "required for modulated", "a Markov chain of states, for every source by itself; modulated only"),
    key("traffic.modulated.transitions", Rows, "all other states alike", "row i: which state follows state i, with which probability; 0 on the diagonal"),
    key("traffic.modulated.states", Tables, "required", "the states, a table [[traffic.modulated.states]] for each; 1 to 64"),
    key("traffic.modulated.states.load", Number(0.0, WORDS as f64, "words a cycle"), "required", "what a source makes in the state; scaled where traffic.load is given"),
    key("traffic.modulated.states.mean_cycles", Number(1.0, 1e9, "cycles"), "required", "how long a source stays in the state, in the mean"),
    key("traffic.repeat_cycles", Whole(1, MAX_RUN_CYCLES), "the last phase stays", "cycles after which the first phase comes again; phases only"),
    key("traffic.phases", Tables, "required for phases", "phases of the whole network, a table [[traffic.phases]] for each; phases only"),
    key("traffic.phases.from_cycle", Whole(0, MAX_RUN_CYCLES), "0", "its first cycle: 0 for the first phase, then later and later"),
    key("traffic.phases.load", Number(0.0, 1.0, LOAD), "required", "how much traffic the sources make in it"),
    key("traffic.phases.pattern", NAMED, "\"uniform\"", "where packets go in it"),
    key("traffic.phases.hot_nodes", Nodes, "required for hot-spot", "as traffic.hot_nodes"),
    key("traffic.phases.hot_fraction", Number(0.0, 1.0, "packets of all packets"), "required for hot-spot", "as traffic.hot_fraction"),
    key("traffic.phases.destination", Node, "required for many-to-one", "as traffic.destination"),
    key("traffic.phases.sources", Nodes, "every node but the destination", "as traffic.sources"),
    key("traffic.batch", Table, "all defaults", "requests that every node has to send, and what answers them; batch only"),
    key("traffic.batch.requests", Whole(1, COUNT), "100", "requests a node"),
    key("traffic.batch.outstanding", Whole(1, COUNT), "4; as many as there are without replies", "how many of a node's requests may be without a reply at a time"),
    key("traffic.batch.request_words", Whole(1, WORDS), "1; that of the router where it has one", "words a request"),
    key("traffic.batch.replies", Truth, "true", "whether requests are answered"),
    key("traffic.batch.reply_words", Whole(1, WORDS), "packet_words", "words a reply"),
    key("traffic.batch.service_cycles", Whole(1, MAX_RUN_CYCLES), "1", "cycles from a request's delivery to its reply"),
    key("traffic.trace", Table, "required for trace", "packets that were recorded or computed elsewhere; trace only"),
    key("traffic.trace.file", Text, "required", "the trace's file, plain or packed by bzip2, from the configuration file's directory"),
    key("traffic.trace.format", Choice(&["csv", "netrace"]), "netrace for names with .tra, else csv", "what kind of trace it is"),
    key("traffic.trace.link_bytes", Whole(1, COUNT), "8", "bytes a word; netrace only"),
    key("traffic.trace.first_region", Whole(0, COUNT), "all regions", "the first region that is read, from 0; netrace only"),
    key("traffic.trace.last_region", Whole(0, COUNT), "first_region", "the last region that is read; netrace only"),
    key("traffic.trace.nodes", Whole(1, MAX_NODES as u64), "those of the network", "how many nodes the trace has; csv only"),
    key("traffic.trace.map", Choice(&["block", "given", "in-order"]), "\"in-order\"", "which node of the network each of the trace's is: in rows of columns nodes in a corner of the plane, as places says, or by the same number"),
    key("traffic.trace.columns", Whole(1, MAX_NODES as u64), "required for block", "nodes in a row of the trace's network; block only"),
    key("traffic.trace.places", Nodes, "required for given", "the network's node for each of the trace's; given only"),
    key("traffic.trace.dependencies", Truth, "true", "whether packets wait for those that the trace says; otherwise each is ready in its own cycle"),
    key("traffic.trace.window_packets", Whole(1, COUNT), "4096", "packets that may be held for reading ahead; changes no result"),
    key("traffic.trace.read_first", Truth, "true", "whether the trace is read once before the run, so that mistakes in it are found first; the clocked and the live engine need it"),
];
