//! Sections 2.3 and 2.4: what an adversary makes of a rule, and the steps that the rule takes for it.

use super::made::{self, make, unusable};
use super::permutations::{Pairs, of_file, refuse_several, refuse_to_write, written};
use super::upper::{queue, sides};
use crate::context::{Context, Failed};
use crate::contract::{OwnFile, Plot, Ran, Steps, Study};
use crate::options::{Names, listed, name_of, named, part, parts_of, side, whole};
use crate::paths::{Input, Output};
use crate::statics;
use clap::{Args, ValueEnum};
use flitwork_config::{Catalogue, table_text};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Column, Provenance, column};
use flitwork_schema::{Part, Parts};
use flitwork_steps::lower::{
    AdaptiveConstants, AdaptiveSetting, Constants, Corner, DimensionClass, DimensionConstants,
    LowerError, Queues,
};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_steps::rules::InqueueEntry;
use flitwork_steps::{Ended, Store};
use std::collections::BTreeMap;

/// A section of chapter 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Section {
    /// Blind minimal rules with central queues.
    #[value(name = "2.3")]
    Adaptive,
    /// Queues of links: incoming and outgoing ones.
    #[value(name = "2.4.1")]
    Queues,
    /// Tori.
    #[value(name = "2.4.2")]
    Torus,
    /// Several packets per node.
    #[value(name = "2.4.3")]
    Several,
    /// Rules that deroute inside the box.
    #[value(name = "2.4.4")]
    Nonminimal,
    /// Dimension order.
    #[value(name = "2.4.5")]
    DimensionOrder,
}

impl Section {
    /// Whether its bound is for a rule.
    fn is_of(self, rule: &RuleEntry, queues: Queues) -> bool {
        let facts = rule.facts();
        let is_blind = facts.is_blind && !facts.deroutes;
        match self {
            // It is for queues of links, in which its packets begin.
            _ if rule.name() == "straight-through" => {
                matches!(self, Section::Queues | Section::DimensionOrder)
            }
            _ if facts.goes_by_legs => false,
            Section::Nonminimal => facts.deroutes,
            // Of rules that see distances, the theorems are about these two.
            Section::DimensionOrder => {
                let is_known = matches!(rule.name(), "farthest-first" | "nearest-first");
                facts.is_dimension_order && (facts.is_blind || is_known)
            }
            Section::Queues if queues == Queues::Outgoing => is_blind && facts.waits_for_links,
            Section::Adaptive | Section::Queues | Section::Torus | Section::Several => is_blind,
        }
    }

    /// The rule that it is made against unless others are asked for.
    fn usual(self) -> &'static str {
        match self {
            Section::Nonminimal => "derouting",
            Section::DimensionOrder => "fifo",
            _ => "greedy-adaptive",
        }
    }
}

