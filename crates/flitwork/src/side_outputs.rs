//! What `flitwork run` records in addition to a run's figures: a file of its packets, intervals, an index.

use crate::args::Run;
use crate::exit::{Exit, Interruption, complain};
use crate::paths::absolute;
use crate::program::provenance;
use flitwork_config::Resolved;
use flitwork_experiment::extras::Extras;
use flitwork_experiment::index::{IndexFile, IndexProbe, IndexTrailer, recipe};
use flitwork_experiment::intervals::{Intervals, MOST_INTERVALS, OverTime};
use flitwork_experiment::packets::PacketFile;
use flitwork_experiment::simulate::{Simulated, last_cycle};
use flitwork_files::Place;
use flitwork_report::{Format, Formats};
use flitwork_results::Status;
use flitwork_schema::one_of;
use std::path::Path;

/// The outputs that are open during a run.
pub(crate) struct SideOutputs {
    packets: Option<PacketFile>,
    index: Option<IndexFile>,
}

impl SideOutputs {
    /// Opens the requested outputs, and makes their probes.
    pub(crate) fn begin(
        args: &Run,
        formats: &Formats,
        resolved: &Resolved,
        interruption: &Interruption,
    ) -> Result<(SideOutputs, Extras), Exit> {
        let shape = &resolved.network.shape;
        let intervals = args.every.map(|every| Intervals::new(shape, every));
        let packets = args.packets.as_deref();
        let packets = packets.map(|path| create(path, formats, resolved));
        let interruption = interruption.clone();
        let may_list = move || interruption.may_list();
        let packets = packets.transpose()?;
        let packets = packets.map(|file| file.listing_while(may_list));
        let index = args.trace.as_deref();
        let index = index.map(|path| begin_index(path, args, resolved));
        let index = index.transpose()?;
        let extras = Extras {
            packets: packets.as_ref().map(PacketFile::reporter),
            intervals,
            index: index.as_ref().map(IndexFile::probe),
            is_trial: false,
        };
        Ok((SideOutputs { packets, index }, extras))
    }

    /// Closes them after the run. Returns the intervals, and whether the file of packets could be written.
    pub(crate) fn end(
        self,
        extras: Extras,
        resolved: &Resolved,
        simulated: &Simulated,
    ) -> (Option<OverTime>, Result<(), Exit>) {
        let Extras {
            packets,
            intervals,
            index,
            ..
        } = extras;
        let over_time =
            intervals.map(|intervals| OverTime::of(&intervals, resolved, simulated.cycles));
        // Flushes what the probe still holds to the file.
        drop(packets);
        let indexed = match (self.index, index) {
            (Some(file), Some(probe)) => end_index(file, probe, simulated),
            _ => Ok(()),
        };
        let Some(file) = self.packets else {
            return (over_time, indexed);
        };
        let written = file.finish(Status::of(simulated).name()).map(|unlisted| {
            if unlisted > 0 {
                complain(&format!(
                    "--packets: {unlisted} packets that were still waiting in the sources have no row"
                ));
            }
        });
        let unwritable = |error| Exit::unwritable("--packets", &error);
        (over_time, written.map_err(unwritable).and(indexed))
    }
}

fn begin_index(path: &Path, args: &Run, resolved: &Resolved) -> Result<IndexFile, Exit> {
    let unwritable = |error| Exit::bad_input(format!("--trace {}: {error}", path.display()));
    let resolved = absolute(resolved, &args.config);
    let record = args
        .record
        .as_deref()
        .map(std::path::absolute)
        .transpose()
        .map_err(unwritable)?;
    let record = record.map_or(String::new(), |path| path.display().to_string());
    let header = recipe(&resolved, &record).map_err(unwritable)?;
    IndexFile::create(path, &resolved, &header).map_err(unwritable)
}

fn end_index(file: IndexFile, probe: IndexProbe, simulated: &Simulated) -> Result<(), Exit> {
    let trailer = IndexTrailer {
        digest: simulated.digest.get(),
        cycles: simulated.cycles.get(),
        ended: Status::of(simulated).name().into(),
    };
    // The probe's packets are flushed before the file is finished.
    let epochs = probe.into_epochs();
    let written = file.finish(epochs, trailer);
    written.map_err(|error| Exit::unwritable("--trace", &error))
}

fn create(path: &Path, formats: &Formats, resolved: &Resolved) -> Result<PacketFile, Exit> {
    let format = packet_format(path, formats)?;
    PacketFile::create(path, format, &provenance(resolved))
        .map_err(|error| Exit::unwritable("--packets", &error))
}

/// The format that the name of a file of packets selects. A device or a pipe whose name has no ending takes CSV.
pub(crate) fn packet_format<'a>(path: &Path, formats: &'a Formats) -> Result<&'a Format, Exit> {
    let is_bare = path.extension().is_none() && Place::of(path).is_special();
    let format = match is_bare {
        true => formats.find("csv"),
        false => formats.of_file(path),
    };
    format.ok_or_else(|| Exit::bad_input(no_format(path, formats)))
}

/// The message for a name that selects no format, or one that the program was built without.
fn no_format(path: &Path, formats: &Formats) -> String {
    let name = path.display();
    if path.extension().is_some_and(|ending| ending == "parquet") {
        return format!(
            "--packets {name}: this program was built without Parquet\n  allowed: a name that ends in .csv, or \
             .parquet if the program is built with `--features parquet`"
        );
    }
    let endings = formats.endings().into_keys();
    let endings = endings.map(|ending| format!(".{ending}"));
    format!(
        "--packets {name}: the extension must name the format\n  allowed: a name \
         that ends in {}",
        one_of(endings)
    )
}

/// Refuses intervals that are too many.
pub(crate) fn check_intervals(every: u32, resolved: &Resolved) -> Result<(), Exit> {
    let last = last_cycle(resolved).get();
    if last / every < MOST_INTERVALS {
        return Ok(());
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
    use flitwork_report::Formats;
    use std::path::Path;

    #[test]
    fn a_program_without_parquet_says_how_to_build_it() {
        let (formats, parquet) = (Formats::default(), Path::new("p.parquet"));
        assert!(no_format(parquet, &formats).contains("--features parquet"));
        for name in ["p.txt", "p"] {
            let said = no_format(Path::new(name), &formats);
            assert!(said.contains("ends in .csv"), "{said}");
            assert!(said.contains(" or ."), "{said}");
        }
    }
}
