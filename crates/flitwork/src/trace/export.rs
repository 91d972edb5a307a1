//! `flitwork trace export`.

use super::session::{Session, filter};
use super::times::within;
use crate::args::Export;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain};
use crate::program::{VERSION, provenance};
use crate::progress;
use flitwork_experiment::simulation::Use;
use flitwork_export::{About, Done, ExportError, ExportFormat, Job, Progress};
use flitwork_files::NewFile;
use flitwork_schema::one_of;
use std::path::Path;

pub(super) fn run(args: &Export, asking: &Asking<'_>) -> Result<Code, Stop> {
    let format = format_of(args, asking)?;
    let (option, path) = (format!("--{}", format.name), &*args.file.path);
    if format.goes_back {
        refuse_pipe(&option, path)?;
    }
    let usage = match format.needs_words || args.words {
        true => Use::Views,
        false => Use::Events,
    };
    let session = Session::open(&args.run, &args.settings, asking)?;
    asking.places.prepare()?;
    let (mut timeline, differs) = session.timeline(usage)?;
    let columns = (format.columns)(&session.nodes, timeline.unit());
    let filter = filter(args.filter.as_ref(), &columns)?;
    let go_on = &mut || session.interruption().flow().is_continue();
    let times = within(&args.times, &mut timeline, session.recalled.end(), go_on)?;
    let resolved = &session.recalled.resolved;
    let provenance = provenance(resolved).metadata();
    let name = args
        .run
        .file_stem()
        .map_or_else(|| "run".into(), |name| name.to_string_lossy());
    let file = NewFile::create(path).map_err(|error| Exit::unwritable(&option, &error))?;
    let bar = progress::waiting();
    let job = &mut Job {
        timeline: &mut timeline,
        nodes: &session.nodes,
        about: About {
            name: &name,
            version: VERSION,
            provenance: &provenance,
            words_travel_alone: resolved.router.facts().words_travel_alone,
        },
        times,
        words: args.words,
        filter,
        limit: args.limit.into(),
        go_on: &mut |Progress { time, count }| {
            bar.set_message(format!("{count} {} before {time}", format.counted));
            bar.tick();
            session.interruption().flow().is_continue()
        },
    };
    let done = (format.write)(job, file);
    bar.finish_and_clear();
    let done = done.map_err(|error| stopped(&option, &error))?;
    session.agree(&differs)?;
    Ok(ended(&format, path, done))
}

/// Says what is in the file, if that isn't what was asked for.
fn ended(format: &ExportFormat, path: &Path, done: Done) -> Code {
    let path = path.display();
    if done.count == 0 {
        complain(&format!(
            "{path}: no {} are chosen, so that none are in the file",
            format.rows
        ));
    }
    if done.is_whole {
        tracing::info!("written: {path}, {} {}", done.count, format.counted);
        return Code(FINE);
    }
    complain(&format!(
        "interrupted: {path} holds what lies before {}",
        done.until
    ));
    Code(INTERRUPTED)
}

fn format_of(args: &Export, asking: &Asking<'_>) -> Result<ExportFormat, Exit> {
    let formats = asking.catalogue.parts().all::<ExportFormat>();
    let name = &args.file.format;
    let found = formats.iter().find(|format| format.name == name).copied();
    found.ok_or_else(|| {
        let built = formats.iter().map(|format| format!("--{}", format.name));
        Exit::bad_input(format!(
            "--{name}: this program was built without it\n  allowed: {}; or --{name} if the program is built with \
             `--features {name}`",
            one_of(built)
        ))
    })
}

/// A pipe can't be written to in several places.
fn refuse_pipe(option: &str, path: &Path) -> Result<(), Exit> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let is_pipe = path
            .metadata()
            .is_ok_and(|found| found.file_type().is_fifo());
        if is_pipe || flitwork_files::is_own_stream(path) {
            return Err(Exit::bad_input(format!(
                "{option}: {} is a pipe, and the format needs a file that it can go back in\n  allowed: a file",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Why there is no file.
fn stopped(option: &str, error: &ExportError) -> Exit {
    let less = "allowed: less of the run, by --where, --from or --to";
    match error {
        ExportError::Unwritable(error) => Exit::unwritable(option, error),
        ExportError::TooMany { .. } => {
            Exit::bad_input(format!("--limit: {error}\n  {less}; or a greater --limit"))
        }
        ExportError::TooManySignals { .. } => {
            Exit::bad_input(format!("{option}: {error}\n  {less}"))
        }
    }
}
