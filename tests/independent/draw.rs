//! Random networks as plain data. The edges of each parameter are drawn as often as what lies between them.

use super::plain::{Clock, Crossing, Link, Mesh, Network, Packet, Router, SelfTimed, Wire};

/// Random numbers from a seed: splitmix64 (Steele, Lea and Flood 2014).
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn among(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.among(1, times) == 1
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.among(0, from.len() as u64 - 1) as usize].clone()
    }
}

/// The network of a seed.
pub(crate) fn network(seed: u64) -> Network {
    let mut draws = Draws::new(seed);
    let draws = &mut draws;
    let sides: &[usize] = draws.pick(&[
        &[2][..],
        &[2],
        &[3],
        &[4],
        &[6],
        &[2, 2],
        &[3, 2],
        &[2, 3],
        &[3, 3],
        &[4, 3],
    ]);
    let mesh = Mesh {
        sides: sides.to_vec(),
    };
    let router = router(draws, &mesh);
    let all_equal = draws.one_in(4);
    let unit_ps = draws.pick(&[100, 700, 1000, 1000]);
    let mut times = Times {
        unit_ps: all_equal.then_some(unit_ps),
    };
    let (clocks, domain_of) = clocks(draws, &mut times, mesh.nodes());
    let links = links(draws, &mut times, &mesh, &clocks, &domain_of);
    let packets = packets(draws, &mesh, &router);
    Network {
        mesh,
        router,
        nominal_ps: draws.pick(&[1000, 1000, 999, 250, 4000]),
        clocks,
        domain_of,
        links,
        packets,
    }
}

/// How times are drawn: all alike, so that much happens at one instant, or each by itself.
struct Times {
    unit_ps: Option<u64>,
}

impl Times {
    fn period(&mut self, draws: &mut Draws) -> u64 {
        match (self.unit_ps, draws.among(0, 3)) {
            (Some(unit), _) => unit,
            (None, 0) => draws.pick(&[250, 500, 1000]),
            (None, 1) => 1000,
            (None, _) => draws.among(250, 1600),
        }
    }

    fn delay(&mut self, draws: &mut Draws) -> u64 {
        match (self.unit_ps, draws.among(0, 4)) {
            (Some(unit), _) => unit,
            (None, 0) => 1,
            (None, 1) => 1000,
            (None, _) => draws.among(2, 1500),
        }
    }

    fn latency(&mut self, draws: &mut Draws) -> u64 {
        match (self.unit_ps, draws.among(0, 9)) {
            (Some(unit), _) => unit,
            (None, 0) => 50_000,
            (None, 1 | 2) => 1,
            (None, 3) => 1000,
            (None, _) => draws.among(2, 4000),
        }
    }
}

fn router(draws: &mut Draws, mesh: &Mesh) -> Router {
    let words = draws.pick(&[1, 1, 2, 3, 5, 8, 10, 12]);
    let decision_latency = draws.pick(&[1, 1, 2, 3, 4]);
    let usual: &[usize] = if mesh.sides.len() == 1 {
        &[0, 1]
    } else {
        &[2, 0, 1, 3]
    };
    let mut scan_order = usual.to_vec();
    if draws.one_in(3) {
        for at in (1..scan_order.len()).rev() {
            scan_order.swap(at, draws.among(0, at as u64) as usize);
        }
    }
    let derouting = draws.one_in(2);
    Router {
        words,
        queue_frames: match derouting {
            true => draws.pick(&[1, 1, 2, 64]),
            false => draws.among(1, 6) as usize,
        },
        stall_threshold: draws.pick(&[0, 1, 7, 20]),
        decision_latency,
        release: decision_latency + words as u64 - 1 + draws.pick(&[0, 1, 3]),
        reopen: draws.pick(&[0, 0, 1, 3]),
        scan_order,
        newest_first: draws.one_in(4),
        derouting,
        freed_at_tail: draws.one_in(4),
        bypass: !draws.one_in(4),
        cut_through: !draws.one_in(4),
        vanish: draws.one_in(5),
    }
}

