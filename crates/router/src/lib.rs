//! Routers, one file each, written as hardware: what a node does with the words that arrive.
//!
//! May depend on `node`, `topology` and `types`. Must never know an engine, a traffic pattern, the host's
//! time or a file.
//!
//! ```
//! use flitwork_node::Router;
//! use flitwork_router::chaos::{Any, Chaos, ChaosParameters, WordFlow};
//! use flitwork_topology::{Grid, Topology};
//!
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let parameters = ChaosParameters::chinn_1995(mesh.ports());
//! let packet_words = parameters.packet_words;
//! let router = Chaos::<_, Any<WordFlow>>::new(mesh, parameters, 1);
//! assert_eq!(router.nodes().len(), 16);
//! assert_eq!(router.packet_words(), Some(packet_words));
//! ```

pub mod allocate;
pub mod bits;
pub mod counts;
pub mod exchange;
pub mod lanes;
pub mod parameters;
mod reading;
mod registers;
mod routes;
pub mod routing;

/// Declares the routers' modules, and the table of them.
macro_rules! routers {
    ($($module:ident :: $parameters:ident),+ $(,)?) => {
        $(pub mod $module;)+

        /// Shows every kind of router to a visitor, sorted by name.
        pub fn each_router(visitor: &mut impl Visitor) {
            $(visitor.router::<$module::$parameters>();)+
        }
    };
}

// Every router: its module, and the parameters that describe it. A new router is one line here.
routers! {
    chaos::ChaosParameters,
    deflection::DeflectionParameters,
    greedy_hp::GreedyHpParameters,
    queueing::QueueingParameters,
    scheduled::ScheduleParameters,
    wormhole::RoutedWormhole,
}

/// Visits every kind of router.
pub trait Visitor {
    /// A kind of router.
    fn router<P: parameters::RouterParameters>(&mut self);
}
