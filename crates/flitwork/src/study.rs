//! `flitwork study` and `flitwork paper`, and what they need from the program.

use crate::args::{Paper, Study};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print};
use crate::places::Places;
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

pub(crate) fn run(
    args: &Study,
    catalogue: &Catalogue,
    places: &Places,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let entry = catalogue.parts().find::<StudyEntry>(&args.name);
    let entry = entry.expect("the command line has the studies of the table");
    let end = entry.run(
        &args.matches,
        &mut Terminal::new(catalogue, places, interruption),
    )?;
    Ok(ended(end))
}

pub(crate) fn paper(
    args: &Paper,
    catalogue: &Catalogue,
    places: &Places,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let parts = catalogue.parts();
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
    let mut terminal = Terminal::new(catalogue, places, interruption);
    Ok(ended(entry.0.run(&own, &mut terminal)?))
}

fn ended(end: End) -> Code {
    Code(match end {
        End::Fine => FINE,
        End::Interrupted => INTERRUPTED,
    })
}

/// The terminal, with a progress bar once there is progress to show.
struct Terminal<'a> {
    catalogue: &'a Catalogue,
    places: &'a Places,
    interruption: &'a Interruption,
    bar: Option<ProgressBar>,
}

impl<'a> Terminal<'a> {
    fn new(
        catalogue: &'a Catalogue,
        places: &'a Places,
        interruption: &'a Interruption,
    ) -> Terminal<'a> {
        Terminal {
            catalogue,
            places,
            interruption,
            bar: None,
        }
    }
}

impl Context for Terminal<'_> {
    fn program(&self) -> Program {
        program()
    }

    fn catalogue(&self) -> &Catalogue {
        self.catalogue
    }

    fn prepare(&self) -> Result<(), Exit> {
        self.places.prepare()
    }

    fn show(&mut self, at: StudyProgress<'_>) {
        let (name, position) = match at {
            StudyProgress::Cycle { name, cycle } => (name, cycle),
            StudyProgress::Run { name, done, .. } => (name, done.into()),
        };
        let bar = self.bar.get_or_insert_with(|| match at {
            StudyProgress::Cycle { .. } => progress::spinner(),
            StudyProgress::Run { .. } => progress::runs(),
        });
        if bar.message() != name {
            tracing::info!("{name}");
            bar.set_message(name.to_owned());
        }
        if let StudyProgress::Run { of, .. } = at {
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
        self.interruption.flow()
    }

    fn is_interrupted(&self) -> bool {
        self.interruption.is_requested()
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
