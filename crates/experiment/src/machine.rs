//! A configuration's network, built, and handed to whoever drives it.

use crate::config::{EngineChoice, Resolved, RoutedWormhole, RouterParameters, ScheduleParameters};
use crate::exchange::Exchange;
use crate::workload::load;
use flitwork_engine::Posted;
use flitwork_network::Network;
use flitwork_node::{Datapath, Posting, Stepped, Streamed};
use flitwork_router::chaos::{Any, Chaos, ChaosParameters, Counted, Plane, Stamped};
use flitwork_router::deflection::Deflection;
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_router::routing::build_routing;
use flitwork_router::scheduled::{Request, Schedule, Scheduled, one_bend};
use flitwork_router::wormhole::{self, Wormhole};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::Next;
use flitwork_types::Cycle;

/// Somebody who drives a network of whatever router word by word.
pub(crate) trait Driver {
    /// What comes of it.
    type Outcome;

    /// Drives it.
    fn drive<R>(self, network: Network<Grid, R>) -> Self::Outcome
    where
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static;
}

/// Somebody who drives a network of whatever router by time stamps.
pub(crate) trait StreamedDriver {
    /// What comes of it.
    type Outcome;

    /// Drives it.
    fn drive_streamed<R>(self, network: Network<Grid, R>) -> Self::Outcome
    where
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static;
}

/// Somebody who drives a network of whatever router by mail that is posted ahead.
pub(crate) trait PostingDriver {
    /// What comes of it.
    type Outcome;

    /// Drives it; the engine takes the network ([`Posted::takes`]).
    fn drive_posting<R>(self, network: Network<Grid, R>) -> Self::Outcome
    where
        R: Posting + Send + Sync + 'static,
        R::Node: 'static;
}

/// Whether the small shape of a Chaos node is large enough.
fn is_small(grid: &Grid, parameters: &ChaosParameters) -> bool {
    grid.ports() <= 4 && parameters.multiqueue_frames <= 5
}

/// A configuration's network with a router.
fn network<R>(resolved: &Resolved, router: R) -> Network<Grid, R> {
    Network {
        topology: resolved.network.grid.clone(),
        router,
        link_latency_cycles: resolved.network.link_latency_cycles,
    }
}

/// What words do in the hardware of a configuration's router, where it says so.
pub(crate) fn datapath(resolved: &Resolved) -> Option<Datapath> {
    struct Ask;
    impl Driver for Ask {
        type Outcome = Option<Datapath>;

        fn drive<R: Stepped>(self, network: Network<Grid, R>) -> Option<Datapath> {
            network.router.datapath()
        }
    }
    match &resolved.router {
        // Its datapath doesn't hang on its packets.
        RouterParameters::Scheduled(_) => Ask.drive(scheduled(resolved, &[])),
        _ => drive(resolved, Ask),
    }
}

/// Cycles after which a configuration's network in which no head has left a node, and no packet entered or
/// arrived, will never move again by itself; `None` where packets wait for nothing but their time, or never
/// wait.
pub(crate) fn patience_cycles(resolved: &Resolved) -> Option<u32> {
    /// Words of the longest packet.
    struct Ask(u32);
    impl Driver for Ask {
        type Outcome = u32;

        fn drive<R: Stepped>(self, network: Network<Grid, R>) -> u32 {
            // The last heads' words may share links with those of all other channels.
            let words = 2 * u32::from(network.router.channels()) * self.0;
            let patience = network.router.patience_cycles();
            let latency = network.link_latency_cycles;
            patience.saturating_add(latency).saturating_add(words)
        }
    }
    if let RouterParameters::Scheduled(_) | RouterParameters::Deflection(_) = &resolved.router {
        return None;
    }
    let patience = drive(resolved, Ask(resolved.packet_words().into()));
    Some(match (resolved.run.engine, resolved.live.slack.0) {
        // A slow clock's cycles are longer than those of the nominal one, by which a run is counted.
        (EngineChoice::Clocked, _) => {
            let clocks = resolved.clocks();
            let crosses = (1..clocks.domains.len()).any(|domain| !clocks.share(0, domain as u32));
            let edges = if crosses {
                clocks.links.synchronizer_edges
            } else {
                0
            };
            let patience = patience.saturating_add(edges);
            patience.saturating_mul(clocks.longest_cycle())
        }
        // The host's timing comes on top.
        (EngineChoice::Live, slack) if slack != Some(0) => {
            patience.saturating_mul(4).saturating_add(STILL_CYCLES)
        }
        _ => patience,
    })
}

