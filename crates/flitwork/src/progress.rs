//! Progress bars on standard error; nothing where that isn't a terminal.

use flitwork_experiment::config::Resolved;
use flitwork_experiment::simulate::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

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
