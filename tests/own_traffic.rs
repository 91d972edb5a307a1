//! A pattern and a process from outside: declared here, added to the tables, and run from a configuration like
//! those that the program comes with.

use flitwork_experiment::catalogue::groups;
use flitwork_experiment::config::{Catalogue, ConfigError, Resolved};
use flitwork_experiment::simulate::simulate;
use flitwork_schema::{Allowed, Datum, Entry, Given, Key, Parts, Refusal, entries, key, written};
use flitwork_topology::Topology;
use flitwork_traffic::{
    AnyProcess, Around, Arrivals, BernoulliParameters, Birth, Draws, Lengths, Next, Pattern,
    PatternEntry, PatternError, PatternParameters, ProcessEntry, ProcessParameters, ReadySources,
    Site, Workload,
};
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;
use std::path::Path;

/// Everybody sends so many nodes further, around the end.
#[derive(Clone, Debug, Default, PartialEq)]
struct Further {
    by_nodes: u32,
}

struct Shift {
    by: u32,
    nodes: u32,
}

impl Pattern for Shift {
    fn destination(&self, source: NodeId, _: &mut Draws) -> Option<NodeId> {
        (!self.silent(source)).then_some(NodeId((source.0 + self.by) % self.nodes))
    }

    fn silent(&self, _: NodeId) -> bool {
        self.by.is_multiple_of(self.nodes)
    }
}

impl PatternParameters for Further {
    const NAME: &'static str = "further";
    const HELP: &'static str = "so many nodes further, around the end";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Further>] = &[
        key("by_nodes", |it| &mut it.by_nodes, Allowed::Whole(1, 1000), "required for further", "how much further; further only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        if self.by_nodes == 0 {
            return Err(PatternError::Missing {
                pattern: Self::NAME,
                parameter: "by_nodes",
            });
        }
        Ok(Box::new(Shift {
            by: self.by_nodes,
            nodes: topology.nodes(),
        }))
    }
}

/// Every source makes a packet every so many cycles.
#[derive(Clone, Debug, PartialEq)]
struct Ticks {
    every_cycles: u32,
}

#[rustfmt::skip]
const TICKS: &[Key<Ticks>] = &[
    key("every_cycles", |it| &mut it.every_cycles, Allowed::Whole(1, 1000), "10", "cycles from a packet of a source to the next; ticks only"),
];

struct Ticking {
    every: u32,
    until: Cycle,
    pattern: Box<dyn Pattern>,
    words: u16,
    /// By source: the cycle of its next packet.
    next: Vec<Cycle>,
}

impl Workload for Ticking {
    fn next(&mut self, node: NodeId, _: Cycle) -> Next {
        let mut draws = Draws::new(0, node);
        let destination = self.pattern.destination(node, &mut draws);
        let (Some(created), Some(destination)) = (self.next.get_mut(node.index()), destination)
        else {
            return Next::Never;
        };
        if *created >= self.until {
            return Next::Never;
        }
        let birth = Birth {
            created: *created,
            destination,
            words: self.words,
            class: 0,
        };
        *created += self.every;
        Next::Packet(birth)
    }

    fn sources(&self) -> Vec<NodeId> {
        let nodes = (0..self.next.len() as u32).map(NodeId);
        nodes.filter(|node| !self.pattern.silent(*node)).collect()
    }
}

impl ProcessParameters for Ticks {
    const NAME: &'static str = "ticks";
    const HELP: &'static str = "a packet of every source every so many cycles";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;

    fn keys(_: &Parts) -> Vec<Entry> {
        entries(TICKS)
    }

    fn read(given: &Given<'_>, _: &Lengths, _: &Around<'_>) -> Result<Ticks, Refusal> {
        let mut ticks = Ticks { every_cycles: 10 };
        given.set(TICKS, &mut ticks);
        Ok(ticks)
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        written(TICKS, self)
    }

    fn sources(&self, site: &Site<'_>) -> ReadySources {
        let workload = Ticking {
            every: self.every_cycles,
            until: site.until,
            pattern: site.pattern(),
            words: site.lengths.most_words(),
            next: vec![Cycle::ZERO; site.nodes() as usize],
        };
        workload.into()
    }

    fn mean_load(&self) -> Option<f64> {
        Some(1.0 / f64::from(self.every_cycles))
    }
}

fn catalogue() -> Catalogue {
    let parts = Parts::new()
        .with(PatternEntry::of::<Further>())
        .with(ProcessEntry::of::<Ticks>());
    Catalogue::new(parts)
}

