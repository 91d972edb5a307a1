//! A network inside another simulator, whose own loop owns the clock: cores read lines from a memory over it.
//!
//! ```text
//!   cores ── requests of 1 word ──▶ ┌─────────┐ ──▶ memory: 20 cycles a line,
//!         ◀── lines of 5 words ──── │ network │ ◀── one after the other
//!                                   └─────────┘
//! ```
//!
//! ```sh
//! cargo run --release --example embed
//! ```

use flitwork_config::Catalogue;
use flitwork_experiment::embed::{Advanced, Delivery, Embedded, embed};
use flitwork_types::{Cycle, TerminalId};
use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

/// The network's configuration. There is no `[traffic]`: packets come from this program.
const CONFIGURATION: &str = r#"
[network]
topology = "mesh"
sides = [4, 4]

[router.wormhole]
"#;

const CORES: [TerminalId; 3] = [TerminalId(0), TerminalId(3), TerminalId(12)];
const MEMORY: TerminalId = TerminalId(10);
const READS_A_CORE: usize = 2;
const MEMORY_CYCLES: u32 = 20;
const REQUEST_WORDS: u16 = 1;
const LINE_WORDS: u16 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}

/// Builds the network from its configuration and runs the system around it.
pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let catalogue = Catalogue::default();
    let resolved = catalogue.resolve_network(CONFIGURATION, "embed", Path::new(""), &[])?;
    let network = embed(&resolved, ())?;
    writeln!(out, "from  to  words  created  delivered  latency  hops")?;
    System::new(network).run(out)
}

/// Everything in the other simulator.
struct System {
    network: Embedded,
    /// Lines that the memory reads, with the cycles in which they are ready.
    reading: VecDeque<(Cycle, TerminalId)>,
    /// How many reads each core still has to make.
    reads_left: [usize; CORES.len()],
    /// Requests that have not been answered.
    waiting: usize,
}

impl System {
    fn new(network: Embedded) -> System {
        System {
            network,
            reading: VecDeque::new(),
            reads_left: [READS_A_CORE; CORES.len()],
            waiting: 0,
        }
    }

    /// The loop: act, let a cycle pass, take what has arrived.
    fn run(mut self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        for core in CORES {
            self.read(core)?;
        }
        while self.waiting > 0 {
            let now = self.network.cycle();
            while let Some((_, core)) = self.reading.pop_front_if(|(ready, _)| *ready <= now) {
                self.network.inject(MEMORY, core, LINE_WORDS)?;
            }
            // With nothing under way, nothing can happen before the memory has finished.
            let next = match (self.network.in_flight(), self.reading.front()) {
                (0, Some((ready, _))) => *ready,
                _ => now + 1,
            };
            if self.network.advance(next) == Advanced::Stuck {
                return Err(format!("deadlock: {:?}", self.network.waits()).into());
            }
            let arrived: Vec<Delivery> = self.network.deliveries().collect();
            for delivery in arrived {
                self.take(&delivery, out)?;
            }
        }
        Ok(())
    }

    /// A core asks for its next line, if it wants another.
    fn read(&mut self, core: TerminalId) -> Result<(), Box<dyn Error>> {
        let number = CORES.iter().position(|it| *it == core);
        let reads_left = &mut self.reads_left[number.ok_or("not a core")?];
        if *reads_left > 0 {
            *reads_left -= 1;
            self.waiting += 1;
            self.network.inject(core, MEMORY, REQUEST_WORDS)?;
        }
        Ok(())
    }

    /// A packet has come out of the network.
    fn take(&mut self, it: &Delivery, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let (from, to, latency) = (it.packet.source.0, it.destination.0, it.latency_cycles());
        writeln!(
            out,
            "{from:4}  {to:2}  {:5}  {:7}  {:9}  {latency:7}  {:4}",
            it.words, it.created, it.delivered, it.hops
        )?;
        if it.destination == MEMORY {
            let last = self
                .reading
                .back()
                .map_or(it.delivered, |(ready, _)| *ready);
            let ready = last.max(it.delivered) + MEMORY_CYCLES;
            self.reading.push_back((ready, it.packet.source));
            return Ok(());
        }
        self.waiting -= 1;
        self.read(it.destination)
    }
}
