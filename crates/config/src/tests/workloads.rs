//! Valid and invalid deflection routers, lengths and workloads.

use super::{message, read, right};
use flitwork_router::deflection::DeflectionParameters;
use flitwork_router::scheduled::ScheduleParameters;
use flitwork_traffic::{LengthLaw, OnOffParameters, ScheduleTraffic, TraceParameters};

const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/read-miss.csv");
const NETRACE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../traces/read-miss.tra.bz2"
);

/// A configuration with this text for the router and the traffic; the router's table is in line 4, that of the traffic
/// in line 5.
fn with(router: &str, traffic: &str) -> String {
    format!("[network]\ntopology = \"mesh\"\nsides = [4, 4]\n{router}\n[traffic]\n{traffic}\n")
}

fn worms(traffic: &str) -> String {
    with("[router.wormhole]", traffic)
}

/// A configuration that is written out reads back unchanged.
fn round(text: &str) {
    let read_once = right(text);
    let written = read_once.to_toml();
    assert_eq!(right(&written), read_once, "{written}");
}

#[test]
fn what_is_written_out_reads_back() {
    for router in [
        "[router.deflection]",
        "[router.deflection]\npreset = \"worm-bless\"\npriority = \"random\"",
        "[router.deflection]\npreset = \"chipper\"\nepoch_cycles = 40\ntransactions = 3",
        "[router.deflection]\npreset = \"minbd\"\nside_buffer_flits = 7\nredirection_cycles = 0\neject_words = 3",
        "[router.deflection]\npriority = \"greedy\"\nport_choice = \"random\"",
    ] {
        round(&with(router, "load = 0.1"));
    }
    round(&with("[router.scheduled]", "process = \"k-k\"\nk = 3"));
    for traffic in [
        "process = \"once\"\nk = 4",
        "process = \"h-h\"\nk = 2\npackets = 17",
        "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9",
        "load = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 3.5\nmost_words = 20",
        "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [0.25, 3]",
        "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 30",
        "process = \"modulated\"\nload = 0.05\n[[traffic.modulated.states]]\nload = 0.1\nmean_cycles = 9\n\
         [[traffic.modulated.states]]\nload = 0\nmean_cycles = 1",
        "process = \"modulated\"\n[traffic.modulated]\ntransitions = [[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]]\n\
         [[traffic.modulated.states]]\nload = 0.1\nmean_cycles = 9\n[[traffic.modulated.states]]\nload = 0.2\n\
         mean_cycles = 2\n[[traffic.modulated.states]]\nload = 0.3\nmean_cycles = 2",
        "process = \"phases\"\nrepeat_cycles = 50\n[[traffic.phases]]\nload = 0.1\n[[traffic.phases]]\n\
         from_cycle = 20\nload = 0.2\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.5",
        "process = \"batch\"",
        "process = \"batch\"\npattern = \"transpose\"\n[traffic.batch]\nrequests = 3\noutstanding = 2\n\
         reply_words = 9\nservice_cycles = 7",
        "process = \"batch\"\n[traffic.batch]\nreplies = false",
    ] {
        round(&worms(traffic));
    }
    for (format, file) in [
        ("nodes = 4", TRACE),
        ("link_bytes = 16\nfirst_region = 0", NETRACE),
    ] {
        let trace = format!("process = \"trace\"\n[traffic.trace]\nfile = {file:?}\n{format}");
        round(&worms(&trace));
        round(&worms(&format!(
            "packet_words = 3\n{trace}\ndependencies = false"
        )));
        round(&worms(&format!(
            "{trace}\nmap = \"block\"\ncolumns = 2\nread_first = false"
        )));
        round(&worms(&format!(
            "{trace}\nmap = \"given\"\nplaces = [5, 1, 9, 15]"
        )));
        round(&with(
            "[router.chaos]",
            &format!("packet_words = 10\n{trace}"),
        ));
    }
}

