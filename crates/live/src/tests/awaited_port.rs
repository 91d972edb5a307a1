//! Replays of a record that names what no node sends.

use super::slack::Silent;
use super::{chunks, header};
use crate::replay::{ReplayOptions, replay};
use flitwork_network::{Demand, Network};
use flitwork_node::AnyProbe;
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_trace::record::{NodeEnd, Trailer, Writer};
use flitwork_types::{Cycle, NodeId};
use std::io::{Cursor, Read};
use std::ops::ControlFlow;

/// Cycles of each node.
const CYCLES: u32 = 20;

/// The record of three nodes in a row without a packet. It says that a credit comes from the west to node 1 in its cycle 9,
/// and to node 2 in its cycle 5.
fn record() -> Vec<u8> {
    let nothing = Digest::default().get();
    let mut writer = Writer::new(Vec::new(), &header(3)).unwrap();
    for (node, credits) in [(0, &[][..]), (1, &[9][..]), (2, &[5][..])] {
        for chunk in chunks(node, credits, &[CYCLES], nothing as u8) {
            writer.add(chunk).unwrap();
        }
    }
    let node = NodeEnd {
        cycles: Cycle(CYCLES),
        digest: nothing,
    };
    let trailer = Trailer {
        nodes: vec![node; 3],
        ended: "run".into(),
    };
    writer.finish(&trailer).unwrap()
}

/// Nodes 1 and 2 both wait for good; node 2 has come less far.
#[test]
fn the_node_that_stopped_earliest_is_named() {
    let record = record();
    let open = || Ok(Box::new(Cursor::new(record.clone())) as Box<dyn Read + Send>);
    for threads in [1, 3] {
        let options = ReplayOptions {
            threads,
            until: None,
            channel_capacity: 64,
            what_if: false,
        };
        let grid = Grid::mesh(&[3]).unwrap();
        let network = Network::new(grid.clone(), GreedyHp::new(grid, 1), 1);
        let demand = Demand::until(Box::new(Silent), Cycle(CYCLES));
        let probes = &mut || AnyProbe::new(());
        let control = &mut |_| ControlFlow::Continue(());
        let replayed = replay(network, demand, &options, open, probes, control);
        let difference = replayed.unwrap().verdict.difference.unwrap();
        assert_eq!(
            (difference.node, difference.cycle),
            (Some(NodeId(2)), Cycle(5)),
            "{options:?}: {}",
            difference.what
        );
    }
}
