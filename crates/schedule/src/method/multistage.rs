//! `multistage`: packets get their ways one after the other (Symvonis and Tidswell 1994).

use super::{About, MethodParameters, ScheduleResult, Unmade, mesh};
use crate::bounds::Model;
use crate::multistage::{
    Mended, Mender, Mesh, Order, Paths, ProblemError, Rules, Scheduler, Search, Selection, Ties,
    longest_first,
};
use crate::{Plan, Request};
use flitwork_schema::{
    Allowed, Datum, Field, Key, RawTable, Refusal, Value, key, only_with, settings,
};
use flitwork_topology::{NetworkReading, Shape, Topology};

/// Which packets are first, on which paths, and what is tried where a schedule misses the distance.
#[derive(Clone, Debug, PartialEq)]
pub struct MultistageParameters {
    order: Named,
    /// `None` until the network is known.
    select: Option<Select>,
    ties: Ties,
    waiting: u32,
    detours: bool,
    tries: u32,
    seed: u64,
    /// Whether the network is a mesh of rows and columns.
    is_mesh: bool,
}

/// An order by its name, and the part once it is found.
#[derive(Clone, Debug, PartialEq)]
struct Named(String, Option<Order>);

impl Field for Named {
    fn set(&mut self, value: &Value) {
        self.0.set(value);
    }

    fn get(&self) -> Option<Datum> {
        self.0.get()
    }
}

/// Which paths are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Select {
    /// Of one bend at most.
    Bend(Selection),
    /// That which arrives the earliest.
    Earliest,
}

/// The name of the selection that searches a graph.
const EARLIEST: &str = "earliest";
/// The names of selections, with short ones.
#[rustfmt::skip]
const SELECTIONS: &[&str] = &[
    EARLIEST, "horizontal", "horizontal-first", "path", "path-selection", "vertical", "vertical-first",
];
/// The names of ties, with short ones.
#[rustfmt::skip]
const TIES: &[&str] = &[
    "column-major", "destination-column-major", "destination-row-major", "random", "row-major", "source-column-major", "source-row-major",
];

impl Default for Select {
    fn default() -> Select {
        Select::Bend(Selection::PathSelection)
    }
}

impl Select {
    fn name(self) -> &'static str {
        match self {
            Select::Bend(selection) => selection.name(),
            Select::Earliest => EARLIEST,
        }
    }
}

impl Field for Select {
    fn set(&mut self, value: &Value) {
        let bend = Selection::find(value.datum.as_text().unwrap_or_default());
        *self = bend.map_or(Select::Earliest, Select::Bend);
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::text(self.name()))
    }
}

impl Field for Ties {
    fn set(&mut self, value: &Value) {
        let found = Ties::find(value.datum.as_text().unwrap_or_default());
        *self = found.expect("a name that the key allows");
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::text(self.name()))
    }
}