#[test]
fn values_mean_what_they_say() {
    let text = worms(
        "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 30\n\
         [traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [1, 3]",
    );
    let resolved = right(&text);
    let bursts = OnOffParameters {
        load: 0.1,
        peak_load: 0.5,
        burst_cycles: 30.0,
    };
    assert_eq!(resolved.traffic.process, bursts.into());
    let lengths = vec![(1, 1.0), (5, 3.0)];
    assert_eq!(resolved.traffic.lengths, LengthLaw::Weighted { lengths });
    assert_eq!(resolved.packet_words(), 5);
    // 6 hops and the ejection, a cycle each, and 4 flits of 3 cycles: `DeflectionParameters::home_cycles`.
    let minbd = right(&with(
        "[router.deflection]\npreset = \"minbd\"",
        "load = 0.1",
    ));
    let router: &DeflectionParameters = minbd.router.get().expect("a deflection router");
    assert!(
        format!("{:?}", router.priority).contains("epoch_cycles: 19"),
        "{router:?}"
    );
    let trace = format!("process = \"trace\"\n[traffic.trace]\nfile = {TRACE:?}\nnodes = 4");
    let trace = right(&worms(&trace)).traffic.process;
    let trace = trace.get::<TraceParameters>().expect("a trace");
    assert_eq!(
        trace
            .summary
            .as_ref()
            .map(|summary| (summary.packets, summary.most_words)),
        Some((9, 9))
    );
}

/// Each case: the router, the traffic, and how the message begins.
type Case = (&'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for (router, traffic, expected) in cases {
        let message = message(&with(router, traffic));
        let is_told = |line: &str| {
            let line = line.strip_prefix("error: ").unwrap_or(line);
            line.strip_prefix("x.toml:") == Some(*expected)
        };
        assert!(message.lines().any(is_told), "{traffic:?} gives\n{message}");
        assert!(message.contains("\n  allowed: "), "{message}");
    }
}

const WORMHOLE: &str = "[router.wormhole]";
const CHAOS: &str = "[router.chaos]";

#[test]
#[rustfmt::skip]
fn wrong_routers() {
    check(&[
        ("[router.deflection]\npriority = \"golden\"\nepoch_cycles = 0", "load = 0.1", "6:16: router.deflection.epoch_cycles is 0"),
        ("[router.deflection]\nepoch_cycles = 9", "load = 0.1", "5:16: router.deflection.epoch_cycles is 9"),
        ("[router.deflection]\npriority = \"oldest\"", "load = 0.1", "5:12: router.deflection.priority is \"oldest\""),
        ("[router.deflection]\nswitching = \"worm\"\npriority = \"greedy\"", "load = 0.1", "6:12: router.deflection.priority is greedy"),
        ("[router.deflection]\npreset = \"worm-bless\"\nside_buffer_flits = 1", "load = 0.1", "6:21: router.deflection.side_buffer_flits is 1"),
        ("[router.deflection]\npreset = \"minbd\"\nswitching = \"worm\"", "load = 0.1", "6:13: router.deflection.side_buffer_flits is 4"),
        ("[router.deflection]\neject_words = 0", "load = 0.1", "5:15: router.deflection.eject_words is 0"),
        ("[router.deflection]\nvcs = 2", "load = 0.1", "5:1: unknown key router.deflection.vcs"),
        ("[router.scheduled]", "load = 0.1", "5:1: traffic.process is \"bernoulli\", the default"),
        ("[router.scheduled]", "process = \"batch\"", "6:11: traffic.process is \"batch\""),
        ("[router.scheduled]", "process = \"once\"\nk = 60000000", "7:5: traffic.k is 60000000"),
        ("[router.scheduled]", "process = \"once\"\n[run]\nengine = \"clocked\"", "4:1: a schedule with more than one clock"),
    ]);
}

