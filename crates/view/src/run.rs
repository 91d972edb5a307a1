//! A run that is shown, as whoever shows it needs it: begun any number of times, from a configuration or a record.

pub use flitwork_debug::Use;
use flitwork_debug::rows::PacketRow;
use flitwork_engine::{Simulation, TimeUnit};
use flitwork_node::AnyProbe;
use flitwork_topology::Shape;

/// A run that can be made any number of times.
pub trait Run: Send + Sync {
    /// What it is called: its file.
    fn name(&self) -> String;

    /// What it is, line by line: its router, its network, what drives it.
    fn about(&self) -> Vec<(String, String)>;

    /// Its whole configuration, as TOML.
    fn configuration(&self) -> String;

    /// Its network's shape.
    fn shape(&self) -> &Shape;

    /// Whether words of a packet go their own ways, so that nodes hold words and not packets.
    fn words_travel_alone(&self) -> bool;

    /// The run before its beginning.
    fn begin(&self, usage: Use, probe: AnyProbe) -> Box<Simulation>;

    /// How it counts time.
    fn unit(&self) -> TimeUnit;

    /// The time before which it ends, whatever is still under way.
    fn end(&self) -> u64;

    /// A cycle of the nominal clock in the unit of its time.
    fn cycle_time(&self) -> u64;

    /// Whether it is a record: then rows of packets don't tell when they were injected in the unit of its time.
    fn is_record(&self) -> bool;

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
