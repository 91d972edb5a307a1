//! An independent model of asynchronous networks of Chaos routers, written from the book alone. It predicts when each packet
//! of random networks is delivered, to the ps.
//!
//! The model shares no code with the program: not the topology, the router, the links or the clocks. Both are given the
//! same plain data (`plain`), drawn from a seed (`draw`). What the model says about each part comes from these pages:
//!
//! | file | page |
//! |---|---|
//! | `router` | routers/chaos.md, and asynchrony.md for words that come late |
//! | `links` | asynchrony.md, handshakes.md, crossings.md |
//! | `paces`, `times` | asynchrony.md, self-timed.md, crossings.md |
//! | `long` | studies/deadlock.md: where the stall rule also acts behind output frames that wait |
//!
//! A failure prints the seed and the network:
//!
//! ```sh
//! FLITWORK_SOAK_SEED=1234 FLITWORK_SOAK_RUNS=1 cargo test --test networks independent:: -- --ignored --nocapture
//! ```

#[path = "independent/draw.rs"]
mod draw;
#[path = "independent/links.rs"]
mod links;
#[path = "independent/long.rs"]
mod long;
#[path = "independent/paces.rs"]
mod paces;
#[path = "independent/plain.rs"]
mod plain;
#[path = "independent/program.rs"]
mod program;
#[path = "independent/router.rs"]
mod router;
#[path = "independent/times.rs"]
mod times;

use plain::{Clock, Crossing, Network, Wire};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use times::Predicted;

/// Nominal cycles after which runs end, whatever is still under way.
const END_CYCLES: u32 = 4000;

/// What was compared: networks and packets by what they contain.
#[derive(Debug, Default)]
struct Compared {
    networks: u64,
    /// Networks in which the packet to be derouted is drawn.
    drawn: u64,
    packets: u64,
    /// Packets that aren't delivered before the end, in the model and in the program.
    undelivered: u64,
    deroutes: u64,
    /// Packets delivered in networks that have this.
    with: BTreeMap<&'static str, u64>,
}

impl Compared {
    /// Compares the networks of some seeds.
    fn of(seeds: Range<u64>) -> Compared {
        let mut compared = Compared::default();
        for seed in seeds {
            compared.compare(seed);
        }
        compared
    }

    fn compare(&mut self, seed: u64) {
        let network = draw::network(seed);
        let end_ps = u64::from(END_CYCLES) * network.nominal_ps;
        let Predicted::Before { end_ps, deliveries } = times::predict(&network, end_ps) else {
            self.drawn += 1;
            return;
        };
        let end_cycle = end_ps.div_ceil(network.nominal_ps) as u32;
        let mut ran = program::run(&network, end_cycle, seed);
        ran.deliveries.retain(|delivery| delivery.ps < end_ps);
        let differ = deliveries
            .iter()
            .zip(&ran.deliveries)
            .find(|(one, other)| one != other);
        assert!(
            differ.is_none() && deliveries.len() == ran.deliveries.len(),
            "FLITWORK_SOAK_SEED={seed}: {} packets predicted, {} delivered; first difference {differ:?}\n{network:?}",
            deliveries.len(),
            ran.deliveries.len()
        );
        let packets = deliveries.len() as u64;
        self.networks += 1;
        self.packets += packets;
        self.undelivered += network.packets.len() as u64 - packets;
        self.deroutes += ran.deroutes;
        for feature in features(&network) {
            *self.with.entry(feature).or_default() += packets;
        }
    }
}

/// What a network has, in a few words each.
fn features(network: &Network) -> Vec<&'static str> {
    let clocks = network
        .domain_of
        .iter()
        .map(|domain| &network.clocks[*domain]);
    let of_clocks = clocks.map(|clock| match clock {
        Clock::Oscillator { .. } => "oscillators",
        Clock::SelfTimed(node) if node.count_ps > 0 => "counting",
        Clock::SelfTimed(_) => "self-timed",
    });
    let of_links = network.links.iter().flat_map(|link| {
        let wire = match &link.wire {
            Wire::Plain { capacity_words, .. } if *capacity_words < network.router.words as u64 => {
                "narrow"
            }
            Wire::Plain { .. } => "wide",
            Wire::Handshake {
                four_phase: true, ..
            } => "four-phase",
            Wire::Handshake { .. } => "two-phase",
        };
        let crossing = match link.crossing {
            Crossing::Synchronizer { .. } => "synchronizer",
            Crossing::DualClockFifo { .. } => "dual-clock FIFO",
            Crossing::Mesochronous { .. } => "mesochronous",
            Crossing::Pausible { .. } => "pausible",
        };
        [wire, crossing]
    });
    let mut features: Vec<&str> = of_clocks.chain(of_links).collect();
    let router = [
        (long::stall_rule_on_long_links(network), "long links"),
        (!network.router.cut_through, "store and forward"),
        (network.router.vanish, "vanish"),
    ];
    features.extend(router.iter().filter(|(has, _)| *has).map(|(_, name)| *name));
    features.sort_unstable();
    features.dedup();
    features
}

#[test]
fn a_thousand_networks_deliver_every_packet_when_the_model_says() {
    let compared = Compared::of(0..1000);
    assert!(compared.drawn <= 20, "{compared:?}");
    assert!(compared.packets > 9000, "{compared:?}");
    assert!(compared.undelivered < compared.packets / 20, "{compared:?}");
    assert!(compared.deroutes > 100, "{compared:?}");
    assert_eq!(compared.with.len(), 14, "{compared:?}");
    assert!(
        compared.with.values().all(|packets| *packets > 500),
        "{compared:?}"
    );
}

/// `FLITWORK_SOAK_RUNS=100000 cargo test --release --test networks independent:: -- --ignored --nocapture`.
#[test]
#[ignore = "minutes: FLITWORK_SOAK_RUNS, 20,000 by default, from FLITWORK_SOAK_SEED on"]
fn many_networks_deliver_every_packet_when_the_model_says() {
    let number = |name: &str, usual| {
        let given = std::env::var(name).ok();
        given.map_or(usual, |text| text.parse().expect("a number"))
    };
    let first = number("FLITWORK_SOAK_SEED", 1000);
    let runs = number("FLITWORK_SOAK_RUNS", 20_000);
    let compared = Compared::of(first..first + runs);
    let _ = writeln!(
        std::io::stderr(),
        "{runs} seeds from {first} on: {compared:?}"
    );
    assert_eq!(compared.networks + compared.drawn, runs);
}