/// Which queues of links section 2.4.1 is asked for.
#[rustfmt::skip]
const QUEUES: Names<Queues> = &[
    ("incoming", Queues::Incoming, "A queue for each incoming link"),
    ("outgoing", Queues::Outgoing, "A queue for each outgoing link"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Bounds {
    /// The section whose construction is used.
    #[arg(long, value_enum, default_value = "2.3", value_name = "SECTION")]
    section: Section,
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// The packets that a queue holds.
    #[arg(long, value_name = "K,…", value_parser = queue, default_value = "1")]
    k: Vec<u32>,
    /// The packets that a node sends and receives, in sections 2.4.3 and 2.4.5.
    #[arg(long, value_name = "H", value_parser = |text: &str| whole(text, 1..=1 << 16), default_value = "1")]
    h: u32,
    /// Rules to make it against (`flitwork list rules`); by default one that the section is about.
    #[arg(long, value_name = "RULE,…")]
    rule: Vec<String>,
    /// Which packets nodes let in (`flitwork list inqueues`).
    #[arg(long, value_name = "NAME", default_value = "fixed")]
    inqueue: String,
    /// The corner in which packets begin.
    #[arg(long, value_name = "CORNER", value_parser = named(Corner::ALL.map(|it| (it.name().into(), it)).into_iter()), default_value = "south-west")]
    corner: Corner,
    /// The queues of links, in section 2.4.1.
    #[arg(long, value_parser = listed(QUEUES), default_value = "incoming", value_name = "WHICH")]
    queues: Queues,
    /// The table of the random rule.
    #[arg(long, value_name = "SEED", default_value = "1")]
    table: u64,
    /// Route the permutation of this file in place of what is made against the rule; any rule.
    #[arg(long, value_name = "FILE")]
    permutation: Option<Input>,
    /// Write the permutation that is made into this file, for --permutation, and for route, run and schedule.
    #[arg(long, value_name = "FILE")]
    permutation_out: Option<Output>,
}

const DEFAULT_SIDES: &[u32] = &[120, 240];

/// A construction and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    case: Case,
    constants: Constants,
    steps: u32,
    undelivered: usize,
    /// None for the permutation of a file, like the next.
    exchanges: Option<u64>,
    repeats: Option<bool>,
    /// What was made, if it is to be written.
    made: Option<Pairs>,
}

impl Bounds {
    fn constants(&self, n: u32, k: u32, rule: &RuleEntry) -> Result<Constants, LowerError> {
        if self.section == Section::DimensionOrder {
            let class = match rule.name() {
                "farthest-first" => DimensionClass::FarthestFirst,
                "nearest-first" => DimensionClass::NearestFirst,
                "straight-through" => DimensionClass::StraightThrough,
                _ => DimensionClass::Blind,
            };
            return DimensionConstants::new(class, n, k, self.h).map(Constants::Dimension);
        }
        let queues = match self.section {
            Section::Queues => self.queues,
            _ => Queues::Central,
        };
        let setting = AdaptiveSetting {
            queues,
            wraps: self.section == Section::Torus,
            per_node: self.h,
        };
        AdaptiveConstants::for_setting(setting, n, k).map(Constants::Adaptive)
    }

    /// Options that make no sense together.
    fn check(&self) -> Result<(), Failed> {
        let takes_several = matches!(self.section, Section::Several | Section::DimensionOrder);
        if self.h > 1 && !takes_several {
            let section = name_of(self.section);
            let why = format!(
                "{}; allowed: 1 in section {section}, others in 2.4.3 and 2.4.5",
                self.h
            );
            return Err(Failed::option("--h", why));
        }
        if let Some(path) = &self.permutation {
            if self.permutation_out.is_some() {
                let why = "nothing is constructed with --permutation; allowed: one of the two";
                return Err(Failed::option("--permutation-out", why));
            }
            refuse_several(path, &sides(&self.n, DEFAULT_SIDES)?, "")?;
        }
        Ok(())
    }

    /// The rules, of which a bound is made against those of the section's class only.
    fn rules(&self, parts: &Parts) -> Result<Vec<RuleEntry>, Failed> {
        let all = parts.all::<RuleEntry>();
        let is_of = |rule: &&RuleEntry| self.section.is_of(rule, self.queues);
        let usual = all.iter().filter(|it| it.name() == self.section.usual());
        let given: Vec<RuleEntry> = match self.rule.is_empty() {
            true => usual.copied().collect(),
            false => parts_of(parts, "--rule", &self.rule)?,
        };
        let names = |rules: Vec<&RuleEntry>| {
            let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
            names.join(", ")
        };
        let others: Vec<&RuleEntry> = given.iter().filter(|rule| !is_of(rule)).collect();
        if others.is_empty() || self.permutation.is_some() {
            return Ok(given);
        }
        let of_section = all.iter().filter(is_of).collect();
        let why = format!(
            "the bound of section {} isn't for {}; allowed: {}",
            name_of(self.section),
            names(others),
            names(of_section)
        );
        Err(Failed::option("--rule", why))
    }

    /// The discipline of the queues.
    fn inqueue(&self, parts: &Parts) -> Result<InqueueEntry, Failed> {
        part(parts, "--inqueue", &self.inqueue)
    }

    /// All that are made, each with its constants.
    fn plan(&self, parts: &Parts) -> Result<Vec<(Case, Constants)>, Failed> {
        self.check()?;
        let rules = self.rules(parts)?;
        let inqueue = self.inqueue(parts)?;
        let mut plan = Vec::new();
        for n in sides(&self.n, DEFAULT_SIDES)? {
            for k in &self.k {
                for rule in &rules {
                    let constants = self.constants(n, *k, rule).map_err(|error| {
                        let option = match error {
                            LowerError::PerNode { .. } => "--h",
                            LowerError::NoQueue => "--k",
                            _ => "--n",
                        };
                        Failed::option(option, error)
                    })?;
                    let case = Case {
                        n,
                        k: *k,
                        rule: *rule,
                        inqueue,
                    };
                    plan.push((case, constants));
                }
            }
        }
        if self.permutation_out.is_some() {
            refuse_to_write(plan.len(), "one --n, one --k and one --rule")?;
            if self.h > 1 {
                let why = format!(
                    "a node sends {} packets; allowed: --h 1, with which it is a permutation",
                    self.h
                );
                return Err(Failed::option("--permutation-out", why));
            }
        }
        Ok(plan)
    }

    fn made(&self, case: &Case, constants: &Constants) -> AnyRule {
        let table = (&case.inqueue, self.table);
        made::rule(&case.rule, (constants, self.corner), table)
    }

    /// A row; none if the user asks to stop.
    fn row(
        &self,
        case: Case,
        constants: &Constants,
        steps: &mut Steps<'_>,
    ) -> Result<Option<Row>, Failed> {
        let (n, k) = (case.n, case.k);
        let (rule, keeps) = (self.made(&case, constants), self.permutation_out.is_some());
        let name = format!("n = {n}, k = {k}: {}", rule.name());
        let row = Row {
            case,
            constants: *constants,
            steps: 0,
            undelivered: 0,
            exchanges: None,
            repeats: None,
            made: None,
        };
        if let Some(path) = &self.permutation {
            let (shape, problem) = (constants.shape(), of_file(path, n, "")?);
            let rule = rule.with_store(store(&case.rule, constants));
            let routed = steps.of_steps(&name, |go_on| rule.route(&shape, &problem, go_on));
            let routed = routed.map_err(|error| unusable(&error))?;
            let row = Row {
                steps: routed.steps,
                undelivered: routed.undelivered,
                ..row
            };
            return Ok((routed.ended != Ended::Stopped).then_some(row));
        }
        let made = make(&name, (constants, self.corner, &rule), steps)?;
        Ok(made.map(|(constructed, repeated)| Row {
            steps: repeated.steps,
            exchanges: Some(constructed.exchanges),
            repeats: Some(repeated.repeats),
            made: keeps.then_some(constructed.problem),
            ..row
        }))
    }
}

/// The queues of a rule: those of the section, but that straight-through has queues of links.
fn store(rule: &RuleEntry, constants: &Constants) -> Store {
    match (rule.name(), constants.store()) {
        ("straight-through", Store::Central(k)) => Store::Incoming(k),
        (_, store) => store,
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug)]
struct Case {
    n: u32,
    k: u32,
    rule: RuleEntry,
    inqueue: InqueueEntry,
}

impl Study for Bounds {
    type Row = Row;

    const PLOT: Plot = Plot::File("Draw the figure, with the published points, into this SVG file");
    const SEED: &'static str = "table";

    /// Steps and bounds over the side of the mesh, by rule and queue, and the longest distance.
    fn figure(&self, rows: &[Row]) -> Option<String> {
        let kind = |row: &Row| (row.case.rule.name(), row.case.k);
        let mut kinds: Vec<(&str, u32)> = rows.iter().map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let point = |row: &Row, steps: u32| (f64::from(row.case.n), f64::from(steps));
        let mut series = Vec::new();
        for (rule, k) in kinds {
            let of = || rows.iter().filter(|row| kind(row) == (rule, k));
            let steps = of().map(|row| point(row, row.steps)).collect();
            let bounds: Vec<_> = of()
                .map(|row| point(row, row.constants.bound_steps()))
                .collect();
            series.push(Series::new(
                format!("{rule}, k = {k}"),
                Style::FilledCircles,
                steps,
            ));
            // Bounds of most rules are the same.
            if !series.iter().any(|it: &Series| it.points == bounds) {
                let name = format!("bound, k = {k}");
                let name = match series.iter().any(|it| it.name == name) {
                    true => format!("{name}: {rule}"),
                    false => name,
                };
                series.push(Series::new(name, Style::Dashed, bounds));
            }
        }
        let mut distances: Vec<_> = rows
            .iter()
            .map(|row| point(row, 2 * row.case.n - 2))
            .collect();
        distances.sort_by(|one, other| one.0.total_cmp(&other.0));
        distances.dedup();
        series.push(Series::new(
            "longest distance, 2n - 2",
            Style::OpenCircles,
            distances,
        ));
        let first = rows.first();
        let section = first.map_or(String::new(), |_| name_of(self.section));
        let curves = Curves {
            title: &format!(
                "Steps to route the adversary's problem (Chinn 1995, section {section})"
            ),
            x_label: "side of the mesh, n (nodes)",
            y_label: "steps",
            x_scale: Scale::Logarithmic,
            y_scale: Scale::Logarithmic,
            series,
            ..Curves::default()
        };
        Some(curves.svg())
    }

    fn file(&self, rows: &[Row], provenance: &Provenance) -> Option<OwnFile<'_>> {
        let packets = rows.first()?.made.as_ref();
        written(self.permutation_out.as_deref(), packets, provenance)
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let plan = self.plan(context.catalogue().parts())?;
        let row = |(of, constants): &(Case, Constants), steps: &mut Steps<'_>| {
            self.row(*of, constants, steps)
        };
        Steps::new(context, None).rows(&plan, row)
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        // All rows have these in common.
        let (section, h, corner) = (self.section, self.h, self.corner.name());
        let file = self.permutation.as_ref().map(|it| it.display().to_string());
        let permutation = file.unwrap_or("adversary".into());
        vec![
            column("section", "", "of Chinn 1995", move |_: &Row| name_of(section)),
            column("n", "nodes", "the side of the mesh or torus", |it: &Row| it.case.n),
            column("k", "packets", "the size of a queue", |it: &Row| it.case.k),
            column("h", "packets", "that a node sends and receives at most", move |_: &Row| h),
            column("rule", "", "against which it is made", |it: &Row| it.case.rule.name()),
            column("corner", "", "in which packets begin", move |_: &Row| corner),
            column("permutation", "", "what is routed: the adversary's problem, or a file", move |_: &Row| permutation.clone()),
            column("dn", "steps", "of a class", |it: &Row| it.constants.classes().0),
            column("per_class", "packets", "of a class, p", |it: &Row| it.constants.classes().1),
            column("classes", "", "how many there are, ⌊l⌋", |it: &Row| it.constants.classes().2),
            column("bound", "steps", "that the rule takes at least for the adversary's problem", |it: &Row| it.constants.bound_steps()),
            column("steps", "steps", "that it takes, or until nothing moves any more", |it: &Row| it.steps),
            column("undelivered", "packets", "that never arrive: they wait for each other", |it: &Row| it.undelivered as u64),
            column("exchanges", "", "of destinations, while the problem was made", |it: &Row| it.exchanges),
            column("repeats", "", "whether the packets stand at the bound where they stood with exchanges", |it: &Row| it.repeats),
        ]
    }

    /// Networks, rules and permutations of files, as `flitwork route` reads them; what is made isn't in a file unless it is written.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let (given, out) = (self.permutation.as_deref(), self.permutation_out.as_deref());
        let file = given.or(out);
        let packets = file.map_or(String::new(), statics::listed);
        let plan = self.plan(catalogue.parts()).unwrap_or_default();
        let all = plan.iter().map(|(case, constants)| {
            let (n, k) = (case.n, case.k);
            let network = match self.section {
                Section::Torus => statics::network("torus", [n, n]),
                _ => statics::network("mesh", [n, n]),
            };
            let rule = self.made(case, constants);
            let rule = rule.with_store(store(&case.rule, constants));
            let table = table_text(&format!("rule.{}", rule.name()), &rule.settings());
            let text = format!("{network}{table}{packets}");
            (format!("n = {n}, k = {k}, {}", rule.name()), text)
        });
        all.collect()
    }
}
