//! Sections 2.3 and 2.4: what an adversary makes of a rule, and the steps that the rule takes for it.

use super::made::{self, Made, make, unusable};
use super::permutations::{Pairs, of_file, refuse_several, refuse_to_write, written};
use super::upper::{queue, sides};
use crate::context::{Context, Failed};
use crate::contract::{OwnFile, Plot, Ran, Steps, Study};
use crate::options::{side, whole};
use crate::paths::{Input, Output};
use crate::statics;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use flitwork_config::{Catalogue, table_text};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Column, column};
use flitwork_schema::{Part, Parts};
use flitwork_steps::lower::{
    AdaptiveConstants, AdaptiveSetting, Constants, Corner, DimensionClass, DimensionConstants,
    LowerError, Queues,
};
use flitwork_steps::named::{AnyRule, RuleEntry};
use flitwork_steps::rules::InqueueEntry;
use flitwork_steps::{Ended, Store};
use flitwork_topology::Shape;
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
    fn name(self) -> &'static str {
        match self {
            Section::Adaptive => "2.3",
            Section::Queues => "2.4.1",
            Section::Torus => "2.4.2",
            Section::Several => "2.4.3",
            Section::Nonminimal => "2.4.4",
            Section::DimensionOrder => "2.4.5",
        }
    }

    /// Whether its bound is for a rule.
    fn is_of(self, rule: &RuleEntry, queues: Links) -> bool {
        let facts = rule.facts();
        let is_blind = facts.is_blind && !facts.deroutes;
        match self {
            // It is for queues of links, in which its packets begin.
            _ if rule.name() == "straight-through" => {
                matches!(self, Section::Queues | Section::DimensionOrder)
            }
            Section::Nonminimal => facts.deroutes,
            Section::DimensionOrder => facts.is_dimension_order,
            Section::Queues if queues == Links::Outgoing => is_blind && facts.waits_for_links,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Links {
    /// A queue for each incoming link.
    Incoming,
    /// A queue for each outgoing link.
    Outgoing,
}

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
    /// Rules to make it against; by default one that the section is about.
    #[arg(long, value_name = "RULE,…", value_parser = names())]
    rule: Vec<String>,
    /// Which packets nodes let in.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Parts::new().names::<InqueueEntry>()), default_value = "fixed")]
    inqueue: String,
    /// The corner in which packets begin.
    #[arg(long, value_name = "CORNER", value_parser = PossibleValuesParser::new(Corner::NAMES), default_value = "south-west")]
    corner: String,
    /// The queues of links, in section 2.4.1.
    #[arg(long, value_enum, default_value = "incoming", value_name = "WHICH")]
    queues: Links,
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

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Parts::new().names::<RuleEntry>())
}

const DEFAULT_SIDES: &[u32] = &[120, 240];

/// A construction and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    section: Section,
    n: u32,
    k: u32,
    h: u32,
    rule: &'static str,
    corner: &'static str,
    /// Where the permutation is from.
    permutation: String,
    class_steps: u32,
    per_class: u32,
    classes: u32,
    bound: u32,
    steps: u32,
    undelivered: usize,
    /// None for the permutation of a file, like the next.
    exchanges: Option<u64>,
    repeats: Option<bool>,
    /// What was made, if it is to be written.
    made: Option<Pairs>,
}

