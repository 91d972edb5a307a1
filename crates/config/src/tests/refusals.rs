//! Refused configurations, and the words of the refusals.

use super::{message, overridden, short_with};

/// Each case: text of the short configuration, its replacement, and how the message begins.
type Case = (&'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for (from, to, expected) in cases {
        let message = message(&short_with(from, to));
        let first = message
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("x.toml:"));
        assert_eq!(first, Some(*expected), "{to:?} gives\n{message}");
        let explained = message.contains("\n  allowed: ") || message.contains(": not TOML: ");
        assert!(explained, "{message}");
    }
}

#[test]
#[rustfmt::skip]
fn types_and_ranges() {
    check(&[
        ("load = 0.2", "load = 1.5", "6:8: traffic.load is 1.5"),
        ("load = 0.2", "load = -0.1", "6:8: traffic.load is -0.1"),
        ("load = 0.2", "load = nan", "6:8: traffic.load is nan"),
        ("load = 0.2", "load = inf", "6:8: traffic.load is inf"),
        ("load = 0.2", "load = 1e999", "6:8: traffic.load is 1e999"),
        ("load = 0.2", "load = \"0.2\"", "6:8: traffic.load is \"0.2\""),
        ("load = 0.2", "load = \"\"\"\na\nb\"\"\"", "6:8: traffic.load is \"\"\" a b\"\"\""),
        ("load = 0.2", "load.x = 1", "6:1: traffic.load is a table"),
        ("load = 0.2", "load = 2024-01-01", "6:8: traffic.load is 2024-01-01"),
        ("load = 0.2", "load = 0.2\n[run]\nseed = 1.0", "8:8: run.seed is 1.0"),
        ("load = 0.2", "load = 0.2\n[run]\nseed = -1", "8:8: run.seed is -1"),
        ("load = 0.2", "load = 0.2\n[run]\nseed = 18446744073709551616", "8:8: run.seed is 18446744073709551616"),
        ("load = 0.2", "load = 0.2\n[run]\nmeasure_cycles = 0", "8:18: run.measure_cycles is 0"),
        ("load = 0.2", "load = 0.2\n[run]\nwarmup_cycles = 4294967296", "8:17: run.warmup_cycles is 4294967296"),
        ("load = 0.2", "load = 0.2\n[run]\nwarmup_cycles = 99999999999999999999999999999999999999999999999999999999999999999999999999", "8:17: run.warmup_cycles is 999999999999999999999999999999999999999999999999999999999999…"),
        ("[4, 4]", "4", "3:9: network.sides is 4"),
        ("[4, 4]", "[]", "3:9: network.sides is an empty list"),
        ("[4, 4]", "[4, 0]", "3:13: network.sides[1] is 0"),
        ("[4, 4]", "[4, \"4\"]", "3:13: network.sides[1] is \"4\""),
        ("[4, 4]", "[4, 4.0]", "3:13: network.sides[1] is 4.0"),
        ("[4, 4]", "[4, [4]]", "3:13: network.sides[1] is the list [4]"),
        ("[4, 4]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", "3:9: network.sides has 17 entries"),
        ("[4, 4]", "[16384, 16384]", "3:9: network.sides is [16384, 16384]"),
        ("[4, 4]", "[4294967295, 4294967295]", "3:10: network.sides[0] is 4294967295"),
        ("[4, 4]", "[16777216,16777216,16777216,16777216,16777216,16777216]", "3:9: network.sides is [16777216,16777216,16777216,16777216,16777216,16777216]"),
        ("[4, 4]", "[1]", "3:9: network.sides is [1]"),
        ("[4, 4]", "[4, 4]\nlink_latency_cycles = 0", "4:23: network.link_latency_cycles is 0"),
        ("[4, 4]", "[4, 4]\nlink_latency_cycles = 1025", "4:23: network.link_latency_cycles is 1025"),
        ("\"mesh\"\nsides = [4, 4]", "\"torus\"\nsides = [1, 4]", "3:10: network.sides[0] is 1"),
        ("\"mesh\"", "\"Mash\"", "2:12: network.topology is \"Mash\""),
        ("\"mesh\"", "\"hypercubes\"", "2:12: network.topology is \"hypercubes\""),
        ("\"mesh\"", "true", "2:12: network.topology is true"),
    ]);
}

