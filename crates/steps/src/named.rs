//! Rules that configurations name: `[rule.NAME]`, with its queues and its inqueue discipline.

mod algorithms;

use crate::lower::{Constants, Constructed, Corner, LowerError, Repeated};
use crate::machine::MachineError;
use crate::route::{GoOn, Routed, route};
use crate::rule::{Rule, Sight};
use crate::rules::{AnyInqueue, EachRule, Fixed, InqueueEntry, RuleParameters, each_rule};
use crate::store::Store;
use crate::unfit::{Misfit, Unfit};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, MistakeKind, Part, RawTable, Refusal, Value, entries, key, listed,
    named,
};
use flitwork_topology::{NetworkReading, Shape};
use flitwork_types::NodeId;
use std::fmt::Debug;
use std::sync::Arc;

/// The kinds of queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Central,
    Incoming,
    Outgoing,
    Unbounded,
}

named!(Kind {
    Central = "central",
    Incoming = "incoming",
    Outgoing = "outgoing",
    Unbounded = "unbounded",
});

/// The keys of every rule's table.
#[derive(Clone)]
struct Common {
    queues: Kind,
    k: u32,
    inqueue: String,
}

const K: &str = "k";
const QUEUES: &str = "queues";
const INQUEUE: &str = "inqueue";

#[rustfmt::skip]
const KEYS: &[Key<Common>] = &[
    key(QUEUES, |it| &mut it.queues, Allowed::Choice(Kind::NAMES), "\"central\"", "the queues of a node: one, one for each incoming or outgoing link, or one that takes all that comes"),
    key(K, |it| &mut it.k, Allowed::Whole(1, 1 << 30), "1", "packets that a queue holds; not with unbounded ones"),
    key(INQUEUE, |it| &mut it.inqueue, Allowed::Part(|parts| parts.names::<InqueueEntry>()), "\"fixed\"", "which of the packets that its neighbours offer a node lets in first"),
];

/// The keys of a rule with an inqueue discipline, or of one without.
fn common(has_inqueue: bool) -> &'static [Key<Common>] {
    match has_inqueue {
        true => KEYS,
        false => &KEYS[..2],
    }
}

impl Common {
    fn store(&self) -> Store {
        let k = self.k as usize;
        match self.queues {
            Kind::Central => Store::Central(k),
            Kind::Incoming => Store::Incoming(k),
            Kind::Outgoing => Store::Outgoing(k),
            Kind::Unbounded => Store::Unbounded,
        }
    }
}

/// What is known of a rule before it routes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    /// Whether it sees no more of destinations than which links bring a packet closer.
    pub is_blind: bool,
    /// Whether it says for which link a packet waits, as queues of outgoing links need.
    pub waits_for_links: bool,
    /// Whether packets follow dimension order.
    pub is_dimension_order: bool,
    /// Whether packets may leave shortest paths.
    pub deroutes: bool,
    /// Whether packets go from goal to goal by an algorithm that draws them.
    pub goes_by_legs: bool,
}

/// A rule with its parameters and its inqueue discipline.
#[derive(Clone, Debug)]
pub struct AnyRule {
    name: &'static str,
    inqueue: Option<&'static str>,
    store: Store,
    /// Whether the store is the user's choice.
    has_queues: bool,
    own: Vec<(&'static str, Datum)>,
    rule: Arc<dyn Object>,
}

trait Object: Debug + Send + Sync {
    fn check(&self, _: &Shape, _: &[(NodeId, NodeId)]) -> Result<(), Unfit> {
        Ok(())
    }

    fn route(
        &self,
        shape: &Shape,
        problem: (Store, &[(NodeId, NodeId)]),
        go_on: GoOn<'_>,
    ) -> Result<Routed, MachineError>;