impl Row {
    /// Without what comes of it.
    fn new(bounds: &Bounds, (n, k, rule): Case, constants: &Constants) -> Row {
        let (class_steps, per_class, classes) = constants.classes();
        let permutation = bounds.permutation.as_ref();
        Row {
            section: bounds.section,
            n,
            k,
            h: bounds.h,
            rule: rule.name(),
            corner: bounds.corner().name(),
            permutation: permutation.map_or("adversary".into(), |it| it.display().to_string()),
            class_steps,
            per_class,
            classes,
            bound: constants.bound_steps(),
            steps: 0,
            undelivered: 0,
            exchanges: None,
            repeats: None,
            made: None,
        }
    }
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
        let queues = match (self.section, self.queues) {
            (Section::Queues, Links::Incoming) => Queues::Incoming,
            (Section::Queues, Links::Outgoing) => Queues::Outgoing,
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
            let section = self.section.name();
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
    fn rules(&self) -> Result<Vec<RuleEntry>, Failed> {
        let all = Parts::new().all::<RuleEntry>();
        let is_of = |rule: &&RuleEntry| self.section.is_of(rule, self.queues);
        let usual = [self.section.usual().to_owned()];
        let asked = match &self.rule[..] {
            [] => &usual[..],
            asked => asked,
        };
        let named = |name: &String| all.iter().find(|rule| rule.name() == name).copied();
        let given: Vec<RuleEntry> = asked.iter().filter_map(named).collect();
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
            self.section.name(),
            names(others),
            names(of_section)
        );
        Err(Failed::option("--rule", why))
    }

