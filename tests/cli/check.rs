//! `flitwork check`: its report and its exit codes.

use crate::harness::Folder;

fn wormhole(routing: &str, more: &str) -> String {
    format!(
        "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.wormhole]\nrouting = \"{routing}\"\n{more}\n\
        [traffic]\nload = 0.1\npacket_words = 4\n"
    )
}

/// A network that may deadlock isn't a mistake in the configuration: exit code 3, with the circle, whether or
/// not `run` would accept it. A mistake is exit code 2.
#[test]
fn a_circle_is_exit_code_3_and_a_mistake_is_2() {
    let folder = Folder::new();
    folder.write("may.toml", wormhole("fully-adaptive", ""));
    folder.write(
        "may-run.toml",
        wormhole("fully-adaptive", "allow_deadlock = true"),
    );
    for (config, hinted) in [("may.toml", true), ("may-run.toml", false)] {
        let done = folder.flitwork(&["check", config]);
        assert_eq!(done.code, Some(3), "{}{}", done.out, done.err);
        assert!(done.out.contains("may deadlock: "), "{}", done.out);
        assert!(done.out.contains("waits for\n"), "{}", done.out);
        let hint = "without router.wormhole.allow_deadlock = true";
        assert_eq!(done.err.contains(hint), hinted, "{}", done.err);
        assert!(!done.err.contains("error"), "{}", done.err);
    }
    // What `run` refuses it still refuses.
    assert_eq!(folder.flitwork(&["run", "may.toml"]).code, Some(2));
    let both = folder.flitwork(&["check", "may.toml", "--set", "router.wormhole.vcs=0"]);
    assert_eq!(both.code, Some(2), "{}", both.out);
    assert_eq!(folder.flitwork(&["check", "none.toml"]).code, Some(2));
}

#[test]
fn a_network_free_of_deadlock_is_exit_code_0() {
    let folder = Folder::new();
    folder.write("free.toml", wormhole("dimension-order", ""));
    let done = folder.fine(&["check", "free.toml"]);
    assert!(done.out.contains("\nfree of deadlock: "), "{}", done.out);
}

/// Escape channels free worms of deadlock only where no buffer holds words of two (Duato 1993), which is then the
/// default; packets for which there is room as a whole may follow each other.
#[test]
fn escape_channels_need_empty_buffers_only_under_wormhole_switching() {
    let folder = Folder::new();
    for (switching, by_default) in [
        ("wormhole", "buffer-empty"),
        ("cut-through", "tail-sent"),
        ("store-and-forward", "tail-sent"),
    ] {
        let keys = format!("vcs = 3\nswitching = \"{switching}\"");
        folder.write("x.toml", wormhole("minimal-adaptive", &keys));
        let short = [
            "--set",
            "run.warmup_cycles=0",
            "--set",
            "run.measure_cycles=100",
        ];
        let run = [&["run", "x.toml", "--json"][..], &short].concat();
        let results = folder.fine(&run).json();
        let resolved = results["provenance"]["configuration"].as_str().unwrap();
        let line = format!("reallocation = \"{by_default}\"\n");
        assert!(resolved.contains(&line), "{switching}: {resolved}");
        let tail_sent = ["--set", "router.wormhole.reallocation=tail-sent"];
        let done = folder.flitwork(&[&["check", "x.toml"][..], &tail_sent].concat());
        let (code, says) = match switching {
            "wormhole" => (Some(3), "\nmay deadlock: "),
            _ => (Some(0), "\nfree of deadlock: "),
        };
        assert_eq!(done.code, code, "{switching}: {}{}", done.out, done.err);
        assert!(done.out.contains(says), "{switching}: {}", done.out);
    }
}

/// A torus of 4 x 4 is cut by 4 links in each of two places: 8 words a cycle each way, or both ways together. Each node
/// sends 8 / 15 of its packets across, so that load x 16 / 2 x 8 / 15 fills one way, and twice that both ways together.
#[test]
fn the_bisection_of_half_duplex_links_bears_half_the_load() {
    let folder = Folder::new();
    folder.write("chaos.toml", CHAOS);
    for (duplex, ways, load) in [
        ("full", "each way", "1.8750"),
        ("half", "both ways together", "0.9375"),
    ] {
        let duplex = format!("network.duplex={duplex}");
        let done = folder.fine(&["check", "chaos.toml", "--set", &duplex]);
        assert!(
            done.out.contains(&format!(" 8 words/cycle {ways}\n")),
            "{}",
            done.out
        );
        assert!(
            done.out.contains(&format!(" {load} words/node/cycle\n")),
            "{}",
            done.out
        );
    }
}

const CHAOS: &str = "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.chaos]\npacket_words = 2\n\
    multiqueue_frames = 2\n[traffic]\nload = 1.0\n[run]\nmeasure_cycles = 500\n";

