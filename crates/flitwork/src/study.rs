//! `flitwork study`.

use crate::args::Study;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print};
use crate::progress;
use flitwork_experiment::study::{self, Multiqueue};

pub(crate) fn run(asked: &Study, interruption: &Interruption) -> Result<Code, Exit> {
    let Study::Multiqueue(asked) = asked;
    let study = Multiqueue {
        side: asked.side,
        cycles: asked.cycles,
        patterns: asked.patterns.clone(),
        frames: asked.frames.clone(),
        derouting: !asked.no_derouting,
        seed: asked.seed,
    };
    let spinner = progress::spinner();
    let rows = study::multiqueue(&study, &mut |name, progress| {
        spinner.set_message(name.to_owned());
        spinner.set_position(progress.cycle.get().into());
        interruption.flow()
    });
    spinner.finish_and_clear();
    let rows = rows.map_err(Exit::bad_input)?;
    if asked.json {
        let json = serde_json::to_string_pretty(&rows);
        print(&(json.map_err(|error| Exit::Failure(error.to_string()))? + "\n"))?;
    } else {
        print(&study::multiqueue_text(&study, &rows))?;
    }
    if interruption.asked() {
        complain("interrupted: only the rows that were done are shown");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code(FINE))
}
