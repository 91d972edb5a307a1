//! Links with crossings of their own: `[[network.crossings]]`.

use crate::clocks::ClockParameters;
use flitwork_network::{BuiltCrossing, ClockPair, Clocks, Crossing, CrossingEntry};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Part, Parts, RawTable, Refusal, entries, key, listed, settings,
};
use flitwork_topology::{MAX_NODES, Shape, Topology};
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// A table of `[[network.crossings]]`: a crossing, and the links that have it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CrossingRule {
    scope: Scope,
    built: BuiltCrossing,
}

/// Which links a crossing is that of. The later a scope stands here, the more it overrides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// All that cross from one clock to another.
    All,
    /// Those between two islands, or between one and all nodes outside it.
    Islands(usize, Option<usize>),
    /// Those between these pairs of nodes.
    Links(Vec<[NodeId; 2]>),
}

/// What a table gives apart from its kind's keys.
#[derive(Clone, Debug, Default)]
struct GivenRule {
    links: Option<Vec<[NodeId; 2]>>,
    islands: Option<Vec<u32>>,
}

/// The name of the tables.
pub(super) const CROSSINGS: &str = "crossings";
const KIND: &str = "kind";
const LINKS: &str = "links";
const ISLANDS: &str = "islands";
const PAIR: Allowed = Allowed::List(2, 2, &Allowed::Node);

#[rustfmt::skip]
const SCOPE: &[Key<GivenRule>] = &[
    key(LINKS, |it| &mut it.links, Allowed::list(&PAIR), "all links, or those of islands", "pairs of neighbouring nodes; both directions of their links"),
    key(ISLANDS, |it| &mut it.islands, Allowed::List(1, 2, &Allowed::Whole(0, MAX_NODES as u64)), "all links, or those of links", "the numbers of two tables [[clocks.islands]], from 0: the links between the two; with one number those between it and all other nodes"),
];

/// The key that names a kind.
fn kind_key(parts: &Parts) -> Entry {
    let names = Allowed::Names(parts.names::<CrossingEntry>());
    Entry::new(
        KIND,
        names,
        "required",
        "the kind of crossing between the clocks",
    )
}

/// The tables.
#[rustfmt::skip]
pub(super) fn table(parts: &Parts) -> Entry {
    let mut within = vec![kind_key(parts)];
    within.extend(entries(SCOPE));
    let meaning = "how words and credits cross from one clock to another, a table [[network.crossings]] for each kind; tables with links override those with islands, and both override one for all links";
    let table = Entry::tables(CROSSINGS, "a synchronizer of synchronizer_edges", meaning, within);
    let mut table = table.only_with("run.engine = \"clocked\"");
    for kind in parts.all::<CrossingEntry>() {
        table.share(kind.keys().to_vec());
    }
    for key in table.within.iter_mut().skip(1) {
        if key.default == "required" {
            key.default = "required by its kind";
        }
    }
    table
}

impl CrossingRule {
    /// The crossing.
    pub(super) fn crossing(&self) -> Crossing {
        self.built.crossing
    }

    /// Whether it is that of all links.
    pub(super) fn is_usual(&self) -> bool {
        self.scope == Scope::All
    }

    /// The values of the keys that give it.
    pub(super) fn written(&self) -> Datum {
        let mut all = vec![(KIND, Datum::text(self.built.kind))];
        let mut given = GivenRule::default();
        match &self.scope {
            Scope::All => {}
            Scope::Islands(one, other) => {
                let islands = [Some(*one), *other].into_iter().flatten();
                given.islands = Some(islands.map(|island| island as u32).collect());
            }
            Scope::Links(links) => given.links = Some(links.clone()),
        }
        all.extend(settings(SCOPE, &given));
        all.extend(self.built.keys.iter().cloned());
        Datum::table(all)
    }

    /// Reads the tables of `[network]`.
    ///
    /// # Errors
    /// Keys that are missing or that the kind doesn't read.
    pub(super) fn read_all(
        network: &RawTable<'_>,
        parts: &Parts,
    ) -> Result<Vec<CrossingRule>, Refusal> {
        let tables = network.tables(CROSSINGS);
        let rules = tables.iter().map(|table| read(table, parts));
        let rules: Vec<CrossingRule> = rules.collect::<Result<_, _>>()?;
        let usual = rules.iter().zip(&tables).filter(|(it, _)| it.is_usual());
        if let Some((_, table)) = usual.clone().nth(1) {
            let allowed = "one crossing for all links: give links or islands";
            return Err(table.conflict(KIND, allowed));
        }
        Ok(rules)
    }
}

