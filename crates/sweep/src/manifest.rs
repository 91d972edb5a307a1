//! `sweep.toml`: the description of a folder's sweep.

use crate::axis::Axis;
use crate::base::Base;
use crate::error::Error;
use crate::plan::Plan;
use flitwork_config::Catalogue;
use flitwork_report::{Configuration, Program, Provenance, SCHEMA_VERSION};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The file's name.
pub(crate) const NAME: &str = "sweep.toml";
/// The version of the folder's files. 1 had no checksum, and no figures of unsteady runs; 2 had other names of figures.
const FORMAT: u32 = 3;
const HEAD: &str =
    "# What the sweep in this folder is. `flitwork sweep` and `flitwork merge` read it.\n\n";
const SUM: &str = "crc32 = \"";
const AFTER_SUM: &str = "\"\n";

/// What decides the points of a sweep and their results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    format: u32,
    version: String,
    /// The configuration's name, for readers only.
    config: String,
    points: u32,
    seeds: u32,
    /// As text: TOML has no whole numbers above 2^63.
    first_seed: String,
    set: Vec<String>,
    configuration: String,
    /// What made the folder: the revision of the sources and the command line, for readers only.
    revision: String,
    command: String,
    schema_version: u32,
    /// The first point's configuration with every default; empty where every point is refused.
    resolved: String,
    #[serde(default)]
    over: Vec<Axis>,
}

impl Manifest {
    pub(crate) fn of(plan: &Plan, program: &Program) -> Manifest {
        let set = plan.base.set.iter();
        Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            config: plan.base.name.clone(),
            points: plan.points(),
            seeds: plan.seeds,
            first_seed: plan.first_seed.to_string(),
            set: set
                .map(|over| format!("{}={}", over.key, over.value))
                .collect(),
            configuration: plan.base.text.clone(),
            revision: program.revision.clone(),
            command: program.command.clone(),
            schema_version: SCHEMA_VERSION,
            resolved: plan.first().map_or(String::new(), |first| first.to_toml()),
            over: plan.axes.clone(),
        }
    }

    /// The provenance of the tables and figures that a program makes of its points.
    pub(crate) fn provenance(&self, program: &Program) -> Provenance {
        let configuration = Configuration::One(self.resolved.clone());
        // It was checked to be a number when it was read.
        program.made(
            configuration,
            self.first_seed.parse().unwrap_or(0),
            self.seeds,
        )
    }

    /// The number of its points.
    pub(crate) fn points(&self) -> u32 {
        self.points
    }

    /// The file's text: a constant head, the checksum of the body, and the body.
    pub(crate) fn text(&self) -> String {
        let body = toml::to_string(self).expect("a manifest holds only what TOML has");
        let crc32 = crc32fast::hash(body.as_bytes());
        format!("{HEAD}{SUM}{crc32:08x}{AFTER_SUM}{body}")
    }

    /// Reads the manifest of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Manifest, Error> {
        let path = &folder.join(NAME);
        let damaged = |found: String| Error::Damaged {
            path: path.clone(),
            found: format!(
                "not a sweep's: {found}\n  allowed: a folder that `flitwork sweep` has made, or an empty one"
            ),
        };
        let text = fs::read(path).map_err(Error::reading(path))?;
        let text = String::from_utf8(text).map_err(|_| damaged("not UTF-8 text".into()))?;
        let manifest: Manifest =
            toml::from_str(body(&text).map_err(damaged)?).map_err(|error| {
                let message = error.message().lines().collect::<Vec<_>>().join(" ");
                damaged(message)
            })?;
        if manifest.format != FORMAT {
            return Err(damaged(other_format(manifest.format)));
        }
        let plan = manifest
            .plan()
            .map_err(|error| damaged(error.to_string()))?;
        match plan.points() == manifest.points {
            true => Ok(manifest),
            false => Err(damaged(format!(
                "points = {}, but its keys make {}",
                manifest.points,
                plan.points()
            ))),
        }
    }

    /// Its plan, whose points can be named but not run: the folder that paths in the configuration are relative to is
    /// unknown.
    pub(crate) fn plan(&self) -> Result<Plan, Error> {
        let (name, text) = (self.config.clone(), self.configuration.clone());
        let base = Base::of_text(&Catalogue::default(), name, text, Vec::new());
        let first_seed = self.first_seed.parse();
        let first_seed = first_seed
            .map_err(|_| Error::BadValue(format!("first_seed = {:?}", self.first_seed)))?;
        Plan::seeded(base, self.over.clone(), self.seeds, first_seed)
    }

    /// Refuses a folder that holds another sweep than this one.
    pub(crate) fn check(&self, folder: &Path) -> Result<(), Error> {
        let what = Manifest::read(folder)?.differences(self);
        let folder = folder.to_owned();
        match what.is_empty() {
            true => Ok(()),
            false => Err(Error::Differs { folder, what }),
        }
    }

    /// Differences from another, one per line.
    pub(crate) fn differences(&self, other: &Manifest) -> Vec<String> {
        let (here, now) = (self, other);
        let mut lines = Vec::new();
        let mut compare = |name: &str, here: String, now: String| {
            if here != now {
                lines.push(format!("{name}: {here} there, {now} now"));
            }
        };
        compare("version", here.version.clone(), now.version.clone());
        compare("--set", here.set.join(" "), now.set.join(" "));
        let is_there = |axis: &&Axis| here.over.iter().any(|other| other.key == axis.key);
        let added = now.over.iter().filter(|axis| !is_there(axis));
        for Axis { key, .. } in here.over.iter().chain(added.clone()) {
            compare(&format!("--over {key}"), here.values(key), now.values(key));
        }
        // Which axes there are has been compared: only the order of the same ones is left.
        if added.count() == 0 && here.over.len() == now.over.len() {
            let order = |manifest: &Manifest| {
                let keys = manifest.over.iter().map(|axis| axis.key.as_str());
                keys.collect::<Vec<_>>().join(", ")
            };
            compare("the order of the axes", order(here), order(now));
        }
        compare("--seeds", here.seeds.to_string(), now.seeds.to_string());
        compare(
            "the first seed",
            here.first_seed.clone(),
            now.first_seed.clone(),
        );
        if here.configuration != now.configuration {
            lines.push(format!(
                "the configuration: {}",
                first_difference(&here.configuration, &now.configuration)
            ));
        }
        lines
    }

    fn values(&self, key: &str) -> String {
        let axis = self.over.iter().find(|axis| axis.key == key);
        match axis.map(|axis| axis.values.as_slice()) {
            None => "not given".into(),
            Some(values @ [first, .., last]) if values.len() > 8 => {
                format!("{} values from {first} to {last}", values.len())
            }
            Some(values) => values.join(","),
        }
    }
}

