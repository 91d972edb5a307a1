//! The numbers of ports in records.

use crate::common::live_runs::{Memory, live, options};
use crate::common::machine::chaos;
use flitwork_live::Runtime;
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_trace::record::{Decoder, Item, Reader};
use flitwork_traffic::{OnceParameters, PermutationParameters};
use flitwork_types::{NodeId, Port, PortSet, TerminalId};

/// The ports of a node at which words arrive, in a live run of one packet from a neighbour, by its record.
fn arrived(grid: &Grid, from: u32, to: u32) -> PortSet {
    let parameters = ChaosParameters::chinn_1995(grid.ports());
    let mut resolved = chaos(grid.clone(), parameters, 0.0, 100, 1);
    resolved.traffic.process = OnceParameters { packets: 1 }.into();
    let pairs = vec![(TerminalId(from), TerminalId(to))];
    resolved.traffic.pattern = PermutationParameters::listed(pairs).into();
    let memory = Memory::default();
    live(
        &resolved,
        &options(Runtime::Threads, Some(0), 1, 1),
        Some(memory.clone()),
    );
    let bytes = memory.bytes();
    let (mut reader, header) = Reader::open(bytes.as_slice()).unwrap();
    assert_eq!(usize::from(header.ports), grid.ports());
    let mut decoder = Decoder::new(NodeId(to), header.packet_words, grid.ports());
    loop {
        match reader.next_block().unwrap() {
            Item::Chunks(chunks) => {
                let own = chunks.into_iter().filter(|chunk| chunk.node == NodeId(to));
                own.for_each(|chunk| decoder.push(chunk).unwrap());
            }
            Item::End { .. } => break,
            _ => {}
        }
    }
    let mut words = PortSet::EMPTY;
    let mut now = decoder.next();
    while now < decoder.upto() {
        words.0 |= decoder.take(now).unwrap().words.0;
        now += 1;
    }
    words
}

/// The neighbours of the middle of a mesh, in the order of the ports that lead to them, and the ports' names.
struct Middle {
    sides: &'static [u32],
    node: u32,
    neighbours: &'static [(u32, &'static str)],
}

/// A line, a plane and a cube: node = x + width * (y + height * z).
const MIDDLES: [Middle; 3] = [
    Middle {
        sides: &[3],
        node: 1,
        neighbours: &[(2, "east"), (0, "west")],
    },
    Middle {
        sides: &[3, 3],
        node: 4,
        neighbours: &[(1, "north"), (5, "east"), (7, "south"), (3, "west")],
    },
    Middle {
        sides: &[3, 3, 3],
        node: 13,
        neighbours: &[
            (10, "north"),
            (14, "east"),
            (16, "south"),
            (12, "west"),
            (4, "-d3"),
            (22, "+d3"),
        ],
    },
];

#[test]
fn ports_are_numbered_north_east_south_west_then_by_dimension() {
    for middle in MIDDLES {
        let grid = Grid::mesh(middle.sides).unwrap();
        for (port, (from, name)) in (0u8..).map(Port).zip(middle.neighbours) {
            let found = arrived(&grid, *from, middle.node);
            assert_eq!(
                found,
                PortSet::only(port),
                "{:?}, from {from}",
                middle.sides
            );
            assert_eq!(grid.port_name(port), *name);
        }
        assert_eq!(grid.ports(), middle.neighbours.len());
    }
}
