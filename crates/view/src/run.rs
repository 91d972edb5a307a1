//! A run that is shown, as whoever shows it needs it: begun any number of times, from a configuration or a record.

pub use flitwork_debug::Use;
use flitwork_debug::rows::PacketRow;
use flitwork_engine::{Simulation, TimeUnit};
use flitwork_node::AnyProbe;
use flitwork_topology::Shape;

/// A run that is shown.
pub struct Run {
    /// What it is called: its file.
    pub name: String,
    /// What it is, line by line: its router, its network, what drives it.
    pub about: Vec<(String, String)>,
    /// Its whole configuration, as TOML.
    pub configuration: String,
    /// The seed of its random draws.
    pub seed: u64,
    /// Its network's shape.
    pub shape: Shape,
    /// Whether words of a packet go their own ways, so that nodes hold words and not packets.
    pub words_travel_alone: bool,
    /// How it counts time.
    pub unit: TimeUnit,
    /// The time before which it ends, whatever is still under way.
    pub end: u64,
    /// A cycle of the nominal clock in the unit of its time.
    pub cycle_time: u64,
    /// Whether it is a record: then rows of packets don't tell when they were injected in the unit of its time.
    pub is_record: bool,
    /// What makes it.
    pub repeats: Box<dyn Repeats>,
}

/// What makes a run, any number of times.
pub trait Repeats: Send + Sync {
    /// The run before its beginning.
    fn begin(&self, usage: Use, probe: AnyProbe) -> Box<Simulation>;

    /// The rows of all its packets; `None` if `go_on`, which is given the cycle that has been reached, says that it is to
    /// stop.
    ///
    /// # Errors
    /// What the host fails at.
    fn packets(&self, go_on: &mut dyn FnMut(u64) -> bool)
    -> Result<Option<Vec<PacketRow>>, String>;

    /// Where the replay of a record turned out to be another run than the record says, if it did so far.
    fn differs(&self) -> Option<String>;
}