fn text(traffic: &str, run: &str) -> String {
    format!(
        "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.wormhole]\n[traffic]\n{traffic}\n\
         [run]\nwarmup_cycles = 100\nmeasure_cycles = 400\n{run}\n"
    )
}

fn resolve(traffic: &str, run: &str) -> Result<Resolved, ConfigError> {
    let text = text(traffic, run);
    catalogue().resolve(&text, "own.toml", Path::new(""), &[])
}

const OWN: &str = "process = \"ticks\"\nevery_cycles = 20\npattern = \"further\"\nby_nodes = 5";

#[test]
fn own_traffic_runs_from_a_configuration_on_every_engine() {
    let mut digests = Vec::new();
    for engine in ["sync-plain", "sync-stepped", "sync", "clocked"] {
        let resolved = resolve(OWN, &format!("engine = \"{engine}\"")).unwrap();
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        // 16 nodes, a packet each in cycles 0, 20, … 480: 25 times.
        let seen = &run.observation;
        assert_eq!((seen.injected, seen.delivered), (400, 400), "{engine}");
        digests.push(run.digest);
    }
    assert!(digests.iter().all(|it| *it == digests[0]), "{digests:?}");
    // Another key is another run.
    let other = resolve(&OWN.replace('5', "3"), "").unwrap();
    let run = simulate(&other, &mut |_| ControlFlow::Continue(()));
    assert_ne!(run.digest, digests[0]);
}

#[test]
fn own_traffic_is_written_out_and_reads_back() {
    let resolved = resolve(OWN, "").unwrap();
    let written = resolved.to_toml();
    let table = "[traffic]\npacket_words = 4\nprocess = \"ticks\"\nevery_cycles = 20\n\
                 pattern = \"further\"\nby_nodes = 5\n";
    assert!(written.contains(table), "{written}");
    let again = catalogue().resolve(&written, "own.toml", Path::new(""), &[]);
    assert_eq!(again.unwrap(), resolved);
    assert_eq!(
        resolved.traffic.process.get(),
        Some(&Ticks { every_cycles: 20 })
    );
    // The small networks by which memory is estimated carry about as much.
    let small = resolved.traffic.process.small(2.0, 100);
    assert_eq!(small, AnyProcess::from(BernoulliParameters { load: 0.1 }));
}

#[test]
fn own_keys_are_checked_and_explained_as_all_others() {
    let message = |traffic: &str| resolve(traffic, "").unwrap_err().to_string();
    let found = message("process = \"ticks\"\npattern = \"further\"");
    assert!(found.contains("traffic.by_nodes is missing"), "{found}");
    assert!(found.contains("how much further"), "{found}");
    let found = message(&OWN.replace("20", "0"));
    assert!(found.contains("traffic.every_cycles is 0"), "{found}");
    let found = message("load = 0.1\nevery_cycles = 3");
    let expected = "nothing with traffic.process = \"bernoulli\": only \"ticks\" reads it";
    assert!(found.contains(expected), "{found}");
    let found = message("load = 0.1\nby_nodes = 3");
    assert!(
        found.contains("by_nodes belongs to pattern = \"further\""),
        "{found}"
    );
    let found = message("process = \"tick\"");
    assert!(found.contains("did you mean \"ticks\"?"), "{found}");
    let found = message("process = \"once\"");
    let expected =
        "only traffic.process = \"bernoulli\", \"modulated\", \"on-off\", \"phases\" or \"ticks\"";
    assert!(found.contains(expected), "{found}");
    let in_phases = "process = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"further\"\n\
                     by_nodes = 3";
    assert!(resolve(in_phases, "").is_ok());
}

#[test]
fn own_parts_are_listed_and_only_where_they_were_added() {
    let listed = |catalogue: &Catalogue, group: &str, name: &str| {
        let groups = groups(catalogue);
        let group = groups.iter().find(|it| it.name == group).unwrap();
        group.entries.iter().any(|entry| entry.0 == name)
    };
    for (group, name) in [("patterns", "further"), ("processes", "ticks")] {
        assert!(listed(&catalogue(), group, name));
        assert!(!listed(&Catalogue::default(), group, name));
    }
    let text = text(OWN, "");
    let usual = Catalogue::default().resolve(&text, "own.toml", Path::new(""), &[]);
    let message = usual.unwrap_err().to_string();
    assert!(
        message.contains("unknown key traffic.by_nodes"),
        "{message}"
    );
}
