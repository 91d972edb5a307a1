//! Where the stall rule also acts behind output frames that wait: the comparison of times in the page on deadlock.

use super::plain::{Clock, Crossing, Link, Network, Wire};

/// Whether a packet may be ready later than the next one is decided on, between any two neighbours.
pub(crate) fn stall_rule_on_long_links(network: &Network) -> bool {
    let suffices = |link: &Link| {
        let [one, other] = link.ends;
        let ways = [(one, other), (other, one)];
        let ready = ways.map(|way| ready_ps(network, link, way));
        let decides = ways.map(|way| decides_ps(network, link, way));
        ready[0] + ready[1] <= decides[0] + decides[1]
    };
    !network.links.iter().all(suffices)
}

fn clock(network: &Network, node: usize) -> &Clock {
    &network.clocks[network.domain_of[node]]
}

fn scaled_ps(ps: u64, scale_ppb: u64) -> u64 {
    let scaled = u128::from(ps) * u128::from(scale_ppb) + 500_000_000;
    ((scaled / 1_000_000_000) as u64).max(1)
}

/// The shortest and the longest time of so many ticks or steps.
fn span_ps(network: &Network, node: usize, ticks: u64) -> (u64, u64) {
    match clock(network, node) {
        Clock::Oscillator {
            period_ps,
            drift_ppb,
            ..
        } => {
            let billion = 1_000_000_000i128;
            let parts = i128::from(ticks * period_ps) * (billion + i128::from(*drift_ppb));
            let (floor, rest) = (parts.div_euclid(billion), parts.rem_euclid(billion));
            (floor as u64, floor as u64 + u64::from(rest > 0))
        }
        Clock::SelfTimed(delays) => {
            let decision = delays.decision_ps + delays.allocation_ps.unwrap_or(0);
            let others = decision.max(delays.credit_ps.unwrap_or(0));
            let longest = scaled_ps(delays.word_ps.max(others), delays.scale_ppb);
            (
                ticks * scaled_ps(delays.word_ps, delays.scale_ppb),
                ticks * longest.max(delays.count_ps),
            )
        }
    }
}

/// The longest time of so many ticks, with what a pausible clock may wait.
fn longest_ps(network: &Network, node: usize, ticks: u64) -> u64 {
    span_ps(network, node, ticks).1 + ticks * waits_ps(network, node)
}

/// The most by which a tick of a node may be late because its clock is pausible.
fn waits_ps(network: &Network, node: usize) -> u64 {
    let here = network
        .links
        .iter()
        .filter(|link| link.ends.contains(&node));
    let waits = here.filter_map(|link| match link.crossing {
        Crossing::Pausible { transfer_ps } => Some(transfer_ps),
        _ => None,
    });
    match clock(network, node) {
        Clock::Oscillator { .. } => waits.max().unwrap_or(0),
        Clock::SelfTimed(_) => 0,
    }
}

/// Whether a packet is ready before its last word has come.
fn cuts_through(network: &Network) -> bool {
    network.router.cut_through || network.router.words == 1
}

/// The shortest time from the departure of a head, or of the last word, until the next packet is decided on.
fn decides_ps(network: &Network, link: &Link, (from, _): (usize, usize)) -> u64 {
    let behind = match cuts_through(network) {
        true => network.router.words as u64 - 1,
        false => 0,
    };
    let shaken_ps = handshakes_ps(&link.wire, behind);
    match clock(network, from) {
        Clock::Oscillator { .. } => {
            let after = 1 + network.router.reopen;
            let ticks_ps = span_ps(network, from, behind + after).0;
            ticks_ps.max(shaken_ps + span_ps(network, from, after).0)
        }
        Clock::SelfTimed(_) if behind == 0 => 0,
        Clock::SelfTimed(_) => shaken_ps.max(span_ps(network, from, behind).0),
    }
}

/// From the capture of a word until the next may come over a segment.
fn back_ps(four_phase: bool, (request, acknowledge): (u64, u64)) -> u64 {
    match four_phase {
        true => acknowledge + request + acknowledge,
        false => acknowledge,
    }
}

/// How long so many words leave after the first, at least: the third when the first has come over the first segment and
/// been acknowledged, each later one a handshake later.
fn handshakes_ps(wire: &Wire, behind: u64) -> u64 {
    match wire {
        Wire::Plain { .. } => 0,
        Wire::Handshake { .. } if behind < 2 => 0,
        Wire::Handshake {
            four_phase,
            bundling_ps,
            segments,
            ..
        } => {
            let (request, acknowledge) = segments[0];
            let forward = request + bundling_ps;
            let cycle = forward + back_ps(*four_phase, segments[0]);
            forward + acknowledge + (behind - 2) * cycle
        }
    }
}

fn latency_ps(wire: &Wire) -> u64 {
    match wire {
        Wire::Plain { latency_ps, .. } => *latency_ps,
        Wire::Handshake {
            four_phase,
            bundling_ps,
            segments,
            ..
        } => {
            let forward = segments.iter().map(|(request, _)| request + bundling_ps);
            let backward = segments.iter().map(|it| back_ps(*four_phase, *it));
            forward.sum::<u64>() + backward.max().unwrap_or(0)
        }
    }
}

fn unseen_ps(network: &Network, link: &Link, (from, to): (usize, usize)) -> u64 {
    let (sender, receiver) = (clock(network, from), clock(network, to));
    if sender == receiver || matches!(receiver, Clock::SelfTimed(_)) {
        return 0;
    }
    match link.crossing {
        Crossing::Synchronizer { edges: 0 } | Crossing::DualClockFifo { edges: 0, .. } => 0,
        Crossing::Synchronizer { edges } | Crossing::DualClockFifo { edges, .. } => {
            longest_ps(network, to, edges)
        }
        Crossing::Mesochronous { margin_ps } => margin_ps,
        Crossing::Pausible { .. } => waits_ps(network, to),
    }
}

/// The longest time for which a packet under way isn't ready, from the departure of its head or its last word.
fn ready_ps(network: &Network, link: &Link, (from, to): (usize, usize)) -> u64 {
    let unseen = unseen_ps(network, link, (from, to));
    let seen = latency_ps(&link.wire) + unseen;
    if cuts_through(network) {
        return seen;
    }
    let behind = network.router.words as u64 - 1;
    let Wire::Handshake {
        four_phase,
        bundling_ps,
        segments,
        ..
    } = &link.wire
    else {
        let least = |words| span_ps(network, from, words).0;
        let late =
            (1..=behind).map(|words| longest_ps(network, to, words).saturating_sub(least(words)));
        return seen + late.max().unwrap_or(0);
    };
    let takes = longest_ps(network, to, 1);
    let handshakes = segments
        .iter()
        .map(|it| it.0 + bundling_ps + back_ps(*four_phase, *it));
    let slowest = handshakes.max().unwrap_or(0) + unseen + takes;
    seen + takes + behind * slowest - handshakes_ps(&link.wire, behind)
}
