//! `sweep.toml`: what a folder's sweep is.

use crate::axis::Axis;
use crate::error::Error;
use crate::plan::Plan;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The file's name.
pub(crate) const NAME: &str = "sweep.toml";
/// The version of the folder's files.
const FORMAT: u32 = 1;
const HEAD: &str =
    "# What the sweep in this folder is. `flitwork sweep` and `flitwork merge` read it.\n\n";

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
    #[serde(default)]
    over: Vec<Over>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Over {
    key: String,
    values: Vec<String>,
}

impl Manifest {
    pub(crate) fn of(plan: &Plan) -> Manifest {
        let over = |axis: &Axis| Over {
            key: axis.key.clone(),
            values: axis.values.clone(),
        };
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
            over: plan.axes.iter().map(over).collect(),
        }
    }

    /// How many points it has.
    pub(crate) fn points(&self) -> u32 {
        self.points
    }

    /// The file's text.
    pub(crate) fn text(&self) -> String {
        HEAD.to_owned() + &toml::to_string(self).expect("a manifest holds only what TOML has")
    }

    /// Reads a folder's.
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
        let manifest: Manifest = toml::from_str(&text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            damaged(message)
        })?;
        if manifest.format != FORMAT {
            return Err(damaged(format!(
                "format = {}, and this version reads {FORMAT}",
                manifest.format
            )));
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

    /// The points that it makes, which can be named but not run: paths of the configuration are unknown.
    pub(crate) fn plan(&self) -> Result<Plan, Error> {
        let axis = |over: &Over| Axis {
            key: over.key.clone(),
            values: over.values.clone(),
        };
        let base = crate::base::Base {
            name: self.config.clone(),
            folder: "".into(),
            text: self.configuration.clone(),
            set: Vec::new(),
        };
        let axes = self.over.iter().map(axis).collect();
        let first_seed = self.first_seed.parse();
        let first_seed =
            first_seed.map_err(|_| Error::Asked(format!("first_seed = {:?}", self.first_seed)))?;
        Plan::seeded(base, axes, self.seeds, first_seed)
    }

    /// What another has otherwise, one line each.
    pub(crate) fn differences(&self, other: &Manifest) -> Vec<String> {
        let (here, now) = (self, other);
        let mut lines = Vec::new();
        let mut tell = |name: &str, here: String, now: String| {
            if here != now {
                lines.push(format!("{name}: {here} there, {now} now"));
            }
        };
        tell("version", here.version.clone(), now.version.clone());
        tell("--set", here.set.join(" "), now.set.join(" "));
        let keys = here
            .over
            .iter()
            .chain(&now.over)
            .map(|over| over.key.as_str());
        let mut told: Vec<&str> = Vec::new();
        for key in keys {
            if !told.contains(&key) {
                told.push(key);
                tell(&format!("--over {key}"), here.values(key), now.values(key));
            }
        }
        let order = |manifest: &Manifest| {
            let keys: Vec<&str> = manifest.over.iter().map(|over| over.key.as_str()).collect();
            keys.join(", ")
        };
        tell("the order of the axes", order(here), order(now));
        tell("--seeds", here.seeds.to_string(), now.seeds.to_string());
        tell(
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
        let over = self.over.iter().find(|over| over.key == key);
        over.map_or("not given".into(), |over| match over.values.as_slice() {
            [first, .., last] if over.values.len() > 8 => {
                format!("{} values from {first} to {last}", over.values.len())
            }
            values => values.join(","),
        })
    }
}

fn first_difference(here: &str, now: &str) -> String {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (here, now) = (lines(here), lines(now));
    let same = here
        .iter()
        .zip(&now)
        .take_while(|(here, now)| here == now)
        .count();
    let shown = |lines: &[String]| {
        lines
            .get(same)
            .map_or("nothing".into(), |line| format!("{line:?}"))
    };
    format!(
        "line {} is {} there, {} now",
        same + 1,
        shown(&here),
        shown(&now)
    )
}