#[test]
#[rustfmt::skip]
fn wrong_lengths() {
    check(&[
        (CHAOS, "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9", "7:1: traffic.lengths is given"),
        (WORMHOLE, "load = 0.1\npacket_words = 3\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9", "7:16: traffic.packet_words is 3"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nmost_words = 9", "7:1: traffic.lengths.law is missing"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"", "7:1: traffic.lengths.most_words is missing"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nleast_words = 9\nmost_words = 8", "10:14: traffic.lengths.most_words is 8"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 9\nmost_words = 8", "9:14: traffic.lengths.mean_words is 9"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 2\nmost_words = 8\nleast_words = 2", "11:15: traffic.lengths.least_words is 2"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 2]\nweights = [1]", "10:11: traffic.lengths.weights is [1]"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 2]\nweights = [0, 0]", "10:11: traffic.lengths.weights is a list with the sum 0"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 0]\nweights = [1, 1]", "9:13: traffic.lengths.words[1] is 0"),
        (WORMHOLE, "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1]\nweights = [-1]", "10:12: traffic.lengths.weights[0] is -1"),
        (WORMHOLE, "process = \"batch\"\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9", "7:1: traffic.lengths is given"),
        ("[router.wormhole]\nswitching = \"cut-through\"", "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9", "8:1: router.wormhole.buffer_words is 8, and packets have up to 9 words"),
    ]);
}

#[test]
#[rustfmt::skip]
fn wrong_processes() {
    check(&[
        (WORMHOLE, "process = \"on-off\"\nload = 0.1", "5:1: traffic.on-off is missing"),
        (WORMHOLE, "load = 0.1\n[traffic.on-off]\npeak_load = 1\nburst_cycles = 3", "7:1: traffic.on-off is given"),
        (WORMHOLE, "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 0.05\nburst_cycles = 3", "7:8: traffic.load is 0.1"),
        (WORMHOLE, "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 9\nburst_cycles = 3", "9:13: traffic.on-off.peak_load is 9"),
        (WORMHOLE, "process = \"on-off\"\nload = 0.4\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 2", "10:16: traffic.on-off.burst_cycles is 2"),
        (WORMHOLE, "process = \"modulated\"", "5:1: traffic.modulated is missing"),
        (WORMHOLE, "process = \"modulated\"\nmodulated.states = []", "7:20: traffic.modulated.states is 0"),
        (WORMHOLE, "process = \"modulated\"\n[[traffic.modulated.states]]\nload = 1", "7:1: traffic.modulated.states[0].mean_cycles is missing"),
        (WORMHOLE, "process = \"modulated\"\n[traffic.modulated]\ntransitions = [[1]]\n[[traffic.modulated.states]]\nload = 1\nmean_cycles = 1", "8:15: traffic.modulated.transitions is 1 from state 0 to itself"),
        (WORMHOLE, "process = \"modulated\"\n[traffic.modulated]\ntransitions = [[0, 2]]\n[[traffic.modulated.states]]\nload = 1\nmean_cycles = 1", "8:20: traffic.modulated.transitions[0][1] is 2"),
        (WORMHOLE, "process = \"phases\"", "5:1: traffic.phases is missing"),
        (WORMHOLE, "process = \"phases\"\npattern = \"uniform\"\n[[traffic.phases]]\nload = 0.1", "7:11: traffic.pattern is \"uniform\""),
        (WORMHOLE, "process = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"hot-spot\"", "9:11: traffic.phases[0].hot_nodes is missing"),
        (WORMHOLE, "process = \"phases\"\n[[traffic.phases]]\nload = 0.1\nfrom_cycle = 3", "9:14: traffic.phases[0].from_cycle is 3"),
        (WORMHOLE, "process = \"phases\"\nrepeat_cycles = 3\n[[traffic.phases]]\nload = 0.1\n[[traffic.phases]]\nload = 0.1\nfrom_cycle = 5", "7:17: traffic.repeat_cycles is 3"),
        (WORMHOLE, "process = \"once\"\nk = 0", "7:5: traffic.k is 0"),
        (WORMHOLE, "process = \"k-k\"\nk = 100000000", "7:5: traffic.k is 100000000"),
        (WORMHOLE, "process = \"h-h\"\nk = 2\npackets = 33", "8:11: traffic.packets is 33"),
        (WORMHOLE, "process = \"k-k\"\npattern = \"uniform\"", "7:11: traffic.pattern is \"uniform\""),
        (WORMHOLE, "load = 0.1\nk = 2", "7:5: traffic.k is 2"),
        (WORMHOLE, "process = \"batch\"\nload = 0.1", "7:8: traffic.load is 0.1"),
        (WORMHOLE, "process = \"batch\"\n[traffic.batch]\nreplies = false\noutstanding = 3", "9:15: traffic.batch.outstanding is 3"),
        (WORMHOLE, "process = \"batch\"\n[traffic.batch]\nrequests = 0", "8:12: traffic.batch.requests is 0"),
        (CHAOS, "process = \"batch\"\n[traffic.batch]\nrequest_words = 3", "8:17: traffic.batch.request_words is 3"),
        (WORMHOLE, "process = \"batch\"\n[run]\nmeasure_cycles = 3", "8:18: run.measure_cycles is 3"),
        (WORMHOLE, "process = \"onoff\"\nload = 0.1", "6:11: traffic.process is \"onoff\""),
    ]);
}

