//! `flitwork run`.

use crate::args::{Engine, Run, Settings};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, NETWORK_FAILED, complain, print};
use crate::progress;
use flitwork_experiment::config::{self, Override, Process, Resolved};
use flitwork_experiment::report::{self, Results, Status};
use flitwork_experiment::simulate::simulate;
use std::path::Path;

pub(crate) fn run(asked: &Run, interruption: &Interruption) -> Result<Code, Exit> {
    let resolved = resolve(&asked.config, &asked.settings)?;
    if let Some(folder) = &asked.out {
        report::prepare(folder).map_err(|error| Exit::bad_input(format!("--out: {error}")))?;
    }
    tracing::info!(engine = ?resolved.run.engine, seed = resolved.run.seed, "running");
    let run = &resolved.run;
    let cycles = match resolved.traffic.process {
        Process::Bernoulli { .. } => u64::from(run.warmup_cycles) + u64::from(run.measure_cycles),
        Process::Once => 0,
    };
    let bar = if cycles > 0 { progress::bar(cycles) } else { progress::spinner() };
    let simulated = simulate(&resolved, &mut |progress| {
        let now = progress.cycle.get();
        bar.set_message(match () {
            () if cycles == 0 => "routing",
            () if now < run.warmup_cycles => "warm-up",
            () if u64::from(now) < cycles => "measuring",
            () => "draining",
        });
        bar.set_position(if cycles > 0 { cycles.min(now.into()) } else { now.into() });
        interruption.flow()
    });
    bar.finish_and_clear();
    let results = Results::new(&resolved, &simulated);
    if let Some(folder) = &asked.out {
        let written = report::write_all(folder, &resolved, &simulated, &results)
            .map_err(|error| Exit::bad_input(format!("--out: {error}")))?;
        tracing::info!(files = written.len(), folder = %folder.display(), "written");
    }
    if asked.json {
        let json = serde_json::to_string_pretty(&results);
        print(&(json.map_err(|error| Exit::Failure(error.to_string()))? + "\n"))?;
    } else {
        print(&report::text(&results))?;
    }
    if let Some(failure) = &results.failure {
        complain(&failure.to_string());
    }
    Ok(Code(match results.status {
        Status::Complete => FINE,
        Status::Partial => INTERRUPTED,
        Status::Failed => NETWORK_FAILED,
    }))
}

/// The configuration with what the command line changes.
pub(crate) fn resolve(config: &Path, settings: &Settings) -> Result<Resolved, Exit> {
    let seed = settings.seed.map(|seed| format!("run.seed={seed}"));
    let engine = settings.engine.map(|engine| {
        let name = match engine {
            Engine::Sync => "sync",
            Engine::SyncPlain => "sync-plain",
        };
        format!("run.engine={name}")
    });
    let overrides: Result<Vec<Override>, _> =
        settings.set.iter().cloned().chain(seed).chain(engine).map(|text| text.parse()).collect();
    let overrides = overrides.map_err(Exit::bad_input)?;
    config::load(config, &overrides).map_err(Exit::bad_input)
}