    fn construct(
        &self,
        made: (&Constants, Corner),
        go_on: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>>;

    fn repeat(
        &self,
        made: (&Constants, &Constructed),
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError>;
}

impl AnyRule {
    /// What users call it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its inqueue discipline, unless it decides itself which packets a node lets in.
    pub fn inqueue(&self) -> Option<&'static str> {
        self.inqueue
    }

    /// Where nodes keep packets.
    pub fn store(&self) -> Store {
        self.store
    }

    /// The same with other queues.
    #[must_use]
    pub fn with_store(self, store: Store) -> AnyRule {
        AnyRule { store, ..self }
    }

    /// The keys of its table, with their values.
    pub fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut all = Vec::new();
        if self.has_queues {
            all.push((QUEUES, Datum::text(self.store.name())));
            let k = self.store.capacity().map(|k| (K, Datum::Whole(k as i128)));
            all.extend(k);
        }
        all.extend(self.inqueue.map(|name| (INQUEUE, Datum::text(name))));
        all.extend(self.own.iter().cloned());
        all
    }

    /// Refuses a problem that it can't route; `given` is its table.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub fn check(
        &self,
        given: &RawTable<'_>,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
    ) -> Result<(), Refusal> {
        let checked = self.rule.check(shape, problem);
        checked.map_err(|unfit| refused(given, &unfit))
    }

    /// Routes a problem.
    ///
    /// # Errors
    /// Those of [`Machine::new`](crate::Machine::new), and of a problem that the rule can't route.
    pub fn route(
        &self,
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        go_on: GoOn<'_>,
    ) -> Result<Routed, MachineError> {
        self.rule.route(shape, (self.store, problem), go_on)
    }

