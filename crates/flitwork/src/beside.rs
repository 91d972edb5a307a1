//! What `flitwork run` keeps beside a run's figures: a file of its packets, and intervals.

use crate::args::Run;
use crate::exit::{Exit, Interruption, complain};
use crate::output;
use crate::program::program;
use flitwork_config::Resolved;
use flitwork_experiment::extras::Extras;
use flitwork_experiment::intervals::{Intervals, MOST_INTERVALS, OverTime};
use flitwork_experiment::packets::PacketFile;
use flitwork_experiment::simulate::{Simulated, last_cycle};
use flitwork_report::{ENDINGS, Format};
use flitwork_results::Status;
use std::path::Path;

/// What is under way while a run lasts.
pub(crate) struct Beside {
    packets: Option<PacketFile>,
}

impl Beside {
    /// Begins what is asked for, and the probes that go with the run.
    pub(crate) fn begin(
        asked: &Run,
        resolved: &Resolved,
        interruption: &Interruption,
    ) -> Result<(Beside, Extras), Exit> {
        let intervals = asked.every.map(|every| intervals(every, resolved));
        let intervals = intervals.transpose()?;
        let packets = asked.packets.as_deref();
        let packets = packets.map(|path| create(path, asked.force, resolved));
        let interruption = interruption.clone();
        let packets = packets
            .transpose()?
            .map(|file| file.listing_while(move || interruption.may_list()));
        let extras = Extras {
            packets: packets.as_ref().map(PacketFile::reporter),
            intervals,
        };
        Ok((Beside { packets }, extras))
    }

    /// Ends it after the run: gives the intervals, and whether the file of packets could be written.
    pub(crate) fn end(
        self,
        extras: Extras,
        resolved: &Resolved,
        simulated: &Simulated,
    ) -> (Option<OverTime>, Result<(), Exit>) {
        let Extras { packets, intervals } = extras;
        let over_time =
            intervals.map(|intervals| OverTime::of(&intervals, resolved, simulated.cycles));
        // What it still holds goes to the file now.
        drop(packets);
        let Some(file) = self.packets else {
            return (over_time, Ok(()));
        };
        let written = file.finish(Status::of(simulated).name()).map(|unlisted| {
            if unlisted > 0 {
                complain(&format!(
                    "--packets: {unlisted} packets that waited in the sources have no row"
                ));
            }
        });
        let unwritable = |error| Exit::unwritable("--packets", &error);
        (over_time, written.map_err(unwritable))
    }
}

fn create(path: &Path, force: bool, resolved: &Resolved) -> Result<PacketFile, Exit> {
    let Some(format) = Format::of(path) else {
        return Err(Exit::bad_input(no_format(path, cfg!(feature = "parquet"))));
    };
    output::file("--packets", path, force)?;
    PacketFile::create(
        path,
        format,
        &program().ran(resolved.to_toml(), resolved.run.seed),
    )
    .map_err(|error| Exit::unwritable("--packets", &error))
}

/// What is said of a name that asks for no format, or for one that the program was built without.
fn no_format(path: &Path, with_parquet: bool) -> String {
    let name = path.display();
    if !with_parquet && path.extension().is_some_and(|ending| ending == "parquet") {
        return format!(
            "--packets {name}: this program was built without Parquet\n  allowed: a name that ends in .csv; or \
             .parquet, of a program that is built with `--features parquet`"
        );
    }
    let endings: Vec<String> = ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
    format!(
        "--packets {name}: the name's ending says in which format packets are written\n  allowed: a name \
         that ends in {}",
        one_of(&endings)
    )
}

/// `a, b or c`.
fn one_of(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

fn intervals(every: u32, resolved: &Resolved) -> Result<Intervals, Exit> {
    let last = last_cycle(resolved).get();
    if last / every < MOST_INTERVALS {
        return Ok(Intervals::new(&resolved.network.shape, every));
    }
    Err(Exit::bad_input(format!(
        "--every {every}: the run may last {last} cycles, which makes more than {MOST_INTERVALS} intervals\n  \
         allowed: {} or more; or a smaller run.deadline_cycles, measure_cycles or drain_cycles",
        last / MOST_INTERVALS + 1
    )))
}

#[cfg(test)]
mod tests {
    use super::no_format;
    use std::path::Path;

    #[test]
    fn a_program_without_parquet_says_how_to_build_it() {
        let parquet = Path::new("p.parquet");
        assert!(no_format(parquet, false).contains("--features parquet"));
        for (name, with_parquet) in [("p.txt", false), ("p.txt", true), ("p", false)] {
            let said = no_format(Path::new(name), with_parquet);
            assert!(said.contains("ends in .csv"), "{said}");
            assert!(said.contains(" or ."), "{said}");
        }
    }
}
