//! Static problems, and what their packets go through.

use super::{network, write};
use flitwork_schedule::method::AnyMethod;
use flitwork_schema::Datum;
use flitwork_steps::named::AnyRule;
use flitwork_topology::{Built, Shape};
use flitwork_traffic::{StaticPacket, TrafficParameters};

/// What packets of static problems go through.
pub(crate) trait Algorithm: Sized {
    /// Its table.
    const TABLE: &'static str;
    /// The command that reads it.
    const COMMAND: &'static str;
    /// The words of every packet, if all have as many.
    const FIXED_WORDS: Option<u16>;

    /// What it is called, and the keys that it reads.
    fn settings(&self) -> (&'static str, Vec<(&'static str, Datum)>);
}

impl Algorithm for AnyRule {
    const TABLE: &'static str = "rule";
    const COMMAND: &'static str = "flitwork route";
    const FIXED_WORDS: Option<u16> = Some(1);

    fn settings(&self) -> (&'static str, Vec<(&'static str, Datum)>) {
        (self.name(), self.settings())
    }
}

impl Algorithm for AnyMethod {
    const TABLE: &'static str = "schedule";
    const COMMAND: &'static str = "flitwork schedule";
    const FIXED_WORDS: Option<u16> = None;

    fn settings(&self) -> (&'static str, Vec<(&'static str, Datum)>) {
        (self.name(), self.settings())
    }
}

/// A static problem, fully described: all packets exist before the first step.
#[derive(Clone, Debug)]
pub struct Problem<A> {
    pub(crate) network: Built,
    pub(crate) traffic: TrafficParameters,
    /// Every packet, those of a node and itself included.
    pub packets: Vec<StaticPacket>,
    /// What all random draws come from.
    pub seed: u64,
    /// What packets go through.
    pub algorithm: A,
}

/// A problem that a rule routes in synchronous steps.
pub type Routing = Problem<AnyRule>;

/// A problem that a method schedules before a run.
pub type Scheduling = Problem<AnyMethod>;

impl<A> Problem<A> {
    /// Nodes and links.
    pub fn shape(&self) -> &Shape {
        &self.network.shape
    }

    /// The topology's name in configurations.
    pub fn topology(&self) -> &'static str {
        self.network.topology
    }

    /// The key that says most about which packets there are.
    pub fn packets_key(&self) -> &'static str {
        let settings = self.traffic.settings(None);
        let keys = ["traffic.file", "traffic.destinations", "traffic.pattern"];
        let is_given = |key: &&str| settings.iter().any(|(name, _)| key.ends_with(name));
        keys.into_iter().find(is_given).unwrap_or("traffic.process")
    }
}

#[expect(private_bounds, reason = "the two algorithms are the crates' own")]
impl<A: Algorithm> Problem<A> {
    /// The full configuration with all defaults. Reading it gives the same problem, with the same directory if it names files.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        write(&mut out, "network", &network::made_by(&self.network));
        let (name, settings) = self.algorithm.settings();
        write(&mut out, &format!("{}.{name}", A::TABLE), &settings);
        write(&mut out, "traffic", &self.traffic.settings(A::FIXED_WORDS));
        let seed = [("seed", Datum::Whole(self.seed.into()))];
        write(&mut out, "run", &seed);
        out
    }
}
