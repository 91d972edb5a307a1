//! Value Change Dump, IEEE 1364: text that every waveform viewer reads.

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job};
use crate::wave::{Declare, Signal, Wave, bits, declare, record, signal_columns};
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

/// Declares scopes and signals.
struct Declaring<'w> {
    to: Writer<&'w mut NewFile>,
    /// The codes of signals, by their places.
    codes: Vec<Option<IdCode>>,
    constants: Vec<(IdCode, u64)>,
}

impl Declare for Declaring<'_> {
    type Error = io::Error;

    fn scope(&mut self, name: &str, _: &str) -> io::Result<()> {
        self.to.add_module(name)
    }

    fn signal(&mut self, place: usize, signal: &Signal) -> io::Result<()> {
        let kind = match signal.shape.is_number() {
            true => VarType::Integer,
            false => VarType::Reg,
        };
        let code = self.to.add_var(kind, signal.width(), &signal.name, None)?;
        self.codes[place] = Some(code);
        Ok(())
    }

    fn constant(&mut self, name: &str, value: u64) -> io::Result<()> {
        let code = self.to.add_var(VarType::Parameter, 32, name, None)?;
        self.constants.push((code, value));
        Ok(())
    }

    fn up(&mut self) -> io::Result<()> {
        self.to.upscope()
    }
}

fn fill(job: &Job<'_>, mut wave: Wave, file: &mut NewFile) -> io::Result<()> {
    let from = job.times.0;
    let mut to = Writer::new(file);
    to.version(&format!("flitwork {}", job.about.version))?;
    let provenance = job.about.provenance.iter();
    let lines: Vec<String> = provenance
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    // What is written in a configuration must not end the comment.
    to.comment(&lines.join("\n").replace('$', "_"))?;
    to.comment(&format!("flitwork.status = {}", wave.done.status()))?;
    match job.timeline.unit() {
        TimeUnit::Picoseconds => to.timescale(1, TimescaleUnit::PS)?,
        TimeUnit::Cycles | TimeUnit::Steps => to.timescale(1, TimescaleUnit::NS)?,
    }
    let mut declaring = Declaring {
        to,
        codes: vec![None; wave.signals.len()],
        constants: Vec::new(),
    };
    declare(&wave, (job.about.name, job.nodes), &mut declaring)?;
    let Declaring {
        mut to,
        codes,
        constants,
    } = declaring;
    to.enddefinitions()?;
    let mut digits = Vec::new();
    let mut change = |to: &mut Writer<&mut NewFile>, code: IdCode, width: u32, value| {
        bits(value, &mut digits);
        if width == 1 {
            return to.change_scalar(code, of_bit(digits[0]));
        }
        to.change_vector(code, digits.iter().map(|digit| of_bit(*digit)))
    };
    let mut now = from;
    to.timestamp(now)?;
    to.begin(vcd::SimulationCommand::Dumpvars)?;
    for (code, value) in constants {
        change(&mut to, code, 32, Some(value))?;
    }
    let first = wave.first(from)?;
    for ((signal, code), value) in wave.signals.iter().zip(&codes).zip(first) {
        if let Some(code) = code {
            change(&mut to, *code, signal.width(), value)?;
        }
    }
    to.end()?;
    for it in wave.changes {
        let it = it?;
        if it.time > now {
            now = it.time;
            to.timestamp(now)?;
        }
        let place = it.signal as usize;
        if let Some(code) = codes[place] {
            change(&mut to, code, wave.signals[place].width(), it.value)?;
        }
    }
    if wave.done.until > now {
        to.timestamp(wave.done.until)?;
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
