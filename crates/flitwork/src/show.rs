//! The end of a run: its results, printed and written.

use crate::exit::{Exit, FINE, INTERRUPTED, NETWORK_FAILED, complain, print_found};
use crate::program::provenance;
use flitwork_config::Resolved;
use flitwork_experiment::hardware::StoppedNodes;
use flitwork_experiment::intervals::OverTime;
use flitwork_experiment::simulate::Simulated;
use flitwork_report::Formats;
use flitwork_results::{FailureKind, Results, Status, ends_apart};
use flitwork_types::Cycle;
use std::path::Path;

/// How results are shown.
pub(crate) struct Show<'a> {
    /// The folder to write files to.
    pub(crate) out: Option<&'a Path>,
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// What tables are written in.
    pub(crate) formats: &'a Formats,
    /// Whether the run was broken off by a fault, which is reported separately.
    pub(crate) is_broken_off: bool,
}

impl Show<'_> {
    /// Prints and writes a run's results. Returns the exit code.
    pub(crate) fn results(
        &self,
        resolved: &Resolved,
        simulated: &Simulated,
        over_time: Option<&OverTime>,
    ) -> Result<u8, Exit> {
        let results = Results::new(resolved, simulated);
        let provenance = provenance(resolved);
        // The results are printed even if they can't be written.
        let written = self.out.map(|folder| {
            let files = flitwork_results::Files {
                resolved,
                run: simulated,
                results: &results,
                provenance: &provenance,
                formats: self.formats,
                over_time,
            };
            flitwork_results::write_all(folder, &files)
                .map_err(|error| Exit::unwritable("--out", &error))
        });
        let sourced = provenance.with(&results);
        print_found(&sourced, self.json, || flitwork_results::text(&results))?;
        if results.failure.is_some() {
            say_failure(resolved, &results);
            if let (Some(folder), Some(Ok(_))) = (self.out, &written) {
                let waits = folder.join("waits.csv");
                complain(&format!("all waits: {}", waits.display()));
            }
        }
        if let (Some(folder), true) = (self.out, flitwork_results::is_hurried(resolved, &results)) {
            complain(&format!(
                "{}: per-node tables and figures are left out: the network is large and the run was interrupted",
                folder.display()
            ));
        }
        for file in written.transpose()?.into_iter().flatten() {
            tracing::info!("written: {}", file.display());
        }
        let broken = simulated.trace_error.is_some() || self.is_broken_off;
        if results.status == Status::Partial && !broken {
            complain("interrupted: these are the results so far");
        }
        Ok(match results.status {
            Status::Complete => FINE,
            Status::Partial => INTERRUPTED,
            Status::Failed => NETWORK_FAILED,
        })
    }
}

/// Prints which packets wait for which, if the network failed.
pub(crate) fn say_failure(resolved: &Resolved, results: &Results) {
    if let Some(failure) = &results.failure {
        complain(failure.to_string().trim_end());
        complain(&advice(resolved, failure.kind));
    }
}

/// A hint what to try after a failure.
fn advice(resolved: &Resolved, kind: FailureKind) -> String {
    let (run, longest) = (&resolved.run, Cycle::LAST.get());
    let (key, cycles) = match resolved.traffic.process.is_open_loop() {
        true => ("run.drain_cycles", run.drain_cycles),
        false => ("run.deadline_cycles", run.deadline_cycles),
    };
    if let Some(stopped) = StoppedNodes::of(resolved)
        && kind != FailureKind::Livelock
    {
        return format!("hint: {stopped} (clocks.changes); what waits there never moves again");
    }
    match kind {
        FailureKind::Deadlock => {
            "hint: what waits in a circle never moves again, so a longer run would end the same way"
                .into()
        }
        FailureKind::Livelock => {
            format!(
                "hint: packets still move; a larger {key} distinguishes a slow network from a livelock"
            )
        }
        FailureKind::Deadline if ends_apart(resolved) => format!(
            "hint: with slack none, each node stops at its own count of cycles, and what is sent to a node that has \
             stopped is lost; raise {key} above {cycles}, or set a slack so that all nodes stop together"
        ),
        FailureKind::Deadline if run.deadline_cycles >= longest => format!(
            "hint: {key} is {cycles}, and no run can be longer than {longest} cycles: reduce the traffic"
        ),
        FailureKind::Deadline => {
            format!("hint: raise {key} above {cycles} to give them enough time")
        }
    }
}
