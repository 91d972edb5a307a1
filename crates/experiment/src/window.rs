//! The cycles of a configuration's run.

use flitwork_config::Resolved;
use flitwork_measure::Window;
use flitwork_types::Cycle;

/// The measured cycles: those after the warm-up, or the whole run for traffic that is not open-loop.
pub fn window(resolved: &Resolved) -> Window {
    let run = &resolved.run;
    let (start, end) = if resolved.traffic.process.is_open_loop() {
        (
            Cycle(run.warmup_cycles),
            Cycle(run.warmup_cycles) + run.measure_cycles,
        )
    } else {
        (Cycle::ZERO, Cycle(run.deadline_cycles))
    };
    Window::new(start, end).expect("a configuration measures at least one cycle")
}

/// The cycle before which every run ends.
pub fn last_cycle(resolved: &Resolved) -> Cycle {
    let run = &resolved.run;
    match resolved.traffic.process.is_open_loop() {
        true => window(resolved).end() + run.drain_cycles + run.drain_cycles,
        false => Cycle(run.deadline_cycles),
    }
}