/// Cycles in which nothing has moved before a network that free-runs is called stuck, beside what its nodes
/// can wait.
const STILL_CYCLES: u32 = 1000;

/// Builds the network of a configuration word by word and hands it to a driver.
pub(crate) fn drive<D: Driver>(resolved: &Resolved, driver: D) -> D::Outcome {
    drive_timed(resolved, driver, |chaos| Exchange::of(resolved, chaos))
}

/// The same on an engine whose links are timed otherwise than the configuration says; `exchange` tells whether
/// neighbours can block each other then.
pub(crate) fn drive_timed<D: Driver>(
    resolved: &Resolved,
    driver: D,
    exchange: impl FnOnce(&ChaosParameters) -> Exchange,
) -> D::Outcome {
    let grid = resolved.network.grid.clone();
    let seed = resolved.run.seed;
    match &resolved.router {
        RouterParameters::Chaos(parameters) if is_small(&grid, parameters) => {
            let rule = exchange(parameters).stall_rule();
            let router = Chaos::<_, Plane<Counted>>::new(grid, parameters.clone(), seed)
                .with_stall_rule(rule);
            driver.drive(network(resolved, router))
        }
        RouterParameters::Chaos(parameters) => {
            let rule = exchange(parameters).stall_rule();
            let router =
                Chaos::<_, Any<Counted>>::new(grid, parameters.clone(), seed).with_stall_rule(rule);
            driver.drive(network(resolved, router))
        }
        RouterParameters::GreedyHp => driver.drive(network(resolved, GreedyHp::new(grid, seed))),
        RouterParameters::Wormhole(wormhole) => drive_wormhole(resolved, wormhole, driver),
        RouterParameters::Deflection(parameters) => {
            let router = Deflection::new(grid, parameters.clone(), seed);
            driver.drive(network(resolved, router))
        }
        RouterParameters::Scheduled(ScheduleParameters::OneBend) => {
            driver.drive(scheduled(resolved, &requests(resolved)))
        }
        RouterParameters::Scheduled(ScheduleParameters::File(from)) => {
            let latency = resolved.network.link_latency_cycles;
            let schedule = Schedule::new(&grid, latency, from.routes.clone());
            let schedule =
                schedule.unwrap_or_else(|error| panic!("a schedule that was checked: {error}"));
            driver.drive(network(resolved, Scheduled::new(grid, schedule)))
        }
    }
}

/// The packets that a configuration's sources have in cycle 0.
fn requests(resolved: &Resolved) -> Vec<Request> {
    let mut workload = load(resolved).workload;
    let mut requests = Vec::new();
    for source in workload.sources() {
        while let Next::Packet(birth) = workload.next(source, Cycle::ZERO) {
            requests.push(Request {
                source,
                destination: birth.destination,
                words: birth.words,
            });
        }
    }
    requests
}

/// A configuration's network of scheduled worms, with a schedule of some packets.
fn scheduled(resolved: &Resolved, requests: &[Request]) -> Network<Grid, Scheduled<Grid>> {
    let grid = resolved.network.grid.clone();
    let schedule = one_bend(&grid, resolved.network.link_latency_cycles, requests);
    let schedule =
        schedule.unwrap_or_else(|error| panic!("a schedule made for these packets: {error}"));
    network(resolved, Scheduled::new(grid, schedule))
}

fn drive_wormhole<D: Driver>(
    resolved: &Resolved,
    wormhole: &RoutedWormhole,
    driver: D,
) -> D::Outcome {
    let ports = resolved.network.grid.ports() + 1;
    if wormhole::Plane::fits(ports, &wormhole.parameters) {
        driver.drive(wormhole_network::<wormhole::Plane>(resolved, wormhole))
    } else {
        driver.drive(wormhole_network::<wormhole::Any>(resolved, wormhole))
    }
}

