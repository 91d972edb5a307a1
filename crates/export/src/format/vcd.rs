//! Value Change Dump, IEEE 1364: text that every waveform viewer reads.

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job};
use crate::wave::{Declare, Play, Shape, Signal, Wave, declare, record, signal_columns};
use flitwork_debug::TimeUnit;
use flitwork_files::NewFile;
use std::io;
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

/// Value Change Dump.
pub(super) static FORMAT: ExportFormat = ExportFormat {
    name: "vcd",
    help: "Value Change Dump: what nodes hold, as text that every waveform viewer reads",
    rows: "signals",
    counted: "changes",
    columns: |nodes, _| signal_columns(nodes),
    needs_words: true,
    goes_back: false,
    write,
};

fn write(job: &mut Job<'_>, mut file: NewFile) -> Result<Done, ExportError> {
    let path = file.path().to_owned();
    let wave = record(job, &path)?;
    let done = wave.done;
    fill(job, wave, &mut file).map_err(ExportError::writing(&path))?;
    file.finish()?;
    Ok(done)
}

impl Declare for Writer<&mut NewFile> {
    type Error = io::Error;
    type Id = IdCode;

    fn scope(&mut self, name: &str, _: &str) -> io::Result<()> {
        self.add_module(name)
    }

    fn signal(&mut self, signal: &Signal) -> io::Result<IdCode> {
        let kind = match signal.shape {
            Shape::Number => VarType::Integer,
            Shape::Bits(_) | Shape::Flag => VarType::Reg,
        };
        self.add_var(kind, signal.width(), &signal.name, None)
    }

    fn constant(&mut self, name: &str) -> io::Result<IdCode> {
        self.add_var(VarType::Parameter, 32, name, None)
    }

    fn up(&mut self) -> io::Result<()> {
        self.upscope()
    }
}

impl Play for Writer<&mut NewFile> {
    type Error = io::Error;
    type Id = IdCode;

    fn time(&mut self, time: u64) -> io::Result<()> {
        self.timestamp(time)
    }

    fn change(&mut self, code: IdCode, width: u32, digits: &[u8]) -> io::Result<()> {
        match width {
            1 => self.change_scalar(code, of_bit(digits[0])),
            _ => self.change_vector(code, digits.iter().map(|digit| of_bit(*digit))),
        }
    }
}

fn fill(job: &Job<'_>, mut wave: Wave, file: &mut NewFile) -> io::Result<()> {
    let from = job.times.0;
    let mut to = Writer::new(file);
    to.version(&format!("flitwork {}", job.about.version))?;
    // What is written in a configuration must not end the comment.
    to.comment(&job.about.lines().join("\n").replace('$', "_"))?;
    to.comment(&format!("flitwork.status = {}", wave.done.status()))?;
    match job.timeline.unit() {
        TimeUnit::Picoseconds => to.timescale(1, TimescaleUnit::PS)?,
        TimeUnit::Cycles | TimeUnit::Steps => to.timescale(1, TimescaleUnit::NS)?,
    }
    let ids = declare(&wave, (job.about.name, job.nodes), &mut to)?;
    to.enddefinitions()?;
    to.timestamp(from)?;
    to.begin(vcd::SimulationCommand::Dumpvars)?;
    wave.begin(from, &ids, &mut to)?;
    to.end()?;
    let until = wave.done.until;
    let now = wave.go_on(from, &ids, &mut to)?;
    if until > now {
        to.timestamp(until)?;
    }
    Ok(())
}

fn of_bit(digit: u8) -> Value {
    match digit {
        b'0' => Value::V0,
        b'1' => Value::V1,
        _ => Value::Z,
    }
}