#[test]
#[rustfmt::skip]
fn names() {
    check(&[
        ("load =", "laod =", "6:1: unknown key traffic.laod"),
        ("load =", "LOAD =", "6:1: unknown key traffic.LOAD"),
        ("load =", "seed =", "6:1: unknown key traffic.seed"),
        ("load =", "qqqqqqqq =", "6:1: unknown key traffic.qqqqqqqq"),
        ("load =", "\"a.b\" =", "6:1: unknown key traffic.a.b"),
        ("[traffic]", "[trafic]", "5:2: unknown table trafic"),
        ("[traffic]", "[[traffic]]", "5:1: traffic is a list of tables"),
        ("[router.chaos]", "[router.kaos]", "4:9: unknown table router.kaos"),
        ("[router.chaos]", "[router.chaos.deep]", "4:15: unknown table router.chaos.deep"),
        ("[router.chaos]", "[router.greedy-hp]\nx = 1", "5:1: unknown key router.greedy-hp.x"),
        ("[router.chaos]", "[router.greedy_hp]", "4:9: unknown table router.greedy_hp"),
        ("[router.chaos]", "[router]\nchaos = 3", "5:9: router.chaos is 3"),
        ("[router.chaos]", "[chaos]", "4:2: unknown table chaos"),
        ("[traffic]", "\"network.sides\" = 3\n[traffic]", "5:1: unknown key router.chaos.network.sides"),
        ("load = 0.2", "load = 0.2\npattern = \"unifrom\"", "7:11: traffic.pattern is \"unifrom\""),
    ]);
}

#[test]
#[rustfmt::skip]
fn routers() {
    check(&[
        ("[router.chaos]", "[router]", "4:1: no router is named"),
        ("[router.chaos]", "", " has no table [router]"),
        ("[router.chaos]", "[router.chaos]\n[router.greedy-hp]", "5:1: a second router"),
        ("[router.chaos]", "[router.chaos]\nmultiqueue_frames = 0", "5:21: router.chaos.multiqueue_frames is 0"),
        ("[router.chaos]", "[router.chaos]\nmultiqueue_frames = 65", "5:21: router.chaos.multiqueue_frames is 65"),
        ("[router.chaos]", "[router.chaos]\npacket_words = 0", "5:16: router.chaos.packet_words is 0"),
        ("[router.chaos]", "[router.chaos]\npacket_words = 4097", "5:16: router.chaos.packet_words is 4097"),
        ("[router.chaos]", "[router.chaos]\nframe_words = 9", "5:15: router.chaos.frame_words is 9"),
        ("[router.chaos]", "[router.chaos]\ninput_release_cycles = 11", "5:24: router.chaos.input_release_cycles is 11"),
        ("[router.chaos]", "[router.chaos]\ndecision_latency_cycles = 1048576", "5:27: router.chaos.input_release_cycles would be at least 1048585, decision_latency_cycles + packet_words - 1"),
        ("[router.chaos]", "[router.chaos]\nderouting = 1", "5:13: router.chaos.derouting is 1"),
        ("[router.chaos]", "[router.chaos]\nderouting = \"true\"", "5:13: router.chaos.derouting is \"true\""),
        ("[router.chaos]", "[router.chaos]\npreset = \"chinn\"", "5:10: router.chaos.preset is \"chinn\""),
        ("[router.chaos]", "[router.chaos]\nscan_order = [\"south\", \"north\", \"east\", \"south\"]", "5:41: router.chaos.scan_order names \"south\" twice"),
        ("[router.chaos]", "[router.chaos]\nscan_order = [\"south\", \"north\"]", "5:14: router.chaos.scan_order lacks east, west"),
        ("[router.chaos]", "[router.chaos]\nscan_order = [\"sout\", \"north\"]", "5:15: router.chaos.scan_order[0] is \"sout\", no link port"),
        ("[router.chaos]", "[router.chaos]\nscan_order = [\"local\", 3]", "5:24: router.chaos.scan_order[1] is 3"),
        ("[router.chaos]", "[router.chaos]\nscan_order = \"south\"", "5:14: router.chaos.scan_order is \"south\""),
    ]);
}

