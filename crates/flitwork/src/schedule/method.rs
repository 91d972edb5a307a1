//! The off-line algorithms that can be named. Each has a file, and a line in the table.

use super::read::Settings;
use super::{exact, frames, multistage, naive, product, worms};
use crate::exit::Exit;
use crate::problem::{Net, Problem, Source};
use flitwork_schedule::{Plan, Request};
use serde_json::Value;
use std::fmt::Display;
use std::path::PathBuf;

/// An off-line algorithm.
#[derive(Clone, Copy)]
pub(super) struct Method {
    /// What users call it.
    pub(super) name: &'static str,
    /// The keys of `[schedule]` that it reads.
    pub(super) keys: &'static [&'static str],
    pub(super) make: fn(&Ask) -> Result<Made, Exit>,
}

/// Every algorithm, sorted by name.
pub(super) const METHODS: &[Method] = &[
    exact::METHOD,
    frames::METHOD,
    multistage::METHOD,
    naive::METHOD,
    product::METHOD,
    worms::METHOD,
];

/// What is to be scheduled, and how.
pub(super) struct Ask {
    pub(super) net: Net,
    pub(super) problem: Problem,
    pub(super) requests: Vec<Request>,
    pub(super) method: Method,
    pub(super) settings: Settings,
    pub(super) seed: u64,
    /// The words of a packet.
    pub(super) words: u32,
    /// Where the words of a packet are given, if they are.
    pub(super) words_at: Option<usize>,
    /// The configuration's file and text.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// A schedule, and what it was made by.
pub(super) struct Made {
    pub(super) plans: Vec<Plan>,
    pub(super) says: Vec<(&'static str, Value)>,
}

impl Ask {
    /// The configuration's file.
    pub(super) fn source(&self) -> Source<'_> {
        Source {
            path: &self.path,
            text: &self.text,
        }
    }

    /// What is wrong with a table of the configuration.
    pub(super) fn refused(&self, table: &str, what: impl Display, allowed: impl Display) -> Exit {
        self.source().wrong_in(table, what, allowed)
    }

    /// What is wrong with the words of packets.
    pub(super) fn wrong_words(&self, what: impl Display, allowed: impl Display) -> Exit {
        match self.words_at {
            Some(at) => self.source().wrong(at, what, allowed),
            None => self.refused("problem", what, allowed),
        }
    }

    /// What is wrong with a key of `[schedule]`.
    pub(super) fn wrong(
        &self,
        key: &'static str,
        what: impl Display,
        allowed: impl Display,
    ) -> Exit {
        self.settings.wrong(&self.source(), key, what, allowed)
    }

    /// What is wrong with a packet.
    pub(super) fn wrong_packet(
        &self,
        packet: usize,
        what: impl Display,
        allowed: impl Display,
    ) -> Exit {
        self.problem.wrong(&self.source(), packet, what, allowed)
    }

    /// The seed, for what is drawn; refused if nothing is.
    pub(super) fn seed(&self, is_drawn: bool, drawn_with: &str) -> Result<u64, Exit> {
        match self.settings.number("seed") {
            Some(_) if !is_drawn => {
                let what = "schedule.seed: nothing is drawn";
                Err(self.wrong("seed", what, format!("it with {drawn_with}")))
            }
            seed => Ok(seed.unwrap_or(0)),
        }
    }

    /// The part that a key names, of those of a table; the default if it isn't given.
    pub(super) fn part<X: Copy>(
        &self,
        key: &'static str,
        default: X,
        all: &[(&'static str, X)],
    ) -> Result<X, Exit> {
        let Some(name) = self.settings.text(key) else {
            return Ok(default);
        };
        let found = all.iter().find(|(its, _)| *its == name);
        found.map(|(_, part)| *part).ok_or_else(|| {
            let mut names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            names.dedup();
            self.wrong(
                key,
                format!("schedule.{key} is \"{name}\""),
                names.join(", "),
            )
        })
    }
}