/// A configuration's network of wormhole routers, of nodes of a shape.
fn wormhole_network<N>(
    resolved: &Resolved,
    wormhole: &RoutedWormhole,
) -> Network<Grid, Wormhole<Grid, N>> {
    let grid = resolved.network.grid.clone();
    let routing = build_routing(&wormhole.routing, &grid)
        .unwrap_or_else(|error| panic!("a resolved configuration's routing: {error}"));
    let router = Wormhole::new(grid, wormhole.parameters.clone(), routing);
    network(resolved, router)
}

/// Builds the network of a configuration by mail and hands it to a driver; gives the driver back where the
/// router posts nothing ahead, or the network is too much for the engine.
pub(crate) fn drive_posting<D: PostingDriver>(
    resolved: &Resolved,
    driver: D,
) -> Result<D::Outcome, D> {
    let RouterParameters::Wormhole(wormhole) = &resolved.router else {
        return Err(driver);
    };
    let ports = resolved.network.grid.ports() + 1;
    if wormhole::Narrow::fits(ports, &wormhole.parameters) {
        let network = wormhole_network::<wormhole::Narrow>(resolved, wormhole);
        post(network, driver)
    } else if wormhole::Plane::fits(ports, &wormhole.parameters) {
        let network = wormhole_network::<wormhole::Plane>(resolved, wormhole);
        post(network, driver)
    } else {
        Err(driver)
    }
}

/// Hands a network to a driver, if its engine takes it.
fn post<R, D>(network: Network<Grid, R>, driver: D) -> Result<D::Outcome, D>
where
    R: Posting + Send + Sync + 'static,
    R::Node: 'static,
    D: PostingDriver,
{
    match Posted::<_, _, ()>::takes(&network) {
        true => Ok(driver.drive_posting(network)),
        false => Err(driver),
    }
}

/// Builds the network of a configuration by time stamps and hands it to a driver; gives the driver back
/// where the router can only be driven word by word.
pub(crate) fn drive_streamed<D: StreamedDriver>(
    resolved: &Resolved,
    driver: D,
) -> Result<D::Outcome, D> {
    let grid = resolved.network.grid.clone();
    let seed = resolved.run.seed;
    Ok(match &resolved.router {
        RouterParameters::Chaos(parameters) if is_small(&grid, parameters) => {
            let rule = Exchange::of(resolved, parameters).stall_rule();
            let router = Chaos::<_, Plane<Stamped>>::new(grid, parameters.clone(), seed)
                .with_stall_rule(rule);
            driver.drive_streamed(network(resolved, router))
        }
        RouterParameters::Chaos(parameters) => {
            let rule = Exchange::of(resolved, parameters).stall_rule();
            let router =
                Chaos::<_, Any<Stamped>>::new(grid, parameters.clone(), seed).with_stall_rule(rule);
            driver.drive_streamed(network(resolved, router))
        }
        RouterParameters::GreedyHp => {
            driver.drive_streamed(network(resolved, GreedyHp::new(grid, seed)))
        }
        RouterParameters::Wormhole(_)
        | RouterParameters::Deflection(_)
        | RouterParameters::Scheduled(_) => return Err(driver),
    })
}

/// Bytes of a node that the engine leaves untouched until a packet comes to it.
pub(crate) fn untouched_bytes_a_node(resolved: &Resolved) -> u64 {
    struct Ask;
    impl StreamedDriver for Ask {
        type Outcome = usize;

        fn drive_streamed<R>(self, _: Network<Grid, R>) -> usize
        where
            R: Streamed + Send + Sync + 'static,
            R::Node: 'static,
        {
            size_of::<R::Node>()
        }
    }
    // Its nodes begin as zeroed memory.
    let is_zeroed = matches!(resolved.router, RouterParameters::Chaos(_));
    if resolved.run.engine != EngineChoice::Sync || !is_zeroed {
        return 0;
    }
    drive_streamed(resolved, Ask).map_or(0, |bytes| bytes as u64)
}
