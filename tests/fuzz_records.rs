//! Damaged and invented records: for any file, a replay ends with a result, a typed error, or the first
//! difference, in bounded time and memory.

use crate::common::live_cases::{Case, Watchdog, case, header_of, live, replay, replay_subset};
use flitwork_config::resolve;
use flitwork_live::{Cause, ReplayOptions};
use flitwork_trace::record::{
    Arrivals, Chunk, Decoder, Encoder, Item, Mark, Reader, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId, Port};
use proptest::prelude::*;
use proptest::sample::Index;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How long a property searches for counterexamples, in seconds; `FLITWORK_FUZZ_SECONDS` sets another time.
const SECONDS: u64 = 3;
/// The most memory that all cases may take together.
const MOST_KILOBYTES: u64 = 1 << 20;

/// A run and its record.
struct Sample {
    case: Case,
    bytes: Vec<u8>,
    chunks: Vec<Chunk>,
    trailer: Trailer,
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let cases = (0..12).map(case).chain(SHARED.map(shared));
    cases.map(sample).collect()
});

/// Networks with several terminals a node, or whose packets enter at other nodes than they leave, and routers on them.
const SHARED: [(&str, &str); 3] = [
    (
        "topology = \"concentrated-mesh\"\nsides = [6, 2]\nblock = [3, 1]",
        "chaos]\npacket_words = 3",
    ),
    (
        "topology = \"fly\"\nradix = 3\nstages = 2",
        "chaos]\npacket_words = 3",
    ),
    (
        "topology = \"concentrated-mesh\"\nsides = [2, 2]\nblock = [2, 2]",
        "wormhole]",
    ),
];

/// The case of one of them.
fn shared((network, router): (&str, &str)) -> Case {
    let text = format!(
        "[network]\n{network}\n[router.{router}\n[traffic]\nload = 0.2\npacket_words = 3\n[run]\nengine = \"live\"\n\
         warmup_cycles = 0\nmeasure_cycles = 300\nseed = 3"
    );
    let resolved = resolve(&text, "shared.toml", Path::new(""), &[]).unwrap();
    Case {
        options: resolved.live,
        threads: 2,
        heads: router.starts_with("chaos"),
        resolved,
    }
}

fn sample(mut case: Case) -> Sample {
    // Runs that are cut off by their deadline are short.
    case.resolved.run.drain_cycles = 500;
    case.resolved.run.deadline_cycles = 1000;
    let (_, bytes) = live(&case);
    let (mut reader, _) = Reader::open(&bytes[..]).unwrap();
    let mut chunks = Vec::new();
    loop {
        match reader.next_block().unwrap() {
            Item::Chunks(more) => chunks.extend(more),
            Item::Mark(_) => {}
            Item::Trailer(trailer) => {
                return Sample {
                    case,
                    bytes,
                    chunks,
                    trailer,
                };
            }
            Item::End { cut } => panic!("{cut:?}"),
        }
    }
}

/// Replays a file, and checks how the replay ends.
fn check(
    sample: &Sample,
    bytes: &[u8],
    threads: usize,
    what_if: bool,
) -> Result<(), TestCaseError> {
    let options = ReplayOptions {
        threads,
        until: None,
        channel_capacity: 1 << 16,
        what_if,
    };
    let watchdog = Watchdog::new();
    let what = format!("{options:?} of {} bytes", bytes.len());
    let replayed = watchdog.watch(&what, || replay(&sample.case.resolved, bytes, &options));
    let last = sample.case.resolved.network.nodes() - 1;
    let subset = watchdog.watch(&what, || {
        replay_subset(&sample.case.resolved, bytes, vec![NodeId(0), NodeId(last)])
    });
    if let Ok(subset) = subset {
        let panicked = subset
            .verdict
            .fault
            .as_ref()
            .is_some_and(|fault| matches!(fault.cause, Cause::Panic(_)));
        prop_assert!(!panicked, "{:?}", subset.verdict.fault);
    }
    if let Ok(replayed) = replayed {
        let panicked = replayed
            .verdict
            .fault
            .as_ref()
            .is_some_and(|fault| matches!(fault.cause, Cause::Panic(_)));
        prop_assert!(!panicked, "{:?}", replayed.verdict.fault);
    }
    let most = most_kilobytes();
    prop_assert!(most < MOST_KILOBYTES, "{} kilobytes", most);
    Ok(())
}

