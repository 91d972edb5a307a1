//! What a record says about a node's next cycles, and whether the node does the same again.

use super::{PORTS, WORDS, chunks, credit};
use crate::timing::{Recorded, Upcoming};
use flitwork_trace::Digest;
use flitwork_trace::record::Decoder;
use flitwork_types::{Cycle, Due, NodeId};

const NODE: NodeId = NodeId(3);

/// Credits arrive in cycles 5 and 200; the chunks end at 100 and 300, where the digest's lowest byte is 7.
fn recorded(strict: bool) -> Recorded {
    let mut recorded = Recorded::new(Decoder::new(NODE, WORDS, PORTS), strict);
    for chunk in chunks(NODE.0, &[5, 200], &[100, 300], 7) {
        recorded.decoder.push(chunk).unwrap();
    }
    recorded
}

#[test]
fn a_record_says_until_when_nothing_arrives() {
    let mut recorded = recorded(true);
    assert_eq!(recorded.next(Cycle(0)), Ok(Upcoming::Quiet(Cycle(5))));
    assert_eq!(recorded.next(Cycle(5)), Ok(Upcoming::Arrivals));
    assert_eq!(recorded.pending, credit());
    // It is there until it has been taken.
    assert_eq!(recorded.next(Cycle(5)), Ok(Upcoming::Arrivals));
    recorded.taken();
    assert_eq!(recorded.next(Cycle(6)), Ok(Upcoming::Quiet(Cycle(200))));
    // The node's run may end earlier.
    recorded.end = Cycle(150).into();
    assert_eq!(recorded.next(Cycle(6)), Ok(Upcoming::Quiet(Cycle(150))));
    assert_eq!(recorded.next(Cycle(149)), Ok(Upcoming::Quiet(Cycle(150))));
    assert_eq!(recorded.next(Cycle(150)), Ok(Upcoming::Finished));
    recorded.end = Due::NEVER;
    assert_eq!(recorded.next(Cycle(200)), Ok(Upcoming::Arrivals));
    recorded.taken();
    // What has been read ends at 300.
    assert_eq!(recorded.next(Cycle(201)), Ok(Upcoming::Quiet(Cycle(300))));
    assert_eq!(recorded.next(Cycle(300)), Ok(Upcoming::More));
}

/// A word-by-word replay compares its digest with each byte that the record has: those of cycles 100 (a chunk
/// ends), 128, 256 and 300.
#[test]
fn a_digest_that_differs_is_found_at_the_first_byte_that_shows_it() {
    let (same, other) = (Digest::of(0x1107), Digest::of(0x1108));
    for (differs_from, agreed, found) in [
        (1, 0, 100),
        (100, 0, 100),
        (101, 100, 128),
        (200, 128, 256),
        (257, 256, 300),
        (300, 256, 300),
    ] {
        let mut recorded = recorded(true);
        let first = (1..=300).find_map(|now| {
            let digest = if now < differs_from { same } else { other };
            let compared = recorded.compare(NODE, Cycle(now), digest);
            compared.err().map(|difference| (now, *difference))
        });
        let (now, difference) = first.unwrap_or_else(|| panic!("{differs_from} isn't found"));
        assert_eq!(now, found);
        assert_eq!(difference.node, Some(NODE));
        assert_eq!(difference.cycle, Cycle(agreed), "from {differs_from}");
    }
    // For a node that skips cycles, all bytes that it has passed are compared.
    let mut skips = recorded(true);
    let difference = skips.compare(NODE, Cycle(299), other).unwrap_err();
    assert_eq!(difference.cycle, Cycle(0));
    // It agrees to the end, and nothing is compared if parameters were changed.
    let mut agrees = recorded(true);
    let mut free = recorded(false);
    for now in 1..=300 {
        assert_eq!(agrees.compare(NODE, Cycle(now), same), Ok(()));
        assert_eq!(free.compare(NODE, Cycle(now), other), Ok(()));
    }
    assert_eq!(agrees.decoder.next_checkpoint(), Due::NEVER);
}
