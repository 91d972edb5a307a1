//! Progress bars on standard error. If that isn't a terminal, sweeps print a line now and then, and other commands
//! print nothing.

use crate::exit::{Interruption, complain};
use flitwork_config::Resolved;
use flitwork_experiment::simulate::Progress;
use flitwork_sweep::{Stage, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A spinner, for when the number of cycles isn't known.
pub(crate) fn spinner() -> ProgressBar {
    let template = "{spinner} {msg}, {human_pos} cycles, {elapsed}";
    styled(ProgressBar::new_spinner(), template)
}

/// A spinner that says what is being done.
pub(crate) fn waiting() -> ProgressBar {
    styled(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}")
}

/// A bar over the runs of a study, whose number is set later; a message follows a comma of its own.
pub(crate) fn runs() -> ProgressBar {
    let template = "{wide_bar} {pos}/{len} runs, {elapsed} (left: {eta}){msg}";
    styled(ProgressBar::new(0), template)
}

/// Shows a bar over a check that counts its destinations, until the user interrupts it.
pub(crate) fn over_destinations<T>(
    interruption: &Interruption,
    work: impl FnOnce(&mut dyn FnMut(u32, u32) -> ControlFlow<()>) -> T,
) -> T {
    let template = "{wide_bar} {pos}/{len} destinations, {elapsed}";
    let bar = styled(ProgressBar::new(0), template);
    let done = work(&mut |done, of| {
        bar.set_length(of.into());
        bar.set_position(done.into());
        interruption.flow()
    });
    bar.finish_and_clear();
    done
}

/// Shows a bar over work that counts its runs, until the user interrupts it.
pub(crate) fn over_runs<T>(
    interruption: &Interruption,
    work: impl FnOnce(&mut dyn FnMut(u32, u32) -> ControlFlow<()>) -> T,
) -> T {
    let bar = runs();
    let done = work(&mut |done, of| {
        bar.set_length(of.into());
        bar.set_position(done.into());
        interruption.flow()
    });
    bar.finish_and_clear();
    done
}

/// The progress of a configuration's run.
pub(crate) struct RunBar {
    bar: ProgressBar,
    warmup_cycles: u32,
    /// The cycles of warm-up and measurement; 0 if the length of the run isn't known.
    cycles: u64,
}

/// A bar or a spinner for a configuration's run.
pub(crate) fn of_run(resolved: &Resolved) -> RunBar {
    let run = &resolved.run;
    let cycles = match resolved.traffic.process.is_open_loop() {
        true => u64::from(run.warmup_cycles) + u64::from(run.measure_cycles),
        false => 0,
    };
    let template = "{msg:<10} {wide_bar} {human_pos}/{human_len} cycles, {elapsed} (left: {eta})";
    RunBar {
        bar: match cycles {
            0 => spinner(),
            cycles => styled(ProgressBar::new(cycles), template),
        },
        warmup_cycles: run.warmup_cycles,
        cycles,
    }
}

impl RunBar {
    /// Shows the run's progress.
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

    /// Removes it.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// How often a sweep prints its progress if standard error isn't a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar for a stage of a sweep, at the given step.
fn points(name: &'static str, step: Step, target: ProgressDrawTarget) -> ProgressBar {
    let template =
        "{msg:<9} {wide_bar} {human_pos}/{human_len} points, {per_sec}, {elapsed} (left: {eta})";
    let bar = ProgressBar::with_draw_target(Some(step.of.into()), target);
    let bar = styled(bar, template)
        .with_position(step.done.into())
        .with_message(name);
    bar.reset_eta();
    bar
}

/// The progress of a sweep: a bar, or a line now and then.
pub(crate) struct Points {
    bar: ProgressBar,
    /// Makes the target on which a stage's bar is drawn.
    target: Box<dyn Fn() -> ProgressDrawTarget>,
    stage: Option<Stage>,
    /// When the stage began, and how many points were done then.
    begun: (Instant, u32),
    /// When the last line was printed.
    printed: Instant,
}

impl Points {
    pub(crate) fn new() -> Points {
        Points::on(Box::new(ProgressDrawTarget::stderr))
    }

    fn on(target: Box<dyn Fn() -> ProgressDrawTarget>) -> Points {
        let now = Instant::now();
        Points {
            bar: ProgressBar::hidden(),
            target,
            stage: None,
            begun: (now, 0),
            printed: now,
        }
    }

    /// Shows the sweep's progress.
    pub(crate) fn show(&mut self, step: Step) {
        if self.stage != Some(step.stage) {
            self.begin(step);
        }
        self.bar.set_position(step.done.into());
        if self.bar.is_hidden() && self.printed.elapsed() >= LINE_EVERY {
            self.printed = Instant::now();
            self.print_line(step);
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
        // Each stage has its own bar: none may show the new stage's name with the old one's counts.
        self.bar.finish_and_clear();
        self.bar = points(name, step, (self.target)());
        if self.bar.is_hidden() && step.stage == Stage::Running {
            let left = step.of - step.done;
            complain(&format!("sweep: {left} of {} points to run", step.of));
        }
    }

    fn print_line(&self, step: Step) {
        let (begun, from) = self.begun;
        let rate = f64::from(step.done - from) / begun.elapsed().as_secs_f64();
        let left = f64::from(step.of - step.done) / rate;
        let left = match left.is_finite() {
            true => format!("{left:.0} s left"),
            false => "time left unknown".into(),
        };
        complain(&format!(
            "sweep: {} of {} points, {rate:.2}/s, {left}",
            step.done, step.of
        ));
    }

    /// Removes it.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// A terminal that keeps all that is ever drawn on it.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl Paper {
        fn put(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.put(text).and_then(|()| self.put("\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.put(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.put("\n")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Five points are checked, then run: nothing drawn for the second stage shows the first one's count of five.
    #[test]
    fn a_stage_is_never_drawn_with_the_counts_of_the_one_before() {
        let paper = Paper::default();
        let of = paper.clone();
        let mut points = Points::on(Box::new(move || {
            ProgressDrawTarget::term_like_with_hz(Box::new(of.clone()), 255)
        }));
        for (stage, done) in [
            (Stage::Checking, 0),
            (Stage::Checking, 5),
            (Stage::Running, 0),
            (Stage::Running, 1),
        ] {
            let of = 5;
            points.show(Step { stage, done, of });
            // Bars are drawn only now and then; here, after every step.
            points.bar.force_draw();
        }
        points.end();
        let drawn = paper.0.lock().unwrap().clone();
        let running: Vec<&str> = drawn.lines().filter(|it| it.contains("running")).collect();
        assert!(running[0].contains("0/5 points"), "{drawn}");
        assert!(!running.iter().any(|it| it.contains("5/5")), "{drawn}");
    }
}