/// The peak memory of this process so far; 0 if the host doesn't report it.
fn most_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

/// A change to a file's bytes.
#[derive(Clone, Debug)]
enum Damage {
    Flip(Index, u8),
    Cut(Index),
    Remove(Index, Index),
    Insert(Index, Vec<u8>),
    Double(Index, Index),
    /// The beginning of this file followed by the rest of another.
    Splice(Index, Index, Index),
}

fn damage() -> BoxedStrategy<Damage> {
    let at = any::<Index>;
    prop_oneof![
        (at(), 1..=255_u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        at().prop_map(Damage::Cut),
        (at(), at()).prop_map(|(from, to)| Damage::Remove(from, to)),
        (at(), prop::collection::vec(any::<u8>(), 1..40))
            .prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (at(), at()).prop_map(|(from, to)| Damage::Double(from, to)),
        (at(), at(), at()).prop_map(|(other, here, there)| Damage::Splice(other, here, there)),
    ]
    .boxed()
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let range = |from: &Index, to: &Index| {
            let (from, to) = (from.index(length), to.index(length));
            from.min(to)..from.max(to)
        };
        match self {
            Damage::Flip(at, bits) => bytes[at.index(length)] ^= bits,
            Damage::Cut(at) => bytes.truncate(at.index(length)),
            Damage::Remove(from, to) => drop(bytes.drain(range(from, to))),
            Damage::Insert(at, more) => {
                let at = at.index(length);
                drop(bytes.splice(at..at, more.iter().copied()));
            }
            Damage::Double(from, to) => {
                let range = range(from, to);
                let again = bytes[range.clone()].to_vec();
                drop(bytes.splice(range.end..range.end, again));
            }
            Damage::Splice(other, here, there) => {
                let other = &SAMPLES[other.index(SAMPLES.len())].bytes;
                bytes.truncate(here.index(length));
                bytes.extend_from_slice(&other[there.index(other.len())..]);
            }
        }
    }
}

/// A change to a record's content that leaves its checksums correct.
#[derive(Clone, Debug)]
enum Lie {
    Drop(Index),
    Double(Index),
    Swap(Index, Index),
    Token(Index, Index, u8),
    Tokens(Index, Vec<u8>),
    Heads(Index, Index, Vec<u8>),
    Check(Index, Index, u8),
    Digest(Index, u64),
    Node(Index, Index),
    From(Index, u32),
    Upto(Index, u32),
    /// A chunk of another record.
    Foreign(Index, Index, Index),
    End(Index, u32, u64),
    Ended(String),
    /// A node's arrivals in one cycle: the ports of words, of credits and of injections.
    Arrivals(Index, Index, u64, u64, u64),
}

