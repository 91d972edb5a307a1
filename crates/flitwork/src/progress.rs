//! Progress bars on standard error; where that isn't a terminal, a line now and then of a sweep, and nothing of
//! the rest.

use crate::exit::complain;
use flitwork_experiment::config::Resolved;
use flitwork_experiment::simulate::Progress;
use flitwork_sweep::{Stage, Step};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar over a known number of cycles.
pub(crate) fn bar(cycles: u64) -> ProgressBar {
    let bar = ProgressBar::new(cycles);
    let style = ProgressStyle::with_template(
        "{msg:<10} {wide_bar} {human_pos}/{human_len} cycles, {elapsed} (left: {eta})",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A spinner where nobody knows how long it takes.
pub(crate) fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}, {human_pos} cycles, {elapsed}");
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// A bar over the runs of a study, whose number is told later.
pub(crate) fn runs() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style =
        ProgressStyle::with_template("{wide_bar} {pos}/{len} runs, {elapsed} (left: {eta}), {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// How far a configuration's run is.
pub(crate) struct RunBar {
    bar: ProgressBar,
    warmup_cycles: u32,
    /// Warm-up and measurement; 0 where nobody knows how long it takes.
    cycles: u64,
}

/// The progress of a configuration's run.
pub(crate) fn of_run(resolved: &Resolved) -> RunBar {
    let run = &resolved.run;
    let cycles = if resolved.traffic.process.is_open_loop() {
        u64::from(run.warmup_cycles) + u64::from(run.measure_cycles)
    } else {
        0
    };
    RunBar {
        bar: if cycles > 0 { bar(cycles) } else { spinner() },
        warmup_cycles: run.warmup_cycles,
        cycles,
    }
}

impl RunBar {
    /// Shows where the run is.
    pub(crate) fn show(&self, progress: Progress) {
        let now = progress.cycle.get();
        self.bar.set_message(match () {
            () if self.cycles == 0 => "routing",
            () if now < self.warmup_cycles => "warm-up",
            () if u64::from(now) < self.cycles => "measuring",
            () => "draining",
        });
        self.bar.set_position(match self.cycles {
            0 => now.into(),
            cycles => cycles.min(now.into()),
        });
    }

    /// Takes it away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// How often a sweep tells where it is, where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// How far a sweep is: a bar, or a line now and then.
pub(crate) struct Points {
    bar: ProgressBar,
    stage: Option<Stage>,
    /// When its stage began, with how many points, and when the last line was written.
    begun: (Instant, u32),
    told: Instant,
}

impl Points {
    pub(crate) fn new() -> Points {
        let bar = ProgressBar::new(0);
        let template = "{msg:<9} {wide_bar} {human_pos}/{human_len} points, {per_sec}, {elapsed} (left: {eta})";
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        let now = Instant::now();
        Points {
            bar,
            stage: None,
            begun: (now, 0),
            told: now,
        }
    }

    /// Shows where the sweep is.
    pub(crate) fn show(&mut self, step: Step) {
        if self.stage != Some(step.stage) {
            self.begin(step);
        }
        self.bar.set_position(step.done.into());
        if self.bar.is_hidden() && self.told.elapsed() >= LINE_EVERY {
            self.told = Instant::now();
            self.tell(step);
        }
    }

    fn begin(&mut self, step: Step) {
        let name = match step.stage {
            Stage::Checking => "checking",
            Stage::Running => "running",
            Stage::Writing => "writing",
        };
        self.stage = Some(step.stage);
        self.begun = (Instant::now(), step.done);
        self.bar.set_message(name);
        self.bar.set_length(step.of.into());
        self.bar.set_position(step.done.into());
        self.bar.reset_eta();
        if self.bar.is_hidden() && step.stage == Stage::Running {
            let left = step.of - step.done;
            complain(&format!("sweep: {left} of {} points to run", step.of));
        }
    }

    fn tell(&self, step: Step) {
        let (begun, from) = self.begun;
        let rate = f64::from(step.done - from) / begun.elapsed().as_secs_f64();
        let left = f64::from(step.of - step.done) / rate;
        let left = if left.is_finite() {
            format!("{left:.0} s left")
        } else {
            "time left unknown".into()
        };
        complain(&format!(
            "sweep: {} of {} points, {rate:.2}/s, {left}",
            step.done, step.of
        ));
    }

    /// Takes it away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
