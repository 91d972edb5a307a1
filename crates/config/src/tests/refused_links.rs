//! `[network.handshake]`, `[[network.crossings]]` and `[[clocks.changes]]`: what is refused, which links crossings are on,
//! and what is read back.

use super::clocks::with;
use super::delays::{LINE, east, west};
use super::refused_clocks::check;
use super::{message, right};
use flitwork_types::NodeId;

const CLOCKED: &str = "[run]\nengine = \"clocked\"\n";

#[test]
#[rustfmt::skip]
fn handshakes_are_refused_with_their_place() {
    const GOOD: &str = "[network.handshake]\nrequest_ps = 10\nacknowledge_ps = 5\n";
    let cases = [
        ("[network.handshake]".into(), "7:1: network.handshake.request_ps is missing"),
        ("[network.handshake]\nrequest_ps = 10".into(), "7:1: network.handshake.acknowledge_ps is missing"),
        ("[network.handshake]\nrequest_ps = 0\nacknowledge_ps = 5".into(), "8:14: network.handshake.request_ps is 0"),
        ("[network.handshake]\nrequest_ps = 1_000_000_001\nacknowledge_ps = 5".into(), "8:14: network.handshake.request_ps is 1_000_000_001"),
        ("[network.handshake]\nrequest_ps = 10\nacknowledge_ps = -5".into(), "9:18: network.handshake.acknowledge_ps is -5"),
        (format!("{GOOD}protocol = \"three-phase\""), "10:12: network.handshake.protocol is \"three-phase\""),
        (format!("{GOOD}bundling_ps = -1"), "10:15: network.handshake.bundling_ps is -1"),
        (format!("{GOOD}bundling = 1"), "10:1: unknown key network.handshake.bundling"),
        (format!("{GOOD}stages = 3"), "10:10: network.handshake.stages is 3"),
        (format!("{GOOD}[[network.handshake.stages]]\nrequest_ps = 4"), "10:1: network.handshake.stages[0].acknowledge_ps is missing"),
        (format!("{GOOD}[[network.handshake.stages]]\nlatches = 0\nrequest_ps = 4\nacknowledge_ps = 2"), "11:11: network.handshake.stages[0].latches is 0"),
        (format!("{GOOD}[[network.handshake.stages]]\nrequest_ps = 0\nacknowledge_ps = 2"), "11:14: network.handshake.stages[0].request_ps is 0"),
        ("[[network.handshake]]\nrequest_ps = 4".into(), "7:1: network.handshake is a list of tables"),
    ];
    for (tables, expected) in &cases {
        check(&[(tables, expected)]);
    }
}

#[test]
#[rustfmt::skip]
fn crossings_are_refused_with_their_place() {
    let kind = |kind: &str, rest: &str| format!("[[network.crossings]]\nkind = {kind:?}\n{rest}");
    let island = "[clocks]\nphase = \"random\"\n[[clocks.islands]]\nnodes = [0, 1]\nperiod_ps = 1000\n";
    let cases = [
        ("[[network.crossings]]".into(), "9:1: network.crossings[0].kind is missing"),
        (kind("telepathy", ""), "10:8: network.crossings[0].kind is \"telepathy\""),
        (kind("synchronizer", "depth = 3"), "11:9: network.crossings[0].depth is 3"),
        (kind("synchronizer", "edges = 17"), "11:9: network.crossings[0].edges is 17"),
        (kind("dual-clock-fifo", "depth = 0"), "11:9: network.crossings[0].depth is 0"),
        (kind("mesochronous", "margin = 3"), "11:1: unknown key network.crossings[0].margin"),
        // Links that there are none of.
        (kind("synchronizer", "links = [[0, 5]]"), "11:10: network.crossings[0].links names a link between nodes 0 and 5"),
        (kind("synchronizer", "links = [[0, 1], [0, 99]]"), "11:18: network.crossings[0].links names a link between nodes 0 and 99"),
        (kind("synchronizer", "links = [[3]]"), "11:10: network.crossings[0].links[0] has 1 entry"),
        (kind("synchronizer", "islands = [0, 1]"), "11:11: network.crossings[0].islands is [0, 1]"),
        // A clock that waits drives one node, and no clock is shared where phases are drawn.
        (kind("pausible", &format!("transfer_ps = 100\n{island}")), "10:8: network.crossings[0].kind is \"pausible\" for the link from node 2 to node 1"),
        (kind("pausible", "transfer_ps = 1000\n[clocks]\nphase = \"random\""), "10:8: network.crossings[0].kind is \"pausible\" for the link from node 0 to node 1"),
        (kind("pausible", ""), "9:1: network.crossings[0].transfer_ps is missing"),
        (kind("same-clock", "[clocks]\nphase = \"random\""), "10:8: network.crossings[0].kind is \"same-clock\" for the link from node 0 to node 1"),
        (kind("mesochronous", "[clocks]\nspread = \"uniform\"\nspread_percent = 5"), "10:8: network.crossings[0].kind is \"mesochronous\" for the link from node 0 to node 1"),
        (kind("synchronizer", &kind("synchronizer", "")), "12:8: network.crossings[1].kind is \"synchronizer\""),
        (kind("synchronizer", "window_ps = 3"), "11:13: network.crossings[0].tau_ps is missing"),
    ];
    for (tables, expected) in &cases {
        check(&[(&format!("{CLOCKED}{tables}"), expected)]);
    }
}

