//! What an estimate counts for workers, and for the packets of a plan, by hand.

use super::*;
use flitwork_config::Catalogue;
use std::path::Path;

/// A run of 1,000 cycles at most, on an engine, with some workers.
fn resolved(engine: &str, workers: usize) -> Resolved {
    let text = format!(
        "network = {{ topology = \"mesh\", sides = [8, 8] }}\nrouter.chaos = {{}}\n\
         traffic = {{ process = \"once\" }}\n\
         run = {{ engine = \"{engine}\", deadline_cycles = 1000 }}\n"
    );
    let mut resolved = Catalogue::default()
        .resolve(&text, "test", Path::new(""), &[])
        .unwrap();
    resolved.live.workers = workers;
    resolved
}

/// Worms on a schedule: each of 16 x 16 nodes has `k` packets, to the node opposite.
fn scheduled(k: u32) -> Resolved {
    let text = format!(
        "network = {{ topology = \"mesh\", sides = [16, 16] }}\nrouter.scheduled = {{}}\n\
         traffic = {{ process = \"once\", k = {k}, pattern = \"bit-complement\" }}\n"
    );
    Catalogue::default()
        .resolve(&text, "test", Path::new(""), &[])
        .unwrap()
}

/// From column x to column 15 - x there are |15 - 2x| hops: 15 + 13 + ... + 1 + 1 + ... + 15 = 128 along a row, and as many along
/// a column, of which there are 16 each.
#[test]
fn few_packets_are_counted_hop_by_hop() {
    let resolved = scheduled(1);
    let hops = (16 + 16) * 128;
    assert_eq!(plan::bytes(&resolved), resolved.router.plan_bytes(hops));
    let three = plan::bytes(&scheduled(3));
    assert_eq!(three, resolved.router.plan_bytes(3 * hops));
}

/// More than 4,194,304 packets aren't counted one by one. What is taken for all of them lies between the means of two patterns on
/// a mesh: a third of the diameter, 15 + 15 hops, with random destinations, and a half of it to the node opposite.
#[test]
fn many_packets_take_between_a_third_and_a_half_of_the_diameter_each() {
    let k = 20_000;
    let resolved = scheduled(k);
    let packets = 16 * 16 * u64::from(k);
    assert!(packets > 4_194_304);
    let [third, half] = [3, 2].map(|part| resolved.router.plan_bytes(packets * 30 / part));
    let taken = plan::bytes(&resolved);
    assert!(third.kept > 0 && third.most > 0);
    assert!(
        (third.kept..=half.kept).contains(&taken.kept),
        "{third:?} {taken:?} {half:?}"
    );
    assert!(
        (third.most..=half.most).contains(&taken.most),
        "{third:?} {taken:?} {half:?}"
    );
}

/// Each worker leaves 3 MiB unused in a heap, of which there are eight at most, and takes 128 KiB for itself.
#[test]
fn workers_have_heaps_of_which_there_are_eight_at_most() {
    let heap = 3 * 1024 * 1024;
    let worker = 128 * 1024;
    for (workers, heaps) in [(1, 1), (2, 2), (8, 8), (9, 8), (64, 8)] {
        let expected = heaps * heap + workers as u64 * worker;
        assert_eq!(
            of_workers(&resolved("live", workers)),
            expected,
            "{workers}"
        );
    }
    for engine in ["sync", "clocked"] {
        assert_eq!(of_workers(&resolved(engine, 4)), 0, "{engine}");
    }
}

/// A run of cycles 0 to 1,000 has 11 intervals of 100 cycles at most. Each worker sums up its own; their figures are made
/// once.
#[test]
fn each_worker_keeps_intervals_of_its_own() {
    let beside = Beside {
        packets: None,
        every_cycles: Some(100),
    };
    let bytes = |engine, workers| beside.bytes(&resolved(engine, workers));
    let last = crate::window::last_cycle(&resolved("sync", 1)).get();
    assert!((1000..1100).contains(&last), "{last}");
    let sums = bytes("live", 2) - bytes("live", 1);
    let figures = bytes("live", 1) - sums;
    // Nine numbers of eight bytes each.
    assert_eq!(sums, 11 * 9 * 8);
    assert!(figures > sums, "{figures}");
    assert_eq!(bytes("live", 5), 5 * sums + figures);
    // One keeper elsewhere, however many workers a live run would have.
    assert_eq!(bytes("sync", 5), sums + figures);
    assert_eq!(Beside::default().bytes(&resolved("live", 5)), 0);
}
