//! Progress bars on standard error; nothing where that isn't a terminal.

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
