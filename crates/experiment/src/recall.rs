//! A run that is looked into: a configuration, which is run again, or a record, which is replayed.

use crate::extras::Extras;
use crate::index::EpochProbe;
use crate::live::replay::Record;
use crate::packets::PacketFile;
use crate::simulate::simulate_with;
use crate::simulation::{self, Parts, Simulation, Use};
use flitwork_config::{
    Catalogue, ConfigError, EngineChoice, FileTexts, Override, Resolved, unread_warning,
};
use flitwork_debug::rows::PacketRow;
use flitwork_engine::{Control, Ended};
use flitwork_files::open_input;
use flitwork_node::AnyProbe;
use flitwork_trace::index::{INDEX_MAGIC, Index, IndexTrailer, InputFile};
use flitwork_types::{Cycle, NodeId, PacketId};
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The first bytes of a record.
const RECORD_MAGIC: [u8; 8] = *b"\x89FLITREC";

/// A run that can be made again.
pub struct Recalled {
    /// Its configuration.
    pub resolved: Resolved,
    /// Its record, if it is a live run.
    record: Option<Arc<Parts>>,
    /// Its index, if it has been opened by that.
    index: Option<Index>,
    /// What changes leave unread of its configuration, in a warning.
    unread_warning: Option<String>,
}

/// Where a run that has been made again first comes to something else than its index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The first cycle of the stretch, and the first after it.
    pub cycles: (u64, u64),
    /// The first node that does something else in it, if that shows in what it counts.
    pub node: Option<NodeId>,
}

/// Why a run can't be looked into.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// Its configuration.
    #[error(transparent)]
    Config(#[from] Box<ConfigError>),
    /// Its file.
    #[error("{0}")]
    File(String),
    /// It is a live run, which is another one each time.
    #[error(
        "{0}: its engine is live, and no two live runs are the same\n  allowed: the record of a live run, as \
         `flitwork run --record` writes it, or another engine, as with --engine sync"
    )]
    Live(String),
    /// Changes to a record.
    #[error(
        "{0}: a record can't be changed; allowed: --set, --seed and --engine with a configuration"
    )]
    Changed(String),
    /// The host.
    #[error(transparent)]
    Host(#[from] io::Error),
}

impl Recalled {
    /// Opens a configuration, with changes to it, or a record. Which of them a file is, its first bytes say.
    ///
    /// # Errors
    /// A [`RecallError`] for what isn't either, or can't be run again.
    pub fn open(
        catalogue: &Catalogue,
        path: &Path,
        changes: &[Override],
    ) -> Result<Recalled, RecallError> {
        let name = path.display().to_string();
        let magic = magic(path);
        match magic {
            INDEX_MAGIC | RECORD_MAGIC if !changes.is_empty() => Err(RecallError::Changed(name)),
            INDEX_MAGIC => Recalled::of_index(catalogue, path, &name),
            RECORD_MAGIC => Recalled::of_record(catalogue, path, &name),
            _ => {
                let read = catalogue.load_with_unread(path, changes);
                let (resolved, unread) = read.map_err(Box::new)?;
                match resolved.run.engine {
                    EngineChoice::Live => Err(RecallError::Live(name)),
                    _ => Ok(Recalled {
                        unread_warning: unread_warning(&unread),
                        ..Recalled::of(resolved)
                    }),
                }
            }
        }
    }

    /// The run of a configuration.
    fn of(resolved: Resolved) -> Recalled {
        Recalled {
            resolved,
            record: None,
            index: None,
            unread_warning: None,
        }
    }

    fn of_record(catalogue: &Catalogue, path: &Path, name: &str) -> Result<Recalled, RecallError> {
        let wrong = |error: &dyn std::fmt::Display| RecallError::File(format!("{name}: {error}"));
        catalogue.inputs().note(path);
        let record = Record::open(path).map_err(|error| wrong(&error))?;
        let configuration = &record.header.configuration;
        let resolved = recorded(catalogue, name, configuration, &record.texts())?;
        record.check(&resolved).map_err(|error| wrong(&error))?;
        let file = Box::new(BufReader::new(open_input(path)?));
        let (_, parts) = Parts::read(file).map_err(|error| wrong(&error))?;
        Ok(Recalled {
            record: Some(Arc::new(parts)),
            ..Recalled::of(resolved)
        })
    }

    fn of_index(catalogue: &Catalogue, path: &Path, name: &str) -> Result<Recalled, RecallError> {
        let wrong = |what: &dyn std::fmt::Display| RecallError::File(format!("{name}: {what}"));
        let file = open_input(path).map_err(|error| wrong(&error))?;
        let index = Index::read(BufReader::new(file)).map_err(|error| wrong(&error))?;
        for file in &index.header.files {
            catalogue.inputs().note(Path::new(&file.path));
            let contents = std::fs::read(&file.path);
            let contents = contents.map_err(|error| wrong(&format!("{}: {error}", file.path)))?;
            if InputFile::of(file.path.clone(), &contents) != *file {
                return Err(wrong(&format!(
                    "{} is no longer the file that the run read: it has {} bytes instead of {}, or different ones",
                    file.path,
                    contents.len(),
                    file.bytes
                )));
            }
        }
        let recalled = match &*index.header.record {
            "" => {
                let configuration = &index.header.configuration;
                let texts = &FileTexts::default();
                Recalled::of(recorded(catalogue, name, configuration, texts)?)
            }
            record => Recalled::of_record(catalogue, Path::new(record), record)?,
        };
        Ok(Recalled {
            index: Some(index),
            ..recalled
        })
    }

    /// The warning of keys of its configuration that changes leave unread.
    pub fn unread_warning(&self) -> Option<&str> {
        self.unread_warning.as_deref()
    }

