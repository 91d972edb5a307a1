//! The published tables, from the crate's data file.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Algorithm {
    /// The Chaos router with its derouting off.
    MinimalChaos,
    /// The Chaos router.
    Chaos,
    /// The greedy hot potato router.
    GreedyHp,
    /// The hot potato router that lets as many packets advance as can.
    MatchingHp,
}

impl Algorithm {
    /// Its name in tables and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Algorithm::MinimalChaos => "minimal-chaos",
            Algorithm::Chaos => "chaos",
            Algorithm::GreedyHp => "greedy-hp",
            Algorithm::MatchingHp => "matching-hp",
        }
    }
}

/// A row of a published table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedRow {
    /// The side of the mesh, in nodes.
    pub(super) n: u32,
    /// The side of the corner where packets start, in nodes.
    pub(super) cn: u32,
    /// The published cycles of the algorithms that ran.
    pub(super) cycles: BTreeMap<Algorithm, f64>,
}

/// A published experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    /// Its name on the command line.
    name: String,
    /// In a line.
    pub(super) title: String,
    /// The section that describes it.
    pub(super) section: String,
    /// The figure that shows it.
    pub(super) figure: String,
    /// Cycles per node of the corner's side that an unhindered packet takes, in the published fit.
    #[serde(default)]
    pub(super) distance: f64,
    /// The published fit, `distance` cn + a n^x: a in cycles, and x.
    pub(super) fit: Option<[f64; 2]>,
    /// The published rows.
    pub(super) rows: Vec<PublishedRow>,
}

impl Published {
    /// The algorithms that ran in it: the same on every mesh.
    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        let first = self.rows.first();
        first.map_or(Vec::new(), |row| row.cycles.keys().copied().collect())
    }

    /// The sides of its meshes, in nodes.
    pub(crate) fn sides(&self) -> Vec<u32> {
        self.rows.iter().map(|row| row.n).collect()
    }

    /// An algorithm's published cycles on a mesh of that side.
    pub(crate) fn time(&self, algorithm: Algorithm, n: u32) -> Option<f64> {
        let mut all = self.cycles(algorithm);
        all.find(|row| row.0 == n).map(|row| row.2)
    }

    /// An algorithm's published cycles, each with n and cn.
    pub(super) fn cycles(&self, algorithm: Algorithm) -> impl Iterator<Item = (u32, u32, f64)> {
        let of = move |row: &PublishedRow| Some((row.n, row.cn, *row.cycles.get(&algorithm)?));
        self.rows.iter().filter_map(of)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thesis {
    experiment: Vec<Published>,
}

/// Every published experiment, in the order of the thesis.
static ALL: LazyLock<Vec<Published>> = LazyLock::new(|| {
    let thesis: Thesis = toml::from_str(include_str!("../../data/chinn-1995.toml"))
        .expect("the tables come with the program, and a test reads them");
    thesis.experiment
});

/// The published experiment that the command line calls by this name.
pub(crate) fn published(name: &str) -> &'static Published {
    let experiment = ALL.iter().find(|table| table.name == name);
    experiment.expect("the experiments of the table are published")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_read_and_agree_on_their_corners() {
        let experiments = &*ALL;
        let names: Vec<_> = experiments.iter().map(|it| it.name.as_str()).collect();
        let entries = crate::paper::chinn_1995::EXPERIMENTS.iter();
        let entries: Vec<_> = entries.map(flitwork_schema::Part::name).collect();
        assert_eq!(names, entries);
        let rows: Vec<_> = experiments.iter().flat_map(|e| &e.rows).collect();
        assert_eq!(rows.len(), 6 + 6 + 4 + 4);
        assert!(rows.iter().all(|row| row.cn == 7 * row.n / 120));
        // Experiments 1 to 3 compare two routers, experiment 4 has only GreedyHP (sections 4.2 and 4.4).
        let both = vec![Algorithm::MinimalChaos, Algorithm::Chaos];
        let ran: Vec<_> = experiments.iter().map(Published::algorithms).collect();
        assert_eq!(ran[..3], [both.clone(), both.clone(), both]);
        assert_eq!(ran[3], [Algorithm::GreedyHp]);
        for experiment in experiments {
            let same = |row: &PublishedRow| row.cycles.len() == experiment.algorithms().len();
            assert!(experiment.rows.iter().all(same), "{}", experiment.name);
        }
    }
}