fn clocks(draws: &mut Draws, times: &mut Times, nodes: usize) -> (Vec<Clock>, Vec<usize>) {
    let self_timed_in = draws.pick(&[0, 1, 2, 2]);
    let domains = match draws.among(0, 4) {
        0 => 1,
        1 => 2.min(nodes),
        _ => nodes,
    };
    let same = draws.one_in(4);
    let mut clocks: Vec<Clock> = Vec::new();
    for _ in 0..domains {
        let clock = match clocks.last() {
            Some(last) if same => last.clone(),
            _ if self_timed_in > 0 && draws.one_in(self_timed_in) => {
                Clock::SelfTimed(self_timed(draws, times))
            }
            _ => oscillator(draws, times),
        };
        clocks.push(clock);
    }
    let domain_of = (0..nodes).map(|node| match domains == nodes {
        true => node,
        false => draws.among(0, domains as u64 - 1) as usize,
    });
    let domain_of = domain_of.collect();
    (clocks, domain_of)
}

fn oscillator(draws: &mut Draws, times: &mut Times) -> Clock {
    let period_ps = times.period(draws);
    let drift_ppb = match (times.unit_ps, draws.among(0, 4)) {
        (None, 0) => draws.among(0, 200_000_000) as i64 - 100_000_000,
        _ => 0,
    };
    Clock::Oscillator {
        period_ps,
        phase_ps: draws.pick(&[0, 0, 1, period_ps / 2, period_ps - 1, 3 * period_ps + 17]),
        drift_ppb,
    }
}

fn self_timed(draws: &mut Draws, times: &mut Times) -> SelfTimed {
    let mut optional = |draws: &mut Draws| draws.one_in(2).then(|| times.delay(draws));
    let (allocation_ps, credit_ps) = (optional(draws), optional(draws));
    let equal = times.unit_ps.is_some();
    SelfTimed {
        word_ps: times.delay(draws),
        decision_ps: times.delay(draws),
        allocation_ps,
        credit_ps,
        count_ps: match draws.one_in(2) {
            true => 0,
            false => times.delay(draws),
        },
        scale_ppb: match (equal, draws.among(0, 2)) {
            (false, 1) => draws.among(500_000_000, 2_000_000_000),
            (false, 2) => draws.pick(&[1, 999_999_999, 1_500_000_000]),
            _ => 1_000_000_000,
        },
    }
}

fn links(
    draws: &mut Draws,
    times: &mut Times,
    mesh: &Mesh,
    clocks: &[Clock],
    domain_of: &[usize],
) -> Vec<Link> {
    let handshakes = draws.one_in(2);
    let (four_phase, bundling_ps) = (draws.one_in(2), draws.pick(&[0, 0, 20, 400]));
    let most_latches = draws.pick(&[0, 0, 1, 2, 3]);
    let more_words = draws.pick(&[0, 0, 1, 2, 12]);
    let capacity_words = draws.pick(&[1, 1, 2, 3, 12, 40]);
    let alike = draws.one_in(2);
    let same_ps = times.latency(draws);
    let same_crossing = synchronizer(draws);
    let mut links = Vec::new();
    for node in 0..mesh.nodes() {
        for port in 0..mesh.ports() {
            let Some(far) = mesh.neighbour(node, port).filter(|far| *far > node) else {
                continue;
            };
            let wire = match handshakes {
                true => {
                    let latches = match alike {
                        true => most_latches,
                        false => draws.among(0, most_latches),
                    };
                    let mut delay = |draws: &mut Draws| match alike {
                        true => same_ps.min(2000),
                        false => times.latency(draws).min(2000),
                    };
                    let segments = (0..=latches).map(|_| (delay(draws), delay(draws)));
                    Wire::Handshake {
                        four_phase,
                        bundling_ps,
                        segments: segments.collect(),
                        fifo_words: most_latches - latches + more_words,
                    }
                }
                false => Wire::Plain {
                    latency_ps: if alike { same_ps } else { times.latency(draws) },
                    capacity_words,
                },
            };
            let ends = [node, far];
            let crossing = match alike && draws.one_in(2) {
                true => same_crossing.clone(),
                false => crossing(draws, ends, &wire, clocks, domain_of),
            };
            links.push(Link {
                ends,
                wire,
                crossing,
            });
        }
    }
    links
}

