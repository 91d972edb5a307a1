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
