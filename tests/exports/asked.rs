//! What is asked of an export, and how it is made.

use flitwork_debug::language::Filter;
use flitwork_debug::rows::Nodes;
use flitwork_debug::{TimeUnit, Timeline};
use flitwork_export::{About, Done, ExportError, ExportFormat, Job, Progress};
use flitwork_files::NewFile;
use flitwork_schema::Part;
use std::path::Path;

/// What is asked of an export beside the run.
pub(crate) struct Asked<'a> {
    pub(crate) format: &'a str,
    pub(crate) times: (u64, u64),
    pub(crate) filter: &'a str,
    pub(crate) words: bool,
    pub(crate) words_travel_alone: bool,
    pub(crate) limit: u64,
}

impl Asked<'_> {
    pub(crate) fn of(format: &str, times: (u64, u64)) -> Asked<'_> {
        Asked {
            format,
            times,
            filter: "",
            words: false,
            words_travel_alone: false,
            limit: u64::MAX,
        }
    }
}

pub(crate) fn export(
    timeline: &mut Timeline,
    nodes: &Nodes,
    asked: &Asked<'_>,
    path: &Path,
) -> Result<Done, ExportError> {
    export_while(timeline, nodes, asked, path, &mut |_| true)
}

pub(crate) fn export_while(
    timeline: &mut Timeline,
    nodes: &Nodes,
    asked: &Asked<'_>,
    path: &Path,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Result<Done, ExportError> {
    let formats = ExportFormat::built_in();
    let format = formats.iter().find(|it| it.name == asked.format).unwrap();
    let columns = (format.columns)(nodes, timeline.unit());
    let filter = match asked.filter {
        "" => Filter::all(),
        text => Filter::parse(text, &columns).unwrap(),
    };
    let provenance = [("flitwork.command".to_owned(), "a \"test\" $end".to_owned())];
    let job = &mut Job {
        timeline,
        nodes,
        about: About {
            name: "a-run",
            version: "0.1.0",
            provenance: &provenance,
            words_travel_alone: asked.words_travel_alone,
        },
        times: asked.times,
        words: asked.words,
        filter,
        limit: asked.limit,
        go_on,
    };
    (format.write)(job, NewFile::create(path).unwrap())
}

/// How many ps a unit of the run's time is in a waveform.
pub(crate) fn unit_ps(unit: TimeUnit) -> u64 {
    match unit {
        TimeUnit::Picoseconds => 1,
        TimeUnit::Cycles | TimeUnit::Steps => 1000,
    }
}
