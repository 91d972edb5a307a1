//! Which runs are asked for.

use super::KaufmannSibeyn;
use super::workload::Workload;
use crate::context::Failed;
use flitwork_experiment::memory::{self, PROGRAM_BYTES};
use flitwork_schema::Datum;
use flitwork_steps::multi_packet::algorithms::StripsOf;
use flitwork_steps::multi_packet::{AnyAlgorithm, Manner, Phases, Setting};
use flitwork_steps::{Misfit, Unfit};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::NodeId;
use std::fmt;

/// A run.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) algorithm: AnyAlgorithm,
    pub(super) values: Vec<(&'static str, Datum)>,
    pub(super) topology: &'static str,
    pub(super) d: u32,
    pub(super) n: u32,
    pub(super) k: u32,
    pub(super) workload: Workload,
    /// L of the workload, if it has one.
    pub(super) l: u32,
    pub(super) is_worm: bool,
    pub(super) manner: Manner,
    /// Whether what crosses the middle is counted.
    pub(super) counts_cuts: bool,
    pub(super) seed: u32,
    /// What isn't as it is unless an option says so.
    pub(super) variant: String,
}

/// Bytes of a packet, and of a node, that are being routed.
const PACKET_BYTES: u64 = 240;
const NODE_BYTES: u64 = 600;

impl Case {
    /// The packets of a node, and the flits of each.
    pub(super) fn packets_and_flits(&self) -> (u32, u32) {
        match self.is_worm {
            true => (1, self.k),
            false => (self.k, 1),
        }
    }

    /// The algorithm, with what isn't as usual.
    pub(super) fn name(&self) -> String {
        match self.variant.is_empty() {
            true => self.algorithm.name().into(),
            false => format!("{} ({})", self.algorithm.name(), self.variant),
        }
    }

    /// What isn't as usual of the problem, or of how all packets go, which makes other figures.
    pub(super) fn kind(&self) -> Vec<&'static str> {
        let kinds = [(self.is_worm, "worms"), (self.manner.smears, "smeared")];
        kinds
            .into_iter()
            .filter_map(|(is_so, what)| is_so.then_some(what))
            .collect()
    }

    /// Whether the algorithm spreads packets first, if it may do without.
    pub(super) fn randomises(&self) -> Option<bool> {
        let is_off = |it: &(&str, Datum)| it.0 == "randomise" && it.1 == Datum::Truth(false);
        self.algorithm
            .has_key("randomise")
            .then(|| !self.values.iter().any(is_off))
    }

    /// Which strips the algorithm takes, if it may take others.
    pub(super) fn strips(&self) -> Option<String> {
        let strips = self.values.iter().find(|it| it.0 == "strips")?;
        strips.1.as_text().map(str::to_owned)
    }

    pub(super) fn shape(&self) -> Result<Shape, Failed> {
        let sides = vec![self.n; self.d as usize];
        let grid = match self.topology {
            "torus" => Grid::torus(&sides),
            _ => Grid::mesh(&sides),
        };
        let grid = grid.map_err(|error| Failed::option("--n", error))?;
        Ok(Shape::from(grid))
    }

    pub(super) fn packets(&self, shape: &Shape) -> Result<Vec<(NodeId, NodeId)>, Failed> {
        let (per_node, _) = self.packets_and_flits();
        self.workload
            .packets(shape, (per_node, self.l), self.seed.into())
    }

    pub(super) fn setting(
        &self,
        shape: &Shape,
        packets: &[(NodeId, NodeId)],
    ) -> Result<Setting, Unfit> {
        let (_, flits) = self.packets_and_flits();
        self.algorithm
            .setting(shape, packets, flits, self.seed.into())
    }

    /// What `flitwork route` reads.
    pub(super) fn to_toml(&self) -> String {
        let sides = vec![self.n; self.d as usize];
        let (per_node, flits) = self.packets_and_flits();
        let mut rule = format!(
            "[rule.{}]\npriority = \"{}\"\nphases = \"{}\"\n",
            self.algorithm.name(),
            self.manner.priority.name(),
            self.manner.phases.name(),
        );
        if flits > 1 {
            rule += &format!("flits = {flits}\n");
        }
        if self.manner.smears {
            rule += "smear = true\n";
        }
        for (key, value) in &self.values {
            rule += &format!("{key} = {value}\n");
        }
        let traffic = self.workload.to_toml(per_node, self.l, self.seed.into());
        let topology = self.topology;
        format!("[network]\ntopology = \"{topology}\"\nsides = {sides:?}\n{rule}{traffic}")
    }

    /// Why it can't be run, at the option that it takes to change.
    fn refused(&self, unfit: &Unfit) -> Failed {
        let (option, hint) = match unfit.misfit {
            Misfit::Key("flits") => ("--worms", ""),
            Misfit::Key(_) => ("--epsilon", ""),
            Misfit::Packets => ("--k", ""),
            Misfit::Topology => ("--topology", ""),
            Misfit::Sides if self.d != 2 => ("--d", ""),
            Misfit::Sides => ("--n", ""),
            Misfit::Distances if self.topology == "mesh" => (
                "--workload",
                ", such as blocks with an L of up to n/2; shift and k-ls lead around, which a mesh doesn't",
            ),
            Misfit::Distances => ("--workload", ", such as shift with an L of up to n/2"),
        };
        let of = self.workload.with_locality(self.l);
        let (name, topology, n) = (self.algorithm.name(), self.topology, self.n);
        Failed::option(
            option,
            format!("{name} on a {topology} of side {n}, {of}: {unfit}{hint}"),
        )
    }

    /// Bytes that it takes while it runs.
    fn need_bytes(&self) -> u64 {
        let nodes = u64::from(self.n).saturating_pow(self.d);
        let (per_node, _) = self.packets_and_flits();
        let of_node = NODE_BYTES + PACKET_BYTES * u64::from(per_node);
        nodes.saturating_mul(of_node)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let packets = if self.is_worm { "flits" } else { "packets" };
        write!(
            f,
            "{}, {} of {}^{}, {} {packets}, {}, {}, {}, seed {}",
            self.name(),
            self.topology,
            self.n,
            self.d,
            self.k,
            self.workload.name(),
            self.manner.priority.name(),
            self.manner.phases.name(),
            self.seed
        )
    }
}

