//! The network of a configuration, driven by another program.

use crate::around::around;
use crate::chosen::{Use, chosen};
use flitwork_config::{EngineChoice, Resolved};
pub use flitwork_engine::{Advanced, Delivery, Embedded, InjectError};
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Probe};
use flitwork_router::parameters::Takes;
use flitwork_topology::Topology;

/// A configuration whose network cannot be embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Its engine has no clock that all nodes share.
    #[error(
        "run.engine is {0:?}, and an embedded network has one clock: sync, sync-stepped or sync-plain"
    )]
    Engine(&'static str),
    /// Its router takes only packets that are known before the run.
    #[error("router.{0} is built for packets that are known before the run")]
    Router(&'static str),
}

/// Embeds the network of a configuration, observed by `probe`. It is driven in the fastest way that its engine
/// (`sync`, `sync-stepped` or `sync-plain`) and its router allow; its traffic and the length of its run are not
/// used.
///
/// # Errors
/// An [`EmbedError`] for other engines, and for routers that are built for their packets.
///
/// ```
/// use flitwork_config::Catalogue;
/// use flitwork_experiment::embed::{Advanced, embed};
/// use flitwork_types::{Cycle, TerminalId};
/// use std::path::Path;
///
/// let text = "
///     [network]
///     topology = \"mesh\"
///     sides = [4, 4]
///     [router.wormhole]
/// ";
/// let resolved = Catalogue::default().resolve_network(text, "embedded", Path::new(""), &[]).unwrap();
/// let mut network = embed(&resolved, ()).unwrap();
/// network.inject(TerminalId(0), TerminalId(15), 5).unwrap();
/// assert_eq!(network.advance(Cycle(1000)), Advanced::Reached);
/// assert_eq!(network.deliveries().count(), 1);
/// ```
pub fn embed<P>(resolved: &Resolved, probe: P) -> Result<Embedded<P>, EmbedError>
where
    P: Probe + Send + 'static,
{
    if resolved.router.facts().takes != Takes::Any {
        return Err(EmbedError::Router(resolved.router.name()));
    }
    if let engine @ (EngineChoice::Clocked | EngineChoice::Live) = resolved.run.engine {
        return Err(EmbedError::Engine(engine.name()));
    }
    let around = around(resolved).without_packets();
    let start = |demand: Demand, probe: AnyProbe| {
        let start = chosen(&around, Use::Events, &demand, &probe);
        start(demand, probe)
    };
    let terminals = resolved.network.shape.terminals();
    Ok(Embedded::new(terminals, start, probe))
}