impl MethodParameters for MultistageParameters {
    const NAME: &'static str = "multistage";
    const HELP: &'static str =
        "packets get their paths one after the other, each the earliest that is left";
    #[rustfmt::skip]
    const KEYS: &'static [Key<MultistageParameters>] = &[
        key("order", |it| &mut it.order, Allowed::Part(|parts| parts.names::<Order>()), "\"longest-total\"", "which packets get their paths first; others than the default need a mesh with two sides"),
        key("select", |it| &mut it.select, Allowed::Choice(SELECTIONS), "\"path-selection\" on a mesh with two sides; elsewhere \"earliest\"", "the paths that are tried: of one bend, or that which arrives the earliest"),
        only_with("a mesh with two sides", key("ties", |it| &mut it.ties, Allowed::Choice(TIES), "\"source-row-major\"", "which of two packets of one rank is first")),
        only_with("schedule.multistage.select = \"earliest\"", key("waiting", |it| &mut it.waiting, Allowed::Whole(0, u32::MAX as u64), "0", "packets that may wait in a node at once, besides those that haven't left their sources")),
        only_with("schedule.multistage.select = \"earliest\"", key("detours", |it| &mut it.detours, Allowed::Truth, "false", "whether packets may leave shortest paths")),
        only_with("paths of one bend: schedule.multistage.select isn't \"earliest\"", key("tries", |it| &mut it.tries, Allowed::Whole(0, u32::MAX as u64), "0", "random tie orders, and random orders, that are tried where a schedule misses the distance; then a search with waiting, with detours, with both")),
        only_with("schedule.multistage.order or schedule.multistage.ties = \"random\", or schedule.multistage.tries", key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX), "run.seed", "the seed of random orders and ties")),
    ];

    fn seeded(seed: u64) -> MultistageParameters {
        let usual = Rules::default();
        MultistageParameters {
            order: Named(usual.order.name().to_owned(), None),
            select: None,
            ties: usual.ties,
            waiting: 0,
            detours: false,
            tries: 0,
            seed,
            is_mesh: true,
        }
    }

    fn suit(&mut self, given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<(), Refusal> {
        self.order.1 = reading.parts.find(&self.order.0);
        let error = mesh(reading.shape).err();
        self.is_mesh = error.is_none();
        let usual = match self.is_mesh {
            true => Select::default(),
            false => Select::Earliest,
        };
        let select = *self.select.get_or_insert(usual);
        let Some(error) = error else {
            return Ok(());
        };
        if select != Select::Earliest {
            let allowed =
                format!("\"earliest\": paths of one bend are a mesh's, and this is {error}");
            return Err(given.conflict("select", allowed));
        }
        let usual = Rules::default().order.name();
        if self.order.0 != usual {
            let allowed = format!("{usual:?}: {error}, which has no rows and columns");
            return Err(given.conflict("order", allowed));
        }
        Ok(())
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let is_earliest = self.select == Some(Select::Earliest);
        let is_drawn = self.order.0 == "random" || self.ties == Ties::Random || self.tries > 0;
        let mut all = settings(Self::KEYS, self);
        all.retain(|(key, _)| match *key {
            "ties" => self.is_mesh,
            "waiting" | "detours" => is_earliest,
            "tries" => !is_earliest,
            "seed" => self.is_mesh && is_drawn,
            _ => true,
        });
        all
    }

    fn model(&self) -> Model {
        Model::new(self.waiting, self.detours)
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        match (self.select, mesh(shape)) {
            (Some(Select::Bend(selection)), Ok(mesh)) => self.bent(mesh, selection, requests),
            (_, mesh) => self.searched(shape, mesh.ok(), requests),
        }
    }
}

impl MultistageParameters {
    fn rules(&self, selection: Selection) -> Rules {
        let usual = Rules::default();
        Rules {
            order: self.order.1.unwrap_or(usual.order),
            ties: self.ties,
            seed: self.seed,
            selection,
        }
    }

    /// Paths with one bend at most.
    fn bent(
        &self,
        mesh: Mesh,
        selection: Selection,
        requests: &[Request],
    ) -> Result<ScheduleResult, Unmade> {
        let rules = self.rules(selection);
        let mut scheduler = Scheduler::new(mesh.clone());
        let scheduled = scheduler.schedule(requests, &rules)?;
        let mut plans = scheduler.plans(requests);
        let text = |text: &str| Some(Datum::text(text));
        let mut summary = vec![
            ("order", text(rules.order.name())),
            ("select", text(selection.name())),
            ("ties", text(rules.ties.name())),
        ];
        if self.tries > 0 && scheduled.excess() > 0 {
            let mended = Mender::new(mesh, self.tries).mend(requests, &rules)?;
            let order = scheduler.order(requests, &rules)?.to_vec();
            if let Some(better) = mend(requests, &mut scheduler, &rules, &order, mended)? {
                plans = better;
            }
            summary.extend(as_values(mended));
        }
        Ok(ScheduleResult { plans, summary })
    }