    /// Its index, if it has been opened by that.
    pub fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// Before which cycle a configuration's run was interrupted, of which this is the index. (A record that was interrupted
    /// has its own end.)
    pub fn interrupted(&self) -> Option<Cycle> {
        let trailer = self.index.as_ref()?.trailer.as_ref()?;
        let is_so = self.record.is_none() && trailer.ended == IndexTrailer::INTERRUPTED;
        is_so.then_some(Cycle(trailer.cycles))
    }

    /// How many epochs, of so many cycles, can be compared with the run made again: of an interrupted run those before its end, since an engine may have
    /// known more, but none if nodes count cycles of their own.
    fn comparable_epochs(&self, epoch_cycles: u32) -> usize {
        match self.interrupted() {
            None => usize::MAX,
            Some(_) if self.resolved.run.engine == EngineChoice::Clocked => 0,
            Some(cycle) => (cycle.get() / epoch_cycles) as usize,
        }
    }

    /// Makes the run again and compares it with its index, if it has one: where they first differ.
    pub fn verify(&self, control: &mut dyn FnMut() -> ControlFlow<()>) -> Option<Differs> {
        let index = self.index.as_ref().filter(|index| index.cut.is_none())?;
        let shape = &self.resolved.network.shape;
        let alone = self.resolved.router.facts().words_travel_alone;
        let probe = AnyProbe::new(EpochProbe::new(shape, alone));
        let (mut again, _) = self.simulation(Use::Events, probe);
        let end = self.end();
        let stride = self.cycle_time().saturating_mul(1 << 12);
        let mut ended = Ended::Deadline;
        while again.now() < end && ended == Ended::Deadline {
            if control().is_break() {
                return None;
            }
            ended = again.advance(again.now().saturating_add(stride).min(end));
        }
        let epochs = again.into_probe().into_probe::<EpochProbe>().into_epochs();
        let (epoch, node) = index.epochs.first_difference(&epochs)?;
        let cycles = index.epochs.epoch_cycles().max(epochs.epoch_cycles());
        if epoch >= self.comparable_epochs(cycles) {
            return None;
        }
        let cycles = u64::from(cycles);
        let first = epoch as u64 * cycles;
        Some(Differs {
            cycles: (first, first + cycles),
            node,
        })
    }

    /// Whether it is a record.
    pub fn is_record(&self) -> bool {
        self.record.is_some()
    }

    /// The run before its beginning. A replay notes where it differs from its record.
    pub fn simulation(
        &self,
        usage: Use,
        probe: AnyProbe,
    ) -> (Box<Simulation>, simulation::Differs) {
        match &self.record {
            None => {
                let simulation = simulation::simulation(&self.resolved, usage, probe);
                (simulation, simulation::Differs::default())
            }
            Some(parts) => simulation::of_record(&self.resolved, parts.clone(), probe),
        }
    }

    /// A configuration's run before its beginning, without a packet.
    pub fn simulation_without(&self, packet: PacketId, probe: AnyProbe) -> Box<Simulation> {
        let mut demand = simulation::ready_demand(&self.resolved);
        demand.workload.leave_out(packet);
        simulation::start(&self.resolved, Use::Views, demand, probe)
    }

    /// The time before which it ends, whatever is still under way: where it was interrupted, if it was. A record has its own
    /// end.
    pub fn end(&self) -> u64 {
        match (&self.record, self.interrupted()) {
            (Some(_), _) => 1 << 40,
            (None, Some(cycle)) => simulation::time_of(&self.resolved, cycle),
            (None, None) => simulation::end(&self.resolved),
        }
    }

    /// A cycle of the nominal clock in the unit of its time.
    pub fn cycle_time(&self) -> u64 {
        match &self.record {
            None => simulation::time_of(&self.resolved, Cycle(1)),
            Some(_) => 1,
        }
    }

    /// The rows of its packets: those that `flitwork run --packets` writes.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub fn packets(&self, control: Control<'_>) -> io::Result<Vec<PacketRow>> {
        if let Some(index) = self.index.as_ref().filter(|index| index.cut.is_none()) {
            let mut rows = index.rows.clone();
            // What an engine had reported ahead when it was interrupted never happened.
            if let Some(end) = self.interrupted() {
                rows.iter_mut().for_each(|row| row.end_before(end));
            }
            return Ok(rows);
        }
        let (file, rows) = PacketFile::to_memory()?;
        let reporter = file.reporter();
        match &self.record {
            None => {
                let extras = Extras {
                    packets: Some(reporter),
                    ..Extras::default()
                };
                drop(simulate_with(&self.resolved, extras, control));
            }
            Some(parts) => {
                let probe = AnyProbe::new(reporter);
                let (mut replay, _) = simulation::of_record(&self.resolved, parts.clone(), probe);
                replay.advance(u64::MAX);
            }
        }
        file.finish("")
            .map_err(|error| io::Error::other(error.to_string()))?;
        Ok(rows.take())
    }
}

/// The configuration in the file of this name, with the texts that are there.
fn recorded(
    catalogue: &Catalogue,
    name: &str,
    text: &str,
    texts: &FileTexts,
) -> Result<Resolved, Box<ConfigError>> {
    let name = format!("{name} (its configuration)");
    let read = catalogue.resolve_recorded(text, &name, texts, &[]);
    read.map(|(resolved, _)| resolved).map_err(Box::new)
}

/// The first bytes of a file. What can't be opened is reported by those who read it.
fn magic(path: &Path) -> [u8; 8] {
    let mut magic = [0; 8];
    let read = open_input(path).and_then(|mut file| file.read_exact(&mut magic));
    read.map_or([0; 8], |()| magic)
}
