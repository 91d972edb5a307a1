//! What `--set` changes, and who is served.

use super::*;

/// Keys apply to their routers: Chaos' packets of 20 words leave the deflection routers' rows as they are.
#[test]
fn keys_of_a_router_are_those_of_all_its_runs() {
    let places = "--routers chaos,deflection --topologies mesh --side 4 --spreads 0 --corners 0 --lengths 1 --designs binned,self-timed";
    let accepted = |set: &str| -> Vec<f64> {
        let asked: SelfTimed =
            context::tests::asked(&ENTRY, &format!("{places} --seeds 1 --time 500 {set}"));
        let rows = rows(&asked);
        rows.iter().map(|row| row.accepted().mean).collect()
    };
    let (usual, longer) = (accepted(""), accepted("--set router.chaos.packet_words=20"));
    assert!(usual[0] != longer[0] && usual[1] != longer[1] && usual[2..] == longer[2..]);
    for set in [
        "clocks.period_ps=9",
        "network.handshake.request_ps=9",
        "traffic.load=0.1",
        "energy.link_pj=1",
        "run.seed=2",
        "network.topology=torus",
        "network.sides=[5,5]",
        "network.link_latency_cycles=2",
        "network.synchronizer_edges=1",
        "network.crossings=all",
        "router.wormhole.buffer_words=9",
        "traffic.process=once",
        "traffic.pattern=transpose",
    ] {
        let asked: SelfTimed = context::tests::asked(&ENTRY, &format!("{places} --set {set}"));
        match asked.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => assert!(why.contains("sets this key itself"), "{why}"),
            _ => panic!("{set} is accepted"),
        }
    }
    let asked: SelfTimed =
        context::tests::asked(&ENTRY, &format!("{places} --set router.wormhole.vcs=3"));
    match asked.run(&mut Silent::new(u32::MAX)) {
        Err(Failed::BadInput(why)) => assert!(why.contains("no router `wormhole`"), "{why}"),
        _ => panic!("no router has such a key"),
    }
}

/// A clock of 1,000 ps (one step, typical corner, no spread) and one of 1,300: waits are of cycles as long as that, and no window of 500 ns has
/// a longer one.
#[test]
fn waits_are_in_ns_of_their_own_clock() {
    let line = "--routers chaos --topologies mesh --side 4 --spreads 0 --corners 0,30 --lengths 1 --designs binned --step 1000 --seeds 1 --time 500";
    let asked: SelfTimed = context::tests::asked(&ENTRY, line);
    let rows = rows(&asked);
    let [typical, slow] = &rows[..] else {
        panic!("two corners")
    };
    assert_eq!(
        (typical.period_ps(), slow.period_ps()),
        (Some(1000.0), Some(1300.0))
    );
    for (row, cycle_ns) in [(typical, 1.0), (slow, 1.3)] {
        let served = row.served()[0];
        let cycles = served.longest_wait.unwrap() / cycle_ns;
        assert!((cycles - cycles.round()).abs() < 1e-9, "{cycles}");
        assert!(cycles > 10.0 && cycles * cycle_ns < 501.0, "{cycles}");
        assert!(served.worst_source.unwrap() < 1.0 && served.source_jain.unwrap() <= 1.0);
    }
    let columns = asked.columns();
    let wait = columns
        .iter()
        .find(|it| it.header.name == "source_longest_wait_mean_ns");
    assert_eq!(
        wait.unwrap().cell(slow).number(),
        slow.served()[0].longest_wait
    );
}

/// Who is served is that of the overload, where sources compete, in the rows, in the table of runs and in the text.
#[test]
fn who_is_served_is_asked_at_overload() {
    let asked = study(
        "--routers chaos --topologies mesh --side 4 --spreads 0 --corners 0 --lengths 1 --designs binned --seeds 2 --time 500",
    );
    let rows = rows(&asked);
    let shown = |change: fn(&mut Run)| {
        let mut rows = rows.clone();
        rows[0].runs.iter_mut().for_each(change);
        let worst = rows[0].served()[1].worst_source;
        let runs = asked.details(&rows).into_iter().map(|it| it.text());
        (worst, runs.collect::<String>(), asked.text(&rows))
    };
    let usual = shown(|_| ());
    let low = shown(|run| run.low.served.worst_source = Some(0.123));
    assert_eq!(low, usual);
    let most = shown(|run| run.most.served.worst_source = Some(0.123));
    assert_eq!(most.0, Some(0.123));
    assert!(most.1.contains("0.123") && !usual.1.contains("0.123"));
    assert_ne!(most.2, usual.2);
    assert_ne!(rows[0].runs[0].most.served, rows[0].runs[1].most.served);
}