#[test]
#[rustfmt::skip]
fn traffic_and_run() {
    check(&[
        ("load = 0.2", "", "5:1: traffic.load is missing"),
        ("load = 0.2", "load = 0.2\nhot_nodes = [1]", "7:13: traffic.hot_nodes is [1]"),
        ("load = 0.2", "load = 0.2\nprocess = \"once\"", "6:8: traffic.load is 0.2"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"", "7:11: traffic.hot_nodes is missing"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = [1]", "7:11: traffic.hot_fraction is missing"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = [1]\nhot_fraction = 1.1", "9:16: traffic.hot_fraction is 1.1"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = [1, 16]\nhot_fraction = 0.1", "8:17: traffic.hot_nodes names node 16, which the network doesn't have"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = [1, 2, 1]\nhot_fraction = 0.1", "8:20: traffic.hot_nodes names node 1 twice"),
        ("load = 0.2", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = []\nhot_fraction = 0.1", "8:13: traffic.hot_nodes is an empty list"),
        ("load = 0.2", "load = 0.2\npattern = \"many-to-one\"", "7:11: traffic.destination is missing"),
        ("load = 0.2", "load = 0.2\npattern = \"many-to-one\"\ndestination = 99", "8:15: traffic.destination names node 99, which the network doesn't have"),
        ("load = 0.2", "load = 0.2\npattern = \"many-to-one\"\ndestination = 9\nsources = [1, 99]", "9:15: traffic.sources names node 99, which the network doesn't have"),
        ("load = 0.2", "load = 0.2\npattern = \"many-to-one\"\ndestination = 9\nsources = [1, 9]", "9:15: traffic.sources lists the destination, node 9"),
        ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[3, 5]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"bit-reversal\"", "7:11: traffic.pattern is \"bit-reversal\" on a grid of 3 x 5"),
        ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[4, 8]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"transpose\"", "7:11: traffic.pattern is \"transpose\" on a grid of 4 x 8"),
        ("[4, 4]\n[router.chaos]\n[traffic]\nload = 0.2", "[4, 3]\n[router.chaos]\n[traffic]\nload = 0.2\npattern = \"shift\"", "7:11: traffic.pattern is \"shift\" on a grid of 4 x 3"),
        ("load = 0.2", "load = 0.2\npattern = \"shift\"\nshift = 0", "8:9: traffic.shift is 0"),
        ("load = 0.2", "load = 0.2\npattern = \"shift\"\nshift = 4", "7:11: traffic.pattern: shift makes every node of this network send to itself"),
        ("load = 0.2", "load = 0.2\nshift = 1", "7:9: traffic.shift is 1"),
        ("load = 0.2", "load = 0.2\npattern = \"swap\"", "7:11: traffic.locality is missing"),
        ("load = 0.2", "load = 0.2\npattern = \"swap\"\nlocality = 3", "8:12: traffic.locality is 3 on a grid of 4 x 4"),
        ("load = 0.2", "load = 0.2\npattern = \"reflection\"\nlocality = 1", "8:12: traffic.locality is 1 on a grid of 4 x 4"),
        ("load = 0.2", "load = 0.2\nfile = \"p\"", "7:8: traffic.file is \"p\""),
        ("load = 0.2", "load = 0.2\nsources = [1]\npattern = \"hot-spot\"", "7:11: traffic.sources is [1]"),
        ("load = 0.2", "process = \"once\"\n[run]\nmeasure_cycles = 5", "8:18: run.measure_cycles is 5"),
        ("load = 0.2", "load = 0.2\n[run]\ndeadline_cycles = 5", "8:19: run.deadline_cycles is 5"),
        ("load = 0.2", "load = 0.2\n[run]\ndrain_cycles = 2000000000", "8:16: run.drain_cycles is 2000000000"),
        ("load = 0.2", "process = \"once\"\n[run]\nstop_at_overload = true", "8:20: run.stop_at_overload is true"),
        ("load = 0.2", "load = 0.2\n[run]\nengine = \"live\"\nstop_at_overload = true", "9:20: run.stop_at_overload is true"),
        ("load = 0.2", "load = 0.2\n[run]\nwarmup_cycles = 4000000000", "8:17: run.warmup_cycles is 4000000000"),
        ("load = 0.2", "process = \"once\"\n[run]\ndeadline_cycles = 4000000001", "8:19: run.deadline_cycles is 4000000001"),
    ]);
}

