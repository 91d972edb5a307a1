//! A signal of 300,000 changes.

use super::asked::{Asked, export};
use super::reading::read;
use crate::common::machine::{any_router, machine};
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Timeline, Wanted, What, first_probe};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, start};
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::Grid;
use flitwork_types::{NodeId, Port};

/// One node sends words to its neighbour as fast as it can: the serial number on its link changes with each.
#[test]
fn a_signal_of_300_000_changes_comes_back_whole() {
    let cycles = 310_000;
    let grid = Grid::mesh(&[2]).unwrap();
    let resolved = machine(
        grid,
        any_router(GreedyHpParameters::default()),
        1.0,
        cycles,
        1,
    );
    let make = || start(&resolved, Use::Views, demand(&resolved), first_probe());
    let mut timeline = Timeline::new(make(), 1 << 22, 1);
    let nodes = Nodes::new(&resolved.network.shape);
    let words = Wanted {
        words: true,
        ..Wanted::NOTHING
    };
    let (happened, _) = timeline.copy_at(0, words).advance(cycles.into());
    let expected = happened.iter().filter_map(|it| match it.what {
        What::Word(word) if (it.node, word.port) == (NodeId(0), Port(0)) => {
            Some((it.time, u64::from(word.packet.serial)))
        }
        _ => None,
    });
    let expected: Vec<(u64, u64)> = expected.collect();
    assert!(expected.len() >= 300_000, "{}", expected.len());
    let folder = tempfile::tempdir().unwrap();
    for format in ["fst", "vcd"] {
        let path = folder.path().join(format);
        let asked = Asked {
            filter: "node == 0 && kind == 'link'",
            ..Asked::of(format, (0, cycles.into()))
        };
        export(&mut timeline, &nodes, &asked, &path).unwrap();
        let wave = read(&path);
        let port = nodes.port(Port(0));
        let changes = &wave.signals[&format!("a_run.n0_x0.link_{port}.word_serial")];
        let found = changes
            .iter()
            .filter_map(|(at, value)| Some((*at, (*value)?)));
        assert!(found.eq(expected.iter().copied()), "{format}");
        assert_eq!(wave.last, u64::from(cycles), "{format}: its end");
    }
}