fn lie() -> BoxedStrategy<Lie> {
    let at = any::<Index>;
    let cycles = || prop_oneof![0u32..3000, any::<u32>()];
    let ended = prop_oneof![
        Just("empty"),
        Just("run"),
        Just("stuck"),
        Just("fault"),
        Just("?")
    ];
    let arrivals = (at(), at(), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(
        |(node, at, words, credits, injects)| Lie::Arrivals(node, at, words, credits, injects),
    );
    let other = prop_oneof![
        at().prop_map(Lie::Drop),
        at().prop_map(Lie::Double),
        (at(), at()).prop_map(|(one, other)| Lie::Swap(one, other)),
        (at(), at(), any::<u8>()).prop_map(|(chunk, at, token)| Lie::Token(chunk, at, token)),
        (at(), prop::collection::vec(any::<u8>(), 0..60))
            .prop_map(|(chunk, tokens)| Lie::Tokens(chunk, tokens)),
        (at(), at(), prop::collection::vec(any::<u8>(), 0..4))
            .prop_map(|(chunk, at, heads)| Lie::Heads(chunk, at, heads)),
        (at(), at(), any::<u8>()).prop_map(|(chunk, at, check)| Lie::Check(chunk, at, check)),
        (at(), any::<u64>()).prop_map(|(chunk, digest)| Lie::Digest(chunk, digest)),
        (at(), at()).prop_map(|(chunk, node)| Lie::Node(chunk, node)),
        (at(), cycles()).prop_map(|(chunk, from)| Lie::From(chunk, from)),
        (at(), cycles()).prop_map(|(chunk, upto)| Lie::Upto(chunk, upto)),
        (at(), at(), at()).prop_map(|(at, record, chunk)| Lie::Foreign(at, record, chunk)),
        (at(), cycles(), any::<u64>())
            .prop_map(|(node, cycles, digest)| Lie::End(node, cycles, digest)),
        ended.prop_map(|ended| Lie::Ended(ended.into())),
    ];
    prop_oneof![2 => other, 1 => arrivals].boxed()
}

impl Lie {
    fn apply(&self, case: &Case, chunks: &mut Vec<Chunk>, trailer: &mut Trailer) {
        if chunks.is_empty() {
            return;
        }
        let count = chunks.len();
        let nodes = trailer.nodes.len();
        match self {
            Lie::Drop(at) => drop(chunks.remove(at.index(count))),
            Lie::Double(at) => chunks.insert(at.index(count), chunks[at.index(count)].clone()),
            Lie::Swap(one, other) => chunks.swap(one.index(count), other.index(count)),
            Lie::Token(chunk, at, token) => {
                let tokens = &mut chunks[chunk.index(count)].tokens;
                if !tokens.is_empty() {
                    let at = at.index(tokens.len());
                    tokens[at] = *token;
                }
            }
            Lie::Heads(chunk, at, heads) => {
                let all = &mut chunks[chunk.index(count)].heads;
                let from = at.index(all.len() + 1);
                let upto = all.len().min(from + heads.len());
                all.splice(from..upto, heads.iter().copied());
            }
            Lie::Tokens(chunk, tokens) => chunks[chunk.index(count)].tokens.clone_from(tokens),
            Lie::Check(chunk, at, check) => {
                let checks = &mut chunks[chunk.index(count)].checks;
                if !checks.is_empty() {
                    let at = at.index(checks.len());
                    checks[at] = *check;
                }
            }
            Lie::Digest(chunk, digest) => chunks[chunk.index(count)].digest_low = *digest as u8,
            Lie::Node(chunk, node) => {
                chunks[chunk.index(count)].node = NodeId(node.index(nodes) as u32);
            }
            Lie::From(chunk, from) => chunks[chunk.index(count)].from = Cycle(*from),
            Lie::Upto(chunk, upto) => chunks[chunk.index(count)].upto = Cycle(*upto),
            Lie::Foreign(at, record, chunk) => {
                let other = &SAMPLES[record.index(SAMPLES.len())].chunks;
                chunks[at.index(count)] = other[chunk.index(other.len())].clone();
            }
            Lie::End(node, cycles, digest) => {
                let end = &mut trailer.nodes[node.index(nodes)];
                (end.cycles, end.digest) = (Cycle(*cycles), *digest);
            }
            Lie::Ended(ended) => trailer.ended.clone_from(ended),
            Lie::Arrivals(node, at, words, credits, injects) => {
                let node = NodeId(node.index(nodes) as u32);
                let change = |arrivals: &mut Arrivals, ports: usize, locals: usize| {
                    let toggle_at = |port: Port, bits: u64| bits >> (2 * port.0) & 3 == 0;
                    for port in (0..ports).map(|port| Port(port as u8)) {
                        let toggle = |bits| toggle_at(port, bits);
                        if toggle(*words) {
                            arrivals.words.0 ^= 1 << port.0;
                        }
                        if toggle(*credits) {
                            arrivals.credits.0 ^= 1 << port.0;
                        }
                    }
                    for port in (ports..ports + locals).map(|port| Port(port as u8)) {
                        if toggle_at(port, *injects) {
                            arrivals.injected.0 ^= 1 << port.0;
                        }
                    }
                };
                change_arrivals(case, chunks, node, *at, change);
            }
        }
    }
}

/// Decodes a node's chunks, changes what arrives in one of its cycles, and encodes them again; does nothing
/// if they can no longer be decoded.
fn change_arrivals(
    case: &Case,
    chunks: &mut [Chunk],
    node: NodeId,
    at: Index,
    change: impl Fn(&mut Arrivals, usize, usize),
) {
    let header = header_of(case);
    let (ports, locals) = (usize::from(header.ports), usize::from(header.locals));
    let decoder = Decoder::new(node, header.packet_words, ports);
    let mut decoder = decoder.with_locals(locals);
    let own = |chunk: &&mut Chunk| chunk.node == node;
    let mut own: Vec<&mut Chunk> = chunks.iter_mut().filter(own).collect();
    if own.is_empty()
        || own
            .iter()
            .any(|chunk| decoder.push((*chunk).clone()).is_err())
    {
        return;
    }
    let upto = decoder.upto().get();
    if upto > 100_000 {
        return;
    }
    let changed = at.index(upto as usize) as u32;
    let mut encoder = Encoder::new(header.packet_words, ports).with_locals(locals);
    for chunk in &mut own {
        for now in chunk.from.get()..chunk.upto.get() {
            let quiet = Cycle(now) < decoder.next();
            let taken = if quiet {
                Ok(Arrivals::default())
            } else {
                decoder.take(Cycle(now))
            };
            let Ok(mut arrivals) = taken else { return };
            if now == changed {
                change(&mut arrivals, ports, locals);
            }
            if !arrivals.is_quiet() || encoder.expects_any() {
                encoder.cycle(Cycle(now), &arrivals);
            }
        }
        chunk.checks.iter().for_each(|check| encoder.check(*check));
        if let Some(again) = encoder.take_chunk(node, chunk.upto, chunk.digest_low) {
            // The heads stay as they were, whether they fit or not.
            let heads = std::mem::take(&mut chunk.heads);
            **chunk = Chunk { heads, ..again };
        }
    }
}

/// A record with correct checksums and any contents that the writer accepts.
fn write(case: &Case, chunks: &[Chunk], trailer: Option<&Trailer>, block: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header_of(case)).unwrap();
    for (chunk, count) in chunks.iter().zip(1..) {
        let _ = writer.add(chunk.clone());
        if count % block == 0 {
            // A mark before which, usually, not everything has been sent.
            writer.mark(&Mark::default()).unwrap();
        }
    }
    writer.flush_block().unwrap();
    if let Some(trailer) = trailer {
        writer.finish(trailer).unwrap();
    }
    bytes
}

