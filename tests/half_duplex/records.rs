//! Turns on half-duplex links, as the record of a live run has them.

use flitwork_config::Resolved;
use flitwork_topology::Topology;
use flitwork_trace::record::{Decoder, Item, Reader};
use flitwork_types::{Cycle, NodeId, Port};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// At one end of a link: for each turn that it had, how many packets from the other end had come by then.
type Turns = BTreeMap<(NodeId, Port), Vec<usize>>;

fn turns(resolved: &Resolved, record: &[u8]) -> Turns {
    let (words, ports) = (resolved.predicted_words(), resolved.network.shape.ports());
    let nodes = resolved.network.nodes();
    let decoder = |node| Decoder::new(NodeId(node), words, ports);
    let mut decoders: Vec<Decoder> = (0..nodes).map(decoder).collect();
    let (mut reader, _) = Reader::open(record).expect("a record");
    loop {
        match reader.next_block().expect("a whole record") {
            Item::Chunks(chunks) => {
                for chunk in chunks {
                    decoders[chunk.node.index()].push(chunk).expect("in order");
                }
            }
            Item::Mark(_) => {}
            _ => break,
        }
    }
    let mut turns = Turns::new();
    for (node, decoder) in (0..nodes).map(NodeId).zip(&mut decoders) {
        let mut came = vec![0; ports];
        loop {
            let now: Cycle = decoder.next();
            if now >= decoder.upto() {
                break;
            }
            let arrivals = decoder.take(now).expect("tokens");
            for port in arrivals.words.iter() {
                came[port.index()] += 1;
            }
            for port in arrivals.turns.iter() {
                let packets = came[port.index()] / usize::from(words);
                turns.entry((node, port)).or_default().push(packets);
            }
        }
    }
    turns
}

/// If an end's turn came after `n` packets of the other end, the other's next turn came after this one: it had all
/// packets of this end by then.
pub(super) fn check(resolved: &Resolved, record: &[u8]) -> Result<(), TestCaseError> {
    let turns = turns(resolved, record);
    let topology = &resolved.network.shape;
    let nothing = Vec::new();
    for ((node, port), here) in &turns {
        let far = topology.far(*node, *port).expect("a link");
        let there = turns.get(&far).unwrap_or(&nothing);
        for (turn, came) in here.iter().enumerate() {
            if let Some(seen) = there.get(*came) {
                prop_assert!(
                    *seen > turn,
                    "node {node} {port:?}: turn {turn} after {came} packets, but the other end's \
                     turn {came} after {seen}"
                );
            }
        }
    }
    Ok(())
}
