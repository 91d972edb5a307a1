//! Soaks: very many random cases, each from a seed.
//!
//! Each has a short run that is part of the usual tests, and a long one that `--ignored` runs. A failure
//! names its seed; `FLITWORK_SOAK_SEED` starts with that one.

#[path = "soak/bad_input.rs"]
mod bad_input;
#[path = "soak/live_runs.rs"]
mod live_runs;
#[path = "soak/mutate.rs"]
mod mutate;
#[path = "soak/seeds.rs"]
mod seeds;

/// The number in an environment variable.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{name}={text}: {error}")),
    )
}