#[test]
fn texts_that_are_no_configuration() {
    let cases = [
        ("# nothing", " has no network"),
        ("[run]\nseed = 2", " has no network"),
        ("[network]", "1:1: network.topology is missing"),
        ("[network", "1:9: not TOML: unclosed table, expected `]`"),
        ("a", "1:2: not TOML: key with no value, expected `=`"),
        (
            "\0\u{1}\u{7f}",
            "1:4: not TOML: key with no value, expected `=`",
        ),
        ("\u{feff}\r\nx = 1", "2:1: unknown key x"),
        ("[run]\nseed = 1\nseed = 2", "3:1: not TOML: duplicate key"),
    ];
    for (text, expected) in cases {
        let message = message(text);
        let first = message
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("x.toml:"));
        assert_eq!(first, Some(expected), "{text:?} gives\n{message}");
    }
    let deep = format!("{}a = 1", "a.".repeat(1000));
    assert_eq!(
        message(&deep),
        "x.toml: not TOML: tables are nested too deeply"
    );
}

#[test]
#[rustfmt::skip]
fn overrides() {
    let cases = [
        ("load=0.3", "unknown key load\n  hint: load is a key of [traffic]: traffic.load"),
        ("traffic.laod=0.3", "unknown key traffic.laod\n  hint: did you mean traffic.load?"),
        ("traffic.load.x=3", "unknown key traffic.load.x"),
        ("=1", "not KEY=VALUE"),
        ("x", "not KEY=VALUE"),
        ("network.sides=[1,", "not a TOML value: unclosed array, expected `]`"),
        ("network.sides=[1, -2]", "network.sides[1] is -2"),
        ("traffic.load=0.3x", "traffic.load is 0.3x"),
        ("traffic.load=", "traffic.load is an empty string"),
        ("traffic.load=1 2", "traffic.load is 1 2"),
        ("traffic={laod=1}", "unknown key traffic.laod"),
        ("network.topology=trus", "network.topology is trus\n  allowed: \"benes\", \"butterfly\", \"circulant\", \"concentrated-mesh\", \"concentrated-torus\", \"de-bruijn\", \"dragonfly\", \"express-mesh\", \"fat-tree\", \"file\", \"flattened-butterfly\", \"fly\", \"folded-torus\", \"fully-connected\", \"hypercube\", \"hyperx\", \"links\", \"megafly\", \"mesh\", \"random-regular\", \"ring\", \"shuffle-exchange\", \"slim-fly\" or \"torus\"\n  hint: did you mean \"torus\"?"),
        ("network=3", "network is 3\n  allowed: a table"),
        ("run.seed='1", "not a TOML value: invalid literal string, expected `'`"),
        ("router.greedy-hp={}", "a second router"),
    ];
    for (over, expected) in cases {
        let message = overridden(&[over]).unwrap_err().to_string();
        let expected = format!("command line: --set {over}: {expected}");
        assert!(message.starts_with(&expected), "{message}");
    }
}
