//! Studies of our own: tables over a parameter, made by one command each.
//!
//! A study is a file here and its line in the table.

mod clocking;

pub use crate::contract::{FileIn, OwnFile, Plot, Ran, Steps, Study, StudyEntry, StudyFigure};

/// Declares the studies' modules, and the table of their entries.
macro_rules! table {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// The studies that the program comes with, sorted by name.
        const BUILT_IN: &[StudyEntry] = &[$($module::ENTRY),*];
    };
}

table! {
    async_exp2,
    async_load,
    chaos_readings,
    crossing,
    cut_through,
    deadlock_frequency,
    deflection,
    duplex,
    greedy_steps,
    livelock,
    livelock_search,
    multiqueue,
    routers,
    self_timed,
    slow_router,
}

flitwork_schema::part!(StudyEntry { name, help }: "study", BUILT_IN.to_vec());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::{asked, whole_rows};
    use clap::FromArgMatches;
    use flitwork_config::Catalogue;

    /// A study's text says what is set, and what it says to have run has that, and the first seed.
    fn shown<S: Study + FromArgMatches>(entry: &StudyEntry, line: &str, (key, value): (&str, u32)) {
        let set = format!("--set {key}={value}");
        let study: S = asked(entry, &format!("{line} --first-seed 7 --seeds 1 {set}"));
        let text = study.text(&whole_rows(&study));
        assert!(text.lines().any(|it| it == set), "{}: {text}", entry.name);
        let all = study.configurations(&Catalogue::default());
        assert!(!all.is_empty(), "{}", entry.name);
        let (_, key) = key.rsplit_once('.').unwrap();
        for (name, text) in all {
            let has = |key: &str| text.lines().any(|it| it == key);
            assert!(has("seed = 7"), "{}, {name}: {text}", entry.name);
            assert!(
                has(&format!("{key} = {value}")),
                "{}, {name}: {text}",
                entry.name
            );
        }
    }

    #[test]
    fn what_is_set_is_shown() {
        let threshold = ("router.chaos.stall_threshold_cycles", 3);
        let latency = ("network.link_latency_cycles", 2);
        shown::<async_exp2::AsyncExp2>(
            &async_exp2::ENTRY,
            "--n 120 --spreads 0 --synchronizer 0",
            threshold,
        );
        shown::<chaos_readings::ChaosReadings>(
            &chaos_readings::ENTRY,
            "--readings usual --n 60",
            threshold,
        );
        shown::<cut_through::CutThrough>(
            &cut_through::ENTRY,
            "--side 3 --packet-words 1 --cycles 100",
            latency,
        );
        shown::<greedy_steps::GreedySteps>(&greedy_steps::ENTRY, "--n 8", latency);
        shown::<livelock_search::LivelockSearch>(
            &livelock_search::ENTRY,
            "--n 4 --topology torus --deadline 5000",
            ("router.chaos.output_reopen_cycles", 2),
        );
        shown::<self_timed::SelfTimed>(
            &self_timed::ENTRY,
            "--routers chaos --topologies mesh --side 4 --spreads 0 --corners 0 --lengths 1 --designs binned --time 500",
            threshold,
        );
    }
}
