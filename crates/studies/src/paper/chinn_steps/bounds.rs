//! Sections 2.3 and 2.4: what an adversary makes of a rule, and the steps that the rule takes for it.

use super::upper::{queue, sides};
use crate::context::{Context, Failed};
use crate::contract::{Plot, Ran, Steps, Study};
use crate::options::{side, whole};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use flitwork_config::Catalogue;
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Column, column};
use flitwork_steps::Ended;
use flitwork_steps::lower::{
    AdaptiveConstants, AdaptiveSetting, Constants, Corner, DimensionClass, DimensionConstants,
    LowerError, Queues,
};
use flitwork_steps::rules::{Chosen, InqueueName, RuleName};
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
    /// Several packets a node.
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
    fn is_of(self, rule: RuleName, queues: Links) -> bool {
        let is_blind = !rule.sees_distances() && !rule.deroutes();
        match self {
            // It is for queues of links, in which its packets begin.
            _ if rule.name == "straight-through" => false,
            Section::Nonminimal => rule.deroutes(),
            Section::DimensionOrder => rule.is_dimension_order(),
            Section::Queues if queues == Links::Outgoing => is_blind && rule.waits_for_links(),
            Section::Adaptive | Section::Queues | Section::Torus | Section::Several => is_blind,
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
    /// The section whose construction is made.
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
    /// Rules to make it against.
    #[arg(long, value_name = "RULE,…", value_parser = names(), default_value = "greedy-adaptive")]
    rule: Vec<String>,
    /// Which packets nodes let in.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(InqueueName::ALL.iter().map(|it| it.0)), default_value = "fixed")]
    inqueue: String,
    /// The corner in which packets begin.
    #[arg(long, value_name = "CORNER", value_parser = PossibleValuesParser::new(Corner::ALL.map(Corner::name)), default_value = "south-west")]
    corner: String,
    /// The queues of links, in section 2.4.1.
    #[arg(long, value_enum, default_value = "incoming", value_name = "WHICH")]
    queues: Links,
    /// The table of the random rule.
    #[arg(long, value_name = "SEED", default_value = "1")]
    table: u64,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(RuleName::ALL.iter().map(|rule| rule.name))
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
    class_steps: u32,
    per_class: u32,
    classes: u32,
    bound: u32,
    steps: u32,
    exchanges: u64,
    repeats: bool,
}

impl Bounds {
    fn constants(&self, n: u32, k: u32, rule: RuleName) -> Result<Constants, LowerError> {
        if self.section == Section::DimensionOrder {
            let class = match rule.name {
                "farthest-first" => DimensionClass::FarthestFirst,
                "nearest-first" => DimensionClass::NearestFirst,
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
        let is_of = |rule: &RuleName| self.section.is_of(*rule, self.queues);
        let others = self.rule.iter().map(String::as_str);
        let others: Vec<&str> = others
            .filter(|name| !RuleName::find(name).is_some_and(|rule| is_of(&rule)))
            .collect();
        if !others.is_empty() {
            let allowed = RuleName::ALL.iter().filter(|rule| is_of(*rule));
            let allowed: Vec<&str> = allowed.map(|rule| rule.name).collect();
            let why = format!(
                "the bound of section {} isn't for {}; allowed: {}",
                self.section.name(),
                others.join(", "),
                allowed.join(", ")
            );
            return Err(Failed::option("--rule", why));
        }
        Ok(())
    }

    fn inqueue(&self) -> InqueueName {
        let found = InqueueName::ALL.iter().find(|it| it.0 == self.inqueue);
        found.map_or(InqueueName::Fixed, |it| it.1)
    }

    fn corner(&self) -> Corner {
        let found = Corner::ALL.into_iter().find(|it| it.name() == self.corner);
        found.unwrap_or(Corner::SouthWest)
    }

    fn row(
        &self,
        (n, k, rule): (u32, u32, RuleName),
        constants: &Constants,
        steps: &mut Steps<'_>,
    ) -> Result<Option<Row>, Failed> {
        let corner = self.corner();
        let box_side = match constants {
            Constants::Adaptive(constants) => constants.corner,
            Constants::Dimension(_) => 0,
        };
        let chosen = Chosen {
            rule,
            inqueue: self.inqueue(),
            seed: self.table,
            within: (n, corner, box_side),
        };
        let failed = |error: LowerError| Failed::option("--rule", error);
        let name = format!("n = {n}, k = {k}: {}", rule.name);
        let made = steps.of_steps(&format!("{name}, construction"), |go_on| {
            constants.construct(corner, &chosen, go_on)
        });
        let made = match made.expect("rules of other classes are refused") {
            Err(LowerError::Stopped) => return Ok(None),
            made => made.map_err(failed)?,
        };
        let repeated = steps.of_steps(&name, |go_on| constants.repeat(&made, &chosen, go_on));
        let repeated = repeated.map_err(|error| Failed::option("--rule", error))?;
        match repeated.ended {
            Ended::Stopped => return Ok(None),
            Ended::Done => {}
            Ended::Stuck => {
                let packets = repeated.undelivered;
                return Err(Failed::Failure(format!(
                    "{name}: {packets} packets never arrive"
                )));
            }
        }
        let (class_steps, per_class, classes) = constants.classes();
        Ok(Some(Row {
            section: self.section,
            n,
            k,
            h: self.h,
            rule: rule.name,
            corner: corner.name(),
            class_steps,
            per_class,
            classes,
            bound: made.bound_steps,
            steps: repeated.steps,
            exchanges: made.exchanges,
            repeats: repeated.repeats,
        }))
    }
}

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
        title: &format!("Steps for what an adversary makes (Chinn 1995, section {section})"),
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

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        self.check()?;
        let sides = sides(&self.n, DEFAULT_SIDES)?;
        let rules: Vec<RuleName> = self
            .rule
            .iter()
            .filter_map(|it| RuleName::find(it))
            .collect();
        let mut plan = Vec::new();
        for n in sides {
            for k in &self.k {
                for rule in &rules {
                    let constants = self.constants(n, *k, *rule).map_err(|error| {
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
            column("dn", "steps", "of a class", |it: &Row| it.class_steps),
            column("per_class", "packets", "of a class, p", |it: &Row| it.per_class),
            column("classes", "", "how many there are, ⌊l⌋", |it: &Row| it.classes),
            column("bound", "steps", "that the rule takes at least", |it: &Row| it.bound),
            column("steps", "steps", "that it takes", |it: &Row| it.steps),
            column("exchanges", "", "of destinations, while the problem was made", |it: &Row| it.exchanges),
            column("repeats", "", "whether the packets stand at the bound where they stood with exchanges", |it: &Row| it.repeats),
        ]
    }

    /// Graphs and rules, as `flitwork route` reads them; the problem is what is made.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let sides = sides(&self.n, DEFAULT_SIDES).unwrap_or_default();
        let topology = match self.section {
            Section::Torus => "torus",
            _ => "mesh",
        };
        let queues = match (self.section, self.queues) {
            (Section::Queues, Links::Incoming) => "incoming",
            (Section::Queues, Links::Outgoing) => "outgoing",
            _ => "central",
        };
        let mut all = BTreeMap::new();
        for n in sides {
            for (k, rule) in self
                .k
                .iter()
                .flat_map(|k| self.rule.iter().map(move |it| (k, it)))
            {
                let text = format!(
                    "[graph]\ntopology = \"{topology}\"\nsides = [{n}, {n}]\n[rule]\nname = \"{rule}\"\ninqueue = \"{}\"\n\
                     queues = \"{queues}\"\nk = {k}\ntable = {}\n",
                    self.inqueue, self.table
                );
                all.insert(format!("n = {n}, k = {k}, {rule}"), text);
            }
        }
        all
    }

    fn seeds(&self) -> (u64, u32) {
        (self.table, 1)
    }
}