impl KaufmannSibeyn {
    /// An algorithm with the values of the options that it has.
    fn algorithm(&self, name: &str) -> (AnyAlgorithm, Vec<(&'static str, Datum)>) {
        let mut all = AnyAlgorithm::all().into_iter();
        let algorithm = all.find(|it| it.name() == name);
        let algorithm = algorithm.expect("a name that the option allows");
        let epsilon = self.epsilon.map(|it| ("epsilon", Datum::Whole(it.into())));
        let randomise = self.without_randomising;
        let randomise = randomise.then_some(("randomise", Datum::Truth(false)));
        let strips = Some(("strips", Datum::text(self.strips.name())));
        let values = [epsilon, randomise, strips].into_iter().flatten();
        let values: Vec<_> = values.filter(|it| algorithm.has_key(it.0)).collect();
        (algorithm.with(&values), values)
    }

    /// Refuses options that no algorithm or workload that is asked for reads.
    pub(super) fn check_options(&self, gives_strips: bool) -> Result<(), Failed> {
        let algorithms: Vec<AnyAlgorithm> = self
            .algorithm
            .iter()
            .map(|it| self.algorithm(it).0)
            .collect();
        let has = |key: &str| algorithms.iter().any(|it| it.has_key(key));
        let unread = |option: &str, by: &str| {
            let why = format!(
                "none of {} reads it; allowed: with {by}",
                self.algorithm.join(", ")
            );
            Err(Failed::option(option, why))
        };
        if self.epsilon.is_some() && !has("epsilon") {
            return unread(
                "--epsilon",
                "strips, level, level-improved or level-superior",
            );
        }
        if self.without_randomising && !has("randomise") {
            return unread("--without-randomising", "nowrap");
        }
        if self.cuts && !has("epsilon") {
            return unread("--cuts", "strips, level, level-improved or level-superior");
        }
        if gives_strips && !has("strips") {
            return unread("--strips", "no-l");
        }
        if self.l.is_some() && !self.workload.iter().any(|it| it.is_local()) {
            let why =
                "no workload has a locality of its own; allowed: with shift, blocks or figure-6";
            return Err(Failed::option("--l", why));
        }
        if self.smear && self.phases.contains(&Phases::Coalesced) {
            let why =
                "packets are spread where all have ended a phase; allowed: with --phases barrier";
            return Err(Failed::option("--smear", why));
        }
        Ok(())
    }

    /// All that is asked for, in the order of the options: networks that an algorithm isn't for are left out, unless they are named.
    pub(super) fn cases(&self) -> Result<Vec<Case>, Failed> {
        let topologies: Vec<&'static str> = match self.topology.is_empty() {
            true => vec!["mesh", "torus"],
            false => {
                let is_asked = |it: &&str| self.topology.iter().any(|asked| asked == it);
                ["mesh", "torus"].into_iter().filter(is_asked).collect()
            }
        };
        let mut cases = Vec::new();
        for name in &self.algorithm {
            let (algorithm, values) = self.algorithm(name);
            for topology in &topologies {
                let of_topology = self.of_topology(&algorithm, &values, topology);
                match checked(&of_topology) {
                    Ok(()) => cases.extend(of_topology),
                    Err(_) if self.topology.is_empty() && *topology == "mesh" && name == "no-l" => {
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let most = cases.iter().map(Case::need_bytes).max().unwrap_or(0);
        let needs = PROGRAM_BYTES.saturating_add(most.saturating_mul(self.jobs() as u64));
        memory::admit_bytes(needs, &["--n", "--k", "--jobs"]).map_err(Failed::bad_input)?;
        Ok(cases)
    }

    /// What isn't as usual of runs of an algorithm.
    fn variant(&self, algorithm: &AnyAlgorithm) -> String {
        let parts = [
            (self.worms, "worms".to_owned()),
            (self.smear, "smeared".to_owned()),
            (
                self.without_randomising && algorithm.has_key("randomise"),
                "not randomised".into(),
            ),
            (
                self.strips == StripsOf::Own && algorithm.has_key("strips"),
                "own strips".into(),
            ),
            (
                self.epsilon.is_some() && algorithm.has_key("epsilon"),
                format!("ε = {}", self.epsilon.unwrap_or(0)),
            ),
        ];
        let parts = parts
            .into_iter()
            .filter_map(|(is_so, what)| is_so.then_some(what));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn of_topology(
        &self,
        algorithm: &AnyAlgorithm,
        values: &[(&'static str, Datum)],
        topology: &'static str,
    ) -> Vec<Case> {
        let mut cases = Vec::new();
        for (d, n) in self
            .d
            .iter()
            .flat_map(|d| self.sides().iter().map(move |n| (*d, *n)))
        {
            for (k, workload) in self
                .k
                .iter()
                .flat_map(|k| self.workload.iter().map(move |it| (*k, *it)))
            {
                for (priority, phases) in self
                    .priority
                    .iter()
                    .flat_map(|it| self.phases.iter().map(move |phases| (*it, *phases)))
                {
                    cases.extend((1..=self.seeds).map(|seed| Case {
                        algorithm: algorithm.clone(),
                        values: values.to_vec(),
                        topology,
                        d,
                        n,
                        k,
                        workload,
                        l: self.l.unwrap_or((n / 8).max(1)),
                        is_worm: self.worms,
                        manner: Manner {
                            priority,
                            phases,
                            smears: self.smear,
                        },
                        counts_cuts: self.cuts,
                        seed,
                        variant: self.variant(algorithm),
                    }));
                }
            }
        }
        cases
    }
}

/// Refuses what can't be routed, before anything is.
fn checked(cases: &[Case]) -> Result<(), Failed> {
    // Seeds, priorities and phases make no difference; and a problem as large as any is made only to be refused or routed.
    let mut seen = Vec::new();
    for case in cases {
        let key = (case.d, case.n, case.k, case.workload);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let shape = case.shape()?;
        memory::admit_bytes(
            PROGRAM_BYTES.saturating_add(case.need_bytes()),
            &["--n", "--k"],
        )
        .map_err(Failed::bad_input)?;
        let packets = case.packets(&shape)?;
        if let Err(unfit) = case.setting(&shape, &packets) {
            return Err(case.refused(&unfit));
        }
        debug_assert!(shape.nodes() > 0);
    }
    Ok(())
}