/// A packet of two words is ready two cycles after its head left, no later than the next is decided on; after
/// three cycles it is too late, and if stored whole it is ready after one cycle plus one more. What `check`
/// says about nodes' own clocks and about slack follows from this: a crossing of at most max(l - N, N + 1)
/// cycles.
#[test]
fn chaos_reports_whether_neighbours_exchange_packets() {
    let folder = Folder::new();
    folder.write("chaos.toml", CHAOS);
    let exchanges = "neighbours can exchange packets";
    let yields = "stalled packets also make room";
    for (set, says) in [
        (&["network.link_latency_cycles=2"][..], exchanges),
        (&["network.link_latency_cycles=3"], yields),
        (&["router.chaos.cut_through=false"], exchanges),
        (
            &[
                "router.chaos.cut_through=false",
                "network.link_latency_cycles=2",
            ],
            yields,
        ),
        (&["run.engine=live", "live.slack=0"], exchanges),
        (&["run.engine=live", "live.slack=1"], exchanges),
        (&["run.engine=live", "live.slack=2"], yields),
        (&["run.engine=live", "live.slack=\"none\""], yields),
        (&["run.engine=clocked"], exchanges),
        // Random phases: 1 cycle and 2 edges take up to 3 of the packet's 2 cycles.
        (&["run.engine=clocked", "clocks.phase=\"random\""], yields),
        (
            &[
                "run.engine=clocked",
                "clocks.phase=\"random\"",
                "network.synchronizer_edges=1",
            ],
            exchanges,
        ),
    ] {
        let set = set.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["check", "chaos.toml"].into_iter().chain(set).collect();
        let done = folder.fine(&arguments);
        assert!(done.out.contains("\nfree of deadlock: "), "{}", done.out);
        assert!(done.out.contains(says), "{arguments:?}: {}", done.out);
    }
    // Three cycles of latency: two packets may have arrived and not be ready, so of four frames two are left
    // to draw from.
    for (frames, says) in [
        ("3", "livelock is not known to be impossible: "),
        ("4", "livelock has probability 0"),
    ] {
        let frames = format!("router.chaos.multiqueue_frames={frames}");
        let done = folder.fine(&["check", "chaos.toml", "--set", &frames]);
        let says = format!("\n{says}");
        assert!(done.out.contains(&says), "{}", done.out);
    }
    let minimal = [
        "check",
        "chaos.toml",
        "--set",
        "router.chaos.derouting=false",
    ];
    let done = folder.fine(&minimal);
    assert!(done.out.contains("\nnot known to be free"), "{}", done.out);
}

/// A credit round trip takes two cycles in a node and two of a link, whose picoseconds are counted in the period of nodes that
/// tick together. Where they don't, or words are handed over, no number of cycles is right, and none is printed.
#[test]
fn a_credits_round_trip_is_that_of_the_links_as_they_are() {
    let folder = Folder::new();
    let text = |network: &str, end: &str| {
        format!(
            "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n{network}\n[router.wormhole]\nvcs = 1\nbuffer_words = 6\n\
             [traffic]\nload = 0.02\n[run]\nengine = \"clocked\"\nwarmup_cycles = 10\nmeasure_cycles = 100\n{end}"
        )
    };
    let handshake = "[network.handshake]\nrequest_ps = 200\nacknowledge_ps = 150";
    let (random, steps) = (
        "[clocks]\nphase = \"random\"\n",
        "[clocks.self-timed]\nword_ps = 700\ndecision_ps = 400\n",
    );
    let own =
        "[clocks]\nperiod_ps = 1300\nspread = \"uniform\"\nspread_percent = 5\ndomains = \"one\"\n";
    for (network, end, trip) in [
        ("link_latency_ps = 50000", "", Some(103)),
        ("link_latency_ps = 49001", "", Some(103)),
        (
            "link_latency_ps = 5000",
            "[clocks]\nperiod_ps = 500\n",
            Some(23),
        ),
        ("link_latency_cycles = 2", "", Some(7)),
        ("link_latency_ps = 900", own, Some(5)),
        ("link_latency_ps = 50000", random, None),
        ("link_latency_ps = 50000", steps, None),
        (handshake, "", None),
    ] {
        folder.write("x.toml", text(network, end));
        let done = folder.fine(&["check", "x.toml"]);
        let figure = trip.map(|trip| format!("{trip} cycles, with buffers of 6 words\n"));
        match &figure {
            Some(figure) => assert!(done.out.contains(figure), "{network} {end}: {}", done.out),
            None => assert!(
                !done.out.contains("round trip"),
                "{network} {end}: {}",
                done.out
            ),
        }
        let warning = trip
            .filter(|trip| *trip > 6)
            .map(|trip| format!("6 words are fewer than the {trip} cycles of a credit round trip"));
        for command in ["check", "run"] {
            let done = folder.fine(&[command, "x.toml"]);
            match &warning {
                Some(warning) => assert!(done.err.contains(warning), "{}", done.err),
                None => assert_eq!(done.err, "", "{network} {end}"),
            }
        }
    }
    let synchronous = ["network.link_latency_cycles=50", "run.engine=sync"];
    folder.write("x.toml", text("", ""));
    let set = ["--set", synchronous[0], "--set", synchronous[1]];
    let done = folder.fine(&[&["check", "x.toml"][..], &set].concat());
    assert!(done.out.contains(" 103 cycles, with"), "{}", done.out);
}
