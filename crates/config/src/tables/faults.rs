//! Links and routers that fail: `[[faults]]`.

use flitwork_machine::AnyRouter;
use flitwork_network::{Failure, Faults, InFlight};
use flitwork_schema::{
    Allowed, Datum, Entry, Field, Key, RawTable, Refusal, Value, entries, key, only_with, settings,
};
use flitwork_topology::{Shape, Topology};
use flitwork_types::draws::{GOLDEN, mix, split_mix};
use flitwork_types::{Cycle, Due, Duplex, NodeId, Port};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What fails at one time, as a table of `[[faults]]` gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultParameters {
    /// Links, each by the nodes at its ends: all links between the two.
    pub links: Option<Vec<[NodeId; 2]>>,
    /// Routers.
    pub routers: Option<Vec<NodeId>>,
    /// Which part of all links fails, drawn at random.
    pub fraction: Option<f64>,
    /// What these are drawn from.
    pub seed: Option<u64>,
    /// The first cycle in which they don't work.
    pub from_cycle: u32,
    /// The first cycle in which they work again, if they ever do.
    pub until_cycle: Option<u32>,
    /// What happens to worms that are crossing a link when it fails.
    pub in_flight: InFlight,
    /// Cycles until routers know of it.
    pub detection_cycles: Detection,
}

/// Cycles until routers know of a failure; never if `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection(pub Option<u32>);

impl Default for Detection {
    fn default() -> Detection {
        Detection(Some(0))
    }
}

impl Detection {
    /// What configurations call a failure that is never known.
    const NEVER: &'static str = "never";
}

impl Field for Detection {
    fn set(&mut self, value: &Value) {
        self.0 = match value.datum {
            Datum::Text(_) => None,
            _ => {
                let mut cycles = 0;
                Field::set(&mut cycles, value);
                Some(cycles)
            }
        };
    }

    fn get(&self) -> Option<Datum> {
        match &self.0 {
            Some(cycles) => cycles.get(),
            None => Some(Datum::text(Detection::NEVER)),
        }
    }
}

/// All that fails in a run; nothing by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultPlan {
    /// The tables, in their order.
    pub tables: Vec<FaultParameters>,
    /// What they mean for the network; none without a table.
    pub faults: Option<Arc<Faults>>,
}

/// The routers that take faults, for messages.
const TAKING: &str = "router.chaos whose packets don't vanish, router.queueing or router.wormhole";
const LAST: u64 = Cycle::LAST.get() as u64;
const LINK: Allowed = Allowed::List(2, 2, &Allowed::Node);
/// The most times at which routes may change: a router is built for each.
const MAX_EPOCHS: usize = 256;
/// The seed of the links that fail, by default.
const SEED: u64 = 1;

#[rustfmt::skip]
const KEYS: &[Key<FaultParameters>] = &[
    key("links", |it| &mut it.links, Allowed::list(&LINK), "none", "links that fail in both directions, each by the nodes at its ends: `[[3, 4]]`"),
    key("routers", |it| &mut it.routers, Allowed::list(&Allowed::Node), "none", "routers that fail: all their links do, and their terminals neither send nor receive"),
    key("fraction", |it| &mut it.fraction, Allowed::Number(0.0, 1.0, "of all links"), "none", "which part of all links fails, drawn at random; in place of links and routers"),
    only_with("fraction", key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX >> 1), "1", "what these links are drawn from")),
    key("from_cycle", |it| &mut it.from_cycle, Allowed::Whole(0, LAST), "0", "the first cycle in which they don't work: a word that leaves in it is lost"),
    key("until_cycle", |it| &mut it.until_cycle, Allowed::Whole(1, LAST), "never", "the first cycle in which they work again"),
    key("in_flight", |it| &mut it.in_flight, Allowed::Choice(InFlight::NAMES), "\"lost\"", "what becomes of a worm that is crossing a link when it fails: what has crossed goes on to its destination and is lost there, or the rest still crosses"),
    key("detection_cycles", |it| &mut it.detection_cycles, Allowed::WholeOr(0, LAST, Detection::NEVER), "0", "cycles from the failure, and from its end, until routers and sources know: then routes are made again for the links that work"),
];

/// The tables.
pub(crate) fn table() -> Entry {
    let meaning = "links and routers that fail, a table [[faults]] for what fails at one time";
    Entry::tables("faults", "none", meaning, entries(KEYS))
}

