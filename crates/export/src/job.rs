//! What is to be exported, and what came of it.

use crate::error::ExportError;
use flitwork_debug::Timeline;
use flitwork_debug::language::Filter;
use flitwork_debug::rows::Nodes;

/// How far an export has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Before which time everything has been looked at, in the unit of the run's.
    pub time: u64,
    /// What is in the file so far: changes, stays, events.
    pub count: u64,
}

/// What a file says of the run that it comes from.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// Names and values from which the run can be made again.
    pub provenance: &'a [(String, String)],
    /// Whether each of its packets' words goes its own way.
    pub words_travel_alone: bool,
}

impl About<'_> {
    /// Names and values, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let pairs = self.provenance.iter();
        pairs
            .map(|(name, value)| format!("{name} = {value}"))
            .collect()
    }
}

/// An export that is asked for.
pub struct Job<'a> {
    /// The run, on an engine that knows what nodes hold.
    pub timeline: &'a mut Timeline,
    /// Its nodes.
    pub nodes: &'a Nodes,
    /// Where it comes from.
    pub about: About<'a>,
    /// From which time on, and before which; in the unit of the run's.
    pub times: (u64, u64),
    /// Whether words are events, as they leave and as they arrive.
    pub words: bool,
    /// Which rows are wanted, of those whose columns the format has.
    pub filter: Filter,
    /// The most changes, stays or events that are written.
    pub limit: u64,
    /// Asked now and then: whether to go on.
    pub go_on: &'a mut dyn FnMut(Progress) -> bool,
}

/// A file that has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it holds: changes, stays, events.
    pub count: u64,
    /// Before which time all is in it, in the unit of the run's.
    pub until: u64,
    /// Whether that is all that was asked for: otherwise it was stopped.
    pub is_whole: bool,
}

impl Done {
    /// What a file says of that.
    pub(crate) fn status(&self) -> String {
        match self.is_whole {
            true => "whole".to_owned(),
            false => format!("interrupted: what lies before {}", self.until),
        }
    }
}

impl Job<'_> {
    /// Refuses more than is allowed.
    pub(crate) fn admit(
        &self,
        what: &'static str,
        count: u64,
        before: u64,
    ) -> Result<(), ExportError> {
        match count > self.limit {
            true => Err(ExportError::TooMany {
                what,
                allowed: self.limit,
                before,
            }),
            false => Ok(()),
        }
    }
}