    /// All that are made, each with its constants.
    fn plan(&self) -> Result<Vec<(Case, Constants)>, Failed> {
        self.check()?;
        let rules = self.rules()?;
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
                    plan.push(((n, *k, *rule), constants));
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

    fn made(&self, rule: &RuleEntry, constants: &Constants) -> AnyRule {
        let inqueue = Parts::new().find::<InqueueEntry>(&self.inqueue);
        let inqueue = inqueue.expect("a name that the option allows");
        made::rule(rule, (constants, self.corner()), (&inqueue, self.table))
    }

    fn corner(&self) -> Corner {
        let found = Corner::ALL.into_iter().find(|it| it.name() == self.corner);
        found.unwrap_or(Corner::SouthWest)
    }

    /// A row; none if the user asks to stop.
    fn row(
        &self,
        case: Case,
        constants: &Constants,
        steps: &mut Steps<'_>,
    ) -> Result<Option<Row>, Failed> {
        let (n, k, entry) = case;
        let rule = self.made(&entry, constants);
        let name = format!("n = {n}, k = {k}: {}", rule.name());
        let row = Row::new(self, case, constants);
        if let Some(path) = &self.permutation {
            let (grid, problem) = (Shape::from(constants.grid()), of_file(path, n, "")?);
            let rule = rule.with_store(store(&entry, constants));
            let routed = steps.of_steps(&name, |go_on| rule.route(&grid, &problem, go_on));
            let routed = routed.map_err(|error| unusable(&error))?;
            let row = Row {
                steps: routed.steps,
                undelivered: routed.undelivered,
                ..row
            };
            return Ok((routed.ended != Ended::Stopped).then_some(row));
        }
        let made = make(&name, (constants, self.corner(), &rule), steps)?;
        Ok(made.map(
            |Made {
                 constructed,
                 repeated,
             }| Row {
                steps: repeated.steps,
                exchanges: Some(constructed.exchanges),
                repeats: Some(repeated.repeats),
                made: self.permutation_out.as_ref().map(|_| constructed.problem),
                ..row
            },
        ))
    }
}

/// The queues of a rule: those of the section, but that straight-through has queues of links.
fn store(rule: &RuleEntry, constants: &Constants) -> Store {
    match (rule.name(), constants.store()) {
        ("straight-through", Store::Central(k)) => Store::Incoming(k),
        (_, store) => store,
    }
}

/// A side, a queue and a rule.
type Case = (u32, u32, RuleEntry);

/// Steps and bounds over the side of the mesh, by rule and queue, and the longest distance.
fn figure(rows: &[Row]) -> String {
    let mut kinds: Vec<(&str, u32)> = rows.iter().map(|row| (row.rule, row.k)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let point = |row: &Row, steps: u32| (f64::from(row.n), f64::from(steps));
    let mut series = Vec::new();
    for (rule, k) in kinds {
        let of = || {
            rows.iter()
                .filter(move |row| (row.rule, row.k) == (rule, k))
        };
        let steps = of().map(|row| point(row, row.steps)).collect();
        let bounds: Vec<_> = of().map(|row| point(row, row.bound)).collect();
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
    let mut distances: Vec<_> = rows.iter().map(|row| point(row, 2 * row.n - 2)).collect();
    distances.sort_by(|one, other| one.0.total_cmp(&other.0));
    distances.dedup();
    series.push(Series::new(
        "longest distance, 2n - 2",
        Style::OpenCircles,
        distances,
    ));
    let section = rows.first().map_or("", |row| row.section.name());
    let curves = Curves {
        title: &format!("Steps to route the adversary's problem (Chinn 1995, section {section})"),
        x_label: "side of the mesh, n (nodes)",
        y_label: "steps",
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series,
        ..Curves::default()
    };
    curves.svg()
}

impl Study for Bounds {
    type Row = Row;

    const PLOT: Option<Plot> = Some(Plot::File(
        "Draw the figure, with the published points, into this SVG file",
    ));

    fn figure(&self, rows: &[Row]) -> Option<String> {
        Some(figure(rows))
    }

    fn files(&self) -> Vec<OwnFile<'_, Row>> {
        let path = self.permutation_out.iter();
        path.map(|path| written(path, |row: &Row| row.made.as_ref()))
            .collect()
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let plan = self.plan()?;
        let mut steps = Steps::new(context, None);
        let mut rows = Vec::new();
        for (of, constants) in &plan {
            let Some(row) = self.row(*of, constants, &mut steps)? else {
                break;
            };
            rows.push(row);
        }
        Ok(Ran::AsFar(rows))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<Row>> {
        vec![
            column("section", "", "of Chinn 1995", |it: &Row| it.section.name()),
            column("n", "nodes", "the side of the mesh or torus", |it: &Row| it.n),
            column("k", "packets", "the size of a queue", |it: &Row| it.k),
            column("h", "packets", "that a node sends and receives at most", |it: &Row| it.h),
            column("rule", "", "against which it is made", |it: &Row| it.rule),
            column("corner", "", "in which packets begin", |it: &Row| it.corner),
            column("permutation", "", "what is routed: the adversary's problem, or a file", |it: &Row| it.permutation.clone()),
            column("dn", "steps", "of a class", |it: &Row| it.class_steps),
            column("per_class", "packets", "of a class, p", |it: &Row| it.per_class),
            column("classes", "", "how many there are, ⌊l⌋", |it: &Row| it.classes),
            column("bound", "steps", "that the rule takes at least for the adversary's problem", |it: &Row| it.bound),
            column("steps", "steps", "that it takes, or until nothing moves any more", |it: &Row| it.steps),
            column("undelivered", "packets", "that never arrive: they wait for each other", |it: &Row| it.undelivered as u64),
            column("exchanges", "", "of destinations, while the problem was made", |it: &Row| it.exchanges),
            column("repeats", "", "whether the packets stand at the bound where they stood with exchanges", |it: &Row| it.repeats),
        ]
    }

    /// Networks, rules and permutations of files, as `flitwork route` reads them; what is made isn't in a file unless it is written.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let (given, out) = (self.permutation.as_deref(), self.permutation_out.as_deref());
        let file = given.or(out);
        let packets = file.map_or(String::new(), statics::listed);
        let plan = self.plan().unwrap_or_default();
        let all = plan.iter().map(|((n, k, entry), constants)| {
            let network = match self.section {
                Section::Torus => statics::network("torus", [*n, *n]),
                _ => statics::network("mesh", [*n, *n]),
            };
            let rule = self.made(entry, constants);
            let rule = rule.with_store(store(entry, constants));
            let table = table_text(&format!("rule.{}", rule.name()), &rule.settings());
            let text = format!("{network}{table}{packets}");
            (format!("n = {n}, k = {k}, {}", rule.name()), text)
        });
        all.collect()
    }

    fn seeds(&self) -> (u64, u32) {
        (self.table, 1)
    }
}