impl FaultPlan {
    /// The tables, and what they mean for a network.
    ///
    /// # Errors
    /// Links and routers that aren't there, tables that name nothing or twice, an end that isn't after its beginning, and networks whose
    /// links can't fail.
    pub(crate) fn read(given: &RawTable<'_>, shape: &Shape) -> Result<FaultPlan, Refusal> {
        let tables = given.tables("faults");
        let Some(first) = tables.first() else {
            return Ok(FaultPlan::default());
        };
        let mut plan = FaultPlan::default();
        let mut failures = Vec::new();
        for table in &tables {
            let own: FaultParameters = table.parameters(KEYS)?;
            failures.push(failure(table, &own, shape)?);
            plan.tables.push(own);
        }
        let faults = Faults::of(shape, &failures).map_err(|error| {
            let found = format!("faults is given, on a {}: {error}", kind(shape));
            first.misplaced(found, "a network that is a graph, whose links go both ways")
        })?;
        if faults.epochs().len() > MAX_EPOCHS {
            let found = format!("routes change at {} times", faults.epochs().len() - 1);
            let allowed = format!("up to {} times", MAX_EPOCHS - 1);
            return Err(first.misplaced(found, allowed));
        }
        plan.faults = Some(Arc::new(faults));
        Ok(plan)
    }

    /// Refuses routers that can't run on what is left of the network: `read` reads the router for a network.
    ///
    /// # Errors
    /// A conflict.
    pub(crate) fn take_router(
        &self,
        given: &RawTable<'_>,
        router: &AnyRouter,
        read: impl Fn(&Shape) -> Result<AnyRouter, Refusal>,
    ) -> Result<(), Refusal> {
        let (tables, Some(faults)) = (given.tables("faults"), &self.faults) else {
            return Ok(());
        };
        let first = &tables[0];
        if !router.facts().takes_faults {
            let found = format!("faults is given, with router.{}", router.name());
            let refusal = first.misplaced(found, format!("faults only with {TAKING}"));
            return Err(refusal.decided_by(vec!["router".into()]));
        }
        for epoch in faults.epochs() {
            let since = format!("with the links that work from cycle {} on", epoch.since);
            let again = read(&epoch.shape).map_err(|refusal| {
                let found = format!("{}, {since}", refusal.found);
                refusal.found(found)
            })?;
            if again != *router {
                let found = format!("{} has other parameters, {since}", router.name());
                return Err(first.misplaced(found, "parameters that are given"));
            }
        }
        Ok(())
    }

    /// Says that a network is a graph to its routers, where a router is refused that isn't for graphs.
    pub(crate) fn explain(&self, shape: &Shape, refusal: Refusal) -> Refusal {
        if self.faults.is_none() || refusal.hint.is_some() || !refusal.found.contains("graph of") {
            return refusal;
        }
        let hint = format!(
            "[[faults]] makes the {} a graph, whose links may fail",
            kind(shape)
        );
        refusal.hint(Some(hint))
    }

    /// Refuses links that share a wire.
    ///
    /// # Errors
    /// A conflict.
    pub(crate) fn take_duplex(given: &RawTable<'_>, duplex: Duplex) -> Result<(), Refusal> {
        match given.tables("faults").first() {
            Some(first) if duplex.is_half() => {
                let found = "faults is given, with half-duplex links";
                let refusal = first.misplaced(found, "faults only with network.duplex = \"full\"");
                Err(refusal.decided_by(vec!["network.duplex".into()]))
            }
            _ => Ok(()),
        }
    }

    /// The contents of the tables.
    pub(crate) fn settings(&self) -> Datum {
        Datum::list(
            self.tables
                .iter()
                .map(|it| Datum::table(settings(KEYS, it))),
        )
    }

    /// The network as routers know it while all its links work: a graph if any may fail.
    pub fn intact<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        self.faults.as_ref().map_or(shape, |faults| faults.intact())
    }
}

/// What users call a network.
fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Grid(grid) => format!("{} of {} nodes", grid.kind(), grid.nodes()),
        Shape::Graph(graph) => format!("{graph:?}"),
    }
}