/// Searches for counterexamples until the time is up, in rounds of a few cases, so that a counterexample can
/// still be shrunk.
fn search<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: std::fmt::Debug,
{
    let asked = std::env::var("FLITWORK_FUZZ_SECONDS").ok();
    let seconds = asked.map_or(SECONDS, |asked| asked.parse().expect("whole seconds"));
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(seconds) {
        let config = ProptestConfig {
            cases: 20,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        if let Err(error) = runner.run(&strategy, &test) {
            panic!("{error}");
        }
    }
}

/// Runs a test of this file in a separate process with its own memory: other tests run beside this one.
/// Returns whether it did; within that process it returns false.
fn has_run_in_a_process(test: &str) -> bool {
    const ALONE: &str = "FLITWORK_FUZZ_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let (_, module) = module_path!().split_once("::").expect("a test module");
    let program = std::env::current_exe().expect("the test program");
    let mut command = std::process::Command::new(program);
    command.args([&format!("{module}::{test}"), "--exact", "--nocapture"]);
    let out = command.env(ALONE, "1").output().expect("it starts");
    let printed = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && printed.contains("1 passed"),
        "{printed}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    true
}

#[test]
fn damaged_bytes_are_reported() {
    if has_run_in_a_process("damaged_bytes_are_reported") {
        return;
    }
    let damages = prop::collection::vec(damage(), 1..4);
    let strategy = (
        any::<Index>(),
        damages,
        1usize..4,
        prop::bool::weighted(0.3),
    );
    search(strategy, |(sample, damages, threads, what_if)| {
        let sample = &SAMPLES[sample.index(SAMPLES.len())];
        let mut bytes = sample.bytes.clone();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        check(sample, &bytes, threads, what_if)
    });
}

#[test]
fn lies_with_correct_checksums_are_reported() {
    if has_run_in_a_process("lies_with_correct_checksums_are_reported") {
        return;
    }
    let lies = prop::collection::vec(lie(), 1..4);
    let how = (
        1usize..40,
        any::<bool>(),
        1usize..4,
        prop::bool::weighted(0.3),
    );
    let strategy = (any::<Index>(), lies, how);
    search(
        strategy,
        |(sample, lies, (block, ends, threads, what_if))| {
            let sample = &SAMPLES[sample.index(SAMPLES.len())];
            let (mut chunks, mut trailer) = (sample.chunks.clone(), sample.trailer.clone());
            for lie in &lies {
                lie.apply(&sample.case, &mut chunks, &mut trailer);
            }
            let bytes = write(&sample.case, &chunks, ends.then_some(&trailer), block);
            check(sample, &bytes, threads, what_if)
        },
    );
}