fn read(table: &RawTable<'_>, parts: &Parts) -> Result<CrossingRule, Refusal> {
    let name: String = table.needed(KIND)?;
    let kinds = parts.all::<CrossingEntry>();
    let kind = kinds.iter().find(|kind| kind.name() == name);
    let kind = kind.expect("a name that was checked");
    let reads = |kind: &CrossingEntry, key: &str| kind.keys().iter().any(|it| it.name == key);
    for key in table.names().filter(|key| !reads(kind, key)) {
        let readers = kinds.iter().filter(|kind| reads(kind, key));
        let readers: Vec<&str> = readers.map(Part::name).collect();
        if !readers.is_empty() {
            let allowed = format!("only with kind = {}; it is {name:?}", listed(&readers));
            return Err(table.conflict(key, allowed));
        }
    }
    let mut given = GivenRule::default();
    table.set(SCOPE, &mut given);
    let scope = match (given.links, given.islands.as_deref()) {
        (None, None) => Scope::All,
        (Some(links), None) => Scope::Links(links),
        (None, Some([one])) => Scope::Islands(*one as usize, None),
        (None, Some([one, other])) if one != other => {
            Scope::Islands(*one as usize, Some(*other as usize))
        }
        (None, Some(_)) => return Err(table.conflict(ISLANDS, "two different islands, or one")),
        (Some(_), Some(_)) => {
            return Err(table.conflict(ISLANDS, "only without links: give one of the two"));
        }
    };
    Ok(CrossingRule {
        scope,
        built: kind.build(table)?,
    })
}

/// A link in one direction: from which node and port, and to which.
#[derive(Clone, Copy)]
struct Way {
    from: (NodeId, Port),
    to: (NodeId, Port),
}

/// The links of a network, and where each node is.
pub(super) struct Places<'a> {
    shape: &'a Shape,
    islands: Vec<Option<usize>>,
    /// How many islands there are.
    count: usize,
}

impl<'a> Places<'a> {
    pub(super) fn of(shape: &'a Shape, clocks: &ClockParameters) -> Places<'a> {
        Places {
            shape,
            islands: clocks.island_of(shape),
            count: clocks.islands.len(),
        }
    }

    fn island(&self, node: NodeId) -> Option<usize> {
        self.islands.get(node.index()).copied().flatten()
    }

    /// The ways from a node.
    fn ways_from(&self, node: NodeId) -> impl Iterator<Item = Way> + '_ {
        let ports = self.shape.links(node).iter();
        ports.filter_map(move |port| {
            let to = self.shape.far(node, port)?;
            Some(Way {
                from: (node, port),
                to,
            })
        })
    }

