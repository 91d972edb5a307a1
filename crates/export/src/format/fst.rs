//! Fast Signal Trace: the compressed waveforms of GTKWave and Surfer.

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job};
use crate::wave::{Declare, Signal, Wave, bits, declare, record, signal_columns};
use flitwork_debug::TimeUnit;
use flitwork_files::NewFile;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use std::io;

/// Fast Signal Trace.
pub(super) static FORMAT: ExportFormat = ExportFormat {
    name: "fst",
    help: "Fast Signal Trace: what nodes hold, compressed, for GTKWave and Surfer",
    rows: "signals",
    counted: "changes",
    columns: |nodes, _| signal_columns(nodes),
    needs_words: true,
    goes_back: true,
    write,
};

/// The changes of a block, in bytes of memory: a reader skips whole blocks.
const BLOCK_BYTES: usize = 32 << 20;

/// The most bytes of the header's text.
const MOST_TEXT: usize = 110;

fn write(job: &mut Job<'_>, mut file: NewFile) -> Result<Done, ExportError> {
    let path = file.path().to_owned();
    let wave = record(job, &path)?;
    let done = wave.done;
    fill(job, wave, &mut file).map_err(|error| ExportError::writing(&path)(system(error)))?;
    file.finish()?;
    Ok(done)
}

/// What the system said.
fn system(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Declares scopes and signals.
struct Declaring<'w> {
    to: FstHeaderWriter<&'w mut NewFile>,
    /// The numbers of signals, by their places.
    numbers: Vec<Option<FstSignalId>>,
    constants: Vec<(FstSignalId, u64)>,
}

impl Declare for Declaring<'_> {
    type Error = FstWriteError;

    fn scope(&mut self, name: &str, what: &str) -> Result<(), FstWriteError> {
        self.to.scope(name, what, FstScopeType::Module)
    }

    fn signal(&mut self, place: usize, signal: &Signal) -> Result<(), FstWriteError> {
        let kind = match signal.shape.is_number() {
            true => FstVarType::Integer,
            false => FstVarType::Reg,
        };
        let bits = FstSignalType::bit_vec(signal.width());
        let way = FstVarDirection::Implicit;
        self.numbers[place] = Some(self.to.var(&signal.name, bits, kind, way, None)?);
        Ok(())
    }

    fn constant(&mut self, name: &str, value: u64) -> Result<(), FstWriteError> {
        let (bits, way) = (FstSignalType::bit_vec(32), FstVarDirection::Implicit);
        let number = self.to.var(name, bits, FstVarType::Parameter, way, None)?;
        self.constants.push((number, value));
        Ok(())
    }

    fn up(&mut self) -> Result<(), FstWriteError> {
        self.to.up_scope()
    }
}

fn fill(job: &Job<'_>, mut wave: Wave, file: &mut NewFile) -> Result<(), FstWriteError> {
    let from = job.times.0;
    let mut version = format!("flitwork {}", job.about.version);
    version.truncate(MOST_TEXT);
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: match job.timeline.unit() {
            TimeUnit::Picoseconds => -12,
            TimeUnit::Cycles | TimeUnit::Steps => -9,
        },
        version,
        // The hour is nothing that a run depends on, and the file has no other place for a remark.
        date: wave.done.status(),
        file_type: FstFileType::Verilog,
    };
    let mut declaring = Declaring {
        to: FstHeaderWriter::new(file, &info)?,
        numbers: vec![None; wave.signals.len()],
        constants: Vec::new(),
    };
    declare(&wave, (job.about.name, job.nodes), &mut declaring)?;
    let Declaring {
        to,
        numbers,
        constants,
    } = declaring;
    let mut to = to.finish()?;
    let mut digits = Vec::new();
    let mut change = |to: &mut FstBodyWriter<_>, number, value| {
        bits(value, &mut digits);
        to.signal_change(number, &digits)
    };
    // Signals are unknown before that.
    to.time_change(from)?;
    for (number, value) in constants {
        change(&mut to, number, Some(value))?;
    }
    for (number, value) in numbers.iter().zip(wave.first(from)?) {
        if let Some(number) = number {
            change(&mut to, *number, value)?;
        }
    }
    let mut now = from;
    for it in wave.changes {
        let it = it?;
        if it.time > now {
            if to.size() > BLOCK_BYTES {
                to.flush()?;
            }
            now = it.time;
            to.time_change(now)?;
        }
        if let Some(number) = numbers[it.signal as usize] {
            change(&mut to, number, it.value)?;
        }
    }
    // Something lasts until the end, even if nothing changes.
    to.time_change(wave.done.until.max(now + 1))?;
    to.finish().map(drop)
}
