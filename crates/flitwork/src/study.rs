//! `flitwork study` and `flitwork paper`, and what they need from the program.

use crate::args::{Paper, Study};
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain, print};
use crate::program::program;
use crate::progress;
use flitwork_config::Catalogue;
use flitwork_report::Program;
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::study::StudyEntry;
use flitwork_studies::{Context, End, StudyProgress};
use indicatif::ProgressBar;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn run(args: &Study, asking: &Asking<'_>) -> Result<Code, Exit> {
    let entry = asking.catalogue.parts().find::<StudyEntry>(&args.name);
    let entry = entry.expect("the command line has the studies of the table");
    Ok(ended(entry.run(&args.matches, &mut Terminal::of(asking))?))
}

pub(crate) fn paper(args: &Paper, asking: &Asking<'_>) -> Result<Code, Exit> {
    let parts = asking.catalogue.parts();
    let name = &args.experiment;
    let Some(entry) = parts.find::<PaperEntry>(name) else {
        let names = parts.names::<PaperEntry>().join(", ");
        return Err(Exit::bad_input(format!(
            "EXPERIMENT: no experiment is called `{name}`; allowed: {names}"
        )));
    };
    if let Some(option) = args.foreign(&entry) {
        return Err(Exit::bad_input(format!(
            "--{option}: {name} doesn't read it"
        )));
    }
    let own = args.own(&entry).map_err(Exit::bad_input)?;
    Ok(ended(entry.0.run(&own, &mut Terminal::of(asking))?))
}

fn ended(end: End) -> Code {
    Code(match end {
        End::Fine => FINE,
        End::Interrupted => INTERRUPTED,
    })
}

/// The terminal, with a progress bar once there is progress to show.
struct Terminal<'a> {
    asking: &'a Asking<'a>,
    bar: Option<ProgressBar>,
}

impl<'a> Terminal<'a> {
    fn of(asking: &'a Asking<'a>) -> Terminal<'a> {
        Terminal { asking, bar: None }
    }
}

impl Context for Terminal<'_> {
    fn program(&self) -> Program {
        program()
    }

    fn catalogue(&self) -> &Catalogue {
        self.asking.catalogue
    }

    fn prepare(&self) -> Result<(), Exit> {
        self.asking.places.prepare()
    }

    fn show(&mut self, at: StudyProgress<'_>) {
        let StudyProgress { name, position, of } = at;
        let bar = self.bar.get_or_insert_with(|| match of {
            None => progress::spinner(),
            Some(_) => progress::runs(),
        });
        let message = match of {
            Some(_) if !name.is_empty() => format!(", {name}"),
            _ => name.to_owned(),
        };
        if bar.message() != message {
            tracing::info!("{name}");
            bar.set_message(message);
        }
        if let Some(of) = of {
            // Runs over threads have no names of their own.
            if name.is_empty() && bar.position() != position {
                tracing::info!("{position} of {of} runs are done");
            }
            bar.set_length(of.into());
        }
        bar.set_position(position);
    }

    fn remark(&mut self, line: &str) {
        if let Some(bar) = &self.bar {
            bar.println(line);
        }
    }

    fn done(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn flow(&self) -> ControlFlow<()> {
        self.asking.interruption.flow()
    }

    fn is_interrupted(&self) -> bool {
        self.asking.interruption.is_requested()
    }

    fn print(&self, text: &str) -> Result<(), Exit> {
        print(text)
    }

    fn complain(&self, text: &str) {
        complain(text);
    }

    fn wrote(&self, path: &Path) {
        tracing::info!("written: {}", path.display());
    }
}
