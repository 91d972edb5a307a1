//! A recalled run as those need it who show it.

use crate::trace::session::{Session, replay_differs};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_debug::TimeUnit;
use flitwork_debug::rows::PacketRow;
use flitwork_experiment::recall::Recalled;
use flitwork_experiment::simulation::{Differs, Simulation};
use flitwork_node::AnyProbe;
use flitwork_view::run::{Repeats, Run, Use};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// The run of a session, as it is shown.
pub(crate) fn run_of(session: Session<'_>) -> Run {
    let (name, recalled) = session.into_parts();
    let (resolved, is_record) = (&recalled.resolved, recalled.is_record());
    Run {
        about: about(resolved, is_record),
        configuration: resolved.to_toml(),
        seed: resolved.run.seed,
        shape: resolved.network.shape.clone(),
        words_travel_alone: resolved.router.facts().words_travel_alone,
        unit: match resolved.run.engine {
            _ if is_record => TimeUnit::Steps,
            EngineChoice::Clocked => TimeUnit::Picoseconds,
            _ => TimeUnit::Cycles,
        },
        end: recalled.end(),
        cycle_time: recalled.cycle_time(),
        is_record,
        name: name.clone(),
        repeats: Box::new(OfRecalled {
            name,
            recalled,
            differs: Mutex::default(),
        }),
    }
}

fn about(resolved: &Resolved, is_record: bool) -> Vec<(String, String)> {
    let run = &resolved.run;
    let kind = match is_record {
        true => "a record, replayed",
        false => "a configuration, run again",
    };
    let lines = [
        ("run", kind.to_owned()),
        ("router", resolved.router.name().to_owned()),
        ("nodes", shape_text(resolved)),
        ("engine", run.engine.name().to_owned()),
        ("seed", run.seed.to_string()),
        ("warm-up", format!("{} cycles", run.warmup_cycles)),
        ("measured", format!("{} cycles", run.measure_cycles)),
    ];
    lines.map(|(name, value)| (name.to_owned(), value)).into()
}

/// How many nodes there are, and how they lie.
fn shape_text(resolved: &Resolved) -> String {
    match resolved.network.shape.grid() {
        Some(grid) => {
            let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
            format!("{} {}", sides.join(" x "), grid.kind())
        }
        None => format!("a graph of {}", resolved.network.nodes()),
    }
}

struct OfRecalled {
    name: String,
    recalled: Recalled,
    /// Where replays note that they aren't what the record says.
    differs: Mutex<Vec<Differs>>,
}

impl Repeats for OfRecalled {
    fn begin(&self, usage: Use, probe: AnyProbe) -> Box<Simulation> {
        let (simulation, differs) = self.recalled.simulation(usage, probe);
        let mut all = self.differs.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(differs);
        simulation
    }

    fn packets(
        &self,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Vec<PacketRow>>, String> {
        let mut is_whole = true;
        let rows = self.recalled.packets(&mut |progress| {
            is_whole &= go_on(progress.cycle.get().into());
            match is_whole {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let rows = rows.map_err(|error| error.to_string())?;
        Ok(is_whole.then_some(rows))
    }

    fn differs(&self) -> Option<String> {
        let all = self.differs.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find_map(|it| replay_differs(&self.name, it))
    }
}
