//! The keys that no part declares beside itself: what each may be, what it is by default, what it means.

use super::clocks::keys::MAX_PERIOD_PS;
use flitwork_router::chaos::{MAX_MULTIQUEUE_FRAMES, MAX_PACKET_WORDS};
use flitwork_router::deflection::MAX_SIDE_BUFFER_FLITS;
use flitwork_router::routing::{MAX_CHANNELS, MAX_MISROUTES};
use flitwork_router::wormhole::{MAX_BUFFER_WORDS, MAX_STAGE_CYCLES};
use flitwork_schema::Allowed;
use flitwork_topology::{MAX_DIMENSIONS, MAX_NODES};
use flitwork_types::Cycle;

/// The longest link, in cycles.
const MAX_LINK_CYCLES: u64 = 1024;
/// The longest time within a router, in cycles: what `ChaosParameters::check` allows.
pub(super) const MAX_ROUTER_CYCLES: u64 = 1 << 20;
/// The longest link, in ps: one of the most cycles at the longest period.
const MAX_LINK_PS: u64 = MAX_LINK_CYCLES * MAX_PERIOD_PS;
/// The most words that a link may hold.
pub(super) const MAX_LINK_WORDS: u64 = 65_535;
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
    Choice, Node, Nodes, Number, Numbers, Rows, Table, Tables, Text, Texts, Truth, Whole, Wholes,
};

const WORDS: u64 = MAX_PACKET_WORDS as u64;
const FRAMES: u64 = MAX_MULTIQUEUE_FRAMES as u64;
const STAGE: u64 = MAX_STAGE_CYCLES as u64;
/// Packets, cycles and numbers that 32 bits hold.
const COUNT: u64 = u32::MAX as u64;
/// What `DeflectionParameters::check` allows of times and counts.
const DEFLECTED: u64 = 1 << 24;
const LOAD: &str = "words a node and cycle";

/// The sides of a grid.
const SIDES: Allowed = Allowed::UpTo(MAX_DIMENSIONS, 1, MAX_NODES as u64);
/// A name of a table of parts, put in where the schema is assembled.
const NAMED: Allowed = Allowed::Choice(&[]);

