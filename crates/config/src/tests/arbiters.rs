//! `[clocks.arbiter]`: where it has something to decide, and whom it is given to.

use super::clocks::clocked;
use super::refused_clocks::check;
use flitwork_network::{Arbiter, Clock, Crossing};

/// Each node of the short configuration has a clock of its own.
const ALONE: &str = "[clocks]\nphase = \"random\"\n";
const ARBITER: &str = "[clocks.arbiter]\nwindow_ps = 5\ntau_ps = 70\n";
const DECIDES: Arbiter = Arbiter {
    window_ps: 5,
    tau_ps: 70,
};

/// The crossings, of all links and of single ones, whose clocks wait.
fn waits(tables: &str) -> Vec<Crossing> {
    let links = clocked(tables).clocks().links;
    let crossings = links.crossings().filter(|it| it.pause.is_some());
    crossings.copied().collect()
}

#[test]
fn a_pausible_clock_has_something_to_decide() {
    let all = "[[network.crossings]]\nkind = \"pausible\"\ntransfer_ps = 100\n";
    let single = format!("{all}links = [[2, 3]]\n");
    let beside = format!("[[network.crossings]]\nkind = \"synchronizer\"\n{single}");
    for crossings in [all, &single, &beside] {
        for (arbiter, expected) in [("", None), (ARBITER, Some(DECIDES))] {
            let waits = waits(&format!("{crossings}{ALONE}{arbiter}"));
            assert!(!waits.is_empty(), "{crossings}");
            for crossing in waits {
                let pause = crossing.pause.unwrap();
                assert_eq!((pause.transfer_ps, pause.arbiter), (100, expected));
            }
        }
    }
}

/// A self-timed node decides too, beside other crossings and without any.
#[test]
fn a_self_timed_node_has_something_to_decide() {
    let crossing = "[[network.crossings]]\nkind = \"synchronizer\"\n";
    let nodes = "[clocks.self-timed]\nword_ps = 3\ndecision_ps = 1\n";
    for crossings in ["", crossing] {
        let domains = clocked(&format!("{crossings}{nodes}{ARBITER}"))
            .clocks()
            .domains;
        let arbiters = domains.iter().map(|clock| match clock {
            Clock::SelfTimed(node) => node.arbiter,
            Clock::Periodic(_) => None,
        });
        assert!(arbiters.eq([Some(DECIDES); 16]));
    }
}

#[test]
fn other_crossings_leave_nothing_to_decide() {
    let head = "[run]\nengine = \"clocked\"\n";
    for crossing in [
        "",
        "[[network.crossings]]\nkind = \"synchronizer\"\n",
        "[[network.crossings]]\nkind = \"synchronizer\"\nwindow_ps = 3\ntau_ps = 9\n",
        "[[network.crossings]]\nkind = \"dual-clock-fifo\"\ndepth = 8\n",
    ] {
        let tables = format!("{head}{crossing}{ALONE}{ARBITER}");
        let before = tables.lines().position(|line| line == "[clocks.arbiter]");
        let line = 7 + before.unwrap();
        let expected = format!("{line}:1: clocks.arbiter is given");
        check(&[(&tables, &expected)]);
    }
}