    fn ways(&self) -> impl Iterator<Item = Way> + '_ {
        let nodes = (0..self.shape.nodes()).map(NodeId);
        nodes.flat_map(move |node| self.ways_from(node))
    }

    /// The ways that a scope covers, in both directions; none for all.
    fn covered(&self, scope: &Scope) -> Vec<Way> {
        match scope {
            Scope::All => Vec::new(),
            Scope::Links(pairs) => {
                let pairs = pairs.iter();
                let pairs = pairs.flat_map(|[one, other]| [(*one, *other), (*other, *one)]);
                pairs
                    .flat_map(|(one, other)| self.between(one, other))
                    .collect()
            }
            Scope::Islands(island, other_island) => {
                let is_between = |one: NodeId, other: NodeId| {
                    let of = (self.island(one), self.island(other));
                    of.0 == Some(*island)
                        && match other_island {
                            Some(other_island) => of.1 == Some(*other_island),
                            None => of.1 != Some(*island),
                        }
                };
                let is_covered = |way: &Way| {
                    let (one, other) = (way.from.0, way.to.0);
                    is_between(one, other) || is_between(other, one)
                };
                self.ways().filter(is_covered).collect()
            }
        }
    }

    /// The links from one node to another.
    fn between(&self, one: NodeId, other: NodeId) -> Vec<Way> {
        if one.0 >= self.shape.nodes() {
            return Vec::new();
        }
        let ways = self.ways_from(one);
        ways.filter(|way| way.to.0 == other).collect()
    }

    /// Gives links the crossings of these rules.
    pub(super) fn give(&self, rules: &[CrossingRule], clocks: &mut Clocks) {
        let mut rules: Vec<&CrossingRule> = rules.iter().collect();
        rules.sort_by_key(|rule| rank(rule));
        for rule in rules {
            for way in self.covered(&rule.scope) {
                let own = clocks.links.own.entry(way.from).or_default();
                own.crossing = Some(rule.crossing());
            }
        }
    }

    /// Whether any link has the capacity of all links; `clocks` has the crossings already.
    pub(super) fn has_usual_capacity(&self, clocks: &Clocks) -> bool {
        self.ways().any(|way| {
            let crossing = clocks.links.crossing_of(way.from.0, way.from.1);
            crossing.capacity_words.is_none()
        })
    }

    /// Whether anything waits for a clock's edges where no rule says what lies between two clocks.
    pub(super) fn has_usual_edges(&self, rules: &[CrossingRule], clocks: &Clocks) -> bool {
        if clocks.domains.len() == 1 || rules.iter().any(CrossingRule::is_usual) {
            return false;
        }
        let domain = |(node, _): (NodeId, Port)| clocks.domain_of[node.index()];
        self.ways().any(|way| {
            let own = clocks.links.own(way.from.0, way.from.1);
            let [sender, receiver] = [domain(way.from), domain(way.to)];
            own.is_none_or(|own| own.crossing.is_none())
                && !clocks.share(sender, receiver)
                && clocks.domains[receiver as usize].ticks()
        })
    }

    /// Checks that the links of each rule exist and cross, that none has two crossings, and that each crossing suits
    /// its clocks. `clocks` has the crossings already.
    ///
    /// # Errors
    /// The first mistake, at the table that makes it.
    pub(super) fn check(
        &self,
        network: &RawTable<'_>,
        (rules, parts): (&[CrossingRule], &Parts),
        clocks: &Clocks,
    ) -> Result<(), Refusal> {
        let tables = network.tables(CROSSINGS);
        let mut sharers = vec![0; clocks.domains.len()];
        for domain in &clocks.domain_of {
            sharers[*domain as usize] += 1;
        }
        // The rank and the table that gave each link its crossing so far.
        let mut given: BTreeMap<(NodeId, Port), (u8, usize)> = BTreeMap::new();
        for (place, (rule, table)) in rules.iter().zip(&tables).enumerate() {
            self.exist(rule, table)?;
            for way in self.covered(&rule.scope) {
                let before = given.get(&way.from).copied();
                match before {
                    Some((rank_before, other)) if rank_before == rank(rule) => {
                        return Err(twice(table, rule, way, other));
                    }
                    Some((rank_before, _)) if rank_before > rank(rule) => {}
                    _ => {
                        given.insert(way.from, (rank(rule), place));
                    }
                }
            }
        }
        let usual = rules.iter().position(CrossingRule::is_usual);
        for way in self.ways() {
            let (place, is_meant) = match (given.get(&way.from), usual) {
                (Some((_, place)), _) => (*place, true),
                (None, Some(usual)) => (usual, false),
                (None, None) => continue,
            };
            let kind = parts.find::<CrossingEntry>(rules[place].built.kind);
            let kind = kind.expect("a rule is of a kind that there is");
            let domain = |(node, _): (NodeId, Port)| clocks.domain_of[node.index()];
            let [sender, receiver] = [domain(way.from), domain(way.to)];
            let pair = ClockPair {
                sender: &clocks.domains[sender as usize],
                receiver: &clocks.domains[receiver as usize],
                shares: clocks.share(sender, receiver),
                receiver_nodes: sharers[receiver as usize],
            };
            // A self-timed receiver waits for nothing, and where nothing crosses nothing need suit.
            if !pair.receiver.ticks() || (pair.shares && !is_meant) {
                continue;
            }
            let crossing = rules[place].crossing();
            if let Err(why) = kind.suits(&crossing, &pair) {
                return Err(unsuited(&tables[place], &rules[place], way, &why));
            }
        }
        Ok(())
    }

    /// Checks that what a rule names is there.
    fn exist(&self, rule: &CrossingRule, table: &RawTable<'_>) -> Result<(), Refusal> {
        match &rule.scope {
            Scope::All => Ok(()),
            Scope::Links(pairs) => {
                for (place, [one, other]) in pairs.iter().enumerate() {
                    if self.between(*one, *other).is_empty() {
                        let how = format!("a link between nodes {one} and {other}");
                        let allowed = "pairs of nodes that are linked";
                        return Err(table.names_wrongly((LINKS, place), &how, allowed));
                    }
                }
                Ok(())
            }
            Scope::Islands(one, other) => {
                let last = [Some(*one), *other].into_iter().flatten().max();
                if last.is_some_and(|last| last >= self.count) {
                    let allowed = match self.count {
                        0 => "only with [[clocks.islands]]".into(),
                        count => format!("islands from 0 to {}", count - 1),
                    };
                    return Err(table.conflict(ISLANDS, allowed));
                }
                match self.covered(&rule.scope).is_empty() {
                    true => Err(table.conflict(ISLANDS, "islands between which there are links")),
                    false => Ok(()),
                }
            }
        }
    }
}

/// How much a rule overrides.
fn rank(rule: &CrossingRule) -> u8 {
    match rule.scope {
        Scope::All => 0,
        Scope::Islands(..) => 1,
        Scope::Links(_) => 2,
    }
}

/// The key that says which links a rule is about.
fn scope_key(rule: &CrossingRule) -> &'static str {
    match rule.scope {
        Scope::All => KIND,
        Scope::Islands(..) => ISLANDS,
        Scope::Links(_) => LINKS,
    }
}

fn twice(table: &RawTable<'_>, rule: &CrossingRule, way: Way, other: usize) -> Refusal {
    let key = scope_key(rule);
    let (from, to) = (way.from.0, way.to.0);
    let found = format!(
        "{} gives the link from node {from} to node {to} a crossing, which network.crossings[{other}] does too",
        table.key(key)
    );
    let refusal = table.conflict(key, "one crossing for each link");
    refusal.found(found)
}

fn unsuited(table: &RawTable<'_>, rule: &CrossingRule, way: Way, why: &str) -> Refusal {
    let found = format!(
        "{} is {:?} for the link from node {} to node {}",
        table.key(KIND),
        rule.built.kind,
        way.from.0,
        way.to.0
    );
    table.conflict(KIND, why).found(found)
}