#[test]
#[rustfmt::skip]
fn changes_and_wander_are_refused_with_their_place() {
    let cases = [
        ("[[clocks.changes]]\nat_ps = 10", "9:1: clocks.changes[0].period_ps is missing"),
        ("[[clocks.changes]]\nat_ps = 10\ngated = true\nperiod_ps = 5", "12:13: clocks.changes[0].period_ps is 5"),
        ("[clocks]\nwander_ps = 2000", "10:13: clocks.wander_ps is 2000"),
        ("[clocks]\nwander_ps = 20\nwander_bound_ps = 10", "11:19: clocks.wander_bound_ps is 10"),
    ];
    for (tables, expected) in cases {
        check(&[(&format!("{CLOCKED}{tables}"), expected)]);
    }
}

/// A link has 10,000 latches and not one more; the stage with the one too many is named.
#[test]
fn a_link_has_so_many_latches() {
    let stage = |latches: u32| {
        format!(
            "[[network.handshake.stages]]\nlatches = {latches}\nrequest_ps = 4\nacknowledge_ps = 2\n"
        )
    };
    let tables = format!(
        "{CLOCKED}[network.handshake]\nrequest_ps = 10\nacknowledge_ps = 5\n{}",
        stage(1000).repeat(10)
    );
    right(&with(&tables));
    let refused = message(&with(&format!("{tables}{}", stage(1))));
    let place = "network.handshake.stages[10].latches";
    assert!(refused.contains(place), "{refused}");
    assert!(
        refused.contains("at most 10000 latches in all"),
        "{refused}"
    );
}

/// With one number, the links between an island and all nodes outside it: node 2 is in no island.
#[test]
fn crossings_of_one_island_are_on_all_its_links() {
    let line = LINE.replace("sides = [3]", "sides = [4]");
    let tables = "[[network.crossings]]\nkind = \"synchronizer\"\nedges = 5\nislands = [1]\n\
        [[clocks.islands]]\nnodes = [0]\nperiod_ps = 900\n[[clocks.islands]]\nnodes = [1]\nperiod_ps = 1100\n";
    let links = right(&format!("{line}{tables}")).clocks().links;
    let ways = [
        ((0, east()), 5),
        ((1, west()), 5),
        ((1, east()), 5),
        ((2, west()), 5),
        // As usual: neither end is in the island.
        ((2, east()), 2),
        ((3, west()), 2),
    ];
    for ((node, port), edges) in ways {
        let crossing = links.crossing_of(NodeId(node), port);
        assert_eq!(crossing.edges, edges, "node {node}, {port:?}");
    }
}

/// What is resolved is written so that it resolves to the same.
#[test]
fn what_links_have_is_read_back() {
    let handshake = "[network.handshake]\nprotocol = \"four-phase\"\nrequest_ps = 10\nacknowledge_ps = 5\nbundling_ps = 2\n\
         [[network.handshake.stages]]\nlatches = 3\nrequest_ps = 4\nacknowledge_ps = 2\n\
         [[network.handshake.stages]]\nrequest_ps = 7\nacknowledge_ps = 1\n";
    let crossings = "[[network.crossings]]\nkind = \"synchronizer\"\nedges = 3\nwindow_ps = 8\ntau_ps = 30\n\
         [[network.crossings]]\nkind = \"dual-clock-fifo\"\ndepth = 9\nlinks = [[0, 1], [1, 2]]\n\
         [[network.crossings]]\nkind = \"pausible\"\ntransfer_ps = 100\nlinks = [[2, 3]]\n";
    let islands = "[[network.crossings]]\nkind = \"mesochronous\"\nmargin_ps = 50\nislands = [0, 1]\n\
         [[clocks.islands]]\nnodes = [0]\nperiod_ps = 900\n\
         [[clocks.islands]]\nnodes = [1]\nperiod_ps = 900\nphase_ps = 300\n";
    let random = "[clocks]\nphase = \"random\"\n";
    for tables in [
        handshake.to_owned(),
        format!("{random}{crossings}"),
        format!("{random}{handshake}{crossings}"),
        islands.to_owned(),
    ] {
        let resolved = right(&with(&format!("{CLOCKED}{tables}")));
        let written = resolved.to_toml();
        assert_eq!(right(&written), resolved, "{written}");
        assert_eq!(right(&written).clocks(), resolved.clocks(), "{written}");
    }
    // The message of a configuration of the former engine says what to write.
    let old = message(&with(
        "[clocks.self-timed]\nidle_ps = 5\nword_ps = 1\ndecision_ps = 1",
    ));
    assert!(old.contains("leave it out"), "{old}");
}
