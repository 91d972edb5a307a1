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
    ] {
        let asked: SelfTimed = context::tests::asked(&ENTRY, &format!("{places} --set {set}"));
        let ran = asked.run(&mut Silent::new(u32::MAX));
        assert!(matches!(ran, Err(Failed::BadInput(_))), "{set}");
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