/// What a table means for a network.
fn failure(given: &RawTable<'_>, own: &FaultParameters, shape: &Shape) -> Result<Failure, Refusal> {
    let links = match own.fraction {
        None => {
            given.refuse(
                &["seed"],
                &["fraction"],
                "only with fraction, which draws the links",
            )?;
            named_links(given, own, shape)?
        }
        Some(fraction) => {
            let allowed = "only without fraction, which draws the links";
            given.refuse(&["links", "routers"], &["fraction"], allowed)?;
            drawn(shape, fraction, own.seed.unwrap_or(SEED))
        }
    };
    let routers = own.routers.clone().unwrap_or_default();
    if own.fraction.is_none() && own.links.is_none() && own.routers.is_none() {
        return Err(given.misplaced(
            format!("{} names nothing that fails", given.path()),
            "links, routers or a fraction",
        ));
    }
    for (place, router) in routers.iter().enumerate() {
        let how = match () {
            () if router.0 >= shape.nodes() => {
                format!("router {router}, which the network doesn't have")
            }
            () if routers[..place].contains(router) => format!("router {router} twice"),
            () => continue,
        };
        let allowed = format!("routers 0 to {}, each once", shape.nodes() - 1);
        return Err(given.names_wrongly(("routers", place), &how, allowed));
    }
    let from = Cycle(own.from_cycle);
    if let Some(until) = own.until_cycle.filter(|until| *until <= own.from_cycle) {
        let refusal = given.conflict("until_cycle", format!("more than from_cycle, {from}"));
        return Err(refusal.found(format!("{} is {until}", given.key("until_cycle"))));
    }
    let until = own.until_cycle.map(Cycle);
    let detection = own.detection_cycles.0;
    let last = until.unwrap_or(from).get();
    if detection.is_some_and(|cycles| cycles > Cycle::LAST.get() - last) {
        let allowed = format!(
            "up to {}: no cycle comes after {}",
            Cycle::LAST.get() - last,
            Cycle::LAST
        );
        return Err(given.conflict("detection_cycles", allowed));
    }
    Ok(Failure {
        links,
        routers,
        from,
        until: until.map_or(Due::NEVER, Due::at),
        in_flight: own.in_flight,
        detection_cycles: detection,
    })
}

/// The links between the pairs of nodes that a table names, each by one end.
fn named_links(
    given: &RawTable<'_>,
    own: &FaultParameters,
    shape: &Shape,
) -> Result<Vec<(NodeId, Port)>, Refusal> {
    let mut named = BTreeSet::new();
    let mut all = Vec::new();
    for (place, [one, other]) in own.links.iter().flatten().enumerate() {
        let wrong = |how: String, allowed: String| {
            Err(given.names_wrongly(("links", place), &how, allowed))
        };
        let link = format!("a link of nodes {one} and {other}");
        if let Some(node) = [one, other].into_iter().find(|it| it.0 >= shape.nodes()) {
            let how = format!("node {node}, which the network doesn't have");
            return wrong(how, format!("nodes 0 to {}", shape.nodes() - 1));
        }
        let ports = shape.links(*one).iter();
        let ports: Vec<Port> = ports
            .filter(|port| shape.neighbour(*one, *port) == Some(*other))
            .collect();
        if ports.is_empty() {
            let near = shape.links(*one).iter();
            let near: BTreeSet<NodeId> = near
                .filter_map(|port| shape.neighbour(*one, port))
                .collect();
            let near: Vec<String> = near.iter().map(NodeId::to_string).collect();
            let allowed = format!("node {one} is linked to {}", near.join(", "));
            return wrong(format!("{link}, which aren't linked"), allowed);
        }
        if !named.insert((one.min(other), one.max(other))) {
            return wrong(format!("{link} twice"), "each link once".into());
        }
        all.extend(ports.into_iter().map(|port| (*one, port)));
    }
    Ok(all)
}

/// A fraction of all links, each by its end at the node with the lower number.
fn drawn(shape: &Shape, fraction: f64, seed: u64) -> Vec<(NodeId, Port)> {
    let nodes = (0..shape.nodes()).map(NodeId);
    let ends = nodes.flat_map(|node| {
        let ports = shape.links(node).iter();
        ports.map(move |port| (node, port))
    });
    let links: Vec<(NodeId, Port)> = ends
        .filter(|end| shape.far(end.0, end.1).is_some_and(|far| *end < far))
        .collect();
    let count = (fraction * links.len() as f64).round() as usize;
    let key = split_mix(seed);
    let mut ranked: Vec<(u64, (NodeId, Port))> = (1u64..)
        .zip(links)
        .map(|(number, link)| (mix(key.wrapping_add(number.wrapping_mul(GOLDEN))), link))
        .collect();
    ranked.sort_unstable();
    ranked.truncate(count);
    ranked.into_iter().map(|(_, link)| link).collect()
}