#[test]
#[rustfmt::skip]
fn wrong_traces() {
    check(&[
        (WORMHOLE, "process = \"trace\"", "5:1: traffic.trace is missing"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nmap = \"block\"", "7:1: traffic.trace.file is missing"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.csv\"", "8:8: traffic.trace.file: no/such/directory/x.csv doesn't exist"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.csv\"\nlink_bytes = 3", "9:14: traffic.trace.link_bytes is 3"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\nnodes = 3", "9:9: traffic.trace.nodes is 3"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\nfirst_region = 3\nlast_region = 2", "10:15: traffic.trace.last_region is 2"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\nmap = \"block\"", "7:1: traffic.trace.columns is missing"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\ncolumns = 3", "9:11: traffic.trace.columns is 3"),
        (WORMHOLE, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\nmap = \"given\"", "7:1: traffic.trace.places is missing"),
        (CHAOS, "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"", "7:1: the trace's packets vary in length, and the router supports only one length"),
    ]);
    let trace = |more: &str| {
        worms(&format!("process = \"trace\"\n[traffic.trace]\nfile = {TRACE:?}\n{more}"))
    };
    let refused = |more: &str, expected: &str| {
        let message = message(&trace(more));
        assert!(message.contains(expected), "{message}");
    };
    refused("map = \"given\"\nplaces = [1, 2]\nnodes = 4", "it needs one for each of the trace's 4");
    refused("map = \"given\"\nplaces = [1, 2, 3, 99]\nnodes = 4", "99");
    refused("map = \"block\"\ncolumns = 5\nnodes = 4", "traffic.trace.columns");
    refused("nodes = 40", "the trace has 40 nodes, but the network only 16");
    // Node 3 of the trace is missing.
    refused("nodes = 3", "read-miss.csv: line ");
}

#[test]
fn a_trace_that_is_read_as_another_format() {
    let text =
        format!("process = \"trace\"\n[traffic.trace]\nfile = {TRACE:?}\nformat = \"netrace\"");
    let message = message(&worms(&text));
    assert!(message.contains("byte 0: "), "{message}");
    assert!(
        message.contains("allowed: a netrace file of version 1"),
        "{message}"
    );
    assert!(
        read(&worms(
            &text
                .replace("netrace", "csv")
                .replace("\"csv\"", "\"csv\"\nnodes = 4")
        ))
        .is_ok()
    );
}

const SCHEDULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/schedule.csv");

/// A configuration with a schedule from a file.
fn scheduled(folder: &tempfile::TempDir, lines: &str) -> String {
    let path = folder.path().join("worms.csv");
    std::fs::write(&path, lines).unwrap();
    let router = format!(
        "[router.scheduled]\nschedule = \"file\"\nfile = {:?}",
        path.display().to_string()
    );
    with(&router, "process = \"schedule\"")
}

#[test]
fn a_schedule_from_a_file_reads_back() {
    let router = format!("[router.scheduled]\nschedule = \"file\"\nfile = {SCHEDULE:?}");
    let text = with(&router, "process = \"schedule\"");
    round(&text);
    let resolved = right(&text);
    assert_eq!(
        resolved.traffic.process,
        ScheduleTraffic { longest_words: 8 }.into()
    );
    let Some(ScheduleParameters::File(from)) = resolved.router.get() else {
        panic!("a schedule from a file");
    };
    assert_eq!(from.routes.len(), 6);
}

#[test]
#[rustfmt::skip]
fn wrong_schedules() {
    let folder = tempfile::tempdir().unwrap();
    let head = "source,words,start,path\n";
    for (lines, place, found) in [
        ("source,words,path\n", ":1:1: ", "the columns \"source,words,path\""),
        ("0,1,0,east\n", ":1:1: ", "the columns \"0,1,0,east\""),
        ("source,words,start,path\n0,1,0\n", ":2:1: ", "found record with 3 fields"),
        ("source,words,start,path\n16,1,0,east\n", ":2:1: ", "source is \"16\""),
        ("source,words,start,path\n0,x,0,east\n", ":2:1: ", "words is \"x\""),
        ("source,words,start,path\n0,0,0,east\n", ":2:1: ", "packet 0.0 has no words"),
        ("source,words,start,path\n0,1,-1,east\n", ":2:1: ", "start is \"-1\""),
        ("source,words,start,path\n0,1,0,up\n", ":2:1: ", "a path with \"up\""),
        ("source,words,start,path\n# none\n0,1,0,east\n0,1,1,\n", ":4:1: ", "packet 0.1 has no words"),
        ("source,words,start,path\n0,1,0,west\n", ":2:1: ", "hop 0 of packet 0.0: node 0 (0, 0) has no link west"),
        ("source,words,start,path\n0,9,0,east\n0,1,3,south\n", ":3:1: ", "packet 0.1 starts in cycle 3"),
        ("source,words,start,path\n1,4,0,east\n0,4,0,east east\n", ":3:1: ", "packet 1.0 and packet 0.0 both need the link east of node 1 (1, 0) in cycle 1"),
        ("source,words,start,path\n\u{1}\u{2}", ":2:1: ", "found record with 1 field"),
    ] {
        let message = message(&scheduled(&folder, lines));
        let first = message.lines().next().unwrap_or_default();
        assert!(first.contains(place) && first.contains(found), "{lines:?} gives\n{message}");
        assert!(message.contains("\n  allowed: "), "{message}");
    }
    // A schedule with nothing to send is no mistake.
    right(&scheduled(&folder, head));
    check(&[
        ("[router.scheduled]\nschedule = \"file\"", "process = \"schedule\"", "4:1: router.scheduled.file is missing"),
        ("[router.scheduled]\nfile = \"a.csv\"", "process = \"once\"", "5:8: router.scheduled.file is given"),
        ("[router.scheduled]", "process = \"schedule\"", "6:11: traffic.process is \"schedule\""),
        ("[router.wormhole]", "process = \"schedule\"", "6:11: traffic.process is \"schedule\""),
        ("[router.scheduled]\nschedule = \"file\"\nfile = \"none.csv\"", "process = \"schedule\"", "6:8: router.scheduled.file: no/such/directory/none.csv doesn't exist"),
    ]);
    let router = format!("[router.scheduled]\nschedule = \"file\"\nfile = {SCHEDULE:?}");
    let text = with(&router, "process = \"once\"");
    assert!(message(&text).contains("the file has the packets"));
    let text = with(&router, "process = \"schedule\"\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 3");
    assert!(message(&text).contains("which sets lengths of its own"));
}