fn synchronizer(draws: &mut Draws) -> Crossing {
    let edges = draws.among(0, 3);
    Crossing::Synchronizer { edges }
}

/// A crossing of any kind that may lie between the clocks of these nodes.
fn crossing(
    draws: &mut Draws,
    ends: [usize; 2],
    wire: &Wire,
    clocks: &[Clock],
    domain_of: &[usize],
) -> Crossing {
    let of = |node: usize| (&clocks[domain_of[node]], domain_of[node]);
    let in_tune = match ends.map(|node| of(node).0) {
        [
            Clock::Oscillator {
                period_ps: one_ps,
                drift_ppb: one_ppb,
                ..
            },
            Clock::Oscillator {
                period_ps: other_ps,
                drift_ppb: other_ppb,
                ..
            },
        ] => (one_ps, one_ppb) == (other_ps, other_ppb),
        _ => false,
    };
    let alone = |node: usize| {
        let domain = of(node).1;
        domain_of.iter().filter(|other| **other == domain).count() == 1
    };
    let pausible = ends.iter().all(|node| alone(*node));
    let shortest = ends.iter().filter_map(|node| match of(*node).0 {
        Clock::Oscillator {
            period_ps,
            drift_ppb,
            ..
        } => Some((*period_ps as f64 * (1.0 + *drift_ppb as f64 / 1e9)) as u64 - 1),
        Clock::SelfTimed(_) => None,
    });
    let shortest = shortest.min().unwrap_or(1000);
    let most_ps = shortest.saturating_sub(1).max(1);
    match draws.among(0, 3) {
        0 => Crossing::DualClockFifo {
            edges: draws.among(0, 3),
            depth: match wire {
                Wire::Plain { .. } => draws.pick(&[1, 2, 3, 8, 20]),
                Wire::Handshake { segments, .. } => {
                    segments.len() as u64 + draws.pick(&[0, 1, 2, 12])
                }
            },
        },
        1 if in_tune => Crossing::Mesochronous {
            margin_ps: draws.pick(&[0, 1, most_ps / 2, 3 * most_ps]),
        },
        2 | 3 if pausible => Crossing::Pausible {
            transfer_ps: draws.pick(&[1, 1 + most_ps / 3, most_ps]),
        },
        _ => synchronizer(draws),
    }
}

fn packets(draws: &mut Draws, mesh: &Mesh, router: &Router) -> Vec<Packet> {
    let nodes = mesh.nodes() as u64;
    let most = draws.pick(&[1, 2, 4, 8]);
    let spread = draws.pick(&[0, 0, 10, 200]) * router.words as u64 / 4;
    let hot = draws.one_in(4).then(|| draws.among(0, nodes - 1));
    let mut packets = Vec::new();
    for source in 0..nodes {
        for _ in 0..draws.among(0, most) {
            let other = (source + draws.among(1, nodes - 1)) % nodes;
            let destination = hot.filter(|hot| *hot != source).unwrap_or(other);
            packets.push(Packet {
                source: source as usize,
                destination: destination as usize,
                cycle: draws.among(0, spread),
            });
        }
    }
    packets.sort_by_key(|packet| packet.cycle);
    if packets.is_empty() {
        packets.push(Packet {
            source: 0,
            destination: 1,
            cycle: 0,
        });
    }
    packets
}
