//! Fast Signal Trace: the compressed waveforms of GTKWave and Surfer.

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job};
use crate::wave::{Declare, Play, Shape, Signal, Wave, declare, record, signal_columns};
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

impl Declare for FstHeaderWriter<&mut NewFile> {
    type Error = FstWriteError;
    type Id = FstSignalId;

    fn scope(&mut self, name: &str, what: &str) -> Result<(), FstWriteError> {
        FstHeaderWriter::scope(self, name, what, FstScopeType::Module)
    }

    fn signal(&mut self, signal: &Signal) -> Result<FstSignalId, FstWriteError> {
        let kind = match signal.shape {
            Shape::Number => FstVarType::Integer,
            Shape::Bits(_) | Shape::Flag => FstVarType::Reg,
        };
        let bits = FstSignalType::bit_vec(signal.width());
        let way = FstVarDirection::Implicit;
        self.var(&signal.name, bits, kind, way, None)
    }

    fn constant(&mut self, name: &str) -> Result<FstSignalId, FstWriteError> {
        let (bits, way) = (FstSignalType::bit_vec(32), FstVarDirection::Implicit);
        self.var(name, bits, FstVarType::Parameter, way, None)
    }

    fn up(&mut self) -> Result<(), FstWriteError> {
        self.up_scope()
    }
}

impl Play for FstBodyWriter<&mut NewFile> {
    type Error = FstWriteError;
    type Id = FstSignalId;

    fn time(&mut self, time: u64) -> Result<(), FstWriteError> {
        if self.size() > BLOCK_BYTES {
            self.flush()?;
        }
        self.time_change(time)
    }

    fn change(&mut self, id: FstSignalId, _: u32, digits: &[u8]) -> Result<(), FstWriteError> {
        self.signal_change(id, digits)
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
    let mut to = FstHeaderWriter::new(file, &info)?;
    let ids = declare(&wave, (job.about.name, job.nodes), &mut to)?;
    let mut to = to.finish()?;
    // Signals are unknown before that.
    to.time_change(from)?;
    wave.begin(from, &ids, &mut to)?;
    let until = wave.done.until;
    let now = wave.go_on(from, &ids, &mut to)?;
    // Something lasts until the end, even if nothing changes.
    to.time_change(until.max(now + 1))?;
    to.finish().map(drop)
}
