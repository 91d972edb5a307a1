use super::*;
use flitwork_config::Catalogue;
use flitwork_report::Program;

/// A small mesh of Chaos routers, measured briefly.
pub(crate) const SMALL: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.1\n[run]\nwarmup_cycles = 100\nmeasure_cycles = 500\n";

pub(crate) fn program() -> Program {
    Program {
        version: "1".into(),
        revision: "unknown".into(),
        command: "flitwork sweep small.toml".into(),
    }
}

pub(crate) fn base() -> Base {
    Base::of_text(&Catalogue::default(), "small.toml", SMALL, Vec::new())
}

pub(crate) fn plan(over: &[&str], seeds: u32) -> Plan {
    let axes = over.iter().map(|text| text.parse().unwrap()).collect();
    Plan::new(base(), axes, seeds).unwrap()
}

#[test]
fn the_first_axis_is_slowest_and_seeds_are_fastest() {
    let plan = plan(
        &[
            "traffic.load=0.1,0.2",
            "router.chaos.multiqueue_frames=3,4,5",
        ],
        2,
    );
    assert_eq!(plan.points(), 12);
    assert_eq!(plan.values(0), ["0.1", "3"]);
    assert_eq!(plan.values(1), ["0.1", "3"]);
    assert_eq!(plan.values(2), ["0.1", "4"]);
    assert_eq!(plan.values(11), ["0.2", "5"]);
    let seeds = [0, 1, 2].map(|point| plan.resolve(point).unwrap().run.seed);
    assert_eq!(seeds, [1, 2, 1]);
    assert!(
        plan.name(3)
            .contains("traffic.load = 0.1, router.chaos.multiqueue_frames = 4, run.seed = 2")
    );
}

/// The load, wherever it stands; without it the first axis of numbers.
#[test]
fn figures_are_drawn_over_one_axis() {
    let engine = "run.engine=sync,sync-plain";
    let frames = "router.chaos.multiqueue_frames=3,4";
    let latency = "network.link_latency_cycles=1,2";
    let load = "traffic.load=0.1,0.2";
    assert_eq!(plan(&[frames, load, latency], 1).abscissa(), Some(1));
    assert_eq!(plan(&[engine, latency, frames], 1).abscissa(), Some(1));
    assert_eq!(plan(&[engine], 1).abscissa(), None);
}

#[test]
fn a_plan_without_axes_is_one_point() {
    let plan = plan(&[], 1);
    assert_eq!(plan.points(), 1);
    assert!(plan.overrides(0).is_empty());
}

#[test]
fn too_many_points_and_doubled_keys_are_refused() {
    let refused = |over: &[&str], seeds| {
        let axes = over.iter().map(|text| text.parse().unwrap()).collect();
        Plan::new(base(), axes, seeds).unwrap_err().to_string()
    };
    assert!(refused(&["a=1:1000:1", "b=1:1000:1"], 2).contains("2000000 points"));
    assert!(refused(&["a=1", "a=2"], 1).contains("twice"));
    assert!(refused(&["run.seed=1,2"], 2).contains("--seeds"));
}

#[test]
fn seeds_count_from_the_configurations() {
    let mut base = base();
    base.set.push(Override::new("run.seed", "41"));
    let plan = Plan::new(base, Vec::new(), 3).unwrap();
    assert_eq!(plan.resolve(2).unwrap().run.seed, 43);
}
