//! What was found, as text and as JSON.

use crate::running::Unknown;
use flitwork_claims::{Claim, Found, Fresh, Verdict};
use serde::Serialize;
use std::fmt::Write;

/// A claim and what became of it.
#[derive(Serialize)]
pub(crate) struct Row {
    page: String,
    line: usize,
    says: String,
    command: String,
    verdict: Outcome,
    /// Of bounds and comparisons, whether by more than the interval.
    clearly: Option<bool>,
    claimed: Option<String>,
    fresh: Option<String>,
    fresh_mean: Option<f64>,
    fresh_half_width: Option<f64>,
    fresh_count: Option<u64>,
    fresh_of: Option<u64>,
    fisher: Option<f64>,
    why: Option<String>,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Holds,
    DoesntHold,
    NotFound,
    NotRun,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::DoesntHold => "DOESN'T HOLD",
            Outcome::NotFound => "NOT FOUND",
            Outcome::NotRun => "not run",
        }
    }
}

impl Row {
    pub(crate) fn new(claim: &Claim, command: String, found: Result<Found, Unknown>) -> Row {
        let mut row = Row {
            page: claim.page.clone(),
            line: claim.line,
            says: claim.says.clone(),
            command,
            verdict: Outcome::NotRun,
            clearly: None,
            claimed: None,
            fresh: None,
            fresh_mean: None,
            fresh_half_width: None,
            fresh_count: None,
            fresh_of: None,
            fisher: None,
            why: None,
        };
        match found {
            Ok(found) => row.take(found),
            Err(Unknown::Interrupted) => row.why = Some("interrupted".into()),
            Err(Unknown::Failed(why)) => {
                row.verdict = Outcome::NotFound;
                row.why = Some(why);
            }
        }
        row
    }

    fn take(&mut self, found: Found) {
        self.verdict = match found.verdict {
            Verdict::Holds => Outcome::Holds,
            Verdict::Fails => Outcome::DoesntHold,
        };
        self.clearly = found.clearly;
        self.fresh = Some(found.fresh.to_string());
        self.claimed = Some(found.page);
        match found.fresh {
            Fresh::Figure(figure) => {
                self.fresh_mean = Some(figure.mean);
                self.fresh_half_width = Some(figure.half_width);
            }
            Fresh::Count { count, of, chance } => {
                self.fresh_count = Some(count);
                self.fresh_of = Some(of);
                self.fisher = Some(chance);
            }
        }
    }

    /// On two lines: the page's words, and the figures.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{:14} {}: {}\n", self.verdict.word(), self.page, self.says);
        let figures = match (&self.claimed, &self.fresh, &self.why) {
            (Some(claimed), Some(fresh), _) => {
                format!("page {claimed}; fresh {fresh}{}", self.margin())
            }
            (.., why) => why.clone().unwrap_or_default(),
        };
        for line in figures.lines() {
            let _ = writeln!(text, "{:14} {line}", "");
        }
        text
    }

    fn margin(&self) -> &'static str {
        match self.clearly {
            None => "",
            Some(true) => ", by more than the interval",
            Some(false) => ", by less than the interval",
        }
    }
}

/// The counts of all claims.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) claims: usize,
    pub(crate) commands: usize,
    hold: usize,
    hold_within_interval: usize,
    dont_hold: usize,
    not_found: usize,
    pub(crate) not_run: usize,
    first_seed: u64,
    cpu_seconds: Option<f64>,
    seconds: f64,
}

impl Summary {
    pub(crate) fn new(
        rows: &[Row],
        commands: usize,
        first_seed: u64,
        cpu_seconds: Option<f64>,
        seconds: f64,
    ) -> Summary {
        let count = |outcome: Outcome| rows.iter().filter(|row| row.verdict == outcome).count();
        let narrow = |row: &&Row| row.verdict == Outcome::Holds && row.clearly == Some(false);
        Summary {
            claims: rows.len(),
            commands,
            hold: count(Outcome::Holds),
            hold_within_interval: rows.iter().filter(narrow).count(),
            dont_hold: count(Outcome::DoesntHold),
            not_found: count(Outcome::NotFound),
            not_run: count(Outcome::NotRun),
            first_seed,
            cpu_seconds,
            seconds,
        }
    }

    pub(crate) fn all_hold(&self) -> bool {
        self.dont_hold == 0 && self.not_found == 0
    }

    pub(crate) fn text(&self) -> String {
        let Summary {
            hold,
            hold_within_interval: narrow,
            dont_hold,
            not_found,
            not_run,
            ..
        } = self;
        let mut text = format!(
            "\n{} of {}, seeds from {} on: {hold} hold, {narrow} of them by less than the interval; {dont_hold} don't hold; \
             {not_found} not found",
            counted(self.claims, "claim"),
            counted(self.commands, "command"),
            self.first_seed
        );
        if *not_run > 0 {
            let _ = write!(text, "; {not_run} not run");
        }
        if *dont_hold > 0 {
            let by_chance = (self.claims as f64 * 0.05).ceil();
            let _ = write!(
                text,
                "\nBy chance up to {by_chance} of as many true ones don't hold: try another --first-seed"
            );
        }
        let cpu = self
            .cpu_seconds
            .map_or(String::new(), |it| format!("{it:.0} s of processor time, "));
        let _ = write!(text, "\n{cpu}{:.0} s\n", self.seconds);
        text
    }
}

/// "1 claim", "2 claims".
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