/// Every key, in the order of the file.
#[rustfmt::skip]
pub(super) const KEYS: &[Key] = &[
    key("network", Table, "required", "the network's shape and its links"),
    key("network.topology", Choice(&["mesh", "torus"]), "required", "whether every line of nodes is a ring (torus) or not (mesh)"),
    key("network.sides", SIDES, "required", "nodes along each dimension, x first; 2 to 16777216 nodes in all, and a torus' sides are at least 2"),
    key("network.link_latency_cycles", Whole(1, MAX_LINK_CYCLES), "1", "cycles that a word or a credit takes from one node to the next"),
    key("network.link_latency_ps", Whole(1, MAX_LINK_PS), "link_latency_cycles * clocks.period_ps", "ps that a word or a credit takes from one node to the next; read by the clocked engine only, which doesn't read link_latency_cycles"),
    key("network.link_capacity_words", Whole(1, MAX_LINK_WORDS), "packet_words, or the words of a round trip where those are more", "words that may be under way over a link or wait at its far end; greedy-hp needs at least those of a round trip; clocked only"),
    key("network.synchronizer_edges", Whole(0, 16), "2", "edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another; clocked only"),
    key("router", Table, "required", "the router, by the one table in it"),
    key("router.chaos", Table, "one router is required", "the Chaos router"),
    key("router.chaos.preset", Choice(&["chinn-1995", "chaos-chip"]), "\"chinn-1995\"", "where the keys that aren't given come from: Chinn 1995, section 4.1, or the chip of Bolding and Snyder 1992"),
    key("router.chaos.packet_words", Whole(1, WORDS), "10; chaos-chip: 20", "words a packet"),
    key("router.chaos.frame_words", Whole(1, WORDS), "packet_words", "words a frame, at least those of a packet"),
    key("router.chaos.multiqueue_frames", Whole(1, FRAMES), "5", "frames of the multiqueue"),
    key("router.chaos.stall_threshold_cycles", Whole(0, MAX_ROUTER_CYCLES), "7", "cycles that a packet waits in an input frame before it may move to the multiqueue by itself"),
    key("router.chaos.decision_latency_cycles", Whole(1, MAX_ROUTER_CYCLES), "3", "cycles from a decision until the head stands in its new frame"),
    key("router.chaos.input_release_cycles", Whole(1, MAX_ROUTER_CYCLES), "decision_latency_cycles + packet_words", "cycles from the decision that releases an input frame until a neighbour one cycle away can send into it again; at least decision_latency_cycles + packet_words - 1"),
    key("router.chaos.scan_order", Texts, "[\"south\", \"north\", \"east\", \"west\"], then further ports as they are numbered", "the order in which output frames are looked at: each link port once (east, west, then north, south in the second dimension, -d3, +d3 in the third)"),
    key("router.chaos.initial_pointer", Choice(&["fixed", "random"]), "\"fixed\"", "where the scan begins: on the first port of the order, or on a random one a node"),
    key("router.chaos.multiqueue_policy", Choice(&["oldest-first", "newest-first", "random"]), "\"oldest-first\"", "which of the multiqueue packets that are good for an output goes"),
    key("router.chaos.derouting", Truth, "true", "whether a full multiqueue sends a random packet through an unproductive port"),
    key("router.chaos.bypass", Truth, "true", "whether a packet may go from an input frame straight to an output frame"),
    key("router.chaos.cut_through", Truth, "true", "whether a head may move on before its tail has come; otherwise packets are stored in each frame first"),
    key("router.chaos.delivery", Choice(&["frame", "vanish"]), "\"frame\"", "how a packet leaves at its destination: through the delivery frame, or when its head arrives"),
    key("router.greedy-hp", Table, "one router is required", "the greedy hot potato router of Chinn 1995, section 4.3: packets of one word; an empty table"),
    key("router.wormhole", Table, "one router is required", "the wormhole router: input-queued, flit by flit, with virtual channels and credits"),
    key("router.wormhole.preset", Choice(&["booksim-iq", "one-cycle", "four-stage"]), "\"four-stage\"", "where the keys that aren't given come from: BookSim 2's input-queued router with stages of a cycle, a router of one cycle, or a common router of four stages"),
    key("router.wormhole.vcs", Whole(1, MAX_CHANNELS as u64), "2", "virtual channels of a link"),
    key("router.wormhole.buffer_words", Whole(1, MAX_BUFFER_WORDS as u64), "8", "words that a virtual channel's buffer holds"),
    key("router.wormhole.routing", NAMED, "\"dimension-order\"", "where heads go"),
    key("router.wormhole.dateline", Choice(&["wrapping", "crossed"]), "\"wrapping\"", "on a torus, the class of virtual channels that a packet uses in a dimension: by whether its way there crosses the wrap link, or has crossed it"),
    key("router.wormhole.axis_order", Choice(&["x-first", "x-last"]), "\"x-first\"", "the order of the dimensions where packets go through them one by one"),
    key("router.wormhole.misroutes", Whole(0, MAX_MISROUTES as u64), "4", "how often a packet may be derouted; chaotic only"),
    key("router.wormhole.switching", Choice(&["wormhole", "cut-through", "store-and-forward"]), "\"wormhole\"", "when a head goes on: where there is room for a word, or for the whole packet, or once the whole packet has come, too"),
    key("router.wormhole.reallocation", Choice(&["tail-sent", "buffer-empty"]), "\"tail-sent\"; \"buffer-empty\" where escape channels need it", "when a virtual channel is given to the next worm: once the tail has been sent, or once the far buffer is empty"),
    key("router.wormhole.route_cycles", Whole(0, STAGE), "1; one-cycle: 0", "cycles from a head's coming to its first bid for a virtual channel"),
    key("router.wormhole.vc_allocation_cycles", Whole(0, STAGE), "1; one-cycle: 0", "cycles from that bid to the first bid for the switch"),
    key("router.wormhole.switch_allocation_cycles", Whole(0, STAGE), "1; one-cycle: 0", "cycles from a bid for the switch to the beginning of the traversal"),
    key("router.wormhole.traversal_cycles", Whole(0, STAGE), "1", "cycles through the switch to the link"),
    key("router.wormhole.credit_cycles", Whole(0, STAGE), "1; booksim-iq: 2; one-cycle: 0", "cycles from a credit's arrival to its use"),
    key("router.wormhole.injection_cycles", Whole(0, STAGE), "1; booksim-iq: 2; one-cycle: 0", "cycles from the source to the local input buffer, and of a credit back"),
    key("router.wormhole.speculative", Truth, "false", "whether heads bid for the switch while they bid for a virtual channel"),
    key("router.wormhole.vc_allocator", NAMED, "\"islip\"", "who gets a virtual channel"),
    key("router.wormhole.vc_iterations", Whole(1, 16), "1", "iterations of that allocator; islip only"),
    key("router.wormhole.switch_allocator", NAMED, "\"islip\"", "who gets through the switch"),
    key("router.wormhole.switch_iterations", Whole(1, 16), "1", "iterations of that allocator; islip only"),
    key("router.wormhole.allow_deadlock", Truth, "false", "whether to run although worms may wait for each other in a circle"),
    key("router.deflection", Table, "one router is required", "a bufferless router whose words never wait: they leave in the cycle in which they come, by an unproductive link if need be"),
    key("router.deflection.preset", Choice(&["flit-bless", "worm-bless", "chipper", "minbd"]), "\"flit-bless\"", "where the keys that aren't given come from: FLIT-BLESS and WORM-BLESS of Moscibroda and Mutlu 2009, CHIPPER of Fallin and others 2011, or MinBD of Fallin and others 2012"),
    key("router.deflection.switching", Choice(&["flit", "worm"]), "\"flit\"; worm-bless: \"worm\"", "whether each word is routed by itself, or words follow their head until an older worm takes their link"),
    key("router.deflection.priority", NAMED, "\"oldest-first\"; chipper, minbd: \"golden\"", "which word chooses its link first; greedy for flits only"),
    key("router.deflection.port_choice", Choice(&["ordered", "random"]), "\"ordered\"; chipper, minbd: \"random\"", "which of several links that are as good: the first dimension's first, or any"),
    key("router.deflection.eject_words", Whole(1, 32), "1; minbd: 2", "words that may leave for the processor in a cycle"),
    key("router.deflection.side_buffer_flits", Whole(0, MAX_SIDE_BUFFER_FLITS as u64), "0; minbd: 4", "flits that the side buffer holds; with flits only"),
    key("router.deflection.redirection_cycles", Whole(0, DEFLECTED), "2", "cycles in which the first flit of the side buffer finds no link before another must make room for it"),
    key("router.deflection.epoch_cycles", Whole(1, DEFLECTED), "so many that a golden packet gets home in an epoch", "cycles for which a packet is golden; with golden only"),
    key("router.deflection.transactions", Whole(1, DEFLECTED), "16", "how many numbers the packets of a source have, one of which is golden at a time; with golden only"),
    key("router.scheduled", Table, "one router is required", "worms that never stop, by a schedule made before the run (Roberts and Symvonis 1994); for traffic that is all there in cycle 0, on one clock"),
    key("router.scheduled.schedule", Choice(&["file", "one-bend"]), "\"one-bend\"", "where the schedule comes from: a file, with traffic.process = \"schedule\"; or made for the run's packets, each worm along its row, then its column, as early as its links are free"),
    key("router.scheduled.file", Text, "required for file", "the schedule's file, from the configuration file's directory: a line source,words,start,path for each worm, with a path such as \"east east south\"; file only"),
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
