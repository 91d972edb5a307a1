//! A traffic pattern and a process from another crate: they register themselves, and every command of the program knows
//! them.
//!
//! ```sh
//! cargo run --release --example own_traffic -- run examples/own_traffic.toml
//! ```

use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::Topology;
use flitwork_traffic::{
    Arrivals, Birth, Draws, Lengths, Offer, Pattern, PatternEntry, PatternError, PatternParameters,
    ProcessEntry, ProcessParameters, ReadContext, ReadySources, RunContext, Workload,
};
use flitwork_types::{Cycle, TerminalId};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, with these two.
pub(crate) fn parts() -> Parts {
    Parts::new()
        .with(PatternEntry::of::<Further>())
        .with(ProcessEntry::of::<Ticks>())
}

/// Every node sends to the node a fixed number further on, wrapping around.
#[derive(Clone, Debug, Default, PartialEq)]
struct Further {
    by_nodes: u32,
}

struct Shift {
    by: u32,
    terminals: u32,
}

impl Pattern for Shift {
    fn destination(&self, source: TerminalId, _: &mut Draws) -> Option<TerminalId> {
        (!self.silent(source)).then_some(TerminalId((source.0 + self.by) % self.terminals))
    }

    fn silent(&self, _: TerminalId) -> bool {
        self.by.is_multiple_of(self.terminals)
    }
}

impl PatternParameters for Further {
    const NAME: &'static str = "further";
    const HELP: &'static str = "a fixed number of nodes further on, wrapping around";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Further>] = &[
        key("by_nodes", |it| &mut it.by_nodes, Allowed::Whole(1, 1000), "required for further", "how much further; further only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        if self.by_nodes == 0 {
            return Err(Self::missing("by_nodes"));
        }
        Ok(Box::new(Shift {
            by: self.by_nodes,
            terminals: topology.terminals(),
        }))
    }
}

/// Every source creates a packet every `every_cycles` cycles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) every_cycles: u32,
}

#[derive(Clone)]
struct Ticking {
    every: u32,
    until: Cycle,
    pattern: Arc<dyn Pattern>,
    words: u16,
    /// By source: the cycle of its next packet.
    next: Vec<Cycle>,
}

impl Workload for Ticking {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let mut draws = Draws::new(0, source);
        let destination = self.pattern.destination(source, &mut draws);
        let (Some(created), Some(destination)) = (self.next.get_mut(source.index()), destination)
        else {
            return Offer::Never;
        };
        if *created >= self.until {
            return Offer::Never;
        }
        let birth = Birth {
            created: *created,
            destination,
            words: self.words,
            class: 0,
        };
        *created += self.every;
        Offer::Packet(birth)
    }

    fn sources(&self) -> Vec<TerminalId> {
        let all = (0..self.next.len() as u32).map(TerminalId);
        all.filter(|it| !self.pattern.silent(*it)).collect()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

impl ProcessParameters for Ticks {
    const NAME: &'static str = "ticks";
    const HELP: &'static str = "a packet from every source every few cycles";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;
    #[rustfmt::skip]
    const KEYS: &'static [Key<Ticks>] = &[
        key("every_cycles", |it| &mut it.every_cycles, Allowed::Whole(1, 1000), "10", "cycles from a packet of a source to the next; ticks only"),
    ];

    fn read(given: &RawTable<'_>, _: &Lengths, _: &ReadContext<'_>) -> Result<Ticks, Refusal> {
        let mut ticks = Ticks { every_cycles: 10 };
        given.set(Self::KEYS, &mut ticks);
        Ok(ticks)
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let workload = Ticking {
            every: self.every_cycles,
            until: context.until,
            pattern: context.pattern().into(),
            words: context.lengths.most_words(),
            next: vec![Cycle::ZERO; context.terminals() as usize],
        };
        workload.into()
    }

    fn mean_load(&self) -> Option<f64> {
        Some(1.0 / f64::from(self.every_cycles))
    }
}