    /// The path of each packet that arrives the earliest.
    fn searched<T: Topology>(
        &self,
        topology: &T,
        mesh: Option<Mesh>,
        requests: &[Request],
    ) -> Result<ScheduleResult, Unmade> {
        let rules = self.rules(Selection::PathSelection);
        let (order, ties) = match mesh {
            Some(mesh) => {
                let mut scheduler = Scheduler::new(mesh);
                let order = scheduler.order(requests, &rules)?;
                (order.to_vec(), rules.ties.name())
            }
            None => (longest_first(topology, requests), "packets' order"),
        };
        let Model { waiting, paths } = self.model();
        let plans = Search::new(topology, waiting, paths).schedule(requests, &order);
        Ok(ScheduleResult {
            plans: plans?,
            summary: vec![
                ("order", Some(Datum::text(rules.order.name()))),
                ("select", Some(Datum::text(EARLIEST))),
                ("ties", Some(Datum::text(ties))),
                ("may_wait", Some(Datum::Whole(waiting as i128))),
                ("detours", Some(Datum::Truth(paths == Paths::Any))),
            ],
        })
    }
}

/// What brought the schedule to the longest distance, as it is reported.
fn as_values(mended: Mended) -> [(&'static str, Option<Datum>); 5] {
    let whole = |number: Option<u32>| number.map(|number| Datum::Whole(number.into()));
    let truth = |truth| Some(Datum::Truth(truth));
    [
        ("mended_by_ties", whole(mended.ties)),
        ("mended_by_restarts", whole(mended.restarts)),
        ("mended_by_waiting", truth(mended.waiting)),
        ("mended_by_detours", truth(mended.detours)),
        ("mended_by_both", truth(mended.waiting_and_detours)),
    ]
}

/// The plans that reach the longest distance, if anything does.
fn mend(
    requests: &[Request],
    scheduler: &mut Scheduler,
    rules: &Rules,
    order: &[u32],
    mended: Mended,
) -> Result<Option<Vec<Plan>>, Unmade> {
    let by_ties = mended.ties.map(|number| rules.with_random_ties(number));
    let by_order = mended
        .restarts
        .map(|number| rules.with_random_order(number));
    if let Some(rules) = by_ties.or(by_order) {
        scheduler.schedule(requests, &rules)?;
        return Ok(Some(scheduler.plans(requests)));
    }
    let (waiting, paths) = match mended {
        Mended { waiting: true, .. } => (1, Paths::Shortest),
        Mended { detours: true, .. } => (0, Paths::Any),
        Mended {
            waiting_and_detours: true,
            ..
        } => (1, Paths::Any),
        _ => return Ok(None),
    };
    let grid = scheduler.mesh().grid().clone();
    let plans = Search::new(&grid, waiting, paths).schedule(requests, order);
    Ok(plans.ok())
}

impl From<ProblemError> for Unmade {
    fn from(error: ProblemError) -> Unmade {
        match error {
            ProblemError::Node { .. } => Unmade::new(About::Packets, error, "nodes of the network"),
            ProblemError::Apart { .. } => {
                let allowed = "nodes with links from one to the other";
                Unmade::new(About::Packets, error, allowed)
            }
            ProblemError::Words { .. } => Unmade::new(About::Words, error, "shorter packets"),
            ProblemError::Order => panic!("{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_found() {
        let longs = Selection::ALL
            .iter()
            .flat_map(|(name, it)| [*name, it.short_name()]);
        let mut longs: Vec<&str> = longs.chain([EARLIEST]).collect();
        longs.sort_unstable();
        assert_eq!(longs, SELECTIONS);
        let ties = Ties::ALL
            .iter()
            .flat_map(|(name, it)| [*name, it.short_name()]);
        let mut ties: Vec<&str> = ties.collect();
        ties.sort_unstable();
        ties.dedup();
        assert_eq!(ties, TIES);
    }

    #[test]
    fn a_node_beyond_the_network_and_one_without_a_way_are_refused_apart() {
        let (packet, node) = (0, flitwork_types::NodeId(16));
        let beyond = Unmade::from(ProblemError::Node { packet, node });
        assert_eq!(beyond.allowed, "nodes of the network");
        let apart = Unmade::from(ProblemError::Apart { packet });
        assert_eq!(apart.allowed, "nodes with links from one to the other");
    }
}
