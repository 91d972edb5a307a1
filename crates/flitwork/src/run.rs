//! `flitwork run`.

use crate::args::{Engine, Live, Run, Runtime, Settings};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, NETWORK_FAILED, complain, print};
use crate::progress;
use flitwork_experiment::config::{self, Fault, Override, Process, Resolved};
use flitwork_experiment::report::{self, FailureKind, Results, Status};
use flitwork_experiment::simulate::simulate;
use std::path::Path;

pub(crate) fn run(asked: &Run, interruption: &Interruption) -> Result<Code, Exit> {
    let resolved = resolve(&asked.config, &asked.settings, overrides(&asked.live))?;
    if let Some(folder) = &asked.out {
        report::prepare(folder).map_err(|error| Exit::bad_input(format!("--out: {error}")))?;
    }
    tracing::info!(engine = ?resolved.run.engine, seed = resolved.run.seed, "running");
    let run = &resolved.run;
    let cycles = match resolved.traffic.process {
        Process::Bernoulli { .. } => u64::from(run.warmup_cycles) + u64::from(run.measure_cycles),
        Process::Once => 0,
    };
    let bar = if cycles > 0 {
        progress::bar(cycles)
    } else {
        progress::spinner()
    };
    let simulated = simulate(&resolved, &mut |progress| {
        let now = progress.cycle.get();
        bar.set_message(match () {
            () if cycles == 0 => "routing",
            () if now < run.warmup_cycles => "warm-up",
            () if u64::from(now) < cycles => "measuring",
            () => "draining",
        });
        bar.set_position(if cycles > 0 {
            cycles.min(now.into())
        } else {
            now.into()
        });
        interruption.flow()
    });
    bar.finish_and_clear();
    let results = Results::new(&resolved, &simulated);
    // The results are shown even where they can't be written.
    let written = asked.out.as_ref().map(|folder| {
        report::write_all(folder, &resolved, &simulated, &results)
            .map_err(|error| Exit::bad_input(format!("--out: {error}")))
    });
    if asked.json {
        let json = serde_json::to_string_pretty(&results);
        print(&(json.map_err(|error| Exit::Failure(error.to_string()))? + "\n"))?;
    } else {
        print(&report::text(&results))?;
    }
    if let Some(failure) = &results.failure {
        complain(failure.to_string().trim_end());
        complain(advice(&resolved, failure.kind));
        if let (Some(folder), Some(Ok(_))) = (&asked.out, &written) {
            complain(&format!(
                "all waits: {}",
                folder.join("waits.csv").display()
            ));
        }
    }
    for file in written.transpose()?.into_iter().flatten() {
        tracing::info!("written: {}", file.display());
    }
    if results.status == Status::Partial {
        complain("interrupted: these are the results so far");
    }
    Ok(Code(match results.status {
        Status::Complete => FINE,
        Status::Partial => INTERRUPTED,
        Status::Failed => NETWORK_FAILED,
    }))
}

/// What to try after a failure.
fn advice(resolved: &Resolved, kind: FailureKind) -> &'static str {
    match (kind, resolved.traffic.process) {
        (FailureKind::Deadlock, _) => {
            "hint: nothing can move any more, so a longer run would end the same way"
        }
        (FailureKind::Livelock, Process::Bernoulli { .. }) => {
            "hint: packets still move; a larger run.drain_cycles tells a slow network from a livelock"
        }
        (FailureKind::Livelock, Process::Once) => {
            "hint: packets still move; a larger run.deadline_cycles tells a slow network from a livelock"
        }
    }
}

/// What the options of the live engine change.
fn overrides(live: &Live) -> Vec<Override> {
    let runtime = live.runtime.map(|runtime| match runtime {
        Runtime::Threads => "threads",
        Runtime::Tokio => "tokio",
    });
    let given = [
        ("--runtime", "live.runtime", runtime),
        ("--slack", "live.slack", live.slack.as_deref()),
        ("--workers", "live.workers", live.workers.as_deref()),
        (
            "--channel-capacity",
            "live.channel_capacity",
            live.channel_capacity.as_deref(),
        ),
        (
            "--burst-cycles",
            "live.burst_cycles",
            live.burst_cycles.as_deref(),
        ),
        ("--pinning", "live.pinning", live.pinning.then_some("true")),
    ];
    let by_option =
        |(option, key, value): (_, _, Option<&str>)| Some(Override::by_option(option, key, value?));
    given.into_iter().filter_map(by_option).collect()
}

/// The configuration with what the command line changes; `further` are options of its own.
pub(crate) fn resolve(
    config: &Path,
    settings: &Settings,
    further: Vec<Override>,
) -> Result<Resolved, Exit> {
    let seed = settings
        .seed
        .as_ref()
        .map(|seed| Override::by_option("--seed", "run.seed", seed));
    let engine = settings.engine.map(|engine| {
        let name = match engine {
            Engine::Sync => "sync",
            Engine::SyncPlain => "sync-plain",
            Engine::Clocked => "clocked",
            Engine::Live => "live",
        };
        Override::by_option("--engine", "run.engine", name)
    });
    let set: Result<Vec<Override>, _> = settings.set.iter().map(|text| text.parse()).collect();
    let overrides: Vec<Override> = set
        .map_err(Exit::bad_input)?
        .into_iter()
        .chain(seed)
        .chain(engine)
        .chain(further)
        .collect();
    let resolved = config::load(config, &overrides).map_err(|error| {
        let lost = error.fault() == Fault::Unknown && error.allowed().is_none();
        let hint = if lost {
            "\n  hint: `flitwork reference` lists all keys"
        } else {
            ""
        };
        Exit::bad_input(format!("{error}{hint}"))
    })?;
    tracing::debug!("resolved configuration:\n{}", resolved.to_toml());
    Ok(resolved)
}
