//! Which nodes share the throughput.

use super::{near, run};

/// In each of cycles 0 to 4 node 0 makes a packet of one word, and nothing is made later. Each goes over two links of 200
/// cycles: all five are delivered in the window, from cycle 100 to 999, in which nothing is made and nothing enters the
/// network. The node that they come from and the one that they go to were served all the same.
#[test]
fn nodes_count_that_were_served_only_with_earlier_words() {
    let phase = "pattern = \"many-to-one\"\ndestination = 2\nsources = [0]\n";
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [3]\nlink_latency_cycles = 200\n[router.wormhole]\n\
        [traffic]\nprocess = \"phases\"\npacket_words = 1\n[[traffic.phases]]\nload = 1\n{phase}\
        [[traffic.phases]]\nfrom_cycle = 5\nload = 0\n{phase}\
        [run]\nwarmup_cycles = 100\nmeasure_cycles = 900\n"
    );
    let (_, run, results) = run(&text);
    assert_eq!((run.observation.created, results.measured_cycles), (5, 900));
    let fairness = results.fairness;
    for (shares, node) in [(fairness.by_source, 0), (fairness.by_destination, 2)] {
        let shares = shares.unwrap();
        assert_eq!(
            (shares.nodes, shares.min.node, shares.jain),
            (1, node, Some(1.0))
        );
        assert!(near(shares.mean, 5.0 / 900.0), "{shares:?}");
    }
}

/// Two sources on a line of three each make a word a cycle for node 2, over whose local port goes a word a cycle. Node 0 makes packets of
/// ten words from cycle 0 on: what the two get, and how long they wait, is in the text, and of an overload that the halves are alike.
#[test]
fn an_overload_says_who_waits_and_whether_it_drifts() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [3]\n[router.wormhole]\n[traffic]\npacket_words = 10\nload = 1\n\
        pattern = \"many-to-one\"\ndestination = 2\nsources = [0, 1]\n\
        [run]\nwarmup_cycles = 1000\nmeasure_cycles = 2000\n";
    let (_, run, results) = run(text);
    let (wait, shown) = (
        results.fairness.longest_wait.unwrap(),
        crate::text(&results),
    );
    assert_eq!(
        run.observation.longest_wait_cycles[wait.node as usize],
        wait.cycles
    );
    assert_eq!(
        run.observation.longest_wait_cycles[2], 0,
        "it sends nothing"
    );
    assert!((10..200).contains(&wait.cycles), "{wait:?}");
    let part = f64::from(wait.cycles) / 20.0;
    let line = format!(
        "longest wait           {} cycles to inject (node {}), {part:.1} % of the window",
        wait.cycles, wait.node
    );
    assert!(shown.contains(&line), "{shown}");
    let halves = results.load.unwrap().halves.unwrap();
    // Three terminals share a word a cycle.
    assert!(
        near(halves.first, 1.0 / 3.0) && near(halves.second, 1.0 / 3.0),
        "{halves:?}"
    );
    assert!(
        shown.contains("by halves 0.3333, 0.3333 (+0.0 ± 0.0 %): no drift"),
        "{shown}"
    );
    assert_eq!(results.fairness.sent.iter().sum::<u64>(), 2000);
}
