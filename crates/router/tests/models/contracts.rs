//! What routers declare about themselves, against the tables of the book and against what they do.

use flitwork_node::{Buffers, Datapath, Passes, Router};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, Delivery, TimestampFlow, WordFlow};
use flitwork_router::deflection::{Deflection, DeflectionParameters, Golden};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::scheduled::{Request, Scheduled, one_bend};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_topology::Grid;
use flitwork_types::NodeId;

fn grid() -> Grid {
    Grid::mesh(&[3, 3]).unwrap()
}

fn chaos_node(parameters: ChaosParameters) -> Chaos<Grid, chaos::Plane<WordFlow>> {
    Chaos::new(grid(), parameters, 1)
}

fn wormhole(parameters: WormholeParameters) -> Wormhole<Grid, wormhole::Plane> {
    let routing = RoutingParameters {
        name: "dimension-order".into(),
        channels: parameters.vcs,
        ..RoutingParameters::default()
    };
    let routing = build_routing(&routing, grid()).unwrap();
    Wormhole::new(grid(), parameters, routing)
}

fn scheduled() -> Scheduled<Grid> {
    let request = Request {
        source: NodeId(0),
        destination: NodeId(1),
        words: 2,
    };
    Scheduled::new(grid(), one_bend(&grid(), 1, &[request]).unwrap())
}

const GOLDEN: Golden = Golden::USUAL;

/// Writes, reads, crossings.
const fn passes(writes: u8, reads: u8, crossings: u8) -> Passes {
    Passes::new(writes, reads, crossings)
}

/// A word is written into each buffer that it enters and read from each that it leaves, and passes the
/// crossbar on its way from an input to an output.
#[test]
fn datapaths_are_those_of_the_hardware() {
    // Injection frame; then, with a decision, from frame to frame over the crossbar, all ten words of the packet;
    // output frame to far input frame; delivery frame, if there is one.
    let framed = Datapath {
        injected: passes(1, 0, 0),
        moved: passes(1, 1, 1),
        linked: passes(1, 1, 0),
        delivered: passes(0, 1, 0),
        words_a_move: 10,
        buffers: Buffers::Queue,
        ..Datapath::NONE
    };
    let mut parameters = ChaosParameters::chinn_1995(4);
    assert_eq!(chaos_node(parameters.clone()).datapath(), Some(framed));
    let streamed = Chaos::<_, chaos::Plane<TimestampFlow>>::new(grid(), parameters.clone(), 1);
    assert_eq!(streamed.datapath(), Some(framed));
    parameters.delivery = Delivery::Vanish;
    let vanishing = Datapath {
        delivered: passes(0, 0, 0),
        ..framed
    };
    assert_eq!(chaos_node(parameters).datapath(), Some(vanishing));
    // Local input buffer; from an input buffer over the switch into the far input buffer, or to the processor.
    let worms = Datapath {
        injected: passes(1, 0, 0),
        linked: passes(1, 1, 1),
        delivered: passes(0, 1, 1),
        buffers: Buffers::Words("input buffers"),
        ..Datapath::NONE
    };
    let router = wormhole(WormholeParameters::default());
    assert_eq!(router.datapath(), Some(worms));
    // No buffers: over the crossbar to a link.
    let bufferless = Datapath {
        linked: passes(0, 0, 1),
        ..Datapath::NONE
    };
    let greedy = GreedyHp::new(grid(), 1);
    assert_eq!(greedy.datapath(), Some(bufferless));
    // Over the crossbar into the side buffer, and out of it; the report names it if there is one.
    let aside = Datapath {
        stored: passes(1, 0, 1),
        restored: passes(0, 1, 0),
        ..bufferless
    };
    let bless = Deflection::new(grid(), DeflectionParameters::flit_bless(), 1);
    assert_eq!(bless.datapath(), Some(aside));
    let minbd = Deflection::new(grid(), DeflectionParameters::minbd(GOLDEN), 1);
    let buffered = Datapath {
        buffers: Buffers::Words("side buffer"),
        ..aside
    };
    assert_eq!(minbd.datapath(), Some(buffered));
    // Every word that leaves a node passes its crossbar, for a link or the processor.
    let worms = Datapath {
        delivered: passes(0, 0, 1),
        ..bufferless
    };
    assert_eq!(scheduled().datapath(), Some(worms));
}

/// The properties of links: how long packets are, how many channels a link has, and how many words may be
/// sent before a credit comes back.
#[test]
fn routers_declare_what_their_links_carry() {
    let parameters = ChaosParameters::chaos_chip(4);
    // One frame at the far end, of a packet of 20 words.
    assert_eq!(said(&chaos_node(parameters)), (Some(20), 1, Some(20)));
    let worms = wormhole(WormholeParameters {
        vcs: 3,
        buffer_words: 7,
        ..WormholeParameters::default()
    });
    // Three channels with a buffer of 7 words each.
    assert_eq!(said(&worms), (None, 3, Some(21)));
    // Deflection has no credits: whatever is sent must be accepted.
    let bless = Deflection::new(grid(), DeflectionParameters::worm_bless(), 1);
    assert_eq!(said(&bless), (None, 1, None));
    assert_eq!(said(&scheduled()), (None, 1, None));
    assert_eq!(said(&GreedyHp::new(grid(), 1)), (Some(1), 1, None));
}

fn said(router: &impl Router) -> (Option<u16>, u8, Option<u32>) {
    (
        router.packet_words(),
        router.channels(),
        router.credit_words(),
    )
}