    /// [`Constants::construct`] against it.
    pub fn construct(
        &self,
        constants: &Constants,
        corner: Corner,
        go_on: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>> {
        self.rule.construct((constants, corner), go_on)
    }

    /// [`Constants::repeat`] by it.
    ///
    /// # Errors
    /// The same.
    pub fn repeat(
        &self,
        constants: &Constants,
        made: &Constructed,
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError> {
        self.rule.repeat((constants, made), go_on)
    }
}

/// What an algorithm can't route: shown at its key, or at its table.
fn refused(given: &RawTable<'_>, unfit: &Unfit) -> Refusal {
    match unfit.misfit {
        Misfit::Key(key) => {
            let found = format!("{} is {}", given.key(key), unfit.found);
            given.conflict(key, unfit.allowed.clone()).found(found)
        }
        _ => Refusal::new(MistakeKind::Conflict, given.path(), Some(given.span()))
            .found(unfit.found.clone())
            .allowed(unfit.allowed.clone()),
    }
}

/// Parameters, with an inqueue discipline.
#[derive(Debug)]
struct Made<P> {
    parameters: P,
    inqueue: AnyInqueue,
}

impl<P: RuleParameters> Made<P> {
    fn rule(&self, shape: &Shape) -> impl Rule {
        self.parameters.rule(shape.grid(), self.inqueue.clone())
    }
}

impl<P: RuleParameters> Object for Made<P> {
    fn route(
        &self,
        shape: &Shape,
        problem: (Store, &[(NodeId, NodeId)]),
        go_on: GoOn<'_>,
    ) -> Result<Routed, MachineError> {
        route(shape, &self.rule(shape), problem, go_on)
    }

    fn construct(
        &self,
        (constants, corner): (&Constants, Corner),
        go_on: GoOn<'_>,
    ) -> Option<Result<Constructed, LowerError>> {
        constants.construct(corner, &self.rule(&constants.shape()), go_on)
    }

    fn repeat(
        &self,
        (constants, made): (&Constants, &Constructed),
        go_on: GoOn<'_>,
    ) -> Result<Repeated, MachineError> {
        constants.repeat(made, &self.rule(&constants.shape()), go_on)
    }
}

/// A rule in the table.
#[derive(Clone, Copy, Debug)]
pub struct RuleEntry {
    name: &'static str,
    help: &'static str,
    keys: fn() -> Vec<Entry>,
    facts: fn() -> RuleFacts,
    read: fn(&RawTable<'_>, &NetworkReading<'_>) -> Result<AnyRule, Refusal>,
    make: fn(&RawTable<'_>, &InqueueEntry, Store) -> AnyRule,
}

impl RuleEntry {
    /// The entry of a rule.
    pub const fn of<P: RuleParameters>() -> RuleEntry {
        RuleEntry {
            name: P::NAME,
            help: P::HELP,
            keys: || {
                let mut keys = entries(common(P::HAS_INQUEUE));
                keys.extend(P::keys());
                keys
            },
            facts: facts::<P>,
            read: read::<P>,
            make: |given, inqueue, store| {
                let mut parameters = P::default();
                parameters.set(given);
                made(parameters, inqueue, store)
            },
        }
    }

    /// The keys of its table.
    pub fn keys(&self) -> Vec<Entry> {
        (self.keys)()
    }

    /// What is known of it.
    pub fn facts(&self) -> RuleFacts {
        (self.facts)()
    }

    /// The rule of a table.
    ///
    /// # Errors
    /// A [`Refusal`] for values that don't fit together, or the network.
    pub fn read(
        &self,
        given: &RawTable<'_>,
        reading: &NetworkReading<'_>,
    ) -> Result<AnyRule, Refusal> {
        (self.read)(given, reading)
    }

    /// The rule with these values of its own keys; those that it doesn't have are left out.
    pub fn with(
        &self,
        values: &[(&'static str, Datum)],
        inqueue: &InqueueEntry,
        store: Store,
    ) -> AnyRule {
        let values = values.iter();
        let values = values.map(|(key, datum)| ((*key).to_owned(), Value::from(datum.clone())));
        let values: Vec<_> = values.collect();
        (self.make)(
            &RawTable::new(self.name.into(), 0..0, &values),
            inqueue,
            store,
        )
    }
}

fn facts<P: RuleParameters>() -> RuleFacts {
    fn of_rule<R: Rule>(_: &R) -> (bool, bool) {
        (!R::Sight::IS_BEYOND_LINKS, R::WAITS_FOR_LINKS)
    }
    let (is_blind, waits_for_links) = of_rule(&P::default().rule(None, Fixed));
    RuleFacts {
        is_blind,
        waits_for_links,
        is_dimension_order: P::IS_DIMENSION_ORDER,
        deroutes: P::DEROUTES,
        goes_by_legs: false,
    }
}

fn made<P: RuleParameters>(parameters: P, inqueue: &InqueueEntry, store: Store) -> AnyRule {
    AnyRule {
        name: P::NAME,
        inqueue: P::HAS_INQUEUE.then(|| inqueue.name()),
        store,
        has_queues: true,
        own: parameters.settings(),
        rule: Arc::new(Made {
            parameters,
            inqueue: inqueue.inqueue(),
        }),
    }
}

fn read<P: RuleParameters>(
    given: &RawTable<'_>,
    reading: &NetworkReading<'_>,
) -> Result<AnyRule, Refusal> {
    let mut own = Common {
        queues: Kind::Central,
        k: 1,
        inqueue: "fixed".into(),
    };
    given.set(common(P::HAS_INQUEUE), &mut own);
    let mut parameters = P::seeded(reading.seed);
    parameters.set(given);
    parameters.check(given, reading)?;
    if own.queues == Kind::Unbounded {
        given.refuse(
            &[K],
            &[QUEUES],
            "only with other queues: unbounded ones take all that comes",
        )?;
    }
    if own.queues == Kind::Outgoing && !facts::<P>().waits_for_links {
        let all = reading.parts.all::<RuleEntry>();
        let able = all.iter().filter(|it| it.facts().waits_for_links);
        let able: Vec<&str> = able.map(Part::name).collect();
        let allowed = format!(
            "other queues: {} doesn't say for which link a packet waits; {} do",
            P::NAME,
            listed(&able)
        );
        return Err(given.conflict(QUEUES, allowed));
    }
    let inqueue = reading.parts.find::<InqueueEntry>(&own.inqueue);
    let inqueue = inqueue.expect("a name that its key allows");
    Ok(made(parameters, &inqueue, own.store()))
}

flitwork_schema::part!(RuleEntry { name, help }: "rules", built_in());

fn built_in() -> Vec<RuleEntry> {
    struct All(Vec<RuleEntry>);
    impl EachRule for All {
        fn rule<P: RuleParameters>(&mut self) {
            self.0.push(RuleEntry::of::<P>());
        }
    }
    let mut all = All(Vec::new());
    each_rule(&mut all);
    all.0.extend(algorithms::all());
    all.0.sort_by_key(|entry| entry.name);
    all.0
}
