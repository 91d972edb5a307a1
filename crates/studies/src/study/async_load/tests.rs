use super::*;
use crate::context::tests::Silent;
use crate::options::Seeds;
use std::ops::ControlFlow;

fn repeats(seeds: u32) -> Repeats<3> {
    Repeats {
        over: Seeds {
            first_seed: 1,
            seeds,
        },
        set: Vec::new(),
        jobs: Some(2),
    }
}

fn tiny() -> AsyncLoad {
    AsyncLoad {
        side: 4,
        loads: vec![0.15, 0.9],
        spreads: vec![0.0, 10.0],
        synchronizers: vec![2],
        topologies: vec!["mesh".into()],
        patterns: vec!["uniform".into()],
        repeats: repeats(2),
        cycles: 4000,
    }
}

fn rows_until(asked: &AsyncLoad, stops_at: u32) -> Vec<AsyncLoadRow> {
    match asked.run(&mut Silent::new(stops_at)) {
        Ok(Ran::AsFar(rows) | Ran::Whole(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

fn rows(asked: &AsyncLoad) -> Vec<AsyncLoadRow> {
    rows_until(asked, u32::MAX)
}

fn refused(change: impl FnOnce(&mut AsyncLoad)) -> String {
    let mut asked = tiny();
    change(&mut asked);
    match asked.run(&mut Silent::new(0)) {
        Err(Failed::BadInput(why)) => why.split(':').next().unwrap_or_default().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_runs() {
    assert_eq!(refused(|asked| asked.side = 0), "--side");
    assert_eq!(refused(|asked| asked.loads = vec![0.2, 0.1]), "--loads");
    for topology in ["ring", ""] {
        assert_eq!(
            refused(|asked| asked.topologies = vec![topology.into()]),
            "--topologies"
        );
    }
    for pattern in ["no", "many-to-one"] {
        assert_eq!(
            refused(|asked| asked.patterns = vec![pattern.into()]),
            "--patterns"
        );
    }
}

/// Crossings cost latency at a low load and throughput at a high one, and the report says so.
#[test]
fn separate_clocks_cost_latency_and_load() {
    let asked = tiny();
    let rows = rows(&asked);
    // One clock, two spreads and self-timed nodes, at two loads.
    assert_eq!(rows.len(), 4 * 2);
    let (one, crossing) = (&rows[0..2], &rows[2..4]);
    assert_eq!(
        (
            one[0].clocking.kind(),
            crossing[0].clocking.spread_percent()
        ),
        ("one-clock", Some(0.0))
    );
    assert!(one[0].steady, "{:?}", one[0].unsteady);
    assert!(crossing[0].latency.unwrap().mean > one[0].latency.unwrap().mean + 5.0);
    assert!(!one[1].steady && !crossing[1].steady);
    assert!(crossing[1].accepted.mean < one[1].accepted.mean);
    for row in &rows {
        assert_eq!((row.accepted.batches, row.left_packets), (2, 0));
    }
    let text = async_load_text(&asked, &rows);
    for say in [
        "4 x 4 nodes",
        "mesh, uniform: latency, mean",
        "mesh, uniform: accepted load",
        ") o",
        "self-timed",
        "mesh, uniform, load 0.15: latency ",
        "mesh, uniform, saturated at load 0.9: ",
        " at 10 % spread",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    let figures = async_load_figures(&asked, &rows);
    assert_eq!(figures.len(), 1);
    assert_eq!(figures[0].0, "async-load-mesh-uniform.svg");
    assert!(figures[0].1.contains("self-timed"));
}

/// A network may accept most at a different load, on the way to saturation: the comparison is of accepted loads at the
/// same configured load.
#[test]
fn saturated_networks_are_compared_at_one_load() {
    let asked = tiny();
    let mut rows = rows(&asked);
    let mut set = |number: usize, mean: f64| rows[number].accepted.mean = mean;
    // One clock and no spread, each at loads 0.15 and 0.9.
    [0.3, 0.4, 0.9, 0.3]
        .into_iter()
        .enumerate()
        .for_each(|(number, mean)| set(number, mean));
    let text = async_load_text(&asked, &rows);
    let says = "mesh, uniform, saturated at load 0.9: 0.4000 words/node/cycle accepted under one clock; \
        0.3000 (-25.0 %) at 0 % spread";
    assert!(text.contains(says), "{text}");
}

/// Under one clock a point equals what `flitwork run` gives for the same configuration.
#[test]
fn a_single_seed_has_the_interval_of_its_batches() {
    let asked = AsyncLoad {
        repeats: repeats(1),
        loads: vec![0.1],
        patterns: vec!["hot-spot".into()],
        topologies: vec!["torus".into()],
        ..tiny()
    };
    let text = "network = { topology = \"torus\", sides = [4, 4] }\nrouter.chaos = {}\n\
        traffic = { load = 0.1, pattern = \"hot-spot\", hot_nodes = [5, 7, 13, 15], hot_fraction = 0.1 }\n\
        run = { warmup_cycles = 2000, measure_cycles = 4000, drain_cycles = 2000 }";
    let resolved = flitwork_config::resolve(text, "text", std::path::Path::new(""), &[]).unwrap();
    let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let results = Results::new(&resolved, &run);
    let row = &rows(&asked)[0];
    assert_eq!(row.latency, results.latency.mean);
    assert_eq!(row.accepted, results.load.unwrap().accepted);
    assert_eq!(
        row.latency_p99,
        results.latency.percentiles.get("p99").map(|p99| p99 as f64)
    );
    assert_eq!(row.accepted.batches, 20);
}

/// One after the other, so that the first point's seeds are done once three runs are.
#[test]
fn it_ends_with_the_points_that_are_done() {
    let mut asked = tiny();
    asked.repeats.jobs = Some(1);
    let rows = rows_until(&asked, 3);
    assert!(!rows.is_empty() && rows.iter().all(|row| row.seeds == 2));
    assert_eq!(rows[0].clocking, Clocking::OneClock);
    async_load_text(&asked, &rows);
    assert!(async_load_figures(&asked, &[]).is_empty());
}

/// A row is what its runs come to, with the seeds and the keys that are asked for; those that the study sets are refused.
#[test]
fn runs_have_their_seeds_and_keys() {
    let with = |seeds, frames: &str| {
        let mut asked = tiny();
        asked.loads = vec![0.9];
        asked.spreads = vec![5.0];
        asked.repeats = repeats(seeds);
        asked.repeats.over.first_seed = 7;
        asked.repeats.set = vec![set("router.chaos.multiqueue_frames", frames)];
        rows(&asked)
    };
    let (usual, few) = (with(2, "5"), with(2, "1"));
    for (usual, few) in usual.iter().zip(&few) {
        let seeds: Vec<u64> = usual.seen.iter().map(|run| run.seed).collect();
        assert_eq!(seeds, [7, 8]);
        let accepted = |at: usize| usual.seen[at].accepted.unwrap();
        assert!((usual.accepted.mean - (accepted(0) + accepted(1)) / 2.0).abs() < 1e-12);
        assert!(few.accepted.mean < 0.9 * usual.accepted.mean, "{few:?}");
    }
    assert_eq!(with(1, "5")[0].seen[0], usual[0].seen[0]);
    for key in [
        "run.engine",
        "clocks.period_ps",
        "traffic.load",
        "network.handshake.request_ps",
    ] {
        assert_eq!(
            refused(|asked| asked.repeats.set = vec![set(key, 1)]),
            format!("--set {key}=1")
        );
    }
}
