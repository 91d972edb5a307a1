//! A recalled run as those need it who show it.

use crate::trace::session::Session;
use flitwork_config::EngineChoice;
use flitwork_debug::TimeUnit;
use flitwork_debug::rows::PacketRow;
use flitwork_experiment::recall::Recalled;
use flitwork_experiment::simulation::{Differs, Simulation};
use flitwork_node::AnyProbe;
use flitwork_topology::Shape;
use flitwork_view::run::{Run, Use};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

pub(crate) struct OfRecalled {
    name: String,
    recalled: Recalled,
    /// Where replays note that they aren't what the record says.
    differs: Mutex<Vec<Differs>>,
}

impl OfRecalled {
    pub(crate) fn new(session: Session<'_>) -> OfRecalled {
        let (name, recalled) = session.into_parts();
        OfRecalled {
            name,
            recalled,
            differs: Mutex::default(),
        }
    }
}

impl Run for OfRecalled {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn about(&self) -> Vec<(String, String)> {
        let resolved = &self.recalled.resolved;
        let run = &resolved.run;
        let kind = match self.recalled.is_record() {
            true => "a record, replayed",
            false => "a configuration, run again",
        };
        let lines = [
            ("run", kind.to_owned()),
            ("router", resolved.router.name().to_owned()),
            ("nodes", self.shape_text()),
            ("engine", run.engine.name().to_owned()),
            ("seed", run.seed.to_string()),
            ("warm-up", format!("{} cycles", run.warmup_cycles)),
            ("measured", format!("{} cycles", run.measure_cycles)),
        ];
        let lines = lines.into_iter();
        lines
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    fn configuration(&self) -> String {
        self.recalled.resolved.clone().to_toml()
    }

    fn shape(&self) -> &Shape {
        &self.recalled.resolved.network.shape
    }

    fn words_travel_alone(&self) -> bool {
        self.recalled.resolved.router.facts().words_travel_alone
    }

    fn begin(&self, usage: Use, probe: AnyProbe) -> Box<Simulation> {
        let (simulation, differs) = self.recalled.simulation(usage, probe);
        let mut all = self.differs.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(differs);
        simulation
    }

    fn unit(&self) -> TimeUnit {
        match (self.is_record(), self.recalled.resolved.run.engine) {
            (true, _) => TimeUnit::Steps,
            (false, EngineChoice::Clocked) => TimeUnit::Picoseconds,
            (false, _) => TimeUnit::Cycles,
        }
    }

    fn end(&self) -> u64 {
        self.recalled.end()
    }

    fn cycle_time(&self) -> u64 {
        self.recalled.cycle_time()
    }

    fn is_record(&self) -> bool {
        self.recalled.is_record()
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
        all.iter().find_map(|differs| {
            let found = differs.lock().unwrap_or_else(PoisonError::into_inner);
            let found = found.as_ref()?;
            Some(format!(
                "{}: the replay differs from the record: {found}",
                self.name
            ))
        })
    }
}

impl OfRecalled {
    pub(crate) fn seed(&self) -> u64 {
        self.recalled.resolved.run.seed
    }

    /// How many nodes there are, and how they lie.
    fn shape_text(&self) -> String {
        match self.shape().grid() {
            Some(grid) => {
                let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
                format!("{} {}", sides.join(" x "), grid.kind())
            }
            None => format!("a graph of {}", self.recalled.resolved.network.nodes()),
        }
    }
}