/// The part of the file that the checksum covers.
///
/// # Errors
/// If the file has changed since it was written, or is of another format.
fn body(text: &str) -> Result<&str, String> {
    /// All that is read of a file of another format.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let parts = text
        .strip_prefix(HEAD)
        .and_then(|rest| rest.strip_prefix(SUM))
        .and_then(|rest| rest.split_once(AFTER_SUM));
    if let Some((crc32, body)) = parts
        && crc32 == format!("{:08x}", crc32fast::hash(body.as_bytes()))
    {
        return Ok(body);
    }
    match toml::from_str(text) {
        Ok(Format { format }) if format < FORMAT && parts.is_none() => Err(other_format(format)),
        _ => Err("damaged or edited: its checksum isn't that of its text".into()),
    }
}

fn other_format(format: u32) -> String {
    format!("format = {format}, of another version of Flitwork; this version reads {FORMAT}")
}

fn first_difference(here: &str, now: &str) -> String {
    let pairs = here.lines().zip(now.lines());
    let same = pairs.take_while(|(here, now)| here == now).count();
    let shown = |text: &str| match text.lines().nth(same) {
        Some(line) => format!("{line:?}"),
        None => "nothing".into(),
    };
    let (here, now) = (shown(here), shown(now));
    format!("line {} is {here} there, {now} now", same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::{plan, program};

    fn read(bytes: &[u8]) -> Result<Manifest, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), bytes).unwrap();
        Manifest::read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let manifest = Manifest::of(&plan(&["traffic.load=0.1,0.2"], 3), &program());
        assert_eq!(read(manifest.text().as_bytes()).unwrap(), manifest);
    }

    /// Whichever bit flips and whichever line is missing, the file is refused.
    #[test]
    fn no_damage_goes_unseen() {
        let text = Manifest::of(&plan(&["traffic.load=0.1,0.2"], 1), &program()).text();
        for at in 0..text.len() {
            for bit in [at % 8, (at + 3) % 8] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let error = read(&bytes).unwrap_err();
                assert!(error.contains("sweep.toml: not a sweep's: "), "{error}");
            }
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for gone in 0..lines.len() {
            let kept = lines.iter().enumerate().filter(|(line, _)| *line != gone);
            let rest: String = kept.map(|(_, line)| *line).collect();
            assert!(read(rest.as_bytes()).is_err(), "without line {gone}");
        }
        for end in 0..text.len() {
            assert!(read(&text.as_bytes()[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn a_folder_of_an_earlier_version_is_refused_as_such() {
        let error = read(b"format = 1\nversion = \"0.1.0\"\n").unwrap_err();
        assert!(
            error.contains("format = 1, of another version of Flitwork; this version reads 3"),
            "{error}"
        );
    }

    /// A point's number says what it is by the order of the axes: the same axes in another order are another sweep.
    #[test]
    fn another_order_of_the_axes_is_a_difference() {
        let (loads, frames) = ("traffic.load=0.1,0.2", "router.chaos.multiqueue_frames=2,3");
        let made = |over: &[&str]| Manifest::of(&plan(over, 1), &program());
        let (there, now) = (made(&[loads, frames]), made(&[frames, loads]));
        let says = "the order of the axes: traffic.load, router.chaos.multiqueue_frames there, \
            router.chaos.multiqueue_frames, traffic.load now";
        assert_eq!(there.differences(&now), [says]);
        assert!(there.differences(&there).is_empty());
    }

    /// The file states the seed of the first row, even if there is only one seed.
    #[test]
    fn the_first_seed_is_that_of_the_first_row() {
        for (over, seeds) in [(&[] as &[&str], 1), (&[], 4), (&["run.seed=7,8"], 1)] {
            let plan = plan(over, seeds);
            let first = plan.resolve(0).unwrap().run.seed;
            assert_eq!(
                Manifest::of(&plan, &program()).first_seed,
                first.to_string()
            );
        }
    }
}
